"""The Funds screen: transfers, balances, deposits, withdrawals, bills, custody, and the commands sent about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from tui.engine.history import ReadState
from tui.engine.service_query import ServiceAnswer, ServiceQuery
from tui.interface.families.deposits import DepositAddress
from tui.workstation.features.funds.bill_tabs import ADDRESSES, BILLS, CUSTODY, AddressTab
from tui.workstation.features.funds.transfer_tabs import BALANCES, TRANSFERS
from tui.workstation.widgets.lists.deposit_tabs import DEPOSITS, WITHDRAWALS
from tui.workstation.widgets.lists.fund_places import ACCOUNTS, NAMES
from tui.workstation.widgets.lists.pane import Reading
from tui.workstation.widgets.lists.record_screen import RecordPane, RecordScreen, command_tab
from tui.workstation.widgets.lists.tab import ListTab

SENT = command_tab("transfer", "withdraw", "custody_lock", "custody_unlock", "set_deposit_venue")


class FundsPane(RecordPane):
    """Lists of the money beside trading."""

    id: ClassVar[str] = "funds"
    title: ClassVar[str] = "Funds"
    tabs: ClassVar[tuple[ListTab, ...]] = (
        TRANSFERS, BALANCES, DEPOSITS, WITHDRAWALS, BILLS, CUSTODY, ADDRESSES, SENT,
    )  # fmt: skip
    views: ClassVar[tuple[str, ...]] = tuple(tab.name for tab in tabs)

    def reading(self) -> Reading | None:
        if isinstance(self.tab, AddressTab):
            query = ServiceQuery(key=self.tab.name, endpoint="")
            return ServiceAnswer(query=query, state=ReadState.WHOLE, total=len(self.source()))
        return super().reading()

    def source(self) -> Sequence[Any]:
        if isinstance(self.tab, AddressTab):
            answers = self.view.mirror.answers.values()
            return [one.data for one in answers if isinstance(one.data, DepositAddress)]
        return super().source()


class FundsScreen(RecordScreen):
    """Also has the accounts and portfolios read, by whose names the lists are written."""

    def read_list(self, *, again: bool) -> None:
        super().read_list(again=again)
        for names in (ACCOUNTS, NAMES):
            if again or names.key not in self.view.mirror.answers:
                self._request(names)
