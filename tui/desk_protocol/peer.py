"""Peer at the engine's side: its calls, and the rows and event lines that it gets at its own pace."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeAlias

import msgspec

from tui.desk_protocol.carrier import Carrier, LinkClosed
from tui.desk_protocol.messages import (
    Answer,
    Behind,
    Call,
    Events,
    FromEngine,
    ProtocolError,
    Refused,
    Role,
    Rows,
    Whole,
)
from tui.desk_protocol.row_codec import encode_rows
from tui.engine.conflating_queue import Batch, ConflatingQueue
from tui.engine.rows import Row, Table
from tui.protocols import Clock

MOST_OPEN_CALLS = 64
"""Most calls of a peer under way at once."""
MOST_CALLS = 100
WINDOW_S = 0.1
"""Most calls of a peer that are read within a time, s."""
MOST_ROWS = 500
"""Most rows in one message."""
LOOK_S = 0.5
"""Longest time that quiet changes, such as the age of a link, wait for others, s."""
BEHIND_S = 1.0
"""Time a message waits for its reader after which the reader is told, s."""

Handle = Callable[[Call], Awaitable[object]]
View: TypeAlias = "Callable[[Table, dict[str, Row | None]], dict[str, Row | None]]"
"""Turns rows into what the peer is to see of them."""

_ENCODER = msgspec.json.Encoder()


class Peer:
    """Connection to one peer, after its `hello`."""

    def __init__(
        self, name: str, role: Role, carrier: Carrier, queue: ConflatingQueue, clock: Clock, view: View
    ) -> None:
        self.name = name
        self.role = role
        self._carrier = carrier
        self.queue = queue
        self._clock = clock
        self._view = view
        self._woken = asyncio.Event()
        self._out: list[bytes] = []
        self._calls: set[asyncio.Task[None]] = set()

    async def run(self, handle: Handle) -> None:
        """Serve the peer until it is gone.

        Args:
            handle: Carries out a call and returns its result.
        """
        loop = asyncio.get_running_loop()

        def wake(urgent: bool) -> None:
            del urgent
            loop.call_soon_threadsafe(self._woken.set)

        self.queue.attach(wake)
        writing = asyncio.ensure_future(self._write())
        reading = asyncio.ensure_future(self._read(handle))
        try:
            await asyncio.wait([writing, reading], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (writing, reading, *self._calls):
                task.cancel()
            await asyncio.gather(writing, reading, *self._calls, return_exceptions=True)
            self._carrier.close()

    def send(self, message: FromEngine) -> None:
        """Queue a message before the next rows."""
        self._out.append(encode(message))
        self._woken.set()

    def close(self) -> None:
        """End the connection."""
        self._carrier.close()

    async def _read(self, handle: Handle) -> None:
        window, count = self._clock.mono(), 0
        while True:
            try:
                line = await self._carrier.receive()
            except LinkClosed:
                return
            except ProtocolError as error:
                # The rest of the line would be read as further calls.
                await self._part_with(str(error))
                return
            count += 1
            if count >= MOST_CALLS:
                # A flood is read slowly, so that it holds up nobody but its sender.
                await asyncio.sleep(max(0.0, window + WINDOW_S - self._clock.mono()))
                window, count = self._clock.mono(), 0
            self._take(line, handle)

    def _take(self, line: bytes, handle: Handle) -> None:
        try:
            call = read_call(line)
        except ProtocolError as error:
            self.send(Refused(id=0, text=str(error)))
            return
        if len(self._calls) >= MOST_OPEN_CALLS:
            self.send(Refused(id=call.id, text=f"{MOST_OPEN_CALLS} calls are under way; wait for their answers"))
            return
        self._start(self._answer(call, handle))

    async def _part_with(self, why: str) -> None:
        with suppress(LinkClosed):
            await self._carrier.send(encode(Refused(id=0, text=why)))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)

    async def _answer(self, call: Call, handle: Handle) -> None:
        try:
            result = await handle(call)
        except ProtocolError as error:
            self.send(Refused(id=call.id, text=str(error)))
        else:
            self.send(Answer(id=call.id, result=msgspec.Raw(_ENCODER.encode(result))))

    async def _write(self) -> None:
        """Write what waits, one batch at a time: while a slow reader takes it, newer rows replace older ones."""
        first = True
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await self._woken.wait()
            self._woken.clear()
            out, self._out = self._out, []
            out += self._encode(self.queue.take())
            if first:
                out.append(encode(Whole()))
                first = False
            began = self._clock.mono()
            try:
                for data in out:
                    await self._carrier.send(data)
            except LinkClosed:
                return
            waited = self._clock.mono() - began
            if waited >= BEHIND_S:
                self.send(Behind(seconds=round(waited, 1)))

    def _encode(self, batch: Batch) -> list[bytes]:
        out: list[bytes] = []
        for table, rows in batch.changed.items():
            shown = list(self._view(table, rows).items())
            for at in range(0, len(shown), MOST_ROWS):
                data = msgspec.Raw(encode_rows(dict(shown[at : at + MOST_ROWS])))
                out.append(encode(Rows(table=table, rows=data)))
        if batch.events:
            out.append(encode(Events(lines=tuple(batch.events), missed=batch.dropped_events)))
        return out


def encode(message: FromEngine) -> bytes:
    """Encode a message as one line."""
    return _ENCODER.encode(message) + b"\n"


def read_call(line: bytes) -> Call:
    """Read one call.

    Raises:
        ProtocolError: It is no call.
    """
    try:
        return msgspec.json.decode(line, type=Call)
    except msgspec.MsgspecError as error:
        raise ProtocolError(f'no call: {error}; a call is {{"id": 1, "method": "NAME", "params": {{…}}}}') from None
