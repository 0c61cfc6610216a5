"""Snapshot of a desk for the page: texts by table, bounded in rows and length, the same for all viewers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, InvalidOperation

import msgspec

from tui.interface.decimals import half_up, plain, positive
from tui.interface.symbols import pair_name, unit_of
from tui.interface.text import clean
from tui.programs.desk_reader import DeskReader
from tui.programs.records import AdlRank, Asset, Order, Position
from tui.programs.watched_desk import WatchedDesk

MOST_ROWS = 100
"""Most rows of a table; how many there are is shown."""
MOST_TEXT = 120
"""Most characters of a cell."""
FEW_PLACES, MANY_PLACES = 4, 8
"""Most decimals of an amount of a coin from 1 on, and below."""
MISSING = "–"
NO_STOP = "none!"
"""Stop of a position that has none, as the desk writes it."""
UNPROVEN_S = 5.0
"""Age from which on a quote is marked as old, s."""
Cell = str
Row = tuple[Cell, ...]


class PageTable(msgspec.Struct, frozen=True):
    """Table shown on the page; a column name ending with `>` means right-aligned figures."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    total: int
    """Number of rows that there are."""


class PageStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Status of the desk shown on the page: in sync or not, account, risk mode, orders, links, reason."""

    word: str
    """`in sync`, `NOT in sync` or `desk gone`."""
    account: str = ""
    risk_mode: str = ""
    working: int = 0
    unknown: int = 0
    links: tuple[str, ...] = ()
    reason: str = ""
    """Why the desk is gone, or the risk mode is not NORMAL."""


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """Content of the page at one moment, sent to each viewer: status, tables, age of the data."""

    status: PageStatus
    tables: tuple[PageTable, ...]
    age_s: float
    """Time since the desk sent anything, s."""


def write_figure(value: Decimal | None, places: int | None = None, *, signed: bool = False) -> str:
    """Write a number with thousands separators."""
    if value is None:
        return MISSING
    text = f"{value:,f}" if places is None else f"{value:,.{places}f}"
    return f"+{text}" if signed and value > 0 else text


def write_price(value: Decimal | None, tick: str, *, exact: bool = False) -> str:
    """Format a price, rounded to the decimals of the pair's tick; with `exact`, further decimals are not rounded away."""
    step = positive(tick)
    if value is None or step is None:
        return write_figure(value)
    places = _decimals(step)
    with suppress(InvalidOperation):  # a figure of a service beyond what can be rounded is written as it is
        return write_figure(value if exact and _decimals(value) > places else half_up(value, places))
    return write_figure(value)


def write_amount(value: Decimal | None, rounding: str = ROUND_FLOOR) -> str:
    """Write an amount of a coin with 4 decimals at most from 1 on, with 8 below."""
    if value is None:
        return MISSING
    places = FEW_PLACES if abs(value) >= 1 else MANY_PLACES
    with suppress(InvalidOperation):
        return write_figure(Decimal(plain(value.quantize(Decimal(1).scaleb(-places), rounding))))
    return write_figure(value)


def _decimals(value: Decimal) -> int:
    return len(plain(value).partition(".")[2])


def write_size(value: Decimal | None, sym: str) -> str:
    """Format a size with its unit, `ct` (contracts) or the base coin."""
    return MISSING if value is None else f"{write_figure(value)} {unit_of(sym)}".rstrip()


def _age(seconds: float | None) -> str:
    if seconds is None:
        return MISSING
    return f"{seconds:.1f} s" if seconds < UNPROVEN_S else f"{seconds:.0f} s old"


def _table(name: str, columns: tuple[str, ...], rows: Iterable[Sequence[str]]) -> PageTable:
    listed = [tuple(clean(cell, MOST_TEXT) for cell in row) for row in rows]
    return PageTable(name, columns, tuple(listed[:MOST_ROWS]), len(listed))


def choose_pairs(desk: DeskReader, wanted: Sequence[str], most: int) -> list[str]:
    """Choose known pairs to quote: of positions and working orders, then the requested, or if none is some large ones."""
    busy = [position.sym for position in desk.positions] + [order.sym for order in desk.orders if order.working]
    known = set(desk.symbols)
    large = [sym for base in ("BTC", "ETH", "SOL") for sym in desk.symbols if f"_PERP_{base}_" in sym]
    chosen = dict.fromkeys([*busy, *wanted, *([] if wanted else large)])
    return [sym for sym in chosen if sym in known][:most]


