"""A form as data: its fields, notes, figures and command, computed again at each key and whenever rows change.

To add a form: a `FormSubject`, and a key that hands it to `FormKeys.open`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import ClassVar, TypeAlias, TypeVar

import msgspec

from tui.engine.intents import AccountCommand, Outcome, PlaceAlgo, ReplaceAlgo, SetLeverage, SetMarginLeverage
from tui.engine.rows import CommandState
from tui.engine.service_query import ServiceQuery
from tui.workstation.widgets.prompts import Question

AskedCommand: TypeAlias = AccountCommand | PlaceAlgo | ReplaceAlgo
"""What a guard may ask about before it is sent."""
FormCommand: TypeAlias = AskedCommand | SetLeverage | SetMarginLeverage
"""What a form sends."""


Row = TypeVar("Row")

LOW_MMR = 3
"""A uniMMR below this is marked."""


class Choice(msgspec.Struct, frozen=True):
    """One value of a field that has a few."""

    value: str
    label: str = ""
    """As it is shown; empty: the value."""

    @property
    def shown(self) -> str:
        return self.label or self.value


class Typed(StrEnum):
    """What is typed into a field."""

    TEXT = "text"
    FIGURE = "figure"
    """A number with its unit; X opens the kill prompt there, because no number has an x."""
    COUNT = "count"
    """Digits; Left and Right step it by one."""


class FieldSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One field of a form, as of now."""

    name: str
    """Name of its text among the values of the form."""
    label: str = ""
    """As it is shown; empty: the name."""
    kind: Typed = Typed.TEXT
    choices: tuple[Choice, ...] = ()
    """Empty: a text is typed."""
    now: int = 0
    """Of a count: the value from which the first step goes while nothing is typed."""
    note: str = ""
    """What the text means, what is accepted, or why it is refused."""
    required: bool = False
    """Whether the form is not sent while it is empty."""
    wrong: bool = False
    """Whether the note says why it is refused."""

    @property
    def shown(self) -> str:
        return self.label or self.name


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One figure that the command would change."""

    name: str
    before: str
    after: str
    low: bool = False
    """Whether what it comes to is a warning."""


class FormView(msgspec.Struct, frozen=True, kw_only=True):
    """A form for the values of now. While a field is wrong, neither `command` nor `ask` is used."""

    title: str
    fields: tuple[FieldSpec, ...]
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    """What is to be known before it is sent."""
    refusal: str = ""
    """Why it cannot be sent whatever stands in its fields. That the desk is not armed is known without it."""
    command: FormCommand | None = None
    ask: Callable[[], None] | None = None
    """Of a form that reads: ask for what stands in its fields; then nothing is sent that changes anything."""
    question: Question | None = None
    """Asked before it is sent."""
    needs: tuple[ServiceQuery, ...] = ()
    """Queries whose answers the form shows; each is read once."""


class FormSubject(ABC):
    """What a form is about."""

    listed: ClassVar[str] = ""
    """Where what was sent can be looked at, or an empty text."""
    cells: ClassVar[int] = 66
    """Width of the box where there is room."""

    @abstractmethod
    def view(self, values: Mapping[str, str]) -> FormView:
        """Return the form for what stands in its fields; a field that is not among the values is empty."""

    def start(self) -> dict[str, str]:
        """Return what stands in the fields at first."""
        return {}

    def first(self) -> str:
        """Return the name of the field that has the cursor at first; empty: the first one."""
        return ""

    def accepted(self, outcome: Outcome) -> None:
        """Follow a command that the service took; the form has been closed."""
        del outcome


def choose(values: Mapping[str, str], field: str, rows: Sequence[Row], key: Callable[[Row], str]) -> Row | None:
    """Return the row that was chosen if it is still offered, else the first one; None where there is none."""
    value = values.get(field, "")
    return next((row for row in rows if key(row) == value), next(iter(rows), None))


def chosen(values: Mapping[str, str], field: str, choices: Sequence[Choice]) -> str:
    """Return the value of a choice: what was chosen if it is still offered, else the first; empty where none is."""
    choice = choose(values, field, choices, lambda one: one.value)
    return "" if choice is None else choice.value


def describe_command_state(state: CommandState, text: str) -> str:
    """How far a command is, in a list."""
    return f"{state.value}: {text}" if text else state.value
