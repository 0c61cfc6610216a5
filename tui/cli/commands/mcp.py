"""`crossdesk mcp`: tools for agents over standard input and output, on the desk that runs."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

import click

from tui import paths
from tui.crossdesk_error import CrossdeskError, WrongArgument
from tui.interface.text import name_extra

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui.agents.journal_tools import JournalLine
    from tui.agents.toolbox import Toolbox


class NotInstalled(CrossdeskError):
    """Error for a missing optional package; the message says which install adds it."""

    title = "Not started"


@click.command()
@click.option("--profile", metavar="NAME", help="A configured service instead of the paper venue of this home.")
@click.option("--name", default="agent", show_default=True, help="Name by which the desk shows the agent.")
def command(profile: str | None, name: str) -> None:
    """Serve tools for an agent (Model Context Protocol) on the window or gateway that holds the account.

    An agent reads and proposes orders, which the trader sends or declines; it sends none itself unless the trader
    grants a mandate. It ends when standard input does.
    """
    try:
        from tui.agents.mcp_server import serve
    except ImportError:
        raise NotInstalled(f"it needs {name_extra('agents')}") from None
    asyncio.run(serve(build_toolbox(profile, name)))


def build_toolbox(profile: str | None, name: str) -> Toolbox:
    """Build an agent's tools for the desk of a profile; the desk is connected to at the first tool call.

    Raises:
        UnknownProfile: The configuration has no such profile.
        WrongArgument: The name is not accepted.
    """
    from tui.agents.toolbox import Toolbox
    from tui.cli.service_target import find_desk
    from tui.desk_protocol.messages import Role
    from tui.host import HostClock, fresh_id
    from tui.interface import decimals
    from tui.programs.arguments import check_own_name
    from tui.programs.async_desk import AsyncDesk
    from tui.programs.desk_error import DeskError

    find_desk(profile)
    try:
        check_own_name(name)
    except DeskError as error:
        raise WrongArgument(f"--{error}") from None
    decimals.setup()
    clock = HostClock()

    def connect() -> AsyncDesk:
        return AsyncDesk(find_desk(profile), clock, fresh_id, name=name, role=Role.PROPOSE)

    return Toolbox(connect, partial(_read_journal, profile or paths.PAPER), clock)


def _read_journal(profile: str) -> Sequence[JournalLine]:
    from tui.agents.journal_tools import JournalLine
    from tui.cli.commands.journal import read_entries

    names = JournalLine.__struct_fields__
    return [JournalLine(**{name: getattr(entry, name) for name in names}) for entry in read_entries(profile)]
