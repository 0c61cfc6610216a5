"""What a pair could come to on one side: held, waiting and added, each with its sign."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.engine.conftest import SYM, StateRig
from tests.engine.orders.test_order_table import CID
from tui.engine.orders.exposure import compute_pair_value, sum_held
from tui.engine.orders.pre_trade_checks import Touch
from tui.engine.rows import Fact, OrderRow, Source
from tui.interface.families.orders import PositionSide, Side
from tui.interface.families.positions import PositionRecord


@pytest.mark.parametrize(
    ("held", "waiting", "side", "value"),
    [
        ("-1", Side.SELL, Side.SELL, "170"),  # a short that grows
        ("-1", Side.BUY, Side.BUY, "30"),  # the same orders as buys close it
        ("1", Side.SELL, Side.SELL, "30"),
        ("1", Side.BUY, Side.BUY, "170"),
        ("-1", Side.BUY, Side.SELL, "120"),  # what waits on the other side does not count
        ("0", Side.SELL, Side.SELL, "70"),
    ],
)
def test_exposure_of_a_pair_includes_working_orders(
    bare: StateRig, held: str, waiting: Side, side: Side, value: str
) -> None:
    stamp = bare.state.stamp(Source.PUSH)
    record = PositionRecord(portfolio_id="", sym=SYM, position_side="NONE", position_qty=held)
    bare.state.facts.positions.rows["p"] = Fact(record, stamp)
    # Fills ahead of its record still count as waiting: the position may be without them yet.
    row = OrderRow(
        key=CID, client_order_id=CID, sym=SYM, side=waiting, state="OPEN", qty="0.6", executed="0.1", known_fills="0.3",
        stamp=stamp,
    )  # fmt: skip
    touch = Touch(None, None, Decimal(100))
    held_now = sum_held(
        SYM, PositionSide.NONE, assets={}, positions=bare.state.facts.positions.rows, contract=Decimal(1)
    )
    found = compute_pair_value(
        SYM, side, PositionSide.NONE, Decimal("0.2"), held=held_now, orders=[row], contract=Decimal(1), touch=touch
    )
    assert found is not None and abs(found.after) == Decimal(value)
