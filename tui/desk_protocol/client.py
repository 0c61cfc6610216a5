"""Client of the protocol: calls and their answers, rows and event lines, on one connection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from math import inf
from typing import Protocol, TypeVar

import msgspec

from tui.desk_protocol.carrier import Carrier, LinkClosed
from tui.desk_protocol.messages import (
    UNSURE_CLOCK_S,
    Answer,
    Call,
    CommandSent,
    Events,
    FromEngine,
    Hello,
    ProtocolError,
    Refused,
    Rows,
    SlowReader,
    Welcome,
    Whole,
    decode,
)
from tui.protocols import Clock

R = TypeVar("R")

ANSWER_S = 10.0
"""Longest wait for the answer to a call other than a command, s."""
BEAT_S = 0.3
"""Interval in which a window asks for a sign of life where the carrier gives none, s."""
SILENT_BEATS = 5
"""Intervals without a word after which it leaves: a process that is stopped, or a machine that hangs, ends no link."""

_DECODER = msgspec.json.Decoder(FromEngine)
_ENCODER = msgspec.json.Encoder()


class Receiver(Protocol):
    """Receiver of messages that the engine's side sends unasked: rows, event lines, notices."""

    def on_rows(self, message: Rows) -> None: ...

    def on_whole(self) -> None:
        """Handle the notice that all current rows have been sent since the connection's `hello`."""
        ...

    def on_events(self, message: Events) -> None: ...

    def on_slow_reader(self, message: SlowReader) -> None: ...

    def on_refused(self, text: str) -> None:
        """Handle the refusal of a call that was sent with `tell`, whose result no caller awaits."""
        ...


