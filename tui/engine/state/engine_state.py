"""State of the engine: tables, trading status, connection readings. It applies records and takes no decisions."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import Unpack

import msgspec

from tui.client.call_expiry import expires_at
from tui.client.connection_status import ConnectionStatus
from tui.client.settings import Service
from tui.engine.conflating_queue import TableSink
from tui.engine.doer_names import FIRST_DESK, name_doer
from tui.engine.event_line import NOTE, EventFlags, EventLine, Level
from tui.engine.intents import Decision, Intent, Place
from tui.engine.market.kept_bars import KeptBars
from tui.engine.modes import BY_ITS_TRADER, BY_YOU, OWN_SCREEN, Environment, RiskMode, TradingState
from tui.engine.peers.denials import DenialRecord
from tui.engine.rows import LiquidationStep, OrderRow, Source, Stamp
from tui.engine.settings import EngineSettings
from tui.engine.state.algo_table import AlgoTable, name_fired
from tui.engine.state.closing_orders import find_opened
from tui.engine.state.command_table import AnyCommand, CommandTable
from tui.engine.state.facts import AccountFacts
from tui.engine.state.fill_table import FillTable, SumOfFills
from tui.engine.state.liquidation_log import SERIOUS
from tui.engine.state.market_detail import MarketDetail, OtherBooks
from tui.engine.state.order_table import OrderTable
from tui.engine.state.quotes import Quotes
from tui.engine.state.tickers import Tickers
from tui.interface.decimals import ZERO, optional, plain, positive
from tui.interface.families.algo import AlgoRecord
from tui.interface.families.history import TradeRecord
from tui.interface.families.market import SymbolInfo
from tui.interface.families.orders import OrderRecord, Side
from tui.interface.figures import name_side
from tui.interface.ready import Recording
from tui.interface.signing import NONCE_WINDOW_S, V1_WINDOW_S
from tui.interface.symbols import pair_name, unit_of
from tui.interface.times import is_readable, millis
from tui.protocols import Clock, Connector, IdGenerator, Journal, Lock, RandomSource
from tui.rules.day_result import DAY_MS

DROP_NOTICE_INTERVAL = 5.0
"""Least time (s) between two event lines about dropped records."""

PROGRAM_ROLES = frozenset(["watch", "propose", "trade"])
REPEATED_ID = "repeated transaction id"
"""Cause of the warning that the service reuses transaction ids."""


def _non_default_fields(record: OrderRecord | TradeRecord | AlgoRecord) -> dict[str, object]:
    """Return the fields of a record that differ from their defaults."""
    values = msgspec.structs.astuple(record)
    return {
        name: value for (name, default), value in zip(_fields(type(record)), values, strict=True) if value != default
    }


@lru_cache
def _fields(record: type[msgspec.Struct]) -> tuple[tuple[str, object], ...]:
    return tuple((field.encode_name, field.default) for field in msgspec.structs.fields(record))


class HostServices(msgspec.Struct, frozen=True):
    """Clock, random source, ids and other services of the host that the engine needs."""

    clock: Clock
    random_source: RandomSource
    ids: IdGenerator
    connector: Connector
    journal: Journal
    lock: Lock
    bars: KeptBars | None = None
    """File in which price bars are kept; None: they are not."""


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """Account, environment and service of an engine."""

    environment: Environment
    service: Service
    portfolio: str = ""
    """Portfolio id; empty: taken from the first account row."""
    portfolio_name: str = ""
    recording: Recording | None = None
    """Recording replayed by the service, if any."""
    account_id: str = ""
    """Id of a paper venue's state, at a live service the user of the key; empty when not known."""


class SenderState(msgspec.Struct):
    """Trading state of one sender of intents: the screen of this process, or a peer."""

    state: TradingState = TradingState.VIEW
    hot_until: float = 0.0
    """Monotonic time at which HOT ends; 0 in other states."""
    hot_epoch: int = -1
    """Connection on which HOT began."""
    hot_mode: RiskMode = RiskMode.NORMAL
    """Risk mode in which HOT began."""
    role: str = ""
    """What a peer may do; empty for the screen of this process."""
    since_ms: int = 0
    """Wall time at which it attached, ms."""

    @property
    def is_program(self) -> bool:
        """Whether the sender is a program, which sends nothing without a mandate."""
        return self.role in PROGRAM_ROLES


