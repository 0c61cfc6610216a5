"""Handlers of keys that prepare and send orders and replaces. Every one ends in one intent and one `submit`."""

from __future__ import annotations

from functools import partial

import msgspec

from tui.engine.intents import GUARD_JOINT, Intent, Outcome, Verdict
from tui.engine.rows import OrderRow, QuoteRow
from tui.interface.families.orders import OrderType, Side, TimeInForce
from tui.workstation.availability import Blocks
from tui.workstation.context import NO_ANSWER, Context
from tui.workstation.controllers.cancel_keys import order_words
from tui.workstation.controllers.order_blocks import order_blocks, sym_to_trade
from tui.workstation.input.handlers import Handlers
from tui.workstation.model.instruments import full_name
from tui.workstation.order_outcome import refusal_text, report_outcome
from tui.workstation.table.live_table import LiveTable
from tui.workstation.tickets import position_mode, preview, ticket_factory
from tui.workstation.tickets.panel import FORMS, Mode, TicketPanel
from tui.workstation.tickets.ticket import CLOSING, PriceMode, Problem, Ticket

REFILLED = "REFILLED"
"""The question when an order filled further while its replace was prepared."""

_TIFS = (TimeInForce.GTX, TimeInForce.GTC, TimeInForce.IOC, TimeInForce.FOK)


