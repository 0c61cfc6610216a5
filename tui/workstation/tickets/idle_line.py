"""Line that a panel without a ticket shows: what programs ask for and hold, else the rules of the pair."""

from __future__ import annotations

from tui.engine.status_rows import MandateRow
from tui.workstation.command_line.program_requests import first_request, write_order
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.render.palette import Piece
from tui.workstation.tickets.pair_rules import pair_rules


def idle_pieces(view: DisplayContext, sym: str, width: int) -> list[Piece]:
    """Build what a panel without a ticket shows."""
    if programs := _program_pieces(view):
        return programs
    info = view.info(sym)
    if not sym:
        return [(" pick a quote: ", "dim"), ("b", "key"), (" buys, ", "dim"), ("s", "key"), (" sells", "dim")]
    return [(f" {sym}: tick, lot and limits not received yet", "dim")] if info is None else pair_rules(info, width)


def _program_pieces(view: DisplayContext) -> list[Piece]:
    """Build the request that waits for the longest time, or the mandate that ends first; empty without any."""
    if (row := first_request(view.mirror)) is not None:
        left, granting = number_format.countdown(row.expires - view.now), isinstance(row, MandateRow)
        yes = f":{'grant' if granting else 'accept'} {row.key}"
        what = "a mandate" if isinstance(row, MandateRow) else write_order(row)
        return [
            (f" {row.peer} asks", "warn"), (f" {left} ", "dim"), (yes, "key"), (f" {what} · ", "text"),
            (f":decline {row.key}", "key"), (f" · {row.reason}", "dim"),
        ]  # fmt: skip
    held = [row for row in view.mirror.mandates.values() if row.granted]
    if not held:
        return []
    mandate = min(held, key=lambda row: row.expires)
    more = f" +{len(held) - 1}" if len(held) > 1 else ""
    left = number_format.countdown(mandate.expires - view.now)
    use = f" {mandate.used} of {mandate.total_value} used, result {mandate.result}, {left} left · "
    return [
        (f" mandate {mandate.key}{more} {mandate.peer}", "warn"), (use, "text"),
        ("Ctrl+R", "key"), (" ends all · ", "dim"), ("F7", "key"), (" programs", "dim"),
    ]  # fmt: skip
