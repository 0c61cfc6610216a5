"""Overview pane: lists of all accounts, and of the one that was opened."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from tui.engine.rows import Table
from tui.engine.service_query import QuerySource, ServiceQuery
from tui.interface.families.account_assets import TradingAccount, TradingAccountQuery
from tui.interface.families.assets import AssetRecord
from tui.interface.request import arguments_of
from tui.workstation.features.overview.rows import PANE, AccountCoin, CoinShare, trading_account_name
from tui.workstation.features.overview.tabs import (
    ACCOUNT,
    ACCOUNTS,
    ASSETS,
    COINS,
    DEFI,
    FUNDING,
    IN_PORTFOLIOS,
    IN_SUB_ACCOUNTS,
    OVERVIEW,
)
from tui.workstation.widgets.lists.query_pane import QueryPane
from tui.workstation.widgets.lists.tab import ListTab, QueryTab


class OverviewPane(QueryPane):
    """Pane with the user's assets by account, venue and coin."""

    id: ClassVar[str] = PANE
    title: ClassVar[str] = "All accounts"
    tabs: ClassVar[tuple[ListTab, ...]] = (
        OVERVIEW, ACCOUNTS, ACCOUNT, ASSETS, COINS, IN_PORTFOLIOS, IN_SUB_ACCOUNTS, FUNDING, DEFI,
    )  # fmt: skip
    feeds: ClassVar[frozenset[Table]] = frozenset([Table.ANSWERS, Table.COMMANDS, Table.ASSETS])
    opened_account = ""
    """Id of the account shown by the account list."""

    def query(self, tab: QueryTab) -> ServiceQuery | None:
        query = super().query(tab)
        if query is None or tab is not ACCOUNT:
            return query
        source = QuerySource(ACCOUNT.endpoint, tuple(arguments_of(TradingAccountQuery(id=self.opened_account)).items()))
        return msgspec.structs.replace(query, sources=(source,)) if self.opened_account else None

    def describe_query(self) -> str:
        return (
            trading_account_name(self.view, self.opened_account) if self.tab is ACCOUNT and self.opened_account else ""
        )

    def empty(self) -> str:
        if self.tab is ACCOUNT and not self.opened_account:
            return "no account chosen" + self.view.name_keys(": press ⟦overview.inside⟧ on an account to see its coins")
        return super().empty()

    def account_of(self, key: str) -> str:
        """Return the id of the account that a row is about, or an empty text."""
        row = self.row(key)
        if isinstance(row, TradingAccount):
            return row.id
        if isinstance(row, AssetRecord):
            return row.portfolio_id
        return row.account if isinstance(row, AccountCoin | CoinShare) else ""