class TradingStatus(msgspec.Struct):
    """Trading states of all senders; risk mode, permissions and limits of the desk."""

    senders: dict[str, SenderState] = msgspec.field(default_factory=lambda: {OWN_SCREEN: SenderState()})
    """By name of the peer."""
    risk_mode: RiskMode = RiskMode.NORMAL
    risk_mode_reason: str = ""
    """Why the risk mode is stricter than NORMAL."""
    kills: int = 0
    """Kills of this session."""
    killed_by: str = ""
    """Who sent the newest of them: `by desk 2`."""
    unreached: str = ""
    """What a kill did not reach and is live, counted."""
    unreached_by: str = ""
    """Whose kill that was: ` by desk 2`; empty: it is not known."""
    read_only: str = ""
    """Why nothing can be sent at all, or empty."""
    opened_notional: Decimal = ZERO
    """Value of the opening orders sent in this session, quote."""
    last_order_days: dict[str, int] = {}
    """Last UTC day with an order, by pair."""
    changed_rules: dict[str, str] = {}
    """Pairs whose contract size or tick changed, with the change, until the trader accepts it."""

    def describe_mode_reason(self) -> str:
        """Return why the risk mode is strict; after a kill that missed orders, how many of those are still live."""
        reached = not (self.risk_mode_reason and self.unreached)
        return self.risk_mode_reason if reached else f"kill{self.unreached_by}: {self.unreached} live"

    @property
    def own(self) -> SenderState:
        """Trading state of the screen of this process."""
        return self.senders[OWN_SCREEN]

    def of(self, peer: str) -> SenderState:
        """Return the trading state of a sender; one that is not attached is in VIEW."""
        return self.senders.get(peer) or SenderState()


class LinkReadings(msgspec.Struct):
    """Functions that read the connections' status; the defaults apply while there are no connections."""

    is_proven: Callable[[], bool] = lambda: False
    """Whether the private connection is proven."""
    public_status: Callable[[], ConnectionStatus] = ConnectionStatus
    """Status of the public stream."""
    skew_ms: Callable[[], float | None] = lambda: None
    """Our clock minus the server's, ms; None before it was measured."""
    least_server_ms: Callable[[], float | None] = lambda: None
    """Least time that the server's clock can show now; None before it was measured."""
    action_written: Callable[[], None] = lambda: None
    """Callback when the bytes of an action were passed to the transport."""


