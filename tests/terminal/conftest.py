"""Fixtures of the terminal tests."""

from __future__ import annotations

import http.client
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

from tests.terminal.terminal import Terminal
from tui.interface import signing

STILL = ("--seed", "7", "--set", "latency=test", "--set", "agents=still", "--set", "past=off")
"""A market that holds still, without delays, of a venue without a past."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    place = f"{Path(__file__).parent}{os.sep}"
    for item in items:
        if str(item.path).startswith(place):
            item.add_marker(pytest.mark.timeout(180))


@pytest.fixture
def as_users_start_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The desks of a test are started by the command, as is the paper venue of each."""
    monkeypatch.setattr(Terminal, "forks", False)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    """Starts the program in terminals of its own; whatever is left is killed."""
    started: list[Terminal] = []

    def begin(*arguments: str, home: Path | None = None, daily_ask: bool = False, **options: Any) -> Terminal:
        place = home or tmp_path / "home"
        if not daily_ask:
            no_daily_ask(place)
        terminal = Terminal(*arguments, home=place, **options)
        started.append(terminal)
        return terminal

    yield begin
    for terminal in started:
        terminal.close()


def no_daily_ask(home: Path) -> None:
    """A config of a trader who is asked neither at the first order of the day nor because a still market is silent.

    A key that sends may be as old as the settings allow: a busy machine is no terminal that stalled. Prompts take their
    answer at once and a key that sent counts again at once: a script does not press by mistake.
    """
    path = home / "config" / "config.toml"
    if path.exists():
        return
    for folder in (home, home / "config"):
        folder.mkdir(mode=0o700, exist_ok=True)
    path.write_text(
        "[engine.limits]\nfirst_of_day = false\nstale = 3600\nred_after = 3600\n[workstation]\nkey_max_age_ms = 10000\n"
        "confirm_arm_ms = 0\n"
    )
    path.chmod(0o600)


class Venue:
    """What the venue of a running workstation holds, asked over its own REST with the key that can only read."""

    def __init__(self, home: Path) -> None:
        path = home / "run" / "paper.json"
        deadline = time.monotonic() + 20
        while not (path.exists() and path.stat().st_size):
            assert time.monotonic() < deadline, "the venue never came up"
            time.sleep(0.02)
        self.line = json.loads(path.read_text())
        self._key = self.line["keys"][0]

    def get(self, path: str, **params: str) -> Any:
        """The `data` of a signed read."""
        address = urlsplit(self.line["rest_url"])
        nonce = str(int(time.time()))
        headers = {
            "X-MBX-APIKEY": self._key["api_key"],
            "nonce": nonce,
            "signature": signing.sign_request(self._key["api_secret"], params, nonce),
        }
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=10)
        connection.request("GET", path + ("?" + urlencode(params) if params else ""), headers=headers)
        answer = json.loads(connection.getresponse().read())
        connection.close()
        assert answer["code"] == 200000, answer
        return answer["data"]

    def open_orders(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.get("/api/v1/trading/orders")["list"]
        return rows

    def positions(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.get("/api/v1/trading/position")
        return rows

    def balance(self, venue: str, coin: str) -> str:
        rows = self.get("/api/v1/trading/portfolio/assets")["list"]
        found: str = next(row["balance"] for row in rows if (row["exchangeType"], row["coin"]) == (venue, coin))
        return found

    @property
    def pid(self) -> int:
        pid: int = self.line["pid"]
        return pid
