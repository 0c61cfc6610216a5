"""Panes of the main screen, in the order of their numbers and tabs."""

from __future__ import annotations

from typing import NamedTuple

from tui.workstation.features.adl.pane import AdlPane
from tui.workstation.features.alerts.pane import AlertsPane
from tui.workstation.features.assets.pane import AssetsPane
from tui.workstation.features.chart.pane import ChartPane
from tui.workstation.features.chart.view import ChartView
from tui.workstation.features.events.pane import EventsPane
from tui.workstation.features.fills.pane import FillsPane
from tui.workstation.features.ladder.pane import LadderPane
from tui.workstation.features.orders.pane import OrdersPane
from tui.workstation.features.pnl.pane import PnlPane
from tui.workstation.features.positions.pane import PositionsPane
from tui.workstation.features.quotes.pane import QuotesPane
from tui.workstation.features.risk.pane import RiskPane
from tui.workstation.features.trades.pane import TradesPane
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.table.pane_box import PaneBox

DRAWN: dict[str, type[PaneBox]] = {ChartPane.id: ChartView}
"""Widgets of the panes that are no table of rows."""


class DeskPanes(NamedTuple):
    """Panes of the main screen."""

    quotes: QuotesPane
    orders: OrdersPane
    positions: PositionsPane
    assets: AssetsPane
    adl: AdlPane
    fills: FillsPane
    events: EventsPane
    pnl: PnlPane
    risk: RiskPane
    alerts: AlertsPane
    ladder: LadderPane
    chart: ChartPane
    trades: TradesPane


def build_desk_panes(view: DisplayContext) -> DeskPanes:
    """Build all panes of the main screen over one display context."""
    alerts, ladder, chart, trades = AlertsPane(view), LadderPane(view), ChartPane(view), TradesPane(view)
    chart.alerts = ladder.alerts = alerts.prices
    chart.prints = trades.large
    return DeskPanes(
        quotes=QuotesPane(view),
        orders=OrdersPane(view),
        positions=PositionsPane(view),
        assets=AssetsPane(view),
        adl=AdlPane(view),
        fills=FillsPane(view),
        events=EventsPane(view),
        pnl=PnlPane(view),
        risk=RiskPane(view),
        alerts=alerts,
        ladder=ladder,
        chart=chart,
        trades=trades,
    )
