"""Venues of one pair on the prices of the ladder: which they are, and their columns."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING

from tui.interface.symbols import try_parse
from tui.workstation.features.ladder import cells
from tui.workstation.model.instruments import base_units, venue_of
from tui.workstation.model.mirror import Mirror
from tui.workstation.table.columns import Field, Fields, of_row

if TYPE_CHECKING:
    from tui.workstation.features.ladder.book import LadderRow

SIGN_WIDTH = 2
SIZE_LEAST = 7
VENUE_LEAST = SIGN_WIDTH + 2 * SIZE_LEAST
"""Least width of the columns of one venue."""


def find_venues(sym: str, mirror: Mirror) -> tuple[str, ...]:
    """List the symbols of the same pair and kind at all venues, sorted by venue, if tick and contract size are known."""
    pair = try_parse(sym)
    if pair is None:
        return ()
    wanted = (pair.base, pair.quote, pair.business_type)
    known = (parts for parts in map(try_parse, mirror.symbols) if parts is not None)
    same = [parts for parts in known if (parts.base, parts.quote, parts.business_type) == wanted]
    return tuple(parts.sym for parts in sorted(same, key=lambda parts: parts.exchange) if _is_known(parts.sym, mirror))


def _is_known(sym: str, mirror: Mirror) -> bool:
    return mirror.tick_of(sym) is not None and base_units(sym, Decimal(1), mirror.symbols.get(sym)) is not None


# Columns


def bids_column(sym: str) -> str:
    """Return the column id of a venue's bids: the venue's name, a blank and `bids`."""
    return f"{venue_of(sym)} bids"


def asks_column(sym: str) -> str:
    """Return the column id of a venue's asks."""
    return f"{venue_of(sym)} asks"


def sign_column(sym: str) -> str:
    """Return the column id of the sign before a venue's bids."""
    return f"{venue_of(sym)} sign"


def venue_fields(syms: Sequence[str], first: int, count: int, base: Fields[LadderRow]) -> Fields[LadderRow]:
    """Build the columns of `count` venues from number `first` on, then level and result at the cursor's venue."""
    fields: dict[str, Field[LadderRow]] = {"price": base["price"]}
    for n, sym in enumerate(syms[first : first + count], first):
        fields[sign_column(sym)] = Field(
            SIGN_WIDTH, of_row(partial(cells.venue_sign, n)), left=True, title=" ", prose=True
        )
        fields[bids_column(sym)] = Field(
            14, partial(cells.venue_bid, n), of_row(partial(_bid, n)), least=SIZE_LEAST,
            short=of_row(partial(cells.short_venue_bid, n)),
        )  # fmt: skip
        fields[asks_column(sym)] = Field(
            14, partial(cells.venue_ask, n), of_row(partial(_ask, n)), least=SIZE_LEAST,
            short=of_row(partial(cells.short_venue_ask, n)),
        )  # fmt: skip
    return {**fields, "marks": base["marks"], "result": base["result"]}


def _bid(n: int, row: LadderRow) -> Decimal | None:
    return row.venues[n].bid if n < len(row.venues) else None


def _ask(n: int, row: LadderRow) -> Decimal | None:
    return row.venues[n].ask if n < len(row.venues) else None
