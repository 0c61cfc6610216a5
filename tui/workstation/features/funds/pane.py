"""Funds pane: transfers, balances, deposits, withdrawals, bills, custody, and sent commands."""

from __future__ import annotations

from typing import ClassVar

from tui.interface.families.deposits import DepositAddress
from tui.workstation.features.funds.bill_tabs import ADDRESSES, BILLS, CUSTODY
from tui.workstation.features.funds.transfer_tabs import BALANCES, TRANSFERS
from tui.workstation.widgets.lists.command_tab import command_tab
from tui.workstation.widgets.lists.deposit_tabs import DEPOSITS, WITHDRAWALS
from tui.workstation.widgets.lists.query_pane import QueryPane
from tui.workstation.widgets.lists.tab import ListTab

SENT = command_tab("transfer", "withdraw", "custody_lock", "custody_unlock", "set_deposit_venue")


class FundsPane(QueryPane):
    """Pane with lists of money outside trading."""

    id: ClassVar[str] = "funds"
    title: ClassVar[str] = "Funds"
    tabs: ClassVar[tuple[ListTab, ...]] = (
        TRANSFERS, BALANCES, DEPOSITS, WITHDRAWALS, BILLS, CUSTODY, ADDRESSES, SENT,
    )  # fmt: skip

    def copy_text(self, key: str) -> str:
        """Return the text of a row for the clipboard: of a deposit address the address alone."""
        row = self.row(key)
        return row.address if isinstance(row, DepositAddress) else super().copy_text(key)

    def card_title(self, key: str) -> str:
        """Return the title of a row's card: of a deposit address the address."""
        return self.copy_text(key) if isinstance(self.row(key), DepositAddress) else super().card_title(key)
