"""The engine on its own thread: what it imports and when, and how it ends."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading

from tests.client.fakes import PORTFOLIO, serving
from tests.engine.conftest import QUICK, SYM, buy
from tests.engine.services import host_services
from tui.client.settings import Service
from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.intents import Environment, TradingState, Verdict
from tui.engine.limits import Limits
from tui.engine.rows import ENGINE, EngineStatusRow, Table
from tui.engine.settings import EngineSettings
from tui.engine.thread import EngineThread
from tui.host import HostClock, HostConnector

DESK = EngineStatusRow(
    environment=Environment.PAPER,
    portfolio=PORTFOLIO,
    portfolio_name="paper",
    trading_state=TradingState.VIEW,
    synced=False,
)


def test_no_network_library_is_imported_before_the_thread_runs() -> None:
    code = (
        "import sys, tui.engine.port, tui.engine.intents, tui.engine.rows, tui.engine.conflating_queue,"
        "tui.engine.thread, tui.engine.settings\n"
        "bad = {'aiohttp', 'websockets', 'sqlite3', 'pydantic', 'textual', 'yarl'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(bad)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


async def test_a_thread_serves_intents_and_ends_in_time() -> None:
    async with serving() as (fake, service):
        thread = EngineThread(lambda updates: _engine(updates, service), DESK, HostClock())
        woken = threading.Event()
        thread.updates.attach(lambda urgent: woken.set())
        thread.watch((SYM,))
        early = thread.submit(buy())
        thread.start()
        assert (await asyncio.wrap_future(early)).verdict is Verdict.DENIED
        async with asyncio.timeout(5):
            while not _synced(thread):
                await asyncio.sleep(0.01)
        assert woken.is_set()
        thread.set_trading_state(TradingState.ARMED)
        while not fake.publics:
            await asyncio.sleep(0.01)
        await fake.quote()
        async with asyncio.timeout(5):
            outcome = await asyncio.wrap_future(thread.submit(buy()))
            while outcome.verdict is not Verdict.ACCEPTED:
                await asyncio.sleep(0.01)
                await fake.quote()
                outcome = await asyncio.wrap_future(thread.submit(buy()))
        thread.close()
        while not thread.join(0):
            await asyncio.sleep(0.01)
        late = thread.submit(buy())
        assert (late.result().verdict, late.result().text) == (Verdict.DENIED, "the engine has stopped")


def test_f87_an_engine_that_cannot_start_says_why() -> None:
    def broken(updates: ConflatingQueue) -> object:
        raise RuntimeError("no such service")

    thread = EngineThread(broken, DESK, HostClock())  # type: ignore[arg-type]
    thread.start()
    assert thread.join(5)
    row = thread.updates.take().changed[Table.ENGINE_STATUS][ENGINE]
    assert isinstance(row, EngineStatusRow)
    assert "ENGINE STOPPED" in row.engine_error
    assert "no such service" in row.engine_error


def _synced(thread: EngineThread) -> bool:
    row = thread.updates.take().changed.get(Table.ENGINE_STATUS, {}).get(ENGINE)
    return isinstance(row, EngineStatusRow) and row.synced


def _engine(updates: ConflatingQueue, service: Service):  # type: ignore[no-untyped-def]
    from tui.client.signer import Secret, Signer
    from tui.engine.engine import Engine
    from tui.engine.state.engine_state import Identity

    clock = HostClock()
    connector = HostConnector((service.rest_url, service.private_ws_url, service.public_ws_url), loopback_only=True)
    return Engine(
        host_services(clock, connector),
        Identity(environment=Environment.PAPER, service=service, portfolio=PORTFOLIO),
        signer=Signer("key", Secret("secret"), clock),
        updates=updates,
        settings=EngineSettings(timings=QUICK, pulse=0.05, limits=Limits(first_of_day=False)),
    )
