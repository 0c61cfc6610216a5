"""Keys of the state HOT: one key sends an order that needs no question; and the habits and accidents that end HOT."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

import msgspec
from textual import events
from textual.constants import ESCAPE_DELAY

from tui.engine.event_line import Level
from tui.engine.intents import Outcome, Verdict
from tui.interface.families.orders import Side
from tui.interface.text import how_many
from tui.workstation.commands.availability import Blocks
from tui.workstation.commands.context import Context
from tui.workstation.commands.order_outcome import report_outcome
from tui.workstation.features.trading.order_blocks import PRICE_NUDGES, SIZE_NUDGES, new_block, sym_to_trade
from tui.workstation.features.trading.order_keys import OrderKeys
from tui.workstation.input.actions import ACTIONS, format_key
from tui.workstation.input.fresh_press import WrittenLine
from tui.workstation.input.handlers import Handlers
from tui.workstation.input.input_order import key_time
from tui.workstation.input.scopes import SCREENS, VIEWS, Scope
from tui.workstation.model.instruments import full_name
from tui.workstation.render.pieces import join_pieces
from tui.workstation.table.live_table import LiveTable
from tui.workstation.tickets.fields import Mode
from tui.workstation.tickets.order import ticket_factory
from tui.workstation.tickets.order.refusals import list_problems_now
from tui.workstation.tickets.order.terms import PriceMode
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.preview.figures import figures_of, journal_text

IDLE_S = 30.0
"""Seconds without a key after which HOT ends."""
CAPS_RUN = 3
"""Upper-case letters in a row that mean Caps Lock, unless all of them are keys that send."""
NUDGE_S = 0.25 + ESCAPE_DELAY
"""Seconds behind the last nudge after which its replace is sent. An `Esc` that was pressed a quarter of a second behind
it comes later by the time in which the terminal's reader waits for the rest of a sequence."""
LATE_CHECK_S = 0.05
"""Seconds between two checks for the answer to the replace on its way; later nudges wait for it."""
_PRICES = {"join": PriceMode.JOIN, "take": PriceMode.TAKE}


