"""One running total of a day's fills: the loss limit and the P&L pane say the same of any rows."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.client.fakes import FakeClock
from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.rows import Source, Stamp, Table
from tui.engine.state.fill_table import MOST_SUMS, FillTable
from tui.interface import decimals
from tui.interface.families.history import TradeRecord
from tui.rules import pnl
from tui.rules.day_result import DAY_MS, DayResult
from tui.workstation.model.mirror import Mirror
from tui.workstation.model.realised_pnl import RealisedPnl

TODAY = 19_700
STAMP = Stamp("7001", 1, 0, Source.SNAPSHOT, 0.0)
PERP, SPOT, OKX = "BINANCE_PERP_BTC_USDT", "BINANCE_SPOT_BTC_USDT", "OKX_PERP_ETH_USDT"


def fill(name: str = "1", **changes: object) -> TradeRecord:
    values: dict[str, object] = {
        "transaction_id": name,
        "order_id": "7",
        "sym": PERP,
        "side": "BUY",
        "quantity": "0.5",
        "price": "60000",
        "create_at": str(TODAY * DAY_MS + 5),
        **changes,
    }
    return TradeRecord(**values)  # type: ignore[arg-type]


figure = st.decimals(min_value=-10_000, max_value=10_000, allow_nan=False, allow_infinity=False, places=8).map(str)
rows = st.lists(
    st.builds(
        fill,
        st.integers(1, 40).map(str),
        sym=st.sampled_from([PERP, SPOT, OKX, "odd"]),
        price=st.sampled_from(["60000", "3000.5", "0.1"]),
        rpnl=st.one_of(figure, st.just("")),
        fee=figure,
        fee_coin=st.sampled_from(["USDT", "BTC", "ETH", "BNB", ""]),
        rebate=st.one_of(st.just("0"), figure),
        rebate_coin=st.sampled_from(["USDT", "BTC", ""]),
        create_at=st.sampled_from([TODAY - 1, TODAY]).map(lambda day: str(day * DAY_MS + 7)),
    ),
    max_size=60,
)


@given(rows)
def test_loss_limit_and_pnl_pane_use_exactly_the_same_pnl(records: list[TradeRecord]) -> None:
    updates, clock = ConflatingQueue(), FakeClock()
    table, mirror = FillTable(updates, 10), Mirror(clock)
    table.roll_day(TODAY * DAY_MS)
    for record in records:
        table.fold(record, STAMP)
        mirror.apply(updates.take())
    booked = RealisedPnl(mirror)
    groups = [one for group, one in booked.groups().items() if group.day == "2023-12-09"]
    today = [one for one in records if one.create_at == str(TODAY * DAY_MS + 7)]
    first = {(one.transaction_id, one.sym, decimals.optional(one.price)): one for one in reversed(today)}
    expected = sum((pnl.fill_net(one) for one in first.values()), Decimal(0))
    assert table.day.net == RealisedPnl.sum_bookings(groups).net == expected
    assert table.day.total.fills == RealisedPnl.sum_bookings(groups).fills == len(first)
    assert table.day.total.incomplete == RealisedPnl.sum_bookings(groups).incomplete
    assert len(mirror.fills) <= 10


def test_a_fill_that_arrives_twice_counts_once() -> None:
    table = FillTable(ConflatingQueue(), 10)
    assert table.fold(fill(rpnl="5"), STAMP)
    assert not table.fold(fill(rpnl="5"), STAMP)
    assert table.fold(fill("2", rpnl="5"), STAMP)
    assert table.day.net == 10 and table.day.total.fills == 2


def test_a_restored_fill_is_counted_and_not_reported_again() -> None:
    updates = ConflatingQueue()
    table = FillTable(updates, 10)
    day = DayResult()
    day.add(fill("1", rpnl="5"))
    table.restore({"1": TODAY * DAY_MS + 5}, day, TODAY * DAY_MS, TODAY * DAY_MS + 6)
    assert not table.fold(fill("1", rpnl="5"), STAMP)
    assert table.day.net == 5
    assert updates.take().changed[Table.FILLS]["1"] is not None


@pytest.mark.parametrize(
    "other", [{"side": "SELL"}, {"price": "60001"}, {"order_id": "8"}, {"create_at": str(TODAY * DAY_MS + 60_006)}]
)
def test_a_reused_fill_id_is_another_fill_and_the_day_is_partial(other: dict[str, str]) -> None:
    table = FillTable(ConflatingQueue(), 10)
    table.counted_from_ms, table.caught_up = TODAY * DAY_MS, True
    assert table.fold(fill("1", rpnl="5"), STAMP)
    before = table.day_is_whole
    again = fill("1", rpnl="3", **other)
    assert table.fold(again, STAMP) and not table.fold(again, STAMP)
    assert (table.day.net, table.day.total.fills, before, table.day_is_whole) == (Decimal(8), 2, True, False)
    assert table.take_repeated() == [again] and table.take_repeated() == []


def test_a_fill_written_another_way_in_a_list_counts_once() -> None:
    table = FillTable(ConflatingQueue(), 10)
    assert table.fold(fill("1", quantity="0.50"), STAMP)
    assert not table.fold(fill("1", price="60000.0", create_at=str(TODAY * DAY_MS + 900)), STAMP)
    assert not table.day.repeats


def test_i17_sums_of_fills_are_kept_of_the_newest_orders_alone() -> None:
    table = FillTable(ConflatingQueue(), 10)
    for number in range(MOST_SUMS + 2):
        table.fold(fill(str(number), order_id=str(number), algo_order_id=str(number + 1), rpnl="5"), STAMP)
    assert len(table.of_orders) == len(table.of_algos) == MOST_SUMS
    assert "1" not in table.of_orders and table.of_orders["2"].result == 5


def test_fills_older_than_the_journal_count_but_are_not_reported() -> None:
    table = FillTable(ConflatingQueue(), 10)
    table.set_journal_begin(TODAY * DAY_MS + 6)
    assert not table.fold(fill("1", rpnl="5"), STAMP)
    assert table.fold(fill("2", rpnl="1"), Stamp("7001", 1, 0, Source.PUSH, 0.0))
    assert table.day.net == 6


@pytest.mark.parametrize("printed", ["0.5", "-0.5"])
def test_a_rebate_counts_as_income_whatever_its_sign(printed: str) -> None:
    one = fill(rpnl="5", fee="0.2", rebate=printed, rebate_coin="USDT")
    assert pnl.fill_result(one).rebate == Decimal("0.5")
    assert pnl.fill_net(one) == Decimal("5.3")


def test_a_fee_in_a_third_coin_makes_the_sum_incomplete() -> None:
    one = pnl.fill_result(fill(rpnl="5", fee="0.01", fee_coin="BNB"))
    assert one.gross == 5 and one.fee == 0 and one.incomplete == 1
    one = pnl.fill_result(fill(rpnl="5", fee="0.001", fee_coin="BTC"))
    assert one.fee == 60 and not one.incomplete


@pytest.mark.parametrize(
    ("counted_from", "caught_up", "whole"),
    [(0, True, False), (TODAY * DAY_MS, True, True), (TODAY * DAY_MS, False, False)],
)
def test_daily_pnl_is_complete_only_if_read_from_the_days_start(
    counted_from: int, caught_up: bool, whole: bool
) -> None:
    table = FillTable(ConflatingQueue(), 10)
    table.roll_day(TODAY * DAY_MS + 5)
    table.counted_from_ms, table.caught_up = counted_from, caught_up
    assert table.day_is_whole is whole
    table.counted_from_ms = TODAY * DAY_MS + 1
    assert not table.day_is_whole


def test_daily_pnl_of_a_new_day_starts_at_zero() -> None:
    table = FillTable(ConflatingQueue(), 10)
    table.fold(fill(rpnl="5"), STAMP)
    table.roll_day((TODAY + 1) * DAY_MS)
    assert table.day.net == 0
    table.fold(fill("2", rpnl="5"), STAMP)
    assert table.day.net == 0, "a fill of yesterday"


def test_a_fill_dated_in_the_future_does_not_begin_a_new_day() -> None:
    """It took the place of the day's result, and with it what the loss limit had counted."""
    updates = ConflatingQueue()
    table = FillTable(updates, 10)
    table.roll_day(TODAY * DAY_MS)
    tomorrow = fill("2", rpnl="-3", create_at=str((TODAY + 1) * DAY_MS + 5))
    far = fill("3", rpnl="-1", create_at=str((TODAY + 9) * DAY_MS))
    for record in (fill(rpnl="-5"), tomorrow, far):
        table.fold(record, STAMP)
        table.fold(record, STAMP)
    assert (table.day.day, table.day.net, table.day.total.fills) == (TODAY, Decimal(-9), 3)
    updates.take()
    table.roll_day((TODAY + 1) * DAY_MS)
    assert table.day.net == -3, "the one that is dated so"
    assert list(updates.take().changed[Table.DAYS]) == [f"{TODAY + 1}/{PERP}"]
    for record in (tomorrow, far):
        table.fold(record, STAMP)
    assert table.day.net == -3, "listed again"
