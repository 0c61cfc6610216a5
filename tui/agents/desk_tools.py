"""Tools that read what the desk holds: market, account, limits and events."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

import msgspec

from tui.agents.answers import MOST_ROWS, Answer, list_newest, list_rows
from tui.agents.desk_link import DeskLink
from tui.agents.tool import DEFAULT_MOST, NoArguments, Tool, make_tool
from tui.interface.families.market import Interval, SymbolInfo
from tui.programs.async_desk import AsyncDesk

MOST_PAIRS = 20
"""Most pairs in one call for quotes."""
MOST_LEVELS = 50
Most = Annotated[int, msgspec.Meta(ge=1, le=MOST_ROWS)]
IntervalWord = Literal["1m", "3m", "5m", "15m", "30m", "1H", "2H", "4H", "6H", "8H", "12H", "1D"]
_STATUS_FIELDS = (
    "environment", "portfolio", "portfolio_name", "risk_mode", "synced", "read_only", "in_flight", "unknown", "clock_skew",
    "errors", "day_is_whole", "bookings_read", "changed_rules", "downtime", "peers",
)  # fmt: skip


class PairsQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Arguments of `symbols`."""

    contains: str = ""
    """Part of the name, such as BTC; empty: all."""
    most: Most = DEFAULT_MOST
    """Most rows."""


class QuotesQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Arguments of `quotes`."""

    syms: Annotated[list[str], msgspec.Meta(min_length=1, max_length=MOST_PAIRS)]
    """Pairs, such as BINANCE_PERP_BTC_USDT."""


class BookQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Arguments of `book`."""

    sym: str
    """Pair, such as BINANCE_PERP_BTC_USDT."""
    levels: Annotated[int, msgspec.Meta(ge=1, le=MOST_LEVELS)] = 10
    """Levels of each side, best first."""


class BarsQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Arguments of `bars`."""

    sym: str
    """Pair, such as BINANCE_PERP_BTC_USDT."""
    interval: IntervalWord = "1m"
    """Length of a bar."""
    most: Most = DEFAULT_MOST
    """Most bars, the newest ones."""


class RowsQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Arguments of a tool that lists rows of the account: pair and largest number of rows."""

    sym: str = ""
    """Pair; empty: all."""
    most: Most = DEFAULT_MOST
    """Most rows, the newest first."""


class OrdersQuery(RowsQuery, frozen=True, kw_only=True):
    """Arguments of `orders`."""

    working_only: bool = False
    """Whether only orders are given that may still be open."""


class AssetsQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Arguments of `assets`."""

    venue: Literal["", "BINANCE", "OKX", "EDX"] = ""
    """Venue; empty: all."""
    with_zeros: bool = False
    """Whether coins without balance and debts are given, too."""
    most: Most = DEFAULT_MOST
    """Most rows."""


class EventsQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Arguments of `events`."""

    after: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Number of an event line; only later ones are given."""
    most: Most = DEFAULT_MOST
    """Most lines, the newest ones."""


class DeskTools:
    """Read-only tools for an agent: desk status, risk, pairs, market data, positions, orders, assets, fills, events."""

    def __init__(self, link: DeskLink) -> None:
        self._link = link

    def tools(self) -> list[Tool]:
        """List the tools."""
        return [
            make_tool("status", "State of the desk: account, sync, links, who is attached, time since it was heard.",
                      NoArguments, self._status),
            make_tool("risk", "Risk mode, its reason, and the trader's limits on orders.", NoArguments, self._risk),
            make_tool("symbols", "Pairs that can be traded, with tick, lot and least sizes.", PairsQuery, self._symbols),
            make_tool("quotes", "Best bid and offer and mark price of pairs, live.", QuotesQuery, self._quotes),
            make_tool("book", "Order book of a pair, live.", BookQuery, self._book),
            make_tool("bars", "Price bars of a pair that the desk holds, oldest first.", BarsQuery, self._bars),
            make_tool("positions", "Open positions, negative sizes are short.", RowsQuery, self._positions),
            make_tool("orders", "Orders of this session and all that work, the newest first.", OrdersQuery, self._orders),
            make_tool("assets", "Coins on all venues: balance, available, and owed, which is debt and loan.", AssetsQuery,
                      self._assets),
            make_tool("fills", "Fills that the desk holds, the newest first.", RowsQuery, self._fills),
            make_tool("events", "Event lines of the desk: orders, refusals, alerts, connections.", EventsQuery,
                      self._events),
        ]  # fmt: skip

    async def _status(self, _: NoArguments) -> Answer:
        async with self._link.desk() as desk:
            status = desk.status
            shown = {name: getattr(status, name) for name in _STATUS_FIELDS}
            links = [{"name": link.name, "state": link.state, "error": link.error} for link in desk.links]
            return Answer({"you_are": desk.name, "silent_s": round(desk.silent_s, 1), **shown, "links": links})

    async def _risk(self, _: NoArguments) -> Answer:
        async with self._link.desk() as desk:
            status = desk.status
            return Answer({"risk_mode": status.risk_mode, "reason": status.risk_reason, "limits": status.limits})

    async def _symbols(self, query: PairsQuery) -> Answer:
        async with self._link.desk() as desk:
            matching = [info for info in desk.pairs if query.contains.upper() in info.sym]
            return Answer(list_rows([_terms(info) for info in matching], query.most))

    async def _quotes(self, query: QuotesQuery) -> Answer:
        async with self._link.desk() as desk:
            desk.watch(*query.syms)
            quotes = await asyncio.gather(*(desk.newest_quote(sym) for sym in dict.fromkeys(query.syms)))
            missing = [sym for sym in query.syms if desk.quote(sym) is None]
            return Answer({"rows": [quote for quote in quotes if quote is not None], "without_quote": missing})

    async def _book(self, query: BookQuery) -> Answer:
        async with self._link.desk() as desk:
            book = await desk.book(query.sym)
            return Answer(msgspec.structs.replace(book, bids=book.bids[: query.levels], asks=book.asks[: query.levels]))

    async def _bars(self, query: BarsQuery) -> Answer:
        async with self._link.desk() as desk:
            bars = await desk.bars(query.sym, Interval(query.interval), wanted=query.most)
            return Answer(list_newest(bars, query.most))

    async def _positions(self, query: RowsQuery) -> Answer:
        async with self._link.desk() as desk:
            _check(desk, query.sym)
            return Answer(_of_account(desk, [row for row in desk.positions if query.sym in ("", row.sym)], query.most))

    async def _orders(self, query: OrdersQuery) -> Answer:
        async with self._link.desk() as desk:
            _check(desk, query.sym)
            orders = [row for row in desk.orders if query.sym in ("", row.sym)]
            return Answer(
                _of_account(desk, [row for row in orders if row.working or not query.working_only], query.most)
            )

    async def _assets(self, query: AssetsQuery) -> Answer:
        async with self._link.desk() as desk:
            assets = [row for row in desk.assets if query.venue in ("", row.venue)]
            return Answer(
                _of_account(desk, [row for row in assets if query.with_zeros or row.balance or row.owed], query.most)
            )

    async def _fills(self, query: RowsQuery) -> Answer:
        async with self._link.desk() as desk:
            _check(desk, query.sym)
            return Answer(_of_account(desk, [row for row in desk.fills if query.sym in ("", row.sym)], query.most))

    async def _events(self, query: EventsQuery) -> Answer:
        async with self._link.desk() as desk:
            return Answer(list_newest(desk.recent_events(query.after), query.most))


def _of_account(desk: AsyncDesk, rows: list[Any], most: int) -> dict[str, object]:
    """Return at most `most` rows of the account, and whether the desk's data is in sync with the venue."""
    return {**list_rows(rows, most), "synced": desk.status.synced}


def _check(desk: AsyncDesk, sym: str) -> None:
    """Check that a pair, if given, can be watched and traded: an unknown one would look like an empty list."""
    if sym:
        desk.check_pair(sym)


def _terms(info: SymbolInfo) -> dict[str, str]:
    """Return the trading rules of a pair: state, tick, lot, smallest size and value, contract size."""
    return {
        "sym": info.sym, "state": info.state, "tick": info.tick_size, "lot": info.lot_size, "least_size": info.min_size,
        "least_value": info.min_notional, "contract_size": info.contract_size,
    }  # fmt: skip
