"""The form of an algo order: kind, side, triggers and size, each with what it comes to; a small box over the panes."""

from __future__ import annotations

from collections.abc import Callable

from textual.events import Key, Paste
from textual.geometry import Region, Size

from tui.interface.text import clean
from tui.workstation.input.scopes import Scope
from tui.workstation.render.palette import Palette, Piece
from tui.workstation.render.text import wrapped
from tui.workstation.screens.list_modal import EDGES, BoxModal, ModalBody
from tui.workstation.tickets.algo_draft import AlgoDraft, AlgoFormView, AlgoSubject, Part, kinds

MOST_TYPED = 40
NAME_CELLS = 9
LEAST_LINES = 14
"""Height of the form, with room for what is said of its fields."""
_CHOICES = (Part.KIND, Part.SIDE)


class AlgoForm(ModalBody):
    """Fields one below the other, each with what it means; what is judged follows the market."""

    def __init__(
        self, subject: AlgoSubject, draft: AlgoDraft, judge: Callable[[AlgoDraft], AlgoFormView], palette: Palette
    ) -> None:
        """
        Args:
            subject: What the order is about.
            draft: What stands in the fields.
            judge: The texts for a draft, as of now.
            palette: Colours.
        """
        super().__init__("algo", palette)
        self.subject = subject
        self.draft = draft
        self._judge = judge
        self._looked: AlgoFormView | None = None
        self.at = 0 if subject.edited is not None else 1
        """Which field has the cursor; of a new order the one behind its kind."""
        self._untouched = set(draft.texts)
        """Fields that hold what the order has: a typed letter replaces it, backspace changes it."""
        self.answer = ""
        """What the engine or the service answered to the last try, until something else is typed."""
        self.sending = False
        """Whether a try has no answer yet."""

    @property
    def part(self) -> Part:
        """The field with the cursor."""
        parts = self.draft.parts(self.subject)
        return parts[min(self.at, len(parts) - 1)]

    @property
    def drawn(self) -> AlgoFormView:
        """The texts that stand there."""
        return self._looked or self.look()

    def look(self) -> AlgoFormView:
        """Judge what is typed anew, and draw it."""
        self._looked = self._judge(self.draft)
        self.refresh()
        if self.is_attached and self.lines_needed(self.size.width) > self.size.height:
            self.refresh(layout=True)
        return self._looked

    def move(self, by: int) -> None:
        """To the next or the previous field."""
        count = len(self.draft.parts(self.subject))
        self.at = max(0, min(count - 1, self.at + by))
        self.look()

    def go_to(self, part: Part) -> None:
        """To a field by name."""
        self.at = self.draft.parts(self.subject).index(part)
        self.look()

    def turn(self, by: int) -> None:
        """The next value of a choice; in a text field nothing."""
        if self.part is Part.KIND:
            offered = kinds(self.subject)
            self.draft.kind = offered[(offered.index(self.draft.kind) + by) % len(offered)]
            if self.subject.held:
                self.draft.side = self.subject.closing_side
        elif self.part is Part.SIDE:
            self.draft.side = self.draft.side.other
        self._changed()

    def put(self, text: str) -> None:
        """Another text in the field with the cursor."""
        if self.part not in _CHOICES and self.part is not Part.SEND:
            self.draft.texts[self.part] = clean(text)[:MOST_TYPED]
            self._untouched.discard(self.part)
        self._changed()

    def type(self, text: str) -> None:
        """Letters are typed or pasted; on a choice a blank turns it, and nothing else does."""
        if self.part in _CHOICES:
            if text == " ":
                self.turn(1)
        else:
            self.put(text if self.part in self._untouched else self.typed + text)

    @property
    def typed(self) -> str:
        return self.draft.texts.get(self.part, "")

    def _changed(self) -> None:
        self.answer = ""
        self.look()

    def say(self, answer: str) -> None:
        """Show an answer below the fields."""
        self.answer = answer
        self.look()

    def title_pieces(self) -> list[Piece]:
        return [(self.drawn.title, "title-focus")]

    def lines_needed(self, cells: int) -> int:
        """Height at a width, edges included."""
        return EDGES + len(self._rows(cells - 2))

    def line(self, y: int) -> list[Piece]:
        rows = self._rows(self.size.width - 2)
        return rows[y] if y < len(rows) else []

    def _rows(self, inside: int) -> list[list[Piece]]:
        rows: list[list[Piece]] = []
        for part in self.draft.parts(self.subject):
            rows += self._field(part, inside)
        return rows + [[(f" {text}", "warn")] for text in wrapped(self.answer, max(8, inside - 2))]

    def _field(self, part: Part, inside: int) -> list[list[Piece]]:
        here, view = part is self.part, self.drawn
        pointer: Piece = ("▸ " if here else "  ", "accent")
        if part is Part.SEND:
            role = "dim" if view.refusal else ("strong" if here else "text")
            said = wrapped(self._send_words(), max(8, inside - 13))
            first: list[Piece] = [pointer, ("send     ", "text"), (said[0], role)]
            return [first, *([(f" {'':<{NAME_CELLS + 1}}{one}", role)] for one in said[1:])]
        name: Piece = (f"{part.value:<{NAME_CELLS}}", "dim")
        if part in _CHOICES:
            value = self.draft.kind.value if part is Part.KIND else self.draft.side.value
            choice: Piece = (f"‹ {value} ›", "title-focus" if here else "text")
            leg: list[Piece] = [(f" {view.notes[part]}", "dim")] if part in view.notes else []
            return [[pointer, name, choice, *leg]]
        text = self.draft.texts.get(part, "")
        value_piece: Piece = (f"{text}_" if here else (text or "–"), "title-focus" if here else "text")
        typed = bool(text) or part is Part.SIZE
        role = "warn" if view.wrong is part and typed else "dim"
        note = view.notes.get(part, "")
        below: list[list[Piece]] = [
            [(f" {'':<{NAME_CELLS + 1}}{one}", role)] for one in wrapped(note, max(8, inside - NAME_CELLS - 3))
        ]
        return [[pointer, name, value_piece], *below]

    def _send_words(self) -> str:
        """Whether it can be sent; what is wrong with a field stands below that field."""
        view = self.drawn
        if not view.refusal:
            return "Enter sends it"
        if view.wrong is None or view.wrong not in view.notes:
            return view.refusal
        return f"not yet: the {view.wrong.value} is {'wrong' if self.draft.texts.get(view.wrong) else 'missing'}"


class AlgoScreen(BoxModal[AlgoForm, None]):
    """At the right, below the status, so that the row it is about stays in sight."""

    scope = Scope.ALGO

    cells = 66

    def placements(self, size: Size) -> dict[str, Region]:
        width = min(self.cells, size.width)
        top = min(self.covered, max(0, size.height - 6))
        height = max(1, min(size.height - top, max(LEAST_LINES, self.body.lines_needed(width))))
        return {"algo": Region(size.width - width, top, width, height)}

    def follow(self) -> None:
        self.body.look()

    def on_key(self, event: Key) -> None:
        """A typed letter is text; Ctrl+U empties the field."""
        if event.is_printable and event.character:
            event.stop()
            self.body.type(event.character)
        elif event.key == "ctrl+u":
            event.stop()
            self.body.put("")

    def on_paste(self, event: Paste) -> None:
        """A paste is typed text."""
        event.stop()
        self.body.type(event.text)
