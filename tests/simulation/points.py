"""The points of an order's life at which a connection can go, and which commands have them."""

from __future__ import annotations

from typing import NamedTuple

CUTS = ("reset", "fin", "black_hole")
"""RST, FIN, and packets that vanish."""
COMMANDS = ("place", "replace", "cancel", "cancel_all")
ACTIONS = {"place_order": "place", "replace_order": "replace", "cancel_order": "cancel", "cancel_orders": "cancel_all"}

_ALL = COMMANDS


class Point(NamedTuple):
    """One row of the matrix."""

    what: str
    commands: tuple[str, ...]
    why_not: str
    """Why the other commands, or one of the cuts, have no such point; empty when all have it."""
    cuts: tuple[str, ...] = CUTS


POINTS: dict[str, Point] = {
    "F01": Point("the link is down before the key is pressed", _ALL, ""),
    "F02": Point(
        "after the journal, before the write",
        _ALL,
        "a black hole is not noticed before the write: that is F04",
        ("reset", "fin"),
    ),
    "F03": Point("in the middle of the frame", _ALL, ""),
    "F04": Point("after the write, before the venue reads", _ALL, ""),
    "F05": Point("after acceptance, before the reply", ("place",), "of changes: F09, F10, F12"),
    "F06": Point("after acceptance; filled while away", ("place",), "of changes: F09, F10, F12"),
    "F07": Point("after the reply, before the first push", ("place",), "a change is about an order that was pushed"),
    "F08": Point("between two fills", ("place",), "only a placement fills"),
    "F09": Point("after a replace took effect, before its reply", ("replace",), "of the others: F05, F10, F12"),
    "F10": Point("after a cancel took effect, before its reply", ("cancel",), "of the others: F05, F09, F12"),
    "F11": Point(
        "after a cancel was accepted, before the order ends", ("cancel", "cancel_all"), "only cancels end orders"
    ),
    "F12": Point("in the middle of a cancel-all", ("cancel_all",), "one order has no middle"),
    "F13": Point("between the close of a position and its fill", ("place",), "a close is a placement"),
    "F14": Point("after the login, before its reply; the command is tried meanwhile", _ALL, ""),
    "F15": Point("after the login, before the snapshot; the command is tried meanwhile", _ALL, ""),
    "F16": Point("again and again; the command is tried meanwhile", _ALL, ""),
    "F17": Point("after acceptance of an order with protection", ("place",), "only placements carry protection"),
}

CELLS: tuple[tuple[str, str, str], ...] = tuple(
    (name, cut, command) for name, point in POINTS.items() for cut in point.cuts for command in point.commands
)
"""Point, cut, command: all cells that exist."""


def not_applicable() -> dict[str, str]:
    """The other cells of the 204, with the reason."""
    every = [(name, cut, command) for name in POINTS for cut in CUTS for command in COMMANDS]
    return {"/".join(cell): POINTS[cell[0]].why_not for cell in every if cell not in CELLS}
