"""Workstation on the engine of another process: a desk or gateway of this machine, or the gateway of a bus."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path

from tui import paths
from tui.cli.attached_engine import connection_of
from tui.cli.bus.server import bus_place
from tui.cli.windows import READ_ONLY_REQUESTED, Attachment, EngineAssignment
from tui.crossdesk_error import CrossdeskError
from tui.desk_protocol import unix_socket
from tui.desk_protocol.bus.address import FORM, BusRefused, parse_address
from tui.desk_protocol.client import DeskClient
from tui.desk_protocol.messages import VERSIONS, Events, Hello, Role, Rows, SlowReader, Welcome
from tui.host import HostClock
from tui.interface.text import clean


class NoDesk(CrossdeskError):
    """Error for a profile whose account is held by no process of this machine."""

    title = "Not started"


class AttachedWindow:
    """Window that always attaches to another process's engine; it has no account, lock or API key, and never takes over."""

    def __init__(self, folder: str, attach: Attachment, welcome: Welcome) -> None:
        """Initialize the window; `welcome` names the account to which every later attachment must belong."""
        self.folder = folder
        self.read_only = attach.read_only
        self.environment = welcome.environment.value
        self.portfolio_name = welcome.portfolio_name
        self._attach = attach._replace(expects=(welcome.environment, welcome.portfolio))

    def next_assignment(self) -> EngineAssignment:
        return EngineAssignment(None, owns=False, read_only=self.read_only, news="", attach=self._attach)

    def watch(self, renew: Callable[[], None]) -> None:
        """Do nothing: this window never needs a new engine; the link reconnects by itself."""

    def close(self) -> None:
        """Do nothing: the engine's thread has already closed the link."""


def open_window(place: str, seed: Path | None, *, looks_only: bool) -> AttachedWindow:
    """Ask the desk of a profile, or a gateway on a bus, which account it holds; return a window attached to it.

    Args:
        place: Profile whose account is held on this machine (`paper`: the paper venue), or the address of a bus.
        seed: File with the trader's NKEY seed, on a bus; None: the one in the folder of the bus.
        looks_only: Whether nothing is to be sent from the window.

    Raises:
        NoDesk: No process of this machine holds the account of the profile.
        BusRefused: The address is not accepted, or names no trader, or there is no seed of the trader.
        CredentialsError: The seed cannot be read.
        ProtocolError: No server or no gateway answers, or one refuses.
    """
    read_only = READ_ONLY_REQUESTED if looks_only else ""
    if "://" in place:
        bus = bus_place(parse_address(place), seed)
        if not bus.address.trader:
            raise BusRefused("--attach URL names the trader: nats://anna@127.0.0.1:4222")
        attach = Attachment(None, read_only, bus)
        return AttachedWindow(f"bus-{bus.address.desk}-{bus.address.trader}", attach, asyncio.run(_ask(attach)))
    if "@" in place or ":" in place:
        raise BusRefused(f"--attach {clean(place, 200)}: accepted is a profile, or {FORM}")
    if seed is not None:
        raise NoDesk("--bus-seed belongs to --attach URL; a desk of this machine needs none")
    socket = paths.find_desk_socket(place)
    running = {name for name, socket in paths.desk_sockets() if unix_socket.answers(socket)}
    if place not in running:
        raise NoDesk(_describe_absence(place, running))
    attach = Attachment(socket, read_only)
    return AttachedWindow(socket.stem, attach, asyncio.run(_ask(attach)))


def _describe_absence(profile: str, names: Iterable[str]) -> str:
    """Return the error text that nobody holds the account of a profile, with the names of the running desks."""
    shown, running = clean(profile, 40), ", ".join(sorted(names)) or "none"
    start = "crossdesk gateway" if profile == paths.PAPER else f"crossdesk gateway --profile {shown}"
    return (
        f"--attach {shown}: no desk and no gateway of this name runs on this machine; those that run: {running}. "
        f"Start it first (`{start}`); a gateway elsewhere is named as tls://TRADER@HOST:PORT"
    )


async def _ask(attach: Attachment) -> Welcome:
    client = DeskClient(await connection_of(attach)(), _IgnoringReceiver(), HostClock())
    try:
        return await client.open(Hello(versions=VERSIONS, name="", role=Role.WATCH))
    finally:
        client.close()
        await client.wait_closed()


class _IgnoringReceiver:
    """Receiver that ignores every message, for a connection that only exchanges the greeting."""

    def on_rows(self, message: Rows) -> None: ...

    def on_whole(self) -> None: ...

    def on_events(self, message: Events) -> None: ...

    def on_slow_reader(self, message: SlowReader) -> None: ...

    def on_refused(self, text: str) -> None: ...
