"""Handlers of keys about money beside trading: forms of transfers, deposits, withdrawals and custody out of a row."""

from __future__ import annotations

from collections.abc import Callable

from tui.workstation.commands.availability import TOO_SMALL, Blocks
from tui.workstation.commands.context import NO_ROW, Context, no_single_row
from tui.workstation.commands.form_keys import FormKeys
from tui.workstation.features.funds.custody_form import CustodyForm
from tui.workstation.features.funds.deposit_form import DepositForm
from tui.workstation.features.funds.transfer_form import TransferForm
from tui.workstation.features.funds.transfer_tabs import HeldRow
from tui.workstation.features.funds.withdraw_form import WithdrawForm
from tui.workstation.input.handlers import Handlers
from tui.workstation.table.live_table import LiveTable
from tui.workstation.widgets.forms.view import FormSubject
from tui.workstation.widgets.lists.fund_places import Place, PlaceKind, own_place

WHERE_FROM = "money moves from a coin: a row of the assets (4), or of the balances on the Funds screen (W)"
CUSTODY_FROM = "custody locks and unlocks begin on the custody account or a DMA account: a row of the balances (W)"


class FundsKeys:
    """One for the life of the app."""

    def __init__(self, context: Context, forms: FormKeys) -> None:
        self._context = context
        self._forms = forms

    def handlers(self) -> Handlers:
        """Handlers by action id."""
        return {
            "transfer.open": self.open_transfer,
            "deposit.open": self.open_deposit,
            "withdraw.open": self.open_withdrawal,
            "custody.open": self.open_custody,
        }

    def blocks(self) -> Blocks:
        """Why an action cannot be done, by action id."""
        return {
            **dict.fromkeys(("transfer.open", "deposit.open", "withdraw.open"), self._coin_block),
            "custody.open": self._custody_block,
        }

    def _coin_block(self, table: LiveTable | None) -> str:
        found = self._coin_of(table)
        if isinstance(found, str):
            return found
        return TOO_SMALL if self._context.list_screen.plan.tiny else ""

    def _custody_block(self, table: LiveTable | None) -> str:
        found = self._coin_of(table)
        if isinstance(found, str) or found[0].kind not in (PlaceKind.CUSTODY, PlaceKind.DMA):
            return CUSTODY_FROM
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

    def _open(self, make: Callable[[Place, str], FormSubject]) -> None:
        """A form about the coin of the row; it sends nothing by itself."""
        found = self._coin_of(self._context.table)
        if isinstance(found, str):
            self._context.refuse(found)
            return
        self._forms.open(make(*found))

    def open_transfer(self) -> None:
        self._open(lambda place, coin: TransferForm(self._context, place, coin))

    def open_deposit(self) -> None:
        self._open(lambda place, coin: DepositForm(self._context, coin, own=place.own))

    def open_withdrawal(self) -> None:
        self._open(lambda place, coin: WithdrawForm(self._context, place, coin))

    def open_custody(self) -> None:
        self._open(lambda place, coin: CustodyForm(self._context, place, coin))