class EngineState:
    """State that the parts of an engine share: tables of service data, trading status, journal, clock, settings."""

    rules_read_at = float("-inf")
    """Monotonic time of the last read of the pair rules, s."""
    on_fill: Callable[[TradeRecord], None] | None = None
    """Callback with each new fill."""

    def __init__(
        self,
        services: HostServices,
        identity: Identity,
        settings: EngineSettings,
        updates: TableSink,
        *,
        query: Callable[[str], None],
    ) -> None:
        self.services = services
        self.identity, self.settings, self.updates = identity, settings, updates
        self.clock, self.journal = services.clock, services.journal
        self.portfolio = identity.portfolio
        self.trading = TradingStatus()
        self.links = LinkReadings()
        self.facts, self.fills = AccountFacts(updates), FillTable(updates, settings.fill_rows)
        self.epoch = 0
        self.logged_in_at = float("-inf")
        """Monotonic time of the newest login, s."""
        self.logged_in = False
        """Whether the private stream is logged in; the snapshot may still be missing."""
        self.synced = self.was_synced = False
        """Whether the state is in step with the service: now, and at any time so far."""
        self.started_at = services.clock.mono()
        """Monotonic start time of this engine, s."""
        self.symbols: dict[str, SymbolInfo] = {}
        self.quotes, self.tickers = Quotes(updates), Tickers(updates)
        self.orders = OrderTable(
            updates, services.ids.is_ours, tick_of=self.tick_of, notify=self.notify, query=query,
            tell_fired=self._tell_fired, find_result=self.find_result,
        )  # fmt: skip
        self.detail, self.books = MarketDetail(updates, self.tickers), OtherBooks(updates, self.tickers)
        self.commands = CommandTable(updates, services.clock.mono, self.server_ms, self._draw_algo)
        self.algos = AlgoTable(updates, services.ids.is_ours, self.tick_of, self.commands.open)
        self.positions_updated_ms = 0
        """Wall time of the newest position record, ms."""
        self.leverages: dict[str, str] = {}
        self.margin_leverages: dict[str, str] = {}
        """Leverage as last read: of every perpetual, and of a coin's debt by `exchange/coin`."""
        self._dropped, self._drop_noticed_at, self._denials = 0, float("-inf"), DenialRecord()

    # Events

    def notify(
        self, level: Level, text: str, key: str = "", *, away: bool | None = None, **flags: Unpack[EventFlags]
    ) -> None:
        """Show an event line to the trader and journal it.

        Args:
            level: Severity.
            text: What happened.
            key: Row of the order, or empty.
            away: Whether it happened while disconnected; None: derived, for order events before the engine is in step.
            flags: Further fields of `EventLine`.
        """
        if away is None:
            away = self.was_synced and not self.synced and bool(key) and level is not Level.INFO
        wall_ms = int(self.clock.wall() * 1000)
        self.updates.put_event(EventLine(wall_ms=wall_ms, level=level, text=text, key=key, away=away, **flags))
        self.journal.enqueue(NOTE, text, intent_id=key, epoch=self.epoch, wall_ms=wall_ms)

    def notify_deed(
        self, decision: Decision, level: Level, text: str, key: str = "", *, away: bool | None = None,
        **flags: Unpack[EventFlags],
    ) -> None:  # fmt: skip
        """Notify, as `notify`, what somebody did: `BY` in the text becomes the name of who, as each reader knows it."""
        text, named = name_doer(text, decision.peer)
        flags["elsewhere"] = named if named != text else ""
        self.notify(level, text, key, away=away, **flags)

    def notify_of(
        self, sender: str, level: Level, text: str, key: str = "", *, away: bool | None = None,
        **flags: Unpack[EventFlags],
    ) -> None:  # fmt: skip
        """Notify, as `notify`, something about one sender: all other readers are told its name before the text."""
        told = text if sender else text.replace(BY_YOU, BY_ITS_TRADER)
        flags["elsewhere"] = f"{sender or FIRST_DESK}: {told}"
        self.notify(level, f"{sender}: {text}" if sender else text, key, away=away, **flags)

    def deny(self, guard: str, text: str, intent: Intent, key: str = "") -> None:
        """Notify and journal why an intent was not sent; `key` is the row of its order.

        The refusal of a program is no warning: the trader pressed nothing.
        """
        peer = intent.decision.peer
        if peer and not self._admit_denial(peer):
            return
        level = Level.INFO if self.trading.of(peer).is_program else Level.WARN
        self.record_denial(guard, text, intent)
        stays = level is Level.WARN
        told = f"{_name_close(intent)}DENIED ({guard}): {text}"
        self.notify_of(peer, level, told, key, away=False, stays=stays, peer=peer)

    def record_denial(self, guard: str, text: str, intent: Intent) -> None:
        """Journal why an intent was not sent."""
        self.write_journal("denied", {"guard": guard, "text": text, "intent": intent})

    def _admit_denial(self, peer: str) -> bool:
        """Return whether to record a denial of a peer; notify when the first one is suppressed."""
        admitted = self._denials.admit(peer, self.clock.mono())
        if not admitted and self._denials.is_first_suppressed:
            text = f"{peer} has too many denials; further ones are not recorded for up to a minute"
            self.notify(Level.WARN, text, away=False)
        return admitted

    def record_suppressed_denials(self) -> None:
        """Notify how many denials of peers were not recorded, once their minute is over."""
        peer, number = self._denials.settle_suppressed(self.clock.mono())
        if number:
            text = f"{number} denials of other desks and programs were not recorded, most of {peer}"
            self.notify(Level.INFO, text, away=False)

    def notify_step(self, step: LiquidationStep) -> None:
        """Notify a step of a liquidation; steps that close positions stay visible."""
        serious = step.order is not None or (step.node is not None and step.node.node_type in SERIOUS)
        whose = f" sub portfolio {step.portfolio_id}" if step.of_sub else ""
        self.notify(Level.ALERT, f"LIQUIDATION: {step.venue}{whose}: {step.text}", sticky=serious)

    def write_journal(
        self, kind: str, what: object, *, intent_id: str = "", client_order_id: str = "", order_id: str = ""
    ) -> None:
        """Queue a journal entry; records of the service are stored without default fields."""
        payload = msgspec.json.encode(
            _non_default_fields(what) if isinstance(what, OrderRecord | TradeRecord | AlgoRecord) else what
        ).decode()
        self.journal.enqueue(
            kind, payload, intent_id=intent_id, client_order_id=client_order_id, order_id=order_id, epoch=self.epoch
        )

    def stamp(self, source: Source, update_at: int = 0, received: float | None = None) -> Stamp:
        """Build an origin stamp with the current time and connection."""
        at = self.clock.mono() if received is None else received
        return Stamp(self.portfolio, self.epoch, update_at, source, at)

    def _tell_fired(self, row: OrderRow) -> tuple[Level, str, str]:
        """Return severity and texts for an order sent by an algo order: which kind fired, which position it opens."""
        word = name_fired(self.algos.find(row.algo_id), row)
        opened = find_opened(row, self.facts.positions.newest(f"{row.sym}/{name_side(row.position_side)}"))
        if not opened:
            return Level.WARN, f"{word} fired:", ""
        leg = "SHORT" if row.side == Side.SELL else "LONG"
        return Level.ALERT, f"{word} fired:", f"; opens {leg} {plain(opened)} {unit_of(row.sym)}"

    def _draw_algo(self, command: AnyCommand) -> None:
        ago_s = max(0, self.server_ms() - command.sent_ms) / 1000 if command.sent_ms else 0.0
        self.algos.draw(command, self.stamp(Source.LOCAL), self.clock.mono() - ago_s)

    # Look-up

    def tick_of(self, sym: str) -> Decimal | None:
        """Return the tick size of a pair; None while its rules are unknown."""
        info = self.symbols.get(sym)
        return None if info is None else positive(info.tick_size)

    # Folding

    def accepts(self, portfolio: str, what: str) -> bool:
        """Return whether a record is of the traded portfolio (if unknown, the first seen); drop others with an alert."""
        if not portfolio or portfolio == self.portfolio:
            return True
        if not self.portfolio:
            self.portfolio = portfolio
            return True
        self._drop(f"{what} of another portfolio ({portfolio[:20]})")
        return False

    def reads_time(self, update_at: str, what: str) -> bool:
        """Return whether a pushed record has a readable time; without one it cannot be ordered and is dropped."""
        if is_readable(update_at):
            return True
        self._drop(f"{what} whose updateAt {update_at[:40]!r} is no time in ms")
        return False

    def fold_order(
        self, record: OrderRecord, source: Source, received: float | None = None, *, asked: OrderRow | None = None
    ) -> str:
        """Apply and journal an order record; return its row key, or an empty text if the record is dropped.

        Pushes and replies to queries are always journaled, list entries only when they change a row.

        Args:
            record: Record of the service.
            source: Way it was received.
            received: Monotonic receive time, s; None: now.
            asked: Row that was queried by its ids; None: not a query of a single order.
        """
        if source is Source.PUSH:
            self.write_journal("push", record, client_order_id=record.client_order_id, order_id=record.order_id)
        elif asked is not None:
            # Without an order id, the service answers with the newest order under the client id.
            self.write_journal(
                "query", record, intent_id=asked.key, order_id=asked.order_id, client_order_id=asked.client_order_id
            )
        if not self.accepts(record.portfolio_id, "an order"):
            return ""
        if not record.order_id or not record.order_state:
            self._drop("an order record without its id or state")
            return ""
        if not self.reads_time(record.update_at, "an order record"):
            return ""
        before = self.orders.news_of(self.orders.find(record.order_id, record.client_order_id))
        key = self.orders.fold(record, self.stamp(source, millis(record.update_at), received))
        if source is not Source.PUSH and asked is None and self.orders.news_of(key) != before:
            cid = self.orders.rows[key].client_order_id
            self.write_journal("snapshot", record, intent_id=key, client_order_id=cid, order_id=record.order_id)
        return key

    def _drop(self, what: str) -> None:
        """Notify a dropped record; frequent ones are summed up in one notice."""
        self._dropped += 1
        now = self.clock.mono()
        if now - self._drop_noticed_at >= DROP_NOTICE_INTERVAL:
            many = f"; {self._dropped} records since the last such line" if self._dropped > 1 else ""
            self._drop_noticed_at, self._dropped = now, 0
            self.notify(Level.ALERT, f"dropped {what}{many}")

    def fold_fill(self, record: TradeRecord, source: Source, received: float) -> bool:
        """Apply one fill; return whether it was new. A transaction id that comes again with another fill is notified."""
        self.roll_day()
        is_new = self.fills.fold(record, self.stamp(source, millis(record.create_at), received))
        for fill in self.fills.take_repeated():
            text = (
                f"the service gave transaction id {fill.transaction_id[:40]} again, to another fill: it may have gone"
                " back to an older state; the day's result is partial"
            )
            self.notify(Level.ALERT, text, sticky=True, cause=REPEATED_ID)
        if is_new and self.on_fill is not None:
            self.on_fill(record)
        return is_new

    def find_result(self, row: OrderRow) -> SumOfFills | None:
        """Return the summed fills of an ended order, not an algo's, that closed a position, once all are known; else None.

        Those of a stop or target are told with its own line.
        """
        fills = self.fills.of_orders.get(row.order_id)
        if fills is None or not fills.result or not row.final or row.from_algo:
            return None
        return fills if fills.quantity == optional(row.executed) else None

    def server_ms(self) -> int:
        """Return the service's time in ms; our own time until the clock skew is measured."""
        return int(self.clock.wall() * 1000 - (self.links.skew_ms() or 0.0))

    def journal_began_ms(self) -> int:
        """Return the start of the journal in server time, ms; fills before that may be unread."""
        session_ms = int((self.clock.mono() - self.started_at) * 1000)
        first_ms = self.fills.journal_first_ms
        age_ms = max(session_ms, int(self.clock.wall() * 1000) - first_ms) if first_ms else session_ms
        return self.server_ms() - age_ms

    def call_expires_at(self, nonce: int = 0) -> float:
        """Return the monotonic time, s, from which a request signed now can no longer be accepted."""
        window = V1_WINDOW_S if self.identity.service.auth == "v1" else NONCE_WINDOW_S
        return expires_at(self.clock.mono(), self.links.least_server_ms(), nonce, window)

    def utc_day(self) -> int:
        """Return the number of the present UTC day."""
        return int(self.clock.wall() * 1000) // DAY_MS

    def has_ordered_today(self, sym: str) -> bool:
        """Return whether an order of a pair was sent on this UTC day."""
        return self.trading.last_order_days.get(sym) == self.utc_day()

    def day_is_whole(self) -> bool:
        """Return whether all fills since 00:00 UTC are counted."""
        self.roll_day()
        return self.fills.day_is_whole

    def roll_day(self) -> None:
        """Start a new day's result by the service's clock, which is known once the skew is measured."""
        if self.links.skew_ms() is not None or not self.fills.day.day:
            self.fills.roll_day(self.server_ms())


def _name_close(intent: Intent) -> str:
    """Return the beginning of a message that a kill or flatten did not close a pair; empty for other intents."""
    if not isinstance(intent, Place) or not (intent.kill or intent.flattens):
        return ""
    return f"{'kill' if intent.kill else 'flatten'} did not close {pair_name(intent.sym)}: "
