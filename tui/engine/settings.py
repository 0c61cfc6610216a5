"""Settings of the trading core, with their defaults."""

from __future__ import annotations

import msgspec

from tui.client.settings import Timings
from tui.engine.limits import Limits


class AuditIntervals(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Seconds between two audits of each list while the streams are healthy."""

    orders: float = 30.0
    """Open orders."""
    busy: float = 5.0
    """Open orders while one is UNKNOWN or waits for an answer."""
    algos: float = 30.0
    """Algo orders; sooner after a position change."""
    positions: float = 60.0
    """Positions, assets and account."""
    polled: float = 2.0
    """Orders, positions, assets and account of keys without pushes (`only_trade`); fills every 5 s at most."""
    adl: float = 15.0
    """ADL ranks."""
    adl_after: float = 2.0
    """ADL ranks after a position changed."""
    adl_gap: float = 10.0
    """Least time between two reads of ADL ranks."""
    symbols: float = 86_400.0
    """Pairs with their ticks, lots and contract sizes."""
    terms: float = 3_600.0
    """Fees, position tiers, haircuts and loan tiers."""
    funding: float = 5.0
    """Funding rates of watched perpetuals, one after the other."""
    statements: float = 60.0
    """Statement: funding payments and interest of the day."""
    status: float = 30.0
    """Maintenance windows."""


class WatchdogSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of the watchdog process, which cancels orders that can open a position when the workstation dies."""

    on: bool = False
    """Start the watchdog together with the workstation."""
    silence: float = 10.0
    """Seconds without a sign of life of the workstation; at least 1."""
    grace: float = 5.0
    """Seconds after that in which the workstation can still come back; at least 1."""

    def __post_init__(self) -> None:
        for name in ("silence", "grace"):
            if getattr(self, name) < 1:
                raise ValueError(f"watchdog.{name} is {getattr(self, name)}; accepted is 1 s or more")


class EngineSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of the engine."""

    timings: Timings = Timings()
    limits: Limits = Limits()
    audits: AuditIntervals = AuditIntervals()
    watchdog: WatchdogSettings = WatchdogSettings()
    withdrawals: bool = False
    """Allow withdrawals from a live profile; on paper they are always allowed."""
    flap_losses: int = 3
    """Losses of a connection within `flap_window` that make it FLAPPING."""
    flap_window: float = 60.0
    """Seconds in which losses are counted; as long without a loss ends FLAPPING."""
    finished_rows: float = 60.0
    """Seconds for which an ended order stays in memory."""
    fill_rows: int = 1_000
    """Fills kept in memory."""
    push_buffer: int = 10_000
    """Pushes buffered while lists are read after a login; more restart the reading."""
    pulse: float = 0.25
    """Seconds between two ticks of the engine; the delay of a tick is shown as its lag."""

    def __post_init__(self) -> None:
        if self.flap_losses < 1:
            raise ValueError(f"flap_losses is {self.flap_losses}; accepted is 1 or more")
        if self.flap_window <= 0:
            raise ValueError(f"flap_window is {self.flap_window:g}; accepted is more than 0 s")
