"""Values of whole records, reckoned by hand from the prices of the still market: no figure is taken from the venue.

Touches of the still market: BTC perpetual 61777.1 / 61777.2, BTC spot ask 61800.01, ETH bids 2690.05 down to 2690.01
with 4 each. Rates: perpetual 0.05 %, spot and margin 0.1 %; leverage 20; maintenance 0.5 % of a perpetual, 6 % of a
debt in ETH, whose margin leverage is 3; BTC and ETH count 95 %.
"""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.venue.shell.conftest import Venue

PERP, SPOT, MARGIN = "BINANCE_PERP_BTC_USDT", "BINANCE_SPOT_BTC_USDT", "BINANCE_MARGIN_ETH_USDT"
OTHER = "BINANCE_PERP_ETH_USDT"
ORDER = "/api/v1/trading/order"
UNKNOWN_BEFORE = ("orderId", "portfolioId", "createAt", "updateAt", "transactionId", "positionId", "algoOrderId")
NOT_MARKET = {"tpTriggerPrice": "", "tpTriggerType": "", "tpPrice": "", "slTriggerPrice": "", "slTriggerType": "",
              "slPrice": "", "limitPrice": "", "timeInForce": "IOC", "exchangeOrderType": "MARKET"}  # fmt: skip
PLAIN = {
    "portfolioName": "MainPortfolio", "exchangeType": "BINANCE", "orderType": "DMA", "quoteOrderQty": "0", "reason": "",
    "reduceOnly": False, "rebate": "0", "rebateCoin": "", "borrowAmount": "0", "borrowAsset": "",
    "positionSide": "NONE", "action": "", "actionMsg": "", "cancelType": "", "amendType": "", "algoOrderId": None,
}  # fmt: skip
NOTHING_DONE = {
    "executedQty": "0", "executedAmount": "0", "executedAvgPrice": "0", "lastExecutedQty": "0",
    "lastExecutedPrice": "0", "lastExecutedAmount": "0", "fee": "0", "feeCoin": "",
}  # fmt: skip
LIMIT = {
    **PLAIN, **NOTHING_DONE, "clientOrderId": "value1", "sym": PERP, "businessType": "PERP", "side": "BUY",
    "exchangeOrderType": "LIMIT", "timeInForce": "GTX", "limitPrice": "60000", "leverage": 20,
    "tpTriggerPrice": "66000", "tpTriggerType": "MARK_PRICE", "tpPrice": "65900",
    "slTriggerPrice": "57000", "slTriggerType": "LAST_PRICE", "slPrice": "56900",
}  # fmt: skip


class Day:
    """Orders of every kind on one portfolio, and what the venue answers to them."""

    def __init__(self, venue: Venue) -> None:
        self.venue = venue
        self.began = int(time.time() * 1000)
        sent = {name: str(LIMIT[name]) for name in LIMIT if name[:2] in ("tp", "sl") or name in (
            "clientOrderId", "sym", "side", "timeInForce", "limitPrice",
        )}  # fmt: skip
        self.limit = self.place(**sent, orderType="LIMIT", orderQty="0.020")
        self.perp = self.place(sym=PERP, side="BUY", orderType="MARKET", orderQty="0.02")
        self.margin = self.place(sym=MARGIN, side="SELL", orderType="MARKET", orderQty="20")
        self.spot = self.place(sym=SPOT, side="BUY", orderType="MARKET", quoteOrderQty="1000")

    def place(self, **args: str) -> str:
        return str(self.venue.data("POST", ORDER, args)["orderId"])

    def settle(self) -> None:
        """Wait for every fill; the resting order is gone."""
        for order_id in (self.perp, self.margin, self.spot):
            self.order(order_id, orderState="FILLED")
        self.venue.data("DELETE", ORDER, {"orderId": self.limit})
        self.order(self.limit, orderState="CANCELLED")

    def order(self, order_id: str, **wanted: str) -> dict[str, Any]:
        """The order, once it has the wanted values."""
        deadline = time.monotonic() + 10
        while True:
            found: dict[str, Any] = self.venue.data("GET", ORDER, {"orderId": order_id})
            if all(found[name] == value for name, value in wanted.items()):
                return found
            assert time.monotonic() < deadline, found


@pytest.fixture
def day(venue: Venue) -> Day:
    return Day(venue)


