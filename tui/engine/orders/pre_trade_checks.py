"""Pre-trade checks: pure functions that return why an order is refused, in a sentence the trader can act on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import NamedTuple

import msgspec

from tui.engine.intents import LEAST_STOOD_MS, Cancel, CancelAll, Intent, Outcome, PaintedPrice, Place, Replace, Verdict
from tui.engine.limits import Limits
from tui.engine.modes import RiskMode
from tui.engine.rows import Fact, OrderRow, QuoteRow
from tui.engine.state.closing_orders import order_only_closes
from tui.interface import decimals
from tui.interface.decimals import ZERO, BadDecimal, plain, positive
from tui.interface.families.assets import AssetRecord
from tui.interface.families.market import SymbolInfo, SymbolState
from tui.interface.families.orders import OrderType, PositionSide, Side
from tui.interface.families.positions import PositionMode
from tui.interface.symbols import Symbol, pair_name, try_parse, unit_of
from tui.rules import bands, rounding, units

MOST_OVER_SIZE = Decimal("1.1")
"""Highest ratio of the amount that an order spends to the worth of its size."""


class Refusal(msgspec.Struct, frozen=True):
    """Refusal of an intent, or a question that the trader must confirm first."""

    guard: str
    text: str
    ask: bool = False
    """Whether the trader can confirm it with `y`."""
    to_program: str = ""
    """What a program is told, which can confirm nothing; empty: the same text."""
    retry_after: float | None = None
    """Time after which the reason has passed by itself, s; None: it does not."""
    term: str = ""
    """Term of a mandate that refuses, as programs know it, such as `order_value`; empty: none."""

    def outcome(self, key: str = "") -> Outcome:
        """Return the refusal as the outcome of an intent; `key` is the row key of the order, if any."""
        verdict = Verdict.ASK if self.ask else Verdict.DENIED
        return Outcome(
            verdict=verdict, key=key, guard=self.guard, text=self.text, retry_after=self.retry_after, term=self.term
        )


class Figures(msgspec.Struct, frozen=True):
    """Parsed numbers of an order."""

    qty: Decimal
    price: Decimal | None
    """None for a market order."""
    value: Decimal | None
    """Notional in quote; None without any price."""
    contract: Decimal
    """Base units of one unit of quantity."""


class Touch(msgspec.Struct, frozen=True):
    """Best bid, best ask and mark price for checking an order; None where unknown."""

    bid: Decimal | None
    ask: Decimal | None
    mark: Decimal | None

    def across(self, side: str) -> Decimal | None:
        """Return the best price at which an order of this side would trade: ask for a buy, bid for a sell."""
        return self.ask if side == Side.BUY else self.bid

    def reference(self, side: Side) -> Decimal | None:
        """Return the best price of the opposite side, else of the own side, else the mark price."""
        first, second = (self.ask, self.bid) if side is Side.BUY else (self.bid, self.ask)
        return first or second or self.mark


class PairTerms(msgspec.Struct, frozen=True):
    """Parsed numbers of a pair's trading rules; None where the service sends no positive number."""

    tick: Decimal | None
    lot: Decimal | None
    least_size: Decimal | None
    most_in_limit: Decimal | None
    most_at_market: Decimal | None
    least_value: Decimal | None
    """In quote."""
    contract: Decimal | None
    """Base units of one unit of quantity."""

    @classmethod
    def of(cls, info: SymbolInfo) -> PairTerms:
        """Parse the numbers of a symbol record."""
        return cls(
            tick=positive(info.tick_size),
            lot=positive(info.lot_size),
            least_size=positive(info.min_size),
            most_in_limit=positive(info.max_limit_size),
            most_at_market=positive(info.max_market_size),
            least_value=positive(info.min_notional),
            contract=positive(info.contract_size),
        )


class OrderContext(msgspec.Struct, frozen=True):
    """Order with everything its checks need."""

    intent: Place
    figures: Figures
    info: SymbolInfo
    terms: PairTerms
    quote: QuoteRow | None
    touch: Touch
    limits: Limits


def order_context(intent: Place, info: SymbolInfo, quote: QuoteRow | None, limits: Limits) -> OrderContext | Refusal:
    """Parse an order once for all its checks."""
    touch, terms = touch_of(quote), PairTerms.of(info)
    figures = parse_figures(intent, info, terms, touch)
    return figures if isinstance(figures, Refusal) else OrderContext(intent, figures, info, terms, quote, touch, limits)


