"""Stops and targets are named where a question would end them, or leave a position without one."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.algo_rows import BTC, put_algo, put_whole_stop
from tests.workstation.driver import desk, open_kill
from tui.engine.intents import CancelAll, ReplaceAlgo
from tui.engine.rows import LocalOrderState, Table
from tui.workstation.input.scopes import Scope
from tui.workstation.plain.readings import Readings


@pytest.mark.parametrize(("width", "height", "cell"), [(160, 45, "SL 63,000.0 for 0.200"), (80, 24, "63,000.0½")])
async def test_a_stop_for_part_of_a_position_shows_its_size(width: int, height: int, cell: str) -> None:
    async with desk(width, height) as at:
        put_algo(at, "7001", condition_type="PARTIAL_CLOSE_POSITION", order_qty="0.200")
        await at.settle()
        await at.press("3")
        assert cell in at.line_of("positions", "BTC", "LONG")
        await at.press("ctrl+q")
        words = " ".join(" ".join(line.strip("│ ") for line in at.text().split("\n")).split())
        assert "(SL 63,000.0 for 0.200)" in words and "SL 63,000.0 for 0.200 of BINANCE BTC perp" in words


async def test_quit_lists_stops_in_the_order_they_fire_and_targets() -> None:
    async with desk(160, 45) as at:
        put_algo(at, "7001", sl_trigger_price="63000", condition_type="ENTIRE_CLOSE_POSITION", order_qty="")
        put_algo(at, "7002", sl_trigger_price="63500", condition_type="ENTIRE_CLOSE_POSITION", order_qty="")
        put_algo(
            at, "7003", sl_trigger_price="", tp_trigger_price="66000", condition_type="ENTIRE_CLOSE_POSITION",
            order_qty="",
        )  # fmt: skip
        await at.settle()
        await at.press("ctrl+q")
        words = " ".join(" ".join(line.strip("│ ") for line in at.text().split("\n")).split())
        assert "(SL 63,500.0 SL 63,000.0 TP 66,000.0)" in words
        assert "keep closing orders: SL 63,500.0, SL 63,000.0, TP 66,000.0 of" in words
        assert "BINANCE BTC perp LONG 2.500 (SL 63,500.0 SL 63,000.0 TP 66,000.0)" in at.app.describe_left_at_venue()


async def test_quit_leaves_out_an_unknown_order_whose_fills_all_came() -> None:
    async with desk(160, 45) as at:
        unknown = next(order for order in at.app.mirror.orders.values() if order.state == LocalOrderState.UNKNOWN)
        assert "UNKNOWN BUY" in at.app.describe_left_at_venue()
        at.port.put(Table.ORDERS, unknown.key, msgspec.structs.replace(unknown, known_fills=unknown.qty))
        await at.settle()
        left = at.app.describe_left_at_venue()
        assert "UNKNOWN" not in left and "3 orders stay live at the venue" in left


async def test_close_and_kill_list_stops_in_the_order_they_fire() -> None:
    async with desk(160, 45) as at:
        put_algo(at, "7000", sl_trigger_price="", tp_trigger_price="66000")
        put_algo(at, "7001")
        put_algo(at, "7002", sl_trigger_price="63500")
        await at.select_leg()
        await at.press("f")
        assert "closes the position; will end: SL 63,500.0, SL 63,000.0, TP 66,000.0" in at.text()
        assert ": SL 63,500.0 SL 63,000.0 for 1.000 TP 66,000.0" in "".join(Readings(at.app.view, []).positions())
        await open_kill(at)
        assert "a stop for only a part of: BINANCE BTC perp LONG 2.500 (SL 63,500.0 SL 63,000.0 for" in at.flat_text()


async def test_quit_prompt_lists_open_positions_and_their_stops() -> None:
    async with desk(160, 45) as at:
        put_whole_stop(at)
        await at.settle()
        await at.press("ctrl+q")
        text = at.text()
        assert "stays open: BINANCE BTC perp LONG" in text and "(SL 63,000.0)" in text
        assert "BINANCE ETH perp LONG" in text and "(no stop)" in text
        assert "keep closing orders: SL 63,000.0 of BINANCE BTC perp" in text
        said = at.app.describe_left_at_venue()
        assert (
            "4 orders stay live at the venue:\n" in said
            and "1 algo order stays live at the venue:\n  stop SELL" in said
        )
        assert "  OPEN BUY 25ct OKX BTC perp at 63,880.0 client id " in said and "_PERP_" not in said
        assert "3 positions stay open:\n  BINANCE BTC perp LONG 2.500 (SL 63,000.0)\n" in said and "(no stop)" in said
        at.clock.pass_by(0.3)
        await at.press("down", "y")
        [intent] = at.port.intents
        assert isinstance(intent, CancelAll) and intent.kill and intent.spare_closing


async def test_key_p_on_a_position_with_a_stop_offers_to_move_it() -> None:
    async with desk(160, 45) as at:
        put_whole_stop(at)
        await at.settle()
        await at.select_leg()
        await at.press("p")
        assert at.scope() is Scope.PROMPT
        assert "BINANCE BTC perp has a stop" in at.text() and "move SL 63,000.0 (form)" in at.text()
        at.clock.pass_by(0.3)
        await at.press("right", "y")
        assert at.scope() is Scope.FORM
        await at.press("ctrl+u", *"62500")
        for _ in range(3):
            await at.press("enter")
        at.clock.pass_by(1.0)
        await at.press("y")
        moves = [intent for intent in at.port.intents if isinstance(intent, ReplaceAlgo)]
        assert [move.key for move in moves] == ["7001"]
        assert moves[0].stop_loss is not None and moves[0].stop_loss.trigger == "62500"


async def test_cancel_prompt_lists_positions_left_without_a_stop() -> None:
    async with desk(160, 45) as at:
        put_whole_stop(at)
        await at.press("1")
        while at.app.main_screen.tables["quotes"].selected != BTC:
            await at.press("j")
        await at.press("C")
        said = " ".join(at.text().replace("│", " ").split())
        pair = said.split("BINANCE BTC perp: cancel")[1].split("venue BINANCE")[0]
        assert "1 algo order" in pair
        assert "without a stop then: BINANCE BTC perp LONG 2.500" in pair and "ETH" not in pair


async def test_cancel_all_treats_a_reduce_only_conditional_as_a_stop() -> None:
    async with desk(160, 45) as at:
        put_algo(at, "7001", condition_type="CONDITIONAL", order_qty="2.5", sl_trigger_price="", sl_trigger_type="",
            conditional_trigger_price="63000", conditional_trigger_type="MARK_PRICE", conditional_price="0",
            reduce_only="true")  # fmt: skip
        await at.press("1")
        while at.app.main_screen.tables["quotes"].selected != BTC:
            await at.press("j")
        await at.press("C")
        said = " ".join(at.text().replace("│", " ").split())
        assert "without a stop then: BINANCE BTC perp LONG 2.500" in said
