"""What is said of an order whose outcome is not known: which one, and nothing once it has ended."""

from __future__ import annotations

import pytest

from tests.workstation.driver import desk
from tui.engine.intents import Outcome, Verdict
from tui.engine.rows import OrderRow, Source, Stamp, Table
from tui.workstation.order_outcome import report_outcome


@pytest.mark.parametrize(("state", "said"), [("UNKNOWN", True), ("CANCELLED", False)])
async def test_an_unknown_outcome_names_its_order_until_it_ended(state: str, said: bool) -> None:
    async with desk(160, 45, filled=False) as at:
        row = OrderRow(
            key="c1", client_order_id="c1", sym="BINANCE_PERP_BTC_USDT", side="BUY", qty="0.01", price="60000",
            state=state, final=state == "CANCELLED", stamp=Stamp("7001", 1, 0, Source.PUSH, 0.0),
        )  # fmt: skip
        at.port.updates.put(Table.ORDERS, "c1", row)
        await at.settle()
        report_outcome(at.app.context, Outcome(verdict=Verdict.UNKNOWN, key="c1", text="no answer within 3 s"))
        await at.settle()
        words = "BUY 0.01 BINANCE BTC perp @ 60,000: outcome unknown: no answer within 3 s"
        assert any(words in line for line in at.events()) is said
