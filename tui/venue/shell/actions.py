"""Actions, the same over REST and the private stream: from named texts to a command of the exchange."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tui.interface import catalogue
from tui.interface.families.orders import CancelAllOrders, Name
from tui.interface.request import CommandRequest, action_of, params_of
from tui.venue.shell.keys import ErrorReply
from tui.venue.shell.rest.requests import judge, missing, present

BY_ACTION: dict[str, type[CommandRequest]] = {
    action_of(row.request): row.request for row in catalogue.ROWS if issubclass(row.request, CommandRequest)
}
"""Commands by action. The private stream accepts those of orders."""

_LISTS = tuple(
    name
    for param in params_of(CancelAllOrders)
    if param.field in ("order_ids", "client_order_ids")
    for name in (param.name, *param.aliases)
)
"""Lists of which an empty one is no list: nobody who sends one means all orders."""


def build_command(
    request: type[CommandRequest], portfolio: str, sent: Mapping[str, str]
) -> CommandRequest | ErrorReply:
    """A command, or what is missing or wrong. The exchange checks the values of orders, in its order."""
    params = params_of(request)
    if request.checks_kinds:
        judged = judge(request, sent)
        return judged if isinstance(judged, ErrorReply) else request(portfolio=portfolio, **judged)
    given: dict[str, Any] = present(params, sent)
    gap = missing(params, given)
    if gap is not None:
        return gap
    if "reduce_only" in given:
        flag = given["reduce_only"].lower()
        if flag not in ("true", "false") and "_PERP_" in given.get("sym", ""):
            shown = given["reduce_only"][:40]
            return ErrorReply(400000, f"{Name.REDUCE_ONLY} {shown!r} is not accepted; it takes true and false")
        given["reduce_only"] = flag == "true"
    return request(portfolio=portfolio, **given)


def unread_part(request: type[CommandRequest], sent: Mapping[str, Any], *, ignored: Iterable[str] = ()) -> str:
    """Why an action that is wide when empty would reach further than what was sent; empty when it would not.

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
            return f"mismatched input: {name[:40]!r} is no parameter of {takes}. Nothing was done"
    for name in _LISTS:
        if name in sent and not _has_item(sent[name]):
            return f"mismatched input: {name} is empty; leave it out to reach every order. Nothing was done"
    for name in ignored:
        return f"mismatched input: {name[:40]!r} is in the query, and the body is read. Nothing was done"
    return ""


def _has_item(value: Any) -> bool:
    """Whether a list, or the text of one, names anything."""
    if isinstance(value, list):
        return any(_has_item(item) for item in value)
    return value is not None and bool(str(value).strip(" ,"))
