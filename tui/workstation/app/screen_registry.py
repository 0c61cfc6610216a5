"""Registry of the full screens, by the id of the action that opens them.

Title, group and key are in the action table; the start fails when the two do not match.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tui.workstation.features.algo_orders.pane import AlgosPane
from tui.workstation.features.events.session_pane import SessionEventsPane
from tui.workstation.features.explorer.pane import ExplorerPane
from tui.workstation.features.explorer.screen import ExplorerScreen
from tui.workstation.features.fees.pane import FeesPane
from tui.workstation.features.funds.pane import FundsPane
from tui.workstation.features.history.pane import HistoryPane
from tui.workstation.features.history.screen import HistoryScreen
from tui.workstation.features.liquidation.pane import LiquidationPane
from tui.workstation.features.loans.pane import LoansPane
from tui.workstation.features.overview.pane import OverviewPane
from tui.workstation.features.portfolios.pane import PortfoliosPane
from tui.workstation.features.programs.pane import ProgramsPane
from tui.workstation.table.pane import AnyPane
from tui.workstation.widgets.full_screen import FullScreen
from tui.workstation.widgets.list_screen import ScreenParts
from tui.workstation.widgets.lists.query_screen import QueryScreen


class ScreenRow(NamedTuple):
    """Pane and screen class of a full screen."""

    pane: type[AnyPane]
    screen: Callable[[ScreenParts, Any], FullScreen] = FullScreen

    def build(self, parts: ScreenParts) -> FullScreen:
        """Build the full screen with a new pane; called when the screen is first opened."""
        return self.screen(parts, self.pane(parts.view))


FULL_SCREENS: Mapping[str, ScreenRow] = {
    "screen.explorer": ScreenRow(ExplorerPane, ExplorerScreen),
    "screen.history": ScreenRow(HistoryPane, HistoryScreen),
    "screen.funds": ScreenRow(FundsPane, QueryScreen),
    "screen.overview": ScreenRow(OverviewPane, QueryScreen),
    "screen.portfolios": ScreenRow(PortfoliosPane, QueryScreen),
    "screen.liquidation": ScreenRow(LiquidationPane),
    "screen.algos": ScreenRow(AlgosPane),
    "screen.loans": ScreenRow(LoansPane, QueryScreen),
    "screen.fees": ScreenRow(FeesPane, QueryScreen),
    "screen.events": ScreenRow(SessionEventsPane),
    "screen.programs": ScreenRow(ProgramsPane),
}
