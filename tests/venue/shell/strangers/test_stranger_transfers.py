"""Transfers for somebody who only read the description: routes, rapid pools, refusals, bytes of answers, a restart."""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.venue.shell.conftest import STILL, Venue
from tests.venue.shell.strangers.conftest import success
from tests.venue.shell.strangers.test_stranger import Stranger

APPLY, GET, LIST = "/api/v1/transfer/apply", "/api/v1/transfer/get", "/api/v1/transfer/list"
POOL = "/api/v1/transfer/rapidPoolAvailable"
ACCOUNTS, BALANCES = "/api/v1/tradeAccount/list", "/api/v1/asset/getAccountCurrencyInfo"
ASSETS = "/api/v1/trading/portfolio/assets"
CURRENCIES = "/api/v1/asset/currencies"


@pytest.fixture
def fresh(start: Callable[..., Venue]) -> Venue:
    return start(*STILL, "--set", "rate_profile=off", "--set", "network_delay=1", "--control")


def portfolio(venue: Venue, name: str = "main") -> str:
    return str(next(key["portfolioId"] for key in venue.ready["keys"] if key["name"] == name))


def account(venue: Venue, venues: str) -> str:
    return str(next(row["accountId"] for row in venue.data("GET", ACCOUNTS) if row["venues"] == venues))


def sent(venue: Venue, **changes: str) -> dict[str, str]:
    """A transfer of 100 USDT of the main portfolio from BINANCE to OKX."""
    asked = {
        "fromTradeAccountId": portfolio(venue), "fromAccountType": "BINANCE",
        "toTradeAccountId": portfolio(venue), "toAccountType": "OKX",
        "currency": "USDT", "network": "TRC20", "amount": "100", **changes,
    }  # fmt: skip
    return {name: value for name, value in asked.items() if value}


def held(venue: Venue, exchange: str, coin: str = "USDT", key: str = "main") -> dict[str, Any]:
    rows = venue.data("GET", ASSETS, {"exchangeType": exchange}, key=key)["list"]
    found: dict[str, Any] = next(row for row in rows if row["coin"] == coin)
    return found


def balance(venue: Venue, venues: str, coin: str = "USDT") -> Decimal:
    rows = venue.data("GET", BALANCES, {"accountId": account(venue, venues), "currency": coin})
    return Decimal(rows[0]["assetInfo"][0]["totalBalance"])


def ended(venue: Venue, transfer_id: int, **options: Any) -> dict[str, Any]:
    """The transfer as soon as it has its end."""
    deadline = time.monotonic() + 20
    while True:
        row: dict[str, Any] = venue.data("GET", GET, {"transferId": str(transfer_id)}, **options)
        if row["status"]:
            return row
        assert time.monotonic() < deadline, f"still running: {row}"
        time.sleep(0.05)


def text(venue: Venue, path: str, params: dict[str, str]) -> str:
    """The answer as its bytes came."""
    key, secret = venue.key()
    stamp = str(int(time.time()))
    message = "&".join(f"{name}={params[name]}" for name in sorted(params)) + "&" + stamp
    signature = hmac.new(secret.encode(), message.encode(), hashlib.sha256).hexdigest()
    headers = {"X-MBX-APIKEY": key, "nonce": stamp, "signature": signature}
    return venue.raw("GET", f"{path}?{urlencode(params)}", headers=headers)[2].decode()


