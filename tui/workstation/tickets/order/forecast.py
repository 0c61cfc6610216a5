"""Forecast of a ticket's effect on its venue account after a complete fill: fee, position, liquidation price, uniMMR.

Free margin is that once the order is in the book: its resting part has not filled and holds its margin. The paper
venue computes its rows with the same functions. Maker rebates are booked later and count only in the break-even.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

import msgspec

from tui.engine.rows import DepthRow, OrderRow, QuoteRow, Source, Stamp
from tui.interface.decimals import ZERO, plain, positive
from tui.interface.families.orders import OrderState, OrderType, Side, TimeInForce
from tui.interface.symbols import BusinessType, Symbol, parse_symbol, try_parse
from tui.rules import account, bands, fees, pnl, preview, rounding, sizes
from tui.rules.account import Account, AccountCoin, AccountFigures, PositionLeg
from tui.rules.preview import FillPart, FillPreview
from tui.workstation.model import account_snapshot, number_format
from tui.workstation.model.account_snapshot import Missing, Rates
from tui.workstation.model.mirror import Mirror
from tui.workstation.tickets.order.terms import CLOSING, ENDS_AT_ONCE
from tui.workstation.tickets.order.ticket import Ticket

_NEWEST = 2**63 - 1
"""Time of an order that is not sent yet, ms: after all others."""


class Book(NamedTuple):
    """Quote and order book of a pair, and how much of them orders sent earlier take."""

    quote: QuoteRow | None
    depth: DepthRow | None
    """Levels behind the best prices; None: they are not followed."""
    bought: Decimal = ZERO
    """Quantity that orders sent before take from the asks."""
    sold: Decimal = ZERO
    """Quantity that they take from the bids."""

    def count_taken(self, side: Side) -> Decimal:
        """Return the quantity that earlier orders of this side take."""
        return self.bought if side is Side.BUY else self.sold

    def without(self, side: Side, quantity: Decimal) -> Book:
        """Return the book after an order of this side has taken a quantity."""
        if side is Side.BUY:
            return self._replace(bought=self.bought + quantity)
        return self._replace(sold=self.sold + quantity)


class Takes(NamedTuple):
    """Quantity that an order takes from the known levels of a book, and whether this is all that it can take."""

    quantity: Decimal
    is_all: bool
    """Whether there is no more for it: it is filled, or the book is known as far as its price."""


def read_book(sym: str, mirror: Mirror) -> Book:
    """Return the market of a pair as it is now."""
    return Book(mirror.quotes.get(sym), mirror.depth.get(sym))


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """Account figures before and after a complete fill, with average price, fee, liquidation price and margin."""

    average: Decimal
    """Average fill price."""
    depth_known: bool
    """False: it takes more than the known part of the book, so the average is a bound."""
    fee: Decimal
    fee_coin: str
    rebate: Decimal
    """Rebate of resting parts; contained in no other figure."""
    before: AccountFigures
    after: AccountFigures
    free: Decimal
    """Free margin once the order is in the book: its taking part filled, the rest open."""
    leg_before: PositionLeg | None = None
    leg_after: PositionLeg | None = None
    liq_before: Decimal | None = None
    liq_after: Decimal | None = None
    break_even: Decimal | None = None
    """Break-even of the leg after the fill, taker exit included; None while the average is only a bound."""
    is_break_even_assumed: bool = False
    """Whether its fees contain those of closed parts, so that those of opening what is held are assumed."""
    realised: Decimal = ZERO
    borrowed: Decimal = ZERO
    borrowed_coin: str = ""


class _Plan(msgspec.Struct, frozen=True):
    """Expected fills of an order: parts by price, the rebate, and whether the last part rests."""

    parts: list[FillPart]
    depth_known: bool
    rebate: Decimal
    limit: Decimal
    rests: bool
    """Whether the last part rests at the limit."""
    from_book: Decimal
    """Quantity that it takes from the book, the unknown part behind it included."""

    @property
    def taken(self) -> list[FillPart]:
        """Parts of the order that fill immediately."""
        return self.parts[:-1] if self.rests else self.parts

    @property
    def quantity(self) -> Decimal:
        return _count(self.parts)

    @property
    def value(self) -> Decimal:
        """Sum of quantity times price of all parts."""
        return sum((part.quantity * part.price for part in self.parts), ZERO)

    @property
    def average(self) -> Decimal:
        return self.value / self.quantity


class _Rows(NamedTuple):
    """States of the account in which an order fills: now, and after the orders before it."""

    start: Account
    """Account now."""
    whole: Account
    """After the whole fills of the orders before it."""
    taken: Account
    """After those of their parts that execute at once."""
    closes_fill: bool = False
    """Whether resting orders that only close count as filled in the margin, too, as in the position after them."""


class _Fills(NamedTuple):
    """Fills of one order, with the account after them."""

    ticket: Ticket
    plan: _Plan
    rates: Rates
    held: PositionLeg | None
    whole: FillPreview
    """Account once all of it has filled."""
    taken: FillPreview
    """Account once the part that executes at once has filled."""
    fee: Decimal
    is_filled: bool = False
    """Whether the part that would rest counts as filled, too."""

    @property
    def worth(self) -> Decimal | None:
        """Value at the fill prices, in quote units; None if they are not all known, or for a replace."""
        if not self.plan.depth_known or self.ticket.order is not None:
            return None
        return self.plan.value * self.ticket.contract

    @property
    def size(self) -> Decimal:
        """Quantity that fills; for a replace the new total."""
        return self.plan.quantity if self.ticket.order is None else self.ticket.size() or ZERO

    def worth_at(self, quote: QuoteRow | None) -> Decimal:
        """Return the value of the quantity: at the fill prices or, if they are unknown, at the order's or market's price."""
        sized = msgspec.structs.replace(self.ticket, qty=plain(self.size))
        return self.worth if self.worth is not None else sized.notional(quote) or ZERO

    @property
    def resting(self) -> list[OrderRow]:
        """Order row of the part that rests in the book, in a list; empty if nothing rests."""
        if not self.plan.rests or self.is_filled:
            return []
        left = (find_remaining(self.ticket) or ZERO) - _count(self.plan.taken)
        return [_resting_order(self.ticket, self.plan.limit, left)]

    def is_of_leg(self, ticket: Ticket) -> bool:
        """Return whether an order is for the same pair and position side."""
        return (self.ticket.sym, self.ticket.position_side) == (ticket.sym, ticket.position_side)

    @property
    def replaced(self) -> str:
        """Row key of the order that it replaces; empty for a new one."""
        return self.ticket.order.key if self.ticket.order is not None else ""


class _FilledOrders(NamedTuple):
    """Fills of several orders, with the books and the accounts that they leave."""

    fills: list[_Fills]
    books: dict[str, Book]
    rows: _Rows


def forecast(
    ticket: Ticket, quote: QuoteRow | None, mirror: Mirror, behind: Sequence[Ticket] = ()
) -> Forecast | Missing:
    """Compute the forecast of a ticket; `Missing` names an input that is unknown.

    Args:
        ticket: Order.
        quote: Market of its pair.
        mirror: Account and terms.
        behind: Orders on its venue that are filled before it, each with the size that is foreseen to fill.
    """
    parts = try_parse(ticket.sym)
    if parts is None:
        return Missing(f"the rules of {ticket.sym}")
    rates = account_snapshot.rates_of(mirror, ticket.sym)
    if isinstance(rates, Missing):
        return rates
    row = account_snapshot.account_of(mirror, parts.exchange)
    if isinstance(row, Missing):
        return row
    books = {order.sym: read_book(order.sym, mirror) for order in behind}
    books[ticket.sym] = Book(quote, mirror.depth.get(ticket.sym))
    before = _fill_each(behind, books, mirror, _Rows(row, row, row))
    if isinstance(before, Missing):
        return before
    fills = _fill(ticket, before.books[ticket.sym], mirror, rates, before.rows)
    return fills if isinstance(fills, Missing) else _compare(before, fills, row, mirror)


def _compare(before: _FilledOrders, fills: _Fills, row: Account, mirror: Mirror) -> Forecast:
    """Compare the account before and after an order, once the orders before it have filled."""
    ticket, parts = fills.ticket, parse_symbol(fills.ticket.sym)
    gone = [earlier.replaced for earlier in (*before.fills, fills)]
    if before.fills:
        row = account_snapshot.with_orders(before.rows.whole, mirror, parts.exchange, without=gone[:-1])
    plan, filled = fills.plan, fills.whole
    after = account_snapshot.with_orders(filled.account, mirror, parts.exchange, without=gone)
    now, then = account.compute_figures(row), account.compute_figures(after)
    perpetual = parts.is_perp
    # What the orders before it pay for the same position is in no record yet.
    is_told = perpetual and (fills.held is None or not any(earlier.is_of_leg(ticket) for earlier in before.fills))
    even = _break_even(mirror, ticket, fills.held, filled, fills.rates, plan) if is_told else (None, False)
    return Forecast(
        average=plan.average, depth_known=plan.depth_known,
        fee=fills.fee, fee_coin=filled.fee_coin, rebate=plan.rebate,
        before=now, after=then,
        free=_free_margin(fills.taken.account, [*before.fills, fills], mirror, parts.exchange),
        leg_before=fills.held, leg_after=filled.leg,
        liq_before=account.liq_price(row, now, ticket.sym) if perpetual else None,
        liq_after=account.liq_price(after, then, ticket.sym) if perpetual else None,
        break_even=even[0], is_break_even_assumed=even[1],
        realised=filled.realised, borrowed=filled.borrowed, borrowed_coin=filled.borrowed_coin,
    )  # fmt: skip


class JointForecast(msgspec.Struct, frozen=True, kw_only=True):
    """Account figures of one venue before and after all orders that are sent together."""

    fees: dict[str, Decimal]
    """By coin."""
    rebates: dict[str, Decimal]
    """Of resting parts, by coin; contained in no other figure."""
    worth: dict[str, Decimal]
    """Value by quote coin; a part that takes counts at the prices of the book, as far as they are known."""
    before: Decimal
    """Free margin now."""
    free: Decimal
    """Free margin once those that open are in the book and those that close have filled, as the positions say."""
    depth_known: bool
    """False: an order takes more than the known part of the book, so the free margin is a bound."""


def forecast_together(
    tickets: Sequence[Ticket], mirror: Mirror, exchange: str, books: Mapping[str, Book]
) -> JointForecast | Missing:
    """Forecast the account after orders at one venue that are sent together, each filling after those before it.

    They walk through the book of a pair once: an order meets what those before it leave.

    Args:
        tickets: Orders, each with the size that is foreseen to fill.
        mirror: Account and terms.
        exchange: Venue.
        books: Market by pair.
    """
    row = account_snapshot.account_of(mirror, exchange)
    if isinstance(row, Missing):
        return row
    result = _fill_each(tickets, books, mirror, _Rows(row, row, row, closes_fill=True))
    if isinstance(result, Missing):
        return result
    filled, rows = result.fills, result.rows
    fees: dict[str, Decimal] = {}
    rebates: dict[str, Decimal] = {}
    worth: dict[str, Decimal] = dict.fromkeys((ticket.quote_coin for ticket in tickets), ZERO)
    for fills in filled:
        _add(worth, fills.ticket.quote_coin, fills.worth_at(books[fills.ticket.sym].quote))
        if not fills.ticket.is_refused_for_taking(books[fills.ticket.sym].quote):
            _add(fees, fills.whole.fee_coin, fills.fee)
            _add(rebates, fills.whole.fee_coin, fills.plan.rebate)
    return JointForecast(
        fees=fees, rebates=rebates, worth=worth,
        before=account.compute_figures(row).available, free=_free_margin(rows.taken, filled, mirror, exchange),
        depth_known=all(fills.plan.depth_known for fills in filled),
    )  # fmt: skip


def _fill_each(
    tickets: Sequence[Ticket], books: Mapping[str, Book], mirror: Mirror, rows: _Rows
) -> _FilledOrders | Missing:
    """Fill orders one after the other, on the books and accounts that the orders before leave."""
    left, filled = dict(books), list[_Fills]()
    for ticket in tickets:
        if find_remaining(ticket) == ZERO:
            continue
        rates = account_snapshot.rates_of(mirror, ticket.sym)
        fills = rates if isinstance(rates, Missing) else _fill(ticket, left[ticket.sym], mirror, rates, rows)
        if isinstance(fills, Missing):
            return fills
        filled.append(fills)
        left[ticket.sym] = left[ticket.sym].without(ticket.side, fills.plan.from_book)
        rows = rows._replace(whole=fills.whole.account, taken=fills.taken.account)
    return _FilledOrders(filled, left, rows)


def _add(sums: dict[str, Decimal], coin: str, amount: Decimal) -> None:
    sums[coin] = sums.get(coin, ZERO) + amount


def _fill(ticket: Ticket, book: Book, mirror: Mirror, rates: Rates, rows: _Rows) -> _Fills | Missing:
    """Fill an order on the account that the orders before it leave."""
    fill = _fill_perpetual if parse_symbol(ticket.sym).is_perp else _fill_coins
    return fill(ticket, book, mirror, rates, rows)


def _fill_perpetual(ticket: Ticket, book: Book, mirror: Mirror, rates: Rates, rows: _Rows) -> _Fills | Missing:
    whole, taken = rows.whole, rows.taken
    name = ticket.position_side.value
    held = next((leg for leg in whole.legs if leg.terms.sym == ticket.sym and leg.name == name), None)
    same_pair = next((leg for leg in whole.legs if leg.terms.sym == ticket.sym), None)
    terms = same_pair.terms if same_pair is not None else account_snapshot.terms_of(mirror, ticket.sym)
    if isinstance(terms, Missing):
        return terms
    size = _filling_size(ticket, held)
    if isinstance(size, Missing):
        return size
    plan = _plan_fills(ticket, book, rates, size, terms.contract_size, terms.mark)
    if isinstance(plan, Missing):
        return plan
    filled = preview.fill_perpetual(whole, terms, name, ticket.side, plan.parts)
    is_filled = rows.closes_fill and _only_closes(ticket)
    at_once = preview.fill_perpetual(taken, terms, name, ticket.side, plan.parts if is_filled else plan.taken)
    touch_fee = _fee_at_touch(ticket, book, plan, terms.contract_size, rates)
    fee = filled.fee if touch_fee is None else touch_fee
    return _Fills(
        ticket=ticket, plan=plan, rates=rates, held=held, whole=filled, taken=at_once, fee=fee, is_filled=is_filled
    )


def _only_closes(ticket: Ticket) -> bool:
    return ticket.reduce_only or ticket.effect in CLOSING


def _filling_size(ticket: Ticket, held: PositionLeg | None) -> Decimal | Missing | None:
    """Return the size that would fill: the remaining one, for a close-only order at most the position."""
    size = find_remaining(ticket)
    if size and _only_closes(ticket):
        return min(size, _closable(held, ticket.side)) or Missing("a position to reduce")
    return size


def _fill_coins(ticket: Ticket, book: Book, mirror: Mirror, rates: Rates, rows: _Rows) -> _Fills | Missing:
    """Fill a spot or margin order on the account's coins."""
    parts = parse_symbol(ticket.sym)
    plan = _plan_fills(ticket, book, rates, find_remaining(ticket), Decimal(1), None)
    if isinstance(plan, Missing):
        return plan
    start, whole, taken = rows.start, rows.whole, rows.taken
    before, part = (_with_coins(row, mirror, parts, plan.average) for row in (whole, taken))
    if isinstance(before, Missing):
        return before
    if isinstance(part, Missing):
        return part
    paid = parts.quote if ticket.side is Side.BUY else parts.base
    spent = _balance(start, paid) - _balance(whole, paid)
    free = _free_coins(mirror, parts.exchange, paid, ticket) - spent
    borrows = parts.business_type == BusinessType.MARGIN
    filled, at_once = (
        preview.fill_coins(row, parts.base, parts.quote, ticket.side, fills, borrows=borrows, free=free)
        for row, fills in ((before, plan.parts), (part, plan.taken))
    )
    touch_fee = _fee_at_touch(ticket, book, plan, Decimal(1), rates) if ticket.side is Side.SELL else None
    return _Fills(
        ticket=ticket,
        plan=plan,
        rates=rates,
        held=None,
        whole=filled,
        taken=at_once,
        fee=filled.fee if touch_fee is None else touch_fee,
    )


