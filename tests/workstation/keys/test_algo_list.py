"""Algo orders in the list and beside positions: their rows, orphans, unknown ones, cancels and dismissal."""

from __future__ import annotations

import msgspec

from tests.workstation.algo_rows import BTC, LEG, put_algo
from tests.workstation.driver import desk
from tui.engine.intents import CancelAlgo, CancelAllAlgos
from tui.engine.orders.dismissal import ALGO_SOURCES
from tui.engine.rows import Fact, PendingAction, Table
from tui.workstation.input.scopes import Scope


async def test_algo_list_shows_kind_size_trigger_source_state_and_age() -> None:
    async with desk(200, 60) as at:
        put_algo(at, "7001")
        put_algo(at, "7002", tp_trigger_price="66000", tp_trigger_type="LAST_PRICE", tp_price="65990")
        put_algo(at, "7003", PendingAction.CANCEL_LOST)
        put_algo(at, "7005", order_qty="3")
        put_algo(at, "7004", order_state="UNKNOWN", condition_type="CONDITIONAL", sl_trigger_price="", reduce_only="false",
            conditional_trigger_price="65000", conditional_trigger_type="LAST_PRICE")  # fmt: skip
        await at.press("A")
        assert at.scope() is Scope.SCREEN
        text = at.text()
        stop = next(line for line in text.split("\n") if "armed " in line and " stop " in line)
        assert "SL 63,000.0 mark " in stop and "SELL LONG" in stop and "0.500" in stop and "89s" in stop
        assert "-1.56 %" in stop and "-10,010" in stop
        assert "SL 63,000.0 mark · TP 66,000.0 last @65,990.0" in text
        assert all(word in text for word in ("cancel?", "UNKNOWN", "conditional", "≤2.500"))


async def test_the_algo_list_shows_the_end_of_the_parent_order_id() -> None:
    async with desk(160, 45) as at:
        at.port.order("o1", BTC, "BUY", "60000", "0.5", order_id="20261128000123456")
        put_algo(at, "7001", attached_order_id="20261128000123456")
        await at.press("A")
        line = next(line for line in at.text().split("\n") if "armed " in line and " stop " in line)
        assert " 123456 " in line and "#" not in line


async def test_key_c_cancels_the_algo_order_at_the_cursor_or_says_why() -> None:
    async with desk(160, 45) as at:
        put_algo(at, "7001")
        await at.press("A", "g", "g")
        at.clock.pass_by(1.0)
        await at.press("c")
        [intent] = at.port.intents
        assert intent == CancelAlgo(decision=intent.decision, key="7001")
        put_algo(at, "7001", PendingAction.CANCEL)
        await at.settle()
        await at.press("c")
        assert len(at.port.intents) == 1 and "a cancel of this algo order is already pending" in at.text()
        await at.press("E", "c")
        assert len(at.port.intents) == 1 and "only on the algo orders (A)" in at.text()


async def test_stops_without_a_position_are_listed_as_orphans() -> None:
    async with desk(160, 45) as at:
        put_algo(at, "7001")
        put_algo(at, "7002", sym="BINANCE_PERP_ETH_USDT", position_side="LONG", sl_trigger_price="3000")
        at.port.put(Table.POSITIONS, LEG, None)
        await at.press("A")
        await at.settle()
        lines = [line for line in at.text().split("\n") if "ORPHAN" in line]
        assert any("BTC" in line for line in lines) and "without a position" in at.text()
        await at.press(")", ")")
        shown = [line for line in at.text().split("\n") if " stop " in line]
        assert shown and all("ORPHAN" in line for line in shown)