def test_a_transfer_is_reported_in_the_documented_form(fresh: Venue, edition: str) -> None:
    before = Decimal(held(fresh, "BINANCE")["balance"]), Decimal(held(fresh, "OKX")["balance"])
    asked = sent(fresh, amount="100.5", clientOrderId="t1", loanTrans="true")
    code, answer = fresh.call("POST", APPLY, asked)[0], fresh.data("GET", GET, {"clientOrderId": "t1"})
    assert code == 200
    assert (answer["status"], answer["amountReceived"], answer["networkFee"], answer["txId"], answer["reason"]) == (
        0, 0, 0, "", "",
    )  # fmt: skip
    assert (held(fresh, "BINANCE")["frozen"], held(fresh, "OKX")["balance"]) == ("100.5", str(before[1]))
    row = ended(fresh, answer["transferId"])
    assert set(row) == {
        "transferId", "currency", "amount", "network", "txId", "amountReceived", "networkFee", "fromTradeAccountId",
        "toTradeAccountId", "fromAccountType", "toAccountType", "status", "reason", "createdAt", "clientOrderId",
        "rapidTransfer",
    }  # fmt: skip
    assert (row["status"], row["network"], row["clientOrderId"], row["rapidTransfer"]) == (1, "TRC20", "t1", False)
    assert (row["fromTradeAccountId"], row["toTradeAccountId"]) == (int(portfolio(fresh)), int(portfolio(fresh)))
    assert (row["fromAccountType"], row["toAccountType"], bool(row["txId"])) == ("BINANCE", "OKX", True)
    assert (type(row["createdAt"]), type(row["transferId"])) == (int, int)
    raw = text(fresh, GET, {"transferId": str(row["transferId"])})
    assert re.search(r'"amount":100\.5[,}]', raw) and re.search(r'"amountReceived":100\.5[,}]', raw), raw
    code, word = success(edition)
    assert raw.startswith(f'{{"code":{code},"message":"{word}"')
    assert Decimal(held(fresh, "BINANCE")["balance"]) == before[0] - Decimal("100.5")
    assert Decimal(held(fresh, "OKX")["balance"]) == before[1] + Decimal("100.5")


def test_a_small_transfer_amount_is_printed_without_exponent(fresh: Venue) -> None:
    asked = sent(fresh, currency="BTC", network="", toAccountType="BINANCE", toTradeAccountId=portfolio(fresh, "sub"),
                 amount="0.00050001", clientOrderId="small")  # fmt: skip
    fresh.data("POST", APPLY, asked)
    assert '"amount":0.00050001,' in text(fresh, GET, {"clientOrderId": "small"})


@pytest.mark.parametrize(
    ("source", "target", "fee", "instant"),
    [
        ("main BINANCE", "sub BINANCE", "0", True),
        ("main OKX", "sub BINANCE", "0", False),
        ("main BINANCE", "BINANCE", "0", True),
        ("BINANCE", "OKX", "0", False),
        ("main BINANCE", "FUNDING", "1", False),
        ("FUNDING", "sub OKX", "1", False),
        ("CUSTODY", "FUNDING", "1", False),
    ],
)
def test_every_transfer_route_works_with_its_fee(
    fresh: Venue, source: str, target: str, fee: str, instant: bool
) -> None:
    def side(word: str, words: tuple[str, str]) -> dict[str, str]:
        owner, _, venue = word.rpartition(" ")
        return dict(zip(words, (portfolio(fresh, owner), venue) if owner else (account(fresh, venue), ""), strict=True))

    asked = sent(
        fresh,
        **side(source, ("fromTradeAccountId", "fromAccountType")),
        **side(target, ("toTradeAccountId", "toAccountType")),
        network="" if instant else "TRC20",
    )
    moved = fresh.data("POST", APPLY, asked)["transferId"]
    if instant:
        assert fresh.data("GET", GET, {"transferId": str(moved)})["status"] == 1
    row = ended(fresh, moved)
    assert (row["status"], Decimal(str(row["networkFee"]))) == (1, Decimal(fee))
    assert Decimal(str(row["amountReceived"])) == 100 - Decimal(fee)


def _usdt(rows: list[dict[str, str]]) -> list[str]:
    return [row["totalBalance"] for row in rows if row["currency"] == "USDT"]


def test_transfers_lose_no_money_but_the_network_fee(fresh: Venue) -> None:
    def everything() -> Decimal:
        rows = [row for rows in fresh.data("GET", "/api/v1/user/asset").values() for row in rows]
        accounts = [row for one in fresh.data("GET", BALANCES) for row in one["assetInfo"]]
        portfolios = [row["balance"] for row in rows if row["coin"] == "USDT"]
        return sum(map(Decimal, [*portfolios, *_usdt(accounts)]), Decimal(0))

    before = everything()
    first = fresh.data("POST", APPLY, sent(fresh))["transferId"]
    assert everything() == before
    ended(fresh, first)
    assert everything() == before
    out = sent(fresh, toTradeAccountId=account(fresh, "FUNDING"), toAccountType="", network="ERC20")
    ended(fresh, fresh.data("POST", APPLY, out)["transferId"])
    assert everything() == before - 4


