"""A venue, and a desk that programs attach to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.desk_protocol.desks import DeskOf, start_owner
from tests.venue.shell.conftest import STILL, Venue


@pytest.fixture(scope="module")
def venue() -> Iterator[Venue]:
    found = Venue(*STILL, "--set", "rate_profile=off")
    yield found
    found.stop()


@pytest_asyncio.fixture
async def owner(venue: Venue, tmp_path: Path) -> AsyncIterator[DeskOf]:
    desk = start_owner(venue, tmp_path)
    await desk.in_step()
    yield desk
    await desk.end()
