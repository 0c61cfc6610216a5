"""Symbols: `<EXCHANGE>_<BUSINESS_TYPE>_<BASE>_<QUOTE>`."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

import msgspec

from tui.crossdesk_error import CrossdeskError


class Exchange(StrEnum):
    """Exchange codes, the first part of a symbol."""

    BINANCE = "BINANCE"
    OKX = "OKX"
    EDX = "EDX"


class BusinessType(StrEnum):
    """Business type of a pair: spot, margin or perpetual."""

    SPOT = "SPOT"
    MARGIN = "MARGIN"
    PERP = "PERP"


class BadSymbol(CrossdeskError, ValueError):
    """Error for a text that is not a symbol."""

    title = "Symbol not readable"


class Symbol(msgspec.Struct, frozen=True):
    """Parts of a symbol; exchange and business type are plain texts, so that unknown ones can be displayed."""

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


def coin_pair(parts: Symbol) -> str:
    """Return the coins of a pair; the quote coin is omitted when it is USDT."""
    return parts.base if parts.quote == "USDT" else f"{parts.base}/{parts.quote}"


@lru_cache(maxsize=4096)
def pair_name(sym: str) -> str:
    """Return a readable name of a pair, such as `OKX BTC perp`; the quote coin is omitted when it is USDT."""
    parts = try_parse(sym)
    if parts is None:
        return sym
    return f"{parts.exchange} {coin_pair(parts)} {parts.business_type.lower()}"


@lru_cache(maxsize=4096)
def unit_of(sym: str) -> str:
    """Return the quantity unit of a pair: `ct` (contracts), or the base coin."""
    parts = try_parse(sym)
    if parts is None:
        return ""
    return CONTRACTS if parts.is_perp and parts.exchange in CONTRACT_VENUES else parts.base


def amount_text(sym: str, qty: str) -> str:
    """Describe size and pair: `5ct OKX BTC perp`."""
    unit = CONTRACTS if unit_of(sym) == CONTRACTS else ""
    return f"{qty}{unit} {pair_name(sym)}"


def is_in_scope(sym: str, exchange: str = "", pair: str = "") -> bool:
    """Return whether a symbol is on the given exchange and is the given pair; an empty argument matches all."""
    return (not pair or sym == pair) and (not exchange or sym.startswith(f"{exchange}_"))


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
    """Split a symbol into its parts; None when the text is not a symbol."""
    try:
        return parse_symbol(sym)
    except BadSymbol:
        return None