def check_painted(intent: Place) -> Refusal | None:
    """Check that an order from ladder or chart has the pair, price and side that stood under the cursor."""
    return compare_painted(intent.painted, intent.sym, intent.price, intent.side)


def compare_painted(painted: PaintedPrice | None, sym: str, price: str, side: str) -> Refusal | None:
    """Compare pair, price and side with what ladder or chart showed under the cursor; None if equal or nothing shown."""
    if painted is None:
        return None
    if painted.sym != sym:
        stood = pair_name(painted.sym) or "no pair"
        return Refusal("LADDER", f"the cursor stood in the column of {stood}, the order is for {pair_name(sym)}")
    shown, sent = decimals.optional(painted.price), decimals.optional(price)
    if shown is None or shown != sent or painted.side != side:
        return Refusal("LADDER", f"the screen showed {painted.side} {painted.price}, the order is {side} {price}")
    if painted.stood_ms < LEAST_STOOD_MS:
        return Refusal("LADDER", f"the price stood under the cursor for {painted.stood_ms} ms; look at it first")
    return None


def size_checks(order: OrderContext) -> Iterator[Refusal | None]:
    """Check quantity and value against the trader's limits."""
    yield check_quantity(order.intent, order.figures.qty, order.limits)
    yield check_notional(order)


def check_link(*, connected: bool, synced: bool) -> Refusal | None:
    """Check that the private link is up and that the orders of the account are known."""
    if not connected:
        return Refusal("LINK", "not connected; nothing is queued for later")
    return None if synced else Refusal("LINK", "orders are being read again; wait for SYNCED (cancels work)")


UNTIL_THEN = "until then only closing orders and cancels are taken"


def check_clock(skew_ms: float | None) -> Refusal | None:
    """Check that the clock difference is small enough to log in again if the connection is lost."""
    from tui.client.signer import LOGIN_TOLERANCE_MS, clock_error

    error = clock_error(skew_ms, LOGIN_TOLERANCE_MS)
    return Refusal("CLOCK", f"{error}; {UNTIL_THEN}") if error else None


def check_day_result(limits: Limits, *, is_whole: bool) -> Refusal | None:
    """Check that all fills of the day are known, without which the daily loss limit cannot be checked."""
    if not limits.max_loss or is_whole:
        return None
    text = f"the daily loss limit {limits.max_loss} cannot be judged before all fills since 00:00 UTC are read"
    return Refusal("DAY", f"{text}: wait for them, or for the next day; {UNTIL_THEN}")


def describe_closing(sym: str, position_side: str) -> str:
    """Describe which new orders of a pair a stricter risk mode still accepts, such as reduce-only ones."""
    pair = try_parse(sym)
    if pair is None or not pair.is_perp:
        return "only closing orders of perpetuals are taken"
    which = "reduce-only orders" if position_side == PositionSide.NONE else "orders that close a leg"
    return f"only {which} are taken"


def check_risk_mode(mode: RiskMode, reason: str, taken: str) -> Refusal | None:
    """Check that the risk mode allows intents that can raise risk; `taken` describes what is still accepted."""
    if mode is RiskMode.NORMAL:
        return None
    why = f" ({reason})" if reason else ""
    return Refusal("MODE", f"risk mode is {mode.value}{why}; {taken}")


def check_risk_mode_of_replace(mode: RiskMode, reason: str, *, closes: bool, smaller: bool) -> Refusal | None:
    """Check that the risk mode allows a replace: REDUCING only of a closing order or a smaller one, HALT none."""
    if mode is RiskMode.REDUCING and (closes or smaller):
        return None
    taken = "size cuts" if mode is RiskMode.HALT else "replaces that lower exposure"
    return check_risk_mode(mode, reason, f"only {taken} are taken")


def touch_of(quote: QuoteRow | None) -> Touch:
    """Return best bid, best ask and mark price of a quote; None for each that is missing or 0."""
    if quote is None:
        return Touch(None, None, None)
    return Touch(positive(quote.bid), positive(quote.ask), positive(quote.mark))


def intent_closes(intent: Place) -> bool:
    """Return whether a new order can never open a position."""
    return order_only_closes(intent.sym, intent.side.value, intent.position_side.value, reduce_only=intent.reduce_only)


def works_in_view(intent: Intent) -> bool:
    """Return whether an intent is allowed in VIEW: only cancels and closing orders that belong to a kill are."""
    if isinstance(intent, Cancel | CancelAll):
        return intent.kill
    return isinstance(intent, Place) and intent.kill and intent_closes(intent)


