"""Figures of a campaign of kills, and what the venue's own record and the journal say of them."""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec

from tests.client.fakes import until
from tests.desk_protocol.desks import BTC, DeskOf, orders_of
from tests.desk_protocol.steady_trader import MOST_OPEN, Mark, SteadyTrader, mark_of
from tests.venue.shell.conftest import Venue
from tui.engine.intents import CancelAll, Verdict
from tui.engine.journal.journal_file import read_all
from tui.engine.rows import DayRow, Fact, OrderRow, Table
from tui.interface.families.positions import PositionRecord
from tui.rules.day_result import DAY_MS

LATE_SLACK_MS = 250
"""Time that an order which left at the last moment may take to the venue on a busy machine, ms."""
WORKING = ("NEW", "OPEN", "PARTIALLY_FILLED")
WRONG = (
    "twice", "told_wrong", "not_written", "state", "working_missed", "lost_fill", "miscounted_fill", "position",
    "over_limit", "late",
)  # fmt: skip


class Report(msgspec.Struct, kw_only=True):
    """Figures of a run; all of `wrong` must be 0, and none of `accepted`."""

    kills_of_owners: int = 0
    kills_of_windows: int = 0
    kills_of_servers: int = 0
    kills_of_gateways: int = 0
    pauses_of_owners: int = 0
    """Times that an owner stood still, from less than a window notices to longer than a command holds."""
    orders: int = 0
    fills: int = 0
    limit_of_open: int = MOST_OPEN
    most_open: int = 0
    """Most orders that were open at the venue at once."""
    verdicts: dict[str, int] = {}
    denials: dict[str, int] = {}
    """Denials by guard."""
    asked: int = 0
    """Questions that traders confirmed."""
    dismissed: int = 0
    """Wishes to dismiss an order that never arrived."""
    accepted_by_desk: list[int] = []
    accepted: list[int] = []
    """Orders accepted from one kill to the next, of the desk with the fewest."""
    in_step_s: list[float] = []
    """Times from the readiness of a new owner, gateway or server to the last window in step, s."""
    wrong: dict[str, int] = msgspec.field(default_factory=lambda: dict.fromkeys(WRONG, 0))

    @property
    def failures(self) -> dict[str, int]:
        """What was wrong, and intervals and desks without an accepted order."""
        found = {name: number for name, number in self.wrong.items() if number}
        idle = self.accepted.count(0) + self.accepted_by_desk.count(0)
        return found | ({"without_accepted": idle} if idle else {})


class Interval:
    """Interval between two kills: how many orders of each desk were accepted."""

    def __init__(self, desks: Iterable[SteadyTrader], report: Report) -> None:
        self._desks = list(desks)
        self._report = report
        self._before = [desk.accepted for desk in self._desks]

    async def go_on(self, seconds: float = 30.0) -> None:
        """Wait until each desk had an order accepted; which had none is told by the report."""
        before = [desk.accepted for desk in self._desks]
        try:
            await until(
                lambda: all(desk.accepted > last for desk, last in zip(self._desks, before, strict=True)), seconds
            )
        except TimeoutError:
            print([desk.window.status().read_only or dict(desk.guards) for desk in self._desks], file=sys.stderr)

    def end(self) -> None:
        """Note the interval; the next one begins."""
        for desk in self._desks:
            desk.see_fills()
        now = [desk.accepted for desk in self._desks]
        self._report.accepted.append(min(after - last for after, last in zip(now, self._before, strict=True)))
        self._before = now


def read_pages(venue: Venue, path: str) -> list[dict[str, Any]]:
    """Read all pages of a list of the venue."""
    rows: list[dict[str, Any]] = []
    for page in range(1, 1_000):
        found = venue.data("GET", path, {"page": str(page), "pageSize": "1000"})["list"]
        rows += found
        if len(found) < 1000:
            break
    return rows


