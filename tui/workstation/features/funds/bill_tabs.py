"""The lists of bills, custody actions, and of the addresses that were asked for."""

from __future__ import annotations

from decimal import Decimal

from tui.interface.decimals import ZERO
from tui.interface.families.accounts import BillRecord, CustodyRecord
from tui.interface.families.deposits import DepositAddress, DepositRecord, WithdrawalRecord
from tui.interface.times import millis
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.table.columns import Cell, Field, Fields, layout, of_row
from tui.workstation.widgets.lists.fund_places import ACCOUNTS, NAMES
from tui.workstation.widgets.lists.money_cells import amount_cell, place_cell, status_cell
from tui.workstation.widgets.lists.tab import ListTab, QueryTab, Rows, in_coin, time_cell

_AMOUNT = 20


def _applied_ms(row: DepositRecord | WithdrawalRecord) -> int:
    return millis(str(row.apply_time))


def _created_ms(row: BillRecord | CustodyRecord) -> int:
    return int(row.created_at)


# Bills

_KINDS = {"0": "deposit", "1": "transfer", "2": "withdrawal"}
_BILL_STATUS: dict[str, Cell] = {"0": ("pending", "pending"), "1": ("done", "good"), "2": ("failed", "alert")}
_BILL_FIELDS: Fields[BillRecord] = {
    "time": Field(
        15, lambda row, view: time_cell(_created_ms(row), view), of_row(lambda row: Decimal(_created_ms(row))), left=True
    ),
    "kind": Field(11, of_row(lambda row: (_KINDS.get(str(row.type), str(row.type)), "text")), left=True, prose=True),
    "from": Field(
        18, lambda row, view: place_cell(view, row.from_trade_account_id, row.from_account_type), left=True, prose=True
    ),
    "to": Field(
        18, lambda row, view: place_cell(view, row.to_trade_account_id, row.to_account_type), left=True, prose=True
    ),
    "amount": Field(_AMOUNT, of_row(lambda row: amount_cell(row.amount, row.currency)), of_row(lambda row: row.amount)),
    "arrived": Field(
        _AMOUNT, of_row(lambda row: amount_cell(row.amount_received, row.currency)),
        of_row(lambda row: row.amount_received or ZERO), hide=1,
    ),
    "fee": Field(
        14, of_row(lambda row: amount_cell(row.network_fee, row.currency)), of_row(lambda row: row.network_fee or ZERO),
        hide=2,
    ),
    "status": Field(9, of_row(lambda row: status_cell(row.status, _BILL_STATUS)), left=True, title=" status"),
    "network": Field(10, of_row(lambda row: (row.network, "dim")), left=True, hide=3),
    "id": Field(17, of_row(lambda row: (str(row.id), "dim")), left=True, hide=4),
}  # fmt: skip
_BILL_LAYOUTS = (
    layout(
        _BILL_FIELDS, 118,
        ("time", 15), ("kind", 11), ("from", 19), ("to", 19), ("amount", 18), ("arrived", 18), ("status", 9),
    ),
    layout(_BILL_FIELDS, 78, ("time", 15), ("kind", 11), ("from", 13), ("to", 13), ("amount", 16), ("status", 9)),
    layout(_BILL_FIELDS, 37, ("kind", 11), ("amount", 17), ("status", 9)),
)  # fmt: skip
BILLS = QueryTab(
    name="bills", noun="bills of this portfolio", fields=_BILL_FIELDS, layouts=_BILL_LAYOUTS, at=_created_ms,
    id=lambda row: str(row.id), endpoint="bills", follows=("transfer", "withdraw"), names=(ACCOUNTS, NAMES),
)  # fmt: skip

# Custody

_CUSTODY_FIELDS: Fields[CustodyRecord] = {
    "time": Field(
        15, lambda row, view: time_cell(_created_ms(row), view), of_row(lambda row: Decimal(_created_ms(row))), left=True
    ),
    "kind": Field(8, of_row(lambda row: ("lock" if str(row.type) == "1" else "unlock", "text")), left=True, prose=True),
    "account": Field(24, lambda row, view: place_cell(view, row.account_id, ""), left=True, prose=True),
    "amount": Field(
        _AMOUNT, of_row(lambda row: in_coin(row.amount, row.currency)),
        of_row(lambda row: number_format.value(row.amount)),
    ),
    "status": Field(9, of_row(lambda row: status_cell(row.status, _BILL_STATUS)), left=True, title=" status"),
    "reason": Field(30, of_row(lambda row: (row.reason, "alert")), left=True, prose=True, hide=1),
    "id": Field(17, of_row(lambda row: (str(row.action_id), "dim")), left=True, hide=2),
}  # fmt: skip
_CUSTODY_LAYOUTS = (
    layout(
        _CUSTODY_FIELDS, 98,
        ("time", 15), ("kind", 8), ("account", 24), ("amount", 18), ("status", 9), ("reason", 24),
    ),
    layout(_CUSTODY_FIELDS, 76, ("time", 15), ("kind", 8), ("account", 24), ("amount", 18), ("status", 9)),
    layout(_CUSTODY_FIELDS, 37, ("kind", 8), ("amount", 18), ("status", 9)),
)  # fmt: skip
CUSTODY = QueryTab(
    name="custody", noun="locks and unlocks", fields=_CUSTODY_FIELDS, layouts=_CUSTODY_LAYOUTS, at=_created_ms,
    id=lambda row: str(row.action_id), endpoint="custody_list", follows=("custody_lock", "custody_unlock"),
    names=(ACCOUNTS, NAMES),
)  # fmt: skip

# Addresses


def _list_addresses(view: DisplayContext) -> Rows:
    """The deposit addresses that were asked for in this session."""
    return [read.data for read in view.mirror.answers.values() if isinstance(read.data, DepositAddress)]


_ADDRESS_FIELDS: Fields[DepositAddress] = {
    "coin": Field(7, of_row(lambda row: (row.currency, "strong")), left=True, prose=True),
    "network": Field(10, of_row(lambda row: (row.network, "text")), left=True, prose=True),
    "address": Field(48, of_row(lambda row: (row.address, "text")), left=True, prose=True),
    "memo": Field(14, of_row(lambda row: (row.memo, "warn")), left=True, prose=True),
    "least": Field(14, of_row(lambda row: in_coin(row.minimum, "")), of_row(lambda row: number_format.value(row.minimum))),
    "for": Field(14, of_row(lambda row: (f" {row.account_type}", "dim")), left=True, prose=True, title=" for"),
}  # fmt: skip
_ADDRESS_LAYOUTS = (
    layout(
        _ADDRESS_FIELDS, 107, ("coin", 7), ("network", 10), ("address", 48), ("memo", 14), ("least", 12), ("for", 14)
    ),
    layout(_ADDRESS_FIELDS, 76, ("coin", 6), ("network", 10), ("address", 45), ("memo", 14)),
    layout(_ADDRESS_FIELDS, 37, ("coin", 6), ("address", 31)),
)  # fmt: skip
ADDRESSES = ListTab(
    name="addresses", noun="deposit addresses asked for (I on a coin asks for one)", fields=_ADDRESS_FIELDS,
    layouts=_ADDRESS_LAYOUTS, id=lambda row: row.address, rows=_list_addresses,
)  # fmt: skip
