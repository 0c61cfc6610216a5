"""Terms of an order in preparation, and what follows from them in numbers. Pure functions."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from typing import Self

import msgspec

from tui.engine.rows import OrderRow, QuoteRow
from tui.interface.decimals import BadDecimal, normalize_typed, parse_typed, plain, positive
from tui.interface.families.market import SymbolInfo
from tui.interface.families.orders import OrderType, PositionSide, Side, TimeInForce
from tui.interface.symbols import try_parse
from tui.rules import bands, rounding, units
from tui.workstation.model import number_format
from tui.workstation.model.instruments import in_contracts
from tui.workstation.tickets.order import protection
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
WHOLE = Decimal(100)
"""Percentage of a position that is all of it."""
CLOSING = frozenset([PositionEffect.CLOSE_LONG, PositionEffect.CLOSE_SHORT])
ENDS_AT_ONCE = frozenset([TimeInForce.IOC, TimeInForce.FOK])
"""Times in force under which an order never rests."""


class PriceMode(StrEnum):
    """Source of the limit price: typed, or a helper that follows the best price."""

    TYPED = "typed"
    JOIN = "join"
    IMPROVE = "improve"
    MID = "mid"
    TAKE = "take"


class OrderTerms(msgspec.Struct, frozen=True, kw_only=True):
    """Terms of an order for one symbol: side, size, price, time in force; for a replace also the order to replace."""

    sym: str
    info: SymbolInfo | None
    hedge: bool
    """Whether the account holds a long and a short leg per pair."""
    effect: PositionEffect
    order_type: OrderType = OrderType.LIMIT
    tif: TimeInForce = TimeInForce.GTX
    reduce_only: bool = False
    price_mode: PriceMode = PriceMode.JOIN
    price: str = ""
    """Typed price; used only if `price_mode` is TYPED."""
    qty: str = ""
    part: Decimal | None = None
    """Percentage of its position that the size is, which follows the position; None: another size was chosen."""
    stop: str = ""
    """Stop-loss as typed: a trigger price or an offset from the entry; empty: none."""
    profit: str = ""
    """Take-profit as typed."""
    order: OrderRow | None = None
    """Resting order to replace, then `qty` is the new TOTAL; None: a new order."""
    sided: bool = True
    """Whether the trader chose the side; until then nothing is computed or sent."""

    # Terms

    @property
    def priced_as(self) -> tuple[object, ...]:
        """Terms that the key which opens a ticket decides: pair, purpose, type, price, time in force; not the size."""
        key = self.order.key if self.order is not None else ""
        return (self.sym, self.effect, self.order_type, self.tif, self.reduce_only, self.price_mode, self.price, key)

    @property
    def side(self) -> Side:
        return _WIRE[self.effect][0]

    @property
    def at_market(self) -> bool:
        """Whether this is a market order."""
        return self.order_type is OrderType.MARKET

    @property
    def post_only(self) -> bool:
        """Whether the order is a limit order that must not take liquidity."""
        return self.tif is TimeInForce.GTX and not self.at_market

    @property
    def position_side(self) -> PositionSide:
        """Position side that is sent with the order; NONE in one-way mode."""
        return _WIRE[self.effect][1]

    @property
    def closes(self) -> bool:
        """Whether the order can only reduce a position."""
        return self.effect in CLOSING or self.reduce_only

    @property
    def closes_part(self) -> bool:
        """Whether the order closes a percentage of its position, which may be the whole."""
        return self.part is not None and self.closes

    @property
    def closes_whole_position_at_market(self) -> bool:
        """Whether it closes a whole position at market; its size is then the service's text of that size, not rounded."""
        return self.part == WHOLE and self.at_market

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
        """Unit of the quantity: `ct`, or the base coin."""
        return "ct" if in_contracts(self.sym) else self.base

    @property
    def tick(self) -> Decimal | None:
        return positive(self.info.tick_size) if self.info is not None else None

    @property
    def lot(self) -> Decimal | None:
        """Step of the quantity, in `unit`; None while the rules of the pair are unknown."""
        return positive(self.info.lot_size) if self.info is not None else None

    @property
    def contract(self) -> Decimal:
        """Base units in one unit of the quantity: the contract size, or 1."""
        size = positive(self.info.contract_size) if self.info is not None and in_contracts(self.sym) else None
        return size if size is not None else Decimal(1)

    # Price

    def touch(self, quote: QuoteRow | None, *, own: bool = True) -> Decimal | None:
        """Return the best price of the order's own side or of the opposite side; None if that side is empty."""
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
        own, other, tick = self.touch(quote), self.touch(quote, own=False), self.tick
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
        """Return whether the order would take liquidity at once; None if unknown.

        Args:
            quote: Quote of the market.
            priced: Quote that the price follows, where it is another one.
        """
        if self.at_market:
            return True
        price, other = self.limit(priced or quote), self.touch(quote, own=False)
        if price is None or other is None:
            return None
        return price >= other if self.side is Side.BUY else price <= other

    def is_refused_for_taking(self, quote: QuoteRow | None) -> bool:
        """Return whether the order is post-only and would take, so that the venue refuses it."""
        return self.post_only and bool(self.takes(quote))

    # Size

    def size(self) -> Decimal | None:
        """Return the quantity as a number, in `unit`; None while the text is no number."""
        try:
            return parse_typed(self.qty)
        except BadDecimal:
            return None

    def base_size(self) -> Decimal | None:
        """Return the quantity in base units; None while it is no number."""
        size = self.size()
        return None if size is None else units.base(size, self.contract)

    def reference(self, quote: QuoteRow | None) -> Decimal | None:
        """Return the price at which the order is valued: the limit, else the opposite best price, else the mark price."""
        price = self.limit(quote)
        if price is None:
            price = self.touch(quote, own=False) or (positive(quote.mark) if quote is not None else None)
        return price

    def entry(self, quote: QuoteRow | None) -> Decimal | None:
        """Return the expected fill price: the opposite best price if the order takes, else the price by `reference`."""
        other = self.touch(quote, own=False)
        return other if other is not None and self.takes(quote) else self.reference(quote)

    def notional(self, quote: QuoteRow | None) -> Decimal | None:
        size, price = self.size(), self._find_value_price(quote)
        return None if size is None or price is None else units.notional(size, self.contract, price)

    def _find_value_price(self, quote: QuoteRow | None) -> Decimal | None:
        """Return the price at which the order is valued; None while a typed price cannot be parsed."""
        is_typed = not self.at_market and self.price_mode is PriceMode.TYPED
        return self.limit(quote) if is_typed else self.reference(quote)

    def limit_value(self, quote: QuoteRow | None) -> Decimal | None:
        """Return the value that counts against the order limits; None for a close-only order, or if unknown."""
        size, price = self.size(), self.value_price(quote)
        if self.closes or size is None or price is None:
            return None
        return units.notional(size, self.contract, price)

    def value_price(self, quote: QuoteRow | None) -> Decimal | None:
        """Return the price at which the order counts against the limits: the limit, or a worst case at market."""
        if not self.at_market:
            return self.limit(quote)
        touch = self.touch(quote, own=False) or self.touch(quote)
        return bands.market_price(self.side, touch, positive(quote.mark) if quote is not None else None)

    def in_units(self, size: Decimal, quote: QuoteRow | None) -> str:
        """Format a quantity in contracts (if used), base units and quote units, joined by `=`."""
        base, price = units.base(size, self.contract), self._find_value_price(quote)
        parts = [f"{plain(size)} {self.unit}"]
        if self.unit == "ct":
            parts.append(f"{plain(base)} {self.base}")
        if price is not None:
            parts.append(f"{number_format.decimal_figure(base * price, 2)} {self.quote_coin}")
        return " = ".join(parts)

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
            raise error.in_field("sl") from None
        try:
            trigger = stop.trigger if stop is not None else None
            return stop, protection.take_profit(self.profit, entry, self.side, self.tick, trigger)
        except NeedsStop as error:
            raise NeedsStop(f"tp {self.profit.strip()} needs the stop first; {error}").in_field("sl") from None
        except BadProtection as error:
            raise error.in_field("tp") from None

    def explain_exits(self, quote: QuoteRow | None) -> str:
        """Return why stop or target cannot be sent at a quote, as it would trigger at once; empty if they can."""
        try:
            self.protections(quote)
        except BadProtection as error:
            return str(error)
        return ""

    def fix_exits(self, quote: QuoteRow | None) -> Self:
        """Return the order with stop and target as the prices that their offsets give at a quote; unchanged if invalid."""
        try:
            stop, profit = self.protections(quote)
        except BadProtection:
            return self
        texts = {name: exits.typed for name, exits in (("stop", stop), ("profit", profit)) if exits and exits.unit}
        return msgspec.structs.replace(self, **texts)

    def protection_result(self, quote: QuoteRow | None) -> ProtectionResult | None:
        """Compute loss and gain at stop and target; None without them, or while a field is invalid."""
        entry, base = self.entry(quote), self.base_size()
        try:
            stop, profit = self.protections(quote)
        except BadProtection:
            return None
        if entry is None or base is None or (stop is None and profit is None):
            return None
        return protection.protection_result(entry, base, self.side, stop, profit)
