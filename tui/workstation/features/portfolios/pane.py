"""Portfolios pane: portfolios, their API keys, and the commands sent for them."""

from __future__ import annotations

from typing import ClassVar

from tui.interface.errors import OTHER_LEVEL
from tui.interface.families.portfolios import ApiKeyRecord, PortfolioRecord
from tui.workstation.features.portfolios.tabs import (
    ACCOUNT_TAB,
    KEY_TAB,
    PANE,
    PORTFOLIO_TAB,
    SENT_TAB,
    short_key,
)
from tui.workstation.widgets.lists.query_pane import QueryPane
from tui.workstation.widgets.lists.tab import ListTab


class PortfoliosPane(QueryPane):
    """Pane with the user's portfolios and API keys; only a key of the main portfolio may read them."""

    id: ClassVar[str] = PANE
    title: ClassVar[str] = "Portfolios"
    tabs: ClassVar[tuple[ListTab, ...]] = (PORTFOLIO_TAB, KEY_TAB, ACCOUNT_TAB, SENT_TAB)

    def progress(self) -> tuple[str, str]:
        """Return the state of reading the list; if the paper venue refuses the key, add how to trade the main portfolio."""
        read, status = self.read, self.view.mirror.engine_status
        if read is not None and read.code == OTHER_LEVEL and status is not None and status.environment == "PAPER":
            return f"not read: {read.text}; : use main goes back to the main portfolio", "alert"
        return super().progress()

    def card_title(self, key: str) -> str:
        row = self.row(key)
        if isinstance(row, ApiKeyRecord):
            return row.api_name
        return row.name if isinstance(row, PortfolioRecord) else key

    def details(self, key: str) -> list[tuple[str, str]]:
        """Return all fields of a row for its card, with access keys shortened, because screens are easily photographed."""
        row = self.row(key)
        shown = super().details(key)
        if not isinstance(row, ApiKeyRecord):
            return shown
        return [(name, short_key(text) if text == row.access_key else text) for name, text in shown]