class OrderKeys:
    """Stage, edit, send."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._sizes: dict[str, str] = {}
        """The size last sent of each pair: what the next ticket of it begins with."""
        self._last: Ticket | None = None
        """The last new order that was sent."""

    @property
    def panel(self) -> TicketPanel:
        return self._context.main_screen.panel

    def _quote(self, sym: str) -> QuoteRow | None:
        return self._context.mirror.quotes.get(sym)

    def handlers(self) -> Handlers:
        """Handlers by action id."""
        return {
            "stage.buy": partial(self._stage, Side.BUY),
            "stage.sell": partial(self._stage, Side.SELL),
            "stage.take_buy": partial(self._stage, Side.BUY, PriceMode.TAKE),
            "stage.take_sell": partial(self._stage, Side.SELL, PriceMode.TAKE),
            "stage.again": self.stage_again,
            "ticket.open": self.ticket_open,
            "ticket.fields": self.ticket_fields,
            "ticket.send": self.ticket_send,
            "ticket.confirm": self.ticket_confirm,
            "ticket.unask": self.ticket_unask,
            "ticket.drop": self.ticket_drop,
            "order.edit": self.order_edit,
            **self._price_and_size_handlers(),
            "flag.post": self.flag_post,
            "flag.tif": self.flag_tif,
            "flag.reduce": self.flag_reduce,
            "flag.leg": self.flag_leg,
        }

    def _price_and_size_handlers(self) -> Handlers:
        price, size, mode = self._nudge_price, self._nudge_size, self._set_price_mode
        return {
            "price.up": partial(price, 1),
            "price.down": partial(price, -1),
            "price.up10": partial(price, 10),
            "price.down10": partial(price, -10),
            "size.up": partial(size, 1),
            "size.down": partial(size, -1),
            "step.up": partial(price, 1),
            "step.down": partial(price, -1),
            "step.up10": partial(price, 10),
            "step.down10": partial(price, -10),
            "step.more": partial(size, 1),
            "step.less": partial(size, -1),
            "size.double": partial(self._scale, doubled=True),
            "size.halve": partial(self._scale, doubled=False),
            "size.type": self.size_type,
            "helper.join": partial(mode, PriceMode.JOIN),
            "helper.improve": partial(mode, PriceMode.IMPROVE),
            "helper.mid": partial(mode, PriceMode.MID),
            "helper.take": partial(mode, PriceMode.TAKE),
            "price.refill": partial(mode, PriceMode.JOIN),
        }

    def blocks(self) -> Blocks:
        """Why an action cannot be done, by action id."""
        return {**order_blocks(self._context), "stage.again": self._again_block}

    def _again_block(self, table: LiveTable | None) -> str:
        del table
        return "" if self._last is not None else "no ticket was sent in this session yet"

    # Openers. They set the focus before they return, so that keys typed ahead reach the ticket.

    def stage_again(self) -> None:
        """The last ticket once more; it is staged, never sent, and a join follows the touch of now."""
        last = self._last
        if last is not None:
            self.open(msgspec.structs.replace(last, info=self._context.view.info(last.sym)), Mode.STAGED)

    def _stage(self, side: Side, price_mode: PriceMode = PriceMode.JOIN) -> None:
        ticket = self._new_ticket(side, price_mode)
        if ticket is not None:
            self.open(ticket if price_mode is PriceMode.JOIN else ticket.with_price_mode(price_mode), Mode.STAGED)

    def ticket_open(self) -> None:
        ticket = self._new_ticket(Side.BUY)
        if ticket is not None:
            self.open(ticket, Mode.FORM)
            self._context.main_screen.set_focus(self.panel.size_field)

    def open(self, ticket: Ticket, mode: Mode) -> None:
        """Show a ticket; the focus is on it before this returns, so that keys typed ahead reach it."""
        main_screen = self._context.main_screen
        self._drop_replace_preview()
        if main_screen.table is not None:
            main_screen.home = main_screen.table.pane.id
        was_form = self.panel.mode in FORMS
        self.panel.show(ticket, mode)
        if was_form or mode in FORMS:
            main_screen.arrange_panes()
        main_screen.set_focus(self.panel)
        main_screen.key_bar.redraw_all()

    def _new_ticket(self, side: Side, price_mode: PriceMode = PriceMode.JOIN) -> Ticket | None:
        context = self._context
        table = context.main_screen.table
        key = context.target()
        sym = sym_to_trade(context, table, side, price_mode) if table is not None and key is not None else ""
        if table is None or key is None or not sym:
            return None
        if sym != table.pane.sym(key):
            word = "bid" if (side is Side.BUY) != (price_mode is PriceMode.TAKE) else "ask"
            context.say(f"staged on {full_name(sym)}: the best {word} is there")
        leg = ""
        if table.pane.id == "positions":
            fact = context.mirror.positions.get(key)
            leg = fact.record.position_side if fact is not None else ""
        ticket = ticket_factory.new_order(sym, side, context.view, leg)
        return msgspec.structs.replace(ticket, qty=self._sizes.get(sym, ticket.qty))

    def ticket_fields(self) -> None:
        if self.panel.ticket is not None and self.panel.mode is Mode.STAGED and not self.panel.sending:
            token_ticket = self.panel.ticket
            self.panel.show(token_ticket, Mode.FORM)
            self._context.main_screen.arrange_panes()
            self._context.main_screen.set_focus(self.panel.size_field)
        elif self.panel.mode in FORMS:
            self._context.main_screen.set_focus(self.panel.stops()[0])

    # Orders and positions

    def _chosen(self) -> OrderRow | None:
        """The selected order, unless the cursor has only just moved there by itself."""
        key = self._context.target()
        order = self._context.mirror.orders.get(key) if key is not None else None
        return None if order is None or self._context.cursor_moved(order_words(order)) else order

    def order_edit(self) -> None:
        order = self._chosen()
        if order is not None:
            self.open(ticket_factory.replacement(order, self._context.view), Mode.REPLACE)
            self._context.main_screen.set_focus(self.panel.price_field)

    # Changes on the preview line

    def change(self, ticket: Ticket) -> None:
        """Another state of the open ticket; what was asked or answered about the old one is gone."""
        if self.panel.sending:
            return
        self.panel.ask = None
        self.panel.refusal = ""
        self.panel.put(ticket)
        self.show_replace_preview()

    def _nudge_opens(self) -> bool:
        """On an order, the first nudge opens its replace: pinned to its id, sent by Enter, dropped by Esc.

        While an amend is on its way the replace begins where that one would end, and waits for the answer.
        """
        if self._context.main_screen.table is None:
            return False
        order = self._chosen()
        if order is None:
            return False
        self.open(ticket_factory.replacement(order, self._context.view), Mode.REPLACE)
        return True

    def _nudge_price(self, ticks: int) -> None:
        if self._context.main_screen.table is not None and not self._nudge_opens():
            return
        self._price_of_ticket(ticks)

    def _nudge_size(self, lots: int) -> None:
        if self._context.main_screen.table is not None and not self._nudge_opens():
            return
        if self.panel.ticket is not None:
            self.change(self.panel.ticket.stepped_size(lots))

    def _price_of_ticket(self, ticks: int) -> None:
        ticket = self.panel.ticket
        if ticket is None:
            return
        changed = ticket.stepped_price(ticks, self.panel.quote)
        if changed is ticket:
            self._context.refuse("no price to step from")
        else:
            self.change(changed)

    def _scale(self, *, doubled: bool) -> None:
        if self.panel.ticket is not None:
            self.change(self.panel.ticket.scaled(doubled))

    def size_type(self) -> None:
        """A digit on the preview line begins the quantity; the focus moves before the next key is looked at."""
        if self.panel.ticket is None or self.panel.sending:
            return
        if self._context.key.isdigit():
            self.panel.size_field.start(self._context.key)
        self._context.main_screen.set_focus(self.panel.size_field)

    def _set_price_mode(self, price_mode: PriceMode) -> None:
        ticket = self.panel.ticket
        if ticket is not None and not ticket.closes_exactly:
            self.change(ticket.with_price_mode(price_mode))

    def flag_post(self) -> None:
        ticket = self.panel.ticket
        if ticket is not None and ticket.order is None and ticket.order_type is OrderType.LIMIT:
            tif = TimeInForce.GTC if ticket.tif is TimeInForce.GTX else TimeInForce.GTX
            self.change(msgspec.structs.replace(ticket, tif=tif, tif_chosen=True))

    def flag_tif(self) -> None:
        ticket = self.panel.ticket
        if ticket is not None and ticket.order is None and ticket.order_type is OrderType.LIMIT:
            tif = _TIFS[(_TIFS.index(ticket.tif) + 1) % len(_TIFS)]
            self.change(msgspec.structs.replace(ticket, tif=tif, tif_chosen=True))

    def flag_reduce(self) -> None:
        ticket = self.panel.ticket
        if ticket is None or ticket.order is not None:
            return
        self.change(msgspec.structs.replace(ticket, reduce_only=not ticket.reduce_only))

    def flag_leg(self) -> None:
        """The next intent; where the account mode changed meanwhile, first this one in the words of the new mode."""
        ticket = self.panel.ticket
        if ticket is not None and ticket.order is None:
            now = position_mode.hedged(ticket.sym, self._context.mirror)
            if now is not None and now != ticket.hedge:
                self.change(position_mode.convert(ticket, now))
                return
            effects = ticket.effects()
            effect = effects[(effects.index(ticket.effect) + 1) % len(effects)]
            self.change(msgspec.structs.replace(ticket, effect=effect, closes_exactly=False))

    # The end of a ticket

    def ticket_drop(self) -> None:
        """Esc only ever goes back: the ticket is gone, nothing was sent by this."""
        if self.panel.sending:
            self._context.say("the ticket is closed; its order is on its way and its answer will be shown here")
        self._close()

    def ticket_unask(self) -> None:
        self.panel.ask = None
        self.panel.refresh()
        self._context.main_screen.key_bar.redraw_all()

    def _close(self) -> None:
        self._drop_replace_preview()
        was_form = self.panel.mode in FORMS
        self.panel.close()
        if was_form:
            self._context.main_screen.arrange_panes()
        self._context.main_screen.focus_list()
        self._context.main_screen.key_bar.redraw_all()

    def show_replace_preview(self) -> None:
        """Beside the order to replace, what it would become."""
        ticket = self.panel.ticket
        if ticket is not None and ticket.order is not None:
            self._context.view.replace_previews[ticket.order.key] = (ticket.limit_text(self.panel.quote), ticket.qty)
            self._touch_order(ticket.order.key)

    def _drop_replace_preview(self) -> None:
        ticket = self.panel.ticket
        if ticket is not None and ticket.order is not None:
            self._context.view.replace_previews.pop(ticket.order.key, None)
            self._touch_order(ticket.order.key)

    def _touch_order(self, key: str) -> None:
        orders = self._context.main_screen.tables["orders"]
        orders.touch(key)
        orders.flush()

    # Sending

    def ticket_send(self) -> None:
        self._send(frozenset())

    def ticket_confirm(self) -> None:
        ask = self.panel.ask
        if ask is not None:
            self._send(self._confirmed | frozenset(ask.guard.split(GUARD_JOINT)))

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
        if ticket.order is not None and not self._still(ticket, confirmed):
            return
        ticket = panel.ticket or ticket
        problems = [*ticket.problems(quote), *self._refusals(ticket)]
        if problems:
            panel.complain(problems)
            context.refuse(problems[0].text)
            if panel.mode in FORMS or problems[0].field == "size":
                field = panel.fields.get(problems[0].field)
                if field is not None and field in panel.stops():
                    context.main_screen.set_focus(field)
            return
        intent: Intent
        if ticket.order is not None:
            intent = ticket.replacement(context.decision("replace form"), quote, confirmed)
        else:
            shown = preview.as_text(panel.figures(ticket))
            intent = ticket.place(context.decision("ticket"), quote, confirmed, shown)
        panel.ask, panel.refusal, panel.sending = None, "", True
        context.submit(intent, partial(self._answered, panel.token, confirmed, ticket))
        panel.refresh()

    def _still(self, ticket: Ticket, confirmed: frozenset[str]) -> bool:
        """A replace reckons with what has filled now; when that changed since it was opened, the trader is asked."""
        panel = self.panel
        if panel.ended:
            panel.ask = None
            self._context.refuse(panel.ended)
            return False
        order = self._context.mirror.orders.get(ticket.order.key) if ticket.order is not None else None
        if order is None or ticket.order is None or order.executed == ticket.order.executed:
            return True
        before = ticket.order.executed
        panel.put(ticket.following(order))
        if REFILLED in confirmed:
            return True
        text = f"filled {order.executed} now, {before} when this was opened; send the total {panel.ticket.qty}?"  # type: ignore[union-attr]
        self._confirmed = confirmed
        panel.ask = Outcome(verdict=Verdict.ASK, key=order.key, guard=REFILLED, text=text)
        self._context.main_screen.set_focus(panel)
        panel.refresh()
        self._context.main_screen.key_bar.redraw_all()
        return False

    def _refusals(self, ticket: Ticket) -> list[Problem]:
        """What the rows of now say against a ticket that is whole in itself."""
        mirror = self._context.mirror
        changed = position_mode.change_reason(ticket, mirror)
        if changed is not None:
            return [changed]
        if ticket.order is None and ticket.effect in CLOSING and preview.held(ticket, self._context.view)[0] == 0:
            return [Problem("", f"the {ticket.position_side.value} leg is already empty; there is nothing to close")]
        return []

    def _answered(self, token: int, confirmed: frozenset[str], ticket: Ticket, outcome: Outcome | None) -> None:
        """Show an outcome in the ticket that sent it, while that is open, and in the events."""
        panel = self.panel
        outcome = outcome or Outcome(verdict=Verdict.UNKNOWN, text=NO_ANSWER)
        mine = token == panel.token and panel.open
        if outcome.verdict not in (Verdict.DENIED, Verdict.ASK):
            self._remember_sent(ticket)
        if not mine or outcome.verdict is not Verdict.ASK:
            report_outcome(self._context, outcome)
        if mine:
            panel.sending = False
            self._show_outcome(outcome, confirmed)
        panel.refresh()
        self._context.main_screen.key_bar.redraw_all()

    def _remember_sent(self, ticket: Ticket) -> None:
        """What the next ticket begins with: only what was really sent counts."""
        if ticket.order is None:
            self._last = ticket
            if not ticket.closes_exactly:
                self._sizes[ticket.sym] = ticket.qty

    def _show_outcome(self, outcome: Outcome, confirmed: frozenset[str]) -> None:
        """The open ticket asks, says its refusal, or has done its work."""
        if outcome.verdict is Verdict.ASK:
            self._confirmed = confirmed
            self.panel.ask = outcome
            self._context.main_screen.set_focus(self.panel)
        elif outcome.verdict in (Verdict.DENIED, Verdict.REJECTED):
            self.panel.refusal = refusal_text(outcome)
        else:
            self._close()
