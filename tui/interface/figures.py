"""Records whose amounts are JSON numbers: parsed exactly, limited in size, and sent without an exponent."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from tui.interface.decimals import plain

MAX_DIGITS = 40
"""Most digits of a figure before or after its point."""


class NumberRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Record whose amounts and fees are JSON numbers, while ids and times are integers."""

    def __post_init__(self) -> None:
        """Reject a number that is not finite or far too large.

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
