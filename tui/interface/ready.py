"""The one line a venue prints when it is ready; whoever started it learns from it where it is and with which keys."""

from __future__ import annotations

import msgspec


class ReadyKey(msgspec.Struct, frozen=True, kw_only=True):
    """One key of this launch."""

    name: str
    level: str
    portfolio: str = msgspec.field(name="portfolioId")
    permissions: list[str]
    api_key: str
    api_secret: str


class ReadyLine(msgspec.Struct, frozen=True, kw_only=True):
    """Addresses, keys and pairs of a running venue."""

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
    """The market is a recording."""

    def key(self, name: str) -> ReadyKey:
        """The key of that name.

        Raises:
            KeyError: the venue printed no such key.
        """
        for key in self.keys:
            if key.name == name:
                return key
        raise KeyError(name)
