"""Handlers of the keys that borrow and repay, on an asset row or on the loans screen."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from tui.interface.families.portfolio_loans import LoanType
from tui.workstation.commands.context import NO_ROW, no_single_row
from tui.workstation.commands.form_openers import BuildForm, FormOpeners
from tui.workstation.features.loans.form import LoanForm
from tui.workstation.features.loans.tabs import PANE
from tui.workstation.table.live_table import LiveTable

OTHER_LIST = "only on a row of the assets, or of the loans (⟦screen.loans⟧)"


class LoanKeys(FormOpeners):
    """Key handlers that open the loan form for the coin of the selected row."""

    def openers(self) -> Mapping[str, BuildForm]:
        borrow, repay = partial(self._build, LoanType.BORROW), partial(self._build, LoanType.REPAY)
        return {"loan.borrow": borrow, "loan.borrow_more": borrow, "loan.repay": repay, "loan.pay_back": repay}

    def _build(self, kind: LoanType, table: LiveTable | None) -> LoanForm | str:
        """Build the loan form for venue and coin of the selected row, or return why there is none."""
        if table is not None and table.pane.id not in ("assets", PANE):
            return OTHER_LIST
        reason = no_single_row(table, "a loan")
        if reason or table is None:
            return reason or NO_ROW
        row = table.pane.row(table.targets[0]) if table.pane.id == PANE else None
        exchange, coin = getattr(row, "exchange", ""), getattr(row, "coin", "")
        if table.pane.id == "assets":
            exchange, _, coin = table.targets[0].partition("/")
        if not (exchange and coin):
            return NO_ROW
        form = LoanForm(kind, exchange, coin, self._context)
        return (form.why_no_repayment if kind is LoanType.REPAY else "") or form
