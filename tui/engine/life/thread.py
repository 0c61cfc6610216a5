"""Engine on its own thread and loop, behind `EnginePort`; the network libraries are imported on that thread."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future, wait
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from tui.crossdesk_error import error_text
from tui.engine.conflating_queue import ConflatingQueue, TableSink
from tui.engine.event_line import EventLine, Level
from tui.engine.life.table_hub import TableHub
from tui.engine.modes import OWN_SCREEN, RiskMode, TradingState
from tui.engine.rows import Table
from tui.engine.status_rows import ENGINE, EngineStatusRow
from tui.interface import decimals
from tui.interface.text import clean
from tui.protocols import Clock

if TYPE_CHECKING:
    from tui.engine.intents import Intent, Outcome
    from tui.engine.life.engine_core import EngineCore
    from tui.engine.limits import Limits
    from tui.engine.service_query import ServiceRequest
    from tui.interface.streams import Detail

T = TypeVar("T")
Build = Callable[[TableHub], "EngineCore"]
"""Factory of the engine; called on its thread, so that its imports run there."""
Companion = Callable[["EngineThread"], Coroutine[Any, Any, None]]
"""Work that runs on the engine's loop beside every engine, such as the server of other processes."""

SWITCH_S = 0.0005
"""Thread switch interval, s; short, so that neither the engine nor its journal waits for a paint or for rows of peers."""
HAND_OVER_S = 0.02
"""Longest wait of a caller for its intent to be sent, s; reached only when the disk or the engine is slow."""

log = logging.getLogger("tui.engine")


