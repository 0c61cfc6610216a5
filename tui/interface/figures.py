"""Figures in records: which fields hold them, records with JSON numbers, and size and leg of what is held."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import msgspec

from tui.interface.decimals import optional, plain

if TYPE_CHECKING:
    from tui.interface.families.assets import AssetRecord
    from tui.interface.families.positions import PositionRecord

MAX_DIGITS = 40
"""Most digits of a figure before or after its point."""
TEXT_FIGURES = frozenset([
    "after_available", "after_borrow", "after_overdraw", "available", "avg_price", "balance", "before_available",
    "before_borrow", "before_overdraw", "borrow", "borrow_amount", "debt", "debt_margin", "delta_amount", "equity",
    "equity_value", "executed_amount", "executed_avg_price", "executed_qty", "fee", "frozen", "funding_fee",
    "index_price", "last_executed_amount", "last_executed_price", "last_executed_qty", "leverage", "limit_price",
    "liq_price", "margin_value", "mark_price", "max_leverage", "max_transferable", "order_qty", "overdraw",
    "perp_margin", "position_margin", "position_mm", "position_qty", "position_value", "price", "quantity",
    "quote_order_qty", "rebate", "rpnl", "sl_price", "sl_trigger_price", "tp_price", "tp_trigger_price",
    "unrealized_pnl", "unrealized_pnl_rate", "upnl", "virtual_borrow",
])  # fmt: skip
"""Fields of orders, fills, statement rows, positions and assets that hold a figure as text."""
FLAGS = frozenset(["reduce_only"])
"""Fields of them that are true or false."""


class NumberRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Record whose amounts and fees are JSON numbers, while ids and times are integers."""

    def __post_init__(self) -> None:
        """Reject a number that is not finite, far too large or far too small.

        Raises:
            ValueError: A figure is not finite, or longer than any amount.
        """
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if isinstance(value, Decimal) and not (value.is_finite() and abs(value.adjusted()) <= MAX_DIGITS):
                raise ValueError(f"{name} is out of range")


def encode_figures(record: msgspec.Struct) -> dict[str, object]:
    """Return a record as it is sent, with amounts as JSON numbers in their exact digits."""
    shown: dict[str, object] = msgspec.to_builtins(record, builtin_types=(Decimal,))
    return {
        name: msgspec.Raw(plain(value).encode()) if isinstance(value, Decimal) else value
        for name, value in shown.items()
    }


# -- what is held, by whatever word and sign the service uses --------------------------------------------------------

ONE_WAY = ("NONE", "NET", "")
"""Position sides in one-way mode; services differ in the word."""


def name_side(position_side: str) -> str:
    """Return the position side by which rows are found: LONG, SHORT, or NONE in one-way mode; others unchanged."""
    return "NONE" if position_side in ONE_WAY else position_side


def leg_of(record: PositionRecord) -> str:
    """Return LONG or SHORT; in one-way mode by the sign of the size. An unknown side is returned unchanged."""
    if record.position_side not in ONE_WAY:
        return record.position_side
    return "SHORT" if record.position_qty.startswith("-") else "LONG"


def size_of(record: PositionRecord) -> Decimal | None:
    """Return the size without its sign, which some services send on a SHORT leg too; None when it cannot be read."""
    size = optional(record.position_qty)
    return None if size is None else abs(size)


def net_size_of(record: PositionRecord) -> Decimal | None:
    """Return the size, negative when short; None when it cannot be read."""
    size = optional(record.position_qty)
    if size is None or record.position_side not in ("LONG", "SHORT"):
        return size
    return -abs(size) if record.position_side == "SHORT" else abs(size)


def find_balance(record: AssetRecord) -> Decimal | None:
    """Return the balance of a coin less its margin debt, which incoming coins repay; None when it cannot be read."""
    balance, debt = optional(record.balance), optional(record.debt or "0")
    return None if balance is None or debt is None else balance - debt
