"""Portfolio loans for somebody who only read the description: fields and their types, refusals, pushes, rungs, a day."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from tests.venue.shell.conftest import Venue
from tests.venue.shell.inside import Inside, inside
from tests.venue.shell.strangers.test_stranger import Stranger
from tests.venue.shell.strangers.test_stranger_private import client_of

FAMILY = "/api/v1/trading/portfolioLoan/loan/"
BORROW, REPAY = FAMILY + "borrow", FAMILY + "repay"
ASSETS, ACCOUNT = "/api/v1/trading/portfolio/assets", "/api/v1/trading/account"
ORDER = "/api/v1/trading/order"
HOUR_S = 3600
LOAN_OF_ASSET = {"loan", "loanValue", "netEquity", "netEquityValue", "netMarginValue"}
LOAN_OF_ACCOUNT = {"totalLoanValue", "netEquity", "netMarginValue", "netValidMargin", "netAvailableMargin"}
USDT_AN_HOUR = Decimal("0.06") / 8760


def loan_of(amount: str, coin: str = "USDT", exchange: str = "BINANCE", **more: str) -> dict[str, str]:
    return {"exchange": exchange, "coin": coin, "amount": amount, **more}


def code(venue: Venue, path: str, sent: dict[str, str], key: str = "main") -> int:
    return int(venue.call("POST", path, sent, key=key)[1]["code"])


def info(venue: Venue, key: str = "main", exchange: str = "BINANCE") -> dict[str, Any]:
    rows = venue.data("GET", FAMILY + "info", key=key)["accounts"]
    return next(row for row in rows if row["exchange"] == exchange)


def usdt(venue: Venue, key: str = "main") -> dict[str, Any]:
    rows = venue.data("GET", ASSETS, {"exchangeType": "BINANCE"}, key=key)["list"]
    return next(row for row in rows if row["coin"] == "USDT")


def test_borrow_and_repay_are_booked_in_the_loan_statement(venue: Venue) -> None:
    answer = venue.call("POST", BORROW, loan_of("1000.50", clientOrderId="my-loan-1"))[1]
    assert (answer["code"], answer["message"]) == (200000, "Success")
    done = answer["data"]
    assert set(done) == {"orderId", "borrowed", "loanBalance", "availableBalance", "timestamp"}
    assert (done["borrowed"], done["loanBalance"], done["availableBalance"]) == (1000.5, 1000.5, 101000.5)
    assert (type(done["orderId"]), len(done["orderId"]), type(done["timestamp"])) == (str, 18, int)
    back = venue.data("POST", REPAY, loan_of("400"))
    assert set(back) == {"orderId", "repaid", "interestPaid", "loanBalance", "availableBalance", "timestamp"}
    assert (back["repaid"], back["interestPaid"], back["loanBalance"]) == (400, 0, 600.5)
    page = venue.data("GET", FAMILY + "orders")
    assert set(page) == {"page", "pageSize", "totalSize", "list"}
    assert [(row["type"], row["amount"], row["status"]) for row in page["list"]] == [
        ("repay", "400.00", "filled"), ("borrow", "1000.50", "filled"),
    ]  # fmt: skip
    assert page["list"][1] == {
        "orderId": done["orderId"], "clientOrderId": "my-loan-1", "exchange": "BINANCE", "type": "borrow",
        "coin": "USDT", "amount": "1000.50", "status": "filled", "createTime": done["timestamp"],
    }  # fmt: skip
    rows = venue.data("GET", FAMILY + "statement")["list"]
    assert [(row["type"], row["delta"], row["balance"]) for row in rows] == [
        ("loan_repay", "-400", "100600.5"), ("loan_borrow", "1000.5", "101000.5"),
    ]  # fmt: skip
    assert set(rows[0]) == {"statementId", "exchange", "type", "coin", "delta", "balance", "timestamp"}
    assert (len(rows[0]["statementId"]), type(rows[0]["timestamp"])) == (17, int)


@pytest.mark.parametrize(
    ("name", "sent", "sizes"),
    [
        ("orders", {"type": "borrow"}, ["borrow", "borrow"]),
        ("orders", {"coin": "BTC"}, ["borrow"]),
        ("orders", {"clientOrderId": "second"}, ["borrow"]),
        ("orders", {"clientOrderId": "nobody"}, []),
        ("orders", {"orderId": "1"}, []),
        ("orders", {"page": "2", "pageSize": "2"}, ["borrow"]),
        ("statement", {"type": "repay"}, ["loan_repay"]),
        ("statement", {"type": "interest"}, []),
        ("statement", {"coin": "BTC"}, ["loan_borrow"]),
        ("statement", {"startTime": "1600000000000", "endTime": "1600000000001"}, []),
    ],
)
def test_loan_lists_can_be_filtered(lent: Venue, name: str, sent: dict[str, str], sizes: list[str]) -> None:
    assert [row["type"] for row in lent.data("GET", FAMILY + name, sent)["list"]] == sizes


@pytest.fixture
def lent(venue: Venue) -> Venue:
    """Two loans and a repayment of the main portfolio."""
    venue.data("POST", BORROW, loan_of("300", clientOrderId="first"))
    venue.data("POST", BORROW, loan_of("0.25", "BTC", "OKX", clientOrderId="second"))
    venue.data("POST", REPAY, loan_of("100"))
    return venue


def test_loan_info_values_have_the_documented_types(lent: Venue) -> None:
    found = lent.data("GET", FAMILY + "info")
    assert type(found["portfolioId"]) is int
    assert [row["exchange"] for row in found["accounts"]] == ["BINANCE", "OKX", "EDX"]
    assert (info(lent, exchange="EDX")["coins"], info(lent, exchange="EDX")["ltv"]) == ([], "0")
    row = info(lent, exchange="OKX")
    (coin,) = row["coins"]
    assert set(coin) == {
        "coin", "loan", "loanMmr", "loanLeverage", "loanValue", "netEquity", "netEquityValue", "netMarginValue",
        "portfolioMaxLoanCoin",
    }  # fmt: skip
    assert (coin["loan"], coin["loanMmr"], coin["loanLeverage"]) == ("0.25", "0.05", 3)
    value = Decimal(coin["loanValue"])
    index = value / Decimal("0.25")
    assert Decimal(coin["netEquity"]) == Decimal("0.5")
    assert Decimal(coin["netMarginValue"]) == Decimal("0.5") * index * Decimal("0.95")
    margin = 50_000 + Decimal("0.75") * index * Decimal("0.95")
    assert Decimal(row["ltv"]) == round(value / margin, 3)
    assert Decimal(row["loanMargin"]).quantize(Decimal("0.0001")) == (value / 3).quantize(Decimal("0.0001"))
    assert Decimal(row["loanMaintenanceMargin"]) == value * Decimal("0.05")
    assert (row["accountStatus"], row["netAvailableMargin"]) == ("NORMAL", row["netMarginValue"])
    most = {(one["exchange"], one["coin"]): one["portfolioMaxLoanCoin"] for one in lent.data("GET", FAMILY + "maxLoan")}
    assert {exchange for exchange, _ in most} == {"BINANCE", "OKX"}
    assert most[("OKX", "BTC")] == coin["portfolioMaxLoanCoin"]
    assert {one["exchange"] for one in lent.data("GET", FAMILY + "maxLoan", {"exchange": "OKX"})} == {"OKX"}
    terms = {row["coin"]: row for row in lent.data("GET", FAMILY + "config")}
    assert set(terms["USDT"]) == {"coin", "loanLeverage", "maxLoanValue", "loanMmr", "loanInterestRate"}
    assert all(type(value) is str for value in terms["USDT"].values())


@pytest.mark.parametrize(
    ("path", "sent", "expected"),
    [
        (BORROW, {}, 400009),
        (BORROW, {"exchange": "BINANCE", "coin": "USDT"}, 400009),
        (BORROW, {"exchange": "BINANCE", "amount": "5"}, 400009),
        (BORROW, loan_of("5", exchange="NOWHERE"), 401023),
        (BORROW, loan_of("0.001", "DOGE"), 406023),
        (BORROW, loan_of("5", "DOGE"), 406014),
        (BORROW, loan_of("5", exchange="EDX"), 406014),
        (BORROW, loan_of("500001"), 406016),
        (BORROW, loan_of("400000", exchange="OKX"), 406015),
        (BORROW, loan_of("5", clientOrderId="x" * 65), 400000),
        (REPAY, {"exchange": "BINANCE", "coin": "USDT"}, 400009),
        (REPAY, loan_of("5", exchange="NOWHERE"), 401023),
        (REPAY, loan_of("-5"), 406023),
        (REPAY, loan_of("5", "ETH"), 406021),
        (REPAY, loan_of("200.01"), 406022),
        (REPAY, loan_of("5", clientOrderId="first"), 400000),
    ],
)
def test_invalid_loan_requests_are_rejected_without_effect(
    lent: Venue, path: str, sent: dict[str, str], expected: int
) -> None:
    before = (lent.data("GET", FAMILY + "orders"), lent.data("GET", ASSETS))
    answer = lent.call("POST", path, sent)[1]
    assert (answer["code"], bool(answer["message"])) == (expected, True)
    assert (lent.data("GET", FAMILY + "orders"), lent.data("GET", ASSETS)) == before


def test_loan_endpoints_need_the_right_permission(lent: Venue) -> None:
    for path in (BORROW, REPAY):
        assert code(lent, path, loan_of("5"), "readonly") == 2002
        assert lent.call("POST", path, loan_of("5"), secret="wrong")[1]["code"] == 2000
    assert lent.call("GET", FAMILY + "info", key="subuser")[1]["code"] == 100003
    assert lent.data("GET", FAMILY + "orders", key="sub")["list"] == []
    assert lent.call("GET", FAMILY + "info", key="readonly")[1]["code"] == 200000


def test_a_repeated_loan_client_id_returns_the_first_reply(venue: Venue) -> None:
    first = venue.data("POST", BORROW, loan_of("100", clientOrderId="twice"))
    assert venue.data("POST", BORROW, loan_of("100", clientOrderId="twice")) == first
    assert (usdt(venue)["balance"], len(venue.data("GET", FAMILY + "orders")["list"])) == ("100100", 1)


def test_an_empty_loan_pool_lends_nothing(venue: Venue) -> None:
    venue.set("loan_pools", "empty")
    pool = venue.data("GET", "/api/v1/trading/loan/pool", {"exchange": "BINANCE", "asset": "USDT"})
    assert pool[0]["maxAviLoan"] == "0"
    assert code(venue, BORROW, loan_of("5")) == 406017


def test_a_loan_reduces_the_loan_pool(venue: Venue) -> None:
    def left() -> Decimal:
        sent = {"exchange": "BINANCE", "asset": "USDT"}
        return Decimal(venue.data("GET", "/api/v1/trading/loan/pool", sent)[0]["maxAviLoan"])

    before = left()
    venue.data("POST", BORROW, loan_of("1000"))
    assert left() == before - 1000


async def test_only_pushes_carry_loan_fields_and_only_with_a_loan(venue: Venue) -> None:
    async with client_of(venue) as client:
        assert (await client.login())["code"] == 0
        venue.data("POST", BORROW, loan_of("1000"))
        row, account = await pushed(client, lambda row: row.get("loan") == "1000")
        assert set(row) >= LOAN_OF_ASSET and set(account) >= LOAN_OF_ACCOUNT
        assert (row["loanValue"], account["totalLoanValue"]) == ("1000", "1000")
        assert [row[name] for name in ("netEquity", "netEquityValue", "netMarginValue")] == ["100000"] * 3
        assert not (set(usdt(venue)) & LOAN_OF_ASSET)
        binance = next(one for one in venue.data("GET", ACCOUNT) if one["exchangeType"] == "BINANCE")
        assert not (set(binance) & LOAN_OF_ACCOUNT)
        venue.data("POST", REPAY, loan_of("1000"))
        row, account = await pushed(client, lambda row: row["balance"] == "100000")
        assert not (set(row) & LOAN_OF_ASSET) and not (set(account) & LOAN_OF_ACCOUNT)


async def pushed(client: Stranger, wanted: Callable[[dict[str, Any]], bool]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The first USDT row of BINANCE that is the wanted one, and the newest account row after it."""

    def found() -> Any:
        rows = [row for data in client.channel("Assets") for row in data]
        return next((r for r in rows if (r["coin"], r["exchangeType"]) == ("USDT", "BINANCE") and wanted(r)), None)

    row: dict[str, Any] = await client.until(found)
    await client.pong()
    accounts = [one for data in client.channel("Accounts") for one in data if one["exchangeType"] == "BINANCE"]
    return row, accounts[-1]


