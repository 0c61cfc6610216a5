"""What books beside fills makes the day's sums uncertain until the statement was read, and brings that reading forward."""

from __future__ import annotations

import pytest
from aiohttp import web

from tests.client.fakes import PORTFOLIO, until
from tests.engine.conftest import Rig, StateRig
from tui.engine.rows import Fact, Source, Table
from tui.engine.state.facts import BOOKED_WITHIN, HOUR_MS
from tui.engine.status_rows import ENGINE, EngineStatusRow
from tui.engine.sync.audits import BOOKINGS_EVERY
from tui.interface.families.assets import AssetRecord
from tui.interface.families.positions import PositionRecord

POSITION = PositionRecord(sym="S", position_qty="1")
LOAN = AssetRecord(coin="USDT", exchange_type="BINANCE", balance="1000", debt="0", loan="100")
DEBT = AssetRecord(coin="USDT", exchange_type="BINANCE", balance="1000", debt="5")


def are_read(rig: StateRig) -> bool:
    return rig.state.facts.bookings.are_read


def tick(rig: StateRig) -> None:
    """What the engine does at each pulse."""
    rig.state.facts.bookings.turn_hour(rig.state.server_ms(), rig.clock.mono())


@pytest.fixture
def begun(bare: StateRig) -> StateRig:
    """A desk that has read the statement once."""
    bare.state.facts.bookings.note_read(bare.clock.mono())
    return bare


def test_daily_pnl_is_partial_until_a_statement_was_read(bare: StateRig) -> None:
    assert not are_read(bare)
    bare.state.facts.bookings.note_read(bare.clock.mono())
    assert are_read(bare)


def test_after_a_liquidation_daily_pnl_waits_for_the_statement(begun: StateRig) -> None:
    bookings, clock = begun.state.facts.bookings, begun.clock
    assert are_read(begun)
    bookings.expect(clock.mono())
    assert not are_read(begun)
    bookings.note_read(clock.mono())
    assert not are_read(begun), "its row may stand there a moment later"
    clock.advance(BOOKED_WITHIN + 0.1)
    bookings.note_read(clock.mono())
    assert are_read(begun)


@pytest.mark.parametrize("record", [POSITION, LOAN, DEBT], ids=["position", "portfolio loan", "margin debt"])
def test_daily_pnl_is_partial_after_a_full_hour_with_a_holding(
    begun: StateRig, record: PositionRecord | AssetRecord
) -> None:
    state = begun.state
    tick(begun)
    begun.clock.advance(HOUR_MS / 1000)
    tick(begun)
    assert are_read(begun), "nothing is held: nothing is booked"
    if isinstance(record, PositionRecord):
        state.facts.positions.rows["S/NONE"] = Fact(record, state.stamp(Source.PUSH))
    else:
        state.facts.assets.rows["BINANCE/USDT"] = Fact(record, state.stamp(Source.PUSH))
    tick(begun)
    assert are_read(begun), "the hour has not turned since"
    begun.clock.advance(HOUR_MS / 1000)
    assert are_read(begun), "a question changes nothing"
    tick(begun)
    assert not are_read(begun)


def test_daily_pnl_is_whole_at_a_start_with_an_open_position(begun: StateRig) -> None:
    begun.state.facts.positions.rows["S/NONE"] = Fact(POSITION, begun.state.stamp(Source.PUSH))
    tick(begun)
    assert are_read(begun)


STATEMENT = "/api/v1/trading/statement"
STEP = {
    "liquidationEventId": "2176000000000001", "portfolioId": PORTFOLIO, "exchangeType": "BINANCE",
    "eventType": "REDUCE", "nodeType": "TRIGGERED", "createAt": "1723161254000",
}  # fmt: skip


def answer_statement(path: str) -> web.Response | None:
    page = {"page": 1, "pageSize": 1000, "pageNum": 1, "totalSize": 0, "list": []}
    return web.json_response({"code": 200000, "message": "", "data": page}) if path == STATEMENT else None


@pytest.mark.hurried
async def test_statements_are_read_at_once_after_a_liquidation(rig: Rig) -> None:
    def is_read() -> bool:
        row = rig.screen.look().tables[Table.ENGINE_STATUS][ENGINE]
        assert isinstance(row, EngineStatusRow)
        return row.bookings_read

    def count_reads() -> int:
        return sum(path == STATEMENT for _, path, _ in rig.fake.calls)

    rig.fake.refuse_rest = answer_statement
    await rig.ready()
    await until(count_reads)
    await until(is_read)
    reads, began = count_reads(), rig.clock.mono()
    await rig.fake.push("LiquidationEvent", STEP)
    await until(lambda: not is_read())
    await until(is_read, 2 * BOOKINGS_EVERY + BOOKED_WITHIN)
    assert count_reads() > reads
    assert rig.clock.mono() - began < rig.settings.audits.statements / 2
