"""The best bid and offer of several venues of one pair: prices after fees, sizes in base units, and who holds the touch."""

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


class VenueTouch(msgspec.Struct, frozen=True):
    """What a venue brings to the consolidated quote: worked out once for each of its quotes."""

    of: VenueQuote
    bid: Decimal | None = None
    ask: Decimal | None = None
    """Prices after fees; None: it gives none."""
    bid_base: Decimal | None = None
    ask_base: Decimal | None = None
    """Sizes in base units; None: not known."""


def touch_of(one: VenueQuote) -> VenueTouch:
    """The touch of a venue; a quote that is not believed gives neither price nor size."""
    quote = one.quote
    if not one.live:
        return VenueTouch(one)
    return VenueTouch(
        one,
        net_price(quote.bid, one.fee, True),
        net_price(quote.ask, one.fee, False),
        _base(one, quote.bid_qty),
        _base(one, quote.ask_qty),
    )


def _base(one: VenueQuote, size: str) -> Decimal | None:
    qty = number_format.value(size)
    return None if qty is None else base_units(one.quote.sym, qty, one.info)


def best_of(venues: Sequence[VenueTouch], key: str) -> ConsolidatedQuote:
    """Best bid and ask over the venues that take part, with the size at that price in base units.

    The age is the oldest of those at the touch.
    """
    bid = max((one.bid for one in venues if one.bid is not None), default=None)
    ask = min((one.ask for one in venues if one.ask is not None), default=None)
    bids = [one for one in venues if one.bid is not None and one.bid == bid]
    asks = [one for one in venues if one.ask is not None and one.ask == ask]
    row = QuoteRow(
        sym=key,
        bid="" if bid is None else format(bid, "f"),
        bid_qty=_total([one.bid_base for one in bids]),
        ask="" if ask is None else format(ask, "f"),
        ask_qty=_total([one.ask_base for one in asks]),
        received=min((one.of.quote.received for one in [*bids, *asks] or venues), default=0.0),
    )
    bid_syms, ask_syms = (tuple(one.of.quote.sym for one in side) for side in (bids, asks))
    return ConsolidatedQuote(row, sum(one.of.live for one in venues), bid_syms, ask_syms)


def _total(sizes: list[Decimal | None]) -> str:
    """The sum in base units; empty when a size or a contract is not known, because a part of the sum would mislead."""
    known = [size for size in sizes if size is not None]
    return format(sum(known, Decimal(0)), "f") if known and len(known) == len(sizes) else ""
