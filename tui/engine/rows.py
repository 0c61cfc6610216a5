"""Table rows that the engine passes to the screen; immutable, with their origin."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

import msgspec

if TYPE_CHECKING:
    # Rows are never decoded here, so the record types need no import at run time.
    from tui.engine.service_query import ListRead
    from tui.engine.status_rows import EngineStatusRow, LinkRow, MandateRow, ProposalRow
    from tui.interface.families.algo import AlgoRecord
    from tui.interface.families.assets import AssetRecord
    from tui.interface.families.fees import FeeSchedule
    from tui.interface.families.history import StatementRecord, TradeRecord
    from tui.interface.families.liquidation import LiquidationNode, LiquidationPositionRecord
    from tui.interface.families.loans import CoinDiscountRow, InterestRates, LoanTierRow
    from tui.interface.families.market import Bracket, KlineRow, SymbolInfo, TradePush
    from tui.interface.families.orders import OrderRecord
    from tui.interface.families.portfolio_loans import LoanConfig
    from tui.interface.families.positions import AccountRecord, AdlRank, LeverageRow, PositionRecord
    from tui.rules.day_result import FillSums

R = TypeVar("R")


class Source(StrEnum):
    """Way in which a record was received: push, snapshot, query and so on."""

    PUSH = "push"
    SNAPSHOT = "snapshot"
    QUERY = "query"
    REPLY = "reply"
    JOURNAL = "journal"
    LOCAL = "local"


class Stamp(msgspec.Struct, frozen=True):
    """Origin and age of a record, by which it is decided whether it replaces the known record of its key."""

    portfolio: str
    epoch: int
    update_at: int
    """Server time of the change, ms."""
    source: Source
    received: float
    """Monotonic receive time, s."""


class Fact(msgspec.Struct, Generic[R], frozen=True):
    """Record of the service with its origin stamp."""

    record: R
    stamp: Stamp


class Table(StrEnum):
    """Names of the engine's tables; each table holds rows by key."""

    SYMBOLS = "symbols"
    """key sym -> SymbolInfo"""
    QUOTES = "quotes"
    """key sym -> QuoteRow"""
    ORDERS = "orders"
    """key row key -> OrderRow"""
    ALGOS = "algos"
    """key of an algo order (`AlgoRow.key`) -> AlgoRow, those not known to have ended"""
    POSITIONS = "positions"
    """key `sym/positionSide` -> Fact[PositionRecord]"""
    ASSETS = "assets"
    """key `exchange/coin` -> Fact[AssetRecord]"""
    ACCOUNTS = "accounts"
    """key exchange -> Fact[AccountRecord]"""
    ADL = "adl"
    """key `sym/positionSide` -> Fact[AdlRank]"""
    FILLS = "fills"
    """key transactionId -> Fact[TradeRecord]"""
    DAYS = "days"
    """key `day/sym` -> DayRow"""
    STATEMENTS = "statements"
    """key statementId -> Fact[StatementRecord]"""
    FUNDING = "funding"
    """key sym -> FundingTerms"""
    TICKERS = "tickers"
    """key sym -> TickerRow"""
    DEPTH = "depth"
    """key sym -> DepthRow, of the detail subscription"""
    PRINTS = "prints"
    """key sym -> PrintsRow, of the detail subscription"""
    BARS = "bars"
    """key sym -> BarsRow, of the detail subscription"""
    FEES = "fees"
    """key `exchange/instType` -> Fact[FeeSchedule]"""
    BRACKETS = "brackets"
    """key sym -> BracketTable"""
    LEVERAGES = "leverages"
    """key sym -> LeverageRow"""
    DISCOUNTS = "discounts"
    """key coin -> CoinDiscountRow"""
    LOANS = "loans"
    """key `exchange/coin` -> LoanTerms"""
    INTEREST = "interest"
    """key `exchange/coin` -> InterestRates, of margin debts"""
    LOAN_CONFIG = "loan_config"
    """key coin -> LoanConfig, of portfolio loans"""
    SETTINGS = "settings"
    """key of a setting (`leverage/sym`, `debt/exchange/coin`, `mode/exchange`) -> SettingChange, until it is settled"""
    COMMANDS = "commands"
    """key id of a command -> AccountCommandRow; those that ended stay for a while"""
    ANSWERS = "answers"
    """key given by the screen -> ListRead"""
    LIQUIDATIONS = "liquidations"
    """key `liquidationEventId/nodeType` or `liquidationEventId/orderId` -> LiquidationStep"""
    UNREAD = "unread"
    """key name of a table of reference figures that cannot be read -> ReadFailure"""
    PROPOSALS = "proposals"
    """key number -> ProposalRow, while it waits for the trader"""
    MANDATES = "mandates"
    """key number -> MandateRow, while it waits for the trader and while it holds"""
    LINKS = "links"
    """key `private` | `public` | `rest` -> LinkRow"""
    ENGINE_STATUS = "engine_status"
    """key `ENGINE` -> EngineStatusRow"""


