"""Every row of the checks of a placement with its code, and the earlier row wins where two are violated."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple

import pytest

from tests.venue.core.drive import OKX, PERP, SPOT, Desk, code
from tui.interface.families.orders import PlaceOrder, ReplaceOrder
from tui.interface.families.positions import SetPositionMode
from tui.venue.core.commands import Rejected

EDX = "EDX_PERP_BTC_USDT"
LIMIT = {"sym": PERP, "side": "BUY", "order_type": "LIMIT", "order_qty": "0.01", "limit_price": "61000"}
QUOTE = {"sym": SPOT, "side": "BUY", "order_type": "MARKET", "order_qty": "", "limit_price": ""}


def nothing(_desk: Desk) -> None:
    """No preparation."""


def used_id(desk: Desk) -> None:
    desk.place("BUY", "0.01", "60000", client_order_id="used")


def suspended(desk: Desk) -> None:
    desk.switch("suspended", PERP)


def at_risk(desk: Desk) -> None:
    """The account stands on a rung where only reducing orders are taken."""
    desk.sub_place("SELL", "1", "61800")
    desk.place("BUY", "1", "61800")
    desk.switch("risk_ladder", "999 998 2 1")
    desk.steer("BTC", "61800")


def hedged(desk: Desk) -> None:
    desk.do(SetPositionMode(portfolio=desk.main, exchange_type="OKX", position_mode="BOTH"))


def full(desk: Desk) -> None:
    for _ in range(200):
        desk.exchange.apply(PlaceOrder(portfolio=desk.main, **{**LIMIT, "limit_price": "60000"}), desk.now)  # type: ignore[arg-type]


class Row(NamedTuple):
    """One violation; `words` are all that it depends on."""

    number: int
    code: int
    words: dict[str, str | bool]
    prepare: Callable[[Desk], None] = nothing


ROWS = (
    Row(1, 400009, {"side": ""}),
    Row(1, 400009, {"sym": PERP, "order_type": "LIMIT", "limit_price": ""}),
    Row(1, 400009, {"sym": PERP, "order_qty": ""}),
    Row(2, 401011, {"sym": "BINANCE_PERP_XXX_USDT"}),
    Row(2, 401912, {"sym": PERP}, suspended),
    Row(3, 401002, {"side": "HOLD"}),
    Row(3, 401003, {"order_type": "STOP"}),
    Row(3, 401004, {"order_type": "LIMIT", "time_in_force": "DAY"}),
    Row(3, 401905, {"sym": PERP, "position_side": "BOTH"}),
    Row(4, 401005, {"sym": PERP, "order_qty": "-1"}),
    Row(4, 401006, {"order_type": "LIMIT", "limit_price": "1e5"}),
    Row(4, 401021, {**QUOTE, "quote_order_qty": "ten"}),
    Row(5, 401001, {"client_order_id": "x" * 64}),
    Row(5, 400000, {"client_order_id": "a b"}),
    Row(5, 401009, {"client_order_id": "used"}, used_id),
    Row(6, 401015, {"sym": PERP, "order_type": "LIMIT", "limit_price": "61000.05"}),
    Row(7, 401013, {"sym": PERP, "order_qty": "0.0015"}),
    Row(7, 401021, {**QUOTE, "quote_order_qty": "10.123456789"}),
    Row(8, 401025, {"sym": PERP, "order_type": "LIMIT", "order_qty": "1001"}),
    Row(8, 401025, {"sym": PERP, "order_type": "MARKET", "order_qty": "121"}),
    Row(9, 401026, {**QUOTE, "quote_order_qty": "99999999"}),
    Row(9, 401028, {**QUOTE, "quote_order_qty": "4.99"}),
    Row(10, 401017, {"sym": SPOT, "order_type": "LIMIT", "order_qty": "0.00001", "limit_price": "61000"}),
    Row(11, 401906, {"sym": PERP, "order_type": "LIMIT", "order_qty": "0.01", "limit_price": "99000"}),
    Row(12, 401911, {"sym": EDX, "order_qty": "0.01", "limit_price": "61000", "portfolio": "sub"}),
    Row(13, 401910, {"sym": PERP, "side": "BUY", "order_qty": "0.01", "portfolio": "main"}, at_risk),
    Row(14, 401905, {"sym": OKX, "order_qty": "1", "position_side": "", "portfolio": "main"}, hedged),
    Row(15, 401903, {"sym": PERP, "side": "BUY", "reduce_only": True, "portfolio": "main"}),
    Row(16, 401907, {"sym": PERP, "order_qty": "0.01", "reduce_only": False, "portfolio": "main"}, full),
    Row(17, 401916, {"sym": PERP, "order_qty": "0.01", "tp_trigger_price": "60000", "portfolio": "main"}),
    Row(17, 401917, {"sym": PERP, "order_qty": "0.01", "tp_trigger_price": "80000", "portfolio": "main"}),
    Row(17, 401015, {"sym": PERP, "order_qty": "0.01", "tp_trigger_price": "62000.05", "portfolio": "main"}),
    Row(18, 401902, {"sym": PERP, "order_qty": "900", "portfolio": "main"}),
    Row(18, 401901, {"sym": SPOT, "order_qty": "50", "portfolio": "main"}),
)


def refusal(rows: tuple[Row, ...]) -> Rejected:
    """What a placement is answered that violates all of these; the words of the earlier one win."""
    desk = Desk()
    words: dict[str, str | bool] = dict(LIMIT)
    for row in reversed(rows):
        words.update(row.words)
    for row in reversed(rows):
        row.prepare(desk)
    words["portfolio"] = desk.sub if words.pop("portfolio", "main") == "sub" else desk.main
    before = [len(desk.exchange.queries.orders(portfolio)) for portfolio in desk.exchange.queries.portfolios]
    reply = desk.do(PlaceOrder(**words))  # type: ignore[arg-type]
    assert isinstance(reply, Rejected), reply
    assert desk.events == []
    assert [len(desk.exchange.queries.orders(portfolio)) for portfolio in desk.exchange.queries.portfolios] == before
    return reply


def name(row: Row) -> str:
    return f"{row.number}-{row.code}"


@pytest.mark.parametrize("row", ROWS, ids=name)
def test_each_placement_check_has_its_error_code(row: Row) -> None:
    assert refusal((row,)).code == row.code


def test_every_placement_check_of_the_document_is_tested() -> None:
    assert {row.number for row in ROWS} == set(range(1, 19))


def by_quote(row: Row) -> bool:
    return "quote_order_qty" in row.words


PAIRS = [
    (earlier, later)
    for earlier in ROWS
    for later in ROWS
    if (later.number == earlier.number + 1 or (later.number == 18 and earlier.number < 17))
    and (by_quote(earlier) or not by_quote(later))
]


@pytest.mark.parametrize(("earlier", "later"), PAIRS, ids=[f"{name(one)}+{name(two)}" for one, two in PAIRS])
def test_the_earlier_failing_placement_check_wins(earlier: Row, later: Row) -> None:
    assert refusal((earlier, later)).code == earlier.code


# -- market buys by quote ----------------------------------------------------------------------------------------------


def test_quote_amount_buy_fills_whole_lots_over_two_levels() -> None:
    """TV-11 on the grid of a shipped pair: two levels, the second one in part, less than a lot stays unspent."""
    desk = Desk()
    desk.sub_place("BUY", "0.1", "61800", SPOT)
    desk.place("SELL", "0.1", "61800", SPOT)
    desk.sub_place("SELL", "0.0004", "61800", SPOT)
    desk.sub_place("SELL", "0.01", "61850", SPOT)
    before = desk.exchange.queries.balance(desk.main, "BINANCE", "USDT")
    order = desk.place("BUY", "", sym=SPOT, quote_order_qty="100")
    assert desk.fills(order) == [("0.0004", "61800"), ("0.00121", "61850")]
    row = desk.order(order)
    cost = Decimal("0.0004") * 61800 + Decimal("0.00121") * 61850
    assert (row.order_state, row.executed_qty, row.order_qty, row.quote_order_qty) == ("FILLED", "0.00161", "", "100")
    assert Decimal(row.executed_amount) == cost
    assert before - desk.exchange.queries.balance(desk.main, "BINANCE", "USDT") == cost
    assert Decimal(100) - cost < Decimal("0.00001") * 61850
    frozen = [
        one.frozen
        for one in desk.exchange.queries.assets(desk.main)
        if (one.exchange_type, one.coin) == ("BINANCE", "USDT")
    ]
    assert frozen == ["0"]


def test_order_quantity_wins_over_quote_amount() -> None:
    desk = Desk()
    order = desk.place("BUY", "0.001", sym=SPOT, quote_order_qty="100")
    assert (desk.order(order).order_qty, desk.order(order).quote_order_qty) == ("0.001", "0")
    alone = desk.place("BUY", "", sym=SPOT, quote_order_qty="100")
    row = desk.order(alone)
    assert (row.order_state, row.cancel_type, row.executed_qty) == ("CANCELLED", "EXPIRE", "0")


# -- replace -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "wanted", "pushed"),
    [
        ({}, 400009, False),
        ({"order_id": "", "replace_price": "1"}, 401008, False),
        ({"order_id": "12", "replace_price": "1"}, 401007, False),
        ({"order_id": "1" * 16, "replace_price": "1"}, 401018, False),
        ({"replace_qty": "-1", "replace_price": "x"}, 401005, True),
        ({"replace_qty": "1", "replace_price": "x"}, 401006, True),
        ({"replace_qty": "0.0015", "replace_price": "61000.05"}, 401015, True),
        ({"replace_qty": "0.0015"}, 401013, True),
        ({"replace_qty": "1001"}, 401025, True),
        ({"replace_price": "99000"}, 401906, True),
        ({"replace_qty": "900"}, 401902, True),
        ({"replace_qty": "0.01", "replace_price": "61000"}, 401914, True),
    ],
)
def test_an_invalid_amend_is_rejected_by_error_code(words: dict[str, str], wanted: int, pushed: bool) -> None:
    desk = Desk()
    order = desk.place("BUY", "0.01", "61000")
    reply = desk.do(ReplaceOrder(**{"portfolio": desk.main, "order_id": order, **words}))
    assert code(reply) == wanted
    assert bool(desk.events) is pushed
    if pushed:
        assert isinstance(reply, Rejected)
        assert desk.order(order).action_msg == f"{wanted} {reply.message}"
    assert (desk.order(order).limit_price, desk.order(order).order_state) == ("61000", "OPEN")


@pytest.mark.parametrize("rungs", ["999 998 2 1", "999 998 997 1", "20000 15000 12000.5 1"])
def test_account_status_cancel_open_accepts_only_reducing_orders(rungs: str) -> None:
    desk = Desk()
    desk.sub_place("SELL", "1", "61800")
    desk.place("BUY", "1", "61800")
    desk.switch("risk_ladder", rungs)
    desk.steer("BTC", "61800")
    assert code(desk.try_place("BUY", "0.01", "61000")) == 401910
    assert code(desk.try_place("SELL", "0.01", "61900", reduce_only=True)) == 0
