"""The fees screen: own rates and groups, those of portfolios, broker lists, position tiers."""

from __future__ import annotations

from typing import ClassVar

from tui.engine.rows import Table
from tui.engine.service_query import ServiceQuery
from tui.workstation.features.fees.sub_money_tabs import SUB_DEPOSITS, SUB_WITHDRAWALS
from tui.workstation.features.fees.tabs import BROKER, CLEARED, COLLECTED, LISTED, OWN, PANE, SENT, SUB, TIERS
from tui.workstation.widgets.lists.record_screen import RecordPane, RecordScreen
from tui.workstation.widgets.lists.tab import ListTab

NAMES_PORTFOLIOS = (BROKER, COLLECTED, SUB_DEPOSITS, SUB_WITHDRAWALS)
"""Lists whose rows are of portfolios; their names are read with them."""


class FeesPane(RecordPane):
    """Schedules and settlements; what needs a main key says so in its place."""

    id: ClassVar[str] = PANE
    title: ClassVar[str] = "Fees"
    tabs: ClassVar[tuple[ListTab, ...]] = (
        OWN, BROKER, COLLECTED, CLEARED, TIERS, SUB, SUB_DEPOSITS, SUB_WITHDRAWALS, SENT,
    )  # fmt: skip
    views: ClassVar[tuple[str, ...]] = tuple(tab.name for tab in tabs)

    def beside(self) -> tuple[str, ...]:
        return ("1bp = 0.01 %; minus is a rebate",) if self.tab in (OWN, BROKER, SUB) else ()

    def asked_words(self) -> str:
        return "90 days" if self.tab in (COLLECTED, CLEARED) else ""


class FeesScreen(RecordScreen):
    """Reads which portfolios there are, and then their schedules."""

    def read_list(self, *, again: bool) -> None:
        if self.records.tab in NAMES_PORTFOLIOS and (again or LISTED not in self.view.mirror.answers):
            self._request(ServiceQuery(key=LISTED, endpoint="portfolios"))
        super().read_list(again=again)

    def feed(self, changed: dict[Table, list[str]], new_events: bool) -> None:
        super().feed(changed, new_events)
        if self.records.tab is BROKER and LISTED in changed.get(Table.ANSWERS, ()):
            self.look()
