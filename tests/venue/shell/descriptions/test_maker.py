"""The sample bot of the documents on a real venue: it quotes, follows the touch, keeps its limit, leaves nothing behind."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path

import pytest
from websockets.sync.server import ServerConnection, serve

from tests.venue.examples import MAKER
from tests.venue.shell.conftest import STILL, Venue

SYM = "BINANCE_PERP_BTC_USDT"
FILLS_TO_LIMIT = 5


class Bot:
    """The running bot, and what it has printed: state, action, side and price of an order in each line."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []

    def read_until(self, is_there: Callable[[list[str]], bool]) -> None:
        """Read lines until what was read so far is what is waited for."""
        assert self.process.stdout is not None
        while not is_there(self.lines):
            line = self.process.stdout.readline()
            if not line and self.process.stderr is not None:
                pytest.fail(f"ended after {self.lines}: {self.process.stderr.read()}")
            self.lines.append(line)

    def read_until_both_rest(self) -> None:
        self.read_until(lambda lines: {"BUY", "SELL"} == {line.split()[-2] for line in lines if "OPEN" in line})

    def end(self) -> str:
        """Interrupt it; what it says then."""
        self.process.send_signal(signal.SIGINT)
        said, wrong = self.process.communicate(timeout=60)
        assert (self.process.returncode, wrong) == (0, "")
        return said


@contextmanager
def run_maker(venue: Venue, folder: Path) -> Iterator[Bot]:
    (folder / "ready.json").write_text(json.dumps(venue.ready))
    words = [sys.executable, "-I", str(MAKER), str(folder / "ready.json")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder) as process:
        try:
            yield Bot(process)
        finally:
            process.kill()


def sales(lines: list[str]) -> list[str]:
    """Lines about orders to sell."""
    return [line for text in lines for line in text.splitlines() if " SELL " in line]


def count_fills(lines: list[str]) -> int:
    return sum(line.startswith("FILLED") for line in sales(lines))


@pytest.mark.parametrize("edition", ["documents", "lenient"])
def test_sample_maker_bot_places_replaces_cancels_and_exits(
    start: Callable[..., Venue], tmp_path: Path, edition: str
) -> None:
    venue = start(*STILL, "--control", "--set", f"edition={edition}")
    with run_maker(venue, tmp_path) as bot:
        bot.read_until_both_rest()
        venue.move("BTC", "+0.1%")
        bot.read_until(lambda lines: "AMEND_COMPLETED" in lines[-1])
        assert "CANCELLED" in bot.end()
    assert venue.data("GET", "/api/v1/trading/orders", {"sym": SYM})["list"] == []


def test_sample_maker_bot_stops_at_its_position_limit(start: Callable[..., Venue], tmp_path: Path) -> None:
    venue = start(*STILL, "--control")
    with run_maker(venue, tmp_path) as bot:
        for fills in range(FILLS_TO_LIMIT):
            bot.read_until(lambda lines: any(line.startswith("OPEN") for line in sales(lines)[-1:]))
            venue.move("BTC", "+0.1%")
            bot.read_until(lambda lines, n=fills: count_fills(lines) > n)  # type: ignore[misc]
        last = Decimal(sales(bot.lines)[-1].split()[-1])
        venue.move("BTC", "+0.1%")
        bot.read_until(lambda lines: Decimal(lines[-1].split()[-1]) > last * Decimal("1.0015"))
        bot.lines.append(bot.end())
        assert sum(line.startswith("OPEN  ") for line in sales(bot.lines)) == FILLS_TO_LIMIT
    (position,) = venue.data("GET", "/api/v1/trading/position", {"sym": SYM})
    assert Decimal(position["positionQty"]) == Decimal("-0.05")


def test_sample_maker_bot_reads_its_position_at_start(start: Callable[..., Venue], tmp_path: Path) -> None:
    """No push tells of a position that does not change, so a maker that is started again reads it."""
    venue = start(*STILL, "--control")
    order = {"sym": SYM, "side": "SELL", "orderType": "MARKET", "orderQty": "0.045"}
    venue.data("POST", "/api/v1/trading/order", order)
    with run_maker(venue, tmp_path) as bot:
        bot.read_until(lambda lines: any(line.startswith("OPEN") and " BUY " in line for line in lines))
        bot.lines.append(bot.end())
    assert sales(bot.lines) == []


@contextmanager
def short_market(lost: threading.Event) -> Iterator[str]:
    """The address of a market that tells one quote, and goes away when it is lost."""

    def tell(socket: ServerConnection) -> None:
        asked = json.loads(socket.recv())["arg"][0]
        quote = {"bid": "55000", "bidqty": "1", "ask": "70000", "askqty": "1", "ts": "1795532400000"}
        socket.send(json.dumps({"arg": asked, "data": quote}))
        lost.wait()

    with serve(tell, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        server.shutdown()
        thread.join()


def test_sample_maker_bot_cancels_orders_on_lost_market_data(start: Callable[..., Venue], tmp_path: Path) -> None:
    venue, lost = start(*STILL), threading.Event()
    with short_market(lost) as address:
        venue.ready["public_ws_url"] = address
        with run_maker(venue, tmp_path) as bot:
            bot.read_until_both_rest()
            lost.set()
            assert bot.process.wait(timeout=20) != 0
    assert venue.data("GET", "/api/v1/trading/orders", {"sym": SYM})["list"] == []


def test_sample_maker_bot_imports_no_project_code() -> None:
    lines = [line for line in MAKER.read_text().splitlines() if line.startswith(("import", "from"))]
    assert {line.split()[1].split(".")[0] for line in lines} - sys.stdlib_module_names == {"websockets"}
