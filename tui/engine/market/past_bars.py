"""Old bars of the watched pair: those the desk kept, and where the service offers them those of the service."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from decimal import Decimal

import aiohttp

from tui.client.past_bars import BarsUnreadable, read_past_bars
from tui.engine.event_line import Level
from tui.engine.market.kept_bars import KeptBars
from tui.engine.state.engine_state import EngineState
from tui.engine.state.market_detail import MOST_BARS, MarketDetail
from tui.interface.decimals import ZERO, optional, plain
from tui.interface.families.market import INTERVAL_MS, BarPrice, Interval, KlineRow
from tui.interface.streams import Detail
from tui.interface.symbols import pair_name
from tui.interface.times import millis

BARS_WANTED = 240
"""Bars of the chosen interval that a first chart is filled with."""
LEAST_MINUTES = 1000
"""Fewest minutes read for a chart of minutes: they cost the venue little."""
MOST_PAGES = 8
"""Most answers of the service read for one chart."""


class PastBars:
    """Reader of old bars for the chart of a watched pair, and writer of its closed bars to the file."""

    def __init__(self, state: EngineState, session: aiohttp.ClientSession, shown: MarketDetail) -> None:
        """Initialize the reader; `shown` receives the old bars."""
        self._state = state
        self._shown = shown
        self._session = session
        self._file: KeptBars | None = state.services.bars
        self._wanted: Detail | None = None
        self._closed: list[tuple[Detail, KlineRow]] = []
        """Bars that closed and are not written yet."""
        self._changed = asyncio.Event()
        shown.on_begin = self._begin
        shown.on_closed = self.keep

    def _begin(self, detail: Detail) -> None:
        self._wanted = detail
        self._changed.set()

    def keep(self, detail: Detail, row: KlineRow) -> None:
        """Queue a closed bar to be written to the file of bars."""
        if self._file is not None:
            self._closed.append((detail, row))
            self._changed.set()

    async def run(self) -> None:
        """Write queued bars, and read old bars for each newly watched pair, until cancelled."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            await self._write()
            detail, self._wanted = self._wanted, None
            if detail is not None:
                await self._load(detail)

    async def _write(self) -> None:
        closed, self._closed = self._closed, []
        for detail, row in closed:
            if self._file is not None:
                await asyncio.to_thread(self._file.write, detail, [row])

    async def _load(self, detail: Detail) -> None:
        if self._file is not None:
            kept = await asyncio.to_thread(self._file.read, detail, MOST_BARS)
            self._shown.add_past(detail, kept)
        length = INTERVAL_MS.get(detail.interval)
        if self._state.identity.service.bars_url and length is not None and detail.price is BarPrice.LAST:
            try:
                await self._read_service(detail, length)
            except BarsUnreadable as error:
                self._state.notify(Level.INFO, f"no old bars of {pair_name(detail.sym)}: {error}", away=False)
        if self._wanted is None:  # else it was watched anew while it was read, which broke the reading off
            self._shown.end_past(detail)

    async def _read_service(self, detail: Detail, length: int) -> None:
        """Read bars page by page, newest first, as far as the chart needs them."""
        base = Interval.H1 if length % INTERVAL_MS[Interval.H1] == 0 else Interval.M1
        service, patience_s = self._state.identity.service, self._state.settings.timings.read_timeout
        rows: list[KlineRow] = []
        wanted, end = BARS_WANTED * length // INTERVAL_MS[base], 0
        if base is Interval.M1:
            wanted = max(wanted, LEAST_MINUTES)
        for _ in range(MOST_PAGES):
            page = await read_past_bars(
                self._session,
                service.bars_url,
                detail.sym,
                base,
                end=end,
                most=wanted - len(rows),
                patience_s=patience_s,
            )
            rows = [*page, *rows]
            self._shown.add_past(detail, sum_bars(rows, length))
            if not page or self._wanted is not None or wanted - len(rows) < 2:
                break
            end = millis(str(page[0].open_time))


def sum_bars(rows: Sequence[KlineRow], length: int) -> list[KlineRow]:
    """Merge bars to longer bars of `length` ms; leave out the first longer bar if its beginning is missing."""
    parts: dict[int, list[KlineRow]] = {}
    for row in rows:
        at = millis(str(row.open_time))
        parts.setdefault(at - at % length, []).append(row)
    first = next(iter(parts), None)
    if first is not None and millis(str(parts[first][0].open_time)) != first:
        del parts[first]
    return [_sum_bar(start, part) for start, part in parts.items()]


def _sum_bar(start: int, rows: Sequence[KlineRow]) -> KlineRow:
    if len(rows) == 1:
        return rows[0]
    return KlineRow(
        open_time=start, open=rows[0].open, close=rows[-1].close,
        high=plain(max(_numbers(row.high for row in rows), default=ZERO)),
        low=plain(min(_numbers(row.low for row in rows), default=ZERO)),
        volume=plain(sum(_numbers(row.volume for row in rows), ZERO)),
    )  # fmt: skip


def _numbers(texts: Iterable[str]) -> list[Decimal]:
    return [number for text in texts if (number := optional(text)) is not None]
