"""Ticket: the order a trader is preparing. Pure functions: numbers in, texts and intents out."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from enum import StrEnum

import msgspec

from tui.engine.intents import Decision, PaintedPrice, Place, Replace
from tui.engine.rows import OrderRow, QuoteRow
from tui.interface.decimals import BadDecimal, normalize_typed, optional, parse_typed, plain, positive
from tui.interface.families.market import SymbolInfo
from tui.interface.families.orders import OrderType, PositionSide, Side, TimeInForce
from tui.interface.symbols import try_parse
from tui.rules import bands, rounding, sizes, units
from tui.workstation.model import number_format
from tui.workstation.model.instruments import in_contracts
from tui.workstation.tickets.order import protection
from tui.workstation.tickets.order.proposal import ShownProposal
from tui.workstation.tickets.order.protection import BadProtection, NeedsStop, ProtectionResult


class PositionEffect(StrEnum):
    """Purpose of an order: open or close a long or short position, or just buy or sell."""

    OPEN_LONG = "open long"
    CLOSE_LONG = "close long"
    OPEN_SHORT = "open short"
    CLOSE_SHORT = "close short"
    BUY = "buy"
    SELL = "sell"


_WIRE = {
    PositionEffect.OPEN_LONG: (Side.BUY, PositionSide.LONG),
    PositionEffect.CLOSE_LONG: (Side.SELL, PositionSide.LONG),
    PositionEffect.OPEN_SHORT: (Side.SELL, PositionSide.SHORT),
    PositionEffect.CLOSE_SHORT: (Side.BUY, PositionSide.SHORT),
    PositionEffect.BUY: (Side.BUY, PositionSide.NONE),
    PositionEffect.SELL: (Side.SELL, PositionSide.NONE),
}
UNSIDED = "buy/sell?"
"""Text in place of the intent until a side is chosen."""
CLOSING = frozenset([PositionEffect.CLOSE_LONG, PositionEffect.CLOSE_SHORT])

_PARTS_OF_FIELD = {
    "size": ("qty", "rest", "share", "spends", "closes_exactly"),
    "price": ("price_mode", "price", "painted"),
    "tp": ("profit",),
    "sl": ("stop",),
}
"""Struct fields of the ticket that each text field stands for."""


class PriceMode(StrEnum):
    """Source of the limit price: typed, or a helper that follows the best price."""

    TYPED = "typed"
    JOIN = "join"
    IMPROVE = "improve"
    MID = "mid"
    TAKE = "take"


class Problem(msgspec.Struct, frozen=True):
    """Reason why a field is invalid."""

    field: str
    """`size`, `price`, or empty for the whole ticket."""
    text: str


class Ticket(msgspec.Struct, frozen=True, kw_only=True):
    """Order in preparation, for a fixed symbol and portfolio; a replace also has its order."""

    sym: str
    info: SymbolInfo | None
    hedge: bool
    """Whether the account holds a long and a short leg per pair."""
    effect: PositionEffect
    order_type: OrderType = OrderType.LIMIT
    tif: TimeInForce = TimeInForce.GTX
    tif_chosen: bool = False
    """Whether the trader chose the time in force; then a price helper changes it only if post-only excludes it."""
    reduce_only: bool = False
    price_mode: PriceMode = PriceMode.JOIN
    price: str = ""
    """Typed price; used only if `price_mode` is TYPED."""
    qty: str = ""
    stop: str = ""
    """Stop-loss as typed: a trigger price or an offset from the entry; empty: none."""
    profit: str = ""
    """Take-profit as typed."""
    order: OrderRow | None = None
    """Resting order to replace, then `qty` is the new TOTAL; None: a new order."""
    rest: str = ""
    """Remaining quantity of a replace as typed; the total follows fills until it is sent."""
    share: tuple[str, str] = ("", "")
    """Description of a size typed as a share, and its quantity; shown while that is still the size."""
    preset: str = ""
    """Quantity of the pair's preset; shown as such while it is still the size."""
    sided: bool = True
    """Whether the trader chose the side; until then nothing is computed or sent."""
    spends: tuple[str, str] = ("", "")
    """Size typed in quote units, and its quantity; a market buy sends the former while the latter is still the size."""
    painted: PaintedPrice | None = None
    """What a ladder or chart showed where it was staged; the price then follows nothing. Only the trader's own change of
    price or type in the ticket ends it: the gate refuses every other difference."""
    closes_exactly: bool = False
    """Whether it closes a whole position; the size is then the position's own text."""
    dry: bool = False
    """Whether a command line only shows it; it is never sent."""
    proposal: ShownProposal | None = None
    """Proposal of a program that it was made from."""

    # Terms

    @property
    def proposed(self) -> str:
        """Number of the proposal under which it is sent; empty for an order of the trader's own."""
        return self.proposal.number if self.proposal is not None and not self.proposal.left else ""

    @property
    def side(self) -> Side:
        return _WIRE[self.effect][0]

    @property
    def at_market(self) -> bool:
        """Whether this is a market order."""
        return self.order_type is OrderType.MARKET

    @property
    def post_only(self) -> bool:
        """Whether it is a limit order that must not take."""
        return self.tif is TimeInForce.GTX and not self.at_market

    @property
    def position_side(self) -> PositionSide:
        return _WIRE[self.effect][1]

    @property
    def closes(self) -> bool:
        """Whether the order can only reduce a position."""
        return self.effect in CLOSING or self.reduce_only

    @property
    def base(self) -> str:
        parts = try_parse(self.sym)
        return parts.base if parts is not None else "base"

    @property
    def quote_coin(self) -> str:
        parts = try_parse(self.sym)
        return parts.quote if parts is not None else "quote"

    @property
    def unit(self) -> str:
        return "ct" if in_contracts(self.sym) else self.base

    @property
    def tick(self) -> Decimal | None:
        return positive(self.info.tick_size) if self.info is not None else None

    @property
    def lot(self) -> Decimal | None:
        return positive(self.info.lot_size) if self.info is not None else None

    @property
    def contract(self) -> Decimal:
        """Base units per unit of quantity."""
        size = positive(self.info.contract_size) if self.info is not None and in_contracts(self.sym) else None
        return size if size is not None else Decimal(1)

    # Price

    def touch(self, quote: QuoteRow | None, own: bool = True) -> Decimal | None:
        """Return the best price of the own or the opposite side; None if that side is empty."""
        if quote is None:
            return None
        return positive(quote.bid if (self.side is Side.BUY) == own else quote.ask)

    def limit(self, quote: QuoteRow | None) -> Decimal | None:
        """Return the current limit price; None if unknown."""
        if self.at_market:
            return None
        if self.price_mode is PriceMode.TYPED:
            try:
                return parse_typed(self.price)
            except BadDecimal:
                return None
        own, other, tick = self.touch(quote), self.touch(quote, False), self.tick
        if self.price_mode is PriceMode.JOIN:
            return own
        if self.price_mode is PriceMode.TAKE:
            return other
        if own is None or tick is None:
            return None
        if self.price_mode is PriceMode.IMPROVE:
            inside = own + tick * self.side.sign
            crosses = other is not None and (inside - other) * self.side.sign >= 0
            return own if crosses else inside
        return None if other is None else rounding.round_limit_price((own + other) / 2, tick, self.side)

    def limit_text(self, quote: QuoteRow | None) -> str:
        """Return the limit price as sent, with the decimals of the tick; a typed price is not rounded."""
        if self.price_mode is PriceMode.TYPED:
            try:
                return normalize_typed(self.price)
            except BadDecimal:
                return self.price
        price = self.limit(quote)
        return "" if price is None else number_format.field_text(price, self.tick)

    def opposite_size(self, quote: QuoteRow | None) -> Decimal | None:
        """Return the size at the opposite best price, in quantity units."""
        return None if quote is None else positive(quote.ask_qty if self.side is Side.BUY else quote.bid_qty)

    def takes(self, quote: QuoteRow | None, priced: QuoteRow | None = None) -> bool | None:
        """Return whether the order would execute at once; None if unknown.

        Args:
            quote: Quote of the market.
            priced: Quote that the price follows, where it is another one.
        """
        if self.at_market:
            return True
        price, other = self.limit(priced or quote), self.touch(quote, False)
        if price is None or other is None:
            return None
        return price >= other if self.side is Side.BUY else price <= other

    # Size

    def size(self) -> Decimal | None:
        try:
            return parse_typed(self.qty)
        except BadDecimal:
            return None

    def base_size(self) -> Decimal | None:
        size = self.size()
        return None if size is None else units.base(size, self.contract)

    def reference(self, quote: QuoteRow | None) -> Decimal | None:
        """Return the price used to value the order: its limit, else the opposite best price or the mark price."""
        price = self.limit(quote)
        if price is None:
            price = self.touch(quote, False) or (positive(quote.mark) if quote is not None else None)
        return price

    def entry(self, quote: QuoteRow | None) -> Decimal | None:
        """Return the price at which it would fill: its limit, or the opposite best price that a taking order gets first."""
        other = self.touch(quote, False)
        return other if other is not None and self.takes(quote) else self.reference(quote)

    def notional(self, quote: QuoteRow | None) -> Decimal | None:
        size, price = self.size(), self.reference(quote)
        return None if size is None or price is None else units.notional(size, self.contract, price)

    def limit_value(self, quote: QuoteRow | None) -> Decimal | None:
        """Return the value that counts against the limits, at market at the worst; None if it only closes: none counts."""
        if self.closes:
            return None
        size, price = self.size(), self.limit(quote)
        if self.at_market:
            touch = self.touch(quote, False) or self.touch(quote)
            price = bands.market_price(self.side, touch, positive(quote.mark) if quote is not None else None)
        return None if size is None or price is None else units.notional(size, self.contract, price)

    def remaining_text(self) -> str:
        """Format the quantity that remains open after the replace; empty while unknown."""
        total, executed = self.size(), number_format.value(self.order.filled) if self.order is not None else None
        return "" if total is None or executed is None else number_format.field_text(total - executed, self.lot)

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

    # Protection

    def protections(
        self, quote: QuoteRow | None
    ) -> tuple[protection.ParsedTrigger | None, protection.ParsedTrigger | None]:
        """Parse stop-loss and take-profit.

        Raises:
            BadProtection: One of them is invalid; the text begins with its name.
        """
        entry = self.entry(quote)
        try:
            stop = protection.stop_loss(self.stop, entry, self.side, self.tick)
        except BadProtection as error:
            raise BadProtection(f"sl: {error}") from None
        try:
            trigger = stop.trigger if stop is not None else None
            return stop, protection.take_profit(self.profit, entry, self.side, self.tick, trigger)
        except NeedsStop as error:
            raise NeedsStop(f"sl: tp {self.profit.strip()} needs the stop first; {error}") from None
        except BadProtection as error:
            raise BadProtection(f"tp: {error}") from None

    def protection_result(self, quote: QuoteRow | None) -> ProtectionResult | None:
        """Compute loss and gain at the protections; None without protections, or while they are invalid."""
        entry, base = self.entry(quote), self.base_size()
        try:
            stop, profit = self.protections(quote)
        except BadProtection:
            return None
        if entry is None or base is None or (stop is None and profit is None):
            return None
        return protection.protection_result(entry, base, self.side, stop, profit)

    # Checks

    def problems(self, quote: QuoteRow | None) -> list[Problem]:
        """List all reasons why the ticket cannot be sent, each with field, value and what is accepted."""
        problems = self.rule_problems(quote)
        if self.order is not None and not problems:
            same_price = self.limit(quote) == number_format.value(self.order.price)
            if same_price and self.size() == number_format.value(self.order.qty):
                problems.append(Problem("", "nothing changed: same price and same total"))
        return problems

    def rule_problems(self, quote: QuoteRow | None) -> list[Problem]:
        """List what the side, the fields and the rules of the pair forbid."""
        if not self.sided:
            return [Problem("intent", "no side yet: b buys, s sells")]
        problems = [*self._size_problems(quote)]
        if not self.at_market:
            problems += self._price_problems(quote)
        problems += self._protection_problems(quote)
        if self.info is None:
            problems.append(Problem("", f"the rules of {self.sym} are not known yet"))
        return problems

    def guess_typed_price(self, quote: QuoteRow | None) -> str:
        """Return the remark that the size is probably a price typed into the wrong field; empty if it is not."""
        size, price = self.size(), self.reference(quote)
        if size is None or price is None or self.closes_exactly or not sizes.is_near_price(size, price):
            return ""
        return f"the size {plain(size)} looks like a price; the size is in {self.unit}"

    def _size_problems(self, quote: QuoteRow | None) -> list[Problem]:
        """List why the size is refused, first of all that it is probably a price."""
        problems = self._check_size(quote)
        meant = self.guess_typed_price(quote) if problems else ""
        return [Problem("size", f"{meant} ({problem.text})") for problem in problems] if meant else problems

    def _check_size(self, quote: QuoteRow | None) -> list[Problem]:
        try:
            size = parse_typed(self.qty)
        except BadDecimal as error:
            return [Problem("size", f"size: {error}")]
        if not size:
            return [Problem("size", "Size must be more than 0")]
        info, lot = self.info, self.lot
        if info is None or self.closes_exactly:
            return []
        start = optional(smallest_size(self.sym, info, self.reference(quote)))
        from_here = f"; at least {plain(start)} {self.unit}" if start and size < start and not self.closes else ""
        if off := rounding.check_step("Size", size, lot):
            return [Problem("size", off + from_here)]
        least = positive(info.min_size)
        if least is not None and size < least:
            return [Problem("size", f"Size must be at least {self.in_units(least, quote)}")]
        most = positive(info.max_market_size if self.at_market else info.max_limit_size)
        if most is not None and size > most:
            return [Problem("size", f"Size must be at most {plain(most)} {self.unit}")]
        minimum, notional = positive(info.min_notional), self.notional(quote)
        if minimum is None or notional is None:
            return []
        if not bands.meets_min_notional(notional, minimum, closes=self.closes):
            coin = self.quote_coin
            text = f"Size must be worth at least {plain(minimum)} {coin} (it is worth {plain(notional)}){from_here}"
            return [Problem("size", text)]
        return []

    def _price_problems(self, quote: QuoteRow | None) -> list[Problem]:
        if self.price_mode is not PriceMode.TYPED:
            if self.limit(quote) is None:
                side = "a bid" if (self.side is Side.BUY) != (self.price_mode is PriceMode.TAKE) else "an ask"
                text = f"price: {self.price_mode.value} needs {side}, and there is none; type a price"
                return [Problem("price", text)]
            return []
        try:
            price = parse_typed(self.price)
        except BadDecimal as error:
            return [Problem("price", f"price: {error}")]
        if not price:
            return [Problem("price", "Price must be more than 0")]
        off = rounding.check_step("Price", price, self.tick)
        return [Problem("price", off)] if off else []

    def _protection_problems(self, quote: QuoteRow | None) -> list[Problem]:
        try:
            self.protections(quote)
        except BadProtection as error:
            return [Problem("sl" if str(error).startswith("sl") else "tp", str(error))]
        if (self.stop or self.profit) and self.closes:
            return [Problem("sl" if self.stop else "tp", "tp/sl: an order that closes needs no protection; clear them")]
        return []

    def in_units(self, size: Decimal, quote: QuoteRow | None) -> str:
        """Format a quantity in contracts, base units and quote units."""
        base, price = units.base(size, self.contract), self.reference(quote)
        parts = [f"{plain(size)} {self.unit}"]
        if self.unit == "ct":
            parts.append(f"{plain(base)} {self.base}")
        if price is not None:
            parts.append(f"{number_format.decimal_figure(base * price, 2)} {self.quote_coin}")
        return " = ".join(parts)

    # Content a press sends

    @property
    def is_preset(self) -> bool:
        """Whether the size is the pair's preset."""
        return bool(self.preset) and self.qty == self.preset

    @property
    def chosen(self) -> tuple[object, ...]:
        """Everything the trader chose, except a price that follows the market."""
        return (
            self.sym, self.sided, self.effect, self.order_type, self.tif, self.reduce_only, self.price_mode, self.price,
            self.qty, self.stop, self.profit, self.rest, self.order.key if self.order is not None else "",
        )  # fmt: skip

    # Changes

    def note_change(self, before: Ticket | None) -> Ticket:
        """Return the ticket as the trader changed it: no longer what a program proposed, if it differs from that."""
        shown = self.proposal
        if shown is None or shown.left or before is None or before.chosen == self.chosen:
            return self
        return msgspec.structs.replace(self, proposal=msgspec.structs.replace(shown, left=True))

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
        return self.with_price(number_format.field_text(price, self.tick))

    def with_price(self, text: str) -> Ticket:
        """Set the price that the trader chose in the ticket, in place of one that a ladder or chart showed."""
        return msgspec.structs.replace(self, price_mode=PriceMode.TYPED, price=text, painted=None)

    def with_type(self, order_type: OrderType) -> Ticket:
        """Set the type; a market order has no price that a ladder or chart could have shown."""
        painted = None if order_type is OrderType.MARKET else self.painted
        return msgspec.structs.replace(self, order_type=order_type, painted=painted)

    def step_size(self, lots: int) -> Ticket:
        """Step the size by lots, down to one lot at least."""
        size, lot = self.size(), self.lot
        if lot is None:
            return self
        moved = max(lot, rounding.quantity(size or Decimal(0), lot) + lot * lots)
        return msgspec.structs.replace(self, qty=plain(moved), rest="", closes_exactly=False)

    def scale_size(self, up: bool) -> Ticket:
        """Double or halve the size, rounded down to the lot size."""
        size, lot = self.size(), self.lot
        if size is None or lot is None:
            return self
        moved = rounding.quantity(size * 2 if up else size / 2, lot)
        return self if moved <= 0 else msgspec.structs.replace(self, qty=plain(moved), closes_exactly=False)

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
        )

    def quote_amount(self) -> str:
        """Return the quote amount that a spot or margin market buy is sent with; empty if it is sent with a quantity."""
        parts, (quote, quantity) = try_parse(self.sym), self.spends
        by_quote = parts is not None and not parts.is_perp and self.at_market and self.side is Side.BUY
        return quote if by_quote and quantity == self.qty else ""

    def find_rounded_amount(self) -> Decimal | None:
        """Return the amount that was typed in quote units where its size, rounded to the lot, is what is sent."""
        quote, quantity = self.spends
        return Decimal(quote) if quote and quantity == self.qty and not self.quote_amount() else None

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
        )


def smallest_size(sym: str, info: SymbolInfo | None, price: Decimal | None) -> str:
    """Return the smallest valid quantity, with which a ticket starts."""
    if info is None:
        return ""
    lot = positive(info.lot_size)
    if lot is None:
        return ""
    size = max(lot, positive(info.min_size) or lot)
    contract = (positive(info.contract_size) or Decimal(1)) if in_contracts(sym) else Decimal(1)
    notional = positive(info.min_notional)
    if notional is not None and price is not None and price > 0:
        size = max(size, notional / (price * contract))
    return plain(rounding.ceil_to(size, lot))
