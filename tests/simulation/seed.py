"""One seed: ten virtual minutes of trade and faults, then peace, then the judgement."""

from __future__ import annotations

import asyncio
import gc
import logging
import random
import sys
import time
from collections import Counter
from collections.abc import Awaitable
from types import UnionType

import msgspec
from aiohttp import connector, web_app

from tests.simulation import books, ends
from tests.simulation.checker import check
from tests.simulation.desks.attached import AttachedDesks
from tests.simulation.durations import spent
from tests.simulation.floor import SYM, Floor
from tests.simulation.rates import Rates, drawn
from tests.simulation.trader import Trader
from tests.simulation.violation import Violation
from tests.simulation.weather import Weather
from tui.client.call_expiry import EXPIRED_S
from tui.engine.intents import AlgoIntent, SettingIntent
from tui.engine.orders.dismissal import dismissal_block_reason
from tui.engine.rows import LocalOrderState
from tui.engine.state.command_table import AnyCommand
from tui.interface.families.algo import OPEN_ALGO_STATES
from tui.interface.families.transfers import TransferStatus
from tui.venue.core import exchange
from tui.venue.core.market import marks

# Errors that are made on purpose are told on the screen; nobody reads their log.
logging.getLogger("tui.engine").addHandler(logging.NullHandler())

SYNCED_WITHIN = 15.0
"""From peace to a desk in step, virtual s."""
WINDOWS_WITHIN = 2.0
"""From a desk in step to its attached windows in step, virtual s."""
MARKS_MS = 10_000
SETTLED_WITHIN = EXPIRED_S + 10.0
"""From a desk in step to the end of the last change of a setting, virtual s."""
CONVERGED_WITHIN, CONVERGED_WITHIN_AUDIT = 10.0, 66.0
"""From a desk in step to equal states: without and with pushes that were lost on a live link."""


class Result(msgspec.Struct, kw_only=True):
    """What one seed came to."""

    seed: int
    control: bool
    forced: str = ""
    """The fault or cell that a directed seed is for."""
    virtual_s: float
    commands: int
    frames: int
    reconnects: int
    crashes: int
    faults: dict[str, int]
    matrix: dict[str, int]
    sometimes: dict[str, int]
    varied: dict[str, int] = {}
    """Documented spelling -> how often the service used it."""
    verdicts: dict[str, int]
    unknown: dict[str, int]
    spent: dict[str, dict[int, int]] = {}
    """Virtual times in ms with their counts, by what took them."""
    violations: list[Violation]
    digest: str


# What is imported stays; only the seeds' own objects are looked through.
gc.freeze()


def run(seed: int, minutes: float = 10.0, rates: Rates | None = None, forced: str = "") -> tuple[Result, Floor]:
    """Live one seed; its history is on the floor that is returned.

    Args:
        seed: Its number; everything is drawn from it.
        minutes: Virtual minutes of trade under faults.
        rates: Instead of those that the seed draws.
        forced: The fault or cell that the rates are for, as the result names it.
    """
    # The market is not what is judged: marks come seldom.
    vars(exchange)["PERIOD_MS"] = MARKS_MS
    gc.collect()
    gc.disable()
    try:
        result, floor = _run(seed, minutes, rates)
        return msgspec.structs.replace(result, forced=forced), floor
    finally:
        gc.enable()
        # The library keeps handlers and the clock it was given, and with them every floor of a long range.
        vars(connector)["monotonic"] = time.monotonic
        web_app._cached_build_middleware.cache_clear()
        vars(exchange)["PERIOD_MS"] = marks.PERIOD_MS


def _run(seed: int, minutes: float, rates: Rates | None) -> tuple[Result, Floor]:
    rates = rates or drawn(seed)
    floor = Floor(seed, rates)
    trader = Trader(floor, random.Random(f"{seed}/trader"))
    weather = Weather(floor, rates, seed)
    broken: list[Violation] = []

    async def day() -> None:
        floor.engine.watch(floor.watched())
        await floor.until(lambda: floor.mirror.engine_status is not None and floor.mirror.engine_status.synced)
        trading = asyncio.ensure_future(trader.run())
        if floor.desks is not None:
            windows = floor.desks.windows
            floor.desks.begin([Trader(floor, random.Random(f"{seed}/{one.name}"), one) for one in windows])
        weather.start()
        await asyncio.sleep(minutes * 60)
        trader.trading = False
        if floor.desks is not None:
            floor.desks.stop_trading()
        await weather.clear()
        await _peace(floor, trading, broken)

    try:
        floor.world.run(floor.engine_loop, floor.live(day), within=minutes * 60 + 300)
    except (AssertionError, RuntimeError) as error:
        # A task that failed, time that ran out, or nothing left to do: the seed is broken, the range goes on.
        broken.append(Violation("run", len(floor.history.lines), f"{type(error).__name__}: {error}"))
    broken += check(floor.history.lines)
    if rates.control:
        broken += _false_alarms(floor)
    if floor.engine.tasks.failures != floor.broken:
        told = f"{floor.engine.tasks.failures} internal errors, {floor.broken} of them made: {floor.engine.tasks.error}"
        broken.append(Violation("trouble", 0, told))
    return _result(seed, floor, trader, rates, broken), floor


