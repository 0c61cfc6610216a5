"""Fees and broker for somebody who only read the description: schedules, selections, add-points, settlements, tiers."""

from __future__ import annotations

import asyncio
import time
from decimal import Decimal
from typing import Any

import pytest

from tests.venue.shell.conftest import Venue
from tests.venue.shell.inside import inside
from tests.venue.shell.strangers.test_stranger_loans import HOUR_S, Outside

USER, BROKER, OWN = "/api/v1/trading/userFeeRate", "/api/v1/broker/feeRate", "/api/v1/broker/sub/feeRate"
SET, COLLECTED, CLEARED = (
    "/api/v1/broker/subFeeRate",
    "/api/v1/broker/collectionRecord",
    "/api/v1/broker/clearingStatement",
)
ORDER = {"sym": "BINANCE_PERP_BTC_USDT", "side": "BUY", "orderType": "MARKET", "orderQty": "0.1"}
BROKER_ROW = {
    "portfolioId", "exchange", "instType", "effDate", "level", "maker", "taker", "groupList", "markupRebateRatio",
}  # fmt: skip
COLLECTION = {
    "userId", "portfolioId", "subPortfolioId", "exchangeType", "businessType", "transactionId", "coin", "amount",
    "status", "createdAt", "sym", "feePrice", "rebateRatio", "rebateAmount",
}  # fmt: skip
CLEARING = {
    "id", "portfolioId", "userId", "exchangeType", "businessType", "transactionId", "statementFlowType", "coin",
    "amount", "createAt", "updateAt",
}  # fmt: skip


def portfolio(venue: Venue, key: str) -> str:
    return str(next(one["portfolioId"] for one in venue.ready["keys"] if one["name"] == key))


def add_point(**more: str) -> dict[str, str]:
    return {"exchange": "BINANCE", "instType": "PERP", "chgType": "ABSOLUTE", "chgTaker": "2", **more}


def window() -> dict[str, str]:
    now = int(time.time() * 1000)
    return {"begin": str(now - 3_600_000), "end": str(now + 30_000)}


def test_fee_schedules_have_groups_and_broker_fields(venue: Venue) -> None:
    row = next(one for one in venue.data("GET", USER) if (one["exchange"], one["instType"]) == ("BINANCE", "PERP"))
    assert (row["takerFeeRate"], row["exchangeType"], row["businessType"]) == (row["taker"], "BINANCE", "PERP")
    main = next(key["portfolioId"] for key in venue.ready["keys"] if key["name"] == "main")
    assert (row["portfolioId"], row["effDate"], row["level"]) == (main, "20240101", "1")
    assert set(row["groupList"][0]) == {"takerFee", "makerFee", "symList", "groupName"}
    assert "markupRebateRatio" not in row
    broker = next(one for one in venue.data("GET", BROKER) if (one["exchange"], one["instType"]) == ("BINANCE", "PERP"))
    assert set(broker) == BROKER_ROW and broker["markupRebateRatio"] == "0.0000"
    assert all(type(value) is str for name, value in broker.items() if name != "groupList")


@pytest.mark.parametrize(
    ("path", "key", "names", "expected"),
    [
        (USER, "main", {}, ["main"]),
        (USER, "sub", {}, ["main"]),
        (BROKER, "main", {}, ["main"]),
        (BROKER, "sub", {}, ["main"]),
        (OWN, "sub", {}, ["main"]),
        (BROKER, "sub", {"portfolio": "sub"}, ["sub", "main"]),
        (OWN, "sub", {"portfolio": "sub"}, ["sub", "main"]),
        (BROKER, "main", {"portfolio": "sub"}, ["sub", "main"]),
        (BROKER, "main", {"portfolios": "sub"}, ["sub"]),
        (BROKER, "main", {"portfolioIds": "sub"}, ["sub"]),
        (BROKER, "main", {"portfolios": "sub", "portfolio": "main"}, ["sub"]),
    ],
)
def test_fee_query_returns_the_portfolios_the_key_may_see(
    venue: Venue, edition: str, path: str, key: str, names: dict[str, str], expected: list[str]
) -> None:
    """A broker query of a sub key that names nobody is about main; in the lenient edition about its own, too."""
    if edition == "lenient" and (key, names) == ("sub", {}) and path != USER:
        expected = ["sub", "main"]
    sent = {name: portfolio(venue, value) for name, value in names.items()}
    rows = venue.data("GET", path, sent, key=key)
    assert list(dict.fromkeys(row["portfolioId"] for row in rows)) == [portfolio(venue, one) for one in expected]


