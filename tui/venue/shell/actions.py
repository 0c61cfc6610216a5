"""Actions of REST and the private stream: conversion of request fields to a command of the exchange."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tui.interface import catalogue
from tui.interface.families.orders import CancelAllOrders, Name
from tui.interface.request import CommandRequest, action_of, params_of
from tui.venue.shell.keys import ErrorReply
from tui.venue.shell.rest.requests import check_params, find_missing, select_present

BY_ACTION: dict[str, type[CommandRequest]] = {
    action_of(row.request): row.request for row in catalogue.ROWS if issubclass(row.request, CommandRequest)
}
"""Commands by action name. The private stream accepts those of orders."""

_LISTS = tuple(
    name
    for param in params_of(CancelAllOrders)
    if param.field in ("order_ids", "client_order_ids")
    for name in (param.name, *param.aliases)
)
"""Parameters of id lists; an empty one is refused, because it must not mean all orders."""


def build_command(
    request: type[CommandRequest], portfolio: str, sent: Mapping[str, str]
) -> CommandRequest | ErrorReply:
    """Build a command from request fields, or the error of a missing or wrong field; the exchange checks order values."""
    params = params_of(request)
    if request.checks_kinds:
        checked = check_params(request, sent)
        return checked if isinstance(checked, ErrorReply) else request(portfolio=portfolio, **checked)
    given: dict[str, Any] = select_present(params, sent)
    refusal = find_missing(params, given)
    if refusal is not None:
        return refusal
    if "reduce_only" in given:
        flag = given["reduce_only"].lower()
        if flag not in ("true", "false") and "_PERP_" in given.get("sym", ""):
            shown = given["reduce_only"][:40]
            return ErrorReply(400000, f"{Name.REDUCE_ONLY} {shown!r} is not accepted; it takes true and false")
        given["reduce_only"] = flag == "true"
    return request(portfolio=portfolio, **given)


def describe_unread(request: type[CommandRequest], sent: Mapping[str, Any], *, ignored: Iterable[str] = ()) -> str:
    """Describe the first unknown, empty or unread filter of an action that without filters acts on everything; else "".

    Args:
        request: Any command.
        sent: Its parameters as they came, null among them.
        ignored: Names of parameters in a part of the request that is not read.
    """
    if not request.wide_when_empty:
        return ""
    params = params_of(request)
    known = {name for param in params for name in (param.name, *param.aliases)}
    for name in sent:
        if name not in known:
            takes = f"{action_of(request)}; it takes {', '.join(param.name for param in params)}"
            return f"mismatched input: {name[:40]!r} is not a parameter of {takes}. Nothing was done"
    for name in _LISTS:
        if name in sent and not _has_item(sent[name]):
            return f"mismatched input: {name} is empty; leave it out to act on every order. Nothing was done"
    for name in ignored:
        return f"mismatched input: {name[:40]!r} is in the query, but the body is read. Nothing was done"
    return ""


def _has_item(value: Any) -> bool:
    """Report whether a list, or a comma-separated text, has an item."""
    if isinstance(value, list):
        return any(_has_item(item) for item in value)
    return value is not None and bool(str(value).strip(" ,"))