def test_rapid_transfer_is_used_up_to_80_percent_of_the_pool(fresh: Venue) -> None:
    fresh.set("network_delay", "3600")
    assert fresh.data("GET", POOL, {"pool": "PORTFOLIO_OKX"}) == {
        "pool": "PORTFOLIO_OKX", "currency": "USDT", "available": "800000",
    }  # fmt: skip
    quick = fresh.data("POST", APPLY, sent(fresh, rapidTransfer="true", amount="50000"))["transferId"]
    row = fresh.data("GET", GET, {"transferId": str(quick)})
    assert (row["status"], row["rapidTransfer"], row["networkFee"]) == (1, True, 0)
    assert fresh.data("POST", POOL, {"exchange": "PORTFOLIO_OKX"})["available"] == "760000"
    slow = fresh.data(
        "POST", APPLY, sent(fresh, rapidTransfer="true", toTradeAccountId=account(fresh, "FUNDING"), toAccountType="")
    )["transferId"]
    row = fresh.data("GET", GET, {"transferId": str(slow)})
    assert (row["status"], row["rapidTransfer"]) == (0, False)
    coins = fresh.data("POST", APPLY, sent(fresh, rapidTransfer="true", currency="BTC", network="BTC", amount="0.1"))
    assert fresh.data("GET", GET, {"transferId": str(coins["transferId"])})["rapidTransfer"] is False


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"amount": ""}, 400009),
        ({"currency": ""}, 400009),
        ({"fromTradeAccountId": ""}, 400009),
        ({"toTradeAccountId": ""}, 400009),
        ({"fromTradeAccountId": "abc"}, 400000),
        ({"amount": "-1"}, 400000),
        ({"amount": "1e3"}, 400000),
        ({"rapidTransfer": "maybe"}, 400000),
        ({"currency": "XRP"}, 400000),
        ({"fromTradeAccountId": "1234567890123456"}, 404903),
        ({"toAccountType": ""}, 404909),
        ({"toAccountType": "GATE"}, 404909),
        ({"amount": "0"}, 404906),
        ({"amount": "1"}, 404906),
        ({"amount": "10.1234567"}, 404906),
        ({"amount": "100000000"}, 404904),
        ({"network": ""}, 404905),
        ({"network": "SWIFT"}, 404905),
    ],
)
def test_an_invalid_transfer_is_rejected_without_effect(venue: Venue, changes: dict[str, str], code: int) -> None:
    before = held(venue, "BINANCE"), venue.data("GET", LIST)["totalSize"]
    answer = venue.call("POST", APPLY, sent(venue, **changes))[1]
    assert (answer["code"], bool(answer["message"]), answer["data"]) == (code, True, {})
    assert (held(venue, "BINANCE"), venue.data("GET", LIST)["totalSize"]) == before


def test_a_transfer_client_id_is_accepted_once(fresh: Venue) -> None:
    fresh.data("POST", APPLY, sent(fresh, clientOrderId="once"))
    frozen = held(fresh, "BINANCE")["frozen"]
    assert fresh.call("POST", APPLY, sent(fresh, clientOrderId="once", amount="7"))[1]["code"] == 404907
    assert held(fresh, "BINANCE")["frozen"] == frozen
    assert fresh.data("GET", LIST)["totalSize"] == 1


