"""Average entry price, realised and unrealised P&L, and P&L after costs."""

from __future__ import annotations

from decimal import ROUND_DOWN, Decimal
from typing import NamedTuple

import msgspec

from tui.interface import decimals
from tui.interface.decimals import CONTEXT, ZERO
from tui.interface.families.history import TradeRecord
from tui.interface.families.orders import Side
from tui.interface.symbols import try_parse
from tui.rules import units

_BOOKED = Decimal(1).scaleb(-18)
_ROUNDED = Decimal("1.001")
"""Part by which fees of a taker may exceed those of the average entry, which is rounded."""


class PositionAfterFill(NamedTuple):
    """One-way position after a fill, with the realised P&L."""

    position: Decimal
    """Signed quantity, in the venue's unit."""
    entry: Decimal | None
    """Average entry; None when flat."""
    realised: Decimal
    """Gross result of the closed part, in quote."""
    executed: Decimal
    """Quantity that traded; less than the order only under reduce-only."""


class FillResult(NamedTuple):
    """P&L, fee and rebate of a fill, in quote units."""

    gross: Decimal
    fee: Decimal
    rebate: Decimal
    incomplete: int
    """Number of figures that could not be parsed or valued; they count as 0."""


def truncate_booked(value: Decimal) -> Decimal:
    """Truncate a booked amount to the 18 decimals that the service sends, so that both sides compute the same."""
    return value if -int(value.as_tuple().exponent) <= 18 else value.quantize(_BOOKED, ROUND_DOWN, CONTEXT)


def linear_result(sign: int, base: Decimal, entry: Decimal, at: Decimal) -> Decimal:
    """Compute the P&L in quote of `base` units from price `entry` to price `at`; `sign` is +1 long, -1 short."""
    return sign * base * (at - entry)


def exit_result(sign: int, base: Decimal, entry: Decimal, touch: Decimal, taker: Decimal) -> Decimal:
    """Compute a position's P&L in quote if closed now at the best opposite price, minus the taker fee."""
    return linear_result(sign, base, entry, touch) - base * touch * taker


def apply_one_way_fill(
    position: Decimal,
    entry: Decimal | None,
    side: Side,
    quantity: Decimal,
    price: Decimal,
    *,
    contract_size: Decimal = Decimal(1),
    reduce_only: bool = False,
) -> PositionAfterFill:
    """Apply a fill to a one-way position: it closes first, and the rest opens a new position at the fill price.

    Args:
        position: Signed quantity before, in the venue's unit.
        entry: Average entry before; may be None when flat.
        side: Side of the fill.
        quantity: Quantity of the fill, above 0.
        price: Price of the fill.
        contract_size: Base units of one contract.
        reduce_only: Stop at flat.
    """
    signed = side.sign * quantity
    if not position or entry is None:
        if reduce_only:
            return PositionAfterFill(position, entry, ZERO, ZERO)
        return PositionAfterFill(signed, price, ZERO, quantity)
    if (position > 0) == (signed > 0):
        if reduce_only:
            return PositionAfterFill(position, entry, ZERO, ZERO)
        held = abs(position)
        average = truncate_booked((held * entry + quantity * price) / (held + quantity))
        return PositionAfterFill(position + signed, average, ZERO, quantity)
    closed = min(abs(position), quantity)
    realised = linear_result(1 if position > 0 else -1, closed * contract_size, entry, price)
    executed = closed if reduce_only else quantity
    after = position + side.sign * executed
    if not after:
        return PositionAfterFill(ZERO, None, realised, executed)
    return PositionAfterFill(after, entry if executed == closed else price, realised, executed)


def net_result(
    realised: Decimal,
    *,
    fee: Decimal = ZERO,
    rebate: Decimal = ZERO,
    funding: Decimal = ZERO,
    interest: Decimal = ZERO,
    liquidation_fee: Decimal = ZERO,
) -> Decimal:
    """Compute the P&L after all costs, in quote; `funding` is positive when received."""
    return realised - fee + rebate + funding - interest - liquidation_fee


def value_in_quote(amount: Decimal | None, coin: str, sym: str, price: Decimal | None) -> Decimal | None:
    """Convert a fee or rebate of a fill to quote, base coins at the fill price; None in a third coin."""
    if not amount or not coin:
        return amount
    pair = try_parse(sym)
    if pair is None:
        return None
    if coin == pair.quote:
        return amount
    return amount * price if coin == pair.base and price else None


def fill_result(record: TradeRecord) -> FillResult:
    """Compute P&L, fee and rebate of a fill record; a rebate is income whichever sign the service sends."""
    gross, fee, rebate, price = (
        decimals.optional(text) for text in (record.rpnl, record.fee, record.rebate, record.price)
    )
    parts = (
        gross,
        value_in_quote(fee, record.fee_coin, record.sym, price),
        value_in_quote(rebate, record.rebate_coin, record.sym, price),
    )
    known = [ZERO if part is None else part for part in parts]
    return FillResult(known[0], known[1], abs(known[2]), sum(part is None for part in parts))


def fill_net(record: TradeRecord) -> Decimal:
    """Compute the P&L of a fill after costs, in quote; costs in unknown coins count as 0."""
    result = fill_result(record)
    return net_result(result.gross, fee=result.fee, rebate=result.rebate)


class TradedResult(msgspec.Struct, frozen=True):
    """Sums of a pair's fills (base held, cash, last price), from which the result at a closing price follows; quote."""

    base: Decimal = ZERO
    """Base units bought less sold."""
    cash: Decimal = ZERO
    """Received less paid, after fees and rebates."""
    last: Decimal = ZERO
    """Price of the newest fill."""

    def plus(self, fill: TradeRecord, contract: Decimal) -> TradedResult:
        """Return the sums with one more fill; a fill whose figures cannot be read changes nothing."""
        quantity, price = decimals.positive(fill.quantity), decimals.positive(fill.price)
        if quantity is None or price is None:
            return self
        sign = 1 if fill.side == "BUY" else -1
        costs = fill_result(fill)
        cash = net_result(-sign * units.notional(quantity, contract, price), fee=costs.fee, rebate=costs.rebate)
        return TradedResult(self.base + sign * units.base(quantity, contract), self.cash + cash, price)

    def at(self, bid: Decimal | None, ask: Decimal | None) -> Decimal:
        """Compute the result if the position were closed at the best opposite price, else at the newest fill's price."""
        touch = bid if self.base > 0 else ask
        return self.cash + self.base * (touch or self.last)


def opening_fees(fees: Decimal, entry: Decimal, base: Decimal, taker: Decimal) -> Decimal:
    """Return the part of `fees` that the position still held has cost to open: at most the taker fee of its value.

    `fees` are all since the position was opened. Those above belong to parts that are closed, with a result of their own.
    """
    return min(fees, entry * base * max(taker, ZERO))


def are_fees_assumed(fees: Decimal, entry: Decimal, base: Decimal, taker: Decimal) -> bool:
    """Return whether fees exceed what opening the position can have cost, so `opening_fees` assumes the taker fee."""
    return fees > opening_fees(fees, entry, base, taker) * _ROUNDED


def break_even(
    sign: int,
    entry: Decimal,
    base: Decimal,
    *,
    fees: Decimal,
    rebates: Decimal,
    funding_received: Decimal,
    taker: Decimal,
) -> Decimal:
    """Compute the break-even price of closing with a taker order; amounts in quote, funding paid is negative."""
    carried = sign * (fees - rebates - funding_received)
    return (entry * base + carried) / (base * (1 - sign * taker))