class HotKeys:
    """Handlers of the keys that send at once in the trading state HOT, and of what ends HOT."""

    def __init__(self, context: Context, orders: OrderKeys) -> None:
        self._context = context
        self._orders = orders
        self._nudged = -1
        """Ticket that a nudge opened."""
        self._late: list[Callable[[], None]] = []
        """Steps pressed while the replace of the nudges before them was on its way."""
        self._nudge_number = -1
        """Number of the key of the newest nudge."""
        self._capitals = ""
        """Upper-case letters pressed in a row."""
        context.view.firing = self.describe_firing

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        price, size = self._orders.edits.nudge_price, self._orders.edits.nudge_size
        return {
            "stage.take_buy": partial(self._press, Side.BUY),
            "stage.take_sell": partial(self._press, Side.SELL),
            "price.up": partial(self._nudge, partial(price, 1)),
            "price.down": partial(self._nudge, partial(price, -1)),
            "price.up10": partial(self._nudge, partial(price, 10)),
            "price.down10": partial(self._nudge, partial(price, -10)),
            "size.up": partial(self._nudge, partial(size, 1)),
            "size.down": partial(self._nudge, partial(size, -1)),
        }

    def blocks(self) -> Blocks:
        """Return the block reasons by action id."""
        return {
            "stage.take_buy": partial(self._block, Side.BUY),
            "stage.take_sell": partial(self._block, Side.SELL),
        }

    @property
    def _price_mode(self) -> PriceMode:
        """Pricing of the keys `B` and `S` now: in HOT on a quote that of the setting `hot_send`, else taking."""
        fires = self._context.hot and self._context.scope is Scope.QUOTES
        return _PRICES[self._context.settings.hot_send] if fires else PriceMode.TAKE

    def _block(self, side: Side, table: LiveTable | None) -> str:
        return new_block(side, self._price_mode, table)

    def describe_firing(self) -> str:
        """Describe which keys send at once in HOT in the pane that has the focus; empty if none."""
        scope = self._context.scope
        if scope is Scope.QUOTES:
            return f"{self._name('stage.take_buy', 'stage.take_sell')} {self._context.settings.hot_send}"
        if scope is Scope.LADDER:
            box = self._context.main_screen.box
            return (
                f"{self._name('ladder.fire_buy', 'ladder.fire_sell')} post {box.pane.sends_to or 'here'}"
                if box is not None
                else ""
            )
        if scope is Scope.ORDERS:
            keys = self._name(*PRICE_NUDGES, *SIZE_NUDGES, between="")
            return f"{keys} send" if keys else ""
        if scope is Scope.PREVIEW and self._orders.ticket.panel.token == self._nudged:
            return "sends by itself"
        if scope is not Scope.POSITIONS:
            return ""
        keys = self._name("position.flatten", "position.part", "position.exit", between=" ")
        return f"{keys} send" if keys else ""

    def _name(self, *actions: str, between: str = "/") -> str:
        """Return the keys of actions as text; actions without a key are left out."""
        return between.join(filter(None, map(self._context.view.key_of, actions)))

    # Sending

    def _press(self, side: Side) -> None:
        """Send the smallest size in HOT on a quote, priced by the setting `hot_send`; else open a ticket that takes."""
        context, mode = self._context, self._price_mode
        table = context.main_screen.table
        if not context.hot or context.scope is not Scope.QUOTES or table is None:
            self._orders.stage(side, PriceMode.TAKE)
            return
        sym = sym_to_trade(table, side, mode)
        if table.marked or not sym or context.refuse_after_cursor_move(full_name(sym)):
            if table.marked:
                context.refuse("rows are marked: ⟦pane.close⟧ clears the marks")
            return
        ticket = ticket_factory.new_order(sym, side, context.view)
        self.fire(ticket if mode is PriceMode.JOIN else ticket.with_price_mode(mode), table.cursor.line)

    def fire(self, ticket: Ticket, line: WrittenLine) -> None:
        """Send an order by the present key press alone, if the line acted on was shown long enough; else refuse it.

        An order about which the gate has a question becomes a staged ticket with that question.
        """
        context = self._context
        quote = context.mirror.quotes.get(ticket.sym)
        problems = list_problems_now(ticket, quote, context.view)
        if problems:
            context.refuse(problems[0].text)
            return
        why = context.may_send(line)
        if why is not None:
            if why:
                context.refuse(why)
            return
        figures = figures_of(ticket, quote, context.view)
        intent = ticket.place(context.build_decision(), quote, frozenset(), journal_text(figures))
        warning = join_pieces(figures.opening)
        context.submit(msgspec.structs.replace(intent, hot=True), partial(self._handle_outcome, ticket, warning))

    def _handle_outcome(self, ticket: Ticket, warning: str, outcome: Outcome) -> None:
        context = self._context
        if outcome.verdict is Verdict.ASK and not context.main_screen.panel.open and context.is_on_desk:
            self._orders.ticket.open(ticket, Mode.STAGED)
            context.main_screen.panel.hold_price()
            context.guard.record_move()
            self._orders.sending.show_outcome(outcome, frozenset())
            context.main_screen.panel.refresh()
            context.refresh_keys()
            return
        if outcome.verdict not in (Verdict.DENIED, Verdict.ASK):
            self._orders.sending.remember(ticket)
            if warning:
                context.say(warning, Level.WARN)
        report_outcome(context, outcome)

    # Nudges

    def _nudge(self, step: Callable[[], None]) -> None:
        """Step price or size of the ticket; in HOT a replace made by stepping is sent `NUDGE_S` after the last step."""
        panel, guard = self._orders.ticket.panel, self._context.guard
        self._nudge_number = guard.number
        if panel.open and panel.sending:
            self._nudge_later(step)
            return
        before = panel.token
        step()
        if panel.token != before:
            self._nudged = panel.token
        self._send_soon()

    def _send_soon(self) -> None:
        """Schedule the open replace to be sent `NUDGE_S` from now, if stepping alone made it and HOT is on."""
        panel = self._orders.ticket.panel
        ticket = panel.ticket
        own = ticket is not None and ticket.order is not None and panel.token == self._nudged
        if own and self._context.hot and not panel.sending:
            number = self._context.guard.number
            asyncio.get_running_loop().call_later(NUDGE_S, self._send_nudge, panel.token, number)

    def _nudge_later(self, step: Callable[[], None]) -> None:
        """Store a step pressed while a replace is being sent, to apply after its answer; outside HOT refuse it."""
        panel = self._orders.ticket.panel
        if not self._context.hot or panel.token != self._nudged or panel.ticket is None:
            self._context.refuse_sent(self._context.key)
            return
        self._late.append(step)
        if len(self._late) == 1:
            asyncio.get_running_loop().call_later(LATE_CHECK_S, self._add_late, panel.token, panel.ticket)

    def _add_late(self, token: int, sent: Ticket) -> None:
        """Apply the stored steps in a new replace once the one before is answered, or say that they are dropped."""
        context, panel = self._context, self._orders.ticket.panel
        if panel.open and panel.token == token and panel.sending:
            asyncio.get_running_loop().call_later(LATE_CHECK_S, self._add_late, token, sent)
            return
        late, self._late = self._late, []
        if context.guard.number != self._nudge_number or not context.hot or not self._reopen(token, sent):
            steps = how_many(len(late), "step")
            context.refuse(f"{steps} pressed before the replace was answered: ignored; press again")
            return
        for step in late:
            step()
        self._send_soon()

    def _reopen(self, token: int, sent: Ticket) -> bool:
        """Open the next replace of an order from the price and size just sent; return whether it is open."""
        panel, row = self._orders.ticket.panel, sent.order
        if panel.open:
            # A step behind the answer has opened it already.
            ticket = panel.ticket
            same = ticket is not None and ticket.order is not None and row is not None and ticket.order.key == row.key
            return same and panel.token == self._nudged != token
        order = self._context.mirror.orders.get(row.key) if row is not None else None
        if order is None or order.final or not self._context.is_on_desk:
            return False
        ticket = ticket_factory.replacement(order, self._context.view)
        self._orders.ticket.open(msgspec.structs.replace(ticket, price=sent.price, qty=sent.qty), Mode.REPLACE)
        self._nudged = panel.token
        return True

    def _send_nudge(self, token: int, number: int) -> None:
        """Send the scheduled replace, unless a key was pressed since, or the ticket or HOT has ended."""
        context, panel = self._context, self._orders.ticket.panel
        if token != panel.token or not context.hot or context.scope is not Scope.PREVIEW or not panel.can_send:
            return
        why = context.may_send_after(panel.written, number)
        if why is None:
            self._orders.sending.send_nudge()
        elif why:
            context.refuse(
                f"HOT did not send the replace by itself: {why}; {format_key(panel.name_send_key())} sends it"
            )

    # What ends HOT

    def note_input(self, event: events.Event) -> None:
        """End HOT on a paste, a burst of keys, Esc twice or apparent Caps Lock; called before the input takes effect."""
        context = self._context
        if isinstance(event, events.Paste):
            context.end_hot("text was pasted")
        elif isinstance(event, events.Key):
            self._note_letter(event)
            if context.guard.burst:
                context.end_hot("several keys came in one burst")
            elif event.key == "escape" and context.guard.before == "escape":
                context.end_hot("Esc twice")

    def _note_letter(self, event: events.Key) -> None:
        letter = event.character or ""
        if not event.is_printable:
            return
        letter = letter if self._context.scope in VIEWS | SCREENS else ""
        self._capitals = (self._capitals + letter)[-CAPS_RUN:] if letter.isupper() else ""
        caps = len(self._capitals) == CAPS_RUN and not self._find_firing_keys().issuperset(self._capitals)
        if caps != self._context.view.caps:
            self._context.view.caps = caps
            self._context.list_screen.status.redraw_all()
        if caps:
            self._context.end_hot("three capitals in a row: Caps Lock?")

    def _find_firing_keys(self) -> set[str]:
        """Return the keys that send at once while HOT is on."""
        return {key for action in ACTIONS if action.hot for key in self._context.view.keys_of(action.id)}

    def note_time(self) -> None:
        """End HOT after `IDLE_S` without a key; called every second."""
        if self._context.hot and key_time() - self._context.guard.acted_at >= IDLE_S:
            self._context.end_hot(f"{IDLE_S:.0f} s without a key")
