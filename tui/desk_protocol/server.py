"""Engine's side of the protocol: peers attach, see the tables, and call what their role allows.

It runs on the engine's loop. A peer that is slow, floods or sends nonsense harms nobody but itself.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from tui.desk_protocol.carrier import Carrier, LinkClosed
from tui.desk_protocol.commands import CommandLog
from tui.desk_protocol.engine_host import EngineHost
from tui.desk_protocol.messages import (
    DESK,
    LONGEST_COMMAND_S,
    MOST_FORESEEN,
    MOST_NAME,
    VERSIONS,
    Answer,
    Call,
    Command,
    CommandId,
    CommandStatus,
    Foresee,
    Hello,
    Look,
    PastEvent,
    ProtocolError,
    ReadEvents,
    Refused,
    Role,
    Submit,
    Welcome,
    check_name,
    decode,
)
from tui.desk_protocol.method import Method
from tui.desk_protocol.peer import MOST_TEXT, Peer, SendPause, encode, read_call, send_last
from tui.desk_protocol.program_calls import ProgramCalls, deny_question
from tui.desk_protocol.row_codec import decode_intent
from tui.desk_protocol.trader_names import name_for, name_holding_desk, name_trader
from tui.engine.intents import CANCELS, Intent, Outcome, Verdict
from tui.engine.life.table_hub import PEER_MARK
from tui.engine.limits import Limits, name_program
from tui.engine.modes import BY_ITS_TRADER, OWN_SCREEN, RiskMode, TradingState
from tui.engine.peers.recent_events import RecentEvents
from tui.engine.rows import Row, Table
from tui.engine.service_query import ListRead, MoreRows, ServiceQuery, StopQuery
from tui.engine.status_rows import ENGINE, EngineStatusRow, PeerRow
from tui.engine.sync.session_recovery import NotRecovered
from tui.interface import catalogue
from tui.interface.symbols import try_parse
from tui.interface.text import clean
from tui.protocols import Clock, JournalUnwritable

if TYPE_CHECKING:
    from tui.engine.life.engine_core import EngineCore
    from tui.engine.orders.trading_control import TradingControl

HELLO_S = 5.0
"""Longest wait for the first call of a connection, s."""
MOST_PEERS, MOST_PROGRAMS = 32, 24
"""Most peers, and most that are no desk: for a desk there is room, it has the kill switch."""
MOST_GREETINGS = 32
"""Most connections that have not said hello yet; further ones are closed."""
MOST_LISTS = 200
"""Most lists of the service that a peer may hold at once."""
MOST_SOURCES, LONGEST_KEY = 16, 200
"""Most sources of a list and fields that name its rows, and the longest key; each is worked through at once."""
MOST_EVENT_READS, EVENT_READS_WITHIN_S = 60, 60.0
"""Most reads of event lines of a peer within a time, s."""
MOST_PAIRS = 2_000
"""Most pairs that a peer may watch."""
_NUMBER = re.compile(r" \d+$")
"""Number behind the name of a peer whose name another one has."""


class DeskServer:
    """Server of the desk protocol: attaches windows, programs and agents to one engine."""

    def __init__(self, host: EngineHost, clock: Clock, run_id: str, *, has_screen: bool = False) -> None:
        """Initialize the server; `run_id` identifies this engine run, `has_screen` says if this process is a desk itself."""
        self._host = host
        self._clock = clock
        self._run_id = run_id
        self._has_screen = has_screen
        self._peers: dict[str, Peer] = {}
        self._serving: set[asyncio.Task[Any]] = set()
        """One for each connection."""
        self._greeting: dict[Carrier, None] = {}
        """Connections that have not said hello yet."""
        self._closing = False
        self._commands = CommandLog(clock)
        self._pause = SendPause()
        host.when_written(self._pause.note_written)
        self._program_calls = ProgramCalls(clock, self._core, self._status, self._send_once)
        self._event_reads = RecentEvents(EVENT_READS_WITHIN_S)
        self._methods = self._list_methods()

    async def accept(self, carrier: Carrier, origin: str, trader: str = "") -> None:
        """Serve one connection until it ends.

        Args:
            carrier: The connection.
            origin: Where it comes from.
            trader: Who is at its other side, whatever `hello` says; empty: a process of this user.
        """
        serving = asyncio.current_task()
        assert serving is not None
        self._serving.add(serving)
        try:
            if len(self._greeting) >= MOST_GREETINGS:
                # Who says hello does so at once: the one that has been silent for longest gives way.
                oldest = next(iter(self._greeting))
                del self._greeting[oldest]
                oldest.close()
            if not self._closing:
                await self._serve(carrier, origin, trader)
        except ProtocolError:
            pass  # the other side was told, or is gone
        finally:
            carrier.close()
            self._serving.discard(serving)

    async def _serve(self, carrier: Carrier, origin: str, trader: str) -> None:
        self._greeting[carrier] = None
        try:
            call_id, peer = await self._greet(carrier, origin, trader)
            peer.trader = trader
        finally:
            self._greeting.pop(carrier, None)
        try:
            self._host.attach_peer(peer.name, peer.role.value)
            await carrier.send(encode(Answer(id=call_id, result=msgspec.Raw(msgspec.json.encode(self._welcome(peer))))))
            await peer.run(lambda call: self._handle(peer, call))
        finally:
            self._forget(peer)

    def _forget(self, peer: Peer) -> None:
        """Remove a disconnected peer with its queue, watched pairs and lists; the outcomes of its commands are kept."""
        peer.gone.set()
        del self._peers[peer.name]
        self._host.hub.close_queue(peer.queue)
        self._host.detach_peer(peer.name)
        core = self._host.core
        for key in peer.lists:
            if core is not None:
                core.read(StopQuery(key=key, forget=True))
            self._host.hub.put(Table.ANSWERS, key, None)

    async def close(self) -> None:
        """Close all connections and accept no new ones."""
        self._closing = True
        for carrier in tuple(self._greeting):
            carrier.close()
        for peer in self._peers.values():
            peer.close()
        if self._serving:
            await asyncio.wait(self._serving)

    # Greeting

    async def _greet(self, carrier: Carrier, origin: str, trader: str) -> tuple[int, Peer]:
        """Read the first call of a connection, which must be `hello`; return the call's number and the new peer.

        Raises:
            ProtocolError: It is no `hello`, or one that is refused; the other side was told.
        """
        call_id = 0
        try:
            async with asyncio.timeout(HELLO_S):
                call = read_call(await carrier.receive())
                call_id = call.id
                if call.method != "hello":
                    raise ProtocolError("the first call is hello")
                hello = decode(call.params, Hello, call.method)
                _check_hello(hello)
                hello = _name_by_trader(hello, trader)
                await self._end_former(hello)
        except TimeoutError:
            raise ProtocolError("no hello came") from None
        except LinkClosed:
            raise
        except ProtocolError as error:
            await send_last(carrier, Refused(id=call_id, text=clean(str(error), MOST_TEXT)))
            raise
        return call_id, self._add_peer(hello, carrier, origin)

    async def _end_former(self, hello: Hello) -> None:
        """Close a former connection of the same session, dropping its waiting calls; refuse if too many peers are attached.

        Raises:
            ProtocolError: There are too many peers.
        """
        session = hello.session
        while former := next((peer for peer in self._peers.values() if session and peer.session == session), None):
            former.close()
            await former.gone.wait()
        programs = sum(peer.role is not Role.DESK for peer in self._peers.values())
        if len(self._peers) >= MOST_PEERS:
            raise ProtocolError(f"{MOST_PEERS} peers are attached; end one first")
        if hello.role is not Role.DESK and programs >= MOST_PROGRAMS:
            raise ProtocolError(f"{MOST_PROGRAMS} programs are attached, the rest is for desks; end one first")

    def _add_peer(self, hello: Hello, carrier: Carrier, origin: str) -> Peer:
        name, queue = self._free_name(hello.name, origin), self._host.hub.open_queue()
        view = partial(self._show, name)
        peer = Peer(name, hello, carrier, queue, self._clock, view, self._pause)
        self._peers[name] = peer
        self._queue_missed(peer, hello)
        return peer

    def _welcome(self, peer: Peer) -> Welcome:
        status = self._status()
        return Welcome(
            version=max(VERSIONS), name=peer.name, role=peer.role, run=self._run_id, mono=self._clock.mono(),
            environment=status.environment, portfolio=status.portfolio, portfolio_name=status.portfolio_name,
        )  # fmt: skip

    def _free_name(self, wanted: str, origin: str) -> str:
        """Return the wanted name, without slashes and with a number added if another peer or the screen has it."""
        base = clean(wanted, MOST_NAME).replace("/", "-").strip() or origin
        name, number = base, 2
        while name.casefold() in {other.casefold() for other in (*self._peers, OWN_SCREEN, DESK)}:
            name, number = f"{_NUMBER.sub('', base)} {number}", number + 1
        return name

    def _queue_missed(self, peer: Peer, hello: Hello) -> None:
        """Queue the event lines that a returning peer has missed, and for a window also the warnings in force."""
        hub, seq = self._host.hub, hello.seq if hello.run == self._run_id else 0
        lines, gone = hub.events_after(seq) if hello.run else ([], 0)
        warnings = [line for line in hub.warnings_after(seq) if hello.warnings and line not in lines]
        # Without a number: they are no part of the lines that come in order and once.
        peer.queue.put_missed([*(msgspec.structs.replace(line, seq=0) for line in warnings), *lines], gone)

    def _status(self) -> EngineStatusRow:
        row = self._host.hub.row(Table.ENGINE_STATUS, ENGINE)
        assert isinstance(row, EngineStatusRow)
        return row

    def _show(self, peer: str, table: Table, rows: dict[str, Row | None]) -> dict[str, Row | None]:
        """Convert rows of a table to what a peer may see: its own trading state, and of the lists its own only."""
        if table is Table.ENGINE_STATUS:
            return {key: _show_status_to(row, peer, has_screen=self._has_screen) for key, row in rows.items()}
        if table is Table.ANSWERS:
            mine = _answer_key(peer, "")
            return {key.removeprefix(mine): _own_key(row, mine) for key, row in rows.items() if key.startswith(mine)}
        return rows

    # Calls

    def _list_methods(self) -> dict[str, Method]:
        watch, propose, desk = Role.WATCH, Role.PROPOSE, Role.DESK
        return {
            "time": Method(watch, dict[str, object], self._time),
            "watch": Method(watch, tuple[str, ...], self._watch),
            "attend": Method(watch, frozenset[str], self._attend),
            "look_at": Method(watch, Look, self._look_at),
            "read": Method(watch, ServiceQuery, self._read),
            "read_more": Method(watch, MoreRows, self._read),
            "read_stop": Method(watch, StopQuery, self._read),
            "read_events": Method(watch, ReadEvents, self._read_events),
            "foresee": Method(watch, Foresee, self._foresee),
            **self._program_calls.list_methods(),
            "decline": Method(desk, str, self._decline),
            "grant": Method(desk, str, self._grant),
            "revoke": Method(desk, str, self._revoke),
            "submit": Method(desk, Submit, self._submit),
            "outcome": Method(propose, CommandId, self._outcome),
            "set_trading_state": Method(desk, TradingState, self._set_trading_state),
            "enter_hot": Method(desk, float, self._enter_hot),
            "end_hot": Method(desk, str, self._end_hot),
            "set_risk_mode": Method(desk, RiskMode, self._set_risk_mode),
            "set_limits": Method(desk, tuple[Limits, str], self._set_limits),
            "dismiss": Method(desk, str, self._dismiss),
            "acknowledge_rules": Method(desk, dict[str, str], self._acknowledge_rules),
        }

    async def _handle(self, peer: Peer, call: Call) -> object:
        """Execute a call after checking method, role, expiry and parameters; return its result.

        Raises:
            ProtocolError: The method is unknown, not allowed to this peer or late, or its parameters are wrong.
        """
        method = self._methods.get(call.method)
        if method is None:
            raise ProtocolError(f"method {call.method[:40]!r} is not known; accepted: {', '.join(self._methods)}")
        if peer.role.rank < method.least.rank:
            raise ProtocolError(
                f"{call.method} needs the role {method.least.value}; {peer.name} has the role {peer.role.value}"
            )
        if 0 < call.expires <= (now := self._clock.mono()):
            raise ProtocolError(f"{call.method} came {now - call.expires:.3g} s after it expired; nothing was done")
        return await method.handle(peer, decode(call.params, method.params, call.method))

    def _core(self) -> EngineCore:
        core = self._host.core
        if core is None:
            raise ProtocolError("the engine is being started again")
        return core

    def _control(self) -> TradingControl:
        control = self._core().control
        if control is None:
            raise ProtocolError("the engine is in another process")
        return control

    async def _time(self, peer: Peer, nothing: object) -> float:
        """Return the engine's monotonic time, by which a peer measures its clock offset."""
        del peer, nothing
        return self._clock.mono()

    async def _watch(self, peer: Peer, syms: tuple[str, ...]) -> None:
        self._host.watch_for(peer.name, _check_pairs(syms))

    async def _attend(self, peer: Peer, syms: frozenset[str]) -> None:
        self._host.attend_for(peer.name, frozenset(_check_pairs(tuple(syms))))

    async def _look_at(self, peer: Peer, look: Look) -> None:
        _check_pairs((*((look.detail.sym,) if look.detail is not None else ()), *look.books))
        self._host.look_for(peer.name, peer.queue, look.detail, look.books)

    async def _read(self, peer: Peer, request: ServiceQuery | MoreRows | StopQuery) -> None:
        key = _answer_key(peer.name, request.key)
        if isinstance(request, ServiceQuery):
            _check_sources(request)
        if len(peer.lists) >= MOST_LISTS and key not in peer.lists:
            raise ProtocolError(f"{MOST_LISTS} lists are held; forget one first")
        if isinstance(request, StopQuery) and request.forget:
            peer.lists.discard(key)
        elif isinstance(request, ServiceQuery):
            peer.lists.add(key)
        self._core().read(msgspec.structs.replace(request, key=key))

    async def _read_events(self, peer: Peer, wanted: ReadEvents) -> tuple[PastEvent, ...]:
        """Read event lines from the journal, within a rate limit for each peer, as every call searches the file.

        Raises:
            ProtocolError: The peer read too often lately, or the journal cannot be read.
        """
        now = self._clock.mono()
        if left := self._event_reads.wait_s(peer.name, MOST_EVENT_READS, now):
            raise ProtocolError(
                f"read_events: {MOST_EVENT_READS} calls within {EVENT_READS_WITHIN_S:g} s; free in {left:.1f} s"
            )
        self._event_reads.note(peer.name, now)
        try:
            entries = await self._core().read_notes(wanted.after, wanted.since_ms, wanted.most)
        except JournalUnwritable as error:
            raise ProtocolError(f"read_events: {clean(str(error), MOST_TEXT)}") from None
        return tuple(
            PastEvent(
                entry=entry.seq,
                wall_ms=entry.wall_ms,
                text=name_holding_desk(clean(entry.payload)),
                key=entry.intent_id,
            )
            for entry in entries
        )

    async def _foresee(self, peer: Peer, wanted: Foresee) -> tuple[Outcome, ...]:
        if len(wanted.intents) > MOST_FORESEEN:
            raise ProtocolError(f"foresee takes {MOST_FORESEEN} intents at most; {len(wanted.intents)} came")
        answers: tuple[Outcome, ...] = ()
        for kind, body in wanted.intents:
            answers += tuple(
                _show_outcome(outcome, peer)
                for outcome in await self._core().foresee([self._sign(peer, decode_intent(kind, body))])
            )
            await asyncio.sleep(0)  # a hundred checks in one turn would hold up cancels and answers
        return answers

    async def _submit(self, peer: Peer, wanted: Submit) -> Outcome:
        return await self._send_once(peer, wanted, lambda: decode_intent(wanted.kind, wanted.intent))

    async def _send_once(self, peer: Peer, wanted: Command, read: Callable[[], Intent]) -> Outcome:
        """Execute a command's intent once: return the earlier outcome for a known id, and a denial for an expired one."""
        sender, command = peer.sender, wanted.command
        before = await self._commands.repeat(sender, command) or self._recall(sender, command, read)
        if before is not None:
            return _show_outcome(before, peer)
        late = self._why_late(wanted.expires)
        if late:
            return Outcome(verdict=Verdict.DENIED, guard="LATE", text=late)
        intent, core = self._sign(peer, read(), command, wanted.expires), self._core()
        self._pause.begin(peer if isinstance(wanted, Submit) and wanted.tell_written else None)
        try:
            return _show_outcome(await self._commands.run(sender, command, lambda: core.submit(intent)), peer)
        finally:
            self._pause.end()
            self._pause.forget(peer)

    def _recall(self, sender: str, command: str, read: Callable[[], Intent] | None = None) -> Outcome | None:
        """Return the outcome of a command from earlier runs of the desk, by the journal; None if there was no such command.

        Raises:
            ProtocolError: It is not known yet; a cancel may be sent twice all the same.
        """
        try:
            return self._core().recall(sender, command)
        except NotRecovered as error:
            if read is None or not isinstance(read(), CANCELS):
                raise ProtocolError(str(error)) from None
            return None

    def _sign(self, peer: Peer, intent: Intent, command: str = "", expires: float = 0.0) -> Intent:
        """Return the intent with sender, command id and trading state set by the server, whatever the peer wrote in them."""
        decision = intent.decision
        status = _show_status_to(self._status(), peer.name)
        assert isinstance(status, EngineStatusRow)
        source = f"{peer.name}: {clean(decision.source, 200)}"
        decision = msgspec.structs.replace(
            decision,
            peer=peer.name,
            command=command,
            sender=peer.sender,
            expires=expires,
            source=source,
            state=status.trading_state,
        )
        return msgspec.structs.replace(intent, decision=decision)

    def _why_late(self, expires: float) -> str:
        left = expires - self._clock.mono()
        if left <= 0:
            return f"the command came {-left:.3g} s after it expired; nothing was sent"
        if left > LONGEST_COMMAND_S:
            return f"the command expires in {left:.3g} s; at most {LONGEST_COMMAND_S:g} s are accepted"
        return ""

    async def _decline(self, peer: Peer, key: str) -> None:
        del peer
        self._core().decline(key)

    async def _grant(self, peer: Peer, key: str) -> None:
        self._control().grant(key, peer.name)

    async def _revoke(self, peer: Peer, key: str) -> None:
        self._control().revoke(key, peer.name)

    async def _outcome(self, peer: Peer, command: str) -> CommandStatus:
        status = CommandStatus(known=False)
        # A program that is back before its old link is gone bears a number; what it sent is under its name without.
        for sender in (peer.sender, _NUMBER.sub("", peer.sender)):
            status = self._commands.ask(sender, command)
            outcome = status.outcome if status.known else self._recall(sender, command)
            if outcome is not None:
                outcome = deny_question(outcome) if peer.role is Role.PROPOSE else outcome
                return CommandStatus(known=True, outcome=_show_outcome(outcome, peer))
            if status.known:
                break
        return status

    async def _set_trading_state(self, peer: Peer, state: TradingState) -> None:
        if state is TradingState.HOT:
            raise ProtocolError("HOT begins with enter_hot")
        self._control().set_trading_state(state, BY_ITS_TRADER, peer.name)

    async def _enter_hot(self, peer: Peer, seconds: float) -> None:
        self._control().enter_hot(seconds, peer.name)

    async def _end_hot(self, peer: Peer, why: str) -> None:
        self._control().end_hot(name_trader(clean(why, 200), peer.name), peer.name)

    async def _set_risk_mode(self, peer: Peer, mode: RiskMode) -> None:
        self._control().set_risk_mode(mode, f"by {peer.name}")

    async def _set_limits(self, peer: Peer, change: tuple[Limits, str]) -> None:
        if peer.trader:
            raise ProtocolError(
                "limits are set where the gateway runs: by a window on its machine, or in its configuration"
            )
        limits, what = change
        self._core().set_limits(limits, f"{peer.name}: {clean(what, 200)}")

    async def _dismiss(self, peer: Peer, key: str) -> None:
        del peer
        self._core().dismiss(key)

    async def _acknowledge_rules(self, peer: Peer, changes: dict[str, str]) -> None:
        del peer
        self._core().acknowledge_rules(changes)


