"""Draft of a new or changed algo order: parses its fields, describes the expected result, builds the intent."""

from __future__ import annotations

import re
from decimal import Decimal
from enum import StrEnum

import msgspec

from tui.engine.intents import Decision, PlaceAlgo, Protection, ReplaceAlgo
from tui.engine.orders.algo_checks import check_distance, check_trigger_side
from tui.engine.rows import AlgoRow
from tui.engine.state.algo_table import algo_word, record_triggers, triggers_of
from tui.interface.decimals import BadDecimal, parse_typed, plain
from tui.interface.families.algo import CONDITIONAL, STOP_LOSS, TAKE_PROFIT, Condition, TriggerName
from tui.interface.families.orders import PositionSide, Side
from tui.interface.symbols import try_parse
from tui.rules import rounding
from tui.workstation.model import number_format
from tui.workstation.model.algo_figures import SOURCES, describe_condition, reference_price
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import base_units, full_name, in_contracts
from tui.workstation.tickets.order import protection
from tui.workstation.tickets.order.protection import LAST, MARK, BadProtection, ParsedTrigger
from tui.workstation.tickets.order.sizing import describe_rounding

HUNDRED = Decimal(100)


class AlgoKind(StrEnum):
    """Kind of algo order, by its name on the screen."""

    STOP = "stop"
    TARGET = "target"
    BOTH = "stop and target"
    OCO = "OCO"
    CONDITIONAL = "conditional"


class Part(StrEnum):
    """Field of the algo order form, such as kind, side, trigger or size."""

    KIND = "kind"
    SIDE = "side"
    TRIGGER = "trigger"
    STOP = "stop"
    TARGET = "target"
    SIZE = "size"
    REDUCE = "reduce only"


_TRIGGERS = {
    AlgoKind.STOP: (Part.STOP,),
    AlgoKind.TARGET: (Part.TARGET,),
    AlgoKind.BOTH: (Part.STOP, Part.TARGET),
    AlgoKind.OCO: (Part.STOP, Part.TARGET),
    AlgoKind.CONDITIONAL: (Part.TRIGGER,),
}
_NAMES: dict[Part, TriggerName] = {Part.STOP: STOP_LOSS, Part.TARGET: TAKE_PROFIT, Part.TRIGGER: CONDITIONAL}
CLOSING = frozenset([AlgoKind.STOP, AlgoKind.TARGET, AlgoKind.BOTH])
"""Kinds that close a position."""


class AlgoSubject(msgspec.Struct, frozen=True, kw_only=True):
    """Pair and position that an algo order draft is for and, for a change, the algo order to change."""

    sym: str
    leg: PositionSide = PositionSide.NONE
    stops: tuple[Decimal, ...] = ()
    """Triggers of the position's stops in other orders."""
    has_target: bool = False
    """Whether the position has a target in another order."""
    held: Decimal | None = None
    """Size of the position, negative if short; None: no position."""
    entry: Decimal | None = None
    hedged: bool = False
    """Whether the account is in hedge mode, so that an order names its leg."""
    edited: AlgoRow | None = None
    """Order to change; None: a new one."""

    @property
    def closing_side(self) -> Side:
        """Side of an order that reduces the position."""
        return Side.BUY if self.held is not None and self.held < 0 else Side.SELL


class AlgoDraft(msgspec.Struct):
    """Values typed or chosen in the fields of the algo order form."""

    kind: AlgoKind
    side: Side
    texts: dict[Part, str]
    reduce_only: bool = True
    """Whether a conditional order that reduces the position can do nothing else."""
    rises: bool | None = None
    """Whether the conditional trigger waited for a rise when it was typed; None: it is typed now."""

    def parts(self, subject: AlgoSubject) -> list[Part]:
        """Return the fields of this kind of algo order, from top to bottom."""
        if subject.edited is not None:
            follows = subject.edited.record.attached_order_id or _is_whole(subject.edited)
            return [*_TRIGGERS[self.kind], *(() if follows else (Part.SIZE,))]
        side = () if self.kind in CLOSING else (Part.SIDE,)
        reduce = (Part.REDUCE,) if self.kind is AlgoKind.CONDITIONAL and _may_reduce(subject, self) else ()
        return [Part.KIND, *side, *_TRIGGERS[self.kind], Part.SIZE, *reduce]


