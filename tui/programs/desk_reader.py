"""Desk as an asyncio program reads it: tables that stay current, changes as iterators, and the service's lists."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec

from tui.desk_protocol import unix_socket
from tui.desk_protocol.carrier import Connect, LinkClosed
from tui.desk_protocol.client import DeskClient
from tui.desk_protocol.messages import (
    VERSIONS,
    Events,
    Hello,
    Look,
    ProtocolError,
    Role,
    Rows,
    SlowReader,
)
from tui.desk_protocol.row_codec import decode_rows
from tui.engine.conflating_queue import MAX_EVENTS
from tui.engine.rows import BarsRow, DepthRow, QuoteRow, Row, Table
from tui.engine.service_query import ListRead, ReadState, StopQuery, query_endpoint
from tui.engine.status_rows import ENGINE, EngineStatusRow, LinkRow, LinkState
from tui.interface.families.market import Interval, SymbolInfo
from tui.interface.streams import Detail
from tui.interface.text import did_you_mean, show_given
from tui.programs import records
from tui.programs.arguments import check_own_name, check_wanted, find_row, read_interval, write_param
from tui.programs.call_params import BadArgument, check_params
from tui.programs.desk_error import DeskError
from tui.programs.records import (
    AdlRank,
    Asset,
    Bar,
    Book,
    Event,
    Fill,
    Listed,
    Order,
    Position,
    Quote,
    Status,
    read_status,
)
from tui.programs.records_list import Records
from tui.protocols import Clock

R = TypeVar("R")

ANSWER_S = 60.0
"""Longest wait for a list of the service, s."""
ASK_S = 10.0
"""Longest wait for an answer of the desk itself, s."""
FIRST_ROWS_S = 10.0
"""Longest silence of the desk before everything is known, s."""
PROPOSAL_S = 60.0
"""Longest wait for the end of a proposal beyond its own time, s; its order may be under way."""
MARKET_S = 5.0
"""Longest wait for the first quote, book or bars of a pair, s."""
OLD_BARS_S = 10.0
"""Longest wait for old bars of a pair, s; the desk says when it has read all."""
SUBSCRIBED_S = 2.0
"""Time after the market link came back in which pairs are subscribed again, s; then each quote says it by its time."""
NO_RUN = "-"
"""Run of an engine that a program says it knew: none, so that all event lines come that are kept."""
NOTHING: type[object] = object
"""Result of a call that returns nothing."""


class DeskReader:
    """Connection to the desk that holds an account, with the data that the desk sends; reads only."""

    def __init__(
        self, place: Path | Connect, clock: Clock, new_id: Callable[[], str], *, name: str, role: Role
    ) -> None:
        """Initialize the connection; it is opened by `async with`.

        Args:
            place: Socket of the desk, or what opens a connection to it elsewhere.
            clock: Clocks of this process.
            new_id: Makes an id of a command that nobody else makes.
            name: Name by which the desk knows the program.
            role: What the program may do.

        Raises:
            DeskError: The name is not accepted.
        """
        check_own_name(name)
        self._is_near = isinstance(place, Path)
        self._connect = partial(unix_socket.connect, place) if isinstance(place, Path) else place
        self._clock = clock
        self._new_id = new_id
        self._name = name
        self._role = role
        self._client: DeskClient | None = None
        self._reading: asyncio.Task[None] | None = None
        self._tables: dict[Table, dict[str, Any]] = {table: {} for table in Table}
        self._events: deque[Event] = deque(maxlen=MAX_EVENTS)
        self._changed = asyncio.Event()
        self._whole = asyncio.Event()
        self._watched: tuple[str, ...] = ()
        self._asked = 0
        self._heard = clock.mono()
        self._newest_quote = 0.0
        """Receive time of the newest quote of all pairs at the desk, s on the engine's monotonic clock."""
        self._refusal = ""
        self._look: Look | None = None
        self._looking, self._proposing = asyncio.Lock(), asyncio.Lock()
        self.behind_s = 0.0
        """How late this program read its rows the last time that it was too slow, s; older values were skipped."""

    async def __aenter__(self) -> Self:
        """Connect to the desk, and wait until it has sent all of its current rows.

        Raises:
            LinkClosed: No desk runs.
            DeskError: The desk refuses.
        """
        try:
            carrier = await self._connect()
            self._client = DeskClient(carrier, self, self._clock, same_machine=self._is_near)
            await self._open(self._client)
        except LinkClosed:
            raise
        except ProtocolError as error:
            raise DeskError(str(error)) from None
        return self

    async def _open(self, client: DeskClient) -> None:
        try:
            hello = Hello(versions=VERSIONS, name=self._name, role=self._role, run=NO_RUN)
            self._name = (await client.open(hello)).name
            self._reading = asyncio.ensure_future(client.run())
            while not await self._within(FIRST_ROWS_S, self._whole.is_set):
                if self.silent_s >= FIRST_ROWS_S:
                    raise LinkClosed(f"the desk does not answer: nothing was heard of it for {self.silent_s:.0f} s")
        except BaseException:
            client.close()
            await client.wait_closed()
            raise

    async def __aexit__(self, *error: object) -> None:
        assert self._client is not None and self._reading is not None
        self._client.close()
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)
        await self._client.wait_closed()

    # What the desk sends

    def on_rows(self, message: Rows) -> None:
        rows = self._tables[message.table]
        for key, row in decode_rows(message.table, message.rows).items():
            if row is None:
                rows.pop(key, None)
            else:
                rows[key] = row
                if isinstance(row, QuoteRow):
                    self._newest_quote = max(self._newest_quote, row.received)
        self._wake()

    def on_whole(self) -> None:
        self._whole.set()
        self._wake()

    def on_events(self, message: Events) -> None:
        self._events.extend(map(records.read_event, message.lines))
        self._wake()

    def on_refused(self, text: str) -> None:
        self._refusal = text
        self._wake()

    def on_slow_reader(self, message: SlowReader) -> None:
        self.behind_s = message.seconds

    def _wake(self) -> None:
        self._heard = self._clock.mono()
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def _next_change(self, since: asyncio.Event | None = None) -> None:
        """Wait for any new data from the desk; with `since`, return at once if some came after that event was taken.

        Raises:
            DeskError: The desk refused something that was asked.
            LinkClosed: The desk has ended.
        """
        assert self._reading is not None
        waiting = asyncio.ensure_future((since or self._changed).wait())
        try:
            await asyncio.wait([waiting, self._reading], return_when=asyncio.FIRST_COMPLETED)
            if self._reading.done():
                _raise_end(self._reading)
        finally:
            waiting.cancel()
        if refusal := self._refusal:
            self._refusal = ""
            raise DeskError(refusal)

    async def _until(self, condition: Callable[[], object]) -> None:
        while not condition():
            await self._next_change()

    # Snapshots

    @property
    def is_open(self) -> bool:
        """Whether the link to the desk is open; after its end, the other properties keep their last values."""
        return self._reading is not None and not self._reading.done()

    @property
    def name(self) -> str:
        """Name by which the desk knows this program."""
        return self._name

    @property
    def status(self) -> Status:
        """Status of the desk: environment, portfolio, risk mode, limits, and who is attached."""
        return read_status(self._status_row)

    @property
    def _status_row(self) -> EngineStatusRow:
        row: EngineStatusRow = self._tables[Table.ENGINE_STATUS][ENGINE]
        return row

    @property
    def symbols(self) -> tuple[str, ...]:
        """Pairs that can be watched and traded."""
        return tuple(sorted(self._tables[Table.SYMBOLS]))

    @property
    def orders(self) -> Records[Order]:
        """Orders that the desk holds, of this session and all that still work, newest first."""
        rows = self._tables[Table.ORDERS].values()
        return Records(records.read_order(row) for row in sorted(rows, key=lambda row: -row.create_at))

    @property
    def positions(self) -> Records[Position]:
        """Open positions."""
        positions = [records.read_position(row) for row in self._tables[Table.POSITIONS].values()]
        return Records(position for position in positions if position.size)

    @property
    def adl_ranks(self) -> Records[AdlRank]:
        """Auto-deleveraging ranks of the open positions."""
        positions = self._tables[Table.POSITIONS].values()
        ranks = [records.read_adl_rank(row, positions) for row in self._tables[Table.ADL].values()]
        return Records(rank for rank in ranks if rank is not None)

    @property
    def assets(self) -> Records[Asset]:
        """Balances: one record for each coin on each venue."""
        return Records(records.read_asset(row) for row in self._tables[Table.ASSETS].values())

    @property
    def fills(self) -> Records[Fill]:
        """Fills that the desk holds, the newest first."""
        rows = self._tables[Table.FILLS].values()
        return Records(
            records.read_fill(row) for row in sorted(rows, key=lambda row: row.record.create_at, reverse=True)
        )

    def quote(self, sym: str) -> Quote | None:
        """Return the newest quote of a pair that is watched; None before the first.

        Raises:
            DeskError: The pair is not known.
        """
        row = self._find_quote(sym)
        return records.read_quote(row, stale=self._is_stale(row)) if row is not None and row.received else None

    def _find_quote(self, sym: str) -> QuoteRow | None:
        """Return the quote row of a pair; None before its first quote, or while the desk's pairs are not known yet.

        Raises:
            DeskError: The pair is not known.
        """
        row: QuoteRow | None = self._tables[Table.QUOTES].get(sym) if isinstance(sym, str) else None
        if row is None and self._tables[Table.SYMBOLS]:
            self.check_pair(sym)
        return row

    def _is_stale(self, row: QuoteRow) -> bool:
        """Return whether a quote may be outdated: the link is down, the pair unsubscribed, or no quote came for too long."""
        link: LinkRow | None = self._tables[Table.LINKS].get("public")
        if not self.is_open or link is None or link.state is not LinkState.UP or not (row.subscribed and row.ts):
            return True
        now = self._engine_now
        is_of_before = row.received < link.since and now - link.since < SUBSCRIBED_S
        return is_of_before or now - self._newest_quote > self._status_row.limits.red_after

    @property
    def _engine_now(self) -> float:
        """Current time of the engine's monotonic clock, s, which the times in rows refer to."""
        assert self._client is not None
        return self._client.engine_time(self._clock.mono())

    def quote_age(self, sym: str) -> float | None:
        """Return the time since the desk received the quote of a pair, s; None before the first.

        Raises:
            DeskError: The pair is not known.
        """
        row = self._find_quote(sym)
        return max(0.0, self._engine_now - row.received) if row is not None and row.received else None

    @property
    def silent_s(self) -> float:
        """Time since the desk sent anything, s."""
        return max(0.0, self._clock.mono() - self._heard)

    @property
    def pairs(self) -> list[SymbolInfo]:
        """Trading rules of all pairs, sorted by name."""
        return [self._tables[Table.SYMBOLS][sym] for sym in self.symbols]

    @property
    def links(self) -> list[LinkRow]:
        """Connections of the desk to the service."""
        return list(self._tables[Table.LINKS].values())

    def recent_events(self, after: int = 0) -> list[Event]:
        """Return the received event lines that this process still has with a number above `after`, oldest first."""
        return [event for event in self._events if event.number > after]

    async def prove_alive(self) -> None:
        """Call the desk and wait for the answer, which resets `silent_s`.

        Raises:
            DeskError: It does not answer.
            LinkClosed: The desk has ended.
        """
        await self._ask("time", {}, float)
        self._heard = self._clock.mono()

    async def newest_quote(self, sym: str) -> Quote | None:
        """Return the newest quote of a pair; if the pair is not watched yet, watch it and wait for its first quote.

        Raises:
            DeskError: The pair is not known.
            LinkClosed: The desk has ended.
        """
        if sym not in self._watched:
            self.watch(sym)
        await self._within(MARKET_S, lambda: self.quote(sym))
        return self.quote(sym)

    async def book(self, sym: str) -> Book:
        """Return the order book of a pair; wait until it has been received completely.

        Raises:
            DeskError: The pair is not known, or no whole book came.
            LinkClosed: The desk has ended.
        """
        self.check_pair(sym)
        async with self._looking:
            if self._look is None or self._look.detail is None or self._look.detail.sym != sym:
                await self._look_at(Detail(sym))
            if not await self._within(MARKET_S, lambda: self._whole_book(sym)):
                raise DeskError(f"the order book of {sym} did not come within {MARKET_S:g} s")
            return records.read_book(self._tables[Table.DEPTH][sym])

    async def bars(self, sym: str, interval: Interval | str, *, wanted: int = 1) -> list[Bar]:
        """Return the price bars of a pair that the desk holds, oldest first; the last is still open.

        It waits until as many as `wanted` have come, or all old ones that the desk reads: those it kept, and
        about 240 of the venue.

        Args:
            sym: Pair.
            interval: Length of a bar, such as `Interval.M5` or its text "5m".
            wanted: Fewest bars; there may be fewer, and what came with them is returned, too.

        Raises:
            DeskError: An argument is not accepted, or no bar came.
            LinkClosed: The desk has ended.
        """
        self.check_pair(sym)
        detail = Detail(sym, read_interval(interval))
        check_wanted(wanted)
        async with self._looking:
            if self._look is None or self._look.detail != detail:
                await self._look_at(detail)
            await self._within(OLD_BARS_S, lambda: self._has_bars(detail, wanted))
            if not await self._within(MARKET_S, lambda: self._find_bars(detail).bars):
                raise DeskError(f"bars of {sym} did not come within {MARKET_S:g} s")
            return records.read_bars(self._find_bars(detail))

    async def _look_at(self, detail: Detail) -> None:
        """Change the single pair whose order book and bars the desk sends; drop its rows of an earlier time."""
        look, self._look = Look(detail=detail), None
        for table in (Table.DEPTH, Table.BARS):
            self._tables[table].pop(detail.sym, None)  # of an earlier look; it comes anew
        await self._ask("look_at", look, NOTHING)
        self._look = look

    def _whole_book(self, sym: str) -> bool:
        row: DepthRow | None = self._tables[Table.DEPTH].get(sym)
        return row is not None and row.whole

    def _has_bars(self, detail: Detail, wanted: int) -> bool:
        row = self._find_bars(detail)
        return len(row.bars) >= wanted or row.has_past

    def _find_bars(self, detail: Detail) -> BarsRow:
        """Return the received bars of a pair and interval; without bars if none have been received."""
        row: BarsRow | None = self._tables[Table.BARS].get(detail.sym)
        interval = detail.interval.value
        if row is None or row.interval != interval:
            return BarsRow(sym=detail.sym, interval=interval, bars=())
        return row

    async def _within(self, seconds: float, condition: Callable[[], object]) -> bool:
        """Wait until a condition is true; return False if that takes longer than `seconds`."""
        try:
            async with asyncio.timeout(seconds):
                await self._until(condition)
        except TimeoutError:
            return False
        return True

    def check_pair(self, sym: str) -> None:
        """Check that a pair can be watched and traded.

        Raises:
            DeskError: It is not known.
        """
        if not isinstance(sym, str) or sym not in self._tables[Table.SYMBOLS]:
            if not self.symbols:
                raise DeskError("the desk does not know the pairs yet: wait until status.synced is True")
            raise DeskError(f"pair {show_given(sym)} is not known{did_you_mean(str(sym), self.symbols)}")

    # Changes

    async def quotes(self, *syms: str) -> AsyncIterator[Quote]:
        """Iterate over new quotes of pairs; a program that is slow gets only the newest quote of each pair.

        Raises:
            DeskError: No pair is named, or one is not known.
            LinkClosed: The desk has ended.
        """
        if not syms:
            raise DeskError("quotes: name at least one pair, such as 'BINANCE_PERP_BTC_USDT'")
        self.watch(*syms)
        last: dict[str, Quote] = {}
        while True:
            since = self._changed
            for sym in syms:
                quote = self.quote(sym)
                if quote is not None and quote != last.get(sym):
                    last[sym] = quote
                    yield quote
            await self._next_change(since)

    def watch(self, *syms: str) -> None:
        """Watch the quotes of further pairs.

        Raises:
            DeskError: A pair is not known.
        """
        for sym in syms:
            self.check_pair(sym)
        self._watched = tuple(dict.fromkeys((*self._watched, *syms)))
        self._tell("watch", self._watched)

    async def events(self) -> AsyncIterator[Event]:
        """Iterate over the event lines that arrive from now on; the field `missed` tells of a gap before a line.

        Raises:
            LinkClosed: The desk has ended.
        """
        last = self._events[-1].number if self._events else 0
        while True:
            since = self._changed
            for event in [event for event in self._events if event.number > last]:
                # The desk numbers its lines without a gap, so one is due to the queue there, or to the one here.
                missed = event.number - last - 1 if last else 0
                last = event.number
                yield msgspec.structs.replace(event, missed=missed)
            await self._next_change(since)

    async def changes_of_orders(self) -> AsyncIterator[Order]:
        """Iterate over orders: first all known ones, then each order again whenever it changes.

        Raises:
            LinkClosed: The desk has ended.
        """
        seen: dict[str, Order] = {}
        while True:
            since = self._changed
            for order in reversed(self.orders):
                if seen.get(order.key) != order:
                    seen[order.key] = order
                    yield order
            await self._next_change(since)

    # Lists of the service

    async def call(self, name: str, /, **params: object) -> Any:
        """Read a list or record of the service by its name in the catalogue (`crossdesk endpoints`), all pages.

        Args:
            name: Name in the catalogue.
            params: Parameters of its row; a value other than a text is written as one, None is left out.

        Returns:
            The records of a list, or the record, typed as in the catalogue.

        Raises:
            DeskError: The name or a parameter is not known, it changes something, it is too long, or the service refuses.
            LinkClosed: The desk has ended.
        """
        given = {field: write_param(value) for field, value in params.items() if value is not None}
        try:
            sent = check_params(name, find_row(name), given)
        except BadArgument as error:
            raise DeskError(str(error)) from None
        read = await self.read(name, sent)
        if read.is_part:
            raise DeskError(
                f"{name} has {read.total} rows, of which {len(read.rows)} are read at most; narrow it, as by a time range"
            )
        return Records(read.rows) if read.record is None else read.record

    async def read(self, name: str, params: Mapping[str, str], *, to_end: bool = True) -> Listed:
        """Read a list or record of the service as `call` does; return it with the total, and whether rows are missing.

        Args:
            name: Name in the catalogue.
            params: Parameters that were checked.
            to_end: Whether all pages are read; otherwise one page.

        Raises:
            DeskError: The name is not known, it changes something, or the service refuses.
            LinkClosed: The desk has ended.
        """
        find_row(name)
        self._asked += 1
        key = f"call {self._asked}"
        try:
            await self._ask("read", query_endpoint(key, name, tuple(params.items()), to_end=to_end), NOTHING)
            if not await self._within(ANSWER_S, lambda: self._is_read(key)):
                raise DeskError(f"{name} was not answered within {ANSWER_S:g} s")
            read: ListRead = self._tables[Table.ANSWERS][key]
        finally:
            self._tables[Table.ANSWERS].pop(key, None)
            self._tell("read_stop", StopQuery(key=key, forget=True))
        if read.state is ReadState.FAILED:
            raise DeskError(f"{name}: {read.text}", code=read.code, said=read.text)
        return Listed(rows=read.rows, record=read.data, total=read.total, is_part=read.state is ReadState.FULL)

    async def _ask(self, method: str, params: object, result: type[R], patience_s: float = ASK_S) -> R:
        assert self._client is not None
        try:
            return await self._client.call(method, params, result, patience_s=patience_s)
        except LinkClosed:
            raise
        except ProtocolError as error:
            raise DeskError(str(error)) from None

    def _is_read(self, key: str) -> bool:
        read: Row | None = self._tables[Table.ANSWERS].get(key)
        return isinstance(read, ListRead) and not read.under_way

    def _tell(self, method: str, params: object) -> None:
        assert self._client is not None
        self._client.tell(method, params)


def _raise_end(reading: asyncio.Task[None]) -> None:
    """Raise the error with which the reading task, and so the link, has ended.

    Raises:
        LinkClosed: The desk has ended, or sent what cannot be read.
    """
    try:
        reading.result()
    except LinkClosed:
        raise
    except ProtocolError as error:
        raise LinkClosed(str(error)) from None
