"""Questions with consequences: cancel-all, kill, arm in live, quit. They say what will happen, with counts."""

from __future__ import annotations

from collections.abc import Callable, Hashable

import msgspec
from textual.geometry import Region, Size

from tui.engine.rows import LocalOrderState, OrderRow
from tui.interface.text import how_many
from tui.protocols import Clock
from tui.workstation.input.line_editor import LineEditor
from tui.workstation.input.scopes import Scope
from tui.workstation.render.palette import Palette, Piece
from tui.workstation.render.placement import Beside
from tui.workstation.render.strips import pieces_width
from tui.workstation.render.text import hang, wrap
from tui.workstation.widgets.list_modal import EDGES, BoxModal, ModalBody

MAX_WORD = 20
HANGS = 2
"""Cells by which the further lines of a choice stand behind its first."""

RENEW_S = 0.25
"""How often an open question looks again at what it counts."""


class Option(msgspec.Struct, frozen=True):
    """One thing that can be confirmed."""

    id: str
    text: str
    """The consequence, with names and counts."""
    enabled: bool = True
    word: str = ""
    """What must be typed to confirm this one; empty: the question's own way."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt: what it asks and what can be chosen."""

    kind: str
    title: str
    choices: tuple[Option, ...]
    notes: tuple[str, ...] = ()
    kill: bool = False
    """The kill prompt: opens on its first row, which Enter does; the others want their word."""
    start: int = 0
    only_cancels: bool = False
    """Whether the answer only takes orders off the book; then it needs no fresh press."""
    word: str = ""
    """What must be typed to confirm; empty: `y` confirms."""
    beside: Beside = Beside.ROW
    """Where it opens."""


