"""Questions before serious actions (cancel-all, kill, arm in live, quit), which state the effect with counts."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from textual.geometry import Region, Size

from tui.interface.text import how_many
from tui.protocols import Clock
from tui.workstation.input.line_editor import ERASES, LineEditor
from tui.workstation.input.scopes import Scope
from tui.workstation.render.named_lines import VisibleLines, fit_named_lines, wrap_shortest
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece, pieces_width
from tui.workstation.render.text import hang, wrap
from tui.workstation.widgets.list_modal import EDGES, BoxModal, ModalBody
from tui.workstation.widgets.question import Option, Question

MAX_WORD = 20
KILL_KEY = "X"
"""Key of the kill prompt: held, it repeats into the prompt, and means nothing else there."""
HANGS = 2
"""Cells by which further lines of a choice are indented."""

NAMED_INDENT = 3
"""Cells beside the named lines and notes."""
GAP = 1
"""Empty line above the keys, which has no room of its own where room is short."""
LEAST_NAMED = 3
"""Least height of named lines: one that stays, one that scrolls, and how many more there are."""

RENEW_S = 0.25
"""Seconds between updates of the counts in an open question."""
EXPIRED = "expired: nothing was done"
"""Why a question closes that nobody answered."""


def describe_end(question: Question) -> str:
    """Return the message that a question was closed because its subject has ended or turned, with the reason first."""
    return f"closed: {question.ended}; nothing was done"


class PromptBody(ModalBody):
    """Body of a question dialog."""

    accented = False

    def __init__(self, question: Question, palette: Palette) -> None:
        super().__init__("prompt", palette)
        self.question = question
        self.at = question.start
        self._first = 0
        """Number of named lines scrolled past."""
        self._line = LineEditor(most=MAX_WORD)
        self.refused = ""
        """Letters that are no answer, and those behind them: until Backspace, the key that answers does nothing."""
        self.border.set("frame-live" if question.kill else "accent", heavy=True)

    @property
    def content(self) -> Hashable:
        return self.question.title, self.question.choices[self.at].id, self.typed, self.refused

    def lines_needed(self, cells: int) -> int:
        """Return the height for a width, borders included."""
        return EDGES + len(self._rows(cells, 1000))

    def brief_lines(self, cells: int) -> int:
        """Return the height for a width in which the shortest texts fit."""
        inside = cells - EDGES
        texts = len(self._all_choice_lines(inside, brief=True)) + len(self._note_lines(inside, brief=True))
        return EDGES + texts + len(wrap_shortest(self.question.named, inside - NAMED_INDENT)) + len(self._keys(inside))

    def least_lines(self, cells: int) -> int:
        """Return the height, for a width, that shows options, named lines and keys, without the notes."""
        inside = cells - EDGES
        choices = len(self._all_choice_lines(inside, brief=True))
        named = wrap_shortest(self.question.named, inside - NAMED_INDENT)
        return EDGES + choices + len(named) + len(self._keys(inside))

    def move(self, by: int) -> None:
        """Select another option; with a single one, scroll the named lines."""
        if len(self.question.choices) == 1:
            self._scroll(by)
            return
        self.at = (self.at + by) % len(self.question.choices)
        self.refused = ""
        if any(choice.word for choice in self.question.choices):
            self._line.put("")
        self.refresh()

    def turn_page(self, by: int) -> None:
        """Scroll the named lines by pages."""
        self._scroll(by * self._window.shown)

    def _scroll(self, by: int) -> None:
        window = self._window
        self._first = max(0, min(window.first + by, window.last))
        self.refresh()

    @property
    def _window(self) -> VisibleLines:
        """Named lines, such as of orders, that are visible now."""
        inside = self.size.width - EDGES
        choices, _ = self._fit_texts(inside, self.inner_height)
        return self._fit_named(inside, self.inner_height, len(choices))

    def _fit_named(self, inside: int, height: int, choices: int) -> VisibleLines:
        room = max(height - choices - len(self._keys(inside)), LEAST_NAMED)
        return fit_named_lines(self.question.named, inside - NAMED_INDENT, room, self._first)

    @property
    def editor(self) -> LineEditor | None:
        """Line editor for the confirmation word, if the question or one of its options requires one."""
        return self._line if self.word or any(choice.word for choice in self.question.choices) else None

    @property
    def typed(self) -> str:
        """Text typed so far."""
        return self._line.text

    def type(self, text: str) -> bool:
        """Insert letters and digits where a confirmation word is typed; return False for all other text."""
        if not self.refused and text.isalnum() and self._accepts(self._line.preview(text)):
            return super().type(text)
        if self.question.kill and text != KILL_KEY:
            self.refuse_letter(text)
        return False

    def refuse_letter(self, letter: str) -> None:
        """Block the answering key after a letter that is no answer; not if a word is typed or orders are only cancelled."""
        if self.question.kill or not (self.question.word or self.question.only_cancels):
            self.refused = f"{self.refused}{letter}"[-MAX_WORD:]
            self.refresh()

    def edit(self, key: str) -> bool:
        """Handle an editing key; after refused letters, Backspace only unblocks the answers."""
        was, self.refused = self.refused, "" if key in ERASES else self.refused
        if was and key == "backspace":
            self.refresh()
            return True
        return super().edit(key)

    def paste(self, text: str) -> bool:
        """Insert a pasted confirmation word, but not in the kill prompt, where a paste was meant for another window."""
        return bool(self.question.word) and super().type("".join(char for char in text if char.isalnum())[:MAX_WORD])

    def _accepts(self, typed: str) -> bool:
        """Return whether a text may be typed: anything if the question has a word, else the start of an option's word."""
        return bool(self.question.word) or any(choice.word.startswith(typed) for choice in self.question.choices)

    def handle_edit(self) -> None:
        """Select the option whose word is being typed; with no text in the kill prompt, the option selected at first."""
        if self.question.kill and not self.typed:
            self.at = self.question.start
        for at, choice in enumerate(self.question.choices):
            if self.typed and choice.word.startswith(self.typed):
                self.at = at
        self.refresh()

    def update_question(self, question: Question) -> None:
        """Show the question with new counts; the same option stays selected."""
        marked = self.question.choices[self.at].id
        places = [at for at, choice in enumerate(question.choices) if choice.id == marked]
        self.question = question
        self.at = places[0] if places else question.start
        self.refresh()

    @property
    def word(self) -> str:
        """Word that confirms the selected option; empty if none is required."""
        return self.question.choices[self.at].word or self.question.word

    @property
    def is_word_typed(self) -> bool:
        """Whether exactly the required word is typed."""
        return self.typed == self.word

    @property
    def _typeable(self) -> str:
        """Words of the options, joined by `or`, that confirm an option when typed."""
        return " or ".join(choice.word for choice in self.question.choices if choice.word)

    def _rows(self, cells: int, height: int) -> list[list[Piece]]:
        """Build the lines: options, named lines, the notes that fit, keys.

        Options that do not all fit begin with the selected one.
        """
        question, inside = self.question, cells - EDGES
        choices, noted = self._fit_texts(inside, height)
        named: list[list[Piece]] = [
            [("  " + text, "dim")] for text in self._fit_named(inside, height, len(choices)).lines
        ]
        notes: list[list[Piece]] = [[("  " + text, "dim")] for text in noted]
        gap: list[list[Piece]] = [[]]
        keys = self._keys(inside)
        while notes and len(choices) + len(named) + len(notes) + len(keys) > height:
            notes.pop()
        if len(choices) + len(named) + len(notes) + len(keys) + len(gap) > height:
            gap = []
        room = max(1, height - len(named) - len(keys))
        if len(choices) > room:
            # The selected choice must be readable in full, wherever it is in the list.
            brief = choices == self._all_choice_lines(inside, brief=True)
            places = range(self.at, len(question.choices))
            choices = [line for at in places for line in self._choice_lines(at, inside, brief=brief)]
        return [*choices[:room], *named, *notes, *gap, *keys]

    def _fit_texts(self, inside: int, height: int) -> tuple[list[list[Piece]], list[str]]:
        """Return the lines of the options and the notes: the whole texts, else first shorter notes, then shorter options."""
        room = height - len(wrap_shortest(self.question.named, inside - NAMED_INDENT)) - len(self._keys(inside))
        for short_options, short_notes in ((False, False), (False, True), (True, True)):
            choices = self._all_choice_lines(inside, brief=short_options)
            notes = self._note_lines(inside, brief=short_notes)
            if len(choices) + len(notes) <= room:
                break
        return choices, notes

    def _note_lines(self, inside: int, *, brief: bool = False) -> list[str]:
        notes = (brief and self.question.brief_notes) or self.question.notes
        return [text for note in notes for text in wrap(note, inside - NAMED_INDENT)]

    def _all_choice_lines(self, inside: int, *, brief: bool = False) -> list[list[Piece]]:
        places = range(len(self.question.choices))
        return [line for at in places for line in self._choice_lines(at, inside, brief=brief)]

    def _choice_lines(self, at: int, inside: int, *, brief: bool = False) -> list[list[Piece]]:
        """Wrap the text of one option; the selected option is marked by a triangle."""
        choice, marked = self.question.choices[at], at == self.at
        role = "faint" if not choice.enabled else "strong" if marked else "text"
        text = (brief and choice.brief) or choice.text
        label = f"{choice.word}: " if choice.word else "Enter: " if self.question.kill else ""
        return [
            [("▸ " if marked and not count else "  ", "accent"), (line, role)]
            for count, line in enumerate(hang(label + text, inside - 3, HANGS))
        ]

    def _keys(self, inside: int) -> list[list[Piece]]:
        if self.refused:
            key = "Enter" if self.question.kill else "y"
            said: list[Piece] = [("  ", "text"), (f"{self.refused} is no answer: {key} does nothing", "alert")]
            ways: list[Piece] = [("   Backspace", "key"), (" continues", "dim"), ("   Esc", "key"), (" back", "dim")]
            return [[*said, *ways]] if pieces_width([*said, *ways]) <= inside else [said, ways]
        if self.question.kill and not self.word:
            enter: list[Piece] = [
                ("  ", "text"),
                ("Enter", "key"),
                (" does it   ", "strong"),
                ("Esc", "key"),
                (" back", "dim"),
            ]
            other: list[Piece] = [(f"   or type {self._typeable}", "dim")]
            return [[*enter, *other]] if pieces_width([*enter, *other]) <= inside else [enter, other]
        if self.word:
            return self._word_keys(inside)
        if self.question.opens:
            opens: list[Piece] = [
                ("  Enter", "key"),
                (f" opens the {self.question.opens}   ", "strong"),
                ("Esc", "key"),
                (" back", "dim"),
            ]
            return [opens]
        back: list[Piece] = [(" [ Back: change nothing ] ", "title-focus"), (" Enter or Esc   ", "dim")]
        on: list[Piece] = [("y", "key"), (" confirms the selected line", "dim")]
        if self._typeable:
            on.append((f"   or type {self._typeable}", "dim"))
        return [[*back, *on]] if pieces_width([*back, *on]) <= inside else [back, [(" ", "text"), *on]]

    def _word_keys(self, inside: int) -> list[list[Piece]]:
        """Build the line in which the confirmation word is typed, with the word and its keys."""
        ready: Piece = (" Enter confirms", "strong") if self.is_word_typed else ("", "text")
        if not self.word.startswith(self.typed):
            ready = (" is not the word", "alert")
        typed: Piece = (f" {self._line.visible_text(MAX_WORD + 1)} ", "title-focus")
        word: list[Piece] = [("  type ", "dim"), (self.word, "key")]
        entry: list[Piece] = [(":", "dim"), typed, ready, ("   Esc", "key"), (" back", "dim")]
        others = [choice.word for choice in self.question.choices if choice.word not in ("", self.word)]
        more: list[Piece] = [(f" or {' or '.join(others)}", "dim")] if others and not self.typed else []
        whole = [*word, *more, *entry]
        return [whole] if pieces_width(whole) <= inside else [[*word, *entry]]

    def title_pieces(self) -> list[Piece]:
        return [(self.question.title, "alert" if self.question.kill else "title-focus")]

    def title_end(self) -> list[Piece]:
        """Return a warning with the number of lines that do not fit; empty if all fit."""
        inside, height = self.size.width - EDGES, self.inner_height
        lines, notes = self._fit_texts(inside, height)
        named = len(self._fit_named(inside, height, len(lines)).lines)
        hidden = len(lines) + named + len(notes) + len(self._keys(inside)) - height
        if hidden <= 0:
            return []
        return [(f"{how_many(hidden, 'line')} {'does' if hidden == 1 else 'do'} not fit", "warn")]

    def build_lines(self) -> list[list[Piece]]:
        return self._rows(self.size.width, self.size.height - EDGES)


