"""What a desk costs at which nothing happens, in counts: wake-ups of the screen and timers of the engine."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from tests.simulation.harness.day import Day
from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.rows import Row, Table
from tui.engine.status_rows import LinkRow, LinkState

MINUTE = 60
MOST_WAKES = 15
"""Of the screen in a minute without quotes: lists that were read again, a connection that was closed and opened."""
MOST_TIMERS = 1_300
"""Of the engine in a minute: ticks, pings and their time-outs, readings."""


class Counted:
    """Counts what the engine publishes loudly and the timers it sets."""

    def __init__(self, desk: Day, patch: pytest.MonkeyPatch) -> None:
        self.loud: Counter[Table] = Counter()
        self.quiet: Counter[Table] = Counter()
        self.timers = 0
        self._put = desk.updates.put
        self._call_at = desk.engine_loop.call_at
        patch.setattr(desk.updates, "put", self.put)
        patch.setattr(desk.engine_loop, "call_at", self.call_at)

    def put(self, table: Table, key: str, row: Row | None, *, quiet: bool = False) -> None:
        (self.quiet if quiet else self.loud)[table] += 1
        self._put(table, key, row, quiet=quiet)

    def call_at(self, when: float, callback: Callable[..., Any], *args: Any, **named: Any) -> Any:
        self.timers += 1
        return self._call_at(when, callback, *args, **named)


def test_an_idle_desk_wakes_the_screen_for_little_but_quotes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def day(desk: Day) -> None:
        await asyncio.sleep(30)
        counted, wakes = Counted(desk, monkeypatch), desk.frame.wakes
        await asyncio.sleep(MINUTE)
        of_quotes = counted.loud[Table.QUOTES] + counted.loud[Table.TICKERS]
        assert counted.quiet[Table.LINKS] >= MINUTE, "ages are as new as before"
        assert desk.frame.wakes - wakes <= MOST_WAKES + of_quotes
        assert counted.timers <= MOST_TIMERS

    Day().play(day)


def test_a_message_after_over_3_s_of_silence_wakes_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    async def day(desk: Day) -> None:
        await asyncio.sleep(10)
        publisher = desk.engine._publisher
        row = publisher._links["private"]
        for silent_s, loud in ((1.0, 0), (3.0, 0), (4.0, 1)):
            counted = Counted(desk, monkeypatch)
            publisher._publish_link(msgspec.structs.replace(row, last_frame=row.last_frame + silent_s))
            publisher._links["private"] = row
            assert (counted.loud[Table.LINKS], counted.quiet[Table.LINKS]) == (loud, 1 - loud)
            monkeypatch.undo()

    Day().play(day)


def link(**fields: Any) -> LinkRow:
    return LinkRow(name="public", state=LinkState.UP, **fields)


def test_a_quiet_update_does_not_wake_the_screen() -> None:
    updates, woken = ConflatingQueue(), list[bool]()
    updates.attach(lambda *, urgent: woken.append(urgent))
    updates.put(Table.LINKS, "public", link(last_frame=1.0), quiet=True)
    updates.put(Table.LINKS, "public", link(last_frame=2.0), quiet=True)
    assert woken == []
    assert updates.take().changed[Table.LINKS]["public"] == link(last_frame=2.0)
    updates.put(Table.LINKS, "public", link(last_frame=3.0), quiet=True)
    updates.put(Table.LINKS, "private", link(last_frame=3.0))
    assert woken == [True]
    assert updates.take().changed[Table.LINKS].keys() == {"public", "private"}


def test_a_burst_of_updates_wakes_the_screen_once() -> None:
    updates, wakes = ConflatingQueue(), list[bool]()
    updates.attach(lambda *, urgent: wakes.append(urgent))
    updates.begin_burst()
    updates.end_burst()
    assert wakes == []
    updates.begin_burst()
    updates.put(Table.QUOTES, "A", None)
    updates.put(Table.QUOTES, "B", None)
    assert wakes == []
    updates.put(Table.ORDERS, "1", None)
    assert wakes == [True]
    updates.take()
    updates.put(Table.QUOTES, "C", None)
    updates.begin_burst()
    updates.end_burst()
    assert wakes == [True], "another connection still takes its burst"
    updates.end_burst()
    assert wakes == [True, False]
    assert set(updates.take().changed[Table.QUOTES]) == {"C"}
    updates.put(Table.QUOTES, "A", None)
    assert wakes == [True, False, False]
