"""A venue with a still market for tests of what an engine tells of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.venue.shell.conftest import STILL, Venue


@pytest.fixture
def start() -> Iterator[Callable[..., Venue]]:
    """Starts a still market with switches of the test's own."""
    started: list[Venue] = []

    def begin(*switches: str) -> Venue:
        started.append(Venue(*STILL, "--set", "rate_profile=off", "--control", *switches))
        return started[-1]

    yield begin
    for venue in started:
        venue.stop()
