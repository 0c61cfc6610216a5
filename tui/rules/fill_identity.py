"""Which fill a record is: a transaction id that comes again with other content is another fill.

A service gives an id once. One that was begun anew, or put back to an older state, counts from there and gives ids again.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b

from tui.interface import decimals
from tui.interface.families.history import TradeRecord
from tui.interface.times import millis

SAME_FILL_MS = 60_000
"""How far two reports of one fill may be apart in createAt, ms."""
AGAIN = "/"
"""Stands between transaction id and content in the name of a fill whose id was given before."""


def fill_content(record: TradeRecord) -> str:
    """What makes a fill this one, in twelve characters; the same for the push and for a line of a list."""
    quantity, price = decimals.optional(record.quantity), decimals.optional(record.price)
    parts = (
        record.order_id,
        record.sym,
        record.side,
        record.quantity if quantity is None else decimals.plain(quantity.normalize()),
        record.price if price is None else decimals.plain(price.normalize()),
    )
    return blake2b("\0".join(parts).encode(errors="replace"), digest_size=6).hexdigest()


def fill_name(record: TradeRecord, times: Mapping[str, int], contents: Mapping[str, str]) -> str:
    """The name under which a fill is known: its transaction id, with its content where the id was given before.

    Args:
        record: The fill.
        times: createAt of the known fills by name, ms; 0: not known.
        contents: Content of the known fills by name; what an older journal kept has none.
    """
    name = record.transaction_id
    if name not in times:
        return name
    known, kept, at = contents.get(name, ""), times[name], millis(record.create_at)
    is_late = bool(kept and at) and abs(at - kept) > SAME_FILL_MS
    content = fill_content(record)
    if is_late or (known and known != content):
        return f"{name}{AGAIN}{content}"
    return name


def is_repeated_id(name: str) -> bool:
    """Whether a name is of a fill whose transaction id was given to another one before."""
    return AGAIN in name
