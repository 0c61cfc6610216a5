"""Snapshot of a desk for the page: texts by table, bounded in rows and length, the same for all viewers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

import msgspec

from tui.interface.symbols import pair_name, unit_of
from tui.interface.text import clean
from tui.programs.desk_reader import DeskReader
from tui.programs.records import AdlRank, Asset, Order, Position

MOST_ROWS = 100
"""Most rows of a table; how many there are is shown."""
MOST_TEXT = 120
"""Most characters of a cell."""
MISSING = "–"
UNPROVEN_S = 5.0
"""Age from which on a quote is marked as old, s."""
Cell = str
Row = tuple[Cell, ...]


class PageTable(msgspec.Struct, frozen=True):
    """Table of the page; columns whose name ends with `>` are figures, at the right."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    total: int
    """Number of rows that there are."""


class PageStatus(msgspec.Struct, frozen=True, kw_only=True):
    """State of the desk."""

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
    """Message to each viewer."""

    status: PageStatus
    tables: tuple[PageTable, ...]
    age_s: float
    """Time since the desk sent anything, s."""


def write_figure(value: Decimal | None, places: int | None = None, signed: bool = False) -> str:
    """Write a number with thousands separators."""
    if value is None:
        return MISSING
    text = f"{value:,f}" if places is None else f"{value:,.{places}f}"
    return f"+{text}" if signed and value > 0 else text


def write_size(value: Decimal | None, sym: str) -> str:
    """Write a size with its unit: contracts, or the base coin."""
    return MISSING if value is None else f"{write_figure(value)} {unit_of(sym)}".rstrip()


def _age(seconds: float | None) -> str:
    if seconds is None:
        return MISSING
    return f"{seconds:.1f} s" if seconds < UNPROVEN_S else f"{seconds:.0f} s old"


def _table(name: str, columns: tuple[str, ...], rows: Iterable[Sequence[str]]) -> PageTable:
    listed = [tuple(clean(cell, MOST_TEXT) for cell in row) for row in rows]
    return PageTable(name, columns, tuple(listed[:MOST_ROWS]), len(listed))


def choose_pairs(desk: DeskReader, wanted: Sequence[str], most: int) -> list[str]:
    """Choose the pairs whose quotes are shown: those held or worked, those that were asked for, then some large ones."""
    busy = [position.sym for position in desk.positions] + [order.sym for order in desk.orders if order.working]
    known = set(desk.symbols)
    large = [sym for base in ("BTC", "ETH", "SOL") for sym in desk.symbols if f"_PERP_{base}_" in sym]
    chosen = dict.fromkeys([*busy, *wanted, *([] if wanted else large)])
    return [sym for sym in chosen if sym in known][:most]


def take_snapshot(desk: DeskReader, pairs: Sequence[str], age_s: float) -> Snapshot:
    """Take a snapshot of a desk that is attached."""
    status, orders = desk.status, [order for order in desk.orders if order.working]
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
            _table("Positions", _POSITIONS, map(_position, desk.positions)),
            _table("Orders", _ORDERS, map(_order, orders)),
            _table("Quotes", _QUOTES, (_quote(desk, sym) for sym in pairs)),
            _table("ADL", _ADL, map(_rank, desk.adl_ranks)),
            _table("Assets", _ASSETS, map(_asset, desk.assets)),
        ),
        age_s=round(age_s, 1),
    )


def mark_gone(last: Snapshot | None, why: str, age_s: float) -> Snapshot:
    """Return the last snapshot of a desk that is gone, marked as such."""
    status = PageStatus(word="desk gone", reason=clean(why, MOST_TEXT), account=last.status.account if last else "")
    return Snapshot(status=status, tables=last.tables if last else (), age_s=round(age_s, 1))


_QUOTES = ("pair", "bid>", "ask>", "age>", "bid size>", "ask size>", "mark>")
_ORDERS = ("pair", "side", "size>", "price>", "state", "filled>")
_POSITIONS = ("pair", "side", "size>", "result USDT>", "entry>", "mark>", "liquidation>")
_ADL = ("pair", "side", "rank>")
_ASSETS = ("venue", "coin", "balance>", "available>", "debt>")


def _quote(desk: DeskReader, sym: str) -> Row:
    quote, name = desk.quote(sym), pair_name(sym)
    if quote is None:
        return name, MISSING, MISSING, MISSING, MISSING, MISSING, MISSING
    prices = write_figure(quote.bid), write_figure(quote.ask), _age(desk.quote_age(sym))
    sizes = write_size(quote.bid_size, sym), write_size(quote.ask_size, sym)
    return name, *prices, *sizes, write_figure(quote.mark)


def _order(order: Order) -> Row:
    side = order.side if order.position_side in ("", "NONE") else f"{order.side} {order.position_side}"
    price = "market" if order.type == "MARKET" else write_figure(order.price)
    state = "UNKNOWN" if order.unsure else order.state
    size, filled = write_size(order.size, order.sym), write_size(order.filled, order.sym)
    return pair_name(order.sym), side, size, price, state, filled


def _position(position: Position) -> Row:
    figures = write_figure(position.entry), write_figure(position.mark)
    size = write_size(abs(position.size), position.sym)
    result = write_figure(position.unrealised, 2, signed=True)
    return pair_name(position.sym), position.side, size, result, *figures, write_figure(position.liquidation)


def _rank(rank: AdlRank) -> Row:
    return pair_name(rank.sym), rank.side, write_figure(rank.rank)


def _asset(asset: Asset) -> Row:
    figures = write_figure(asset.balance), write_figure(asset.available), write_figure(asset.debt)
    return asset.venue, asset.coin, *figures