async def test_rising_ltv_leads_from_warning_to_collateral_sale(venue: Venue) -> None:
    """The sub portfolio owes 59,000 USDT and holds bitcoin for them, which falls."""
    venue.data("POST", BORROW, loan_of("59000"), key="sub")
    buy = {"sym": "BINANCE_SPOT_BTC_USDT", "side": "BUY", "orderType": "MARKET", "orderQty": "1.2"}
    venue.data("POST", ORDER, buy, key="sub")
    assert info(venue, "sub")["accountStatus"] == "MARGIN_CALL"
    assert Decimal("0.70") <= Decimal(info(venue, "sub")["ltv"]) < Decimal("0.80")
    async with client_of(venue, "sub") as client:
        assert (await client.login())["code"] == 0
        to_ltv(venue, Decimal("0.85"))
        await client.until(lambda: Decimal(info(venue, "sub")["ltv"]) >= Decimal("0.80"))
        assert code(venue, BORROW, loan_of("5"), "sub") == 406019
        to_ltv(venue, Decimal("0.92"))
        await client.until(lambda: not info(venue, "sub")["coins"])
    rows = venue.data("GET", FAMILY + "statement", key="sub")["list"]
    fee = next(row for row in rows if row["type"] == "loan_liquidation_fee")
    orders = venue.data("GET", "/api/v1/trading/history/orders", key="sub")["list"]
    sold = sum(Decimal(one["executedAmount"]) for one in orders if one["orderType"] == "SYSTEM_LIQ")
    fees = sum(Decimal(row["delta"]) for row in rows if row["type"] == "loan_liquidation_fee")
    assert abs(fees + sold * Decimal("0.005")) < Decimal("0.0000001")
    assert (fee["coin"], info(venue, "sub")["ltv"], info(venue, "sub")["accountStatus"]) == ("USDT", "0", "NORMAL")
    assert venue.data("GET", FAMILY + "statement", {"type": "liquidation_fee"}, key="sub")["list"]