class CheckedDraft(msgspec.Struct, frozen=True, kw_only=True):
    """Result of checking a draft: a note for each field, and the command to send if all are valid."""

    title: str
    notes: dict[Part, str]
    """Meaning of each field, or why it is refused."""
    refused_part: Part | None
    """First field that is refused."""
    refusal: str
    """Why it cannot be sent, or an empty text."""
    rises: bool | None
    """Whether its conditional trigger waits for a rise; None: it has none that is accepted."""
    intent: PlaceAlgo | ReplaceAlgo | None


def kinds(subject: AlgoSubject) -> list[AlgoKind]:
    """Return the kinds of algo order that can be chosen; those that close need a position."""
    return [kind for kind in AlgoKind if subject.held or kind not in CLOSING]


def new_draft(subject: AlgoSubject) -> AlgoDraft:
    """Return an empty draft, or one with the current values of the order to change."""
    edited = subject.edited
    if edited is None:
        if not subject.held:
            return AlgoDraft(AlgoKind.CONDITIONAL, Side.BUY, {})
        has_stop_alone = subject.stops and not subject.has_target
        return AlgoDraft(AlgoKind.TARGET if has_stop_alone else AlgoKind.STOP, subject.closing_side, {})
    names = {name: part for part, name in _NAMES.items()}
    texts = {names[name]: _format_typed(trigger) for name, trigger in record_triggers(edited.record).items()}
    texts[Part.SIZE] = edited.record.order_qty
    return AlgoDraft(_kind_of(edited), Side(edited.record.side), texts)


def _kind_of(row: AlgoRow) -> AlgoKind:
    """Return the form's kind for an algo order: conditional, OCO, or stop and target for all others."""
    if row.record.condition_type == Condition.CONDITIONAL:
        return AlgoKind.CONDITIONAL
    return AlgoKind.OCO if row.record.condition_type == Condition.OCO else AlgoKind.BOTH


def _is_whole(row: AlgoRow) -> bool:
    return row.record.condition_type == Condition.ENTIRE_CLOSE_POSITION


def _format_typed(trigger: Protection) -> str:
    limit = f" @{trigger.price}" if number_format.value(trigger.price) else ""
    return f"{trigger.trigger} {SOURCES.get(trigger.source, '')}{limit}"


# -- checking ------------------------------------------------------------------------------------------------------


def check_draft(subject: AlgoSubject, draft: AlgoDraft, view: DisplayContext, decision: Decision) -> CheckedDraft:
    """Check a draft against the present rows and build the command to send."""
    notes: dict[Part, str] = {}
    refused_part: Part | None = None
    triggers: dict[Part, ParsedTrigger] = {}
    for part in _TRIGGERS[draft.kind]:
        try:
            parsed = _parse(part, subject, draft, view, triggers.get(Part.STOP))
        except BadProtection as error:
            notes[part], refused_part = str(error), refused_part or part
            continue
        if parsed is not None:
            triggers[part] = parsed
            notes[part] = _trigger_note(subject, draft, part, parsed, view)
        elif subject.edited is None or not _is_optional(part, subject.edited):
            notes[part], refused_part = _why_missing(part, subject), refused_part or part
    if subject.hedged:
        notes[Part.SIDE] = f"{_leg(subject, draft).value} leg"
    qty, size_note = _size(subject, draft, triggers.get(Part.TRIGGER) or triggers.get(Part.STOP), view)
    notes[Part.SIZE] = size_note
    notes[Part.REDUCE] = _note_reduce_only(subject, draft, qty, view)
    if qty is None:
        refused_part = refused_part or Part.SIZE
    intent = None if refused_part is not None else _intent(subject, draft, decision, triggers, qty or "")
    refusal = notes[refused_part] if refused_part is not None else ""
    if intent is None and not refusal:
        refusal = "nothing is changed"
    what = algo_word(subject.edited.record) if subject.edited is not None else "algo order"
    return CheckedDraft(
        title=f"{'change' if subject.edited is not None else 'new'} {what} · {full_name(subject.sym)}",
        notes=notes,
        refused_part=refused_part,
        refusal=refusal,
        rises=triggers[Part.TRIGGER].rises if Part.TRIGGER in triggers else None,
        intent=None if refusal else intent,
    )


