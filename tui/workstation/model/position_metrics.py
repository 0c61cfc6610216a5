"""Numbers of a position: side, size, delta, mark price, results and estimated liquidation price."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from tui.interface.decimals import ZERO, plain, positive
from tui.interface.figures import leg_of, name_side, size_of
from tui.interface.symbols import try_parse
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext, Valuation
from tui.workstation.model.instruments import base_units, full_name, short_name, venue_of

if TYPE_CHECKING:
    from tui.engine.rows import OrderRow
    from tui.interface.families.assets import AssetRecord
    from tui.interface.families.positions import PositionRecord
    from tui.rules import liquidation
    from tui.workstation.model.mirror import Mirror


def sign_of(record: PositionRecord) -> int:
    """Return +1 for long, -1 for short, 0 for an unknown side."""
    return {"LONG": 1, "SHORT": -1}.get(leg_of(record), 0)


def name_leg(record: PositionRecord, view: DisplayContext) -> str:
    """Name a position with its size: `BINANCE BTC perp LONG 0.070`."""
    size = view.quantity(record.sym, record.position_qty.removeprefix("-"))
    return f"{full_name(record.sym)} {leg_of(record)} {size}"


def base_delta(record: PositionRecord, view: DisplayContext) -> Decimal | None:
    """Return the signed size in base units."""
    size = size_of(record)
    base = None if size is None else base_units(record.sym, size, view.info(record.sym))
    sign = sign_of(record)
    return None if base is None or not sign else sign * base


def mark_of(record: PositionRecord, view: DisplayContext) -> str:
    """Return the newest streamed mark price of a position's symbol, else the mark price in its record."""
    quote = view.mirror.quotes.get(record.sym)
    return quote.mark if quote is not None and number_format.value(quote.mark) else record.mark_price


def own_mark_of(record: PositionRecord, view: DisplayContext) -> str:
    """Return the mark price that the record's result is based on; the streamed one if the record has none."""
    return record.mark_price if number_format.value(record.mark_price) else mark_of(record, view)


def notional_of(record: PositionRecord, view: DisplayContext) -> Decimal | None:
    """Return the value of a position at the record's mark price, in quote currency; else the value the service reports."""
    delta, mark = base_delta(record, view), number_format.value(own_mark_of(record, view))
    if delta is None or not mark:
        worth = number_format.value(record.position_value)
        return None if worth is None else abs(worth)
    return abs(delta) * mark


MOST_NAMED = 2
"""Working orders that a text names; it counts the others."""


def explain_nothing_left(record: PositionRecord, mirror: Mirror, keys: str = "") -> str:
    """Explain that working orders already close all of a position: cancel them first by `keys`, with their names."""
    by = f" ({keys})" if keys else ""
    return f"working orders close all of it: cancel them first{by}: {_name_closing(record, mirror)}"


def name_holders(record: PositionRecord, mirror: Mirror) -> str:
    """Name the working closing orders that hold the rest of a position, as a suffix to a size; empty if none."""
    names = _name_closing(record, mirror)
    return f"; working orders hold the rest: {names}" if names else ""


def _name_closing(record: PositionRecord, mirror: Mirror) -> str:
    from tui.engine.state.order_texts import order_text

    orders = [order_text(order, mirror.tick_of(order.sym)) for order in list_closing(record, mirror)]
    more = [f"{len(orders) - MOST_NAMED} more"] if len(orders) > MOST_NAMED else []
    return ", ".join([*orders[:MOST_NAMED], *more])


def list_closing(record: PositionRecord, mirror: Mirror) -> list[OrderRow]:
    """List the working orders whose fill would close a position."""
    closing, one_way = "SELL" if leg_of(record) == "LONG" else "BUY", name_side(record.position_side) == "NONE"
    closes = [order for order in mirror.working_on(record.sym) if order.side == closing]
    return [
        order
        for order in closes
        if (
            order.position_side == record.position_side
            if order.position_side in ("LONG", "SHORT")
            else one_way and order.reduce_only
        )
    ]


def closable(record: PositionRecord, mirror: Mirror) -> Decimal | None:
    """Return the size of a position that can still be closed: its size less the open size of closing orders."""
    size = size_of(record)
    if size is None:
        return None
    left = (
        (number_format.value(order.qty), number_format.value(order.filled)) for order in list_closing(record, mirror)
    )
    return max(ZERO, size - sum(((total or ZERO) - (filled or ZERO) for total, filled in left), ZERO))


