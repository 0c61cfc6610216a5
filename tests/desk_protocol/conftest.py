"""A paper venue whose market holds still and that limits no rate."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.venue.shell.conftest import STILL, Venue


@pytest.fixture(scope="module")
def venue() -> Iterator[Venue]:
    found = Venue(*STILL, "--set", "rate_profile=off")
    yield found
    found.stop()
