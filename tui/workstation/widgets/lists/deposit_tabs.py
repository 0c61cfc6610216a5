"""The lists of deposits and withdrawals."""

from __future__ import annotations

from decimal import Decimal

from tui.interface.families.accounts import BillRecord, CustodyRecord
from tui.interface.families.deposits import DepositRecord, WithdrawalRecord
from tui.interface.times import millis
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.table.columns import Cell, Field, Fields, layout, of_row
from tui.workstation.widgets.lists.fund_places import ACCOUNTS, NAMES
from tui.workstation.widgets.lists.money_cells import amount_cell, place_cell, status_cell
from tui.workstation.widgets.lists.tab import QueryTab, Rows, by_coin, sums_text, time_cell

_AMOUNT = 20


def _applied_ms(row: DepositRecord | WithdrawalRecord) -> int:
    return millis(str(row.apply_time))


def _created_ms(row: BillRecord | CustodyRecord) -> int:
    return int(row.created_at)


# Deposits

_DEPOSIT_STATUS: dict[str, Cell] = {"2": ("running", "pending"), "3": ("done", "good"), "4": ("failed", "alert")}
_DEPOSIT_FIELDS: Fields[DepositRecord] = {
    "time": Field(
        15, lambda row, view: time_cell(_applied_ms(row), view), of_row(lambda row: Decimal(_applied_ms(row))), left=True
    ),
    "to": Field(18, lambda row, view: place_cell(view, row.account_id, row.account_type), left=True, prose=True),
    "amount": Field(_AMOUNT, of_row(lambda row: amount_cell(row.amount, row.currency)), of_row(lambda row: row.amount)),
    "network": Field(10, of_row(lambda row: (f" {row.network}", "dim")), left=True, title=" network"),
    "status": Field(9, of_row(lambda row: status_cell(row.status, _DEPOSIT_STATUS)), left=True),
    "info": Field(30, of_row(lambda row: (row.info, "alert")), left=True, prose=True, hide=1),
    "tx": Field(24, of_row(lambda row: (row.tx_id, "dim")), left=True, prose=True, hide=2),
    "id": Field(17, of_row(lambda row: (str(row.id), "dim")), left=True, hide=3),
}  # fmt: skip
_DEPOSIT_LAYOUTS = (
    layout(
        _DEPOSIT_FIELDS, 118,
        ("time", 15), ("to", 20), ("amount", 20), ("network", 10), ("status", 9), ("info", 26), ("tx", 18),
    ),
    layout(_DEPOSIT_FIELDS, 78, ("time", 15), ("to", 18), ("amount", 18), ("network", 10), ("status", 9)),
    layout(_DEPOSIT_FIELDS, 37, ("amount", 18), ("status", 9)),
)  # fmt: skip


def _came(rows: Rows, view: DisplayContext) -> list[str]:
    del view
    sums = by_coin([(row.currency, row.amount) for row in rows if str(row.status) == "3"])
    return [f"{sums_text(sums)} came in"] if sums else []


DEPOSITS = QueryTab(
    name="deposits", noun="deposits", fields=_DEPOSIT_FIELDS, layouts=_DEPOSIT_LAYOUTS, at=_applied_ms,
    id=lambda row: str(row.id), endpoint="deposits", sums=_came,
    names=(ACCOUNTS, NAMES),
)  # fmt: skip

# Withdrawals

_WITHDRAWAL_STATUS: dict[str, Cell] = {
    "1": ("waiting", "pending"), "2": ("approved", "pending"), "3": ("sent", "good"), "4": ("failed", "alert"),
    "5": ("rejected", "alert"),
}  # fmt: skip
_WITHDRAWAL_FIELDS: Fields[WithdrawalRecord] = {
    "time": Field(
        15, lambda row, view: time_cell(_applied_ms(row), view), of_row(lambda row: Decimal(_applied_ms(row))), left=True
    ),
    "from": Field(18, lambda row, view: place_cell(view, row.account_id, row.from_account_type), left=True, prose=True),
    "amount": Field(_AMOUNT, of_row(lambda row: amount_cell(row.amount, row.currency)), of_row(lambda row: row.amount)),
    "network": Field(10, of_row(lambda row: (f" {row.network}", "dim")), left=True, title=" network"),
    "address": Field(24, of_row(lambda row: (row.address_tag or row.address, "text")), left=True, prose=True),
    "status": Field(10, of_row(lambda row: status_cell(row.status, _WITHDRAWAL_STATUS)), left=True),
    "info": Field(26, of_row(lambda row: (row.info, "alert")), left=True, prose=True, hide=1),
    "tx": Field(24, of_row(lambda row: (row.tx_id2 or row.tx_id, "dim")), left=True, prose=True, hide=2),
    "id": Field(17, of_row(lambda row: (str(row.id), "dim")), left=True, hide=3),
}  # fmt: skip
_WITHDRAWAL_LAYOUTS = (
    layout(
        _WITHDRAWAL_FIELDS, 118,
        ("time", 15), ("from", 18), ("amount", 18), ("network", 10), ("address", 26), ("status", 10), ("info", 21),
    ),
    layout(_WITHDRAWAL_FIELDS, 78, ("time", 15), ("amount", 17), ("network", 10), ("address", 22), ("status", 10)),
    layout(_WITHDRAWAL_FIELDS, 37, ("amount", 18), ("status", 10)),
)  # fmt: skip


def _went(rows: Rows, view: DisplayContext) -> list[str]:
    del view
    sums = by_coin([(row.currency, row.amount) for row in rows if str(row.status) == "3"])
    return [f"{sums_text(sums)} left"] if sums else []


WITHDRAWALS = QueryTab(
    name="withdrawals", noun="withdrawals", fields=_WITHDRAWAL_FIELDS, layouts=_WITHDRAWAL_LAYOUTS, at=_applied_ms,
    id=lambda row: str(row.id), endpoint="withdrawals", follows=("withdraw",), sums=_went,
    names=(ACCOUNTS, NAMES),
)  # fmt: skip
