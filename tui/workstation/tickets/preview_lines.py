"""The lines of a preview: which figure stands where, and which is left out where there is little room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tui.workstation.model.display_context import DisplayContext
from tui.workstation.render.palette import Piece
from tui.workstation.render.strips import pieces_width
from tui.workstation.tickets.fields import DOT
from tui.workstation.tickets.preview import Figures, price_pieces, quote_pieces, warnings

FEW_CELLS = 58
"""Lines shorter than this do not hold all of a preview."""
LINES_FOR_PRICE = 4
"""Least number of lines with which the price may take a line of its own."""


def lines(
    figures: Figures,
    view: DisplayContext,
    count: int,
    with_price: bool = True,
    words: bool = True,
    cells: int = 1000,
    last_cells: int = 1000,
    cost_first: bool = False,
) -> list[list[Piece]]:
    """The preview in at most `count` lines; the price, or its helper and time in force, can stand elsewhere.

    Args:
        figures: Of the ticket that is previewed.
        view: Rows and settings.
        count: Lines at most.
        with_price: Whether the price is said here.
        words: Whether helper and time in force are said here.
        cells: Cells of a line.
        last_cells: Cells of the last line, which has keys at its end.
        cost_first: Whether fee and break-even take their room before what comes of the order.
    """
    ticket, quote = figures.ticket, figures.quote
    price: list[Piece] = []
    if with_price:
        price = figures.price if words else price_pieces(ticket, quote, view, words, words)
    groups = _groups(figures, view)
    rows = _rows(groups, price, count)
    rooms = [cells] * (count - 1) + [last_cells]
    if any(pieces_width(row) + 2 > room for row, room in zip(rows, rooms, strict=False)):
        if with_price:
            price = price_pieces(ticket, quote, view, words, words, False)
        if cells < FEW_CELLS:
            groups = _without_field(groups, figures)
        rows = _packed([group for group in groups.in_order(price, cost_first or cells < FEW_CELLS) if group], rooms)
    return [[(" ", "text"), *row] for row in rows[:count]]


def fill_lines(
    first: list[Piece], figures: Figures, view: DisplayContext, rooms: list[int], cost_first: bool = False
) -> list[list[Piece]]:
    """A line that has begun, and the lines below it, with all of the preview that they have room for.

    Args:
        first: What stands in the first line.
        figures: Of the ticket that is previewed; its price stands there too.
        view: Rows and settings.
        rooms: Cells of each line.
        cost_first: Whether fee and break-even take their room before what comes of the order.
    """
    ticket, quote = figures.ticket, figures.quote
    price: list[Piece] = []
    for words, distance in ((True, True), (True, False), (False, False)):
        price = price_pieces(ticket, quote, view, words, True, False, distance)
        if pieces_width(first) + pieces_width(price) < rooms[0]:
            break
    fits = pieces_width(first) + pieces_width(price) < rooms[0]
    room = rooms[1] if len(rooms) >= LINES_FOR_PRICE else rooms[-1]
    if not fits and pieces_width(price) + 2 > room:
        price = price_pieces(ticket, quote, view, False, False, False, False)
    said = _without_field(_groups(figures, view), figures)
    groups = [group for group in said.in_order([] if fits else price, cost_first or rooms[0] < FEW_CELLS) if group]
    # The price goes on behind a dot; without it the next figure brings its own.
    begun = [*first, *price] if fits else first[:-1] if first[-1] is DOT else first
    rows = _packed(groups, rooms, begun)
    return [rows[0], *([(" ", "text"), *row] for row in rows[1:])]


class _Groups(NamedTuple):
    """What a preview says, by subject."""

    alarm: list[Piece]
    size: list[Piece]
    effect: list[Piece]
    left: list[Piece]
    risk: list[Piece]
    cost: list[Piece]
    limits: list[Piece]
    age: list[Piece]
    free: list[Piece]

    def in_order(self, price: list[Piece], cost_first: bool) -> list[list[Piece]]:
        """All of it, the most important first."""
        risk, cost = _parted(self.risk), _parted(self.cost)
        effect = [self.effect, self.left, *risk[:1]]
        figures = [*cost, *effect] if cost_first else [*effect, *cost]
        return [self.alarm, self.size, price, *figures, *risk[1:], self.limits, self.age, self.free]


def _groups(figures: Figures, view: DisplayContext) -> _Groups:
    """The figures, with what time alone changes: ages and alarms."""
    age = quote_pieces(figures.quote, view)
    if figures.needs and figures.size[-1][0] != "size –":
        age += [DOT, (f"needs {figures.needs}", "faint")]
    alarm = warnings(figures.ticket, view)
    if not view.mirror.proven("public"):
        alarm, age = _join(age[:1], alarm), age[2:]
    return _Groups(
        alarm,
        figures.size,
        figures.effect,
        figures.left,
        figures.risk,
        figures.cost,
        figures.limits,
        age,
        figures.free,
    )


def _without_field(groups: _Groups, figures: Figures) -> _Groups:
    """Without the size where its field says that much already."""
    ticket, size = figures.ticket, groups.size
    if ticket.field_texts(figures.quote)["size"] != size[0][0].removesuffix(f" {ticket.unit}"):
        return groups
    return groups._replace(size=[(text.removeprefix(" "), role) for text, role in size[1:]])


def _rows(groups: _Groups, price: list[Piece], count: int) -> list[list[Piece]]:
    """The groups in their usual lines; fewer lines leave out what matters less."""
    alarm, size, effect, left, risk, cost, limits, age, free = groups
    if count >= 4:
        return [_join(size, price), _join(effect, left, risk), _join(cost, free), _join(alarm, limits, age)]
    if count == 3:
        return [_join(size, price), _join(effect, left, risk), _join(alarm, cost, limits, age, free)]
    if count == 2:
        return [_join(size, price), _join(alarm, effect, left, risk, cost, age, free)]
    return [_join(alarm, size, price, effect, left, risk, cost, age, free)]


def _packed(groups: list[list[Piece]], rooms: list[int], first: Sequence[Piece] = ()) -> list[list[Piece]]:
    """Groups in the order of their weight, each in the first line that has room for it.

    A figure is left out before it is cut, but for one that no line of its own would hold.

    Args:
        groups: The most important first.
        rooms: Cells of each line.
        first: What the first line holds already.
    """
    rows: list[list[Piece]] = [list(first), *([] for _ in rooms[1:])]
    for group in groups:
        for at, room in enumerate(rooms):
            longer = _join(rows[at], group)
            if not rows[at] or pieces_width(longer) + 2 <= room:
                rows[at] = longer
                break
    return rows


def _parted(group: list[Piece]) -> list[list[Piece]]:
    """The figures of a group, each on its own."""
    parts: list[list[Piece]] = [[]]
    for piece in group:
        if piece is DOT:
            parts.append([])
        else:
            parts[-1].append(piece)
    return parts


def _join(*groups: list[Piece]) -> list[Piece]:
    out: list[Piece] = []
    for group in groups:
        if group:
            out += [DOT, *group] if out else group
    return out
