"""Hostile peers: nothing is sent that a desk which is armed did not send once, and the owner goes on."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import threading
import time
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import pytest_asyncio

from crossdesk import DeskError, connect
from tests.client.fakes import FakeClock, until
from tests.desk_protocol.desks import BTC, DeskOf, Program, journaled, sent_at, start_owner
from tests.desk_protocol.hostile import attack_owner, decision_of
from tests.desk_protocol.hostile_calls import RAW, HostileCalls
from tests.venue.shell.conftest import Venue
from tui.desk_protocol import commands, program_calls, unix_socket
from tui.desk_protocol.carrier import LinkClosed
from tui.desk_protocol.commands import CommandLog
from tui.desk_protocol.messages import MOST_CALL_BYTES, ProtocolError
from tui.engine.intents import CancelAll, Outcome, Verdict
from tui.engine.peers import denials
from tui.engine.peers.recent_events import RecentEvents
from tui.engine.rows import Table
from tui.interface.text import clean

CALLS = 1_200


@pytest_asyncio.fixture
async def owner(venue: Venue, tmp_path: Path) -> AsyncIterator[DeskOf]:
    desk = start_owner(venue, tmp_path)
    await desk.in_step()
    yield desk
    assert (await desk.submit(CancelAll(decision=desk.buy("1").decision, kill=True))).verdict is Verdict.ACCEPTED
    await desk.end()


async def armed(home: Path, name: str = "armed", **more: Any) -> Program:
    peer = await Program.attach(home, name, "desk", **more)
    assert (await peer.call("set_trading_state", "ARMED"))["type"] == "answer"
    return peer


def open_sockets() -> int:
    return sum(os.readlink(f"/proc/self/fd/{name}").startswith("socket:") for name in _files())


def _files() -> list[str]:
    return [name for name in os.listdir("/proc/self/fd") if os.path.lexists(f"/proc/self/fd/{name}")]


@pytest.mark.timeout(240)
async def test_s63_under_hostile_calls_only_the_armed_peer_sends(
    venue: Venue, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    sockets = open_sockets()
    report = await attack_owner(venue, tmp_path, CALLS, 4711)
    assert report.wrong == dict.fromkeys(report.wrong, 0), (report, caplog.text)
    assert report.accepted >= 5, "the armed one can trade, or nothing was tested"
    assert report.calls == CALLS and report.refused > CALLS / 4 and report.denied > 20, report
    assert asyncio.all_tasks() == {asyncio.current_task()}
    await until(lambda: open_sockets() <= sockets, 10)
    assert not [thread for thread in threading.enumerate() if thread.name in ("engine", "journal")]
    assert not (tmp_path / "desk.sock").exists()


async def test_a_repeated_command_id_is_carried_out_only_once(venue: Venue, owner: DeskOf, tmp_path: Path) -> None:
    peer, calls = await armed(tmp_path), HostileCalls(1, decision_of(owner), BTC)
    params = calls.place(time.monotonic() + 2)
    price = params["intent"]["price"]
    first, second = await asyncio.gather(peer.call("submit", params), asyncio.sleep(0))
    assert second is None and first["result"]["verdict"] == "accepted", first
    assert "written" not in [message["type"] for message in peer.seen], "nobody asked"
    changed = [
        params,
        {**params, "expires": time.monotonic() + 20},
        {**params, "intent": {**params["intent"], "price": "60900"}},
        {**params, "kind": "cancel_all", "intent": {"decision": params["intent"]["decision"]}},
        {**params, "kind": "nonsense"},
        {**params, "expires": -1},
    ]
    for again in changed:
        assert (await peer.call("submit", again))["result"] == first["result"]
    assert len(sent_at(venue, price)) == 1 and sent_at(venue, "60900") == []
    asked = {**calls.place(time.monotonic() + 2), "command": "tells", "tell_written": True}
    assert (await peer.call("submit", asked))["result"]["verdict"] == "accepted"
    kinds = [message["type"] for message in peer.seen]
    assert kinds.count("written") == 1 and kinds.index("written") < len(kinds) - 1 - kinds[::-1].index("answer")
    peer.close()


async def test_b02_a_command_sent_twice_at_once_is_carried_out_once(
    venue: Venue, owner: DeskOf, tmp_path: Path
) -> None:
    peer, calls = await armed(tmp_path), HostileCalls(2, decision_of(owner), BTC)
    params = {**calls.place(time.monotonic() + 2), "command": "at-once"}
    params["intent"]["price"] = "60901"
    for number in range(100, 130):
        await peer.send(json.dumps({"id": number, "method": "submit", "params": params}).encode())
    results = [
        (await peer.wait_for(lambda message, mine=number: message.get("id") == mine))["result"]  # type: ignore[misc]
        for number in range(100, 130)
    ]
    assert results[0]["verdict"] == "accepted" and all(result == results[0] for result in results)
    assert len(sent_at(venue, "60901")) == 1
    peer.close()


async def test_b23_a_peer_cannot_use_the_command_id_of_another_peer(
    venue: Venue, owner: DeskOf, tmp_path: Path
) -> None:
    peer, calls = await armed(tmp_path, session="mine"), HostileCalls(3, decision_of(owner), BTC)
    params = {**calls.place(time.monotonic() + 20), "command": "known"}
    assert (await peer.call("submit", params))["result"]["verdict"] == "accepted"
    stranger = await Program.attach(tmp_path, "armed", "desk")
    assert (await stranger.call("outcome", "known"))["result"]["known"] is False
    denied = (await stranger.call("submit", params))["result"]
    assert (denied["verdict"], denied["guard"]) == ("denied", "STATE")
    peer.close()
    # The same peer, by its session, under whatever name.
    again = await Program.attach(tmp_path, "renamed", "desk", session="mine")
    assert (await again.call("outcome", "known"))["result"]["outcome"]["verdict"] == "accepted"
    for program in (stranger, again):
        program.close()


@pytest.mark.parametrize("left", [-1e300, -0.001, 31.0, 1e300])
async def test_b01_an_order_expiring_in_the_past_or_far_off_is_denied(
    owner: DeskOf, tmp_path: Path, left: float
) -> None:
    peer, calls = await armed(tmp_path), HostileCalls(4, decision_of(owner), BTC)
    late = (await peer.call("submit", calls.place(time.monotonic() + left)))["result"]
    assert (late["verdict"], late["guard"]) == ("denied", "LATE") and len(late["text"]) < 120
    peer.close()


async def test_an_order_too_long_for_the_journal_is_refused(owner: DeskOf, tmp_path: Path) -> None:
    """An entry that was cut off could not be read again after a crash."""
    peer, calls = await armed(tmp_path), HostileCalls(5, decision_of(owner), BTC)
    params = calls.place(time.monotonic() + 2)
    params["intent"]["preview"] = "x" * 7_000
    assert "6144 are accepted" in (await peer.call("submit", params))["text"]
    params["intent"].update(preview="x" * 500, confirmed=["STALE", *(f"{number:0100}" for number in range(50))])
    assert (await peer.call("submit", params))["result"]["verdict"] == "accepted"
    peer.close()
    await until(lambda: any(row.peer == "armed" for row in owner.orders().values()))
    for entry in journaled(tmp_path):
        if entry["kind"] == "intent":
            json.loads(entry["payload"])


GREETING = {"versions": [1], "name": "x", "role": "watch"}


@pytest.mark.parametrize(
    "changes",
    [
        {"versions": []}, {"versions": [0]}, {"versions": [2, 3]}, {"versions": "1"}, {"versions": [10**40] * 3_000},
        {"versions": None}, {"role": "trade"}, {"role": "admin"}, {"role": ["desk"]}, {"role": None}, {"name": None},
        {"name": 1}, {"name": ["desk"]}, {"seq": "1"}, {"seq": 1e300}, {"run": 1}, {"session": "s" * 65}, {"session": "a b"},
        {"session": "a\n"}, {"session": "\x00"},
    ],
    ids=str,
)  # fmt: skip
async def test_an_invalid_hello_is_refused_and_the_connection_closed(
    owner: DeskOf, tmp_path: Path, changes: dict[str, Any]
) -> None:
    program = Program(await unix_socket.connect(tmp_path / "desk.sock"))
    refused = await program.call("hello", {**GREETING, **changes})
    assert refused["type"] == "refused" and len(refused["text"]) < 700
    with pytest.raises(LinkClosed):
        await program.carrier.receive()
    program.close()
    assert owner.status().peers == ()


@pytest.mark.parametrize("line", [*RAW, b'{"id": 1, "method": "watch", "params": []}', b"x" * (MOST_CALL_BYTES + 1)])
async def test_a_connection_that_does_not_begin_with_hello_is_closed(
    owner: DeskOf, tmp_path: Path, line: bytes
) -> None:
    program = Program(await unix_socket.connect(tmp_path / "desk.sock"))
    try:
        await program.send(line)
        assert json.loads(await program.carrier.receive())["type"] == "refused"
        with pytest.raises(LinkClosed):
            await program.carrier.receive()
    except LinkClosed:
        assert len(line) > MOST_CALL_BYTES, "the rest of a longer line is not read"
    program.close()
    assert owner.status().peers == ()


async def test_s64_b14_an_endless_line_ends_only_its_sender(owner: DeskOf, tmp_path: Path) -> None:
    program, other = await Program.attach(tmp_path, "long"), await Program.attach(tmp_path, "other")
    with pytest.raises(LinkClosed):
        async with asyncio.timeout(20):
            while True:
                await program.carrier.send(b"x" * 65_536)
                await asyncio.sleep(0)
    assert (await other.call("time", {}))["type"] == "answer"
    await until(lambda: [peer.name for peer in owner.status().peers] == ["other"], 10)
    for peer in (program, other):
        peer.close()


@pytest.mark.parametrize("name", ["[red]x", "a/b", "@x", "first", "first ", "F" * 40, "desks", "a desk 2"])
async def test_an_attached_program_gets_a_clean_and_unique_name(owner: DeskOf, tmp_path: Path, name: str) -> None:
    first = await Program.attach(tmp_path, "first")
    second = await Program.attach(tmp_path, "desk", "desk")
    third = await Program.attach(tmp_path, name)
    given = third.name
    assert clean(given) == given.strip() and 0 < len(given) <= 50 and "/" not in given
    assert given.casefold() not in ("desk", "first", "desk 2")
    await until(lambda: {peer.name for peer in owner.status().peers} == {"first", "desk 2", given})
    for peer in (first, second, third):
        peer.close()


@pytest.mark.parametrize(
    "name",
    [
        "desk",
        "DESK",
        "desk 2",
        "Desk  14",
        "",
        " ",
        "\x00",
        "\x1b[2J",
        "F" * 41,
        "F" * 9_000,
        "\u202e",
        "maker of anna",
    ],
)
async def test_a_program_with_the_name_of_a_window_is_refused(owner: DeskOf, tmp_path: Path, name: str) -> None:
    program = Program(await unix_socket.connect(tmp_path / "desk.sock"))
    refused = await program.call("hello", {**GREETING, "role": "propose", "name": name})
    assert "is not accepted; it is a text of 1 to 40 characters that can be shown, not desk" in refused["text"]
    program.close()
    with pytest.raises(DeskError, match=r"^name .* is not accepted; it is a text of 1 to 40 characters"):
        connect(name=name)
    assert owner.status().peers == ()


async def test_a_list_read_by_one_peer_is_not_sent_to_another(owner: DeskOf, tmp_path: Path) -> None:
    query = {"key": "b/k", "sources": [{"endpoint": "mark_price", "params": [["sym", BTC]]}]}
    asker, other = await Program.attach(tmp_path, "a", "watch"), await Program.attach(tmp_path, "a/b", "watch")
    assert (await asker.call("read", query))["type"] == "answer"
    await asker.wait_for(lambda message: "b/k" in (message.get("rows") or {}))
    assert (await other.call("time", {}))["type"] == "answer"
    assert not [message for message in other.seen if message.get("table") == "answers" and message["rows"]]
    asker.close()
    await until(lambda: not owner.thread.hub._rows[Table.ANSWERS])
    other.close()


PLACED: dict[str, Any] = {
    "endpoint": "place_order",
    "params": [
        ["sym", BTC], ["side", "BUY"], ["orderType", "LIMIT"], ["orderQty", "0.01"], ["limitPrice", "60950"],
        ["clientOrderId", "smuggled"], ["timeInForce", "GTX"],
    ],
}  # fmt: skip
"""A command of the service in place of a list."""
GONE: dict[str, Any] = {"endpoint": "order_detail", "params": [["orderId", "1"]], "fallback": PLACED}


@pytest.mark.parametrize("role", ["watch", "propose", "desk"])
async def test_s63_a_list_query_cannot_call_a_command_endpoint(
    venue: Venue, owner: DeskOf, tmp_path: Path, role: str
) -> None:
    """Whatever a query names is only read, also what it would read before, or instead."""
    peer = await Program.attach(tmp_path, "reader", role)
    fine: dict[str, Any] = {"endpoint": "mark_price", "params": [["sym", BTC]]}
    lookup = {"source": PLACED, "field": "order_id", "param": "sym"}
    queries: list[dict[str, Any]] = [
        {"key": "1", "sources": [PLACED]},
        {"key": "2", "sources": [fine], "lookup": lookup},
        {"key": "3", "sources": [fine], "lookup": {**lookup, "source": GONE}},
        {"key": "4", "sources": [GONE]},
        {"key": "5", "sources": [{**fine, "fallback": {**fine, "fallback": PLACED}}]},
    ]
    for query in queries:
        refused = await peer.call("read", query)
        assert refused["type"] == "refused" and "no reading row 'place_order'" in refused["text"], refused
        # What was refused is not held, and cannot be gone on with.
        assert (await peer.call("read_more", {"key": query["key"]}))["type"] == "answer"
    assert (await peer.call("read", {"key": "fine", "sources": [fine]}))["type"] == "answer"
    await peer.wait_for(lambda message: _has_ended(message, "fine"))
    assert not [message for message in peer.seen if message.get("table") == Table.ANSWERS and "1" in message["rows"]]
    assert sent_at(venue, "60950") == []
    assert not [text for text in owner.texts() if "internal error" in text]
    peer.close()


def _has_ended(message: dict[str, Any], key: str) -> bool:
    """Whether a message holds a list whose reading has ended."""
    row = message["rows"].get(key) if message.get("table") == Table.ANSWERS else None
    return row is not None and row["state"] in ("failed", "whole", "part", "full")


@pytest.mark.parametrize(
    "changes",
    [
        {"row_id": ["nothing", "__class__", "sym"]}, {"own_only": True}, {"row_id": [""]}, {"missing": "x" * 9_000},
        {"lookup": {"source": {"endpoint": "mark_price", "params": [["sym", BTC]]}, "field": "nothing", "param": "sym"}},
    ],
    ids=str,
)  # fmt: skip
async def test_an_invalid_list_query_ends_without_an_internal_error(
    owner: DeskOf, tmp_path: Path, changes: dict[str, Any]
) -> None:
    peer = await Program.attach(tmp_path, "reader", "watch")
    query = {"key": "k", "sources": [{"endpoint": "mark_price", "params": [["sym", BTC]]}], **changes}
    assert (await peer.call("read", query))["type"] == "answer"
    await peer.wait_for(lambda message: _has_ended(message, "k"))
    assert not [text for text in owner.texts() if "internal error" in text]
    peer.close()


async def test_invalid_pairs_in_calls_of_a_peer_are_refused(owner: DeskOf, tmp_path: Path) -> None:
    peer = await Program.attach(tmp_path, "bot", "watch")
    for method, params in (
        ("watch", ["x"]), ("watch", [BTC] * 3_000), ("attend", ["\x1b"]), ("look_at", {"detail": ["x"]}),
        ("look_at", {"books": ["x"]}),
    ):  # fmt: skip
        assert (await peer.call(method, params))["type"] == "refused"
    peer.close()


async def test_b11_a_new_connection_of_a_session_ends_the_former_one(owner: DeskOf, tmp_path: Path) -> None:
    first = await armed(tmp_path, "desk", session="one")
    second = await Program.attach(tmp_path, "desk 2", "desk", session="one")
    with pytest.raises(LinkClosed):
        while True:
            await first.carrier.receive()
    assert second.name == "desk 2"
    await until(lambda: [(peer.name, peer.trading_state) for peer in owner.status().peers] == [("desk 2", "VIEW")])
    for peer in (first, second):
        peer.close()


# -- what is remembered of commands ---------------------------------------------------------------------------------------


async def test_remembered_commands_of_a_sender_are_limited_and_expire(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "MOST_COMMANDS", 3)
    clock = FakeClock()
    log, done = CommandLog(clock), 0

    async def work() -> Outcome:
        nonlocal done
        done += 1
        return Outcome(verdict=Verdict.ACCEPTED, key=str(done))

    for number in range(3):
        assert (await log.run("a", str(number), work)).key == str(number + 1)
    with pytest.raises(ProtocolError, match="too many"):
        await log.run("a", "3", work)
    assert (await log.run("b", "0", work)).key == "4", "another sender is not concerned"
    first = await log.repeat("a", "0")
    assert first is not None and first.key == "1"
    clock.advance(commands.KEPT_S)
    assert (await log.run("a", "3", work)).key == "5"
    assert not log.ask("a", "0").known and log.ask("a", "1").known and done == 5


async def test_an_unanswered_command_is_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "MOST_COMMANDS", 1)
    clock, answered = FakeClock(), asyncio.Event()
    log = CommandLog(clock)

    async def work() -> Outcome:
        await answered.wait()
        return Outcome(verdict=Verdict.ACCEPTED)

    running = asyncio.create_task(log.run("a", "slow", work))
    await asyncio.sleep(0)
    clock.advance(10 * commands.KEPT_S)
    with pytest.raises(ProtocolError, match="too many"):
        await log.run("a", "next", work)
    assert log.ask("a", "slow").known and log.ask("a", "slow").outcome is None
    answered.set()
    assert (await running).verdict is Verdict.ACCEPTED


class Denied:
    """A peer whose orders are all denied."""

    def __init__(self, program: Program, owner: DeskOf, place: Path) -> None:
        self._program = program
        self._owner = owner
        self._file = place

    async def send(self, number: int, kind: str = "place") -> None:
        """Send that many, each of which is answered with the gate's own reason."""
        intent = {"place": self._owner.buy("60000"), "cancel_all": CancelAll(decision=self._owner.buy("1").decision)}
        body = msgspec.to_builtins(intent[kind])
        for at in range(0, number, 50):
            calls = [
                await self._program.begin("submit", {
                    "command": uuid.uuid4().hex, "expires": time.monotonic() + 20, "kind": kind, "intent": body,
                }) for _ in range(min(50, number - at))
            ]  # fmt: skip
            for call in calls:
                answer = await self._program.answer(call)
                assert (answer["result"]["verdict"], answer["result"]["guard"]) == ("denied", "STATE"), answer
            self._program.seen.clear()

    def recorded(self) -> list[dict[str, Any]]:
        """The denials of it that the journal has."""
        entries = [json.loads(entry["payload"]) for entry in journaled(self._file) if entry["kind"] == "denied"]
        return [entry for entry in entries if entry["intent"]["decision"]["peer"] == self._program.name]


