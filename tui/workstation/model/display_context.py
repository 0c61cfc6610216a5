"""What the cells of all panes read besides their row: the mirror, the clock, and how figures are written."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from tui.interface.decimals import ZERO
from tui.protocols import Clock
from tui.workstation.model import number_format
from tui.workstation.model.instruments import in_contracts
from tui.workstation.model.mirror import Mirror
from tui.workstation.settings import WorkstationSettings

if TYPE_CHECKING:
    from tui.interface.families.market import SymbolInfo
    from tui.workstation.model.queue_estimates import QueueEstimates
    from tui.workstation.model.realised_pnl import RealisedPnl


NEWS_S = 10.0
"""How long what has happened stands out."""


class Valuation(StrEnum):
    """At which price an open result is valued."""

    MARK = "mark"
    LAST = "last"
    EXIT = "exit"
    """The touch one would close at, less the taker fee."""


class DisplayContext:
    """One for the life of the app."""

    def __init__(self, mirror: Mirror, clock: Clock, settings: WorkstationSettings) -> None:
        self.mirror = mirror
        self.clock = clock
        self.settings = settings
        self.replace_previews: dict[str, tuple[str, str]] = {}
        """Price and quantity of a replace that is being typed, by order row key."""
        self.result = Valuation.MARK
        self.net_of_fee = False
        """Quotes show prices after the taker fee."""
        self.frozen = False
        """Nothing is painted until a key ends it; rows are still taken in."""
        self.frozen_at = 0.0
        """Since when what is shown stands still."""
        self.practice: list[str] = []
        """Names of the faults of the paper venue that are practised now."""
        self.stalled_ms = 0
        """How long the screen stood still in the last second."""

    @cached_property
    def queues(self) -> QueueEstimates:
        """What is ahead of own orders; imported with the first rows, which come after the first frame."""
        from tui.workstation.model.queue_estimates import QueueEstimates

        return QueueEstimates(self.mirror)

    @cached_property
    def realised_pnl(self) -> RealisedPnl:
        """Sums of what was booked; imported with the first rows."""
        from tui.workstation.model.realised_pnl import RealisedPnl

        return RealisedPnl(self.mirror)

    @property
    def frozen_for(self) -> float:
        """How long what is shown has stood still, s."""
        return self.now - self.frozen_at

    @property
    def now(self) -> float:
        return self.clock.mono()

    def is_news(self, at: float) -> bool:
        """Whether something happened a moment ago; `at`: monotonic, s."""
        return self.now - at < NEWS_S

    @property
    def server_wall(self) -> float:
        """The service's wall time, s."""
        return self.mirror.server_wall

    def day_of(self, wall_ms: int) -> str:
        """The day a time belongs to, in the zone of the settings."""
        return number_format.day(wall_ms, self.settings.time == "utc")

    def info(self, sym: str) -> SymbolInfo | None:
        """Rules of a symbol, where the service told them."""
        return self.mirror.symbols.get(sym)

    def price(self, sym: str, text: str | None, exact: bool = False) -> str:
        """A price with the decimals of the tick."""
        info = self.info(sym)
        return number_format.figure(
            text, number_format.places(info.tick_size) if info else None, self.settings.separators, exact
        )

    def price_of(self, sym: str, price: Decimal | None) -> str:
        """Like `price`, of a computed value."""
        info = self.info(sym)
        return number_format.decimal_figure(
            price, number_format.places(info.tick_size) if info else 2, self.settings.separators
        )

    def quantity(self, sym: str, text: str | None, unit: bool = True) -> str:
        """A quantity with the decimals of the lot; `ct` where it counts contracts."""
        info = self.info(sym)
        places = number_format.places(info.lot_size) if info else None
        figure = number_format.figure(text, places, self.settings.separators, True)
        return figure + "ct" if unit and figure != number_format.MISSING and in_contracts(sym) else figure

    def money(self, text: str | None, places: int = 2) -> str:
        """An amount of the risk currency."""
        return number_format.figure(text, places, self.settings.separators)

    def amount(self, number: Decimal | None, places: int = 2) -> str:
        """Like `money`, of a computed value."""
        return number_format.decimal_figure(number, places, self.settings.separators)

    def signed(self, number: Decimal | None, places: int = 2) -> str:
        """A gain or loss of the risk currency, with its sign."""
        return number_format.signed_decimal(number, places, self.settings.separators)

    def moment(self, wall_ms: int, millis: bool = False) -> str:
        return number_format.moment(wall_ms, self.settings.time == "utc", millis)

    def quote_fee(self, sym: str) -> Decimal | None:
        """The rate that quoted prices are shown after: 0 in the gross view; None while the taker rate is not known."""
        return self.taker(sym) if self.net_of_fee else ZERO

    def taker(self, sym: str) -> Decimal | None:
        """The taker rate of a symbol, of its own fee group where it has one; None while it is not known."""
        from tui.workstation.model.account_snapshot import Rates, rates_of

        rates = rates_of(self.mirror, sym)
        return rates.taker if isinstance(rates, Rates) else None
