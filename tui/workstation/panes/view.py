"""What the cells of all panes read besides their row: the mirror, the clock, and how figures are written."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING

from tui.seams import Clock
from tui.workstation import numbers
from tui.workstation.mirror import Mirror
from tui.workstation.panes.names import in_contracts
from tui.workstation.settings import WorkstationSettings
from tui.workstation.venue_row import Rates, rates_of

if TYPE_CHECKING:
    from tui.interface.families.market import SymbolInfo
    from tui.workstation.panes.booked import Booked
    from tui.workstation.panes.queue_estimates import QueueEstimates


class Result(StrEnum):
    """At which price an open result is valued."""

    MARK = "mark"
    LAST = "last"
    EXIT = "exit"
    """The touch one would close at, less the taker fee."""


class View:
    """One for the life of the app."""

    def __init__(self, mirror: Mirror, clock: Clock, settings: WorkstationSettings) -> None:
        self.mirror = mirror
        self.clock = clock
        self.settings = settings
        self.ghosts: dict[str, tuple[str, str]] = {}
        """Price and quantity of a replace that is being typed, by order row key."""
        self.result = Result.MARK
        self.net_of_fee = False
        """Quotes show prices after the taker fee."""
        self.queues: QueueEstimates | None = None
        self.booked: Booked | None = None

    @property
    def now(self) -> float:
        return self.clock.mono()

    @property
    def server_wall(self) -> float:
        """The service's wall time, s; ours while the difference is not measured."""
        desk = self.mirror.desk
        skew_ms = desk.skew_ms if desk is not None else None
        return self.clock.wall() - (skew_ms or 0.0) / 1000

    def day_of(self, wall_ms: int) -> str:
        """The day a time belongs to, in the zone of the settings."""
        return numbers.day(wall_ms, self.settings.time == "utc")

    def info(self, sym: str) -> SymbolInfo | None:
        """Rules of a symbol, where the service told them."""
        return self.mirror.symbols.get(sym)

    def price(self, sym: str, text: str | None, exact: bool = False) -> str:
        """A price with the decimals of the tick."""
        info = self.info(sym)
        return numbers.figure(text, numbers.places(info.tick_size) if info else None, self.settings.separators, exact)

    def price_of(self, sym: str, price: Decimal | None) -> str:
        """Like `price`, of a computed value."""
        info = self.info(sym)
        return numbers.decimal_figure(price, numbers.places(info.tick_size) if info else 2, self.settings.separators)

    def quantity(self, sym: str, text: str | None, unit: bool = True) -> str:
        """A quantity with the decimals of the lot; `ct` where it counts contracts."""
        info = self.info(sym)
        places = numbers.places(info.lot_size) if info else None
        figure = numbers.figure(text, places, self.settings.separators, True)
        return figure + "ct" if unit and figure != numbers.MISSING and in_contracts(sym) else figure

    def money(self, text: str | None, places: int = 2) -> str:
        """An amount of the risk currency."""
        return numbers.figure(text, places, self.settings.separators)

    def amount(self, number: Decimal | None, places: int = 2) -> str:
        """Like `money`, of a computed value."""
        return numbers.decimal_figure(number, places, self.settings.separators)

    def signed(self, number: Decimal | None, places: int = 2) -> str:
        """A gain or loss of the risk currency, with its sign."""
        return numbers.signed_decimal(number, places, self.settings.separators)

    def moment(self, wall_ms: int, millis: bool = False) -> str:
        return numbers.moment(wall_ms, self.settings.time == "utc", millis)

    def taker(self, sym: str) -> Decimal | None:
        """The taker rate of a symbol, of its own fee group where it has one; None while it is not known."""
        rates = rates_of(self.mirror, sym)
        return rates.taker if isinstance(rates, Rates) else None
