"""Settings of the connection to a service, with defaults."""

from __future__ import annotations

from typing import Literal

import msgspec


class Service(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Addresses and protocol variants of a service."""

    rest_url: str
    """Base address of REST, without a path: `https://host`."""
    private_ws_url: str
    """Address of the private stream, with its path."""
    public_ws_url: str
    """Address of the public stream, with its path."""
    algo_ws_url: str = ""
    """Address of the algo stream, with its path; empty: algo orders are known only from their list."""
    ha_rest_url: str = ""
    ha_private_ws_url: str = ""
    """Addresses of the failover tier; empty: none."""
    tier_order: Literal["AZ4,HA", "HA,AZ4"] = "AZ4,HA"
    """Preferred tier first."""
    path_words: dict[str, str] = {}
    """Words of this deployment for neutral path segments."""
    value_words: dict[str, str] = {}
    """Words of this deployment for neutral values, such as account types or pools."""
    delete_params: Literal["auto", "body", "query"] = "auto"
    """Place where the service reads the parameters of a DELETE; `auto`: detected at the first refusal for it."""

    auth: Literal["v2", "v1"] = "v2"
    """Version of call signatures. `v1`: accounts, custody, transfers, deposits and withdrawals are signed as keys made
    before
    2023-10-19 sign them; everything else is signed as in `v2`."""
    only_trade: bool = False
    """Log in to the private stream for order actions only: nothing is pushed, and lists are read instead."""
    bars_url: str = ""
    """Address of old price bars, which only the paper venue offers."""


class Timings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Timeouts and intervals, in seconds unless stated otherwise."""

    reply_timeout: float = 3.0
    """Time without an answer after which a command is UNKNOWN."""
    connect_timeout: float = 3.0
    """Time to connect to one address, TLS included."""
    read_timeout: float = 10.0
    """Time for the answer to a REST request."""
    archive_timeout: float = 45.0
    """Time for the answer to a request for archived history."""
    ping_idle: float = 2.0
    """Silence on the private stream before a ping."""
    ping_timeout: float = 3.0
    """Time that a ping may wait for its answer before the connection is closed."""
    ping_every: float = 10.0
    """Longest time between two pings, because services count what a client sends."""
    ping_fallback: float = 15.0
    """Replacement for `ping_idle` when the service objects to early pings."""
    market_ping_idle: float = 0.5
    """Silence on a public connection before a ping."""
    market_ping_timeout: float = 4.5
    """Silence after that ping before the connection is closed."""
    reconnect_first: float = 0.25
    """Wait before the first reconnect."""
    reconnect_cap: float = 10.0
    """Longest wait between two attempts."""
    login_gap: float = 1.0
    """Least time between two logins with one key."""
    login_failures_per_minute: int = 3
    """Refused logins within a minute before the next one waits."""
    tier_attempts: int = 2
    """Failed attempts on a tier before the other one is tried."""
    tier_patience: float = 5.0
    """Time without a connection after which the other tier is tried."""
    tier_min_stay: float = 60.0
    """Time on a tier before the preferred one is tried again."""
    bad_frames_limit: int = 10
    """Unreadable frames within `bad_frames_window` before the connection is closed."""
    bad_frames_window: float = 10.0
    """Period for `bad_frames_limit`."""
    cancel_reserve: float = 0.3
    """Share of each rate limit that only cancels and queries may use; at least 0.2."""
    order_detail_rate: int = 5
    """Order detail queries per second."""
    pairs_per_connection: int = 5
    """Pairs on one public connection without login."""
    pairs_per_login: int = 50
    """Pairs on one public connection after login."""
    public_connections: int = 36
    """Most public connections at once; a service allows 40 per client, and four are for the detail streams."""
    subscribe_deadline: float = 5.0
    """Time without an answer after which a pair counts as not subscribed."""

    def __post_init__(self) -> None:
        if not 0.2 <= self.cancel_reserve <= 0.9:
            raise ValueError(f"cancel_reserve is {self.cancel_reserve}; accepted is 0.2 to 0.9")
        for name in ("reply_timeout", "ping_idle", "ping_timeout", "reconnect_first", "reconnect_cap"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} is {getattr(self, name)}; accepted is a number above 0 (seconds)")
