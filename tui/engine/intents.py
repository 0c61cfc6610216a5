"""Intents: immutable commands of the trader, submitted alike by ticket, hotkey and command line.

An intent carries the decision under which it was confirmed (environment, portfolio, trading state), so no global flag
is read when it is processed, and the figures exactly as previewed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from tui.engine.modes import Environment, TradingState
from tui.interface.families.algo import WHOLE_OR_PART, Condition
from tui.interface.families.orders import OrderType, PositionSide, Side, TimeInForce
from tui.interface.request import CommandRequest, action_of, arguments_of

if TYPE_CHECKING:
    from tui.engine.status_rows import EngineStatusRow


class Press(msgspec.Struct, frozen=True, kw_only=True):
    """Key press that sent an intent, with the times before it that the guard of the window measured."""

    key: str
    at: float
    """Monotonic time at which it was read from the terminal, s."""
    again_ms: int | None = None
    """Time since the same key before, with no other key between, ms; None: another key was between."""
    stood_ms: int | None = None
    """Time for which what it sends had stood on the screen, ms; None: not measured."""
    moved_ms: int | None = None
    """Time since the key directly before it, which moved the focus or was refused, ms; None: that key did neither."""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """Context of an intent: account and trading state when it was confirmed, and who sent it by which key or command."""

    environment: Environment
    portfolio: str
    state: TradingState
    source: str
    """Origin: `key c`, `ticket`, `command c last`."""
    press: Press | None = None
    """Key press that sent it; None: none did, as with a typed line or a later step of a question."""
    peer: str = ""
    """Name of the peer that sent it; empty: the screen of this process. Set by the engine's side, never taken over."""
    command: str = ""
    """Id that its sender made, under which the outcome can be asked for after a lost answer."""
    sender: str = ""
    """Mark under which the commands of its sender are known, also in later runs. Set by the engine's side."""
    expires: float = 0.0
    """Monotonic time from which on it is not sent any more, s; 0: it never expires. Set by the engine's side."""

    @classmethod
    def of(cls, status: EngineStatusRow, source: str) -> Decision:
        """Build the decision of a request that is made now from the status of the engine."""
        return cls(
            environment=status.environment, portfolio=status.portfolio, state=status.trading_state, source=source
        )


class Protection(msgspec.Struct, frozen=True, kw_only=True):
    """Take-profit or stop-loss attached to an order; it works at the venue even while this program is not running."""

    trigger: str
    source: str
    """Price the trigger is compared with: LAST_PRICE or MARK_PRICE."""
    price: str = "0"
    """Limit price of the triggered order; 0: at market."""


class PaintedPrice(msgspec.Struct, frozen=True, kw_only=True):
    """Price that a ladder or chart showed under its cursor when an order or a replace was staged there."""

    frame: int
    """Number of the frame in which the cursor's line was last written."""
    sym: str = ""
    """Pair in whose column the cursor stood."""
    price: str
    side: Side
    bid: str
    ask: str
    age_ms: int
    """Age of the quote, ms."""
    stood_ms: int
    """Time for which this price had stood under the cursor in written frames, ms."""


class ShownTerms(msgspec.Struct, frozen=True, kw_only=True):
    """Time and best opposite price at which a ticket showed a proposal to the trader."""

    at: float
    """Monotonic time at which it was shown, s."""
    touch: str = ""
    """Best price on the other side of the order then; empty: none was known."""


LEAST_STOOD_MS = 100
"""Time for which a price must have stood under the cursor before an order may be staged there, ms."""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """New order; numbers are decimal texts, sent unchanged."""

    decision: Decision
    sym: str
    side: Side
    order_type: OrderType
    qty: str
    """Contracts on OKX perpetuals, base units elsewhere."""
    quote_qty: str = ""
    """Quote units to spend in a spot or margin market buy; sent instead of `qty`, which is then an estimate."""
    price: str = ""
    """Limit price; empty for a market order."""
    time_in_force: TimeInForce = TimeInForce.GTC
    position_side: PositionSide = PositionSide.NONE
    reduce_only: bool = False
    take_profit: Protection | None = None
    stop_loss: Protection | None = None
    confirmed: frozenset[str] = frozenset()
    """Names of the soft guards that the trader confirmed with `y`."""
    preview: str = ""
    """The preview line as shown, for the journal."""
    painted: PaintedPrice | None = None
    """What the ladder or chart showed where the order was staged; None: it was not staged on a price."""
    kill: bool = False
    """Whether it was sent by the last row of the kill prompt; accepted in VIEW if it can only close."""
    hot: bool = False
    """Whether one key sent it without a preview; accepted in HOT alone."""
    proposal: str = ""
    """Number of the proposal that the trader made it from, or empty."""
    shown: ShownTerms | None = None
    """How the proposal was shown; without it none is sent."""
    line: str = ""
    """Mark of its line, whose one question listed each of its orders: equal ones among them are meant, and together they
    are one send. Empty: no line."""
    instruction: str = ""
    """What was asked for where price or size follow the market, such as its line: the same again is the same order to the
    check of repeated ones, whatever the price has become. Empty: price and size alone tell."""
    held: str = ""
    """Size, negative when short, of the position that it was made from and turns round: at any other the gate refuses it,
    which would open another size than was read. Empty: it was made from none."""
    flattens: bool = False
    """Whether it closes one of all or of the marked positions; one that it does not reach is warned of until it is flat."""