def fills_of(venue: Venue) -> dict[str, dict[str, Any]]:
    """Every fill that the venue made, by its id."""
    return {row["transactionId"]: row for row in read_pages(venue, "/api/v1/trading/executions/pageable")}


async def settled(venue: Venue, desk: DeskOf) -> list[dict[str, str]]:
    """Wait until a desk has asked for what it missed, for 10 s at most; return the venue's record of orders."""
    ids = {row["clientOrderId"] for row in orders_of(venue)}
    # What the venue never got stays UNKNOWN until the trader dismisses it.
    await until(lambda: not [row for row in unsure(desk) if row.client_order_id in ids], 60)
    for _ in range(50):
        trial, held = Report(), orders_of(venue)
        judge_rows(trial, desk, held)
        judge_account(trial, desk, fills_of(venue))
        if not any(trial.wrong.values()):
            break
        await asyncio.sleep(0.2)
    return held


def unsure(desk: DeskOf) -> list[OrderRow]:
    """The orders of which the desk does not know whether they arrived."""
    return [row for row in desk.orders().values() if row.state in ("UNKNOWN", "SENT")]


def judge_trader(report: Report, trader: SteadyTrader, held: list[dict[str, str]]) -> None:
    """Compare what a window was told with the venue's record of orders."""
    count = Counter(map(mark_of, held))
    wanted = {Verdict.ACCEPTED: {1}, Verdict.UNKNOWN: {0, 1}}
    report.wrong["twice"] += sum(count[mark] > 1 for mark in trader.outcomes)
    for mark, outcome in trader.outcomes.items():
        verdict = outcome.verdict
        report.verdicts[verdict.value] = report.verdicts.get(verdict.value, 0) + 1
        report.wrong["told_wrong"] += count[mark] not in wanted.get(verdict, {0})
    for guard, number in trader.guards.items():
        report.denials[guard] = report.denials.get(guard, 0) + number
    report.asked += trader.asked
    report.dismissed += trader.dismissed
    report.accepted_by_desk.append(trader.accepted)
    judge_times(report, trader.expires, held)


def judge_times(report: Report, expires: Mapping[Mark, int], held: list[dict[str, str]]) -> None:
    """Count orders that the venue made after the expiry of their command."""
    for row in held:
        ends = expires.get(mark_of(row))
        report.wrong["late"] += ends is not None and int(row["createAt"]) > ends + LATE_SLACK_MS


def judge_written(report: Report, home: Path, held: list[dict[str, str]]) -> None:
    """Compare what windows wrote down before they sent with their orders at the venue."""
    written: dict[Mark, int] = {}
    for line in (home / "written").read_text().splitlines():
        price, qty, ends = line.split()
        written[Mark(Decimal(price), Decimal(qty))] = int(ends)
    sent = Counter(map(mark_of, held))
    report.wrong["twice"] += sum(count > 1 for count in sent.values())
    report.wrong["not_written"] += len(sent.keys() - written)
    judge_times(report, written, held)


def judge_rows(report: Report, desk: DeskOf, held: list[dict[str, str]]) -> None:
    """Compare the orders of a desk with the venue's record: every state is the venue's, and none that works is missing."""
    states = {row["clientOrderId"]: row["orderState"] for row in held}
    rows = {row.client_order_id: row for row in desk.orders().values() if row.order_id}
    working = {key for key, state in states.items() if state in WORKING}
    report.orders = len(held)
    report.wrong["state"] += sum(states.get(key) != row.state for key, row in rows.items())
    report.wrong["working_missed"] += len(working ^ {key for key, row in rows.items() if not row.final})


def judge_limit(report: Report, held: list[dict[str, str]]) -> None:
    """Count orders that the venue made while as many as the limit were open."""
    moves = [(int(row["createAt"]), 1) for row in held]
    moves += [(int(row["updateAt"]), -1) for row in held if row["orderState"] not in WORKING]
    opened = 0
    # Of one millisecond, ends come first: never more are counted than were open.
    for _, step in sorted(moves):
        opened += step
        report.most_open = max(report.most_open, opened)
        report.wrong["over_limit"] += step > 0 and opened > MOST_OPEN


