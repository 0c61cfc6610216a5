"""Which screens there are beside the desk: one line each, under the id of the action that opens it.

Title, group and key stand in the action table; the start fails when one of the two has a screen the other has not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tui.workstation.explorer.screen import ExplorerScreen
from tui.workstation.fees.screen import FeesPane, FeesScreen
from tui.workstation.funds.screen import FundsPane, FundsScreen
from tui.workstation.history.screen import HistoryScreen
from tui.workstation.liquidation.pane import LiquidationPane
from tui.workstation.loans.screen import LoansPane, LoansScreen
from tui.workstation.overview.screen import OverviewPane, OverviewScreen
from tui.workstation.panes.algos import AlgosPane
from tui.workstation.panes.session_events import SessionEventsPane
from tui.workstation.portfolios.pane import PortfoliosPane
from tui.workstation.records.record_screen import RecordScreen
from tui.workstation.screens.full_screen import FullScreen
from tui.workstation.screens.list_screen import ScreenParts

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