def values(record: dict[str, Any], *left_out: str) -> dict[str, Any]:
    """The record without what nobody can know before."""
    return {name: value for name, value in record.items() if name not in ("orderId", "portfolioId", *left_out)}


def times_of(day: Day, record: dict[str, Any]) -> None:
    """When it was made and changed: texts of ms, within the time of this test."""
    made, changed = int(record["createAt"]), int(record["updateAt"])
    assert day.began - 1000 <= made <= changed <= int(time.time() * 1000) + 1000
    assert (len(record["createAt"]), type(record["createAt"]), type(record["updateAt"])) == (13, str, str)


def test_order_record_is_right_when_open_amended_and_cancelled(day: Day) -> None:
    stamps = ("createAt", "updateAt")
    found = day.order(day.limit, orderState="OPEN")
    assert values(found, *stamps) == {**LIMIT, "orderState": "OPEN", "orderQty": "0.02"}
    assert len(found) == 44
    assert (len(found["orderId"]), len(found["portfolioId"])) == (16, 16)
    times_of(day, found)
    answer = day.venue.data("PUT", ORDER, {"orderId": day.limit, "replaceQty": "0.01"})
    assert (answer["action"], answer["actionMsg"], answer["orderState"]) == ("AMEND_PENDING", "", "OPEN")
    amended = day.order(day.limit, action="AMEND_COMPLETED")
    assert values(amended, *stamps) == {
        **LIMIT, "orderState": "OPEN", "orderQty": "0.01", "action": "AMEND_COMPLETED", "amendType": "USER",
    }  # fmt: skip
    assert (amended["createAt"], int(amended["updateAt"]) > int(found["updateAt"])) == (found["createAt"], True)
    refused = day.venue.call("PUT", ORDER, {"orderId": day.limit, "replacePrice": "60000.05"})[1]
    failed = day.order(day.limit, action="AMEND_FAILED")
    assert (refused["code"], failed["actionMsg"][:7]) == (401015, "401015 ")
    answer = day.venue.data("DELETE", ORDER, {"orderId": day.limit})
    assert (answer["action"], answer["actionMsg"]) == ("CANCEL_PENDING", "")
    ended = day.order(day.limit, orderState="CANCELLED")
    assert values(ended, *stamps) == {
        **LIMIT, "orderState": "CANCELLED", "orderQty": "0.01", "action": "CANCEL_COMPLETED", "amendType": "USER",
        "cancelType": "USER",
    }  # fmt: skip


def test_order_record_of_a_filled_perpetual_order_is_right(day: Day) -> None:
    """0.02 at 61777.2 are 1235.544; 0.05 % of that is 0.617772."""
    found = day.order(day.perp, orderState="FILLED")
    assert values(found, "createAt", "updateAt", "clientOrderId") == {
        **PLAIN, **NOT_MARKET, "orderState": "FILLED", "sym": PERP, "businessType": "PERP", "side": "BUY",
        "orderQty": "0.02", "executedQty": "0.02", "executedAmount": "1235.544", "executedAvgPrice": "61777.2",
        "lastExecutedQty": "0.02", "lastExecutedPrice": "61777.2", "lastExecutedAmount": "1235.544", "leverage": 20,
        "fee": "0.617772", "feeCoin": "USDT",
    }  # fmt: skip
    assert found["clientOrderId"] == found["orderId"]


def test_order_record_of_a_margin_sell_that_borrowed_is_right(day: Day) -> None:
    """Five levels of 4 ETH: 4 x 13450.15 = 53800.6, on average 2690.03; 10 ETH were there and 10 are borrowed."""
    found = day.order(day.margin, orderState="FILLED")
    assert values(found, "createAt", "updateAt", "clientOrderId") == {
        **PLAIN, **NOT_MARKET, "orderState": "FILLED", "sym": MARGIN, "businessType": "MARGIN", "side": "SELL",
        "orderQty": "20", "executedQty": "20", "executedAmount": "53800.6", "executedAvgPrice": "2690.03",
        "lastExecutedQty": "4", "lastExecutedPrice": "2690.01", "lastExecutedAmount": "10760.04", "leverage": None,
        "fee": "53.8006", "feeCoin": "USDT", "borrowAmount": "10", "borrowAsset": "ETH",
    }  # fmt: skip


