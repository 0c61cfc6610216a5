"""Publisher of the status rows of the connections and the engine."""

from __future__ import annotations

from typing import Protocol

import msgspec

from tui.client.connection_status import ConnectionStatus, Phase
from tui.engine.event_line import Level
from tui.engine.modes import OWN_SCREEN
from tui.engine.orders.risk_mode import find_breach
from tui.engine.rows import LocalOrderState, Table
from tui.engine.state.engine_state import EngineState, SenderState
from tui.engine.status_rows import ENGINE, EngineStatusRow, LinkRow, LinkState, PeerRow, RateUse
from tui.engine.sync.flapping import FlapDetector
from tui.interface.families.system import StatusRow

FRAME_STEP = 0.4
"""Least progress of the last frame that publishes a connection row again, s; it does not wake the screen."""
SILENCE_S = {"private": 3.5, "public": 5.0, "rest": 30.0}
"""Silence after which a new frame wakes the screen, s, because the connection may have been shown as stale."""
LAG_STEP_MS = 50.0
"""Step of published loop lag, ms; smaller changes on an idle machine are no news."""

_STATES = {
    Phase.DOWN: LinkState.DOWN,
    Phase.CONNECTING: LinkState.CONNECTING,
    Phase.LOGIN: LinkState.LOGIN,
    Phase.READY: LinkState.UP,
}


class RestStatus(msgspec.Struct, frozen=True):
    """Status of the REST connection."""

    tier: str
    """Name of the address in use, where there are several."""
    last_answer: float
    """Monotonic, s."""
    round_trip_ms: float | None
    error: str


class Links(msgspec.Struct, frozen=True):
    """Status of all connections; None for one that does not exist."""

    private: ConnectionStatus | None = None
    public: ConnectionStatus | None = None
    rest: RestStatus | None = None


class EngineReport(msgspec.Struct, frozen=True):
    """Report of an engine about itself: waiting actions, errors of its parts, lag, used request limits, checks."""

    in_flight: int = 0
    """Number of actions that wait for an answer."""
    sync_error: str = ""
    """Why shown data may be outdated, or empty."""
    engine_error: str = ""
    watchdog_error: str = ""
    algo_error: str = ""
    downtime: tuple[StatusRow, ...] = ()
    lag_ms: float = 0.0
    rates: tuple[RateUse, ...] = ()
    orders_checked_ms: int = 0
    positions_checked_ms: int = 0


class StatusSource(Protocol):
    """Source of the statuses to publish."""

    def links(self) -> Links: ...

    def report(self) -> EngineReport: ...


