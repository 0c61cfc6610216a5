"""The engine's look at itself, four times a second: sleep, links, desk, audits that are due, rows that may go."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from tui.client.connection_status import ConnectionStatus, Phase
from tui.client.signer import LOGIN_TOLERANCE_MS, clock_trouble
from tui.engine.rows import EngineStatusRow, Level, LinkRow, LinkState, LocalOrderState, Table
from tui.engine.sync.flapping import Flapping
from tui.interface.text import clean

if TYPE_CHECKING:
    from tui.engine.engine import Engine

WATCHDOG = "watchdog"
"""Cause of the warning that nobody cancels when this program dies."""
SLEPT = 2.0
"""A gap (s) between the clock that sleeps with the machine and the one that does not, from which on we slept."""
SKEW_SAID_MS = 250.0
FRAME_STEP = 0.4
"""A link row is handed over again when its last frame moved by this much, s."""
SYMBOL_RETRY = 4.0
SYMBOL_DOUBT = 60.0
REST_PROOF = 2.0
"""While REST is said to be down it is asked again this often, s: only an answer clears it."""
STATUS_SOON = 1.0
"""After orders were said to be paused, s."""

_STATES = {
    Phase.DOWN: LinkState.DOWN,
    Phase.CONNECTING: LinkState.CONNECTING,
    Phase.LOGIN: LinkState.LOGIN,
    Phase.READY: LinkState.UP,
}


class Pulse:
    """Timers of the engine in one place."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._desk = engine.desk
        self._audits = engine.settings.audits
        self._links: dict[str, LinkRow] = {}
        self._lost_at: dict[str, float] = {}
        """When each link that is away was lost; retries do not begin anew. Monotonic, s."""
        self._proof_due = 0.0
        self._shown: EngineStatusRow | None = None
        self._flapping: dict[str, Flapping] = {}
        self._unwatched = ""
        self._lag = 0.0
        self._lag_until = 0.0
        self._jitter = self._desk.services.random_source.stream("audits")
        self._gap: float | None = None
        self._skew_told = 0
        self._recording_told = 0
        far = float("inf")
        self._symbols_due = 0.0
        self._symbols_at = float("-inf")
        self._orders_due = self._positions_due = self._adl_due = self._algos_due = far
        self._terms_due = self._leverages_due = self._funding_due = self._statements_due = far
        self._orders_at = float("-inf")
        self._status_due = 0.0

    async def run(self) -> None:
        """Beat until cancelled."""
        while True:
            self.beat()
            await asyncio.sleep(self._engine.settings.pulse)

    async def probe(self) -> None:
        """Measure how late the loop is."""
        loop = asyncio.get_running_loop()
        step = self._engine.settings.lag_probe
        while True:
            due = loop.time() + step
            await asyncio.sleep(step)
            late = max(0.0, (loop.time() - due) * 1000)
            now = self._desk.clock.mono()
            if late >= self._lag or now > self._lag_until:
                self._lag, self._lag_until = late, now + 1.0

    def beat(self) -> None:
        """One look."""
        now = self._desk.clock.mono()
        self._watch_watchdog()
        self._engine.recall_again()
        self._watch_sleep()
        self._watch_clock()
        self._watch_recording()
        self._desk.orders.sweep(now, self._engine.settings.finished_rows)
        self._due_jobs(now)
        self._engine.modes.watch()
        self.show_links()
        self.show_desk()

    # -- being told ---------------------------------------------------------------------------------------------

    def synced(self) -> None:
        """The snapshot is complete."""
        now = self._desk.clock.mono()
        audits = self._audits
        self._orders_at = now
        self._orders_due = now + self._spread(audits.orders)
        self._positions_due = now + self._spread(audits.positions)
        self._adl_due = max(now, self._adl_floor())
        self._algos_due = now
        self._terms_due = self._leverages_due = self._funding_due = self._statements_due = now
        self.beat()

    def position_changed(self) -> None:
        """ADL ranks follow positions."""
        soon = self._desk.clock.mono() + self._audits.adl_after
        self._adl_due = max(min(self._adl_due, soon), self._adl_floor())
        self._algos_due = min(self._algos_due, soon)

    def symbols_doubted(self) -> None:
        """The service refused figures that our symbol rules allow."""
        if self._desk.clock.mono() - self._symbols_at > SYMBOL_DOUBT:
            self._symbols_due = 0.0

    def status_doubted(self) -> None:
        """The service refused because of maintenance."""
        self._status_due = min(self._status_due, self._desk.clock.mono() + STATUS_SOON)

    def symbols_read(self) -> None:
        self._symbols_at = self._desk.clock.mono()
        self._symbols_due = self._symbols_at + self._audits.symbols

    # -- jobs ---------------------------------------------------------------------------------------------------

    def _due_jobs(self, now: float) -> None:
        engine, audits = self._engine, self._audits
        if engine.rest is None or engine.private is None:
            return
        if now >= self._symbols_due:
            self._symbols_due = now + SYMBOL_RETRY
            engine.spawn("symbols", engine.read_symbols())
        if now >= self._status_due:
            self._status_due = now + self._spread(audits.status)
            engine.spawn("system status", engine.read_status())
        if engine.rest.last_error and now >= self._proof_due:
            self._proof_due = now + REST_PROOF
            engine.spawn("system status", engine.read_status())
        if engine.failover is not None and engine.failover.may_return(engine.private.in_flight):
            engine.spawn("tier", engine.look_back())
        if not self._desk.synced:
            return
        if now >= self._orders_due or (now - self._orders_at >= audits.busy and engine.busy):
            self._orders_at = now
            self._orders_due = now + self._spread(audits.orders)
            engine.spawn("order audit", engine.audit_orders())
        if now >= self._positions_due:
            self._positions_due = now + self._spread(audits.positions)
            engine.spawn("position audit", engine.audit_positions())
        if now >= self._adl_due:
            self._adl_due = now + audits.adl
            engine.spawn("ADL", engine.read_adl())
        self._due_algos(now)
        self._due_terms(now)

    def _due_algos(self, now: float) -> None:
        algos, audits = self._engine.algos, self._audits
        if algos is None:
            return
        if algos.doubted:
            algos.doubted, self._algos_due = False, min(self._algos_due, now + audits.adl_after)
        if now >= self._algos_due:
            self._algos_due = now + self._spread(audits.algos)
            self._engine.spawn("algo orders", algos.read())

    def _due_terms(self, now: float) -> None:
        """What seldom changes."""
        engine, audits, terms = self._engine, self._audits, self._engine.terms
        if terms is None:
            return
        if now >= self._terms_due:
            self._terms_due = now + self._spread(audits.terms)
            engine.spawn("price lists", terms.schedules())
        if now >= self._leverages_due:
            self._leverages_due = now + self._spread(audits.positions)
            engine.spawn("leverages", terms.leverages())
        if now >= self._funding_due:
            self._funding_due = now + audits.funding
            engine.spawn("funding", terms.funding())
        if now >= self._statements_due:
            self._statements_due = now + self._spread(audits.statements)
            engine.spawn("statements", terms.statements())

    def _spread(self, seconds: float) -> float:
        return seconds * self._jitter.uniform(0.9, 1.0)

    def _adl_floor(self) -> float:
        return self._engine.adl_at + self._audits.adl_gap

    def _watch_sleep(self) -> None:
        """One clock stands still while the machine sleeps; the difference shows it."""
        gap = self._desk.clock.boot() - self._desk.clock.mono()
        before, self._gap = self._gap, gap
        if before is not None and gap - before > SLEPT:
            self._desk.say(Level.WARN, f"the machine slept {gap - before:.0f} s; reconnecting")
            if self._engine.private is not None:
                self._engine.private.drop("the machine slept")
            if self._engine.public is not None:
                self._engine.public.drop()

    def _watch_watchdog(self) -> None:
        """A sign of life; whoever should hear it and does not is no protection any more."""
        before, self._unwatched = self._unwatched, self._engine.heartbeat() or ""
        if self._unwatched and not before:
            self._desk.say(Level.ALERT, self._unwatched, sticky=True, cause=WATCHDOG)
        elif before and not self._unwatched:
            self._desk.say(Level.INFO, "the watchdog listens again", cause=WATCHDOG)

    def _watch_clock(self) -> None:
        """Say once that our clock is off, and again when it gets worse; nobody's clock is changed."""
        skew = self._desk.skew_ms()
        if skew is None:
            return
        trouble = clock_trouble(skew, LOGIN_TOLERANCE_MS)
        level = 2 if trouble else 1 if abs(skew) >= SKEW_SAID_MS else 0
        if level > self._skew_told:
            self._skew_told = level
            if trouble:
                self._desk.say(Level.ALERT, f"{trouble}; opening orders are refused, cancels and closes work")
            else:
                self._desk.say(Level.WARN, f"clock differs by {skew:+.0f} ms from the service's")
        elif level == 0 and abs(skew) < SKEW_SAID_MS / 2:
            self._skew_told = 0

    def _watch_recording(self) -> None:
        """Say once where a recorded market comes from, and once that it has ended."""
        recording = self._desk.identity.recording
        if recording is None:
            return
        if not self._recording_told:
            self._recording_told = 1
            began = datetime.fromtimestamp(recording.recorded_ms / 1000, UTC)
            end = "begins again at its end" if recording.loops else "ends then"
            minutes, seconds = divmod(recording.length_ms // 1000, 60)
            text = f"REPLAY of {clean(recording.name, 40)}: recorded {began:%Y-%m-%d %H:%M:%S} UTC"
            self._desk.say(Level.INFO, f"{text}, {minutes}:{seconds:02} long, {end}")
        now_ms = self._desk.clock.wall() * 1000 - (self._desk.skew_ms() or 0.0)
        if self._recording_told == 1 and recording.has_ended(now_ms):
            self._recording_told = 2
            self._desk.say(Level.WARN, f"the recording {clean(recording.name, 40)} has ended: its market stands still")

    # -- showing ------------------------------------------------------------------------------------------------

    def show_links(self) -> None:
        """Hand over link rows that changed."""
        engine = self._engine
        if engine.private is not None:
            status = engine.private.status
            row = _link("private", status, self._flaps("private", status.phase))
            if status.phase is Phase.READY and not self._desk.synced:
                row = msgspec.structs.replace(row, state=LinkState.RESYNC, trouble=engine.sync_trouble)
            elif status.phase is Phase.READY and engine.sync_trouble:
                row = msgspec.structs.replace(row, trouble=engine.sync_trouble)
            self._show_link(row)
        if engine.public is not None:
            status = engine.public.status()
            self._show_link(_link("public", status, self._flaps("public", status.phase)))
        if engine.rest is not None and engine.rest.last_answer + (1 if engine.rest.last_error else 0):
            self._show_link(self._rest_row())

    def _rest_row(self) -> LinkRow:
        rest, failover = self._engine.rest, self._engine.failover
        assert rest is not None
        return LinkRow(
            name="rest",
            tier=failover.current.name if failover is not None and len(failover.all) > 1 else "",
            state=LinkState.DOWN if rest.last_error else LinkState.UP,
            last_frame=rest.last_answer,
            round_trip_ms=rest.round_trip_ms,
            trouble=rest.last_error,
        )

    def _flaps(self, name: str, phase: Phase) -> bool:
        settings, now = self._engine.settings, self._desk.clock.mono()
        watched = self._flapping.setdefault(name, Flapping(settings.flap_losses, settings.flap_window))
        return watched.seen(phase, now)

    def _show_link(self, row: LinkRow) -> None:
        before = self._links.get(row.name)
        if row.flapping and not (before is not None and before.flapping):
            settings = self._engine.settings
            often = f"lost {settings.flap_losses} times in {settings.flap_window:g} s"
            self._desk.say(Level.ALERT, f"the {row.name} link is FLAPPING: {often}")
        row = self._since_lost(row)
        if before is not None and _same_link(before, row):
            return
        self._links[row.name] = row
        self._desk.handover.put(Table.LINKS, row.name, row)

    def _since_lost(self, row: LinkRow) -> LinkRow:
        """How long a link is away counts from its loss, not from the newest attempt."""
        if row.state in (LinkState.UP, LinkState.RESYNC):
            self._lost_at.pop(row.name, None)
            return row
        lost = self._lost_at.setdefault(row.name, row.since or self._desk.clock.mono())
        return msgspec.structs.replace(row, since=lost)

    def show_desk(self) -> None:
        """Hand over the desk row when it changed."""
        desk, engine = self._desk, self._engine
        skew = desk.skew_ms()
        private = engine.private
        row = EngineStatusRow(
            environment=desk.identity.environment,
            portfolio=desk.portfolio,
            portfolio_name=desk.identity.portfolio_name,
            state=desk.state,
            mode=desk.mode,
            mode_why=desk.mode_why,
            limits=desk.settings.limits,
            synced=desk.synced,
            read_only=desk.read_only,
            in_flight=private.in_flight if private is not None else 0,
            unknown=sum(1 for one in desk.orders.shown() if one.state == LocalOrderState.UNKNOWN),
            skew_ms=None if skew is None else float(round(skew)),
            journal_trouble=desk.journal.trouble,
            engine_trouble=engine.trouble,
            watchdog_trouble=self._unwatched,
            maintenance=engine.maintenance.windows,
            lag_ms=float(5 * round(self._lag / 5)),
            recording=desk.identity.recording,
            orders_checked_ms=engine.orders_checked_ms,
            positions_checked_ms=max(engine.positions_checked_ms, desk.positions_told_ms),
            algo_trouble="" if engine.algos is None else engine.algos.trouble,
            day_is_whole=desk.day_is_whole(),
        )
        if row != self._shown:
            self._shown = row
            desk.handover.put(Table.DESK, "desk", row)


def _link(name: str, status: ConnectionStatus, flapping: bool) -> LinkRow:
    return LinkRow(
        name=name,
        state=_STATES[status.phase],
        epoch=status.epoch,
        since=status.since,
        last_frame=status.last_frame,
        round_trip_ms=status.round_trip_ms,
        retries=status.retries,
        bad_frames=status.bad_frames,
        flapping=flapping,
        trouble=status.last_error,
    )


def _same_link(before: LinkRow, now: LinkRow) -> bool:
    if now.last_frame - before.last_frame >= FRAME_STEP:
        return False
    return _standing(before) == _standing(now)


def _standing(row: LinkRow) -> tuple[object, ...]:
    return row.state, row.tier, row.epoch, row.retries, row.bad_frames, row.flapping, row.trouble