def test_order_record_of_a_spot_buy_by_quote_amount_is_right(day: Day) -> None:
    """1000 / 61800.01 are 1618 whole lots of 0.00001; the fee is 0.1 % of them, in BTC."""
    found = day.order(day.spot, orderState="FILLED")
    assert values(found, "createAt", "updateAt", "clientOrderId") == {
        **PLAIN, **NOT_MARKET, "orderState": "FILLED", "sym": SPOT, "businessType": "SPOT", "side": "BUY",
        "orderQty": "", "quoteOrderQty": "1000", "executedQty": "0.01618", "executedAmount": "999.9241618",
        "executedAvgPrice": "61800.01", "lastExecutedQty": "0.01618", "lastExecutedPrice": "61800.01",
        "lastExecutedAmount": "999.9241618", "leverage": None, "fee": "0.00001618", "feeCoin": "BTC",
    }  # fmt: skip


@pytest.mark.edition("documents")
def test_values_of_a_fill_record_are_right(day: Day) -> None:
    day.settle()
    fills = {row["orderId"]: row for row in day.venue.data("GET", "/api/v1/trading/executions")}
    one = fills[day.perp]
    assert values(one, "transactionId", "createAt", "clientOrderId") == {
        "exchangeType": "BINANCE", "businessType": "PERP", "sym": PERP, "side": "BUY", "quantity": "0.02",
        "price": "61777.2", "fee": "0.617772", "feeCoin": "USDT", "rebate": "0", "rebateCoin": "", "rpnl": "0",
        "algoOrderId": "0", "execType": "TAKER", "tradeSource": "",
    }  # fmt: skip
    assert len(one["transactionId"]) == 17
    assert (fills[day.spot]["fee"], fills[day.spot]["feeCoin"]) == ("0.00001618", "BTC")


def test_values_of_position_and_account_records_are_right(day: Day) -> None:
    """Margin is the value over 20, maintenance 0.5 % of it; the debt of 10 ETH needs 26900.05 / 3 and 6 %."""
    day.settle()
    [row] = day.venue.data("GET", "/api/v1/trading/position")
    assert values(row, "positionId", "createAt", "updateAt") == {
        "sym": PERP, "positionSide": "NONE", "positionQty": "0.02", "avgPrice": "61777.2", "markPrice": "61777.2",
        "positionValue": "1235.544", "positionMargin": "61.7772", "positionMM": "6.17772", "unrealizedPNL": "0",
        "unrealizedPNLRate": "0", "leverage": "20", "maxLeverage": "100", "riskLevel": "1", "fee": "0.617772",
        "fundingFee": "0", "liqPrice": None, "tpslOrder": [],
    }  # fmt: skip
    ranks = {sym: day.venue.data("GET", "/api/v1/adl/rank", {"sym": sym})["adlRanks"] for sym in (PERP, OTHER)}
    assert ranks[OTHER] == []
    [rank] = ranks[PERP]
    assert (rank["positionId"], rank["positionSide"], rank["sym"]) == (row["positionId"], "LONG", PERP)
    assert day.venue.data("GET", "/api/v1/adl/rank")["adlRanks"] == [rank]
    account = next(row for row in day.venue.data("GET", "/api/v1/trading/account") if row["exchangeType"] == "BINANCE")
    assert values(account) == {
        "exchangeType": "BINANCE", "equity": "188645.1366230191", "marginValue": "186850.192665178145",
        "openLossMargin": "0", "validMargin": "186850.192665178145", "perpMargin": "61.7772",
        "debtMargin": "8966.683333333333333333", "frozenMargin": "9028.460533333333333333",
        "availableMargin": "177821.732131844811666666", "maintainMargin": "1620.18072", "positionValue": "1235.544",
        "upnl": "0", "uniMMR": "115.3267597612", "riskRatio": "0.0087", "accountStatus": "NORMAL",
        "positionMode": "NET",
    }  # fmt: skip