def _check_hello(hello: Hello) -> None:
    """Check the protocol version, role and name in a peer's `hello`.

    Raises:
        ProtocolError: One is not accepted.
    """
    if not set(hello.versions) & set(VERSIONS):
        asked, spoken = ", ".join(map(str, hello.versions[:5])), ", ".join(map(str, VERSIONS))
        raise ProtocolError(f"version {clean(asked, 40)} is not spoken here; accepted: {spoken}")
    if hello.role is Role.TRADE:
        raise ProtocolError("a mandate is granted at the desk; attach with role propose or watch")
    check_name(hello.name, of_program=hello.role is Role.PROPOSE)


def _name_by_trader(hello: Hello, trader: str) -> Hello:
    """Return a peer's `hello` with the trader's name put into its name and session, so that traders' peers stay apart.

    A window has the name of its trader, a program a name of its own before it: `maker of anna`.
    """
    if not trader:
        return hello
    session = f"{trader} {hello.session}" if hello.session else ""
    name = name_program(hello.name.strip(), trader, MOST_NAME) if hello.role is Role.PROPOSE else trader
    return msgspec.structs.replace(hello, name=name, session=session)


def _check_pairs(syms: tuple[str, ...]) -> tuple[str, ...]:
    """Check that a peer named well-formed pairs, and not too many; return them unchanged.

    Raises:
        ProtocolError: One is no pair, or there are too many.
    """
    if len(syms) > MOST_PAIRS:
        raise ProtocolError(f"{MOST_PAIRS} pairs are accepted at most; {len(syms)} came")
    for sym in syms:
        if try_parse(sym) is None:
            raise ProtocolError(f"{clean(sym, 40)!r} is no pair; one is BINANCE_PERP_BTC_USDT")
    return syms


