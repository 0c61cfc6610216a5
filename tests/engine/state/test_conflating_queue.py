"""What the screen is handed: the newest row of each key, events up to a bound, and nothing of an account that is gone."""

from __future__ import annotations

import pytest

from tui.engine import conflating_queue
from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.event_line import EventLine, Level
from tui.engine.rows import QuoteRow, Table
from tui.engine.status_rows import LinkRow, LinkState

QUOTE = QuoteRow(sym="BINANCE_PERP_BTC_USDT", bid="60000")
LINK = LinkRow(name="private", state=LinkState.UP)


def line(number: int) -> EventLine:
    return EventLine(wall_ms=number, level=Level.INFO, text=f"event {number}")


def test_a_screen_attached_late_wakes_for_waiting_updates() -> None:
    woken: list[bool] = []
    queue = ConflatingQueue()
    queue.attach(lambda *, urgent: woken.append(urgent))
    assert woken == [], "nothing waits"
    queue.put(Table.QUOTES, QUOTE.sym, QUOTE)
    assert woken == [False]
    later = ConflatingQueue()
    later.put(Table.QUOTES, QUOTE.sym, QUOTE)
    later.attach(lambda *, urgent: woken.append(urgent))
    assert woken == [False, True]


def test_the_oldest_events_over_the_limit_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conflating_queue, "MAX_EVENTS", 3)
    queue = ConflatingQueue()
    for number in range(5):
        queue.put_event(line(number))
    batch = queue.take()
    assert ([one.wall_ms for one in batch.events], batch.dropped_events) == ([2, 3, 4], 2)
    queue.put_event(line(5))
    assert queue.take().dropped_events == 0
