"""Link to the engine of another process, as a workstation runs it in place of its own."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tui.desk_protocol.carrier import Connect
from tui.desk_protocol.remote_engine import RemoteEngine
from tui.host import HostClock, fresh_id

if TYPE_CHECKING:
    from tui.cli.windows import Attachment
    from tui.engine.life.table_hub import TableHub


def connection_of(place: Attachment) -> Connect:
    """Return the function that connects to the engine of another process, over its Unix socket or a bus."""
    if place.bus is not None:
        from tui.desk_protocol.bus import window

        return partial(window.connect, place.bus, fresh_id)
    from tui.desk_protocol import unix_socket

    assert place.socket is not None
    return partial(unix_socket.connect, place.socket)


def attach_engine(place: Attachment, name: str, updates: TableHub) -> RemoteEngine:
    """Build a remote engine that connects to the window or gateway holding the account, instead of an engine of our own."""
    return RemoteEngine(
        connection_of(place), name, updates, HostClock(), fresh_id,
        read_only=place.read_only, is_far=place.bus is not None, expects=place.expects,
    )  # fmt: skip
