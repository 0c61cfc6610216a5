"""What a position record says about its leg: side, size, delta and mark."""

from __future__ import annotations

from decimal import Decimal

from tui.interface.families.positions import PositionRecord
from tui.workstation import numbers
from tui.workstation.panes.pane import View, base_units


def leg_of(record: PositionRecord) -> str:
    """LONG or SHORT; in one-way mode the sign says which. A word nobody knows is given as it is, and means neither."""
    if record.position_side not in ("NONE", "NET", ""):
        return record.position_side
    return "SHORT" if record.position_qty.startswith("-") else "LONG"


def size_of(record: PositionRecord) -> Decimal | None:
    """Size without sign."""
    size = numbers.value(record.position_qty)
    return None if size is None else abs(size)


def base_delta(record: PositionRecord, view: View) -> Decimal | None:
    """Signed size in base units."""
    size = size_of(record)
    base = None if size is None else base_units(record.sym, size, view.info(record.sym))
    leg = leg_of(record)
    if base is None or leg not in ("LONG", "SHORT"):
        return None
    return base if leg == "LONG" else -base


def mark_of(record: PositionRecord, view: View) -> str:
    """Newest mark: of the stream, else of the record."""
    quote = view.mirror.quotes.get(record.sym)
    return quote.mark if quote is not None and quote.mark else record.mark_price
