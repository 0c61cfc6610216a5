"""Context shared by all panes: mirror, clock and number formats."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from tui.engine.modes import SENDS, RiskMode
from tui.interface.decimals import ZERO
from tui.interface.text import KEY_BRACKETS
from tui.protocols import Clock
from tui.workstation.model import number_format
from tui.workstation.model.instruments import in_contracts
from tui.workstation.model.mirror import Mirror
from tui.workstation.settings import WorkstationSettings

if TYPE_CHECKING:
    from tui.interface.families.market import SymbolInfo
    from tui.workstation.model.orders.queue_estimates import QueueEstimates
    from tui.workstation.model.realised_pnl import RealisedPnl


HOW_TO_ARM = "press ⟦state.arm⟧ to arm"
HOW_TO_ARM_FROM_LINE = "⟦line.close⟧, then ⟦state.arm⟧ arms"
"""The same in the command line, where the key of arming is a letter of the line."""
HOW_TO_LEAVE_MODE = "⟦mode.choose⟧ and resume"
NEWS_S = 10.0
"""Seconds during which an event is highlighted as new."""


_ACTION = re.compile(r"⟦([a-z]+\.[a-z0-9_]+)⟧")
_REMARK = re.compile(r" \([^()]*⟦[a-z]+\.[a-z0-9_]+⟧[^()]*\)")
_LINK = re.compile(r"([:;,.] )")
NO_KEY = "(no key)"
"""Stands where a sentence of one part names an action without a key."""


def name_keys(text: str, key_of: Callable[[str], str]) -> str:
    """Replace action ids in brackets, such as `⟦state.arm⟧`, in a text by the actions' keys.

    Where an action has no key, the remark in parentheses that names it is left out, else its part of the sentence.

    Args:
        text: Text with action ids.
        key_of: Key of an action as shown to people; empty if it has none.
    """
    if KEY_BRACKETS[0] not in text:
        return text

    def is_named(part: str) -> bool:
        return all(map(key_of, _ACTION.findall(part)))

    first, *rest = _LINK.split(_REMARK.sub(lambda remark: remark[0] if is_named(remark[0]) else "", text))
    parts = [(link, part) for link, part in zip(rest[::2], rest[1::2], strict=True) if is_named(part)]
    if parts and not is_named(first):
        first = parts.pop(0)[1]
    named = first + "".join(link + part for link, part in parts)
    return _ACTION.sub(lambda action: key_of(action[1]) or NO_KEY, named)


def describe_failure(where: str, error: Exception) -> str:
    """Describe an internal error without values, which can contain secrets."""
    return f"internal error in {where}: {type(error).__name__}"


class Valuation(StrEnum):
    """Price at which an unrealised result is valued: mark, last or exit."""

    MARK = "mark"
    LAST = "last"
    EXIT = "exit"
    """Touch at which the position would close, less the taker fee."""


class ReplacePreview(NamedTuple):
    """New price of an order whose replace ticket is open, shown beside the order, and whether it was sent."""

    price: str
    sent: bool
    """Whether it has been sent."""


class DisplayContext:
    """Mirror, clock, settings and view modes, shared by all panes for the lifetime of the app."""

    def __init__(self, mirror: Mirror, clock: Clock, settings: WorkstationSettings) -> None:
        self.mirror = mirror
        self.clock = clock
        self.settings = settings
        self.replace_previews: dict[str, ReplacePreview] = {}
        """Price of a replace while it is open, by order row key."""
        self.result = Valuation.MARK
        self.net_of_fee = False
        """Whether quotes show prices after the taker fee."""
        self.asks: Callable[[], bool] = lambda: False
        """Whether a question is open; then no changed number is highlighted beside it."""
        self.frozen = False
        """Whether the view is frozen: rows are still taken in, but nothing is painted until a key ends it."""
        self.frozen_at = 0.0
        """Monotonic time of the freeze, s."""
        self.practice: list[str] = []
        """Names of the paper venue faults being practised now."""
        self.firing: Callable[[], str] = lambda: ""
        """Which keys send at once in HOT where the keyboard is."""
        self.works_here: Callable[[str], bool] = lambda _: True
        """Whether an action, by its id, is one of the place where the keyboard is."""
        self.key_of: Callable[[str], str] = lambda _: ""
        """First key of an action in the keymap in use, as shown to people; empty if it has none."""
        self.keys_of: Callable[[str], tuple[str, ...]] = lambda _: ()
        """Names of all keys of an action in the keymap in use."""
        self.report_failure: Callable[[str, Exception], str] = describe_failure
        """Log and show an internal error in a part of the desk; return what is said of it."""
        self.how_to_arm, self.how_to_leave_mode = HOW_TO_ARM, HOW_TO_LEAVE_MODE
        """What arms the desk, and what leaves a risk mode other than NORMAL."""
        self.in_line: Callable[[], bool] = lambda: False
        """Whether the command line is open."""
        self.kept: set[str] = set()
        """Pairs that are left out when everything is flattened."""
        self.caps = False
        """Whether the last letters look like Caps Lock."""
        self.stalled_ms = 0
        """Milliseconds without a frame in the last second."""
        self.line_speed = inf
        """Speed of the line to the terminal, bytes/s, while it is so slow that frames wait for it."""

    @cached_property
    def queues(self) -> QueueEstimates:
        """Queue position estimates of own orders; imported only when the first rows arrive, after the first frame."""
        from tui.workstation.model.orders.queue_estimates import QueueEstimates

        return QueueEstimates(self.mirror)

    @property
    def minute(self) -> int:
        """Minute of the service's clock, since 1970."""
        return int(self.server_wall // 60)

    @cached_property
    def realised_pnl(self) -> RealisedPnl:
        """Totals of realised results; imported only when the first rows arrive."""
        from tui.workstation.model.realised_pnl import RealisedPnl

        return RealisedPnl(self.mirror)

    @property
    def hot_until(self) -> float:
        """Monotonic time at which HOT ends; 0 in other states."""
        status = self.mirror.engine_status
        return status.hot_until if status is not None else 0.0

    @property
    def is_attached(self) -> bool:
        """Whether the engine runs in another window or program."""
        status = self.mirror.engine_status
        return status is not None and bool(status.own_name)

    @property
    def why_read_only(self) -> str:
        """Why this desk can send nothing at all, not even a cancel; empty if it can."""
        status = self.mirror.engine_status
        return status.read_only if status is not None else ""

    def name_keys(self, text: str) -> str:
        """Replace action ids in brackets in a text by the keys of the keymap in use."""
        return name_keys(text, self.key_of)

    def why_not_armed(self) -> str:
        """Return why no order can be sent because trading is not armed, or an empty text."""
        status, unreadable = self.mirror.engine_status, self.mirror.unreadable
        if status is None:
            return "the desk is still starting: nothing can be sent yet"
        if status.read_only or unreadable:
            return status.read_only or f"{unreadable}: nothing can be sent"
        if status.trading_state in SENDS:
            return ""
        mode = status.risk_mode
        # Closing orders need no other mode: the way out of it comes last.
        then = f"; the risk mode is {mode.value}: to open, then {self.how_to_leave_mode} {status.breach_end}".rstrip()
        then = "" if mode is RiskMode.NORMAL else then
        how_to_arm = HOW_TO_ARM_FROM_LINE if self.in_line() else self.how_to_arm
        return self.name_keys(f"nothing is sent in state VIEW; {how_to_arm}{then}")

    @property
    def frozen_for(self) -> float:
        """Seconds since the view was frozen; meaningless while it is not."""
        return self.now - self.frozen_at

    @property
    def now(self) -> float:
        return self.clock.mono()

    def is_news(self, at: float) -> bool:
        """Return whether a monotonic time, in s, is recent enough for a change to be highlighted."""
        return self.now - at < NEWS_S

    @property
    def server_wall(self) -> float:
        """Wall clock time of the service, in s."""
        return self.mirror.server_wall

    def day_of(self, wall_ms: int) -> str:
        """Return the date of a time in the configured time zone."""
        return number_format.day(wall_ms, utc=self.settings.time == "utc")

    def info(self, sym: str) -> SymbolInfo | None:
        """Return the trading rules of a symbol; None before the service has sent them."""
        return self.mirror.symbols.get(sym)

    def price(self, sym: str, text: str | None, *, exact: bool = False) -> str:
        """Format a price with the decimals of the symbol's tick."""
        info = self.info(sym)
        return number_format.figure(
            text,
            number_format.places(info.tick_size) if info else None,
            separators=self.settings.separators,
            exact=exact,
        )

    def price_of(self, sym: str, price: Decimal | None) -> str:
        """Format a computed price with the decimals of the symbol's tick."""
        info = self.info(sym)
        return number_format.decimal_figure(
            price, number_format.places(info.tick_size) if info else 2, separators=self.settings.separators
        )

    def quantity(self, sym: str, text: str | None, *, unit: bool = True) -> str:
        """Format a quantity with the decimals of the lot size, and `ct` for contracts."""
        info = self.info(sym)
        places = number_format.places(info.lot_size) if info else None
        figure = number_format.figure(text, places, separators=self.settings.separators, exact=True)
        return figure + "ct" if unit and figure != number_format.MISSING and in_contracts(sym) else figure

    def money(self, text: str | None) -> str:
        """Format an amount in the risk currency."""
        return number_format.figure(text, 2, separators=self.settings.separators)

    def amount(self, number: Decimal | None, places: int | None = 2) -> str:
        """Format a computed amount with `places` decimals, 2 by default; with None, as many as the number has."""
        return number_format.decimal_figure(number, places, separators=self.settings.separators)

    def format_signed(self, number: Decimal | None, places: int | None = 2) -> str:
        """Format a gain or loss like `amount`, with its sign."""
        return number_format.format_signed_decimal(number, places, separators=self.settings.separators)

    def moment(self, wall_ms: int, *, millis: bool = False) -> str:
        return number_format.moment(wall_ms, utc=self.settings.time == "utc", millis=millis)

    def quote_fee(self, sym: str) -> Decimal | None:
        """Return the taker rate that shown prices include in the net view; 0 in the gross view, None if unknown."""
        return self.taker(sym) if self.net_of_fee else ZERO

    def taker(self, sym: str) -> Decimal | None:
        """Return the taker fee rate of a symbol; None while it is unknown."""
        from tui.workstation.model.account_snapshot import Rates, rates_of

        rates = rates_of(self.mirror, sym)
        return rates.taker if isinstance(rates, Rates) else None
