"""A stop whose process dies before the answer: the next start shows it UNKNOWN, asks for it by its id, sends nothing."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from aiohttp import web

from tests.client.fakes import PORTFOLIO, FakeService, serving, success, until
from tests.crash.conftest import TOP
from tests.crash.setter import engine_on
from tests.engine.command_rig import let_calls_expire
from tests.engine.conftest import SYM, Screen
from tests.hurried import clock_of_the_loop, while_another_process_works
from tui.client.settings import Service
from tui.engine.engine import Engine
from tui.engine.journal import journal_file
from tui.interface import decimals

ORDER, OPEN = "/api/v1/algo/order", "/api/v1/algo/openOrders"


class Deadly:
    """A service on which the process that places an algo order dies before it is answered."""

    def __init__(self, fake: FakeService, *, carries_out: bool) -> None:
        self.placed: list[dict[str, str]] = []
        self.unreadable: set[str] = set()
        self.child: subprocess.Popen[str] | None = None
        self._fake, self._carries_out = fake, carries_out
        fake.refuse_rest = self._answer
        fake.positions = [
            {"sym": SYM, "positionQty": "0.5", "positionSide": "NONE", "portfolioId": PORTFOLIO, "updateAt": "1"}
        ]

    @property
    def asked(self) -> int:
        """How often it was asked about the order."""
        return sum((method, path) == ("GET", ORDER) for method, path, _ in self._fake.calls)

    def _answer(self, path: str) -> web.Response | None:
        method, _, params = self._fake.calls[-1]
        if path not in (ORDER, OPEN):
            return None
        if method == "POST":
            self.placed.append(params)
            assert self.child is not None
            self.child.send_signal(signal.SIGKILL)
            self.child.wait()
        if path in self.unreadable:
            return web.Response(status=502)
        found = [self._record(one) for one in self.placed if self._carries_out]
        if path == OPEN:
            return success({"list": found, "page": 1, "pageSize": 1000, "totalSize": str(len(found))})
        if method == "GET" and not found:
            return web.json_response({"code": 401018, "message": "algo order not found", "data": {}})
        return success(found[0] if found else {})

    @staticmethod
    def _record(params: dict[str, str]) -> dict[str, str]:
        return {**params, "algoOrderId": "7001", "orderState": "NEW", "portfolioId": PORTFOLIO, "updateAt": "5"}


async def die_while_placing(deadly: Deadly, service: Service, journal: Path) -> None:
    """Run a process that places the stop, until the service has killed it."""
    addresses = (service.rest_url, service.private_ws_url, service.public_ws_url)
    deadly.child = child = subprocess.Popen(
        [sys.executable, "-m", "tests.crash.setter", str(journal), *addresses, "stop"],
        cwd=TOP, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        with while_another_process_works():
            await until(lambda: child.poll() is not None, 60.0)
    finally:
        child.kill()
        told, _ = child.communicate()
    assert (child.returncode, told, len(deadly.placed)) == (-signal.SIGKILL, "", 1)


def states(engine: Engine) -> list[str]:
    return [row.state for row in engine.state.algos.rows.values()]


@pytest.mark.hurried
@pytest.mark.parametrize(
    ("carries_out", "stays_unreadable"),
    [(True, set()), (True, {ORDER}), (True, {OPEN}), (False, set())],
    ids=["carried out", "carried out, in the list alone", "carried out, asked for alone", "not carried out"],
)
async def test_an_algo_order_sent_before_a_crash_is_queried_at_startup(
    tmp_path: Path, carries_out: bool, stays_unreadable: set[str]
) -> None:
    decimals.setup()
    journal = tmp_path / "paper" / "journal.db"
    journal.parent.mkdir()
    async with serving() as (fake, service):
        deadly = Deadly(fake, carries_out=carries_out)
        await die_while_placing(deadly, service, journal)
        deadly.unreadable = {ORDER, OPEN}
        engine = engine_on(service, journal, clock_of_the_loop())
        screen = Screen(engine.updates)
        running = asyncio.create_task(engine.run())
        try:
            await until(lambda: screen.said("no answer in an earlier session; being queried"))
            assert states(engine) == ["UNKNOWN"]
            await until(lambda: screen.said("cannot be asked about yet"), 60.0)
            deadly.unreadable = stays_unreadable
            if not carries_out:
                before = deadly.asked
                await until(lambda: deadly.asked > before, 60.0)
                assert states(engine) == ["UNKNOWN"], "the call may still arrive"
                let_calls_expire(engine)
                await until(lambda: deadly.asked > before + 2, 60.0)
                assert states(engine) == ["UNKNOWN"], "not found and time do not end it"
            else:
                await until(lambda: states(engine) == ["NEW"] and not engine.state.commands.open, 60.0)
        finally:
            engine.stop()
            with suppress(asyncio.CancelledError):
                await running
        assert len(deadly.placed) == 1, "nothing is sent again"
        deadly.unreadable = set()
        again = engine_on(service, journal, clock_of_the_loop())
        running = asyncio.create_task(again.run())
        await until(lambda: again.state.synced)
        assert bool(again.state.commands.open) is not carries_out, "what was settled stays settled, and nothing else"
        again.stop()
        await running
        entries, trouble = journal_file.read_all(journal)
        key = deadly.placed[0]["clientOrderId"]
        told = [one.kind for one in entries if one.intent_id == key and one.kind not in ("sent", "note")]
        assert told[0] == "intent" and ("algo" in told) is carries_out and not trouble