def _balance(row: Account, coin: str) -> Decimal:
    held = row.coin(coin)
    return ZERO if held is None else held.balance


def _free_margin(taken: Account, fills: Sequence[_Fills], mirror: Mirror, exchange: str) -> Decimal:
    """Compute the free margin once the taking parts of all orders are filled and the rest is in the book."""
    row = account_snapshot.with_orders(
        taken,
        mirror,
        exchange,
        without=[filled.replaced for filled in fills],
        adding=[order for filled in fills for order in filled.resting],
    )
    return account.compute_figures(row).available


def _resting_order(ticket: Ticket, limit: Decimal, left: Decimal) -> OrderRow:
    """Build the order row of the part that would rest; a replace reuses its order's row."""
    order = ticket.order
    if order is not None:
        total = left + (number_format.value(order.filled) or ZERO)
        return msgspec.structs.replace(order, price=plain(limit), qty=plain(total))
    return OrderRow(
        key="", client_order_id="", sym=ticket.sym, side=ticket.side.value, position_side=ticket.position_side.value,
        order_type=OrderType.LIMIT.value, price=plain(limit), qty=plain(left), reduce_only=ticket.reduce_only,
        state=OrderState.NEW.value, create_at=_NEWEST, stamp=Stamp("", 0, 0, Source.PUSH, 0.0),
    )  # fmt: skip


