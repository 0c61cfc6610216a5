"""Screen-side copy of the engine's rows; panes read only this copy, never the engine's tables. Imports no Textual."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tui.engine.conflating_queue import Batch
from tui.engine.rows import (
    AccountCommandRow,
    AlgoRow,
    BarsRow,
    BracketTable,
    CommandState,
    DayRow,
    DepthRow,
    Fact,
    FundingTerms,
    LiquidationStep,
    LoanTerms,
    OrderRow,
    PrintsRow,
    QuoteRow,
    Row,
    SettingChange,
    Table,
    TickerRow,
)
from tui.engine.status_rows import ENGINE, EngineStatusRow, LinkRow, LinkState, MandateRow, ProposalRow
from tui.interface.decimals import ZERO, optional, positive
from tui.protocols import Clock
from tui.workstation.model.event_log import EventLog
from tui.workstation.model.orders.order_index import OrderIndex, recency
from tui.workstation.model.quote_attention import QuoteTable

if TYPE_CHECKING:
    from tui.engine.service_query import ListRead
    from tui.interface.families.assets import AssetRecord
    from tui.interface.families.fees import FeeSchedule
    from tui.interface.families.history import StatementRecord, TradeRecord
    from tui.interface.families.market import SymbolInfo
    from tui.interface.families.positions import AccountRecord, AdlRank, PositionRecord


UNPROVEN_S = 5.0
"""Seconds of silence after which a connection that claims to be up is not trusted."""


class Mirror:
    """Newest rows by table and key, and the log of events."""

    _own_syms: frozenset[str] | None = None
    _known_syms: frozenset[str] | None = None
    """Both None while they must be computed anew."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.quotes = QuoteTable()
        self._tables: dict[Table, dict[str, Any]] = {table: {} for table in Table} | {Table.QUOTES: self.quotes}
        self.event_log = EventLog(clock, self._find_changed_row, lambda: self._own_name)
        self.newest_quote = 0.0
        """Monotonic receive time of the newest quote of all pairs, s; 0 before the first."""
        self.synced_once = False
        """Whether this engine has read the account; not yet where it has just taken over from another one."""
        self.unreadable = ""
        """Why this key cannot read the rows of a portfolio at all, or empty."""
        self._synced_ms = 0
        self._versions: Counter[Table] = Counter()
        self._order_index = OrderIndex()
        self.newest_left: OrderRow | None = None
        """Newest of the own orders that have left the list."""

    def apply(self, batch: Batch) -> dict[Table, list[str]]:
        """Apply a batch of changes and return the changed keys by table."""
        changed: dict[Table, list[str]] = {}
        gone: set[str] = set()
        before = self.engine_status
        for table, rows in batch.changed.items():
            gone.update(self._store(table, rows))
            if table is Table.QUOTES:
                self._note_quotes(rows)
            elif table is Table.ORDERS:
                self._note_orders(rows)
            changed[table] = list(rows)
            self._versions[table] += 1
        self.event_log.take(batch, changed.keys(), gone)
        if Table.ENGINE_STATUS in changed:
            self._note_sync(before)
        return changed

    def _store(self, table: Table, rows: Mapping[str, Row | None]) -> list[str]:
        """Store changed rows of a table and delete removed ones; return the keys of the removed."""
        mine, gone = self._tables[table], []
        before = len(mine)
        for key, row in rows.items():
            if row is None:
                self._note_left(mine.pop(key, None))
                gone.append(key)
            else:
                mine[key] = row
        if gone or len(mine) != before:
            self._forget_syms(table)
        return gone

    def _note_left(self, row: Row | None) -> None:
        """Remember a removed row if it is the newest own order removed so far, so that its card can still open."""
        if isinstance(row, OrderRow) and self.is_own(row):
            self.newest_left = max(filter(None, (self.newest_left, row)), key=recency)

    def recall_order(self, key: str) -> OrderRow | None:
        """Return a listed order, or the newest own order that was removed from the list; None for others."""
        left = self.newest_left
        return self.orders.get(key) or (left if left is not None and left.key == key else None)

    def _note_quotes(self, rows: Mapping[str, Row | None]) -> None:
        received = (row.received for row in rows.values() if isinstance(row, QuoteRow))
        self.newest_quote = max(self.newest_quote, *received, 0.0)

    def _forget_syms(self, table: Table) -> None:
        """Discard the cached set of symbols that a table contributes to, because rows were added or removed."""
        if table is Table.POSITIONS:
            self._own_syms = None
        elif table in (Table.SYMBOLS, Table.QUOTES):
            self._known_syms = None

    def _note_orders(self, rows: Mapping[str, Row | None]) -> None:
        """Update the index of working orders and of orders with a problem by the changed rows."""
        for key, row in rows.items():
            if self._order_index.note(key, row if isinstance(row, OrderRow) else None):
                self._own_syms = None

    def _find_changed_row(self, key: str) -> AccountCommandRow | OrderRow | AlgoRow | None:
        """Return the account command, order or algo order with the row key that an event names, else None."""
        return self.commands.get(key) or self.orders.get(key) or self.algos.get(key)

    def version(self, table: Table) -> int:
        """Return the change counter of a table, by which callers know whether cached values are outdated."""
        return self._versions[table]

    @property
    def own_syms(self) -> frozenset[str]:
        """Symbols of positions and working orders; the same object as long as the set does not change."""
        if self._own_syms is None:
            held = (fact.record.sym for fact in self.positions.values())
            self._own_syms = frozenset([*held, *self._order_index.syms])
        return self._own_syms

    @property
    def known_syms(self) -> frozenset[str]:
        """Symbols with trading rules or a quote; the same object as long as the set does not change."""
        if self._known_syms is None:
            self._known_syms = frozenset(self.symbols) | frozenset(self.quotes)
        return self._known_syms

    def working_on(self, sym: str) -> list[OrderRow]:
        """List the working orders of a symbol."""
        return self._order_index.on(sym)

    def works_on(self, sym: str) -> bool:
        """Return whether a symbol has working orders."""
        return sym in self._order_index.syms

    def working_at(self, sym: str, side: str, price: Decimal | None) -> list[OrderRow]:
        """List the working orders of a symbol and side at one price; none at an unknown price."""
        return self._order_index.at(sym, side, price)

    def _note_sync(self, before: EngineStatusRow | None) -> None:
        engine_status = self.engine_status
        if _begins_anew(before, engine_status):
            self.synced_once, self._synced_ms = False, 0
        if engine_status is None:
            return
        # A window that attaches while the link is cut shows what the engine knows, and that it is not of now.
        self.synced_once = self.synced_once or engine_status.synced or engine_status.was_synced
        if engine_status.synced and not self._synced_ms:
            self._synced_ms = int(self._clock.wall() * 1000)

    @property
    def orders_checked_ms(self) -> int:
        """Wall clock time, in ms, of the last complete order list from the service; 0 if there was none."""
        engine_status = self.engine_status
        return (engine_status.orders_checked_ms if engine_status is not None else 0) or self._synced_ms

    @property
    def positions_checked_ms(self) -> int:
        """Wall clock time, in ms, of the last complete position list from the service; 0 if there was none."""
        engine_status = self.engine_status
        return (engine_status.positions_checked_ms if engine_status is not None else 0) or self._synced_ms

    def row(self, table: Table, key: str) -> Row | None:
        """Return the row of any table with a key; None if there is none."""
        row: Row | None = self._tables[table].get(key)
        return row

    @property
    def engine_status(self) -> EngineStatusRow | None:
        row: EngineStatusRow | None = self._tables[Table.ENGINE_STATUS].get(ENGINE)
        return row

    @property
    def server_wall(self) -> float:
        """Wall clock time of the service, in s; the local time until the clock skew is measured."""
        engine_status = self.engine_status
        skew_ms = engine_status.skew_ms if engine_status is not None else None
        return self._clock.wall() - (skew_ms or 0.0) / 1000

    @property
    def symbols(self) -> dict[str, SymbolInfo]:
        return self._tables[Table.SYMBOLS]

    @property
    def depth(self) -> dict[str, DepthRow]:
        """Order books of the pairs opened on the screen, by symbol."""
        return self._tables[Table.DEPTH]

    @property
    def prints(self) -> dict[str, PrintsRow]:
        """Public trades of the pairs opened on the screen, by symbol."""
        return self._tables[Table.PRINTS]

    @property
    def bars(self) -> dict[str, BarsRow]:
        """Price bars of the pairs opened on the screen, by symbol."""
        return self._tables[Table.BARS]

    @property
    def proposals(self) -> dict[str, ProposalRow]:
        """Orders that programs propose and that wait for the trader, by number."""
        return self._tables[Table.PROPOSALS]

    @property
    def mandates(self) -> dict[str, MandateRow]:
        """Mandates that programs ask for or hold, by number."""
        return self._tables[Table.MANDATES]

    @property
    def orders(self) -> dict[str, OrderRow]:
        return self._tables[Table.ORDERS]

    @property
    def positions(self) -> dict[str, Fact[PositionRecord]]:
        return self._tables[Table.POSITIONS]

    def tick_of(self, sym: str) -> Decimal | None:
        """Return the tick size of a symbol; None while its rules are unknown."""
        info = self.symbols.get(sym)
        return None if info is None else positive(info.tick_size)

    @property
    def unknown_orders(self) -> int:
        """Number of working orders whose state is UNKNOWN."""
        return len(self._order_index.unknown)

    @property
    def working_orders(self) -> int:
        """Number of orders that may still be open, UNKNOWN ones included."""
        return len(self._order_index.working)

    @property
    def unknown_settings(self) -> int:
        """Number of setting changes whose reply was lost."""
        changes: dict[str, SettingChange] = self._tables[Table.SETTINGS]
        return sum(change.state is CommandState.UNKNOWN for change in changes.values())

    @property
    def unknown_algos(self) -> int:
        """Number of algo orders with a placement, change or cancel whose reply was lost."""
        return sum(row.unsure for row in self.algos.values())

    @property
    def algos(self) -> dict[str, AlgoRow]:
        return self._tables[Table.ALGOS]

    @property
    def liquidations(self) -> dict[str, LiquidationStep]:
        """Steps of liquidations, as the service sent them."""
        return self._tables[Table.LIQUIDATIONS]

    @property
    def assets(self) -> dict[str, Fact[AssetRecord]]:
        return self._tables[Table.ASSETS]

    @property
    def loan_terms(self) -> dict[str, LoanTerms]:
        """Terms for borrowing coins by margin orders, by venue and coin."""
        return self._tables[Table.LOANS]

    @property
    def accounts(self) -> dict[str, Fact[AccountRecord]]:
        return self._tables[Table.ACCOUNTS]

    @property
    def adl(self) -> dict[str, Fact[AdlRank]]:
        return self._tables[Table.ADL]

    @property
    def fills(self) -> dict[str, Fact[TradeRecord]]:
        return self._tables[Table.FILLS]

    def sum_fills(self, order: OrderRow) -> Decimal:
        """Sum the quantities of an order's received fills; fills may arrive before the order's state shows them."""
        ids = {order.client_order_id, order.order_id} - {""}
        records = (fact.record for fact in self.fills.values())
        mine = (fill for fill in records if not ids.isdisjoint((fill.client_order_id, fill.order_id)))
        return sum((optional(fill.quantity) or ZERO for fill in mine), ZERO)

    @property
    def days(self) -> dict[str, DayRow]:
        return self._tables[Table.DAYS]

    @property
    def statements(self) -> dict[str, Fact[StatementRecord]]:
        return self._tables[Table.STATEMENTS]

    @property
    def commands(self) -> dict[str, AccountCommandRow]:
        """Account commands of this session, and open ones of earlier sessions."""
        return self._tables[Table.COMMANDS]

    @property
    def unknown_commands(self) -> int:
        """Number of account commands whose reply was lost."""
        return sum(row.state is CommandState.UNKNOWN for row in self.commands.values())

    @property
    def answers(self) -> dict[str, ListRead]:
        """Lists that screens have read from the service, by query key."""
        return self._tables[Table.ANSWERS]

    @property
    def funding(self) -> dict[str, FundingTerms]:
        return self._tables[Table.FUNDING]

    @property
    def tickers(self) -> dict[str, TickerRow]:
        return self._tables[Table.TICKERS]

    @property
    def fees(self) -> dict[str, Fact[FeeSchedule]]:
        return self._tables[Table.FEES]

    @property
    def brackets(self) -> dict[str, BracketTable]:
        return self._tables[Table.BRACKETS]

    @property
    def links(self) -> dict[str, LinkRow]:
        return self._tables[Table.LINKS]

    def link_up(self, name: str) -> bool:
        """Return whether a connection is up."""
        link = self.links.get(name)
        return link is not None and link.state is LinkState.UP

    def proven(self, name: str) -> bool:
        """Return whether a connection is up and was recently confirmed by incoming data.

        The market connection needs a recent quote of any symbol: a link that only answers pings serves no quotes.
        """
        return self.link_up(name) and self.silent_for(name) <= UNPROVEN_S

    def silent_for(self, name: str) -> float:
        """Return the seconds since the last incoming data on a connection."""
        link = self.links.get(name)
        proof = link.last_frame or link.since if link is not None else 0.0
        if name == "public" and self.newest_quote:
            proof = min(proof, self.newest_quote)
        return max(0.0, self._clock.mono() - proof)

    def is_own(self, order: OrderRow) -> bool:
        """Return whether an order was placed at this desk, not by a program, another desk or another installation."""
        return not order.external and order.peer == self._own_name

    @property
    def _own_name(self) -> str:
        """Name of this desk among those attached to the engine; empty for the desk that holds the account."""
        return self.engine_status.own_name if self.engine_status is not None else ""

    def working(self) -> list[OrderRow]:
        """List orders that may still be open, UNKNOWN ones included."""
        return list(self._order_index.working.values())

    @property
    def problem_orders(self) -> Mapping[str, OrderRow]:
        """Orders that failed, whose outcome is unknown, or about which desk and service disagree, by key."""
        return self._order_index.problems


def _begins_anew(before: EngineStatusRow | None, now: EngineStatusRow | None) -> bool:
    """Return whether a status comes from another engine than the status before, which has not read the account yet."""
    is_other = before is not None and now is not None and now.orders_checked_ms < before.orders_checked_ms
    return is_other and now is not None and not now.synced
