"""The engine on its own thread: what it imports and when, and how it ends."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from asyncio.base_events import BaseEventLoop
from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.busy import limit
from tests.client.fakes import PORTFOLIO, serving, until
from tests.engine.conftest import QUICK, SYM, Screen, buy
from tests.engine.services import host_services
from tui.client.private_stream import PrivateStream
from tui.client.settings import Service
from tui.client.signer import Secret, Signer
from tui.engine.conflating_queue import TableSink
from tui.engine.engine import Engine
from tui.engine.intents import Intent, Outcome, Verdict
from tui.engine.journal import writer as journal_module
from tui.engine.journal.memory_journal import MemoryJournal
from tui.engine.journal.writer import SqliteJournal
from tui.engine.life import thread as thread_module
from tui.engine.life.thread import EngineThread
from tui.engine.limits import Limits
from tui.engine.modes import Environment, TradingState
from tui.engine.rows import Row, Table
from tui.engine.settings import EngineSettings
from tui.engine.state.engine_state import Identity
from tui.engine.status_rows import ENGINE, EngineStatusRow
from tui.host import HostClock, HostConnector
from tui.protocols import Journal

DESK = EngineStatusRow(
    environment=Environment.PAPER,
    portfolio=PORTFOLIO,
    portfolio_name="paper",
    trading_state=TradingState.VIEW,
    synced=False,
)
NOWHERE = Service(rest_url="", private_ws_url="", public_ws_url="")


def test_no_network_library_is_imported_before_engine_start() -> None:
    code = (
        "import sys, tui.engine.port, tui.engine.intents, tui.engine.rows, tui.engine.conflating_queue,"
        "tui.engine.life.thread, tui.engine.settings\n"
        "bad = {'aiohttp', 'websockets', 'sqlite3', 'pydantic', 'textual', 'yarl'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(bad)) or 0)"
    )
    # Measured for coverage the child would import what the measuring needs.
    plain = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=plain)
    assert (done.returncode, done.stderr) == (0, "")


async def test_engine_thread_serves_orders_and_stops_in_time() -> None:
    async with serving() as (fake, service):
        thread = EngineThread(lambda updates: _engine(updates, service), DESK, HostClock())
        woken = threading.Event()
        thread.updates.attach(lambda urgent: woken.set())
        thread.watch((SYM,))
        early = thread.submit(buy())
        thread.start()
        assert sys.getswitchinterval() == pytest.approx(thread_module.SWITCH_S), "neither waits 5 ms for the other"
        assert (await asyncio.wrap_future(early)).verdict is Verdict.DENIED
        async with asyncio.timeout(limit(5)):
            while not _synced(thread):
                await asyncio.sleep(0.01)
        assert woken.is_set()
        thread.set_trading_state(TradingState.ARMED)
        while not fake.publics:
            await asyncio.sleep(0.01)
        await fake.quote()
        async with asyncio.timeout(limit(5)):
            outcome = await asyncio.wrap_future(thread.submit(buy()))
            while outcome.verdict is not Verdict.ACCEPTED:
                await asyncio.sleep(0.01)
                await fake.quote()
                outcome = await asyncio.wrap_future(thread.submit(buy()))
        async with asyncio.timeout(limit(5)):
            foreseen = await asyncio.wrap_future(thread.foresee([buy(qty="0.5"), buy(qty="-1")]))
        assert [outcome.verdict for outcome in foreseen] == [Verdict.ASK, Verdict.DENIED]
        thread.close()
        while not thread.join(0):
            await asyncio.sleep(0.01)
        assert thread.foresee([buy()]).result() == ()
        late = thread.submit(buy())
        assert (late.result().verdict, late.result().text) == (Verdict.DENIED, "the engine has stopped")


async def test_a_preview_the_engine_never_answers_ends_with_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(intents: Sequence[Intent]) -> tuple[Outcome, ...]:
        await asyncio.Event().wait()
        return tuple(Outcome(verdict=Verdict.UNKNOWN) for _ in intents)

    async with serving() as (_, service):
        thread = EngineThread(lambda updates: _engine(updates, service), DESK, HostClock())
        thread.start()
        async with asyncio.timeout(limit(5)):
            while not _synced(thread):
                await asyncio.sleep(0.01)
        assert thread.core is not None
        monkeypatch.setattr(thread.core, "foresee", never)
        open_question = thread.foresee([buy()])
        assert not open_question.done()
        thread.close()
        while not thread.join(0):
            await asyncio.sleep(0.01)
        assert open_question.result(timeout=limit(5)) == ()


class Hops:
    """Changes of thread: calls into the engine's loop, and what wakes the journal's writer."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.seen: list[str] = []
        call, hand_over, send = BaseEventLoop.call_soon_threadsafe, SqliteJournal._hand_over, PrivateStream.send_action

        def called(loop: BaseEventLoop, *arguments: Any, **named: Any) -> Any:
            if threading.current_thread().name != "engine":
                self.seen.append(f"{threading.current_thread().name} to engine")
            return call(loop, *arguments, **named)

        def handed(journal: SqliteJournal) -> None:
            if journal._notes:
                self.seen.append("engine to journal")
            hand_over(journal)

        def sent(stream: PrivateStream, *arguments: Any) -> Any:
            self.seen.append("wire")
            return send(stream, *arguments)

        patch.setattr(BaseEventLoop, "call_soon_threadsafe", called)
        patch.setattr(SqliteJournal, "_hand_over", handed)
        patch.setattr(PrivateStream, "send_action", sent)


