"""Records whose figures are JSON numbers: read exactly, bounded, and printed without an exponent."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from tui.interface.decimals import plain

MAX_DIGITS = 40
"""Most digits of a figure before or after its point."""


class NumberRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Record of the money families: amounts and fees are JSON numbers, ids and times are integers."""

    def __post_init__(self) -> None:
        """Refuse a figure that cannot be computed with.

        Raises:
            ValueError: A figure is not finite, or longer than any amount.
        """
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if isinstance(value, Decimal) and not (value.is_finite() and abs(value.adjusted()) <= MAX_DIGITS):
                raise ValueError(f"{name} is out of range")


def encode_figures(record: msgspec.Struct) -> dict[str, object]:
    """Return a record as it is sent, figures as JSON numbers with their exact text."""
    shown: dict[str, object] = msgspec.to_builtins(record, builtin_types=(Decimal,))
    return {
        name: msgspec.Raw(plain(value).encode()) if isinstance(value, Decimal) else value
        for name, value in shown.items()
    }
