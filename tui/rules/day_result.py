"""Result of the fills of one UTC day, one running total for the loss limit and the P&L pane; and which fill a record is.

A service gives a transaction id once. One that was begun anew, or put back to an older state, counts from there and gives
ids again: an id that comes with other content is another fill.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from hashlib import blake2b

import msgspec

from tui.interface import decimals
from tui.interface.decimals import ZERO
from tui.interface.families.history import TradeRecord
from tui.interface.times import millis
from tui.rules import pnl

DAY_MS = 86_400_000


class FillSums(msgspec.Struct, frozen=True):
    """Sums over fills, in quote."""

    gross: Decimal = ZERO
    fee: Decimal = ZERO
    rebate: Decimal = ZERO
    fills: int = 0
    incomplete: int = 0
    """Figures that could not be parsed or valued; they are in no sum."""

    @property
    def net(self) -> Decimal:
        """Realised less fees plus rebates."""
        return pnl.net_result(self.gross, fee=self.fee, rebate=self.rebate)

    def plus(self, one: pnl.FillResult) -> FillSums:
        """The sums with one more fill."""
        return FillSums(
            self.gross + one.gross,
            self.fee + one.fee,
            self.rebate + one.rebate,
            self.fills + 1,
            self.incomplete + one.incomplete,
        )


class DayResult(msgspec.Struct):
    """The fills of the newest UTC day with a fill, each counted once, by pair."""

    day: int = 0
    """Days since 1970."""
    total: FillSums = FillSums()
    by_sym: dict[str, FillSums] = {}
    counted: dict[str, None] = {}
    """Names of the fills of the day (`fill_name`)."""
    repeats: int = 0
    """Fills of the day whose transaction id had been given to another fill."""

    @property
    def net(self) -> Decimal:
        """Result of all pairs."""
        return self.total.net

    def begin(self, day: int) -> bool:
        """Start a later day with empty sums; False when it is not later."""
        if day <= self.day:
            return False
        self.day, self.total, self.by_sym, self.counted, self.repeats = day, FillSums(), {}, {}, 0
        return True

    def add(self, record: TradeRecord, name: str = "") -> FillSums | None:
        """Count a fill; returns the sums of its pair, or None when it was counted before or is of an earlier day.

        Args:
            record: The fill.
            name: What it is known by; empty: its transaction id.
        """
        name = name or record.transaction_id
        day = created_ms(record) // DAY_MS
        self.begin(day)
        if day < self.day or name in self.counted:
            return None
        self.counted[name] = None
        self.repeats += is_repeated_id(name)
        one = pnl.fill_result(record)
        self.total = self.total.plus(one)
        sums = self.by_sym[record.sym] = self.by_sym.get(record.sym, FillSums()).plus(one)
        return sums


def created_ms(record: TradeRecord) -> int:
    """Server time of a fill, ms; 0 when it has none."""
    text = record.create_at
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


# -- which fill a record is ---------------------------------------------------------------------------------------------

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
