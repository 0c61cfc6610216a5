"""Commands for portfolios and API keys; they move no money, and their outcome is read from lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from tui.engine.commands.proofs import AccountCommandKind, Finding, Judge, Proof, never
from tui.engine.rows import AccountCommandRow, CommandState
from tui.interface.families.portfolios import (
    PERMISSIONS,
    ApiKeyRecord,
    ApiKeysQuery,
    BadAddress,
    ChangeApiKey,
    CreateApiKey,
    CreatePortfolio,
    DeleteApiKey,
    PortfolioRecord,
    PortfoliosQuery,
    RenamePortfolio,
    parse_addresses,
)
from tui.interface.request import Request, arguments_of, read_arguments

R = TypeVar("R", bound=Request)

CLOCK_SLACK_MS = 2_000
"""Allowance for the service's stamps being earlier than our measure of its clock, ms."""
SECRET_LOST = "its secret was lost with the answer: delete the key and make another one"


def _read(request: type[R], row: AccountCommandRow) -> R:
    return read_arguments(request, dict(row.args))


def _is_newer(created_ms: int, row: AccountCommandRow) -> bool:
    return created_ms >= row.sent_ms - CLOCK_SLACK_MS


def _judge_created(row: AccountCommandRow, data: object) -> Finding | None:
    """Judge a creation as done if a portfolio with this name was created after the command was sent."""
    wanted = _read(CreatePortfolio, row)
    rows: Sequence[PortfolioRecord] = data if isinstance(data, list) else ()
    created = [portfolio for portfolio in rows if portfolio.name == wanted.name and _is_newer(portfolio.create_at, row)]
    return Finding(CommandState.DONE, f"portfolio {created[0].portfolio_id}") if created else None


def _judge_renamed(row: AccountCommandRow, data: object) -> Finding | None:
    rows: Sequence[PortfolioRecord] = data if isinstance(data, list) else ()
    wanted = _read(RenamePortfolio, row)
    shown = [
        portfolio
        for portfolio in rows
        if str(portfolio.portfolio_id) == wanted.portfolio_id and portfolio.name == wanted.name
    ]
    return Finding(CommandState.DONE) if shown else None


def _judge_key_made(row: AccountCommandRow, data: object) -> Finding | None:
    """Judge a key creation as done if a key with this name and these permissions was created after the command was sent."""
    rows: Sequence[ApiKeyRecord] = data if isinstance(data, list) else ()
    wanted = _read(CreateApiKey, row)
    created = [
        key
        for key in rows
        if key.api_name == wanted.api_name
        and _is_newer(key.created_at, row)
        and _split_list(key.permission) == _split_list(wanted.permission) | {PERMISSIONS[0].value}
    ]
    return Finding(CommandState.DONE, SECRET_LOST) if created else None


def _judge_key_changed(row: AccountCommandRow, data: object) -> Finding | None:
    rows: Sequence[ApiKeyRecord] = data if isinstance(data, list) else ()
    wanted = _read(ChangeApiKey, row)
    shown = [key for key in rows if key.access_key == wanted.access_key and _has(key, wanted)]
    return Finding(CommandState.DONE) if shown else None


def _has(key: ApiKeyRecord, wanted: ChangeApiKey) -> bool:
    """Return whether an API key has the values that a change requested."""
    return (
        wanted.api_name in ("", key.api_name)
        and wanted.status in ("", str(key.status))
        and (not wanted.ip or _addresses(key.ip) == _addresses(wanted.ip))
        and (
            not wanted.permission
            or _split_list(key.permission) == _split_list(wanted.permission) | {PERMISSIONS[0].value}
        )
    )


def _judge_key_deleted(row: AccountCommandRow, data: object) -> Finding | None:
    rows: Sequence[ApiKeyRecord] = data if isinstance(data, list) else ()
    gone = _read(DeleteApiKey, row).access_key
    left = [key for key in rows if key.access_key == gone]
    return None if left else Finding(CommandState.DONE)


def _addresses(comma_list: str) -> set[str]:
    try:
        return set(parse_addresses(comma_list))
    except BadAddress:
        return _split_list(comma_list)


def _split_list(comma_list: str) -> set[str]:
    return {word.strip() for word in comma_list.split(",") if word.strip()}


def _build_kind(
    read: str, judge: Judge, params: Callable[[AccountCommandRow], Mapping[str, str]]
) -> AccountCommandKind:
    return AccountCommandKind(moves_money=False, raises_risk=never, proof=Proof(read, params, judge))


def _name(row: AccountCommandRow) -> Mapping[str, str]:
    return arguments_of(PortfoliosQuery(name=_read(CreatePortfolio, row).name))


def _portfolio(row: AccountCommandRow) -> Mapping[str, str]:
    return arguments_of(PortfoliosQuery(portfolio_id=_read(RenamePortfolio, row).portfolio_id))


def _key(row: AccountCommandRow) -> Mapping[str, str]:
    known = _read(DeleteApiKey, row)
    return arguments_of(ApiKeysQuery(portfolio_id=known.portfolio_id, portfolio_api_key=known.access_key))


PORTFOLIO_KINDS: Mapping[str, AccountCommandKind] = {
    "create_portfolio": _build_kind("portfolios", _judge_created, _name),
    "rename_portfolio": _build_kind("portfolios", _judge_renamed, _portfolio)._replace(
        subject=lambda args: read_arguments(RenamePortfolio, args).portfolio_id, waits_for=("create_portfolio",)
    ),
    "create_api_key": _build_kind("api_keys", _judge_key_made, _portfolio),
    "change_api_key": _build_kind("api_keys", _judge_key_changed, _key),
    "delete_api_key": _build_kind("api_keys", _judge_key_deleted, _key),
}
