"""`crossdesk call`: send one REST request from the shell; validated first, never retried, reply printed unchanged."""

from __future__ import annotations

import asyncio
import difflib
import json
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from tui import paths
from tui.cli.credentials import protect_memory
from tui.crossdesk_error import CrossdeskError, WrongArgument
from tui.host import HostClock, fresh_secret
from tui.settings import read

if TYPE_CHECKING:
    from tui.cli.service_target import ChosenService
    from tui.interface.endpoint import Endpoint
    from tui.interface.request import Param

EXIT_UNKNOWN = 3
MOST_CELLS = 40
"""Longest value in a table, characters; JSON output is complete."""


class BadCall(WrongArgument):
    """Request that cannot be sent; the message names the parameter, its value and the accepted values."""

    title = "Not sent"


class NotConfirmed(CrossdeskError):
    """Error for a request that nobody confirmed, or that this process may not send."""

    title = "Not sent"


def _complete_name(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from tui.interface.catalogue import ROWS

    return [CompletionItem(row.name, help=row.purpose) for row in ROWS if row.name.startswith(incomplete)]


def _complete_value(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from tui.interface.catalogue import BY_NAME

    row = BY_NAME.get(ctx.params.get("name") or "")
    return complete_parameter(row.params, incomplete) if row is not None else []


def complete_parameter(params: Sequence[Param], incomplete: str) -> list[CompletionItem]:
    """Complete a `KEY=VALUE` argument."""
    from tui.interface.parameters import describe_accepted

    given, equals, value = incomplete.partition("=")
    if not equals:
        return [
            CompletionItem(f"{param.name}=", help=describe_accepted(param))
            for param in params
            if param.name.startswith(given)
        ]
    words = next((param.words for param in params if param.name == given), ())
    return [CompletionItem(f"{given}={word}") for word in words if word.startswith(value)]


@click.command()
@click.argument("name", shell_complete=_complete_name)
@click.argument("values", nargs=-1, metavar="[KEY=VALUE]...", shell_complete=_complete_value)
@click.option("--profile", metavar="NAME", help="A configured service instead of the paper venue of this home.")
@click.option("--json", "as_json", is_flag=True, help="The data of the answer as JSON, as it came.")
@click.option("--yes", is_flag=True, help="Send what changes something without asking.")
def command(name: str, values: tuple[str, ...], profile: str | None, *, as_json: bool, yes: bool) -> None:
    """Call one REST endpoint (`crossdesk endpoints` lists them) and print its reply.

    A command asks for confirmation, is sent once and never repeated; when its answer is lost the exit code is 3.
    """
    from tui.cli.service_target import open_target
    from tui.interface import decimals

    protect_memory()
    decimals.setup()
    row = find_row(name)
    params = parse_values(row, values)
    with open_target(profile, read(paths.config_file())) as service:
        if row.is_command:
            _confirm(row, params, service, yes=yes)
        data = asyncio.run(_call(row, params, service))
    click.echo(json.dumps(data, indent=1, default=str) if as_json else format_answer(data))


def find_row(name: str) -> Endpoint:
    """Find an endpoint of the catalogue by name.

    Raises:
        BadCall: There is none with that name.
    """
    from tui.interface.catalogue import BY_NAME

    row = BY_NAME.get(name)
    if row is None:
        near = difflib.get_close_matches(name, list(BY_NAME), 3)
        hint = f"; near are {', '.join(near)}" if near else "; `crossdesk endpoints` lists them"
        raise BadCall(f"no endpoint is called {name[:40]!r}{hint}")
    return row


def parse_values(row: Endpoint, values: Sequence[str]) -> dict[str, str]:
    """Parse and validate `KEY=VALUE` arguments against the catalogue; add a client order id where the endpoint accepts one.

    Raises:
        BadCall: A value cannot be parsed, is not accepted, or is missing.
    """
    from tui.interface.parameters import convert_typed, find_refusal
    from tui.interface.request import CLIENT_ORDER_ID

    params = split_values(values)
    for param in row.params:
        if param.name in params:
            params[param.name] = convert_typed(param, params[param.name])
    if row.params:
        if row.method == "POST" and row.takes_client_id:
            params.setdefault(CLIENT_ORDER_ID, f"call{fresh_secret()[:18]}")
        refusal = find_refusal(row, params)
        if refusal is not None:
            raise BadCall(f"{refusal[0]} {refusal[1]}")
    return params


def split_values(values: Sequence[str]) -> dict[str, str]:
    """Split `KEY=VALUE` arguments.

    Raises:
        BadCall: An argument is no `KEY=VALUE`, or a key is given twice.
    """
    params: dict[str, str] = {}
    for text in values:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise BadCall(f"{text[:40]!r} is no KEY=VALUE")
        if key in params:
            raise BadCall(f"{key} is given twice")
        params[key] = value
    return params


def _confirm(row: Endpoint, params: Mapping[str, str], service: ChosenService, *, yes: bool) -> None:
    """Ask for confirmation before a command; live commands and withdrawals require typing the portfolio's name.

    Raises:
        NotConfirmed: It was not confirmed, or nothing may be sent from here.
        BadCall: Nobody can be asked, and the option that confirms it is missing.
    """
    from tui.interface.endpoint import Permission

    if service.read_only:
        raise NotConfirmed(f"{service.read_only}; use its Explorer, or close it first")
    if yes:
        return
    if not sys.stdin.isatty():
        raise BadCall(f"{row.name} changes something: add --yes where nobody can be asked")
    shown = " ".join(f"{key}={value}" for key, value in params.items())
    click.echo(f"{row.method} {row.path} {shown}", err=True)
    word = service.target.portfolio_name if service.live or row.permission is Permission.WITHDRAW else "yes"
    if click.prompt(f"{row.purpose}: type {word!r} to send it", default="", show_default=False, err=True) != word:
        raise NotConfirmed("not confirmed; nothing was sent")


async def _call(row: Endpoint, params: Mapping[str, str], service: ChosenService) -> Any:
    """Send the request and return the data of the reply unchanged.

    Raises:
        CallFailed: It was refused or not reached.
    """
    import msgspec

    from tui.cli.service_target import open_rest
    from tui.client.rest import CallFailed
    from tui.interface.endpoint import Shape
    from tui.interface.request import CLIENT_ORDER_ID

    plain = msgspec.structs.replace(row, record=None, shape=Shape.UNSPECIFIED)
    target = service.target
    async with open_rest(
        target.service, target.key, target.secret, HostClock(), loopback_only=not service.live
    ) as rest:
        try:
            return (await rest.call(plain, params)).data
        except CallFailed as failure:
            if not failure.unsure:
                raise
            mine = params.get(CLIENT_ORDER_ID, "")
            hint = f"; its id is {CLIENT_ORDER_ID}={mine}" if mine else ""
            text = f"{failure}; UNKNOWN whether it was carried out: check before sending it again{hint}"
            click.echo(f"crossdesk: {text}", err=True)
            raise SystemExit(EXIT_UNKNOWN) from None


# Format of answers


def format_answer(data: Any) -> str:
    """Format a reply as a table, as lines of name and value, or as plain text."""
    if isinstance(data, dict) and isinstance(data.get("list"), list):
        counts = [f"{name} {data[name]}" for name in ("page", "pageSize", "totalSize") if name in data]
        return "\n".join([_table(data["list"]), " · ".join(counts)])
    if isinstance(data, list):
        return _table(data)
    if isinstance(data, dict):
        wide = max((len(str(key)) for key in data), default=0)
        return "\n".join(f"{key:<{wide}}  {_value(value)}" for key, value in data.items()) or "done"
    return _value(data)


def _table(rows: Sequence[Any]) -> str:
    if not rows:
        return "nothing"
    if not all(isinstance(row, dict) for row in rows):
        return "\n".join(_value(row) for row in rows)
    names = list(dict.fromkeys(str(name) for row in rows for name in row))
    lines = [names, *([_value(row.get(name, ""))[:MOST_CELLS] for name in names] for row in rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(names))]
    return "\n".join(
        "  ".join(f"{text:<{width}}" for text, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def _value(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, default=str, separators=(",", ":"))
