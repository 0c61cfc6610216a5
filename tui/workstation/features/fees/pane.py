"""Pane of the fees: own rates and groups, rates of portfolios, broker lists, position tiers."""

from __future__ import annotations

from typing import ClassVar

from tui.workstation.features.fees.sub_money_tabs import SUB_DEPOSITS, SUB_WITHDRAWALS
from tui.workstation.features.fees.tabs import BROKER, CLEARED, COLLECTED, OWN, PANE, SENT, SUB, TIERS
from tui.workstation.widgets.lists.query_pane import QueryPane
from tui.workstation.widgets.lists.tab import ListTab


class FeesPane(QueryPane):
    """Fee schedules and settlements; a list that needs a main key says so in its place."""

    id: ClassVar[str] = PANE
    title: ClassVar[str] = "Fees"
    tabs: ClassVar[tuple[ListTab, ...]] = (
        OWN, BROKER, COLLECTED, CLEARED, TIERS, SUB, SUB_DEPOSITS, SUB_WITHDRAWALS, SENT,
    )  # fmt: skip
