"""Open algo orders that tests put on the desk of a trader."""

from __future__ import annotations

from tests.workstation.driver import Desk
from tui.engine.rows import AlgoRow, PendingAction, Table
from tui.interface.families.algo import AlgoRecord

BTC = "BINANCE_PERP_BTC_USDT"
LEG = f"{BTC}/LONG"


def put_algo(at: Desk, name: str, overlay: PendingAction = PendingAction.NOTHING, **fields: str) -> AlgoRow:
    """An algo order of the list: a stop of the long leg unless said otherwise."""
    values: dict[str, str] = {
        "side": "SELL", "position_side": "LONG", "order_state": "NEW", "condition_type": "PARTIAL_CLOSE_POSITION",
        "order_qty": "0.5", "sl_trigger_price": "63000", "sl_trigger_type": "MARK_PRICE", "sl_price": "0",
        "create_at": str(int(at.clock.wall() * 1000) - 90_000), "sym": BTC, **fields,
    }  # fmt: skip
    record = AlgoRecord(algo_order_id=name, client_order_id=name, **values)
    made = AlgoRow(key=name, record=record, overlay=overlay, stamp=at.port.stamp())
    at.port.put(Table.ALGOS, name, made)
    return made


def put_whole_stop(at: Desk) -> AlgoRow:
    """A stop for the whole long leg."""
    return put_algo(at, "7001", condition_type="ENTIRE_CLOSE_POSITION", order_qty="")


def put_target(at: Desk, name: str = "7009", trigger: str = "70000") -> AlgoRow:
    """A target of the whole long leg."""
    return put_algo(
        at, name, condition_type="ENTIRE_CLOSE_POSITION", order_qty="", sl_trigger_price="", sl_trigger_type="",
        tp_trigger_price=trigger, tp_trigger_type="LAST_PRICE", tp_price="0",
    )  # fmt: skip
