"""Every refusal of a placement with its code; the first failing check wins."""

from __future__ import annotations

import pytest

from tests.venue.core.drive import PERP, SPOT, Desk, code
from tui.interface.families.orders import CancelOrder, PlaceOrder
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.commands import Advance, Rejected

GOOD = {"sym": PERP, "side": "BUY", "order_type": "LIMIT", "order_qty": "0.01", "limit_price": "61000"}


@pytest.mark.parametrize(
    ("changes", "expected", "names"),
    [
        ({"sym": ""}, 400009, "sym"),
        ({"side": ""}, 400009, "side"),
        ({"order_type": ""}, 400009, "orderType"),
        ({"order_qty": ""}, 400009, "orderQty"),
        ({"limit_price": ""}, 400009, "limitPrice"),
        ({"sym": "BINANCE_PERP_XXX_USDT"}, 401011, "BINANCE_PERP_XXX_USDT"),
        ({"side": "HOLD"}, 401002, "HOLD"),
        ({"order_type": "STOP"}, 401003, "STOP"),
        ({"time_in_force": "DAY"}, 401004, "DAY"),
        ({"position_side": "BOTH"}, 401905, "BOTH"),
        ({"order_qty": "-1"}, 401005, "orderQty"),
        ({"order_qty": "1e3"}, 401005, "orderQty"),
        ({"order_qty": "0"}, 401005, "orderQty"),
        ({"limit_price": "abc"}, 401006, "limitPrice"),
        ({"client_order_id": "x" * 64}, 401001, "64"),
        ({"client_order_id": "a b"}, 400000, "clientOrderId"),
        ({"limit_price": "61000.05"}, 401015, "61000.1"),
        ({"order_qty": "0.0015"}, 401013, "0.001"),
        ({"order_qty": "1001"}, 401025, "1000"),
        ({"order_type": "MARKET", "order_qty": "121"}, 401025, "maxMarketSize"),
        ({"sym": SPOT, "order_qty": "0.00001"}, 401017, "minNotional"),
        ({"limit_price": "99000"}, 401906, "limitPrice"),
        ({"limit_price": "30000"}, 401906, "limitPrice"),
        ({"reduce_only": True}, 401903, "reduceOnly"),
        ({"order_qty": "900"}, 401902, "margin"),
        ({"sym": SPOT, "order_qty": "50"}, 401901, "USDT; available: "),
        ({"tp_trigger_price": "61000"}, 401916, "tpTriggerPrice"),
    ],
)
def test_an_invalid_order_is_rejected_with_code_and_field_name(
    changes: dict[str, str | bool], expected: int, names: str
) -> None:
    desk = Desk()
    reply = desk.do(PlaceOrder(portfolio=desk.main, **{**GOOD, **changes}))  # type: ignore[arg-type]
    assert isinstance(reply, Rejected)
    assert reply.code == expected
    assert names in reply.message
    assert desk.events == []
    assert desk.exchange.queries.orders(desk.main) == []


def test_irrelevant_order_fields_are_not_validated() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.01", order_type="MARKET", limit_price="junk", time_in_force="junk", quote_order_qty="junk")
    desk.place("BUY", "0.01", "61000", SPOT, position_side="junk", reduce_only=True)


def test_an_order_without_an_account_on_the_venue_is_rejected() -> None:
    desk = Desk()
    assert code(desk.try_place("BUY", "0.01", "61000", "EDX_PERP_BTC_USDT", portfolio=desk.sub)) == 401911


def test_an_order_above_200_open_orders_is_rejected() -> None:
    desk = Desk()
    for _ in range(200):
        desk.exchange.apply(PlaceOrder(portfolio=desk.main, **GOOD), desk.now)  # type: ignore[arg-type]
    assert code(desk.try_place("BUY", "0.001", "61000")) == 401907


def test_a_client_order_id_cannot_be_reused() -> None:
    desk = Desk()
    order = desk.place("BUY", "0.01", "61000", client_order_id="onea1")
    assert code(desk.try_place("BUY", "0.01", "61000", client_order_id="onea1")) == 401009
    desk.cancel(order)
    desk.wait()
    assert code(desk.try_place("BUY", "0.01", "61000", client_order_id="onea1")) == 401009
    desk.sub_place("BUY", "0.01", "61000", client_order_id="onea1")


def test_a_rejected_order_does_not_use_up_its_client_id() -> None:
    desk = Desk()
    assert code(desk.try_place("BUY", "0.0015", "61000", client_order_id="again")) == 401013
    desk.place("BUY", "0.001", "61000", client_order_id="again")


