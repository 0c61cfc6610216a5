"""Key handlers that move money: transfer, deposit, withdraw, or lock in custody the coin of the selected row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from tui.workstation.commands.context import no_single_row
from tui.workstation.commands.form_openers import BuildForm, FormOpeners
from tui.workstation.features.funds.custody_form import CustodyForm
from tui.workstation.features.funds.deposit_form import DepositForm
from tui.workstation.features.funds.transfer_form import TransferForm
from tui.workstation.features.funds.transfer_tabs import BalanceRow
from tui.workstation.features.funds.withdraw_form import WithdrawForm
from tui.workstation.table.live_table import LiveTable
from tui.workstation.widgets.forms.view import FormSubject
from tui.workstation.widgets.lists.fund_accounts import FundAccountKind, FundAccountRef, own_account

WHERE_FROM = (
    "select a coin first: a row of the assets (⟦pane.4⟧), or of the balances on the Funds screen (⟦screen.funds⟧)"
)
CUSTODY_FROM = "custody is of the balances (⟦screen.funds⟧): select the custody account or a DMA account there"


class FundsKeys(FormOpeners):
    """Key handlers that open the fund forms for the coin of the selected row."""

    def openers(self) -> Mapping[str, BuildForm]:
        return {
            "transfer.open": partial(self._build, lambda account, coin: TransferForm(self._context, account, coin)),
            "deposit.open": partial(
                self._build, lambda account, coin: DepositForm(self._context, coin, own=account.own)
            ),
            "withdraw.open": partial(self._build, lambda account, coin: WithdrawForm(self._context, account, coin)),
            "custody.open": self._build_custody,
        }

    def _build(
        self, build_form: Callable[[FundAccountRef, str], FormSubject], table: LiveTable | None
    ) -> FormSubject | str:
        source = self._coin_of(table)
        return source if isinstance(source, str) else build_form(*source)

    def _build_custody(self, table: LiveTable | None) -> FormSubject | str:
        source = self._coin_of(table)
        if isinstance(source, str) or source[0].kind not in (FundAccountKind.CUSTODY, FundAccountKind.DMA):
            return CUSTODY_FROM
        return CustodyForm(self._context, *source)

    def _coin_of(self, table: LiveTable | None) -> tuple[FundAccountRef, str] | str:
        """Return account and coin of the selected row, or why there is none."""
        if table is None or table.pane.id not in ("assets", "funds"):
            return WHERE_FROM
        if table.pane.id == "funds":
            row = table.pane.row(table.targets[0]) if len(table.targets) == 1 else None
            return (row.account, row.currency) if isinstance(row, BalanceRow) else WHERE_FROM
        reason = no_single_row(table, "a transfer")
        if reason:
            return reason
        venue, _, coin = table.targets[0].partition("/")
        return own_account(self._context.mirror, venue), coin