class Replace(msgspec.Struct, frozen=True, kw_only=True):
    """New price and new total quantity of a resting order; both are always sent."""

    decision: Decision
    key: str
    """Row key of the order, captured when the form opened."""
    price: str
    qty: str
    """New TOTAL, executed part included."""
    confirmed: frozenset[str] = frozenset()
    painted: PaintedPrice | None = None
    """What the ladder showed where the order was put down; None: it was not put down on a price."""
    hot: bool = False
    """Whether it was sent without Enter; accepted in HOT alone."""
    proposal: str = ""
    """Number of the proposal that the trader made it from, or empty."""
    shown: ShownTerms | None = None
    """How the proposal was shown; without it none is sent."""
    line: str = ""
    """Mark of its line, as that of a new order."""


class Cancel(msgspec.Struct, frozen=True, kw_only=True):
    """Cancel of one order, identified by the row the trader saw."""

    decision: Decision
    key: str
    kill: bool = False
    """Whether it was sent because a mandate ended; accepted in VIEW."""
    proposal: str = ""
    """Number of the proposal that the trader accepted with it, or empty."""


class CancelAll(msgspec.Struct, frozen=True, kw_only=True):
    """Cancel of all orders in a scope; an empty field matches everything."""

    decision: Decision
    exchange: str = ""
    sym: str = ""
    kill: bool = False
    """Whether it was sent by the kill prompt; accepted in VIEW, and the engine switches to VIEW first."""
    spare_closing: bool = False
    """Whether to keep orders that can only reduce an open leg (stops, targets, reduce-only up to the leg's size)."""
    reason: str = "kill switch"
    """Reason of the risk mode HALT that a kill enters."""


def leverage_setting(sym: str) -> str:
    """Return the key of a perpetual's leverage setting, as used for open changes and in the journal."""
    return f"leverage/{sym}"


def debt_setting(exchange: str, coin: str) -> str:
    """Return the key of the leverage setting of a coin's debt on a venue."""
    return f"debt/{exchange}/{coin}"


def mode_setting(exchange: str) -> str:
    """Return the key of a venue's position mode setting."""
    return f"mode/{exchange}"


class _InNoLine(msgspec.Struct, frozen=True):
    """Base of the intents that are never one of several orders of one typed line."""

    line: ClassVar[str] = ""


class _NeverAsked(_InNoLine, frozen=True):
    """Base of the intents that never need a confirmation of a guard's question."""

    confirmed: ClassVar[frozenset[str]] = frozenset()


class SetLeverage(_NeverAsked, frozen=True, kw_only=True):
    """Change of a perpetual's leverage, which applies to both position sides and to open orders."""

    decision: Decision
    sym: str
    leverage: str
    """A whole number."""
    before: str
    """Leverage the trader saw; the change is refused when the present one differs."""

    @property
    def setting(self) -> str:
        """Key of the setting; at most one change per key is open."""
        return leverage_setting(self.sym)

    @property
    def wanted(self) -> str:
        """New value of the setting, written in the same form as `before`."""
        return self.leverage


class SetMarginLeverage(_NeverAsked, frozen=True, kw_only=True):
    """Change of the leverage of a coin's debt on a venue."""

    decision: Decision
    exchange: str
    coin: str
    leverage: str
    """A whole number."""
    before: str
    """Leverage the trader saw."""

    @property
    def setting(self) -> str:
        """Key of the setting; at most one change per key is open."""
        return debt_setting(self.exchange, self.coin)

    @property
    def wanted(self) -> str:
        """New value of the setting, written in the same form as `before`."""
        return self.leverage


class SetPositionMode(_NeverAsked, frozen=True, kw_only=True):
    """Switch of a venue between one-way and hedge mode."""

    decision: Decision
    exchange: str
    mode: str
    """NET or BOTH."""
    before: str
    """Mode the trader saw."""

    @property
    def setting(self) -> str:
        """Key of the setting; at most one change per key is open."""
        return mode_setting(self.exchange)

    @property
    def wanted(self) -> str:
        """New value of the setting, written in the same form as `before`."""
        return self.mode