def judge_account(report: Report, desk: DeskOf, made: Mapping[str, Mapping[str, Any]]) -> None:
    """Compare position and number of fills of a desk with the fills that the venue made."""
    tables = desk.screen.look().tables
    held = sum(_quantity_of(row) for row in tables.get(Table.POSITIONS, {}).values() if isinstance(row, Fact))
    signed = sum(Decimal(row["quantity"]) * (1 if row["side"] == "BUY" else -1) for row in made.values())
    report.wrong["position"] += held != signed
    for row in tables.get(Table.DAYS, {}).values():
        if isinstance(row, DayRow) and row.sym == BTC:
            of_day = [fill for fill in made.values() if int(fill["createAt"]) // DAY_MS * DAY_MS == row.day_ms]
            report.wrong["miscounted_fill"] += abs(row.sums.fills - len(of_day))


def _quantity_of(row: Fact[Any]) -> Decimal:
    record = row.record
    return Decimal(record.position_qty) if isinstance(record, PositionRecord) and record.sym == BTC else Decimal(0)


async def judge_seen(report: Report, venue: Venue, traders: list[SteadyTrader]) -> None:
    """Count fills of the venue that a window which lived through all kills never showed, once it had time to."""
    made = fills_of(venue).keys()
    with suppress(TimeoutError):
        await until(lambda: all(made <= trader.see_fills() for trader in traders), 20)
    report.wrong["lost_fill"] += sum(len(made - trader.seen) for trader in traders)


def judge_journal(
    report: Report, home: Path, held: list[dict[str, str]], made: Mapping[str, Mapping[str, Any]]
) -> None:
    """Count fills of the venue that the journal has not, and orders whose intent it has not."""
    entries, damage = read_all(home / "journal.db")
    assert not damage, damage
    known = {entry.client_order_id for entry in entries if entry.kind == "intent"}
    report.wrong["not_written"] += sum(row["clientOrderId"] not in known for row in held)
    seen = {json.loads(entry.payload)["transactionId"] for entry in entries if entry.kind == "fill"}
    report.fills = len(made)
    report.wrong["lost_fill"] += len(made.keys() - seen)


async def judge_desk(
    report: Report, venue: Venue, home: Path, desk: DeskOf, traders: Iterable[SteadyTrader]
) -> list[dict[str, str]]:
    """Judge what the desk that holds the account says once it is in step, and end it; return the venue's record."""
    held, made = await settled(venue, desk), fills_of(venue)
    for trader in traders:
        judge_trader(report, trader, held)
    judge_rows(report, desk, held)
    judge_limit(report, held)
    judge_account(report, desk, made)
    stopped = await desk.submit(CancelAll(decision=desk.buy("1").decision, kill=True))
    assert stopped.verdict is Verdict.ACCEPTED, stopped
    await desk.end()
    judge_journal(report, home, held, made)
    return held


async def judge_killed(venue: Venue, home: Path, desk: DeskOf) -> Report:
    """Judge the orders of windows that were killed or stood still, all of which wrote down what they sent; end the desk."""
    report = Report()
    judge_written(report, home, await judge_desk(report, venue, home, desk, []))
    return report


def publish(report: Report, file: Path | None) -> int:
    """Print the figures, and write them to a file; return the exit code, 1 if anything was wrong."""
    times = {"in_step_median_s": statistics.median(report.in_step_s), "in_step_max_s": max(report.in_step_s)}
    told = {"command": " ".join(sys.argv[1:]), **msgspec.to_builtins(report), **times}
    print(json.dumps(told))
    if file is not None:
        file.write_text(json.dumps(told, indent=1) + "\n")
    if report.failures:
        print(f"wrong: {report.failures}", file=sys.stderr)
    return 1 if report.failures or not report.accepted else 0
