"""Outlook of a parsed line: the ticket or the sentence that says what it would do now."""

from __future__ import annotations

import msgspec

from tui.interface.families.positions import PositionRecord
from tui.interface.text import how_many
from tui.workstation.command_line import order_plan
from tui.workstation.command_line.desk_outlook import DeskWord, describe_desk_word
from tui.workstation.command_line.grammar.canonical import write_command, write_line
from tui.workstation.command_line.grammar.parser import parse
from tui.workstation.command_line.grammar.refusals import Code, LineRefused
from tui.workstation.command_line.grammar.scene import Scene
from tui.workstation.command_line.grammar.syntax import (
    Alert,
    AlertChange,
    Answer,
    AnswerWord,
    BreakEven,
    Cancel,
    Change,
    Close,
    Command,
    Cost,
    Line,
    MoveTrigger,
    Nudge,
    Order,
    Orphans,
    Protect,
    Reverse,
    Scale,
    Scope,
    SetAlias,
    Why,
)
from tui.workstation.command_line.named_rows import (
    Cursor,
    closes_several,
    find_legs,
    find_order,
    list_algo_scope,
    list_scope,
)
from tui.workstation.command_line.order_descriptions import (
    describe_algo_row,
    describe_origin,
    describe_row,
    describe_ticket,
)
from tui.workstation.command_line.program_answers import describe_answer
from tui.workstation.command_line.protection_plan import (
    PlannedAlgo,
    plan_break_even,
    plan_move,
    plan_stops,
)
from tui.workstation.command_line.scale_plan import build_scale
from tui.workstation.model.algo_figures import why_unknown
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name
from tui.workstation.model.position_metrics import name_leg
from tui.workstation.render.pieces import join_pieces
from tui.workstation.tickets.order.position import name_position
from tui.workstation.tickets.order.proposal import ShownProposal, write_proposal
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.preview.foreseen_orders import foresee_orders, read_books
from tui.workstation.tickets.preview.position import describe_orphaned_orders, describe_reversing_orders
from tui.workstation.tickets.preview.size import list_rounding
from tui.workstation.tickets.preview.together import describe_together

WORKS_ON = "nothing is sent: this program cannot yet split an order over time"
NOT_HERE = {
    "trail": "the service has no trailing stop; sl move changes the stop",
    "set": "settings are read at the start, from config.toml; the command limit changes a limit",
}
"""Why a word that is known is not carried out, where it is not that its orders work on by themselves."""


class Outlook(msgspec.Struct, frozen=True, kw_only=True):
    """Effect that a command would have if it were sent now."""

    command: Command
    tickets: tuple[Ticket, ...] = ()
    """Orders it would send; one is shown as the ticket of the desk."""
    effects: tuple[str, ...] = ()
    """What each of the orders does to a position, where its side and size do not say it."""
    algos: tuple[PlannedAlgo, ...] = ()
    """Stops and targets it would set or move."""
    text: str = ""
    """Description of what the command would do."""
    note: str = ""
    """What else happens, such as a stop that expires with its position."""
    left: str = ""
    """Positions that stay without protection although the line is about them; the last message names them too."""
    dry: bool = False
    keys: tuple[str, ...] = ()
    """Row keys of the orders or positions that it is about."""
    algo_keys: tuple[str, ...] = ()
    """Row keys of the algo orders that it cancels, behind the orders."""
    named: tuple[str, ...] = ()
    """What happens to each of several orders and algo orders that are cancelled."""
    executed: tuple[str, ...] = ()
    """What was filled of each order that is cancelled."""
    beside: bool = False
    """Whether it begins without the evidence of the command before (`&`)."""


class LineOutlook(msgspec.Struct, frozen=True, kw_only=True):
    """Effect that a whole command line would have if it were sent now."""

    canonical: str
    steps: tuple[Outlook, ...]

    @property
    def ticket(self) -> Ticket | None:
        """Order to show in the ticket if the line has exactly one; else None, also for `rev`, which asks a question."""
        tickets = self.steps[0].tickets
        asks = isinstance(self.steps[0].command, Reverse) and not self.dry
        if not len(self.steps) == len(tickets) == 1 or asks:
            return None
        return msgspec.structs.replace(tickets[0], dry=self.dry)

    @property
    def text(self) -> str:
        """Description of what the line would do, joined as it was typed."""
        first, *others = self.steps
        return first.text + "".join(f"{' & ' if step.beside else ' ; '}{step.text}" for step in others)

    @property
    def dry(self) -> bool:
        """Whether the line only shows its effect, so that none of its commands is sent."""
        return all(step.dry for step in self.steps)


