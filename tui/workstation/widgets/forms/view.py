"""What a form shows for what stands in its fields: made anew at each key and whenever rows change.

To add a form: a `FormSubject`, and a key that hands it to `FormKeys.open`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, TypeAlias

import msgspec

from tui.engine.intents import AccountCommand, Outcome, PlaceAlgo, ReplaceAlgo
from tui.engine.rows import CommandState
from tui.engine.service_query import ServiceQuery
from tui.workstation.widgets.prompts import Question

FormCommand: TypeAlias = AccountCommand | PlaceAlgo | ReplaceAlgo
"""What a form sends."""


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


class FormField(msgspec.Struct, frozen=True, kw_only=True):
    """One field as it is drawn."""

    name: str
    """Under which its text stands in the values of the form."""
    label: str
    choices: tuple[Choice, ...] = ()
    """Empty: a text is typed."""
    note: str = ""
    """What the text means, what is accepted, or why it is refused."""
    wrong: bool = False
    """Whether the note says why it is refused."""
    takes_x: bool = True
    """Whether a text typed in it may have an x; else X opens the kill prompt."""


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One figure that the command would change."""

    name: str
    before: str
    after: str
    low: bool = False
    """Whether what it comes to is a warning."""


class FormView(msgspec.Struct, frozen=True, kw_only=True):
    """A form for the values of now. One of `command`, `query` and `refusal` is there."""

    title: str
    fields: tuple[FormField, ...]
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    """What is to be known before it is sent."""
    refusal: str = ""
    """Why it cannot be sent; what is wrong with a field stands below that field."""
    command: FormCommand | None = None
    query: ServiceQuery | None = None
    """Of a form that reads: what it asks; then nothing is sent that changes anything."""
    question: Question | None = None
    """Asked before it is sent."""

    @property
    def wrong(self) -> FormField | None:
        """The first field that is refused."""
        return next((field for field in self.fields if field.wrong), None)


class FormSubject(ABC):
    """What a form is about."""

    listed: ClassVar[str] = ""
    """Where what was sent can be looked at, or an empty text."""

    @abstractmethod
    def view(self, values: Mapping[str, str]) -> FormView:
        """The form for what stands in its fields; a field that is not among the values is empty."""

    def start(self) -> dict[str, str]:
        """What stands in the fields at first."""
        return {}

    def first(self) -> str:
        """The field that has the cursor at first; empty: the first one."""
        return ""

    def queries(self, values: Mapping[str, str]) -> Sequence[ServiceQuery]:
        """What it needs to know of the service for these values; each is read once, and shown when it has come."""
        del values
        return ()

    def asked(self, query: ServiceQuery) -> None:
        """The question of a form that reads was sent off; the form has been closed."""
        del query

    def accepted(self, outcome: Outcome) -> None:
        """The service took the command; the form has been closed."""
        del outcome


def chosen(values: Mapping[str, str], field: str, choices: Sequence[Choice]) -> str:
    """The value of a choice: what was chosen if it is still offered, else the first one; empty where none is."""
    offered = [choice.value for choice in choices]
    found = values.get(field, "")
    return found if found in offered else next(iter(offered), "")


def state_words(state: CommandState, text: str) -> str:
    """How far a command is, in a list."""
    return f"{state.value}: {text}" if text else state.value
