"""Reading fills page by page, on from the last word, however old it is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from tests.client.fakes import PORTFOLIO
from tests.engine.conftest import SYM, StateRig
from tui.client.rest import CallFailed
from tui.engine.event_line import Level
from tui.engine.journal.journal_rows import Entry
from tui.engine.rows import OrderRow, Source, Stamp
from tui.engine.state.fill_table import OVERLAP_MS
from tui.engine.sync.fill_reader import ARCHIVE_MS, MAX_SINGLE_NOTICES, RECENT_MS, FillReader, fill_level
from tui.engine.sync.session_recovery import SessionRecovery
from tui.interface.endpoint import Endpoint
from tui.interface.errors import ErrorClass
from tui.interface.families.history import EXECUTIONS, EXECUTIONS_ARCHIVE, EXECUTIONS_PAGED, TradeRecord
from tui.interface.paging import Page
from tui.rules.day_result import DAY_MS


def fill(name: int, at: int) -> TradeRecord:
    return TradeRecord(
        transaction_id=str(name), portfolio_id=PORTFOLIO, order_id="7", sym=SYM, side="BUY", quantity="1", price="2",
        rpnl="1", create_at=str(at),
    )  # fmt: skip


class Service:
    """Lists fills newest first, as many as fit on a page."""

    def __init__(self, fills: list[TradeRecord]) -> None:
        self.fills = fills
        self.calls: list[tuple[str, dict[str, str]]] = []
        self.missing: tuple[Endpoint, ...] = ()
        self.down: tuple[Endpoint, ...] = ()
        self.size = 1_000

    async def call(self, endpoint: Endpoint, query: dict[str, str], **_: object) -> Any:
        self.calls.append((endpoint.name, dict(query)))
        if endpoint in self.missing:
            raise CallFailed(ErrorClass.BUG, "HTTP 404: endpoint not offered here", http=404)
        if endpoint in self.down:
            raise CallFailed(ErrorClass.UNSURE, "no answer")
        begin, end = int(query.get("begin", "0")), int(query.get("end", str(2**60)))
        rows = [one for one in reversed(self.fills) if begin <= int(one.create_at) <= end]
        if endpoint is EXECUTIONS:
            return SimpleNamespace(data=rows[: int(query["limit"])])
        page = int(query["page"])
        part = rows[(page - 1) * self.size : page * self.size]
        pages = -(-len(rows) // self.size)
        return SimpleNamespace(
            data=Page(page=page, page_size=self.size, page_num=pages, total_size=len(rows), rows=part)
        )


def reader(bare: StateRig, service: Service) -> FillReader:
    return FillReader(bare.state, service, lambda _: None)  # type: ignore[arg-type]


def known(bare: StateRig) -> tuple[bool, int]:
    """Whether the fills are caught up with, and up to when none is missing."""
    return bare.state.fills.caught_up, bare.state.fills.complete_ms


async def test_many_missed_fills_are_reported_as_a_sum(bare: StateRig) -> None:
    now = bare.state.server_ms()
    service = Service([fill(number, now - 2_500 + number) for number in range(2_500)])
    bare.state.fills.set_journal_begin(now - 10_000)
    fills = reader(bare, service)
    await fills.catch_up()
    assert [name for name, _ in service.calls] == ["executions"] + ["executions_paged"] * 3
    assert bare.state.fills.day.net == 2_500
    assert sum(line.kind == "fill" for line in bare.journal.lines) == 2_500
    said = [line.text for line in bare.screen.look().events if line.away]
    single, many = MAX_SINGLE_NOTICES, 2_500 - MAX_SINGLE_NOTICES
    assert said[0] == f"{many} fills while away, net {many}; the newest {single} follow"
    assert len(said) == 1 + MAX_SINGLE_NOTICES
    await fills.catch_up()
    assert sum(line.kind == "fill" for line in bare.journal.lines) == 2_500, "nothing twice"


async def test_fills_since_an_old_journal_are_read_from_the_archive(bare: StateRig) -> None:
    now = bare.state.server_ms()
    times = (now - 30 * DAY_MS, now - 8 * DAY_MS, now - 6 * DAY_MS, now - 5)
    service = Service([fill(number, at) for number, at in enumerate(times)])
    bare.state.fills.restore({}, bare.state.fills.day, times[0] - 5, times[0] - 5)
    await reader(bare, service).catch_up()
    assert [name for name, _ in service.calls] == ["executions_archive", "executions"]
    assert service.calls[0][1]["begin"] == str(times[0] - 5 - OVERLAP_MS)
    assert service.calls[1][1]["begin"] == str(now - RECENT_MS)
    assert sum(line.kind == "fill" for line in bare.journal.lines) == 4
    assert bare.state.fills.day.net == 1, "of today"


async def test_fills_are_read_without_an_archive_endpoint(bare: StateRig) -> None:
    now = bare.state.server_ms()
    service = Service([fill(1, now - 5)])
    service.missing = (EXECUTIONS_ARCHIVE,)
    bare.state.fills.restore({}, bare.state.fills.day, now - 400 * DAY_MS, now - 400 * DAY_MS)
    await reader(bare, service).catch_up()
    assert service.calls[0][1]["begin"] == str(now - ARCHIVE_MS)
    assert bare.state.fills.caught_up and bare.state.fills.day.net == 1
    assert bare.screen.said("fills older than seven days cannot be read")


async def test_a_failed_fill_archive_query_is_repeated(bare: StateRig) -> None:
    now = bare.state.server_ms()
    service = Service([fill(1, now - 8 * DAY_MS), fill(2, now - 5)])
    service.down = (EXECUTIONS_ARCHIVE,)
    begin = now - 9 * DAY_MS
    bare.state.fills.restore({}, bare.state.fills.day, begin, begin)
    fills = reader(bare, service)
    with pytest.raises(CallFailed):
        await fills.catch_up()
    assert known(bare) == (False, begin) and not bare.screen.said("fills older than seven days")
    service.down = ()
    await fills.catch_up()
    assert known(bare) == (True, now - 5)
    assert sum(line.kind == "fill" for line in bare.journal.lines) == 2


async def test_fills_read_over_a_reconnect_do_not_count_as_complete(bare: StateRig) -> None:
    """What comes between the two readings would otherwise be missing unnoticed."""
    now = bare.state.server_ms()
    bare.state.fills.set_journal_begin(now - 10_000)
    service = Service([fill(1, now - 5)])
    fills, call = reader(bare, service), service.call

    async def reconnected(endpoint: Endpoint, query: dict[str, str], **_: object) -> Any:
        bare.state.epoch += 1
        return await call(endpoint, query)

    service.call = reconnected  # type: ignore[method-assign]
    await fills.catch_up()
    assert known(bare) == (False, now - 5)
    service.call = call  # type: ignore[method-assign]
    await fills.catch_up()
    assert known(bare) == (True, now - 5)


async def test_only_fills_older_than_the_journal_are_not_journaled(bare: StateRig) -> None:
    """Seed 7550: an order filled in the first second of a new journal, and the workstation died in the next."""
    now = bare.state.server_ms()
    service = Service([fill(1, now - 60_000), fill(2, now - 4_000)])
    bare.state.fills.journal_first_ms = int(bare.state.clock.wall() * 1000) - 5_000
    await reader(bare, service).catch_up()
    assert [line.kind for line in bare.journal.lines].count("fill") == 1, "what is older than the journal is history"
    assert bare.state.fills.begin_ms == now - 5_000


def a_session_that_only_saw_pushes(bare: StateRig, now: int) -> Service:
    """One fill older than the journal, one whose push was lost, one that was pushed and journaled; nothing was read."""
    first = int(bare.state.clock.wall() * 1000) - 5_000
    pushed = fill(3, now - 2_000)
    written = (("start", "{}", first), ("fill", msgspec.json.encode(pushed).decode(), first + 3_000))
    bare.journal.lines += [
        Entry(
            seq=number,
            wall_ms=at,
            mono=0.0,
            epoch=1,
            kind=kind,
            intent_id="",
            client_order_id="",
            order_id="",
            payload=text,
        )
        for number, (kind, text, at) in enumerate(written, 1)
    ]
    return Service([fill(1, now - 60_000), fill(2, now - 4_000), pushed])


def journaled(bare: StateRig) -> list[str]:
    lines = [line for line in bare.journal.lines if line.kind == "fill"]
    return [msgspec.json.decode(line.payload, type=TradeRecord).transaction_id for line in lines]


@pytest.mark.parametrize("late", [False, True], ids=["at the start", "when the journal can be read later"])
async def test_a_fill_with_lost_push_is_journaled_from_the_list(bare: StateRig, late: bool) -> None:
    """The newest pushed fill says nothing of earlier ones: fills count from the first entry of the journal on."""
    now = bare.state.server_ms()
    fills = reader(bare, a_session_that_only_saw_pushes(bare, now))
    recovery = SessionRecovery(bare.state)
    if late:
        bare.state.fills.set_journal_begin(now - 10)
        recovery.missed = True
    await recovery.run()
    await fills.catch_up()
    assert journaled(bare) == ["3", "2"]
    assert bare.state.fills.begin_ms == now - 5_000
    assert bare.state.fills.day.total.fills == 3, "the day counts what is listed, each once"


async def test_fills_read_before_a_failed_page_are_kept(bare: StateRig) -> None:
    now = bare.state.server_ms()
    service = Service([fill(number, now - 2_000 + number) for number in range(1_500)])
    service.down = (EXECUTIONS_PAGED,)
    bare.state.fills.set_journal_begin(now - 10_000)
    fills = reader(bare, service)
    with pytest.raises(CallFailed):
        await fills.catch_up()
    assert (bare.state.fills.day.total.fills, known(bare)) == (1_000, (False, now - 10_000))
    service.down = ()
    await fills.catch_up()
    assert (bare.state.fills.day.total.fills, known(bare)) == (1_500, (True, now - 501))
    assert sum(line.kind == "fill" for line in bare.journal.lines) == 1_500


async def test_a_fill_dated_in_the_future_hides_no_other_fills(bare: StateRig) -> None:
    now = bare.state.server_ms()
    service = Service([fill(1, now + 50 * DAY_MS)])
    bare.state.fills.set_journal_begin(now - 10_000)
    await reader(bare, service).catch_up()
    assert bare.state.fills.complete_ms == now


async def test_a_fill_listed_late_is_found_by_overlapping_reads(bare: StateRig) -> None:
    now = bare.state.server_ms()
    service = Service([fill(1, now - 100_000), fill(2, now - 30_000)])
    bare.state.fills.restore({}, bare.state.fills.day, now - 200_000, now - 200_000)
    fills = reader(bare, service)
    await fills.catch_up()
    service.fills.append(fill(3, now - 31_000))
    await fills.catch_up()
    assert bare.state.fills.day.net == 3
    assert sum(line.kind == "fill" for line in bare.journal.lines) == 3


@pytest.mark.parametrize(
    ("rpnl", "origin", "level"),
    [
        ("1", "DMA", Level.GOOD),
        ("0", "DMA", Level.GOOD),
        ("-1", "DMA", Level.INFO),
        ("1", "SYSTEM_LIQ", Level.WARN),
        ("-1", "SYSTEM_REDUCE", Level.WARN),
    ],
)
def test_level_of_a_fill_event_follows_result_and_liquidation(rpnl: str, origin: str, level: Level) -> None:
    order = OrderRow(
        key="7",
        client_order_id="",
        sym=SYM,
        side="BUY",
        origin=origin,
        state="FILLED",
        stamp=Stamp(PORTFOLIO, 1, 1, Source.PUSH, 0.0),
    )
    record = msgspec.structs.replace(fill(1, 1), rpnl=rpnl)
    assert fill_level(record, order) is level
