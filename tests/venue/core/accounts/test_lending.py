"""Margin orders: what they borrow, what comes in pays back, interest by the hour, margin and the ladder."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.venue.core.drive import PERP, SPOT, START, Desk, code
from tui.interface.families.assets import AssetRecord
from tui.interface.families.positions import SetMarginLeverage
from tui.interface.families.transfers import ApplyTransfer, TransferAccepted
from tui.venue.core.commands import Advance, Done

MARGIN = "BINANCE_MARGIN_BTC_USDT"
HOUR = 3_600_000
FIRST_HOUR = -(-START // HOUR) * HOUR
RATE = Decimal("0.0000068")


def _asset(desk: Desk, coin: str, venue: str = "BINANCE") -> AssetRecord:
    return next(
        row for row in desk.exchange.queries.assets(desk.main) if row.coin == coin and row.exchange_type == venue
    )


def _meet(desk: Desk, side: str, qty: str, price: str, sym: str = MARGIN) -> str:
    """An order of the main portfolio that meets a synthetic level of its size at once."""
    state = desk.state
    pair = state.pairs[sym]
    ticks, lots = pair.ticks(Decimal(price)), pair.lots(Decimal(qty))
    assert ticks is not None and lots is not None
    state.books[sym].set_house(ticks, lots, is_buy=side == "SELL")
    return desk.place(side, qty, price, sym)


def test_a_margin_order_spends_own_coins_before_borrowing(desk: Desk) -> None:
    first = _meet(desk, "BUY", "0.01", "60000")
    assert desk.order(first).borrow_amount == "0"
    assert desk.order(first).borrow_asset == ""
    assert _asset(desk, "USDT").debt == "0"


def test_a_margin_buy_borrows_the_shortfall_and_a_sell_repays_it(desk: Desk) -> None:
    # 100,000 USDT are there; the sub portfolio borrows the coins it sells.
    bought = _meet(desk, "BUY", "2", "60000")
    assert desk.order(bought).borrow_amount == "20000"
    assert desk.order(bought).borrow_asset == "USDT"
    owed = _asset(desk, "USDT")
    assert (owed.balance, owed.borrow, owed.debt, owed.equity) == ("0", "20000", "20000", "-20000")
    sold = _meet(desk, "SELL", "0.5", "60000")
    assert desk.order(sold).order_state == "FILLED"
    # 30,000 less the fee of 30 come in: 20,000 go back, the rest stays.
    after = _asset(desk, "USDT")
    assert (after.balance, after.borrow, after.debt) == ("9970", "0", "0")


def test_a_margin_sell_borrows_the_coin(desk: Desk) -> None:
    sold = _meet(desk, "SELL", "1.5", "60000")
    assert (desk.order(sold).borrow_amount, desk.order(sold).borrow_asset) == ("0.5", "BTC")
    btc = _asset(desk, "BTC")
    assert (btc.balance, btc.borrow, btc.equity) == ("0", "0.5", "-0.5")
    bought = _meet(desk, "BUY", "0.5", "60000")
    assert desk.order(bought).borrow_amount == "0"
    # The fee of 0.1 % is paid in the coin, so that much is still owed.
    assert _asset(desk, "BTC").borrow == "0.0005"


def test_coins_that_are_transferred_in_repay_the_debt(desk: Desk) -> None:
    _meet(desk, "SELL", "1.4", "60000")
    for amount, owed, balance in (("0.2", "0.2", "0"), ("0.25", "0", "0.05")):
        command = ApplyTransfer(
            portfolio=desk.main, from_trade_account_id=desk.main, to_trade_account_id=desk.main,
            from_account_type="OKX", to_account_type="BINANCE", currency="BTC", amount=amount, network="BTC",
        )  # fmt: skip
        assert isinstance(desk.do(command), TransferAccepted)
        desk.wait(20_000)
        btc = _asset(desk, "BTC")
        assert (btc.borrow, btc.debt, btc.balance) == (owed, owed, balance)


def test_a_spot_order_never_borrows(desk: Desk) -> None:
    assert code(desk.try_place("BUY", "2", "60000", SPOT)) == 401901
    assert code(desk.try_place("SELL", "1.1", "60000", SPOT)) == 401901


def test_a_resting_margin_order_freezes_at_most_the_balance(desk: Desk) -> None:
    order = desk.place("BUY", "2", "50000", MARGIN)
    assert _asset(desk, "USDT").frozen == "100000"
    assert _asset(desk, "USDT").available == "0"
    desk.cancel(order)
    desk.wait(1000)
    assert _asset(desk, "USDT").frozen == "0"


def test_borrowing_is_limited_by_loan_cap_and_margin(desk: Desk) -> None:
    refused = desk.try_place("BUY", "36", "60000", MARGIN)
    assert code(refused) == 401902
    assert "would borrow 2060000 USDT; 2000000 can be borrowed" in getattr(refused, "message", "")
    refused = desk.try_place("BUY", "20", "60000", MARGIN)
    assert code(refused) == 401902
    assert "available margin" in getattr(refused, "message", "")


def test_debt_margin_follows_margin_leverage(desk: Desk) -> None:
    _meet(desk, "BUY", "2", "60000")
    account, owed = desk.account(), _asset(desk, "USDT")
    assert (
        Decimal(account.debt_margin)
        == Decimal(owed.debt_margin)
        == (Decimal(20000) / 3).quantize(Decimal("1e-18"), "ROUND_DOWN")
    )
    assert account.maintain_margin == "1000"
    frozen = Decimal(account.frozen_margin)
    assert frozen == Decimal(account.perp_margin) + Decimal(account.debt_margin)
    reply = desk.do(SetMarginLeverage(portfolio=desk.main, exchange_type="BINANCE", coin="USDT", leverage="5"))
    assert isinstance(reply, Done)
    assert desk.account().debt_margin == "4000"


@pytest.mark.parametrize(
    ("venue", "coin", "leverage", "expected"),
    [
        ("BINANCE", "USDT", "6", 401908),
        ("BINANCE", "USDT", "0", 401908),
        ("BINANCE", "USDT", "2.5", 400000),
        ("BINANCE", "DOT", "2", 406014),
        ("EDX", "USDT", "2", 406014),
        ("KRAKEN", "USDT", "2", 401023),
        ("OKX", "BTC", "5", 0),
    ],
)
def test_invalid_margin_leverage_is_rejected_by_error_code(
    desk: Desk, venue: str, coin: str, leverage: str, expected: int
) -> None:
    assert (
        code(desk.do(SetMarginLeverage(portfolio=desk.main, exchange_type=venue, coin=coin, leverage=leverage)))
        == expected
    )


def set_debt_leverage(desk: Desk, leverage: str) -> int:
    command = SetMarginLeverage(portfolio=desk.main, exchange_type="BINANCE", coin="USDT", leverage=leverage)
    return code(desk.do(command))


def test_lower_margin_leverage_without_enough_margin_is_rejected(desk: Desk) -> None:
    _meet(desk, "BUY", "6", "60000")
    for former in ("3", "4"):
        assert set_debt_leverage(desk, former) == 0
        kept, held = desk.exchange.state_hash(), desk.account().debt_margin
        assert set_debt_leverage(desk, "1") == 401920
        assert (desk.exchange.state_hash(), desk.account().debt_margin) == (kept, held)
    assert desk.account().debt_margin == "65000"


def test_margin_leverage_survives_a_restart(desk: Desk) -> None:
    _meet(desk, "BUY", "2", "60000")
    assert set_debt_leverage(desk, "5") == 0
    kept = desk.exchange.state_hash()
    assert set_debt_leverage(desk, "5") == 0
    assert (desk.events, desk.exchange.state_hash()) == ([], kept)
    again = desk.restarted()
    again.check()
    assert again.state_hash() == kept
    row = next(one for one in again.queries.accounts(desk.main) if one.exchange_type == "BINANCE")
    assert row.debt_margin == "4000"


def test_margin_interest_is_charged_once_per_full_hour(desk: Desk) -> None:
    _meet(desk, "BUY", "2", "60000")
    desk.wait(FIRST_HOUR - desk.now - 1)
    assert _asset(desk, "USDT").debt == "20000"
    desk.wait(1)
    one = 20000 * RATE
    assert Decimal(_asset(desk, "USDT").debt) == 20000 + one
    assert _asset(desk, "USDT").borrow == "20000"
    desk.wait(2 * HOUR)
    assert Decimal(_asset(desk, "USDT").debt) == 20000 + 3 * one
    rows = [row for row in desk.exchange.queries.statements(desk.main) if row.statement_type == "DEDUCT_INTEREST"]
    assert [row.request_id for row in rows] == [str(FIRST_HOUR + n * HOUR) for n in (2, 1, 0)]
    assert {row.delta_amount for row in rows} == {"0"}
    assert Decimal(rows[-1].after_borrow) - Decimal(rows[-1].before_borrow) == one


def test_repayments_cover_interest_before_principal(desk: Desk) -> None:
    _meet(desk, "BUY", "2", "60000")
    desk.wait(FIRST_HOUR - desk.now)
    owed = Decimal(_asset(desk, "USDT").debt)
    _meet(desk, "SELL", "0.1", "60000")
    after = _asset(desk, "USDT")
    assert Decimal(after.debt) == owed - (6000 - 6)
    assert after.borrow == after.debt


def test_margin_interest_missed_while_down_is_charged_at_restart(desk: Desk) -> None:
    _meet(desk, "BUY", "2", "60000")
    again = desk.restarted()
    assert again.state_hash() == desk.exchange.state_hash()
    again.apply(Advance(), FIRST_HOUR + 2 * HOUR)
    again.check()
    owed = next(row for row in again.queries.assets(desk.main) if row.coin == "USDT" and row.exchange_type == "BINANCE")
    assert Decimal(owed.debt) == 20000 + 3 * 20000 * RATE


def test_a_negative_usdt_balance_becomes_a_debt_at_the_full_hour(desk: Desk) -> None:
    desk.switch("risk_ladder", "0.4 0.3 0.2 0.1")
    _meet(desk, "BUY", "1.6", "60000")
    _meet(desk, "BUY", "1", "61000", PERP)
    desk.steer("BTC", "52000")
    _meet(desk, "SELL", "1", "52000", PERP)
    before = _asset(desk, "USDT")
    assert Decimal(before.balance) < 0
    desk.wait(FIRST_HOUR - desk.now)
    after = _asset(desk, "USDT")
    assert after.balance == "0"
    assert Decimal(after.borrow) == -Decimal(before.balance) == Decimal(before.overdraw)


def test_risk_thresholds_cancel_risky_orders_and_then_all(desk: Desk) -> None:
    _meet(desk, "BUY", "2", "60000", PERP)
    adds = desk.place("BUY", "0.1", "50000")
    spot = desk.place("SELL", "0.1", "80000", SPOT)
    reduces = desk.place("SELL", "0.5", "70000", reduce_only=True)
    uni = Decimal(desk.account().uni_mmr)
    desk.switch("risk_ladder", f"{uni + 40:.2f} {uni + 20:.2f} {uni / 4:.2f} 1.0")
    desk.steer("BTC", "59990")
    assert desk.account().account_status == "CANCEL_OPEN"
    for order in (adds, spot):
        ended = desk.order(order)
        assert (ended.order_state, ended.cancel_type, ended.reason) == ("CANCELLED", "LIQUIDATING", "Account risk")
    assert desk.order(reduces).order_state == "OPEN"
    assert code(desk.try_place("BUY", "0.1", "50000")) == 401910
    desk.switch("risk_ladder", f"{uni + 40:.2f} {uni + 20:.2f} {uni + 10:.2f} 1.0")
    desk.steer("BTC", "59980")
    assert desk.account().account_status == "CANCEL_ALL"
    assert desk.order(reduces).cancel_type == "LIQUIDATING"
