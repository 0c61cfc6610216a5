"""An agent of the tests: it calls tools, directly or through the client of the library over the protocol."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from tests.desk_protocol.desks import new_id
from tui.agents.answers import DATA_NOTE
from tui.agents.journal_tools import JournalLine
from tui.agents.toolbox import Toolbox
from tui.cli.commands.journal import read_entries
from tui.desk_protocol.messages import Role
from tui.host import HostClock
from tui.interface import decimals
from tui.programs.async_desk import AsyncDesk
from tui.protocols import Clock

INSTALL = "pip install -r requirements-agents.lock"


class Said(NamedTuple):
    """What a tool answered."""

    content: dict[str, Any]
    refused: bool

    @property
    def data(self) -> Any:
        assert not self.refused, self.content
        assert self.content["about_data"] == DATA_NOTE
        return self.content["data"]

    @property
    def why(self) -> str:
        assert self.refused, self.content
        return str(self.content["refused"])


class Agent:
    """Calls tools, and keeps everything that it was told."""

    def __init__(self, call: Callable[[str, dict[str, Any]], Awaitable[Said]]) -> None:
        self._call = call
        self.told: list[dict[str, Any]] = []

    async def __call__(self, tool: str, arguments: dict[str, Any] | None = None, /, **more: Any) -> Said:
        said = await self._call(tool, {**(arguments or {}), **more})
        self.told.append(said.content)
        return said


def make_toolbox(home: Path, clock: Clock | None = None, name: str = "research-bot") -> Toolbox:
    """The tools of an agent on the desk of a home, as `crossdesk mcp` makes them."""
    decimals.setup()

    def read_journal() -> list[JournalLine]:
        names = JournalLine.__struct_fields__
        return [JournalLine(**{name: getattr(entry, name) for name in names}) for entry in read_entries(home.name)]

    def connect() -> AsyncDesk:
        return AsyncDesk(home / "desk.sock", HostClock(), new_id, name=name, role=Role.PROPOSE)

    return Toolbox(connect, read_journal, clock or HostClock())


@asynccontextmanager
async def direct(toolbox: Toolbox) -> AsyncIterator[Agent]:
    """An agent in this process, without the protocol."""

    async def call(tool: str, arguments: dict[str, Any]) -> Said:
        return Said(*await toolbox.call(tool, arguments))

    try:
        yield Agent(call)
    finally:
        await toolbox.close()


@asynccontextmanager
async def by_protocol(toolbox: Toolbox) -> AsyncIterator[Agent]:
    """An agent behind the client of the library, in memory."""
    pytest.importorskip("mcp", reason=INSTALL)
    from mcp.client.client import Client

    from tui.agents.mcp_server import build_server

    try:
        async with Client(build_server(toolbox)) as client:
            yield Agent(caller(client))
    finally:
        await toolbox.close()


def caller(client: Any) -> Callable[[str, dict[str, Any]], Awaitable[Said]]:
    """Calls tools with a client of the library."""

    async def call(tool: str, arguments: dict[str, Any]) -> Said:
        result = await client.call_tool(tool, arguments)
        assert msgspec.json.decode(result.content[0].text) == result.structured_content
        return Said(result.structured_content, result.is_error)

    return call
