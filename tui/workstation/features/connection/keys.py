"""Key handler that opens the form to connect a service."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tui.workstation.commands.availability import Blocks, no_room
from tui.workstation.commands.connection import ConnectionService
from tui.workstation.commands.context import Context
from tui.workstation.commands.form_keys import FormKeys
from tui.workstation.features.connection.form import ConnectionForm, leave_out_secrets
from tui.workstation.input.handlers import Handlers
from tui.workstation.table.live_table import LiveTable
from tui.workstation.widgets.forms.body import FormScreen

NO_FILE = "this program has no config file to write a profile to"


class ConnectionKeys:
    """Key handlers of the connection form; reopened, it has the former values without API key and secret."""

    def __init__(self, context: Context, forms: FormKeys, build: Callable[[], ConnectionService | None]) -> None:
        self._context = context
        self._forms = forms
        self._build = build
        self._service: ConnectionService | None = None
        self._latest: ConnectionForm | None = None

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {"connection.open": self.connection_open}

    def blocks(self) -> Blocks:
        """Return the block reasons by action id."""
        return {"connection.open": self._open_block}

    def has_profile(self) -> bool:
        """Return whether the config file has a profile."""
        self._service = self._service or self._build()
        return self._service is not None and bool(self._service.known())

    def _open_block(self, table: LiveTable | None) -> str:
        del table
        self._service = self._service or self._build()
        if self._service is None:
            return NO_FILE
        return no_room(self._context)

    def connection_open(self) -> None:
        """Open the connection form over the desk; this connects nothing yet."""
        self._service = self._service or self._build()
        if self._service is None:
            self._context.refuse(NO_FILE)
            return
        self._context.close_pages()
        before = leave_out_secrets(self._latest.values) if self._latest is not None else {}
        form = self._latest = ConnectionForm(self._service, before, self._run_later)
        self._forms.open(form)
        if (screen := self._context.modal(FormScreen)) is not None:
            form.is_open = lambda: screen.is_attached
            form.on_change = partial(self._follow, screen)

    def _run_later(self, work: Callable[[], None]) -> None:
        loop = self._context.loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(work)

    def _follow(self, screen: FormScreen, field: str) -> None:
        """Redraw the form after a result, and move to the field that the result is about."""
        if not screen.is_attached:
            return
        screen.body.update_view()
        if any(spec.name == field for spec in screen.body.current_view.fields):
            screen.body.go_to(field)
        self._context.refresh_keys()
