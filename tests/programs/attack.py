"""Programs that attack their mandates, and a judge: `python -m tests.programs.attack --mandates N --seed S [--json F]`.

Each mandate has terms of the seed. Under it several calls at a time are sent that keep to the terms, break them by a
little, name orders of others, come twice or late. It ends by time, a revocation, the kill switch, the end of the program
or not at all. The judge reads the owner's journal and the venue's own record of orders; it shares no code with the gate.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import deque
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec

from tests.busy import limit
from tests.client.fakes import until
from tests.desk_protocol.desks import BTC, DeskOf, Program, journaled, orders_of, start_owner
from tests.programs.losses import Losses, QuotesSeen
from tests.venue.shell.conftest import Venue
from tui.desk_protocol.carrier import LinkClosed
from tui.engine.intents import CancelAll
from tui.engine.limits import Limits
from tui.engine.modes import RiskMode
from tui.engine.rows import QuoteRow, Table
from tui.engine.settings import EngineSettings
from tui.engine.status_rows import MandateRow
from tui.interface import decimals

ETH = "BINANCE_PERP_ETH_USDT"
TICKS = {BTC: Decimal("0.1"), ETH: Decimal("0.01")}
WIDE = EngineSettings(
    pulse=0.02,
    limits=Limits(first_of_day=False, runaway_count=10_000, max_open=1_000, max_open_sym=1_000, duplicate=0.0),
)
"""Limits that keep out of the mandates' way."""
CALLS = 40
"""Calls under a mandate."""
AT_ONCE = 6
ENDS = ("revoke", "kill", "leave", "time", "stays")


class Report(msgspec.Struct, kw_only=True):
    """Figures of a run; all of `wrong` must be 0."""

    mandates: int = 0
    calls: int = 0
    sent: int = 0
    denied: int = 0
    guards: dict[str, int] = {}
    """Number of denials by the check that denied."""
    filled_orders: int = 0
    ends: dict[str, int] = {}
    ended_by_loss: int = 0
    wrong: dict[str, int] = msgspec.field(
        default_factory=lambda: dict.fromkeys(
            (
                "order_value",
                "position_value",
                "traded_value",
                "pair",
                "side",
                "pace",
                "loss",
                "after_the_end",
                "left_working",
                "unknown_to_gate",
            ),
            0,
        )
    )


