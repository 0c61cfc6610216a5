"""Changes of balances that the account statement leaves out, as its rows: from the bills and from the loan statement."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import groupby

import msgspec

from tui.engine.loan_fields import convert_loan_rows, is_of_loans
from tui.engine.service_reading.past_lists import PastList
from tui.interface import decimals
from tui.interface.families.accounts import BILLS, BillKind, BillRecord, BillStatus
from tui.interface.families.history import StatementRecord
from tui.interface.families.portfolio_loans import PORTFOLIO_LOAN_STATEMENT, LoanStatementRecord
from tui.interface.times import millis

BILL_ROWS = PastList(endpoint=BILLS, window=("startTime", "endTime"))
LOAN_ROWS = PastList(endpoint=PORTFOLIO_LOAN_STATEMENT, row_id=("statement_id",), window=("startTime", "endTime"))
NARROWING = ("sym", "statementType")
"""Filters of the statement that no such row passes."""
_OF_BILLS = "bill "
"""Id prefix of rows taken from the bills."""
_KINDS = {str(kind.value): kind.name for kind in BillKind}


def list_other_bookings(
    rows: Sequence[StatementRecord],
    bills: Iterable[BillRecord],
    loans: Iterable[LoanStatementRecord],
    portfolio: str,
    *,
    exchange: str = "",
    coin: str = "",
) -> list[StatementRecord]:
    """Convert transfers, deposits, withdrawals and loans to statement rows; compute balances from the rows around.

    Args:
        rows: Rows of the statement in the order of the service, newest first; those of other portfolios tell no balance.
        bills: Bills of the same time.
        loans: Rows of the loan statement of the same time.
        portfolio: The portfolio.
        exchange: Only this venue; empty: all.
        coin: Only this coin; empty: all.
    """
    others = [*(row for bill in bills for row in _convert_bill(bill, portfolio)), *convert_loan_rows(loans, portfolio)]
    kept = [row for row in others if exchange in ("", row.exchange_type) and coin in ("", row.coin)]
    return _add_balances([row for row in rows if str(row.portfolio_id or portfolio) == portfolio], kept)


def is_other_booking(row: StatementRecord) -> bool:
    """Return whether a statement row was made from a bill or from the loan statement."""
    return row.statement_id.startswith(_OF_BILLS) or is_of_loans(row.statement_id)


def has_changes_between(rows: Sequence[StatementRecord]) -> bool:
    """Return whether a balance changed between two successive rows of a venue and coin, so that a booking is missing.

    Args:
        rows: Rows of one portfolio as read, those that other lists added among them.
    """
    ends: dict[tuple[str, str], Decimal | None] = {}
    others = [row for row in rows if is_other_booking(row)]
    for row in _sort_by_time([row for row in rows if not is_other_booking(row)], others):
        place = row.exchange_type, row.coin
        before, end = decimals.optional(row.before_available), ends.get(place)
        if before is not None and end is not None and before != end:
            return True
        moved = None if end is None else end + (decimals.optional(row.delta_amount) or decimals.ZERO)
        ends[place] = decimals.optional(row.after_available) if row.after_available else moved
    return False


def _convert_bill(bill: BillRecord, portfolio: str) -> Iterator[StatementRecord]:
    """Yield one row for each venue of the portfolio that a bill moves money from or to, with empty balances."""
    if str(bill.status) != str(BillStatus.DONE.value):
        return
    arrived = bill.amount if bill.amount_received is None else bill.amount_received
    for owner, venue, amount in (
        (bill.from_trade_account_id, bill.from_account_type, -bill.amount),
        (bill.to_trade_account_id, bill.to_account_type, arrived),
    ):
        if str(owner) == portfolio and venue:
            yield StatementRecord(
                portfolio_id=portfolio,
                request_id=str(bill.id),
                statement_id=f"{_OF_BILLS}{bill.id} {venue}",
                coin=bill.currency,
                statement_type=_KINDS.get(str(bill.type), str(bill.type)),
                exchange_type=venue,
                before_available="",
                after_available="",
                before_borrow="",
                after_borrow="",
                delta_amount=decimals.plain(amount),
                create_at=bill.created_at,
            )


def _sort_by_time(rows: Sequence[StatementRecord], others: Sequence[StatementRecord]) -> list[StatementRecord]:
    """Merge statement rows (given newest first) and other rows, oldest first; rows of one time by their balances."""
    by_time = sorted([*reversed(rows), *others], key=_creation_ms)
    return [row for _, moment in groupby(by_time, _creation_ms) for row in _link_balances(list(moment))]


def _creation_ms(row: StatementRecord) -> int:
    return millis(str(row.create_at))


def _link_balances(left: list[StatementRecord]) -> Iterator[StatementRecord]:
    """Order rows of the same time so that each begins with the balance with which the one before ended."""
    while len(left) > 1:
        first = next((row for row in left if not any(_is_behind(row, other) for other in left)), left[0])
        left.remove(first)
        yield first
    yield from left


def _is_behind(row: StatementRecord, other: StatementRecord) -> bool:
    """Return whether a row begins with the balance with which another row of its venue and coin ended."""
    if row is other or (row.exchange_type, row.coin) != (other.exchange_type, other.coin):
        return False
    before = decimals.optional(row.before_available)
    return before is not None and before == decimals.optional(other.after_available)


def _add_balances(rows: Sequence[StatementRecord], others: Sequence[StatementRecord]) -> list[StatementRecord]:
    """Compute the balances of the other rows from the row before or after; empty if unknown or contradictory.

    They stay empty, too, where both do not lead to the same: then a change between them is not known.
    """
    chains: dict[tuple[str, str], list[StatementRecord]] = defaultdict(list)
    for row in _sort_by_time(rows, others):
        chains[row.exchange_type, row.coin].append(row)
    filled: dict[str, StatementRecord] = {}
    for chain in chains.values():
        _fill_chain(chain, filled)
    return [filled.get(row.statement_id, row) for row in others]


def _fill_chain(chain: list[StatementRecord], filled: dict[str, StatementRecord]) -> None:
    """Compute the missing balances in the rows of one venue and coin, oldest first; put them in `filled`."""
    before: Decimal | None = None
    gap: list[StatementRecord] = []
    for row in chain:
        if not row.after_available:
            gap.append(row)
            continue
        _fill_gap(gap, before, decimals.optional(row.before_available), filled)
        before, gap = decimals.optional(row.after_available), []
    _fill_gap(gap, before, None, filled)


def _fill_gap(
    gap: list[StatementRecord], before: Decimal | None, behind: Decimal | None, filled: dict[str, StatementRecord]
) -> None:
    """Compute the balances of rows between two known balances, or from one; none if both contradict each other."""
    moved = sum((Decimal(row.delta_amount) for row in gap), decimals.ZERO)
    if before is None and behind is not None:
        before = behind - moved
    if before is None or behind not in (None, before + moved):
        return
    for row in gap:
        after = before + Decimal(row.delta_amount)
        filled[row.statement_id] = _with_balances(row, before, after)
        before = after


def _with_balances(row: StatementRecord, before: Decimal, after: Decimal) -> StatementRecord:
    return msgspec.structs.replace(row, before_available=decimals.plain(before), after_available=decimals.plain(after))
