"""Keys that change the open ticket: price, size, side and flags; nothing here sends."""

from __future__ import annotations

from functools import partial

import msgspec

from tui.interface.families.orders import OrderType, Side, TimeInForce
from tui.workstation.commands.context import Context
from tui.workstation.features.trading.open_ticket import OpenTicket
from tui.workstation.features.trading.order_blocks import explain_refused_digit
from tui.workstation.input.actions import format_key
from tui.workstation.input.handlers import Handlers
from tui.workstation.input.scopes import Scope
from tui.workstation.tickets.fields import Mode
from tui.workstation.tickets.order import position_mode, ticket_factory
from tui.workstation.tickets.order.sizing import BadSize
from tui.workstation.tickets.order.terms import PositionEffect, PriceMode
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.preview.price import name_terms

_OPENERS = {
    Side.BUY: (PositionEffect.OPEN_LONG, PositionEffect.BUY),
    Side.SELL: (PositionEffect.OPEN_SHORT, PositionEffect.SELL),
}
"""Position effect of a side, in hedge mode and in one-way mode."""
SIZE_STARTS = frozenset("0123456789.$")
"""Characters that begin a size."""
_TIFS = (TimeInForce.GTX, TimeInForce.GTC, TimeInForce.IOC, TimeInForce.FOK)


class TicketEdits:
    """Key handlers that change the open ticket."""

    def __init__(self, context: Context, ticket: OpenTicket) -> None:
        self._context = context
        self._ticket = ticket
        self._panel = ticket.panel

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {
            **self._price_and_size_handlers(),
            "side.buy": partial(self._choose_side, Side.BUY),
            "side.sell": partial(self._choose_side, Side.SELL),
            "flag.post": self.flag_post,
            "flag.tif": self.flag_tif,
            "flag.reduce": self.flag_reduce,
            "flag.leg": self.flag_leg,
            "ticket.unblock": self.ticket_unblock,
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

    # Price and size

    def nudge_price(self, ticks: int) -> None:
        """Step the price in the open ticket; without one, open a replace of the selected order with the price stepped."""
        if self._context.main_screen.table is not None and not self._ticket.open_replace():
            return
        self._step_price(ticks)

    def nudge_size(self, lots: int) -> None:
        """Step the size in the open ticket; without one, open a replace of the selected order with the size stepped."""
        if self._context.main_screen.table is not None and not self._ticket.open_replace():
            return
        if self._panel.ticket is not None:
            self._ticket.change(self._panel.ticket.step_size(lots, self._panel.quote))

    def _step_price(self, ticks: int) -> None:
        ticket = self._panel.ticket
        if ticket is None:
            return
        changed = ticket.step_price(ticks, self._panel.quote)
        if changed is ticket:
            self._context.refuse("no price to step from: type one first")
        else:
            self._ticket.change(changed)

    def _scale(self, *, doubled: bool) -> None:
        if self._panel.ticket is not None:
            self._ticket.change(self._panel.ticket.scale_size(up=doubled))

    def size_type(self) -> None:
        """Start typing the size with its first digit, from the preview line or from the side chooser.

        After something was typed, digits are meant for another field and would replace the size: they are refused. The
        focus moves before the next key is handled.
        """
        context, panel = self._context, self._panel
        if panel.ticket is None or panel.sending:
            return
        if refusal := explain_refused_digit(panel, context.main_screen.focused, self._ticket.share, context.key):
            self._ticket.block(refusal)
            panel.offers_fields = panel.mode is Mode.STAGED
            return
        guard = context.guard
        if guard.follows(context.view.keys_of("stage.again")) and guard.is_spent(panel.subject, guard.before):
            self._ticket.block(f"the key {format_key(guard.before)} staged the last ticket again: Esc drops it")
            return
        if context.key in SIZE_STARTS:
            panel.size_field.start(context.key)
            panel.typed = True
        context.main_screen.set_focus(panel.size_field)

    def _set_price_mode(self, price_mode: PriceMode) -> None:
        ticket = self._panel.ticket
        if ticket is not None and not ticket.closes_whole_position_at_market:
            self._ticket.change(ticket.with_price_mode(price_mode))

    def ticket_unblock(self) -> None:
        """Unlock the ticket after a refused key; if none was refused, return to the typed size."""
        panel = self._panel
        if panel.refused_key:
            self._ticket.touch()
        elif panel.typed and panel.mode is Mode.STAGED and panel.ask is None and not panel.sending:
            self._context.main_screen.set_focus(panel.size_field)
            self._context.guard.record_move()

    # Side and flags

    def _choose_side(self, side: Side) -> None:
        """Choose the side of a ticket without a side; refuse the keys that would change a chosen side.

        On the preview line they are taken for the keys that stage, and refused where those mean another order.
        """
        ticket = self._panel.ticket
        if ticket is None or self._panel.sending:
            return
        if ticket.sided and ticket.side is not side:
            self._ticket.block(f"this is a {ticket.side.value}: Esc drops it")
        elif not ticket.sided:
            self._ticket.touch()
            effect = next(effect for effect in _OPENERS[side] if effect in ticket.effects())
            self._ticket.change(msgspec.structs.replace(ticket, effect=effect, sided=True))
        elif self._context.scope is Scope.PREVIEW and self._means_another(ticket):
            terms = name_terms(ticket, self._panel.quote, self._context.view)
            self._ticket.block(f"{terms}: Esc drops it")

    def _means_another(self, ticket: Ticket) -> bool:
        """Return whether the present key would open a different ticket than the open one."""
        if self._context.guard.is_opener(self._panel.subject):
            return self._panel.is_repriced
        joins = ticket.price_mode is PriceMode.JOIN and ticket.post_only
        return not joins or ticket.closes or ticket.order is not None

    def flag_post(self) -> None:
        ticket = self._panel.ticket
        if ticket is not None and ticket.order is None and ticket.order_type is OrderType.LIMIT:
            self._ticket.change(ticket.switch_post_only())

    def flag_tif(self) -> None:
        ticket = self._panel.ticket
        if ticket is not None and ticket.order is None and ticket.order_type is OrderType.LIMIT:
            tif = _TIFS[(_TIFS.index(ticket.tif) + 1) % len(_TIFS)]
            self._ticket.change(msgspec.structs.replace(ticket, tif=tif, tif_chosen=True))

    def flag_reduce(self) -> None:
        ticket = self._panel.ticket
        if ticket is not None and ticket.order is None:
            self._change_leg(msgspec.structs.replace(ticket, reduce_only=not ticket.reduce_only), ticket)

    def flag_leg(self) -> None:
        """Make the order close instead of open, or the reverse; buy stays buy, and sell stays sell.

        If the account's position mode changed, only convert the ticket. From the size field, a typed size stays.
        """
        panel, ticket = self._panel, self._panel.ticket
        if ticket is None:
            return
        if panel.mode is Mode.STAGED and panel.size_field.has_focus and panel.size_field.value.strip():
            self._context.main_screen.set_focus(panel)
        now = position_mode.is_hedged(ticket.sym, self._context.mirror)
        is_changed = now is not None and now != ticket.hedge
        turned = position_mode.convert(ticket, hedge=bool(now)) if is_changed else position_mode.toggle_closing(ticket)
        self._change_leg(turned, ticket)

    def _change_leg(self, turned: Ticket, before: Ticket) -> None:
        """Show an order that opens or closes another position, with a typed percentage taken of that."""
        try:
            sized = ticket_factory.resize_share(turned, before, self._panel.quote, self._context.mirror)
        except BadSize as error:
            self._ticket.refuse(f"size: {error}")
        else:
            self._ticket.change(sized)
