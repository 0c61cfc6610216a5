"""Connections in memory: ordered bytes with a delay, and the ways in which a network fails."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context
from typing import Any

from tests.simulation.harness.world import VirtualLoop

DELAY = 0.001
"""Virtual seconds a byte is on its way."""

Tap = Callable[["Wire", str, bytes], None]
"""Sees every chunk before it is delivered: connection, direction (`out`: to the server, `in`: to the client), bytes."""


class Memory(asyncio.Transport):
    """One end of a connection."""

    def __init__(self, loop: VirtualLoop, wire: Wire, direction: str) -> None:
        super().__init__({"peername": ("127.0.0.1", 1), "sockname": ("127.0.0.1", 2)})
        self._loop = loop
        self._wire = wire
        self._direction = direction
        self.peer: Memory
        self._protocol: Any = None
        self._closing = False
        self._paused = False
        self._held: list[bytes] = []
        self._ended = False

    def start(self, protocol: Any) -> None:
        self._protocol = protocol
        protocol.connection_made(self)

    def write(self, data: Any) -> None:
        if self._closing or not data:
            return
        kept = bytes(data)
        for tap in self._wire.network.writes:
            tap(self._wire, self._direction, kept)
        self._loop.call_later(DELAY, self._wire.deliver, self, kept)

    def receive(self, data: bytes) -> None:
        if self._ended:
            return
        if self._paused:
            self._held.append(data)
        else:
            self._protocol.data_received(data)

    def close(self) -> None:
        if not self._closing:
            self._closing = True
            self._loop.call_later(DELAY, self.peer.hang_up, None)
            self._loop.call_soon(self.end, None)

    def abort(self) -> None:
        if not self._closing:
            self._closing = True
            self._loop.call_later(DELAY, self.peer.hang_up, ConnectionResetError("reset"))
            self._loop.call_soon(self.end, None)

    def hang_up(self, error: Exception | None) -> None:
        """The other end closed or reset, as far as the network lets it be known."""
        # The end is read one turn of the loop after the last bytes, never together with them.
        self._loop.call_soon(self._hung_up, error)

    def _hung_up(self, error: Exception | None) -> None:
        if self._ended or self._wire.hole:
            return
        if error is None and self._protocol.eof_received():
            return
        self._closing = True
        self.end(error)

    def finished(self) -> None:
        """A FIN arrived."""
        if not self._ended:
            self._protocol.eof_received()
            self.end(None)

    def end(self, error: Exception | None) -> None:
        if not self._ended:
            self._ended = True
            self._closing = True
            for tap in self._wire.network.ends:
                tap(self._wire, self._direction, b"")
            self._protocol.connection_lost(error)

    def is_closing(self) -> bool:
        return self._closing

    def get_protocol(self) -> Any:
        return self._protocol

    def set_protocol(self, protocol: Any) -> None:
        self._protocol = protocol

    def pause_reading(self) -> None:
        self._paused = True

    def resume_reading(self) -> None:
        self._paused = False
        held, self._held = self._held, []
        for data in held:
            self._loop.call_soon(self.receive, data)

    def is_reading(self) -> bool:
        return not self._paused

    def can_write_eof(self) -> bool:
        return False

    def get_write_buffer_size(self) -> int:
        return 0

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Nothing is buffered."""


Filter = Callable[["Wire", str, bytes], bool]
"""Like a tap, but may keep the chunk: True when it is not to be delivered (now)."""


class Wire:
    """One connection and its two ends."""

    def __init__(self, network: Network, path: str, number: int) -> None:
        self.network = network
        self.path = path
        self.number = number
        self.hole = False
        self.target = b""
        """First line of what the client sent first: which service the connection is for."""
        self.client: Memory
        self.server: Memory

    def deliver(self, source: Memory, data: bytes) -> None:
        direction = "out" if source is self.client else "in"
        if not self.target:
            self.target = data.partition(b"\r\n")[0]
        network = self.network
        for tap in tuple(network.taps):
            tap(self, direction, data)
        for keep in tuple(network.filters):
            if keep(self, direction, data):
                return
        if not self.hole and not source.peer._ended:
            source.peer.receive(data)

    def reset(self) -> None:
        """Both ends learn at once that the connection is gone; bytes under way are lost."""
        self.hole = True
        for end in (self.client, self.server):
            end._loop.call_soon(end.end, ConnectionResetError("reset by the network"))

    def fin(self) -> None:
        """Both ends are told, politely, that the other one has finished; bytes under way are lost."""
        self.hole = True
        for end in (self.client, self.server):
            end._loop.call_soon(end.finished)

    def black_hole(self) -> None:
        """Nothing arrives any more and nobody is told."""
        self.hole = True

    def die(self) -> None:
        """The client's process is gone: it says and hears nothing more, the server is told that it has finished."""
        self.hole = True
        self.client._closing = True
        self.client._loop.call_soon(self.client.end, ConnectionResetError("the process is gone"))
        self.server._loop.call_soon(self.server.finished)

    @property
    def ended(self) -> bool:
        """Whether the client knows that the connection is over."""
        return self.client._ended


class Listening:
    """What `create_unix_server` gives."""

    def __init__(self, network: Network, path: str) -> None:
        self._network, self._path = network, path
        self.sockets: tuple[Any, ...] = ()

    def close(self) -> None:
        self._network.servers.pop(self._path, None)

    async def wait_closed(self) -> None: ...

    def close_clients(self) -> None: ...

    def abort_clients(self) -> None: ...


class Network:
    """Everything that is connected."""

    def __init__(self) -> None:
        self.servers: dict[str, tuple[VirtualLoop, Any]] = {}
        self.wires: list[Wire] = []
        self.taps: list[Tap] = []
        self.writes: list[Tap] = []
        """Like taps, but see the bytes when they are handed over, also those that never arrive."""
        self.ends: list[Tap] = []
        """Called when an end of a connection (`out`: the client's) learns that it is over."""
        self.filters: list[Filter] = []
        self.refuse = False
        self.failure: OSError | None = None
        """What opening a connection fails with."""

    def listen(self, loop: VirtualLoop, factory: Any, path: str) -> Listening:
        self.servers[path] = (loop, factory)
        return Listening(self, path)

    async def connect(self, loop: VirtualLoop, factory: Any, path: str) -> tuple[Memory, Any]:
        await asyncio.sleep(DELAY)
        if self.failure is not None:
            raise self.failure
        if self.refuse or path not in self.servers:
            raise ConnectionRefusedError(f"nobody listens on {path}")
        server_loop, server_factory = self.servers[path]
        wire = Wire(self, path, len(self.wires) + 1)
        self.wires.append(wire)
        wire.client, wire.server = Memory(loop, wire, "out"), Memory(server_loop, wire, "in")
        wire.client.peer, wire.server.peer = wire.server, wire.client
        # The server's tasks are not the client's: they must not inherit who opened the connection.
        Context().run(lambda: wire.server.start(server_factory()))
        protocol = factory()
        wire.client.start(protocol)
        return wire.client, protocol
