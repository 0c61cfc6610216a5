"""Settings of the trading core, with their defaults."""

from __future__ import annotations

import msgspec

from tui.client.settings import Timings
from tui.engine.limits import Limits


class AuditIntervals(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Intervals of audits while the streams are healthy, s."""

    orders: float = 30.0
    busy: float = 5.0
    """Orders, while anything is UNKNOWN or without an answer."""
    algos: float = 30.0
    """Algo orders; sooner after a position change."""
    positions: float = 60.0
    """Positions, assets and account."""
    polled: float = 2.0
    """Orders, positions, assets and account where nothing is pushed (`only_trade`); fills after 5 s at the soonest."""
    adl: float = 15.0
    adl_after: float = 2.0
    """After a position change."""
    adl_gap: float = 10.0
    """Least time between two ADL queries."""
    symbols: float = 86_400.0
    terms: float = 3_600.0
    """Fees, tiers, discounts, loan tiers."""
    funding: float = 5.0
    """Funding rate, one watched perpetual at a time."""
    statements: float = 60.0
    status: float = 30.0
    """Windows of maintenance."""


class WatchdogSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A second process that cancels this installation's orders when the workstation dies; off by default."""

    on: bool = False
    silence: float = 10.0
    """Time without a sign of life, s."""
    grace: float = 5.0
    """Grace time after that, s."""

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
    """Whether withdrawals may leave a live profile; on paper they always may."""
    flap_losses: int = 3
    flap_window: float = 60.0
    """`flap_losses` losses of a link within this time, s, are FLAPPING; the same time without a loss ends it."""
    finished_rows: float = 60.0
    """How long an ended order stays on the table, s."""
    fill_rows: int = 1_000
    """Fills kept on the table."""
    push_buffer: int = 10_000
    """Pushes buffered while the snapshot is read; more restart the reading."""
    pulse: float = 0.25
    """Interval of the engine's tick (monitors, jobs, status), s. How late it comes is the lag of the loop."""

    def __post_init__(self) -> None:
        if self.flap_losses < 1:
            raise ValueError(f"flap_losses is {self.flap_losses}; accepted is 1 or more")
        if self.flap_window <= 0:
            raise ValueError(f"flap_window is {self.flap_window:g}; accepted is more than 0 s")
