"""Programs on a crossdesk: read the desk that runs on this machine, from Python.

from crossdesk import connect

with connect() as desk:
    print(desk.positions)
"""

from __future__ import annotations

from tui import paths
from tui.desk_protocol.carrier import LinkClosed
from tui.desk_protocol.messages import OrderTerms, ProtocolError, Role
from tui.host import HostClock, fresh_id
from tui.interface import decimals
from tui.interface.families.market import Interval
from tui.programs.async_desk import AsyncDesk
from tui.programs.desk import Desk
from tui.programs.desk_reader import DeskError
from tui.programs.records import (
    Asset,
    Bar,
    Book,
    Event,
    Fill,
    Mandate,
    Order,
    Position,
    Preview,
    Proposal,
    ProposalEnd,
    Quote,
    Sent,
)

__all__ = [
    "Asset", "AsyncDesk", "Bar", "Book", "Desk", "DeskError", "Event", "Fill", "Interval", "LinkClosed", "Mandate",
    "Order", "OrderTerms", "Position", "Preview", "Proposal", "ProposalEnd", "ProtocolError", "Quote", "Sent", "connect",
    "connect_async",
]  # fmt: skip


def connect(profile: str | None = None, *, name: str = "program") -> Desk:
    """Connect to the desk that holds the paper venue of this home, or a service; a plain `with` block.

    Args:
        profile: Name of a configured service; None: the paper venue.
        name: Name by which the desk shows this program.
    """
    return Desk(connect_async(profile, name=name))


def connect_async(profile: str | None = None, *, name: str = "program") -> AsyncDesk:
    """Connect in an asyncio program; an `async with` block. The arguments are those of `connect`."""
    decimals.setup()
    socket = paths.desk_socket("paper") if profile is None else paths.find_desk_socket(profile)
    return AsyncDesk(socket, HostClock(), fresh_id, name=name, role=Role.PROPOSE)
