"""Loans at the last rung of LTV: what is cancelled, repaid, bought and sold, what it costs, and what waits for a market."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.venue.core.accounts.test_portfolio_loans import _hold_bitcoin, _to_ltv, account, asset, borrow, info
from tests.venue.core.drive import PERP, SPOT, Desk
from tui.interface.decimals import ZERO
from tui.interface.families.orders import OrderRecord

EDGE = Decimal("0.9")
FEE = Decimal("0.005")


@pytest.fixture
def owes_usdt(desk: Desk) -> Desk:
    """The sub portfolio owes 59,000 USDT and holds them with its own in bitcoin."""
    borrow(desk, "59000", who=desk.sub)
    _hold_bitcoin(desk, "1.27")
    return desk


def loan(desk: Desk, coin: str) -> Decimal:
    found = asset(desk, coin, desk.sub).loan
    return Decimal(found) if isinstance(found, str) else ZERO


def stand(desk: Desk, side: str, price: str, quantity: str) -> None:
    """Somebody who buys or sells bitcoin on the spot market at a price."""
    pair = desk.state.pairs[SPOT]
    desk.state.books[SPOT].set_house(
        pair.ticks(Decimal(price)) or 0, pair.lots(Decimal(quantity)) or 0, is_buy=side == "BUY"
    )


def sent(desk: Desk) -> list[OrderRecord]:
    """Orders of the venue for the sub portfolio, oldest first."""
    return [row for row in reversed(desk.exchange.queries.orders(desk.sub)) if row.origin == "SYSTEM_LIQ"]


def fees(desk: Desk) -> Decimal:
    rows = desk.exchange.queries.loan_bookings(desk.sub)
    return -sum((row.delta for row in rows if row.type == "loan_liquidation_fee"), ZERO)


def buyers_near_the_index(desk: Desk, quantity: str = "3") -> None:
    index = desk.state.marks.coin("BTC")
    stand(desk, "BUY", str(round(index * Decimal("0.99"), 1)), quantity)


def test_loan_liquidation_buys_back_the_borrowed_coin(desk: Desk) -> None:
    """0.9 BTC are borrowed and sold; the price rises until they are worth nine tenths of what there is."""
    borrow(desk, "0.90", "BTC", who=desk.sub)
    price = round(desk.state.marks.coin("BTC"), 1)
    stand(desk, "BUY", str(price), "0.9")
    desk.sub_place("SELL", "0.9", str(price), SPOT)
    had = Decimal(asset(desk, "USDT", desk.sub).balance)
    stand(desk, "SELL", "76000", "0.5")
    stand(desk, "SELL", "76010", "5")
    before = desk.state.ledger.balance("insurance", "BINANCE", "USDT")
    desk.steer("BTC", "75000")
    assert (loan(desk, "BTC"), sent(desk)) == (Decimal("0.9"), []), "0.893 of what there is"
    desk.steer("BTC", "76000")
    assert loan(desk, "BTC") == 0
    bought = sent(desk)
    assert {(row.side, row.order_state) for row in bought} == {("BUY", "FILLED")}
    spent = sum((Decimal(row.executed_amount) for row in bought), ZERO)
    assert fees(desk) == sum((round(Decimal(row.executed_amount) * FEE, 8) for row in bought), ZERO)
    assert desk.state.ledger.balance("insurance", "BINANCE", "USDT") == before + fees(desk)
    assert Decimal(asset(desk, "USDT", desk.sub).balance) == had - spent - fees(desk)
    assert Decimal(asset(desk, "BTC", desk.sub).balance) < Decimal("0.0001"), "what a whole lot was more"
    assert account(desk, desk.sub).account_status == "NORMAL"


def test_loan_liquidation_cancels_orders_that_freeze_collateral(owes_usdt: Desk) -> None:
    desk = owes_usdt
    resting = desk.sub_place("SELL", "0.5", "70000", SPOT)
    perpetual = desk.sub_place("SELL", "0.01", "90000", reduce_only=False, sym=PERP)
    assert asset(desk, "BTC", desk.sub).frozen == "0.5"
    _to_ltv(desk, "0.895")
    assert desk.order(resting, desk.sub).order_state == "OPEN"
    buyers_near_the_index(desk)
    _to_ltv(desk, "0.905")
    ended = desk.order(resting, desk.sub)
    assert (ended.order_state, ended.cancel_type, ended.reason) == ("CANCELLED", "LIQUIDATING", "Loan to value")
    assert loan(desk, "USDT") == 0 and {row.side for row in sent(desk)} == {"SELL"}
    assert desk.order(perpetual, desk.sub).order_state == "OPEN", "it holds no coin"


def test_loan_liquidation_waits_while_the_pair_is_suspended(owes_usdt: Desk) -> None:
    desk = owes_usdt
    desk.switch("suspended", SPOT)
    _to_ltv(desk, "0.95")
    buyers_near_the_index(desk)
    desk.wait(2000)
    rest = loan(desk, "USDT")
    assert 58_000 < rest < 59_000, "what was held of it is repaid"
    assert (asset(desk, "USDT", desk.sub).balance, sent(desk)) == ("0", [])
    assert info(desk, desk.sub).account_status == "LIQUIDATING"
    desk.switch("suspended", "none")
    buyers_near_the_index(desk)
    desk.wait(2000)
    assert loan(desk, "USDT") == 0
    assert info(desk, desk.sub).account_status == "NORMAL"


def test_loan_liquidation_stops_once_ltv_is_low_enough(owes_usdt: Desk) -> None:
    desk = owes_usdt
    _to_ltv(desk, "0.905")
    assert sent(desk) == [] and loan(desk, "USDT") > 58_000, "nobody buys"
    index = desk.state.marks.coin("BTC")
    stand(desk, "BUY", str(round(index * Decimal("0.995"), 1)), "0.2")
    desk.wait(2000)
    [first] = sent(desk)
    rest = loan(desk, "USDT")
    assert first.executed_qty == "0.2" and 40_000 < rest < 50_000
    assert fees(desk) == round(Decimal(first.executed_amount) * FEE, 8)
    assert Decimal(info(desk, desk.sub).ltv) < EDGE
    stand(desk, "BUY", str(round(index * Decimal("0.995"), 1)), "3")
    desk.wait(2000)
    assert (loan(desk, "USDT"), sent(desk)) == (rest, [first])


def test_a_loan_below_the_liquidation_ltv_is_not_liquidated(owes_usdt: Desk) -> None:
    desk = owes_usdt
    buyers_near_the_index(desk)
    _to_ltv(desk, "0.85")
    buyers_near_the_index(desk)
    desk.wait(5000)
    assert Decimal(info(desk, desk.sub).ltv) < EDGE
    assert loan(desk, "USDT") == 59_000 and sent(desk) == [] and fees(desk) == 0


def test_loan_liquidation_after_a_price_gap_leaves_no_debt(desk: Desk) -> None:
    """The row is bankrupt in the owed coin: what it holds is spent once, and the insurance fund pays the rest."""
    borrow(desk, "0.90", "BTC", who=desk.sub)
    price = round(desk.state.marks.coin("BTC"), 1)
    stand(desk, "BUY", str(price), "0.9")
    desk.sub_place("SELL", "0.9", str(price), SPOT)
    stand(desk, "SELL", "106000", "0.5")
    stand(desk, "SELL", "106010", "5")
    stand(desk, "BUY", "105990", "5")
    desk.steer("BTC", "106000")
    assert loan(desk, "BTC") == 0
    assert {row.side for row in sent(desk)} == {"BUY"} and len(sent(desk)) < 10
    left = Decimal(asset(desk, "USDT", desk.sub).balance)
    assert 0 <= left < Decimal("0.01") * 106010 * Decimal("1.06"), "less than the smallest repayment"
    assert account(desk, desk.sub).account_status == "NORMAL"