_EMPTY = {
    Part.STOP: "a price (58000) or an offset from mark (1%, 20t, 30bp); then optionally last or mark, and @limit",
    Part.TARGET: "a price (62000), an offset from last (2%), or 2r from entry; then optionally last or mark, and @limit",
    Part.TRIGGER: "a price, or an offset from last with its sign: +1%, -20t; then optionally last or mark, and @limit",
}


def _why_missing(part: Part, subject: AlgoSubject) -> str:
    """Return why a trigger field may not be empty: it is required, or the service cannot remove one of two triggers."""
    edited = subject.edited
    if edited is None or len(record_triggers(edited.record)) < 2 or part is Part.TRIGGER:
        return _EMPTY[part]
    alone = f"cancel it (⟦algo.cancel⟧) and place only the {_OTHER[part]} (⟦algo.new⟧)"
    if edited.record.condition_type == Condition.OCO:
        return f"an OCO needs stop and target; type a price, or {alone}"
    return f"the service cannot remove the {part}; type a price, or {alone}"


_OTHER = {Part.STOP: Part.TARGET, Part.TARGET: Part.STOP}
_IN_RISKS = re.compile(r"\s*[+-]?\s*[0-9.,_]+[kKmM]?\s*r")
"""Pattern of a target as a multiple of the risk."""


def _is_optional(part: Part, edited: AlgoRow) -> bool:
    """Return whether this trigger field may stay empty in a change, because the algo order has no such trigger."""
    return part is not Part.TRIGGER and _NAMES[part] not in record_triggers(edited.record)


def _parse(
    part: Part, subject: AlgoSubject, draft: AlgoDraft, view: DisplayContext, stop: ParsedTrigger | None
) -> ParsedTrigger | None:
    """Parse a field's trigger; an offset is measured from the present mark or last price.

    Raises:
        BadProtection: Invalid; the text says what is accepted.
    """
    text = draft.texts.get(part, "").strip()
    if not text:
        return None
    info = view.info(subject.sym)
    tick = number_format.value(info.tick_size) if info is not None else None
    word = next((source for source, name in SOURCES.items() if name in text), "")
    if not word and (present := _present_source(part, subject)):
        trigger, at, limit = text.partition("@")
        word, text = present, f"{trigger.strip()} {SOURCES[present]} {at}{limit}".strip()
    source = word or (MARK if part is Part.STOP else LAST)
    now = reference_price(view.mirror, subject.sym, source)
    # A protection is parsed for the position that its order closes.
    holds = draft.side.other
    if part is Part.STOP:
        return protection.stop_loss(text, now, holds, tick, reference_name=SOURCES[source])
    if part is Part.TARGET:
        beside = stop.trigger if stop is not None else _present_stop(subject, text)
        return protection.take_profit(text, now, holds, tick, beside, subject.entry, reference_name=SOURCES[source])
    return _parse_conditional(text, now, tick, rises=draft.rises)


def _present_source(part: Part, subject: AlgoSubject) -> str:
    """Return the trigger's price source (mark or last) in the algo order to change; empty for a new one."""
    present = record_triggers(subject.edited.record).get(_NAMES[part]) if subject.edited is not None else None
    return present.source if present is not None and present.source in SOURCES else ""


