"""Algo orders of the pictures: stops and targets of legs, one attached to an order, one without a position."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from tui.engine.rows import AlgoRow, OrderRow, PendingAction, Stamp
from tui.interface.families.algo import AlgoRecord

MARK, LAST = "MARK_PRICE", "LAST_PRICE"


class DemoAlgo(msgspec.Struct, frozen=True, kw_only=True):
    """What differs between two algo orders."""

    sym: str
    side: str
    leg: str
    condition: str = "PARTIAL_CLOSE_POSITION"
    qty: str = ""
    stop: str = ""
    stop_limit: str = "0"
    target: str = ""
    trigger: str = ""
    age_s: float
    state: str = "NEW"
    overlay: PendingAction = PendingAction.NOTHING
    attached: bool = False
    """To the newest order of its leg that has a fill."""


ALGOS = (
    DemoAlgo(
        sym="BINANCE_PERP_BTC_USDT", side="SELL", leg="LONG", qty="0.100", stop="63360.0", target="65200.0", age_s=4,
        attached=True,
    ),
    DemoAlgo(
        sym="BINANCE_PERP_BTC_USDT", side="SELL", leg="LONG", condition="ENTIRE_CLOSE_POSITION", stop="62900.0",
        age_s=14_000,
    ),
    DemoAlgo(
        sym="BINANCE_PERP_ETH_USDT", side="SELL", leg="LONG", qty="20.000", target="3520.00", age_s=40_000,
    ),
    DemoAlgo(
        sym="OKX_PERP_BTC_USDT", side="BUY", leg="SHORT", qty="200", stop="64600.0", stop_limit="64650.0", age_s=3_100,
        overlay=PendingAction.AMEND,
    ),
    DemoAlgo(
        sym="OKX_PERP_SOL_USDT", side="SELL", leg="LONG", condition="ENTIRE_CLOSE_POSITION", stop="150.10",
        target="163.00", age_s=190_000,
    ),
    DemoAlgo(
        sym="BINANCE_PERP_SOL_USDT", side="SELL", leg="LONG", condition="ENTIRE_CLOSE_POSITION", stop="144.20",
        age_s=7_200,
    ),
    DemoAlgo(
        sym="BINANCE_PERP_ETH_USDT", side="BUY", leg="LONG", condition="CONDITIONAL", qty="5.000", trigger="3455.00",
        age_s=640,
    ),
)  # fmt: skip


def algo_rows(
    orders: list[OrderRow], wall_ms: Callable[[float], int], stamp: Callable[[float], Stamp]
) -> Iterator[AlgoRow]:
    """The rows; `wall_ms` and `stamp` of so many seconds ago."""
    for number, made in enumerate(ALGOS):
        filled = [
            one for one in orders if one.sym == made.sym and one.position_side == made.leg and one.executed != "0"
        ]
        name = str(918_273_700_000 + 11 * number)
        record = AlgoRecord(
            algo_order_id=name,
            algo_order_type="TPSL",
            client_order_id=name,
            sym=made.sym,
            side=made.side,
            order_qty=made.qty,
            position_side=made.leg,
            order_state=made.state,
            condition_type=made.condition,
            conditional_trigger_price=made.trigger,
            conditional_trigger_type=LAST if made.trigger else "",
            attached_order_id=filled[0].order_id if made.attached and filled else "",
            tp_trigger_price=made.target,
            tp_trigger_type=LAST if made.target else "",
            sl_trigger_price=made.stop,
            sl_trigger_type=MARK if made.stop else "",
            sl_price=made.stop_limit,
            create_at=str(wall_ms(made.age_s)),
            update_at=str(wall_ms(made.age_s)),
        )
        yield AlgoRow(key=name, record=record, overlay=made.overlay, since=stamp(1).received, stamp=stamp(1))
