"""uniMMR of a venue account with its warning sign, and equity without borrowed coins."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from tui.interface.decimals import ZERO
from tui.rules.margin import reports_no_risk
from tui.workstation.model import number_format

if TYPE_CHECKING:
    from tui.engine.rows import LiquidationStep
    from tui.interface.families.assets import AssetRecord
    from tui.interface.families.positions import AccountRecord
    from tui.workstation.model.mirror import Mirror

STEPS = (
    (Decimal("1.1"), "!!!", "alert"),
    (Decimal("1.5"), "!!", "alert"),
    (Decimal(2), "!!", "warn"),
    (Decimal(3), "!", "warn"),
)
"""uniMMR limits; below each one its sign and role are shown. Higher is safer."""


def mmr_of(record: AccountRecord) -> Decimal | None:
    """Return the uniMMR; None if it is missing or there is no position or debt at risk."""
    value = number_format.value(record.uni_mmr)
    return None if no_risk(record) else value


def no_risk(record: AccountRecord) -> bool:
    """Return whether the account has no position or debt at risk, as the service reports it."""
    return reports_no_risk(record.uni_mmr, record.maintain_margin)


def has_ended(step: LiquidationStep, mirror: Mirror) -> bool:
    """Return whether the venue's account has been reported NORMAL since this step of its liquidation."""
    from tui.interface.families.positions import AccountStatus

    fact = mirror.accounts.get(step.venue)
    is_normal = fact is not None and fact.record.account_status == AccountStatus.NORMAL
    return is_normal and fact is not None and fact.stamp.update_at > step.at_ms


def sum_debts(record: AssetRecord) -> Decimal | None:
    """Return the total owed in a coin, margin debt plus portfolio loan; None if one of them is unreadable."""
    from tui.rules.bookings import add_debts

    loan = number_format.value(record.loan) if isinstance(record.loan, str) else ZERO
    return add_debts(number_format.value(record.debt), loan)


def equity_less_loans(record: AccountRecord, mirror: Mirror) -> Decimal | None:
    """Return the equity minus portfolio loans, because the service's equity includes borrowed coins."""
    from tui.rules.bookings import net_equity

    return net_equity(record, (fact.record for fact in mirror.assets.values()))


def mmr_warning(value: Decimal) -> tuple[str, str]:
    """Return the warning sign and the colour role for a uniMMR; no sign when it is high enough."""
    return next(((sign, role) for limit, sign, role in STEPS if value < limit), ("", "text"))