def _present_stop(subject: AlgoSubject, text: str) -> Decimal | None:
    """Return the price of the position's only stop, if the typed text needs it as a multiple of risk; else None.

    Raises:
        BadProtection: The text needs one stop, and there is none, or there are several.
    """
    if not _IN_RISKS.match(text) or not subject.held:
        return None
    if len(subject.stops) > 1:
        prices = ", ".join(plain(price) for price in subject.stops)
        raise BadProtection(f"2r counts from one stop, the position has {len(subject.stops)} ({prices}): type a price")
    if not subject.stops:
        raise BadProtection("r needs a stop, but the position has none; type a price, 1% or 20t, or add a stop too")
    return subject.stops[0]


def name_typed_trigger(text: str) -> tuple[str, bool]:
    """Return the typed number of a conditional trigger, and whether its price source is mark."""
    figure = _FIGURE.match(text)
    return figure[0].strip() if figure is not None else "", SOURCES[MARK] in text


_FIGURE = re.compile(r"\s*[+-]?\s*[0-9.,_]*[kKmM]?")
"""Pattern of the figure with which a trigger begins."""


def _parse_conditional(text: str, now: Decimal | None, tick: Decimal | None, *, rises: bool | None) -> ParsedTrigger:
    """Parse a conditional trigger, as a price on either side of the market or a signed offset from it.

    Args:
        text: Typed text.
        now: Price that it is compared with.
        tick: Tick of the pair.
        rises: Whether it waited for a rise when it was typed; None: it is typed now.
    """
    number = text.split()[0].removesuffix("last").removesuffix("mark")
    if number[-1:] in ("%", "t", "p", "r") and not number.startswith(("+", "-")):
        raise BadProtection("an offset needs its sign: +1% above, -1% below")
    trigger: ParsedTrigger | None = None
    if not number.startswith("-"):
        try:
            trigger = protection.take_profit(text, now, Side.BUY, tick, None)
        except BadProtection:
            if number.startswith("+"):
                raise
    trigger = trigger or protection.stop_loss(text, now, Side.BUY, tick)
    if trigger is None:
        raise BadProtection(_EMPTY[Part.TRIGGER])
    trigger = msgspec.structs.replace(trigger, source=MARK if "mark" in text else LAST)
    if (refusal := check_trigger_side(trigger.wire(), now, rises=rises)) is not None:
        raise BadProtection(refusal.text)
    return msgspec.structs.replace(trigger, rises=now is not None and trigger.trigger > now)


def _trigger_note(
    subject: AlgoSubject, draft: AlgoDraft, part: Part, trigger: ParsedTrigger, view: DisplayContext
) -> str:
    """Describe a trigger: price, source, distance, the order it sends, and the result of closing there."""
    now = reference_price(view.mirror, subject.sym, trigger.source)
    far = f" {number_format.format_signed_decimal((trigger.trigger - now) / now * HUNDRED, 2)} %" if now else ""
    order = f"limit {view.price_of(subject.sym, trigger.limit)}" if trigger.limit else "market"
    start = "entry" if trigger.unit == "r" and subject.entry is not None else SOURCES[trigger.source]
    offset = f" ({trigger.unit} from {start})" if trigger.unit else ""
    price = view.price_of(subject.sym, trigger.trigger)
    if trigger.rises is None:
        reached = f"{price} {SOURCES[trigger.source]}"
    else:
        reached = f"{describe_condition(trigger.source, price, rises=trigger.rises)},"
    text = f"{reached}{far}{offset}, {order}"
    result = _compute_result(subject, draft, trigger, view)
    text = text if result is None else f"{text}, would realise {view.format_signed(result)} before fees"
    refusal = check_distance(_NAMES[part], trigger.trigger, reference_price(view.mirror, subject.sym, MARK))
    return text if refusal is None else f"! {refusal.text}; {text}"


