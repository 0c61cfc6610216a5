"""The handler of the key that sets the fees of sub portfolios, on the fees screen."""

from __future__ import annotations

from tui.workstation.commands.availability import TOO_SMALL, Blocks
from tui.workstation.commands.context import Context
from tui.workstation.commands.form_keys import FormKeys
from tui.workstation.features.fees.form import SubFeeForm
from tui.workstation.features.fees.tabs import PANE
from tui.workstation.input.handlers import Handlers
from tui.workstation.table.live_table import LiveTable

OTHER_LIST = "only on the fees ($)"


class FeeKeys:
    """Opens the form; it sends nothing by itself."""

    def __init__(self, context: Context, forms: FormKeys) -> None:
        self._context = context
        self._forms = forms

    def handlers(self) -> Handlers:
        """Handlers by action id."""
        return {"fee.set": self.open}

    def blocks(self) -> Blocks:
        """Why an action cannot be done, by action id."""
        return {"fee.set": self._block}

    def _block(self, table: LiveTable | None) -> str:
        if table is None or table.pane.id != PANE:
            return OTHER_LIST
        return TOO_SMALL if self._context.list_screen.plan.tiny else ""

    def open(self) -> None:
        self._forms.open(SubFeeForm(self._context))
