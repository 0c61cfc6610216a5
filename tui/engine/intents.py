"""Commands of the trader with fixed content. Ticket, hotkey and command line all submit one of these.

An intent carries the decision it was confirmed under (environment, portfolio, trading state), so no global flag is read
when it is processed, and the figures exactly as previewed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from typing import Any

import msgspec

from tui.engine.modes import Environment, TradingState
from tui.interface.families.algo import WHOLE_OR_PART, Condition
from tui.interface.families.orders import OrderType, PositionSide, Side, TimeInForce
from tui.interface.request import CommandRequest, action_of, arguments_of


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """The context in which an intent was confirmed."""

    environment: Environment
    portfolio: str
    state: TradingState
    source: str
    """Who caused it: `key c`, `ticket`, `command c last`."""


class Protection(msgspec.Struct, frozen=True, kw_only=True):
    """A take-profit or stop-loss that goes with an order; it works at the venue, also when this program does not run."""

    trigger: str
    source: str
    """LAST_PRICE or MARK_PRICE: what the trigger is compared with."""
    price: str = "0"
    """Limit of the order it makes; 0: at market."""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A new order. Figures are the plain decimal text that goes on the wire."""

    decision: Decision
    sym: str
    side: Side
    order_type: OrderType
    qty: str
    """Contracts on OKX perpetuals, base units elsewhere."""
    quote_qty: str = ""
    """Quote units to spend, of a spot or margin market buy; it is sent in place of `qty`, which then is an estimate."""
    price: str = ""
    """Limit price; empty for a market order."""
    time_in_force: TimeInForce = TimeInForce.GTC
    position_side: PositionSide = PositionSide.NONE
    reduce_only: bool = False
    take_profit: Protection | None = None
    stop_loss: Protection | None = None
    confirmed: frozenset[str] = frozenset()
    """Names of the soft guards the trader answered with `y`."""
    preview: str = ""
    """The preview line as shown, for the journal."""
    kill: bool = False
    """True: sent by the kill prompt's last row; accepted in VIEW if it can only close."""


class Replace(msgspec.Struct, frozen=True, kw_only=True):
    """New price and new total quantity of a resting order; both always sent."""

    decision: Decision
    key: str
    """Row key of the order, captured when the form opened."""
    price: str
    qty: str
    """New TOTAL, executed part included."""
    confirmed: frozenset[str] = frozenset()


class Cancel(msgspec.Struct, frozen=True, kw_only=True):
    """Cancel one order, by the row the trader saw."""

    decision: Decision
    key: str


class CancelAll(msgspec.Struct, frozen=True, kw_only=True):
    """Cancel every order in a scope; empty fields widen it."""

    decision: Decision
    exchange: str = ""
    sym: str = ""
    kill: bool = False
    """True: sent by the kill prompt; accepted in VIEW, and the engine switches to VIEW first."""
    spare_closing: bool = False
    """True: orders that can only reduce an open leg stay (stops, targets, reduce-only orders no larger than the leg)."""


def leverage_setting(sym: str) -> str:
    """Key of the leverage of a perpetual, in the table of open changes and in the journal."""
    return f"leverage/{sym}"


def debt_setting(exchange: str, coin: str) -> str:
    """Key of the leverage of the debt in a coin."""
    return f"debt/{exchange}/{coin}"


def mode_setting(exchange: str) -> str:
    """Key of the position mode of a venue."""
    return f"mode/{exchange}"


class SetLeverage(msgspec.Struct, frozen=True, kw_only=True):
    """Change of the leverage of a perpetual: of both its legs and its open orders."""

    decision: Decision
    sym: str
    leverage: str
    """A whole number."""
    before: str
    """The leverage the trader saw; the change is refused when it is another one by then."""

    @property
    def setting(self) -> str:
        """Which setting it changes; two changes of one setting never run at once."""
        return leverage_setting(self.sym)

    @property
    def wanted(self) -> str:
        return self.leverage


class SetMarginLeverage(msgspec.Struct, frozen=True, kw_only=True):
    """Change of the leverage of the debt in a coin on a venue."""

    decision: Decision
    exchange: str
    coin: str
    leverage: str
    """A whole number."""
    before: str
    """The leverage the trader saw."""

    @property
    def setting(self) -> str:
        """Which setting it changes."""
        return debt_setting(self.exchange, self.coin)

    @property
    def wanted(self) -> str:
        return self.leverage


