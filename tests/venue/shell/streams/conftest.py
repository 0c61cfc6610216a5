"""A public connection to the venue of the module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from websockets.sync.client import connect

from tests.venue.shell.conftest import Venue
from tests.venue.shell.streams.listener import Listener


@pytest.fixture
def listener(venue: Venue) -> Iterator[Listener]:
    with connect(venue.ready["public_ws_url"], compression=None) as socket:
        yield Listener(socket)
