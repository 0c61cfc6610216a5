"""Which screens there are beside the desk: one line each, under the id of the action that opens it.

Title, group and key stand in the action table; the start fails when one of the two has a screen the other has not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tui.workstation.features.algo_orders.pane import AlgosPane
from tui.workstation.features.events.session_pane import SessionEventsPane
from tui.workstation.features.explorer.screen import ExplorerScreen
from tui.workstation.features.fees.screen import FeesPane, FeesScreen
from tui.workstation.features.funds.screen import FundsPane, FundsScreen
from tui.workstation.features.history.screen import HistoryScreen
from tui.workstation.features.liquidation.pane import LiquidationPane
from tui.workstation.features.loans.screen import LoansPane, LoansScreen
from tui.workstation.features.overview.screen import OverviewPane, OverviewScreen
from tui.workstation.features.portfolios.pane import PortfoliosPane
from tui.workstation.widgets.full_screen import FullScreen
from tui.workstation.widgets.list_screen import ScreenParts
from tui.workstation.widgets.lists.record_screen import RecordScreen

MakeScreen = Callable[[ScreenParts], FullScreen]
"""Makes a screen when it is entered for the first time."""

FULL_SCREENS: Mapping[str, MakeScreen] = {
    "screen.explorer": lambda parts: ExplorerScreen(parts, parts.request_read),
    "screen.history": lambda parts: HistoryScreen(parts, parts.request_history),
    "screen.funds": lambda parts: FundsScreen(parts, FundsPane(parts.view), parts.request_read),
    "screen.overview": lambda parts: OverviewScreen(parts, OverviewPane(parts.view), parts.request_read),
    "screen.portfolios": lambda parts: RecordScreen(parts, PortfoliosPane(parts.view), parts.request_read),
    "screen.liquidation": lambda parts: FullScreen(parts, LiquidationPane(parts.view)),
    "screen.algos": lambda parts: FullScreen(parts, AlgosPane(parts.view)),
    "screen.loans": lambda parts: LoansScreen(parts, LoansPane(parts.view), parts.request_read),
    "screen.fees": lambda parts: FeesScreen(parts, FeesPane(parts.view), parts.request_read),
    "screen.events": lambda parts: FullScreen(parts, SessionEventsPane(parts.view)),
}