def test_an_api_key_transfers_only_inside_its_portfolio_or_user(fresh: Venue) -> None:
    sub = portfolio(fresh, "sub")
    own = sent(fresh, fromTradeAccountId=sub, toTradeAccountId=sub, clientOrderId="own")
    foreign = sent(fresh, fromTradeAccountId=sub, toTradeAccountId=portfolio(fresh))
    dma = sent(
        fresh, fromTradeAccountId=account(fresh, "BINANCE"), fromAccountType="",
        toTradeAccountId=account(fresh, "OKX"), toAccountType="SPOT", clientOrderId="dma",
    )  # fmt: skip
    assert fresh.call("POST", APPLY, own, key="readonly")[1]["code"] == 2002
    assert fresh.call("POST", APPLY, foreign, key="sub")[1]["code"] == 404902
    assert fresh.call("POST", APPLY, dma, key="sub")[1]["code"] == 404902
    assert fresh.call("POST", APPLY, own, key="subuser")[1]["code"] == 404902
    fresh.data("POST", APPLY, own, key="sub")
    fresh.data("POST", APPLY, dma, key="subuser")
    seen = {
        key: {row["clientOrderId"] for row in fresh.data("GET", LIST, key=key)["list"]}
        for key in ("main", "sub", "subuser")
    }
    assert seen == {"main": {"own", "dma"}, "sub": {"own"}, "subuser": {"dma"}}
    assert fresh.call("GET", GET, {"clientOrderId": "dma"}, key="sub")[1]["code"] == 404910
    assert fresh.call("GET", GET, {"transferId": "7"})[1]["code"] == 404910
    assert "not found" in fresh.call("GET", GET, {"transferId": "7"})[1]["message"]
    assert fresh.call("GET", GET)[1]["code"] == 400009


def test_transfer_list_can_be_filtered_and_paged(fresh: Venue) -> None:
    for number in range(3):
        fresh.data("POST", APPLY, sent(fresh, clientOrderId=f"n{number}"))
    fresh.data("POST", APPLY, sent(fresh, currency="BTC", network="BTC", amount="0.1", clientOrderId="coin"))
    page = fresh.data("GET", LIST, {"pageSize": "3"})
    assert [row["clientOrderId"] for row in page["list"]] == ["coin", "n2", "n1"]
    assert (page["page"], page["pageSize"], page["pageNum"], page["totalSize"]) == (1, 3, 2, 4)
    assert [row["clientOrderId"] for row in fresh.data("GET", LIST, {"currency": "BTC"})["list"]] == ["coin"]
    assert fresh.data("GET", LIST, {"status": "2"})["list"] == []
    assert fresh.call("GET", LIST, {"status": "7"})[1]["code"] == 400000
    assert fresh.call("GET", LIST, {"page": "0"})[1]["code"] == 400003
    begin = page["list"][0]["createdAt"]
    assert all(row["createdAt"] >= begin for row in fresh.data("GET", LIST, {"startTime": str(begin)})["list"])
    assert fresh.data("GET", LIST, {"begin": str(begin - 2000), "end": str(begin - 1000)})["list"] == []
    fresh.set("list_shape", "array")
    assert isinstance(fresh.data("GET", LIST), list)


def test_transfer_accounts_and_currencies_are_listed(venue: Venue) -> None:
    rows = venue.data("GET", ACCOUNTS)
    assert [(row["venues"], row["label"]) for row in rows] == [
        ("FUNDING", "Funding Account"), ("BINANCE", "DMA"), ("OKX", "DMA"), ("CUSTODY", "Custody"),
    ]  # fmt: skip
    assert [row["accountNote"] for row in rows] == ["", "BINANCE sub-account", "OKX sub-account", ""]
    assert all(type(row["accountId"]) is int and row["exchangeUid"] == 0 for row in rows)
    assert venue.call("GET", ACCOUNTS, key="sub")[1]["code"] == 100003
    assert {row["label"] for row in venue.data("GET", ACCOUNTS, key="subuser")} == {"DMA"}
    balances = venue.data("GET", BALANCES)
    assert [row["accountType"] for row in balances] == ["Funding", "Spot", "Spot", "Custody"]
    funding = balances[0]
    assert {row["currency"] for row in funding["assetInfo"]} == {"BTC", "ETH", "USDT"}
    assert all(isinstance(value, str) for row in funding["assetInfo"] for value in row.values())
    assert Decimal(funding["totalUsdt"]) == sum(Decimal(row["valueUsdt"]) for row in funding["assetInfo"])
    assert venue.call("GET", BALANCES, {"accountId": "5"})[1]["code"] == 404903
    two = ",".join(str(row["accountId"]) for row in rows[1:3])
    assert [row["venues"] for row in venue.data("GET", BALANCES, {"accountId": two})] == ["BINANCE", "OKX"]
    usdt = venue.data("GET", CURRENCIES, {"currency": "USDT"}, key="sub")
    assert [one["network"] for one in usdt[0]["networks"]] == ["TRC20", "ERC20", "BSC", "ARBITRUM", "AVAXC", "OPTIMISM"]
    assert set(usdt[0]["networks"][0]) == {
        "network", "accountTypes", "depositEnable", "withdrawEnable", "transferEnable", "minDeposit", "minWithdraw",
        "minTransfer", "precision", "estNetworkFee", "contractAddress", "memoRequired",
    }  # fmt: skip
    assert venue.data("GET", CURRENCIES, {"currency": "XRP"}) == []
    assert {row["currency"] for row in venue.data("GET", CURRENCIES)} == {"USDT", "BTC", "ETH", "SOL", "DOGE"}


