"""Subjects of algo order forms: the position that an order protects, and the stops and targets that it has."""

from __future__ import annotations

from tui.engine.intents import PlaceAlgo, ReplaceAlgo
from tui.engine.orders.algo_checks import check_trigger_side
from tui.engine.orders.pre_trade_checks import describe_changed_position
from tui.engine.rows import AlgoRow
from tui.engine.state.algo_table import algo_word, record_triggers
from tui.engine.state.closing_orders import list_protecting
from tui.interface.decimals import ZERO
from tui.interface.families.algo import STOP_LOSS, TAKE_PROFIT
from tui.interface.families.orders import PositionSide, Side
from tui.interface.families.positions import PositionMode, PositionRecord
from tui.interface.figures import name_side, net_size_of
from tui.interface.symbols import try_parse
from tui.workstation.model import number_format
from tui.workstation.model.algo_figures import reference_price
from tui.workstation.model.instruments import full_name, venue_of
from tui.workstation.model.mirror import Mirror
from tui.workstation.tickets.order.algo_draft import AlgoSubject

CLOSERS = {STOP_LOSS: "stop", TAKE_PROFIT: "target"}
"""Triggers that a leg should have once, and their names."""

WAITING = ("NEW", "PENDING_NEW")
"""States in which an algo order waits for its trigger."""


def is_hedged(sym: str, mirror: Mirror) -> bool:
    """Return whether the account at a perpetual's venue is in hedge mode; False for other pairs."""
    parts, account = try_parse(sym), mirror.accounts.get(venue_of(sym))
    hedged = account is not None and account.record.position_mode == PositionMode.BOTH
    return parts is not None and parts.is_perp and hedged


def subject_of_leg(
    record: PositionRecord, mirror: Mirror, *, hedged: bool, edited: AlgoRow | None = None
) -> AlgoSubject:
    """Return the subject of a new algo order for a position, or of a change of an algo order that protects it."""
    leg = PositionSide(record.position_side) if record.position_side in tuple(PositionSide) else PositionSide.NONE
    others = [
        record_triggers(row.record)
        for row in list_protecting(record, mirror.algos.values())
        if edited is None or row.key != edited.key
    ]
    stops = (number_format.value(triggers[STOP_LOSS].trigger) for triggers in others if STOP_LOSS in triggers)
    return AlgoSubject(
        sym=record.sym,
        leg=leg,
        stops=tuple(sorted({trigger for trigger in stops if trigger is not None})),
        has_target=any(TAKE_PROFIT in triggers for triggers in others),
        held=net_size_of(record),
        entry=number_format.value(record.avg_price),
        hedged=hedged,
        edited=edited,
    )


def refresh_position_size(subject: AlgoSubject, mirror: Mirror) -> AlgoSubject:
    """Return the subject with the present size of its position; unchanged if that was closed or reversed."""
    fact = mirror.positions.get(f"{subject.sym}/{subject.leg}")
    if fact is None or not subject.held:
        return subject
    now = subject_of_leg(fact.record, mirror, hedged=subject.hedged, edited=subject.edited)
    return now if now.held is not None and now.held * subject.held > 0 else subject


def subject_of_change(row: AlgoRow, mirror: Mirror) -> AlgoSubject:
    """Return the subject of a change of an algo order, with the position that it protects now."""
    record = row.record
    fact = mirror.positions.get(f"{record.sym}/{name_side(record.position_side)}")
    if fact is None or row not in list_protecting(fact.record, mirror.algos.values()):
        return AlgoSubject(sym=record.sym, edited=row)
    return subject_of_leg(fact.record, mirror, hedged=False, edited=row)


def explain_changed_leg(subject: AlgoSubject, mirror: Mirror) -> str:
    """Return why a planned algo order no longer applies: the one to change or the position ended or turned; else empty."""
    edited = subject.edited
    now = mirror.algos.get(edited.key) if edited is not None else None
    if edited is not None and (now is None or now.state not in WAITING):
        return f"the {algo_word(edited.record)} has ended{f': {now.state}' if now is not None else ''}"
    if not subject.held:
        return ""
    fact = mirror.positions.get(f"{subject.sym}/{subject.leg}")
    held = subject_of_leg(fact.record, mirror, hedged=subject.hedged).held if fact is not None else ZERO
    if held is None or held * subject.held > 0:
        return ""
    return describe_changed_position(full_name(subject.sym), subject.held, held)


def explain_crossed(sym: str, command: PlaceAlgo | ReplaceAlgo, mirror: Mirror) -> str:
    """Return why a conditional trigger no longer applies: the market has already crossed it; empty if it has not."""
    trigger = command.conditional
    if trigger is None:
        return ""
    refusal = check_trigger_side(trigger, reference_price(mirror, sym, trigger.source), rises=command.rises)
    return refusal.text if refusal is not None else ""


def list_movable(record: PositionRecord, mirror: Mirror) -> list[AlgoRow]:
    """List the stops and targets of a position that can be changed now."""
    rows = list_protecting(record, mirror.algos.values())
    return [row for row in rows if record_triggers(row.record).keys() & CLOSERS and not why_unchangeable(row)]


def why_unchangeable(row: AlgoRow) -> str:
    """Return why an algo order cannot be changed, or an empty text."""
    if row.record.side not in tuple(Side):
        return f"side {row.record.side[:20]!r} of the algo order is unknown to this program; it can only be cancelled"
    if row.state not in WAITING:
        return f"the algo order is {row.state}; only a waiting one can be changed"
    return f"a command for it is pending: {row.overlay.value}" if row.overlay.value else ""
