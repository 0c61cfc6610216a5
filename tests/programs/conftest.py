"""A venue, and a desk that programs attach to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.desk_protocol.desks import DeskOf, start_owner
from tests.venue.shell.conftest import Venue, start, venue

__all__ = ["owner", "start", "venue"]


@pytest_asyncio.fixture
async def owner(venue: Venue, tmp_path: Path) -> AsyncIterator[DeskOf]:
    desk = start_owner(venue, tmp_path)
    await desk.in_step()
    yield desk
    await desk.end()