class Attack:
    """Attack on the mandates of one desk."""

    def __init__(self, owner: DeskOf, venue: Venue, home: Path, seed: int) -> None:
        self._owner, self._venue, self._home = owner, venue, home
        self._random = random.Random(seed)
        self._made = 0
        self._past = {row["orderId"] for row in orders_of(venue)}
        """Orders that the account had before."""
        self.report = Report()
        self._quotes = QuotesSeen()

    async def run(self, mandates: int) -> None:
        """Play this many mandates, one after the other."""
        watching = asyncio.create_task(self._watch_quotes())
        try:
            await self._play(mandates)
        finally:
            watching.cancel()

    async def _watch_quotes(self) -> None:
        """Note what a position could be closed at, all the time."""
        while True:
            for sym in TICKS:
                quote = self._owner.screen.look().tables[Table.QUOTES][sym]
                assert isinstance(quote, QuoteRow)
                if quote.bid and quote.ask:
                    self._quotes.note(sym, time.monotonic(), quote.bid, quote.ask)
            await asyncio.sleep(WIDE.pulse)

    async def _play(self, mandates: int) -> None:
        for number in range(mandates):
            program = await Program.attach(self._home, f"bot-{number}")
            terms = self._draw_terms()
            if await self._grant(program, terms):
                await self._use(program, terms)
            with suppress(LinkClosed):
                program.close()
            await until(lambda: not self._owner.status().peers, limit(20))
            self.report.mandates += 1

    def _draw_terms(self) -> dict[str, Any]:
        draw = self._random
        return {
            "pairs": draw.choice(([BTC], [ETH], [BTC, ETH])),
            "side": draw.choice(("BUY", "SELL", "BOTH", "BOTH")),
            "order_value": str(draw.choice((300, 700, Decimal("1234.56")))),
            "position_value": str(draw.choice((700, 1_500, Decimal("987.65")))),
            "traded_value": str(draw.choice((900, 2_000, Decimal("3210.98"), 20_000))),
            "loss": str(draw.choice((Decimal("0.3"), 2, 10, 1_000))),
            "orders_per_minute": draw.choice((5, 20, 100)),
            "seconds": draw.choice((1, 60, 600)),
            "reason": "attack",
        }

    async def _grant(self, program: Program, terms: dict[str, Any]) -> bool:
        asking = asyncio.ensure_future(program.call("ask_mandate", terms))
        await until(lambda: self._asked() or asking.done(), limit(10))
        self._owner.thread.grant(self._asked())
        return bool((await asking)["result"]["mandate"])

    def _asked(self) -> str:
        rows = self._owner.screen.look().tables.get(Table.MANDATES, {}).values()
        return next((row.key for row in rows if isinstance(row, MandateRow) and not row.granted), "")

    async def _use(self, program: Program, terms: dict[str, Any]) -> None:
        keys: list[str] = []
        self._recent: deque[dict[str, Any]] = deque(maxlen=5)
        end = self._random.choice(ENDS)
        self.report.ends[end] = self.report.ends.get(end, 0) + 1
        ends_at = self._random.randrange(1, CALLS // AT_ONCE)
        for number in range(CALLS // AT_ONCE):
            calls = [self._draw_call(program, terms, keys) for _ in range(AT_ONCE)]
            waiting = [await program.begin(method, params) for method, params in calls]
            if number == ends_at:
                await self._end(program, end, terms)
            with suppress(LinkClosed):
                for call in waiting:
                    self._count(await program.answer(call), keys)
            if end == "leave" and number == ends_at:
                return

    def _count(self, answer: dict[str, Any], keys: list[str]) -> None:
        self.report.calls += 1
        result = answer.get("result")
        verdict = result.get("verdict") if isinstance(result, dict) else ""
        self.report.sent += verdict == "accepted"
        if isinstance(result, dict) and verdict == "denied":
            self.report.denied += 1
            self.report.guards[result["guard"]] = self.report.guards.get(result["guard"], 0) + 1
        if isinstance(result, dict) and verdict == "accepted" and result["key"] and result["key"] not in keys:
            keys.append(result["key"])

    async def _end(self, program: Program, end: str, terms: dict[str, Any]) -> None:
        await asyncio.sleep(self._random.uniform(0, 0.02))  # a moment of the seed, so that calls are under way
        if end == "revoke":
            self._owner.thread.revoke()
        elif end == "kill":
            await self._owner.submit(CancelAll(decision=self._owner.buy("1").decision, kill=True))
            self._owner.thread.set_risk_mode(RiskMode.NORMAL)
        elif end == "leave":
            program.close()
        elif end == "time" and terms["seconds"] == 1:
            await until(lambda: not self._owner.screen.look().tables.get(Table.MANDATES), limit(10))

    def _draw_call(self, program: Program, terms: dict[str, Any], keys: list[str]) -> tuple[str, dict[str, Any]]:
        draw = self._random
        if self._recent and draw.random() < 0.1:
            repeated = draw.choice(list(self._recent))
            return repeated["method"], repeated["params"]
        self._made += 1
        late = draw.random() < 0.05
        start = float(program.welcome["result"]["mono"])
        params: dict[str, Any] = {"command": f"c{self._made}", "expires": start - 5 if late else start + 25}
        kind = draw.choice(("place", "place", "place", "replace", "cancel"))
        if kind == "place" or not keys:
            kind, params["order"] = "place", self._draw_order(terms)
        else:
            params["key"] = draw.choice((*keys, *keys, "nobody"))
        if kind == "replace":
            order = self._draw_order(terms)
            params |= {"price": order["price"], "qty": order["qty"]}
        self._recent.append({"method": kind, "params": params})
        return kind, params

    def _draw_order(self, terms: dict[str, Any]) -> dict[str, Any]:
        """An order near a boundary of the terms: at it, a step within, a step beyond, or far from it."""
        draw = self._random
        sym = draw.choice((*terms["pairs"] * 4, BTC, ETH))
        allowed = ("BUY", "SELL") if terms["side"] == "BOTH" else (terms["side"],) * 4 + ("BUY", "SELL")
        side = draw.choice(allowed)
        quote, tick = self._owner.screen.look().tables[Table.QUOTES][sym], TICKS[sym]
        assert isinstance(quote, QuoteRow)
        touch = Decimal(quote.bid if side == "BUY" else quote.ask)
        away = draw.choice((-60, -20, 20, 60, 100))
        price = touch - away * tick if side == "BUY" else touch + away * tick
        most = Decimal(draw.choice((terms["order_value"], terms["order_value"], terms["position_value"], "150")))
        step = Decimal("0.001")
        qty = max(step, (most / price // step + draw.choice((-3, -1, 0, 0, 1, 4))) * step)
        return {
            "sym": sym, "side": side, "qty": format(qty, "f"), "price": format(price, "f"),
            "time_in_force": draw.choice(("GTC", "GTX", "IOC")), "reduce_only": draw.random() < 0.1,
        }  # fmt: skip

    # Judge

    def judge(self) -> None:
        """Replay the journal, and compare it with the venue's record."""
        held = {row["clientOrderId"]: row for row in orders_of(self._venue) if row["orderId"] not in self._past}
        judge = Judge(self.report, Losses(self._quotes))
        for entry in journaled(self._home):
            judge.read(entry)
        known = judge.meant.keys()
        self.report.wrong["unknown_to_gate"] += sum(cid not in known for cid in held)
        for cid, order in judge.meant.items():
            row = held.get(cid)
            if row is None or order["reduce_only"]:
                continue
            self.report.filled_orders += Decimal(row["executedQty"]) > 0
            working = row["orderState"] in ("NEW", "OPEN", "PARTIALLY_FILLED")
            self.report.wrong["left_working"] += working


class Judge:
    """Reader of a journal that knows the terms of each mandate and what its orders may come to at every moment."""

    def __init__(self, report: Report, losses: Losses) -> None:
        self._report = report
        self._wrong = report.wrong
        self._losses = losses
        self._terms: dict[str, dict[str, Any]] = {}
        self.meant: dict[str, dict[str, Any]] = {}
        """Orders of programs by client order id."""
        self._replaces: dict[str, str] = {}

    def read(self, entry: dict[str, Any]) -> None:
        """Take the next entry."""
        payload = entry["payload"]
        if entry["kind"] == "mandate":
            told = json.loads(payload)
            if isinstance(told.get("granted"), dict):
                self._terms[told["granted"]["peer"]] = {**told["granted"], "times": []}
            elif isinstance(told.get("ended"), dict):
                self._read_end(told, entry["mono"])
        elif entry["kind"] == "intent":
            self._read_intent(json.loads(payload), entry)
        elif entry["kind"] in ("push", "query", "snapshot") and entry["client_order_id"] in self.meant:
            record, order = json.loads(payload), self.meant[entry["client_order_id"]]
            order["executed"] = max(order["executed"], Decimal(record.get("executedQty", "0")))
            order["ended"] = record["orderState"] in ("FILLED", "CANCELLED", "REJECT", "EXPIRED")
        elif entry["kind"] == "fill" and entry["client_order_id"] in self.meant:
            order, record = self.meant[entry["client_order_id"]], json.loads(payload)
            order["fills"] += Decimal(record["quantity"])
            self._losses.add(order["peer"], entry["mono"], record)
        elif entry["kind"] == "not_sent" and entry["client_order_id"] in self.meant:
            self.meant[entry["client_order_id"]]["ended"] = True

    def _read_end(self, told: dict[str, Any], at: float) -> None:
        """Take the end of a mandate, which a loss had to bring at once."""
        terms = self._terms.pop(told["ended"]["peer"], None)
        is_loss = told["why"].startswith("its loss of")
        self._report.ended_by_loss += is_loss
        if terms is not None and not is_loss:
            self._wrong["loss"] += self._losses.least(terms["peer"], at) >= Decimal(terms["loss"])

    def _read_intent(self, told: dict[str, Any], entry: dict[str, Any]) -> None:
        intent = told["intent"]
        peer = intent.get("decision", {}).get("peer", "")
        if not peer.startswith("bot-") or told["kind"] == "Cancel":
            return
        terms = self._terms.get(peer)
        if terms is None:
            self._wrong["after_the_end"] += 1
            return
        key = intent["key"] if told["kind"] == "Replace" else entry["client_order_id"]
        order = self.meant.setdefault(
            key, {"peer": peer, "price": Decimal(0), "qty": Decimal(0), "executed": Decimal(0), "fills": Decimal(0),
                  "ended": False, "sym": "",
                  "side": "", "reduce_only": intent.get("reduce_only", False)},
        )  # fmt: skip
        order["sym"], order["side"] = intent.get("sym", order["sym"]), intent.get("side", order["side"])
        price, qty = Decimal(intent["price"]), Decimal(intent["qty"])
        order["price"], order["qty"] = max(order["price"], price), max(order["qty"], qty)
        self._judge(terms, order, price, qty, entry["mono"])

    def _judge(self, terms: dict[str, Any], order: dict[str, Any], price: Decimal, qty: Decimal, at: float) -> None:
        self._wrong["pair"] += order["sym"] not in terms["pairs"]
        self._wrong["side"] += terms["side"] not in ("BOTH", order["side"])
        terms["times"].append(at)
        recent = [time for time in terms["times"] if at - time < 59.9]
        self._wrong["loss"] += self._losses.least(terms["peer"], at) >= Decimal(terms["loss"])
        self._wrong["pace"] += len(recent) > terms["orders_per_minute"]
        if order["reduce_only"]:
            return
        self._wrong["order_value"] += price * qty > Decimal(terms["order_value"])
        total = sum(
            (one["executed"] if one["ended"] else one["qty"]) * one["price"]
            for one in self.meant.values()
            if one["peer"] == terms["peer"] and not one["reduce_only"]
        )
        self._wrong["traded_value"] += total > Decimal(terms["traded_value"])
        self._wrong["position_value"] += self._most_position(terms["peer"], order) * price > Decimal(
            terms["position_value"]
        )

    def _most_position(self, peer: str, order: dict[str, Any]) -> Decimal:
        """Position on the order's side, in coins, if all orders of the program on that side were filled."""
        most = Decimal(0)
        for one in self.meant.values():
            if one["peer"] != peer or one["sym"] != order["sym"]:
                continue
            filled = max(one["executed"], one["fills"])
            if one["side"] != order["side"]:
                most -= filled
            else:
                most += filled if one["ended"] or one["reduce_only"] else max(filled, one["qty"])
        return most


def has_quote(owner: DeskOf, sym: str) -> bool:
    """Whether the desk has both sides of a pair's quote."""
    quote = owner.screen.look().tables.get(Table.QUOTES, {}).get(sym)
    return isinstance(quote, QuoteRow) and bool(quote.bid and quote.ask)


async def attack(mandates: int, seed: int, home: Path) -> Report:
    """Attack that many mandates on a desk and a venue of their own."""
    venue = Venue("--seed", str(seed), "--set", "rate_profile=off")
    try:
        owner = start_owner(venue, home, WIDE)
        await owner.in_step()
        owner.thread.watch((BTC, ETH))
        await until(lambda: all(has_quote(owner, sym) for sym in TICKS), limit(20))
        run = Attack(owner, venue, home, seed)
        await run.run(mandates)
        await until(
            lambda: not [row for row in owner.orders().values() if row.working and not row.reduce_only], limit(60)
        )
        await owner.end()
        run.judge()
        return run.report
    finally:
        venue.stop()


def main() -> int:
    """Run it; the exit code is 1 if anything was wrong."""
    reader = argparse.ArgumentParser(prog="python -m tests.programs.attack")
    reader.add_argument("--mandates", type=int, default=20)
    reader.add_argument("--seed", type=int, required=True)
    reader.add_argument("--json", type=Path)
    asked = reader.parse_args()
    decimals.setup()
    with tempfile.TemporaryDirectory() as home:
        report = asyncio.run(attack(asked.mandates, asked.seed, Path(home)))
    told = {"command": " ".join(sys.argv[1:]), **msgspec.to_builtins(report)}
    print(json.dumps(told))
    if asked.json is not None:
        asked.json.write_text(json.dumps(told, indent=1) + "\n")
    return 1 if any(report.wrong.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
