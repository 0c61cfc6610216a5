"""Rows and events handed from the engine to the screen: immutable, with their origin."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

import msgspec

from tui.engine.limits import Limits
from tui.engine.modes import Environment, RiskMode, TradingState

if TYPE_CHECKING:
    # Rows are made and encoded, never decoded: the records inside them are imported by whoever makes them.
    from tui.engine.service_query import ListRead
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
    from tui.interface.families.system import StatusRow
    from tui.interface.ready import Recording
    from tui.rules.day_result import FillSums

R = TypeVar("R")

ENGINE = "engine"
"""Key of the only row of `Table.ENGINE_STATUS`."""


class Source(StrEnum):
    """Origin of a fact."""

    PUSH = "push"
    SNAPSHOT = "snapshot"
    QUERY = "query"
    REPLY = "reply"
    JOURNAL = "journal"
    LOCAL = "local"


class Stamp(msgspec.Struct, frozen=True):
    """Origin of a fact. Newer `update_at` wins, then arrival within the epoch; an older epoch never overwrites."""

    portfolio: str
    epoch: int
    update_at: int
    """Server time of the change, ms."""
    source: Source
    received: float
    """Monotonic receive time, s."""


class Fact(msgspec.Struct, Generic[R], frozen=True):
    """A record of the service and its stamp."""

    record: R
    stamp: Stamp


class Table(StrEnum):
    """Tables of the engine; each holds rows by key."""

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
    """key sym -> DepthRow, of the pair that is looked at closely"""
    PRINTS = "prints"
    """key sym -> PrintsRow, the same pair"""
    BARS = "bars"
    """key sym -> BarsRow, the same pair"""
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
    """key name of a table of reference figures that cannot be read -> Unread"""
    LINKS = "links"
    """key `private` | `public` | `rest` -> LinkRow"""
    ENGINE_STATUS = "engine_status"
    """key `ENGINE` -> EngineStatusRow"""


class QuoteRow(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Best bid and offer of one symbol with its mark; texts as sent, empty when not received yet."""

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
    """False: the service refused the subscription or does not answer it."""
    watched: bool = True
    """False: the service offers more pairs than it takes subscriptions for, and others go first."""


class FundingTerms(msgspec.Struct, frozen=True, kw_only=True):
    """Next funding payment of a perpetual; the rate as sent, times in server ms."""

    sym: str
    rate: str
    next_at: int
    interval_ms: int = 0
    """Between two payments; 0: not known, no annual rate is shown."""


class TickerRow(msgspec.Struct, frozen=True, kw_only=True):
    """24 hours of a pair, texts as sent, empty when not received."""

    sym: str
    last: str = ""
    change: str = ""
    """Per cent."""
    open_interest: str = ""
    """As the venue counts it."""


class DepthRow(msgspec.Struct, frozen=True, kw_only=True):
    """The order book of the pair that is looked at: price and quantity as sent, best first."""

    sym: str
    whole: bool
    """False: the book has not come, or pushes of it were missed."""
    ts: int
    """Venue time of the newest push, ms."""
    bids: tuple[tuple[str, str], ...] = ()
    asks: tuple[tuple[str, str], ...] = ()


class PrintsRow(msgspec.Struct, frozen=True, kw_only=True):
    """The newest public trades of the pair that is looked at, newest first."""

    sym: str
    trades: tuple[TradePush, ...]


class BarsRow(msgspec.Struct, frozen=True, kw_only=True):
    """The bars of the pair that is looked at, oldest first; the last one runs."""

    sym: str
    interval: str
    bars: tuple[KlineRow, ...]


class BracketTable(msgspec.Struct, frozen=True):
    """The tiers of a perpetual, lowest first."""

    tiers: tuple[Bracket, ...]


class LoanTerms(msgspec.Struct, frozen=True):
    """Loan terms of a coin: margin leverage, empty when not known, and tiers, lowest first."""

    leverage: str
    tiers: tuple[LoanTierRow, ...]


class LiquidationStep(msgspec.Struct, frozen=True, kw_only=True):
    """Step of a liquidation event: a node, or an order that the service sent."""

    event_id: str
    portfolio_id: str
    venue: str
    event_type: str = ""
    at_ms: int
    """Server time."""
    text: str
    """What it means, in a sentence."""
    node: LiquidationNode | None = None
    order: LiquidationPositionRecord | None = None
    of_sub: bool = False
    """Told to us as the main account, about a sub portfolio."""


class CommandState(StrEnum):
    """State of a REST command."""

    SENDING = "SENDING"
    UNKNOWN = "UNKNOWN"
    """Its answer was lost; it is being asked about and is never sent again."""
    RUNNING = "RUNNING"
    """The service took it; the end of it is being read."""
    DONE = "DONE"
    FAILED = "FAILED"
    """The service took it and could not carry it out."""
    REJECTED = "REJECTED"
    NOT_SENT = "NOT SENT"
    NOT_DONE = "NOT DONE"
    """Its answer was lost, and it is proven that it was not carried out."""
    DISMISSED = "DISMISSED"
    """The trader ended the search for what became of it."""

    @property
    def is_open(self) -> bool:
        return self in (CommandState.SENDING, CommandState.UNKNOWN, CommandState.RUNNING)


class SettingChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change of a setting that is on its way."""

    before: str
    wanted: str
    state: CommandState
    proven_from: float
    """Monotonic time from which reading another value than the wanted one proves that it was not carried out, s."""


class AccountCommandRow(msgspec.Struct, frozen=True, kw_only=True):
    """An account command of this session, or one of an earlier session that was not settled."""

    id: str
    endpoint: str
    title: str
    args: tuple[tuple[str, str], ...] = ()
    state: CommandState
    text: str = ""
    """What is known beyond the state: a refusal, an amount received."""
    sent_ms: int
    """Server time."""
    changed_ms: int
    """Server time of the present state."""
    proven_from: float = 0.0
    """Monotonic time from which not being found proves that it was not carried out, s."""


class Unread(msgspec.Struct, frozen=True):
    """Reason why a table of reference data is missing or outdated."""

    why: str


class DayRow(msgspec.Struct, frozen=True, kw_only=True):
    """Sums over all fills of a pair on one UTC day, including those no longer on the table."""

    sym: str
    day_ms: int
    """Its 00:00 UTC, ms."""
    sums: FillSums


class PendingAction(StrEnum):
    """An action on an order that has not ended; drawn on top of its state."""

    NOTHING = ""
    AMEND = "amend…"
    CANCEL = "cancel…"
    AMEND_LOST = "amend?"
    CANCEL_LOST = "cancel?"


class LocalOrderState(StrEnum):
    """Order states assigned by this program; all others are the service's, verbatim."""

    SENDING = "SENDING"
    SENT = "SENT"
    UNKNOWN = "UNKNOWN"
    NOT_SENT = "NOT SENT"


FORCED = frozenset(["SYSTEM_LIQ", "SYSTEM_REDUCE"])
"""Origins of orders by which the service makes a position smaller against the trader's will."""


class OrderRow(msgspec.Struct, frozen=True, kw_only=True):
    """An order as the trader sees it."""

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
    """Price asked for by a replace that has not ended."""
    requested_qty: str = ""
    reason: str = ""
    """Why it ended, was refused or was kept: code and text."""
    external: bool = False
    """Not sent by this installation."""
    conflict: str = ""
    """Description of contradicting reports, or empty."""
    since: float = 0.0
    """Monotonic time at which the present state or overlay began, s."""
    asked: int = 0
    """Queries made while UNKNOWN."""
    not_found: int = 0
    not_found_at: int = 0
    """Wall time of the last not-found, ms."""
    not_found_first: float = 0.0
    not_found_last: float = 0.0
    """Monotonic times of the first and the last not-found, s."""
    answered: frozenset[str] = frozenset()
    """Lists (`dismissal.SOURCES`) that were read and do not contain it."""
    create_at: int = 0
    algo_id: str = ""
    """The algo order it is a child of."""
    tp_trigger: str = ""
    sl_trigger: str = ""
    arrival_mid: str = ""
    """Mid price of the quote when it was sent."""
    reply_ms: float | None = None
    """From the key to the reply, ms; None: not measured."""
    push_ms: float | None = None
    """From the key to the first push, ms."""
    earlier_ids: tuple[str, ...] = ()
    """Order ids it had before amendments that made a new order."""
    earlier_at: tuple[int, ...] = ()
    """The newest updateAt known of each of them, server ms; older messages about them are ignored."""
    record: OrderRecord | None = None
    """All fields as last sent by the service; None before its first message."""
    stamp: Stamp

    @property
    def state_word(self) -> str:
        """Its state, in the one word that the screen has for it."""
        from tui.interface.families.orders import state_word

        return state_word(self.state)

    @property
    def working(self) -> bool:
        """Not known to have ended."""
        return not self.final

    @property
    def unsure(self) -> bool:
        """Whether nobody knows what became of it, or of the last change that was asked for."""
        lost = self.overlay in (PendingAction.AMEND_LOST, PendingAction.CANCEL_LOST)
        return not self.final and (lost or self.state == LocalOrderState.UNKNOWN)

    @property
    def forced(self) -> bool:
        """Whether the service made it: a liquidation or a forced reduction."""
        return self.origin in FORCED

    @property
    def from_algo(self) -> bool:
        """Whether an algo order sent it."""
        return self.algo_id not in ("", "0")


