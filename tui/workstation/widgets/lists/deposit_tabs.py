"""Lists of deposits and withdrawals."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tui.interface.families.deposits import DepositRecord, WithdrawalRecord
from tui.interface.times import millis
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.table.column_kinds import show_amount, show_name, show_text, show_time
from tui.workstation.table.columns import Cell, Field, Fields, of_row
from tui.workstation.widgets.lists.fund_accounts import ACCOUNTS, NAMES
from tui.workstation.widgets.lists.money_cells import name_account, status_cell
from tui.workstation.widgets.lists.tab import QueryTab, sum_by_coin, sums_text


def _application_ms(row: DepositRecord | WithdrawalRecord) -> int:
    return millis(str(row.apply_time))


def _sum_done(
    done: str, rows: Sequence[DepositRecord | WithdrawalRecord], view: DisplayContext
) -> Sequence[Sequence[str]]:
    """Return the total per coin of completed deposits or withdrawals, as text ending in `done`; empty if none."""
    del view
    sums = sum_by_coin([(row.currency, row.amount) for row in rows if str(row.status) == "3"])
    return [[f"{sums_text(sums)} {done}"]] if sums else []


# Deposits

_DEPOSIT_STATUS: dict[str, Cell] = {"2": ("running", "pending"), "3": ("done", "good"), "4": ("failed", "alert")}
_DEPOSIT_FIELDS: Fields[DepositRecord] = {
    "time": show_time(_application_ms, hide=1),
    "to": show_name(lambda row, view: name_account(view, row.account_id, row.account_type), 20, least=18, hide=1),
    "amount": show_amount(lambda row: row.amount, 20, lambda row: row.currency, least=16),
    "network": show_text(lambda row: f" {row.network}", 10, "dim", prose=False, title=" network", hide=1),
    "status": Field(9, of_row(lambda row: status_cell(row.status, _DEPOSIT_STATUS)), left=True),
    "info": show_text(lambda row: row.info, 26, "alert", hide=2),
    "tx": show_text(lambda row: row.tx_id, 18, "dim", hide=2),
    "id": show_text(lambda row: str(row.id), 17, "dim", prose=False, hide=13),
}

DEPOSITS = QueryTab(
    name="deposits", empty="no deposits", fields=_DEPOSIT_FIELDS, at=_application_ms,
    id=lambda row: str(row.id), endpoint="deposits", sums=partial(_sum_done, "came in"),
    names=(ACCOUNTS, NAMES),
)  # fmt: skip

# Withdrawals

_WITHDRAWAL_STATUS: dict[str, Cell] = {
    "1": ("waiting", "pending"), "2": ("approved", "pending"), "3": ("sent", "good"), "4": ("failed", "alert"),
    "5": ("rejected", "alert"),
}  # fmt: skip
_WITHDRAWAL_FIELDS: Fields[WithdrawalRecord] = {
    "time": show_time(_application_ms, hide=1),
    "from": show_name(lambda row, view: name_account(view, row.account_id, row.from_account_type), 18, hide=2),
    "amount": show_amount(lambda row: row.amount, 18, lambda row: row.currency, least=15),
    "network": show_text(lambda row: f" {row.network}", 10, "dim", prose=False, title=" network", hide=2),
    "address": show_text(lambda row: row.address_tag or row.address, 26, least=22, hide=1),
    "status": Field(10, of_row(lambda row: status_cell(row.status, _WITHDRAWAL_STATUS)), left=True),
    "info": show_text(lambda row: row.info, 21, "alert", hide=2),
    "tx": show_text(lambda row: row.tx_id2 or row.tx_id, 24, "dim", hide=12),
    "id": show_text(lambda row: str(row.id), 17, "dim", prose=False, hide=13),
}

WITHDRAWALS = QueryTab(
    name="withdrawals", empty="no withdrawals", fields=_WITHDRAWAL_FIELDS, at=_application_ms,
    id=lambda row: str(row.id), endpoint="withdrawals", follows=("withdraw",), sums=partial(_sum_done, "left"),
    names=(ACCOUNTS, NAMES),
)  # fmt: skip