class PlaceAlgo(msgspec.Struct, frozen=True, kw_only=True):
    """New algo order, which waits at the venue for its trigger and then sends an order."""

    decision: Decision
    sym: str
    side: Side
    """Side of the order that it sends."""
    condition: Condition
    qty: str = ""
    """Quantity in the venue's units; empty for a whole position."""
    position_side: PositionSide = PositionSide.NONE
    reduce_only: bool = False
    conditional: Protection | None = None
    take_profit: Protection | None = None
    stop_loss: Protection | None = None
    rises: bool | None = None
    """Whether the conditional trigger lay above its price when it was typed, so that it waits for a rise; None: not told."""
    confirmed: frozenset[str] = frozenset()
    """Names of the soft guards that the trader confirmed with `y`."""
    preview: str = ""
    """Preview as shown, for the journal."""
    line: str = ""
    """Mark of its line, as that of an order."""

    @property
    def closes(self) -> bool:
        """Whether the algo order can only reduce a position."""
        return self.reduce_only or self.condition in WHOLE_OR_PART


class ReplaceAlgo(_InNoLine, frozen=True, kw_only=True):
    """New size or triggers of a waiting algo order; None and empty fields leave a value unchanged."""

    decision: Decision
    key: str
    """Row key, captured when the form opened."""
    qty: str = ""
    conditional: Protection | None = None
    take_profit: Protection | None = None
    stop_loss: Protection | None = None
    rises: bool | None = None
    """Whether the conditional trigger lay above its price when it was typed, so that it waits for a rise; None: not told."""
    confirmed: frozenset[str] = frozenset()


class CancelAlgo(_NeverAsked, frozen=True, kw_only=True):
    """Cancel of one algo order, identified by the row the trader saw."""

    decision: Decision
    key: str


class CancelAllAlgos(msgspec.Struct, frozen=True, kw_only=True):
    """Cancel of all algo orders that match the filters; an empty filter matches everything, plain orders stay."""

    decision: Decision
    exchange: str
    """Required: a call without a venue may reach other portfolios of the user."""
    sym: str = ""
    business: str = ""
    """SPOT, MARGIN or PERP."""
    algo_type: str = ""
    condition: str = ""
    """Condition of the orders, in the service's spelling."""


class AccountCommand(_InNoLine, frozen=True, kw_only=True):
    """Account command: moves or borrows money, or changes portfolios or API keys."""

    decision: Decision
    endpoint: str
    """Catalogue name of its endpoint."""
    args: tuple[tuple[str, str], ...]
    """Parameters; the engine adds a client order id where the endpoint has one."""
    title: str
    """Description that the trader confirmed: `transfer 500 USDT BINANCE → OKX`."""
    confirmed: frozenset[str] = frozenset()
    """Names of the soft guards that the trader confirmed with yes."""
    preview: str = ""
    """Preview as shown, for the journal."""


def build_account_command(request: CommandRequest, decision: Decision, title: str, preview: str = "") -> AccountCommand:
    """Build the account command for a request."""
    args = tuple(arguments_of(request).items())
    return AccountCommand(decision=decision, endpoint=action_of(type(request)), args=args, title=title, preview=preview)


OrderIntent = Place | Replace | Cancel | CancelAll
SettingIntent = SetLeverage | SetMarginLeverage | SetPositionMode
AlgoIntent = PlaceAlgo | ReplaceAlgo | CancelAlgo
CommandIntent = SettingIntent | AlgoIntent | AccountCommand
"""Intents sent once by REST and settled by reading."""
Intent = OrderIntent | CancelAllAlgos | CommandIntent
CANCELS = (Cancel, CancelAll, CancelAlgo, CancelAllAlgos)
"""Intents that only cancel: they may come late or twice, and no pause, press or unread journal holds them up."""


class Verdict(StrEnum):
    """Verdict on a submitted intent so far: denied here, needing confirmation, rejected, accepted, or unknown."""

    DENIED = "denied"
    """Refused by this program; nothing was sent."""
    ASK = "ask"
    """A soft guard needs a `y`; nothing was sent."""
    REJECTED = "rejected"
    """The service refused it."""
    ACCEPTED = "accepted"
    """The service accepted it; pushes follow."""
    UNKNOWN = "unknown"
    """No answer; the order is queried."""


GUARD_JOINT = "+"
"""Separator between the names of guards that ask together."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """Outcome of a submitted intent."""

    verdict: Verdict
    key: str = ""
    """Row key of the order, if any."""
    guard: str = ""
    """Name of the guard that denied (BAND, STATE, ...), or of all guards that ask, joined by `GUARD_JOINT`."""
    code: int = 0
    text: str = ""
    """One sentence for the trader: field, value, what is accepted."""
    retry_after: float | None = None
    """Time after which what denied it has passed by itself, s; None: it does not pass by itself."""
    term: str = ""
    """Term of a mandate that denied it, such as `order_value`; empty: none."""
    entry: int = 0
    """Number of the journal entry of the intent, which was on disk before anything left; 0: there is none."""
    answer: object = None
    """Decoded answer of an account command; it may hold a secret and is never logged or journaled."""


IntentHandlers = Mapping[type, Callable[[Any], Awaitable[Outcome]]]
"""Handler functions by intent type."""