class LegFacts(msgspec.Struct, frozen=True):
    """Position mode and position size that a perpetual order's leg is checked against."""

    exchange: str
    mode: str
    """Position mode of the account row; the venue handles anything but NET and BOTH."""
    held: Decimal | None
    """Size of the leg without sign; None: not readable, or a fill that has just opened it is ahead of the positions."""
    reducible: bool = True
    """Whether the pair has a position on the other side of the order, or may have by such a fill."""


def check_pair(intent: Place, info: SymbolInfo | None, limits: Limits, leg: LegFacts | None) -> Refusal | None:
    """Check the trader's lists, that the pair trades, and the position side; `leg` is None except for perpetuals."""
    refusal = check_listed(intent.sym, limits) or check_symbol(intent.sym, info)
    if refusal is not None:
        return refusal
    return check_position(intent, leg) if leg is not None else check_without_position(intent)


def check_position(intent: Place, leg: LegFacts) -> Refusal | None:
    """Check that the position side fits the position mode, and that a closing order has a position to close."""
    refusal = check_leg(intent, leg)
    if refusal is not None or leg.reducible or not intent.reduce_only or intent.position_side is not PositionSide.NONE:
        return refusal
    return Refusal("LEG_EMPTY", describe_nothing_to_reduce(intent.sym, intent.side))


def describe_changed_position(name: str, before: Decimal, now: Decimal) -> str:
    """Say that a position has ended, turned, or has another size than before; sizes are negative when short."""
    was, leg = ("SHORT" if size < 0 else "LONG" for size in (before, now))
    if not now:
        return f"the position {name} {was} has ended"
    if was != leg:
        return f"the position {name} is {leg} now, it was {was}"
    return f"the position {name} {leg} is {plain_grouped(abs(now))} now, it was {plain_grouped(abs(before))}"


def describe_nothing_to_reduce(sym: str, side: Side) -> str:
    """Say which position a reduce-only order lacks."""
    name = "short" if side is Side.BUY else "long"
    return f"reduce-only {side.value}: {pair_name(sym)} has no {name} position to reduce"


def check_without_position(intent: Place) -> Refusal | None:
    """Refuse reduce-only or a position side on a pair other than a perpetual: the service would ignore them."""
    if intent.reduce_only:
        return Refusal("REDUCE_ONLY", f"{pair_name(intent.sym)} has no position: reduce-only is for perpetuals")
    if intent.position_side is not PositionSide.NONE:
        return Refusal("MODE", f"{pair_name(intent.sym)} has no legs: LONG and SHORT are for perpetuals")
    return None


def check_leg(intent: Place, leg: LegFacts) -> Refusal | None:
    """Check that the position side fits the venue's position mode, and that a closing order has something to close."""
    exchange, mode, held = leg.exchange, leg.mode, leg.held
    side, named = intent.side.value, intent.position_side.value
    one_way = intent.position_side is PositionSide.NONE
    if one_way and mode == PositionMode.BOTH:
        opens, closes = ("LONG", "SHORT") if intent.side is Side.BUY else ("SHORT", "LONG")
        text = f"open {opens.lower()} ({side}+{opens}) or close {closes.lower()} ({side}+{closes})"
        return Refusal("TWO_READINGS", f"{exchange} is in hedge mode; {side} has two readings: {text}; choose one")
    if one_way:
        return None
    if mode == PositionMode.NET:
        return Refusal("MODE", f"{exchange} is in one-way mode; {side}+{named} has no leg there; say buy or sell")
    if not order_only_closes(intent.sym, side, named, reduce_only=False):
        text = f"{side}+{named} opens a leg and cannot be reduce-only; in hedge mode closing is said by the leg"
        return Refusal("REDUCE_ONLY", text) if intent.reduce_only else None
    if held == 0:
        return Refusal("LEG_EMPTY", f"the {named} position is already flat; there is nothing to close")
    return None


def position_mode_text(mode: str) -> str:
    """Describe a position mode."""
    words = {PositionMode.BOTH.value: "hedge mode", PositionMode.NET.value: "one-way mode"}
    return words.get(mode, f"position mode {mode[:20]!r}")


