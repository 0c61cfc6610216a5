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


NOT_SHOWN: tuple[tuple[object, ...], Decimal | None] = ((), None)
"""Opposite position of an order that was not shown yet."""


NOT_POST_ONLY = TimeInForce.GTC, True
"""Time in force, and that it is chosen, of an order that was post-only from the start and is no more."""


class Share(msgspec.Struct, frozen=True):
    """Size that was computed as a share or by risk, with the terms it was computed from."""

    text: str = ""
    """Description such as `50 % of the closable position`; empty for other sizes."""
    quantity: str = ""
    by_risk: bool = False
    """Whether it loses a certain amount at its stop."""
    terms: tuple[object, ...] = ()
    whole: Decimal | None = None
    """What can be closed, of which the size is a percentage; None for other shares."""
    percent: Decimal = ZERO
    """Percentage of `whole`."""


class Ticket(OrderTerms, frozen=True, kw_only=True):
    """Order in preparation, with what the trader chose and was shown."""

    tif_chosen: bool = False
    """Whether the trader chose the time in force; then a price helper changes it only if post-only excludes it."""
    before_post: tuple[TimeInForce, bool] = NOT_POST_ONLY
    """Time in force, and whether the trader chose it, that switching post-only off gives back."""
    rest: str = ""
    """Remaining quantity of a replace as typed; the total follows fills until it is sent."""
    opposite: tuple[tuple[object, ...], Decimal | None] = NOT_SHOWN
    """Side and size that the trader chose, and the size of the position that they closed when they were first shown."""
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
        """Number of the proposal with which the ticket is sent; empty for the trader's own order."""
        return self.proposal.number if self.proposal is not None and not self.proposal.left else ""

    @property
    def instruction(self) -> str:
        """Command line of the order, or type, price helper and size if price or amount are not fixed; else empty."""
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
        """Format the quantity that would remain open after the replace; empty while unknown."""
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
        """List invalid fields and violations of the pair's rules."""
        return checks.list_rule_problems(self, quote)

    # Content a press sends

    @property
    def has_preset_size(self) -> bool:
        """Whether the size is still the preset one with which the ticket began."""
        return bool(self.preset) and self.qty == self.preset

    @property
    def chosen(self) -> tuple[object, ...]:
        """Everything the trader chose, except a price that follows the market and a size that follows a position."""
        return (
            self.sym, self.sided, self.effect, self.order_type, self.tif, self.reduce_only, self.price_mode, self.price,
            self.qty if self.position_share is None else self.position_share, self.stop, self.profit, self.rest,
            self.order.key if self.order is not None else "",
        )  # fmt: skip

    @property
    def side_and_size(self) -> tuple[object, ...]:
        """Side and size of the order, which decide what it closes and opens."""
        return self.sym, self.hedge, self.effect, self.reduce_only, self.qty

    @property
    def follows_position(self) -> bool:
        """Whether the size is a part of the position, or a typed percentage of what can be closed of it."""
        return self.part is not None or (self.share.whole is not None and self.share.quantity == self.qty)

    @property
    def position_share(self) -> Decimal | None:
        """Percentage of the position that the size follows; None for a size that follows none."""
        if not self.follows_position:
            return None
        return self.share.percent if self.part is None else self.part

    # Share

    def with_share(
        self, text: str, quantity: str, *, by_risk: bool = False, whole: Decimal | None = None, percent: Decimal = ZERO
    ) -> Ticket:
        """Return the ticket with a size that was computed as a share or by risk, at the present terms."""
        share = Share(text, quantity, by_risk, self._list_share_terms(by_risk=by_risk), whole, percent)
        return msgspec.structs.replace(self, qty=quantity, share=share)

    @property
    def share_text(self) -> str:
        """Description of the share from which the size was computed; empty if size or terms have changed since."""
        share = self.share
        holds = share.quantity == self.qty and share.terms == self._list_share_terms(by_risk=share.by_risk)
        return share.text if holds else ""

    def _list_share_terms(self, *, by_risk: bool) -> tuple[object, ...]:
        """List the terms on which a share depends, such as price and side; if one changes, the share no longer holds."""
        parts = try_parse(self.sym)
        sells_coins = parts is not None and not parts.is_perp and self.side is Side.SELL
        kind = (self.effect, self.closes)
        if by_risk:
            return (*kind, self.order_type, self.price_mode, self.price, self.stop, self.post_only)
        return kind if self.closes or sells_coins else (*kind, self.order_type, self.price_mode, self.price)

    # Changes

    def note_change(self, before: Ticket | None) -> Ticket:
        """Return the changed ticket; if it differs from `before`, it no longer counts as a line's or program's order."""
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
        """Set a fixed price, rounded to the tick as the price field writes it."""
        return self.with_price(number_format.field_text(price, self.tick))

    def with_price(self, text: str) -> Ticket:
        """Set a fixed price, given as text, in place of a price from the ladder or chart."""
        return msgspec.structs.replace(self, price_mode=PriceMode.TYPED, price=text, painted=None)

    def with_type(self, order_type: OrderType) -> Ticket:
        """Set the order type; a market order forgets the price from the ladder or chart."""
        painted = None if order_type is OrderType.MARKET else self.painted
        return msgspec.structs.replace(self, order_type=order_type, painted=painted)

    def step_size(self, lots: int, quote: QuoteRow | None) -> Ticket:
        """Step the size by lots, at least to one lot; a refused size steps to the nearest accepted size."""
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
        """Return the pair's largest size for the order type; None if unknown."""
        info = self.info
        return None if info is None else positive(info.max_market_size if self.at_market else info.max_limit_size)

    def scale_size(self, *, up: bool) -> Ticket:
        """Double or halve the size, rounded down to the lot; no change if that would be 0."""
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
        before_post = self.before_post if self.before_post[1] else NOT_POST_ONLY
        return msgspec.structs.replace(
            self,
            price_mode=price_mode,
            price="",
            painted=None,
            tif=tif,
            before_post=before_post,
            order_type=OrderType.LIMIT,
        )

    def switch_post_only(self) -> Ticket:
        """Make the order post-only, or give it back the time in force that it had before."""
        if self.tif is not TimeInForce.GTX:
            before_post = self.tif, self.tif_chosen
            return msgspec.structs.replace(self, tif=TimeInForce.GTX, tif_chosen=True, before_post=before_post)
        tif, is_chosen = self.before_post
        return msgspec.structs.replace(self, tif=tif, tif_chosen=is_chosen)

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
        """Build the command that places a new order, with the figures of the preview."""
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
        """Time and best price at which the ticket's proposal was shown; None for the trader's own order."""
        shown = self.proposal
        if shown is None or shown.left:
            return None
        return ShownTerms(at=shown.at, touch="" if shown.touch is None else plain(shown.touch))

    def quote_amount(self) -> str:
        """Return the amount in quote units that a spot or margin market buy sends in place of a quantity; else empty."""
        parts, (quote, quantity) = try_parse(self.sym), self.spends
        by_quote = parts is not None and not parts.is_perp and self.at_market and self.side is Side.BUY
        return quote if by_quote and quantity == self.qty else ""

    def find_unrounded(self) -> Decimal | None:
        """Return the size before rounding down to the lot; None if nothing was rounded, or an amount is sent."""
        size, quantity = self.unrounded
        return size if quantity == self.qty and not self.quote_amount() else None

    def with_rules(self, info: SymbolInfo | None) -> Ticket:
        """Return the ticket with new trading rules of its pair."""
        return msgspec.structs.replace(self, info=info)

    def follow_order(self, order: OrderRow) -> Ticket:
        """Return the replace ticket with the order's present state; a typed remaining quantity is kept after new fills."""
        try:
            rest = parse_typed(self.rest) if self.rest else None
        except BadDecimal:
            rest = None
        executed = number_format.value(order.filled)
        if rest is None or executed is None:
            return msgspec.structs.replace(self, order=order)
        return msgspec.structs.replace(self, order=order, qty=plain(executed + rest))

    def replacement(self, decision: Decision, quote: QuoteRow | None, confirmed: frozenset[str]) -> Replace:
        """Build the command that replaces an order; it always has price and total quantity."""
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
