"""The engine as the program runs it, for benchmarks: its thread, a journal on disk, a paper venue and a feed of quotes."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

import tui
from benchmarks.rig.quote_feed import symbols
from tui.cli.paper_venue import PaperVenue
from tui.client.settings import Service, Timings
from tui.client.signer import Secret, Signer
from tui.engine.conflating_queue import ConflatingQueue, TableSink
from tui.engine.engine import Engine
from tui.engine.intents import Cancel, Decision, Outcome, Place
from tui.engine.journal.writer import SqliteJournal
from tui.engine.life.thread import EngineThread
from tui.engine.limits import Limits
from tui.engine.modes import Environment, TradingState
from tui.engine.settings import EngineSettings
from tui.engine.state.engine_state import HostServices, Identity
from tui.engine.status_rows import EngineStatusRow
from tui.host import HeldLock, HostClock, HostConnector, fresh_random_source, load_order_ids
from tui.interface.families.orders import OrderType, Side
from tui.interface.ready import ReadyLine

SYM = "BINANCE_PERP_BTC_USDT"
PATIENCE = 60.0
_SWITCHES = ("latency=test", "agents=still", "past=off", "rate_profile=off")
STILL = ("--seed", "7", *(word for switch in _SWITCHES for word in ("--set", switch)))
"""A venue whose market stands still and that answers at once, as often as it is asked."""
WIDE = Limits(
    soft_notional="900000000",
    hard_notional="900000000",
    first_of_day=False,
    duplicate=0,
    runaway_count=100_000,
    max_open_sym=150,
)
"""Limits that refuse no order of a benchmark."""


class QuoteFeed:
    """The child process with the quotes."""

    def __init__(self, pairs: int, form: str = "gzip") -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.rig.quote_feed", str(pairs), form],
            cwd=Path(tui.__file__).resolve().parent.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.url = str(self._read()["url"])

    def set_rate(self, per_second: float) -> int:
        """Frames per second from now on; returns how many were written so far."""
        self._write(f"{per_second:g}")
        return int(str(self._read()["sent"]))

    def send_last(self) -> None:
        """Write one newest quote of each pair."""
        self._write("last")

    def flood(self, count: int) -> None:
        """Write frames, and one newest quote of each pair behind them, as fast as the newest connection takes them."""
        self._write(f"flood {count}")

    def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)

    def _read(self) -> dict[str, object]:
        assert self._process.stdout is not None
        found: dict[str, object] = json.loads(self._process.stdout.readline())
        return found

    def _write(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())
        self._process.stdin.flush()


class EngineRig:
    """An engine in step with a still paper venue, armed; quotes of `pairs` pairs come from the feed."""

    def __init__(self, pairs: int = 20) -> None:
        self._pairs = pairs
        self._folder = tempfile.TemporaryDirectory(prefix="crossdesk-bench-")
        self.home = Path(self._folder.name)
        self.updates = ConflatingQueue()
        self.engine: Engine

    def __enter__(self) -> Self:
        self.feed = QuoteFeed(self._pairs)
        self.venue = PaperVenue(list(STILL), self.home / "venue.log")
        ready = self.venue.wait_until_ready()
        clock = HostClock()
        status = EngineStatusRow(
            environment=Environment.PAPER,
            portfolio="",
            portfolio_name="",
            trading_state=TradingState.VIEW,
            synced=False,
        )
        self.thread = EngineThread(lambda updates: self._build(updates, ready, clock), status, clock)
        self.updates = self.thread.updates
        self.thread.start()
        self.thread.watch(tuple(symbols(self._pairs)))
        self.wait_until(lambda: getattr(self, "engine", None) is not None and self.engine.state.synced)
        self.thread.set_trading_state(TradingState.ARMED)
        self.feed.set_rate(100)
        self.wait_until(lambda: bool(self.engine.state.quotes.rows[SYM].bid))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.thread.close()
        self.thread.join(PATIENCE)
        self.venue.stop()
        self.feed.stop()
        self._folder.cleanup()

    def _build(self, updates: TableSink, ready: ReadyLine, clock: HostClock) -> Engine:
        key = ready.key("main")
        service = Service(rest_url=ready.rest_url, private_ws_url=ready.private_ws_url, public_ws_url=self.feed.url)
        ids = load_order_ids(self.home / "ids", clock)
        ids.keep_reserved()
        services = HostServices(
            clock=clock,
            random_source=fresh_random_source(),
            ids=ids,
            connector=HostConnector((ready.rest_url, ready.private_ws_url, self.feed.url), loopback_only=True),
            journal=SqliteJournal(self.home / "journal.db", clock),
            lock=HeldLock(),
        )
        self.portfolio = key.portfolio
        self.engine = Engine(
            services,
            Identity(environment=Environment.PAPER, service=service, portfolio=self.portfolio),
            signer=Signer(key.api_key, Secret(key.api_secret), clock),
            updates=updates,
            settings=EngineSettings(limits=WIDE, timings=Timings(pairs_per_login=500), finished_rows=5.0),
        )
        return self.engine

    def wait_until(self, holds: Callable[[], bool]) -> None:
        """Wait for a state.

        Raises:
            TimeoutError: it did not come within `PATIENCE`.
        """
        deadline = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > deadline:
                raise TimeoutError("the engine did not come into step")
            time.sleep(0.005)

    def place(self, number: int) -> Outcome:
        """Send a small limit order far below the market and wait for its answer."""
        price = f"{60_000 + number % 500}.0"
        return self._submit(
            Place(
                decision=self._decision(), sym=SYM, side=Side.BUY, order_type=OrderType.LIMIT, qty="0.01", price=price
            )
        )

    def cancel(self, key: str) -> Outcome:
        """Cancel an order and wait for the answer."""
        return self._submit(Cancel(decision=self._decision(), key=key))

    def _submit(self, intent: Place | Cancel) -> Outcome:
        return self.thread.submit(intent).result(PATIENCE)

    def _decision(self) -> Decision:
        return Decision(
            environment=Environment.PAPER, portfolio=self.portfolio, state=TradingState.ARMED, source="benchmark"
        )
