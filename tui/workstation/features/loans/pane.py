"""Loans pane: loans and rates, what can still be borrowed and why not more, loan orders, statement."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from tui.engine.rows import Table
from tui.engine.service_query import QuerySource, ServiceQuery
from tui.interface.families.loans import CoinOfVenueQuery
from tui.interface.request import arguments_of
from tui.workstation.features.loans.tabs import DEBTS, LOANS, ORDERS, PANE, SENT, STATEMENT
from tui.workstation.widgets.lists.query_pane import QueryPane
from tui.workstation.widgets.lists.tab import ListTab, QueryTab


class LoansPane(QueryPane):
    """Pane with loans and margin debts per venue and coin, and with lists of the last 90 days."""

    id: ClassVar[str] = PANE
    title: ClassVar[str] = "Loans"
    tabs: ClassVar[tuple[ListTab, ...]] = (LOANS, DEBTS, ORDERS, STATEMENT, SENT)
    feeds: ClassVar[frozenset[Table]] = frozenset(
        [Table.ANSWERS, Table.COMMANDS, Table.ASSETS, Table.INTEREST, Table.LOAN_CONFIG, Table.LOANS]
    )

    def query(self, tab: QueryTab) -> ServiceQuery | None:
        query = super().query(tab)
        if query is None or tab is not DEBTS:
            return query
        # The service may require venue and coin, so each pool is asked for by name; until they are read there is none.
        coins = [key.partition("/") for key in sorted(self.view.mirror.loan_terms)]
        asked = [arguments_of(CoinOfVenueQuery(exchange_type=venue, coin=coin)) for venue, _, coin in coins]
        sources = tuple(QuerySource(DEBTS.endpoint, tuple(params.items())) for params in asked)
        return msgspec.structs.replace(query, sources=sources, to_end=True) if sources else None
