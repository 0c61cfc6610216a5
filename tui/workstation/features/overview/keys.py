"""Key handlers of the overview screen."""

from __future__ import annotations

from tui.workstation.commands.availability import Blocks
from tui.workstation.commands.context import NO_ROW, Context, no_single_row
from tui.workstation.features.overview.pane import OverviewPane
from tui.workstation.features.overview.tabs import ACCOUNT
from tui.workstation.input.handlers import Handlers
from tui.workstation.table.live_table import LiveTable


class OverviewKeys:
    """Key handlers of the overview screen; one instance per app."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {"overview.inside": self.open_account}

    def blocks(self) -> Blocks:
        """Return the block reasons by action id."""
        return {"overview.inside": self._block}

    def _block(self, table: LiveTable | None) -> str:
        if table is None or not isinstance(table.pane, OverviewPane):
            return "only on the screen of all accounts (⟦screen.overview⟧)"
        reason = no_single_row(table, "an account")
        if reason:
            return reason
        return (
            "" if table.pane.account_of(table.targets[0]) else f"{NO_ROW}: select an account, or a coin in an account"
        )

    def open_account(self) -> None:
        """Show the assets of the selected account."""
        table = self._context.table
        if table is not None and isinstance(table.pane, OverviewPane):
            pane = table.pane
            pane.opened_account = pane.account_of(table.targets[0])
            self._context.list_screen.cycle_views(pane.tabs.index(ACCOUNT) - pane.view_at)