def test_values_of_an_asset_record_are_right(day: Day) -> None:
    """The cash: 100000 - 0.617772 + 53800.6 - 53.8006 - 999.9241618; the BTC: 1 + 0.01618 - 0.00001618."""
    day.settle()
    page = day.venue.data("GET", "/api/v1/trading/portfolio/assets", {"exchangeType": "BINANCE"})
    assert {name: page[name] for name in ("page", "pageSize", "pageNum", "totalSize")} == {
        "page": 1, "pageSize": 1000, "pageNum": 1, "totalSize": 3,
    }  # fmt: skip
    coins = {row["coin"]: values(row, "createAt", "updateAt", "coin") for row in page["list"]}
    same = {"exchangeType": "BINANCE", "frozen": "0", "overdraw": "0", "virtualBorrow": "0", "upnl": "0"}
    usdt, btc = "152746.2574662", "1.01616382"
    assert coins["USDT"] == {
        **same, "balance": usdt, "available": usdt, "debt": "0", "borrow": "0", "equity": usdt, "equityValue": usdt,
        "indexPrice": "1", "marginValue": usdt, "debtMargin": "0", "perpMargin": "61.7772", "maxTransferable": usdt,
    }  # fmt: skip
    assert coins["BTC"] == {
        **same, "balance": btc, "available": btc, "debt": "0", "borrow": "0", "equity": btc,
        "equityValue": "62798.9291568191", "indexPrice": "61800.005", "marginValue": "59658.982698978145",
        "debtMargin": "0", "perpMargin": "0", "maxTransferable": btc,
    }  # fmt: skip
    assert coins["ETH"] == {
        **same, "balance": "0", "available": "0", "debt": "10", "borrow": "10", "equity": "-10",
        "equityValue": "-26900.05", "indexPrice": "2690.005", "marginValue": "-25555.0475",
        "debtMargin": "8966.683333333333333333", "perpMargin": "0", "maxTransferable": "0",
    }  # fmt: skip
    main = next(key["portfolioId"] for key in day.venue.ready["keys"] if key["name"] == "main")
    for row in page["list"]:
        times_of(day, row)
        assert row["portfolioId"] == main
    [usdt_row] = [row for row in page["list"] if row["coin"] == "USDT"]
    assert int(usdt_row["updateAt"]) > int(usdt_row["createAt"]), "fills have changed it since"


def test_mark_price_symbol_and_currency_records_are_right(day: Day) -> None:
    [mark] = day.venue.data("GET", "/api/v1/market/markPrice", {"sym": PERP})
    assert (mark["publicChannelTypeEnum"], mark["sym"], mark["markPrice"]) == ("MARK_PRICE", PERP, "61777.2")
    assert type(mark["time"]) is int and len(str(mark["time"])) == 13
    info = day.venue.data("GET", "/api/v1/trading/sym/info", {"sym": PERP})[PERP]
    assert (info["tickSize"], info["lotSize"], info["minSize"], info["minNotional"]) == ("0.1", "0.001", "0.001", "5")
    assert (info["defaultLeverage"], info["contractSize"], info["state"]) == ("20", "1", "live")
    [row] = day.venue.data("GET", "/api/v1/asset/currencies", {"currency": "BTC"})
    [network] = row["networks"]
    assert (network["network"], network["estNetworkFee"], network["minWithdraw"]) == ("BTC", "0.0001", "0.001")


def test_values_of_an_algo_order_record_are_right(day: Day) -> None:
    day.settle()
    made = day.venue.data(
        "POST", "/api/v1/algo/order",
        {
            "algoOrderType": "TPSL", "conditionType": "CONDITIONAL", "sym": PERP, "side": "SELL", "orderQty": "0.01",
            "conditionalTriggerPrice": "58000", "clientOrderId": "algo1",
        },
    )  # fmt: skip
    deadline = time.monotonic() + 10
    while True:
        page = day.venue.data("GET", "/api/v1/algo/openOrders", {"sym": PERP})
        if page["list"][0]["orderState"] != "PENDING_NEW":
            break
        assert time.monotonic() < deadline, page
    [row] = page["list"]
    assert row["algoOrderId"] == made["algoOrderId"]
    assert values(row, *UNKNOWN_BEFORE) == {
        "algoOrderType": "TPSL", "clientOrderId": "algo1", "sym": PERP, "exchangeType": "BINANCE",
        "businessType": "PERP", "side": "SELL", "limitPrice": "", "orderQty": "0.01", "positionSide": "NONE",
        "reduceOnly": "false", "orderState": "NEW", "reason": "", "executedQty": "0", "executedAmount": "0",
        "executedAvgPrice": "0", "conditionType": "CONDITIONAL", "conditionalTriggerPrice": "58000",
        "conditionalTriggerPriceType": "LAST_PRICE", "conditionalTriggerType": "LAST_PRICE", "conditionalPrice": "0",
        "attachedOrderId": "", "tpTriggerPrice": "", "tpTriggerType": "", "tpPrice": "", "slTriggerPrice": "",
        "slTriggerType": "", "slPrice": "",
    }  # fmt: skip
    day.venue.data("DELETE", "/api/v1/algo/order", {"algoOrderId": made["algoOrderId"]})
    history = day.venue.data("GET", "/api/v1/trading/history/orders", {"pageSize": "2", "page": "2"})
    assert (history["page"], history["pageSize"], history["pageNum"], history["totalSize"]) == (2, 2, 2, 4)
    assert [row["orderId"] for row in history["list"]] == [day.perp, day.limit]
    assert not {"action", "actionMsg"} & set(history["list"][0])


