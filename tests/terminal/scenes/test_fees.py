"""Fees by keyboard against a running venue: what the screen says is what it charges; an add-point and its refusals."""

from __future__ import annotations

from tests.terminal.trader import Trader


def test_fees_screen_shows_rates_and_sets_a_fee_markup(trader: Trader) -> None:
    desk = trader.desk
    trader.come_in()
    desk.press("$")
    desk.see("BINANCE", "perp", "altcoins", "6bp", "DOGE")
    desk.see("OKX", "spot", "10bp", "all others")
    desk.press(")")
    desk.see("SubPortfolio", "BINANCE", "5bp", "0.0000")
    desk.press("%")
    desk.see("fees of sub portfolios")
    desk.see("‹ all sub portfolios ›")
    desk.press("down", "down", "down", "down", *"1.005", "enter")
    desk.see("accepted: ", "decimals")
    desk.press("\x15", *"1.5")
    desk.see("taker", "5bp", "6.5bp")
    desk.press("enter", "enter", "enter", "enter")
    desk.see("y asks first, then y sends it")
    desk.press("enter")
    desk.see("Change the fees of sub portfolios")
    desk.press("y")
    desk.see("done: fees of all sub portfolios on BINANCE PERP: taker +1.5bp")
    desk.press("(", "(")
    desk.see("fees of all sub portfolios on BINANCE PERP", "DONE")


def test_fees_screen_lists_sub_portfolio_withdrawals(trader: Trader) -> None:
    desk, venue = trader.desk, trader.venue
    trader.come_in()
    book = venue.data("GET", "/api/v1/userWithdrawAddress/list", {"currency": "USDT", "network": "TRC20"})["list"][0]
    sub = next(key["portfolioId"] for key in venue.ready["keys"] if key["name"] == "sub")
    applied = {
        "accountId": sub, "fromAccountType": "BINANCE", "currency": "USDT", "network": "TRC20", "amount": "250",
        "address": book["address"],
    }  # fmt: skip
    venue.data("POST", "/api/v1/userWithdrawRecord/apply", applied, key="sub")
    desk.press("$", "(", "(")
    desk.see("withdrawals 1", "sent")
    desk.see("SubPortfolio", "BINANCE", "250.00 USDT", "TRC20", "USDT wallet on TRC20")
    desk.press("(")
    desk.see("no deposits of sub portfolios")
