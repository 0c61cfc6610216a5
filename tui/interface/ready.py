"""Line that a venue prints when it is ready: addresses and API keys for the process that started it."""

from __future__ import annotations

import msgspec

BARS_PATH = "/paper/v1/bars"
"""Address of old price bars: an addition of the paper venue, without a key; no service has it."""
MOST_BARS = 1500
"""Most bars of one answer."""


class ReadyKey(msgspec.Struct, frozen=True, kw_only=True):
    """API key created at the venue's start."""

    name: str
    level: str
    portfolio: str = msgspec.field(name="portfolioId")
    permissions: list[str]
    api_key: str
    api_secret: str
    portfolio_name: str = msgspec.field(default="", name="portfolioName")


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """Market recording that a venue replays; its clock is `recorded_ms` plus the time since `started_ms`."""

    name: str
    """File name, without its folder."""
    recorded_ms: int
    """When the first row was recorded."""
    started_ms: int
    """When the venue replayed the first row."""
    length_ms: int
    loops: bool
    """Whether it starts again at its end; otherwise the market stops there."""

    def position_ms(self, now_ms: float) -> int:
        """Compute the replayed length of the recording, ms, at a venue time."""
        passed = max(0, int(now_ms) - self.started_ms)
        return passed % self.length_ms if self.loops and self.length_ms else min(passed, self.length_ms)

    def clock_ms(self, now_ms: float) -> int:
        """Compute the time in the recording that is replayed at a venue time, ms."""
        return self.recorded_ms + self.position_ms(now_ms)

    def has_ended(self, now_ms: float) -> bool:
        return not self.loops and now_ms - self.started_ms >= self.length_ms


class ReadyLine(msgspec.Struct, frozen=True, kw_only=True):
    """Ready line: addresses, API keys and pairs of a running venue."""

    ready: bool = True
    pid: int
    rest_url: str
    private_ws_url: str
    algo_ws_url: str
    public_ws_url: str
    keys: list[ReadyKey]
    symbols: list[str]
    ha_rest_url: str = ""
    ha_private_ws_url: str = ""
    """Addresses of the failover tier, with the switch `ha`."""
    replay: bool = False
    """Whether the market is a recording."""
    recording: Recording | None = None
    account_id: str = ""
    """Id of the venue's state; a new or restored state has another one. Empty for an older venue."""
    bars_url: str = ""
    """Address of old price bars (`BARS_PATH`). Empty for an older venue."""

    def key(self, name: str) -> ReadyKey:
        """Return the API key with this name.

        Raises:
            KeyError: The venue printed no such key.
        """
        for key in self.keys:
            if key.name == name:
                return key
        raise KeyError(name)
