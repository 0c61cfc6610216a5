"""The lists of portfolios and of their keys as columns."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from tui.interface.families.accounts import AccountRecord
from tui.interface.families.portfolios import (
    ApiKeyRecord,
    BelongingTo,
    KeyStatus,
    PortfolioRecord,
)
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.table.columns import Cell, Field, Fields, SortKey, layout, of_row
from tui.workstation.widgets.lists.command_tab import command_tab
from tui.workstation.widgets.lists.tab import QueryTab, time_cell

PANE = "portfolios"
"""Id of the pane."""
PORTFOLIOS, KEYS = "portfolios", "keys"
"""Names of the lists."""


def portfolios_of(view: DisplayContext) -> list[PortfolioRecord]:
    """The portfolios as far as they were read, in the order of the service."""
    answer = view.mirror.answers.get(f"{PANE}/{PORTFOLIOS}")
    rows = answer.rows if answer is not None else ()
    return [row for row in rows if isinstance(row, PortfolioRecord)]


def portfolio_name(view: DisplayContext, portfolio_id: int) -> str:
    """The name of a portfolio, or its id while it is not known."""
    return next((one.name for one in portfolios_of(view) if one.portfolio_id == portfolio_id), str(portfolio_id))


def short_key(access_key: str) -> str:
    """An access key as lists show it: its first and last four characters."""
    return access_key if len(access_key) <= 12 else f"{access_key[:4]}…{access_key[-4:]}"


def is_traded(row: PortfolioRecord, view: DisplayContext) -> bool:
    """Whether this desk trades the portfolio."""
    status = view.mirror.engine_status
    return status is not None and status.portfolio == str(row.portfolio_id)


def _describe_traded(view: DisplayContext) -> tuple[str, ...]:
    traded = next((one.name for one in portfolios_of(view) if is_traded(one, view)), "")
    return (f"this desk trades {traded}",) if traded else ()


def _traded_cell(row: PortfolioRecord, view: DisplayContext) -> Cell:
    return ("this desk", "strong") if is_traded(row, view) else ("", "dim")


def _kind(row: PortfolioRecord) -> Cell:
    words = {BelongingTo.MAIN.value: "main", BelongingTo.OTHER.value: "sub"}
    return words.get(row.belonging_to, str(row.belonging_to)), "text"


def _time(at: Callable[[PortfolioRecord], int]) -> Field[PortfolioRecord]:
    return Field(15, lambda row, view: time_cell(at(row), view), of_row(_by(at)), left=True, hide=1)


def _by(at: Callable[[PortfolioRecord], int]) -> Callable[[PortfolioRecord], SortKey]:
    return lambda row: Decimal(at(row))


_PORTFOLIO_FIELDS: Fields[PortfolioRecord] = {
    "portfolio": Field(22, of_row(lambda row: (row.name, "strong")), left=True, prose=True),
    "kind": Field(6, of_row(_kind), left=True),
    "traded by": Field(11, _traded_cell, left=True),
    "id": Field(18, of_row(lambda row: (str(row.portfolio_id), "dim")), left=True),
    "created": _time(lambda row: row.create_at),
    "changed": _time(lambda row: row.update_at),
}
_PORTFOLIO_LAYOUTS = (
    layout(
        _PORTFOLIO_FIELDS, 90,
        ("portfolio", 22), ("kind", 6), ("traded by", 11), ("id", 18), ("created", 15), ("changed", 15),
    ),
    layout(_PORTFOLIO_FIELDS, 58, ("portfolio", 22), ("kind", 6), ("traded by", 11), ("id", 18)),
    layout(_PORTFOLIO_FIELDS, 37, ("portfolio", 20), ("kind", 5), ("traded by", 10)),
)  # fmt: skip


def _state(row: ApiKeyRecord) -> Cell:
    if row.status == KeyStatus.FROZEN:
        return "FROZEN", "warn"
    return ("normal", "good") if row.status == KeyStatus.NORMAL else (str(row.status), "warn")


def _rights(row: ApiKeyRecord) -> Cell:
    words = row.permission.replace(",", " ").lower()
    return words, "warn" if "withdraw" in words else "text"


def _addresses(row: ApiKeyRecord) -> Cell:
    return (row.ip.replace(",", " "), "text") if row.ip else ("any address", "warn")


_KEY_FIELDS: Fields[ApiKeyRecord] = {
    "key": Field(20, of_row(lambda row: (row.api_name, "strong")), left=True, prose=True),
    "portfolio": Field(
        21, lambda row, view: (portfolio_name(view, row.portfolio_id), "text"), left=True, prose=True
    ),
    "access key": Field(13, of_row(lambda row: (short_key(row.access_key), "dim")), left=True),
    "may": Field(30, of_row(_rights), left=True, prose=True),
    "from": Field(26, of_row(_addresses), left=True, prose=True),
    "state": Field(8, of_row(_state), left=True),
    "created": Field(
        15, lambda row, view: time_cell(row.created_at, view), of_row(lambda row: Decimal(row.created_at)), left=True,
        hide=1,
    ),
    "changed": Field(
        15, lambda row, view: time_cell(row.updated_at, view), of_row(lambda row: Decimal(row.updated_at)), left=True,
        hide=2,
    ),
}  # fmt: skip
_KEY_LAYOUTS = (
    layout(
        _KEY_FIELDS, 118,
        ("key", 20), ("portfolio", 21), ("access key", 13), ("may", 30), ("from", 26), ("state", 8),
    ),
    layout(_KEY_FIELDS, 78, ("key", 14), ("portfolio", 16), ("may", 22), ("from", 18), ("state", 8)),
    layout(_KEY_FIELDS, 37, ("key", 12), ("portfolio", 16), ("state", 8)),
)  # fmt: skip

COMMANDS = ("create_portfolio", "rename_portfolio", "create_api_key", "change_api_key", "delete_api_key")

PORTFOLIO_TAB = QueryTab(
    name=PORTFOLIOS, noun="portfolios", fields=_PORTFOLIO_FIELDS, layouts=_PORTFOLIO_LAYOUTS,
    at=lambda row: row.create_at, id=lambda row: str(row.portfolio_id), endpoint="portfolios",
    follows=("create_portfolio", "rename_portfolio"), to_end=True, words=_describe_traded,
)  # fmt: skip
KEY_TAB = QueryTab(
    name=KEYS, noun="keys made for portfolios", fields=_KEY_FIELDS, layouts=_KEY_LAYOUTS,
    at=lambda row: row.created_at, id=lambda row: row.access_key, endpoint="api_keys",
    follows=("create_api_key", "change_api_key", "delete_api_key"), to_end=True, words=_describe_traded,
)  # fmt: skip
_ACCOUNT_FIELDS: Fields[AccountRecord] = {
    "account": Field(18, of_row(lambda row: (row.label, "strong")), left=True, prose=True),
    "where": Field(12, of_row(lambda row: (row.venues, "text")), left=True, prose=True),
    "note": Field(24, of_row(lambda row: (row.account_note, "text")), left=True, prose=True),
    "id": Field(18, of_row(lambda row: (str(row.account_id), "dim")), left=True),
}
ACCOUNT_TAB = QueryTab(
    name="accounts", noun="accounts beside the portfolios", fields=_ACCOUNT_FIELDS,
    layouts=(
        layout(_ACCOUNT_FIELDS, 72, ("account", 18), ("where", 12), ("note", 24), ("id", 18)),
        layout(_ACCOUNT_FIELDS, 37, ("account", 18), ("where", 12)),
    ),
    id=lambda row: str(row.account_id), endpoint="accounts",
)  # fmt: skip
SENT_TAB = command_tab(*COMMANDS)