def look_ahead(line: Line, view: DisplayContext, cursor: Cursor) -> LineOutlook:
    """Work out what a parsed command line would do if it were sent now, without sending anything.

    Raises:
        LineRefused: It cannot be carried out.
    """
    _check_portfolio(line.portfolio, view)
    steps = []
    for number, step in enumerate(line.steps, 1):
        try:
            outlook = _look(step.command, view, cursor)
        except LineRefused as refused:
            raise refused.in_step(number, len(line.steps)) from None
        steps.append(msgspec.structs.replace(outlook, dry=outlook.dry or step.dry, beside=step.beside))
    if len(steps) > 1:
        _check_sequence(steps)
        steps = _describe_turns(steps, view)
    return LineOutlook(canonical=write_line(line), steps=tuple(steps))


def _check_portfolio(name: str, view: DisplayContext) -> None:
    """Refuse a portfolio other than the traded portfolio, given by name or id; accept an empty name."""
    status = view.mirror.engine_status
    names = (status.portfolio_name, status.portfolio) if status is not None else ()
    if name and name not in names:
        text = f"this desk trades portfolio {' / '.join(name for name in names if name)}, not {name}"
        raise LineRefused(Code.OTHER_PORTFOLIO, text)


def _check_sequence(steps: list[Outlook]) -> None:
    """Refuse a line of several commands if any is `dry`, or neither sends orders nor cancels a single order."""
    for step in steps:
        whole = isinstance(step.command, Cancel) and step.command.scope is None
        if not (step.tickets or whole) or step.dry:
            raise LineRefused(
                Code.NOT_YET,
                f"{write_command(step.command)}: ; and & join only orders and cancels of one order",
            )


def _describe_turns(steps: list[Outlook], view: DisplayContext) -> list[Outlook]:
    """Describe again which orders of a line reverse a position, with all orders before each filled completely."""
    texts = iter(order_plan.describe_turns([ticket for step in steps for ticket in step.tickets], view))
    return [msgspec.structs.replace(step, effects=tuple(next(texts) for _ in step.tickets)) for step in steps]


def expand_closes(outlook: LineOutlook, view: DisplayContext) -> LineOutlook:
    """Replace each step that closes several positions by the closing orders; `all` skips pairs marked `keep`.

    Raises:
        LineRefused: Every one of them is kept, or one cannot be closed.
    """
    steps = [_expand_close(step, view) if closes_several(step.command) else step for step in outlook.steps]
    return msgspec.structs.replace(outlook, steps=tuple(steps))


def _expand_close(step: Outlook, view: DisplayContext) -> Outlook:
    command = step.command
    assert isinstance(command, Close)
    records = [view.mirror.positions[key].record for key in step.keys]
    closed, _ = _leave_kept(command, records, view)
    orders = _orders(command, [order_plan.build_close(command, record, view) for record in closed], view)
    return msgspec.structs.replace(orders, dry=step.dry, beside=step.beside, left=step.left)


def _leave_kept(
    command: Close, records: list[PositionRecord], view: DisplayContext
) -> tuple[list[PositionRecord], str]:
    """Return the positions that a close of several closes, and a text naming those that `all` spares because of `keep`.

    Raises:
        LineRefused: Every one of them is kept.
    """
    kept = sorted({record.sym for record in records} & view.kept) if command.leg.word == "all" else []
    names = ", ".join(full_name(sym) for sym in kept)
    closed = [record for record in records if record.sym not in kept]
    if not closed:
        raise LineRefused(Code.LEG_EMPTY, f"every position is kept: `unkeep` ends that ({names})")
    return closed, f"kept open: {names}" if names else ""