class AlgoRow(msgspec.Struct, frozen=True, kw_only=True):
    """An algo order that is not known to have ended."""

    key: str
    """The client order id of our intents, else the algo order id."""
    record: AlgoRecord
    """As last sent by the service; before its first message as it was asked for, with a state of `LocalOrderState`."""
    overlay: PendingAction = PendingAction.NOTHING
    """A change or a cancel that has not ended."""
    since: float = 0.0
    """Monotonic time at which the present state or overlay began, s."""
    not_found: int = 0
    """How often the service did not know it while UNKNOWN."""
    not_found_first: float = 0.0
    not_found_last: float = 0.0
    """Monotonic times of the first and the last not-found, s."""
    answered: frozenset[str] = frozenset()
    """Lists (`dismissal.ALGO_SOURCES`) that were read and do not contain it."""
    stamp: Stamp

    @property
    def state(self) -> str:
        """A state of the service, or one of `LocalOrderState`."""
        return self.record.order_state

    @property
    def unsure(self) -> bool:
        """Whether nobody knows what became of it, or of the last change that was asked for."""
        lost = self.overlay in (PendingAction.AMEND_LOST, PendingAction.CANCEL_LOST)
        return lost or self.state == LocalOrderState.UNKNOWN

    @property
    def seen(self) -> bool:
        """Whether the service has said that it exists and is open."""
        from tui.interface.families.algo import OPEN_ALGO_STATES

        return self.record.order_state in OPEN_ALGO_STATES


class LinkState(StrEnum):
    """Status of a stream or of REST; never `live`, which names the environment."""

    DOWN = "down"
    CONNECTING = "connecting"
    LOGIN = "login"
    RESYNC = "resync"
    UP = "up"


class LinkRow(msgspec.Struct, frozen=True, kw_only=True):
    """Status of one connection."""

    name: str
    state: LinkState
    tier: str = ""
    """Which address of the service is used; empty where there is only one."""
    epoch: int = 0
    since: float = 0.0
    last_frame: float = 0.0
    """Monotonic receive time of the last frame of any kind, s."""
    round_trip_ms: float | None = None
    retries: int = 0
    bad_frames: int = 0
    flapping: bool = False
    """It is lost and restored repeatedly."""
    error: str = ""
    """Why it is not up, in the trader's words."""
    login_refused: bool = False
    """It is not up because the service refused the login."""


class EngineStatusRow(msgspec.Struct, frozen=True, kw_only=True):
    """Status of the engine."""

    environment: Environment
    portfolio: str
    portfolio_name: str
    trading_state: TradingState
    risk_mode: RiskMode = RiskMode.NORMAL
    risk_mode_reason: str = ""
    limits: Limits = Limits()
    """What orders are measured against."""
    synced: bool
    read_only: str = ""
    """Why nothing can be sent at all, or empty."""
    in_flight: int = 0
    unknown: int = 0
    skew_ms: float | None = None
    """Our clock minus the server's, ms."""
    journal_error: str = ""
    engine_error: str = ""
    watchdog_error: str = ""
    """Why the configured watchdog does not run, or empty."""
    downtime: tuple[StatusRow, ...] = ()
    """Windows in progress and announced, as last read."""
    lag_ms: float = 0.0
    """Worst delay of the engine's loop in the last second, ms."""
    recording: Recording | None = None
    """The recording that the service replays, if any."""
    orders_checked_ms: int = 0
    """Wall time at which the newest complete list of open orders was asked for, ms; 0 before the first."""
    positions_checked_ms: int = 0
    """Wall time of the newest complete list or push of positions, ms."""
    algo_error: str = ""
    """Why the open algo orders are not known, or empty."""
    day_is_whole: bool = True
    """Every fill since 00:00 UTC is counted; until then results of the day are partial."""
    bookings_read: bool = True
    """The statement was read since the newest event that books something beside fills, such as a liquidation."""
    changed_rules: tuple[tuple[str, str], ...] = ()
    """Pairs on which nothing is opened until the trader acknowledges their new rules, with what changed."""


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
    | Unread
    | SettingChange
    | AccountCommandRow
    | ListRead
    | LiquidationStep
    | LinkRow
    | EngineStatusRow
)"""


class Level(StrEnum):
    INFO = "info"
    GOOD = "good"
    WARN = "warn"
    ALERT = "alert"


class EventLine(msgspec.Struct, frozen=True, kw_only=True):
    """Line of the event list; never conflated."""

    wall_ms: int
    level: Level
    text: str
    key: str = ""
    """Row key of the order concerned, or empty."""
    away: bool = False
    """It happened while the engine was not in step and was found afterwards."""
    sticky: bool = False
    """A warning that stays visible until acknowledged; informational lines do not displace it."""
    cause: str = ""
    """Subject of a sticky warning; a later line with the same cause that is not sticky ends it."""
    unsure: bool = False
    """It says that the outcome of its order is not known; the screen marks it as settled when it is."""
    denied: bool = False
    """It says why what a key asked for was not sent; it is over with the next key."""
    others: tuple[str, ...] = ()
    """Row keys of further orders that it is about."""
