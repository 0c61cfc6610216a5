"""Handlers of keys on the ladder: move over prices, stage, cancel and pick up orders, set levels of the position."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import partial

from tui.engine.rows import LocalOrderState, OrderRow
from tui.interface.decimals import plain
from tui.interface.families.orders import Side, TimeInForce
from tui.interface.families.positions import PositionRecord
from tui.interface.figures import leg_of
from tui.workstation.command_line.levels import list_positions
from tui.workstation.command_line.order_descriptions import describe_row
from tui.workstation.commands.availability import NO_OTHER_VIEW, Blocks
from tui.workstation.commands.context import Context
from tui.workstation.commands.desk_services import CancelDesk, HotDesk, LineDesk, OrderDesk
from tui.workstation.features.ladder.pane import LadderPane
from tui.workstation.features.ladder.venues import find_venues
from tui.workstation.input.handlers import Handlers
from tui.workstation.input.input_order import key_time
from tui.workstation.model.instruments import full_name
from tui.workstation.model.position_metrics import name_leg
from tui.workstation.model.screen_preferences import ScreenPreferences
from tui.workstation.table.live_table import LiveTable
from tui.workstation.tickets.fields import Mode
from tui.workstation.tickets.order import ticket_factory
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.order.ticket_factory import NOT_DRAWN, DrawnAt
from tui.workstation.widgets.question import Option, Question

NO_PRICES = "the ladder has no prices yet: wait for the first quote"
NO_ORDER = "no order of yours is working at this price"
NO_OTHER_VENUE = "no other venue trades this pair"
_LEVELS = {"sl": "stop", "tp": "target"}
NOT_PICKED = "no order is picked up: ⟦ladder.pick⟧ on the row of an order picks it up"


class LadderKeys:
    """Keys of the ladder; orders that they stage carry the price that the screen showed at the cursor."""

    def __init__(
        self,
        context: Context,
        pane: LadderPane,
        orders: OrderDesk,
        hot: HotDesk,
        cancels: CancelDesk,
        line: LineDesk,
    ) -> None:
        self._context = context
        self._pane = pane
        self._orders = orders
        self._hot = hot
        self._cancels = cancels
        self._line = line
        pane.idle_s = self._idle_s
        pane.on_let_go = context.refresh_keys
        self._remember: Callable[[str, int], None] = lambda *_: None

    def connect_preferences(self, preferences: ScreenPreferences) -> None:
        """Load the stored ticks per row of each pair, and store new choices."""
        self._pane.groups = preferences.ladder_ticks

        def remember(name: str, ticks: int) -> None:
            preferences.remember_ladder(name, ticks)
            preferences.save()

        self._remember = remember

    def _idle_s(self) -> float:
        """Return the seconds since the last key; 0 while a ticket is open, or an order is picked up or UNKNOWN."""
        context, pane = self._context, self._pane
        working = (order for sym in pane.syms for order in context.mirror.working_on(sym))
        unknown = any(order.state == LocalOrderState.UNKNOWN for order in working)
        picked = pane.book is not None and bool(pane.book.picked)
        if unknown or picked or context.main_screen.panel.ticket is not None:
            return 0.0
        return key_time() - context.guard.acted_at

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {
            "ladder.down": partial(self._move, -1),
            "ladder.up": partial(self._move, 1),
            "ladder.down10": partial(self._move, -10),
            "ladder.up10": partial(self._move, 10),
            "ladder.page_down": partial(self._page, -1),
            "ladder.page_up": partial(self._page, 1),
            "ladder.bid": self.ladder_bid,
            "ladder.ask": self.ladder_ask,
            "ladder.centre": self.ladder_centre,
            "ladder.coarser": partial(self._regroup, 1),
            "ladder.finer": partial(self._regroup, -1),
            "ladder.buy": partial(self._stage, Side.BUY),
            "ladder.sell": partial(self._stage, Side.SELL),
            "ladder.fire_buy": partial(self._fire, Side.BUY),
            "ladder.fire_sell": partial(self._fire, Side.SELL),
            "ladder.cancel": self.ladder_cancel,
            "ladder.cancel_pair": self.ladder_cancel_pair,
            "ladder.pick": self.ladder_pick,
            "ladder.put": self.ladder_put,
            "ladder.target": partial(self._set_level, "tp"),
            "ladder.stop": partial(self._set_level, "sl"),
            "ladder.alert": self.ladder_alert,
            "ladder.venues": self.ladder_venues,
            "ladder.one_venue": self.ladder_one_venue,
            "ladder.right": partial(self._go_aside, 1),
            "ladder.left": partial(self._go_aside, -1),
        }

    def blocks(self) -> Blocks:
        """Return functions that explain why an action cannot run, by action id."""
        names = ("bid", "ask", "centre", "coarser", "finer", "buy", "sell", "target", "stop", "alert")
        return {
            **{f"ladder.{name}": self._price_block for name in names},
            "ladder.fire_buy": partial(self._fire_block, "buy"),
            "ladder.fire_sell": partial(self._fire_block, "sell"),
            "ladder.cancel": self._own_block,
            "ladder.pick": self._own_block,
            "ladder.put": self._put_block,
        }

    def _price_block(self, table: LiveTable | None) -> str:
        del table
        return "" if self._pane.axis is not None and self._pane.price() is not None else NO_PRICES

    def _fire_block(self, side: str, table: LiveTable | None) -> str:
        if self._context.hot:
            return self._price_block(table)
        return f"sends in HOT only: ⟦ladder.{side}⟧ stages at this price"

    def _own_block(self, table: LiveTable | None) -> str:
        return self._price_block(table) or ("" if self._own_here() else NO_ORDER)

    def _put_block(self, table: LiveTable | None) -> str:
        if reason := self._price_block(table):
            return reason
        if self._pane.book is not None and self._pane.book.picked:
            return ""
        elsewhere = self._pane.picked_sym
        return (
            f"the picked-up order is of {full_name(elsewhere)}: move the cursor to its column"
            if elsewhere
            else NOT_PICKED
        )

    # Cursor and window

    @property
    def _table(self) -> LiveTable:
        return self._context.main_screen.tables[self._pane.id]

    def _show_cursor(self) -> None:
        """Redraw window and cursor after the trader moved them."""
        table = self._table
        table.reorder()
        table.flush()
        table.select(self._pane.cursor_key)
        table.refresh_title()

    def _move(self, rows: int) -> None:
        if (axis := self._pane.axis) is not None:
            axis.move(rows)
            self._show_cursor()

    def _page(self, pages: int) -> None:
        if (axis := self._pane.axis) is not None:
            axis.move(pages * max(1, axis.lines))
            self._show_cursor()

    def _go_to(self, ticks: int | None) -> None:
        if (axis := self._pane.axis) is not None and ticks is not None:
            axis.go_to(ticks)
            self._show_cursor()

    def ladder_bid(self) -> None:
        self._go_to(self._pane.best_ticks(bid=True))

    def ladder_ask(self) -> None:
        self._go_to(self._pane.best_ticks(bid=False))

    def ladder_centre(self) -> None:
        """Centre the window on the best bid, without bids on the best ask; a cursor outside it goes there."""
        axis, touch = self._pane.axis, self._pane.best_ticks(bid=True)
        if touch is None:
            touch = self._pane.best_ticks(bid=False)
        if axis is not None and touch is not None:
            axis.centre(touch)
            if axis.cursor is None or axis.far_from(axis.cursor):
                axis.cursor = touch
            self._context.guard.record_move()
            self._show_cursor()

    def _regroup(self, steps: int) -> None:
        if (axis := self._pane.axis) is not None:
            axis.regroup(steps)
            self._remember(self._pane.group_key, axis.group)
            self._context.guard.record_move()
            self._show_cursor()
            # A row of the same lowest price holds other prices now.
            self._table.rearrange()
            self._context.say(f"one row is {axis.group} tick{'s' if axis.group > 1 else ''}")

    # Venues

    def ladder_venues(self) -> None:
        """Show the columns of all venues of the pair; if already shown, go to the next view, or back to one venue."""
        pane = self._pane
        others = () if pane.venues else find_venues(pane.shown_sym, self._context.mirror)
        if pane.venues and self._is_alone:
            self.ladder_one_venue()
        elif len(others) > 1:
            self._show_venues(others)
        elif pane.venues or not self._is_alone:
            self._context.main_screen.cycle_views(1)
        else:
            self._context.ignore(NO_OTHER_VENUE)

    def ladder_one_venue(self) -> None:
        """Show only the cursor's venue; if only one is shown already, show the previous view, or all venues."""
        pane, screen = self._pane, self._context.main_screen
        if not pane.venues:
            if self._is_alone:
                self.ladder_venues()
            else:
                screen.cycle_views(-1)
            return
        sym, price = pane.cursor_sym, pane.price()
        self._show_venues(())
        if sym != pane.shown_sym:
            screen.pair.show(sym)
            if price is not None:
                pane.go_to_price(price)
            self._show_cursor()

    @property
    def _is_alone(self) -> bool:
        """Whether the ladder is the only view in its part of the screen."""
        screen = self._context.main_screen
        return screen.is_alone_in_place(screen.pair.ids)

    def _show_venues(self, syms: tuple[str, ...]) -> None:
        self._pane.show_venues(syms)
        self._context.guard.record_move()
        self._table.rearrange()
        self._show_cursor()

    def _go_aside(self, steps: int) -> None:
        """Move the cursor to the neighbouring venue; if only one venue is shown, go to the neighbouring view."""
        pane, context = self._pane, self._context
        if not pane.venues:
            if self._is_alone:
                context.ignore(NO_OTHER_VIEW)
            else:
                context.main_screen.cycle_views(steps)
        elif pane.go_to_venue(pane.at + steps):
            context.guard.record_move()
            self._table.rearrange()
            self._show_cursor()
            context.list_screen.status.redraw_all()
        else:
            context.ignore(f"no venue further {'right' if steps > 0 else 'left'}")

    # Orders

    @property
    def _drawn(self) -> DrawnAt:
        """Price shown in the cursor's line and since when, with which the present key press is checked."""
        row, guard = self._pane.drawn, self._context.guard
        if row is None:
            return NOT_DRAWN
        now = min(key_time(), guard.acted_at)
        return DrawnAt(row.number, row.low, row.high, self._pane.written.since, now, row.sym)

    def _stage(self, side: Side) -> None:
        """Open a limit order ticket at the price under the cursor, without sending it."""
        ticket = self._build_ticket(side)
        if ticket is not None:
            self._name_end(ticket.price, low=side is Side.BUY)
            self._orders.open(ticket, Mode.STAGED, at_row=True)

    def _fire(self, side: Side) -> None:
        """Send a post-only limit order at the price under the cursor at once (in HOT); refuse a price that would take."""
        ticket = self._build_ticket(side)
        if ticket is None:
            return
        if ticket.tif is not TimeInForce.GTX:
            shown = self._context.view.price(ticket.sym, ticket.price)
            self._context.refuse(f"{shown} would take: in HOT the ladder sends only post-only orders")
            return
        self._name_end(ticket.price, low=side is Side.BUY)
        self._hot.fire(ticket, self._pane.written)

    def _build_ticket(self, side: Side) -> Ticket | None:
        """Build a limit order at the price under the cursor; None if there is no price, or it was shown too briefly."""
        pane, context = self._pane, self._context
        price = pane.price(low=side is Side.BUY)
        if price is None:
            return None
        ticket = ticket_factory.order_at_price(pane.cursor_sym, price, self._drawn, side, context.view)
        if isinstance(ticket, Ticket):
            return ticket
        context.refuse(ticket)
        return None

    def _name_end(self, price: str, *, low: bool) -> None:
        """Report which end of the row a key took as its price, if the row holds several prices."""
        if self._pane.price(low=True) != self._pane.price(low=False):
            shown = self._context.view.price(self._pane.cursor_sym, price)
            self._context.say(f"{shown} is the {'low' if low else 'high'} end of the row")

    def _own_here(self) -> list[OrderRow]:
        """List the own working orders in the row of the cursor, the newest first."""
        axis, book = self._pane.axis, self._pane.book
        if axis is None or book is None or axis.cursor is None:
            return []
        return sorted(book.own_in(axis.row_of(axis.cursor)), key=lambda order: -order.create_at)

    def ladder_cancel(self) -> None:
        """Cancel the own working orders in the row of the cursor."""
        self._cancels.cancel_keys([order.key for order in self._own_here()])

    def ladder_cancel_pair(self) -> None:
        self._cancels.ask_scope("sym", self._pane.cursor_sym)

    def ladder_pick(self) -> None:
        """Pick up the newest own order in the cursor's row to move it; if picked up already, let it go unchanged."""
        book, own = self._pane.book, self._own_here()
        if book is None or not own:
            return
        book.pick(own[0])
        self._table.feed_all()
        if book.picked:
            self._context.say(
                f"picked up {describe_row(own[0], self._context.view)}: Enter on another row moves it there"
            )

    def ladder_put(self) -> None:
        """Open the replace ticket of the picked-up order at the price under the cursor."""
        book, context = self._pane.book, self._context
        order = context.mirror.orders.get(book.picked) if book is not None else None
        price = self._pane.price(low=order is not None and order.side == Side.BUY)
        if price is None or order is None:
            return
        ticket = ticket_factory.replacement_at_price(order, price, self._drawn, context.view)
        if isinstance(ticket, str):
            context.refuse(ticket)
            return
        self._name_end(ticket.price, low=order.side == Side.BUY)
        self._orders.open(ticket, Mode.REPLACE)

    # Levels

    def _set_level(self, which: str) -> None:
        """Set a stop or target of a position at the cursor's price, after a question; of two positions ask which."""
        if reason := self._drawn.too_new:
            self._context.refuse(reason)
            return
        sym = self._pane.cursor_sym
        legs = list_positions(sym, self._context.view)
        levels = {leg_of(record): self._level_at_cursor(leg_of(record)) for record in legs}
        if len(legs) > 1:
            self._ask_for_leg(which, sym, legs, levels)
        else:
            leg, price = next(iter(levels.items()), ("", self._level_at_cursor("")))
            self._ask_to_set(which, sym, leg, price)

    def _level_at_cursor(self, leg: str) -> Decimal | None:
        """Return the price in the cursor's row for a stop or target: the highest, for a short the lowest; None without one.

        Of a row of several prices it is the highest, that of a short the lowest: a stop triggers at the end that the
        market reaches first, and a target sells or buys at the better one.
        """
        return self._pane.price(low=leg == "SHORT")

    def _ask_for_leg(self, which: str, sym: str, legs: list[PositionRecord], levels: dict[str, Decimal | None]) -> None:
        """Ask for which position of a pair in hedge mode the stop or target is; the answer asks to set it."""
        view = self._context.view
        choices = tuple(
            Option(
                leg_of(record),
                f"{_LEVELS[which]} of {name_leg(record, view)} at {view.price_of(sym, levels[leg_of(record)])}",
            )
            for record in legs
        )
        question = Question(
            kind="level", opens="question", title=f"{full_name(sym)} has a long and a short position", choices=choices
        )

        def set_chosen(leg: str | None) -> None:
            if leg is not None:
                self._ask_to_set(which, sym, leg, levels[leg])

        self._context.prompt(question, set_chosen)

    def _ask_to_set(self, which: str, sym: str, leg: str, price: Decimal | None) -> None:
        """Run the command line that sets stop or target of a position at a price, which asks first."""
        if price is not None:
            self._name_end(plain(price), low=leg == "SHORT")
            self._line.run(" ".join(filter(None, (f"{which} move", sym, leg.lower(), plain(price)))))

    def ladder_alert(self) -> None:
        """Open the command line with an alert at the price under the cursor; if the row holds several, at the lowest."""
        price, book = self._pane.price(), self._pane.book
        if price is None or book is None or self._pane.axis is None:
            return
        best_ask = book.best(bid=False)
        above = best_ask is not None and price >= best_ask
        self._name_end(plain(price), low=True)
        self._line.line_open(f"alert when {self._pane.cursor_sym} last {'>=' if above else '<='} {plain(price)}")
