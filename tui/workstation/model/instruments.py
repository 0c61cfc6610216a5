"""Display names of symbols, sides and quantities."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from tui.interface import symbols
from tui.interface.symbols import try_parse
from tui.workstation.model import number_format

if TYPE_CHECKING:
    from tui.interface.families.market import SymbolInfo

MONEY = frozenset(["USDT", "USDC", "USD"])
"""Coins valued 1:1 in the risk currency."""
SYSTEM = "SYSTEM"
"""Prefix of the origin of orders with which the venue closes positions."""


def in_contracts(sym: str) -> bool:
    """Return whether quantities of a symbol are in contracts."""
    return symbols.unit_of(sym) == symbols.CONTRACTS


def short_name(sym: str) -> str:
    """Return venue and short pair name of a symbol, such as venue, base and quote coin; the symbol if it is invalid."""
    parts = try_parse(sym)
    return sym if parts is None else f"{parts.exchange} {symbols.coin_pair(parts)}"


def full_name(sym: str) -> str:
    """Return venue, pair and kind, which distinguishes a perpetual from the spot pair of the same coin."""
    return symbols.pair_name(sym)


def venue_of(sym: str) -> str:
    """Return the venue of a symbol, or an empty text."""
    parts = try_parse(sym)
    return parts.exchange if parts is not None else ""


def base_units(sym: str, qty: Decimal, info: SymbolInfo | None) -> Decimal | None:
    """Convert a quantity to base units; None while the contract size is unknown."""
    if not in_contracts(sym):
        return qty
    size = number_format.value(info.contract_size) if info is not None else None
    return None if size is None else qty * size


def intent_word(sym: str, side: str, position_side: str, *, reduce_only: bool = False) -> str:
    """Describe what an order does: `buy`, `open long`, `sell reduce`, ..."""
    buy = side == "BUY"
    if position_side == "LONG":
        return "open long" if buy else "close long"
    if position_side == "SHORT":
        return "close short" if buy else "open short"
    parts = try_parse(sym)
    word = {"BUY": "buy", "SELL": "sell"}.get(side, side)
    if parts is not None and not parts.is_perp:
        return f"{word} {parts.business_type.lower()}"
    return f"{word} reduce" if reduce_only else word


def side_role(side: str) -> str:
    """Return the colour role of a side."""
    return {"BUY": "buy", "SELL": "sell", "LONG": "buy", "SHORT": "sell"}.get(side, "text")
