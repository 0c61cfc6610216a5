"""A NATS server, gateways and traders' desks on it, and a bus that misbehaves."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchmarks.desk.session import free_port
from tests.desk_protocol.desks import LIMITS, STARTING, DeskOf, new_id
from tests.engine.on_sockets import Traded, real_engine
from tui.desk_protocol.bus import connection, window
from tui.desk_protocol.bus.address import parse_address
from tui.desk_protocol.bus.connection import Bus, BusMessage, BusPlace
from tui.desk_protocol.bus.served import bus_of
from tui.desk_protocol.bus.server_config import GATEWAY, make_seed, public_key, write_server_config
from tui.desk_protocol.carrier import Carrier
from tui.desk_protocol.desk_socket import serve_socket
from tui.desk_protocol.remote_engine import RemoteEngine
from tui.engine.life.engine_core import EngineCore
from tui.engine.life.table_hub import TableHub
from tui.engine.life.thread import EngineThread
from tui.engine.limits import Limits, TraderLimits
from tui.engine.settings import EngineSettings
from tui.host import HostClock

TRADERS = ("anna", "bert", "carl", "dora", "emil")
NARROW = msgspec.structs.replace(
    LIMITS, limits=Limits(first_of_day=False, trader={"carl": TraderLimits(hard_notional="500")})
)
"""Limits with which carl may send half of what the others do."""


def find_server() -> str:
    """The program of the server, or an empty text."""
    beside = Path(sys.executable).parent / "nats-server"
    return str(beside) if beside.exists() else shutil.which("nats-server") or ""


def no_tls() -> ssl.SSLContext:
    raise AssertionError("the server is on this machine")


class BusKeys(NamedTuple):
    """Where a server listens, and the keys that it knows."""

    port: int
    seeds: dict[str, str]

    def place(self, name: str = GATEWAY, key: str = "") -> BusPlace:
        """The server for the gateway or for a trader, with the key of the same or of another one."""
        who = "" if name == GATEWAY else f"{name}@"
        seed = self.seeds[key or name]
        return BusPlace(parse_address(f"nats://{who}127.0.0.1:{self.port}"), lambda: seed, no_tls)


class NatsServer:
    """A server that only a gateway and five traders may use; killed and started again on the same port."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.seeds = {name: make_seed(os.urandom) for name in (GATEWAY, *TRADERS)}
        self.keys = BusKeys(self.port, self.seeds)
        self.place = self.keys.place
        self._file = folder / "nats-server.conf"
        keys = {name: public_key(seed) for name, seed in self.seeds.items()}
        self._file.write_text(write_server_config("desk", "127.0.0.1", self.port, keys))
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(
            [find_server(), "-c", str(self._file)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for _ in range(1000):
            with socket.socket() as trial:
                if not trial.connect_ex(("127.0.0.1", self.port)):
                    return
            time.sleep(0.01)
        raise AssertionError("the server does not listen")

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@contextmanager
def run_server(folder: Path) -> Iterator[NatsServer]:
    """A server that runs within the block."""
    server = NatsServer(folder)
    server.start()
    try:
        yield server
    finally:
        server.kill()


def write_seed(home: Path, trader: str, seed: str) -> Path:
    """The seed of a trader where the guide puts it."""
    folder = home / "config" / "bus"
    folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    file = folder / f"{trader}.seed"
    file.write_text(seed + "\n")
    file.chmod(0o600)
    return file


Send = Callable[[], Awaitable[None]]
"""Sends a message as it is."""
Rule = Callable[[Send, bytes], Awaitable[None]]
"""Does something with a message in place of sending it; the bytes are its data."""


class BusRules:
    """What happens to messages that one side publishes and hears; None: nothing."""

    def __init__(self) -> None:
        self.rule: Rule | None = None
        self.change: Callable[[bytes], bytes] = lambda data: data
        """What becomes of the data of a message."""
        self._is_mute = False

    def mute(self) -> None:
        """Let nothing through any more, in neither direction."""
        self._is_mute = True

    def unmute(self) -> None:
        self._is_mute = False

    @property
    def is_mute(self) -> bool:
        return self._is_mute


class BadBus:
    """A bus on which messages are held, doubled and swapped as a test wants."""

    def __init__(self, inner: Bus, rules: BusRules) -> None:
        self._inner = inner
        self._rules = rules
        self.held: tuple[str, str, str, bytes] = ("", "", "", b"")
        """Newest message that a rule was asked about."""

    @property
    def most_bytes(self) -> int:
        return self._inner.most_bytes

    @property
    def ended(self) -> asyncio.Event:
        return self._inner.ended

    @property
    def why_ended(self) -> str:
        return self._inner.why_ended

    async def listen(self, subject: str, take: Callable[[BusMessage], None]) -> None:
        def take_unless_mute(message: BusMessage) -> None:
            if not self._rules.is_mute:
                take(message)

        await self._inner.listen(subject, take_unless_mute)

    async def publish(self, subject: str, reply: str, header: str, data: bytes = b"") -> None:
        async def send() -> None:
            await self._inner.publish(subject, reply, header, self._rules.change(data))

        if self._rules.is_mute:
            return
        if self._rules.rule is None:
            await send()
        else:
            self.held = (subject, reply, header, data)
            await self._rules.rule(send, data)

    async def close(self) -> None:
        await self._inner.close()


class GatewayDesk(DeskOf):
    """A desk that trades a venue, and serves its socket and the bus."""

    def __init__(
        self, server: NatsServer | BusKeys, venue: Traded, home: Path, settings: EngineSettings = NARROW
    ) -> None:
        home.chmod(0o700)
        self.rules = BusRules()

        async def open_bus(place: BusPlace) -> Bus:
            return BadBus(await connection.open_bus(place), self.rules)

        async def serve(host: EngineThread) -> None:
            bus = bus_of(server.place(), host, HostClock(), new_id, open_bus)
            await serve_socket(home / "desk.sock", host, HostClock(), new_id(), bus)

        def build(updates: TableHub) -> EngineCore:
            return real_engine(venue, home, updates, settings)

        super().__init__(EngineThread(build, STARTING, HostClock(), serve))


class OtherClock(HostClock):
    """The clock of another machine, that was started a day before."""

    def mono(self) -> float:
        return super().mono() + 86_400


class TraderDesk(DeskOf):
    """A trader's desk on the bus."""

    def __init__(self, server: NatsServer | BusKeys, trader: str, clock: HostClock | None = None) -> None:
        self.buses: list[BadBus] = []
        self.rules = BusRules()
        own = clock or HostClock()
        ids: list[str] = []

        def remembered_id() -> str:
            ids.append(new_id())
            return ids[-1]

        async def open_bus(place: BusPlace) -> Bus:
            self.buses.append(BadBus(await connection.open_bus(place), self.rules))
            return self.buses[-1]

        async def connect() -> Carrier:
            return await window.connect(server.place(trader), new_id, open_bus)

        def build(updates: TableHub) -> RemoteEngine:
            return RemoteEngine(connect, "whoever", updates, own, remembered_id, is_far=True)

        super().__init__(EngineThread(build, STARTING, own))
        self._ids = ids

    @property
    def session_mark(self) -> str:
        """The secret by which it is known again."""
        return self._ids[0]

    @property
    def rule(self) -> Rule | None:
        return self.rules.rule

    @rule.setter
    def rule(self, rule: Rule | None) -> None:
        self.rules.rule = rule