def check_spot_balance(order: OrderContext, pair: Symbol, assets: Mapping[str, Fact[AssetRecord]]) -> Refusal | None:
    """Check that the available balance covers a spot order; passes while no balances are known."""
    figures = order.figures
    if figures.value is None or not assets:
        return None
    coin, need = (pair.quote, figures.value) if order.intent.side is Side.BUY else (pair.base, figures.qty)
    fact = assets.get(f"{pair.exchange}/{coin}")
    free = decimals.optional(fact.record.available) if fact is not None else ZERO
    if free is None or need <= free:
        return None
    return Refusal("BALANCE", f"needs {plain(need)} {coin}; {plain(free)} available on {pair.exchange}")


def check_symbol(sym: str, info: SymbolInfo | None) -> Refusal | None:
    """Check that the pair is known and open for trading."""
    if info is None:
        return Refusal("SYMBOL", f"symbol {sym[:64]!r} is not known here; choose one of the symbol list")
    if info.state not in ("", SymbolState.LIVE):
        return Refusal("SYMBOL", f"symbol {sym} is {info.state}; only live symbols accept orders")
    return None


def parse_number(name: str, text: str) -> Decimal | Refusal:
    """Parse one number of an intent; it must be positive."""
    try:
        value = decimals.parse_request(text)
    except BadDecimal:
        return Refusal("NUMBER", f"{name} {text[:40]!r} is not a number; accepted are digits with at most one dot")
    if value <= 0:
        return Refusal("NUMBER", f"{name} is 0; accepted is a number above 0")
    return value


def check_step(name: str, value: Decimal, step: Decimal | None) -> Refusal | None:
    """Check that a number is a multiple of its step."""
    error = rounding.check_step(name, value, step)
    return Refusal("NUMBER", error) if error else None


def check_size(qty: Decimal, terms: PairTerms, order_type: str) -> Refusal | None:
    """Check a quantity against lot size, minimum and maximum."""
    refusal = check_step("Size", qty, terms.lot)
    if refusal is not None:
        return refusal
    least = terms.least_size
    if least is not None and qty < least:
        return Refusal("NUMBER", f"Size {plain(qty)} is below the minimum; it must be at least {plain(least)}")
    most = terms.most_at_market if order_type == OrderType.MARKET else terms.most_in_limit
    if most is not None and qty > most:
        return Refusal("NUMBER", f"Size {plain(qty)} is above the maximum; it must be at most {plain(most)}")
    return None


def parse_figures(intent: Place, info: SymbolInfo, terms: PairTerms, touch: Touch) -> Figures | Refusal:
    """Parse the numbers of an order and check steps, sizes and minimum value."""
    qty = parse_number("size", intent.qty)
    if isinstance(qty, Refusal):
        return qty
    if terms.contract is None:
        return Refusal(
            "UNIT",
            f"contract size {info.contract_size[:40]!r} of {pair_name(intent.sym)} is no number above 0; not tradable here",
        )
    price = _parse_price(intent, terms)
    if isinstance(price, Refusal):
        return price
    refusal = check_size(qty, terms, intent.order_type)
    if refusal is not None:
        return refusal
    value = notional(qty, price, intent.side, terms.contract, touch)
    if intent.quote_qty:
        spent = _parse_amount(intent, qty, value, terms.lot or ZERO)
        if isinstance(spent, Refusal):
            return spent
        value = spent
    refusal = check_min_notional(value, terms.least_value, closes=intent_closes(intent))
    return refusal or Figures(qty, price, value, terms.contract)


def _parse_price(intent: Place, terms: PairTerms) -> Decimal | Refusal | None:
    """Parse the price of a limit order; None for a market order, which has none."""
    if intent.order_type is OrderType.MARKET and intent.price:
        return Refusal("NUMBER", f"price {intent.price[:40]!r} on a market order; accepted is no price, or type LIMIT")
    if intent.order_type is not OrderType.LIMIT:
        return None
    price = parse_number("price", intent.price)
    if isinstance(price, Refusal):
        return price
    return check_step("Price", price, terms.tick) or price


def _parse_amount(intent: Place, qty: Decimal, value: Decimal | None, lot: Decimal) -> Decimal | Refusal:
    """Parse the quote amount that a market buy spends; refuse one far above the value of the order's size."""
    amount, pair = parse_number("amount", intent.quote_qty), try_parse(intent.sym)
    if isinstance(amount, Refusal):
        return amount
    if intent.order_type is not OrderType.MARKET or intent.side is not Side.BUY or pair is None or pair.is_perp:
        return Refusal("NUMBER", "only a market buy of a spot or margin pair spends an amount; give a size instead")
    # The size was rounded down to the lot, and the price may have moved since.
    if value is not None and amount > value * (qty + lot) / qty * MOST_OVER_SIZE:
        worth = plain(decimals.half_up(value, 2))
        return Refusal("NUMBER", f"amount {plain(amount)} is far above what size {intent.qty} is worth, {worth}")
    return amount


