"""What a record did to the account, signed: above 0 came in, below 0 went out. Lists, sums, cards and files use these.

The table of signs and roundings is docs/reference/signs.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from tui.interface import decimals
from tui.interface.decimals import ZERO
from tui.interface.families.history import DEDUCT_INTEREST, StatementRecord
from tui.interface.families.positions import PositionHistoryRecord
from tui.interface.times import millis
from tui.rules import pnl


def charge_of(fee: str, rebate: str) -> Decimal:
    """What fee and rebate of one coin did: a rebate is printed with either sign and is income, a fee is a cost."""
    return abs(_figure(rebate)) - _figure(fee)


def closed_net(record: PositionHistoryRecord) -> Decimal:
    """Result of a closed position after its fees less rebates, its funding and what its liquidation cost."""
    return pnl.net_result(
        _figure(record.closed_pnl),
        fee=_figure(record.fee),
        funding=_figure(record.funding_fee),
        liquidation_fee=_figure(record.liq_fee),
    )


def newest_of_each(records: Iterable[PositionHistoryRecord]) -> list[PositionHistoryRecord]:
    """The newest row of each position: one that was closed in part has told before what the next row tells again."""
    newest: dict[str, PositionHistoryRecord] = {}
    for record in records:
        known = newest.get(record.position_id)
        if known is None or _told_at(record) > _told_at(known):
            newest[record.position_id] = record
    return list(newest.values())


def _told_at(record: PositionHistoryRecord) -> tuple[int, Decimal]:
    """When a row was written, and by how much it had closed where two are of one moment."""
    return millis(record.update_at), _figure(record.closed_qty)


def booked_amount(record: StatementRecord) -> Decimal:
    """What a row of the statement did, in its coin; of interest also what was added to the debt."""
    if record.statement_type == DEDUCT_INTEREST:
        return -(owed_more(record) or ZERO)
    return _figure(record.delta_amount)


def owed_more(record: StatementRecord) -> Decimal | None:
    """Coins that interest took: out of what was there, or added to what is owed; None where a figure is missing."""
    pairs = (
        (record.before_available, record.after_available),
        (record.after_overdraw, record.before_overdraw),
        (record.after_borrow, record.before_borrow),
    )
    total = ZERO
    for more, less in pairs:
        high, low = decimals.optional(more), decimals.optional(less)
        if high is None or low is None:
            return None
        total += high - low
    return total


def net_of_loans(gross: Decimal | None, loans: list[Decimal | None]) -> Decimal | None:
    """Equity less what is owed of loans: borrowed coins are part of the gross figure. None where a part is missing."""
    if gross is None or None in loans:
        return None
    return gross - sum((loan for loan in loans if loan is not None), ZERO)


def _figure(text: str | None) -> Decimal:
    return decimals.optional(text) or ZERO
