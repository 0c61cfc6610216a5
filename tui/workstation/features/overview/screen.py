"""The screen of everything a user holds: its lists, and the account that is looked into."""

from __future__ import annotations

from typing import ClassVar

from tui.engine.service_query import ServiceQuery
from tui.interface.families.account_assets import TradingAccount, Wanted
from tui.interface.families.assets import AssetRecord
from tui.workstation.features.overview.rows import PANE, Held, Placed, account_name
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
from tui.workstation.widgets.lists.record_screen import RecordPane, RecordScreen, RecordTab
from tui.workstation.widgets.lists.tab import ListTab


class OverviewPane(RecordPane):
    """Everything by account, venue and coin."""

    id: ClassVar[str] = PANE
    title: ClassVar[str] = "All accounts"
    tabs: ClassVar[tuple[ListTab, ...]] = (
        OVERVIEW, ACCOUNTS, ACCOUNT, ASSETS, COINS, IN_PORTFOLIOS, IN_SUB_ACCOUNTS, FUNDING, DEFI,
    )  # fmt: skip
    views: ClassVar[tuple[str, ...]] = tuple(tab.name for tab in tabs)
    looked_into = ""
    """Id of the account that the list of one account shows."""

    def asked_words(self) -> str:
        return account_name(self.view, self.looked_into) if self.tab is ACCOUNT and self.looked_into else ""

    def empty(self) -> str:
        if self.tab is ACCOUNT and not self.looked_into:
            return "no account was chosen: i on a row of the accounts looks into it"
        return super().empty()

    def account_of(self, key: str) -> str:
        """The account that a row is about, or empty."""
        row = self.row(key)
        if isinstance(row, TradingAccount):
            return row.id
        if isinstance(row, AssetRecord):
            return row.portfolio_id
        return row.account if isinstance(row, Held | Placed) else ""


class OverviewScreen(RecordScreen):
    """Also has the accounts read, by whose names the lists are written."""

    def read_list(self, *, again: bool) -> None:
        super().read_list(again=again)
        if ACCOUNTS.name not in self._asked:
            self._ask(ACCOUNTS, again=False)

    def query_of(self, tab: RecordTab) -> ServiceQuery | None:
        query = tab.query(self.records.id, self.view)
        if tab is not ACCOUNT or not isinstance(self.records, OverviewPane):
            return query
        account = self.records.looked_into
        return ServiceQuery(key=query.key, endpoint=query.endpoint, params=((Wanted.ID, account),)) if account else None
