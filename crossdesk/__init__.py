"""Programs on a crossdesk: read the desk that runs on this machine, or the gateway of a bus, from Python.

from crossdesk import connect

with connect() as desk:
    print(desk.positions)

`Error` is the base of all that is raised here: `DeskError`, after which nothing was done, and `LinkClosed`, after which
the desk is gone and a call under way may have been carried out.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tui import paths
from tui.crossdesk_error import CrossdeskError
from tui.crossdesk_error import CrossdeskError as Error
from tui.desk_protocol.carrier import Connect, LinkClosed
from tui.desk_protocol.messages import OrderTerms, ProtocolError, Role
from tui.host import HostClock, fresh_id
from tui.interface import decimals
from tui.interface.families.market import Interval
from tui.programs.async_desk import AsyncDesk
from tui.programs.desk import Desk
from tui.programs.desk_error import DeskError
from tui.programs.records import (
    Asset,
    Bar,
    Book,
    Downtime,
    Event,
    Fill,
    Mandate,
    Order,
    PastEvent,
    Peer,
    Position,
    Preview,
    Proposal,
    ProposalEnd,
    Quote,
    Sent,
    Status,
)

__all__ = [
    "Asset", "AsyncDesk", "Bar", "Book", "Desk", "DeskError", "Downtime", "Error", "Event", "Fill", "Interval", "LinkClosed",
    "Mandate", "Order", "OrderTerms", "PastEvent", "Peer", "Position", "Preview", "Proposal", "ProposalEnd", "ProtocolError",
    "Quote", "Sent", "Status", "connect", "connect_async",
]  # fmt: skip


def connect(place: str | None = None, *, name: str = "program", seed: Path | str | None = None) -> Desk:
    """Connect to the desk that holds the paper venue of this home, or elsewhere; a plain `with` block.

    Args:
        place: Name of a configured service, or the gateway of a bus as `nats://TRADER@HOST:PORT/DESK` on this machine,
            `tls://…` elsewhere; None: the paper venue.
        name: Name by which the desk shows this program: 1 to 40 characters, and not `desk`, which windows are called.
        seed: File with the trader's NKEY seed, on a bus; None: the one in the folder of the bus.

    Raises:
        DeskError: Address or name is not accepted, the seed cannot be read, or the packages for a bus are not installed.
            This and all that the desk raises later can be caught as `Error`.
    """
    return Desk(connect_async(place, name=name, seed=seed))


def connect_async(place: str | None = None, *, name: str = "program", seed: Path | str | None = None) -> AsyncDesk:
    """Connect in an asyncio program; an `async with` block. The arguments and errors are those of `connect`."""
    decimals.setup()
    return AsyncDesk(_find_place(place, seed), HostClock(), fresh_id, name=name, role=Role.PROPOSE)


def _find_place(place: str | None, seed: Path | str | None) -> Path | Connect:
    if place is None or "://" not in place:
        if seed is not None:
            raise DeskError("seed belongs to the address of a bus; a desk of this machine needs none")
        return paths.desk_socket(paths.PAPER) if place is None else paths.find_desk_socket(place)
    from tui.cli.bus.server import bus_place
    from tui.desk_protocol.bus import window
    from tui.desk_protocol.bus.address import parse_address

    try:
        bus = bus_place(parse_address(place), None if seed is None else Path(seed).expanduser())
    except CrossdeskError as error:
        raise DeskError(str(error)) from None
    if not bus.address.trader:
        raise DeskError(f"{place} names no trader: nats://anna@127.0.0.1:4222")
    return partial(window.connect, bus, fresh_id)
