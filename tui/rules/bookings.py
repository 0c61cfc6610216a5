"""Signed amounts of records (positive received, negative paid), for lists, sums, detail cards and exported files.

The table of signs and roundings is docs/reference/signs.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from tui.interface import decimals
from tui.interface.decimals import ZERO
from tui.interface.families.assets import AssetRecord
from tui.interface.families.history import DEDUCT_INTEREST, StatementRecord
from tui.interface.families.positions import AccountRecord, PositionHistoryRecord
from tui.interface.times import millis
from tui.rules import pnl


def compute_charge(fee: str, rebate: str) -> Decimal:
    """Compute rebate minus fee, both in one coin; a rebate is income whichever sign the service sends."""
    return abs(_figure(rebate)) - _figure(fee)


def compute_closed_net(record: PositionHistoryRecord) -> Decimal:
    """Compute the P&L of a closed position after fees, funding and liquidation cost."""
    return pnl.net_result(
        _figure(record.closed_pnl),
        fee=_figure(record.fee),
        funding=_figure(record.funding_fee),
        liquidation_fee=_figure(record.liq_fee),
    )


def select_newest_rows(records: Iterable[PositionHistoryRecord]) -> list[PositionHistoryRecord]:
    """List the newest row of each position, which includes the position's earlier partial closes."""
    newest: dict[str, PositionHistoryRecord] = {}
    for record in records:
        kept = newest.get(record.position_id)
        if kept is None or _update_order(record) > _update_order(kept):
            newest[record.position_id] = record
    return list(newest.values())


def _update_order(record: PositionHistoryRecord) -> tuple[int, Decimal]:
    """Return the sort key of a row: update time, then closed quantity for rows with the same time."""
    return millis(record.update_at), _figure(record.closed_qty)


def compute_booking_amount(record: StatementRecord) -> Decimal:
    """Compute the signed amount of a statement row, in its coin; for interest including what was added to the debt."""
    if record.statement_type == DEDUCT_INTEREST:
        return -(compute_interest_taken(record) or ZERO)
    return _figure(record.delta_amount)


def compute_interest_taken(record: StatementRecord) -> Decimal | None:
    """Compute the interest of a statement row, from balance or added to debt, in coins; None when a number is missing."""
    pairs = [(record.before_available, record.after_available), (record.after_overdraw, record.before_overdraw)]
    # Rows of the loan statement tell no margin debt.
    if record.after_borrow or record.before_borrow:
        pairs.append((record.after_borrow, record.before_borrow))
    total = ZERO
    for high_text, low_text in pairs:
        high, low = decimals.optional(high_text), decimals.optional(low_text)
        if high is None or low is None:
            return None
        total += high - low
    return total


def deduct_loans(gross: Decimal | None, loans: list[Decimal | None]) -> Decimal | None:
    """Subtract loans from gross equity, which includes borrowed coins; None when a number is missing."""
    if gross is None or None in loans:
        return None
    return gross - sum((loan for loan in loans if loan is not None), ZERO)


def net_equity(record: AccountRecord, assets: Iterable[AssetRecord]) -> Decimal | None:
    """Compute the equity of a venue's account without portfolio loans; None when a number is missing.

    Args:
        record: Account; a push of one with a loan says it itself.
        assets: Assets of all venues.
    """
    if isinstance(record.net_equity, str):
        return decimals.optional(record.net_equity)
    of_venue = (asset for asset in assets if asset.exchange_type == record.exchange_type)
    loans = [decimals.optional(asset.loan_value) for asset in of_venue if isinstance(asset.loan_value, str)]
    return deduct_loans(decimals.optional(record.equity), loans)


def _figure(text: str | None) -> Decimal:
    return decimals.optional(text) or ZERO


def add_debts(debt: Decimal | None, loan: Decimal | None) -> Decimal | None:
    """Add the margin debt and the portfolio loan of a coin; None if one of them is not readable."""
    return None if debt is None or loan is None else debt + loan
