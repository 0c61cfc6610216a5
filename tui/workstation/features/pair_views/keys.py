"""Handlers of keys that open and close the views of one pair: ladder, chart, trades."""

from __future__ import annotations

from tui.workstation.commands.availability import TOO_SMALL, Blocks
from tui.workstation.commands.context import NO_PAIR_OPEN, Context
from tui.workstation.input.handlers import Handlers
from tui.workstation.model.instruments import full_name
from tui.workstation.table.live_table import LiveTable
from tui.workstation.widgets.pair_views import pair_of

NO_PAIR = "select a row that has a pair first"


class PairKeys:
    """Keys for the views of one pair; they never send an order."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._back = ""
        """List that had the focus before the views opened."""
        context.main_screen.pair.on_change = self._look_at

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {"pair.open": self.pair_open, "pair.pin": self.pair_pin}

    def blocks(self) -> Blocks:
        """Return functions that explain why an action cannot run, by action id."""
        return {"pair.open": self._open_block, "pair.pin": self._pin_block}

    def _open_block(self, table: LiveTable | None) -> str:
        screen = self._context.main_screen
        if screen.plan.tiny:
            return TOO_SMALL
        if screen.pair.sym:
            return ""
        return "" if table is not None and pair_of(table) else NO_PAIR

    def _pin_block(self, table: LiveTable | None) -> str:
        del table
        return "" if self._context.main_screen.pair.sym else NO_PAIR_OPEN

    def pair_pin(self) -> None:
        """Pin the ladder to its pair, or let it follow the cursor again."""
        screen = self._context.main_screen
        screen.pair.pin()
        for view in screen.pair.ids:
            screen.boxes[view].forget_selection()
        screen.arrange_panes()
        screen.flush_lists()
        pinned = screen.pair.pinned
        said = f"the ladder stays with {full_name(pinned)}; chart and trades follow the cursor" if pinned else ""
        self._context.say(said or "the ladder follows the cursor again")

    def pair_open(self) -> None:
        """Open ladder, chart and trades for the pair under the cursor; if one of these has the focus, close all three."""
        screen = self._context.main_screen
        views, box = screen.pair, screen.box
        self._context.guard.record_move()
        if box is not None and box.pane.id in views.ids:
            screen.home = self._back
            views.show("")
            screen.focus_list()
            return
        table = screen.table
        sym = pair_of(table) if table is not None else ""
        if table is None or not (sym or views.sym):
            return
        self._back = table.pane.id
        views.show(sym or views.sym)
        views.go_to_market()
        for view in views.ids:
            screen.boxes[view].reorder()
        screen.show_pane(views.ids[0])

    def _look_at(self, sym: str) -> None:
        # Imported late: the records of the service are not needed for the first frame.
        from tui.interface.families.market import BarPrice, Interval
        from tui.interface.streams import Detail

        pair = self._context.main_screen.pair
        detail = Detail(sym, Interval(pair.interval), BarPrice(pair.price))
        self._context.port.look_at(detail if sym else None, pair.books)
