"""Account Assets V2 for somebody who only read the description: the same money by account, venue and currency."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from tests.venue.shell.conftest import STILL, Venue

V2 = "/api/v2/account/assets"
LEAVES = (
    "overview", "funding", "trading/accounts", "trading/account", "trading/summary", "trading/distribution", "defi",
)  # fmt: skip
CLOSE = Decimal("0.000000000000001")


def read(venue: Venue, leaf: str, key: str = "main", **asked: str) -> Any:
    return venue.data("GET", f"{V2}/{leaf}", asked, key=key)


def accounts(venue: Venue, kind: str = "PORTFOLIO") -> list[dict[str, Any]]:
    return [row for row in read(venue, "trading/accounts") if row["primeType"] == kind]


def total(rows: list[dict[str, Any]], name: str) -> Decimal:
    return sum((Decimal(row[name]) for row in rows), Decimal(0))


@pytest.fixture(autouse=True)
def traded(venue: Venue) -> None:
    """A position with a result, a spot coin, a debt and an order that freezes something."""
    perp = {"sym": "BINANCE_PERP_BTC_USDT", "side": "BUY", "orderType": "MARKET", "orderQty": "0.5"}
    debt = {"sym": "BINANCE_MARGIN_ETH_USDT", "side": "SELL", "orderType": "MARKET", "orderQty": "3"}
    rests = {"sym": "OKX_SPOT_BTC_USDT", "side": "BUY", "orderType": "LIMIT", "orderQty": "0.1", "limitPrice": "50000"}
    for key, order in (("main", perp), ("sub", debt), ("sub", rests)):
        venue.data("POST", "/api/v1/trading/order", order, key=key)


def test_account_overview_replies_have_code_200_and_text_values(venue: Venue) -> None:
    portfolio = accounts(venue)[0]["id"]
    asked = {"trading/account": {"id": portfolio}, "trading/distribution": {"primeType": "PORTFOLIO"}}

    def texts(value: Any) -> bool:
        if isinstance(value, dict):
            return all(texts(one) for one in value.values())
        return all(texts(one) for one in value) if isinstance(value, list) else isinstance(value, str)

    for leaf in LEAVES:
        answer = venue.call("GET", f"{V2}/{leaf}", asked.get(leaf))[1]
        assert (answer["code"], answer["message"], texts(answer["data"])) == (200, "success", True), leaf


def test_account_overview_total_equals_its_parts(venue: Venue) -> None:
    found = read(venue, "overview")
    parts = [Decimal(found[name]) for name in ("fundingUsdt", "tradingUsdt", "defiUsdt")]
    assert abs(Decimal(found["totalUsdt"]) - sum(parts)) < CLOSE
    assert abs(parts[2] - total(read(venue, "defi"), "valueUsdt")) < CLOSE
    rows = [row for key in ("main", "sub") for row in venue.data("GET", "/api/v1/trading/account", key=key)]
    portfolios = total(accounts(venue), "totalUsdt")
    assert abs(portfolios - total(rows, "equity")) < CLOSE * 100
    assert abs(Decimal(found["tradingUsdt"]) - portfolios - total(accounts(venue, "DMA"), "totalUsdt")) < CLOSE


def test_account_overview_lists_portfolios_with_name_and_value(venue: Venue) -> None:
    rows = accounts(venue)
    assert [(row["accountNote"], row["venues"]) for row in rows] == [
        ("MainPortfolio", "BINANCE,OKX,EDX"),
        ("SubPortfolio", "BINANCE,OKX"),
    ]
    assert [row["id"] for row in rows] == [
        next(key["portfolioId"] for key in venue.ready["keys"] if key["name"] == name) for name in ("main", "sub")
    ]


def test_account_overview_values_match_the_account_queries(venue: Venue) -> None:
    own = {row["accountId"]: row for row in venue.data("GET", "/api/v1/asset/getAccountCurrencyInfo")}
    dma = accounts(venue, "DMA")
    assert [(row["label"], row["venues"]) for row in dma] == [("DMA", "BINANCE"), ("DMA", "OKX")]
    for row in dma:
        assert row["totalUsdt"] == own[row["id"]]["totalUsdt"]
        [held] = read(venue, "trading/account", id=row["id"])["slices"]
        assert held["accountType"] == "SPOT" or held["accountType"] == own[row["id"]]["accountType"]
        assert [(coin["currency"], coin["total"], coin["valueUsdt"]) for coin in held["currencies"]] == [
            (coin["currency"], coin["totalBalance"], coin["valueUsdt"]) for coin in own[row["id"]]["assetInfo"]
        ]
    [funding] = [row for row in own.values() if row["venues"] == "FUNDING"]
    rows = read(venue, "funding")
    assert [(row["currency"], row["total"], row["available"], row["valueUsdt"]) for row in rows] == [
        (coin["currency"], coin["totalBalance"], coin["available"], coin["valueUsdt"]) for coin in funding["assetInfo"]
    ]
    assert all(total(row["networks"], "amount") == Decimal(row["total"]) for row in rows)
    assert abs(Decimal(read(venue, "overview")["fundingUsdt"]) - Decimal(funding["totalUsdt"])) < CLOSE


def test_account_overview_shows_the_venues_of_each_account(venue: Venue) -> None:
    for row, key in zip(accounts(venue), ("main", "sub"), strict=True):
        found = read(venue, "trading/account", id=row["id"])
        assert (found["id"], found["primeType"]) == (row["id"], "PORTFOLIO")
        own = venue.data("GET", "/api/v1/trading/portfolio/assets", key=key)["list"]
        seen = {
            (held["accountType"], coin["currency"]): coin for held in found["slices"] for coin in held["currencies"]
        }
        assert set(seen) == {(one["exchangeType"], one["coin"]) for one in own}
        for one in own:
            coin = seen[(one["exchangeType"], one["coin"])]
            assert (coin["total"], coin["available"], coin["frozen"], coin["debt"], coin["valueUsdt"]) == (
                one["balance"], one["available"], one["frozen"], one["debt"], one["equityValue"],
            )  # fmt: skip
        for held in found["slices"]:
            assert abs(Decimal(held["totalUsdt"]) - total(held["currencies"], "valueUsdt")) < CLOSE
        assert abs(total(found["slices"], "totalUsdt") - Decimal(row["totalUsdt"])) < CLOSE
    assert any(Decimal(coin["debt"]) > 0 for coin in seen.values()) and any(
        Decimal(coin["frozen"]) > 0 for coin in seen.values()
    )


def test_account_summary_sums_each_currency_over_all_accounts(venue: Venue) -> None:
    sums: dict[str, Decimal] = defaultdict(Decimal)
    for row in read(venue, "trading/accounts"):
        for held in read(venue, "trading/account", id=row["id"])["slices"]:
            for coin in held["currencies"]:
                for name in ("total", "available", "frozen", "debt", "valueUsdt"):
                    sums[f"{coin['currency']} {name}"] += Decimal(coin[name])
    rows = read(venue, "trading/summary")
    assert [row["currency"] for row in rows] == sorted({row["currency"] for row in rows})
    for row in rows:
        for name in ("total", "available", "frozen", "debt", "valueUsdt"):
            assert abs(Decimal(row[name]) - sums[f"{row['currency']} {name}"]) < CLOSE * 10


def test_currency_distribution_lists_amounts_by_account_type(venue: Venue) -> None:
    ids = {row["id"] for row in accounts(venue)}
    for row in read(venue, "trading/distribution", primeType="PORTFOLIO"):
        places = [held for account in row["accounts"] for held in account["slices"]]
        assert abs(Decimal(row["total"]) - total(places, "total")) < CLOSE and places
        assert {account["id"] for account in row["accounts"]} <= ids
    dma = {row["id"] for row in accounts(venue, "DMA")}
    for row in read(venue, "trading/distribution", primeType="DMA"):
        assert {account["id"] for account in row["accounts"]} <= dma


def test_a_new_portfolio_is_listed_with_zero_value(start: Callable[..., Venue]) -> None:
    venue = start(*STILL, "--set", "rate_profile=off")
    made = venue.data("POST", "/api/v1/trading/portfolio", {"name": "Empty77"})
    row = accounts(venue)[-1]
    assert (row["id"], row["accountNote"], row["totalUsdt"]) == (str(made["portfolioId"]), "Empty77", "0")
    found = read(venue, "trading/account", id=row["id"])
    assert [(held["accountType"], held["currencies"]) for held in found["slices"]] == [
        ("BINANCE", []), ("OKX", []), ("EDX", []),
    ]  # fmt: skip


@pytest.mark.parametrize("asked", [{}, {"id": ""}, {"id": "x"}, {"id": "2000000000000001"}])
def test_an_unknown_account_id_is_error_404004(venue: Venue, asked: dict[str, str]) -> None:
    answer = venue.call("GET", f"{V2}/trading/account", asked)[1]
    assert (answer["code"], answer["data"]) == (404004, {})


def test_currency_distribution_needs_a_valid_account_type(venue: Venue) -> None:
    assert venue.call("GET", f"{V2}/trading/distribution")[1]["code"] == 400009
    assert venue.call("GET", f"{V2}/trading/distribution", {"primeType": "FUNDING"})[1]["code"] == 400000


@pytest.mark.parametrize("leaf", LEAVES)
def test_sub_users_see_only_their_part_of_the_overview(venue: Venue, leaf: str) -> None:
    answer = venue.call("GET", f"{V2}/{leaf}", {"primeType": "PORTFOLIO"}, key="sub")[1]
    assert answer["code"] == 2003
    portfolio = accounts(venue)[0]["id"]
    asked = {"trading/account": {"id": portfolio}, "trading/distribution": {"primeType": "PORTFOLIO"}}
    answer = venue.call("GET", f"{V2}/{leaf}", asked.get(leaf), key="subuser")[1]
    if leaf == "trading/account":
        assert answer["code"] == 404004, "not assigned to it"
    elif leaf == "overview":
        assert answer["data"]["fundingUsdt"] == "0"
        assert Decimal(answer["data"]["tradingUsdt"]) == total(read(venue, "trading/accounts", "subuser"), "totalUsdt")
    else:
        assert not [row for row in answer["data"] if row.get("id") == portfolio]
        assert leaf not in ("funding", "trading/distribution", "defi") or answer["data"] == []
        assert leaf != "trading/accounts" or {row["primeType"] for row in answer["data"]} == {"DMA"}
    assert venue.call("POST", f"{V2}/{leaf}")[0] == 405, "V2 only reads"


def test_overview_endpoints_allow_ten_calls_a_minute(start: Callable[..., Venue]) -> None:
    venue = start(*STILL)
    for _ in range(10):
        read(venue, "overview")
    status, answer = venue.call("GET", f"{V2}/overview")
    assert (status, answer["code"]) == (429, 100429)
    assert len(read(venue, "defi")) == 2, "another endpoint has its own count"