def test_an_unknown_rapid_pool_is_rejected(venue: Venue) -> None:
    names = ["BINANCE", "OKX", "BYBIT", "GATE", "COINBASE", "PORTFOLIO_BINANCE", "PORTFOLIO_OKX", "DERIBIT", "KRAKEN"]
    assert {venue.data("GET", POOL, {"pool": name})["available"] for name in names} == {"800000"}
    assert venue.data("GET", POOL, {"exchange": "OKX"}) == venue.data("GET", POOL, {"pool": "OKX"})
    assert venue.data("POST", POOL, {"pool": "OKX"})["available"] == "800000"
    assert venue.call("GET", POOL)[1]["code"] == 400009
    for removed in ("PORTFOLIO", "FUNDING", "nothing"):
        assert venue.call("GET", POOL, {"pool": removed})[1]["code"] == 400000


def test_removed_transfer_endpoints_are_served_by_config(fresh: Venue) -> None:
    fresh.set("serve_removed", "false")
    old = "/api/v1/transfer/internalExchange/apply", "/api/v1/transfer/info"
    status, answer = fresh.call("POST", old[0], sent(fresh))
    assert (status, answer["message"]) == (404, "Removed, use POST /api/v1/transfer/apply")
    fresh.set("serve_removed", "true")
    moved = fresh.data("POST", old[0], sent(fresh, clientOrderId="old"))
    assert fresh.data("GET", old[1], {"clientOrderId": "old"})["transferId"] == moved["transferId"]


async def test_a_transfer_pushes_the_assets_of_both_sides(fresh: Venue) -> None:
    async with Stranger(fresh.ready["private_ws_url"], *fresh.key()) as client:
        await client.login()
        fresh.data("POST", APPLY, sent(fresh, rapidTransfer="true", amount="250"))

        def pushed(exchange: str, total: str) -> Callable[[], bool]:
            return lambda: any(
                (row["exchangeType"], row["coin"], row["balance"]) == (exchange, "USDT", total)
                for rows in client.channel("Assets")
                for row in rows
            )

        await client.until(pushed("BINANCE", "99750"))
        await client.until(pushed("OKX", "50250"))


def test_a_restart_neither_loses_nor_repeats_a_transfer_row(start: Callable[..., Venue], tmp_path: Path) -> None:
    kept = ("--state", str(tmp_path / "state"), "--keys", str(tmp_path / "keys"), "--set", "rate_profile=off")
    first = start(*STILL, *kept, "--set", "network_delay=3600", "--control")
    moved = first.data("POST", APPLY, sent(first, clientOrderId="kept"))["transferId"]
    first.data("POST", APPLY, sent(first, rapidTransfer="true", amount="10"))
    funding = account(first, "FUNDING")
    first.process.kill()
    first.process.wait()
    again = start(*STILL, *kept, "--control")
    row = again.data("GET", GET, {"clientOrderId": "kept"})
    assert (row["transferId"], row["status"]) == (moved, 0)
    assert (held(again, "BINANCE")["frozen"], held(again, "OKX")["balance"]) == ("100", "50010")
    assert again.data("GET", POOL, {"pool": "PORTFOLIO_OKX"})["available"] == "799992"
    assert again.call("POST", APPLY, sent(again, clientOrderId="kept"))[1]["code"] == 404907
    assert account(again, "FUNDING") == funding
