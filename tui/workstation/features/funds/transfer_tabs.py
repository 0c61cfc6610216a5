"""Lists of transfers and of account balances."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tui.engine.service_query import ListRead
from tui.interface.decimals import ZERO, optional
from tui.interface.families.accounts import AccountBalances
from tui.interface.families.transfers import TransferRecord
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.table.column_kinds import show_amount, show_money, show_name, show_text, show_time
from tui.workstation.table.columns import Cell, Field, Fields, of_row
from tui.workstation.widgets.lists import fund_accounts
from tui.workstation.widgets.lists.fund_accounts import ACCOUNTS, NAMES, FundAccountRef
from tui.workstation.widgets.lists.money_cells import booking_ms, name_account, status_cell
from tui.workstation.widgets.lists.tab import QueryTab, Rows, sum_by_coin, sums_text

# Transfers


_STATUS: dict[str, Cell] = {"0": ("running", "pending"), "1": ("done", "good"), "2": ("failed", "alert")}


def _route_cell(row: TransferRecord) -> Cell:
    if row.rapid_transfer:
        return "rapid", "good"
    return (row.network, "dim") if row.network else ("same venue", "dim")


def _sums(rows: Rows, view: DisplayContext) -> Sequence[Sequence[str]]:
    """Sum the amounts and the network fees of the completed transfers, by coin."""
    del view
    done = [row for row in rows if row.is_done]
    arrived = sum_by_coin([(row.currency, row.amount_received or ZERO) for row in done])
    fees = sum_by_coin([(row.currency, row.network_fee or ZERO) for row in done])
    parts = [f"{sums_text(arrived)} arrived"] if arrived else []
    return [[*parts, f"{sums_text(fees)} fees"] if fees else parts]


_TRANSFER_FIELDS: Fields[TransferRecord] = {
    "time": show_time(booking_ms, hide=1),
    "from": show_name(
        lambda row, view: name_account(view, row.from_trade_account_id, row.from_account_type), 18, least=14, hide=1
    ),
    "to": show_name(lambda row, view: name_account(view, row.to_trade_account_id, row.to_account_type), 18, least=13),
    "amount": show_amount(lambda row: row.amount, 18, lambda row: row.currency, least=15),
    "arrived": show_amount(lambda row: row.amount_received if row.is_done else None, 18, lambda row: row.currency, hide=2),
    "fee": show_amount(lambda row: row.network_fee if row.is_done else None, 14, lambda row: row.currency, hide=13),
    "status": Field(9, of_row(lambda row: status_cell(row.status, _STATUS)), left=True, title=" status"),
    "way": Field(20, of_row(_route_cell), left=True, prose=True, hide=1, least=10),
    "reason": show_text(lambda row: row.reason, 30, "alert", hide=14),
    "id": show_text(lambda row: str(row.transfer_id), 17, "dim", prose=False, hide=15),
}  # fmt: skip

TRANSFERS = QueryTab(
    name="transfers", empty="no transfers", fields=_TRANSFER_FIELDS, at=booking_ms,
    id=lambda row: str(row.transfer_id), endpoint="transfers", follows=("transfer",), sums=_sums,
    names=(ACCOUNTS, NAMES),
)  # fmt: skip

# Balances of accounts


class BalanceRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Balance of one coin in an account; exported with the field names of the REST interface."""

    account_id: str
    venues: str
    account_type: str
    account_note: str
    currency: str
    total_balance: str
    available: str
    withdraw_available: str
    frozen: str
    value_usdt: str
    account: FundAccountRef

    @property
    def key(self) -> str:
        return f"{self.account.key}/{self.currency}"


def _list_balances(answer: ListRead, view: DisplayContext) -> Sequence[BalanceRow]:
    """List every coin of every account."""
    del view
    return [
        BalanceRow(
            account_id=str(balances.account_id), venues=balances.venues, account_type=balances.account_type,
            account_note=balances.account_note, currency=coin.currency, total_balance=coin.total_balance,
            available=coin.available, withdraw_available=coin.withdraw_available, frozen=coin.frozen,
            value_usdt=coin.value_usdt, account=fund_accounts.account_of(balances),
        )
        for balances in answer.rows
        if isinstance(balances, AccountBalances)
        for coin in balances.asset_info
    ]  # fmt: skip


def _sum_values(rows: Rows, view: DisplayContext) -> Sequence[Sequence[str]]:
    values = [optional(row.value_usdt) for row in rows]
    known = [value for value in values if value is not None]
    return [[f"worth {view.amount(sum(known, ZERO))} USDT"]] if known else []


_BALANCE_FIELDS: Fields[BalanceRow] = {
    "account": show_text(lambda row: row.account.name, 32, least=16),
    "coin": show_text(lambda row: row.currency, 7, "strong", least=6),
    "balance": show_amount(lambda row: row.total_balance, 17, least=15, hide=1),
    "can leave": show_amount(lambda row: row.withdraw_available, 17, least=15),
    "frozen": show_amount(lambda row: row.frozen, 12, hide=2),
    "value": show_money(lambda row: row.value_usdt, 13, "strong", least=11, hide=1),
    "type": show_text(lambda row: f" {row.account_type}", 10, "dim", prose=False, hide=13, title=" type"),
}

BALANCES = QueryTab(
    name="balances", empty="no balances of accounts", fields=_BALANCE_FIELDS,
    id=lambda row: row.key, endpoint="account_balances", pick=_list_balances, follows=("transfer",), sums=_sum_values,
    names=(ACCOUNTS, NAMES),
)  # fmt: skip
