"""The lists of transfers and of the balances of accounts."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import msgspec

from tui.engine.service_query import ListRead
from tui.interface.decimals import ZERO, optional
from tui.interface.families.accounts import AccountBalances
from tui.interface.families.transfers import TransferRecord
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.table.columns import Cell, Field, Fields, layout, of_row
from tui.workstation.widgets.lists import fund_places
from tui.workstation.widgets.lists.fund_places import ACCOUNTS, NAMES, Place
from tui.workstation.widgets.lists.money_cells import amount_cell, place_cell, status_cell
from tui.workstation.widgets.lists.tab import QueryTab, Rows, by_coin, sums_text, time_cell

# Transfers


def _created_at_ms(row: TransferRecord) -> int:
    return int(row.created_at)


_STATUS: dict[str, Cell] = {"0": ("running", "pending"), "1": ("done", "good"), "2": ("failed", "alert")}


def _way(row: TransferRecord) -> Cell:
    if row.rapid_transfer:
        return "rapid", "good"
    return (row.network, "dim") if row.network else ("same venue", "dim")


def _sums(rows: Rows, view: DisplayContext) -> list[str]:
    """What has arrived, and what the networks took."""
    del view
    done = [row for row in rows if row.is_done]
    arrived = by_coin([(row.currency, row.amount_received or ZERO) for row in done])
    fees = by_coin([(row.currency, row.network_fee or ZERO) for row in done])
    parts = [f"{sums_text(arrived)} arrived"] if arrived else []
    return [*parts, f"{sums_text(fees)} fees"] if fees else parts


_TRANSFER_FIELDS: Fields[TransferRecord] = {
    "time": Field(
        15, lambda row, view: time_cell(_created_at_ms(row), view),
        of_row(lambda row: Decimal(_created_at_ms(row))), left=True,
    ),
    "from": Field(
        18, lambda row, view: place_cell(view, row.from_trade_account_id, row.from_account_type), left=True, prose=True
    ),
    "to": Field(
        18, lambda row, view: place_cell(view, row.to_trade_account_id, row.to_account_type), left=True, prose=True
    ),
    "amount": Field(20, of_row(lambda row: amount_cell(row.amount, row.currency)), of_row(lambda row: row.amount)),
    "arrived": Field(
        20, of_row(lambda row: amount_cell(row.amount_received if row.is_done else None, row.currency)),
        of_row(lambda row: row.amount_received or ZERO), hide=2,
    ),
    "fee": Field(
        14, of_row(lambda row: amount_cell(row.network_fee if row.is_done else None, row.currency)),
        of_row(lambda row: row.network_fee or ZERO), hide=3,
    ),
    "status": Field(9, of_row(lambda row: status_cell(row.status, _STATUS)), left=True, title=" status"),
    "way": Field(11, of_row(_way), left=True, prose=True, hide=1),
    "reason": Field(30, of_row(lambda row: (row.reason, "alert")), left=True, prose=True, hide=4),
    "id": Field(17, of_row(lambda row: (str(row.transfer_id), "dim")), left=True, hide=5),
}  # fmt: skip
_TRANSFER_LAYOUTS = (
    layout(
        _TRANSFER_FIELDS, 118,
        ("time", 15), ("from", 18), ("to", 18), ("amount", 18), ("arrived", 18), ("status", 9), ("way", 20),
    ),
    layout(
        _TRANSFER_FIELDS, 78, ("time", 15), ("from", 14), ("to", 14), ("amount", 16), ("status", 9), ("way", 10)
    ),
    layout(_TRANSFER_FIELDS, 37, ("to", 13), ("amount", 15), ("status", 9)),
)  # fmt: skip

TRANSFERS = QueryTab(
    name="transfers", noun="transfers", fields=_TRANSFER_FIELDS, layouts=_TRANSFER_LAYOUTS, at=_created_at_ms,
    id=lambda row: str(row.transfer_id), endpoint="transfers", follows=("transfer",), sums=_sums,
    names=(ACCOUNTS, NAMES),
)  # fmt: skip

# Balances of accounts


class HeldRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One coin of an account as a row, with the names of the interface in the file."""

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
    place: Place

    @property
    def key(self) -> str:
        return f"{self.place.key}/{self.currency}"


def _flat(answer: ListRead, view: DisplayContext) -> Sequence[HeldRow]:
    """A row for each coin of each account."""
    del view
    return [
        HeldRow(
            account_id=str(one.account_id), venues=one.venues, account_type=one.account_type,
            account_note=one.account_note, currency=coin.currency, total_balance=coin.total_balance,
            available=coin.available, withdraw_available=coin.withdraw_available, frozen=coin.frozen,
            value_usdt=coin.value_usdt, place=fund_places.place_of_balances(one),
        )
        for one in answer.rows
        if isinstance(one, AccountBalances)
        for coin in one.asset_info
    ]  # fmt: skip


def _coins(text: str) -> Cell:
    return number_format.figure(text, 2, exact=True), "text" if optional(text) else "faint"


def _worth(rows: Rows, view: DisplayContext) -> list[str]:
    values = [optional(row.value_usdt) for row in rows]
    known = [value for value in values if value is not None]
    return [f"worth {view.amount(sum(known, ZERO))} USDT"] if known else []


_HELD_FIELDS: Fields[HeldRow] = {
    "account": Field(30, of_row(lambda row: (row.place.name, "text")), left=True, prose=True),
    "coin": Field(7, of_row(lambda row: (row.currency, "strong")), left=True, prose=True),
    "balance": Field(18, of_row(lambda row: _coins(row.total_balance)), of_row(lambda row: optional(row.total_balance))),
    "can leave": Field(
        18, of_row(lambda row: _coins(row.withdraw_available)), of_row(lambda row: optional(row.withdraw_available))
    ),
    "frozen": Field(14, of_row(lambda row: _coins(row.frozen)), of_row(lambda row: optional(row.frozen)), hide=1),
    "value": Field(
        16, lambda row, view: (view.money(row.value_usdt), "strong"), of_row(lambda row: optional(row.value_usdt)), hide=2
    ),
    "type": Field(10, of_row(lambda row: (f" {row.account_type}", "dim")), left=True, hide=3, title=" type"),
}  # fmt: skip
_HELD_LAYOUTS = (
    layout(
        _HELD_FIELDS, 98,
        ("account", 32), ("coin", 7), ("balance", 17), ("can leave", 17), ("frozen", 12), ("value", 13),
    ),
    layout(_HELD_FIELDS, 78, ("account", 30), ("coin", 7), ("balance", 15), ("can leave", 15), ("value", 11)),
    layout(_HELD_FIELDS, 37, ("account", 16), ("coin", 6), ("can leave", 15)),
)  # fmt: skip

BALANCES = QueryTab(
    name="balances", noun="balances of accounts", fields=_HELD_FIELDS, layouts=_HELD_LAYOUTS,
    id=lambda row: row.key, endpoint="account_balances", pick=_flat, follows=("transfer",), sums=_worth,
    names=(ACCOUNTS, NAMES),
)  # fmt: skip