def _compute_result(
    subject: AlgoSubject, draft: AlgoDraft, trigger: ParsedTrigger, view: DisplayContext
) -> Decimal | None:
    if subject.entry is None or not subject.held or draft.kind is AlgoKind.CONDITIONAL:
        return None
    size = _parse_size(subject, draft, view)
    base = base_units(subject.sym, size if isinstance(size, Decimal) else abs(subject.held), view.info(subject.sym))
    return None if base is None else (trigger.trigger - subject.entry) * base * (1 if subject.held > 0 else -1)


def _parse_size(subject: AlgoSubject, draft: AlgoDraft, view: DisplayContext) -> Decimal | str | None:
    """Parse the size, such as `50%` of the position; None if empty, a text with the reason if refused."""
    text = draft.texts.get(Part.SIZE, "").strip()
    if not text:
        return None
    info = view.info(subject.sym)
    lot = number_format.value(info.lot_size) if info is not None else None
    try:
        number = parse_typed(text.removesuffix("%"))
    except BadDecimal as error:
        return str(error)
    if not text.endswith("%"):
        return number
    if not subject.held or lot is None or not 0 < number <= HUNDRED:
        return f"{text} of what? a percentage is one of the open position, and none is open"
    return rounding.quantity(abs(subject.held) * number / HUNDRED, lot)


def _size(
    subject: AlgoSubject, draft: AlgoDraft, trigger: ParsedTrigger | None, view: DisplayContext
) -> tuple[str | None, str]:
    """Return the size to send, None if it is refused, and a note about it."""
    size = _parse_size(subject, draft, view)
    if isinstance(size, str):
        return None, size
    if size is None:
        if subject.edited is not None:
            return "", "as it is"
        if draft.kind in CLOSING:
            return "", "the whole position, at its size when triggered"
        return None, "a size"
    if not size:
        return None, "the size rounds to 0; type a larger one"
    note = "; ".join(
        filter(None, (view.quantity(subject.sym, plain(size)), _note_rounding(subject, draft, size, view)))
    )
    if draft.kind in CLOSING or subject.edited is not None:
        return plain(size), note
    return plain(size), "; ".join(
        part for part in (note, *_describe_order(subject, draft, size, trigger, view)) if part
    )


def _note_rounding(subject: AlgoSubject, draft: AlgoDraft, size: Decimal, view: DisplayContext) -> str:
    """Say that a percentage of the position was rounded down to the lot; empty if the difference is negligible."""
    text, info = draft.texts.get(Part.SIZE, "").strip(), view.info(subject.sym)
    if not text.endswith("%") or info is None or not subject.held:
        return ""
    wanted = abs(subject.held) * parse_typed(text.removesuffix("%")) / HUNDRED
    pair = try_parse(subject.sym)
    unit = "ct" if in_contracts(subject.sym) or pair is None else pair.base
    return describe_rounding(wanted, size, unit, number_format.value(info.lot_size))


def _describe_order(
    subject: AlgoSubject, draft: AlgoDraft, size: Decimal, trigger: ParsedTrigger | None, view: DisplayContext
) -> tuple[str, str]:
    """Describe the order's value at the trigger, and what it would do to the position."""
    parts, base = try_parse(subject.sym), base_units(subject.sym, size, view.info(subject.sym))
    worth = ""
    if parts is not None and base is not None and trigger is not None:
        worth = f"about {view.amount(base * trigger.trigger)} {parts.quote}"
    if parts is None or not parts.is_perp or subject.hedged:
        return worth, ""
    held, buys = subject.held or Decimal(0), draft.side is Side.BUY
    closed = min(size, abs(held)) if held and (held < 0) == buys else Decimal(0)
    opened = Decimal(0) if _reduces(subject, draft) else size - closed
    changes = [
        f"{word} {leg} {view.quantity(subject.sym, plain(part))}"
        for word, leg, part in (
            ("closes", "SHORT" if buys else "LONG", closed), ("opens", "LONG" if buys else "SHORT", opened),
        )
        if part
    ]  # fmt: skip
    return worth, ", ".join(changes)


