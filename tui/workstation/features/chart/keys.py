"""Handlers of keys on the chart: crosshair, interval, zoom; orders and alerts at the crosshair's price."""

from __future__ import annotations

from functools import partial

from tui.interface.decimals import plain, positive
from tui.interface.families.orders import Side
from tui.workstation.commands.availability import Blocks
from tui.workstation.commands.context import Context
from tui.workstation.commands.desk_services import LineDesk, OrderDesk
from tui.workstation.features.chart.view import ChartView
from tui.workstation.input.handlers import Handlers
from tui.workstation.input.input_order import key_time
from tui.workstation.table.live_table import LiveTable
from tui.workstation.tickets.fields import Mode
from tui.workstation.tickets.order import ticket_factory
from tui.workstation.tickets.order.ticket_factory import NOT_DRAWN, DrawnAt

NO_CROSSHAIR = "no price is chosen: the arrow keys show the crosshair"


class ChartKeys:
    """Keys of the chart; orders that they stage carry the price that the screen showed at the crosshair."""

    def __init__(self, context: Context, orders: OrderDesk, line: LineDesk) -> None:
        self._context = context
        self._orders = orders
        self._line = line

    @property
    def _chart(self) -> ChartView:
        box = self._context.main_screen.boxes["chart"]
        assert isinstance(box, ChartView)
        return box

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {
            "chart.left": partial(self._move, -1, 0),
            "chart.right": partial(self._move, 1, 0),
            "chart.up": partial(self._move, 0, -1),
            "chart.down": partial(self._move, 0, 1),
            "chart.left10": partial(self._move, -10, 0),
            "chart.right10": partial(self._move, 10, 0),
            "chart.newest": lambda: self._chart.hide_crosshair(),
            "chart.shorter": partial(self._cycle_interval, -1),
            "chart.longer": partial(self._cycle_interval, 1),
            "chart.price": lambda: self._chart.cycle_price(),
            "chart.wider": partial(self._zoom, 1),
            "chart.narrower": partial(self._zoom, -1),
            "chart.buy": partial(self._stage, Side.BUY),
            "chart.sell": partial(self._stage, Side.SELL),
            "chart.alert": self.chart_alert,
        }

    def blocks(self) -> Blocks:
        """Return functions that explain why an action cannot run, by action id."""
        return dict.fromkeys(("chart.buy", "chart.sell", "chart.alert"), self._price_block)

    def _price_block(self, table: LiveTable | None) -> str:
        del table
        return "" if self._chart.crosshair_price() is not None else NO_CROSSHAIR

    def _move(self, bars: int, rows: int) -> None:
        self._chart.move_crosshair(bars, rows)
        self._context.guard.record_move()

    def _cycle_interval(self, steps: int) -> None:
        """Show the next or previous interval, or say that there is none."""
        before = self._chart.interval
        self._chart.cycle_interval(steps)
        if self._chart.interval == before:
            self._context.ignore(f"{before} is the {'longest' if steps > 0 else 'shortest'} interval")

    def _zoom(self, steps: int) -> None:
        """Draw wider or narrower bars, or say that they cannot be."""
        if not self._chart.zoom(steps):
            self._context.ignore(f"the bars are as {'wide' if steps > 0 else 'narrow'} as they can be")

    def _stage(self, side: Side) -> None:
        """Open a limit order ticket at the crosshair's price, without sending it."""
        chart, context = self._chart, self._context
        price, drawn = chart.crosshair_price(), chart.drawn_price
        if price is None:
            return
        seen = NOT_DRAWN
        if drawn is not None:
            seen = DrawnAt(drawn.frame, drawn.price, drawn.price, drawn.since, key_time())
        ticket = ticket_factory.order_at_price(chart.sym, price, seen, side, context.view)
        if isinstance(ticket, str):
            context.refuse(ticket)
        else:
            self._orders.open(ticket, Mode.STAGED, at_row=True)

    def chart_alert(self) -> None:
        """Open the command line with an alert at the crosshair's price."""
        chart, price = self._chart, self._chart.crosshair_price()
        quote = self._context.mirror.quotes.get(chart.sym)
        if price is None:
            return
        ask = positive(quote.ask) if quote is not None else None
        above = ask is not None and price >= ask
        self._line.line_open(f"alert when {chart.sym} last {'>=' if above else '<='} {plain(price)}")
