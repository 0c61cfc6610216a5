"""Klines at the end of a bar, beat by beat: the closed bar once, then the running one."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any, cast

from tests.venue.core.drive import PERP, Desk
from tui.interface.families.market import Channel
from tui.venue.core.events import PublicTrade
from tui.venue.core.market.candles import Candles
from tui.venue.shell.streams.channels import PublicMessage, PushBuilder, SequenceNumbers, Subscription, Target
from tui.venue.shell.streams.timed_channels import TimedChannels

TARGET = Target(Channel.KLINE, PERP, "1m")
MINUTE = 60_000
START = 1_722_816_000_000


class Moment:
    """A runtime whose time the test sets."""

    def __init__(self) -> None:
        self.now = START
        self.exchange = Desk().exchange
        self.switches = {"public_ts": "string", "kline_rows": "typed"}
        self.faults = SimpleNamespace(strikes=lambda *_: None)

    def now_ms(self) -> int:
        return self.now

    def exit_delay(self) -> float:
        return 0.0


class Ear:
    def __init__(self) -> None:
        self.wanted: dict[Target, Subscription] = {TARGET: Subscription()}
        self.rows: list[list[Any]] = []
        self.pushes = cast(PushBuilder, None)

    def push(self, frame: PublicMessage, delay: float = 0.0) -> None:
        self.rows += json.loads(frame.text)["data"]


def closes(ear: Ear) -> list[tuple[int, str, str, bool]]:
    return [((row[0] - START) // MINUTE, row[4], row[5], row[6]) for row in ear.rows]


async def test_a_closed_candle_is_pushed_once_and_then_the_next_one() -> None:
    moment, candles, ear = Moment(), Candles(), Ear()
    runtime = cast(Any, moment)
    timed = TimedChannels(runtime, PushBuilder(runtime, candles, SequenceNumbers(0)), SequenceNumbers(0), lambda: [ear])

    def trade(price: str, at: int) -> None:
        candles.add_events([PublicTrade(PERP, price, "0.5", "buy", "1", START + at)])

    trade("60000", 100)
    moment.now = START + 200
    timed.begin(ear, TARGET, ear.wanted[TARGET])
    assert closes(ear) == [(0, "60000", "0.5", False)]
    ear.wanted[TARGET].due = 0.0
    trade("60001", 300)
    trade("60002", MINUTE - 1)
    trade("60010", MINUTE + 1)
    moment.now = START + MINUTE + 10
    ear.rows.clear()
    for _ in range(3):
        timed.tick()
    assert closes(ear) == [(0, "60002", "1.5", True), (1, "60010", "0.5", False)]
    ear.rows.clear()
    moment.now = START + 2 * MINUTE
    timed.tick()
    assert closes(ear) == [(1, "60010", "0.5", True)]
    moment.now = START + 3 * MINUTE
    timed.tick()
    assert closes(ear)[1:] == [(2, "60010", "0", True)]
    ear.wanted.clear()
    timed.tick()
    await asyncio.sleep(0)
    assert not timed.is_scheduled
