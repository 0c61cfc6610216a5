"""What books beside fills makes the day's sums uncertain until the statement was read, and brings that reading forward."""

from __future__ import annotations

from tests.engine.conftest import StateRig
from tui.engine.rows import Fact, Source
from tui.engine.state.engine_state import BOOKED_WITHIN, HOUR_MS
from tui.interface.families.assets import AssetRecord
from tui.interface.families.positions import PositionRecord


def test_daily_pnl_is_partial_after_a_liquidation_until_read(bare: StateRig) -> None:
    state = bare.state
    assert state.bookings_are_read()
    state.expect_booking()
    assert not state.bookings_are_read()
    state.note_bookings_read(bare.clock.mono())
    assert not state.bookings_are_read(), "its row may stand there a moment later"
    bare.clock.advance(BOOKED_WITHIN + 0.1)
    state.note_bookings_read(bare.clock.mono())
    assert state.bookings_are_read()


def test_daily_pnl_is_partial_at_each_hour_with_a_position(bare: StateRig) -> None:
    state = bare.state
    assert state.bookings_are_read()
    bare.clock.advance(HOUR_MS / 1000)
    assert state.bookings_are_read(), "nothing is held: nothing is booked"
    record = PositionRecord(sym="S", position_qty="1")
    state.facts.positions.rows["S/NONE"] = Fact(record, state.stamp(Source.PUSH))
    bare.clock.advance(HOUR_MS / 1000)
    assert not state.bookings_are_read()


def test_daily_pnl_is_partial_at_each_hour_with_a_loan(bare: StateRig) -> None:
    state = bare.state
    assert state.bookings_are_read()
    record = AssetRecord(coin="USDT", exchange_type="BINANCE", balance="1000", debt="0", loan="100")
    state.facts.assets.rows["BINANCE/USDT"] = Fact(record, state.stamp(Source.PUSH))
    bare.clock.advance(HOUR_MS / 1000)
    assert not state.bookings_are_read(), "the interest of a portfolio loan is a cost of the day like that of a debt"
