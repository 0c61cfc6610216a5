"""Several readers of one engine: each gets every row, at its own pace, and the account's rows go with the account."""

from __future__ import annotations

import threading
from functools import partial

import pytest

from tests.engine.state.test_conflating_queue import LINK, QUOTE, line
from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.life.table_hub import TableHub
from tui.engine.rows import Row, Table


def test_a_late_reader_gets_known_rows_and_then_every_change() -> None:
    screen = ConflatingQueue()
    hub = TableHub(screen)
    hub.put(Table.QUOTES, QUOTE.sym, QUOTE)
    hub.put(Table.LINKS, "private", LINK)
    hub.put(Table.LINKS, "private", None)
    late = hub.open_queue()
    assert late.take().changed == {Table.QUOTES: {QUOTE.sym: QUOTE}}
    hub.put(Table.LINKS, "public", LINK)
    assert late.take().changed == {Table.LINKS: {"public": LINK}}
    hub.close_queue(late)
    hub.put(Table.LINKS, "public", None)
    assert late.take().changed == {}
    assert screen.take().changed[Table.LINKS] == {"private": None, "public": None}


def test_a_reader_opened_in_a_burst_is_woken_at_its_end() -> None:
    hub = TableHub(ConflatingQueue())
    hub.begin_burst()
    late, woken = hub.open_queue(), threading.Event()
    late.attach(lambda *, urgent: woken.set())
    hub.put(Table.QUOTES, QUOTE.sym, QUOTE)
    assert not woken.is_set()
    hub.end_burst()
    assert woken.is_set()
    late.take()
    woken.clear()
    hub.put(Table.QUOTES, QUOTE.sym, QUOTE)
    assert woken.is_set()


def test_rows_put_together_reach_every_reader_together() -> None:
    """Each reader takes what waits as soon as it is woken."""
    screen = ConflatingQueue()
    hub = TableHub(screen)
    taken: list[dict[str, Row | None]] = []

    def read(queue: ConflatingQueue, urgent: bool) -> None:
        del urgent
        taken.append(queue.take().changed[Table.QUOTES])

    for queue in (screen, hub.open_queue()):
        queue.attach(partial(read, queue))
    rows: dict[str, Row | None] = {QUOTE.sym: QUOTE, "other": QUOTE, "gone": None}
    hub.put_rows(Table.QUOTES, rows)
    assert taken == [rows, rows]
    assert hub.open_queue().take().changed[Table.QUOTES] == {QUOTE.sym: QUOTE, "other": QUOTE}


def test_missed_event_lines_can_be_read_by_their_number() -> None:
    hub = TableHub(ConflatingQueue())
    for number in range(5):
        hub.put_event(line(number))
    lines, gone = hub.events_after(2)
    assert ([(one.seq, one.wall_ms) for one in lines], gone) == ([(3, 2), (4, 3), (5, 4)], 0)


def test_switching_account_clears_account_rows_only() -> None:
    queue = ConflatingQueue()
    hub = TableHub(queue)
    hub.put(Table.QUOTES, QUOTE.sym, QUOTE)
    for key in ("private", "public", "gone"):
        hub.put(Table.LINKS, key, LINK)
    hub.put(Table.LINKS, "gone", None)
    queue.take()
    hub.forget_account()
    assert queue.take().changed == {Table.LINKS: {"private": None, "public": None}}
    hub.forget_account()
    assert queue.take().changed == {}, "they are gone from the screen already"


@pytest.mark.parametrize("table", Table)
def test_switching_account_keeps_only_account_independent_rows(table: Table) -> None:
    """A row of the former account beside those of the new one would be a figure of somebody else."""
    queue = ConflatingQueue()
    hub = TableHub(queue)
    hub.put(table, "key", QUOTE)
    queue.take()
    hub.forget_account()
    market = {
        "symbols", "quotes", "funding", "tickers", "depth", "prints", "bars", "brackets", "discounts", "loans",
        "interest", "loan_config", "engine_status",
    }  # fmt: skip
    assert queue.take().changed == ({} if table in market else {table: {"key": None}})