class EngineThread:
    """Thread that runs one engine at a time; callable from any thread, only `submit`, `foresee` and `join` wait."""

    def __init__(self, build: Build, status: EngineStatusRow, clock: Clock, companion: Companion | None = None) -> None:
        """Initialize the thread; `start` starts it.

        Args:
            build: Builds the engine on its own thread and loop.
            status: Status row to show before the engine runs, and, with the reason, when it cannot.
            clock: Clock for the line that reports why the engine stopped.
            companion: Work beside the engines; cancelled when the thread ends.
        """
        self._build = build
        self._status = status
        self._clock = clock
        self._updates = ConflatingQueue()
        self.hub = TableHub(self._updates)
        """Rows of the engines, for further readers on the engine's loop."""
        self._companion = companion
        self._mutex = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._engine: EngineCore | None = None
        self._pending_calls: list[Callable[[EngineCore], None]] = []
        self._ended = False
        self.failure = ""
        """Why the engine stopped of itself; empty: it did not."""
        self._renewing = self._closing = False
        self._is_restarting = False
        """Whether one engine has ended and the next one is not built yet."""
        self._watched: dict[str, tuple[str, ...]] = {}
        """Pairs whose quotes are needed, by sender."""
        self._attended: dict[str, frozenset[str]] = {}
        self._looks: dict[str, tuple[TableSink, Detail | None, tuple[str, ...]]] = {}
        self._roles: dict[str, str] = {}
        """Roles of the peers that are attached, by name."""
        self._detail: Detail | None = None
        self._books: tuple[str, ...] = ()
        self._handed_over = threading.Event()
        """Set when the newest intent was sent or has its outcome."""
        self._written: list[Callable[[], None]] = []
        self._tasks: set[asyncio.Task[Any]] = set()
        """Calls whose result is awaited by another thread."""
        self._thread = threading.Thread(target=self._run_thread, name="engine", daemon=True)

    @property
    def core(self) -> EngineCore | None:
        """Engine that runs now; None while there is none."""
        return self._engine

    @property
    def updates(self) -> ConflatingQueue:
        return self._updates

    def start(self) -> None:
        """Start the thread; call this only after the first frame is on the screen."""
        sys.setswitchinterval(SWITCH_S)
        self.hub.put(Table.ENGINE_STATUS, ENGINE, self._status)
        self._thread.start()

    def submit(self, intent: Intent) -> Future[Outcome]:
        """Send an intent through the gate; wait at most `HAND_OVER_S` until it is on the wire or has its outcome.

        Without the wait the caller's thread would paint, and take the interpreter from the threads of engine and
        journal, which hand it to each other several times before the intent is sent.
        """
        future: Future[Outcome] = Future()
        self._handed_over.clear()
        future.add_done_callback(lambda _: self._handed_over.set())
        if self._is_restarting:
            future.set_result(_denial("the desk is being started again"))
        elif not self._call(lambda engine: self._deliver(engine.submit(intent), future, _unknown_outcome())):
            future.set_result(_denial("the engine has stopped"))
        if self._engine is not None:
            self._handed_over.wait(HAND_OVER_S)
        return future

    def foresee(self, intents: Sequence[Intent]) -> Future[tuple[Outcome, ...]]:
        future: Future[tuple[Outcome, ...]] = Future()
        if self._is_restarting or not self._call(lambda engine: self._deliver(engine.foresee(intents), future, ())):
            future.set_result(())
        elif self._engine is not None:
            wait([future], HAND_OVER_S)
        return future

    def set_trading_state(self, state: TradingState) -> None:
        self._call(lambda engine: engine.set_trading_state(state))

    def enter_hot(self, seconds: float) -> None:
        self._call(lambda engine: engine.enter_hot(seconds))

    def end_hot(self, why: str) -> None:
        self._call(lambda engine: engine.end_hot(why))

    def set_risk_mode(self, mode: RiskMode) -> None:
        self._call(lambda engine: engine.set_risk_mode(mode))

    def set_limits(self, limits: Limits, what: str) -> None:
        self._call(lambda engine: engine.set_limits(limits, what))

    def watch(self, syms: tuple[str, ...]) -> None:
        self.watch_for(OWN_SCREEN, syms)

    def watch_for(self, peer: str, syms: tuple[str, ...]) -> None:
        """Set the pairs whose quotes a sender needs; the engine streams those of all senders."""
        self._watched[peer] = syms
        self._call(self._pass_watched)

    def attend(self, syms: frozenset[str]) -> None:
        self.attend_for(OWN_SCREEN, syms)

    def attend_for(self, peer: str, syms: frozenset[str]) -> None:
        """Set the pairs that a sender displays; their quotes are not delayed."""
        self._attended[peer] = syms
        self._call(self._pass_attended)

    def attach_peer(self, name: str, role: str) -> None:
        """Attach a peer with a trading state of its own to the running engine and to every later one."""
        self._roles[name] = role
        self._call(lambda engine: _attach(engine, name, role))

    def detach_peer(self, name: str) -> None:
        """Forget a peer, and the pairs it watched."""
        for known in (self._roles, self._watched, self._attended):
            known.pop(name, None)
        look = self._looks.pop(name, None)
        if look is not None:
            self._call(lambda engine: engine.look_for(name, look[0], None))
        self._call(lambda engine: _detach(engine, name))
        self._call(self._pass_watched)
        self._call(self._pass_attended)

    def _pass_watched(self, engine: EngineCore) -> None:
        # The pairs of the own screen come first: a service may limit their number.
        own = self._watched.get(OWN_SCREEN, ())
        engine.watch(tuple(dict.fromkeys((*own, *chain.from_iterable(self._watched.values())))))

    def _pass_attended(self, engine: EngineCore) -> None:
        if self._attended:
            engine.attend(frozenset().union(*self._attended.values()))

    def look_at(self, detail: Detail | None, books: tuple[str, ...] = ()) -> None:
        self._detail, self._books = detail, books
        self._call(lambda engine: engine.look_at(detail, books))

    def look_for(self, peer: str, sink: TableSink, detail: Detail | None, books: tuple[str, ...]) -> None:
        """Set the pair whose book, trades and bars a peer displays; only `sink`, the peer's reader, gets the rows."""
        self._looks[peer] = look = (sink, detail, books)
        self._call(lambda engine: engine.look_for(peer, *look))

    def read(self, request: ServiceRequest) -> None:
        self._call(lambda engine: engine.read(request))

    def decline(self, key: str) -> None:
        self._call(lambda engine: engine.decline(key))

    def grant(self, key: str) -> None:
        self._call(lambda engine: engine.grant(key))

    def revoke(self, key: str = "") -> None:
        self._call(lambda engine: engine.revoke(key))

    def dismiss(self, key: str) -> None:
        self._call(lambda engine: engine.dismiss(key))

    def acknowledge_rules(self, changes: Mapping[str, str]) -> None:
        self._call(lambda engine: engine.acknowledge_rules(changes))

    def renew(self) -> None:
        """Stop the engine and build a new one; return at once."""
        with self._mutex:
            self._renewing = True
        self._call(lambda engine: engine.stop())

    def close(self) -> None:
        """Stop the engine; return at once."""
        self._closing = True
        self._call(lambda engine: engine.stop())

    def join(self, timeout: float) -> bool:
        """Wait at most `timeout` seconds for the thread to end; return whether it did."""
        if self._thread.ident is None:
            return True
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _call(self, work: Callable[[EngineCore], None]) -> bool:
        """Run a call on the engine's loop, as soon as there is one; return False if the thread has ended."""
        with self._mutex:
            if self._ended:
                return False
            if self._engine is None or self._loop is None:
                self._pending_calls.append(work)
                return True
            try:
                self._loop.call_soon_threadsafe(work, self._engine)
            except RuntimeError:  # the loop has just closed
                return False
            return True

    def _deliver(self, work: Coroutine[Any, Any, T], future: Future[T], if_ended: T) -> None:
        """Run work on the engine's loop and set its result in `future`; `if_ended` if the engine ends before that."""
        task = asyncio.ensure_future(work)
        # The loop itself does not hold a task.
        self._tasks.add(task)

        def finish(finished: asyncio.Task[T]) -> None:
            self._tasks.discard(finished)
            if finished.cancelled():
                future.set_result(if_ended)
            elif finished.exception() is not None:
                future.set_exception(finished.exception())
            else:
                future.set_result(finished.result())

        task.add_done_callback(finish)

    def _run_thread(self) -> None:
        decimals.setup()
        try:
            asyncio.run(self._serve())
        except Exception as error:
            log.error("the engine stopped", exc_info=error)
            self.failure = text = clean(f"ENGINE STOPPED: {_describe(error)}")
            wall_ms = int(self._clock.wall() * 1000)
            self.hub.put_event(EventLine(wall_ms=wall_ms, level=Level.ALERT, text=text))
            self.hub.put(
                Table.ENGINE_STATUS, ENGINE, msgspec.structs.replace(self._status, synced=False, engine_error=text)
            )
        finally:
            with self._mutex:
                self._ended = True
                self._engine = None

    async def _serve(self) -> None:
        """Run an engine, and a new one after each `renew`, until closed; run the companion task beside them."""
        beside = asyncio.ensure_future(self._accompany()) if self._companion is not None else None
        try:
            await self._run_engines()
        finally:
            if beside is not None:
                beside.cancel()
                await asyncio.wait([beside])

    async def _accompany(self) -> None:
        """Run the companion task; if it fails, add an event line, and the engine goes on without it."""
        assert self._companion is not None
        try:
            await self._companion(self)
        except Exception as error:
            log.error("the work beside the engine stopped", exc_info=error)
            text = clean(f"other windows and programs cannot attach: {_describe(error)}")
            self.hub.put_event(EventLine(wall_ms=int(self._clock.wall() * 1000), level=Level.WARN, text=text))

    def when_written(self, callback: Callable[[], None]) -> None:
        """Register a callback for whenever an action was passed to the service; call this on the engine's loop only."""
        self._written.append(callback)

    def _note_written(self) -> None:
        self._handed_over.set()
        for callback in self._written:
            callback()

    async def _run_engines(self) -> None:
        while True:
            self._renewing = False
            engine = self._build(self.hub)
            engine.when_written(self._note_written)
            with self._mutex:
                self._loop, self._engine, self._is_restarting = asyncio.get_running_loop(), engine, False
                waiting, self._pending_calls = self._pending_calls, []
            for name, role in self._roles.items():
                _attach(engine, name, role)
            self._pass_watched(engine)
            self._pass_attended(engine)
            engine.look_at(self._detail, self._books)
            for peer, look in self._looks.items():
                engine.look_for(peer, *look)
            for work in waiting:
                work(engine)
            await engine.run()
            with self._mutex:
                if self._closing or not self._renewing:
                    return
                self._engine, self._is_restarting = None, True
            # First the status: who reads it must not take rows that are gone for an account without any.
            self.hub.put(Table.ENGINE_STATUS, ENGINE, self._status)
            self.hub.forget_account()


def _describe(error: BaseException) -> str:
    """Return the text of an error; for a group of errors, that of the first one."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error_text(error)


def _attach(engine: EngineCore, name: str, role: str) -> None:
    if engine.control is not None:
        engine.control.attach_peer(name, role)


def _detach(engine: EngineCore, name: str) -> None:
    if engine.control is not None:
        engine.control.detach_peer(name)


def _denial(text: str) -> Outcome:
    """Build the outcome of an intent that was denied because no engine is running."""
    from tui.engine.intents import Outcome, Verdict

    return Outcome(verdict=Verdict.DENIED, guard="LINK", text=text)


def _unknown_outcome() -> Outcome:
    """Build the UNKNOWN outcome of an intent whose engine stopped before the reply."""
    from tui.engine.intents import Outcome, Verdict

    return Outcome(verdict=Verdict.UNKNOWN, text="the engine stopped before the answer")
