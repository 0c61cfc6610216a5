"""Handler of Enter in the explorer: opens an endpoint's form and shows its answer."""

from __future__ import annotations

from tui.engine.intents import Outcome
from tui.engine.service_query import ServiceQuery
from tui.interface import catalogue
from tui.workstation.commands.availability import Blocks
from tui.workstation.commands.context import Context
from tui.workstation.commands.form_keys import FormKeys
from tui.workstation.features.explorer.form import EndpointForm
from tui.workstation.features.explorer.pane import ENDPOINTS
from tui.workstation.features.explorer.screen import ExplorerScreen
from tui.workstation.features.explorer.values import plain, text_of
from tui.workstation.input.handlers import Handlers


class ExplorerKeys:
    """Key handlers of the explorer; one instance per app."""

    def __init__(self, context: Context, forms: FormKeys) -> None:
        self._context = context
        self._forms = forms

    def handlers(self) -> Handlers:
        """Return an empty mapping, because Enter is handled for all full screens together."""
        return {}

    def blocks(self) -> Blocks:
        """Return no block reasons."""
        return {}

    @property
    def _screen(self) -> ExplorerScreen | None:
        return self._context.find_screen(ExplorerScreen)

    def open_row(self, key: str) -> None:
        """Open the form of the endpoint in a row, or the card of a row of an answer."""
        context, screen = self._context, self._screen
        if screen is None:
            return
        if screen.explorer.tab is not ENDPOINTS:
            pane = screen.explorer
            context.open_card(pane.tab.name, lambda: pane.details(key), "Answer")
            return
        row = catalogue.BY_NAME[key]
        self._forms.open(EndpointForm(row, context, self._read, lambda outcome: self._show(row.name, outcome)))

    def _read(self, query: ServiceQuery) -> None:
        if (screen := self._screen) is not None:
            screen.ask(query)

    def _show(self, name: str, outcome: Outcome) -> None:
        """Show the answer of a command in a card; it is not stored anywhere."""
        data = plain(outcome.answer)
        facts = [(str(key), text_of(value)) for key, value in data.items()] if isinstance(data, dict) else []
        self._context.open_card(f"{name}: accepted", lambda: facts or [("answer", text_of(data) or "done")], "Answer")
