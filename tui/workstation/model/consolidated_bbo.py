"""The best bid and offer of several venues of one pair: prices after fees, sizes in base units, and who holds the touch."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import msgspec

from tui.engine.rows import QuoteRow
from tui.interface.families.market import SymbolInfo
from tui.workstation.model import number_format
from tui.workstation.model.instruments import base_units


class VenueQuote(msgspec.Struct, frozen=True):
    """A quote of one venue with what is needed to compare it with those of others."""

    quote: QuoteRow
    fee: Decimal | None
    """Rate its prices are compared after; 0: as quoted; None: not known, so its prices are left out."""
    info: SymbolInfo | None
    """Rules of the symbol: the size of a contract."""
    live: bool
    """Whether the quote is believed; others give neither price nor size."""


class ConsolidatedQuote(msgspec.Struct, frozen=True):
    """A quote made of several, sizes in base units, and the symbols that hold its touch."""

    quote: QuoteRow
    live: int
    """Venues that take part."""
    bid_syms: tuple[str, ...] = ()
    ask_syms: tuple[str, ...] = ()


def net_price(text: str, fee: Decimal | None, bid: bool) -> Decimal | None:
    """What a taker is left with per unit: less the fee when he sells into the bid, plus it when he lifts the ask.

    None when the price is missing or the fee is not known.
    """
    price = number_format.value(text)
    if not price or fee is None:
        return None
    if not fee:
        return price
    return price * (1 - fee) if bid else price * (1 + fee)


def best_of(quotes: Sequence[VenueQuote], key: str) -> ConsolidatedQuote:
    """Best bid and ask over the venues that take part, with the size at that price in base units.

    The age is the oldest of those at the touch.
    """
    live = [one for one in quotes if one.live]
    bid, bids = _touch(live, bid=True)
    ask, asks = _touch(live, bid=False)
    row = QuoteRow(
        sym=key,
        bid="" if bid is None else format(bid, "f"),
        bid_qty=_total([(one, one.quote.bid_qty) for one in bids]),
        ask="" if ask is None else format(ask, "f"),
        ask_qty=_total([(one, one.quote.ask_qty) for one in asks]),
        received=min((one.quote.received for one in [*bids, *asks] or quotes), default=0.0),
    )
    return ConsolidatedQuote(row, len(live), tuple(one.quote.sym for one in bids), tuple(one.quote.sym for one in asks))


def _touch(live: list[VenueQuote], *, bid: bool) -> tuple[Decimal | None, list[VenueQuote]]:
    """The best price of a side and the quotes that hold it."""
    priced = [(net_price(one.quote.bid if bid else one.quote.ask, one.fee, bid), one) for one in live]
    prices = [price for price, _ in priced if price is not None]
    if not prices:
        return None, []
    best = max(prices) if bid else min(prices)
    return best, [one for price, one in priced if price == best]


def _total(sizes: list[tuple[VenueQuote, str]]) -> str:
    """The sum in base units; empty when a size or a contract is not known, because a part of the sum would mislead."""
    total = Decimal(0)
    for one, size in sizes:
        qty = number_format.value(size)
        base = None if qty is None else base_units(one.quote.sym, qty, one.info)
        if base is None:
            return ""
        total += base
    return format(total, "f") if sizes else ""