def notional(qty: Decimal, price: Decimal | None, side: Side, contract: Decimal, touch: Touch) -> Decimal | None:
    """Compute an order's value in quote; a market order counts by the higher of best price and mark price, or above."""
    if price is None:
        price = bands.market_price(side, touch.reference(side), touch.mark)
    return None if price is None else units.notional(qty, contract, price)


def check_min_notional(value: Decimal | None, least: Decimal | None, *, closes: bool) -> Refusal | None:
    """Check the order value in quote against the minimum; passes when the price or the minimum is unknown."""
    if least is None or value is None or bands.meets_min_notional(value, least, closes=closes):
        return None
    return Refusal("NUMBER", f"value {plain(value)} is below the minimum {plain(least)}; accepted from {plain(least)}")


def check_notional(order: OrderContext) -> Refusal | None:
    """Check the order value against hard and soft limit; an order that can only close always passes."""
    figures, limits = order.figures, order.limits
    if figures.value is None or intent_closes(order.intent):
        return None
    hard, soft = Decimal(limits.hard_notional), Decimal(limits.soft_notional)
    value = f"{figures.value:,.0f}"
    if figures.price is None and not order.intent.quote_qty:
        above = f"{plain(bands.SWEEP_MARGIN * 100)} % above the market"
        value += f" ({above if order.intent.side is Side.BUY else 'at the market or below'})"
    if figures.value > hard:
        text, most = f"{value} over the {plain_grouped(hard)} limit", largest_size(order)
        return Refusal("NOTIONAL", text + (f"; max {most}" if most else ""))
    if figures.value > soft:
        return Refusal("SOFT_NOTIONAL", f"{value} over the soft limit {plain_grouped(soft)}", ask=True)
    return None


def check_listed(sym: str, limits: Limits) -> Refusal | None:
    """Check the trader's allow list and block list of pairs."""
    if sym in limits.block or (limits.allow and sym not in limits.allow):
        return Refusal("SYMBOL", f"symbol {sym} is not on your list; see allow and block in the limits")
    return None


def check_quantity(intent: Place, qty: Decimal, limits: Limits) -> Refusal | None:
    """Check the trader's maximum order size; an order that can only close always passes."""
    most = decimals.optional(limits.max_qty)
    if most is None or qty <= most or intent_closes(intent):
        return None
    return Refusal("MAX_QTY", f"quantity {plain(qty)} is above your limit {plain(most)}; accepted up to {plain(most)}")


def plain_grouped(value: Decimal) -> str:
    """Format a number with thousands separators."""
    return f"{value.normalize():,f}"


def largest_size(order: OrderContext) -> str:
    """Return the largest size within the hard limit, with its unit; empty when it cannot be computed."""
    figures, lot, hard = order.figures, order.terms.lot, Decimal(order.limits.hard_notional)
    if not figures.value or lot is None:
        return ""
    size = rounding.quantity(hard * figures.qty / figures.value, lot)
    return f"{plain(size)} {unit_of(order.info.sym)}" if size > 0 else ""


class FigureChange(NamedTuple):
    """Difference of the numbers of a replace from those of its order."""

    smaller: bool
    """Whether the quantity is lowered."""
    same_price: bool


def compare_figures(intent: Replace, row: OrderRow) -> FigureChange:
    """Return whether a replace makes its order smaller, and whether it leaves the price as it is."""
    before, after = decimals.optional(row.qty), decimals.optional(intent.qty)
    smaller = before is not None and after is not None and after < before
    return FigureChange(smaller, decimals.optional(intent.price) == decimals.optional(row.price))


def build_replaced_order(intent: Replace, row: OrderRow) -> Place | None:
    """Build the order as it would be after the replace; None when its side is unknown to this program."""
    try:
        side, position_side = Side(row.side), PositionSide(row.position_side)
    except ValueError:
        return None
    return Place(
        decision=intent.decision,
        sym=row.sym,
        side=side,
        order_type=OrderType.LIMIT,
        qty=intent.qty,
        price=intent.price,
        position_side=position_side,
        reduce_only=row.reduce_only,
    )
