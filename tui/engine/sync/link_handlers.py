"""Handlers of status changes of the streams; they update the state and notify each new error once."""

from __future__ import annotations

from collections.abc import Callable

from tui.client.connection_status import ConnectionStatus, Phase
from tui.client.public.stream import NO_ROOM
from tui.engine.event_line import Level
from tui.engine.life.task_supervisor import TaskSupervisor
from tui.engine.state.engine_state import EngineState
from tui.engine.sync.login_sync import ORDER_LINK
from tui.engine.sync.status_publisher import StatusPublisher
from tui.engine.sync.synchronization import Synchronization
from tui.interface.symbols import pair_name

MARKET_LINK = "market link"
SYNC_TASKS = ("sync", "fills")
"""Tasks of one login."""


class DownNotices:
    """Notices that a link is down, once per reason, and that it is up again; a later one replaces the earlier."""

    def __init__(self, state: EngineState) -> None:
        self._state = state
        self._notified: dict[str, str] = {}

    def notify(self, link: str, reason: str, text: str) -> None:
        """Notify the loss of a link, and store the reason so that `check` does not notify it again."""
        self._notified[link] = reason
        self._state.notify(Level.ALERT, text, cause=link)

    def clear(self, link: str) -> bool:
        """Forget the notified reason of a link that is up again; return whether there was one."""
        return self._notified.pop(link, None) is not None

    def check(self, link: str, status: ConnectionStatus) -> None:
        """Notify that a link is down, if for a new reason, or that it is up again."""
        if status.phase is Phase.READY:
            if self.clear(link):
                self._state.notify(Level.INFO, f"{link} is up again", cause=link)
        elif status.phase is Phase.DOWN and status.last_error and status.last_error != self._notified.get(link):
            self.notify(link, status.last_error, f"{link} is down: {status.last_error}")


class PrivateLinkHandler:
    """Handler of logins and losses of the private stream."""

    def __init__(
        self,
        state: EngineState,
        tasks: TaskSupervisor,
        publisher: StatusPublisher,
        synchronization: Synchronization,
        logged_in: Callable[[], None],
    ) -> None:
        self._state = state
        self._tasks = tasks
        self._publisher = publisher
        self._synchronization = synchronization
        self._when_logged_in = logged_in
        self._notices = DownNotices(state)

    def on_status(self, status: ConnectionStatus) -> None:
        """Apply a status change of the private stream."""
        state = self._state
        if status.phase is not Phase.READY:
            was = state.logged_in
            state.logged_in = state.synced = state.fills.caught_up = False
            self._tasks.cancel(*SYNC_TASKS)
            if was:
                text = f"{ORDER_LINK} lost: {status.last_error}; orders stay live at the venue"
                self._notices.notify(ORDER_LINK, status.last_error, text)
            else:
                self._notices.check(ORDER_LINK, status)
        state.epoch = status.epoch
        self._publisher.publish()

    def on_login(self, epoch: int) -> None:
        """Start the synchronization after a login; the pushes of the new connection follow."""
        state = self._state
        state.logged_in, state.logged_in_at = True, state.clock.mono()
        state.fills.caught_up = False
        state.epoch = epoch
        if self._notices.clear(ORDER_LINK):
            state.notify(Level.INFO, f"{ORDER_LINK} is up again; orders and positions are being read", cause=ORDER_LINK)
        if state.identity.service.only_trade:
            every = f"{state.settings.audits.polled:g} s"
            text = f"logged in for order actions alone (only_trade): nothing is pushed; lists are read every {every}"
            state.notify(Level.INFO, text)
        self._synchronization.pushes.hold()
        self._tasks.cancel(*SYNC_TASKS)
        self._synchronization.start()
        self._when_logged_in()
        self._publisher.publish_links()


class PublicLinkHandler:
    """Handler of status changes of the public stream."""

    def __init__(self, state: EngineState, publisher: StatusPublisher) -> None:
        self._state = state
        self._publisher = publisher
        self._notices = DownNotices(state)
        self._is_full = False
        """Whether it was reported that pairs have no room."""
        self._unreadable: dict[str, str] = {}
        """Reported decoding error by channel."""

    def on_subscription(self, sym: str, reason: str, *, ok: bool) -> None:
        state = self._state
        before = state.quotes.rows.get(sym)
        state.quotes.record_subscription(sym, ok=ok)
        if ok or not (before is None or before.subscribed):
            return
        if reason != NO_ROOM:
            state.notify(Level.WARN, f"{pair_name(sym)} is not subscribed: {reason}")
        elif not self._is_full:
            self._is_full = True
            state.notify(Level.WARN, f"{pair_name(sym)} and what follows it are not subscribed: {reason}")

    def unreadable(self, channel: str, reason: str) -> None:
        if channel not in self._unreadable:
            self._unreadable[channel] = reason
            text = f"{channel} pushes cannot be read ({reason}) and are left out; quotes go on"
            self._state.notify(Level.WARN, text)

    def public_changed(self) -> None:
        self._notices.check(MARKET_LINK, self._state.links.public_status())
        self._publisher.publish_links()