class QuoteRow(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Best bid, best ask and mark price of one symbol; texts as sent, empty if not received yet."""

    sym: str
    bid: str = ""
    bid_qty: str = ""
    ask: str = ""
    ask_qty: str = ""
    mark: str = ""
    ts: int = 0
    """Venue time of the quote, ms."""
    received: float = 0.0
    """Monotonic receive time of the quote, s; 0 before the first."""
    subscribed: bool = True
    """Whether the subscription works; False: the service refused it or does not answer."""
    watched: bool = True
    """Whether it is subscribed; False: the service limits the number of subscriptions, and other pairs go first."""


class FundingTerms(msgspec.Struct, frozen=True, kw_only=True):
    """Next funding payment of a perpetual; the rate as sent, times in server ms."""

    sym: str
    rate: str
    next_at: int
    interval_ms: int = 0
    """Time between two payments; 0: not known, and no annual rate is shown."""


class TickerRow(msgspec.Struct, frozen=True, kw_only=True):
    """Statistics of a pair over 24 hours, texts as sent, empty when not received."""

    sym: str
    last: str = ""
    change: str = ""
    """In per cent."""
    high: str = ""
    low: str = ""
    index: str = ""
    """Index price, of the watched pair only."""
    open_interest: str = ""
    """In the venue's units."""


class DepthRow(msgspec.Struct, frozen=True, kw_only=True):
    """Order book of the watched pair: price and quantity as sent, best price first."""

    sym: str
    whole: bool
    """Whether the book is complete; False: not received yet, or pushes were missed."""
    ts: int
    """Venue time of the newest push, ms."""
    bids: tuple[tuple[str, str], ...] = ()
    asks: tuple[tuple[str, str], ...] = ()


class PrintsRow(msgspec.Struct, frozen=True, kw_only=True):
    """Latest public trades of the watched pair, newest first."""

    sym: str
    trades: tuple[TradePush, ...]


EQUITY = "equity"
"""Key of the bars of the account's equity in the table of bars."""


class BarsRow(msgspec.Struct, frozen=True, kw_only=True):
    """Price bars of the watched pair, oldest first; the last bar is still open."""

    sym: str
    interval: str
    bars: tuple[KlineRow, ...]
    price: str = "last"
    """Price of which they are: `last`, `mark` or `index`."""
    has_past: bool = False
    """Whether all old bars that there are have been read."""


class BracketTable(msgspec.Struct, frozen=True):
    """Margin tiers of a perpetual by position value, lowest first."""

    tiers: tuple[Bracket, ...]


class LoanTerms(msgspec.Struct, frozen=True):
    """Loan terms of a coin: margin leverage (empty if unknown) and margin tiers by size of the debt, lowest first."""

    leverage: str
    tiers: tuple[LoanTierRow, ...]


class LiquidationStep(msgspec.Struct, frozen=True, kw_only=True):
    """Step of a liquidation: a reported stage, or an order that the service sent."""

    event_id: str
    portfolio_id: str
    venue: str
    event_type: str = ""
    at_ms: int
    """Server time."""
    text: str
    """Meaning in a sentence."""
    node: LiquidationNode | None = None
    order: LiquidationPositionRecord | None = None
    of_sub: bool = False
    """Whether it concerns a sub portfolio and was sent to us as the main account."""


class CommandState(StrEnum):
    """State of a REST command."""

    SENDING = "SENDING"
    UNKNOWN = "UNKNOWN"
    """Answer lost; it is queried and never sent again."""
    RUNNING = "RUNNING"
    """Accepted by the service; its completion is read."""
    DONE = "DONE"
    FAILED = "FAILED"
    """The service accepted the command, then failed to carry it out."""
    REJECTED = "REJECTED"
    NOT_SENT = "NOT SENT"
    NOT_DONE = "NOT DONE"
    """Answer lost, and proven not carried out."""
    DISMISSED = "DISMISSED"
    """Search for the outcome ended by the trader."""

    @property
    def is_open(self) -> bool:
        return self in (CommandState.SENDING, CommandState.UNKNOWN, CommandState.RUNNING)


class SettingChange(msgspec.Struct, frozen=True, kw_only=True):
    """Setting change whose outcome is still open."""

    before: str
    wanted: str
    state: CommandState
    proven_from: float
    """Monotonic time from which on another value than the wanted one proves that it was not carried out, s."""


class AccountCommandRow(msgspec.Struct, frozen=True, kw_only=True):
    """Account command of this session, or an open one of an earlier session."""

    id: str
    endpoint: str
    title: str
    args: tuple[tuple[str, str], ...] = ()
    state: CommandState
    text: str = ""
    """Details beyond the state: a refusal, an amount received."""
    sent_ms: int
    """Server time."""
    changed_ms: int
    """Server time of the present state."""
    proven_from: float = 0.0
    """Monotonic time from which on its absence proves that it was not carried out, s."""


class ReadFailure(msgspec.Struct, frozen=True):
    """Reason why a table of reference data is missing or outdated."""

    why: str


class DayRow(msgspec.Struct, frozen=True, kw_only=True):
    """Totals of a pair's fills on one UTC day, including fills no longer in the table."""

    sym: str
    day_ms: int
    """00:00 UTC of the day, ms."""
    sums: FillSums


class PendingAction(StrEnum):
    """Pending action on an order, shown next to its state."""

    NOTHING = ""
    AMEND = "amend…"
    CANCEL = "cancel…"
    AMEND_LOST = "amend?"
    CANCEL_LOST = "cancel?"


class LocalOrderState(StrEnum):
    """Order states that this program assigns itself; all others come from the service."""

    SENDING = "SENDING"
    SENT = "SENT"
    UNKNOWN = "UNKNOWN"
    NOT_SENT = "NOT SENT"


FORCED = frozenset(["SYSTEM_LIQ", "SYSTEM_REDUCE"])
"""Origins of orders with which the service reduces a position against the trader's will."""


class OrderRow(msgspec.Struct, frozen=True, kw_only=True):
    """Order as shown to the trader."""

    key: str
    """Stable row key: the clientOrderId of our intents, else the orderId."""
    client_order_id: str
    order_id: str = ""
    sym: str
    side: str
    position_side: str = "NONE"
    order_type: str = ""
    """LIMIT or MARKET."""
    time_in_force: str = ""
    origin: str = "DMA"
    price: str = ""
    qty: str = ""
    executed: str = "0"
    """Filled quantity in the newest record of the order; `filled` also counts fills that came before such a record."""
    known_fills: str = "0"
    """Sum of the fills under the present order id that came since this program began."""
    average: str = "0"
    fee: str = "0"
    fee_coin: str = ""
    rebate: str = "0"
    rebate_coin: str = ""
    reduce_only: bool = False
    state: str
    """A state of the service, or one of `LocalOrderState`."""
    final: bool = False
    overlay: PendingAction = PendingAction.NOTHING
    requested_price: str = ""
    """Price of an unfinished replace."""
    requested_qty: str = ""
    reason: str = ""
    """Code and text of why it ended, was refused or was kept."""
    external: bool = False
    """Whether it was not sent by this installation."""
    peer: str = ""
    """Name of the desk or program of another process that sent it; empty: the desk that holds the account."""
    conflict: str = ""
    """Description of contradicting reports, or empty."""
    since: float = 0.0
    """Monotonic time at which its state began, s: of a pending change and a lost answer when the request was sent."""
    asked: int = 0
    """Number of queries while UNKNOWN."""
    not_found: int = 0
    not_found_at: int = 0
    """Wall time of the last not-found, ms."""
    not_found_first: float = 0.0
    not_found_last: float = 0.0
    """Monotonic times of the first and the last not-found, s."""
    answered: frozenset[str] = frozenset()
    """Lists (`dismissal.SOURCES`) read without containing it."""
    create_at: int = 0
    algo_id: str = ""
    """Algo order that sent it."""
    tp_trigger: str = ""
    sl_trigger: str = ""
    guard_ended: bool = False
    """Whether the algo order of its stop and target has fired or ended, so that its further fills are without."""
    instruction: str = ""
    """What was asked for, as its intent says it; empty: its price and size alone tell."""
    arrival_mid: str = ""
    """Mid price when it was sent."""
    reply_ms: float | None = None
    """Time from the key to the reply, ms; None: not measured."""
    push_ms: float | None = None
    """Time from the key to the first push, ms."""
    earlier_ids: tuple[str, ...] = ()
    """Former order ids, before amendments that created a new order."""
    earlier_at: tuple[int, ...] = ()
    """Newest known updateAt of each former id, server ms; older messages about them are ignored."""
    record: OrderRecord | None = None
    """All fields as last sent by the service; None before its first message."""
    stamp: Stamp

    @property
    def filled(self) -> str:
        """Filled quantity: that of the service's record, or that of the known fills if they are ahead of the record."""
        if self.known_fills == "0":
            return self.executed
        from tui.interface.decimals import ZERO, optional, plain

        known, executed = optional(self.known_fills) or ZERO, optional(self.executed) or ZERO
        return self.executed if known <= executed else plain(min(known, optional(self.qty) or known))

    def without_filled(self) -> OrderRow | None:
        """Return the order with the unfilled quantity as its size; None if all of it is filled."""
        from tui.interface.decimals import ZERO, optional, plain

        total, filled = optional(self.qty), optional(self.filled) or ZERO
        if total is None or not filled:
            return self
        return msgspec.structs.replace(self, qty=plain(total - filled)) if filled < total else None

    @property
    def is_filled(self) -> bool:
        """Whether the known fills fill the whole order and no change of the order is pending."""
        return not self.overlay and self.without_filled() is None

    @property
    def is_behind_fills(self) -> bool:
        """Whether fills are known that the service's record lacks; average price and fees then lack them too."""
        from tui.interface.decimals import optional

        return optional(self.filled) != optional(self.executed)

    def has_other_fills(self, before: OrderRow) -> bool:
        """Return whether the filled quantity differs from that in an earlier row of the order."""
        from tui.interface.decimals import optional

        return optional(self.filled) != optional(before.filled)

    @property
    def state_word(self) -> str:
        """Order state as the one word shown on the screen."""
        from tui.interface.families.orders import state_word

        return state_word(self.state)

    @property
    def failed(self) -> bool:
        """Whether the service rejected the order, could not carry it out or let it expire, or it was never sent."""
        from tui.interface.families.orders import BAD_ENDS

        return self.state in BAD_ENDS or self.state == LocalOrderState.NOT_SENT

    @property
    def working(self) -> bool:
        """Whether the order may still be open."""
        return not self.final

    @property
    def unsure(self) -> bool:
        """Whether the order's state, or the outcome of its last change, is unknown."""
        lost = self.overlay in (PendingAction.AMEND_LOST, PendingAction.CANCEL_LOST)
        return not self.final and (lost or self.state == LocalOrderState.UNKNOWN)

    @property
    def forced(self) -> bool:
        """Whether the service itself created the order: a liquidation or a forced reduction."""
        return self.origin in FORCED

    @property
    def from_algo(self) -> bool:
        """Whether an algo order sent this order."""
        return self.algo_id not in ("", "0")


class AlgoRow(msgspec.Struct, frozen=True, kw_only=True):
    """Algo order that may still be open."""

    key: str
    """Client order id of our intents, else the algo order id."""
    record: AlgoRecord
    """Record as last sent by the service; before its first message, the request with a state of `LocalOrderState`."""
    overlay: PendingAction = PendingAction.NOTHING
    """Unfinished change or cancel."""
    since: float = 0.0
    """Monotonic time at which its state began, s: of a pending change and a lost answer when the command was sent."""
    not_found: int = 0
    """Number of not-found answers while UNKNOWN."""
    not_found_first: float = 0.0
    not_found_last: float = 0.0
    """Monotonic times of the first and the last not-found, s."""
    answered: frozenset[str] = frozenset()
    """Lists (`dismissal.ALGO_SOURCES`) read without containing it."""
    had_position: bool = False
    """Whether a position was open while it waited that it would have reduced, although it is not made to close one."""
    stamp: Stamp

    @property
    def state(self) -> str:
        """State reported by the service, or one of `LocalOrderState`."""
        return self.record.order_state

    @property
    def unsure(self) -> bool:
        """Whether the algo order's state, or the outcome of its last change, is unknown."""
        lost = self.overlay in (PendingAction.AMEND_LOST, PendingAction.CANCEL_LOST)
        return lost or self.state == LocalOrderState.UNKNOWN

    @property
    def seen(self) -> bool:
        """Whether the service has reported the algo order as open."""
        from tui.interface.families.algo import OPEN_ALGO_STATES

        return self.record.order_state in OPEN_ALGO_STATES


Row: TypeAlias = """(
    SymbolInfo
    | QuoteRow
    | OrderRow
    | AlgoRow
    | Fact[PositionRecord]
    | Fact[AssetRecord]
    | Fact[AccountRecord]
    | Fact[AdlRank]
    | Fact[TradeRecord]
    | Fact[StatementRecord]
    | Fact[FeeSchedule]
    | DayRow
    | FundingTerms
    | TickerRow
    | DepthRow
    | PrintsRow
    | BarsRow
    | BracketTable
    | LeverageRow
    | CoinDiscountRow
    | LoanTerms
    | InterestRates
    | LoanConfig
    | ReadFailure
    | SettingChange
    | AccountCommandRow
    | ListRead
    | LiquidationStep
    | LinkRow
    | ProposalRow
    | MandateRow
    | EngineStatusRow
)"""
