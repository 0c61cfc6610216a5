"""The pane of the portfolios, their keys, and the commands sent about them."""

from __future__ import annotations

from typing import ClassVar

from tui.interface.families.portfolios import ApiKeyRecord, PortfolioRecord
from tui.workstation.features.portfolios.tabs import (
    ACCOUNT_TAB,
    KEY_TAB,
    PANE,
    PORTFOLIO_TAB,
    SENT_TAB,
    is_traded,
    short_key,
)
from tui.workstation.widgets.lists.record_screen import RecordPane
from tui.workstation.widgets.lists.tab import ListTab


class PortfoliosPane(RecordPane):
    """Portfolios and keys of the user; only a main key may read them."""

    id: ClassVar[str] = PANE
    title: ClassVar[str] = "Portfolios"
    tabs: ClassVar[tuple[ListTab, ...]] = (PORTFOLIO_TAB, KEY_TAB, ACCOUNT_TAB, SENT_TAB)
    views: ClassVar[tuple[str, ...]] = tuple(tab.name for tab in tabs)

    def beside(self) -> tuple[str, ...]:
        traded = next((one.name for one in self.listed_portfolios() if is_traded(one, self.view)), "")
        return (f"this desk trades {traded}",) if traded else ()

    def listed_portfolios(self) -> list[PortfolioRecord]:
        """The portfolios as far as they were read."""
        answer = self.answer_of(PORTFOLIO_TAB)
        return [row for row in (answer.rows if answer is not None else ()) if isinstance(row, PortfolioRecord)]

    def called(self, key: str) -> str:
        row = self.row(key)
        if isinstance(row, ApiKeyRecord):
            return row.api_name
        return row.name if isinstance(row, PortfolioRecord) else key

    def details(self, key: str) -> list[tuple[str, str]]:
        """All fields; an access key in its short form, because a card is easily photographed."""
        row = self.row(key)
        shown = super().details(key)
        if not isinstance(row, ApiKeyRecord):
            return shown
        return [(name, short_key(text) if text == row.access_key else text) for name, text in shown]
