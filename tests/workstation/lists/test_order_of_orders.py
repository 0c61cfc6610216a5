"""When the list of orders is sorted anew."""

from __future__ import annotations

from typing import Any

import pytest

from tests.workstation.algo_rows import put_algo
from tests.workstation.driver import desk
from tui.engine.rows import AlgoRow, PendingAction, Table
from tui.interface.families.algo import AlgoRecord
from tui.workstation.plain.readings import Readings
from tui.workstation.table.row_filter import parse

BTC = "BINANCE_PERP_BTC_USDT"


@pytest.mark.parametrize(
    ("change", "moves"),
    [
        ({"price": "2.0"}, False),
        ({"executed": "0.5"}, False),
        ({"state": "UNKNOWN"}, True),
        ({"overlay": PendingAction.CANCEL}, True),
        ({"conflict": "two answers"}, True),
        ({"final": True, "state": "FILLED"}, True),
        (None, True),
    ],
)
async def test_only_changes_that_can_move_an_order_re_sort_the_list(change: dict[str, Any] | None, moves: bool) -> None:
    async with desk(160, 45) as at:
        pane = at.app.main_screen.tables["orders"].pane
        at.port.order("mine", BTC, "BUY", "1.0", "1")
        at.port.order("other", BTC, "BUY", "1.0", "1")
        await at.settle()
        if change is None:
            at.port.put(Table.ORDERS, "mine", None)
        else:
            at.port.order("mine", BTC, "BUY", **{"price": "1.0", "qty": "1", **change})
        at.app.mirror.apply(at.port.updates.take())
        assert pane.find_changed_rows(Table.ORDERS, ["mine"]).may_move is moves


async def test_a_sorted_or_filtered_list_follows_each_change() -> None:
    async with desk(160, 45) as at:
        at.port.order("low", BTC, "BUY", "1.0", "1")
        at.port.order("high", BTC, "BUY", "2.0", "1")
        await at.settle()
        table = at.app.main_screen.tables["orders"]
        assert not table.pane.find_changed_rows(Table.ORDERS, ["low"]).may_move
        table.pane.filter = parse("buy")
        assert table.pane.find_changed_rows(Table.ORDERS, ["low"]).may_move


async def test_working_orders_stay_in_sight_when_the_cursor_order_ends() -> None:
    """A cursor on an ended order held the end of the list in view, while new orders came from the ladder."""
    async with desk(120, 36, filled=False) as at:
        at.port.set_desk(synced=True)
        table = at.app.main_screen.tables["orders"]
        at.port.order("mine", BTC, "BUY", "63000.0", "0.1")
        await at.settle()
        table.select("mine")
        await at.press("1")
        at.port.order("mine", BTC, "BUY", "63000.0", "0.1", final=True, state="FILLED")
        await at.settle()
        at.clock.pass_by(5.0)
        for number in range(40):
            at.port.order(f"n{number}", BTC, "BUY", f"6300{number % 10}.0", "0.1")
        await at.settle()
        assert table.selected == "mine" and "mine" not in table.visible_keys()
        assert all(at.app.mirror.orders[key].working for key in table.visible_keys())
        await at.press("2")
        await at.settle()
        assert table.selected in table.visible_keys() and at.app.mirror.orders[table.selected or ""].working


@pytest.mark.parametrize(
    ("size", "title"), [((160, 45), "0 working · 1 stop · 2 targets (A)"), ((80, 24), "2 Orders 0 3(A)│")]
)
async def test_title_of_the_orders_counts_stops_and_targets(size: tuple[int, int], title: str) -> None:
    async with desk(*size, filled=False) as at:
        at.port.set_desk(synced=True)
        for name, trigger in (("7001", "sl_trigger_price"), ("7002", "tp_trigger_price"), ("7003", "tp_trigger_price")):
            record = AlgoRecord(algo_order_id=name, sym=BTC, order_state="NEW", **{trigger: "63000"})
            at.port.put(Table.ALGOS, name, AlgoRow(key=name, record=record, stamp=at.port.stamp()))
        await at.settle()
        assert title in at.text()
        for name in ("7001", "7002", "7003"):
            at.port.put(Table.ALGOS, name, None)
        await at.settle()
        assert "(A)" not in at.text()


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 36)])
async def test_the_orders_are_counted_while_another_list_is_shown(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press("3")
        assert any("2 Orders 3+1" in line or "3 working · 1 unknown" in line for line in at.text().splitlines())


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
@pytest.mark.parametrize("overlay", [PendingAction.CANCEL, PendingAction.CANCEL_LOST, PendingAction.AMEND_LOST])
async def test_orders_unknown_or_in_conflict_show_their_pending_cancel(
    size: tuple[int, int], overlay: PendingAction
) -> None:
    """The cancel of an UNKNOWN order, or one in conflict, stood nowhere in its row."""
    async with desk(*size) as at:
        at.port.order("mine", BTC, "BUY", "1.0", "1", state="UNKNOWN", overlay=overlay)
        at.port.order("odd", BTC, "BUY", "2.0", "1", state="OPEN", conflict="was FILLED", overlay=overlay)
        put_algo(at, "7001", overlay, order_state="UNKNOWN")
        await at.press("2")
        assert f"CON {overlay.value} " in at.line_of("orders", "BINANCE BTC", "2.0")
        assert f"UNK {overlay.value} " in at.line_of("orders", "BINANCE BTC", "1.0")
        assert "UNKNOWN  " in at.line_of("orders", "BINANCE ETH")
        under_way = "cancel under way" if overlay is PendingAction.CANCEL else "UNKNOWN "
        assert any(f"UNKNOWN, {under_way}" in line for line in Readings(at.app.view, []).orders())
        await at.press("A")
        assert f"UNK {overlay.value} " in at.text()
