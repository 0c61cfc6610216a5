"""The venue as a process: ready line, lifeline, control line, durability."""

from __future__ import annotations

import json
import os
import shlex
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from websockets.sync.client import connect

from tests.busy import limit
from tests.venue.shell.conftest import STILL, TOP, Venue, shown_to_others
from tests.venue.shell.streams.listener import Listener

SYM = "BINANCE_PERP_BTC_USDT"
ORDER = {"sym": SYM, "side": "BUY", "orderType": "LIMIT", "orderQty": "0.01", "limitPrice": "50000"}


@pytest.fixture(scope="module", autouse=True)
def _as_users_start_it() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Venue, "forks", False)
        yield


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The venues of a test are forked: it is not about how they start."""
    monkeypatch.setattr(Venue, "forks", True)


def test_ready_line_has_the_addresses_and_api_keys(venue: Venue) -> None:
    ready = venue.ready
    assert ready["ready"] is True
    assert ready["pid"] == venue.process.pid
    assert {urlsplit(ready[name]).hostname for name in ("rest_url", "private_ws_url", "public_ws_url")} == {"127.0.0.1"}
    assert ready["private_ws_url"].endswith("/v1/private")
    assert ready["algo_ws_url"].endswith("/v1/private-algo")
    assert ready["public_ws_url"].endswith("/marketdata/v2/public")
    assert [(key["name"], key["level"]) for key in ready["keys"]] == [
        ("main", "main"), ("sub", "sub"), ("subuser", "subuser"), ("readonly", "main"),
    ]  # fmt: skip
    assert SYM in ready["symbols"]
    assert len({key["api_secret"] for key in ready["keys"]}) == 4


def test_s28_s34_api_secrets_are_not_visible_to_other_processes(venue: Venue) -> None:
    secrets = [key["api_secret"] for key in venue.ready["keys"]]
    for name in ("cmdline", "environ"):
        shown = shown_to_others(venue.process.pid, name).decode(errors="replace")
        assert not any(secret in shown for secret in secrets)


def test_s25_the_venue_listens_on_localhost_only(venue: Venue) -> None:
    port = urlsplit(venue.ready["rest_url"]).port
    listening = [
        line.split()
        for name in ("tcp", "tcp6")
        for line in Path(f"/proc/{venue.process.pid}/net/{name}").read_text().splitlines()[1:]
    ]
    bound = [row[1] for row in listening if row[3] == "0A" and row[1].endswith(f":{port:04X}")]
    assert bound == [f"0100007F:{port:04X}"]


def test_s35_the_venue_exits_within_a_second_of_stdin_closing(start: Callable[..., Venue]) -> None:
    venue = start(*STILL, "--control")
    assert venue.process.stdin is not None
    venue.process.stdin.close()
    assert venue.process.wait(timeout=limit(1)) == 0


def test_sigterm_and_sigint_end_the_venue_with_exit_code_0(start: Callable[..., Venue]) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        venue = start(*STILL)
        venue.process.send_signal(number)
        assert venue.process.wait(timeout=limit(5)) == 0
        assert venue.process.stdout is not None
        assert venue.process.stdout.read() == b""


def test_sigint_ends_a_venue_started_in_the_background() -> None:
    """A shell without job control starts it with SIGINT ignored; from the ready line on the signal counts."""
    script = f"{shlex.join((sys.executable, '-m', 'tui.cli.main', 'venue', *STILL))} & wait"
    shell = subprocess.Popen(["sh", "-c", script], cwd=TOP, stdout=subprocess.PIPE)
    assert shell.stdout is not None
    pid = json.loads(shell.stdout.readline())["pid"]
    os.kill(pid, signal.SIGINT)
    try:
        assert shell.wait(timeout=limit(5)) == 0
    except subprocess.TimeoutExpired:
        os.kill(pid, signal.SIGTERM)
        raise
    assert shell.stdout.read() == b""


@pytest.mark.usefixtures("forked")
def test_control_input_cuts_and_restores_the_network(start: Callable[..., Venue]) -> None:
    venue = start(*STILL, "--control")
    assert venue.call("GET", "/api/v1/trading/orders")[0] == 200
    venue.set("network", "cut")
    deadline = time.monotonic() + 5
    while True:
        try:
            venue.call("GET", "/api/v1/trading/orders")
        except (ConnectionError, OSError, Exception) as error:
            assert isinstance(error, (ConnectionError, OSError)) or "HTTP" in repr(error)
            break
        assert time.monotonic() < deadline
    venue.set("network", "up")
    deadline = time.monotonic() + 5
    while True:
        try:
            assert venue.call("GET", "/api/v1/trading/orders")[0] == 200
            break
        except OSError:
            assert time.monotonic() < deadline
    assert venue.process.stdin is not None
    venue.process.stdin.write(b'nonsense\n{"set": {"latency": "slow"}}\n')
    venue.process.stdin.flush()
    assert venue.process.stderr is not None
    assert b"not JSON" in venue.process.stderr.readline()
    assert b"test" in venue.process.stderr.readline()


def test_acknowledged_orders_survive_kill_9(start: Callable[..., Venue], tmp_path: Path) -> None:
    state = tmp_path / "paper.db"
    venue = start(*STILL, "--state", str(state))
    placed = venue.data("POST", "/api/v1/trading/order", {**ORDER, "clientOrderId": "stays"})
    taken = venue.data(
        "POST", "/api/v1/trading/order", {"sym": SYM, "side": "BUY", "orderType": "MARKET", "orderQty": "0.005"}
    )
    before = {
        path: venue.data("GET", path)
        for path in ("/api/v1/trading/position", "/api/v1/trading/portfolio/assets", "/api/v1/trading/executions")
    }
    portfolio = venue.ready["keys"][0]["portfolioId"]
    os.kill(venue.process.pid, signal.SIGKILL)
    venue.process.wait()
    assert stat.S_IMODE(state.stat().st_mode) == 0o600

    again = start(*STILL, "--state", str(state))
    assert again.ready["keys"][0]["portfolioId"] == portfolio
    assert again.ready["keys"][0]["api_secret"] != venue.ready["keys"][0]["api_secret"]
    kept = again.data("GET", "/api/v1/trading/order", {"clientOrderId": "stays"})
    assert (kept["orderId"], kept["orderState"]) == (placed["orderId"], "OPEN")
    assert again.data("GET", "/api/v1/trading/order", {"orderId": taken["orderId"]})["orderState"] == "FILLED"
    rows = again.data("GET", "/api/v1/trading/position")
    assert [(row["sym"], row["positionQty"], row["avgPrice"]) for row in rows] == [
        (row["sym"], row["positionQty"], row["avgPrice"]) for row in before["/api/v1/trading/position"]
    ]
    assert again.data("GET", "/api/v1/trading/executions") == before["/api/v1/trading/executions"]
    then = before["/api/v1/trading/portfolio/assets"]["list"]
    now = again.data("GET", "/api/v1/trading/portfolio/assets")["list"]
    assert _balances(now) == _balances(then)
    assert again.call("POST", "/api/v1/trading/order", {**ORDER, "clientOrderId": "stays"})[1]["code"] == 401009


@pytest.mark.usefixtures("forked")
def test_24_hour_statistics_continue_after_a_restart(start: Callable[..., Venue], tmp_path: Path) -> None:
    """Begin of the 24 hours, their volume and the day's bar are those of the run before, after SIGTERM and after SIGKILL."""
    run = ("--seed", "7", "--set", "latency=test", "--set", "rate_profile=off", "--state", str(tmp_path / "paper.db"))
    venue = start(*run)
    ticker = _ticker(venue, lambda row: float(row["vol24h"]) > 0 and row["last"] != row["open24h"])
    for ends_with in (signal.SIGTERM, signal.SIGKILL):
        os.kill(venue.process.pid, ends_with)
        venue.process.wait()
        venue = start(*run)
        again = _ticker(venue, lambda _: True)
        assert again["open24h"] == ticker["open24h"]
        assert float(again["vol24v"]) >= float(ticker["vol24v"])
        assert float(again["high24h"]) >= float(ticker["high24h"])


