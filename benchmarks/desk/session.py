"""A paper venue, the front before it and a workstation on its main key, armed; and the probes that are timed on it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from math import ceil
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from benchmarks.desk.front import made_symbols
from benchmarks.desk.terminal import TOP, NeverSeen, Terminal, holds
from tests.venue.shell.conftest import Venue

PORTFOLIO = "main"
SWITCHES = ("latency=test", "agents=still", "past=off", "rate_profile=off")
LIMITS = """\
[engine.limits]
first_of_day = false
stale = 3600
red_after = 3600
duplicate = 0.01
max_open_sym = 1000
max_open = 1000
runaway_count = 1000
"""
"""Limits that refuse no order of a benchmark, however many follow each other."""
MOST_CONNECTIONS = 36
"""Public connections that the desk opens; with more pairs than they carry each has to carry more than services allow."""
_CONFIG = """\
[workstation]
bell = false
fps = {fps}
key_rearm_ms = 0
key_max_age_ms = 10000
confirm_arm_ms = 0
keep_final_s = 0
quotes = {quotes}

{limits}
[profile.desk]
rest_url = "{rest}"
private_ws_url = "{private}"
algo_ws_url = "{algo}"
public_ws_url = "{public}"
portfolio = "{portfolio}"
portfolio_name = "main"
key_env = "DESK_KEY"
secret_env = "DESK_SECRET"

[engine.timings]
pairs_per_login = {pairs_per_login}
"""


class Lines:
    """What a process says, line by line, on a thread of its own."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source
        self._said: deque[dict[str, Any]] = deque()
        self._changed = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self._source:
            with self._changed:
                self._said.append(json.loads(line))
                self._changed.notify_all()

    def forget(self) -> None:
        with self._changed:
            self._said.clear()

    def next(
        self, kind: str, fits: Callable[[dict[str, Any]], bool] = lambda _: True, within: float = 10.0
    ) -> dict[str, Any]:
        """The next line of a kind that fits; what was said before it is forgotten."""
        deadline = time.monotonic() + within
        with self._changed:
            while True:
                while self._said:
                    line = self._said.popleft()
                    if line["kind"] == kind and fits(line):
                        return line
                if not self._changed.wait(max(0.0, deadline - time.monotonic())):
                    raise NeverSeen(f"nothing passed that is a {kind}")


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