async def test_s64_only_some_denials_of_a_peer_are_journaled(
    owner: DeskOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flood = Denied(await Program.attach(tmp_path, "flood", "desk"), owner, tmp_path)
    trader = await Program.attach(tmp_path, "trader", "desk")
    typing = Denied(trader, owner, tmp_path)
    await flood.send(denials.MOST_OF_PEER + 200)
    await flood.send(200, "cancel_all")
    before = len(owner.texts())
    await flood.send(200)
    await typing.send(20)
    await until(lambda: len(typing.recorded()) == 20, 10)
    assert len(flood.recorded()) == denials.MOST_OF_PEER
    said = owner.texts()
    assert sum("flood has too many denials" in text for text in said) == 1 and len(said) - before <= 21
    await trader.call("set_trading_state", "ARMED")
    decision = {**decision_of(owner), "state": "ARMED"}
    body = {**msgspec.to_builtins(owner.buy("60000")), "decision": decision}
    call = {"command": "one", "expires": time.monotonic() + 20, "kind": "place", "intent": body}
    assert (await trader.call("submit", call))["result"]["verdict"] == "accepted"
    monkeypatch.setattr(denials, "WITHIN_S", 0.0)  # the minute is over
    told = "600 denials of other desks and programs were not recorded, most of flood"
    await until(lambda: told in owner.texts(), 10)
    trader.close()


def test_denials_beyond_a_limit_are_counted_and_not_recorded() -> None:
    record = denials.DenialRecord()
    admitted = [record.admit("anna", 0.1 * at) for at in range(denials.MOST_OF_PEER + 5)]
    assert sum(admitted) == denials.MOST_OF_PEER and admitted[-6:] == [True, *[False] * 5]
    assert record.admit("bert", 30) and record.settle_suppressed(59) == ("", 0)
    assert record.settle_suppressed(60) == ("anna", 5) and record.admit("anna", 61)
    others = [record.admit(f"name {at}", 61) for at in range(2 * denials.MOST_IN_ALL)]
    assert sum(others) == denials.MOST_IN_ALL - 1 and not record.admit("bert", 62)
    assert record.settle_suppressed(200)[1] == denials.MOST_IN_ALL + 2 and record.settle_suppressed(300) == ("", 0)


async def test_s64_requests_of_a_program_to_the_trader_are_limited(owner: DeskOf, tmp_path: Path) -> None:
    """Withdrawn at once, so that few wait; each is an event line and two journal entries."""
    program = await Program.attach(tmp_path, "asks")
    wanted = {"sym": BTC, "side": "BUY", "qty": "0.01", "price": "60000", "reason": "again"}
    for _ in range(program_calls.MOST_ASKED):
        call = await program.begin("propose", wanted)
        asked = await program.wait_for(
            lambda message: message.get("table") == "proposals" and any(message["rows"].values())
        )
        [number] = asked["rows"]
        await program.call("withdraw", number)
        assert (await program.answer(call))["result"]["answer"] == "withdrawn"
        program.seen.clear()
    for method, params in (("propose", wanted), ("ask_mandate", MANDATE)):
        refused = (await program.call(method, params))["text"]
        assert refused.startswith(f"{method}: 30 requests within 60 s; nothing is taken for"), refused
    other = await Program.attach(tmp_path, "other")
    assert await other.begin("propose", wanted)
    await other.wait_for(lambda message: message.get("table") == "proposals" and any(message["rows"].values()))
    for peer in (program, other):
        peer.close()


MANDATE = {
    "pairs": [BTC], "order_value": "100", "position_value": "300", "traded_value": "300", "loss": "50",
    "orders_per_minute": 20, "seconds": 60,
    "reason": "x",
}  # fmt: skip


def test_a_rate_limit_counts_only_the_events_of_its_window() -> None:
    pace = RecentEvents(60)
    assert pace.wait_s("a", 2, 0) == 0
    for at in (0, 10, 20):
        pace.note("a", at)
    assert [pace.wait_s("a", most, 20) for most in (2, 3, 4)] == [50, 40, 0]
    assert pace.wait_s("b", 1, 20) == 0 and pace.wait_s("a", 3, 60) == 0 and pace.wait_s("a", 2, 60) == 10
    assert pace.wait_s("a", 1, 80) == 0 and pace._times == {}
