"""A real venue process, and a client that is nobody's product: standard library only."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlencode, urlsplit

import pytest

from tests import edition
from tests.forking import ForkedVenue, can_fork

TOP = Path(__file__).parent.parent.parent.parent
STILL = ("--seed", "7", "--set", "latency=test", "--set", "agents=still", "--set", "past=off")


def shown_to_others(pid: int, name: str) -> bytes:
    """What the kernel shows of a process; nothing where it keeps it from its own user, too."""
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except PermissionError:
        return b""


def _command(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "tui.cli.main", "venue", *arguments],
        cwd=TOP,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


class Venue:
    """A running venue process and its ready line."""

    forks: ClassVar[bool] = "PYTEST_VERSION" in os.environ
    """Whether it may be forked from a process that has read the modules: under pytest, not in benchmarks and gates that
    are commands of their own."""

    def __init__(self, *arguments: str) -> None:
        arguments = (*edition.arguments(), *arguments)
        self.process = ForkedVenue("venue", *arguments) if self.forks and can_fork() else _command(*arguments)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            assert self.process.stderr is not None
            raise RuntimeError(self.process.stderr.read().decode())
        self.ready: dict[str, Any] = json.loads(line)

    def key(self, name: str = "main") -> tuple[str, str]:
        key = next(key for key in self.ready["keys"] if key["name"] == name)
        return key["api_key"], key["api_secret"]

    def raw(
        self, method: str, target: str, *, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """One HTTP request as given."""
        address = urlsplit(self.ready["rest_url"])
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=10)
        try:
            connection.request(method, target, body=body, headers=headers or {})
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()
        finally:
            connection.close()

    def call(
        self,
        method: str,
        path: str,
        params: dict[str, str] | None = None,
        *,
        key: str | tuple[str, str] = "main",
        nonce: int | None = None,
        secret: str | None = None,
    ) -> tuple[int, dict[str, Any]]:
        """A signed call: parameters in the query of a GET, in the JSON body of everything else.

        `key` is a name of the ready line, or access key and secret.
        """
        params = params or {}
        api_key, api_secret = self.key(key) if isinstance(key, str) else key
        stamp = str(int(time.time()) if nonce is None else nonce)
        message = "&".join(f"{name}={params[name]}" for name in sorted(params)) + "&" + stamp
        signature = hmac.new((secret or api_secret).encode(), message.encode(), hashlib.sha256).hexdigest()
        headers = {"X-MBX-APIKEY": api_key, "nonce": stamp, "signature": signature, "Content-Type": "application/json"}
        target, body = path, None
        if method == "GET":
            target += "?" + urlencode(params) if params else ""
        else:
            body = json.dumps(params).encode()
        status, _, text = self.raw(method, target, body=body, headers=headers)
        return status, json.loads(text)

    def data(self, method: str, path: str, params: dict[str, str] | None = None, **options: Any) -> Any:
        """The `data` of a call that must succeed."""
        _, answer = self.call(method, path, params, **options)
        assert answer["code"] in (200000, 200), answer
        return answer["data"]

    def set(self, name: str, value: str) -> None:
        """Set a switch by the control line."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"set": {name: value}}).encode() + b"\n")
        self.process.stdin.flush()

    def move(self, coin: str, price: str) -> None:
        """Put the market of a coin at a price by the control line."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"move": {coin: price}}).encode() + b"\n")
        self.process.stdin.flush()

    def stop(self) -> int:
        self.process.terminate()
        code = self.process.wait(timeout=10)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()
        return code


@pytest.fixture
def venue(start: Callable[..., Venue]) -> Venue:
    """A still market without delays and limits, of one test alone: it is forked in the time of a few calls."""
    return start(*STILL, "--set", "rate_profile=off", "--control")


@pytest.fixture
def start() -> Iterator[Callable[..., Venue]]:
    """Starts venues with arguments of the test's own; ends what is left, each of which ends in order."""
    started: list[Venue] = []

    def begin(*arguments: str) -> Venue:
        venue = Venue(*arguments)
        started.append(venue)
        return venue

    yield begin
    codes = [venue.stop() for venue in started if venue.process.poll() is None]
    assert not any(codes), codes