async def test_an_order_changes_threads_three_times_before_sending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thread_module, "HAND_OVER_S", 30.0)
    # Notes of the start and of the order before are with the writer only when somebody waits: none comes in between.
    monkeypatch.setattr(journal_module, "NOTE_DELAY", 60.0)
    async with serving() as (fake, service):
        thread = EngineThread(
            lambda updates: _engine(updates, service, SqliteJournal(tmp_path / "journal.db", HostClock())),
            DESK,
            HostClock(),
        )
        thread.watch((SYM,))
        thread.start()
        await until(lambda: _synced(thread), 30)
        thread.set_trading_state(TradingState.ARMED)
        await until(lambda: fake.publics, 30)
        hops = Hops(monkeypatch)
        verdicts: list[Verdict] = []
        while len(verdicts) < 3:
            await fake.quote()
            hops.seen.clear()
            submitted = thread.submit(buy(price=str(60_000 - len(verdicts))))
            assert submitted.done() or "wire" in hops.seen, "the caller goes on before the order has left"
            outcome = await asyncio.wrap_future(submitted)
            if outcome.verdict is not Verdict.ACCEPTED:
                assert outcome.guard in ("BAND", "STALE"), f"the quote is not there yet, or else: {outcome}"
                continue
            verdicts.append(outcome.verdict)
            to_wire = hops.seen[: hops.seen.index("wire")]
            assert to_wire == ["MainThread to engine", "engine to journal", "journal to engine"]
        thread.close()
        while not thread.join(0):
            await asyncio.sleep(0.01)


async def test_a_caller_does_not_wait_for_a_blocked_engine() -> None:
    async with serving() as (_, service):
        thread = EngineThread(lambda updates: _engine(updates, service), DESK, HostClock())
        thread.start()
        await until(lambda: _synced(thread), 30)
        go_on = threading.Event()

        def stand_still(_: object) -> None:
            go_on.wait(30)

        thread._call(stand_still)
        try:
            assert not thread.submit(buy()).done()
        finally:
            go_on.set()
            thread.close()
        while not thread.join(0):
            await asyncio.sleep(0.01)


def test_f87_an_engine_that_fails_to_start_says_why() -> None:
    def broken(updates: TableSink) -> object:
        raise RuntimeError("no such service")

    thread = EngineThread(broken, DESK, HostClock())  # type: ignore[arg-type]
    thread.start()
    assert thread.join(5)
    row = thread.updates.take().changed[Table.ENGINE_STATUS][ENGINE]
    assert isinstance(row, EngineStatusRow)
    assert "ENGINE STOPPED" in row.engine_error
    assert "no such service" in row.engine_error


async def test_an_engine_starts_even_if_no_second_desk_can_attach() -> None:
    async def fail(host: EngineThread) -> None:
        raise ValueError("no socket")

    async with serving() as (_, service):
        thread = EngineThread(lambda updates: _engine(updates, service), DESK, HostClock(), fail)
        screen = Screen(thread.updates)
        thread.start()
        await until(lambda: any("cannot attach: no socket" in line.text for line in screen.look().events))
        await until(lambda: getattr(screen.look().tables[Table.ENGINE_STATUS][ENGINE], "synced", False))
        thread.close()
        assert await asyncio.to_thread(thread.join, 5)