def take_snapshot(desk: WatchedDesk, pairs: Sequence[str], age_s: float) -> Snapshot:
    """Build a snapshot of an attached desk: status, positions, working orders, quotes of `pairs`, ADL ranks and assets."""
    status, orders = desk.status, [order for order in desk.orders if order.working]
    ticks = {info.sym: info.tick_size for info in desk.pairs}
    word = "in sync" if status.synced else "NOT in sync"
    return Snapshot(
        status=PageStatus(
            word=word,
            account=clean(f"{status.environment} {status.portfolio_name or status.portfolio}", MOST_TEXT),
            risk_mode=status.risk_mode,
            working=len(orders),
            unknown=sum(order.unsure for order in orders),
            links=tuple(clean(f"{link.name} {link.state.value}", MOST_TEXT) for link in desk.links),
            reason=clean(status.risk_reason, MOST_TEXT),
        ),
        tables=(
            _table("Positions", _POSITIONS, (_position(desk, ticks, position) for position in desk.positions)),
            _table("Orders", _ORDERS, (_order(ticks, order) for order in orders)),
            _table("Quotes", _QUOTES, (_quote(desk, ticks, sym) for sym in pairs)),
            _table("ADL", _ADL, map(_rank, desk.adl_ranks)),
            _table("Assets", _ASSETS, map(_asset, desk.assets)),
        ),
        age_s=round(age_s, 1),
    )


def mark_gone(last: Snapshot | None, why: str, age_s: float) -> Snapshot:
    """Return a snapshot that says the desk is gone, with the account and tables of the last one, if any."""
    status = PageStatus(word="desk gone", reason=clean(why, MOST_TEXT), account=last.status.account if last else "")
    return Snapshot(status=status, tables=last.tables if last else (), age_s=round(age_s, 1))


_QUOTES = ("pair", "bid>", "ask>", "age>", "bid size>", "ask size>", "mark>")
_ORDERS = ("pair", "side", "size>", "price>", "state", "filled>")
_POSITIONS = ("pair", "side", "size>", "result USDT>", "entry>", "mark>", "stop>", "liquidation>")
_ADL = ("pair", "side", "rank>")
_ASSETS = ("venue", "coin", "balance>", "available>", "owed>")


Ticks = Mapping[str, str]
"""Step of a price by pair."""


def _quote(desk: DeskReader, ticks: Ticks, sym: str) -> Row:
    quote, name, tick = desk.quote(sym), pair_name(sym), ticks.get(sym, "")
    if quote is None:
        return name, MISSING, MISSING, MISSING, MISSING, MISSING, MISSING
    prices = write_price(quote.bid, tick, exact=True), write_price(quote.ask, tick, exact=True)
    sizes = write_size(quote.bid_size, sym), write_size(quote.ask_size, sym)
    return name, *prices, _age(desk.quote_age(sym)), *sizes, write_price(quote.mark, tick)


def _order(ticks: Ticks, order: Order) -> Row:
    side = order.side if order.position_side in ("", "NONE") else f"{order.side} {order.position_side}"
    limit = write_price(order.price, ticks.get(order.sym, ""), exact=True)
    price = "market" if order.type == "MARKET" else limit
    state = "UNKNOWN" if order.unsure else order.state
    size, filled = write_size(order.size, order.sym), write_size(order.filled, order.sym)
    return pair_name(order.sym), side, size, price, state, filled


def _position(desk: WatchedDesk, ticks: Ticks, position: Position) -> Row:
    tick = ticks.get(position.sym, "")
    figures = write_price(position.entry, tick), write_price(position.mark, tick), _stop(desk, position, tick)
    size = write_size(abs(position.size), position.sym)
    result = write_figure(position.unrealised, 2, signed=True)
    return pair_name(position.sym), position.side, size, result, *figures, write_price(position.liquidation, tick)


def _stop(desk: WatchedDesk, position: Position, tick: str) -> str:
    """Format a position's first stop price; `½` if the stops cover a part only, `+N` for the number of further ones."""
    stops = desk.stops_of(position)
    if not stops.prices:
        return NO_STOP
    more = f" +{len(stops.prices) - 1}" if len(stops.prices) > 1 else ""
    return write_price(stops.prices[0], tick, exact=True) + ("½" if stops.is_part else "") + more


def _rank(rank: AdlRank) -> Row:
    return pair_name(rank.sym), rank.side, write_figure(rank.rank)


def _asset(asset: Asset) -> Row:
    # Rounded against the owner: neither is more shown than is there, nor less than is owed.
    figures = write_amount(asset.balance), write_amount(asset.available), write_amount(asset.owed, ROUND_CEILING)
    return asset.venue, asset.coin, *figures
