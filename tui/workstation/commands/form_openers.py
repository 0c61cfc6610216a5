"""Keys that open a form: a feature defines for each action how to build the form, or why it cannot open."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial

from tui.workstation.commands.availability import Blocks, no_room
from tui.workstation.commands.context import Context
from tui.workstation.commands.form_keys import FormKeys
from tui.workstation.input.handlers import Handlers
from tui.workstation.table.live_table import LiveTable
from tui.workstation.widgets.forms.view import FormSubject

BuildForm = Callable[[LiveTable | None], FormSubject | str]
"""Build the form for the row under the cursor of a list, or return why there is none. It has no side effects."""


class FormOpeners(ABC):
    """Base of key controllers that open forms."""

    def __init__(self, context: Context, forms: FormKeys) -> None:
        self._context = context
        self._forms = forms

    @abstractmethod
    def openers(self) -> Mapping[str, BuildForm]:
        """Return the form builder of each action that opens a form, by action id."""

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {name: partial(self._open, build) for name, build in self.openers().items()}

    def blocks(self) -> Blocks:
        """Return the block reasons by action id."""
        return {name: partial(self._why_not, build) for name, build in self.openers().items()}

    def _open(self, build: BuildForm) -> None:
        subject = build(self._context.table)
        if isinstance(subject, str):
            self._context.refuse(subject)
        else:
            self._forms.open(subject)

    def _why_not(self, build: BuildForm, table: LiveTable | None) -> str:
        subject = build(table)
        if isinstance(subject, str):
            return subject
        return no_room(self._context)