def test_an_engine_thread_that_never_started_joins_at_once() -> None:
    thread = EngineThread(lambda updates: _engine(updates, NOWHERE), DESK, HostClock())
    thread.close()
    assert thread.join(0)


async def test_engine_restart_clears_account_rows_and_denies_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    builds: list[TableSink] = []
    go_on = threading.Event()

    async with serving() as (fake, service):

        def build(updates: TableSink) -> Engine:
            builds.append(updates)
            if len(builds) == 2:
                go_on.wait(30)
            return _engine(updates, service)

        thread = EngineThread(build, DESK, HostClock())
        screen = Screen(thread.updates)
        thread.watch((SYM,))
        thread.start()
        await until(lambda: screen.look().tables.get(Table.ASSETS) and screen.tables.get(Table.QUOTES), 30)
        puts: list[tuple[Table, Row | None]] = []
        put = thread.hub.put

        def note(table: Table, key: str, row: Row | None) -> None:
            puts.append((table, row))
            put(table, key, row)

        monkeypatch.setattr(thread.hub, "put", note)
        thread.renew()
        try:
            await until(lambda: len(builds) == 2, 30)
            monkeypatch.undo()
            starting, first = puts.index((Table.ENGINE_STATUS, DESK)), puts.index((Table.ASSETS, None))
            assert starting < first, "nobody takes rows that are gone for an account that has none"
            refused = await asyncio.wrap_future(thread.submit(buy()))
            assert (refused.verdict, refused.text) == (Verdict.DENIED, "the desk is being started again")
            assert screen.look().tables[Table.ASSETS] == {} and SYM in screen.tables[Table.QUOTES]
            before = len(fake.subscriptions)
        finally:
            go_on.set()
        await until(lambda: screen.look().tables.get(Table.ASSETS), 30)
        await until(lambda: len(fake.subscriptions) > before, 30)
        assert fake.subscriptions[-1][0]["sym"] == SYM, "the pairs of before are watched again"
        thread.close()
        while not thread.join(0):
            await asyncio.sleep(0.01)
        assert len(builds) == 2


async def test_an_order_during_engine_stop_is_unknown() -> None:
    async with serving() as (fake, service):
        journal = MemoryJournal(HostClock())
        thread = EngineThread(lambda updates: _engine(updates, service, journal), DESK, HostClock())
        screen = Screen(thread.updates)
        thread.watch((SYM,))
        thread.start()
        await until(lambda: _synced(thread), 30)
        thread.set_trading_state(TradingState.ARMED)
        await until(lambda: fake.publics, 30)
        journal.latency = 30.0
        while not screen.tables.get(Table.ORDERS):
            await fake.quote()
            submitted = thread.submit(buy())
            await until(partial(_left_or_denied, submitted, screen), 30)
            assert not submitted.done() or submitted.result().guard in ("BAND", "STALE"), "there is no quote yet"
        thread.close()
        outcome = await asyncio.wrap_future(submitted)
        assert (outcome.verdict, outcome.text) == (Verdict.UNKNOWN, "the engine stopped before the answer")
        while not thread.join(0):
            await asyncio.sleep(0.01)
        assert fake.placed == []


def _left_or_denied(submitted: Future[Outcome], screen: Screen) -> bool:
    return submitted.done() or bool(screen.look().tables.get(Table.ORDERS))


def _synced(thread: EngineThread) -> bool:
    row = thread.updates.take().changed.get(Table.ENGINE_STATUS, {}).get(ENGINE)
    return isinstance(row, EngineStatusRow) and row.synced


def _engine(updates: TableSink, service: Service, journal: Journal | None = None) -> Engine:
    clock = HostClock()
    connector = HostConnector((service.rest_url, service.private_ws_url, service.public_ws_url), loopback_only=True)
    return Engine(
        host_services(clock, connector, journal=journal),
        Identity(environment=Environment.PAPER, service=service, portfolio=PORTFOLIO),
        signer=Signer("key", Secret("secret"), clock),
        updates=updates,
        settings=EngineSettings(timings=QUICK, pulse=0.05, limits=Limits(first_of_day=False)),
    )
