"""Commands that borrow and repay portfolio loans; the list of loan orders shows what became of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui.engine.commands.proofs import AccountCommandKind, Finding, Proof, always, never
from tui.engine.rows import AccountCommandRow, CommandState
from tui.interface.families.portfolio_loans import FAILED, FILLED, LoanOrderRecord, LoanOrdersQuery
from tui.interface.request import arguments_of

CLOCK_SLACK_MS = 60_000
"""What the service stamps may lie this much before the moment at which a command was sent by our measure of its clock."""


def _search(row: AccountCommandRow) -> dict[str, str]:
    """Search by our client order id; the list of seven days may already be past it."""
    return arguments_of(LoanOrdersQuery(client_order_id=row.id, start_time=str(row.sent_ms - CLOCK_SLACK_MS)))


def _judge(row: AccountCommandRow, data: object) -> Finding | None:
    rows: Sequence[LoanOrderRecord] = data if isinstance(data, list) else ()
    record = next((order for order in rows if order.client_order_id == row.id), None)
    if record is None:
        return None
    if record.status in FAILED:
        return Finding(CommandState.FAILED, f"status {record.status}")
    text = f"{record.amount} {record.coin}"
    return Finding(CommandState.DONE if record.status == FILLED else CommandState.RUNNING, text)


_BY_CLIENT_ID = Proof("portfolio_loan_orders", _search, _judge)

LOAN_KINDS: Mapping[str, AccountCommandKind] = {
    "portfolio_loan_borrow": AccountCommandKind(moves_money=True, raises_risk=always, proof=_BY_CLIENT_ID),
    "portfolio_loan_repay": AccountCommandKind(moves_money=True, raises_risk=never, proof=_BY_CLIENT_ID),
}
"""By the name of the row."""
