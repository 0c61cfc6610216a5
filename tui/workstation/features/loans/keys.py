"""Handlers of the keys that borrow and repay: on an asset row, or on a row of the loans screen."""

from __future__ import annotations

from functools import partial

from tui.interface.families.portfolio_loans import LoanType
from tui.workstation.commands.availability import TOO_SMALL, Blocks
from tui.workstation.commands.context import NO_ROW, Context, no_single_row
from tui.workstation.commands.form_keys import FormKeys
from tui.workstation.features.loans.form import LoanForm
from tui.workstation.features.loans.tabs import PANE
from tui.workstation.input.handlers import Handlers
from tui.workstation.table.live_table import LiveTable

OTHER_LIST = "only on a row of the assets, or of the loans (D)"


class LoanKeys:
    """Opens the form of a row's coin; it sends nothing by itself."""

    def __init__(self, context: Context, forms: FormKeys) -> None:
        self._context = context
        self._forms = forms

    def handlers(self) -> Handlers:
        """Handlers by action id."""
        borrow, repay = partial(self._open, LoanType.BORROW), partial(self._open, LoanType.REPAY)
        return {"loan.borrow": borrow, "loan.borrow_more": borrow, "loan.repay": repay, "loan.pay_back": repay}

    def blocks(self) -> Blocks:
        """Why an action cannot be done, by action id."""
        return dict.fromkeys(self.handlers(), self._block)

    def _block(self, table: LiveTable | None) -> str:
        target = self._target(table)
        if isinstance(target, str):
            return target
        return TOO_SMALL if self._context.list_screen.plan.tiny else ""

    def _target(self, table: LiveTable | None) -> tuple[str, str] | str:
        """Venue and coin of the row, or why there is none."""
        if table is not None and table.pane.id not in ("assets", PANE):
            return OTHER_LIST
        reason = no_single_row(table, "a loan")
        if reason or table is None:
            return reason or NO_ROW
        key = table.targets[0]
        if table.pane.id == "assets":
            exchange, _, coin = key.partition("/")
            return exchange, coin
        row = table.pane.row(key) if table.pane.id == PANE else None
        exchange, coin = getattr(row, "exchange", ""), getattr(row, "coin", "")
        return (exchange, coin) if exchange and coin else NO_ROW

    def _open(self, kind: LoanType) -> None:
        context = self._context
        target = self._target(context.table)
        if isinstance(target, str):
            context.refuse(target)
            return
        self._forms.open(LoanForm(kind, *target, context))
