"""Engine of another process, as the engine's thread runs it: rows come over a link, intents leave over it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from tui.desk_protocol.carrier import Connect, LinkClosed
from tui.desk_protocol.client import DeskClient
from tui.desk_protocol.messages import (
    COMMAND_S,
    MOST_FORESEEN,
    VERSIONS,
    CommandStatus,
    Events,
    Foresee,
    Hello,
    Look,
    ProtocolError,
    Role,
    Rows,
    SlowReader,
    Submit,
)
from tui.desk_protocol.row_codec import decode_rows, encode_intent, read_outcome
from tui.desk_protocol.row_times import shift_intent, shift_rows
from tui.engine.conflating_queue import TableSink
from tui.engine.event_line import EventLine, Level
from tui.engine.intents import CANCELS, Intent, Outcome, Verdict
from tui.engine.modes import Environment, RiskMode, TradingState
from tui.engine.rows import Row, Table
from tui.engine.service_query import MoreRows, ServiceQuery, ServiceRequest
from tui.engine.status_rows import ENGINE, EngineStatusRow
from tui.protocols import Clock, JournalEntry

if TYPE_CHECKING:
    from tui.engine.limits import Limits
    from tui.engine.orders.trading_control import TradingControl
    from tui.engine.peers.mandates import Mandates
    from tui.engine.peers.proposals import Proposals
    from tui.interface.streams import Detail

RETRY_S = 0.5
"""Pause between two attempts to reach the engine again, s."""
OUTCOME_S = 15.0
"""Longest wait for the answer to a command, s."""
LINK_CAUSE = "desk link"
"""Cause of the warning that the link is lost; a later line with it settles the warning."""
NOT_ATTACHED = "not attached: the desk that trades this account does not answer"

log = logging.getLogger("tui.desk_protocol")


class RemoteEngine:
    """Engine of another process, used over a connection; while that is lost, nothing can be sent and the status says so."""

    def __init__(
        self, connect: Connect, name: str, sink: TableSink, clock: Clock, new_id: Callable[[], str], *,
        read_only: str = "", is_far: bool = False, expects: tuple[Environment, str] | None = None,
    ) -> None:  # fmt: skip
        """Initialize the link.

        Args:
            connect: Opens a connection to the engine's side.
            name: Name to be known by.
            sink: Receiver of rows and event lines.
            clock: Clocks of this process.
            new_id: Makes an id of a command that nobody else makes.
            read_only: Why nothing may be sent from here; empty allows trading.
            is_far: Whether the engine may run on another machine, the monotonic clock of which is another one.
            expects: Environment and portfolio that the engine must have; None: any.
        """
        self._connect = connect
        self._name = name
        self._sink, self._clock = sink, clock
        self._new_id, self._session = new_id, new_id()
        self._read_only = read_only
        self._is_far = is_far
        self._expects = expects
        self._link: DeskClient | None = None
        """Newest connection."""
        self._client: DeskClient | None = None
        """The same, once it is attached."""
        self._stopping = asyncio.Event()
        self._written: Callable[[], None] = lambda: None
        self._run_id, self._seq, self._refused = "", 0, ""
        self._before: dict[Table, set[str]] = {}
        """Keys of the rows that came on the link before."""
        self._fresh: dict[Table, set[str]] = {}
        """Keys of the rows that came on this link."""
        self._status: EngineStatusRow | None = None
        self._watched: tuple[str, ...] = ()
        self._attended: frozenset[str] | None = None
        self._looked_at: tuple[Detail | None, tuple[str, ...]] = (None, ())
        self._queries: dict[str, ServiceQuery] = {}

    @property
    def control(self) -> TradingControl | None:
        return None

    @property
    def is_attached(self) -> bool:
        """Whether the link is up: the engine's process has answered and is not silent."""
        return self._client is not None

    # Life cycle

    async def run(self) -> None:
        """Attach to the engine's process, and again whenever the connection is lost, until `stop` is called."""
        stopped = asyncio.ensure_future(self._stopping.wait())
        try:
            while not self._stopping.is_set():
                link = asyncio.ensure_future(self._attach())
                await asyncio.wait([link, stopped], return_when=asyncio.FIRST_COMPLETED)
                link.cancel()
                await asyncio.gather(link, return_exceptions=True)
                if not self._stopping.is_set():
                    await asyncio.wait([stopped], timeout=RETRY_S)
        finally:
            stopped.cancel()

    def stop(self) -> None:
        self._stopping.set()

    async def _attach(self) -> None:
        try:
            client = DeskClient(
                await self._connect(), self, self._clock,
                same_machine=not self._is_far, on_written=lambda: self._written(),
            )  # fmt: skip
        except ProtocolError as error:
            self._publish_lost(str(error))
            return
        why, self._link = "the link failed", client
        try:
            self._before, self._fresh = {table: self._keys(table) for table in Table}, {}
            role = Role.WATCH if self._read_only else Role.DESK
            hello = Hello(
                versions=VERSIONS, name=self._name, role=role, session=self._session,
                run=self._run_id, seq=self._seq, warnings=True,
            )  # fmt: skip
            welcome = await client.open(hello)
            if self._expects not in (None, (welcome.environment, welcome.portfolio)):
                raise ProtocolError(
                    f"it holds {welcome.environment.value} {welcome.portfolio_name} now; start this window again"
                )
            again = "again " if self._status is not None else ""
            self._say(Level.INFO, f"this window is attached {again}as {welcome.name}")
            if welcome.run != self._run_id:
                self._run_id, self._seq = welcome.run, 0
            self._client, self._name = client, welcome.name
            self._ask_again(client)
            await client.run(asks_for_life=not self._is_far)
        except ProtocolError as error:
            why = str(error)
        except Exception as error:
            log.error("the link to the desk failed", exc_info=error)
        finally:
            self._client = None
            client.close()
            if not self._stopping.is_set():
                self._publish_lost(why)
            await client.wait_closed()

    def _keys(self, table: Table) -> set[str]:
        return self._before.get(table, set()) | self._fresh.get(table, set())

    def _ask_again(self, client: DeskClient) -> None:
        client.tell("watch", self._watched)
        if self._attended is not None:
            client.tell("attend", self._attended)
        detail, books = self._looked_at
        client.tell("look_at", Look(detail=detail, books=books))
        for query in self._queries.values():
            client.tell("read", query)

    def _publish_lost(self, why: str) -> None:
        """Publish a read-only status and an alert because the connection is lost; other rows stay unchanged and grow old."""
        if self._status is None:
            if why != self._refused:
                self._refused = why
                self._say(Level.ALERT, f"{NOT_ATTACHED} ({why}); it is tried again", sticky=True)
            return
        row = msgspec.structs.replace(
            self._status, trading_state=TradingState.VIEW, hot_until=0.0, synced=False, read_only=NOT_ATTACHED,
            peers=(), day_is_whole=False,
        )  # fmt: skip
        self._sink.put(Table.ENGINE_STATUS, ENGINE, row)
        if self._status.read_only != NOT_ATTACHED:
            self._say(Level.ALERT, f"{NOT_ATTACHED} ({why}); nothing is sent until it is back", sticky=True)
            self._end_requests()
        self._status = row

    def _end_requests(self) -> None:
        """Delete rows of programs' proposals and mandates, which end with the lost desk; publish an event line for each."""
        wall_ms = int(self._clock.wall() * 1000)
        for table, kind in ((Table.PROPOSALS, "proposal"), (Table.MANDATES, "mandate")):
            for key in list(self._fresh.get(table, ())):
                self._sink.put(table, key, None)
                text = f"{kind} {key} has ended with the desk that held it"
                self._sink.put_event(EventLine(wall_ms=wall_ms, level=Level.INFO, text=text, cause=f"{kind} {key}"))

    def _say(self, level: Level, text: str, *, sticky: bool = False) -> None:
        wall_ms = int(self._clock.wall() * 1000)
        self._sink.put_event(EventLine(wall_ms=wall_ms, level=level, text=text, sticky=sticky, cause=LINK_CAUSE))

    # What the engine's side sends

    def on_rows(self, message: Rows) -> None:
        rows = decode_rows(message.table, message.rows)
        if self._is_far and self._link is not None:
            rows = shift_rows(rows, -self._link.offset)
        fresh = self._fresh.setdefault(message.table, set())
        self._sink.begin_burst()
        try:
            for key, row in rows.items():
                if row is None:
                    fresh.discard(key)
                else:
                    fresh.add(key)
                self._put(message.table, key, row)
        finally:
            self._sink.end_burst()

    def on_whole(self) -> None:
        """Delete the rows of the previous connection that the new one did not send again."""
        for table, keys in self._before.items():
            for key in keys - self._fresh.get(table, set()):
                self._put(table, key, None)
        self._before = {}

    def _put(self, table: Table, key: str, row: Row | None) -> None:
        if isinstance(row, EngineStatusRow):
            row = msgspec.structs.replace(row, read_only=self._read_only or row.read_only)
            self._status = row
        self._sink.put(table, key, row)

    def on_events(self, message: Events) -> None:
        if message.missed:
            text = f"{message.missed} older events are in the journal only"
            self._say(Level.WARN, text)
        for line in message.lines:
            if not line.seq or line.seq > self._seq:  # a numbered line may come twice
                self._seq = max(self._seq, line.seq)
                self._sink.put_event(line)

    def on_refused(self, text: str) -> None:
        self._say(Level.WARN, f"the desk refused it: {text}")

    def on_slow_reader(self, message: SlowReader) -> None:
        text = f"this window read the desk's rows {message.seconds:g} s late; older values were skipped"
        self._say(Level.WARN, text)

    # Commands

    def when_written(self, callback: Callable[[], None]) -> None:
        self._written = callback

    async def submit(self, intent: Intent) -> Outcome:
        client = self._client
        if self._read_only:
            return Outcome(verdict=Verdict.DENIED, guard="READ_ONLY", text=self._read_only)
        if client is None:
            return Outcome(verdict=Verdict.DENIED, guard="LINK", text=NOT_ATTACHED)
        press, run_id = intent.decision.press, self._run_id
        # A window that stood still behind the key must not send as if it had just been pressed.
        expires = (self._clock.mono() if press is None else min(press.at, self._clock.mono())) + COMMAND_S
        if isinstance(intent, CANCELS):
            expires += client.clock_error
        elif not client.can_trade:
            with suppress(ProtocolError):
                await client.measure_clock(COMMAND_S)
            if not client.can_trade:
                return Outcome(verdict=Verdict.DENIED, guard="CLOCK", text=client.why_clock_unsure)
        wanted = self._prepare(intent, client, expires)
        # Who waits for a far desk leaves the processor to nobody.
        passed = self._written if self._is_far else lambda: None
        try:
            outcome = await client.call("submit", wanted, Outcome, patience_s=OUTCOME_S, written=passed)
        except LinkClosed:
            outcome = await self._find_outcome(wanted.command, expires + client.clock_error, run_id)
        except ProtocolError as error:
            return Outcome(verdict=Verdict.DENIED, guard="DESK", text=str(error))
        finally:
            self._written()
        return read_outcome(outcome, intent)

    def _prepare(self, intent: Intent, client: DeskClient, expires: float) -> Submit:
        """Build the `submit` call of an intent, with its times converted to the clock of the engine's process."""
        kind, body = encode_intent(shift_intent(intent, client.offset))
        return Submit(
            command=self._new_id(), kind=kind, intent=body, expires=client.engine_time(expires),
            tell_written=not self._is_far,
        )  # fmt: skip

    async def _find_outcome(self, command: str, expired: float, run_id: str) -> Outcome:
        """Ask repeatedly for the outcome of a command whose answer was lost; the command is never sent again.

        Args:
            command: Id of the command.
            expired: Time of our monotonic clock from which on the desk would surely refuse it.
            run_id: Run of the engine that it was sent to.
        """
        lost = Outcome(verdict=Verdict.UNKNOWN, text="the desk's answer was lost; the order list shows what is known")
        deadline = expired + OUTCOME_S
        while self._clock.mono() < deadline and not self._stopping.is_set():
            client = self._client
            has_expired = self._clock.mono() > expired
            if client is not None:
                is_same_run = self._run_id == run_id
                with suppress(ProtocolError):
                    asked = await client.call("outcome", command, CommandStatus)
                    if asked.outcome is not None:
                        return asked.outcome
                    if not (asked.known or is_same_run):
                        return lost  # its journal may have been lost with the desk
                    if not asked.known and has_expired:
                        text = "it never reached the desk; nothing was sent"
                        return Outcome(verdict=Verdict.DENIED, guard="LINK", text=text)
            await asyncio.sleep(RETRY_S)
        return lost

    async def read_notes(self, after: int, since_ms: int, most: int) -> Sequence[JournalEntry]:
        """Return no event lines: peers read the journal of the process that runs the engine, to which they attach."""
        del after, since_ms, most
        return ()

    def recall(self, sender: str, command: str) -> None:
        """Return None: the process that runs the engine looks up earlier commands."""

    async def foresee(self, intents: Sequence[Intent]) -> tuple[Outcome, ...]:
        if self._client is None:
            return ()
        bodies = [encode_intent(intent) for intent in intents]
        answers: tuple[Outcome, ...] = ()
        try:
            for start in range(0, len(bodies), MOST_FORESEEN):
                wanted = Foresee(intents=tuple(bodies[start : start + MOST_FORESEEN]))
                answers += await self._client.call("foresee", wanted, tuple[Outcome, ...])
        except ProtocolError:
            return ()
        return answers

    def _tell(self, method: str, params: object) -> None:
        if self._client is not None:
            self._client.tell(method, params)

    def _tell_in_time(self, method: str, params: object) -> None:
        """Send a call that expires after `COMMAND_S` without waiting for its result; do nothing while not attached."""
        if self._client is not None:
            self._client.tell(method, params, within_s=COMMAND_S)

    def set_trading_state(self, state: TradingState) -> None:
        tell = self._tell if state is TradingState.VIEW else self._tell_in_time
        tell("set_trading_state", state)

    def enter_hot(self, seconds: float) -> None:
        self._tell_in_time("enter_hot", seconds)

    def end_hot(self, why: str) -> None:
        self._tell("end_hot", why)

    def set_risk_mode(self, mode: RiskMode) -> None:
        tell = self._tell_in_time if mode is RiskMode.NORMAL else self._tell
        tell("set_risk_mode", mode)

    def set_limits(self, limits: Limits, what: str) -> None:
        self._tell_in_time("set_limits", (limits, what))

    def watch(self, syms: tuple[str, ...]) -> None:
        self._watched = syms
        self._tell("watch", syms)

    def attend(self, syms: frozenset[str]) -> None:
        self._attended = syms
        self._tell("attend", syms)

    def look_at(self, detail: Detail | None, books: tuple[str, ...] = ()) -> None:
        self._looked_at = detail, books
        self._tell("look_at", Look(detail=detail, books=books))

    def look_for(self, peer: str, sink: TableSink, detail: Detail | None, books: tuple[str, ...] = ()) -> None:
        """Do nothing: peers attach to the process that runs the engine, not to this one."""

    def read(self, request: ServiceRequest) -> None:
        if isinstance(request, ServiceQuery):
            self._queries[request.key] = request
            self._tell("read", request)
        else:
            self._tell("read_more" if isinstance(request, MoreRows) else "read_stop", request)

    @property
    def proposals(self) -> Proposals | None:
        return None

    @property
    def mandates(self) -> Mandates | None:
        return None

    def decline(self, key: str) -> None:
        self._tell("decline", key)

    def grant(self, key: str) -> None:
        self._tell_in_time("grant", key)

    def revoke(self, key: str = "") -> None:
        self._tell("revoke", key)

    def dismiss(self, key: str) -> None:
        self._tell_in_time("dismiss", key)

    def acknowledge_rules(self, changes: Mapping[str, str]) -> None:
        self._tell_in_time("acknowledge_rules", dict(changes))