def open_result(record: PositionRecord, view: DisplayContext) -> Decimal | None:
    """Return the unrealised result at the selected valuation; at mark price it is the service's own value."""
    from tui.rules import pnl

    if view.result is Valuation.MARK:
        return number_format.value(record.unrealized_pnl)
    delta, entry = base_delta(record, view), number_format.value(record.avg_price)
    if not delta or not entry:
        return None
    sign, base = (1, delta) if delta > 0 else (-1, -delta)
    if view.result is Valuation.LAST:
        ticker = view.mirror.tickers.get(record.sym)
        last = number_format.value(ticker.last) if ticker is not None else None
        return pnl.linear_result(sign, base, entry, last) if last else None
    quote, taker = view.mirror.quotes.get(record.sym), view.taker(record.sym)
    touch = number_format.value(quote.bid if sign > 0 else quote.ask) if quote is not None else None
    return pnl.exit_result(sign, base, entry, touch, taker) if touch and taker is not None else None


def break_even(record: PositionRecord, view: DisplayContext) -> Decimal | None:
    """Return the break-even price: the first tick at which a taker close covers opening fees, funding and its own fee."""
    from tui.rules import pnl, rounding

    delta, entry, taker = base_delta(record, view), number_format.value(record.avg_price), view.taker(record.sym)
    fees, funding = number_format.value(record.fee), number_format.value(record.funding_fee)
    if not delta or not entry or taker is None or fees is None or funding is None:
        return None
    sign, base = (1, delta) if delta > 0 else (-1, -delta)
    fees = pnl.opening_fees(fees, entry, base, taker)
    exact = pnl.break_even(
        sign, entry, base, fees=max(fees, ZERO), rebates=max(-fees, ZERO), funding_received=funding, taker=taker
    )
    return rounding.round_break_even(exact, view.mirror.tick_of(record.sym), sign)


def mark_break_even(record: PositionRecord, view: DisplayContext) -> str:
    """Return `~`, the sign shown before an estimated break-even, else an empty text."""
    return "~" if is_break_even_assumed(record, view) else ""


def is_break_even_assumed(record: PositionRecord, view: DisplayContext) -> bool:
    """Return whether a position's fees include those of parts closed already, so that break-even is an estimate."""
    from tui.rules import pnl

    delta, entry, taker = base_delta(record, view), number_format.value(record.avg_price), view.taker(record.sym)
    fees = number_format.value(record.fee)
    known = delta and entry and taker is not None and fees is not None
    return bool(known) and pnl.are_fees_assumed(fees or ZERO, entry or ZERO, abs(delta or ZERO), taker or ZERO)


class _PairRisk(NamedTuple):
    """Margin figures of all position legs of a pair, with the base coin balance that moves with the same price."""

    legs: list[liquidation.LiquidationLeg]
    rates: list[tuple[Decimal, Decimal]]
    """Current maintenance margin rate of each leg, and 0."""
    maintenance: Decimal
    """Of all legs."""
    collateral: liquidation.Collateral


def _read_pair_risk(record: PositionRecord, view: DisplayContext) -> _PairRisk | None:
    """Read the margin figures of all legs of a position's pair; None if one figure is unknown."""
    from tui.rules import liquidation

    collateral = _collateral(record, view)
    if collateral is None:
        return None
    legs, rates, own_mm = [], [], ZERO
    for fact in view.mirror.positions.values():
        if fact.record.sym != record.sym:
            continue
        delta, mark = base_delta(fact.record, view), number_format.value(mark_of(fact.record, view))
        maintenance = number_format.value(fact.record.position_mm)
        if not delta or not mark or maintenance is None:
            return None
        own_mm += maintenance
        legs.append(liquidation.LiquidationLeg(1 if delta > 0 else -1, abs(delta), mark))
        rates.append((maintenance / (abs(delta) * mark), ZERO))
    return _PairRisk(legs, rates, own_mm, collateral) if legs else None


