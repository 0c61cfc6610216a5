"""Questions with consequences: cancel-all, kill, arm in live, quit. They say what will happen, with counts."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from textual.app import ComposeResult
from textual.geometry import Region, Size
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widget import Widget

from tui.seams import Clock
from tui.workstation.palette import Palette, Piece
from tui.workstation.placed import Placing
from tui.workstation.strips import Frame


class Choice(msgspec.Struct, frozen=True):
    """One thing that can be confirmed."""

    id: str
    text: str
    """The consequence, with names and counts."""
    enabled: bool = True


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt: what it asks and what can be chosen."""

    kind: str
    title: str
    choices: tuple[Choice, ...]
    notes: tuple[str, ...] = ()
    kill: bool = False
    """The kill prompt: opens on its first row, Enter does it."""
    start: int = 0


class PromptBody(Widget, can_focus=True):
    """Draws a question."""

    DEFAULT_CSS = "PromptBody { width: 1fr; height: 1fr; }"

    def __init__(self, question: Question, palette: Palette) -> None:
        super().__init__(id="prompt")
        self.question = question
        self.palette = palette
        self.at = question.start
        self._frame = Frame()
        self._frame.set(True, "frame-live" if question.kill else "accent")

    @property
    def lines_needed(self) -> int:
        return 4 + len(self.question.choices) + len(self.question.notes)

    def move(self, steps: int) -> None:
        """Mark another choice."""
        self.at = (self.at + steps) % len(self.question.choices)
        self.refresh()

    def _rows(self) -> list[list[Piece]]:
        question = self.question
        rows: list[list[Piece]] = []
        for index, choice in enumerate(question.choices):
            marked = index == self.at
            role = "faint" if not choice.enabled else "strong" if marked else "text"
            rows.append([(" ▸ " if marked else "   ", "accent"), (choice.text, role)])
        rows += [[("   " + note, "dim")] for note in question.notes]
        rows.append([])
        if question.kill:
            rows.append(
                [("   ", "text"), ("Enter", "key"), (" does it   ", "strong"), ("Esc", "key"), (" goes back", "dim")]
            )
        else:
            rows.append(
                [
                    (" [ Cancel ] ", "title-focus"),
                    (" Enter or Esc   ", "dim"),
                    ("y", "key"),
                    (" confirms the marked line", "dim"),
                ]
            )
        return rows

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if y == 0:
            role = "alert" if self.question.kill else "title-focus"
            return self._frame.title([(self.question.title, role)], width, self.palette, True, False)
        if y == self.size.height - 1:
            return self._frame.bottom(width, self.palette)
        rows = self._rows()
        return self._frame.inside(rows[y - 1] if y - 1 < len(rows) else [], width, self.palette)


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
        self._covered = covered
        """Lines at the top that stay free: the status."""

    def compose(self) -> ComposeResult:
        yield self.body

    def on_mount(self) -> None:
        self.body.focus()
        self.set_timer(self._expiry, self._expire)

    def placements(self, size: Size) -> dict[str, Region]:
        """In the middle, below the status lines."""
        longest = max(len(choice.text) for choice in self.question.choices) + 8
        notes = max((len(note) for note in self.question.notes), default=0) + 8
        width = min(size.width, max(60, longest, notes))
        height = min(max(1, size.height - self._covered), self.body.lines_needed)
        y = max(self._covered, (size.height - height) // 3)
        return {"prompt": Region((size.width - width) // 2, min(y, max(0, size.height - height)), width, height)}

    @property
    def ready(self) -> bool:
        """Whether keys count already."""
        return self._clock.mono() >= self._armed_at

    @property
    def chosen(self) -> Choice:
        return self.question.choices[self.body.at]

    def _expire(self) -> None:
        if self.is_attached:
            self.dismiss(None)


Answer = Callable[[str | None], None]
