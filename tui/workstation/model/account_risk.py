"""uniMMR of a venue account and the sign of warning that stands beside it."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from tui.interface.decimals import NO_RISK
from tui.workstation.model import number_format

if TYPE_CHECKING:
    from tui.interface.families.positions import AccountRecord

STEPS = (
    (Decimal("1.1"), "!!!", "alert"),
    (Decimal("1.5"), "!!", "alert"),
    (Decimal(2), "!!", "warn"),
    (Decimal(3), "!", "warn"),
)
"""uniMMR below which a sign stands; higher is safer."""


def mmr_of(record: AccountRecord) -> Decimal | None:
    """uniMMR; None when it is missing or nothing is at risk."""
    value = number_format.value(record.uni_mmr)
    return None if value is None or value >= NO_RISK else value


def no_risk(record: AccountRecord) -> bool:
    """Whether the service says that nothing is at risk."""
    value = number_format.value(record.uni_mmr)
    return value is not None and value >= NO_RISK


def mmr_warning(value: Decimal) -> tuple[str, str]:
    """Sign and role of a uniMMR."""
    return next(((sign, role) for limit, sign, role in STEPS if value < limit), ("", "text"))
