"""Stops and targets that a line sets or moves: the algo order of a position, as the draft of its form."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import msgspec

from tui.engine.intents import Decision, PlaceAlgo, Protection, ReplaceAlgo
from tui.engine.orders.algo_checks import OTHERS, why_no_algos
from tui.engine.rows import AlgoRow
from tui.engine.state.algo_table import record_triggers
from tui.engine.state.closing_orders import closing_size, compute_covered_size, list_protecting, list_stops
from tui.interface.decimals import plain, positive
from tui.interface.families.algo import STOP_LOSS, TAKE_PROFIT, TriggerName
from tui.interface.families.orders import Side
from tui.interface.families.positions import PositionRecord
from tui.interface.figures import leg_of, size_of
from tui.interface.text import how_many
from tui.workstation.command_line import levels
from tui.workstation.command_line.grammar.refusals import Code, LineRefused
from tui.workstation.command_line.grammar.syntax import MoveTrigger, Offset
from tui.workstation.model import number_format
from tui.workstation.model.algo_figures import SOURCES
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name, venue_of
from tui.workstation.model.position_metrics import break_even, name_leg
from tui.workstation.tickets.order.algo_draft import AlgoKind, AlgoSubject, Part, check_draft, new_draft
from tui.workstation.tickets.order.algo_subject import is_hedged, subject_of_change, subject_of_leg, why_unchangeable

NEW_STOP = Offset(number=Decimal(2), unit="%")
"""Distance of the stops of `protect all` where none is typed."""
_NAMES: dict[str, tuple[Part, AlgoKind, TriggerName]] = {
    "sl": (Part.STOP, AlgoKind.STOP, STOP_LOSS),
    "tp": (Part.TARGET, AlgoKind.TARGET, TAKE_PROFIT),
}


AlgoCommand = PlaceAlgo | ReplaceAlgo


class PlannedAlgo(msgspec.Struct, frozen=True, kw_only=True):
    """Algo order that a command line would place or change."""

    text: str
    """Sentence that says what changes."""
    command: AlgoCommand
    subject: AlgoSubject
    """Position that it protects, and the algo order that it changes, as they were when it was planned."""


def plan_break_even(record: PositionRecord, view: DisplayContext) -> PlannedAlgo:
    """Plan a stop at the price at which the position ends without a loss, fees and funding included.

    Raises:
        LineRefused: The figures are missing, or the market has not reached that price.
    """
    stop, tick = break_even(record, view), view.mirror.tick_of(record.sym)
    if stop is None or tick is None:
        raise LineRefused(Code.NOT_KNOWN, f"the break-even price of {full_name(record.sym)} is not known now")
    return _plan(record, "sl", number_format.field_text(stop, tick), view)


def plan_move(command: MoveTrigger, record: PositionRecord, view: DisplayContext) -> PlannedAlgo:
    """Plan to move the trigger of a position's stop or target; where the position has none, to place a new one.

    Raises:
        LineRefused: There is nothing to move by a distance, or a figure is missing.
    """
    closing = Side.SELL if leg_of(record) == "LONG" else Side.BUY
    if command.distance is not None:
        entry, tick = positive(record.avg_price), view.mirror.tick_of(record.sym)
        if entry is None or tick is None:
            raise LineRefused(Code.NOT_KNOWN, f"the entry of {_name(record)} is not known now; write a price")
        sign = -closing.sign if command.which == "tp" else closing.sign
        far = msgspec.structs.replace(command.distance, number=command.distance.number * sign)
        price = number_format.field_text(levels.place_trigger(command.which, entry, far, tick, closing), tick)
        return _plan(record, command.which, price, view)
    if command.level is not None:
        price = levels.compute_trigger(command.which, command.level, record.sym, closing, view)
        return _plan(record, command.which, price, view)
    present = _present(record, command.which, view)
    tick = view.mirror.tick_of(record.sym)
    now = positive(record_triggers(present.record)[_NAMES[command.which][2]].trigger) if present is not None else None
    if now is None or tick is None:
        what = _NAMES[command.which][0].value
        raise LineRefused(
            Code.NO_ORDER, f"{full_name(record.sym)} has no {what} to move by a distance; write its price"
        )
    moved = levels.place_trigger(command.which, now, command.offset, tick, closing)
    return _plan(record, command.which, number_format.field_text(moved, tick), view)


def plan_stops(
    distance: Offset | None, records: Sequence[PositionRecord], view: DisplayContext
) -> tuple[list[PlannedAlgo], str]:
    """Plan a stop for each position without one; also return which positions stay without a full stop, and why.

    Raises:
        LineRefused: No position gets a stop, or one of the stops cannot be placed.
    """
    distance = distance or NEW_STOP
    text = f"{plain(abs(distance.number))}{distance.unit}"
    planned: list[PlannedAlgo] = []
    bare: list[str] = []
    partly: list[str] = []
    for record in records:
        if list_stops(record, view.mirror.algos.values()):
            covered = compute_covered_size(record, view.mirror.algos.values())
            if covered is not None:
                closes = view.quantity(record.sym, plain(covered))
                partly.append(f"{name_leg(record, view)} (a stop closes {closes} of it)")
        elif reason := why_no_algos(venue_of(record.sym)):
            bare.append(f"{name_leg(record, view)} ({reason})")
        else:
            planned.append(_plan(record, "sl", text, view))
    left = "; ".join(
        _name_left(names, how) for names, how in ((bare, "without a stop"), (partly, "partly protected")) if names
    )
    if not planned:
        protected = f"{_name(records[0])} has a stop: sl move changes it" if len(records) == 1 else ""
        raise LineRefused(Code.NO_CHANGE, left or protected or "every position has a stop: nothing to place")
    return planned, left


def _name_left(names: list[str], how: str) -> str:
    verb = "stays" if len(names) == 1 else "stay"
    return f"{how_many(len(names), 'position')} {verb} {how}: {', '.join(names)}"


def _name(record: PositionRecord) -> str:
    return f"{full_name(record.sym)} {leg_of(record)}"


def _present(record: PositionRecord, which: str, view: DisplayContext) -> AlgoRow | None:
    """Return the only stop or target of a position; None if there is none.

    Raises:
        LineRefused: There are several, or it cannot be changed now.
    """
    what, _, name = _NAMES[which]
    protecting = list_protecting(record, view.mirror.algos.values())
    rows = [row for row in protecting if name in record_triggers(row.record)]
    if len(rows) > 1:
        raise LineRefused(
            Code.SEVERAL_ORDERS,
            view.name_keys(
                f"{full_name(record.sym)} has {len(rows)} {what.value}s: ⟦algo.move⟧ on the position asks which one"
            ),
        )
    if rows and (why := why_unchangeable(rows[0])):
        raise LineRefused(Code.NO_ORDER, f"the {what.value} of {full_name(record.sym)} cannot be moved now: {why}")
    return rows[0] if rows else None


def _plan(record: PositionRecord, which: str, price: str, view: DisplayContext) -> PlannedAlgo:
    """Plan a stop or target at a price or distance: a change of the position's present one, else a new algo order.

    Raises:
        LineRefused: The venue has no algo orders, or the trigger cannot stand there.
    """
    part, kind, name = _NAMES[which]
    present = _present(record, which, view)
    if present is None and (reason := why_no_algos(venue_of(record.sym))):
        raise LineRefused(Code.TICKET, reason + OTHERS)
    if present is not None:
        subject = subject_of_change(present, view.mirror)
    else:
        subject = subject_of_leg(record, view.mirror, hedged=is_hedged(record.sym, view.mirror))
    draft = new_draft(subject)
    before = ""
    if present is None:
        draft.kind, draft.texts = kind, {part: price}
    else:
        trigger = record_triggers(present.record)[name]
        draft.texts[part] = f"{price} {SOURCES.get(trigger.source, '')}{_move_limit(trigger, price, record, view)}"
        before = f"{_describe_share(record, present, view)} from {view.price(record.sym, trigger.trigger)}"
    checked = check_draft(subject, draft, view, _decide(view))
    if checked.intent is None:
        raise LineRefused(Code.WRONG_SIDE_TRIGGER, f"{part.value} of {_name(record)}: {checked.refusal}")
    verb = "move the" if present is not None else "new"
    text = f"{verb} {part.value} of {_name(record)}{before}: {checked.notes[part]}"
    return PlannedAlgo(text=text, command=checked.intent, subject=subject)


def _move_limit(trigger: Protection, price: str, record: PositionRecord, view: DisplayContext) -> str:
    """Return the limit price of a moved stop or target, as far from the new trigger as from the old; empty if at market."""
    limit, before, after = positive(trigger.price), positive(trigger.trigger), positive(price)
    if limit is None or before is None or after is None:
        return ""
    return f" @{number_format.field_text(limit + after - before, view.mirror.tick_of(record.sym))}"


def _describe_share(record: PositionRecord, present: AlgoRow, view: DisplayContext) -> str:
    """Describe how much of the position a stop or target closes; empty for the whole."""
    closes, held = closing_size(present), size_of(record)
    if closes is None or held is None or closes >= held:
        return ""
    return f", which closes {view.quantity(record.sym, plain(closes))} of {view.quantity(record.sym, plain(held))},"


def _decide(view: DisplayContext) -> Decision:
    """Build a decision record that only serves to plan a command; when the command is sent another is recorded.

    Raises:
        LineRefused: The state of the engine is not known yet.
    """
    status = view.mirror.engine_status
    if status is None:
        raise LineRefused(Code.NOT_KNOWN, "the state of the desk is not known yet")
    return Decision.of(status, "command line")
