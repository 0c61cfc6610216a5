"""Windows on one local installation: the first holds the lock and runs the engine, and the paper venue if it needs one.

Others attach to it and trade through it, or only look where it serves none; the next takes over when the first has
ended. The first restarts its venue when it dies.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from tui.cli.paper_venue import HELD, PaperVenue, VenueFailed
from tui.host import FileLock, HostClock
from tui.private_files import write_private

if TYPE_CHECKING:
    from tui.client.settings import Service
    from tui.desk_protocol.bus.connection import BusPlace
    from tui.engine.modes import Environment
    from tui.interface.ready import ReadyLine, Recording

log = logging.getLogger("tui.cli")

POLL_S = 0.2
"""Interval of checks of the venue, the lock and the address published by the other window, s."""
DEATHS = 3
DEATHS_S = 30.0
"""Deaths within `DEATHS_S` after which a venue is not restarted."""
STARTS = 5
"""Attempts to start a venue while the previous one still holds the state."""
LOOK_CHOSEN = "READ-ONLY: look only was chosen; the next start can trade"
OTHER_WINDOW_TRADES = "READ-ONLY: another crossdesk trades this portfolio"
READ_ONLY_REQUESTED = "READ-ONLY: started with --read-only"
DESK_KEY = "desk"
"""Name of the ready line's key for the chosen portfolio."""
PORTFOLIO_OPTION = "--portfolio"
MAIN_NAME = "main"
"""Display name of the paper venue's main portfolio."""
TOOK_OVER = "the other crossdesk has ended: this window trades now, in VIEW until you arm it"
ADDRESS_S = 6.0
"""Longest wait of a command for the address of the venue that another process runs, s."""


class NoAddress(VenueFailed):
    """Error for a paper venue of another process whose address file is missing; the text names the file and what to do."""

    title = "Paper venue not found"


class ServiceTarget(NamedTuple):
    """Service, portfolio and key that an engine connects with."""

    service: Service
    portfolio: str
    portfolio_name: str
    key: str
    secret: str
    recording: Recording | None = None
    account_id: str = ""
    """Account id: of the state of a paper venue, or of the user of a live key; empty for an older venue."""


class Attachment(NamedTuple):
    """Way for a window to attach to another process's engine: Unix socket or bus, and the account it must hold."""

    socket: Path | None
    read_only: str
    """Why this window may not send through it; empty allows trading."""
    bus: BusPlace | None = None
    """Server of the bus, in place of a socket."""
    expects: tuple[Environment, str] | None = None
    """Environment and portfolio that it must hold; None: any that the place of the socket stands for."""


class EngineAssignment(NamedTuple):
    """All that determines a window's next engine: service, lock held or not, why read-only, notice, engine to attach to."""

    target: ServiceTarget | None
    """None where the window never reaches the service itself."""
    owns: bool
    """Whether the window holds the lock of the home."""
    read_only: str
    news: str
    """Notice for the trader at the start of this engine, or empty."""
    attach: Attachment | None = None
    """Engine of the window that holds the account, which this window uses; None: it builds its own."""


class Window(Protocol):
    """Workstation window; several windows can share one local installation."""

    @property
    def read_only(self) -> str:
        """Why this window may not send anything, as far as known; an empty text allows trading."""
        ...

    def next_assignment(self) -> EngineAssignment:
        """Return with which service, portfolio and rights the next engine starts; blocks the engine's thread until known.

        Raises:
            VenueFailed: There is no venue and none can be started.
        """
        ...

    def watch(self, renew: Callable[[], None]) -> None:
        """Call `renew` from a thread whenever a new engine is needed, because `next_assignment` would differ."""
        ...

    def close(self) -> None:
        """Close the window: stop its threads and its venue, if it runs one, and release its lock."""
        ...


class LiveWindow:
    """Window on a live service: the first one holds the lock and runs the engine, later ones attach to that engine."""

    def __init__(self, target: ServiceTarget, lock: FileLock, socket: Path, *, looks_only: bool) -> None:
        self._target = target
        self._lock = lock
        self._socket = socket
        self._attached = False
        self._looks_only = looks_only
        self._owns = lock.acquire()
        self._news = ""
        self._closing = threading.Event()

    @property
    def read_only(self) -> str:
        return READ_ONLY_REQUESTED if self._looks_only else "" if self._owns else OTHER_WINDOW_TRADES

    def next_assignment(self) -> EngineAssignment:
        news, self._news = self._news, ""
        self._attached = not self._owns and _answers(self._socket)
        attach = Attachment(self._socket, READ_ONLY_REQUESTED if self._looks_only else "") if self._attached else None
        return EngineAssignment(self._target, self._owns, self.read_only, news, attach)

    def watch(self, renew: Callable[[], None]) -> None:
        if not self._owns:
            threading.Thread(target=self._wait_for_lock, args=(renew,), name="window", daemon=True).start()

    def _wait_for_lock(self, renew: Callable[[], None]) -> None:
        while not self._closing.wait(POLL_S):
            if not self._looks_only and self._lock.acquire():
                self._owns, self._news = True, TOOK_OVER
                renew()
                return
            if not self._attached and _answers(self._socket):
                self._attached = True
                renew()

    def close(self) -> None:
        self._closing.set()
        self._lock.release()