def own_liquidation(record: PositionRecord, view: DisplayContext) -> Decimal | None:
    """Estimate a position's liquidation price as mark price, by margin tiers, else by current maintenance rates."""
    from tui.rules import liquidation
    from tui.workstation.model import account_snapshot

    account = view.mirror.accounts.get(venue_of(record.sym))
    if account is None:
        return None
    valid, total = number_format.value(account.record.valid_margin), number_format.value(account.record.maintain_margin)
    pair = _read_pair_risk(record, view)
    if valid is None or total is None or pair is None:
        return None
    tiers, others = account_snapshot.tiers_of(view.mirror, record.sym), total - pair.maintenance
    if tiers is None:
        return liquidation.price(valid, others, pair.legs, pair.rates, pair.collateral)
    return liquidation.price_with_tiers(valid, others, pair.legs, tiers, collateral=pair.collateral)


def liquidation_distances(record: PositionRecord, view: DisplayContext) -> Iterator[Decimal]:
    """Yield the distance of the mark price from the reported and the own liquidation price, in % of the mark.

    A distance is below 0 once the mark price is past that price.
    """
    mark, reported = positive(mark_of(record, view)), positive(record.liq_price)
    if mark is None:
        return
    leg, pair = sign_of(record), _liquidation_side(record, view)
    if reported is not None:
        side = leg
        if pair != leg:
            # The other leg or coins outweigh this one, and services differ in which of both they go by.
            side = _compare(number_format.value(record.mark_price) or mark, reported) or pair
        yield side * (mark - reported) * 100 / mark
    own = own_liquidation(record, view)
    if own is not None:
        yield pair * (mark - own) * 100 / mark


def _liquidation_side(record: PositionRecord, view: DisplayContext) -> int:
    """Return +1 if a falling price liquidates, -1 if a rising one: by the whole pair, if undecided by the leg."""
    from tui.rules import liquidation

    pair = _read_pair_risk(record, view)
    growth = ZERO if pair is None else liquidation.margin_growth(pair.legs, pair.rates, pair.collateral)
    return _compare(growth, ZERO) or sign_of(record)


def explain_liquidation_side(record: PositionRecord, view: DisplayContext) -> str:
    """Explain why a move in favour of a position liquidates it; empty in the usual case, a move against it."""
    leg, side = sign_of(record), _liquidation_side(record, view)
    if not leg or side == leg or record.liq_price is None:
        return ""
    move, collateral, parts = "a fall" if side > 0 else "a rise", _collateral(record, view), try_parse(record.sym)
    amount, base = ZERO if collateral is None else collateral.amount, parts.base if parts is not None else ""
    cause = f"the other leg of {short_name(record.sym)}"
    if amount * leg < 0:
        cause = f"the debt of {plain(-amount)} {base}" if amount < 0 else f"the {plain(amount)} {base} held"
    return f"{move} liquidates this {leg_of(record)}: {cause} weighs more"


def _compare(left: Decimal, right: Decimal) -> int:
    """Return +1 where the left number is larger, -1 where it is smaller, else 0."""
    return (left > right) - (left < right)


def _collateral(record: PositionRecord, view: DisplayContext) -> liquidation.Collateral | None:
    """Return the base coin balance as collateral that moves with the price; None if its discount or a figure is unknown."""
    from tui.rules import liquidation
    from tui.workstation.model import account_snapshot

    parts, mark = try_parse(record.sym), number_format.value(mark_of(record, view))
    fact = view.mirror.assets.get(f"{parts.exchange}/{parts.base}") if parts is not None else None
    if parts is None or fact is None or not number_format.value(fact.record.equity):
        return liquidation.NO_COLLATERAL
    amount, share = number_format.value(fact.record.equity), account_snapshot.discount_of(view.mirror, parts.base)
    return None if not amount or share is None or not mark else liquidation.Collateral(amount, share, mark)


def coins_held(view: DisplayContext) -> dict[str, Decimal]:
    """Sum the equity per coin over all venues, less portfolio loans; these coins count towards the delta."""
    held: dict[str, Decimal] = {}
    for fact in view.mirror.assets.values():
        coins = _own_coins(fact.record)
        if coins is not None:
            held[fact.record.coin] = held.get(fact.record.coin, ZERO) + coins
    return held


def _own_coins(record: AssetRecord) -> Decimal | None:
    """Return the equity of a coin less its portfolio loan, which the service's equity includes; None if unknown."""
    if isinstance(record.net_equity, str) and (net := number_format.value(record.net_equity)) is not None:
        return net
    equity = number_format.value(record.equity)
    gross = number_format.value(record.balance) if equity is None else equity
    from tui.rules.bookings import deduct_loans

    return deduct_loans(gross, [number_format.value(record.loan)] if isinstance(record.loan, str) else [])
