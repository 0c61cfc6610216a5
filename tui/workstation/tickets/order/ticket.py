"""Ticket: the order a trader is preparing, what keys change in it, and the intents that it sends."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import msgspec

from tui.engine.intents import Decision, PaintedPrice, Place, Replace, ShownTerms
from tui.engine.rows import OrderRow, QuoteRow
from tui.interface.decimals import ZERO, BadDecimal, optional, parse_typed, plain, positive
from tui.interface.families.market import SymbolInfo
from tui.interface.families.orders import OrderType, Side, TimeInForce
from tui.interface.symbols import try_parse
from tui.rules import rounding
from tui.workstation.model import number_format
from tui.workstation.tickets.order import checks
from tui.workstation.tickets.order.checks import Problem
from tui.workstation.tickets.order.proposal import ShownProposal
from tui.workstation.tickets.order.terms import UNSIDED, OrderTerms, PositionEffect, PriceMode

_PARTS_OF_FIELD = {
    "size": ("qty", "rest", "share", "spends", "unrounded", "preset", "part"),
    "price": ("price_mode", "price", "painted"),
    "tp": ("profit",),
    "sl": ("stop",),
}
"""Struct fields of the ticket that each text field stands for."""


class Share(msgspec.Struct, frozen=True):
    """Size computed as a share, with the terms it was computed for."""

    text: str = ""
    """Description such as `50 % of what can be closed`; empty for other sizes."""
    quantity: str = ""
    by_risk: bool = False
    """Whether it loses a certain amount at its stop."""
    terms: tuple[object, ...] = ()
    whole: Decimal | None = None
    """What could be closed when a percentage of it was typed; None for other shares."""


class Ticket(OrderTerms, frozen=True, kw_only=True):
    """Order in preparation, with what the trader chose and was shown."""

    tif_chosen: bool = False
    """Whether the trader chose the time in force; then a price helper changes it only if post-only excludes it."""
    rest: str = ""
    """Remaining quantity of a replace as typed; the total follows fills until it is sent."""
    share: Share = Share()
    """Share that the size was typed as; shown while size and terms are still those."""
    spends: tuple[str, str] = ("", "")
    """Size typed in quote units, and its quantity; a market buy sends the former while the latter is still the size."""
    unrounded: tuple[Decimal | None, str] = (None, "")
    """Size before it was rounded down to the lot, and its quantity; the former is told while the latter is the size."""
    preset: str = ""
    """Quantity of the pair's preset; shown as such while it is still the size, and none was typed in another unit."""
    painted: PaintedPrice | None = None
    """What a ladder or chart showed where it was staged; the price then follows nothing. Only the trader's own change of
    price or type in the ticket ends it: the gate refuses every other difference."""
    line: str = ""
    """Command of the line that it was made from; empty: none, or it was changed since."""
    held: str = ""
    """Size of the position that it was made from and turns round; it is not sent at any other. Empty: made from none."""
    dry: bool = False
    """Whether a command line only shows it; it is never sent."""
    proposal: ShownProposal | None = None
    """Proposal of a program that it was made from."""

    @property
    def proposed(self) -> str:
        """Number of the proposal under which it is sent; empty for an order of the trader's own."""
        return self.proposal.number if self.proposal is not None and not self.proposal.left else ""

    @property
    def instruction(self) -> str:
        """What is asked for, where it is another price or size at each moment; empty where its own numbers tell."""
        follows = not self.at_market and self.price_mode is not PriceMode.TYPED
        amount, quantity = self.spends
        amount = amount if quantity == self.qty else ""
        return self.line or (f"{self.order_type} {self.price_mode} {amount or self.qty}" if follows or amount else "")

    # Fields

    def field_texts(self, quote: QuoteRow | None) -> dict[str, str]:
        """Return the texts of the text fields, by field name."""
        return {
            "size": self.qty,
            "price": self.limit_text(quote) if self.sided else "",
            "rest": self.rest or self.remaining_text(),
            "tp": self.profit,
            "sl": self.stop,
        }

    def remaining_text(self) -> str:
        """Format the quantity that remains open after the replace; empty while unknown."""
        total, executed = self.size(), number_format.value(self.order.filled) if self.order is not None else None
        return "" if total is None or executed is None else number_format.field_text(total - executed, self.lot)

    def parts_of_field(self, name: str) -> dict[str, object]:
        """Return the ticket values behind a text field, as a price may follow the market and a size may be a percentage."""
        return {part: getattr(self, part) for part in _PARTS_OF_FIELD.get(name, ())}

    def choices(self) -> dict[str, tuple[Sequence[str], str]]:
        """Return the possible values and the chosen one of each chooser, by field name."""
        return {
            "intent": (self.effects(), self.effect) if self.sided else ((UNSIDED, *self.effects()), UNSIDED),
            "type": (tuple(OrderType), self.order_type),
            "tif": (tuple(TimeInForce), self.tif),
        }

    # Checks

    def problems(self, quote: QuoteRow | None) -> list[Problem]:
        """List all reasons why the ticket cannot be sent, each with field, value and what is accepted."""
        return checks.list_problems(self, quote)

    def rule_problems(self, quote: QuoteRow | None) -> list[Problem]:
        """List what the side, the fields and the rules of the pair forbid."""
        return checks.list_rule_problems(self, quote)

    # Content a press sends

    @property
    def has_preset_size(self) -> bool:
        """Whether the size is still that with which the ticket began."""
        return bool(self.preset) and self.qty == self.preset

    @property
    def chosen(self) -> tuple[object, ...]:
        """Everything the trader chose, except a price that follows the market and a size that follows a position."""
        return (
            self.sym, self.sided, self.effect, self.order_type, self.tif, self.reduce_only, self.price_mode, self.price,
            self.qty if self.part is None else self.part, self.stop, self.profit, self.rest,
            self.order.key if self.order is not None else "",
        )  # fmt: skip

    # Share

    def with_share(self, text: str, quantity: str, *, by_risk: bool = False, whole: Decimal | None = None) -> Ticket:
        """Return the ticket with a size that is a share of something, at the terms it has now."""
        share = Share(text, quantity, by_risk, self._list_share_terms(by_risk=by_risk), whole)
        return msgspec.structs.replace(self, qty=quantity, share=share)

    @property
    def share_text(self) -> str:
        """Description of the share that the size is; empty where it is none, or one of other terms."""
        share = self.share
        holds = share.quantity == self.qty and share.terms == self._list_share_terms(by_risk=share.by_risk)
        return share.text if holds else ""

    def _list_share_terms(self, *, by_risk: bool) -> tuple[object, ...]:
        """List the terms that a share depends on: at another price, buying power and coins to spend buy another size."""
        parts = try_parse(self.sym)
        sells_coins = parts is not None and not parts.is_perp and self.side is Side.SELL
        kind = (self.effect, self.closes)
        if by_risk:
            return (*kind, self.order_type, self.price_mode, self.price, self.stop, self.post_only)
        return kind if self.closes or sells_coins else (*kind, self.order_type, self.price_mode, self.price)

    # Changes

    def note_change(self, before: Ticket | None) -> Ticket:
        """Return the ticket as the trader changed it: no longer what a line or a program said, if it differs from that."""
        shown = self.proposal
        if before is None or before.chosen == self.chosen:
            return self
        if shown is not None and not shown.left:
            shown = msgspec.structs.replace(shown, left=True)
        return msgspec.structs.replace(self, proposal=shown, line="")

    def step_price(self, ticks: int, quote: QuoteRow | None) -> Ticket:
        """Step the price by ticks; from a price between ticks, the first step goes to the next tick."""
        price, tick = self.limit(quote), self.tick
        if price is None or tick is None:
            return self
        near = rounding.neighbours(price, tick)
        if near[0] != near[1]:
            moved = near[1] + tick * (ticks - 1) if ticks > 0 else near[0] + tick * (ticks + 1)
        else:
            moved = price + tick * ticks
        return self if moved <= 0 else self.at_price(moved)

    def at_price(self, price: Decimal) -> Ticket:
        """Set a price, rounded to the tick as the field writes it."""
        return self.with_price(number_format.field_text(price, self.tick))

    def with_price(self, text: str) -> Ticket:
        """Set the price that the trader chose in the ticket, in place of one that a ladder or chart showed."""
        return msgspec.structs.replace(self, price_mode=PriceMode.TYPED, price=text, painted=None)

    def with_type(self, order_type: OrderType) -> Ticket:
        """Set the type; a market order has no price that a ladder or chart could have shown."""
        painted = None if order_type is OrderType.MARKET else self.painted
        return msgspec.structs.replace(self, order_type=order_type, painted=painted)

    def step_size(self, lots: int, quote: QuoteRow | None) -> Ticket:
        """Step the size by lots, down to one lot at least; from one that is refused to the next that is accepted."""
        size, lot = self.size() or ZERO, self.lot
        if lot is None:
            return self
        down = rounding.quantity(size, lot)
        moved = down + lot * (lots if lots > 0 or size == down else lots + 1)
        moved = max(lot, moved)
        if any(problem.field == "size" for problem in self.problems(quote)):
            moved = min(max(moved, self._find_least(lot, quote)), self._find_most() or moved)
        return msgspec.structs.replace(self, qty=plain(moved), rest="", part=None)

    def _find_least(self, lot: Decimal, quote: QuoteRow | None) -> Decimal:
        """Return the smallest size that is accepted: of a replace, whose size is the total, more than has filled."""
        filled = (optional(self.order.filled) or ZERO) if self.order is not None else ZERO
        return max(rounding.quantity(filled, lot) + lot, checks.find_least(self, quote))

    def _find_most(self) -> Decimal | None:
        """Return the largest size that the pair takes; None while it is not known."""
        info = self.info
        return None if info is None else positive(info.max_market_size if self.at_market else info.max_limit_size)

    def scale_size(self, *, up: bool) -> Ticket:
        """Double or halve the size, rounded down to the lot size."""
        size, lot = self.size(), self.lot
        if size is None or lot is None:
            return self
        moved = rounding.quantity(size * 2 if up else size / 2, lot)
        return self if moved <= 0 else msgspec.structs.replace(self, qty=plain(moved), rest="", part=None)

    def with_price_mode(self, price_mode: PriceMode) -> Ticket:
        """Set the price helper; TAKE becomes IOC and the others post-only, unless the trader chose the time in force."""
        tif, free = self.tif, self.order is None and not self.tif_chosen
        if price_mode is PriceMode.TAKE and (free or tif is TimeInForce.GTX):
            tif = TimeInForce.IOC
        elif free:
            tif = TimeInForce.GTX
        return msgspec.structs.replace(
            self, price_mode=price_mode, price="", painted=None, tif=tif, order_type=OrderType.LIMIT
        )

    def effects(self) -> tuple[PositionEffect, ...]:
        """Return the purposes that the position mode and the symbol allow."""
        parts = try_parse(self.sym)
        if self.hedge and parts is not None and parts.is_perp:
            return (
                PositionEffect.OPEN_LONG,
                PositionEffect.CLOSE_LONG,
                PositionEffect.OPEN_SHORT,
                PositionEffect.CLOSE_SHORT,
            )
        return (PositionEffect.BUY, PositionEffect.SELL)

    # Intents

    def place(self, decision: Decision, quote: QuoteRow | None, confirmed: frozenset[str], preview: str) -> Place:
        """Build the intent of a new order, with the numbers as previewed."""
        market = self.at_market
        stop, profit = self.protections(quote)
        return Place(
            decision=decision,
            sym=self.sym,
            side=self.side,
            order_type=self.order_type,
            qty=self.qty,
            quote_qty=self.quote_amount(),
            price="" if market else self.limit_text(quote),
            time_in_force=TimeInForce.IOC if market else self.tif,
            position_side=self.position_side,
            reduce_only=self.reduce_only,
            take_profit=profit.wire() if profit is not None else None,
            stop_loss=stop.wire() if stop is not None else None,
            confirmed=confirmed,
            preview=preview,
            painted=self.painted,
            proposal=self.proposed,
            shown=self.shown_terms,
            instruction=self.instruction,
            held=self.held,
        )

    @property
    def shown_terms(self) -> ShownTerms | None:
        """How the proposal of the ticket was shown; None for an order of the trader's own."""
        shown = self.proposal
        if shown is None or shown.left:
            return None
        return ShownTerms(at=shown.at, touch="" if shown.touch is None else plain(shown.touch))

    def quote_amount(self) -> str:
        """Return the quote amount that a spot or margin market buy is sent with; empty if it is sent with a quantity."""
        parts, (quote, quantity) = try_parse(self.sym), self.spends
        by_quote = parts is not None and not parts.is_perp and self.at_market and self.side is Side.BUY
        return quote if by_quote and quantity == self.qty else ""

    def find_unrounded(self) -> Decimal | None:
        """Return the size before it was rounded down to the lot, where the rounded one is what is sent."""
        size, quantity = self.unrounded
        return size if quantity == self.qty and not self.quote_amount() else None

    def with_rules(self, info: SymbolInfo | None) -> Ticket:
        """Return the ticket with changed rules of its pair."""
        return msgspec.structs.replace(self, info=info)

    def follow_order(self, order: OrderRow) -> Ticket:
        """Apply the current state of the order to replace; a typed remaining quantity stays valid after further fills."""
        try:
            rest = parse_typed(self.rest) if self.rest else None
        except BadDecimal:
            rest = None
        executed = number_format.value(order.filled)
        if rest is None or executed is None:
            return msgspec.structs.replace(self, order=order)
        return msgspec.structs.replace(self, order=order, qty=plain(executed + rest))

    def replacement(self, decision: Decision, quote: QuoteRow | None, confirmed: frozenset[str]) -> Replace:
        """Build the intent of a replace; price and total quantity are always set."""
        key = self.order.key if self.order is not None else ""
        return Replace(
            decision=decision,
            key=key,
            price=self.limit_text(quote),
            qty=self.qty,
            confirmed=confirmed,
            painted=self.painted,
            proposal=self.proposed,
            shown=self.shown_terms,
        )
