"""Handlers of keys on the screen of everything a user holds."""

from __future__ import annotations

from tui.workstation.commands.availability import Blocks
from tui.workstation.commands.context import NO_ROW, Context, no_single_row
from tui.workstation.features.overview.pane import OverviewPane
from tui.workstation.features.overview.tabs import ACCOUNT
from tui.workstation.input.handlers import Handlers
from tui.workstation.table.live_table import LiveTable


class OverviewKeys:
    """One for the life of the app."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def handlers(self) -> Handlers:
        """Handlers by action id."""
        return {"overview.inside": self.look_inside}

    def blocks(self) -> Blocks:
        """Why an action cannot be done, by action id."""
        return {"overview.inside": self._block}

    def _block(self, table: LiveTable | None) -> str:
        if table is None or not isinstance(table.pane, OverviewPane):
            return "only on the screen of all accounts (V)"
        reason = no_single_row(table, "an account")
        if reason:
            return reason
        return "" if table.pane.account_of(table.targets[0]) else f"{NO_ROW}: an account or a coin in one is needed"

    def look_inside(self) -> None:
        """Show what is in the account that the row is about."""
        table = self._context.table
        if table is not None and isinstance(table.pane, OverviewPane):
            pane = table.pane
            pane.looked_into = pane.account_of(table.targets[0])
            self._context.list_screen.cycle_views(pane.tabs.index(ACCOUNT) - pane.view_at)
