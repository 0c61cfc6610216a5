"""The desk is killed between a command and its answer: its next run knows the command, and sends it no second time."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from crossdesk import AsyncDesk, DeskError, LinkClosed
from tests.client.fakes import until
from tests.desk_protocol.desks import BTC, DeskOf, Program, attach, journaled, new_id, orders_of, sent_at, start_owner
from tests.desk_protocol.kills import Killed
from tests.venue.shell.conftest import Venue
from tui.desk_protocol.messages import Role
from tui.engine.rows import Table
from tui.engine.sync.session_recovery import SessionRecovery
from tui.host import HostClock
from tui.interface.families.orders import is_final

PRICE = "60011.3"
TERMS: dict[str, Any] = {
    "pairs": [BTC], "order_value": "700", "position_value": "9000", "traded_value": "1500", "loss": "50",
    "orders_per_minute": 30, "seconds": 600, "reason": "quotes",
}  # fmt: skip


class Gateway:
    """A desk of another process that is killed and started again."""

    def __init__(self, venue: Venue, home: Path) -> None:
        self._ready, self._home = json.dumps(venue.ready), home
        self._process = Killed(home, "owner", stdin=self._ready)

    async def start_again(self) -> None:
        self.kill()
        self._process = Killed(self._home, "owner", stdin=self._ready)
        await self._process.ready()

    async def ready(self) -> None:
        await self._process.ready()

    def kill(self) -> None:
        self._process.kill()


@pytest_asyncio.fixture
async def gateway(venue: Venue, tmp_path: Path) -> AsyncIterator[Gateway]:
    tmp_path.chmod(0o700)
    gateway = Gateway(venue, tmp_path)
    await gateway.ready()
    yield gateway
    gateway.kill()


async def armed(home: Path) -> Program:
    window = await Program.attach(home, "desk", "desk", session="secret-of-a-window")
    await window.wait_for(lambda message: message["type"] == "whole")
    assert (await window.call("set_trading_state", "ARMED"))["type"] == "answer"
    return window


def decision_in(window: Program) -> dict[str, Any]:
    said = window.welcome["result"]
    return {"environment": said["environment"], "portfolio": said["portfolio"], "state": "ARMED", "source": "key b"}


def submit_of(window: Program, command: str) -> dict[str, Any]:
    intent = {
        "decision": decision_in(window), "sym": BTC, "side": "BUY", "order_type": "LIMIT", "qty": "0.01", "price": PRICE,
        "time_in_force": "GTX", "confirmed": ["STALE", "FIRST_OF_DAY"],
    }  # fmt: skip
    return {"command": command, "kind": "place", "intent": intent, "expires": time.monotonic() + 20}


@pytest.mark.real
@pytest.mark.timeout(180)
async def test_b09_an_order_sent_again_after_a_desk_kill_leaves_once(
    gateway: Gateway, venue: Venue, tmp_path: Path
) -> None:
    window = await armed(tmp_path)
    await window.begin("submit", submit_of(window, "of-window"))
    await until(lambda: sent_at(venue, PRICE), 20)
    await gateway.start_again()
    window = await armed(tmp_path)
    told = (await window.call("outcome", "of-window"))["result"]
    [order] = sent_at(venue, PRICE)
    assert told["known"] and told["outcome"]["key"] == order["clientOrderId"], told
    assert told["outcome"]["verdict"] in ("accepted", "unknown"), told
    again = (await window.call("submit", submit_of(window, "of-window")))["result"]
    assert again["key"] == order["clientOrderId"], again
    assert len(sent_at(venue, PRICE)) == 1
    # Its secret is not in the journal, and another window has not sent it.
    assert not any("secret-of-a-window" in entry["payload"] for entry in journaled(tmp_path))
    stranger = await Program.attach(tmp_path, "desk", "desk")
    assert (await stranger.call("outcome", "of-window"))["result"]["known"] is False
    other = (await window.call("submit", submit_of(window, "another")))["result"]
    assert other["verdict"] in ("accepted", "ask"), "a new command still leaves"
    for program in (window, stranger):
        program.close()


@pytest.mark.real
@pytest.mark.timeout(180)
async def test_a_program_gets_its_order_from_a_restarted_desk(gateway: Gateway, venue: Venue, tmp_path: Path) -> None:
    window = attach(tmp_path)
    await window.in_step()
    async with maker(tmp_path) as desk:
        await grant(window, desk)
        lost = asyncio.ensure_future(desk.place("BUY", BTC, "0.01", PRICE, time_in_force="GTX", command="mine-1"))
        await until(lambda: sent_at(venue, PRICE), 20)
        gateway.kill()
        try:
            await lost
        except LinkClosed as error:
            assert "ask for the outcome of mine-1" in str(error)
    await gateway.start_again()
    async with maker(tmp_path) as desk:
        sent = await desk.outcome("mine-1")
        [order] = sent_at(venue, PRICE)
        assert sent is not None and (sent.order, sent.command) == (order["clientOrderId"], "mine-1"), sent
        assert await desk.outcome("mine-2") is None
        again = await desk.place("BUY", BTC, "0.01", PRICE, time_in_force="GTX", command="mine-1")
        assert again.order == sent.order, again
        await until(lambda: all(is_final(row["orderState"]) for row in sent_at(venue, PRICE)), 20)
        assert len(orders_of(venue)) == 1
    await window.end()


def maker(home: Path) -> AsyncDesk:
    return AsyncDesk(home / "desk.sock", HostClock(), new_id, name="maker", role=Role.PROPOSE)


async def grant(window: DeskOf, desk: AsyncDesk) -> None:
    terms = dict(TERMS)
    asking = asyncio.ensure_future(desk.ask_mandate(*terms.pop("pairs"), **terms))
    await until(lambda: window.screen.look().tables.get(Table.MANDATES, {}), 20)
    [number] = window.screen.tables[Table.MANDATES]
    window.thread.grant(number)
    await asking


async def test_a_program_can_ask_for_the_outcome_of_its_command_id(venue: Venue, tmp_path: Path) -> None:
    owner = start_owner(venue, tmp_path)
    await owner.in_step()
    async with maker(tmp_path) as desk:
        denied = await desk.place("BUY", BTC, "0.01", PRICE, command="early")
        assert (denied.verdict, denied.command) == ("denied", "early")
        assert await desk.outcome("early") == denied and await desk.outcome("never") is None
        async with maker(tmp_path) as back:  # before the desk noticed that the first link is lost
            assert back.name == "maker 2", back.name
            assert await back.outcome("early") == denied and await back.outcome("never") is None
        made = await desk.cancel("no-order")
        assert made.command and await desk.outcome(made.command) == made
        for wrong in ("", "a b", "x" * 65, 7):
            with pytest.raises(DeskError, match=r"command .* is not accepted; it is a text of 1 to 64 letters"):
                await desk.outcome(wrong)  # type: ignore[arg-type]
        with pytest.raises(DeskError, match="command 'a b' is not accepted"):
            await desk.place("BUY", BTC, "0.01", PRICE, command="a b")
    await owner.end()


async def test_only_cancels_are_sent_before_the_journal_is_read(
    venue: Venue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forget(recovery: SessionRecovery) -> None:
        recovery._sent = None

    owner = start_owner(venue, tmp_path)
    await owner.in_step()
    assert owner.thread.core is not None
    forget(owner.thread.core._recovery)  # type: ignore[attr-defined]
    window = await armed(tmp_path)
    refused = await window.call("submit", submit_of(window, "early"))
    assert "not read yet" in refused["text"], refused
    assert "not read yet" in (await window.call("outcome", "early"))["text"]
    intent = {"decision": decision_in(window), "kill": True}
    cancel = {"command": "kill", "kind": "cancel_all", "intent": intent, "expires": time.monotonic() + 20}
    assert (await window.call("submit", cancel))["result"]["verdict"] == "accepted"
    intents = {"cancel_algo": {"key": "gone"}, "cancel_all_algos": {"exchange": "BINANCE"}}
    for kind, terms in intents.items():
        told = {"command": kind, "kind": kind, "intent": {"decision": decision_in(window), **terms}}
        answer = await window.call("submit", {**told, "expires": time.monotonic() + 20})
        assert "not read yet" not in str(answer) and answer["type"] == "answer", answer
    assert not orders_of(venue)
    window.close()
    await owner.end()