async def test_position_row_shows_its_triggers_or_that_it_has_no_stop() -> None:
    async with desk(200, 60) as at:
        fact = at.app.mirror.positions[LEG]
        at.port.put(Table.POSITIONS, LEG, Fact(msgspec.structs.replace(fact.record, tpsl_order=[]), fact.stamp))
        at.port.put(Table.ORDERS, "o3", None)
        await at.settle()
        assert "none!" in at.line_of("positions", "BINANCE BTC")
        put_algo(at, "7001", sl_trigger_price="", tp_trigger_price="66000", tp_trigger_type="LAST_PRICE")
        await at.settle()
        assert "no SL TP 66,000.0" in at.line_of("positions", "BINANCE BTC")
        put_algo(at, "7002")
        await at.settle()
        assert "SL 63,000.0 for 0.500" in at.line_of("positions", "BINANCE BTC"), "of 2.5"
        put_algo(at, "7003", condition_type="ENTIRE_CLOSE_POSITION", order_qty="")
        await at.settle()
        assert "SL 63,000.0 TP 66,000.0" in at.line_of("positions", "BINANCE BTC")
        at.port.put(Table.ALGOS, "7003", None)
        put_algo(at, "7002", order_state="UNKNOWN")
        await at.settle()
        assert "no SL" in at.line_of("positions", "BINANCE BTC"), "what has no answer protects nothing"
        put_algo(at, "7002", attached_order_id="9", order_qty="0")
        await at.settle()
        assert "no SL" in at.line_of("positions", "BINANCE BTC"), "nor does one that waits for its order"


async def test_enter_in_the_mode_dialog_jumps_to_a_blocking_algo_order() -> None:
    async with desk(160, 45) as at:
        put_algo(at, "7001")
        put_algo(at, "7002", sl_trigger_price="62000")
        await at.select_leg()
        await at.press("L")
        while "▸ algo order stop SELL 0.5 BINANCE BTC perp at 62,000.0 mark" not in at.text():
            await at.press("j")
        await at.press("enter")
        assert at.scope() is Scope.SCREEN
        assert at.app.screen.live_table.selected == "7002"  # type: ignore[attr-defined]


async def test_algo_orders_of_unknown_state_are_counted_in_the_header() -> None:
    async with desk(160, 45) as at:
        put_algo(at, "7001", PendingAction.AMEND_LOST)
        put_algo(at, "7002", order_state="UNKNOWN")
        await at.settle()
        assert "UNK 2 algo orders" in at.text().split("\n")[0]


async def test_orphan_algo_orders_sort_first_and_are_cancelled_singly() -> None:
    async with desk(160, 45) as at:
        put_algo(at, "7001", sl_trigger_price="64000")
        put_algo(at, "7002", sl_trigger_price="63000")
        put_algo(at, "7003", sym="OKX_PERP_BTC_USDT", side="BUY", position_side="SHORT", sl_trigger_price="64050")
        at.port.put(Table.POSITIONS, LEG, None)
        await at.press("A", "g", "g")
        await at.settle()
        assert "2 without a position" in at.text()
        lines = [line for line in at.text().split("\n") if " stop " in line and "SL 6" in line]
        assert ["ORPHAN" in line for line in lines] == [True, True, False], (
            "before the one that is nearer and has its leg"
        )
        at.clock.pass_by(1.0)
        await at.press("c", "j", "c")
        assert [one.key for one in at.port.intents if isinstance(one, CancelAlgo)] == ["7001", "7002"]


async def test_an_unknown_algo_order_can_be_dismissed_after_3_lookups() -> None:
    async with desk(160, 45) as at:
        lost = put_algo(at, "7001", order_state="UNKNOWN")
        await at.press("A", "g", "g", "delete")
        assert "dismissing it is possible once 3 rounds over 10 s found nothing" in at.text()
        found = msgspec.structs.replace(
            lost, not_found=3, not_found_first=1.0, not_found_last=12.0, answered=frozenset(ALGO_SOURCES)
        )
        at.port.put(Table.ALGOS, "7001", found)
        await at.settle()
        await at.press("delete")
        assert at.scope() is Scope.WORD and "treat stop SELL 0.5 BINANCE BTC perp" in at.text()
        assert "not found 3x; it may still be live at the venue" in at.text()
        at.clock.pass_by(0.3)
        await at.press(*"dismiss", "enter")
        assert at.port.dismissed == ["7001"]
        put_algo(at, "7001")
        await at.settle()
        await at.press("delete")
        assert "only an UNKNOWN order or command can be dismissed" in at.text()