class PaperWindow:
    """Window on the local paper venue: the first one runs venue and engine, the others attach to it."""

    def __init__(
        self, arguments: list[str], log: Path, runtime: Path, socket: Path, lock: FileLock, *, looks_only: bool,
        patience_s: float = inf,
    ) -> None:  # fmt: skip
        """Take the lock if it is free, and start the venue if this window holds it.

        Args:
            arguments: Arguments of the venue.
            log: Log file of the venue.
            runtime: File in which the owner publishes the address of its venue.
            socket: Socket on which the owner serves other windows.
            lock: Lock held by the owner.
            looks_only: Whether nothing is to be sent from here, even by the owner.
            patience_s: Longest wait for the address that the owner publishes, s.
        """
        self._arguments, self._log, self._patience_s = arguments, log, patience_s
        self._runtime, self._socket = runtime, socket
        self._published = b""
        """Content of the runtime file that this window wrote; no other content is removed."""
        self._attached = False
        self._lock = lock
        self._look_reason = READ_ONLY_REQUESTED if looks_only else ""
        self._look_chosen = False
        """Whether the trader has chosen to look only, until the engine is renewed for it."""
        self._mutex = threading.Lock()
        self._closing = threading.Event()
        self._venue: PaperVenue | None = None
        self._shown = b""
        """Content of the runtime file in use, when another window is the owner."""
        self._settled = False
        """Whether the venue in use is up, so that its change renews the engine."""
        self._switches: dict[str, str] = {}
        self._chosen = ""
        """Portfolio to trade from now on, until the venue has been restarted for it."""
        self._deaths: deque[float] = deque(maxlen=DEATHS)
        self._clock = HostClock()
        self._news = ""
        if lock.acquire():
            self._venue = PaperVenue(arguments, self._log)

    @property
    def read_only(self) -> str:
        return self._look_reason or ("" if self._venue is not None else OTHER_WINDOW_TRADES)

    def look_only(self) -> None:
        """Request a new engine that may not send, which applies until this program ends."""
        self._look_chosen = True

    def set_switch(self, name: str, value: str) -> None:
        """Set a configuration switch of this window's venue, and again after each restart of the venue."""
        self._switches[name] = value
        venue = self._venue
        if venue is not None:
            venue.set_switch(name, value)

    def move_market(self, coin: str, price: str) -> None:
        """Move a coin's market price on this window's venue."""
        venue = self._venue
        if venue is not None:
            venue.move_market(coin, price)

    def trade_portfolio(self, name: str) -> None:
        """Restart this window's venue with its state and the API keys of another portfolio, which is traded from then on."""
        self._chosen = name

    @property
    def is_owner(self) -> bool:
        """Whether this window runs the venue; only that window can change the portfolio."""
        return self._venue is not None

    def next_assignment(self) -> EngineAssignment:
        until = self._clock.mono() + self._patience_s
        while not self._closing.is_set():
            venue = self._venue
            assignment = self._assign_own_venue(venue) if venue is not None else self._assign_published_venue()
            if assignment is not None:
                with self._mutex:
                    self._settled = True
                return assignment
            if self._venue is None and not self._try_to_own() and self._clock.mono() > until:
                raise NoAddress(
                    f"another crossdesk holds the account, but {self._runtime}, in which it names its venue, is missing or"
                    " cannot be read; wait until it has started, or end it and start it again"
                )
            self._closing.wait(POLL_S)
        raise VenueFailed("the window was closed")

    def _assign_own_venue(self, venue: PaperVenue) -> EngineAssignment | None:
        for _ in range(STARTS):
            try:
                line = venue.wait_until_ready()
                break
            except VenueFailed as failure:
                # The venue of a window that has just ended needs a moment to release the state file.
                if HELD not in str(failure) or self._closing.wait(POLL_S):
                    raise
                venue = self._venue = PaperVenue(self._arguments, self._log)
        else:
            raise VenueFailed(f"the state is still {HELD}")
        for name, value in self._switches.items():
            venue.set_switch(name, value)
        self._published = _publish_address(self._runtime, line)
        self._arguments = pin_portfolio(self._arguments, line)
        return self._assignment(line, trades=not self._look_reason, owns=True)

    def _assign_published_venue(self) -> EngineAssignment | None:
        self._shown = _read_runtime(self._runtime)
        line = _parse_ready_line(self._shown)
        if line is None:
            return None
        assignment = self._assignment(line, trades=False, owns=False)
        self._attached = _answers(self._socket)
        if not self._attached:
            return assignment
        return assignment._replace(attach=Attachment(self._socket, self._look_reason))

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
        """Return whether a new engine is needed: new portfolio, dead or restarted venue, another owner of the account,
        or the trader wants to look only."""
        if self._look_chosen:
            self._look_chosen, self._look_reason = False, LOOK_CHOSEN
            return True
        if self._venue is not None:
            self._publish_again()
            return self._change_portfolio(self._venue) or self._replace_dead_venue(self._venue)
        if self._try_to_own():
            self._news = TOOK_OVER
            return True
        if not self._attached and _answers(self._socket):
            return True
        now = _read_runtime(self._runtime)
        if self._attached or now == self._shown or _parse_ready_line(now) is None:
            # An attached window keeps its link: the engine behind it follows its venue.
            return False
        self._news = "the other window started its venue again"
        return True

    def _change_portfolio(self, venue: PaperVenue) -> bool:
        """Restart the venue for the portfolio the trader chose; return False if none was chosen or the window is closing."""
        name, self._chosen = self._chosen, ""
        if not name:
            return False
        venue.stop()
        self._arguments = select_portfolio(self._arguments, name)
        self._news = f"this desk trades portfolio {name} from now on, in VIEW until you arm it"
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

    def _publish_again(self) -> None:
        """Write the venue's address file again if it was removed; do not overwrite one that another process wrote."""
        with self._mutex, suppress(OSError):
            if self._published and not self._closing.is_set() and not self._runtime.exists():
                write_private(self._runtime, self._published)

    def close(self) -> None:
        with self._mutex:
            self._closing.set()
        if self._venue is not None:
            if self._published and _read_runtime(self._runtime) == self._published:
                self._runtime.unlink(missing_ok=True)
            self._venue.stop()
        self._lock.release()


