"""Consolidated best bid and ask of a pair over several venues, after fees and in base units."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

import msgspec

from tui.engine.rows import QuoteRow
from tui.workstation.model import number_format
from tui.workstation.model.instruments import base_units

if TYPE_CHECKING:
    from tui.interface.families.market import SymbolInfo


class VenueQuote(msgspec.Struct, frozen=True):
    """Quote of one venue, with the fee and pair rules needed to compare it with other venues."""

    quote: QuoteRow
    fee: Decimal | None
    """Taker fee rate applied to the prices; 0: as quoted; None: not known, and the prices are left out."""
    info: SymbolInfo | None
    """Rules of the symbol, for the contract size."""
    live: bool
    """Whether the quote is current; a quote that is not counts neither with price nor with size."""


class ConsolidatedQuote(msgspec.Struct, frozen=True):
    """Best bid and ask over several venues, sizes in base units, and the symbols that offer the best price."""

    quote: QuoteRow
    live: int
    """Number of venues with a current quote."""
    bid_syms: tuple[str, ...] = ()
    ask_syms: tuple[str, ...] = ()


def net_price(text: str, fee: Decimal | None, *, bid: bool) -> Decimal | None:
    """Return a taker's price per unit after the fee: lower when selling at the bid, higher when buying at the ask.

    None when the price is missing or the fee is not known.
    """
    price = number_format.value(text)
    if not price or fee is None:
        return None
    if not fee:
        return price
    return price * (1 - fee) if bid else price * (1 + fee)


class VenueTouch(msgspec.Struct, frozen=True):
    """Prices after fees and sizes in base units of one venue, computed once per quote."""

    of: VenueQuote
    bid: Decimal | None = None
    ask: Decimal | None = None
    """Prices after fees; None: not available."""
    bid_base: Decimal | None = None
    ask_base: Decimal | None = None
    """Sizes in base units; None: not known."""


def touch_of(venue: VenueQuote) -> VenueTouch:
    """Compute prices after fees and sizes in base units of a venue; no prices while its market data does not arrive."""
    quote = venue.quote
    if not venue.live:
        return VenueTouch(venue)
    return VenueTouch(
        venue,
        net_price(quote.bid, venue.fee, bid=True),
        net_price(quote.ask, venue.fee, bid=False),
        _base(venue, quote.bid_qty),
        _base(venue, quote.ask_qty),
    )


def _base(venue: VenueQuote, size: str) -> Decimal | None:
    qty = number_format.value(size)
    return None if qty is None else base_units(venue.quote.sym, qty, venue.info)


def best_of(venues: Sequence[VenueTouch], key: str) -> ConsolidatedQuote:
    """Find the best bid and ask over all venues, with the total size at each, in base units.

    The quote is as old as the oldest quote at those prices.
    """
    bid = max((venue.bid for venue in venues if venue.bid is not None), default=None)
    ask = min((venue.ask for venue in venues if venue.ask is not None), default=None)
    bids = [venue for venue in venues if venue.bid is not None and venue.bid == bid]
    asks = [venue for venue in venues if venue.ask is not None and venue.ask == ask]
    row = QuoteRow(
        sym=key,
        bid="" if bid is None else format(bid, "f"),
        bid_qty=_total([venue.bid_base for venue in bids]),
        ask="" if ask is None else format(ask, "f"),
        ask_qty=_total([venue.ask_base for venue in asks]),
        received=min((venue.of.quote.received for venue in [*bids, *asks] or venues), default=0.0),
    )
    bid_syms, ask_syms = (tuple(venue.of.quote.sym for venue in side) for side in (bids, asks))
    return ConsolidatedQuote(row, sum(venue.of.live for venue in venues), bid_syms, ask_syms)


def _total(sizes: list[Decimal | None]) -> str:
    """Sum sizes in base units; empty if any is unknown, because a partial sum would mislead."""
    known = [size for size in sizes if size is not None]
    return format(sum(known, Decimal(0)), "f") if known and len(known) == len(sizes) else ""
