"""Client of the protocol: calls and their answers, rows and event lines, on one connection."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import Any, Protocol, TypeVar

import msgspec

from tui.desk_protocol.carrier import Carrier, LinkClosed
from tui.desk_protocol.messages import (
    UNSURE_CLOCK_S,
    VERSIONS,
    Answer,
    Behind,
    Call,
    Events,
    FromEngine,
    Hello,
    ProtocolError,
    Refused,
    Role,
    Rows,
    Welcome,
    Whole,
)
from tui.protocols import Clock

R = TypeVar("R")

ANSWER_S = 10.0
"""Longest wait for the answer to a call other than a command, s."""

_DECODER = msgspec.json.Decoder(FromEngine)
_ENCODER = msgspec.json.Encoder()


class Receiver(Protocol):
    """Receiver of what the engine's side sends on its own."""

    def on_rows(self, message: Rows) -> None: ...

    def on_whole(self) -> None:
        """Handle that every row has been sent since the greeting."""
        ...

    def on_events(self, message: Events) -> None: ...

    def on_behind(self, message: Behind) -> None: ...


class DeskClient:
    """Client on one connection; `open` greets, `run` reads until the other side is gone."""

    def __init__(self, carrier: Carrier, receiver: Receiver, clock: Clock) -> None:
        self._carrier = carrier
        self._receiver = receiver
        self._clock = clock
        self._ids = count(1)
        self._waiting: dict[int, asyncio.Future[msgspec.Raw]] = {}
        self._offset = 0.0
        """Monotonic time of the engine minus our own, s."""
        self.clock_error = 0.0
        """Uncertainty of the offset, s."""
        self.welcome: Welcome | None = None

    async def open(self, name: str, role: Role, *, run: str = "", seq: int = 0) -> Welcome:
        """Greet the other side, and measure how its clock differs.

        Raises:
            LinkClosed: The other side is gone.
            ProtocolError: It refuses.
        """
        hello = Hello(versions=VERSIONS, name=name, role=role, run=run, seq=seq)
        began = self._clock.mono()
        await self._send(next(self._ids), "hello", hello)
        answer = _read(await self._carrier.receive())
        ended = self._clock.mono()
        if isinstance(answer, Refused):
            raise ProtocolError(answer.text)
        if not isinstance(answer, Answer):
            raise ProtocolError("hello was not answered")
        self.welcome = msgspec.json.decode(answer.result, type=Welcome)
        self._offset, self.clock_error = self.welcome.mono - (began + ended) / 2, (ended - began) / 2
        return self.welcome

    async def run(self) -> None:
        """Read until the other side is gone; calls that wait for an answer then fail.

        Raises:
            LinkClosed: The other side is gone.
        """
        try:
            while True:
                self._take(_read(await self._carrier.receive()))
        finally:
            waiting, self._waiting = self._waiting, {}
            for future in waiting.values():
                if not future.done():
                    future.set_exception(LinkClosed("the desk is gone; its answer is lost"))
            self._carrier.close()

    def _take(self, message: FromEngine) -> None:
        if isinstance(message, Rows):
            self._receiver.on_rows(message)
        elif isinstance(message, Whole):
            self._receiver.on_whole()
        elif isinstance(message, Events):
            self._receiver.on_events(message)
        elif isinstance(message, Behind):
            self._receiver.on_behind(message)
        else:
            future = self._waiting.pop(message.id, None)
            if future is None or future.done():
                return
            if isinstance(message, Refused):
                future.set_exception(ProtocolError(message.text))
            else:
                future.set_result(message.result)

    async def call(
        self, method: str, params: object, result: type[R] | None = None, *, patience_s: float = ANSWER_S
    ) -> R:
        """Call a method and return its result.

        Args:
            method: Name of the method.
            params: Its parameters.
            result: Type of its result; None: nothing is returned.
            patience_s: Longest wait for the answer, s.

        Raises:
            LinkClosed: The other side is gone, or does not answer; whether the call was carried out is not known.
            ProtocolError: The call is refused; nothing was done.
        """
        number = next(self._ids)
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            await self._send(number, method, params)
            async with asyncio.timeout(patience_s):
                raw = await future
        except TimeoutError:
            raise LinkClosed(f"{method} was not answered within {patience_s:g} s") from None
        finally:
            self._waiting.pop(number, None)
        answer: Any = msgspec.json.decode(raw, type=result) if result is not None else None
        return answer  # type: ignore[no-any-return]

    def tell(self, method: str, params: object) -> asyncio.Task[None]:
        """Call a method whose result nobody waits for."""
        return asyncio.ensure_future(self._tell(method, params))

    async def _tell(self, method: str, params: object) -> None:
        number = next(self._ids)
        await self._send(number, method, params)

    async def _send(self, number: int, method: str, params: object) -> None:
        call = Call(id=number, method=method, params=msgspec.Raw(_ENCODER.encode(params)))
        await self._carrier.send(_ENCODER.encode(call) + b"\n")

    @property
    def can_trade(self) -> bool:
        """Whether the clocks of both sides are known well enough for commands that expire."""
        return self.clock_error < UNSURE_CLOCK_S

    def engine_time(self, mono: float) -> float:
        """Return a time of our monotonic clock as the engine's clock shows it."""
        return mono + self._offset

    def close(self) -> None:
        """End the connection."""
        self._carrier.close()


def _read(line: bytes) -> FromEngine:
    try:
        message: FromEngine = _DECODER.decode(line)
    except msgspec.MsgspecError as error:
        raise ProtocolError(f"the desk sent something that cannot be read: {error}") from None
    return message
