"""The Funds screen: transfers, balances of accounts, and the commands sent about them."""

from __future__ import annotations

from typing import ClassVar

from tui.workstation.funds.places import ACCOUNTS
from tui.workstation.funds.transfer_tabs import BALANCES, TRANSFERS
from tui.workstation.records.record_screen import RecordPane, RecordScreen, command_tab
from tui.workstation.records.tab import ListTab


class FundsPane(RecordPane):
    """Lists of the money beside trading."""

    id: ClassVar[str] = "funds"
    title: ClassVar[str] = "Funds"
    tabs: ClassVar[tuple[ListTab, ...]] = (TRANSFERS, BALANCES, command_tab("transfer"))
    views: ClassVar[tuple[str, ...]] = tuple(tab.name for tab in tabs)


class FundsScreen(RecordScreen):
    """Also has the accounts read, by whose names the lists are written."""

    def read_list(self, *, again: bool) -> None:
        super().read_list(again=again)
        if again or ACCOUNTS.key not in self.view.mirror.answers:
            self._request(ACCOUNTS)