def test_a_switch_allows_reuse_of_client_ids_of_ended_orders() -> None:
    desk = Desk(duplicate_client_id="reject_open")
    first = desk.place("BUY", "0.01", "61000", client_order_id="one")
    assert code(desk.try_place("BUY", "0.01", "61000", client_order_id="one")) == 401009
    desk.cancel(first)
    desk.wait()
    second = desk.place("BUY", "0.01", "61000", client_order_id="one")
    assert desk.exchange.queries.order(desk.main, client_order_id="one").order_id == second


def test_a_duplicate_client_id_refers_to_the_newest_order() -> None:
    desk = Desk(duplicate_client_id="accept")
    desk.place("BUY", "0.01", "61000", client_order_id="one")
    second = desk.place("BUY", "0.01", "61000", client_order_id="one")
    assert desk.exchange.queries.order(desk.main, client_order_id="one").order_id == second
    assert len(desk.exchange.queries.open_orders(desk.main)) == 2


def test_an_order_without_client_id_uses_its_order_id() -> None:
    desk = Desk()
    order = desk.place("BUY", "0.01", "61000")
    assert desk.order(order).client_order_id == order


def test_strict_mode_rejects_client_ids_with_other_characters() -> None:
    desk = Desk(client_ids="strict")
    assert code(desk.try_place("BUY", "0.01", "61000", client_order_id="Up-per")) == 400000
    desk.place("BUY", "0.01", "61000", client_order_id="lower1")


def test_strict_mode_finds_stored_orders_with_other_client_ids() -> None:
    desk = Desk(client_ids="lenient")
    order = desk.place("BUY", "0.01", "61000", client_order_id="Up-per")
    again = desk.restarted(client_ids="strict")
    assert again.queries.order(desk.main, client_order_id="Up-per").order_id == order
    reply, _ = again.apply(CancelOrder(portfolio=desk.main, client_order_id="Up-per"), desk.now + 2000)
    assert not isinstance(reply, Rejected)
    again.apply(Advance(), desk.now + 4000)
    assert again.queries.order(desk.main, order_id=order).order_state == "CANCELLED"


def test_unknown_orders_and_orders_of_others_are_not_found() -> None:
    desk = Desk()
    order = desk.sub_place("BUY", "0.01", "61000")
    for named in ({"order_id": order}, {"client_order_id": "never"}):
        with pytest.raises(CheckFailed, match="not found") as refused:
            desk.exchange.queries.order(desk.main, **named)
        assert refused.value.code == 401018
    with pytest.raises(CheckFailed) as refused:
        desk.exchange.queries.order(desk.main)
    assert refused.value.code == 401008


def test_the_largest_accepted_order_matches_the_margin_rule() -> None:
    """TX-13 at the venue: one lot more than the largest quantity is refused."""
    desk = Desk()
    row = next(row for row in desk.exchange.queries.accounts(desk.sub) if row.exchange_type == "OKX")
    assert row.available_margin == "10000"
    desk.steer("BTC", "64000")
    for price, most in (("64000", 309), ("64100", 299)):
        assert code(desk.try_place("BUY", str(most + 1), price, "OKX_PERP_BTC_USDT", portfolio=desk.sub)) == 401902
        order = desk.sub_place("BUY", str(most), price, "OKX_PERP_BTC_USDT")
        desk.do(CancelOrder(portfolio=desk.sub, order_id=order))
        desk.wait()


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        *(
            ({"sym": bad}, 401011)
            for bad in ("okx_perp_btc_usdt", f"{PERP}\n", PERP.replace("B", "\u0412"), f" {PERP}", "x" * 65)
        ),
        *(({"client_order_id": bad}, 400000) for bad in ("a b", "a\n", "é", "\u202ea", "a/../b")),
    ],
)
def test_s14_placement_symbols_and_client_ids_are_strict_ascii(changes: dict[str, str], expected: int) -> None:
    desk = Desk()
    reply = desk.do(PlaceOrder(portfolio=desk.main, **{**GOOD, **changes}))  # type: ignore[arg-type]
    assert isinstance(reply, Rejected)
    assert reply.code == expected


@pytest.mark.parametrize("bad", ["1" * 15, "1" * 17, "\u0661" * 16, "1" * 15 + "\n", "a" * 16])
def test_s14_order_ids_are_sixteen_ascii_digits(bad: str) -> None:
    desk = Desk()
    reply = desk.do(CancelOrder(portfolio=desk.main, order_id=bad))
    assert isinstance(reply, Rejected)
    assert reply.code == 401007