async def test_closing_a_position_lists_the_stops_that_will_expire() -> None:
    async with desk(160, 45) as at:
        put_algo(at, "7001")
        put_algo(at, "7002", sym="BINANCE_PERP_ETH_USDT", sl_trigger_price="3000")
        await at.select_leg()
        await at.press("f")
        assert "closes the position; will end: SL 63,000.0" in at.text() and "3,000" not in at.events()
        await at.press("escape", "%", "1")
        assert "will expire" not in at.text(), "a part leaves a position"
        await at.press("escape", "F")
        words = " ".join(at.text().split())
        assert "these expire when the position is closed: stop SELL 0.5 BINANCE BTC perp at 63,000.0 mark" in words


async def test_key_c_is_ignored_just_after_the_cursor_got_another_row() -> None:
    async with desk(160, 45) as at:
        put_algo(at, "7001")
        await at.press("A", "g", "g")
        at.clock.pass_by(1.0)
        table = at.app.screen.live_table  # type: ignore[attr-defined]
        table.cursor.moved_at = at.clock.mono()
        await at.press("c")
        assert at.port.intents == [] and "press c again for stop SELL" in at.text()
        await at.press("c")
        assert at.port.intents == []
        at.clock.pass_by(1.0)
        await at.press("c")
        assert len(at.port.intents) == 1


async def test_an_algo_order_with_an_unknown_side_cannot_be_edited() -> None:
    async with desk(160, 45) as at:
        put_algo(at, "7001", side="CROSS")
        await at.press("A", "g", "g", "e")
        assert "side 'CROSS' of the algo order is unknown to this program" in at.text() and at.scope() is Scope.SCREEN


async def test_cancel_all_on_the_algo_list_cancels_only_algo_orders() -> None:
    """On the algo orders C also offers filters of the service, and orders stay."""
    async with desk(160, 45, filled=False) as at:
        at.port.set_desk(synced=True)
        put_algo(at, "7001")
        put_algo(at, "7002", condition_type="OCO", tp_trigger_price="70000", tp_trigger_type="MARK_PRICE")
        put_algo(at, "7003", sym="BINANCE_PERP_ETH_USDT")
        put_algo(at, "7004", sym="OKX_PERP_BTC_USDT")
        await at.settle()
        await at.press("A", "g", "g")
        while (table := at.app.context.table) is None or table.selected != "7001":
            await at.press("j")
        await at.press("C")
        shown = at.text()
        assert (
            "stops and targets of a part of a position of BINANCE BTC perp: cancel 1 algo order, orders stay" in shown
        )
        assert "BINANCE BTC perp: cancel 2 algo orders, orders stay" in shown
        assert (
            "stops and targets of a part of a position of BINANCE perpetuals: cancel 2 algo orders, orders stay"
            in shown
        )
        assert "BINANCE perpetuals: cancel 3 algo orders, orders stay" in shown
        at.clock.pass_by(0.3)
        await at.press("down", "down", "y")
        [intent] = at.port.intents
        assert isinstance(intent, CancelAllAlgos)
        assert (intent.exchange, intent.sym, intent.business) == ("BINANCE", "", "PERP")
        assert (intent.condition, intent.algo_type) == ("PARTIAL_CLOSE_POSITION", "")
        await at.press("E", "C")
        assert "algo order, orders stay" not in at.text() and "algo orders, orders stay" not in at.text(), (
            "elsewhere the question is about orders and algo orders together"
        )


async def test_an_unknown_algo_order_can_be_cancelled_by_key() -> None:
    async with desk(160, 45) as at:
        lost = put_algo(at, "7001", order_state="UNKNOWN")
        await at.press("A", "g", "g")
        at.clock.pass_by(1.0)
        await at.press("c")
        assert at.port.intents == [CancelAlgo(decision=at.port.intents[0].decision, key=lost.key)]
        put_algo(at, "7001", order_state="SENDING")
        await at.settle()
        await at.press("c")
        assert len(at.port.intents) == 1 and "the algo order has no reply yet" in at.text()
