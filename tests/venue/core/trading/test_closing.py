"""Closing positions at market: one, several, all."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import msgspec
import pytest

from tests.venue.core.accounts.test_hedge import hedged, legs
from tests.venue.core.drive import OKX, PERP, SPOT, Desk, code
from tui.interface.families.positions import CloseOutcome, ClosePosition, ClosePositions, Closing
from tui.venue.core.commands import Reply
from tui.venue.core.events import OrderChanged

ETH = "BINANCE_PERP_ETH_USDT"


def close(desk: Desk, sym: str = PERP, side: str = "") -> Reply | None:
    return desk.do(ClosePosition(portfolio=desk.main, sym=sym, position_side=side))


def close_several(desk: Desk, symbols: str = "", **more: str) -> Reply | None:
    return desk.do(ClosePositions(portfolio=desk.main, sym_list=symbols, **more))


def outcomes(reply: Reply | None) -> list[tuple[str, str, str, str]]:
    """(sym, leg, success, code of the error) of every outcome."""
    assert isinstance(reply, tuple), reply
    closed = [one for one in reply if isinstance(one, CloseOutcome)]
    return [(one.sym, one.position_side, one.success, one.error_msg[:6]) for one in closed]


@pytest.mark.parametrize(("side", "closing"), [("BUY", "SELL"), ("SELL", "BUY")])
def test_close_position_sends_a_reduce_only_market_order(side: str, closing: str) -> None:
    desk = Desk(agents="still")
    desk.place(side, "0.317")
    reply = close(desk)
    assert isinstance(reply, Closing)
    order = desk.order(reply.order_id)
    assert (order.side, order.exchange_order_type, order.origin) == (closing, "MARKET", "DMA")
    assert (order.order_qty, order.order_state, order.reduce_only) == ("0.317", "FILLED", True)
    assert order.client_order_id == order.order_id
    assert desk.exchange.queries.positions(desk.main) == []
    assert code(close(desk)) == 401097


def test_close_position_first_cancels_reduce_only_orders() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.3")
    reducing = desk.place("SELL", "0.3", "70000", reduce_only=True)
    amended = desk.place("SELL", "0.1", "70000", reduce_only=True)
    leaving = desk.place("SELL", "0.1", "70000", reduce_only=True)
    plain = desk.place("SELL", "0.3", "70000")
    desk.replace(amended, price="71000")
    desk.cancel(leaving)
    reply = close(desk)
    assert isinstance(reply, Closing)
    pushed = [event.record for event in desk.events if isinstance(event, OrderChanged)]
    ended = [row.order_id for row in pushed if row.order_state == "CANCELLED"]
    assert ended == [reducing, amended, leaving]
    first = next(number for number, row in enumerate(pushed) if row.order_id == reply.order_id)
    assert all(row.order_state == "CANCELLED" or row.action == "AMEND_FAILED" for row in pushed[:first])
    ends = {(desk.order(one).cancel_type, desk.order(one).reason) for one in (reducing, amended, leaving)}
    assert ends == {("REDUCE_ONLY", "Reduce only order cancelled")}
    assert [action for _, action in desk.story(amended)][-3:] == ["AMEND_PENDING", "AMEND_FAILED", "AMEND_FAILED"]
    assert desk.order(plain).order_state == "OPEN"
    desk.wait()
    assert desk.order(leaving).action == "CANCEL_FAILED"


@pytest.mark.parametrize("sym", [SPOT, "BINANCE_PERP_NOPE_USDT", "x"])
def test_close_position_accepts_only_known_perpetuals(sym: str) -> None:
    desk = Desk()
    assert code(close(desk, sym)) == 401011
    assert code(close_several(desk, f"{PERP},{sym}")) == 401011


def test_close_position_needs_a_side_only_in_hedge_mode() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.3")
    assert code(close(desk, side="BOTH")) == 401905
    assert code(close(desk, side="SHORT")) == 0
    desk = hedged()
    desk.place("BUY", "0.3", position_side="LONG")
    for side in ("", "NONE"):
        assert code(close(desk, side=side)) == 401905
    assert code(close(desk, side="SHORT")) == 401097
    assert code(close(desk, side="LONG")) == 0
    assert legs(desk) == {}


@pytest.mark.parametrize("scope", ["symbol", "leg"])
def test_close_position_counts_reduce_only_orders_of_pair_or_leg(scope: str) -> None:
    """Sixty for each leg: of the pair they are too many to close one leg, of the leg alone they are not."""
    desk = hedged(reduce_only_scope=scope)
    desk.place("BUY", "0.3", position_side="LONG")
    desk.place("SELL", "0.2", position_side="SHORT")
    for _ in range(60):
        desk.place("SELL", "0.001", "70000", position_side="LONG")
        last = desk.place("BUY", "0.001", "55000", position_side="SHORT")
    assert code(close(desk, side="LONG")) == (401129 if scope == "symbol" else 0)
    assert desk.order(last).order_state == "OPEN"
    assert set(legs(desk)) == ({"LONG", "SHORT"} if scope == "symbol" else {"SHORT"})


@pytest.mark.edition("documents")
def test_closing_a_hedge_leg_cancels_reduce_only_orders_of_both() -> None:
    desk = hedged()
    desk.place("BUY", "0.3", position_side="LONG")
    desk.place("SELL", "0.2", position_side="SHORT")
    orders = [
        desk.place("SELL", "0.3", "70000", position_side="LONG"),
        desk.place("BUY", "0.2", "55000", position_side="SHORT"),
    ]
    opening = desk.place("BUY", "0.1", "55000", position_side="LONG")
    assert code(close(desk, side="LONG")) == 0
    found = [(desk.order(one).order_state, desk.order(one).cancel_type) for one in orders]
    assert found == [("CANCELLED", "REDUCE_ONLY")] * 2
    assert desk.order(opening).order_state == "OPEN"
    assert {leg: row.position_qty for leg, row in legs(desk).items()} == {"SHORT": "0.2"}


def test_closing_a_hedge_leg_can_keep_orders_of_the_other_leg() -> None:
    desk = hedged(reduce_only_scope="leg")
    desk.place("BUY", "0.3", position_side="LONG")
    desk.place("SELL", "0.2", position_side="SHORT")
    gone = desk.place("SELL", "0.3", "70000", position_side="LONG")
    kept = desk.place("BUY", "0.2", "55000", position_side="SHORT")
    assert code(close(desk, side="LONG")) == 0
    assert {leg: row.position_qty for leg, row in legs(desk).items()} == {"SHORT": "0.2"}
    assert (desk.order(gone).order_state, desk.order(kept).order_state) == ("CANCELLED", "OPEN")


def test_close_position_fails_with_over_100_reduce_only_orders() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.3")
    for _ in range(101):
        last = desk.place("SELL", "0.001", "70000", reduce_only=True)
    assert code(close(desk)) == 401129
    assert code(close_several(desk, PERP)) == 401129
    assert desk.order(last).order_state == "OPEN"
    desk.cancel(last)
    desk.wait()
    assert code(close(desk)) == 0


def test_close_position_without_liquidity_expires_unfilled() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.3")
    desk.switch("agents", "off")
    reply = close(desk)
    assert isinstance(reply, Closing)
    assert (desk.order(reply.order_id).cancel_type, desk.order(reply.order_id).executed_qty) == ("EXPIRE", "0")
    assert desk.exchange.queries.positions(desk.main)[0].position_qty == "0.3"


def test_close_several_pairs_replies_in_request_order() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "3", sym=OKX)
    desk.place("SELL", "0.1")
    reply = close_several(desk, f"{PERP}, {ETH},{OKX}", position_side="LONG")
    assert outcomes(reply) == [
        (PERP, "NONE", "true", ""),
        (ETH, "NONE", "false", "401097"),
        (OKX, "NONE", "true", ""),
    ]
    assert isinstance(reply, tuple)
    first, second, _ = reply
    assert isinstance(first, CloseOutcome)
    assert desk.exchange.queries.positions(desk.main) == []
    shown = msgspec.to_builtins(second)
    assert set(shown) == {"sym", "positionSide", "success", "errorMsg"}
    assert desk.order(str(first.order_id)).order_state == "FILLED"


@pytest.mark.parametrize(
    ("side", "found"),
    [
        ("", [(PERP, "LONG", "true", ""), (PERP, "SHORT", "true", ""), (ETH, "NONE", "false", "401097")]),
        ("NONE", [(PERP, "LONG", "true", ""), (PERP, "SHORT", "true", ""), (ETH, "NONE", "false", "401097")]),
        ("SHORT", [(PERP, "SHORT", "true", ""), (ETH, "NONE", "false", "401097")]),
    ],
)
def test_close_several_pairs_can_select_the_hedge_leg(side: str, found: list[tuple[str, str, str, str]]) -> None:
    desk = hedged()
    desk.place("BUY", "0.3", position_side="LONG")
    desk.place("SELL", "0.2", position_side="SHORT")
    assert outcomes(close_several(desk, f"{PERP},{ETH}", position_side=side)) == found


def test_close_without_a_side_in_hedge_mode_can_be_rejected() -> None:
    desk = hedged()
    desk.switch("none_in_both_mode", "refuse")
    desk.place("BUY", "0.3", position_side="LONG")
    assert code(close_several(desk, PERP)) == 401905
    assert code(close_several(desk, close_all_pos="true")) == 401905
    assert outcomes(close_several(desk, PERP, position_side="LONG")) == [(PERP, "LONG", "true", "")]


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ({}, 400009),
        ({"sym_list": " , "}, 400009),
        ({"close_all_pos": "false"}, 400009),
        ({"close_all_pos": "yes", "sym_list": PERP}, 400000),
        ({"position_side": "BOTH", "sym_list": PERP}, 401905),
        ({"close_all_pos": "true", "exchange_type": "KRAKEN"}, 401023),
        ({"sym_list": ",".join([PERP] * 21)}, 401129),
    ],
)
def test_an_invalid_close_request_closes_nothing(more: dict[str, str], wanted: int) -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.1")
    assert code(desk.do(ClosePositions(portfolio=desk.main, **more))) == wanted
    assert len(desk.exchange.queries.positions(desk.main)) == 1


@pytest.mark.parametrize(
    ("more", "left"),
    [
        ({}, []),
        ({"exchange_type": "OKX"}, [PERP]),
        ({"exchange_type": "BINANCE", "sym_list": OKX}, [OKX]),
        ({"exchange_type": "EDX"}, [PERP, OKX]),
    ],
)
def test_close_all_closes_every_position_or_those_of_a_venue(more: dict[str, str], left: list[str]) -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.1")
    desk.place("SELL", "2", sym=OKX)
    reply = close_several(
        desk, more.get("sym_list", ""), close_all_pos="TRUE", exchange_type=more.get("exchange_type", "")
    )
    assert {one[2] for one in outcomes(reply)} <= {"true"}
    assert [row.sym for row in desk.exchange.queries.positions(desk.main)] == left


def test_close_all_without_positions_returns_an_empty_list() -> None:
    assert outcomes(close_several(Desk(), close_all_pos="true")) == []


def _one(desk: Desk) -> Reply | None:
    return close(desk)


def _all(desk: Desk) -> Reply | None:
    return close_several(desk, close_all_pos="true")


@pytest.mark.parametrize("how", [_one, _all])
def test_balances_and_stored_rows_are_right_after_a_close(how: Callable[[Desk], Reply | None]) -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.3")
    how(desk)
    assert desk.restarted().state_hash() == desk.exchange.state_hash()
    fills = desk.exchange.queries.executions(desk.main)
    paid = sum(Decimal(one.rpnl) - Decimal(one.fee) for one in fills)
    assert desk.exchange.queries.balance(desk.main, "BINANCE", "USDT") == 100000 + paid


def test_a_close_result_is_decoded_from_its_json() -> None:
    text = msgspec.json.encode(CloseOutcome(sym=PERP, success="false", error_msg="401097 nothing"))
    assert msgspec.json.decode(text, type=CloseOutcome).order_id is msgspec.UNSET


def test_an_account_in_status_cancel_all_can_reduce_and_close() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "1")
    before = desk.place("SELL", "0.2", "61900", reduce_only=True)
    desk.switch("risk_ladder", "999 998 997 1")
    desk.steer("BTC", "61800")
    assert desk.order(before).cancel_type == "LIQUIDATING"
    resting = desk.place("SELL", "0.2", "61900", reduce_only=True)
    desk.steer("BTC", "61790")
    assert desk.order(resting).order_state == "OPEN"
    desk.place("SELL", "0.3", reduce_only=True)
    assert [row.position_qty for row in desk.exchange.queries.positions(desk.main)] == ["0.7"]
    assert isinstance(close(desk), Closing)
    assert desk.exchange.queries.positions(desk.main) == []
    assert desk.exchange.queries.accounts(desk.main)[0].account_status == "NORMAL"
    assert code(desk.try_place("BUY", "0.01", "61000")) == 0


def test_closing_both_legs_sends_no_order_for_a_leg_already_flat() -> None:
    """Where own orders may meet, closing LONG fills the open order that reduces SHORT."""
    desk = hedged("off", self_trade="allow", reduce_only_scope="leg")
    desk.sub_place("SELL", "0.01", "61800")
    desk.place("BUY", "0.01", "61800", position_side="LONG")
    desk.sub_place("BUY", "0.01", "61800")
    desk.place("SELL", "0.01", "61800", position_side="SHORT")
    desk.place("BUY", "0.01", "61800", position_side="SHORT")
    assert outcomes(close_several(desk, PERP)) == [(PERP, "LONG", "true", ""), (PERP, "SHORT", "false", "401097")]
    assert desk.exchange.queries.positions(desk.main) == []
    assert [row.order_qty for row in desk.exchange.queries.orders(desk.main)] == ["0.01"] * 4