def _intent(
    subject: AlgoSubject, draft: AlgoDraft, decision: Decision, triggers: dict[Part, ParsedTrigger], qty: str
) -> PlaceAlgo | ReplaceAlgo | None:
    wanted = {part: trigger.wire() for part, trigger in triggers.items()}
    rises = triggers[Part.TRIGGER].rises if Part.TRIGGER in triggers else None
    if subject.edited is not None:
        return _change(subject.edited, decision, wanted, qty, rises=rises)
    closes = draft.kind in CLOSING
    whole = Condition.ENTIRE_CLOSE_POSITION if not qty else Condition.PARTIAL_CLOSE_POSITION
    other = Condition.OCO if draft.kind is AlgoKind.OCO else Condition.CONDITIONAL
    return PlaceAlgo(
        decision=decision,
        sym=subject.sym,
        side=draft.side,
        condition=whole if closes else other,
        qty=qty,
        position_side=_leg(subject, draft),
        reduce_only=not subject.hedged and (closes or _reduces(subject, draft)),
        conditional=wanted.get(Part.TRIGGER),
        take_profit=wanted.get(Part.TARGET),
        stop_loss=wanted.get(Part.STOP),
        rises=rises,
    )


def _may_reduce(subject: AlgoSubject, draft: AlgoDraft) -> bool:
    """Return whether the draft is an OCO or conditional order on the side that reduces a one-way position."""
    reduces = bool(subject.held) and draft.side is subject.closing_side
    return reduces and draft.kind not in CLOSING and not subject.hedged


def _reduces(subject: AlgoSubject, draft: AlgoDraft) -> bool:
    """Return whether the draft can only reduce the position: an OCO, or a conditional order that is reduce-only."""
    return _may_reduce(subject, draft) and (draft.kind is AlgoKind.OCO or draft.reduce_only)


def _note_reduce_only(subject: AlgoSubject, draft: AlgoDraft, qty: str | None, view: DisplayContext) -> str:
    """Say what a conditional order would do after the position has ended; a reduce-only one could only close."""
    if draft.reduce_only:
        return "can only close the position"
    leg = "SHORT" if draft.side is Side.SELL else "LONG"
    size = f" {view.quantity(subject.sym, qty)}" if qty else ""
    effect = f"stays when the position ends, and would open {leg}{size}"
    return f"! {effect}"


def _leg(subject: AlgoSubject, draft: AlgoDraft) -> PositionSide:
    """Return the position side to send: the selected position's in hedge mode, else the one that the side would open."""
    if not subject.hedged:
        return PositionSide.NONE
    if subject.leg is not PositionSide.NONE:
        return subject.leg
    return PositionSide.LONG if draft.side is Side.BUY else PositionSide.SHORT


def _change(
    row: AlgoRow, decision: Decision, wanted: dict[Part, Protection], qty: str, *, rises: bool | None
) -> ReplaceAlgo | None:
    """Build the change command with the values that differ from the algo order; None if none differ."""
    now = record_triggers(row.record)
    changed = {part: trigger for part, trigger in wanted.items() if now.get(_NAMES[part]) != trigger}
    resized = qty if qty and number_format.value(qty) != number_format.value(row.record.order_qty) else ""
    intent = ReplaceAlgo(
        decision=decision,
        key=row.key,
        qty=resized,
        conditional=changed.get(Part.TRIGGER),
        take_profit=changed.get(Part.TARGET),
        stop_loss=changed.get(Part.STOP),
        rises=rises if Part.TRIGGER in changed else None,
    )
    return intent if resized or triggers_of(intent) else None