def test_invalid_fee_queries_are_rejected(venue: Venue) -> None:
    assert venue.call("GET", OWN)[1]["code"] == 100003
    assert venue.call("GET", BROKER, {"portfolio": "7"})[1]["code"] == 100001
    assert venue.call("GET", BROKER, {"portfolios": ",".join(["1"] * 21)})[1]["code"] == 400000
    assert venue.call("GET", BROKER, {"exchange": "NOWHERE"})[1]["code"] == 401023


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ({}, 400009),
        ({"exchange": "BINANCE", "instType": "PERP", "chgType": "ABSOLUTE"}, 400009),
        (add_point(exchange="NOWHERE"), 401023),
        (add_point(instType="MARGIN"), 400000),
        (add_point(chgType="SUM"), 400000),
        (add_point(portfolioId="7"), 100001),
        (add_point(chgTaker="1.005"), 406005),
        (add_point(chgMaker="-1"), 406006),
        (add_point(chgTaker="1.5", chgType="PERCENTAGE"), 406007),
        (add_point(chgTaker="1", chgMaker="0.5", chgType="PERCENTAGE"), 406008),
        (add_point(effDate="tomorrow"), 400000),
        (add_point(markupRebateRatio="2"), 400000),
    ],
)
def test_invalid_fee_markups_are_rejected_without_effect(venue: Venue, sent: dict[str, str], expected: int) -> None:
    before = venue.data("GET", BROKER, {"portfolios": portfolio(venue, "sub")})
    answer = venue.call("POST", SET, sent)[1]
    assert (answer["code"], bool(answer["message"])) == (expected, True)
    assert venue.data("GET", BROKER, {"portfolios": portfolio(venue, "sub")}) == before


def test_broker_endpoints_need_trade_permission_and_main_key(venue: Venue) -> None:
    assert venue.call("POST", SET, add_point(), key="sub")[1]["code"] == 100003
    assert venue.call("POST", SET, add_point(), key="readonly")[1]["code"] == 2002
    assert venue.call("GET", COLLECTED, window(), key="sub")[1]["code"] == 100003
    assert venue.call("GET", COLLECTED)[1]["code"] == venue.call("GET", CLEARED, {"begin": "1"})[1]["code"] == 400009
    assert venue.data("GET", COLLECTED, window())["list"] == []


def test_broker_and_plain_risk_tiers_are_the_same(venue: Venue) -> None:
    plain, broker = "/api/v1/trading/positionBracket", "/api/v1/trading/broker/positionBracket"
    assert venue.data("GET", plain) == venue.data("GET", broker)


async def test_a_sub_portfolio_pays_the_fee_markup_from_the_next_hour(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with inside(("agents", "still")) as served:
        client = Outside(served)

        async def data(method: str, path: str, sent: dict[str, str], key: str = "main") -> Any:
            return await asyncio.to_thread(client.data, method, path, sent, key=key)

        done = await data("POST", SET, add_point(chgMaker="1", markupRebateRatio="0.25"))
        assert set(done) == {"effDate"} and len(done["effDate"]) == 8
        mono = served.runtime.clock.mono
        monkeypatch.setattr(served.runtime.clock, "mono", lambda: mono() + HOUR_S)
        await data("POST", "/api/v1/trading/order", ORDER, "sub")
        (fill,) = await data("GET", "/api/v1/trading/executions", {}, "sub")
        worth = Decimal(fill["price"]) * Decimal(fill["quantity"])
        assert Decimal(fill["fee"]) == round(worth * Decimal("0.0007"), 8)
        now = served.runtime.now_ms()
        asked = {"begin": str(now - 60_000), "end": str(now + 60_000)}
        (row,) = (await data("GET", COLLECTED, asked))["list"]
        assert set(row) == COLLECTION and all(type(value) is str for value in row.values())
        markup = Decimal(fill["fee"]) - round(worth * Decimal("0.0005"), 8)
        assert (Decimal(row["amount"]), row["transactionId"], row["status"]) == (markup, fill["transactionId"], "1")
        assert (row["rebateRatio"], row["subPortfolioId"]) == ("0.2500", served.keys["sub"].portfolio)
        assert row["rebateAmount"] == f"{round(markup * Decimal('0.25'), 8):.8f}"
        (cleared,) = (await data("GET", CLEARED, asked))["list"]
        assert set(cleared) == CLEARING and cleared["statementFlowType"] == "MARKUP_REBATE"
        assert Decimal(cleared["amount"]) == Decimal(row["rebateAmount"])
        for name, value in (
            ("coin", "BTC"),
            ("sym", "BINANCE_PERP_ETH_USDT"),
            ("subPortfolioId", "7"),
            ("instType", "SPOT"),
        ):
            assert (await data("GET", COLLECTED, {**asked, name: value}))["list"] == []
        assert len((await data("GET", COLLECTED, {**asked, "sym": ORDER["sym"]}))["list"]) == 1
