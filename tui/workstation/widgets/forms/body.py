"""Body of a form: fields, values before and after, and the reply to the last attempt."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from itertools import accumulate, chain
from typing import NamedTuple

from textual.geometry import Region, Size

from tui.engine.intents import Outcome, Verdict
from tui.engine.service_query import ServiceQuery
from tui.workstation.input.fresh_press import add_way_on
from tui.workstation.input.line_editor import ERASES, LineEditor
from tui.workstation.input.scopes import Scope
from tui.workstation.model.number_format import MISSING
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece
from tui.workstation.render.text import cut, wrap
from tui.workstation.widgets.forms.view import FieldKind, FieldSpec, FormCommand, FormSubject, FormView, choose_value
from tui.workstation.widgets.list_modal import EDGES, BoxModal, ModalBody

FIGURE_CELLS = 16
USUAL_LINES = 12
"""Height of the form with room for the notes of its fields."""
LEAST_FIELD_LINES = 3
"""Lines of the fields that stay above a long answer."""
DOT = "•"
"""Sign for a character of a secret."""


class FormRows(NamedTuple):
    """Rendered rows of a form: scrolling part, fixed end, and the rows of the cursor."""

    fields: list[list[Piece]]
    """Fields with their notes, and figures; they scroll where not all fit."""
    end: list[list[Piece]]
    """Last line, and the answer below it; they stay."""
    cursor: range
    """Indices of the rows of the field with the cursor; none on the last line."""


class FormDesk(NamedTuple):
    """Functions of the desk that a form calls, such as to send queries and to foresee a refusal."""

    read: Callable[[ServiceQuery], None]
    """Ask the engine to read a query of the form."""
    why_blocked: Callable[[], str]
    """Return why nothing can be sent now, or an empty text."""
    foresee: Callable[[FormCommand], Outcome | None]
    """Return what the engine would answer to the command now; None if that is not known at once."""
    name_keys: Callable[[str], str]
    """Put keys into a text that names actions by their ids in brackets."""


class _Foreseen(NamedTuple):
    """Answer that the engine would give to the form's command now, with the form content it belongs to."""

    content: Hashable
    """Content of the form when it was asked."""
    outcome: Outcome | None


