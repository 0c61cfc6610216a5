"""Commands that borrow and repay portfolio loans; their outcome is read from the list of loan orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui.engine.commands.proofs import AccountCommandKind, Finding, Proof, always, never
from tui.engine.rows import AccountCommandRow, CommandState
from tui.interface.families.portfolio_loans import FAILED, FILLED, LoanOrderRecord, LoanOrdersQuery
from tui.interface.request import arguments_of

CLOCK_SLACK_MS = 60_000
"""Allowance for the service's stamps being earlier than our measure of its clock, ms."""


def _search(row: AccountCommandRow) -> dict[str, str]:
    """Build the query for a loan order by client order id; the start time allows orders older than seven days."""
    return arguments_of(LoanOrdersQuery(client_order_id=row.id, start_time=str(row.sent_ms - CLOCK_SLACK_MS)))


def _judge(row: AccountCommandRow, data: object) -> Finding | None:
    rows: Sequence[LoanOrderRecord] = data if isinstance(data, list) else ()
    order = next((order for order in rows if order.client_order_id == row.id), None)
    if order is None:
        return None
    if order.status in FAILED:
        return Finding(CommandState.FAILED, f"status {order.status}")
    text = f"{order.amount} {order.coin}"
    return Finding(CommandState.DONE if order.status == FILLED else CommandState.RUNNING, text)


_BY_CLIENT_ID = Proof("portfolio_loan_orders", _search, _judge)

LOAN_KINDS: Mapping[str, AccountCommandKind] = {
    "portfolio_loan_borrow": AccountCommandKind(moves_money=True, raises_risk=always, proof=_BY_CLIENT_ID),
    "portfolio_loan_repay": AccountCommandKind(moves_money=True, raises_risk=never, proof=_BY_CLIENT_ID),
}
"""Kinds by endpoint name."""