class StatusPublisher:
    """Publisher of status rows, only when they change."""

    def __init__(self, state: EngineState, source: StatusSource) -> None:
        self._state = state
        self._source = source
        self._links: dict[str, LinkRow] = {}
        self._lost_at: dict[str, float] = {}
        """Monotonic time of each connection's loss, s; retries do not reset it."""
        self._flapping: dict[str, FlapDetector] = {}
        self._status: EngineStatusRow | None = None

    def publish(self) -> None:
        """Publish the connection rows and the engine's status row."""
        self.publish_links()
        self.publish_status()

    # Connections

    def publish_links(self) -> None:
        """Publish connection rows that changed."""
        links = self._source.links()
        if links.private is not None:
            self._publish_link(self._private_row(links.private))
        if links.public is not None:
            flapping = self._is_flapping("public", links.public.phase)
            self._publish_link(_link_row("public", links.public, flapping=flapping))
        if links.rest is not None and links.rest.last_answer + (1 if links.rest.error else 0):
            self._publish_link(_rest_row(links.rest))

    def _private_row(self, status: ConnectionStatus) -> LinkRow:
        row = _link_row("private", status, flapping=self._is_flapping("private", status.phase))
        if status.phase is not Phase.READY:
            return row
        error = self._source.report().sync_error
        if not self._state.synced:
            return msgspec.structs.replace(row, state=LinkState.RESYNC, error=error)
        return msgspec.structs.replace(row, error=error) if error else row

    def _is_flapping(self, name: str, phase: Phase) -> bool:
        settings, now = self._state.settings, self._state.clock.mono()
        watched = self._flapping.setdefault(name, FlapDetector(settings.flap_losses, settings.flap_window))
        return watched.observe(phase, now)

    def _publish_link(self, row: LinkRow) -> None:
        before = self._links.get(row.name)
        if row.flapping and not (before is not None and before.flapping):
            settings = self._state.settings
            often = f"lost {settings.flap_losses} times in {settings.flap_window:g} s"
            self._state.notify(Level.ALERT, f"the {row.name} link is FLAPPING: {often}", cause=f"{row.name} flapping")
        elif before is not None and before.flapping and not row.flapping:
            held = f"not lost for {self._state.settings.flap_window:g} s"
            self._state.notify(Level.INFO, f"the {row.name} link is stable again: {held}", cause=f"{row.name} flapping")
        row = self._since_lost(row)
        same = before is not None and _comparable(before) == _comparable(row)
        heard = row.last_frame - before.last_frame if before is not None else 0.0
        if same and heard < FRAME_STEP:
            return
        self._links[row.name] = row
        self._state.updates.put(Table.LINKS, row.name, row, quiet=same and heard < SILENCE_S[row.name])

    def _since_lost(self, row: LinkRow) -> LinkRow:
        """Count a connection's downtime from its loss, not from the latest attempt to reconnect."""
        if row.state in (LinkState.UP, LinkState.RESYNC):
            self._lost_at.pop(row.name, None)
            return row
        lost = self._lost_at.setdefault(row.name, row.since or self._state.clock.mono())
        return msgspec.structs.replace(row, since=lost)

    # Status

    def publish_status(self) -> None:
        """Publish the engine's status row if it changed."""
        before, self._status = self._status, self._build_status()
        if self._status != before:
            quiet = before is not None and _comparable_status(self._status) == _comparable_status(before)
            self._state.updates.put(Table.ENGINE_STATUS, ENGINE, self._status, quiet=quiet)

    def _build_status(self) -> EngineStatusRow:
        state, report = self._state, self._source.report()
        skew, breach = state.links.skew_ms(), find_breach(state)
        return EngineStatusRow(
            environment=state.identity.environment,
            portfolio=state.portfolio,
            portfolio_name=state.identity.portfolio_name,
            trading_state=state.trading.own.state,
            hot_until=state.trading.own.hot_until,
            risk_mode=state.trading.risk_mode,
            risk_mode_reason=state.trading.describe_mode_reason(),
            unreached=state.trading.unreached,
            breach_end=breach.end if breach is not None else "",
            kills=state.trading.kills,
            killed_by=state.trading.killed_by,
            limits=state.settings.limits,
            synced=state.synced,
            was_synced=state.was_synced,
            read_only=state.trading.read_only,
            in_flight=report.in_flight,
            unknown=sum(1 for row in state.orders.visible_rows() if row.state == LocalOrderState.UNKNOWN),
            skew_ms=None if skew is None else float(round(skew)),
            journal_error=state.journal.error,
            engine_error=report.engine_error,
            watchdog_error=report.watchdog_error,
            downtime=report.downtime,
            lag_ms=LAG_STEP_MS * round(report.lag_ms / LAG_STEP_MS),
            rates=report.rates,
            recording=state.identity.recording,
            orders_checked_ms=report.orders_checked_ms,
            positions_checked_ms=max(report.positions_checked_ms, state.positions_updated_ms),
            algo_error=report.algo_error,
            ordered_today=tuple(sorted(filter(state.has_ordered_today, state.trading.last_order_days))),
            changed_rules=tuple(state.trading.changed_rules.items()),
            day_is_whole=state.day_is_whole(),
            bookings_read=state.facts.bookings.are_read,
            peers=_list_peers(state),
        )


def _comparable_status(row: EngineStatusRow) -> EngineStatusRow:
    """Return a status without the figures (clock skew, rates) whose change alone does not wake the screen."""
    return msgspec.structs.replace(row, skew_ms=None, rates=())


def _list_peers(state: EngineState) -> tuple[PeerRow, ...]:
    """List the desks and programs that are attached from other processes."""
    return tuple(_peer_row(name, sender) for name, sender in state.trading.senders.items() if name != OWN_SCREEN)


def _peer_row(name: str, sender: SenderState) -> PeerRow:
    return PeerRow(
        name=name,
        role=sender.role,
        trading_state=sender.state,
        hot_until=sender.hot_until,
        since_ms=sender.since_ms,
    )


def _link_row(name: str, status: ConnectionStatus, *, flapping: bool) -> LinkRow:
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
        error=status.last_error,
        login_refused=status.login_refused,
    )


def _rest_row(rest: RestStatus) -> LinkRow:
    return LinkRow(
        name="rest",
        tier=rest.tier,
        state=LinkState.DOWN if rest.error else LinkState.UP,
        last_frame=rest.last_answer,
        round_trip_ms=rest.round_trip_ms,
        error=rest.error,
    )


def _comparable(row: LinkRow) -> tuple[object, ...]:
    return row.state, row.tier, row.epoch, row.retries, row.bad_frames, row.flapping, row.error