async def _peace(floor: Floor, trading: Awaitable[None], broken: list[Violation]) -> None:
    """Faults are over: in step soon, equal soon after the trader's last command."""
    loop = asyncio.get_running_loop()
    end = loop.time() + SYNCED_WITHIN
    while not _in_step(floor):
        if loop.time() > end:
            link = floor.mirror.links.get("private")
            broken.append(Violation("I24", len(floor.history.lines), f"not in step after 15 s: {link}"))
            return
        await asyncio.sleep(0.1)
    if floor.desks is not None:
        await _windows_in_step(floor, floor.desks, broken)
        await floor.desks.traded()
    await trading
    patience = CONVERGED_WITHIN_AUDIT if floor.proxy.pushes_lost else CONVERGED_WITHIN
    await _settle_settings(floor, broken)
    await _settle_algos(floor, broken)
    await _settle_moves(floor)
    await _settle_loans(floor)
    end = loop.time() + patience
    while ends.differences(floor) and loop.time() < end:
        await asyncio.sleep(1)
    ends.write_end(floor)


async def _windows_in_step(floor: Floor, desks: AttachedDesks, broken: list[Violation]) -> None:
    """Every attached window is in step soon after the desk."""
    loop = asyncio.get_running_loop()
    end = loop.time() + WINDOWS_WITHIN
    while not desks.in_step and loop.time() < end:
        await asyncio.sleep(0.05)
    broken += [
        Violation("desks", len(floor.history.lines), f"{window.name} is not in step after {WINDOWS_WITHIN:g} s")
        for window in desks.windows
        if not window.in_step
    ]


def _open_commands(floor: Floor, about: UnionType) -> list[AnyCommand]:
    """Commands that are not settled, of some intents."""
    return [one for one in floor.engine.state.commands.open.values() if isinstance(one.intent, about)]


async def _settle_settings(floor: Floor, broken: list[Violation]) -> None:
    """Every change of a setting ends once it can be read back, and the desk then knows what the venue holds."""
    loop, state = asyncio.get_running_loop(), floor.engine.state
    end = loop.time() + SETTLED_WITHIN
    theirs = floor.exchange.queries.leverages(floor.portfolio, SYM)[0].leverage
    # A replica that lags may show a value from before two changes in a row; the next reading of the list repairs that.
    while (_open_commands(floor, SettingIntent) or state.leverages.get(SYM) != theirs) and loop.time() < end:
        await asyncio.sleep(1)
        theirs = floor.exchange.queries.leverages(floor.portfolio, SYM)[0].leverage
    said = [f"{one.key}: {one.state.value}" for one in _open_commands(floor, SettingIntent)]
    if state.leverages.get(SYM) != theirs:
        said.append(f"leverage of {SYM}: {state.leverages.get(SYM)}, at the venue {theirs}")
    broken += [Violation("settings", len(floor.history.lines), one) for one in said]


async def _settle_algos(floor: Floor, broken: list[Violation]) -> None:
    """Every algo command ends once it can be asked about, and the desk then shows what is open at the venue.

    New orders that never arrived stay UNKNOWN; the trader dismisses them as soon as that is possible.
    """
    loop, state = asyncio.get_running_loop(), floor.engine.state
    end = loop.time() + SETTLED_WITHIN
    while (_open_commands(floor, AlgoIntent) or _algo_differences(floor)) and loop.time() < end:
        for row in [row for row in state.algos.rows.values() if row.state == LocalOrderState.UNKNOWN]:
            if not dismissal_block_reason(row, state.settings.limits, state.clock.mono()):
                floor.engine.dismiss(row.key)
        await asyncio.sleep(1)
    said = [f"{one.key}: {type(one.intent).__name__} {one.state.value}" for one in _open_commands(floor, AlgoIntent)]
    broken += [Violation("algos", len(floor.history.lines), one) for one in (*said, *_algo_differences(floor))]


