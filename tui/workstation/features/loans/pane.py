"""Loans pane: loans and rates, what can still be borrowed and why not more, loan orders, statement."""

from __future__ import annotations

from typing import ClassVar

from tui.engine.rows import Table
from tui.workstation.features.loans.tabs import DEBTS, LOANS, ORDERS, PANE, SENT, STATEMENT
from tui.workstation.widgets.lists.query_pane import QueryPane
from tui.workstation.widgets.lists.tab import ListTab


class LoansPane(QueryPane):
    """Pane with loans and margin debts per venue and coin, and with lists of the last 90 days."""

    id: ClassVar[str] = PANE
    title: ClassVar[str] = "Loans"
    tabs: ClassVar[tuple[ListTab, ...]] = (LOANS, DEBTS, ORDERS, STATEMENT, SENT)
    feeds: ClassVar[frozenset[Table]] = frozenset(
        [Table.ANSWERS, Table.COMMANDS, Table.ASSETS, Table.INTEREST, Table.LOAN_CONFIG, Table.LOANS]
    )