def select_portfolio(arguments: list[str], name: str) -> list[str]:
    """Return the venue's arguments with the option that creates keys of this portfolio; a former choice is replaced.

    The main portfolio needs no option: its keys always exist.
    """
    if PORTFOLIO_OPTION in arguments:
        at = arguments.index(PORTFOLIO_OPTION)
        arguments = [*arguments[:at], *arguments[at + 2 :]]
    return arguments if name == MAIN_NAME else [*arguments, PORTFOLIO_OPTION, name]


def pin_portfolio(arguments: list[str], line: ReadyLine) -> list[str]:
    """Replace the portfolio's name in the venue's arguments by its id, because its name may change before a restart."""
    chosen = next((key.portfolio for key in line.keys if key.name == DESK_KEY), "")
    return select_portfolio(arguments, chosen) if chosen else arguments


class _AbandonedVenue(PaperVenue):
    """Stand-in for a venue that died too often to be restarted again."""

    def __init__(self, how: str) -> None:
        self._how = how

    def wait_until_ready(self) -> ReadyLine:
        raise VenueFailed(f"the paper venue {self._how} {DEATHS} times in {DEATHS_S:g} s; see its log")

    def set_switch(self, name: str, value: str) -> None: ...

    def move_market(self, coin: str, price: str) -> None: ...

    def exit_reason(self) -> str:
        return ""

    def stop(self) -> None: ...


def _answers(socket: Path) -> bool:
    """Return whether a process serves connections on the socket."""
    from tui.desk_protocol import unix_socket

    return unix_socket.answers(socket)


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


def _publish_address(runtime: Path, line: ReadyLine) -> bytes:
    """Publish the venue's address and read-only keys in a file for other windows; return its content.

    What is there was left behind: the lock of the home allows one owner of its file at a time.
    """
    shown = msgspec.structs.replace(line, keys=[key for key in line.keys if key.permissions == ["READ"]])
    content = msgspec.json.encode(shown)
    write_private(runtime, content)
    return content


def make_paper_target(line: ReadyLine, *, trades: bool) -> ServiceTarget:
    """Build the paper venue's target from the ready line: key of the chosen or main portfolio, read-only unless `trades`."""
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
        bars_url=line.bars_url,
    )
    return ServiceTarget(service, key.portfolio, name, key.api_key, key.api_secret, line.recording, line.account_id)
