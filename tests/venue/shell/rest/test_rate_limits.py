"""How many calls of a row a key may make, and from when on again."""

from __future__ import annotations

import pytest

from tui.interface.catalogue import ROWS
from tui.interface.endpoint import Endpoint
from tui.venue.shell.rate_limits import SlidingWindows


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_rate_limit_of_an_endpoint_is_the_one_in_the_catalogue(row: Endpoint) -> None:
    now = 1000.0
    windows = SlidingWindows(lambda: now, lambda: "standard")
    assert [windows.acquire("key", row.key, row.limit) for _ in range(row.limit.count)] == [0.0] * row.limit.count
    assert windows.acquire("key", row.key, row.limit) == row.limit.seconds
    assert windows.acquire("another key", row.key, row.limit) == 0.0, "each key has its own count"
    now += row.limit.seconds - 0.25
    assert windows.acquire("key", row.key, row.limit) == 0.25
    now += 0.25
    assert windows.acquire("key", row.key, row.limit) == 0.0