class SetPositionMode(msgspec.Struct, frozen=True, kw_only=True):
    """One-way or hedge mode of a venue."""

    decision: Decision
    exchange: str
    mode: str
    """NET or BOTH."""
    before: str
    """The mode the trader saw."""

    @property
    def setting(self) -> str:
        """Which setting it changes."""
        return mode_setting(self.exchange)

    @property
    def wanted(self) -> str:
        return self.mode


class PlaceAlgo(msgspec.Struct, frozen=True, kw_only=True):
    """A new algo order: it waits at the venue for its trigger and then sends an order there."""

    decision: Decision
    sym: str
    side: Side
    """Of the order that it sends."""
    condition: Condition
    qty: str = ""
    """As the venue counts it; empty for a whole position."""
    position_side: PositionSide = PositionSide.NONE
    reduce_only: bool = False
    conditional: Protection | None = None
    take_profit: Protection | None = None
    stop_loss: Protection | None = None
    confirmed: frozenset[str] = frozenset()
    """Names of the soft guards the trader answered with `y`."""
    preview: str = ""
    """What was shown, for the journal."""

    @property
    def closes(self) -> bool:
        """Whether it can only make a position smaller."""
        return self.reduce_only or self.condition in WHOLE_OR_PART


class ReplaceAlgo(msgspec.Struct, frozen=True, kw_only=True):
    """New size or triggers of an algo order that waits; what is None or empty stays."""

    decision: Decision
    key: str
    """Row key, captured when the form opened."""
    qty: str = ""
    conditional: Protection | None = None
    take_profit: Protection | None = None
    stop_loss: Protection | None = None
    confirmed: frozenset[str] = frozenset()


class CancelAlgo(msgspec.Struct, frozen=True, kw_only=True):
    """Cancel one algo order, by the row the trader saw."""

    decision: Decision
    key: str


class CancelAllAlgos(msgspec.Struct, frozen=True, kw_only=True):
    """Cancel every algo order that matches all filters; orders stay. Empty filters widen it."""

    decision: Decision
    exchange: str
    """Always named: a call without it may reach other portfolios of the user."""
    sym: str = ""
    business: str = ""
    """SPOT, MARGIN or PERP."""
    algo_type: str = ""
    condition: str = ""
    """What the orders wait for and close, as the service spells it."""


class AccountCommand(msgspec.Struct, frozen=True, kw_only=True):
    """A command that is about no order, algo order or setting: it moves or borrows money, or changes portfolios or keys."""

    decision: Decision
    endpoint: str
    """Name of its row of the catalogue."""
    args: tuple[tuple[str, str], ...]
    """Its parameters; the engine adds the client order id where the row has one."""
    title: str
    """What it does, as the trader confirmed it: `transfer 500 USDT BINANCE → OKX`."""
    confirmed: frozenset[str] = frozenset()
    """Names of the soft guards the trader answered with yes."""
    preview: str = ""
    """What was shown, for the journal."""


def build_account_command(request: CommandRequest, decision: Decision, title: str, preview: str = "") -> AccountCommand:
    """Build the command that sends a request."""
    args = tuple(arguments_of(request).items())
    return AccountCommand(decision=decision, endpoint=action_of(type(request)), args=args, title=title, preview=preview)


OrderIntent = Place | Replace | Cancel | CancelAll
SettingIntent = SetLeverage | SetMarginLeverage | SetPositionMode
AlgoIntent = PlaceAlgo | ReplaceAlgo | CancelAlgo
CommandIntent = SettingIntent | AlgoIntent | AccountCommand
"""What is sent by REST, once, and settled by reading."""
Intent = OrderIntent | CancelAllAlgos | CommandIntent


class Verdict(StrEnum):
    """Outcome class of one submission, as far as known."""

    DENIED = "denied"
    """Refused here; nothing left this program."""
    ASK = "ask"
    """A soft guard wants a `y`; nothing left this program."""
    REJECTED = "rejected"
    """The service refused it."""
    ACCEPTED = "accepted"
    """The service took it; pushes say more."""
    UNKNOWN = "unknown"
    """No answer; the order is being queried."""


GUARD_JOINT = "+"
"""Joins the names of several guards in one question."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """Answer to an intent."""

    verdict: Verdict
    key: str = ""
    """Row key of the order concerned, where there is one."""
    guard: str = ""
    """Name of the guard that denied: BAND, STATE ...; names of all that ask, joined by `GUARD_JOINT`."""
    code: int = 0
    text: str = ""
    """One sentence for the trader: field, value, what is accepted."""
    answer: object = None
    """Decoded answer of an account command; it may hold a secret and is never logged or journaled."""


IntentHandlers = Mapping[type, Callable[[Any], Awaitable[Outcome]]]
"""Functions that carry intents out, by the type of intent that each takes."""
