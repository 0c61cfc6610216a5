"""Form of an algo order: kind, side, triggers and size, with the effect of each value."""

from __future__ import annotations

from collections.abc import Mapping

from tui.engine.intents import PlaceAlgo, ReplaceAlgo
from tui.interface.families.orders import Side
from tui.workstation.commands.context import Context
from tui.workstation.tickets.order.algo_draft import (
    AlgoDraft,
    AlgoKind,
    AlgoSubject,
    CheckedDraft,
    Part,
    check_draft,
    kinds,
    name_typed_trigger,
    new_draft,
)
from tui.workstation.tickets.order.algo_subject import explain_changed_leg, explain_crossed, refresh_position_size
from tui.workstation.widgets.forms.view import (
    Choice,
    FieldKind,
    FieldSpec,
    FormCommand,
    FormSubject,
    FormView,
    choose_value,
)

_CHOICES = (Part.KIND, Part.SIDE, Part.REDUCE)
_YES_OR_NO = (Choice("yes"), Choice("no"))


class AlgoForm(FormSubject):
    """Form for a new algo order, or for changing one."""

    listed = "the algo orders (⟦screen.algos⟧)"

    def __init__(self, subject: AlgoSubject, context: Context) -> None:
        self._subject = subject
        self._context = context
        self._typed: tuple[str, bool] = "", False
        self._values: Mapping[str, str] = {}
        """Values of the fields as they were shown last."""
        self._rises: bool | None = None
        """Whether the conditional trigger waited for a rise when it was typed; None: not accepted yet."""

    def start(self) -> dict[str, str]:
        draft = new_draft(self._subject)
        texts = {str(part): text for part, text in draft.texts.items()}
        return {Part.KIND: draft.kind, Part.SIDE: draft.side, Part.REDUCE: "yes", **texts}

    def first(self) -> str:
        """Return the first field to fill in: the one after the kind for a new order, else the top one."""
        return new_draft(self._subject).parts(self._subject)[0 if self._subject.edited is not None else 1]

    def _draft(self, values: Mapping[str, str]) -> AlgoDraft:
        draft = new_draft(self._subject)
        if self._subject.edited is None:
            draft.kind = AlgoKind(choose_value(values, Part.KIND, self._kinds()))
            if Part.SIDE in draft.parts(self._subject):
                draft.side = Side(choose_value(values, Part.SIDE, self._sides(draft.side)))
            draft.reduce_only = choose_value(values, Part.REDUCE, _YES_OR_NO) == "yes"
        draft.texts = {part: values.get(part, "") for part in Part if part not in _CHOICES}
        return draft

    def _kinds(self) -> tuple[Choice, ...]:
        return tuple(Choice(kind) for kind in kinds(self._subject))

    def _sides(self, first: Side) -> tuple[Choice, ...]:
        return (Choice(first), Choice(first.other))

    def view(self, values: Mapping[str, str]) -> FormView:
        self._values, self._subject = dict(values), refresh_position_size(self._subject, self._context.mirror)
        draft = self._draft(values)
        if (typed := name_typed_trigger(draft.texts[Part.TRIGGER])) != self._typed:
            self._typed, self._rises = typed, None
        draft.rises = self._rises
        checked = check_draft(self._subject, draft, self._context.view, self._context.build_decision())
        self._rises = checked.rises if self._rises is None else self._rises
        fields = tuple(self._field(part, checked) for part in draft.parts(self._subject))
        changed = explain_changed_leg(self._subject, self._context.mirror)
        return FormView(
            title=checked.title,
            fields=fields,
            refusal=changed or ("" if checked.refused_part is not None else checked.refusal),
            command=None if changed else checked.intent,
            follows=str(self._subject.held or "") if draft.texts[Part.SIZE].endswith("%") else "",
        )

    def explain_end(self, command: FormCommand) -> str:
        """Return why the form's order can no longer be sent: position changed or trigger passed; empty if it can."""
        mirror = self._context.mirror
        crossed = (
            explain_crossed(self._subject.sym, command, mirror) if isinstance(command, PlaceAlgo | ReplaceAlgo) else ""
        )
        return explain_changed_leg(self._subject, mirror) or crossed or self._explain_other_size(command)

    def _explain_other_size(self, command: FormCommand) -> str:
        """Return why the size of an order is another than when it was asked about: it is a percentage of its position."""
        now = self.view(self._values).command
        if not isinstance(command, PlaceAlgo) or not isinstance(now, PlaceAlgo) or now.qty == command.qty:
            return ""
        return f"the position has changed: the size is {now.qty} now, it was {command.qty}"

    def _field(self, part: Part, checked: CheckedDraft) -> FieldSpec:
        note = checked.notes.get(part, "")
        if part is Part.KIND:
            return FieldSpec(name=part, choices=self._kinds())
        if part is Part.SIDE:
            return FieldSpec(name=part, choices=self._sides(new_draft(self._subject).side), note=note)
        if part is Part.REDUCE:
            return FieldSpec(name=part, choices=_YES_OR_NO, note=note)
        # Prices, offsets (1%, 20t, 30bp, 2r), last and mark, sizes in the unit of the pair: none contains an x.
        return FieldSpec(name=part, note=note, refused=checked.refused_part is part, kind=FieldKind.FIGURE)
