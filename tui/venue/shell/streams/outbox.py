"""Send queue of a connection: frames keep order and network delay; a client that reads too slowly is disconnected."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque

from aiohttp import WSCloseCode

from tui.venue.shell.streams.sockets import ClientSocket, abort

CLOSE_S = 2.0
"""Time for the last frames and the close of a connection, s."""

MAX_WAITING = 1000
"""Most frames that wait for a slow client, beside those whose simulated delay is not over."""

MOST_JOINED = 64
"""Most frames written at once; between two writes a slow client is waited for."""


class Outbox:
    """Send queue of one WebSocket connection, written by its own task."""

    def __init__(self, socket: ClientSocket) -> None:
        self._socket = socket
        self._frames: deque[tuple[float, str | bytes]] = deque()
        self._wake = asyncio.Event()
        self._last_due = 0.0
        loop = asyncio.get_running_loop()
        self._now = loop.time
        self._task = loop.create_task(self._write(), name="outbox")
        self.closing = False

    def send(self, frame: str | bytes, delay: float = 0.0) -> None:
        """Queue a frame: str is sent as text, bytes as a binary frame. Delays never change the order of frames."""
        if self.closing:
            return
        now = self._now()
        if self._is_too_slow(now):
            self.close(WSCloseCode.POLICY_VIOLATION, "client reads too slowly")
            return
        due = now + delay
        self._last_due = due = due if due > self._last_due else self._last_due
        self._frames.append((due, frame))
        self._wake.set()

    def _is_too_slow(self, now: float) -> bool:
        """Return whether the client has not taken the most frames that may wait; frames under way do not count."""
        return len(self._frames) >= MAX_WAITING and self._frames[MAX_WAITING - 1][0] <= now

    def close(self, code: int, why: str) -> None:
        """Close the connection after the queued frames are sent, or at once for a slow reader."""
        if self.closing:
            return
        self.closing = True
        if self._is_too_slow(self._now()):
            self._frames.clear()
        self._code, self._why = code, why
        self._wake.set()
        # A peer that does not read blocks the close, so abort after CLOSE_S.
        asyncio.get_running_loop().call_later(CLOSE_S, self._give_up)

    def _give_up(self) -> None:
        if not self._task.done():
            self.abort()

    def abort(self) -> None:
        """Drop the connection without a close frame, as a broken network would."""
        self.closing = True
        self._frames.clear()
        self._task.cancel()
        abort(self._socket)

    async def finish(self) -> None:
        """Complete a close in progress after the read loop has ended; otherwise stop sending."""
        if not self.closing or self._socket.closed:
            self.closing = True
            self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError, TimeoutError):
            await asyncio.wait_for(self._task, CLOSE_S)

    async def _write(self) -> None:
        while True:
            while self._frames:
                wait = self._frames[0][0] - self._now()
                if wait > 0:
                    await asyncio.sleep(wait)
                    continue
                try:
                    await self._send_due(self._now())
                except (ConnectionError, RuntimeError):
                    self.closing = True
                    return
            if self.closing:
                with contextlib.suppress(ConnectionError, RuntimeError):
                    await self._socket.close(code=self._code, message=self._why.encode())
                return
            self._wake.clear()
            await self._wake.wait()

    async def _send_due(self, now: float) -> None:
        """Send the frames that are due, with one write: each of a command's pushes would wake the client."""
        with self._socket.join_writes():
            for _ in range(MOST_JOINED):
                if not self._frames or self._frames[0][0] > now:
                    return
                frame = self._frames.popleft()[1]
                if isinstance(frame, str):
                    await self._socket.send_str(frame)
                else:
                    await self._socket.send_bytes(frame)