def _ticker(venue: Venue, wanted: Callable[[dict[str, str]], bool]) -> dict[str, str]:
    """The first figures of 24 hours that are as wanted."""
    with connect(venue.ready["public_ws_url"], compression=None) as socket:
        listener = Listener(socket)
        listener.send({"event": "subscribe", "arg": [{"channel": "TICKER", "sym": SYM}]})
        while True:
            frame = listener.frame()
            if "data" in frame and wanted(frame["data"][0]):
                return dict(frame["data"][0])


@pytest.mark.usefixtures("forked")
def test_a_state_file_in_use_or_damaged_is_refused(start: Callable[..., Venue], tmp_path: Path) -> None:
    state = tmp_path / "paper.db"
    start(*STILL, "--state", str(state))
    for arguments in (("--state", str(state)), ("--state", str(_garbage(tmp_path)))):
        try:
            start(*STILL, *arguments)
        except RuntimeError as error:
            assert "paper.db" in str(error) or "bad.db" in str(error)
        else:
            raise AssertionError("it started")


def _balances(rows: list[dict[str, str]]) -> dict[str, str]:
    return {row["exchangeType"] + " " + row["coin"]: row["balance"] for row in rows}


def _garbage(folder: Path) -> Path:
    path = folder / "bad.db"
    path.write_bytes(b"not a database" * 1000)
    return path


def test_the_same_seed_makes_the_same_symbols(start: Callable[..., Venue]) -> None:
    first = start("--seed", "5", "--set", "agents=still").data("GET", "/api/v1/trading/sym/info")
    second = start("--seed", "5", "--set", "agents=still").data("GET", "/api/v1/trading/sym/info")
    assert json.dumps(first) == json.dumps(second)
