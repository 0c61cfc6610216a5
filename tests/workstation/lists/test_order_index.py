"""Index of orders, and the order of their rows, after any changes: as if computed from nothing."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from tests.workstation.scripted import ScriptedClock, ScriptedPort
from tui.engine.rows import OrderRow, PendingAction, Table
from tui.interface.decimals import optional
from tui.workstation.features.orders.pane import OrdersPane
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.mirror import Mirror
from tui.workstation.settings import WorkstationSettings

KEYS, SYMS = ("k0", "k1", "k2", "k3"), ("BINANCE_PERP_BTC_USDT", "OKX_SPOT_ETH_USDT")
PRICES = ("1", "1.0", "2", "")
CHANGES = st.tuples(
    st.sampled_from(KEYS),
    st.none()
    | st.fixed_dictionaries(
        {
            "sym": st.sampled_from(SYMS),
            "side": st.sampled_from(["BUY", "SELL"]),
            "price": st.sampled_from(PRICES),
            "state": st.sampled_from(["OPEN", "UNKNOWN"]),
            "overlay": st.sampled_from([PendingAction.NOTHING, PendingAction.CANCEL, PendingAction.CANCEL_LOST]),
            "conflict": st.sampled_from(["", "two answers"]),
            "create_at": st.integers(0, 3),
        }
    )
    | st.fixed_dictionaries({"final": st.just(True), "state": st.sampled_from(["FILLED", "REJECTED", "NOT SENT"])}),
)
STEPS = st.lists(st.lists(CHANGES, max_size=3) | st.sampled_from([1.0, 40.0]), max_size=12)


def change(port: ScriptedPort, key: str, values: dict[str, Any] | None) -> None:
    if values is None:
        port.put(Table.ORDERS, key, None)
    else:
        port.order(key, **{"sym": SYMS[0], "side": "BUY", "price": "1", "qty": "1", **values})


def has_problem(order: OrderRow) -> bool:
    return order.failed or order.unsure or bool(order.conflict)


@given(STEPS, st.sampled_from(OrdersPane.views))
def test_kept_order_lists_and_indexes_equal_newly_computed_ones(
    steps: list[list[tuple[str, dict[str, Any] | None]] | float], shown: str
) -> None:
    clock = ScriptedClock()
    port, mirror = ScriptedPort(clock), Mirror(clock)
    view = DisplayContext(mirror, clock, WorkstationSettings())
    pane = OrdersPane(view)
    pane.view_at = OrdersPane.views.index(shown)
    for step in steps:
        if isinstance(step, float):
            clock.pass_by(step)
        else:
            for key, values in step:
                change(port, key, values)
        mirror.apply(port.updates.take())
        fresh = OrdersPane(view)
        fresh.view_at = pane.view_at
        assert pane.keys() == fresh.keys()
        assert mirror.own_syms == {order.sym for order in mirror.orders.values() if order.working}
    orders = mirror.orders
    working = {key: order for key, order in orders.items() if order.working}
    assert {order.key: order for order in mirror.working()} == working
    assert mirror.unknown_orders == sum(order.state == "UNKNOWN" for order in working.values())
    assert mirror.problem_orders == {key: order for key, order in orders.items() if has_problem(order)}
    for sym in SYMS:
        on = [order for order in working.values() if order.sym == sym]
        assert sorted(mirror.working_on(sym), key=msgspec.json.encode) == sorted(on, key=msgspec.json.encode)
        assert mirror.works_on(sym) is bool(on)
        for side in ("BUY", "SELL"):
            for price in (Decimal(1), Decimal(2)):
                at = {order.key for order in on if order.side == side and optional(order.price) == price}
                assert {order.key for order in mirror.working_at(sym, side, price)} == at
        assert mirror.working_at(sym, "BUY", None) == []
