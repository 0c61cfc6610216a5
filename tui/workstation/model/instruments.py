"""Symbols, sides and quantities in the trader's words and units."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from tui.interface import symbols
from tui.interface.symbols import Symbol, try_parse
from tui.workstation.model import number_format

if TYPE_CHECKING:
    from tui.interface.families.market import SymbolInfo

MONEY = frozenset(["USDT", "USDC", "USD"])
"""Coins that stand for the risk currency, one for one."""
SYSTEM = "SYSTEM"
"""Begins the origins of orders with which the venue closes positions."""


def in_contracts(sym: str) -> bool:
    """Whether quantities of a symbol count contracts."""
    return symbols.unit_of(sym) == symbols.CONTRACTS


def pair_name(parts: Symbol) -> str:
    """The short name of a pair; the common quote coin is left out."""
    return parts.base if parts.quote == "USDT" else f"{parts.base}/{parts.quote}"


def short_name(sym: str) -> str:
    """Venue and pair."""
    parts = try_parse(sym)
    return sym if parts is None else f"{parts.exchange} {pair_name(parts)}"


def full_name(sym: str) -> str:
    """Venue, pair and kind, where nothing beside it tells a perpetual from the spot pair of the same coin."""
    return symbols.pair_name(sym)


def venue_of(sym: str) -> str:
    """The venue of a symbol, or an empty text."""
    parts = try_parse(sym)
    return parts.exchange if parts is not None else ""


def base_units(sym: str, qty: Decimal, info: SymbolInfo | None) -> Decimal | None:
    """A quantity in base units; None while the size of a contract is not known."""
    if not in_contracts(sym):
        return qty
    size = number_format.value(info.contract_size) if info is not None else None
    return None if size is None else qty * size


def intent_word(sym: str, side: str, position_side: str, reduce_only: bool = False) -> str:
    """What an order does, in the trader's words."""
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
    """Role of a side."""
    return {"BUY": "buy", "SELL": "sell", "LONG": "buy", "SHORT": "sell"}.get(side, "text")
