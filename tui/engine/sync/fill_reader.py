"""Reader of fills over REST: since the last journaled one, and since 00:00 UTC.

Nothing waits for it: a page holds 1,000 fills and the limit is five pages in ten seconds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from tui.client.rest import CallFailed, Rest
from tui.engine.event_line import Level
from tui.engine.rows import OrderRow, Source
from tui.engine.state.engine_state import EngineState
from tui.engine.state.fill_table import OVERLAP_MS
from tui.engine.state.order_texts import size_text
from tui.interface import decimals
from tui.interface.endpoint import Endpoint
from tui.interface.errors import ErrorClass
from tui.interface.families.history import (
    EXECUTIONS,
    EXECUTIONS_ARCHIVE,
    EXECUTIONS_PAGED,
    ExecutionsQuery,
    TradeRecord,
)
from tui.interface.paging import MAX_PAGE_SIZE, Page, page_query
from tui.interface.request import arguments_of
from tui.interface.text import how_many
from tui.rules.day_result import DAY_MS, parse_created_ms
from tui.rules.pnl import fill_net

RECENT_MS = 7 * DAY_MS - OVERLAP_MS
"""Age from which on fills are listed by the archive endpoint only, ms."""
ARCHIVE_MS = 90 * DAY_MS
"""Reach of the archive endpoint, ms."""
MAX_SINGLE_NOTICES = 100
"""Most fills per read with an event line each; the older ones are summed up in one line."""
UNDER_WAY_MS = 3_000
"""Longest delay of a fill's push, server ms."""
MAX_PAGES = 10_000


def fill_text(record: TradeRecord, order: OrderRow | None, state: EngineState) -> str:
    """Describe a fill; add the result of its order once that has ended and all its fills are known."""
    text = f"FILL {record.side} {size_text(record.sym, record.quantity, record.price, state.tick_of(record.sym))}"
    closed = None if order is None else state.find_result(order)
    if closed is None:
        return text
    is_part = closed.quantity != decimals.optional(record.quantity)
    return f"{text}, {'with the fills before: ' if is_part else ''}{closed.text}"


def fill_level(record: TradeRecord, order: OrderRow | None) -> Level:
    """Return the severity of a fill's event line: WARN if forced, INFO with a realised loss, else GOOD."""
    if order is not None and order.forced:
        return Level.WARN
    return Level.INFO if (decimals.optional(record.rpnl) or decimals.ZERO) < 0 else Level.GOOD


