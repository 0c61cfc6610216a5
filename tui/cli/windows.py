"""Several windows on one home: the first holds the lock, owns the paper venue and trades; the others are read-only.

A read-only window takes over when the first one has ended. The owner starts its venue again when the venue dies.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from tui.cli.paper_venue import HELD, PaperVenue, VenueFailed
from tui.host import FileLock, HostClock
from tui.private_files import write_private

if TYPE_CHECKING:
    from tui.client.settings import Service
    from tui.interface.ready import ReadyLine, Recording

log = logging.getLogger("tui.cli")

POLL_S = 0.2
"""How often a window polls its venue, the lock and the address published by the other window."""
DEATHS = 3
DEATHS_S = 30.0
"""A venue that dies this often in this time is not started again."""
STARTS = 5
"""Tries to start a venue while the one before still holds the state."""
OTHER_WINDOW_TRADES = "READ-ONLY: another crossdesk trades this portfolio"
READ_ONLY_REQUESTED = "READ-ONLY: started with --read-only"
DESK_KEY = "desk"
"""Key of the ready line for the portfolio that was chosen."""
PORTFOLIO_OPTION = "--portfolio"
MAIN_NAME = "main"
"""What the main portfolio of the paper venue is called on the screen."""
TOOK_OVER = "the other crossdesk has ended: this window trades now; a arms"


class Target(NamedTuple):
    """Which service an engine talks to."""

    service: Service
    portfolio: str
    portfolio_name: str
    key: str
    secret: str
    recording: Recording | None = None
    account_id: str = ""
    """Account id: of the state of a paper venue, or of the user of a live key; empty for an older venue."""


class EngineAssignment(NamedTuple):
    """What one engine is made for."""

    target: Target
    owns: bool
    """The window holds the lock of the home."""
    read_only: str
    news: str
    """What the trader is told at the start of this engine, or empty."""


class Window(Protocol):
    """One workstation on a home."""

    @property
    def read_only(self) -> str:
        """Why nothing may be sent from here, as far as is known; empty allows trading."""
        ...

    def next_assignment(self) -> EngineAssignment:
        """What the next engine is made for. Blocks until it is known; called on the engine's thread.

        Raises:
            VenueFailed: there is no venue and none can be started.
        """
        ...

    def watch(self, renew: Callable[[], None]) -> None:
        """Call `renew` from a thread of its own whenever `next_assignment` would answer something else."""
        ...

    def close(self) -> None:
        """The window closes: nothing is watched or waited for any more."""
        ...


class LiveWindow:
    """A window on a service elsewhere."""

    def __init__(self, target: Target, lock: FileLock, *, looks_only: bool) -> None:
        self._target = target
        self._lock = lock
        self._looks_only = looks_only
        self._owns = lock.acquire()
        self._news = ""
        self._closing = threading.Event()

    @property
    def read_only(self) -> str:
        return READ_ONLY_REQUESTED if self._looks_only else "" if self._owns else OTHER_WINDOW_TRADES

    def next_assignment(self) -> EngineAssignment:
        news, self._news = self._news, ""
        return EngineAssignment(self._target, self._owns, self.read_only, news)

    def watch(self, renew: Callable[[], None]) -> None:
        if not self._owns and not self._looks_only:
            threading.Thread(target=self._wait_for_lock, args=(renew,), name="window", daemon=True).start()

    def _wait_for_lock(self, renew: Callable[[], None]) -> None:
        while not self._closing.wait(POLL_S):
            if self._lock.acquire():
                self._owns, self._news = True, TOOK_OVER
                renew()
                return

    def close(self) -> None:
        self._closing.set()
        self._lock.release()


class PaperWindow:
    """A window on the paper venue of this home."""

    def __init__(self, arguments: list[str], log: Path, runtime: Path, lock: FileLock, *, looks_only: bool) -> None:
        """Take the lock if it is free, and begin to start the venue then.

        Args:
            arguments: Of the venue.
            log: File in which the venue logs.
            runtime: File in which the owner says where its venue is.
            lock: Held by the owner.
            looks_only: Nothing is to be sent from here, whoever owns.
        """
        self._arguments = arguments
        self._log = log
        self._runtime = runtime
        self._lock = lock
        self._looks_only = looks_only
        self._mutex = threading.Lock()
        self._closing = threading.Event()
        self._venue: PaperVenue | None = None
        self._shown = b""
        """The runtime file that this window looks at, where it is not the owner's."""
        self._settled = False
        """The venue in use is up, so that a change of it renews the engine."""
        self._switches: dict[str, str] = {}
        self._chosen = ""
        """The portfolio that is to be traded from now on, until the venue has been started again for it."""
        self._deaths: deque[float] = deque(maxlen=DEATHS)
        self._clock = HostClock()
        self._news = ""
        if lock.acquire():
            self._venue = PaperVenue(arguments, self._log)

    @property
    def read_only(self) -> str:
        return READ_ONLY_REQUESTED if self._looks_only else "" if self._venue is not None else OTHER_WINDOW_TRADES

    def set_switch(self, name: str, value: str) -> None:
        """Set a switch of the own venue; it is set again when the venue has to be started again."""
        self._switches[name] = value
        venue = self._venue
        if venue is not None:
            venue.set_switch(name, value)

    def move_market(self, coin: str, price: str) -> None:
        """Move the market of a coin of the own venue."""
        venue = self._venue
        if venue is not None:
            venue.move_market(coin, price)

    def trade_portfolio(self, name: str) -> None:
        """Trade another portfolio of the own venue: it is started again on its state, with keys of that portfolio."""
        self._chosen = name

    @property
    def is_owner(self) -> bool:
        """Whether this window has the venue; only its portfolio can be changed."""
        return self._venue is not None

    def next_assignment(self) -> EngineAssignment:
        while not self._closing.is_set():
            venue = self._venue
            found = self._assign_own_venue(venue) if venue is not None else self._assign_published_venue()
            if found is not None:
                with self._mutex:
                    self._settled = True
                return found
            if self._venue is None:
                self._try_to_own()
            self._closing.wait(POLL_S)
        raise VenueFailed("the window was closed")

    def _assign_own_venue(self, venue: PaperVenue) -> EngineAssignment | None:
        for _ in range(STARTS):
            try:
                line = venue.wait_until_ready()
                break
            except VenueFailed as failure:
                # The venue of a window that has just died needs a moment to release the state file.
                if HELD not in str(failure) or self._closing.wait(POLL_S):
                    raise
                venue = self._venue = PaperVenue(self._arguments, self._log)
        else:
            raise VenueFailed(f"the state is still {HELD}")
        for name, value in self._switches.items():
            venue.set_switch(name, value)
        _publish_address(self._runtime, line)
        self._arguments = pin_portfolio(self._arguments, line)
        return self._assignment(line, trades=not self._looks_only, owns=True)

    def _assign_published_venue(self) -> EngineAssignment | None:
        self._shown = _read_runtime(self._runtime)
        line = _parse_ready_line(self._shown)
        return None if line is None else self._assignment(line, trades=False, owns=False)

    def _assignment(self, line: ReadyLine, *, trades: bool, owns: bool) -> EngineAssignment:
        news, self._news = self._news, ""
        return EngineAssignment(make_paper_target(line, trades=trades), owns, self.read_only, news)

    def _try_to_own(self) -> bool:
        with self._mutex:
            if self._closing.is_set() or not self._lock.acquire():
                return False
            self._venue = PaperVenue(self._arguments, self._log)
            return True

    def watch(self, renew: Callable[[], None]) -> None:
        threading.Thread(target=self._poll, args=(renew,), name="window", daemon=True).start()

    def _poll(self, renew: Callable[[], None]) -> None:
        while not self._closing.wait(POLL_S):
            if self._settled and self._must_renew():
                self._settled = False
                renew()

    def _must_renew(self) -> bool:
        """Whether the venue in use is gone, or another window has started one."""
        if self._venue is not None:
            return self._change_portfolio(self._venue) or self._replace_dead_venue(self._venue)
        if self._try_to_own():
            self._news = TOOK_OVER
            return True
        now = _read_runtime(self._runtime)
        if now == self._shown or _parse_ready_line(now) is None:
            return False
        self._news = "the other window started its venue again"
        return True

    def _change_portfolio(self, venue: PaperVenue) -> bool:
        """Start the venue again for the portfolio that was chosen, if one was."""
        name, self._chosen = self._chosen, ""
        if not name:
            return False
        venue.stop()
        self._arguments = with_portfolio(self._arguments, name)
        self._news = f"this desk trades portfolio {name} from now on; a arms"
        with self._mutex:
            if self._closing.is_set():
                return False
            self._venue = PaperVenue(self._arguments, self._log)
        return True

    def _replace_dead_venue(self, venue: PaperVenue) -> bool:
        how = venue.exit_reason()
        if not how:
            return False
        log.error("the paper venue %s", how)
        self._deaths.append(self._clock.mono())
        self._news = f"the paper venue {how}; started again on its state"
        with self._mutex:
            if self._closing.is_set():
                return False
            often = len(self._deaths) == DEATHS and self._deaths[-1] - self._deaths[0] < DEATHS_S
            self._venue = _AbandonedVenue(how) if often else PaperVenue(self._arguments, self._log)
        return True

    def close(self) -> None:
        with self._mutex:
            self._closing.set()
        if self._venue is not None:
            self._runtime.unlink(missing_ok=True)
            self._venue.stop()
        self._lock.release()


