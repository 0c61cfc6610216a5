"""Handlers of keys about money beside trading: the form of a transfer out of a row."""

from __future__ import annotations

from tui.workstation.availability import TOO_SMALL, Blocks
from tui.workstation.context import NO_ROW, Context, no_single_row
from tui.workstation.forms.keys import FormKeys
from tui.workstation.funds.places import Place, own_place
from tui.workstation.funds.transfer_form import TransferForm
from tui.workstation.funds.transfer_tabs import HeldRow
from tui.workstation.input.handlers import Handlers
from tui.workstation.table.live_table import LiveTable

WHERE_FROM = "a transfer begins on a coin: of the assets (4), or of the balances on the Funds screen (W)"


class FundsKeys:
    """One for the life of the app."""

    def __init__(self, context: Context, forms: FormKeys) -> None:
        self._context = context
        self._forms = forms

    def handlers(self) -> Handlers:
        """Handlers by action id."""
        return {"transfer.open": self.open_transfer}

    def blocks(self) -> Blocks:
        """Why an action cannot be done, by action id."""
        return {"transfer.open": self._transfer_block}

    def _transfer_block(self, table: LiveTable | None) -> str:
        found = self._coin_of(table)
        if isinstance(found, str):
            return found
        return TOO_SMALL if self._context.list_screen.plan.tiny else ""

    def _coin_of(self, table: LiveTable | None) -> tuple[Place, str] | str:
        """Where the money of a row is and of which coin, or why it is none."""
        if table is None or table.pane.id not in ("assets", "funds"):
            return WHERE_FROM
        if table.pane.id == "funds":
            row = table.pane.row(table.targets[0]) if len(table.targets) == 1 else None
            return (row.place, row.currency) if isinstance(row, HeldRow) else WHERE_FROM
        reason = no_single_row(table, "a transfer")
        if reason:
            return reason or NO_ROW
        venue, _, coin = table.targets[0].partition("/")
        return own_place(self._context.mirror, venue), coin

    def open_transfer(self) -> None:
        """The form; it sends nothing by itself."""
        found = self._coin_of(self._context.table)
        if isinstance(found, str):
            self._context.refuse(found)
            return
        self._forms.open(TransferForm(self._context, *found))