def _check_sources(query: ServiceQuery) -> None:
    """Check that a query only reads: every source in it, also fallback and lookup, is a known endpoint that changes nothing.

    Raises:
        ProtocolError: It names none, or one is a command or not known.
    """
    if not query.sources:
        raise ProtocolError("a query names at least one source")
    if len(query.sources) > MOST_SOURCES or len(query.row_id) > MOST_SOURCES or len(query.key) > LONGEST_KEY:
        raise ProtocolError(
            f"a query has at most {MOST_SOURCES} sources and fields in row_id, and a key of {LONGEST_KEY} characters"
        )
    left = [*query.sources, *((query.lookup.source,) if query.lookup is not None else ())]
    while left:
        source = left.pop()
        row = catalogue.BY_NAME.get(source.endpoint)
        if row is None or row.is_command:
            raise ProtocolError(f"there is no reading row {clean(source.endpoint, 40)!r} in the catalogue")
        left += [source.fallback] if source.fallback is not None else []


def _show_outcome(outcome: Outcome, peer: Peer) -> Outcome:
    """Return an outcome as a peer is to read it."""
    return msgspec.structs.replace(outcome, text=name_for(outcome.text, peer.window))


def _answer_key(peer: str, key: str) -> str:
    return f"{PEER_MARK}{peer}/{key}"