def to_ltv(venue: Venue, wanted: Decimal) -> None:
    """Move bitcoin to where the LTV of the sub portfolio's account is this one."""
    rows = {row["coin"]: row for row in venue.data("GET", ASSETS, {"exchangeType": "BINANCE"}, key="sub")["list"]}
    worth = 59_000 / wanted - Decimal(rows["USDT"]["equity"])
    venue.move("BTC", f"{worth / Decimal(rows['BTC']['balance']) / Decimal('0.95'):.1f}")


class Outside(Venue):
    """The same client, for a venue that runs in this process and whose clock the test moves."""

    def __init__(self, served: Inside) -> None:
        keys = [
            {"name": key.name, "api_key": key.api_key, "api_secret": key.api_secret} for key in served.keys.values()
        ]
        self.ready = {"rest_url": f"http://127.0.0.1:{served.port}", "keys": keys}


async def test_a_loan_is_charged_interest_24_times_in_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    async with inside(("agents", "off")) as served:
        client = Outside(served)
        await asyncio.to_thread(client.data, "POST", BORROW, loan_of("1000"))
        passed = 24 * HOUR_S
        mono = served.runtime.clock.mono
        monkeypatch.setattr(served.runtime.clock, "mono", lambda: mono() + passed)
        # Any command lets the venue catch up with its clock.
        await asyncio.to_thread(client.call, "POST", REPAY, loan_of("0"))
        rows = await asyncio.to_thread(client.data, "GET", FAMILY + "statement", {"type": "interest"})
        one = (1000 * USDT_AN_HOUR).quantize(Decimal("1e-18"), "ROUND_DOWN")
        assert [Decimal(row["delta"]) for row in rows["list"]] == [-one] * 24
        stamps = [row["timestamp"] for row in rows["list"]]
        assert stamps == sorted(stamps, reverse=True) and {stamp % (HOUR_S * 1000) for stamp in stamps} == {0}
        back = await asyncio.to_thread(client.data, "POST", REPAY, loan_of("1000"))
        assert (back["repaid"], back["interestPaid"], back["loanBalance"]) == (1000, 0, 0)
        balance = (await asyncio.to_thread(usdt, client))["balance"]
        assert Decimal(balance) == 100_000 - 24 * one