class Front:
    """The process before a paper venue."""

    def __init__(self, ready: Mapping[str, Any], symbols: int = 20, positions: int = 0) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.desk.front", json.dumps(ready), str(symbols), str(positions)],
            cwd=TOP,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._process.stdout is not None
        self.lines = Lines(self._process.stdout)
        self.port = self.lines.next("ready", within=60)["port"]

    def addresses(self) -> dict[str, str]:
        """Addresses by what they are of."""
        streams = {"private": "v1/private", "algo": "v1/private-algo", "public": "marketdata/v2/public"}
        base = f"127.0.0.1:{self.port}"
        return {"rest": f"http://{base}", **{name: f"ws://{base}/{path}" for name, path in streams.items()}}

    def tell(self, **what: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write((json.dumps(what) + "\n").encode())
        self._process.stdin.flush()

    def ask(self, what: str) -> dict[str, Any]:
        """What it says to a question."""
        self.tell(do=what)
        return self.lines.next(what)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


class Service:
    """Paper venue and front."""

    def __init__(self, *, symbols: int = 20, positions: int = 0) -> None:
        arguments = [word for switch in SWITCHES for word in ("--set", switch)]
        self._venue = Venue("--control", "--seed", "7", *arguments)
        self.ready = self._venue.ready
        self.key = next(key for key in self.ready["keys"] if key["name"] == PORTFOLIO)
        self.front = Front(self.ready, symbols, positions)
        self.symbols = [*self.ready["symbols"], *made_symbols(self.ready, symbols, positions)]

    def call(self, method: str, path: str, params: dict[str, str]) -> Any:
        """A signed request straight to the venue; its data."""
        return self._venue.data(method, path, params)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self.front.close()
        self._venue.stop()


def write_config(home: Path, text: str) -> None:
    """A home with this config file."""
    file = home / "config" / "config.toml"
    file.parent.mkdir(parents=True, mode=0o700)
    home.chmod(0o700)
    file.write_text(text)
    file.chmod(0o600)


def _start_gateway(environment: Mapping[str, str], *options: str) -> subprocess.Popen[str]:
    """A gateway that is in step with the service."""
    gateway = subprocess.Popen(
        [sys.executable, "-m", "tui.cli.main", "gateway", "--profile", "desk", *options],
        cwd=TOP, env=dict(environment), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert gateway.stdout is not None
    for line in gateway.stdout:
        if "In sync" in line:
            return gateway
    raise RuntimeError("the gateway ended")


class Session:
    """A workstation at a service; leave it with `with`."""

    def __init__(
        self,
        *,
        symbols: int = 20,
        positions: int = 0,
        fps: int = 60,
        columns: int = 160,
        lines: int = 45,
        program: Sequence[str] = ("tui.cli.main",),
        attached: bool = False,
        traders: Sequence[str] = (),
    ) -> None:
        """`program` is the module that is run, with arguments that stand before those of the workstation.

        `attached` is whether a gateway holds the account, to which the workstation attaches. With `traders`, each has a
        workstation, attached over a server that the gateway runs.
        """
        self.service = Service(symbols=symbols, positions=positions)
        self._folder = tempfile.TemporaryDirectory(prefix="crossdesk-bench-")
        home = Path(self._folder.name) / "home"
        config = _CONFIG.format(
            fps=fps,
            quotes=json.dumps(self.service.symbols),
            limits=LIMITS,
            pairs_per_login=max(50, ceil(len(self.service.symbols) / MOST_CONNECTIONS)),
            portfolio=self.service.key["portfolioId"],
            **self.service.front.addresses(),
        )
        write_config(home, config)
        secrets = {"DESK_KEY": self.service.key["api_key"], "DESK_SECRET": self.service.key["api_secret"]}
        environment = {**os.environ, "CROSSDESK_HOME": str(home), **secrets}
        port = free_port()
        bus = ("--bus", f"local:{port}", *(word for name in traders for word in ("--trader", name)))
        self.gateway = _start_gateway(environment, *(bus if traders else ())) if attached or traders else None
        ways = [("--attach", f"nats://{name}@127.0.0.1:{port}") for name in traders] or [("--profile", "desk")]
        self.desks = [
            Terminal([sys.executable, "-m", *program, *way], columns=columns, lines=lines, environment=environment)
            for way in ways
        ]
        self.desk = self.desks[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for desk in self.desks:
            desk.close()
        if self.gateway is not None:
            self.gateway.terminate()
            self.gateway.wait()
        self.service.close()
        self._folder.cleanup()

    def come_in(self) -> None:
        """Give the typed name, wait until it is in step, arm."""
        for desk in self.desks:
            self._come_in(desk)

    def _come_in(self, desk: Terminal) -> None:
        desk.see("Type the portfolio name 'main'")
        desk.press("main")
        time.sleep(0.2)
        desk.press("\r")
        if self.gateway is None:
            desk.see("In sync with the venue")
        desk.see("BINANCE", "1t")
        time.sleep(1.0)
        desk.press("a")
        desk.see("Arm portfolio main")
        time.sleep(0.3)
        desk.press("y")
        desk.see("ARMED")

    def open_pair(self) -> None:
        """Open ladder and chart of a pair whose quote moves."""
        for key in ("1", "g", "j", "j", "d"):
            self.desk.press(key)
            time.sleep(0.5)
        self.desk.see("Ladder", "EDX BTC perp")
        self.desk.see("Chart")

    def gone(self, *words: str, within: float = 20.0) -> int:
        """Wait until no line holds all of the words; its time in ns."""
        desk = self.desk
        return desk.wait(desk.expect(lambda cells: not holds(cells, *words)), within, "gone: " + " ".join(words))
