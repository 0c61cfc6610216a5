"""Handlers of keys that only change the view."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

from tui.engine.rows import OrderRow, Source
from tui.interface.decimals import ZERO, plain
from tui.interface.text import how_many
from tui.workstation.commands.availability import NO_OTHER_VIEW, TOO_SMALL, Blocks
from tui.workstation.commands.context import NO_PAIR_OPEN, Context, no_row
from tui.workstation.features.fills.pane import FillsPane
from tui.workstation.input.handlers import Handlers
from tui.workstation.model import number_format
from tui.workstation.model.instruments import full_name, in_contracts
from tui.workstation.model.orders.order_reason import reason_text
from tui.workstation.table.live_table import LiveTable

_ORIGINS = {"DMA": "direct"}
_SOURCES = {Source.PUSH: "WebSocket"}
"""Display names in an order's card; other values are shown unchanged."""

PANE_KEYS = {"pane.1": "quotes", "pane.2": "orders", "pane.3": "positions", "pane.4": "assets", "pane.5": "adl"}
"""Panes by the action that shows them."""


class NavigationKeys:
    """Keys that move in lists, panes, cards and details."""

    def __init__(self, context: Context, fills: FillsPane) -> None:
        self._context = context
        self._fills = fills
        self._arrived_at: str | None = None
        """Order that the newest coming to the orders has selected."""

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        panes = {name: partial(self._arrive, pane) for name, pane in PANE_KEYS.items()}
        return {
            **panes,
            "pane.next": partial(self._cycle_panes, 1),
            "pane.back": partial(self._cycle_panes, -1),
            "view.next": partial(self._cycle_views, 1),
            "view.back": partial(self._cycle_views, -1),
            "view.right": partial(self._cycle_views, 1),
            "view.left": partial(self._cycle_views, -1),
            "list.down": partial(self._move, 1),
            "list.up": partial(self._move, -1),
            "list.first": self.list_first,
            "list.last": self.list_last,
            "list.page_down": partial(self._page, 1),
            "list.page_up": partial(self._page, -1),
            "row.copy": self.row_copy,
            "row.details": self.row_details,
            "row.card": self.row_details,
            "order.details": self.order_details,
            "order.story": self.order_history,
            "fills.open": self.fills_open,
            "away.seen": self.away_seen,
            "event.details": self.event_details,
            "screen.redraw": self.screen_redraw,
        }

    def blocks(self) -> Blocks:
        """Return functions that explain why an action cannot run, by action id."""
        rows = ("row.copy", "row.details", "row.card", "order.details", "order.story", "fills.open", "event.details")
        return {
            **dict.fromkeys(rows, no_row),
            **{name: partial(self.pane_block, pane) for name, pane in PANE_KEYS.items()},
            "away.seen": self._away_block,
        }

    def pane_block(self, pane: str, table: LiveTable | None = None) -> str:
        """Return why a pane cannot be shown: no pair is open, or there is no room; empty if it can."""
        del table
        screen = self._context.main_screen
        if pane in screen.pair.ids and not screen.pair.sym:
            return NO_PAIR_OPEN
        return "" if screen.plan.area_of(pane) is not None else TOO_SMALL

    def _away_block(self, table: LiveTable | None) -> str:
        del table
        event_log = self._context.mirror.event_log
        return "" if event_log.sticky or event_log.away else "nothing to clear"

    def show_pane(self, pane: str) -> None:
        """Show a pane of the main screen, also from a full screen."""
        self._context.show_desk()
        self._context.main_screen.show_pane(pane)

    def _arrive(self, pane: str) -> None:
        """Show a pane after its key was pressed; on coming to the orders pane, select the newest working order."""
        context = self._context
        context.show_desk()
        there = context.main_screen.tables[pane]
        arrives = context.table is not there
        context.main_screen.show_pane(pane)
        context.guard.record_move()
        if not arrives:
            return
        if pane == "orders":
            self._select_newest_working(there)
        else:
            there.cursor.note_arrival()

    def _select_newest_working(self, orders: LiveTable) -> None:
        """Select the newest working order unless working orders are marked; a trading key right after only names that order.

        It does so for a moment, and for as long as it takes where the trader had put the cursor on another order.
        """
        # While the list was hidden its cursor may have stood on an order that has ended.
        orders.settle()
        left, stayed = orders.selected, orders.cursor.by_hand and not orders.cursor.slid
        was_chosen = stayed and left not in (None, self._arrived_at) and orders.pane.carries_risk(left or "")
        orders.cursor.slid = False
        orders.marked.unmark({key for key in orders.marked if not orders.pane.carries_risk(key)})
        newest = orders.pane.newest_working()
        if newest not in (None, orders.selected) and not orders.marked:
            orders.select(newest)
            self._arrived_at = newest
            orders.cursor.moved_at, orders.cursor.slid = self._context.clock.mono(), was_chosen

    def _cycle_panes(self, steps: int) -> None:
        """Focus the next or previous pane, on a full screen its list; an ended order gives way to the newest working one."""
        context = self._context
        if context.list_screen is not context.main_screen:
            self._cycle_views(steps)
            return
        orders, before = context.main_screen.tables["orders"], context.table
        context.show_desk()
        context.main_screen.cycle_panes(steps)
        context.guard.record_move()
        if context.table is orders and before is not orders:
            order = context.mirror.orders.get(orders.selected or "")
            if order is not None and order.final:
                self._select_newest_working(orders)

    def _cycle_views(self, steps: int) -> None:
        context = self._context
        screen = context.main_screen
        if context.list_screen is screen and screen.is_alone_in_place(screen.pair.ids):
            context.ignore(NO_OTHER_VIEW)
            return
        pane = context.table.pane if context.table is not None else None
        before = pane.view_at if pane is not None else 0
        context.list_screen.cycle_views(steps)
        if pane is not None and pane.view_at != before and (said := pane.describe_view()):
            context.say(said)

    def _move(self, rows: int) -> None:
        if (table := self._context.table) is not None:
            table.move(rows)

    def _page(self, pages: int) -> None:
        if (table := self._context.table) is not None:
            table.move(pages * max(1, table.body_height - 1))

    def list_first(self) -> None:
        if (table := self._context.table) is not None:
            table.select_first()

    def list_last(self) -> None:
        if (table := self._context.table) is not None:
            table.select_last()

    def row_copy(self) -> None:
        table = self._context.table
        # A second y behind one that answered a question copies nothing.
        if table is None or self._context.guard.is_repeated:
            return
        text = "\n".join(table.pane.copy_text(key) for key in table.targets)
        self._context.app.copy_to_clipboard(text)
        self._context.say(f"copied to the clipboard of the terminal: {text}")

    def order_details(self) -> None:
        """Open the card of the selected order, with everything known about its state."""
        context = self._context
        table = context.table
        order = context.mirror.orders.get(table.selected) if table is not None and table.selected is not None else None
        if order is not None:
            self.open_order(order)

    def open_order(self, order: OrderRow) -> None:
        """Open the card of an order; the card is updated as the order changes."""
        orders, key = self._context.mirror.orders, order.key
        self._context.open_card(full_name(order.sym), lambda: self._order_facts(orders.get(key, order)), "Order")

    def _order_facts(self, order: OrderRow) -> list[tuple[str, str]]:
        view, stamp = self._context.view, order.stamp
        side = order.side if order.position_side in ("", "NONE") else f"{order.side}+{order.position_side}"
        filled = self._sum_doubted_fills(order)
        flags = " ".join(word for word, on in (("reduce-only", order.reduce_only), ("EXTERNAL", order.external)) if on)
        facts = [
            ("state", f"{order.state} {order.overlay.value}"),
            ("why", reason_text(order, view) or number_format.MISSING),
            ("conflict", order.conflict),
            ("symbol", order.sym),
            ("sent by", order.peer),
            ("order", f"{side} {order.order_type} {order.time_in_force} {flags}"),
            (
                "price",
                f"{order.price or 'market'}"
                + (f", asked for {order.requested_price}" if order.requested_price else ""),
            ),
            (
                "quantity",
                f"total {order.qty}, filled {order.filled}" + (" contracts" if in_contracts(order.sym) else ""),
            ),
            (
                "its fills",
                f"{plain(filled)} reported so far; the state of the order is not known" if filled else "",
            ),
            ("average", order.average if number_format.value(order.average) else ""),
            ("fee", _describe_charge(order, order.fee, order.fee_coin, filled)),
            ("rebate", _describe_charge(order, order.rebate, order.rebate_coin, filled)),
            ("borrowed", _describe_borrowing(order)),
            ("client id", order.client_order_id),
            ("order id", order.order_id),
            ("origin", _ORIGINS.get(order.origin, order.origin)),
            ("created", f"{view.moment(order.create_at, millis=True)}"),
            (
                "changed",
                f"{view.moment(stamp.update_at, millis=True)}, source: {_SOURCES.get(stamp.source, stamp.source.value)}",
            ),
        ]
        return [(name, text) for name, text in facts if text.strip()]

    def _sum_doubted_fills(self, order: OrderRow) -> Decimal:
        """Sum the received fills of an order whose state is uncertain; return 0 for any other order."""
        return self._context.mirror.sum_fills(order) if order.unsure else ZERO

    def row_details(self) -> None:
        """Open a card with all fields of a row as the service sent them."""
        table = self._context.table
        facts = table.pane.details(table.selected) if table is not None and table.selected is not None else []
        if table is None or not facts:
            return
        pane, key, last = table.pane, table.selected or "", facts
        for query in pane.detail_queries(key):
            self._context.port.read(query)
        self._context.open_card(f"{pane.title}: {pane.card_title(key)}", lambda: pane.details(key) or last)

    def order_history(self) -> None:
        """Open the timeline of an order in this session; the journal file holds all sessions."""
        context = self._context
        table = context.table
        key = table.selected if table is not None else None
        order = context.mirror.orders.get(key) if key is not None else None
        if order is None:
            return
        names = {order.key, order.client_order_id, order.order_id} - {""}
        lines = [
            (context.view.moment(event.wall_ms, millis=True), event.text)
            for _, event in context.mirror.event_log.events
            if event.key in names
        ]
        shown = lines or [
            (number_format.MISSING, "no events in this session; see `crossdesk journal` for earlier ones")
        ]
        self._context.open_card(
            f"Timeline of {full_name(order.sym)} {order.client_order_id or order.order_id}", lambda: shown, "Timeline"
        )

    def fills_open(self) -> None:
        """Show or hide the single fills of an order; on a single fill, open its card."""
        main_screen = self._context.main_screen
        table = main_screen.table
        if table is None or table.selected is None:
            return
        if self._fills.open_or_close(table.selected):
            table.rearrange()
        else:
            self.row_details()

    def away_seen(self) -> None:
        """Show pending warnings, or else what changed while disconnected, and clear them."""
        context = self._context
        if context.mirror.event_log.sticky:
            cleared, done = context.clear_warnings()
            seen = [(context.view.moment(event.wall_ms, millis=True), text) for event, text in cleared]
            context.list_screen.event_bar.redraw_all()
            self._context.open_card(done.capitalize(), lambda: seen, "Warnings")
            return
        lines = [
            (context.view.moment(event.wall_ms, millis=True), event.text) for event in context.mirror.event_log.away
        ]
        context.mirror.event_log.away.clear()
        context.list_screen.status.redraw_all()
        word = how_many(len(lines), "change")
        self._context.open_card(f"While away: {word}, cleared", lambda: lines, "While away")

    def event_details(self) -> None:
        """Open a card with the full text of an event."""
        table, mirror = self._context.table, self._context.mirror
        for count, event in mirror.event_log.events:
            if table is not None and str(count) == table.selected:
                facts = [("time", self._context.view.moment(event.wall_ms, millis=True)), ("level", event.level.value)]
                facts += [("event", event.text), ("order", event.key or number_format.MISSING)]
                self._context.open_card("Event", lambda facts=facts: facts, "Event")  # type: ignore[misc]
                return

    def screen_redraw(self) -> None:
        self._context.list_screen.repaint_all()
        self._context.list_screen.refresh(layout=True)
        self._context.list_screen.refresh()


def _describe_charge(order: OrderRow, amount: str, coin: str, doubted: Decimal) -> str:
    """Format a fee or rebate with its coin; `–` while the order record does not yet cover all fills received."""
    executed = number_format.value(order.executed) or ZERO
    if max(doubted, number_format.value(order.filled) or ZERO) > executed:
        return number_format.MISSING
    return f"{amount} {coin}"


def _describe_borrowing(order: OrderRow) -> str:
    """Describe how much a margin order borrowed, or return an empty text."""
    record = order.record
    amount = number_format.value(record.borrow_amount) if record is not None else None
    return f"{record.borrow_amount} {record.borrow_asset}" if record is not None and amount else ""