class DeskClient:
    """Client of the desk protocol on one connection; `open` sends `hello`, `run` reads until the connection ends."""

    def __init__(
        self,
        carrier: Carrier,
        receiver: Receiver,
        clock: Clock,
        *,
        same_machine: bool = False,
        on_written: Callable[[], None] = lambda: None,
    ) -> None:
        """Initialize the client.

        Args:
            carrier: The connection.
            receiver: Receiver of what the other side sends on its own.
            clock: Clocks of this process.
            same_machine: Whether the other side runs on this machine: its monotonic clock is then the same.
            on_written: Called when a command of ours was passed to the service, where that was asked for.
        """
        self._carrier = carrier
        self._receiver = receiver
        self._clock = clock
        self._same_machine = same_machine
        self._on_written = on_written
        self._ids = count(1)
        self._waiting: dict[int, asyncio.Future[msgspec.Raw]] = {}
        self._told: set[asyncio.Task[None]] = set()
        """Calls being sent whose answer nobody waits for; the loop itself does not hold them."""
        self._silence = 0
        """Intervals since something came."""
        self._why_left = ""
        self._offset = 0.0
        """Monotonic time of the engine minus our own, s."""
        self.clock_error = inf
        """Uncertainty of the offset, s; infinite before the greeting."""

    async def open(self, hello: Hello) -> Welcome:
        """Send `hello` and return the welcome; estimate the difference between the engine's clock and ours.

        Raises:
            LinkClosed: The other side is gone.
            ProtocolError: It refuses.
        """
        began = self._clock.mono()
        try:
            async with asyncio.timeout(ANSWER_S):
                await self._send(next(self._ids), "hello", hello)
                answer = _read(await self._carrier.receive())
        except TimeoutError:
            raise LinkClosed(f"hello was not answered within {ANSWER_S:g} s") from None
        if isinstance(answer, Refused):
            raise ProtocolError(answer.text)
        if not isinstance(answer, Answer):
            raise ProtocolError("hello was not answered")
        welcome: Welcome = decode(answer.result, Welcome, "hello")
        self._compare_clocks(began, welcome.mono)
        return welcome

    def _compare_clocks(self, began: float, theirs: float) -> None:
        """Estimate the clock offset and its error from the engine's time, read at some moment between `began` and now."""
        ended = self._clock.mono()
        if self._same_machine and began <= theirs <= ended:
            self._offset, self.clock_error = 0.0, 0.0
        else:
            self._offset, self.clock_error = theirs - (began + ended) / 2, (ended - began) / 2

    async def measure_clock(self, patience_s: float) -> None:
        """Ask for the engine's time and estimate the clock offset again; either side may have been busy before.

        Raises:
            ProtocolError: The other side is gone or does not answer in time.
        """
        began = self._clock.mono()
        self._compare_clocks(began, await self.call("time", {}, float, patience_s=patience_s))

    async def run(self, *, asks_for_life: bool = False) -> None:
        """Read messages until the connection ends; then every call still waiting for its answer fails.

        Args:
            asks_for_life: Whether an other side that is silent counts as gone.

        Raises:
            LinkClosed: The other side is gone.
        """
        beside = [asyncio.ensure_future(self._learn_clock())]
        if asks_for_life:
            beside.append(asyncio.ensure_future(self._ask_for_life()))
        try:
            while True:
                line = await self._carrier.receive()
                self._silence = 0
                self._take(_read(line))
        except LinkClosed as error:
            raise LinkClosed(self._why_left or str(error)) from None
        finally:
            for task in beside:
                task.cancel()
            waiting, self._waiting = self._waiting, {}
            for future in waiting.values():
                if not future.done():
                    future.set_exception(LinkClosed("the desk is gone; its answer is lost"))
            self._carrier.close()

    async def _ask_for_life(self) -> None:
        """Send a call at each interval, and close the connection when nothing came back for several intervals."""
        # Intervals are counted, not seconds: a process that stood still would else blame the other side.
        while self._silence < SILENT_BEATS:
            self._silence += 1
            self.tell("time", {})
            await asyncio.sleep(BEAT_S)
        self._why_left = f"nothing was heard for {SILENT_BEATS * BEAT_S:g} s"
        self._carrier.close()

    async def _learn_clock(self) -> None:
        """Measure the clock offset repeatedly until its error is small enough for commands that expire."""
        while not self.can_trade:
            with suppress(ProtocolError):
                await self.measure_clock(ANSWER_S)
            await asyncio.sleep(BEAT_S)

    def _take(self, message: FromEngine) -> None:
        if isinstance(message, Rows):
            self._receiver.on_rows(message)
        elif isinstance(message, Whole):
            self._receiver.on_whole()
        elif isinstance(message, Events):
            self._receiver.on_events(message)
        elif isinstance(message, SlowReader):
            self._receiver.on_slow_reader(message)
        elif isinstance(message, CommandSent):
            self._on_written()
        else:
            future = self._waiting.pop(message.id, None)
            if future is None or future.done():
                if isinstance(message, Refused):
                    self._receiver.on_refused(message.text)
                return
            if isinstance(message, Refused):
                future.set_exception((LinkClosed if message.unsure else ProtocolError)(message.text))
            else:
                future.set_result(message.result)

    async def call(
        self,
        method: str,
        params: object,
        result: type[R],
        *,
        patience_s: float = ANSWER_S,
        written: Callable[[], None] = lambda: None,
    ) -> R:
        """Send a call of a method and wait for its result.

        Args:
            method: Name of the method.
            params: Its parameters.
            result: Type of its result.
            patience_s: Longest wait for the answer, s.
            written: Called when the call was passed to the transport.

        Raises:
            LinkClosed: The other side is gone, or does not answer; whether the call was carried out is not known.
            ProtocolError: The call is refused; nothing was done.
        """
        number = next(self._ids)
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            await self._send(number, method, params)
            written()
            async with asyncio.timeout(patience_s):
                raw = await future
        except TimeoutError:
            raise LinkClosed(f"{method} was not answered within {patience_s:g} s") from None
        finally:
            self._waiting.pop(number, None)
            if future.done() and not future.cancelled():
                future.exception()  # the link may have ended while the call was still being written
        try:
            answer: R = decode(raw, result, method)
        except ProtocolError as error:
            raise LinkClosed(f"the answer cannot be read: {error}") from None
        return answer

    def tell(self, method: str, params: object, *, within_s: float = 0.0) -> None:
        """Send a call without waiting for its result; a refusal goes to the receiver's `on_refused`.

        Args:
            method: Name of the method.
            params: Its parameters.
            within_s: Time after which the call is refused, s; 0: it is never too late. It is refused here, too, while
                the difference of the clocks is not known.
        """
        if within_s and not self.can_trade:
            self._receiver.on_refused(f"{method}: {self.why_clock_unsure}")
            return
        expires = self.engine_time(self._clock.mono() + within_s) if within_s else 0.0
        task = asyncio.ensure_future(self._tell(method, params, expires))
        self._told.add(task)
        task.add_done_callback(self._told.discard)

    async def _tell(self, method: str, params: object, expires: float) -> None:
        with suppress(LinkClosed):  # who reads the link says so
            await self._send(next(self._ids), method, params, expires)

    async def _send(self, number: int, method: str, params: object, expires: float = 0.0) -> None:
        call = Call(id=number, method=method, params=msgspec.Raw(_ENCODER.encode(params)), expires=expires)
        await self._carrier.send(_ENCODER.encode(call) + b"\n")

    @property
    def can_trade(self) -> bool:
        """Whether the offset of the engine's clock is known well enough to send commands that expire."""
        return self.clock_error < UNSURE_CLOCK_S

    @property
    def why_clock_unsure(self) -> str:
        """Reason why no command that expires is sent: the error of the clock offset."""
        return f"the clocks of this process and the desk are known to {self.clock_error:.1f} s only; nothing was sent"

    def engine_time(self, mono: float) -> float:
        """Convert a time of our monotonic clock to the engine's monotonic clock."""
        return mono + self._offset

    @property
    def offset(self) -> float:
        """Monotonic time of the engine minus our own, s."""
        return self._offset

    def close(self) -> None:
        """End the connection."""
        self._carrier.close()

    async def wait_closed(self) -> None:
        """Wait until the other side has been told that the connection ended."""
        await self._carrier.wait_closed()


def _read(line: bytes) -> FromEngine:
    try:
        message: FromEngine = _DECODER.decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ProtocolError(f"the desk sent something that cannot be read: {error}") from None
    return message
