"""Symbols: `<EXCHANGE>_<BUSINESS_TYPE>_<BASE>_<QUOTE>`."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

import msgspec


class Exchange(StrEnum):
    """Venue codes of the trading family."""

    BINANCE = "BINANCE"
    OKX = "OKX"
    EDX = "EDX"


class BusinessType(StrEnum):
    """What a pair trades."""

    SPOT = "SPOT"
    MARGIN = "MARGIN"
    PERP = "PERP"


class BadSymbol(ValueError):
    """A text that is no symbol."""


class Symbol(msgspec.Struct, frozen=True):
    """The four parts of a symbol; venue and business type stay text, because unknown ones must be shown, not refused."""

    sym: str
    exchange: str
    business_type: str
    base: str
    quote: str

    @property
    def is_perp(self) -> bool:
        return self.business_type == BusinessType.PERP


@lru_cache(maxsize=4096)
def parse_symbol(sym: str) -> Symbol:
    """Split a symbol.

    Raises:
        BadSymbol: fewer than four parts.
    """
    parts = sym.split("_")
    if len(parts) != 4 or not all(parts):
        raise BadSymbol(f"not a symbol: {sym[:64]!r}; it reads EXCHANGE_TYPE_BASE_QUOTE")
    return Symbol(sym, *parts)
