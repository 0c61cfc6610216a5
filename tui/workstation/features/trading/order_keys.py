"""Handlers of keys that prepare and send orders and replaces; each ends in one intent and one `submit`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import msgspec
from textual.geometry import Size
from textual.widget import Widget

from tui.engine.intents import GUARD_JOINT, Intent, Outcome, Verdict
from tui.engine.rows import OrderRow, QuoteRow
from tui.interface.families.orders import OrderType, Side, TimeInForce
from tui.workstation.command_line.order_descriptions import describe_row
from tui.workstation.commands.availability import Blocks
from tui.workstation.commands.context import Context
from tui.workstation.commands.desk_context import NO_ANSWER
from tui.workstation.commands.order_outcome import refusal_text, report_outcome
from tui.workstation.features.trading.order_blocks import ChosenShare, explain_refused_digit, order_blocks, sym_to_trade
from tui.workstation.input.fresh_press import Rule
from tui.workstation.input.handlers import Handlers
from tui.workstation.model.instruments import full_name
from tui.workstation.table.live_table import LiveTable
from tui.workstation.tickets.fields import FORMS, Mode, NumberField
from tui.workstation.tickets.order import limits, position, position_mode, price_move, refusals, ticket_factory
from tui.workstation.tickets.order.checks import Problem
from tui.workstation.tickets.order.terms import CLOSING, PositionEffect, PriceMode
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.panel import TicketPanel
from tui.workstation.tickets.preview.figures import journal_text

MOVED = "MOVED"
"""Guard name of the question asked when the market left the price in another question."""
REFILLED = "REFILLED"
"""Guard name of the question asked when an order filled further while its replace was prepared."""

_OPENERS = {
    Side.BUY: (PositionEffect.OPEN_LONG, PositionEffect.BUY),
    Side.SELL: (PositionEffect.OPEN_SHORT, PositionEffect.SELL),
}
"""Position effect of a side, in hedge mode and in one-way mode."""
SIZE_STARTS = frozenset("0123456789.$")
"""Characters that begin a size."""
_TIFS = (TimeInForce.GTX, TimeInForce.GTC, TimeInForce.IOC, TimeInForce.FOK)


class OrderKeys:
    """Key handlers that stage, edit and send orders."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._last: Ticket | None = None
        """Last new order that was sent."""
        self.share: ChosenShare | None = None

    @property
    def panel(self) -> TicketPanel:
        return self._context.main_screen.panel

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {
            "stage.buy": partial(self.stage, Side.BUY),
            "stage.sell": partial(self.stage, Side.SELL),
            "stage.again": self.stage_again,
            "ticket.open": self.ticket_open,
            "ticket.fields": self.ticket_fields,
            "ticket.send": self.ticket_send,
            "ticket.send_form": self.ticket_send,
            "ticket.unblock": self.ticket_unblock,
            "ticket.confirm": self.ticket_confirm,
            "ticket.unask": self.ticket_unask,
            "ticket.drop": self.ticket_drop,
            "order.edit": self.order_edit,
            **self._price_and_size_handlers(),
            "side.buy": partial(self._choose_side, Side.BUY),
            "side.sell": partial(self._choose_side, Side.SELL),
            "flag.post": self.flag_post,
            "flag.tif": self.flag_tif,
            "flag.reduce": self.flag_reduce,
            "flag.leg": self.flag_leg,
        }

    def _price_and_size_handlers(self) -> Handlers:
        price, size, mode = self.nudge_price, self.nudge_size, self._set_price_mode
        return {
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
        """Return the block reasons by action id."""
        return {**order_blocks(self._context), "stage.again": self._again_block}

    def _again_block(self, table: LiveTable | None) -> str:
        del table
        return "" if self._last is not None else "no ticket was sent in this session yet"

    # Openers. They set the focus before they return, so that keys typed ahead reach the ticket.

    def stage_again(self) -> None:
        """Stage the last sent order again without sending it; a join follows the best price of now."""
        if (last := self._last) is not None:
            self.open(msgspec.structs.replace(last, info=self._context.view.info(last.sym)), Mode.STAGED)

    def stage(self, side: Side, price_mode: PriceMode = PriceMode.JOIN) -> None:
        """Stage an order of the smallest size on the selected row."""
        ticket = self._new_ticket(side, price_mode)
        if ticket is not None and not self._resume(ticket):
            self.open(ticket if price_mode is PriceMode.JOIN else ticket.with_price_mode(price_mode), Mode.STAGED)

    def _resume(self, wanted: Ticket) -> bool:
        """Resume a paused ticket if it is for the same pair and side; return whether it was resumed."""
        ticket = self.panel.ticket
        same = ticket is not None and (ticket.sym, ticket.side, ticket.sided) == (wanted.sym, wanted.side, True)
        if not self.panel.paused or not same:
            return False
        self._context.main_screen.set_focus(self.panel)
        self._context.guard.record_move()
        self._context.say(f"{self.paused_text} resumed; its price follows the market again")
        return True

    @property
    def paused_text(self) -> str:
        """Description of the ticket for event lines."""
        ticket = self.panel.ticket
        if ticket is None:
            return ""
        side = f"{ticket.side.value} " if ticket.sided else ""
        return f"{side}{ticket.qty} {full_name(ticket.sym)}"

    def ticket_pause(self) -> None:
        """Pause the ticket when another screen or dialog takes the keyboard; it sends nothing until resumed."""
        if self.panel.open and not self.panel.paused and Rule.PAUSE in self._context.guard.rules:
            self.panel.pause()

    def ticket_drop_paused(self) -> bool:
        """Drop a paused ticket, which is the first effect of Esc; return whether there was one."""
        if not self.panel.paused:
            return False
        text = self.paused_text
        self._drop_replace_preview()
        self.panel.close()
        self._context.main_screen.arrange_panes()
        self._context.say(f"paused ticket {text} dropped; nothing was sent")
        self._context.refresh_keys()
        return True

    def ticket_open(self) -> None:
        """Open the full ticket form for the pair; the trader has to choose a side."""
        if (ticket := self._new_ticket(Side.BUY)) is not None:
            self.open(msgspec.structs.replace(ticket, sided=Rule.SIDE not in self._context.guard.rules), Mode.FORM)
            box = self._context.main_screen.plan.ticket
            placed = self.panel.placements(Size(box.width, box.height)) if box is not None else {}
            self._context.main_screen.set_focus(self.panel.intent_choice if "intent" in placed else self.panel)

    def _choose_side(self, side: Side) -> None:
        """Choose the side in a ticket without one; a side already chosen is not changed by these keys."""
        ticket = self.panel.ticket
        if ticket is None or self.panel.sending:
            return
        if ticket.sided and ticket.side is not side:
            self.block(f"this is a {ticket.side.value}: Esc drops it")
        elif not ticket.sided:
            effect = next(effect for effect in _OPENERS[side] if effect in ticket.effects())
            self.change(msgspec.structs.replace(ticket, effect=effect, sided=True))

    def block(self, text: str) -> None:
        """Refuse a key in the ticket, and all further keys until the trader edits it."""
        self.panel.refused_key = f"{text}. Backspace continues"
        self._context.guard.refuse(self.panel.subject)
        self._say_here(self.panel.refused_key)

    def open(self, ticket: Ticket, mode: Mode, *, at_row: bool = False) -> None:
        """Show a ticket and focus it before returning.

        One at the price of a row, or of a post-only order, is not meant to take: while it would, only `y` sends it.
        """
        main_screen = self._context.main_screen
        if self.panel.paused:
            self._context.say(f"{self.paused_text} dropped for another one; nothing was sent")
        self._drop_replace_preview()
        if main_screen.table is not None:
            main_screen.home = main_screen.table.pane.id
        self.panel.show(ticket, mode)
        self._context.guard.record_opener(self.panel.subject)
        if (at_row and ticket.takes(self.panel.live_quote)) or (ticket.order is not None and ticket.post_only):
            self._context.guard.record_taking(self.panel.subject, self._takes)
        main_screen.arrange_panes()
        main_screen.set_focus(self.panel)
        main_screen.key_bar.redraw_all()

    def _takes(self) -> bool:
        """Return whether the open ticket would take at the market of now."""
        ticket = self.panel.ticket
        return ticket is not None and bool(ticket.takes(self.panel.live_quote))

    def _new_ticket(self, side: Side, price_mode: PriceMode = PriceMode.JOIN) -> Ticket | None:
        context = self._context
        table = context.main_screen.table
        key = context.target()
        sym = sym_to_trade(table, side, price_mode) if table is not None and key is not None else ""
        if table is None or key is None or not sym:
            return None
        if sym != table.pane.sym(key):
            word = "bid" if (side is Side.BUY) != (price_mode is PriceMode.TAKE) else "ask"
            context.say(f"staged on {full_name(sym)}: the best {word} is there")
        leg = ""
        if table.pane.id == "positions":
            fact = context.mirror.positions.get(key)
            leg = fact.record.position_side if fact is not None else ""
        return ticket_factory.new_order(sym, side, context.view, leg)

    def ticket_fields(self) -> None:
        """Open the full form of a staged order; if a size was typed, focus the price."""
        panel = self.panel
        if panel.ticket is not None and panel.mode is Mode.STAGED and not panel.sending:
            typed = panel.typed
            panel.show(panel.ticket, Mode.FORM)
            panel.typed = typed
            self._context.guard.record_opener(panel.subject)
            self._context.main_screen.arrange_panes()
            price_next = typed and panel.price_field in panel.stops()
            self._context.main_screen.set_focus(panel.price_field if price_next else panel.size_field)
        elif self.panel.mode in FORMS:
            self._context.main_screen.set_focus(self.panel.stops()[0])

    def _find_selected_order(self) -> OrderRow | None:
        """Return the selected order, unless the program itself has just moved the cursor there."""
        key = self._context.target()
        order = self._context.mirror.orders.get(key) if key is not None else None
        return None if order is None or self._context.refuse_after_cursor_move(describe_row(order)) else order

    def order_edit(self) -> None:
        if self._open_replace():
            self._context.main_screen.set_focus(self.panel.price_field)

    # Changes on the preview line

    def change(self, ticket: Ticket) -> None:
        """Replace the open ticket by a changed version; drop questions and refusals about the old one."""
        if self.panel.sending:
            return
        self.panel.ask = None
        self.panel.refusal = ""
        self.panel.follow_price()
        self._context.guard.clear_refusals(self.panel.subject)
        self.panel.put(ticket.note_change(self.panel.ticket))
        self.show_replace_preview()

    def _open_replace(self) -> bool:
        """Open a replace of the selected order, tied to its id; return whether it opened.

        While an amend is under way, the replace starts from its outcome and waits for the answer.
        """
        order = None if self._context.main_screen.table is None else self._find_selected_order()
        if order is not None:
            self.open(ticket_factory.replacement(order, self._context.view), Mode.REPLACE)
        return order is not None

    def nudge_price(self, ticks: int) -> None:
        """Step the price of the ticket, or of a replace of the selected order."""
        if self._context.main_screen.table is not None and not self._open_replace():
            return
        self._price_of_ticket(ticks)

    def nudge_size(self, lots: int) -> None:
        """Step the size of the ticket, or of a replace of the selected order."""
        if self._context.main_screen.table is not None and not self._open_replace():
            return
        if self.panel.ticket is not None:
            self.change(self.panel.ticket.step_size(lots))

    def _price_of_ticket(self, ticks: int) -> None:
        ticket = self.panel.ticket
        if ticket is None:
            return
        changed = ticket.step_price(ticks, self.panel.quote)
        if changed is ticket:
            self._context.refuse("no price to step from")
        else:
            self.change(changed)

    def _scale(self, *, doubled: bool) -> None:
        if self.panel.ticket is not None:
            self.change(self.panel.ticket.scale_size(doubled))

    def size_type(self) -> None:
        """Start typing the size with its first digit, from the preview line or from the side chooser.

        After something was typed, digits are meant for another field and would replace the size: they are refused. The
        focus moves before the next key is handled.
        """
        if self.panel.ticket is None or self.panel.sending:
            return
        refusal = explain_refused_digit(self.panel, self._context.main_screen.focused, self.share, self._context.key)
        if refusal:
            self.block(refusal)
            self.panel.offers_fields = self.panel.mode is Mode.STAGED
            return
        guard = self._context.guard
        if guard.follows("full_stop") and guard.is_spent(self.panel.subject, "full_stop"):
            self.block("the key . staged the last ticket again: Esc drops it")
            return
        if self._context.key in SIZE_STARTS:
            self.panel.size_field.start(self._context.key)
            self.panel.typed = True
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
        if ticket is not None and ticket.order is None:
            self.change(msgspec.structs.replace(ticket, reduce_only=not ticket.reduce_only))

    def flag_leg(self) -> None:
        """Choose the next order purpose; if the account's position mode changed, only convert the ticket to it."""
        ticket = self.panel.ticket
        if ticket is not None and ticket.order is None:
            now = position_mode.is_hedged(ticket.sym, self._context.mirror)
            if now is not None and now != ticket.hedge:
                self.change(position_mode.convert(ticket, now))
                return
            effects = ticket.effects()
            effect = effects[(effects.index(ticket.effect) + 1) % len(effects)]
            self.change(msgspec.structs.replace(ticket, effect=effect, sided=True, closes_exactly=False))

    # Closing a ticket

    def ticket_drop(self) -> None:
        """Drop the ticket without sending anything."""
        if self.ticket_drop_paused():
            return
        if self.panel.sending:
            self._context.say("the ticket is closed; its order was sent, the reply will be shown here")
        self._close()

    def ticket_unblock(self) -> None:
        """Unlock the ticket after a refused key; if none was refused, return to the typed size."""
        if self.panel.refused_key:
            self.touch_field()
        elif self.panel.typed and self.panel.mode is Mode.STAGED and not self.panel.sending:
            self._context.main_screen.set_focus(self.panel.size_field)
            self._context.guard.record_move()

    def touch_field(self) -> None:
        """Unlock the ticket after a refused key, because the trader has edited it."""
        self.panel.touch()
        self._context.guard.clear_refusals(self.panel.subject)

    def ticket_unask(self) -> None:
        self.panel.drop_question()
        self.panel.typed = False
        self.panel.refresh()
        self._context.main_screen.key_bar.redraw_all()

    def _close(self) -> None:
        self._drop_replace_preview()
        self.panel.close()
        self._context.main_screen.arrange_panes()
        self._context.main_screen.focus_list()
        self._context.main_screen.key_bar.redraw_all()

    def show_replace_preview(self) -> None:
        """Show beside the order what it would be after the replace."""
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
        """Send the ticket on Enter, or on `y` if Enter is refused in it; `y` also where a row has ceased to take."""
        panel = self.panel
        if panel.sending or panel.ticket is None:
            return
        if self._context.key == "y" != panel.send_key and not self._context.guard.took_when_opened(panel.subject):
            self._say_here(panel.expect_refusal or "Enter sends this; y sends only where Enter was refused")
            return
        self._send_if_fresh(partial(self._send, frozenset()))

    def field_send(self, field: Widget | None = None) -> None:
        """Send on Enter in a text field (None: the size of a staged line), once what was typed was readable."""
        send, typed_in = partial(self._send, frozenset()), field or self.panel.size_field
        self._send_if_fresh(send, lambda: send() if typed_in.has_focus else None)

    def ticket_confirm(self) -> None:
        if self.panel.ask is not None:
            self._send_if_fresh(self._confirm)

    def _confirm(self) -> None:
        ask = self.panel.ask
        if ask is None:
            return
        confirmed = self._confirmed | frozenset(ask.guard.split(GUARD_JOINT))
        if not self._ask_if_moved(confirmed):
            self._send(confirmed)

    def _send_if_fresh(self, send: Callable[[], None], again: Callable[[], None] | None = None) -> None:
        """Send if the key press passes the guard, else show in the ticket why not."""
        problems = self._problems()
        if problems:
            self._refuse_send(problems)
            return
        why = self._context.may_send(self.panel.written, again)
        if why is None:
            send()
        elif why:
            self._say_here(why)

    def _say_here(self, text: str) -> None:
        """Show in the ticket and in the events why a key did nothing."""
        self.panel.refusal = text
        self.panel.redraw_all()
        self._context.refuse(text)

    def _ask_if_moved(self, confirmed: frozenset[str]) -> bool:
        """Ask again if the market has moved too far from the price in the question; return whether it asked."""
        panel, moved = self.panel, self.panel.compute_move()
        ticket, status = panel.ticket, self._context.mirror.engine_status
        if moved is None or ticket is None or not price_move.is_far_move(ticket, moved, status):
            return False
        before, now = (self._context.view.price_of(ticket.sym, price) for price in moved)
        self._confirmed = confirmed
        panel.hold_price()
        panel.ask = Outcome(
            verdict=Verdict.ASK, guard=MOVED, text=f"the price moved from {before} to {now}: send at {now}?"
        )
        panel.redraw_all()
        self._context.main_screen.key_bar.redraw_all()
        return True

    _confirmed: frozenset[str] = frozenset()

    def _problems(self) -> list[Problem]:
        """Return the problems that prevent sending the ticket."""
        ticket = self.panel.ticket
        if ticket is None:
            return []
        return [*ticket.problems(self.panel.quote), *self.refusals(ticket, self.panel.quote)]

    def _refuse_send(self, problems: list[Problem]) -> None:
        """Show the problem and focus its field; the same key sends nothing until the field is changed."""
        context, panel = self._context, self.panel
        panel.show_problems(problems)
        context.refuse(problems[0].text)
        context.guard.refuse(panel.subject)
        if panel.mode in FORMS or problems[0].field == "size":
            field = panel.fields.get(problems[0].field) or panel.choosers.get(problems[0].field)
            if field is not None and field in panel.stops():
                context.main_screen.set_focus(field)
                if isinstance(field, NumberField):
                    field.locked = bool(field.value)

    def send_nudge(self) -> None:
        """Send, in HOT and without Enter, a replace that was made only by stepping price or size."""
        self._send(hot=True)

    def _send(self, confirmed: frozenset[str] = frozenset(), *, hot: bool = False) -> None:
        context, panel = self._context, self.panel
        ticket, quote = panel.ticket, panel.quote
        if ticket is None or ticket.dry or panel.sending or panel.paused or panel.blocked:
            return
        reason = context.not_armed_reason()
        if reason:
            context.refuse(reason)
            return
        if ticket.order is not None and not self._check_fills(ticket, confirmed):
            return
        ticket = panel.ticket or ticket
        problems = self._problems()
        if problems:
            self._refuse_send(problems)
            return
        if quote is panel.live_quote:
            panel.hold_price()
        intent: Intent
        if ticket.order is not None:
            replace = ticket.replacement(context.build_decision("replace form"), quote, confirmed)
            intent = msgspec.structs.replace(replace, hot=hot)
        else:
            shown = journal_text(panel.figures(ticket))
            intent = ticket.place(context.build_decision("ticket"), quote, confirmed, shown)
        panel.ask, panel.refusal, panel.sending = None, "", context.view.now
        context.submit(intent, partial(self._handle_outcome, panel.token, confirmed, ticket))
        panel.refresh()

    def _check_fills(self, ticket: Ticket, confirmed: frozenset[str]) -> bool:
        """Update a replace after new fills of its order, and ask if there were any; return whether it may be sent."""
        panel = self.panel
        if panel.end_reason:
            panel.ask = None
            self._context.refuse(panel.end_reason)
            return False
        order = self._context.mirror.orders.get(ticket.order.key) if ticket.order is not None else None
        if order is None or ticket.order is None or not order.has_other_fills(ticket.order):
            return True
        before = ticket.order.filled
        panel.put(ticket.follow_order(order))
        if REFILLED in confirmed:
            return True
        text = f"filled {order.filled} now, {before} when this form opened; send the total {panel.ticket.qty}?"  # type: ignore[union-attr]
        self._confirmed = confirmed
        panel.ask = Outcome(verdict=Verdict.ASK, key=order.key, guard=REFILLED, text=text)
        self._context.main_screen.set_focus(panel)
        panel.refresh()
        self._context.main_screen.key_bar.redraw_all()
        return False

    def refusals(self, ticket: Ticket, quote: QuoteRow | None) -> list[Problem]:
        """Return why current data refuses a ticket: old proposal, changed position mode, size like a price, empty leg."""
        mirror = self._context.mirror
        if void := refusals.why_void(ticket, self._context.view):
            return [Problem("", f"{void}; nothing was sent")]
        changed = position_mode.change_reason(ticket, mirror)
        changed = changed or limits.find_typed_price(ticket, quote, self._context.view)
        if changed is not None:
            return [changed]
        closes = ticket.order is None and ticket.effect in CLOSING
        if closes and position.find_position_size(ticket, self._context.view)[0] == 0:
            return [Problem("", f"the {ticket.position_side.value} position is already flat; nothing to close")]
        return []

    def _handle_outcome(self, token: int, confirmed: frozenset[str], ticket: Ticket, outcome: Outcome | None) -> None:
        """Show an outcome in the events, and in its ticket while that is open."""
        panel = self.panel
        outcome = outcome or Outcome(verdict=Verdict.UNKNOWN, text=NO_ANSWER)
        is_open = token == panel.token and panel.open
        if outcome.verdict not in (Verdict.DENIED, Verdict.ASK):
            self.remember_sent(ticket)
        if not is_open or outcome.verdict is not Verdict.ASK:
            report_outcome(self._context, outcome)
        if is_open:
            panel.sending = 0.0
            self.show_outcome(outcome, confirmed)
        panel.refresh()
        self._context.main_screen.key_bar.redraw_all()

    def remember_sent(self, ticket: Ticket) -> None:
        """Remember a sent ticket for `stage_again`."""
        if ticket.order is None:
            # Sent again it is an order at a typed price, and the trader's own: no screen and no program shows it then.
            self._last = msgspec.structs.replace(ticket, preset="", painted=None, proposal=None)

    def show_outcome(self, outcome: Outcome, confirmed: frozenset[str]) -> None:
        """Show an outcome in the open ticket: ask a question, show a refusal, or close the ticket."""
        if outcome.verdict is Verdict.ASK:
            self._confirmed, self.panel.ask = confirmed, outcome
            if not self.panel.paused:
                self._context.main_screen.set_focus(self.panel)
        elif outcome.verdict in (Verdict.DENIED, Verdict.REJECTED):
            # Digits typed next begin another size, rather than extend the refused one.
            self.panel.refusal, self.panel.typed = refusal_text(outcome), False
            self.panel.size_field.select_all()
            if not self.panel.paused:
                self.panel.follow_price()
        else:
            self._close()
