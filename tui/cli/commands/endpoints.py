"""`crossdesk endpoints`: list all REST endpoints of the catalogue."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from tui.interface.endpoint import Endpoint


def service_status(name: str, removed: str, served: frozenset[str]) -> str:
    """Describe how the paper venue handles an endpoint."""
    if removed:
        return "removed"
    return "served" if name in served else "not served yet"


def _row_text(row: Endpoint) -> str:
    """Format an endpoint as one line: name, request, permission, scope, rate limit."""
    scope = "+".join(scope.value for scope in row.scopes)
    return f"{row.name:27} {row.method:6} {row.path:50} {row.permission:8} {scope:13} {row.limit!s:>9}"


def _format_keys(keys: tuple[str, ...], *, called: bool) -> str:
    return f"called {' '.join(keys)}" if called else ""


def page() -> str:
    """Build the Markdown page of the endpoint catalogue."""
    from tui.interface.catalogue import ROWS
    from tui.venue.shell.rest.handlers import SERVED
    from tui.workstation.features.explorer.endpoint_use import BY_EXPLORER, CALLED, keys_of

    lines = [
        "# Endpoints\n",
        "Written by `crossdesk endpoints --markdown`; a test compares. **served**: by the paper venue. **called**: by the"
        " program itself. **key**: how a trader reaches it; `F4` alone where only the explorer does, with the reason.\n",
        "| Name and call | For | Needs | Level | Limit | Used | Key |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in ROWS:
        keys = " ".join(f"`{key}`" for key in keys_of(row.name))
        if not keys and row.name in BY_EXPLORER:
            keys = f"`F4`: {BY_EXPLORER[row.name]}"
        if row.removed:
            keys = f"use `{row.replacement}`"
        scope = " ".join(scope.value for scope in row.scopes)
        status = service_status(row.name, row.removed, SERVED)
        used = f"{status}, called" if row.name in CALLED else status
        shown = (
            f"| {row.name} `{row.method} {row.path}` | {row.purpose} | {row.permission.value} | {scope} | {row.limit}"
        )
        lines.append(f"{shown} | {used} | {keys} |")
    return "\n".join(lines) + "\n"


def _facts(row: Endpoint) -> dict[str, object]:
    """Return an endpoint's entry in the JSON list: name, request, permission, limits, venue status, use by this program."""
    from tui.venue.shell.rest.handlers import SERVED
    from tui.workstation.features.explorer.endpoint_use import CALLED, keys_of

    return {
        "name": row.name,
        "method": row.method,
        "path": row.path,
        "family": row.family,
        "permission": row.permission.value,
        "scope": [scope.value for scope in row.scopes],
        "limit": str(row.limit),
        "success": row.success,
        "status": service_status(row.name, row.removed, SERVED),
        "called": row.name in CALLED,
        "keys": keys_of(row.name),
        "replacement": row.replacement,
        "purpose": row.purpose,
    }


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON array with an object for each row.")
@click.option("--markdown", is_flag=True, help="The page docs/endpoints.md.")
def command(*, as_json: bool, markdown: bool) -> None:
    """List all REST endpoints: permission, key scope, rate limit, served by the paper venue, used by this program."""
    from tui.interface.catalogue import ROWS
    from tui.venue.shell.rest.handlers import SERVED
    from tui.workstation.features.explorer.endpoint_use import CALLED, keys_of

    if markdown:
        click.echo(page(), nl=False)
        return
    if as_json:
        click.echo(json.dumps([_facts(row) for row in ROWS], indent=1))
        return
    for row in ROWS:
        state = service_status(row.name, row.removed, SERVED)
        click.echo(
            f"{_row_text(row)}  {state:14} {_format_keys(keys_of(row.name), called=row.name in CALLED)}".rstrip()
        )
    answered = sum(1 for row in ROWS if not row.removed and row.name in SERVED)
    waiting = sum(1 for row in ROWS if not row.removed and row.name not in SERVED)
    gone = sum(1 for row in ROWS if row.removed)
    click.echo(
        f"{len(ROWS)} endpoints: {answered} served, {waiting} not served yet, {gone} removed; {len(CALLED)} called"
    )
