"""The programs of the guide run as they stand there, on a gateway of the paper venue."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import Path

import pytest

from tests.busy import limit
from tests.cli.test_gateway import TOP, Command, crossdesk, open_gateway, read_until
from tests.desk_protocol.desks import Program

PAGE = (TOP / "docs" / "guide" / "programs.md").read_text("utf-8")
READS, FOLLOWS, PROPOSES, TRADES = re.findall(r"^```python\n(.+?)^```$", PAGE, re.MULTILINE | re.DOTALL)
PRICE = r"\d+(?:\.\d+)?"
"""A whole price has no decimals."""
Run = Callable[[str], subprocess.Popen[str]]


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[Command]:
    with open_gateway(tmp_path) as process:
        read_until(process, "In sync")
        yield process


@pytest.fixture
def run(gateway: Command, tmp_path: Path) -> Iterator[Run]:
    """Runs a program beside the gateway."""
    del gateway
    started: list[subprocess.Popen[str]] = []

    def begin(code: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-u", "-c", code], cwd=TOP, env={**os.environ, "CROSSDESK_HOME": str(tmp_path)},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.wait()


async def attach_trader(home: Path) -> Program:
    return await Program.attach(home, name="trader", role="desk", path=home / "run" / "paper.sock")


async def test_the_reading_example_of_the_guide_prints_desk_data(run: Run, tmp_path: Path) -> None:
    line = "buy 0.01 BTC BINANCE_PERP_BTC_USDT mkt"
    assert crossdesk(tmp_path, "do", line, "--arm", "--yes").wait(limit(60)) == 0
    trader = await attach_trader(tmp_path)
    await trader.wait_for(lambda message: message.get("table") == "positions" and message["rows"])
    trader.close()
    output = run(READS).stdout
    assert output is not None
    told = list(takewhile(lambda line: not re.fullmatch(rf"{PRICE} {PRICE}\n", line), output))
    for shape in (rf"BINANCE_PERP_BTC_USDT \w+ 0\.0\d+ {PRICE}\n", rf"{PRICE} 0\.\d+ \S+\n"):
        assert any(re.fullmatch(shape, line) for line in told), (shape, told)


def test_the_following_example_of_the_guide_prints_new_orders(run: Run, tmp_path: Path) -> None:
    program = run(FOLLOWS)
    assert re.fullmatch(rf"{PRICE} {PRICE}\n", read_until(program, " "))
    line = "buy 0.01 BTC BINANCE_PERP_BTC_USDT at bid-5000t"
    assert crossdesk(tmp_path, "do", line, "--arm", "--yes").wait(limit(60)) == 0
    assert read_until(program, "OPEN").endswith(" OPEN 0\n")


async def test_the_proposing_example_of_the_guide_prints_the_outcome(
    gateway: Command, run: Run, tmp_path: Path
) -> None:
    program = run(PROPOSES)
    asked = read_until(gateway, "asks to BUY 0.01 BINANCE BTC perp @ 60,000")
    assert "the basis is wide" in asked and "research-bot (:accept " in asked
    trader = await attach_trader(tmp_path)
    await trader.call("decline", asked.split(":accept ")[1].split(",")[0])
    assert read_until(program, "declined").startswith("declined ")
    trader.close()


async def test_the_trading_example_of_the_guide_trades_once_granted(gateway: Command, run: Run, tmp_path: Path) -> None:
    program = run(TRADES)
    asked = read_until(gateway, "asks for a mandate")
    assert "1000 an order, 3000 held, 20000 traded, loss 50, 20 a minute, for 1 h: quotes around the mid" in asked
    trader = await attach_trader(tmp_path)
    await trader.call("grant", asked.split(":grant ")[1].split(",")[0])
    told, _ = await asyncio.to_thread(program.communicate, timeout=limit(30))
    figures = re.fullmatch(r"0 (\S+)\s0 (\S+)\n", told)
    assert figures is not None, told
    assert float(figures[1]) <= 601 and 3500 < float(figures[2]) <= 3600 and program.returncode == 0
    trader.close()