class FormBody(ModalBody):
    """Form body with fields one below the other; the cursor is on a field or on the last line, where keys send the form."""

    _keeps_text = False
    """Whether Backspace takes back only the refused key, as the text before it was not refused."""

    def __init__(self, subject: FormSubject, palette: Palette, desk: FormDesk) -> None:
        """Initialize the form with its initial values.

        Args:
            subject: Fields, figures and command of the form.
            palette: Colours.
            desk: Desk that it asks.
        """
        super().__init__("form", palette)
        self.subject = subject
        self._lines = {name: LineEditor(text) for name, text in subject.start().items()}
        self._desk = desk
        self._foreseen: _Foreseen | None = None
        self._queries: set[ServiceQuery] = set()
        """Queries already requested."""
        self._view: FormView | None = None
        self._at = 0
        self.answer = ""
        """Answer to the last attempt, until something else is typed."""
        self.sending = False
        """Whether an attempt has no answer yet."""
        self.asked = False
        """Whether a question about what was sent is open."""
        self.refused_key = ""
        """Why a key was refused; until a field is edited on purpose, nothing is typed or sent."""
        self.on_refuse: Callable[[], None] = lambda: None
        """Called when a key is refused."""
        self.on_touch: Callable[[], None] = lambda: None
        """Called when a field is changed."""
        if first := subject.first():
            self.go_to(first)

    # State

    @property
    def values(self) -> dict[str, str]:
        """Texts of the fields, by name."""
        return {name: line.text for name, line in self._lines.items()}

    @property
    def current_view(self) -> FormView:
        """Form view as last computed, or computed now if there is none."""
        return self._view or self.update_view()

    @property
    def content(self) -> Hashable:
        return self._at, self.current_view.follows, tuple(sorted(self.values.items()))

    @property
    def field(self) -> FieldSpec | None:
        """Field with the cursor; None on the last line."""
        fields = self.current_view.fields
        return fields[self._at] if self._at < len(fields) else None

    @property
    def editor(self) -> LineEditor | None:
        """Line editor of the field with the cursor; None on a choice and on the last line."""
        field = self.field
        return None if field is None or field.choices else self._lines.setdefault(field.name, LineEditor())

    def update_view(self) -> FormView:
        """Compute and draw the form view for the typed values, and send the queries it requires."""
        self._view = self.subject.view(self.values)
        for query in self._view.needs:
            if query not in self._queries:
                self._queries.add(query)
                self._desk.read(query)
        self._at = min(self._at, len(self._view.fields))
        self._look_ahead(self._view)
        self.refresh()
        if self.is_attached and self.lines_needed(self.size.width) > self.size.height:
            # Only a layout request of a child makes the screen place the box anew.
            self.refresh(layout=True)
        return self._view

    def _look_ahead(self, view: FormView) -> None:
        """Ask the engine once per typed content what it would answer to the command, to show a refusal before sending."""
        blocked = view.refusal or self.refused_field is not None or self._desk.why_blocked()
        command = None if blocked else view.command
        if command is None:
            self._foreseen = None
        elif self._foreseen is None or self._foreseen.content != self.content:
            # A price that follows the market asks nothing: this runs with every frame, and Enter asks anew.
            self._foreseen = _Foreseen(self.content, self._desk.foresee(command))

    def foresee_again(self) -> None:
        """Ask the engine again what it would answer to the command, because market and account may have changed."""
        self._foreseen = None
        self.update_view()

    def _find_foreseen(self, verdict: Verdict) -> str:
        """Return the text of the engine's foreseen answer if it has this verdict, else an empty text."""
        outcome = self._foreseen.outcome if self._foreseen is not None else None
        return outcome.text if outcome is not None and outcome.verdict is verdict else ""

    @property
    def refused_field(self) -> FieldSpec | None:
        """First field that is invalid or missing, or None."""
        return next((field for field in self.current_view.fields if self.is_refused(field)), None)

    def is_refused(self, field: FieldSpec) -> bool:
        """Return whether a field is invalid, or required and empty."""
        return field.refused or (field.required and not field.choices and not self._text(field))

    def _text(self, field: FieldSpec) -> str:
        line = self._lines.get(field.name)
        return line.text if line is not None else ""

    @property
    def refusal(self) -> str:
        """Why the form cannot be sent now, or an empty text; the reason for an invalid field is shown below that field."""
        view, field = self.current_view, self.refused_field
        if field is not None:
            missing = not field.choices and not self._text(field)
            return f"not yet: {field.shown} is {'missing' if missing else 'refused'}"
        if view.refusal or view.ask is not None:
            return view.refusal
        if why := self._desk.why_blocked() or ("" if view.command is not None else "not yet"):
            return why
        denial = self._find_foreseen(Verdict.DENIED)
        return f"would be refused now: {denial}" if denial else ""

    @property
    def asks_here(self) -> bool:
        """Whether Enter runs the form's query here: on the last line, or in the only field of a query form."""
        view = self.current_view
        return view.ask is not None and not self.refusal and (self.field is None or len(view.fields) == 1)

    @property
    def can_send(self) -> bool:
        """Whether the form sends a command, and does not only query a list or connect."""
        return self.current_view.ask is None

    def say(self, answer: str) -> None:
        """Show a message below the fields."""
        self.answer = answer
        self.update_view()

    # Moving and typing

    @property
    def accepts_x(self) -> bool:
        """Whether X types a letter here, rather than opening the kill prompt."""
        field = self.field
        return field is not None and not field.choices and field.kind in (FieldKind.TEXT, FieldKind.SECRET)

    @property
    def is_inside_word(self) -> bool:
        """Whether the character before the cursor is a letter."""
        editor = self.editor
        return editor is not None and editor.text[: editor.at][-1:].isalpha()

    def refuse_key(self, why: str, *, keeps_text: bool = True) -> None:
        """Refuse the current key, and all further ones until the trader edits a field; the first reason stays.

        Args:
            why: The reason.
            keeps_text: Whether Backspace takes back only the key; False where it begins to correct the text.
        """
        if not self.refused_key:
            self.refused_key, self._keeps_text, self.answer = why, keeps_text, ""
        self.on_refuse()
        self.update_view()

    def touch(self) -> bool:
        """Accept keys again after a refused key; return whether there was one."""
        was, self.refused_key = bool(self.refused_key), ""
        if was:
            self.answer = ""
            self.on_touch()
            self.update_view()
        return was

    def move(self, by: int) -> None:
        """Move to the next or previous field."""
        self._at = max(0, min(len(self.current_view.fields), self._at + by))
        self.update_view()

    def go_to(self, name: str) -> None:
        """Move to a field by its name."""
        self._at = next(at for at, field in enumerate(self.current_view.fields) if field.name == name)
        self.update_view()

    @property
    def turns(self) -> bool:
        """Whether Left and Right change the value of the field, a choice or a count, and do not move a cursor."""
        return self.field is not None and (bool(self.field.choices) or self.field.kind is FieldKind.COUNT)

    def turn(self, by: int) -> None:
        """Handle Left or Right: select the next value of a choice, step a count, or move the cursor in a text."""
        self.touch()
        field, editor = self.field, self.editor
        if editor is not None and field is not None:
            if field.kind is not FieldKind.COUNT:
                self.edit("right" if by > 0 else "left")
                return
            self._lines[field.name] = LineEditor(str(max(1, int(editor.text or field.now) + by)))
            self.handle_edit()
        elif field is not None:
            values = [choice.value for choice in field.choices]
            if len(values) == 1:
                self.say(f"{field.shown}: only {field.choices[0].shown} is possible here")
                return
            now = choose_value(self.values, field.name, field.choices)
            self._lines[field.name] = LineEditor(values[(values.index(now) + by) % len(values)])
            self.handle_edit()

    def type(self, text: str) -> bool:
        """Insert typed or pasted text; on a choice, a blank selects the next value and other text is refused."""
        field, editor = self.field, self.editor
        if self.refused_key:
            self.refuse_key(self.refused_key)
        elif field is None:
            self.refuse_key("No field has the cursor: ⟦form.back⟧ goes back to one")
        elif editor is None and text == " ":
            self.turn(1)
        elif editor is None:
            self.refuse_key(
                f"{field.shown} is a choice: ⟦form.turn_back⟧ and ⟦form.turn⟧ change it, ⟦form.next⟧ goes on"
            )
        elif field.kind is FieldKind.COUNT and not (text.isascii() and text.isdigit()):
            self.refuse_key(f"'{text[:20]}' isn't valid here: {field.shown} is a whole number")
        elif editor.type(text):
            self.handle_edit()
        else:
            self.refuse_key(f"more than {field.shown} can hold: nothing was inserted")
        return True

    def edit(self, key: str) -> bool:
        """Handle an editing key; one that erases ends the refusing of keys, and Backspace then erases nothing."""
        if key in ERASES and self.touch() and self._keeps_text and key == "backspace":
            return True
        return super().edit(key)

    def handle_edit(self) -> None:
        """Update the form view after the text changed, and remove the previous reply."""
        self.answer = ""
        self.on_touch()
        self.update_view()

    # Drawing

    def title_pieces(self) -> list[Piece]:
        return [(self.current_view.title, "title-focus")]

    def lines_needed(self, cells: int) -> int:
        """Return the height that the form needs at a width in cells, borders included."""
        rows = self._build_rows(cells - 2)
        return EDGES + len(rows.fields) + len(rows.end)

    def build_lines(self) -> list[list[Piece]]:
        """Build the lines, with short notes where they would not fit whole.

        If not all fit even so, the field with the cursor and the last line stay visible.
        """
        inside, height = self.size.width - 2, self.inner_height
        rows = self._build_rows(inside)
        if len(rows.fields) + len(rows.end) > height:
            rows = self._build_rows(inside, short=True)
        end = rows.end[: max(1, height - (LEAST_FIELD_LINES if rows.cursor else 0))]
        most = min(len(rows.fields), height - len(end))
        # The line below the field is seen too, so that it does not look like the last one.
        until = max(rows.cursor.stop, rows.cursor.start + 2)
        first = max(0, min(until - most, rows.cursor.start, len(rows.fields) - most))
        return [*rows.fields[first : first + most], *end]

    def _build_rows(self, inside: int, *, short: bool = False) -> FormRows:
        view = self.current_view
        label = max([len(view.last), *(len(field.shown) for field in view.fields)]) + 1
        of_fields = [self._field_rows(field, inside, label, short=short) for field in view.fields]
        refused = self._refused_text if self.field is None else ""
        answer: list[list[Piece]] = [
            [(f" {text}", "warn")]
            for said in (refused, self._desk.name_keys(self.answer))
            if said
            for text in wrap(said, max(8, inside - 2))
        ]
        above = [*chain(*of_fields), *self._figure_rows(inside)]
        starts = [0, *accumulate(map(len, of_fields))]
        cursor = range(*starts[self._at : self._at + 2]) if self.field else range(len(above), len(above))
        return FormRows(above, [*self._send_rows(inside, label), *answer], cursor)

    def _field_rows(self, field: FieldSpec, inside: int, label: int, *, short: bool) -> list[list[Piece]]:
        here = self.field is not None and field.name == self.field.name
        name: list[Piece] = [("▸ " if here else "  ", "accent"), (f"{field.shown:<{label}}", "dim")]
        room = max(4, inside - label - 3)
        role = "title-focus" if here else "text"
        if field.choices:
            now = choose_value(self.values, field.name, field.choices)
            shown = next((choice.shown for choice in field.choices if choice.value == now), "–")
            first: list[Piece] = [*name, (cut(f"‹ {shown} ›" if len(field.choices) > 1 else shown, room), role)]
        else:
            editor, mask = self.editor, DOT if field.kind is FieldKind.SECRET else ""
            text = self._text(field)
            shown = cut((mask * len(text) if mask else text) or field.blank, room)
            written = editor.visible_text(room, mask) if here and editor is not None else shown
            first = [*name, (written, role)]
        note = self._desk.name_keys(field.note)
        noted = wrap(note, max(8, inside - label - 3)) if note else []
        if short and not here and not self.is_refused(field) and len(noted) > 1:
            noted = [cut(note, max(8, inside - label - 3))]
        role_of_note = "warn" if field.warned or self.is_refused(field) else "dim"
        refused = wrap(self._refused_text, max(8, inside - label - 3)) if here and self.refused_key else []
        below = [(text, "warn") for text in refused] + [(text, role_of_note) for text in noted]
        return [first, *([(f" {'':<{label + 1}}{text}", role)] for text, role in below)]

    @property
    def _refused_text(self) -> str:
        """Text below the field with the cursor that says why a key was refused and how to go on; else empty."""
        return self._desk.name_keys(add_way_on(self.refused_key, "edit.erase")) if self.refused_key else ""

    def _figure_rows(self, inside: int) -> list[list[Piece]]:
        """Build the table of values before and after, and the notes."""
        view = self.current_view
        rows: list[list[Piece]] = []
        if view.figures:
            wide = max(8, min(FIGURE_CELLS, (inside - 4) // 3))
            names = max(len(figure.name) for figure in view.figures) + 1
            rows.append([(f" {'':<{names}}{'now':>{wide}}{'then':>{wide}}", "dim")])
            # What is refused comes to nothing.
            is_refused = any(field.refused for field in view.fields)
            for figure in view.figures:
                after, role = (MISSING, "faint") if is_refused else (figure.after, "warn" if figure.low else "strong")
                rows.append([
                    (f" {figure.name:<{names}}", "dim"),
                    (f"{cut(figure.before, wide - 1):>{wide}}", "text"),
                    (f"{cut(after, wide - 1):>{wide}}", role),
                ])  # fmt: skip
        for note in view.notes:
            rows += [[(f" {text}", "dim")] for text in wrap(self._desk.name_keys(note), max(8, inside - 2))]
        for result, role in view.results:
            rows += [[(f" {text}", role)] for text in wrap(result, max(8, inside - 2))]
        return rows

    def _send_rows(self, inside: int, label: int) -> list[list[Piece]]:
        here = self.field is None
        refused = "warn" if self._find_foreseen(Verdict.DENIED) else "dim" if self.refusal else ""
        role = refused or ("strong" if here else "text")
        texts = wrap(self.describe_sending(), max(8, inside - label - 3))
        pointer: Piece = ("▸ " if here else "  ", "accent")
        rest: list[list[Piece]] = [[(f" {'':<{label + 1}}{text}", role)] for text in texts[1:]]
        return [[pointer, (f"{self.current_view.last:<{label}}", "text"), (texts[0], role)], *rest]

    def describe_sending(self) -> str:
        """Return the text of the last line: why the form cannot be sent, or which key sends it."""
        view = self.current_view
        if refusal := self.refusal:
            return self._desk.name_keys(refusal)
        if view.ask is not None:
            return view.ask_text
        if view.question is not None:
            asks = f"y asks first, then {'the typed word' if view.question.word else 'y'} sends it"
            return asks if self.field is None else f"ready: go to this line; {asks}"
        if self.field is not None:
            return "ready: go to this line, then y sends it"
        question = self._find_foreseen(Verdict.ASK)
        return f"y asks first: {question}" if question else "y sends it"

    def hint(self, action: str) -> str | None:
        """Return the footer text for action `form.take` or `form.send` on the last line; None if it does nothing."""
        view = self.current_view
        if self.refusal or self.refused_key:
            return None
        if action == "form.send":
            return None if view.ask is not None else "send" if view.question is None else view.ask_word
        return None if view.ask is None else view.ask_word


class FormScreen(BoxModal[FormBody, None]):
    """Dialog with a form, beside the row it is about, so that the row, bid and ask and event line stay visible."""

    spares_events = True

    @property
    def scope(self) -> Scope:  # type: ignore[override]
        """Scope of a field, where letters are text, or of the last line, where letters are keys."""
        return Scope.FORM if self.body.field is not None else Scope.FORM_END

    def placements(self, size: Size) -> dict[str, Region]:
        width = min(self.body.subject.cells, size.width)
        return self.place(size, width, self.body.lines_needed(width), wanted=USUAL_LINES)

    def follow(self) -> None:
        # What was sent, or is asked about, stands still: it leaves as it is shown.
        if not self.body.sending and not self.body.asked:
            self.body.update_view()