class PromptScreen(BoxModal[PromptBody, str | None]):
    """Question dialog beside its subject; at first only Esc works, and it closes unanswered when its time is over."""

    def __init__(
        self,
        question: Question,
        palette: Palette,
        clock: Clock,
        arm_s: float,
        expiry_s: float,
        renew: Callable[[], Question] | None = None,
        on_end: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Initialize the dialog; its times begin now.

        Args:
            question: Question to show.
            palette: Colours.
            clock: Clock that measures `arm_s`.
            arm_s: Seconds during which keys are ignored after opening.
            expiry_s: Seconds after which it closes unanswered.
            renew: Rebuild the question with current counts; None if nothing in it can change.
            on_end: Called with the reason when it closes unanswered by itself.
        """
        super().__init__(PromptBody(question, palette))
        self.beside = question.beside
        self._renew = renew
        self._on_end = on_end
        self._clock = clock
        self._arm_s = arm_s
        self._armed_at = clock.mono() + arm_s
        self._expiry = expiry_s
        self._end = ""
        """Why it closes, perhaps when it is on top again; empty: it stays open."""

        self.scope = Scope.WORD if question.word else Scope.KILL if question.kill else Scope.PROMPT

    def on_mount(self) -> None:
        self.set_timer(self._expiry, self._expire)
        if self._renew is not None:
            self.set_interval(RENEW_S, self.renew)

    @property
    def question(self) -> Question:
        return self.body.question

    def closes_itself(self) -> bool:
        """Close the dialog if its subject has ended; return whether it is closing."""
        if self._renew is not None and (question := self._renew()).ended:
            self.end_unanswered(describe_end(question))
        return bool(self._end) or self.closes

    def renew(self) -> None:
        """Update the question to current counts; enlarge the dialog if needed, or close it if its subject has ended."""
        question = self._renew() if self._renew is not None else self.question
        if question.ended:
            self.end_unanswered(describe_end(question))
        elif question != self.question:
            self.body.update_question(question)
            # Textual places the box anew only for a widget in the dialog, not for the dialog itself.
            self.body.refresh(layout=True)

    def on_screen_resume(self) -> None:
        if self._end and not self.closes:
            self.end_unanswered(self._end)

    @property
    def name_text(self) -> str:
        """Name of the question in messages: its word to type, else its title."""
        return f"type {self.question.word}" if self.question.word else self.question.title

    def placements(self, size: Size) -> dict[str, Region]:
        named = max((len(line.forms[0]) for line in self.question.named), default=0) + 9
        longest = max(len(choice.word) + len(choice.text) for choice in self.question.choices) + 11
        notes = max((len(note) for note in self.question.notes), default=0) + 9
        view = self.surroundings.view
        width = min(size.width if view is None else view.x, max(60, longest, named, notes))
        wanted = self.body.lines_needed(width)
        needed, around = wanted - GAP, self.surroundings
        if needed > size.height - around.status - around.foot:
            # The status lines and the keys stay in sight: the texts give way first, as far as they have shorter ones.
            needed = self.body.brief_lines(width)
        return self.place(size, width, needed, self.body.least_lines(width), wanted)

    @property
    def ready(self) -> bool:
        """Whether the dialog accepts keys already."""
        return self._clock.mono() >= self._armed_at

    def wait_again(self) -> None:
        """Restart the time in which answers are ignored, because a key came too early and more may follow.

        A word is typed at its own pace, and a cancel is never held up.
        """
        if self.scope is Scope.PROMPT and not self.question.only_cancels:
            self._armed_at = self._clock.mono() + self._arm_s

    @property
    def chosen(self) -> Option:
        return self.question.choices[self.body.at]

    def _expire(self) -> None:
        self.end_unanswered(EXPIRED)

    def end_unanswered(self, why: str) -> None:
        """Close the dialog without an answer, as soon as it is on top."""
        self._end = why
        if self.is_attached and self.is_active:
            self._on_end(why)
            self.dismiss(None)
