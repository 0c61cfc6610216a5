"""The loans screen: what is borrowed at which rate, what can still be borrowed and why not more, orders, statement."""

from __future__ import annotations

from typing import ClassVar

from tui.engine.rows import Table
from tui.engine.service_query import ServiceQuery
from tui.rules.borrowing import portfolio_loans as rules
from tui.workstation.features.loans.tabs import DEBTS, LOANS, MOST, ORDERS, PAID, PANE, SENT, STATEMENT, of_90_days
from tui.workstation.widgets.lists.record_screen import RecordPane, RecordScreen
from tui.workstation.widgets.lists.tab import ListTab

_RUNGS = (
    f"LTV {rules.WARNING_LTV} warning · {rules.NO_BORROWING_LTV} nothing more is lent · "
    f"{rules.LIQUIDATION_LTV} collateral is sold",
    f"LTV {rules.WARNING_LTV} / {rules.NO_BORROWING_LTV} / {rules.LIQUIDATION_LTV}",
)


class LoansPane(RecordPane):
    """Loans and margin debts per venue and coin, and their lists of 90 days."""

    id: ClassVar[str] = PANE
    title: ClassVar[str] = "Loans"
    tabs: ClassVar[tuple[ListTab, ...]] = (LOANS, DEBTS, ORDERS, STATEMENT, SENT)
    views: ClassVar[tuple[str, ...]] = tuple(tab.name for tab in tabs)
    feeds: ClassVar[frozenset[Table]] = frozenset(
        [Table.ANSWERS, Table.COMMANDS, Table.ASSETS, Table.INTEREST, Table.LOAN_CONFIG, Table.LOANS]
    )

    def beside(self) -> tuple[str, ...]:
        return _RUNGS if self.tab is LOANS else ()

    def asked_words(self) -> str:
        return "" if self.tab in (LOANS, DEBTS) else "90 days"


class LoansScreen(RecordScreen):
    """Reads, beside the first list, the maxima and the interest that was paid."""

    def read_list(self, *, again: bool) -> None:
        before = self._asked.get(LOANS.name)
        super().read_list(again=again)
        if self.records.tab is LOANS and (again or before is None):
            statement = {**of_90_days(self.view), "type": "interest"}
            self._request(ServiceQuery(key=MOST, endpoint="portfolio_loan_max"))
            self._request(
                ServiceQuery(
                    key=PAID, endpoint="portfolio_loan_statement", params=tuple(statement.items()), to_end=True
                )
            )