def find_remaining(ticket: Ticket) -> Decimal | None:
    """Return the quantity of the order that can still fill: for a replace the total less what has filled."""
    size = ticket.size()
    if size is None or ticket.order is None:
        return size
    return size - (number_format.value(ticket.order.filled) or ZERO)


def _closable(held: PositionLeg | None, side: Side) -> Decimal:
    return abs(held.quantity) if held is not None and held.quantity * side.sign < 0 else ZERO


def _plan_fills(
    ticket: Ticket,
    book: Book,
    rates: Rates,
    size: Decimal | None,
    contract_size: Decimal,
    mark: Decimal | None,
) -> _Plan | Missing:
    """Split the order into expected fills: what is known of the book, the rest at the limit price."""
    if size is None or size <= 0:
        return Missing("a size")
    quote = book.quote
    limit, touch = ticket.limit(quote), ticket.touch(quote, own=False)
    if ticket.order_type is OrderType.MARKET:
        if touch is None:
            return Missing("a best price on the other side of the book")
        limit = bands.worst_market_price(ticket.side, touch, mark)
    if limit is None:
        return Missing("a price")
    parts = _walk_book(ticket, book, size, limit, rates.taker)
    taken = _count(parts)
    rest = size - taken
    through = touch is not None and (ticket.at_market or not _is_known_to(ticket, book, touch, limit))
    rebate = ZERO
    never_rests = ticket.order_type is OrderType.MARKET or ticket.tif in ENDS_AT_ONCE
    if rest:
        rate = rates.taker if through or never_rests else rates.maker
        parts.append(FillPart(rest, limit, rate))
        rebate = fees.split(rest * contract_size * limit, min(rate, ZERO)).rebate
    unknown = rest if through and not _never_takes(ticket) else ZERO
    rests = bool(rest) and not (through or never_rests)
    return _Plan(parts, not unknown, rebate, limit, rests, from_book=taken + unknown)


