"""Commands that move money between accounts, and the queries that show their outcome."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from tui.engine.commands.proofs import AccountCommandKind, Finding, Proof, never
from tui.engine.rows import AccountCommandRow, CommandState
from tui.interface.decimals import format_grouped, optional
from tui.interface.families.accounts import CustodyKind, CustodyRecord, CustodyStatus, MoveCustody
from tui.interface.families.deposits import (
    ApplyWithdrawal,
    DepositVenue,
    SetDepositVenue,
    WithdrawalRecord,
    WithdrawalStatus,
)
from tui.interface.families.transfers import ApplyTransfer, TransferRecord
from tui.interface.request import CLIENT_ORDER_ID, read_arguments

CLOCKS_MS = 2_000
"""Allowance for the service's clock running behind, ms."""
_NOT_FOUND = frozenset([404910])
"""Error code for an unknown transfer, withdrawal or custody action."""


def leaves_portfolio(args: Mapping[str, str], portfolio: str) -> bool:
    """Return whether a transfer takes money out of the traded portfolio, which lowers its margin."""
    return read_arguments(ApplyTransfer, args).from_trade_account_id == portfolio


def withdraws_from_portfolio(args: Mapping[str, str], portfolio: str) -> bool:
    """Return whether a withdrawal takes money out of the traded portfolio, which lowers its margin."""
    return read_arguments(ApplyWithdrawal, args).account_id == portfolio


def judge_transfer(_row: AccountCommandRow, data: object) -> Finding | None:
    """Derive the outcome from the status of the transfer; an unknown status counts as still running."""
    if not isinstance(data, TransferRecord):
        return None
    if data.is_done:
        got = (
            ""
            if data.amount_received is None
            else f"{format_grouped(data.amount_received.normalize())} {data.currency} arrived"
        )
        return Finding(CommandState.DONE, f"{got}, rapid" if got and data.rapid_transfer else got)
    if data.has_failed:
        return Finding(CommandState.FAILED, data.reason)
    return Finding(CommandState.RUNNING)


def judge_withdrawal(row: AccountCommandRow, data: object) -> Finding | None:
    """Derive the outcome from the listed withdrawal with our client order id."""
    rows = data if isinstance(data, list) else []
    record = next(
        (record for record in rows if isinstance(record, WithdrawalRecord) and record.client_order_id == row.id), None
    )
    if record is None:
        return None
    if record.has_status(WithdrawalStatus.EXECUTED):
        return Finding(CommandState.DONE, f"sent, {record.tx_id2 or record.tx_id}".rstrip(", "))
    if record.has_status(WithdrawalStatus.FAILED) or record.has_status(WithdrawalStatus.REJECTED):
        return Finding(CommandState.FAILED, record.info)
    return Finding(CommandState.RUNNING)


def _judge_custody(kind: CustodyKind, row: AccountCommandRow, data: object) -> Finding | None:
    """Derive the outcome from the first identical action since the command was sent, as the service stores no id of ours."""
    wanted = read_arguments(MoveCustody, dict(row.args))
    rows = [record for record in data if isinstance(record, CustodyRecord)] if isinstance(data, list) else []
    asked = (str(kind.value), wanted.account_id, wanted.currency, optional(wanted.amount))
    mine = [
        record
        for record in rows
        if (str(record.type), str(record.account_id), record.currency, optional(record.amount)) == asked
        and int(record.created_at) >= row.sent_ms - CLOCKS_MS
    ]
    if not mine:
        return None
    first = min(mine, key=lambda record: int(record.created_at))
    if str(first.status) == str(CustodyStatus.DONE.value):
        return Finding(CommandState.DONE, f"{first.amount} {first.currency} moved")
    if str(first.status) == str(CustodyStatus.FAILED.value):
        return Finding(CommandState.FAILED, first.reason)
    return Finding(CommandState.RUNNING)


def _judge_deposit_venue(row: AccountCommandRow, data: object) -> Finding | None:
    if (
        isinstance(data, DepositVenue)
        and data.exchange_type == read_arguments(SetDepositVenue, dict(row.args)).exchange_type
    ):
        return Finding(CommandState.DONE, f"deposits go to {data.exchange_type}")
    return None


def _custody_kind(kind: CustodyKind) -> AccountCommandKind:
    return AccountCommandKind(
        moves_money=True, raises_risk=never, goes_on=True,
        proof=Proof(
            "custody_list",
            lambda row: {"type": str(kind.value), "currency": dict(row.args).get("currency", "")},
            partial(_judge_custody, kind),
        ),
    )  # fmt: skip


def _same_deposit(row: AccountCommandRow) -> dict[str, str]:
    return {name: text for name, text in row.args if name in ("currency", "network")}


MONEY_KINDS: Mapping[str, AccountCommandKind] = {
    "transfer": AccountCommandKind(
        moves_money=True, raises_risk=leaves_portfolio, goes_on=True,
        proof=Proof("transfer_detail", lambda row: {CLIENT_ORDER_ID: row.id}, judge_transfer, _NOT_FOUND),
    ),
    "withdraw": AccountCommandKind(
        moves_money=True, raises_risk=withdraws_from_portfolio, goes_on=True,
        proof=Proof("withdrawals", lambda row: {"currency": dict(row.args).get("currency", "")}, judge_withdrawal),
    ),
    "custody_lock": _custody_kind(CustodyKind.LOCK),
    "custody_unlock": _custody_kind(CustodyKind.UNLOCK),
    "set_deposit_venue": AccountCommandKind(
        moves_money=False, raises_risk=never, proof=Proof("deposit_venue", _same_deposit, _judge_deposit_venue),
        subject=lambda args: (args.get("currency"), args.get("network")),
    ),
}  # fmt: skip
"""Kinds by endpoint name."""
