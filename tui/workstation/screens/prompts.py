"""Questions with consequences: cancel-all, kill, arm in live, quit. They say what will happen, with counts."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from textual.app import ComposeResult
from textual.events import Key
from textual.geometry import Region, Size
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widget import Widget

from tui.engine.rows import LocalOrderState, OrderRow
from tui.interface.wording import how_many
from tui.protocols import Clock
from tui.workstation.render.absolute_layout import Placing
from tui.workstation.render.box_border import BoxBorder
from tui.workstation.render.palette import Palette, Piece
from tui.workstation.render.strips import pieces_width
from tui.workstation.render.text import wrapped

MAX_WORD = 20


class Option(msgspec.Struct, frozen=True):
    """One thing that can be confirmed."""

    id: str
    text: str
    """The consequence, with names and counts."""
    enabled: bool = True


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt: what it asks and what can be chosen."""

    kind: str
    title: str
    choices: tuple[Option, ...]
    notes: tuple[str, ...] = ()
    kill: bool = False
    """The kill prompt: opens on its first row, Enter does it."""
    start: int = 0
    word: str = ""
    """What must be typed to confirm; empty: `y` confirms."""


class PromptBody(Widget, can_focus=True):
    """Draws a question."""

    DEFAULT_CSS = "PromptBody { width: 1fr; height: 1fr; }"

    def __init__(self, question: Question, palette: Palette) -> None:
        super().__init__(id="prompt")
        self.question = question
        self.palette = palette
        self.at = question.start
        self.typed = ""
        self._border = BoxBorder()
        self._border.set(True, "frame-live" if question.kill else "accent")

    def lines_needed(self, cells: int) -> int:
        """Height at a width, edges included."""
        return 2 + len(self._rows(cells, 1000))

    def move(self, steps: int) -> None:
        """Mark another choice."""
        self.at = (self.at + steps) % len(self.question.choices)
        self.refresh()

    def on_key(self, event: Key) -> None:
        """Letters of the word; what is no letter means what it means elsewhere."""
        if self.question.word and event.character and event.character.isalnum() and len(self.typed) < MAX_WORD:
            event.stop()
            self.typed += event.character
            self.refresh()

    def erase(self) -> None:
        """Take the last letter back."""
        self.typed = self.typed[:-1]
        self.refresh()

    @property
    def said(self) -> bool:
        """Whether the word stands there."""
        return self.typed == self.question.word

    def _rows(self, cells: int, height: int) -> list[list[Piece]]:
        """Consequences in full, then the notes that fit, and always the keys."""
        question, inside = self.question, cells - 2
        choices: list[list[Piece]] = []
        for index, choice in enumerate(question.choices):
            marked = index == self.at
            role = "faint" if not choice.enabled else "strong" if marked else "text"
            for count, text in enumerate(wrapped(choice.text, inside - 3)):
                choices.append([("▸ " if marked and not count else "  ", "accent"), (text, role)])
        notes: list[list[Piece]] = [
            [("  " + text, "dim")] for note in question.notes for text in wrapped(note, inside - 3)
        ]
        gap: list[list[Piece]] = [[]]
        keys = self._keys(inside)
        while notes and len(choices) + len(notes) + len(keys) > height:
            notes.pop()
        if len(choices) + len(notes) + len(keys) + len(gap) > height:
            gap = []
        shown = choices[: max(1, height - len(keys))]
        return [*shown, *notes, *gap, *keys]

    def _keys(self, inside: int) -> list[list[Piece]]:
        if self.question.kill:
            return [
                [("  ", "text"), ("Enter", "key"), (" does it   ", "strong"), ("Esc", "key"), (" goes back", "dim")]
            ]
        if self.question.word:
            ready: Piece = (" Enter confirms", "strong") if self.said else ("", "text")
            typed: Piece = (f" {self.typed}_ ", "title-focus")
            return [
                [
                    ("  type ", "dim"),
                    (self.question.word, "key"),
                    (":", "dim"),
                    typed,
                    ready,
                    ("   Esc", "key"),
                    (" back", "dim"),
                ]
            ]
        back: list[Piece] = [(" [ Back: change nothing ] ", "title-focus"), (" Enter or Esc   ", "dim")]
        on: list[Piece] = [("y", "key"), (" confirms the marked line", "dim")]
        return [[*back, *on]] if pieces_width([*back, *on]) <= inside else [back, [(" ", "text"), *on]]

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if y == 0:
            role = "alert" if self.question.kill else "title-focus"
            return self._border.title([(self.question.title, role)], width, self.palette, True, False)
        if y == self.size.height - 1:
            return self._border.bottom(width, self.palette)
        rows = self._rows(width, self.size.height - 2)
        return self._border.inside(rows[y - 1] if y - 1 < len(rows) else [], width, self.palette)


class PromptScreen(Placing, ModalScreen[str | None]):
    """Over the desk, which goes on behind it. Ignores keys at first, and closes unanswered in the end."""

    DEFAULT_CSS = "PromptScreen { background: transparent; }"
    ESCAPE_TO_MINIMIZE = False

    def __init__(
        self, question: Question, palette: Palette, clock: Clock, arm_s: float, expiry_s: float, covered: int = 1
    ) -> None:
        super().__init__()
        self.question = question
        self.body = PromptBody(question, palette)
        self._clock = clock
        self._armed_at = clock.mono() + arm_s
        self._expiry = expiry_s
        self._expired = False
        """Its time ended, perhaps below another prompt; then it closes when it comes up again."""
        self._covered = covered
        """Lines at the top that stay free: the status."""

    def compose(self) -> ComposeResult:
        yield self.body

    def on_mount(self) -> None:
        self.body.focus()
        self.set_timer(self._expiry, self._expire)

    def on_screen_resume(self) -> None:
        if self._expired:
            self.dismiss(None)

    def placements(self, size: Size) -> dict[str, Region]:
        """In the middle, below the status lines."""
        longest = max(len(choice.text) for choice in self.question.choices) + 9
        notes = max((len(note) for note in self.question.notes), default=0) + 9
        width = min(size.width, max(60, longest, notes))
        covered = self._covered if size.height - self._covered >= 6 else min(1, size.height - 1)
        height = min(max(1, size.height - covered), self.body.lines_needed(width))
        y = max(covered, (size.height - height) // 3)
        return {"prompt": Region((size.width - width) // 2, min(y, max(0, size.height - height)), width, height)}

    @property
    def ready(self) -> bool:
        """Whether keys count already."""
        return self._clock.mono() >= self._armed_at

    @property
    def chosen(self) -> Option:
        return self.question.choices[self.body.at]

    def _expire(self) -> None:
        self._expired = True
        if self.is_attached and self.is_active:
            self.dismiss(None)


def counted(orders: list[OrderRow]) -> str:
    """How many orders, and how many of them nobody knows the outcome of."""
    unknown = sum(1 for order in orders if order.state == LocalOrderState.UNKNOWN)
    text = how_many(len(orders), "order")
    return text + (f" ({unknown} UNKNOWN)" if unknown else "")


Answer = Callable[[str | None], None]