def _never_takes(ticket: Ticket) -> bool:
    # A market order keeps the form's time in force, which is not sent.
    return ticket.tif is TimeInForce.GTX and ticket.order_type is not OrderType.MARKET


def _count(parts: Sequence[FillPart]) -> Decimal:
    return sum((part.quantity for part in parts), ZERO)


def _walk_book(ticket: Ticket, book: Book, size: Decimal, limit: Decimal | None, rate: Decimal) -> list[FillPart]:
    """Return the fills of an order at book levels up to a limit (None: no limit), after what earlier orders take."""
    touch = ticket.touch(book.quote, own=False)
    if touch is None or _never_takes(ticket):
        return []
    levels, ahead = _list_levels(ticket, book, touch), book.count_taken(ticket.side)
    takes = sizes.list_takes(size, levels, ticket.side, limit=limit, ahead=ahead)
    return [FillPart(part, price, rate) for price, part in takes]


def take_known(ticket: Ticket, book: Book, size: Decimal) -> Takes:
    """Return what an order of a size takes from the known book, after what earlier orders take."""
    limit, touch = ticket.limit(book.quote), ticket.touch(book.quote, own=False)
    taken = _count(_walk_book(ticket, book, size, limit, ZERO))
    if taken == size or _never_takes(ticket):
        return Takes(taken, is_all=True)
    is_known = book.quote is not None and (touch is None or limit is None or _is_known_to(ticket, book, touch, limit))
    return Takes(taken, is_all=is_known and not ticket.at_market)


