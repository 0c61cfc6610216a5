"""Cells of the P&L pane: realised results by pair, venue or day."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import msgspec

from tui.interface.symbols import try_parse
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import short_name, venue_of
from tui.workstation.table.columns import Cell, Field, SortKey

if TYPE_CHECKING:
    from tui.workstation.model.realised_pnl import Booking

TOTAL = "total"
NO_GROSS = "no gross"
"""Gross result of a pair whose fills change coins, not a position: only its costs are known."""


class PnlLine(msgspec.Struct, frozen=True):
    """Group (pair, venue or day) with its totals."""

    name: str
    booking: Booking
    known: bool
    """Whether statements were read, without which funding and interest are unknown."""
    partial: bool = False
    """Whether some fills of today are not read yet."""


def name(line: PnlLine) -> Cell:
    return (line.name, "strong") if line.name == TOTAL else (f"{short_name(line.name)}{kind(line)}", "text")


def name_short(line: PnlLine) -> str:
    """Return the name with the venue cut to three letters."""
    venue = venue_of(line.name)
    return name(line)[0].replace(venue, venue[:3], 1) if venue else line.name


def kind(line: PnlLine) -> str:
    """Return the kind of a spot or margin pair, which distinguishes it from the perpetual; empty for others."""
    parts = try_parse(line.name)
    return "" if parts is None or parts.is_perp else f" {parts.business_type.lower()}"


def _is_unrealised(line: PnlLine, name: str) -> bool:
    """Return whether a figure is the gross result of a spot or margin pair, which the service does not report."""
    return name == "gross" and not line.booking.gross and bool(kind(line))


def figure(name: str, sign: int, least: int, hide: int, *, in_fills: bool = True, width: int = 11) -> Field[PnlLine]:
    """Build the column of one total, coloured as gain or loss; without `in_fills` it is known only from statements."""

    def value(line: PnlLine, view: DisplayContext) -> Decimal | None:
        del view
        amount: Decimal = getattr(line.booking, name)
        return amount * sign if (in_fills or line.known) and not _is_unrealised(line, name) else None

    def cell(line: PnlLine, view: DisplayContext) -> Cell:
        amount = value(line, view)
        if _is_unrealised(line, name):
            return NO_GROSS, "faint"
        if amount is None:
            return number_format.MISSING, "faint"
        return (view.format_signed(amount), number_format.change_role(amount)) if amount else ("0.00", "faint")

    def sort(line: PnlLine, view: DisplayContext) -> SortKey:
        return value(line, view)

    return Field(width, cell, sort, least=least, hide=hide)


def net(line: PnlLine, view: DisplayContext) -> Cell:
    """Return the net result; `~` before it: incomplete."""
    net = line.booking.net
    sure = line.known and not line.booking.incomplete and not line.partial
    return ("" if sure else "~") + (view.format_signed(net) if net else "0.00"), number_format.change_role(net)


def by_net(line: PnlLine) -> SortKey:
    return line.booking.net


def fills(line: PnlLine) -> Cell:
    return str(line.booking.fills), "dim"


def by_fills(line: PnlLine) -> SortKey:
    return Decimal(line.booking.fills)


def missing(line: PnlLine) -> Cell:
    count = line.booking.incomplete
    return (f" {count} unvalued" if count else ""), "warn"
