"""Symbols: `<EXCHANGE>_<BUSINESS_TYPE>_<BASE>_<QUOTE>`."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

import msgspec

from tui.crossdesk_error import CrossdeskError


class Exchange(StrEnum):
    """Venue codes of the trading family."""

    BINANCE = "BINANCE"
    OKX = "OKX"
    EDX = "EDX"


class BusinessType(StrEnum):
    """Kind of trading of a pair."""

    SPOT = "SPOT"
    MARGIN = "MARGIN"
    PERP = "PERP"


class BadSymbol(CrossdeskError, ValueError):
    """Text that is not a symbol."""

    title = "Symbol not readable"


class Symbol(msgspec.Struct, frozen=True):
    """Four parts of a symbol; venue and business type stay text, because unknown ones must be shown, not refused."""

    sym: str
    exchange: str
    business_type: str
    base: str
    quote: str

    @property
    def is_perp(self) -> bool:
        return self.business_type == BusinessType.PERP


CONTRACTS = "ct"
CONTRACT_VENUES = frozenset([Exchange.OKX.value])
"""Venues whose perpetuals are counted in contracts."""


@lru_cache(maxsize=4096)
def pair_name(sym: str) -> str:
    """Return venue, pair and kind in a trader's words, `OKX BTC perp`; the common quote coin is left out."""
    parts = try_parse(sym)
    if parts is None:
        return sym
    pair = parts.base if parts.quote == "USDT" else f"{parts.base}/{parts.quote}"
    return f"{parts.exchange} {pair} {parts.business_type.lower()}"


@lru_cache(maxsize=4096)
def unit_of(sym: str) -> str:
    """Return the unit of a quantity of the pair: `ct`, or the base coin."""
    parts = try_parse(sym)
    if parts is None:
        return ""
    return CONTRACTS if parts.is_perp and parts.exchange in CONTRACT_VENUES else parts.base


@lru_cache(maxsize=4096)
def parse_symbol(sym: str) -> Symbol:
    """Split a symbol into its parts.

    Raises:
        BadSymbol: The text has not exactly four parts.
    """
    parts = sym.split("_")
    if len(parts) != 4 or not all(parts):
        raise BadSymbol(f"not a symbol: {sym[:64]!r}; it must read EXCHANGE_TYPE_BASE_QUOTE")
    return Symbol(sym, *parts)


@lru_cache(maxsize=8192)
def try_parse(sym: str) -> Symbol | None:
    """Split a symbol into its parts; None when it has another shape."""
    try:
        return parse_symbol(sym)
    except BadSymbol:
        return None
