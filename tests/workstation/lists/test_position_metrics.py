"""What rows say of themselves: what is left to close of a leg, and the price of an order of the venue."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.engine.conftest import SYM
from tests.workstation.scripted import ScriptedClock
from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.rows import OrderRow, Source, Stamp, Table
from tui.interface.families.positions import PositionRecord
from tui.workstation.features.orders import cells as order_cells
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.mirror import Mirror
from tui.workstation.model.position_metrics import closable
from tui.workstation.settings import WorkstationSettings

STAMP = Stamp("7001", 1, 0, Source.PUSH, 0.0)


@pytest.mark.parametrize(
    ("leg", "qty", "order", "left"),
    [
        ("NONE", "0.5", {"side": "SELL", "reduce_only": True}, "0.2"),
        ("NONE", "-0.5", {"side": "BUY", "reduce_only": True}, "0.2"),
        ("NONE", "0.5", {"side": "SELL"}, "0.5"),
        ("NONE", "0.5", {"side": "BUY", "reduce_only": True}, "0.5"),
        ("LONG", "0.5", {"side": "SELL", "position_side": "LONG"}, "0.2"),
        ("LONG", "0.5", {"side": "BUY", "position_side": "SHORT"}, "0.5"),
        ("SHORT", "0.3", {"side": "BUY", "position_side": "SHORT"}, "0"),
        ("NONE", "0.5", {"side": "SELL", "reduce_only": True, "final": True, "state": "CANCELLED"}, "0.5"),
    ],
)
def test_pending_close_orders_reduce_the_closable_size(leg: str, qty: str, order: dict[str, Any], left: str) -> None:
    updates, clock = ConflatingQueue(), ScriptedClock()
    mirror = Mirror(clock)
    row = {"qty": "0.4", "executed": "0.1", "position_side": "NONE", "state": "OPEN", **order}
    updates.put(Table.ORDERS, "c", OrderRow(key="c", client_order_id="c", sym=SYM, stamp=STAMP, **row))
    mirror.apply(updates.take())
    record = PositionRecord(portfolio_id="7001", sym=SYM, position_side=leg, position_qty=qty)
    assert closable(record, DisplayContext(mirror, clock, WorkstationSettings())) == Decimal(left)


@pytest.mark.parametrize(
    ("origin", "average", "shown"),
    [("SYSTEM_LIQ", "58770.5", "58770.5"), ("SYSTEM_LIQ", "0", "57000"), ("DMA", "58770.5", "57000")],
)
def test_liquidation_order_shows_its_fill_price(origin: str, average: str, shown: str) -> None:
    clock = ScriptedClock()
    view = DisplayContext(Mirror(clock), clock, WorkstationSettings())
    row = OrderRow(
        key="c", client_order_id="", sym=SYM, side="SELL", state="FILLED", price="57000", average=average,
        origin=origin, order_type="LIMIT", stamp=STAMP,
    )  # fmt: skip
    assert order_cells.price(row, view)[0].replace(",", "") == shown
