"""Old price bars over REST: the venue's own addition, for charts of a desk that has just started."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import msgspec
from aiohttp import web

from tui.crossdesk_error import CrossdeskError
from tui.interface.decimals import plain
from tui.interface.families.market import INTERVAL_MS, Interval
from tui.interface.ready import MOST_BARS
from tui.interface.times import millis
from tui.venue.core.past.bars import KEPT_MS
from tui.venue.shell.runtime import Runtime

SLICE_BARS = {Interval.M1: 240, Interval.H1: 6}
"""Bars computed before orders and quotes get a turn."""
DEFAULT_BARS = 500


class BadQuery(CrossdeskError):
    """Query with a parameter that is missing or wrong."""

    title = "Bad query of bars"


class BarsAnswer:
    """Answer to a query for old price bars."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    async def answer(self, request: web.Request) -> web.Response:
        """Answer with the newest bars before `end`, oldest first; the last may still be open."""
        await asyncio.sleep(self._runtime.entry_delay())
        try:
            rows = await self._rows(request.query)
        except BadQuery as error:
            return web.json_response({"code": 400000, "message": str(error), "data": []}, status=400)
        body = msgspec.json.encode({"code": 200000, "message": "Success", "data": rows})
        await asyncio.sleep(self._runtime.exit_delay())
        return web.Response(body=body, content_type="application/json")

    async def _rows(self, query: Mapping[str, str]) -> list[tuple[str, ...]]:
        sym, exchange, now = query.get("sym", ""), self._runtime.exchange, self._runtime.now_ms()
        if sym not in exchange.queries.symbol_infos():
            raise BadQuery(f"sym {sym[:40]!r} is no pair of this venue")
        interval = {kept.value: kept for kept in KEPT_MS}.get(query.get("interval", ""))
        if interval is None:
            raise BadQuery(f"interval {query.get('interval', '')[:10]!r}: 1m or 1H is needed")
        length = INTERVAL_MS[interval]
        end = min(_number(query, "end", now), now)
        limit = min(max(_number(query, "limit", DEFAULT_BARS), 1), MOST_BARS)
        newest = (end - 1) // length * length
        begin = max(_number(query, "begin", 0), now - KEPT_MS[interval], newest - (limit - 1) * length)
        rows: list[tuple[str, ...]] = []
        for bar in exchange.bars(sym, interval, begin, end):
            figures = (bar.open, bar.high, bar.low, bar.close, bar.volume)
            rows.append((str(bar.start), *(plain(figure) for figure in figures)))
            if len(rows) % SLICE_BARS[interval] == 0:
                await asyncio.sleep(0)
        return rows


def _number(query: Mapping[str, str], name: str, default: int) -> int:
    text = query.get(name, "")
    if text and not millis(text):
        raise BadQuery(f"{name} {text[:20]!r} is no whole number above 0")
    return millis(text) if text else default
