"""Handlers of keys that prepare and send orders. Every one ends in one intent and one `submit`."""

from __future__ import annotations

from concurrent.futures import Future

import msgspec
from textual.widgets import Input

from tui.engine.intents import Cancel, Intent, Outcome, Verdict
from tui.engine.rows import Level, OrderRow, Overlay, QuoteRow, Shown
from tui.interface.families.orders import OrderType, Side, TimeInForce
from tui.workstation.context import Context
from tui.workstation.panes.pane import short_name
from tui.workstation.panes.quotes import QuoteLine
from tui.workstation.tickets import made, modes, preview
from tui.workstation.tickets.fields import Chooser, NumberField
from tui.workstation.tickets.panel import FORMS, Mode, TicketPanel
from tui.workstation.tickets.ticket import CLOSING, Helper, Problem, Ticket, Wish

_TIFS = (TimeInForce.GTX, TimeInForce.GTC, TimeInForce.IOC, TimeInForce.FOK)


class TradeKeys:
    """Stage, edit, send, cancel."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._cancelling: set[str] = set()

    @property
    def panel(self) -> TicketPanel:
        return self._context.desk.panel

    def _quote(self, sym: str) -> QuoteRow | None:
        return self._context.mirror.quotes.get(sym)

    # Openers. They set the focus before they return, so that keys typed ahead reach the ticket.

    def stage_buy(self) -> None:
        self._stage(Side.BUY)

    def stage_sell(self) -> None:
        self._stage(Side.SELL)

    def _stage(self, side: Side) -> None:
        ticket = self._new_ticket(side)
        if ticket is not None:
            self._open(ticket, Mode.STAGED)

    def ticket_open(self) -> None:
        ticket = self._new_ticket(Side.BUY)
        if ticket is not None:
            self._open(ticket, Mode.FORM)
            self._context.desk.set_focus(self.panel.size_field)

    def _open(self, ticket: Ticket, mode: Mode) -> None:
        desk = self._context.desk
        self._drop_ghost()
        if desk.table is not None:
            desk.home = desk.table.pane.id
        was_form = self.panel.mode in FORMS
        self.panel.show(ticket, mode)
        if was_form or mode in FORMS:
            desk.arrange_desk()
        desk.set_focus(self.panel)
        desk.key_bar.refresh()

    def _new_ticket(self, side: Side) -> Ticket | None:
        context = self._context
        table = context.desk.table
        if table is None or table.selected is None:
            context.refuse("nothing selected: no symbol to trade")
            return None
        row = table.pane.row(table.selected)
        if isinstance(row, QuoteLine) and row.best:
            context.refuse("this row is the best of several venues; select one venue below it")
            return None
        sym = table.pane.sym(table.selected)
        if not sym:
            context.refuse("nothing selected: no symbol to trade")
            return None
        leg = ""
        if table.pane.id == "positions":
            fact = context.mirror.positions.get(table.selected)
            leg = fact.record.position_side if fact is not None else ""
        return made.new_order(sym, side, context.view, leg)

    def ticket_fields(self) -> None:
        if self.panel.ticket is not None and self.panel.mode is Mode.STAGED and not self.panel.sending:
            token_ticket = self.panel.ticket
            self.panel.show(token_ticket, Mode.FORM)
            self._context.desk.arrange_desk()
            self._context.desk.set_focus(self.panel.size_field)
        elif self.panel.mode in FORMS:
            self._context.desk.set_focus(self.panel.stops()[0])

    # Orders and positions

    def _order(self) -> OrderRow | None:
        table = self._context.desk.table
        if table is None or table.pane.id != "orders" or table.selected is None:
            return None
        return self._context.mirror.orders.get(table.selected)

    def _editable(self) -> OrderRow | None:
        order = self._order()
        if order is None:
            self._context.refuse("no order selected")
        elif order.state == Shown.UNKNOWN:
            self._context.refuse("the outcome of this order is not known; a replace is refused until it is")
        elif order.final:
            self._context.refuse(f"this order has ended: {order.state}")
        elif order.overlay is not Overlay.NOTHING:
            self._context.refuse(f"{order.overlay.value} is under way; one action on an order at a time")
        elif order.order_type == OrderType.MARKET:
            self._context.refuse("a market order cannot be replaced")
        else:
            return order
        return None

    def order_edit(self) -> None:
        order = self._editable()
        if order is not None:
            self._open(made.replacement(order, self._context.view), Mode.REPLACE)
            self._context.desk.set_focus(self.panel.price_field)

    def order_cancel(self) -> None:
        order = self._order()
        if order is None:
            self._context.refuse("no order selected")
        else:
            self._cancel(order)

    def cancel_last(self) -> None:
        mine = [order for order in self._context.mirror.working() if not order.external]
        if not mine:
            self._context.refuse("no working order of this installation")
            return
        self._cancel(max(mine, key=lambda order: (order.create_at, order.stamp.received, order.key)))

    def _cancel(self, order: OrderRow) -> None:
        if order.final:
            self._context.refuse(f"this order has ended: {order.state}")
            return
        if order.overlay is Overlay.CANCEL or order.key in self._cancelling:
            self._context.refuse(f"a cancel of {short_name(order.sym)} is under way already")
            return
        context = self._context
        self._cancelling.add(order.key)
        self._submit(Cancel(decision=context.decision(f"key {context.key}"), key=order.key), 0, frozenset(), order.key)

    def position_flatten(self) -> None:
        context = self._context
        table = context.desk.table
        fact = (
            context.mirror.positions.get(table.selected) if table is not None and table.selected is not None else None
        )
        if fact is None:
            context.refuse("no position selected")
            return
        ticket = made.flatten(fact.record, context.view)
        if isinstance(ticket, str):
            context.refuse(ticket)
        else:
            self._open(ticket, Mode.STAGED)

    # Changes on the preview line

    def _change(self, ticket: Ticket) -> None:
        if self.panel.sending:
            return
        self.panel.ask = None
        self.panel.refusal = ""
        self.panel.put(ticket)
        self._show_ghost()

    def _nudge_opens(self) -> bool:
        """On an order, the first nudge opens its ghost: pinned to its id, sent by Enter, dropped by Esc."""
        if self._context.desk.table is None:
            return False
        order = self._editable()
        if order is None:
            return False
        self._open(made.replacement(order, self._context.view), Mode.REPLACE)
        return True

    def price_up(self) -> None:
        self._nudge_price(1)

    def price_down(self) -> None:
        self._nudge_price(-1)

    def price_up10(self) -> None:
        self._nudge_price(10)

    def price_down10(self) -> None:
        self._nudge_price(-10)

    def _nudge_price(self, ticks: int) -> None:
        if self._context.desk.table is not None and not self._nudge_opens():
            return
        self._price_of_ticket(ticks)

    def _nudge_size(self, lots: int) -> None:
        if self._context.desk.table is not None and not self._nudge_opens():
            return
        if self.panel.ticket is not None:
            self._change(self.panel.ticket.stepped_size(lots))

    def _price_of_ticket(self, ticks: int) -> None:
        ticket = self.panel.ticket
        if ticket is None:
            return
        if ticket.order_type is OrderType.MARKET:
            self._context.refuse("a market order has no price")
            return
        changed = ticket.stepped_price(ticks, self.panel.quote)
        if changed is ticket:
            self._context.refuse("no price to step from")
        else:
            self._change(changed)

    def size_up(self) -> None:
        self._nudge_size(1)

    def size_down(self) -> None:
        self._nudge_size(-1)

    step_up, step_down, step_up10, step_down10 = price_up, price_down, price_up10, price_down10
    step_more, step_less = size_up, size_down

    def size_double(self) -> None:
        if self.panel.ticket is not None:
            self._change(self.panel.ticket.scaled(True))

    def size_halve(self) -> None:
        if self.panel.ticket is not None:
            self._change(self.panel.ticket.scaled(False))

    def size_type(self) -> None:
        """A digit on the preview line begins the quantity; the focus moves before the next key is looked at."""
        if self.panel.ticket is None or self.panel.sending:
            return
        self.panel.size_field.start(self._context.key)
        self._context.desk.set_focus(self.panel.size_field)

    def _helper(self, helper: Helper) -> None:
        ticket = self.panel.ticket
        if ticket is not None and not ticket.closes_exactly:
            self._change(ticket.with_helper(helper))

    def helper_join(self) -> None:
        self._helper(Helper.JOIN)

    def helper_improve(self) -> None:
        self._helper(Helper.IMPROVE)

    def helper_mid(self) -> None:
        self._helper(Helper.MID)

    def helper_take(self) -> None:
        self._helper(Helper.TAKE)

    price_refill = helper_join

    def flag_post(self) -> None:
        ticket = self.panel.ticket
        if ticket is not None and ticket.order is None and ticket.order_type is OrderType.LIMIT:
            tif = TimeInForce.GTC if ticket.tif is TimeInForce.GTX else TimeInForce.GTX
            self._change(msgspec.structs.replace(ticket, tif=tif))

    def flag_tif(self) -> None:
        ticket = self.panel.ticket
        if ticket is not None and ticket.order is None and ticket.order_type is OrderType.LIMIT:
            tif = _TIFS[(_TIFS.index(ticket.tif) + 1) % len(_TIFS)]
            self._change(msgspec.structs.replace(ticket, tif=tif))

    def flag_reduce(self) -> None:
        ticket = self.panel.ticket
        if ticket is None or ticket.order is not None:
            return
        if ticket.hedge:
            self._context.refuse("in hedge mode the leg says it: L chooses close long or close short")
            return
        self._change(msgspec.structs.replace(ticket, reduce_only=not ticket.reduce_only))

    def flag_leg(self) -> None:
        """The next intent; where the account mode changed meanwhile, first this one in the words of the new mode."""
        ticket = self.panel.ticket
        if ticket is not None and ticket.order is None:
            now = modes.hedged(ticket.sym, self._context.mirror)
            if now is not None and now != ticket.hedge:
                self._change(modes.remade(ticket, now))
                return
            wishes = ticket.wishes()
            wish = wishes[(wishes.index(ticket.wish) + 1) % len(wishes)]
            self._change(msgspec.structs.replace(ticket, wish=wish, closes_exactly=False))

    # Fields

    def field_next(self) -> None:
        """Check the field; when it holds, go on. Only with the setting `send` does Enter send from a field."""
        field = self._context.desk.focused
        if not isinstance(field, NumberField) or (self._context.key == "enter" and self._context.guard.joined):
            return
        self._take_field(field)
        own = [problem for problem in self.panel.problems if problem.field == field.id]
        if own:
            self._context.refuse(own[0].text)
            return
        field.kept = field.value
        if self._context.key == "enter" and self._context.settings.enter_in_field == "send":
            self.ticket_send()
            return
        self._stop(1)

    def field_back(self) -> None:
        if isinstance(self._context.desk.focused, NumberField):
            self._stop(-1)

    def field_restore(self) -> None:
        field = self._context.desk.focused
        if isinstance(field, NumberField):
            field.value = field.kept
            self._take_field(field)
            self._context.desk.set_focus(self.panel)

    def field_up(self) -> None:
        self._step_field(1)

    def field_down(self) -> None:
        self._step_field(-1)

    def _step_field(self, steps: int) -> None:
        field = self._context.desk.focused
        ticket = self.panel.ticket
        if not isinstance(field, NumberField) or ticket is None:
            return
        self._take_field(field)
        ticket = self.panel.ticket or ticket
        changed = ticket.stepped_price(steps, self.panel.quote) if field.id == "price" else ticket.stepped_size(steps)
        self._change(changed)

    def _take_field(self, field: NumberField) -> None:
        """The typed value becomes the ticket's, whatever it is; the whole ticket is judged again."""
        panel = self.panel
        ticket = panel.ticket
        if ticket is None:
            return
        field.taken = field.value
        if field.id == "size":
            changed = msgspec.structs.replace(ticket, qty=field.value, closes_exactly=False)
        elif field.value == ticket.limit_text(panel.quote):
            changed = ticket
        else:
            changed = msgspec.structs.replace(ticket, helper=Helper.TYPED, price=field.value)
        panel.ticket = changed
        panel.ask, panel.refusal = None, ""
        panel.complain([problem for problem in changed.problems(panel.quote) if problem.field == field.id])
        self._show_ghost()

    def typed(self, event: Input.Changed) -> None:
        """A character arrived in a field: figures beside it follow, and nothing is repaired."""
        field = event.input
        if not isinstance(field, NumberField) or not self.panel.open or self.panel.sending:
            return
        if field.value not in (field.taken, field.shown):
            self._take_field(field)

    def choice_next(self) -> None:
        if isinstance(self._context.desk.focused, Chooser):
            self._context.desk.focused.cycle(1)

    def choice_previous(self) -> None:
        if isinstance(self._context.desk.focused, Chooser):
            self._context.desk.focused.cycle(-1)

    def chosen(self, chooser: Chooser) -> None:
        """A chooser of the form has another value."""
        ticket = self.panel.ticket
        if ticket is None or self.panel.sending:
            return
        if chooser.id == "intent":
            changed = msgspec.structs.replace(ticket, wish=Wish(chooser.value))
        elif chooser.id == "type":
            changed = msgspec.structs.replace(ticket, order_type=OrderType(chooser.value))
        else:
            changed = msgspec.structs.replace(ticket, tif=TimeInForce(chooser.value))
        self._change(changed)

    def stop_next(self) -> None:
        self._stop(1)

    def stop_enter(self) -> None:
        self._stop(1)

    def stop_back(self) -> None:
        self._stop(-1)

    def _stop(self, steps: int) -> None:
        stops, desk = self.panel.stops(), self._context.desk
        at = stops.index(desk.focused) if desk.focused in stops else -1
        desk.set_focus(stops[(at + steps) % len(stops)])

    # The end of a ticket

    def ticket_drop(self) -> None:
        """Esc only ever goes back: the ticket is gone, nothing was sent by this."""
        if self.panel.sending:
            self._context.say("the ticket is closed; its order is on its way and its answer will be shown here")
        self._close()

    def ticket_unask(self) -> None:
        self.panel.ask = None
        self.panel.refresh()
        self._context.desk.key_bar.refresh()

    def _close(self) -> None:
        self._drop_ghost()
        was_form = self.panel.mode in FORMS
        self.panel.close()
        if was_form:
            self._context.desk.arrange_desk()
        self._context.desk.go_home()
        self._context.desk.key_bar.refresh()

    def _show_ghost(self) -> None:
        ticket = self.panel.ticket
        if ticket is not None and ticket.order is not None:
            self._context.view.ghosts[ticket.order.key] = (ticket.limit_text(self.panel.quote), ticket.qty)
            self._touch_order(ticket.order.key)

    def _drop_ghost(self) -> None:
        ticket = self.panel.ticket
        if ticket is not None and ticket.order is not None:
            self._context.view.ghosts.pop(ticket.order.key, None)
            self._touch_order(ticket.order.key)

    def _touch_order(self, key: str) -> None:
        orders = self._context.desk.tables["orders"]
        orders.touch(key)
        orders.flush()

    # Sending

    def ticket_send(self) -> None:
        self._send(frozenset())

    def ticket_confirm(self) -> None:
        ask = self.panel.ask
        if ask is not None:
            self._send(self._confirmed | {ask.guard})

    _confirmed: frozenset[str] = frozenset()

    def _send(self, confirmed: frozenset[str]) -> None:
        context, panel = self._context, self.panel
        ticket, quote = panel.ticket, panel.quote
        if ticket is None or panel.sending:
            return
        reason = context.not_armed_reason()
        if reason:
            context.refuse(reason)
            return
        problems = [*ticket.problems(quote), *self._refusals(ticket)]
        if problems:
            panel.complain(problems)
            context.refuse(problems[0].text)
            if panel.mode in FORMS or problems[0].field == "size":
                fields = {"size": panel.size_field, "price": panel.price_field}
                field = fields.get(problems[0].field)
                if field is not None and field in panel.stops():
                    context.desk.set_focus(field)
            return
        intent: Intent
        if ticket.order is not None:
            intent = ticket.replacement(context.decision("replace form"), quote, confirmed)
        else:
            shown = preview.as_text(ticket, quote, context.view)
            intent = ticket.place(context.decision("ticket"), quote, confirmed, shown)
        panel.ask, panel.refusal, panel.sending = None, "", True
        panel.refresh()
        self._submit(intent, panel.token, confirmed, "")

    def _refusals(self, ticket: Ticket) -> list[Problem]:
        """What the rows of now say against a ticket that is whole in itself."""
        mirror = self._context.mirror
        changed = modes.changed(ticket, mirror)
        if changed is not None:
            return [changed]
        if ticket.order is None and ticket.wish in CLOSING and preview.held(ticket, self._context.view)[0] == 0:
            return [Problem("", f"the {ticket.position_side.value} leg is already empty; there is nothing to close")]
        return []

    def _submit(self, intent: Intent, token: int, confirmed: frozenset[str], cancelled: str) -> None:
        context = self._context
        context.guard.sent()
        future = context.port.submit(intent)
        loop = context.loop

        def answered(done: Future[Outcome]) -> None:
            if loop is not None and not loop.is_closed():
                loop.call_soon_threadsafe(self._answered, done, token, confirmed, cancelled)

        future.add_done_callback(answered)

    def _answered(self, done: Future[Outcome], token: int, confirmed: frozenset[str], cancelled: str) -> None:
        self._cancelling.discard(cancelled)
        context, panel = self._context, self.panel
        if done.cancelled() or done.exception() is not None:
            outcome = Outcome(verdict=Verdict.UNKNOWN, text="the engine gave no answer; look at the orders")
        else:
            outcome = done.result()
        mine = token == panel.token and panel.open
        if mine:
            panel.sending = False
        if outcome.verdict is Verdict.ASK:
            if mine:
                self._confirmed = confirmed
                panel.ask = outcome
                context.desk.set_focus(panel)
            else:
                context.say(f"not sent, it asked: {outcome.text}", Level.WARN)
        elif outcome.verdict in (Verdict.DENIED, Verdict.REJECTED):
            code = f" ({outcome.code})" if outcome.code else ""
            word = "denied" if outcome.verdict is Verdict.DENIED else "rejected"
            guard = f" {outcome.guard}" if outcome.guard else ""
            text = f"{word}{guard}{code}: {outcome.text}"
            if mine:
                panel.refusal = text
            context.say(text, Level.WARN, outcome.key, outcome.text)
        else:
            if outcome.verdict is Verdict.UNKNOWN:
                why = outcome.text or "being queried"
                context.say(f"outcome unknown: {why}", Level.ALERT, outcome.key, why)
            if mine:
                self._close()
        panel.refresh()
        context.desk.key_bar.refresh()
