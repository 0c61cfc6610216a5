"""Peer at the engine's side: its calls, and the rows and event lines that it gets at its own pace."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias

import msgspec

from tui.desk_protocol.carrier import Carrier, LinkClosed
from tui.desk_protocol.messages import (
    Answer,
    Call,
    CommandSent,
    Events,
    FromEngine,
    Hello,
    ProtocolError,
    Refused,
    Role,
    Rows,
    SlowReader,
    Whole,
    decode,
)
from tui.desk_protocol.row_codec import encode_rows
from tui.desk_protocol.trader_names import name_in_event
from tui.engine.conflating_queue import Batch, ConflatingQueue
from tui.engine.life.thread import HAND_OVER_S
from tui.engine.rows import Row, Table
from tui.engine.status_rows import EngineStatusRow
from tui.interface.text import clean
from tui.protocols import Clock

MOST_OPEN_CALLS = 64
"""Most calls of a peer under way at once."""
MOST_CALLS = 100
WINDOW_S = 0.1
"""Most calls of a peer that are read within a time, s."""
MOST_CALLED_BYTES = 1024 * 1024
"""Most bytes of calls that are read within `WINDOW_S`."""
MOST_WAITING_BYTES = 1024 * 1024
"""Bytes of answers that wait for a reader from which on no more of its calls are read."""
MOST_ROWS = 500
"""Most rows in one message."""
LAST_S = 1.0
"""Longest wait until the last message of a connection is taken, s."""
LOOK_S = 0.5
"""Longest time that quiet changes, such as the age of a link, wait for others, s."""
MOST_TEXT = 2_000
"""Longest text of a refusal, characters."""
BEHIND_S = 1.0
"""Time a message waits for its reader after which the reader is told, s."""

Handle = Callable[[Call], Awaitable[object]]
View: TypeAlias = "Callable[[Table, dict[str, Row | None]], dict[str, Row | None]]"
"""Turns rows into what the peer is to see of them."""

_ENCODER = msgspec.json.Encoder()

log = logging.getLogger("tui.desk_protocol")


class SendPause:
    """Pause in sending rows to all peers, from a command's arrival until it was sent to the service, to speed it up.

    To encode rows takes the interpreter from the thread of the journal, for which the command waits.
    """

    def __init__(self) -> None:
        self._is_over = asyncio.Event()
        self._is_over.set()
        self._ends: asyncio.TimerHandle | None = None
        self._waiting: list[Peer] = []
        """Peers that are told when the command was sent."""

    def begin(self, tells: Peer | None = None) -> None:
        """Begin a pause of at most `HAND_OVER_S`; `tells`, if given, gets a notice when a command was sent."""
        self.end()
        self._is_over.clear()
        self._ends = asyncio.get_running_loop().call_later(HAND_OVER_S, self.end)
        if tells is not None:
            self._waiting.append(tells)

    def note_written(self) -> None:
        """End the pause because a command was sent to the service, and send the notice to all peers that wait for it."""
        self.end()
        for peer in self._waiting:
            peer.send(CommandSent())
        self._waiting.clear()

    def end(self) -> None:
        """End the pause at once, if one is in force."""
        if self._ends is not None:
            self._ends.cancel()
            self._ends = None
        self._is_over.set()

    def forget(self, peer: Peer) -> None:
        """Remove a peer from those that get a notice when a command was sent: it has its answer, or is gone."""
        self._waiting = [other for other in self._waiting if other is not peer]

    async def wait(self) -> None:
        """Wait until no pause is in force."""
        await self._is_over.wait()


class Peer:
    """Connection to one attached window, program or agent, after its `hello`."""

    def __init__(
        self,
        name: str,
        hello: Hello,
        carrier: Carrier,
        queue: ConflatingQueue,
        clock: Clock,
        view: View,
        pause: SendPause,
    ) -> None:
        """Initialize the peer; `view` converts rows to what the peer may see, and during a `pause` nothing is sent to it."""
        self.name = name
        self.role = hello.role
        self.trader = ""
        """Trader that the carrier vouches for; empty: a process of this user."""
        self.session = hello.session
        self.window = name if hello.role is Role.DESK else ""
        """Its name, to which what it did is `by you`; empty for a program."""
        self.sender = f"session {_hash(hello.session)}" if hello.session else f"name {name}"
        """Under what its commands are remembered: by its secret it is found again under any name, also in a later run."""
        self.lists: set[str] = set()
        """Keys of the lists that it asked for."""
        self.gone = asyncio.Event()
        """Set when nothing of it is left."""
        self._carrier = carrier
        self.queue = queue
        self._clock = clock
        self._view = view
        self._pause = pause
        self._woken = asyncio.Event()
        self._over = asyncio.Event()
        self._out: list[bytes] = []
        self._waiting_bytes = 0
        """Size of what waits to be written."""
        self._has_room = asyncio.Event()
        self._calls: set[asyncio.Task[None]] = set()

    async def run(self, handle: Handle) -> None:
        """Send rows to the peer and execute its calls until its connection ends.

        Args:
            handle: Carries out a call and returns its result.
        """
        loop = asyncio.get_running_loop()

        def wake(*, urgent: bool) -> None:
            del urgent
            loop.call_soon_threadsafe(self._woken.set)

        self.queue.attach(wake)
        writing = asyncio.ensure_future(self._write())
        reading = asyncio.ensure_future(self._read(handle))
        over = asyncio.ensure_future(self._over.wait())
        try:
            await asyncio.wait([writing, reading, over], return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._over.set()
            tasks = (writing, reading, over, *self._calls)
            for task in tasks:
                task.cancel()
            for ended in await asyncio.gather(*tasks, return_exceptions=True):
                if isinstance(ended, Exception):
                    log.error("serving %s failed", self.name, exc_info=ended)
            self._carrier.close()

    def send(self, message: FromEngine) -> None:
        """Queue a message that is sent to the peer before the next rows."""
        data = encode(message)
        self._out.append(data)
        self._waiting_bytes += len(data)
        self._woken.set()

    def close(self) -> None:
        """Close the connection; calls received from the peer but not started yet are dropped."""
        self._over.set()
        self._carrier.close()

    async def _read(self, handle: Handle) -> None:
        window, count, size = self._clock.mono(), 0, 0
        while not self._over.is_set():
            # Who does not read its answers gets no further ones.
            while self._waiting_bytes >= MOST_WAITING_BYTES:
                self._has_room.clear()
                await self._has_room.wait()
            try:
                line = await self._carrier.receive()
            except LinkClosed:
                return
            except ProtocolError as error:
                # The rest of the line would be read as further calls.
                await send_last(self._carrier, Refused(id=0, text=clean(str(error), MOST_TEXT)))
                return
            count, size = count + 1, size + len(line)
            if count >= MOST_CALLS or size >= MOST_CALLED_BYTES:
                # A flood is read slowly, so that it holds up nobody but its sender.
                await asyncio.sleep(max(0.0, window + WINDOW_S - self._clock.mono()))
                window, count, size = self._clock.mono(), 0, 0
            if not self._over.is_set():
                self._take(line, handle)

    def _take(self, line: bytes, handle: Handle) -> None:
        try:
            call = read_call(line)
        except ProtocolError as error:
            self.send(Refused(id=0, text=clean(str(error), MOST_TEXT)))
            return
        if len(self._calls) >= MOST_OPEN_CALLS:
            self.send(Refused(id=call.id, text=f"{MOST_OPEN_CALLS} calls are under way; wait for their answers"))
            return
        self._start(self._answer(call, handle))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)

    async def _answer(self, call: Call, handle: Handle) -> None:
        try:
            result = msgspec.Raw(_ENCODER.encode(await handle(call)))
        except ProtocolError as error:
            self.send(Refused(id=call.id, text=clean(str(error), MOST_TEXT)))
        except Exception as error:
            log.error("a call of %s failed", self.name, exc_info=error)
            self.send(Refused(id=call.id, text="internal error; the log of the desk has it", unsure=True))
        else:
            self.send(Answer(id=call.id, result=result))

    async def _write(self) -> None:
        """Send queued messages and rows in batches; while the peer reads slowly, only the newest version of a row waits."""
        first = True
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await self._woken.wait()
            await self._pause.wait()
            self._woken.clear()
            out, self._out, self._waiting_bytes = self._out, [], 0
            out += self._encode(self.queue.take(), is_first=first)
            if first:
                out.append(encode(Whole()))
                first = False
            began = self._clock.mono()
            try:
                for data in out:
                    await self._carrier.send(data)
            except LinkClosed:
                return
            self._has_room.set()
            waited = self._clock.mono() - began
            if waited >= BEHIND_S:
                self.send(SlowReader(seconds=round(waited, 1)))

    def _encode(self, batch: Batch, *, is_first: bool) -> list[bytes]:
        out: list[bytes] = []
        for table, rows in sorted(batch.changed.items(), key=partial(_place_status, is_first=is_first)):
            shown = list(self._view(table, rows).items())
            for at in range(0, len(shown), MOST_ROWS):
                data = msgspec.Raw(encode_rows(dict(shown[at : at + MOST_ROWS])))
                out.append(encode(Rows(table=table, rows=data)))
        if batch.events:
            lines = tuple(name_in_event(line, self.window) for line in batch.events)
            out.append(encode(Events(lines=lines, missed=batch.dropped_events)))
        return out


def _place_status(entry: tuple[Table, Mapping[str, Row | None]], *, is_first: bool) -> int:
    """Return a sort key that puts a synced engine's status after the other tables, and an unsynced one's before them.

    The first status of an engine that was synced comes after them, too: it says that the rows are known.
    """
    table, rows = entry
    if table is not Table.ENGINE_STATUS:
        return 0
    statuses = [row if isinstance(row, EngineStatusRow) else None for row in rows.values()]
    is_last = all(row is not None and (row.synced or (is_first and row.was_synced)) for row in statuses)
    return 1 if is_last else -1


def _hash(session: str) -> str:
    """Hash a peer's session secret: the journal, which others may read, names the peer's commands by the hash."""
    return hashlib.sha256(session.encode()).hexdigest()[:32]


async def send_last(carrier: Carrier, message: FromEngine) -> None:
    """Send the last message of a connection; ignore a closed connection or a peer that does not read in time."""
    with suppress(LinkClosed, TimeoutError):
        async with asyncio.timeout(LAST_S):
            await carrier.send(encode(message))


def encode(message: FromEngine) -> bytes:
    """Encode a message as one line."""
    return _ENCODER.encode(message) + b"\n"


def read_call(line: bytes) -> Call:
    """Decode one received line as a call.

    Raises:
        ProtocolError: It is no call.
    """
    call: Call = decode(line, Call, 'no call, which is {"id": 1, "method": "NAME", "params": {…}}')
    return call
