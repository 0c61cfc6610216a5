"""Workstation of a trader on a bus: its engine runs in a gateway, mostly on another machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tui.cli.bus.server import bus_place
from tui.cli.windows import READ_ONLY_REQUESTED, Attachment, EngineAssignment
from tui.desk_protocol.bus.address import BusRefused, parse_address
from tui.desk_protocol.bus.window import connect
from tui.desk_protocol.client import DeskClient
from tui.desk_protocol.messages import VERSIONS, Events, Hello, Role, Rows, SlowReader, Welcome
from tui.host import HostClock, fresh_id

if TYPE_CHECKING:
    from tui.desk_protocol.bus.connection import BusPlace


class BusWindow:
    """Window on the gateway of a bus; it holds no account, no lock and no key of the service."""

    def __init__(self, place: BusPlace, welcome: Welcome, *, looks_only: bool) -> None:
        """Initialize the window; `welcome` is the account that it was started for."""
        self.read_only = READ_ONLY_REQUESTED if looks_only else ""
        self.folder = f"bus-{place.address.desk}-{place.address.trader}"
        self.environment = welcome.environment.value
        self.portfolio_name = welcome.portfolio_name
        self._place = place
        self._expects = (welcome.environment, welcome.portfolio)

    def next_assignment(self) -> EngineAssignment:
        attach = Attachment(None, self.read_only, self._place, self._expects)
        return EngineAssignment(None, False, self.read_only, "", attach)

    def watch(self, renew: Callable[[], None]) -> None:
        """Do nothing: the link is made again by itself."""

    def close(self) -> None:
        """Do nothing: the link has ended with the engine's thread."""


def open_window(address: str, seed: Path | None, *, looks_only: bool) -> BusWindow:
    """Ask the gateway of a bus for the account that it holds, and return a window on it.

    Raises:
        BusRefused: The address is not accepted, or names no trader.
        CredentialsError: The seed cannot be read.
        ProtocolError: No server or no gateway answers, or one refuses.
    """
    place = bus_place(parse_address(address), seed)
    if not place.address.trader:
        raise BusRefused("--attach URL names the trader: nats://anna@127.0.0.1:4222")
    return BusWindow(place, asyncio.run(_ask(place)), looks_only=looks_only)


async def _ask(place: BusPlace) -> Welcome:
    client = DeskClient(await connect(place, fresh_id), _Deaf(), HostClock())
    try:
        return await client.open(Hello(versions=VERSIONS, name="", role=Role.WATCH))
    finally:
        client.close()
        await client.wait_closed()


class _Deaf:
    """Receiver of a link that only greets."""

    def on_rows(self, message: Rows) -> None: ...

    def on_whole(self) -> None: ...

    def on_events(self, message: Events) -> None: ...

    def on_slow_reader(self, message: SlowReader) -> None: ...

    def on_refused(self, text: str) -> None: ...
