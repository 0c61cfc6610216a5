"""Forms as data: fields, notes, values and command, computed again at each key press and row change.

To add a form: a `FormSubject`, and a key that hands it to `FormKeys.open`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import ClassVar, TypeAlias, TypeVar

import msgspec

from tui.engine.intents import AccountCommand, Outcome, PlaceAlgo, ReplaceAlgo, SetLeverage, SetMarginLeverage
from tui.engine.service_query import ServiceQuery
from tui.workstation.render.pieces import Piece
from tui.workstation.widgets.question import Question

AskedCommand: TypeAlias = AccountCommand | PlaceAlgo | ReplaceAlgo
"""Commands that a guard may ask to confirm before they are sent."""
FormCommand: TypeAlias = AskedCommand | SetLeverage | SetMarginLeverage
"""Commands that a form can send."""


Row = TypeVar("Row")


class Choice(msgspec.Struct, frozen=True):
    """Choice for a field with a fixed set of values."""

    value: str
    label: str = ""
    """Displayed text; empty: the value."""

    @property
    def shown(self) -> str:
        return self.label or self.value


class FieldKind(StrEnum):
    """Kind of text that is typed into a field."""

    TEXT = "text"
    FIGURE = "figure"
    """Number with its unit; X opens the kill prompt there, as no number contains an x."""
    COUNT = "count"
    """Whole number; Left and Right step it by one."""
    SECRET = "secret"
    """Text that is never shown."""


class FieldSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Field of a form in its current state."""

    name: str
    """Key of its text in the values of the form."""
    label: str = ""
    """Displayed text; empty: the name."""
    kind: FieldKind = FieldKind.TEXT
    choices: tuple[Choice, ...] = ()
    """Values to choose from; empty: a text is typed."""
    now: int = 0
    """Value of a count from which the first step goes while nothing is typed."""
    note: str = ""
    """Meaning of the text, what is accepted, or why it is refused."""
    required: bool = False
    """Whether it must be filled before the form can be sent."""
    refused: bool = False
    """Whether its text is refused; the note says why."""
    blank: str = "–"
    """Text shown while the field is empty and without the cursor."""
    warned: bool = False
    """Whether the note is a warning; the text is accepted."""

    @property
    def shown(self) -> str:
        return self.label or self.name


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """Named value of a form, before the command and after it."""

    name: str
    before: str
    after: str
    low: bool = False
    """Whether the value after is shown as a warning."""


class FormView(msgspec.Struct, frozen=True, kw_only=True):
    """State of a form for the typed values. While a field is invalid, neither `command` nor `ask` is used."""

    title: str
    fields: tuple[FieldSpec, ...]
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    """Notes to read before it is sent."""
    refusal: str = ""
    """Reason that holds for every field value; a desk that is not armed is checked elsewhere."""
    command: FormCommand | None = None
    ask: Callable[[], None] | None = None
    """Do what a form does that sends no command, such as a query."""
    last: str = "send"
    """Label of the last line."""
    ask_text: str = "Enter sends the query"
    """Effect of Enter on the last line of a form that asks."""
    ask_word: str = "ask"
    """Word for it in the footer."""
    stays: bool = False
    """Whether the form stays open when it asks."""
    results: tuple[Piece, ...] = ()
    """Results of what it asked, a line each, with their colours."""
    question: Question | None = None
    """Question to confirm before it is sent."""
    follows: str = ""
    """What a typed percentage depends on, such as the size of a position; once it changes, it is read before it is sent."""
    needs: tuple[ServiceQuery, ...] = ()
    """Queries whose answers the form shows; each is read once."""


class FormSubject(ABC):
    """Logic of one form: computes its fields, values and command from the typed texts."""

    listed: ClassVar[str] = ""
    """Name of the list that shows sent commands, or an empty text."""
    cells: ClassVar[int] = 66
    """Width of the box where there is room, cells."""

    @abstractmethod
    def view(self, values: Mapping[str, str]) -> FormView:
        """Return the form view for these values; a field without a value is empty."""

    def start(self) -> dict[str, str]:
        """Return the initial values, by field name."""
        return {}

    def first(self) -> str:
        """Return the name of the field that has the cursor first; empty for the first field."""
        return ""

    def explain_end(self, command: FormCommand) -> str:
        """Return why a command whose question is open no longer matches what was typed; empty if it does."""
        del command
        return ""

    def on_accepted(self, outcome: Outcome) -> None:
        """React to the acceptance of the command; the form is already closed."""
        del outcome


def choose(values: Mapping[str, str], field: str, rows: Sequence[Row], key: Callable[[Row], str]) -> Row | None:
    """Return the row chosen in a field if it still exists, else the first row; None if there are no rows."""
    value = values.get(field, "")
    return next((row for row in rows if key(row) == value), next(iter(rows), None))


def choose_value(values: Mapping[str, str], field: str, choices: Sequence[Choice]) -> str:
    """Return the chosen value if it is still available, else the first one; empty if there are none."""
    choice = choose(values, field, choices, lambda choice: choice.value)
    return "" if choice is None else choice.value