class FillReader:
    """Reader of fills that were not pushed; two reads never run at the same time."""

    def __init__(self, state: EngineState, rest: Rest, query_now: Callable[[str], None]) -> None:
        self._state = state
        self._rest = rest
        self._query_now = query_now
        self._lock = asyncio.Lock()
        self._history_read = self._marked = False
        self.asked_at = float("-inf")
        """Monotonic start time of the newest read, s."""
        self.read_at = float("-inf")
        """Monotonic start time of the newest successful read, s."""

    async def catch_up(self) -> None:
        """Read all fills since the last journaled one; each new one is journaled and notified.

        Raises:
            CallFailed: they could not be read; what was read is folded.
        """
        async with self._lock:
            await self._catch_up()

    async def whole_day(self) -> None:
        """Read all fills since 00:00 UTC that are not yet counted in the day's result.

        Raises:
            CallFailed: they could not be read; the day stays partial.
        """
        async with self._lock:
            fills = self._state.fills
            fills.roll_day(self._state.server_ms())
            if not self._history_read:
                # Fills older than journal and day are only looked up in the history, not reported.
                since = min(fills.day.day * DAY_MS, fills.begin_ms or fills.day.day * DAY_MS)
                records = (await self._rest.call(EXECUTIONS, _since(since))).data
                self._notify_fills(self._fold(records), away=False)
                self._history_read = True
                if len(records) < MAX_PAGE_SIZE:
                    fills.counted_from_ms = min(fills.counted_from_ms, fills.day.day * DAY_MS)
            begin, end = fills.day.day * DAY_MS, fills.counted_from_ms + OVERLAP_MS
            if not fills.day_is_whole:
                self._notify_fills(await self._read_pages(EXECUTIONS_PAGED, begin, end, reserved=False), away=False)
                fills.counted_from_ms = begin

    async def _catch_up(self) -> None:
        state, fills = self._state, self._state.fills
        began = self.asked_at = state.clock.mono()
        epoch, now_ms = state.epoch, state.server_ms()
        if not fills.begin_ms:
            fills.set_journal_begin(state.journal_began_ms())
        since = max(0, fills.complete_ms - OVERLAP_MS)
        newest = max(fills.complete_ms, fills.newest_ms)
        news: list[TradeRecord] = []
        try:
            if since < now_ms - RECENT_MS:
                news += await self._read_archive(max(since, now_ms - ARCHIVE_MS), now_ms - RECENT_MS + OVERLAP_MS)
                since = now_ms - RECENT_MS
            records = (await self._rest.call(EXECUTIONS, _since(since), reserved=True)).data
            news += self._fold(records)
            newest = max([newest, *map(parse_created_ms, records)])
            if len(records) >= MAX_PAGE_SIZE:
                news += await self._read_pages(EXECUTIONS_PAGED, since, None, reserved=True)
                newest = max([newest, *map(parse_created_ms, news)])
        finally:
            self._notify_fills(news, away=not fills.caught_up)
        self.read_at = began
        if epoch == state.epoch:
            fills.caught_up = True
        # A time in the future would hide later fills.
        newest = max(fills.complete_ms, min(newest, now_ms))
        if newest > fills.complete_ms or not self._marked:
            self._marked, fills.complete_ms = True, newest
            state.write_journal("fills", {"begin": fills.begin_ms, "since": since, "complete": newest})

    async def _read_archive(self, begin: int, end: int) -> list[TradeRecord]:
        """Read fills older than a week from the archive; a service without one is reported once and skipped."""
        try:
            return await self._read_pages(EXECUTIONS_ARCHIVE, begin, end, reserved=True)
        except CallFailed as failure:
            if failure.kind is not ErrorClass.BUG:
                raise
            text = f"fills older than seven days cannot be read ({failure}); the journal lacks those made while away"
            self._state.notify(Level.WARN, text)
            return []

    async def _read_pages(
        self, endpoint: Endpoint, begin: int, end: int | None, *, reserved: bool
    ) -> list[TradeRecord]:
        """Read and apply fills page by page; fills that arrive meanwhile only shift others to later pages."""
        news: list[TradeRecord] = []
        window = {"begin": str(begin)} | ({} if end is None else {"end": str(end)})
        for page in range(1, MAX_PAGES):
            query = {**window, **page_query(page, MAX_PAGE_SIZE)}
            data = (await self._rest.call(endpoint, query, reserved=reserved)).data
            rows: list[TradeRecord] = data.rows if isinstance(data, Page) else data
            news += self._fold(rows)
            if not isinstance(data, Page) or data.is_last(page):
                break
        return news

    def _fold(self, records: list[Any]) -> list[TradeRecord]:
        """Apply fills, journal the new ones and return them."""
        state, news = self._state, []
        for record in sorted(records, key=parse_created_ms):
            if state.accepts(record.portfolio_id, "a fill") and state.fold_fill(
                record, Source.SNAPSHOT, state.clock.mono()
            ):
                state.write_journal("fill", record, order_id=record.order_id, client_order_id=record.client_order_id)
                news.append(record)
        return news

    def _notify_fills(self, news: list[TradeRecord], *, away: bool) -> None:
        state = self._state
        news.sort(key=parse_created_ms)
        many = max(0, len(news) - MAX_SINGLE_NOTICES)
        if many:
            net = decimals.half_up(sum(map(fill_net, news[:many]), decimals.ZERO), 2)
            text = f"{how_many(many, 'fill')} while away, net {decimals.plain(net)}; the newest {MAX_SINGLE_NOTICES} follow"
            state.notify(Level.GOOD if net >= 0 else Level.INFO, text, away=away)
        for number, record in enumerate(news):
            key = state.orders.find(record.order_id, record.client_order_id)
            if number >= many:
                # A recent fill did not happen "while away": its push is still due.
                late = away or parse_created_ms(record) < state.server_ms() - UNDER_WAY_MS
                order = state.orders.rows.get(key)
                text, level = fill_text(record, order, state), fill_level(record, order)
                state.notify(level, f"{text}{' while away' if late else ''}", key, away=away)
            quantity = decimals.optional(record.quantity) or decimals.ZERO
            if key and state.orders.count_fill(key, record.order_id, quantity):
                self._query_now(key)


def _since(begin_ms: int) -> dict[str, str]:
    """Build the arguments for a full page of fills since a server time, in ms."""
    return arguments_of(ExecutionsQuery(begin=str(begin_ms), limit=str(MAX_PAGE_SIZE)))