def _look(command: Command, view: DisplayContext, cursor: Cursor) -> Outlook:
    if isinstance(command, Order):
        return _orders(command, [order_plan.build_order(command, view)], view)
    if isinstance(command, Cost):
        shown = _orders(command, [order_plan.build_order(command.order, view)], view)
        return msgspec.structs.replace(shown, dry=True)
    if isinstance(command, Scale):
        scale = build_scale(command, view)
        shown = _orders(command, scale.tickets, view)
        books = read_books(scale.tickets, view)
        sums = describe_together(foresee_orders(scale.tickets, view, books), view, books)
        share = f" ({scale.whole.share_text})" if scale.whole.share_text else ""
        whole = f"total{share} {' · '.join(sums)}"
        return msgspec.structs.replace(shown, text="; ".join([whole, shown.text, *list_rounding(scale.whole)]))
    if isinstance(command, Change | Nudge):
        order = find_order(command.order, view, cursor)
        build = order_plan.build_replace if isinstance(command, Change) else order_plan.build_nudge
        return _orders(command, [build(command, order, view)], view)  # type: ignore[arg-type]
    if isinstance(command, Close):
        return _look_at_close(command, view, cursor)
    if isinstance(command, Reverse):
        [record] = find_legs(command, view, cursor)
        shown = _orders(command, order_plan.build_reverse(record, view), view)
        does = f"{', '.join(shown.effects)}: {shown.text}"
        return msgspec.structs.replace(shown, text="; ".join(filter(None, (f"would ask, then {does}", shown.note))))
    if isinstance(command, Cancel):
        return _look_at_cancel(command, view, cursor)
    if isinstance(command, BreakEven | MoveTrigger | Protect):
        return _look_at_protection(command, view, cursor)
    if isinstance(command, Alert | AlertChange | SetAlias | Orphans):
        return Outlook(command=command, text=write_command(command))
    if isinstance(command, Answer):
        return _look_at_answer(command, view, cursor)
    if isinstance(command, Why):
        return _look_at_card(command, view, cursor)
    if isinstance(command, DeskWord):
        return Outlook(command=command, text=describe_desk_word(command, view))
    raise LineRefused(Code.NOT_YET, f"{command.verb} is not carried out here: {NOT_HERE.get(command.verb, WORKS_ON)}")


def _orders(command: Command, tickets: list[Ticket], view: DisplayContext) -> Outlook:
    for ticket in tickets:
        order_plan.refuse_problems(ticket, view)
    in_two = isinstance(command, Reverse) and len(tickets) > 1
    parts = tuple(map(order_plan.describe_part_of_turn, tickets)) if in_two else ()
    effects = parts or order_plan.describe_turns(tickets, view)
    ends = {name_position(ticket): text for ticket in tickets if (text := _describe_end(ticket, view))}
    note = "; ".join(f"{leg} {text}" if closes_several(command) else text for leg, text in ends.items())
    line = write_command(command)
    named = tuple(
        msgspec.structs.replace(ticket, line=f"{line} {number}" if len(tickets) > 1 else line)
        for number, ticket in enumerate(tickets, 1)
    )
    return Outlook(command=command, tickets=named, effects=effects, text=_sum_up(tickets), note=note)


def _describe_end(ticket: Ticket, view: DisplayContext) -> str:
    """Describe which orders end with the position that an order closes, and which stay and would open another one."""
    return "; ".join(
        filter(None, (join_pieces(describe_orphaned_orders(ticket, view)), describe_reversing_orders(ticket, view)))
    )


def _sum_up(tickets: list[Ticket]) -> str:
    origins = [describe_origin(ticket) for ticket in tickets]
    common = origins[0] if len(tickets) > 1 and len(set(origins)) == 1 else ""
    texts = [
        "; ".join([describe_ticket(ticket) + ("" if common else origin), *list_rounding(ticket)])
        for ticket, origin in zip(tickets, origins, strict=True)
    ]
    return texts[0] if len(tickets) == 1 else f"{len(tickets)} orders{common}: " + ", ".join(texts)


def _look_at_close(command: Close, view: DisplayContext, cursor: Cursor) -> Outlook:
    records = find_legs(command, view, cursor)
    if closes_several(command):
        closed, left = _leave_kept(command, records, view)
        names = ", ".join(name_leg(record, view) for record in closed)
        text = f"close {how_many(len(closed), 'position')} at market, after the typed word: {names}"
        keys = {id(fact.record): key for key, fact in view.mirror.positions.items()}
        return Outlook(
            command=command, text="; ".join(filter(None, (text, left))), left=left,
            keys=tuple(keys[id(record)] for record in records),
        )  # fmt: skip
    return _orders(command, [order_plan.build_close(command, records[0], view)], view)


