"""The same order sent twice: what counts as the same, and when it is asked about."""

from __future__ import annotations

import msgspec

from tests.engine.conftest import DECISION, buy
from tests.engine.orders.gated import Gated, asks
from tui.engine.modes import TradingState
from tui.engine.rows import LocalOrderState, Source, Stamp
from tui.engine.state.engine_state import SenderState
from tui.engine.state.order_fold import build_row, row_of
from tui.interface.families.orders import PLACE_ORDER, OrderRecord


def test_a_repeated_order_asks_for_confirmation(gated: Gated) -> None:
    gated.gate.record_sent(buy(), PLACE_ORDER, "k")
    once = gated.gate.check_place(buy())
    assert once is not None and once.text.endswith("the same order left 0.0 s before this one")
    gated.clock.advance(0.8)
    gated.gate.record_sent(buy(), PLACE_ORDER, "k2")
    asks(gated.gate.check_place(buy()), "DUPLICATE", "left 0.0 s before this one, 2 times")
    assert gated.gate.check_place(buy(price="59999")) is None
    gated.clock.advance(2.1)
    gated.quote()
    assert gated.gate.check_place(buy()) is None


def test_a_relative_order_is_a_duplicate_even_at_another_price(gated: Gated) -> None:
    """`buy 0.01 BTC bid-5t` twice was two orders as soon as the market moved between."""
    line = "buy 0.01 BTC BINANCE_PERP_BTC_USDT bid-5t"
    gated.gate.record_sent(buy(price="60000", instruction=line), PLACE_ORDER, "k")
    gated.clock.advance(0.8)
    asks(
        gated.gate.check_place(buy(price="60000.5", instruction=line)),
        "DUPLICATE",
        "left 0.8 s before this one at 60,000.0",
    )
    asks(gated.gate.check_place(buy(price="60000.5", qty="0.02", instruction=line)), "DUPLICATE")
    for other in (
        buy(price="60000.5"),
        buy(price="60000.5", instruction=f"{line} po"),
        buy(price="60000.5", instruction=line, hot=True),
    ):
        refusal = gated.gate.check_place(other)
        assert refusal is None or refusal.guard != "DUPLICATE"
    meant = buy(price="60000.5", instruction=line, confirmed=frozenset(["DUPLICATE"]))
    assert gated.gate.check_place(meant) is None, "a second lot by y"


def test_duplicate_check_compares_numbers_and_not_text(gated: Gated) -> None:
    gated.gate.record_sent(buy(), PLACE_ORDER, "k")
    asks(gated.gate.check_place(buy(price="60000.0", qty="0.010")), "DUPLICATE")


def test_equal_orders_of_one_command_line_are_no_duplicates(gated: Gated) -> None:
    """One question has listed them; the same order by hand, or of another line, is still asked about."""
    gated.gate.record_sent(buy(line="7.0"), PLACE_ORDER, "k")
    assert gated.gate.check_place(buy(line="7.0")) is None
    asks(gated.gate.check_place(buy()), "DUPLICATE")
    asks(gated.gate.check_place(buy(line="8.0")), "DUPLICATE")
    gated.state.trading.senders["other"] = SenderState(TradingState.ARMED)
    other = buy(line="7.0", decision=msgspec.structs.replace(DECISION, peer="other"))
    asks(gated.gate.check_place(other), "DUPLICATE")
    gated.gate.record_sent(buy(), PLACE_ORDER, "k2")
    asks(gated.gate.check_place(buy(line="7.0")), "DUPLICATE")
    gated.clock.advance(2.1)
    gated.quote()
    assert gated.gate.check_place(buy()) is None


def test_an_order_row_keeps_the_relative_price_that_was_typed() -> None:
    """An UNKNOWN order is compared by its row, whatever the service has said of it since."""
    stamp = Stamp("7001", 1, 0, Source.PUSH, 0.0)
    rows = [
        row_of(
            buy(instruction="buy join", hot=hot), "k", state=LocalOrderState.SENT, since=0.0, create_at=0, stamp=stamp
        )
        for hot in (False, True)
    ]
    assert [row.instruction for row in rows] == ["buy join", ""], "in HOT each press at another price is meant"
    record = OrderRecord(order_id="1", sym=rows[0].sym, side="BUY", order_state="OPEN", order_qty="0.01")
    assert build_row(record, "k", stamp, rows[0], external=False).instruction == "buy join"
