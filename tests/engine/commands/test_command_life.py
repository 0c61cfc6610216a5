"""The life of every kind of command: journaled, judged again, sent once, and never called sent or unsent by a guess."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec
import pytest
from aiohttp import web

from tests.client.fakes import refusal, until
from tests.engine.algo_orders.algo_service import serving_algos
from tests.engine.algo_orders.test_algo_commands import MARK, placed, stop
from tests.engine.command_rig import ask_every
from tests.engine.commands.test_account_commands import NEW, command, serving_money
from tests.engine.commands.test_setting_changes import lever, serving_settings
from tests.engine.conftest import DECISION, Rig
from tui.engine.intents import (
    CancelAlgo,
    CommandIntent,
    Outcome,
    Protection,
    ReplaceAlgo,
    SetMarginLeverage,
    SetPositionMode,
    Verdict,
)
from tui.engine.modes import TradingState
from tui.engine.rows import CommandState
from tui.engine.state.command_table import AnyCommand

pytestmark = pytest.mark.hurried


class Sent:
    """A command of one kind on a service that takes it."""

    def __init__(self, rig: Rig, service: Any, intent: CommandIntent) -> None:
        self.rig, self.service, self.intent = rig, service, intent
        self._before = len(rig.fake.calls)
        self._told = len(rig.journal.lines)

    async def submit(self) -> Outcome:
        return await self.rig.engine.submit(self.intent)

    async def submit_again(self) -> Outcome:
        again = self.intent
        if "confirmed" in again.__struct_fields__:
            again = msgspec.structs.replace(again, confirmed=frozenset(["DUPLICATE"]))
        return await self.rig.engine.submit(again)

    def answer(self, response: web.Response | None) -> None:
        """What the service answers to commands, without carrying them out; None: it takes and carries out."""
        self.service.answer, self.service.carries_out = response, response is None

    @property
    def arrived(self) -> list[str]:
        """Methods of the calls that change something."""
        return [method for method, _, _ in self.rig.fake.calls[self._before :] if method != "GET"]

    @property
    def journal(self) -> list[str]:
        """Kinds of entries about the command."""
        lines = [one for one in self.rig.journal.lines[self._told :] if one.kind != "note"]
        keys = [one.intent_id for one in lines if one.kind == "intent"]
        return [one.kind for one in lines if keys and one.intent_id == keys[-1]]

    @property
    def open(self) -> list[AnyCommand]:
        return [one for one in self.rig.engine.state.commands.open.values() if type(one.intent) is type(self.intent)]

    def before_the_call(self, act: Callable[[], object]) -> None:
        """Do something when a command reaches the service, before it answers."""
        answer = self.rig.fake.refuse_rest

        def acting(path: str) -> web.Response | None:
            if self.rig.fake.calls[-1][0] != "GET":
                act()
            return answer(path)

        self.rig.fake.refuse_rest = acting


Prepare = Callable[[Rig, pytest.MonkeyPatch], Coroutine[Any, Any, Sent]]


def of_settings(intent: CommandIntent) -> Prepare:
    async def prepare(rig: Rig, _monkeypatch: pytest.MonkeyPatch) -> Sent:
        return Sent(rig, await serving_settings(rig), intent)

    return prepare


def of_account(intent: CommandIntent) -> Prepare:
    async def prepare(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> Sent:
        service = await serving_money(rig, monkeypatch)
        service.found = None
        return Sent(rig, service, intent)

    return prepare


def of_algos(intent_of: Callable[[str], CommandIntent], *, on_an_order: bool) -> Prepare:
    async def prepare(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> Sent:
        service = await serving_algos(rig, monkeypatch)
        key = (await placed(rig)).key if on_an_order else ""
        await until(lambda: not rig.engine.state.commands.open)
        return Sent(rig, service, intent_of(key))

    return prepare


DEBT = SetMarginLeverage(decision=DECISION, exchange="BINANCE", coin="SOL", leverage="5", before="3")
MODE = SetPositionMode(decision=DECISION, exchange="BINANCE", mode="BOTH", before="NET")
MOVED = Protection(trigger="58000", source=MARK)
KINDS: dict[str, Prepare] = {
    "leverage": of_settings(lever()),
    "margin leverage": of_settings(DEBT),
    "position mode": of_settings(MODE),
    "transfer": of_account(command()),
    "new portfolio": of_account(NEW),
    "new algo order": of_algos(lambda _: stop(), on_an_order=False),
    "change of an algo order": of_algos(
        lambda key: ReplaceAlgo(decision=DECISION, key=key, stop_loss=MOVED), on_an_order=True
    ),
    "cancel of an algo order": of_algos(lambda key: CancelAlgo(decision=DECISION, key=key), on_an_order=True),
}


@pytest.fixture(params=KINDS)
async def sent(request: pytest.FixtureRequest, rig: Rig, monkeypatch: pytest.MonkeyPatch) -> Sent:
    ask_every(monkeypatch, 3600.0)
    return await KINDS[request.param](rig, monkeypatch)


async def test_every_command_is_journaled_before_it_is_sent_once(sent: Sent) -> None:
    at_the_call: list[list[str]] = []
    sent.before_the_call(lambda: at_the_call.append(sent.journal))
    assert (await sent.submit()).verdict is Verdict.ACCEPTED
    assert [told[0] for told in at_the_call] == ["intent"] and len(sent.arrived) == 1
    assert sent.journal[:3] == ["intent", "sent", "reply"]


async def test_a_rejected_command_shows_its_code_and_can_be_retried(sent: Sent) -> None:
    sent.answer(refusal(401917, "not now"))
    outcome = await sent.submit()
    assert (outcome.verdict, outcome.code) == (Verdict.REJECTED, 401917) and "401917" in outcome.text
    assert sent.open == [] and sent.rig.screen.said("REJECT")
    sent.answer(None)
    assert (await sent.submit_again()).verdict is Verdict.ACCEPTED


async def test_a_command_with_lost_reply_is_unknown_and_never_resent(sent: Sent) -> None:
    sent.answer(web.Response(status=502))
    outcome = await sent.submit()
    assert outcome.verdict is Verdict.UNKNOWN and outcome.text.endswith(", never sent again")
    assert [one.state for one in sent.open] == [CommandState.UNKNOWN]
    assert sent.rig.screen.said("UNKNOWN whether") and sent.journal == ["intent", "sent", "reply"]
    assert (await sent.submit_again()).verdict is Verdict.DENIED
    assert len(sent.arrived) == 1


async def test_if_the_journal_fails_only_a_cancel_is_sent(sent: Sent) -> None:
    sent.rig.journal.failure = "no space left"
    outcome = await sent.submit()
    sent.rig.journal.failure = ""
    if isinstance(sent.intent, CancelAlgo):
        assert outcome.verdict is Verdict.ACCEPTED and sent.arrived == ["DELETE"]
        assert sent.rig.screen.said("the cancel could not be recorded (no space left); it is sent")
        return
    assert (outcome.verdict, outcome.guard) == (Verdict.DENIED, "JOURNAL")
    assert outcome.text == "cannot record: no space left"
    assert (sent.arrived, sent.open) == ([], [])


@pytest.mark.parametrize("lost", ["armed", "connection"])
async def test_a_command_disallowed_after_journaling_is_not_sent(
    sent: Sent, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    engine, record = sent.rig.engine, sent.rig.journal.record

    async def slow(kind: str, *args: Any, **named: Any) -> None:
        await record(kind, *args, **named)
        if lost == "armed":
            engine.set_trading_state(TradingState.VIEW)
        else:
            engine.state.epoch += 1

    monkeypatch.setattr(sent.rig.journal, "record", slow)
    outcome = await sent.submit()
    assert (outcome.verdict, outcome.guard) == (Verdict.DENIED, "STATE" if lost == "armed" else "LINK")
    assert (sent.arrived, sent.open, sent.journal[-1]) == ([], [], "not_sent")
    assert sent.rig.screen.said("NOT SENT")


async def test_a_command_cancelled_during_its_call_is_unknown(sent: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    reached = asyncio.Event()

    async def never(*_: object, **__: object) -> None:
        reached.set()
        await asyncio.Event().wait()

    with monkeypatch.context() as held:
        held.setattr(sent.rig.session.connections.rest, "call", never)
        task = asyncio.create_task(sent.submit())
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert [one.state for one in sent.open] == [CommandState.UNKNOWN]


async def test_a_command_whose_query_fails_stays_unknown(sent: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    sent.answer(web.Response(status=502))
    await sent.submit()
    answer = sent.rig.fake.refuse_rest
    sent.rig.fake.refuse_rest = lambda path: (
        refusal(2002, "no READ") if sent.rig.fake.calls[-1][0] == "GET" else answer(path)
    )
    ask_every(monkeypatch, 0.05)
    times: set[float] = set()

    def asked_often() -> bool:
        times.update(one.asked for one in sent.open)
        return len(times) > 3

    await until(asked_often, 60)
    told = [one.text for one in sent.rig.screen.look().events if "cannot be" in one.text and " yet: " in one.text]
    assert len(told) == 1 and [one.state for one in sent.open] == [CommandState.UNKNOWN]
