"""What an answer of the service shows of a command about money: done, failed, running, or nothing."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tui.engine.commands.all_kinds import KINDS
from tui.engine.commands.proofs import Finding, Proof
from tui.engine.rows import AccountCommandRow, CommandState
from tui.interface.families.accounts import CustodyKind, CustodyRecord
from tui.interface.families.deposits import DepositVenue, WithdrawalRecord
from tui.interface.families.portfolio_loans import LoanOrderRecord
from tui.interface.families.transfers import TransferRecord

SENT_MS = 1_700_000_000_000
OURS = "cd1"


def verdict(endpoint: str, data: object, **args: str) -> Finding | None:
    row = AccountCommandRow(
        id=OURS, endpoint=endpoint, title=endpoint, args=tuple(args.items()), state=CommandState.UNKNOWN,
        sent_ms=SENT_MS, changed_ms=SENT_MS,
    )  # fmt: skip
    proof = KINDS[endpoint].proof
    assert isinstance(proof, Proof)
    return proof.judge(row, data)


def transfer(status: int | str, received: str | None = None, **more: Any) -> TransferRecord:
    return TransferRecord(
        transfer_id=1, currency="USDT", amount=Decimal(500), from_trade_account_id=1, to_trade_account_id=2,
        status=status, created_at=SENT_MS, amount_received=None if received is None else Decimal(received), **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (transfer(0), (CommandState.RUNNING, "")),
        (transfer(7), (CommandState.RUNNING, "")),
        (transfer(1), (CommandState.DONE, "")),
        (transfer(1, "1499.000"), (CommandState.DONE, "1,499 USDT arrived")),
        (transfer("1", "499", rapid_transfer=True), (CommandState.DONE, "499 USDT arrived, rapid")),
        (transfer(2, reason="the account is being liquidated"), (CommandState.FAILED, "the account is being liquidated")),
        ([], None),
        (None, None),
    ],
)  # fmt: skip
def test_transfer_outcome_follows_its_status(data: object, found: tuple[CommandState, str] | None) -> None:
    assert verdict("transfer", data) == (None if found is None else Finding(*found))


def custody(
    status: int, *, amount: str = "500", kind: int = CustodyKind.LOCK, account: int = 7, at: int = SENT_MS
) -> CustodyRecord:
    return CustodyRecord(
        action_id=at, type=kind, currency="USDT", amount=amount, account_id=account, status=status, created_at=at,
        reason="not enough" if status == 2 else "",
    )  # fmt: skip


LOCK = {"accountId": "7", "currency": "USDT", "amount": "500"}


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([custody(0)], (CommandState.RUNNING, "")),
        ([custody(1, amount="500.0")], (CommandState.DONE, "500.0 USDT moved")),
        ([custody(2)], (CommandState.FAILED, "not enough")),
        ([custody(1, at=SENT_MS + 9), custody(2, at=SENT_MS + 5)], (CommandState.FAILED, "not enough")),
        ([custody(1, at=SENT_MS - 1999)], (CommandState.DONE, "500 USDT moved")),
        ([custody(1, at=SENT_MS - 2001)], None),
        ([custody(1, amount="501")], None),
        ([custody(1, kind=CustodyKind.UNLOCK)], None),
        ([custody(1, account=8)], None),
        ([], None),
        ({}, None),
    ],
)
def test_custody_lock_outcome_is_matched_by_amount_and_time(
    rows: object, found: tuple[CommandState, str] | None
) -> None:
    assert verdict("custody_lock", rows, **LOCK) == (None if found is None else Finding(*found))


def withdrawal(status: int, client: str = OURS, **more: Any) -> WithdrawalRecord:
    return WithdrawalRecord(
        id=1, account_id=1, currency="USDT", network="TRC20", address="a", amount=Decimal(100), status=status,
        apply_time=str(SENT_MS), client_order_id=client, **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([withdrawal(1)], (CommandState.RUNNING, "")),
        ([withdrawal(2)], (CommandState.RUNNING, "")),
        ([withdrawal(3, "another"), withdrawal(3)], (CommandState.DONE, "sent")),
        ([withdrawal(3, tx_id="a")], (CommandState.DONE, "sent, a")),
        ([withdrawal(3, tx_id="a", tx_id2="b")], (CommandState.DONE, "sent, b")),
        ([withdrawal(4, info="no margin")], (CommandState.FAILED, "no margin")),
        ([withdrawal(5, info="rejected by the manager")], (CommandState.FAILED, "rejected by the manager")),
        ([withdrawal(3, "another")], None),
        ([], None),
        ("no list", None),
    ],
)
def test_withdrawal_outcome_is_found_by_its_id(rows: object, found: tuple[CommandState, str] | None) -> None:
    assert verdict("withdraw", rows) == (None if found is None else Finding(*found))


def test_deposit_venue_outcome_is_read_back() -> None:
    set_to = {"currency": "USDT", "network": "TRC20", "exchangeType": "OKX"}
    there = DepositVenue(currency="USDT", network="TRC20", exchange_type="OKX")
    other = DepositVenue(currency="USDT", network="TRC20", exchange_type="BINANCE")
    assert verdict("set_deposit_venue", there, **set_to) == Finding(CommandState.DONE, "deposits go to OKX")
    assert verdict("set_deposit_venue", other, **set_to) is None


def loan(status: str, client: str = OURS) -> LoanOrderRecord:
    return LoanOrderRecord(
        order_id="1", client_order_id=client, exchange="BINANCE", coin="USDT", amount="100", status=status,
        type="borrow", create_time=SENT_MS,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([loan("filled")], (CommandState.DONE, "100 USDT")),
        ([loan("pending")], (CommandState.RUNNING, "100 USDT")),
        ([loan("rejected")], (CommandState.FAILED, "status rejected")),
        ([loan("filled", "another")], None),
        (None, None),
    ],
)
def test_loan_outcome_is_found_by_its_id(rows: object, found: tuple[CommandState, str] | None) -> None:
    assert verdict("portfolio_loan_borrow", rows) == (None if found is None else Finding(*found))