def with_portfolio(arguments: list[str], name: str) -> list[str]:
    """Arguments of a venue that prints keys of a portfolio, and of no other one that was chosen before."""
    if PORTFOLIO_OPTION in arguments:
        at = arguments.index(PORTFOLIO_OPTION)
        arguments = [*arguments[:at], *arguments[at + 2 :]]
    return [*arguments, PORTFOLIO_OPTION, name]


def pin_portfolio(arguments: list[str], line: ReadyLine) -> list[str]:
    """The same arguments with the id of the chosen portfolio: its name may have changed when the venue starts again."""
    chosen = next((key.portfolio for key in line.keys if key.name == DESK_KEY), "")
    return with_portfolio(arguments, chosen) if chosen else arguments


class _AbandonedVenue(PaperVenue):
    """Takes the place of a venue that is not started again."""

    def __init__(self, how: str) -> None:
        self._how = how

    def wait_until_ready(self) -> ReadyLine:
        raise VenueFailed(f"the paper venue {self._how} for the {DEATHS}rd time in {DEATHS_S:g} s; see its log")

    def set_switch(self, name: str, value: str) -> None: ...

    def move_market(self, coin: str, price: str) -> None: ...

    def exit_reason(self) -> str:
        return ""

    def stop(self) -> None: ...


