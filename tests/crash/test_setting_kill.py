"""A change of a setting whose process dies before the answer: the next start names it, reads it back, sends nothing."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from aiohttp import web

from tests.client.fakes import FakeService, serving, until
from tests.crash.conftest import TOP
from tests.crash.setter import engine_on
from tests.engine.command_rig import let_calls_expire
from tests.engine.conftest import SYM, Screen
from tests.hurried import clock_of_the_loop, while_another_process_works
from tui.client.settings import Service
from tui.engine.engine import Engine
from tui.engine.journal import journal_file
from tui.engine.rows import CommandState, Table
from tui.interface import decimals

SET, READ = "/api/v1/trading/position/leverage", "/api/v1/trading/perp/leverage"
SETTING = f"leverage/{SYM}"


class Deadly:
    """A service on which the process that asks for a change dies before it is answered."""

    def __init__(self, fake: FakeService, *, carries_out: bool) -> None:
        self.leverage = "20"
        self.readable = True
        self.changes = 0
        self.child: subprocess.Popen[str] | None = None
        self._fake, self._carries_out = fake, carries_out
        fake.refuse_rest = self._answer

    def _answer(self, path: str) -> web.Response | None:
        if path == SET:
            self.changes += 1
            if self._carries_out:
                self.leverage = self._fake.calls[-1][2]["leverage"]
            assert self.child is not None
            self.child.send_signal(signal.SIGKILL)
            self.child.wait()
        if path == READ and not self.readable:
            return web.Response(status=502)
        data = [{"sym": SYM, "leverage": self.leverage}] if path == READ else {}
        return web.json_response({"code": 200000, "data": data}) if path in (SET, READ) else None


async def die_while_changing(deadly: Deadly, service: Service, journal: Path) -> None:
    """Run a process that sends the change, until the service has killed it."""
    addresses = (service.rest_url, service.private_ws_url, service.public_ws_url)
    deadly.child = subprocess.Popen(
        [sys.executable, "-m", "tests.crash.setter", str(journal), *addresses],
        cwd=TOP, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    child = deadly.child
    try:
        with while_another_process_works():
            await until(lambda: child.poll() is not None, 60.0)
    finally:
        child.kill()
        told, _ = child.communicate()
    assert (child.returncode, told, deadly.changes) == (-signal.SIGKILL, "", 1)


def unsettled(engine: Engine) -> list[CommandState]:
    return [one.state for one in engine.state.commands.open.values()]


@pytest.mark.hurried
@pytest.mark.parametrize("carries_out", [True, False], ids=["carried out", "not carried out"])
async def test_a_setting_change_sent_before_a_crash_is_settled(tmp_path: Path, carries_out: bool) -> None:
    decimals.setup()
    journal = tmp_path / "paper" / "journal.db"
    journal.parent.mkdir()
    async with serving() as (fake, service):
        deadly = Deadly(fake, carries_out=carries_out)
        await die_while_changing(deadly, service, journal)
        deadly.readable = False
        engine = engine_on(service, journal, clock_of_the_loop())
        screen = Screen(engine.updates)
        running = asyncio.create_task(engine.run())
        try:
            await until(lambda: screen.said("UNKNOWN whether 20 → 10 was carried out: no answer in an earlier session"))
            await until(lambda: screen.said("cannot be read back yet"), 30.0)
            assert SETTING in screen.look().tables[Table.SETTINGS] and unsettled(engine) == [CommandState.UNKNOWN]
            deadly.readable = True
            if not carries_out:
                reads = len([1 for _, path, _ in fake.calls if path == READ])
                await until(lambda: len([1 for _, path, _ in fake.calls if path == READ]) > reads + 1, 30.0)
                assert unsettled(engine) == [CommandState.UNKNOWN], "the call may still arrive"
                let_calls_expire(engine)
            await until(lambda: not unsettled(engine), 30.0)
            words = "the change was carried out" if carries_out else "change to 10 not applied; the venue has 20"
            assert screen.said(words) and SETTING not in screen.look().tables[Table.SETTINGS]
        finally:
            engine.stop()
            with suppress(asyncio.CancelledError):
                await running
        assert deadly.changes == 1, "nothing is sent again"
        again = engine_on(service, journal, clock_of_the_loop())
        running = asyncio.create_task(again.run())
        await until(lambda: again.state.synced)
        assert unsettled(again) == [], "what was settled stays settled"
        again.stop()
        await running
        entries, trouble = journal_file.read_all(journal)
        told = [one.kind for one in entries if one.intent_id == SETTING and one.kind != "sent"]
        assert (told, trouble) == (["intent", "setting"], "")
