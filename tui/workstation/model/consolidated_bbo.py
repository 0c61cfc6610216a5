"""The best bid and offer of several venues of one pair: which of them take part, and who holds the touch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

import msgspec

from tui.engine.rows import QuoteRow
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import base_units, venue_of


class Best(msgspec.Struct, frozen=True):
    """A quote made of several, sizes in base units, and who it is made of."""

    quote: QuoteRow
    part: int
    """Venues that take part."""
    bid_venues: tuple[str, ...] = ()
    ask_venues: tuple[str, ...] = ()


def takes_part(quote: QuoteRow, view: DisplayContext) -> bool:
    """Whether a quote is believed. One that is only quiet is: it is what the venue holds while the link is proven."""
    return bool(quote.received) and quote.subscribed and view.mirror.proven("public")


def after_fee(price: Decimal, sym: str, bid: bool, view: DisplayContext) -> Decimal | None:
    """What a taker is left with per unit: less the fee when he sells into the bid, plus it when he lifts the ask."""
    rate = view.taker(sym)
    if rate is None:
        return None
    return price * (1 - rate) if bid else price * (1 + rate)


def shown_price(text: str, sym: str, bid: bool, view: DisplayContext) -> Decimal | None:
    """The price of a side as the pane's view shows it; None when it is missing or its fee is not known."""
    price = number_format.value(text)
    if not price:
        return None
    return after_fee(price, sym, bid, view) if view.net_of_fee else price


def best_of(quotes: Sequence[QuoteRow], view: DisplayContext, key: str) -> Best:
    """Best bid and ask over the venues that take part, with the size at that price in base units.

    The age is the oldest of those at the touch.
    """
    live = [quote for quote in quotes if takes_part(quote, view)]
    bids = _side(live, view, True)
    asks = _side(live, view, False)
    top = max((price for price, _ in bids), default=None)
    low = min((price for price, _ in asks), default=None)
    at_top = [quote for price, quote in bids if price == top]
    at_low = [quote for price, quote in asks if price == low]
    touch = at_top + at_low
    row = QuoteRow(
        sym=key,
        bid="" if top is None else format(top, "f"),
        bid_qty=_total(at_top, lambda quote: quote.bid_qty, view),
        ask="" if low is None else format(low, "f"),
        ask_qty=_total(at_low, lambda quote: quote.ask_qty, view),
        received=min((quote.received for quote in touch or quotes), default=0.0),
    )
    return Best(row, len(live), _venues(at_top), _venues(at_low))


def _side(live: list[QuoteRow], view: DisplayContext, bid: bool) -> list[tuple[Decimal, QuoteRow]]:
    found = []
    for quote in live:
        price = shown_price(quote.bid if bid else quote.ask, quote.sym, bid, view)
        if price is not None:
            found.append((price, quote))
    return found


def _total(quotes: list[QuoteRow], size: Callable[[QuoteRow], str], view: DisplayContext) -> str:
    """The sum in base units; empty when a size or a contract is not known, because a part of it would be a lie."""
    total = Decimal(0)
    for quote in quotes:
        qty = number_format.value(size(quote))
        base = None if qty is None else base_units(quote.sym, qty, view.info(quote.sym))
        if base is None:
            return ""
        total += base
    return format(total, "f") if quotes else ""


def _venues(quotes: list[QuoteRow]) -> tuple[str, ...]:
    return tuple(venue_of(quote.sym) for quote in quotes)
