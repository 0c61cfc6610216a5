"""Monitors of host and session: machine sleep, clock skew, end of a recording, watchdog, event loop lag."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from tui.client.signer import LOGIN_TOLERANCE_MS, clock_error
from tui.engine.event_line import Level
from tui.engine.life.unreached import UnreachedMonitor
from tui.engine.state.engine_state import EngineState
from tui.interface.text import clean
from tui.protocols import Clock

WATCHDOG = "watchdog"
"""Cause of the warning that the watchdog does not run."""
SLEEP_GAP_S = 2.0
"""Growth of the gap between boot clock and monotonic clock that counts as a sleep, s."""
SKEW_NOTICE_MS = 250.0
LAG_WINDOW_S = 1.0
"""Time for which the worst lag is shown, s."""


class SleepMonitor:
    """Detector of machine sleep, during which the boot clock runs but the monotonic clock does not."""

    def __init__(self, state: EngineState, woke: Callable[[], None]) -> None:
        self._state = state
        self._woke = woke
        self._gap: float | None = None

    def check(self) -> None:
        """Notify a sleep of the machine and reconnect."""
        gap = self._state.clock.boot() - self._state.clock.mono()
        before, self._gap = self._gap, gap
        if before is not None and gap - before > SLEEP_GAP_S:
            self._state.notify(Level.WARN, f"the machine slept {gap - before:.0f} s; reconnecting")
            self._woke()


class WatchdogMonitor:
    """Sender of heartbeats to the watchdog; warns when the watchdog does not receive them."""

    def __init__(self, state: EngineState) -> None:
        self._state = state
        self.heartbeat: Callable[[], str | None] = lambda: None
        """Sends one heartbeat; returns why it was not received, or None."""
        self.error = ""

    def check(self) -> None:
        """Send one heartbeat; notify when the watchdog stops receiving them, and when it receives them again."""
        before, self.error = self.error, self.heartbeat() or ""
        if self.error and not before:
            self._state.notify(Level.ALERT, self.error, sticky=True, cause=WATCHDOG)
        elif before and not self.error:
            self._state.notify(Level.INFO, "the watchdog listens again", cause=WATCHDOG)


class ClockSkewMonitor:
    """Monitor that warns once about clock skew, and again if it becomes worse."""

    def __init__(self, state: EngineState) -> None:
        self._state = state
        self._notified_level = 0

    def check(self) -> None:
        """Compare our clock with the service's; notify a difference of a more serious level than notified before."""
        skew = self._state.links.skew_ms()
        if skew is None:
            return
        error = clock_error(skew, LOGIN_TOLERANCE_MS)
        level = 2 if error else 1 if abs(skew) >= SKEW_NOTICE_MS else 0
        if level > self._notified_level:
            self._notified_level = level
            if error:
                self._state.notify(Level.ALERT, f"{error}; opening orders are refused, cancels and closes work")
            else:
                self._state.notify(Level.WARN, f"clock differs by {skew:+.0f} ms from the service's")
        elif level == 0 and abs(skew) < SKEW_NOTICE_MS / 2:
            self._notified_level = 0


class RecordingMonitor:
    """Monitor that notifies once which recording is replayed, and once when it ends."""

    def __init__(self, state: EngineState) -> None:
        self._state = state
        self._begin_notified = self._end_notified = False

    def check(self) -> None:
        """Notify the start or the end of the recording when it is due."""
        state, recording = self._state, self._state.identity.recording
        if recording is None:
            return
        if not self._begin_notified:
            self._begin_notified = True
            began = datetime.fromtimestamp(recording.recorded_ms / 1000, UTC)
            end = "begins again at its end" if recording.loops else "ends then"
            minutes, seconds = divmod(recording.length_ms // 1000, 60)
            text = f"REPLAY of {clean(recording.name, 40)}: recorded {began:%Y-%m-%d %H:%M:%S} UTC"
            state.notify(Level.INFO, f"{text}, {minutes}:{seconds:02} long, {end}")
        now_ms = state.clock.wall() * 1000 - (state.links.skew_ms() or 0.0)
        if not self._end_notified and recording.has_ended(now_ms):
            self._end_notified = True
            state.notify(Level.WARN, f"the recording {clean(recording.name, 40)} has ended: its market stands still")


class LagProbe:
    """Largest recent lag of the engine's event loop, measured at each tick."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until = 0.0
        self.lag_ms = 0.0
        """Worst delay within the last second."""

    def record_delay(self, late_s: float) -> None:
        """Record how late a tick was, in s."""
        late, now = max(0.0, late_s * 1000), self._clock.mono()
        if late >= self.lag_ms or now > self._until:
            self.lag_ms, self._until = late, now + LAG_WINDOW_S


class Monitors:
    """All monitors that are checked at each tick."""

    def __init__(self, state: EngineState, reconnect: Callable[[], None], *, knows_algos: Callable[[], bool]) -> None:
        """Build the monitors.

        Args:
            state: State of the engine.
            reconnect: Callback after the machine slept.
            knows_algos: Whether the list of open algo orders is known.
        """
        self.watchdog = WatchdogMonitor(state)
        self.unreached = UnreachedMonitor(state, knows_algos)
        self._sleep = SleepMonitor(state, reconnect)
        self._skew = ClockSkewMonitor(state)
        self._recording = RecordingMonitor(state)

    def check(self) -> None:
        """Check all monitors."""
        self.watchdog.check()
        self.unreached.check()
        self._sleep.check()
        self._skew.check()
        self._recording.check()
