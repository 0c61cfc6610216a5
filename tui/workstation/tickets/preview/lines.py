"""Layout of a preview: in which line each text is shown, and what is left out if space is short."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tui.workstation.model.display_context import DisplayContext
from tui.workstation.render.pieces import DOT, Piece, pieces_width
from tui.workstation.tickets.preview.account import DEPTH_UNKNOWN
from tui.workstation.tickets.preview.figures import Figures
from tui.workstation.tickets.preview.position import fit_left
from tui.workstation.tickets.preview.price import build_short_price, price_pieces, quote_pieces

FEW_CELLS = 58
"""Width below which lines do not hold all of a preview, cells."""
LINES_FOR_PRICE = 4
"""Least number of lines with which the price may have its own line."""


def build_lines(
    figures: Figures,
    view: DisplayContext,
    count: int,
    *,
    with_price: bool = True,
    with_helper: bool = True,
    cells: int = 1000,
    last_cells: int = 1000,
    cost_first: bool = False,
) -> list[list[Piece]]:
    """Build the preview in at most `count` lines; price, price helper and time in force may be shown elsewhere.

    Args:
        figures: Figures of the previewed ticket.
        view: Rows and settings.
        count: Most lines.
        with_price: Whether the price is shown here.
        with_helper: Whether helper and time in force are shown here.
        cells: Width of a line.
        last_cells: Width of the last line, which ends with keys.
        cost_first: Whether fee and break-even come before position and risk.
    """
    ticket, quote, live = figures[:3]
    price: list[Piece] = []
    if with_price:
        price = figures.price if with_helper else price_pieces(ticket, quote, live, view, helper=False, tif=False)
    groups = _groups(figures, view)
    rows = _rows(groups, price, count)
    rooms = [cells] * (count - 1) + [last_cells]
    if any(pieces_width(row) + 2 > room for row, room in zip(rows, rooms, strict=False)):
        if with_price:
            price = price_pieces(ticket, quote, live, view, helper=with_helper, tif=with_helper, points=False)
        if cells < FEW_CELLS:
            groups = _drop_repeated_size(groups, figures)
        cost_first = cost_first or cells < FEW_CELLS
        rows = _pack_whole(groups, figures, view, lambda some: some.in_order(price, cost_first=cost_first), rooms)
    return [[(" ", "text"), *row] for row in rows[:count]]


def fill_lines(
    first: list[Piece], figures: Figures, view: DisplayContext, rooms: list[int], *, cost_first: bool
) -> list[list[Piece]]:
    """Fill the rest of a first line, and the lines below it, with as much of the preview as fits.

    Args:
        first: Beginning of the first line.
        figures: Figures of the previewed ticket, price included.
        view: Rows and settings.
        rooms: Width of each line.
        cost_first: Whether fee and break-even come before position and risk.
    """
    first, price, fits = _put_price(first, figures, view, rooms)
    by_subject = _drop_repeated_size(_groups(figures, view), figures)
    cost_first = cost_first or rooms[0] < FEW_CELLS

    def in_order(groups: _Groups) -> list[list[Piece]]:
        return groups.in_order(price, cost_first=cost_first)

    rows = _pack_whole(by_subject, figures, view, in_order, rooms, first, bare=not fits)
    start = rows[0][:-1] if rows[0][-1] is DOT else rows[0]
    return [start, *([(" ", "text"), *row] for row in rows[1:])]


def _put_price(
    first: list[Piece], figures: Figures, view: DisplayContext, rooms: list[int]
) -> tuple[list[Piece], list[Piece], bool]:
    """Put the price into the first line, if need be in its shortest form.

    Returns:
        The first line, what is left to say of the price below it, and whether the price stands in it.
    """
    ticket, quote, live = figures[:3]
    price: list[Piece] = []
    for with_helper, with_distance in ((True, True), (True, False), (False, False)):
        price = price_pieces(ticket, quote, live, view, helper=with_helper, points=False, distance=with_distance)
        if pieces_width(first) + pieces_width(price) < rooms[0]:
            return [*first, *price], [], True
    short = build_short_price(ticket, quote, live, view)
    room = rooms[1] if len(rooms) >= LINES_FOR_PRICE else rooms[-1]
    if pieces_width(price) + 2 > room:
        price = price_pieces(ticket, quote, live, view, helper=False, tif=False, distance=False)
    if pieces_width(first) + pieces_width(short) < rooms[0]:
        return [*first, *_strip_start(short)], _strip_start(price[1:]), True
    return first, price, False


def _strip_start(pieces: list[Piece]) -> list[Piece]:
    """Return the pieces without leading spaces."""
    return [(text.lstrip() if not at else text, role) for at, (text, role) in enumerate(pieces)]


class _Groups(NamedTuple):
    """Preview texts grouped by subject."""

    alarm: list[Piece]
    size: list[Piece]
    stop: list[Piece]
    target: list[Piece]
    effect: list[Piece]
    left: list[Piece]
    risk: list[Piece]
    cost: list[Piece]
    borrow: list[Piece]
    limits: list[Piece]
    age: list[Piece]
    free: list[Piece]

    def in_order(self, price: list[Piece], *, cost_first: bool) -> list[list[Piece]]:
        """Return all groups, the most important first: what costs money, at last what explains a figure.

        Below a message the price comes first, then each warning, then borrowing.
        """
        risk, costs = _split_group(self.risk), _split_group(self.cost)
        notes = [part for part in costs if any(text == DEPTH_UNKNOWN for text, _ in part)]
        cost = [part for part in costs if part not in notes]
        effect = [self.effect, *_split_group(self.left), *risk[:1]]
        figures = [*cost, *effect] if cost_first else [*effect, *cost]
        below = [price, *_split_group(self.alarm), self.borrow, self.size]
        first = below if cost_first else [self.alarm, self.size, price, self.borrow]
        return [*first, self.stop, self.target, *figures, *risk[1:], self.limits, *notes, self.age, self.free]


def _groups(figures: Figures, view: DisplayContext) -> _Groups:
    """Group the preview texts by subject, and add the age of the quote."""
    age = quote_pieces(figures.live, view)
    if figures.needs and figures.size[-1][0] != "size –":
        age += [DOT, (f"needs {figures.needs}", "faint")]
    alarm = _join(figures.shortfall, figures.opening, figures.warnings)
    if not view.mirror.proven("public"):
        alarm, age = _join(age[:1], alarm), age[2:]
    return _Groups(
        alarm=alarm,
        size=figures.size,
        stop=figures.stop,
        target=figures.target,
        effect=figures.effect,
        left=figures.left,
        risk=figures.risk,
        cost=figures.cost,
        borrow=figures.borrow,
        limits=figures.limits,
        age=age,
        free=figures.free,
    )


def _drop_repeated_size(groups: _Groups, figures: Figures) -> _Groups:
    """Drop the size if the size field shows the same text."""
    ticket, size = figures.ticket, groups.size
    if ticket.field_texts(figures.quote)["size"] != size[0][0].removesuffix(f" {ticket.unit}"):
        return groups
    return groups._replace(size=[(text.removeprefix(" "), role) for text, role in size[1:2]] + size[2:])


def _rows(groups: _Groups, price: list[Piece], count: int) -> list[list[Piece]]:
    """Assign the groups to lines in a fixed order; with fewer lines, less important groups are left out."""
    alarm, size, stop, target, effect, left, risk, fees, borrow, limits, age, free = groups
    cost = _join(fees, borrow)
    if count >= 4:
        return [
            _join(size, price),
            _join(stop, target, effect, left, risk),
            _join(cost, free),
            _join(alarm, limits, age),
        ]
    if count == 3:
        return [_join(size, price), _join(stop, target, effect, left, risk), _join(alarm, cost, limits, age, free)]
    if count == 2:
        return [_join(size, price), _join(alarm, stop, target, effect, left, risk, cost, age, free)]
    return [_join(alarm, size, price, stop, target, effect, left, risk, cost, age, free)]


def _pack_whole(
    groups: _Groups,
    figures: Figures,
    view: DisplayContext,
    in_order: Callable[[_Groups], list[list[Piece]]],
    rooms: list[int],
    first: Sequence[Piece] = (),
    *,
    bare: bool = False,
) -> list[list[Piece]]:
    """Place groups like `_pack_groups`; of orders that end with the position as many are named as fit, others counted."""
    rows: list[list[Piece]] = []
    for cells in (max(rooms), min(rooms)):
        if figures.left:
            groups = groups._replace(left=fit_left(figures.ticket, view, cells - 2))
        rows = _pack_groups([group for group in in_order(groups) if group], rooms, first, bare=bare)
        if all(pieces_width(row) + 2 <= room for row, room in zip(rows, rooms, strict=True)):
            break
    return rows


def _pack_groups(
    groups: list[list[Piece]], rooms: list[int], first: Sequence[Piece] = (), *, bare: bool = False
) -> list[list[Piece]]:
    """Place groups by importance, each in the first line with enough space.

    A figure is left out before it is cut, except one wider than a whole line. A warning without enough space for its
    figure stands without it.

    Args:
        groups: Groups, most important first.
        rooms: Width of each line.
        first: Beginning of the first line.
        bare: Whether the next figure follows it without a dot.
    """
    rows: list[list[Piece]] = [list(first), *([] for _ in rooms[1:])]
    places = [(at, room, form) for form in range(2) for at, room in enumerate(rooms)]
    for group in groups:
        forms = group, _leave_out_figure(group)
        for at, room, form in places:
            joined = bare and not at and len(rows[0]) == len(first)
            longer = [*rows[at], *forms[form]] if joined else _join(rows[at], forms[form])
            if not rows[at] or pieces_width(longer) + 2 <= room:
                rows[at] = longer
                break
    return rows


def _leave_out_figure(group: list[Piece]) -> list[Piece]:
    """Return a warning (`! …`) without the text after its colon; any other text unchanged."""
    if len(group) != 1 or not group[0][0].startswith("! "):
        return group
    text, role = group[0]
    return [(text.partition(":")[0], role)]


def _split_group(group: list[Piece]) -> list[list[Piece]]:
    """Split a group at the dots into separate texts."""
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
