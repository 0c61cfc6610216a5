"""Hostile peers or agents, and a judge: `python -m tests.desk_protocol.hostile --of WHOM --calls N --seed S [--json F]`.

Peers of every role, or an agent, send calls that no honest one makes. The judge reads the owner's journal and the venue's
own record: nothing was sent that the one armed desk did not send once, every call was answered, and the owner goes on.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from tests.client.fakes import until
from tests.desk_protocol.desks import BTC, DeskOf, Program, attach, journaled, orders_of, start_owner
from tests.desk_protocol.hostile_calls import Hostile, HostileCalls
from tests.venue.shell.conftest import STILL, Venue
from tui.desk_protocol.carrier import LinkClosed
from tui.desk_protocol.messages import MOST_CALL_BYTES
from tui.engine.intents import Verdict
from tui.interface import decimals
from tui.interface.text import clean

ROLES = {"watcher": "watch", "proposer": "propose", "viewer": "desk", "armed": "desk"}
WRONG = (
    "accepted_of_others", "sent_by_nobody", "sent_twice", "not_journaled", "consent_taken", "unanswered", "internal_error",
    "unclean_text", "stopped_trading",
)  # fmt: skip


class Report(msgspec.Struct, kw_only=True):
    """Figures of a run; all of `wrong` must be 0."""

    calls: int = 0
    kinds: dict[str, int] = {}
    """Calls by what is hostile in them."""
    refused: int = 0
    denied: int = 0
    accepted: int = 0
    """Orders of the armed desk that were taken: it can trade, or nothing was tested."""
    ended: int = 0
    """Calls that were too long, which ended their sender."""
    wrong: dict[str, int] = msgspec.field(default_factory=lambda: dict.fromkeys(WRONG, 0))

    def count(self, kind: str) -> None:
        """Count a call."""
        self.calls += 1
        self.kinds[kind] = self.kinds.get(kind, 0) + 1


class _Counter(logging.Handler):
    """Counter of errors that the program logs."""

    def __init__(self, report: Report) -> None:
        super().__init__(logging.ERROR)
        self._report = report

    def emit(self, record: logging.LogRecord) -> None:
        self._report.wrong["internal_error"] += 1


@contextmanager
def count_errors(report: Report) -> Iterator[None]:
    """Count what is logged as an error inside the block."""
    counter = _Counter(report)
    logging.getLogger("tui").addHandler(counter)
    try:
        yield
    finally:
        logging.getLogger("tui").removeHandler(counter)


def decision_of(owner: DeskOf) -> dict[str, Any]:
    """The decision of an honest order, as it is sent."""
    decision: dict[str, Any] = msgspec.to_builtins(owner.buy("1").decision)
    return decision


def held(venue: Venue) -> set[str]:
    """The client order ids of every order that the venue ever got."""
    return {row["clientOrderId"] for row in orders_of(venue)}


class Gang:
    """Peers of every role, each of which sends the same kinds of hostile lines."""

    def __init__(self, home: Path, calls: HostileCalls, report: Report) -> None:
        self._home = home
        self._calls = calls
        self._report = report
        self._peers: dict[str, Program] = {}
        self.meant: set[str] = set()
        """Commands that the armed one sent."""

    async def run(self, number: int) -> None:
        """Attach all, and let each send its share."""
        for name in ROLES:
            await self._attach(name)
        names = list(self._peers)
        for at, hostile in enumerate(self._calls.take(number)):
            self._calls.let_in_time(time.monotonic() + 2)
            if at % 100 == 0:
                await self._peers["armed"].call("set_trading_state", "ARMED")
            await self._send(names[at % len(names)], hostile)
        for peer in self._peers.values():
            peer.close()

    async def _attach(self, name: str) -> None:
        self._peers[name] = peer = await Program.attach(self._home, name, ROLES[name], session=name)
        assert peer.name == name
        if name == "armed":
            await peer.call("set_trading_state", "ARMED")

    async def _send(self, name: str, hostile: Hostile) -> None:
        """Send a line, which must be answered or refused, or end its sender if it is too long."""
        peer, report = self._peers[name], self._report
        report.count(hostile.kind.partition(" ")[0])
        if name == "armed" and hostile.command:
            self.meant.add(hostile.command)
        peer.seen.clear()
        too_long = len(hostile.line) > MOST_CALL_BYTES
        try:
            await peer.send(hostile.line)
            answer = await peer.wait_for(lambda message: message["type"] in ("answer", "refused") and not too_long, 20)
        except LinkClosed:
            report.ended += 1
            report.wrong["unanswered"] += not too_long
            peer.close()
            await self._attach(name)
        except TimeoutError:
            report.wrong["unanswered"] += 1
            print(f"{name} got no answer to {hostile.kind}: {hostile.line[:300]!r}", file=sys.stderr)
        else:
            self._judge(name, answer)

    def _judge(self, name: str, answer: dict[str, Any]) -> None:
        report = self._report
        if answer["type"] == "refused":
            report.refused += 1
            report.wrong["internal_error"] += "internal error" in answer["text"]
            report.wrong["unclean_text"] += clean(answer["text"], 2_000) != answer["text"]
            return
        verdict = answer["result"].get("verdict") if isinstance(answer.get("result"), dict) else ""
        report.denied += verdict == "denied"
        report.accepted += verdict == "accepted"
        report.wrong["accepted_of_others"] += verdict == "accepted" and name != "armed"


async def trades_on(owner: DeskOf, home: Path) -> bool:
    """Whether the owner and a new window each have an order accepted, and nobody else is attached."""
    window = attach(home)
    try:
        await window.in_step()
        await window.arm()
        await owner.arm()
        outcomes = [await desk.submit(desk.buy(price)) for desk, price in ((owner, "61100"), (window, "61101"))]
        await until(lambda: [peer.name for peer in owner.status().peers] == ["desk 2"], 10)
    except TimeoutError:
        return False
    finally:
        await window.end()
    return all(outcome.verdict is Verdict.ACCEPTED for outcome in outcomes)


def judge_journal(report: Report, home: Path, meant: set[str], placed: set[str]) -> None:
    """Compare what the venue got with the journal: each by who may send, and each command once."""
    entries = journaled(home)
    commands: list[str] = []
    for entry in entries:
        if entry["kind"] != "intent":
            continue
        payload = json.loads(entry["payload"])
        decision = payload["intent"]["decision"]
        peer, command = decision.get("peer", ""), decision.get("command", "")
        report.wrong["sent_by_nobody"] += peer not in ("", "armed", "desk 2")
        report.wrong["sent_by_nobody"] += bool(peer) and not decision["source"].startswith(peer + ": ")
        report.wrong["sent_by_nobody"] += peer == "armed" and command not in meant
        if peer == "armed" and payload["kind"] == "Place":
            commands.append(command)
    report.wrong["sent_twice"] += len(commands) - len(set(commands))
    sent = {entry["client_order_id"] for entry in entries if entry["kind"] == "sent"}
    report.wrong["not_journaled"] += len(placed ^ (sent - {""}))


async def attack_owner(venue: Venue, home: Path, calls: int, seed: int) -> Report:
    """Send that many calls to an owner of its own, and judge it."""
    report, before = Report(), held(venue)
    with count_errors(report):
        owner = start_owner(venue, home)
        await owner.in_step()
        await owner.arm()
        gang = Gang(home, HostileCalls(seed, decision_of(owner), BTC), report)
        await gang.run(calls)
        report.wrong["stopped_trading"] += not await trades_on(owner, home)
        texts = owner.texts()
        await owner.end()
    report.wrong["unclean_text"] += sum(clean(text, 2_000) != text or len(text) > 1_200 for text in texts)
    judge_journal(report, home, gang.meant, held(venue) - before)
    return report


async def attack_by(whom: str, calls: int, seed: int, home: Path) -> Report:
    """Attack an owner with a venue of its own."""
    if whom == "peers":
        venue = Venue(*STILL, "--set", "rate_profile=off", "--control")
        try:
            return await attack_owner(venue, home, calls, seed)
        finally:
            venue.stop()
    from tests.agents.hostile import attack_by_agent
    from tests.venue.walk.world import World, start

    walked = start()
    try:
        owner = start_owner(World(walked).venue, home)
        await owner.in_step()
        try:
            return await attack_by_agent(walked, owner, home, calls, seed)
        finally:
            await owner.end()
    finally:
        with suppress(TimeoutError):
            walked.stop()


def main() -> int:
    """Run it; the exit code is 1 if anything was wrong."""
    reader = argparse.ArgumentParser(prog="python -m tests.desk_protocol.hostile")
    reader.add_argument("--of", choices=("peers", "agents"), default="peers")
    reader.add_argument("--calls", type=int, default=1_200)
    reader.add_argument("--seed", type=int, required=True)
    reader.add_argument("--json", type=Path)
    asked = reader.parse_args()
    decimals.setup()
    with tempfile.TemporaryDirectory() as home:
        report = asyncio.run(attack_by(asked.of, asked.calls, asked.seed, Path(home)))
    told = {"command": " ".join(sys.argv[1:]), **msgspec.to_builtins(report)}
    print(json.dumps(told))
    if asked.json is not None:
        asked.json.write_text(json.dumps(told, indent=1) + "\n")
    return 1 if any(report.wrong.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
