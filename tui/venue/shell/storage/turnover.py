"""Turnover per day and pair, stored with the archived fills, so that yearly statistics need not read every fill.

Amounts are exact, as text.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import NamedTuple

import msgspec

from tui.interface.decimals import ZERO
from tui.interface.families.history import TradeRecord
from tui.interface.symbols import parse_symbol
from tui.venue.shell.rest.pages import DAY_MS

TABLE = """
CREATE TABLE turnover (
    portfolio TEXT, day INTEGER, sym TEXT, traded TEXT, fee TEXT, rpnl TEXT, PRIMARY KEY (portfolio, day, sym)
) WITHOUT ROWID
"""
_FILLS = msgspec.json.Decoder(TradeRecord)


class Turnover(NamedTuple):
    """Sums over the fills of a pair, in quote: traded value, fees and realised P&L."""

    traded: Decimal = ZERO
    """Quantity times price: quote units, for a contract size of one coin."""
    fee: Decimal = ZERO
    """Quote units, also when it was paid in the base coin."""
    rpnl: Decimal = ZERO

    def plus(self, other: Turnover) -> Turnover:
        return Turnover(self.traded + other.traded, self.fee + other.fee, self.rpnl + other.rpnl)


def turnover_of(fill: TradeRecord) -> Turnover:
    """Compute traded value, fee and realised P&L of one fill, in quote; a fee in the base coin is converted."""
    price, fee = Decimal(fill.price), Decimal(fill.fee)
    in_base = fill.fee_coin != "" and fill.fee_coin == parse_symbol(fill.sym).base
    return Turnover(Decimal(fill.quantity) * price, fee * price if in_base else fee, Decimal(fill.rpnl))


def fill_from_rows(database: sqlite3.Connection) -> None:
    """Compute the daily sums of an archive written by a version without sums."""
    add(database, (bytes(value) for (value,) in database.execute("SELECT value FROM past WHERE tbl='fill'")))


def add(database: sqlite3.Connection, fills: Iterable[bytes]) -> None:
    """Add fills that are new in the archive to the daily sums; fills are encoded as stored there."""
    sums: dict[tuple[str, int, str], Turnover] = {}
    for value in fills:
        fill = _FILLS.decode(value)
        key = (fill.portfolio_id, int(fill.create_at) // DAY_MS, fill.sym)
        sums[key] = sums.get(key, Turnover()).plus(turnover_of(fill))
    for key, more in sums.items():
        stored = database.execute(
            "SELECT traded, fee, rpnl FROM turnover WHERE portfolio=? AND day=? AND sym=?", key
        ).fetchone()
        total = more if stored is None else more.plus(Turnover(*map(Decimal, stored)))
        database.execute("INSERT OR REPLACE INTO turnover VALUES (?,?,?,?,?,?)", (*key, *map(str, total)))


def turnover_of_days(
    database: sqlite3.Connection, portfolio: str, first: int, last: int
) -> Iterator[tuple[str, Turnover]]:
    """Iterate over a portfolio's turnover per pair and day; days are counted from 1970, both ends inclusive."""
    rows = database.execute(
        "SELECT sym, traded, fee, rpnl FROM turnover WHERE portfolio=? AND day BETWEEN ? AND ?",
        (portfolio, first, last),
    )
    for sym, traded, fee, rpnl in rows:
        yield sym, Turnover(Decimal(traded), Decimal(fee), Decimal(rpnl))
