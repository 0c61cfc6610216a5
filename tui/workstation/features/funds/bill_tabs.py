"""Lists of bills, custody actions and requested deposit addresses."""

from __future__ import annotations

from tui.interface.families.accounts import BillRecord, CustodyRecord
from tui.interface.families.deposits import DepositAddress
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.table.column_kinds import show_amount, show_name, show_text, show_time
from tui.workstation.table.columns import Cell, Field, Fields, of_row
from tui.workstation.widgets.lists.fund_accounts import ACCOUNTS, NAMES
from tui.workstation.widgets.lists.money_cells import booking_ms, name_account, status_cell
from tui.workstation.widgets.lists.tab import ListTab, QueryTab, Rows

# Bills

_KINDS = {"0": "deposit", "1": "transfer", "2": "withdrawal"}
_BILL_STATUS: dict[str, Cell] = {"0": ("pending", "pending"), "1": ("done", "good"), "2": ("failed", "alert")}
_BILL_FIELDS: Fields[BillRecord] = {
    "time": show_time(booking_ms, hide=1),
    "kind": show_text(lambda row: _KINDS.get(str(row.type), str(row.type)), 11),
    "from": show_name(
        lambda row, view: name_account(view, row.from_trade_account_id, row.from_account_type), 19, least=13, hide=1
    ),
    "to": show_name(
        lambda row, view: name_account(view, row.to_trade_account_id, row.to_account_type), 19, least=13, hide=1
    ),
    "amount": show_amount(lambda row: row.amount, 18, lambda row: row.currency, least=16),
    "arrived": show_amount(lambda row: row.amount_received, 18, lambda row: row.currency, hide=2),
    "fee": show_amount(lambda row: row.network_fee, 14, lambda row: row.currency, hide=12),
    "status": Field(9, of_row(lambda row: status_cell(row.status, _BILL_STATUS)), left=True, title=" status"),
    "network": show_text(lambda row: row.network, 10, "dim", prose=False, hide=13),
    "id": show_text(lambda row: str(row.id), 17, "dim", prose=False, hide=14),
}
BILLS = QueryTab(
    name="bills", empty="no bills of this portfolio", fields=_BILL_FIELDS, at=booking_ms,
    id=lambda row: str(row.id), endpoint="bills", follows=("transfer", "withdraw"), names=(ACCOUNTS, NAMES),
)  # fmt: skip

# Custody

_CUSTODY_FIELDS: Fields[CustodyRecord] = {
    "time": show_time(booking_ms, hide=1),
    "kind": show_text(lambda row: "lock" if str(row.type) == "1" else "unlock", 8),
    "account": show_name(lambda row, view: name_account(view, row.account_id, ""), 24, hide=1),
    "amount": show_amount(lambda row: row.amount, 18, lambda row: row.currency),
    "status": Field(9, of_row(lambda row: status_cell(row.status, _BILL_STATUS)), left=True, title=" status"),
    "reason": show_text(lambda row: row.reason, 24, "alert", hide=2),
    "id": show_text(lambda row: str(row.action_id), 17, "dim", prose=False, hide=12),
}
CUSTODY = QueryTab(
    name="custody", empty="no locks and unlocks", fields=_CUSTODY_FIELDS, at=booking_ms,
    id=lambda row: str(row.action_id), endpoint="custody_list", follows=("custody_lock", "custody_unlock"),
    names=(ACCOUNTS, NAMES),
)  # fmt: skip

# Addresses


def _list_addresses(view: DisplayContext) -> Rows:
    """List the deposit addresses that were requested in this session."""
    return [read.data for read in view.mirror.answers.values() if isinstance(read.data, DepositAddress)]


_ADDRESS_FIELDS: Fields[DepositAddress] = {
    "coin": show_text(lambda row: row.currency, 7, "strong", least=6),
    "network": show_text(lambda row: row.network, 10, hide=1),
    "address": show_text(lambda row: row.address, 48, least=31),
    "memo": show_text(lambda row: row.memo, 14, "warn", hide=1),
    "least": show_amount(lambda row: row.minimum, 12, hide=2),
    "for": show_text(lambda row: f" {row.account_type}", 14, "dim", title=" for", hide=2),
}
ADDRESSES = ListTab(
    name="addresses", empty="no requested deposit addresses (I on a coin requests one)", fields=_ADDRESS_FIELDS,
    id=lambda row: f"{row.currency}/{row.network}/{row.account_type}/{row.address}/{row.memo}", rows=_list_addresses,
)  # fmt: skip
