"""P&L of a UTC day's fills, for the loss limit and the P&L pane, and the identification of duplicate fills.

A service gives a transaction id once. A service that was reset, or restored to an older state, gives ids again: an id
that comes with other content is another fill.
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
    """Sums of fills, in quote units."""

    gross: Decimal = ZERO
    fee: Decimal = ZERO
    rebate: Decimal = ZERO
    fills: int = 0
    incomplete: int = 0
    """Number of figures that could not be parsed or valued; no sum includes them."""

    @property
    def net(self) -> Decimal:
        """Realised P&L minus fees plus rebates."""
        return pnl.net_result(self.gross, fee=self.fee, rebate=self.rebate)

    def plus(self, fill: pnl.FillResult) -> FillSums:
        """Return the sums with one more fill."""
        return FillSums(
            self.gross + fill.gross,
            self.fee + fill.fee,
            self.rebate + fill.rebate,
            self.fills + 1,
            self.incomplete + fill.incomplete,
        )


class DayResult(msgspec.Struct):
    """Fills of a UTC day, each counted once, with sums by pair. The day begins by a clock, not by the time of a fill."""

    day: int = 0
    """Days since 1970."""
    total: FillSums = FillSums()
    by_sym: dict[str, FillSums] = {}
    counted: dict[str, None] = {}
    """Names of the fills of the day (`fill_name`)."""
    repeats: int = 0
    """Fills of the day whose transaction id another fill had before."""
    later: dict[str, TradeRecord] = {}
    """Fills by name that are dated after the day; they count when they arrive, and in the day of their date as well."""

    @property
    def net(self) -> Decimal:
        """P&L of all pairs after costs, quote units."""
        return self.total.net

    def begin(self, day: int) -> bool:
        """Start a later day and count the stored fills that are dated up to it; return False if `day` is not later."""
        if day <= self.day:
            return False
        self.day, self.total, self.by_sym, self.counted, self.repeats = day, FillSums(), {}, {}, 0
        later, self.later = self.later, {}
        for name, record in later.items():
            if parse_created_ms(record) // DAY_MS > day:
                self.later[name] = record
            else:
                self.add(record, name)
        return True

    def add(self, record: TradeRecord, name: str = "") -> FillSums | None:
        """Count a fill and return the sums of its pair; None for a duplicate, or for a fill of an earlier day.

        One that is dated after the day counts in it: it begins no day. A result without a day takes that of its first fill.

        Args:
            record: The fill.
            name: Name of the fill (`fill_name`); its transaction id when empty.
        """
        name = name or record.transaction_id
        day = parse_created_ms(record) // DAY_MS
        self.day = self.day or day
        if day < self.day or name in self.counted or name in self.later:
            return None
        if day > self.day:
            self.later[name] = record
        self.counted[name] = None
        self.repeats += is_repeated_id(name)
        result = pnl.fill_result(record)
        self.total = self.total.plus(result)
        sums = self.by_sym[record.sym] = self.by_sym.get(record.sym, FillSums()).plus(result)
        return sums


def parse_created_ms(record: TradeRecord) -> int:
    """Parse the server time of a fill, ms; 0 when it has none."""
    text = record.create_at
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


# -- identity of a fill --------------------------------------------------------------------------------------------------

SAME_FILL_MS = 60_000
"""Largest distance in createAt between two reports of one fill, ms."""
REPEAT_MARK = "/"
"""Separator between transaction id and content in the name of a fill whose id was given before."""


def fill_content(record: TradeRecord) -> str:
    """Hash the identifying fields of a fill to 12 characters; equal for the push and the list row of the same fill."""
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
    """Return the unique name of a fill: its transaction id, plus its hash when another fill has the same id.

    Args:
        record: The fill.
        times: createAt of the known fills by name, ms; 0 when not known.
        contents: Content of the known fills by name; fills of an older journal have none.
    """
    name = record.transaction_id
    if name not in times:
        return name
    known, kept, at = contents.get(name, ""), times[name], millis(record.create_at)
    is_late = bool(kept and at) and abs(at - kept) > SAME_FILL_MS
    content = fill_content(record)
    if is_late or (known and known != content):
        return f"{name}{REPEAT_MARK}{content}"
    return name


def is_repeated_id(name: str) -> bool:
    """Report whether this fill name has a hash, because an earlier fill has the same transaction id."""
    return REPEAT_MARK in name
