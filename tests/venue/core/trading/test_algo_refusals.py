"""What the venue does not take of algo orders: each refusal by its code, with the field it names, and nothing changed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.venue.core.drive import PERP, SPOT, Desk, code
from tests.venue.core.trading.test_algos import accepted, algo, only, place
from tui.interface.families.algo import AlgoReply, CancelAlgo, CancelAllAlgos, ReplaceAlgo
from tui.venue.core.commands import Command, Rejected

STOP = {"sl_trigger_price": "61000", "sl_trigger_type": "MARK_PRICE"}


@pytest.fixture
def desk() -> Desk:
    """Long 0.03 BTC in a still market."""
    made = Desk(agents="still")
    made.place("BUY", "0.03")
    return made


def refused(desk: Desk, command: Command, expected: int, word: str) -> None:
    before = desk.exchange.state_hash()
    reply = desk.do(command)
    assert isinstance(reply, Rejected) and reply.code == expected and word in reply.message, reply
    assert desk.exchange.state_hash() == before


@pytest.mark.parametrize(
    ("condition", "changes", "expected", "word"),
    [
        ("PARTIAL_CLOSE_POSITION", {"algo_order_type": ""}, 400009, "algoOrderType is required"),
        ("PARTIAL_CLOSE_POSITION", {"algo_order_type": "TWAP"}, 401290, "TWAP"),
        ("PARTIAL_CLOSE_POSITION", {"sym": ""}, 400009, "sym is required"),
        ("PARTIAL_CLOSE_POSITION", {"sym": "BINANCE_PERP_NO_USDT"}, 401011, "BINANCE_PERP_NO_USDT"),
        ("PARTIAL_CLOSE_POSITION", {"sym": "EDX_PERP_BTC_USDT"}, 401023, "EDX"),
        ("TRAILING", {}, 401291, "TRAILING"),
        ("PARTIAL_CLOSE_POSITION", {"qty": ""}, 400009, "orderQty is required"),
        ("PARTIAL_CLOSE_POSITION", {"side": "HOLD"}, 401002, "HOLD"),
        ("PARTIAL_CLOSE_POSITION", {"position_side": "UP"}, 401905, "UP"),
        ("PARTIAL_CLOSE_POSITION", {"sl_trigger_price": "0"}, 401292, "TriggerPrice"),
    ],
)
def test_an_invalid_algo_order_is_rejected_by_code_and_field(
    desk: Desk, condition: str, changes: dict[str, Any], expected: int, word: str
) -> None:
    before = desk.exchange.state_hash()
    reply = place(desk, condition, **{**STOP, **changes})
    assert isinstance(reply, Rejected) and (reply.code, word in reply.message) == (expected, True), reply
    assert desk.exchange.state_hash() == before


@pytest.mark.parametrize(
    ("changes", "expected", "word"),
    [
        ({"tp_trigger_type": "LAST_PRICE"}, 401292, "tpTriggerPrice is required: the order has no such trigger"),
        ({"tp_price": "62000"}, 401292, "tpTriggerPrice is required"),
        ({"conditional_trigger_price": "62000"}, 400009, "a trigger of PARTIAL_CLOSE_POSITION is required"),
        ({"order_qty": "some"}, 401005, "orderQty"),
        ({"sl_trigger_price": "61900"}, 401916, "slTriggerPrice"),
    ],
)
def test_an_invalid_algo_order_replace_is_rejected(
    desk: Desk, changes: dict[str, str], expected: int, word: str
) -> None:
    made = accepted(desk, "PARTIAL_CLOSE_POSITION", **STOP)
    row = algo(desk, made)
    refused(desk, ReplaceAlgo(portfolio=desk.main, algo_order_id=made, **changes), expected, word)
    assert algo(desk, made) == row


def test_algo_replace_is_rejected_while_a_cancel_is_pending(desk: Desk) -> None:
    made = accepted(desk, "PARTIAL_CLOSE_POSITION", **STOP)
    assert isinstance(desk.do(CancelAlgo(portfolio=desk.main, algo_order_id=made)), AlgoReply)
    change = ReplaceAlgo(portfolio=desk.main, algo_order_id=made, sl_trigger_price="60900")
    refused(desk, change, 401915, "PENDING_CANCEL; wait for its end")
    desk.wait()
    refused(desk, change, 401117, "already CANCELLED")


@pytest.mark.parametrize(
    ("filters", "expected", "word"),
    [
        ({"sym": "BINANCE_PERP_NO_USDT"}, 401011, "BINANCE_PERP_NO_USDT"),
        ({"business_type": "FUTURES"}, 400000, "FUTURES"),
        ({"exchange_type": "KRAKEN"}, 401023, "KRAKEN"),
    ],
)
def test_algo_cancel_all_with_invalid_filters_is_rejected(
    desk: Desk, filters: dict[str, str], expected: int, word: str
) -> None:
    accepted(desk, "PARTIAL_CLOSE_POSITION", **STOP)
    refused(desk, CancelAllAlgos(portfolio=desk.main, **filters), expected, word)
    assert only(desk).order_state == "NEW"


def test_algo_cancel_all_can_filter_by_business_type(desk: Desk) -> None:
    made = {
        sym: accepted(desk, "CONDITIONAL", sym=sym, side="BUY", conditional_trigger_price="62500")
        for sym in (PERP, SPOT)
    }
    for kind, taken in (("MARGIN", []), ("SPOT", [made[SPOT]]), ("PERP", [made[PERP]])):
        reply = desk.do(CancelAllAlgos(portfolio=desk.main, business_type=kind))
        assert isinstance(reply, tuple) and [getattr(one, "algo_order_id", "") for one in reply] == taken


def test_algo_cancel_by_an_order_without_own_stop_is_rejected(desk: Desk) -> None:
    plain = desk.place("BUY", "0.01", "60000")
    guarded = desk.sub_place("BUY", "0.01", "60000", sl_trigger_price="59000")
    for order_id in (plain, guarded, "1" * 16):
        refused(desk, CancelAlgo(portfolio=desk.main, order_id=order_id), 401018, f"orderId {order_id!r}")
    assert code(desk.do(CancelAlgo(portfolio=desk.sub, order_id=guarded))) == 0