def _own_key(row: Row | None, prefix: str) -> Row | None:
    """Return a list row with the key prefix of its peer removed, as the peer named it; other rows unchanged."""
    if not isinstance(row, ListRead):
        return row
    query = msgspec.structs.replace(row.query, key=row.query.key.removeprefix(prefix))
    return msgspec.structs.replace(row, query=query)


def _show_status_to(row: Row | None, peer: str, *, has_screen: bool = False) -> Row | None:
    """Return the status row as a peer sees it: its own trading state, and the screen's desk and the others as peers."""
    if not isinstance(row, EngineStatusRow):
        return row
    mine = next((attached for attached in row.peers if attached.name == peer), None)
    state, hot_until = (mine.trading_state, mine.hot_until) if mine is not None else (TradingState.VIEW, 0.0)
    others = tuple(attached for attached in row.peers if attached.name != peer)
    if has_screen:
        others = (PeerRow(name=DESK, role=Role.DESK.value, trading_state=row.trading_state), *others)
    read_only = f"the desk that holds the account sends nothing: {row.read_only}" if row.read_only else ""
    window = peer if mine is None or mine.role == Role.DESK.value else ""
    return msgspec.structs.replace(
        row, trading_state=state, hot_until=hot_until, peers=others, read_only=read_only, own_name=peer,
        risk_mode_reason=name_for(row.risk_mode_reason, window), killed_by=name_for(row.killed_by, window),
    )  # fmt: skip
