"""Handlers of keys that only change what is seen."""

from __future__ import annotations

from collections.abc import Callable

from tui.engine.rows import Level, Shown
from tui.workstation.context import Context
from tui.workstation.panes.orders import note_text

_BY_NUMBER = {"pane.1": "quotes", "pane.2": "orders", "pane.3": "positions", "pane.4": "assets", "pane.5": "adl"}

DOUBLE_S = 2.0


class LookKeys:
    """Moving, panes, help, freeze."""

    def __init__(
        self, context: Context, freeze: Callable[[], None], copy: Callable[[str], None], open_help: Callable[[], None]
    ) -> None:
        self._context = context
        self._freeze = freeze
        self._copy = copy
        self._open_help = open_help
        self._g_at = float("-inf")

    def _pane(self, name: str) -> None:
        self._context.desk.show_pane(_BY_NUMBER[name])

    def pane_1(self) -> None:
        self._pane("pane.1")

    def pane_2(self) -> None:
        self._pane("pane.2")

    def pane_3(self) -> None:
        self._pane("pane.3")

    def pane_4(self) -> None:
        self._pane("pane.4")

    def pane_5(self) -> None:
        self._pane("pane.5")

    def pane_next(self) -> None:
        self._context.desk.cycle_panes(1)

    def pane_back(self) -> None:
        self._context.desk.cycle_panes(-1)

    def pane_close(self) -> None:
        self._context.desk.show_pane("quotes")

    def view_next(self) -> None:
        self._context.desk.cycle_views(1)

    def view_back(self) -> None:
        self._context.desk.cycle_views(-1)

    def list_down(self) -> None:
        if (table := self._context.desk.table) is not None:
            table.move(1)

    def list_up(self) -> None:
        if (table := self._context.desk.table) is not None:
            table.move(-1)

    def list_first(self) -> None:
        table, now = self._context.desk.table, self._context.clock.mono()
        if table is not None and (self._context.key != "g" or now - self._g_at <= DOUBLE_S):
            self._g_at = float("-inf")
            table.to_edge(False)
        else:
            self._g_at = now

    def list_last(self) -> None:
        if (table := self._context.desk.table) is not None:
            table.to_edge(True)

    def list_page_down(self) -> None:
        if (table := self._context.desk.table) is not None:
            table.page(1)

    def list_page_up(self) -> None:
        if (table := self._context.desk.table) is not None:
            table.page(-1)

    def row_copy(self) -> None:
        table = self._context.desk.table
        if table is None or table.selected is None:
            self._context.say("nothing selected to copy")
            return
        order = self._context.mirror.orders.get(table.selected) if table.pane.id == "orders" else None
        text = (order.client_order_id or order.order_id) if order is not None else table.selected
        self._copy(text)
        self._context.say(f"copy sent to the terminal: {text}")

    def order_details(self) -> None:
        """One line with all that is known about why an order is where it is."""
        context = self._context
        table = context.desk.table
        order = context.mirror.orders.get(table.selected) if table is not None and table.selected is not None else None
        if order is None:
            context.say("no order selected")
            return
        words = [order.state, order.overlay.value, note_text(order, context.view)]
        ids = f"client id {order.client_order_id or '–'}, order id {order.order_id or '–'}"
        fees = f"average {order.average}, fee {order.fee} {order.fee_coin}, rebate {order.rebate} {order.rebate_coin}"
        level = Level.WARN if order.state == Shown.UNKNOWN or order.conflict else Level.INFO
        text = (
            f"{order.sym} {' '.join(word for word in words if word)} · {ids} · {fees} · from {order.stamp.source.value}"
        )
        context.say(text, level, order.key)

    def paint_freeze(self) -> None:
        self._freeze()

    def screen_redraw(self) -> None:
        self._context.desk.repaint_all()
        self._context.desk.refresh(repaint=True, layout=True)

    def help_open(self) -> None:
        self._open_help()
