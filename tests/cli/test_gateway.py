"""The engine without a screen: it holds the account, serves others, and ends by a signal."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.busy import limit
from tests.client.fakes import until
from tests.desk_protocol.desks import Program
from tests.forking import ForkedCommand, can_fork
from tui.cli.commands.gateway import first_line

TOP = Path(__file__).parent.parent.parent
GUIDE = TOP / "docs" / "guide" / "programs.md"


Command = subprocess.Popen[str] | ForkedCommand
"""A command that runs, and its output."""


def crossdesk(home: Path, *arguments: str) -> Command:
    environment = {**os.environ, "CROSSDESK_HOME": str(home)}
    if can_fork():
        return ForkedCommand(*arguments, environment=environment)
    return subprocess.Popen(
        [sys.executable, "-m", "tui.cli.main", *arguments],
        env=environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


@contextmanager
def open_gateway(home: Path, *arguments: str) -> Iterator[Command]:
    """Run a gateway of a home, and kill it."""
    process = crossdesk(home, "gateway", *arguments)
    yield process
    process.kill()
    process.wait()


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[Command]:
    with open_gateway(tmp_path) as process:
        yield process


def sample(home: Path, name: str, *arguments: str) -> subprocess.Popen[str]:
    """A program of the documents, as the guide starts it, or with other arguments."""
    words = re.search(rf"^\.venv/bin/python (docs/examples/{name}.*)$", GUIDE.read_text("utf-8"), re.MULTILINE)
    assert words is not None, name
    return subprocess.Popen(
        [sys.executable, *([f"docs/examples/{name}", *arguments] if arguments else words[1].split())], cwd=TOP,
        env={**os.environ, "CROSSDESK_HOME": str(home), "PYTHONPATH": str(TOP)},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def read_until(process: Command, text: str) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if text in line:
            return line
    raise AssertionError(f"it ended without {text!r}")


async def test_a_program_attaches_to_a_gateway_and_orders_pass(gateway: Command, tmp_path: Path) -> None:
    read_until(gateway, "In sync")
    program = await Program.attach(tmp_path, name="monitor", role="watch", path=tmp_path / "run" / "paper.sock")
    assert program.welcome["result"]["environment"] == "PAPER"
    assert "monitor attached, to read" in read_until(gateway, "attached")
    line = "buy 0.01 BTC BINANCE_PERP_BTC_USDT at bid-500t"
    done = crossdesk(tmp_path, "do", line, "--arm", "--yes")
    assert done.wait(limit(60)) == 0, done.stdout and done.stdout.read()
    order = await program.wait_for(lambda message: message.get("table") == "orders" and message["rows"])
    assert [row["peer"] for row in order["rows"].values()] == ["do"]
    program.close()


def test_command_do_ends_if_the_gateway_does_not_answer(gateway: Command, tmp_path: Path) -> None:
    read_until(gateway, "In sync")
    gateway.send_signal(signal.SIGSTOP)
    try:
        line = crossdesk(tmp_path, "do", "buy 0.01 BTC BINANCE_PERP_BTC_USDT at bid-500t", "--arm", "--yes")
        assert "the desk that holds this account does not answer" in read_until(line, "Not done")
        assert line.wait(limit(10)) == 2, "nothing can have been sent"
    finally:
        gateway.send_signal(signal.SIGCONT)


def test_a_gateway_whose_engine_fails_ends_with_an_error(tmp_path: Path) -> None:
    """A service manager restarts what ends with an error, and not what stands still."""
    (tmp_path / "run" / "paper.json").mkdir(parents=True, mode=0o700)
    (tmp_path / "run").chmod(0o700)
    process = crossdesk(tmp_path, "gateway")
    assert "Is a directory" in read_until(process, "ENGINE STOPPED")
    assert process.wait(limit(20)) == 1


def test_the_systemd_unit_lets_the_gateway_write_its_socket() -> None:
    unit = (TOP / "packaging" / "crossdesk-gateway@.service").read_text()
    assert "ProtectSystem=strict" in unit and "ReadWritePaths=%h %t\n" in unit


async def test_the_sample_monitor_prints_orders_until_the_gateway_ends(gateway: Command, tmp_path: Path) -> None:
    read_until(gateway, "In sync")
    monitor = sample(tmp_path, "monitor.py")
    assert read_until(monitor, "PAPER") == "PAPER main\n"
    line = "buy 0.01 BTC BINANCE_PERP_BTC_USDT at bid-500t"
    assert crossdesk(tmp_path, "do", line, "--arm", "--yes").wait(limit(60)) == 0
    assert "by do" in read_until(monitor, "BUY 0.01 BINANCE_PERP_BTC_USDT")
    gateway.send_signal(signal.SIGTERM)
    read_until(monitor, "the other side has ended")
    assert monitor.wait(limit(10)) == 0


def shows_open(side: str, message: dict[str, Any]) -> bool:
    """Whether a message has an open order of a side."""
    rows = message["rows"].values() if message.get("table") == "orders" else ()
    return any(row and (row["side"], row["state"]) == (side, "OPEN") for row in rows)


async def test_the_sample_maker_quotes_once_its_mandate_is_granted(gateway: Command, tmp_path: Path) -> None:
    read_until(gateway, "In sync")
    maker = sample(tmp_path, "desk_maker.py")
    line = read_until(gateway, "asks for a mandate")
    number = line.split(":grant ")[1].split(",")[0]
    trader = await Program.attach(tmp_path, name="trader", role="desk", path=tmp_path / "run" / "paper.sock")
    await trader.call("grant", number)
    read_until(maker, f"mandate {number} granted")
    for side in ("BUY", "SELL"):
        await trader.wait_for(partial(shows_open, side))
    await trader.call("revoke", "")
    read_until(maker, f"mandate {number} of maker has ended: ")
    assert "0 orders may still work" in read_until(maker, "holds ")
    assert maker.wait(limit(10)) == 0
    trader.close()


def test_the_sample_maker_with_too_few_arguments_prints_its_use(tmp_path: Path) -> None:
    maker = sample(tmp_path, "desk_maker.py", "BINANCE_PERP_BTC_USDT")
    assert (
        read_until(maker, "usage: ") == "usage: python desk_maker.py SYMBOL SIZE, such as BINANCE_PERP_BTC_USDT 0.002\n"
    )
    assert maker.wait(limit(10)) == 1


async def test_the_sample_analysis_adds_up_the_fills(gateway: Command, tmp_path: Path) -> None:
    read_until(gateway, "In sync")
    for _ in range(2):
        # At market: one at the touch may find the price gone.
        line = "buy 0.01 BTC BINANCE_PERP_BTC_USDT mkt"
        assert crossdesk(tmp_path, "do", line, "--arm", "--yes").wait(limit(60)) == 0
    # Fills and positions are pushed apart, and of a market order a thin book fills a part only.
    lines: list[str] = []
    try:
        async with asyncio.timeout(limit(30)):
            while not has_fills_of_position(lines):
                lines = await asyncio.to_thread(read_fills, tmp_path)
    except TimeoutError:
        pytest.fail(f"fills and position differ: {lines}")


def has_fills_of_position(lines: list[str]) -> bool:
    """Whether the sample found the fills of two orders, and their size is the position's."""
    found = re.match(r"BINANCE_PERP_BTC_USDT BUY (\d+) fills, ([\d.]+) at ", lines[0]) if len(lines) == 2 else None
    if found is None:
        return False
    held = re.match(r"BINANCE_PERP_BTC_USDT LONG ([\d.]+) from ", lines[1])
    return held is not None and int(found[1]) >= 2 and Decimal(held[1]) == Decimal(found[2])


