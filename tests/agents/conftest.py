"""A desk on a venue with a past, and an agent on it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
import pytest_asyncio

from tests.agents.agent import Agent, by_protocol, direct, make_toolbox
from tests.desk_protocol.desks import DeskOf, start_owner
from tests.venue.walk.world import World, open_world
from tui import paths


@pytest.fixture
def world() -> Iterator[World]:
    with open_world() as world:
        yield world


@pytest_asyncio.fixture
async def owner(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[DeskOf]:
    monkeypatch.setattr(paths, "state_dir", lambda: tmp_path.parent)
    desk = start_owner(world.venue, tmp_path)
    await desk.in_step()
    yield desk
    await desk.end()


Opens = Callable[[], AbstractAsyncContextManager[Agent]]


@pytest.fixture(params=[direct, by_protocol])
def agents(request: pytest.FixtureRequest, owner: DeskOf, tmp_path: Path) -> Opens:
    """Opens an agent on the desk; a test does that itself, because the library ends it in the task that began it."""
    return lambda: request.param(make_toolbox(tmp_path))
