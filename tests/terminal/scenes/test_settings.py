"""Leverage and position mode by keyboard against a running venue: what the form says is what the venue then holds."""

from __future__ import annotations

from tests.terminal.trader import Trader

SYM = "BINANCE_PERP_BTC_USDT"
LEVERAGES = "/api/v1/trading/perp/leverage"
ACCOUNT = "/api/v1/trading/account"


def leverage(trader: Trader) -> str:
    """What the venue holds."""
    return str(trader.venue.data("GET", LEVERAGES, {"sym": SYM})[0]["leverage"])


def mode(trader: Trader) -> str:
    rows = trader.venue.data("GET", ACCOUNT)
    return str(next(row["positionMode"] for row in rows if row["exchangeType"] == "BINANCE"))


def test_a_leverage_changed_elsewhere_is_shown_in_the_form(trader: Trader) -> None:
    """Another program of the trader changes it while a position is held: seen with the push, not a minute later."""
    desk = trader.desk
    trader.come_in()
    trader.venue.data(
        "POST", "/api/v1/trading/order", {"sym": SYM, "side": "BUY", "orderType": "MARKET", "orderQty": "0.02"}
    )
    desk.see("BINANCE BTC", "LONG", "0.020")
    trader.venue.data("POST", "/api/v1/trading/position/leverage", {"sym": SYM, "leverage": "50"})
    desk.press("4", ")", ")", ")")
    desk.see("leverage of BINANCE BTC perp was changed elsewhere: it was 20x, it is 50x now")
    desk.press("1", "l")
    desk.see("now 50; 1 to 100")


def test_leverage_is_lowered_and_raised_by_keyboard(trader: Trader) -> None:
    desk = trader.desk
    trader.come_in()
    desk.press("1", "l")
    desk.see("leverage of BINANCE BTC perp")
    desk.see("now 20; 1 to 100")
    desk.press(*"101", "enter")
    desk.see("101 is not accepted; type 1 to 100")
    desk.press("\x15", *"10")
    desk.see("leverage 10_")
    desk.press("enter")
    desk.see("y sends it")
    desk.press("y")
    desk.see("leverage of BINANCE BTC perp: 20 → 10 accepted")
    assert leverage(trader) == "10"
    desk.gone("then")

    desk.press("l")
    desk.see("now 10; 1 to 100")
    desk.press(*"50", "enter")
    desk.see("y asks first, then y sends it")
    desk.press("enter")
    desk.see("Raise the leverage of BINANCE BTC perp")
    assert leverage(trader) == "10"
    trader.desk.press("y")
    desk.see("10 → 50 accepted")
    assert leverage(trader) == "50"


def test_hedge_mode_is_set_by_key_once_no_order_blocks_it(trader: Trader) -> None:
    desk = trader.desk
    trader.come_in()
    trader.rest_one()
    desk.press("1", "L")
    desk.see("Position mode of BINANCE")
    desk.see("1 row blocks the change: Enter goes to the row")
    desk.press("enter")
    desk.gone("Position mode of BINANCE")
    assert mode(trader) == "NET"
    desk.press("c")
    desk.until(lambda _: trader.venue.data("GET", "/api/v1/trading/orders")["list"] == [] or None, "no open order")
    desk.press("1", "L")
    desk.see("nothing blocks the change")
    desk.press("enter")
    desk.see("NET (one-way) → BOTH (hedge) for every perpetual there")
    trader.desk.press("y")
    desk.see("position mode of BINANCE: NET (one-way) → BOTH (hedge) accepted")
    assert mode(trader) == "BOTH"
    trader.stage("b", "0.02", "BUY+LONG", "open long")