def read_fills(home: Path) -> list[str]:
    """The lines of the sample that adds up fills."""
    told, _ = sample(home, "session_fills.py").communicate(timeout=limit(30))
    return told.splitlines()


@pytest.mark.parametrize("words", ["<&-", "</dev/null", "< <(echo hello)"])
def test_a_gateway_runs_without_standard_input_until_a_signal(tmp_path: Path, words: str) -> None:
    """Closed, at its end, or ended after a word that is none."""
    line = f'exec "{sys.executable}" -m tui.cli.main gateway {words}'
    process = subprocess.Popen(
        ["bash", "-c", line], env={**os.environ, "CROSSDESK_HOME": str(tmp_path)}, cwd=TOP,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("crossdesk gateway: serves the paper account of this home; desks")
        read_until(process, "In sync")
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        process.send_signal(signal.SIGTERM)
        assert process.wait(limit(20)) == 0
    finally:
        process.kill()
        process.wait()


def test_the_first_line_of_a_gateway_names_the_account_it_serves() -> None:
    assert "serves the account of profile desk; desks attach by themselves (crossdesk --attach desk)" in first_line(
        "desk"
    )


async def test_a_second_gateway_is_refused_and_a_signal_ends_the_first(gateway: Command, tmp_path: Path) -> None:
    read_until(gateway, "In sync")
    second = crossdesk(tmp_path, "gateway")
    assert second.wait(limit(30)) == 1 and second.stdout is not None
    assert (
        "another crossdesk holds this account and serves it: windows and programs attach to it" in second.stdout.read()
    )
    gateway.send_signal(signal.SIGTERM)
    assert gateway.wait(limit(20)) == 0
    await until(lambda: not (tmp_path / "run" / "paper.sock").exists(), 5)