class PromptBody(ModalBody):
    """Draws a question."""

    accented = False

    def __init__(self, question: Question, palette: Palette) -> None:
        super().__init__("prompt", palette)
        self.question = question
        self.at = question.start
        self._line = LineEditor(most=MAX_WORD)
        self.border.set(True, "frame-live" if question.kill else "accent")

    @property
    def content(self) -> Hashable:
        return self.question.title, self.question.choices[self.at].id, self.typed

    def lines_needed(self, cells: int) -> int:
        """Height at a width, edges included."""
        return EDGES + len(self._rows(cells, 1000))

    def least_lines(self, cells: int) -> int:
        """Height at a width in which every choice and the keys can be read, without the notes."""
        inside = cells - EDGES
        choices = sum(len(self._choice_lines(at, inside)) for at in range(len(self.question.choices)))
        return EDGES + choices + len(self._keys(inside))

    def move(self, by: int) -> None:
        """Mark another choice."""
        self.at = (self.at + by) % len(self.question.choices)
        if any(choice.word for choice in self.question.choices):
            self._line.put("")
        self.refresh()

    @property
    def editor(self) -> LineEditor | None:
        """The word that is typed, where the question or one of its rows wants one."""
        return self._line if self.word or any(choice.word for choice in self.question.choices) else None

    @property
    def typed(self) -> str:
        """What is typed of the word."""
        return self._line.text

    def type(self, text: str) -> bool:
        """Take a letter of the word; what is no letter of it means what it means elsewhere."""
        return text.isalnum() and self._takes(self._line.after(text)) and super().type(text)

    def paste(self, text: str) -> bool:
        """Take a pasted word, except in the kill prompt: a hand that pastes there meant another window."""
        return bool(self.question.word) and super().type("".join(char for char in text if char.isalnum())[:MAX_WORD])

    def _takes(self, typed: str) -> bool:
        """Whether this may be typed: anything where a word is asked for, else the beginning of the word of a row."""
        return bool(self.question.word) or any(choice.word.startswith(typed) for choice in self.question.choices)

    def edited(self) -> None:
        """Mark the row whose word is being typed."""
        for at, choice in enumerate(self.question.choices):
            if self.typed and choice.word.startswith(self.typed):
                self.at = at
        self.refresh()

    def ask(self, question: Question) -> None:
        """The same question with the counts of now; the mark stays on its choice."""
        marked = self.question.choices[self.at].id
        places = [at for at, choice in enumerate(question.choices) if choice.id == marked]
        self.question = question
        self.at = places[0] if places else question.start
        self.refresh()

    @property
    def word(self) -> str:
        """The word that confirms the marked row; empty: none is asked for."""
        return self.question.choices[self.at].word or self.question.word

    @property
    def said(self) -> bool:
        """Whether the word stands there, and nothing else."""
        return self.typed == self.word

    def _rows(self, cells: int, height: int) -> list[list[Piece]]:
        """Consequences in full, then the notes that fit, and always the keys."""
        question, inside = self.question, cells - 2
        blocks = [self._choice_lines(at, inside) for at in range(len(question.choices))]
        choices = [line for block in blocks for line in block]
        notes: list[list[Piece]] = [
            [("  " + text, "dim")] for note in question.notes for text in wrap(note, inside - 3)
        ]
        gap: list[list[Piece]] = [[]]
        keys = self._keys(inside)
        while notes and len(choices) + len(notes) + len(keys) > height:
            notes.pop()
        if len(choices) + len(notes) + len(keys) + len(gap) > height:
            gap = []
        room = max(1, height - len(keys))
        if len(choices) > room:
            # What Enter would do is read in full, wherever it stands in the list.
            choices = [line for block in blocks[self.at :] for line in block]
        return [*choices[:room], *notes, *gap, *keys]

    def _choice_lines(self, at: int, inside: int) -> list[list[Piece]]:
        """One choice, wrapped; the marked one has the triangle."""
        choice, marked = self.question.choices[at], at == self.at
        role = "faint" if not choice.enabled else "strong" if marked else "text"
        label = f"{choice.word}: " if choice.word else "Enter: " if self.question.kill else ""
        return [
            [("▸ " if marked and not count else "  ", "accent"), (text, role)]
            for count, text in enumerate(hang(label + choice.text, inside - 3, HANGS))
        ]

    def _keys(self, inside: int) -> list[list[Piece]]:
        if self.question.kill and not self.word:
            does: list[Piece] = [
                ("  ", "text"),
                ("Enter", "key"),
                (" does it   ", "strong"),
                ("Esc", "key"),
                (" back", "dim"),
            ]
            words = " or ".join(choice.word for choice in self.question.choices if choice.word)
            other: list[Piece] = [(f"   or type {words}", "dim")]
            return [[*does, *other]] if pieces_width([*does, *other]) <= inside else [does, other]
        if self.word:
            ready: Piece = (" Enter confirms", "strong") if self.said else ("", "text")
            typed: Piece = (f" {self._line.shown(MAX_WORD + 1)} ", "title-focus")
            return [
                [
                    ("  type ", "dim"),
                    (self.word, "key"),
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

    def title_pieces(self) -> list[Piece]:
        return [(self.question.title, "alert" if self.question.kill else "title-focus")]

    def line(self, y: int) -> list[Piece]:
        rows = self._rows(self.size.width, self.size.height - EDGES)
        return rows[y] if y < len(rows) else []


class PromptScreen(BoxModal[PromptBody, str | None]):
    """A question beside what it asks about. Ignores keys at first, and closes unanswered in the end."""

    def __init__(
        self,
        question: Question,
        palette: Palette,
        clock: Clock,
        arm_s: float,
        expiry_s: float,
        renew: Callable[[], Question] | None = None,
    ) -> None:
        """
        Args:
            question: What is asked.
            palette: Its colours.
            clock: For the time in which keys do not count yet.
            arm_s: That time.
            expiry_s: After this it closes unanswered.
            renew: The question with the counts of now; None where nothing in it can change.
        """
        super().__init__(PromptBody(question, palette))
        self.beside = question.beside
        self._renew = renew
        self._clock = clock
        self._armed_at = clock.mono() + arm_s
        self._expiry = expiry_s
        self._expired = False
        """Its time ended, perhaps below another prompt; then it closes when it comes up again."""

        self.scope = Scope.WORD if question.word else Scope.KILL if question.kill else Scope.PROMPT

    def on_mount(self) -> None:
        self.set_timer(self._expiry, self._expire)
        if self._renew is not None:
            self.set_interval(RENEW_S, self.renew)

    @property
    def question(self) -> Question:
        return self.body.question

    def renew(self) -> None:
        """Ask with the counts of now; a longer question gets a larger box."""
        question = self._renew() if self._renew is not None else self.question
        if question != self.question:
            self.body.ask(question)
            self.refresh(layout=True)

    def on_screen_resume(self) -> None:
        if self._expired:
            self.dismiss(None)

    def placements(self, size: Size) -> dict[str, Region]:
        longest = max(len(choice.word) + len(choice.text) for choice in self.question.choices) + 11
        notes = max((len(note) for note in self.question.notes), default=0) + 9
        width = min(size.width, max(60, longest, notes))
        return self.place(size, width, self.body.lines_needed(width), self.body.least_lines(width))

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
