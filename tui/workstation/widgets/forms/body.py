"""The box of a form: fields, what they come to, and the answer of the last try."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from textual.events import Key, Paste
from textual.geometry import Region, Size

from tui.engine.service_query import ServiceQuery
from tui.interface.text import clean
from tui.workstation.input.actions import format_key
from tui.workstation.input.scopes import Scope
from tui.workstation.render.palette import Palette, Piece
from tui.workstation.render.text import cut, wrap
from tui.workstation.widgets.forms.view import FormField, FormSubject, FormView, chosen
from tui.workstation.widgets.list_modal import EDGES, BoxModal, ModalBody

MOST_TYPED = 200
FIGURE_CELLS = 16
USUAL_LINES = 12
"""Height of the form, with room for what is said of its fields."""
_SEND = "send"


class FormBody(ModalBody):
    """Fields one below the other, the cursor on one of them or on the last line, which sends."""

    def __init__(
        self, subject: FormSubject, palette: Palette, read: Callable[[ServiceQuery], None], width: int = 66
    ) -> None:
        """
        Args:
            subject: What the form is about.
            palette: Colours.
            read: Has something read of the service.
            width: Cells of the box where there is room.
        """
        super().__init__("form", palette)
        self.subject = subject
        self.cells = width
        self.values = subject.start()
        self._read = read
        self._queries: set[ServiceQuery] = set()
        """What has been read for it."""
        self._looked: FormView | None = None
        self._at = 0
        self._untouched = set(self.values)
        """Fields that hold what was put there for the trader: a typed letter replaces it, backspace changes it."""
        self.answer = ""
        """What the engine or the service answered to the last try, until something else is typed."""
        self.sending = False
        """Whether a try has no answer yet."""
        self.refused_key = ""
        """Why a key was refused; until a field is changed on purpose nothing more is typed, and nothing sent."""
        self.refuses: Callable[[], None] = lambda: None
        """Told when a key was refused."""
        self.touched: Callable[[], None] = lambda: None
        """Told when a field was changed."""
        self.sends_by: Callable[[], str] = lambda: "y"
        """The key that sends on the last line: `y` where Enter opened or walked the form."""
        if first := subject.first():
            self.go_to(first)

    # What stands there

    @property
    def drawn(self) -> FormView:
        """The texts that stand there."""
        return self._looked or self.look()

    @property
    def content(self) -> Hashable:
        return self._at, tuple(sorted(self.values.items()))

    @property
    def field(self) -> FormField | None:
        """The field with the cursor; None: the last line."""
        fields = self.drawn.fields
        return fields[self._at] if self._at < len(fields) else None

    def look(self) -> FormView:
        """Judge what is typed anew, and draw it."""
        for query in self.subject.queries(self.values):
            if query not in self._queries:
                self._queries.add(query)
                self._read(query)
        self._looked = self.subject.view(self.values)
        self._at = min(self._at, len(self._looked.fields))
        self.refresh()
        if self.is_attached and self.lines_needed(self.size.width) > self.size.height:
            # Of the box: the screen keeps its arrangement until one of its children asks for another.
            self.refresh(layout=True)
        return self._looked

    def say(self, answer: str) -> None:
        """Show an answer below the fields."""
        self.answer = answer
        self.look()

    # Moving and typing

    @property
    def accepts_x(self) -> bool:
        """Whether X is a letter of the field with the cursor."""
        field = self.field
        return field is not None and not field.choices and field.takes_x

    @property
    def is_inside_word(self) -> bool:
        """Whether a letter stands before the cursor."""
        field = self.field
        return field is not None and not field.choices and self.values.get(field.name, "")[-1:].isalpha()

    def refuse_key(self, why: str) -> None:
        """Refuse the present key, and those behind it until a field is changed on purpose."""
        self.refused_key = self.refused_key or f"{why}. Backspace goes on"
        self.refuses()
        self.say(self.refused_key)

    def touch(self) -> bool:
        """Forget a refused key; whether there was one."""
        was, self.refused_key = bool(self.refused_key), ""
        if was:
            self.answer = ""
            self.touched()
            self.look()
        return was

    def move(self, by: int) -> None:
        """To the next or the previous field."""
        self._at = max(0, min(len(self.drawn.fields), self._at + by))
        self.look()

    def go_to(self, name: str) -> None:
        """To a field by name."""
        self._at = next(at for at, field in enumerate(self.drawn.fields) if field.name == name)
        self.look()

    def turn(self, by: int) -> None:
        """The next value of a choice; in a text field nothing."""
        self.touch()
        field = self.field
        if field is None or not field.choices:
            return
        offered = [choice.value for choice in field.choices]
        now = chosen(self.values, field.name, field.choices)
        self._set(field.name, offered[(offered.index(now) + by) % len(offered)])

    def type(self, text: str) -> None:
        """Letters are typed or pasted; on a choice a blank turns it, and what else is typed there is refused."""
        field = self.field
        if self.refused_key:
            self.refuse_key(self.refused_key)
        elif field is None:
            self.refuse_key("No field has the cursor: Up goes back to one")
        elif field.choices:
            if text == " ":
                self.turn(1)
            else:
                self.refuse_key(f"{field.label} is a choice: Left and Right change it, Tab goes on")
        else:
            before = "" if field.name in self._untouched else self.values.get(field.name, "")
            self._set(field.name, before + text)

    def erase(self) -> None:
        """Take a letter of the field back."""
        self.touch()
        field = self.field
        if field is not None and not field.choices:
            self._set(field.name, self.values.get(field.name, "")[:-1])

    def clear(self) -> None:
        """Empty the field."""
        self.touch()
        field = self.field
        if field is not None and not field.choices:
            self._set(field.name, "")

    def _set(self, name: str, text: str) -> None:
        self.values[name] = clean(text)[:MOST_TYPED]
        self._untouched.discard(name)
        self.answer = ""
        self.touched()
        self.look()

    # Drawing

    def title_pieces(self) -> list[Piece]:
        return [(self.drawn.title, "title-focus")]

    def lines_needed(self, cells: int) -> int:
        """Height at a width, edges included."""
        return EDGES + len(self._rows(cells - 2))

    def line(self, y: int) -> list[Piece]:
        """A line; where there is no room for all, the field with the cursor and the last line stay in sight."""
        rows, most = self._rows(self.size.width - 2), self.inner_height
        first = max(0, min(self._line_of_cursor(self.size.width - 2) + 2 - most, len(rows) - most))
        return rows[first + y] if first + y < len(rows) else []

    def _line_of_cursor(self, inside: int) -> int:
        before = self.drawn.fields[: self._at]
        return sum(len(self._field_rows(field, inside)) for field in before) + (
            0 if self.field else len(self._below(inside))
        )

    def _rows(self, inside: int) -> list[list[Piece]]:
        fields = [row for field in self.drawn.fields for row in self._field_rows(field, inside)]
        answer: list[list[Piece]] = [[(f" {text}", "warn")] for text in wrap(self.answer, max(8, inside - 2))]
        return [*fields, *self._below(inside), *self._send_rows(inside), *(answer if self.answer else [])]

    @property
    def _label_cells(self) -> int:
        return max([len(_SEND), *(len(field.label) for field in self.drawn.fields)]) + 1

    def _field_rows(self, field: FormField, inside: int) -> list[list[Piece]]:
        here = self.field is not None and field.name == self.field.name
        label = self._label_cells
        name: list[Piece] = [("▸ " if here else "  ", "accent"), (f"{field.label:<{label}}", "dim")]
        room = max(4, inside - label - 3)
        role = "title-focus" if here else "text"
        if field.choices:
            now = chosen(self.values, field.name, field.choices)
            shown = next((choice.shown for choice in field.choices if choice.value == now), "–")
            first: list[Piece] = [*name, (cut(f"‹ {shown} ›" if len(field.choices) > 1 else shown, room), role)]
        else:
            text = self.values.get(field.name, "")
            written = f"{text}_"[-room:] if here else cut(text or "–", room)
            first = [*name, (written, role)]
        noted = wrap(field.note, max(8, inside - label - 3)) if field.note else []
        below: list[list[Piece]] = [[(f" {'':<{label + 1}}{text}", "warn" if field.wrong else "dim")] for text in noted]
        return [first, *below]

    def _below(self, inside: int) -> list[list[Piece]]:
        """Figures before and after, and notes."""
        view = self.drawn
        rows: list[list[Piece]] = []
        if view.figures:
            wide = max(8, min(FIGURE_CELLS, (inside - 4) // 3))
            names = max(len(figure.name) for figure in view.figures) + 1
            rows.append([(f" {'':<{names}}{'now':>{wide}}{'then':>{wide}}", "dim")])
            rows += [
                [
                    (f" {figure.name:<{names}}", "dim"),
                    (f"{cut(figure.before, wide - 1):>{wide}}", "text"),
                    (f"{cut(figure.after, wide - 1):>{wide}}", "warn" if figure.low else "strong"),
                ]
                for figure in view.figures
            ]
        for note in view.notes:
            rows += [[(f" {text}", "dim")] for text in wrap(note, max(8, inside - 2))]
        return rows

    def _send_rows(self, inside: int) -> list[list[Piece]]:
        here, view, label = self.field is None, self.drawn, self._label_cells
        role = "dim" if view.refusal else ("strong" if here else "text")
        said = wrap(self._describe_sending(), max(8, inside - label - 3))
        pointer: Piece = ("▸ " if here else "  ", "accent")
        rest: list[list[Piece]] = [[(f" {'':<{label + 1}}{text}", role)] for text in said[1:]]
        return [[pointer, (f"{_SEND:<{label}}", "text"), (said[0], role)], *rest]

    def _describe_sending(self) -> str:
        """Whether it can be sent; what is wrong with a field stands below that field."""
        view = self.drawn
        if view.wrong is not None:
            missing = not view.wrong.choices and not self.values.get(view.wrong.name)
            return f"not yet: {view.wrong.label} is {'missing' if missing else 'refused'}"
        if view.refusal:
            return view.refusal
        if view.query is not None:
            return "Enter asks the service"
        if view.question is not None:
            return "Enter asks, then sends it" if self.field is None else "ready: here Enter asks, then sends it"
        if self.field is not None:
            return "ready: go to this line to send it"
        return f"{format_key(self.sends_by())} sends it"

    def hint(self, action: str) -> str | None:
        """What a key of the last line does now, for the lowest line; None: nothing."""
        view = self.drawn
        asks = view.query is not None or view.question is not None
        if view.refusal or view.wrong is not None or self.refused_key:
            return None
        if action == "form.send":
            return None if asks else "send"
        return "ask" if asks else "send" if self.sends_by() == "enter" else None


class FormScreen(BoxModal[FormBody, None]):
    """Beside the row it is about, so that row, bid and ask stay in sight."""

    @property
    def scope(self) -> Scope:  # type: ignore[override]
        """In a field letters are text, on the last line they are free."""
        return Scope.FORM if self.body.field is not None else Scope.FORM_END

    def placements(self, size: Size) -> dict[str, Region]:
        width = min(self.body.cells, size.width)
        return self.place(size, width, self.body.lines_needed(width), wanted=USUAL_LINES)

    def follow(self) -> None:
        self.body.look()

    def on_key(self, event: Key) -> None:
        """A typed letter is text."""
        if event.is_printable and event.character:
            event.stop()
            self.body.type(event.character)

    def on_paste(self, event: Paste) -> None:
        """A paste is typed text."""
        event.stop()
        self.body.type(event.text.replace("\n", " "))
