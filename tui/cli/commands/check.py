"""`crossdesk check`: test connection, clock, key, permissions and streams of a service before trading on it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from tui import paths
from tui.cli.credentials import protect_memory
from tui.cli.desks.folded_lines import echo_folded
from tui.settings import read

if TYPE_CHECKING:
    from tui.workstation.commands.connection import CheckLine


NEW_WINDOW_ATTACHES = "another crossdesk holds this portfolio: a new window attaches to it and trades through it"


@click.command()
@click.option("--profile", metavar="NAME", help="A configured service instead of the paper venue of this home.")
def command(profile: str | None) -> None:
    """Check that this machine can trade on the service, without changing anything there."""
    from tui.cli.connecting.service_check import CheckFailed, ServiceCheck
    from tui.cli.service_target import open_target
    from tui.cli.windows import OTHER_WINDOW_TRADES
    from tui.interface import decimals

    protect_memory()
    decimals.setup()
    with open_target(profile, read(paths.config_file())) as service:
        if service.read_only:
            attaches = service.read_only == OTHER_WINDOW_TRADES
            echo_folded(f"window        {NEW_WINDOW_ATTACHES if attaches else service.read_only}")
        failed = asyncio.run(ServiceCheck(service, _print_line).run())
    if failed:
        raise CheckFailed(f"wrong: {', '.join(failed)}")


def _print_line(line: CheckLine) -> None:
    echo_folded(f"{line.name:<12}  {'ok   ' if line.ok else 'WRONG'} {line.text}")