def _is_known_to(ticket: Ticket, book: Book, touch: Decimal, limit: Decimal) -> bool:
    """Return whether all book levels up to a price are known: the price is not beyond the last known level."""
    last, _ = _list_levels(ticket, book, touch)[-1]
    return (limit - last) * ticket.side.sign <= 0


def _list_levels(ticket: Ticket, book: Book, touch: Decimal) -> list[sizes.PriceLevel]:
    """List price and size of the opposite side's best level and, if the order book is known, of those behind it."""
    levels, depth = [(touch, _touch_size(ticket, book.quote))], book.depth
    if depth is None or not depth.whole:
        return levels
    for price_text, size_text in depth.asks if ticket.side is Side.BUY else depth.bids:
        price, size = positive(price_text), positive(size_text)
        if price is not None and size is not None and (price - touch) * ticket.side.sign > 0:
            levels.append((price, size))
    return levels


def _fee_at_touch(ticket: Ticket, book: Book, plan: _Plan, contract_size: Decimal, rates: Rates) -> Decimal | None:
    """Compute the fee, at the best price, of a market order larger than the known book; None for other orders.

    Beyond what is known it is valued at a worse price for the margin, which would make the fee of a sale too small.
    """
    touch = ticket.touch(book.quote, own=False) if ticket.order_type is OrderType.MARKET else None
    if touch is None or plan.depth_known:
        return None
    return fees.split(plan.quantity * contract_size * touch, max(rates.taker, ZERO)).fee


