"""Fees pane: own rates and groups, rates of portfolios, broker lists, position tiers."""

from __future__ import annotations

from typing import ClassVar

from tui.workstation.features.fees.sub_money_tabs import SUB_DEPOSITS, SUB_WITHDRAWALS
from tui.workstation.features.fees.tabs import BROKER, CLEARED, COLLECTED, OWN, PANE, SENT, SUB, TIERS
from tui.workstation.widgets.lists.query_pane import QueryPane
from tui.workstation.widgets.lists.tab import ListTab


class FeesPane(QueryPane):
    """Pane with fee schedules and settlements; some lists can only be read with a key of the main portfolio."""

    id: ClassVar[str] = PANE
    title: ClassVar[str] = "Fees"
    tabs: ClassVar[tuple[ListTab, ...]] = (
        OWN, BROKER, COLLECTED, CLEARED, TIERS, SUB, SUB_DEPOSITS, SUB_WITHDRAWALS, SENT,
    )  # fmt: skip
