"""Commands that move money between accounts, and how the service shows what became of them."""

from __future__ import annotations

from collections.abc import Mapping

from tui.engine.account_commands.kinds import AccountCommandKind, Finding, Proof
from tui.engine.rows import AccountCommandRow, CommandState
from tui.interface.decimals import grouped
from tui.interface.endpoint import CLIENT_ORDER_ID
from tui.interface.families.transfers import TransferName, TransferRecord

_NOT_FOUND = frozenset([404910])
"""Code by which the service says that it knows no such transfer, withdrawal or custody action."""


def leaves_portfolio(args: Mapping[str, str], portfolio: str) -> bool:
    """Money that leaves the portfolio that is traded lowers its margin."""
    return args.get(TransferName.FROM_ACCOUNT) == portfolio


def judge_transfer(_row: AccountCommandRow, data: object) -> Finding | None:
    """By the status of the transfer; one that this program does not know counts as running."""
    if not isinstance(data, TransferRecord):
        return None
    if data.is_done:
        got = (
            ""
            if data.amount_received is None
            else f"{grouped(data.amount_received.normalize())} {data.currency} arrived"
        )
        return Finding(CommandState.DONE, f"{got}, rapid" if got and data.rapid_transfer else got)
    if data.has_failed:
        return Finding(CommandState.FAILED, data.reason)
    return Finding(CommandState.RUNNING)


MONEY_KINDS: Mapping[str, AccountCommandKind] = {
    "transfer": AccountCommandKind(
        moves_money=True, raises_risk=leaves_portfolio, goes_on=True,
        proof=Proof("transfer_detail", lambda row: {CLIENT_ORDER_ID: row.id}, judge_transfer, _NOT_FOUND),
    ),
}  # fmt: skip
"""By the name of the row."""
