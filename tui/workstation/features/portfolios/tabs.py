"""Lists of portfolios and API keys, and their columns."""

from __future__ import annotations

from tui.interface.families.accounts import AccountRecord
from tui.interface.families.portfolios import (
    ApiKeyRecord,
    BelongingTo,
    KeyStatus,
    PortfolioRecord,
)
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.table.column_kinds import show_name, show_text, show_time
from tui.workstation.table.columns import Cell, Field, Fields, of_row
from tui.workstation.widgets.lists.command_tab import command_tab
from tui.workstation.widgets.lists.tab import QueryTab

PANE = "portfolios"
"""Id of the pane."""
PORTFOLIOS, KEYS = "portfolios", "keys"
"""Names of the lists."""


def portfolios_of(view: DisplayContext) -> list[PortfolioRecord]:
    """Return the known portfolios, in the service's order."""
    answer = view.mirror.answers.get(f"{PANE}/{PORTFOLIOS}")
    rows = answer.rows if answer is not None else ()
    return [row for row in rows if isinstance(row, PortfolioRecord)]


def portfolio_name(view: DisplayContext, portfolio_id: int) -> str:
    """Return the name of a portfolio, or its id while the name is unknown."""
    return next((row.name for row in portfolios_of(view) if row.portfolio_id == portfolio_id), str(portfolio_id))


def short_key(access_key: str) -> str:
    """Shorten an access key to its first and last four characters."""
    return access_key if len(access_key) <= 12 else f"{access_key[:4]}…{access_key[-4:]}"


def is_traded(row: PortfolioRecord, view: DisplayContext) -> bool:
    """Return whether this program trades the portfolio."""
    status = view.mirror.engine_status
    return status is not None and status.portfolio == str(row.portfolio_id)


def _describe_traded(view: DisplayContext) -> tuple[str, ...]:
    traded = next((row.name for row in portfolios_of(view) if is_traded(row, view)), "")
    return (f"this desk trades {traded}",) if traded else ()


def _trader_cell(row: PortfolioRecord, view: DisplayContext) -> Cell:
    return ("this desk", "strong") if is_traded(row, view) else ("", "dim")


def _kind(row: PortfolioRecord) -> Cell:
    labels = {BelongingTo.MAIN.value: "main", BelongingTo.OTHER.value: "sub"}
    return labels.get(row.belonging_to, str(row.belonging_to)), "text"


_PORTFOLIO_FIELDS: Fields[PortfolioRecord] = {
    "portfolio": show_text(lambda row: row.name, 22, "strong", least=20),
    "kind": Field(6, of_row(_kind), left=True, least=5),
    "traded by": Field(11, _trader_cell, left=True, least=10),
    "id": show_text(lambda row: str(row.portfolio_id), 18, "dim", prose=False, hide=1),
    "created": show_time(lambda row: row.create_at, hide=2),
    "changed": show_time(lambda row: row.update_at, hide=2),
}


def _state(row: ApiKeyRecord) -> Cell:
    if row.status == KeyStatus.FROZEN:
        return "FROZEN", "warn"
    return ("normal", "good") if row.status == KeyStatus.NORMAL else (str(row.status), "warn")


def _rights(row: ApiKeyRecord) -> Cell:
    text = row.permission.replace(",", " ").lower()
    return text, "warn" if "withdraw" in text else "text"


def _addresses(row: ApiKeyRecord) -> Cell:
    return (row.ip.replace(",", " "), "text") if row.ip else ("any IP address", "warn")


_KEY_FIELDS: Fields[ApiKeyRecord] = {
    "key": show_text(lambda row: row.api_name, 20, "strong", least=12),
    "portfolio": show_name(lambda row, view: portfolio_name(view, row.portfolio_id), 21, least=16),
    "access key": show_text(lambda row: short_key(row.access_key), 13, "dim", prose=False, hide=2),
    "may": Field(30, of_row(_rights), left=True, prose=True, least=22, hide=1),
    "from": Field(26, of_row(_addresses), left=True, prose=True, least=18, hide=1),
    "state": Field(8, of_row(_state), left=True),
    "created": show_time(lambda row: row.created_at, hide=11),
    "changed": show_time(lambda row: row.updated_at, hide=12),
}

COMMANDS = ("create_portfolio", "rename_portfolio", "create_api_key", "change_api_key", "delete_api_key")

PORTFOLIO_TAB = QueryTab(
    name=PORTFOLIOS, empty="no portfolios", fields=_PORTFOLIO_FIELDS,
    at=lambda row: row.create_at, id=lambda row: str(row.portfolio_id), endpoint="portfolios",
    follows=("create_portfolio", "rename_portfolio"), to_end=True, notes=_describe_traded,
)  # fmt: skip
KEY_TAB = QueryTab(
    name=KEYS, empty="no API keys of portfolios", fields=_KEY_FIELDS,
    at=lambda row: row.created_at, id=lambda row: row.access_key, endpoint="api_keys",
    follows=("create_api_key", "change_api_key", "delete_api_key"), to_end=True, notes=_describe_traded,
)  # fmt: skip
_ACCOUNT_FIELDS: Fields[AccountRecord] = {
    "account": show_text(lambda row: row.label, 18, "strong"),
    "where": show_text(lambda row: row.venues, 12),
    "note": show_text(lambda row: row.account_note, 24, hide=1),
    "id": show_text(lambda row: str(row.account_id), 18, "dim", prose=False, hide=1),
}
ACCOUNT_TAB = QueryTab(
    name="accounts", empty="no accounts outside the portfolios", fields=_ACCOUNT_FIELDS,
    id=lambda row: str(row.account_id), endpoint="accounts",
)  # fmt: skip
SENT_TAB = command_tab(*COMMANDS)