def _touch_size(ticket: Ticket, quote: QuoteRow | None) -> Decimal:
    if quote is None:
        return ZERO
    return positive(quote.ask_qty if ticket.side is Side.BUY else quote.bid_qty) or ZERO


def _with_coins(row: Account, mirror: Mirror, parts: Symbol, price: Decimal) -> Account | Missing:
    coins: Sequence[AccountCoin] = row.coins
    for coin, index in ((parts.base, price), (parts.quote, Decimal(1))):
        if row.coin(coin) is None:
            fresh = account_snapshot.empty_coin(mirror, parts.exchange, coin, index)
            if isinstance(fresh, Missing):
                return fresh
            coins = (*coins, fresh)
    return row._replace(coins=tuple(coins))


def _free_coins(mirror: Mirror, exchange: str, coin: str, ticket: Ticket) -> Decimal:
    """Return the coin balance not reserved by other orders; what a replaced order reserves counts as free."""
    fact = mirror.assets.get(f"{exchange}/{coin}")
    free = (number_format.value(fact.record.available) if fact is not None else None) or ZERO
    order = ticket.order
    if order is None:
        return free
    left = (number_format.value(order.qty) or ZERO) - (number_format.value(order.filled) or ZERO)
    price = (number_format.value(order.price) or ZERO) if ticket.side is Side.BUY else Decimal(1)
    return free + left * price


def _break_even(
    mirror: Mirror, ticket: Ticket, held: PositionLeg | None, filled: FillPreview, rates: Rates, plan: _Plan
) -> tuple[Decimal | None, bool]:
    """Compute the break-even price after the fill, with fees, rebates and funding; and whether fees are assumed.

    While the average fill price is only a bound, there is none. A leg that turns starts anew, with the fee of its own
    part. An order that only closes has none: its realised result is no part of the figure.
    """
    leg, rebate = filled.leg, plan.rebate
    if leg is None or not plan.depth_known:
        return None, False
    if held is not None and held.quantity * leg.quantity > 0 and abs(leg.quantity) < abs(held.quantity):
        return None, False
    fact = mirror.positions.get(f"{ticket.sym}/{ticket.position_side.value}")
    paid = received = ZERO
    turned = held is not None and held.quantity * leg.quantity < 0
    if rebate and turned:
        rest = plan.parts[-1].quantity
        rebate = fees.opening_share(rebate, rest, min(rest, abs(leg.quantity)))
    if fact is not None and held is not None and not turned:
        paid = number_format.value(fact.record.fee) or ZERO
        received = number_format.value(fact.record.funding_fee) or ZERO
    sign, base = 1 if leg.quantity > 0 else -1, abs(leg.base_quantity)
    all_fees = paid + filled.opening_fee - rebate
    exact = pnl.break_even(
        sign,
        leg.entry,
        base,
        fees=pnl.opening_fees(all_fees, leg.entry, base, rates.taker),
        rebates=ZERO,
        funding_received=received,
        taker=rates.taker,
    )
    is_assumed = pnl.are_fees_assumed(all_fees, leg.entry, base, rates.taker)
    return rounding.round_break_even(exact, ticket.tick, sign), is_assumed
