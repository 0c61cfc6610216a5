"""Places of the input fields inside the ticket panel, frame included; widths from which more is shown."""

from __future__ import annotations

from textual.geometry import Region, Size

from tui.workstation.tickets.fields import FORM_LINES, Mode

FIELD_X = 10
"""Column of the text fields."""
FIELD_WIDTH = 16
SHORT_X = 7
SHORT_FIELD = 8
"""Column and width of the size field where the whole ticket is one line."""

STOP_X = 30
"""Column of the stop-loss field, beside the take-profit."""
PROTECTION_WIDTH = 13
REST_X = 42
"""Column of the field for the remaining quantity of an order."""

NARROW = 50
WIDE = 76
ROOMY = 140
"""Least width at which a staged ticket shows price helper and time in force beside the size."""


def place_fields(mode: Mode, size: Size, lines: int) -> dict[str, Region]:
    """Return the regions of the input fields, by field name.

    Args:
        mode: Display mode of the panel.
        size: Size of the panel.
        lines: Lines between its edges.
    """
    width, field = size.width, measure_field(size.width, lines)
    if lines == 1:
        return {"size": Region(SHORT_X, 1, field, 1)}
    if mode is Mode.STAGED:
        return {"size": Region(FIELD_X, 1, field, 1)}
    if lines < FORM_LINES:
        return {"size": Region(FIELD_X, 1, field, 1), "price": Region(FIELD_X, 2, field, 1)}
    regions = {"size": Region(FIELD_X, 2, field, 1), "price": Region(FIELD_X, 3, field, 1)}
    if mode is Mode.REPLACE and width >= WIDE:
        regions["rest"] = Region(REST_X, 2, SHORT_FIELD + 4, 1)
    if mode is Mode.FORM:
        regions["tp"] = Region(FIELD_X, 4, PROTECTION_WIDTH, 1)
        if width >= NARROW:
            regions["sl"] = Region(STOP_X, 4, PROTECTION_WIDTH, 1)
        regions["intent"] = Region(FIELD_X, 1, min(16, width - FIELD_X - 1), 1)
        if width >= 60:
            regions["type"] = Region(FIELD_X + 21, 1, 11, 1)
            regions["tif"] = Region(FIELD_X + 36, 1, 13, 1)
        elif width >= 46:
            regions["type"] = Region(FIELD_X + 21, 1, 11, 1)
    return regions


def measure_field(width: int, lines: int) -> int:
    """Return the width of the size and price fields in a panel of this width and number of lines."""
    widest = FIELD_WIDTH if lines > 1 else SHORT_FIELD
    return max(4, min(widest, width - FIELD_X - 10))