def test_values_of_a_trade_account_record_are_right(day: Day) -> None:
    listed = day.venue.data("GET", "/api/v1/tradeAccount/list")
    assert [(row["venues"], row["label"], row["accountNote"], row["exchangeUid"]) for row in listed] == [
        ("FUNDING", "Funding Account", "", 0), ("BINANCE", "DMA", "BINANCE sub-account", 0),
        ("OKX", "DMA", "OKX sub-account", 0), ("CUSTODY", "Custody", "", 0),
    ]  # fmt: skip
    assert {(type(row["accountId"]), len(str(row["accountId"]))) for row in listed} == {(int, 16)}
    held = {
        row["venues"]: {coin["currency"]: coin["withdrawAvailable"] for coin in row["assetInfo"]}
        for row in day.venue.data("GET", "/api/v1/asset/getAccountCurrencyInfo")
    }
    assert held == {
        "FUNDING": {"USDT": "50000", "BTC": "0.5", "ETH": "5"}, "BINANCE": {"USDT": "10000", "BTC": "0.1"},
        "OKX": {"USDT": "10000"}, "CUSTODY": {"USDT": "20000", "BTC": "1"},
    }  # fmt: skip


# -- what is lent, and what a coin counts ------------------------------------------------------------------------------


def test_hourly_interest_rates_are_right_at_each_level(day: Day) -> None:
    """Each level pays a tenth of the first rate less than the one before and may owe twice as much."""
    found = day.venue.data("GET", "/api/v1/interest/user_detail", {"exchangeType": "BINANCE"})
    assert {sym: [tuple(level.values()) for level in row["levels"]] for sym, row in found.items()} == {
        "BINANCE_MARGIN_USDT_USDT": [
            ("1", "0.0000068", "2000000"), ("2", "0.00000612", "4000000"), ("3", "0.00000544", "8000000"),
        ],
        "BINANCE_MARGIN_BTC_USDT": [("1", "0.0000012", "40"), ("2", "0.00000108", "80"), ("3", "0.00000096", "160")],
        "BINANCE_MARGIN_ETH_USDT": [("1", "0.0000026", "800"), ("2", "0.00000234", "1600"), ("3", "0.00000208", "3200")],
    }  # fmt: skip
    assert list(found["BINANCE_MARGIN_BTC_USDT"]["levels"][0]) == ["level", "hourInterestRate", "loanLimit"]
    assert {row["updateTime"] % 3_600_000 for row in found.values()} == {0}


def test_loan_tiers_and_collateral_values_are_right(day: Day) -> None:
    tiers = day.venue.data("GET", "/api/v1/trading/loan/info_detail", {"exchangeType": "BINANCE", "coin": "ETH"})
    assert tiers == {
        "BINANCE_MARGIN_ETH_USDT": {
            "exchangeType": "BINANCE", "coin": "ETH",
            "tiers": [
                {"tier": "1", "minSize": "0", "maxSize": "400", "mmRate": "0.0600", "maxLeverage": "4.00"},
                {"tier": "2", "minSize": "400", "maxSize": "2000", "mmRate": "0.0900", "maxLeverage": "3.00"},
                {"tier": "3", "minSize": "2000", "maxSize": "8000", "mmRate": "0.1200", "maxLeverage": "2.00"},
            ],
        }
    }  # fmt: skip
    day.settle()
    discounts = day.venue.data("GET", "/api/v1/trading/coin/discount_detail")
    assert {coin: row["discount"] for coin, row in discounts.items()} == {
        "USDT": "1.0000", "BTC": "0.9500", "ETH": "0.9500", "SOL": "0.9000", "DOGE": "0.8500",
    }  # fmt: skip
    asked = {"exchange": "BINANCE", "asset": "ETH"}
    [pool] = day.venue.data("GET", "/api/v1/trading/loan/pool", asked)
    assert pool == {"exchangeType": "BINANCE", "coin": "ETH", "maxAviLoan": "7990"}