async def _settle_moves(floor: Floor) -> None:
    """Wait until every account command that arrived has its end on the screen, or until that takes too long."""
    loop = asyncio.get_running_loop()
    end = loop.time() + SETTLED_WITHIN
    while loop.time() < end:
        theirs = books.venue_moves(floor)
        shown = books.client_moves(floor).items()
        runs = TransferStatus.RUNNING.name in theirs.values()
        if not runs and all(theirs.get(key) in (None, state) for key, state in shown):
            return
        await asyncio.sleep(1)


async def _settle_loans(floor: Floor) -> None:
    """Wait until every loan that the venue knows has its end on the screen, or until that takes too long."""
    loop = asyncio.get_running_loop()
    end = loop.time() + SETTLED_WITHIN
    while loop.time() < end:
        theirs = books.venue_loans(floor)
        if all(state == "DONE" for key, state in books.client_loans(floor).items() if key in theirs):
            return
        await asyncio.sleep(1)


def _algo_differences(floor: Floor) -> list[str]:
    """Algo orders that only one side has, and triggers in which the two differ."""
    theirs = {
        one.algo_order_id: (one.sl_trigger_price, one.tp_trigger_price, one.conditional_trigger_price)
        for one in floor.exchange.queries.algos(floor.portfolio)
        if one.order_state in OPEN_ALGO_STATES
    }
    ours = {
        row.record.algo_order_id: (
            row.record.sl_trigger_price, row.record.tp_trigger_price, row.record.conditional_trigger_price,
        )
        for row in floor.mirror.algos.values()
    }  # fmt: skip
    return [
        f"algo order {name}: {ours.get(name)} here, {theirs.get(name)} at the venue"
        for name in sorted(ours.keys() | theirs.keys())
        if ours.get(name) != theirs.get(name)
    ]


def _in_step(floor: Floor) -> bool:
    desk = floor.mirror.engine_status
    quoted = all(row.subscribed for row in floor.mirror.quotes.values())
    return desk is not None and desk.synced and floor.proxy.ready and quoted


def _false_alarms(floor: Floor) -> list[Violation]:
    """Without a fault nothing may look wrong."""
    return [
        Violation("false alarm", line.n, f"{line.cid} is shown {line.state} {line.conflict}")
        for line in floor.history.lines
        if line.who == "display" and (line.state == "UNKNOWN" or line.conflict)
    ]


def _result(seed: int, floor: Floor, trader: Trader, rates: Rates, broken: list[Violation]) -> Result:
    proxy, lines = floor.proxy, floor.history.lines
    floor.sometimes["snapshot_older_than_push"] += _older_reads(floor)
    unknown = _unknown(floor)
    return Result(
        seed=seed,
        control=rates.control,
        virtual_s=floor.world.now,
        commands=proxy.commands,
        frames=proxy.frames,
        reconnects=proxy.connects - floor.life,
        crashes=floor.life - 1,
        faults=dict(sorted(proxy.faults.items())),
        matrix=dict(sorted(floor.matrix.items())),
        sometimes={name: count for name, count in sorted(floor.sometimes.items()) if count},
        varied=dict(sorted(proxy.varied.items())),
        verdicts=dict(sorted(trader.verdicts.items())),
        unknown=unknown,
        spent=spent(lines, floor.synced),
        violations=broken,
        digest=f"{len(lines)} {floor.history.digest}",
    )


def _older_reads(floor: Floor) -> int:
    """Records of a list that came after a newer push."""
    newest: dict[str, int] = {}
    count = 0
    for line in floor.history.lines:
        if line.who == "wire" and line.kind == "order" and line.source == "push":
            newest[line.oid] = max(line.update, newest.get(line.oid, 0))
        elif line.who == "wire" and line.kind == "order" and line.source == "snapshot":
            count += line.update < newest.get(line.oid, 0)
    return count


def _unknown(floor: Floor) -> dict[str, int]:
    """UNKNOWN orders: how many there were, and how they ended."""
    last: dict[str, str] = {}
    entered: Counter[str] = Counter()
    for line in floor.history.lines:
        if line.who == "display" and line.kind == "shown":
            if line.state == "UNKNOWN" and last.get(line.cid) != "UNKNOWN":
                entered[line.cid] += 1
            last[line.cid] = line.state
    dismissed = {one.cid for one in floor.history.lines if one.who == "trader" and one.kind == "dismiss"}
    open_still = sum(1 for cid in entered if last[cid] == "UNKNOWN" and cid not in dismissed)
    return {
        "entered": len(entered),
        "dismissed": len(dismissed),
        "never_arrived": open_still,
        "resolved": sum(1 for cid in entered if last[cid] != "UNKNOWN"),
    }


if __name__ == "__main__":
    for text in sys.argv[2:]:
        print(text, run(int(text), float(sys.argv[1]))[0].digest)