def _read_runtime(runtime: Path) -> bytes:
    try:
        return runtime.read_bytes()
    except OSError:
        return b""


def _parse_ready_line(content: bytes) -> ReadyLine | None:
    from tui.interface.ready import ReadyLine

    try:
        return msgspec.json.decode(content, type=ReadyLine)
    except msgspec.DecodeError:
        return None


def _publish_address(runtime: Path, line: ReadyLine) -> None:
    """Let a second workstation find this venue; only keys that read are written."""
    shown = msgspec.structs.replace(line, keys=[key for key in line.keys if key.permissions == ["READ"]])
    write_private(runtime, msgspec.json.encode(shown))


def make_paper_target(line: ReadyLine, *, trades: bool) -> Target:
    """The paper venue of a ready line, with its key of the portfolio that was chosen at the start, or of the main one."""
    from tui.client.settings import Service

    chosen, usual = (DESK_KEY, "main") if trades else (f"{DESK_KEY}-readonly", "readonly")
    names = {key.name for key in line.keys}
    key = line.key(chosen if chosen in names else usual)
    name = key.portfolio_name if chosen in names else MAIN_NAME
    service = Service(
        rest_url=line.rest_url,
        private_ws_url=line.private_ws_url,
        public_ws_url=line.public_ws_url,
        algo_ws_url=line.algo_ws_url,
        ha_rest_url=line.ha_rest_url,
        ha_private_ws_url=line.ha_private_ws_url,
    )
    return Target(service, key.portfolio, name, key.api_key, key.api_secret, line.recording, line.account_id)
