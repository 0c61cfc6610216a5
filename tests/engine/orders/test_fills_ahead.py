"""Fills ahead of the record of an order: where they count."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import pytest

from tests.client.fakes import PORTFOLIO
from tests.engine.conftest import SYM, StateRig
from tests.engine.connections.test_epochs import nothing
from tests.simulation.harness.day import Day
from tui.engine.event_line import Level
from tui.engine.rows import Fact, LocalOrderState, OrderRow, Source, Stamp
from tui.engine.state.closing_orders import list_triggers, reduces_leg
from tui.engine.sync.push_handler import PushHandler
from tui.interface.families.history import TradeRecord
from tui.interface.families.orders import OrderRecord
from tui.interface.families.positions import PositionRecord
from tui.interface.streams import PrivateChannel
from tui.programs.records import read_order

STAMP = Stamp("7001", 1, 0, Source.PUSH, 0.0)


def an_order(**more: object) -> OrderRow:
    """An order of 1, of which 0.4 has filled; its record does not say so yet."""
    fields: dict[str, object] = {"side": "SELL", "state": "OPEN", "qty": "1", "known_fills": "0.4", **more}
    return OrderRow(key="o", client_order_id="o", sym=SYM, position_side="NONE", stamp=STAMP, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(("held", "reduces"), [("0.6", True), ("0.5", False)])
def test_an_order_closes_if_its_unfilled_rest_fits_the_position(held: str, reduces: bool) -> None:
    """Else a scope that spares closing orders cancels it: the position is that after the fill."""
    position = Fact(PositionRecord(sym=SYM, position_side="NONE", position_qty=held), STAMP)
    assert reduces_leg(an_order(reduce_only=True), {f"{SYM}/NONE": position}) is reduces


@pytest.mark.parametrize("leg", ["NONE", "NET", ""])
def test_attached_stop_counts_from_the_first_fill_of_its_order(leg: str) -> None:
    """NET and an empty side are one-way mode too."""
    position = PositionRecord(sym=SYM, position_side=leg, position_qty="0.4")
    assert list(list_triggers(position, [], [an_order(side="BUY", sl_trigger="59000")])) == [("59000", "")]
    unfilled = an_order(side="BUY", sl_trigger="59000", known_fills="0")
    assert list(list_triggers(position, [], [unfilled])) == []


def test_programs_get_no_average_until_it_covers_all_known_fills() -> None:
    ahead = read_order(an_order(executed="0.1", average="60000"))
    assert (ahead.filled, ahead.average) == (Decimal("0.4"), None)
    reached = read_order(an_order(executed="0.40", average="60000"))
    assert (reached.filled, reached.average) == (Decimal("0.4"), Decimal(60000))
    assert not an_order(qty="0.4", executed="0.40", known_fills="7").is_behind_fills


def test_an_unknown_order_is_queried_soon_after_its_fills_came() -> None:
    """Behind a failed query the next came up to a minute later, and it stayed UNKNOWN although all its fills had come."""
    day = Day()

    async def plays(_: Day) -> None:
        heals = [day.swallow("in", words) for words in (b'"channel":"orders"', b'"event":"place_order"')]
        heals.append(day.swallow("out", b"GET /api/v1/trading/"))
        key = (await day.take_and_rest()).key
        await day.shows(key, LocalOrderState.UNKNOWN)
        await asyncio.sleep(330)
        day.somebody_sells("0.005", day.at_venue(key).limit_price)
        await day.until(lambda: day.row(key).is_filled)
        await asyncio.sleep(35)
        assert day.row(key).state == LocalOrderState.UNKNOWN, (
            "fills alone end nothing: its fees and average are not known"
        )
        for heal in heals:
            heal()
        healed_at = day.world.now
        await day.shows(key, "FILLED")
        assert day.world.now - healed_at < 10, "a query that waits for its answer, and the next one"

    day.play(plays)


def push_close(bare: StateRig, order: str, result: str) -> list[tuple[str, Level]]:
    """Push what a SELL of 1 brings, in an order of fills (`1`, `2`) and its record (`o`); return the lines about it."""
    handler = PushHandler(bare.state, query_now=nothing, look_up=nothing, position_changed=nothing)
    bare.state.orders.add(an_order(order_id="77", known_fills="0", qty="1.0"))
    filled = OrderRecord(
        portfolio_id=PORTFOLIO, order_id="77", client_order_id="o", sym=SYM, side="SELL", order_state="FILLED",
        order_qty="1.0", executed_qty="1", executed_avg_price="60000", update_at="3",
    )  # fmt: skip
    for what in order:
        fill = TradeRecord(
            transaction_id=what, portfolio_id=PORTFOLIO, order_id="77", client_order_id="o", sym=SYM, side="SELL",
            quantity="0.5", price="60000", rpnl=result, create_at="2",
        )  # fmt: skip
        channel, record = (PrivateChannel.ORDERS, filled) if what == "o" else (PrivateChannel.TRADES, fill)
        handler.push(bare.state.epoch, channel, [record], 1.0)
    return [(event.text, event.level) for event in bare.screen.look().events if event.key == "o"]


@pytest.mark.parametrize(("result", "level"), [("0.6", Level.GOOD), ("-0.6", Level.INFO)])
def test_the_last_event_line_of_a_close_says_its_result(bare: StateRig, result: str, level: Level) -> None:
    """Only the line of a stop or target said what it had earned."""
    said = push_close(bare, "12o", result)
    text, shown = said[-1]
    assert f"FILLED avg 60,000, result {Decimal(result) * 2:+.2f} USDT before fees" in text and shown is level, said
    assert sum("result" in line for line, _ in said) == 1


def test_a_fill_after_the_end_of_a_close_says_the_whole_result(bare: StateRig) -> None:
    """No line waits for a fill, and none tells a part of the result."""
    said = [text for text, _ in push_close(bare, "1o2", "0.6")]
    assert ["result" in text for text in said] == [False, False, True], said
    assert said[-1].startswith("FILL SELL") and said[-1].endswith(
        ", with the fills before: result +1.20 USDT before fees"
    )


def test_a_small_result_of_a_close_is_not_shown_as_zero(bare: StateRig) -> None:
    """A picture of the tour said `result -0.00 USDT`."""
    assert "result -0.0010 USDT before fees" in push_close(bare, "12o", "-0.0005")[-1][0]


def test_event_lines_of_an_opening_order_say_no_result(bare: StateRig) -> None:
    assert not any("result" in text for text, _ in push_close(bare, "12o", "0"))


@pytest.mark.parametrize(
    ("cancel_type", "executed", "follows"),
    [("REDUCE_ONLY", "0", True), ("USER", "0", False), ("REDUCE_ONLY", "0.4", False)],
)
def test_an_exit_cancelled_with_its_position_is_a_passing_event(
    bare: StateRig, cancel_type: str, executed: str, follows: bool
) -> None:
    handler = PushHandler(bare.state, query_now=nothing, look_up=nothing, position_changed=nothing)
    bare.state.orders.add(an_order(order_id="77", known_fills="0", qty="1.0"))
    record = OrderRecord(
        portfolio_id=PORTFOLIO, order_id="77", client_order_id="o", sym=SYM, side="SELL", order_state="CANCELLED",
        order_qty="1.0", executed_qty=executed, cancel_type=cancel_type, update_at="3",
    )  # fmt: skip
    handler.push(bare.state.epoch, PrivateChannel.ORDERS, [record], 1.0)
    event = bare.screen.look().events[-1]
    assert (event.passes, event.key) == (follows, "" if follows else "o"), event