def _look_at_protection(command: BreakEven | MoveTrigger | Protect, view: DisplayContext, cursor: Cursor) -> Outlook:
    if why := why_unknown(view.mirror):
        raise LineRefused(Code.NOT_KNOWN, f"stops and targets are not known now: {why}")
    left = ""
    if isinstance(command, Protect):
        algos, left = plan_stops(command.distance, find_legs(command, view, cursor), view)
    else:
        [record] = find_legs(command, view, cursor)
        algos = [
            plan_move(command, record, view) if isinstance(command, MoveTrigger) else plan_break_even(record, view)
        ]
    text = "; ".join(part for part in (", ".join(algo.text for algo in algos), left) if part)
    return Outlook(command=command, algos=tuple(algos), text=text, left=left)


def _look_at_card(command: Why, view: DisplayContext, cursor: Cursor) -> Outlook:
    # A card is shown of an ended order too.
    newest = view.mirror.recall_order(cursor.newest)
    if command.order.word == "last" and newest is None:
        raise LineRefused(
            Code.NO_ORDER,
            "there is no last order: none of yours is listed, working or ended; the history has older ones",
        )
    order = newest if command.order.word == "last" and newest is not None else find_order(command.order, view, cursor)
    return Outlook(command=command, text=f"everything known about {describe_row(order, view)}", keys=(order.key,))


def _look_at_answer(command: Answer, view: DisplayContext, cursor: Cursor) -> Outlook:
    row = view.mirror.proposals.get(command.key)
    if row is None or command.word is not AnswerWord.ACCEPT:
        return Outlook(command=command, text=describe_answer(command, view.mirror))
    if row.order and row.order not in view.mirror.orders:
        raise LineRefused(Code.NO_ORDER, f"the order that {row.peer} asks about is not listed any more")
    [step] = parse(write_proposal(row, "here"), Scene(view.mirror.symbols)).steps
    outlook = _look(step.command, view, msgspec.structs.replace(cursor, order=row.order))
    if not outlook.tickets:
        return msgspec.structs.replace(outlook, command=command, text=f"{outlook.text} · {row.peer}: {row.reason}")
    [ticket] = outlook.tickets
    shown = ShownProposal(row.key, view.now, ticket.touch(view.mirror.quotes.get(ticket.sym), own=False))
    tickets = (msgspec.structs.replace(ticket, proposal=shown),)
    return msgspec.structs.replace(outlook, command=command, tickets=tickets)


def _look_at_cancel(command: Cancel, view: DisplayContext, cursor: Cursor) -> Outlook:
    scope = command.scope
    if scope is None and command.order is not None:
        order = find_order(command.order, view, cursor)
        if order.final:
            raise LineRefused(Code.NO_ORDER, f"this order has ended: {order.state_word}")
        text = f"cancel {describe_row(order, view)}"
        return Outlook(command=command, text=text, keys=(order.key,), executed=(order.filled,))
    assert scope is not None
    if scope.word == "pf":
        _check_portfolio(scope.name, view)
    orders, algos = list_scope(scope, view, cursor), list_algo_scope(scope, view)
    if not orders and not algos:
        raise LineRefused(Code.NO_ORDER, _explain_empty(scope, view))
    counts = [how_many(len(orders), "order"), *([how_many(len(algos), "algo order")] if algos else [])]
    pairs = dict.fromkeys([*(order.sym for order in orders), *(row.record.sym for row in algos)])
    of_pairs = f" of {', '.join(map(full_name, pairs))}" if scope.word in ("coin", "bids", "asks") else ""
    return Outlook(
        command=command, text=f"would ask, then cancel {' and '.join(counts[not orders:])}{of_pairs}",
        keys=tuple(order.key for order in orders), executed=tuple(order.filled for order in orders),
        algo_keys=tuple(row.key for row in algos),
        named=(*(f"cancel {describe_row(order, view)}" for order in orders),
               *(f"cancel {describe_algo_row(row, view)}" for row in algos)),
    )  # fmt: skip


def _explain_empty(scope: Scope, view: DisplayContext) -> str:
    """Say that no order works in a scope, how many other orders work, and why stops and targets are unknown if they are."""
    name = full_name(scope.name) if scope.word in ("bids", "asks", "sym") else scope.name
    which = {
        "marks": "no marked order works", "bids": f"no bid of {name} works", "asks": f"no ask of {name} works",
        "sym": f"no order of {name} works", "coin": f"no order of {name} works", "venue": f"no order of venue {name} works",
    }.get(scope.word, "no order works")  # fmt: skip
    others, unknown = len(view.mirror.working()), why_unknown(view.mirror)
    if others:
        which = f"{which}; {how_many(others, 'other order')} {'does' if others == 1 else 'do'}"
    return f"{which}; stops and targets are not known now: {unknown}" if unknown else which
