"""How many calls of a row a key may make, and from when on again."""

from __future__ import annotations

from tui.interface.catalogue import ROWS
from tui.venue.shell.rate_limits import SlidingWindows


def test_rate_limit_of_an_endpoint_is_the_one_in_the_catalogue() -> None:
    now = 1000.0
    windows = SlidingWindows(lambda: now, lambda: "standard")
    for row in ROWS:
        key, limit = f"key of {row.name}", row.limit
        assert [windows.acquire(key, row.key, limit) for _ in range(limit.count)] == [0.0] * limit.count, key
        assert windows.acquire(key, row.key, limit) == limit.seconds, key
        assert windows.acquire(f"another {key}", row.key, limit) == 0.0, "each key has its own count"
        now += limit.seconds - 0.25
        assert windows.acquire(key, row.key, limit) == 0.25, key
        now += 0.25
        assert windows.acquire(key, row.key, limit) == 0.0, key
