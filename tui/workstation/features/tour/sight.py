"""Sight of the desk for the tour: the screen's own state, never the keys."""

from __future__ import annotations

from decimal import Decimal

from tui.engine.modes import Environment, RiskMode, TradingState
from tui.engine.rows import OrderRow, PendingAction
from tui.interface.decimals import ZERO, optional
from tui.interface.families.orders import OrderState, Side
from tui.interface.figures import size_of
from tui.workstation.commands.context import Context
from tui.workstation.input.scopes import Scope
from tui.workstation.model import number_format

_IN_BOOK = (OrderState.OPEN, OrderState.PARTIALLY_FILLED)
TICKET = "ticket"
"""Place of the keyboard while it is in the ticket."""


class Sight:
    """State of the desk as the tour's steps check it, and what the trader has done since the tour began."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.first_row = self.row
        """Row under the cursor of the quotes at the beginning."""
        self.moved = False
        """Whether the cursor has been on another row."""
        self.been_in_orders = False
        self.known: frozenset[str] = frozenset(context.mirror.orders)
        """Keys of the orders that were there before the step that sends one."""
        self.key = ""
        """Key of the order of the tour; empty: it was not sent yet."""
        self.price = ""
        """Price at which it was sent."""
        self.bought = ""
        """Pair that was bought in the tour."""
        self.held: dict[str, Decimal] = {}
        """Sizes of the positions before that, by pair."""

    def forget_order(self) -> None:
        """Let only an order that is sent from now on count as the order of the tour."""
        self.known, self.key, self.price = frozenset(self._context.mirror.orders), "", ""

    def begin_purchase(self) -> None:
        """Let only what is bought from now on count as the purchase of the tour."""
        self.known, self.held = frozenset(self._context.mirror.orders), self.hold()

    def note(self) -> None:
        """Record what the trader has done since the last check, as it may be undone before a step asks for it."""
        self.moved = self.moved or bool(self.first_row and self.row and self.row != self.first_row)
        self.first_row = self.first_row or self.row
        self.been_in_orders = self.been_in_orders or self.place == "orders"
        order = self.order
        if not self.price and order is not None and order.overlay is PendingAction.NOTHING:
            self.price = order.price

    # Desk

    @property
    def state(self) -> TradingState:
        status = self._context.mirror.engine_status
        return status.trading_state if status is not None else TradingState.VIEW

    @property
    def on_paper(self) -> bool:
        return self._context.environment is Environment.PAPER

    @property
    def read_only(self) -> str:
        """Why nothing can be sent from this window, or an empty text."""
        status = self._context.mirror.engine_status
        return status.read_only if status is not None else ""

    @property
    def halted(self) -> bool:
        """Whether the risk mode is not NORMAL, so that no position can be opened."""
        status = self._context.mirror.engine_status
        return status is not None and status.risk_mode is not RiskMode.NORMAL

    @property
    def synced(self) -> bool:
        status = self._context.mirror.engine_status
        return status is not None and status.synced

    @property
    def frozen(self) -> bool:
        return self._context.view.frozen

    @property
    def scope(self) -> Scope:
        return self._context.scope

    @property
    def is_on_desk(self) -> bool:
        """Whether the desk is shown and no other screen."""
        return self._context.list_screen is self._context.main_screen

    @property
    def place(self) -> str:
        """Id of the desk's pane with the keyboard focus, or that of the ticket; empty if neither."""
        screen = self._context.main_screen
        if self._context.app.screen is not screen:
            return ""
        box = screen.box
        if box is not None:
            return box.pane.id
        return TICKET if screen.panel.open and screen.focused is not None else ""

    @property
    def row(self) -> str:
        """Key of the row under the cursor of the quotes pane; empty without one."""
        return self._context.main_screen.tables["quotes"].selected or ""

    @property
    def picked(self) -> str:
        """Symbol of the position under the cursor of the positions pane; empty without one."""
        table = self._context.main_screen.tables["positions"]
        return table.pane.sym(table.selected) if table.selected is not None else ""

    # Ticket

    @property
    def asks(self) -> bool:
        """Whether the ticket asks a question."""
        return self._context.main_screen.panel.ask is not None

    @property
    def stages(self) -> str:
        """Kind of the open ticket: buy, take, sell, close, replace, or form without a side; empty without a ticket."""
        panel = self._context.main_screen.panel
        ticket = panel.ticket
        if ticket is None:
            return ""
        if ticket.order is not None:
            return "replace"
        if ticket.closes:
            return "close"
        if not ticket.sided or ticket.side is Side.SELL:
            return "sell" if ticket.sided else "form"
        return "take" if ticket.takes(panel.quote) else "buy"

    @property
    def paused(self) -> bool:
        """Whether the open ticket is paused because the focus is elsewhere."""
        return self._context.main_screen.panel.paused

    @property
    def blocked(self) -> bool:
        """Whether the ticket has refused a key and takes no keys until the trader unlocks or edits it."""
        return self._context.main_screen.panel.blocked

    @property
    def sender(self) -> str:
        """Action that sends the ticket: that of Enter, or that of `y` where Enter does not send."""
        return "ticket.send" if self._context.main_screen.panel.send_key == "enter" else "ticket.send_form"

    @property
    def below_touch(self) -> bool:
        """Whether the ticket's price is nine ticks or more below the best bid, so that it rests for a while."""
        panel = self._context.main_screen.panel
        ticket, quote = panel.ticket, panel.quote
        if ticket is None or ticket.tick is None:
            return False
        price, touch = ticket.limit(quote), ticket.touch(quote)
        return price is not None and touch is not None and touch - price >= 9 * ticket.tick

    @property
    def repriced(self) -> bool:
        """Whether a replace of the tour's order at another price is open in the ticket."""
        ticket, order = self._context.main_screen.panel.ticket, self.order
        if ticket is None or ticket.order is None or order is None or ticket.order.key != order.key:
            return False
        return number_format.value(ticket.limit_text(None)) != number_format.value(order.price)

    # Orders and positions

    @property
    def order(self) -> OrderRow | None:
        """Order of the tour: the newest one sent since the step began that is in the venue's book; None without one."""
        orders = self._context.mirror.orders
        if self.key not in orders:
            fresh = [
                row for row in self._context.mirror.working() if row.key not in self.known and row.state in _IN_BOOK
            ]
            self.key = fresh[-1].key if fresh else ""
        return orders.get(self.key)

    @property
    def order_picked(self) -> bool:
        """Whether the cursor of the orders is on the order of the tour."""
        return bool(self.key) and self._context.main_screen.tables["orders"].selected == self.key

    @property
    def order_cancelled(self) -> bool:
        order = self.order
        return order is not None and order.final and order.state == OrderState.CANCELLED

    @property
    def early_end(self) -> str:
        """How the newest order sent since the step began ended; empty while it has not."""
        order = self.order
        if order is None:
            fresh = [
                row for key, row in self._context.mirror.orders.items() if key not in self.known and not row.external
            ]
            order = next((row for row in reversed(fresh) if row.final), None)
        if order is None or not order.final:
            return ""
        if order.failed:
            return "refused"
        return "filled" if order.state == OrderState.FILLED else "cancelled"

    @property
    def order_moved(self) -> bool:
        """Whether the tour's order has moved to another price at the venue."""
        order = self.order
        settled = order is not None and order.overlay is PendingAction.NOTHING
        # The desk writes the decimals of the tick, which the venue may leave out.
        return order is not None and settled and bool(self.price) and optional(order.price) != optional(self.price)

    def hold(self) -> dict[str, Decimal]:
        """Return the signed size of the position by pair; long is positive."""
        sizes: dict[str, Decimal] = {}
        for fact in self._context.mirror.positions.values():
            sizes[fact.record.sym] = sizes.get(fact.record.sym, Decimal()) + (size_of(fact.record) or Decimal())
        return sizes

    @property
    def grown(self) -> str:
        """Symbol whose position has grown by a buy order sent since; empty if none."""
        bought = {
            row.sym
            for key, row in self._context.mirror.orders.items()
            if key not in self.known and row.side == Side.BUY and (optional(row.filled) or ZERO) > ZERO
        }
        return next((sym for sym, size in self.hold().items() if sym in bought and size > self.held.get(sym, ZERO)), "")

    @property
    def flat(self) -> bool:
        """Whether the position bought in the tour is closed."""
        return not self.hold().get(self.bought, Decimal())
