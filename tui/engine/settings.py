"""Settings of the trading core, with their defaults."""

from __future__ import annotations

import msgspec

from tui.client.settings import Timings
from tui.interface import decimals


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an order may be. Amounts are decimal texts in quote currency; times are seconds."""

    soft_notional: str = "25000"
    """Above this value an order asks."""
    hard_notional: str = "100000"
    """Above this value an order is denied."""
    far_bp: int = 25
    far_ticks: int = 5
    """How far through the opposite touch a price may be; the larger of the two counts."""
    near_bp: int = 500
    near_ticks: int = 50
    """How far behind its own touch a price may be; the larger of the two counts."""
    duplicate: float = 2.0
    """The same order again within this time asks."""
    stale: float = 2.0
    """A marketable order on a quote older than this asks."""
    red_after: float = 5.0
    """Without a frame from the market for this long, marketable orders are denied."""
    runaway_count: int = 10
    runaway_window: float = 2.0
    """More sends than the count within the window disarm."""
    max_in_flight_places: int = 8
    """Places without an answer."""
    new_attempt_rounds: int = 3
    new_attempt_age: float = 10.0
    """From here on the same order as an UNKNOWN one asks instead of being denied."""

    def __post_init__(self) -> None:
        for name in ("soft_notional", "hard_notional"):
            text = getattr(self, name)
            try:
                decimals.parse_request(text)
            except decimals.BadDecimal:
                raise ValueError(f"{name} is {text!r}; accepted are digits with at most one dot") from None


class Audits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How often the service is asked although the streams look healthy, in seconds."""

    orders: float = 30.0
    busy: float = 5.0
    """Orders, while anything is UNKNOWN or without an answer."""
    positions: float = 60.0
    """Positions, assets and account."""
    adl: float = 15.0
    adl_after: float = 2.0
    """After a position change."""
    adl_gap: float = 10.0
    """Least time between two ADL queries."""
    symbols: float = 86_400.0


class EngineSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything the engine can be told."""

    timings: Timings = Timings()
    limits: Limits = Limits()
    audits: Audits = Audits()
    finished_rows: float = 60.0
    """How long an ended order stays on the table, s."""
    fill_rows: int = 1_000
    """Fills kept on the table."""
    push_buffer: int = 10_000
    """Pushes kept while the snapshot is read; more restart it."""
    pulse: float = 0.25
    """Interval of the engine's own look at itself (sleep, links, desk), s."""
    lag_probe: float = 0.1
    """Interval of the loop's lag probe, s; 0 turns it off."""
