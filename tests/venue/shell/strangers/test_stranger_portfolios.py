"""Portfolios and their keys for somebody who only read the description: creation, use, refusal, limits, restart."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.venue.shell.conftest import STILL, Venue
from tests.venue.shell.strangers.conftest import success, unknown_login
from tests.venue.shell.strangers.test_stranger import Stranger

PORTFOLIO, KEYS = "/api/v1/trading/portfolio", "/api/v1/apiKey/portfolio"
ACCOUNT, ASSETS = "/api/v1/trading/account", "/api/v1/trading/portfolio/assets"
SYM = "BINANCE_PERP_BTC_USDT"
ORDER = {"sym": SYM, "side": "BUY", "orderType": "LIMIT", "orderQty": "0.01", "limitPrice": "50000"}
UNLIMITED = (*STILL, "--set", "rate_profile=off", "--control")

_numbers = iter(range(1000))


def fresh_name() -> str:
    return f"Desk{next(_numbers):04}"


def code(venue: Venue, method: str, path: str, sent: dict[str, str], **options: Any) -> int:
    """The code of a call; a refusal says why."""
    answer = venue.call(method, path, sent, **options)[1]
    assert answer["message"]
    return int(answer["code"])


def portfolio(venue: Venue, name: str = "") -> str:
    """A new portfolio; its id."""
    return str(venue.data("POST", PORTFOLIO, {"name": name or fresh_name()})["portfolioId"])


def make_key(venue: Venue, portfolio_id: str, **wanted: str) -> dict[str, Any]:
    made: dict[str, Any] = venue.data("POST", KEYS, {"portfolioId": portfolio_id, "apiName": "mine", **wanted})
    return made


def signer(made: dict[str, Any]) -> tuple[str, str]:
    return made["accessKey"], made["secretKey"]


def names(venue: Venue, **asked: str) -> list[str]:
    return [row["name"] for row in venue.data("GET", PORTFOLIO, asked)["list"]]


@pytest.fixture
def made(venue: Venue) -> tuple[str, tuple[str, str]]:
    """A portfolio and a key that may do everything in it."""
    own = portfolio(venue)
    return own, signer(make_key(venue, own, permission="TRADE,TRANSFER,WITHDRAW"))


# -- portfolios --------------------------------------------------------------------------------------------------------


def test_a_new_portfolio_is_listed_first_with_all_its_venues(venue: Venue, edition: str) -> None:
    before = int(time.time() * 1000)
    name = fresh_name()
    answer = venue.call("POST", PORTFOLIO, {"name": name})[1]
    assert (answer["code"], answer["message"]) == success(edition)
    assert set(answer["data"]) == {"portfolioId", "name"}
    own = answer["data"]["portfolioId"]
    assert type(own) is int and len(str(own)) == 16 and answer["data"]["name"] == name
    page = venue.data("GET", PORTFOLIO)
    row = page["list"][0]
    assert (page["page"], page["totalSize"]) == (1, len(page["list"]))
    assert page["pageSize"] == (100 if edition == "lenient" else 1000)
    assert (row["portfolioId"], row["name"], row["belongingTo"]) == (own, name, 2)
    assert type(row["createAt"]) is int and before <= row["createAt"] == row["updateAt"] <= time.time() * 1000 + 1000
    key = signer(make_key(venue, str(own)))
    assert [one["exchangeType"] for one in venue.data("GET", ACCOUNT, key=key)] == ["BINANCE", "OKX", "EDX"]
    assert all(one["equity"] == "0" for one in venue.data("GET", ACCOUNT, key=key))
    assert venue.data("GET", ASSETS, key=key)["list"] == [], "a coin that was never held has no row"
    assert venue.data("GET", "/api/v1/user/asset")[str(own)] == []


def test_portfolio_list_is_filtered_by_all_given_fields(venue: Venue) -> None:
    own, name = portfolio(venue, named := fresh_name()), named
    assert names(venue, portfolioId=own) == names(venue, name=name) == [name]
    assert names(venue, portfolioId=own, belongingTo="2") == [name]
    assert names(venue, portfolioId=own, belongingTo="0") == names(venue, name=name.lower()) == []
    assert names(venue, belongingTo="0") == ["MainPortfolio"]
    assert "MainPortfolio" not in names(venue, belongingTo="2")
    assert (
        names(venue, pageSize="1", page="1") == names(venue)[:1]
        and names(venue, pageSize="1", page="2") == names(venue)[1:2]
    )


def test_a_renamed_portfolio_shows_its_new_name_on_its_orders(start: Callable[..., Venue], edition: str) -> None:
    venue = start(*UNLIMITED)
    sub = next(key["portfolioId"] for key in venue.ready["keys"] if key["name"] == "sub")
    order_id = venue.data("POST", "/api/v1/trading/order", {**ORDER, "limitPrice": "40000"}, key="sub")["orderId"]
    answer = venue.call("PUT", PORTFOLIO, {"portfolioId": sub, "name": "Renamed7"})[1]
    assert (answer["code"], answer["data"]) == (success(edition)[0], {"portfolioId": int(sub), "name": "Renamed7"})
    row = venue.data("GET", PORTFOLIO, {"portfolioId": sub})["list"][0]
    assert row["name"] == "Renamed7" and row["updateAt"] > row["createAt"]
    order = venue.data("GET", "/api/v1/trading/order", {"orderId": order_id}, key="sub")
    assert (order["portfolioName"], order["orderState"]) == ("Renamed7", "OPEN")
    assert venue.data("PUT", PORTFOLIO, {"portfolioId": sub, "name": "Renamed7"})["name"] == "Renamed7"
    assert venue.data("GET", PORTFOLIO, {"portfolioId": sub})["list"] == [row], "the same name again changes nothing"


@pytest.mark.parametrize(
    ("sent", "refused"),
    [
        ({}, 400009),
        ({"name": ""}, 400009),
        ({"name": "short"}, 400000),
        ({"name": "x" * 21}, 400000),
        ({"name": "123456"}, 400000),
        ({"name": "with space"}, 400000),
        ({"name": "under_score"}, 400000),
        ({"name": "Zürich7"}, 400000),
        ({"name": "newline7\n"}, 400000),
        ({"name": "MainPortfolio"}, 404911),
        ({"name": "SubPortfolio"}, 404911),
    ],
)
def test_a_portfolio_with_an_invalid_name_is_rejected(venue: Venue, sent: dict[str, str], refused: int) -> None:
    before = names(venue)
    assert code(venue, "POST", PORTFOLIO, sent) == refused
    assert names(venue) == before


def test_portfolio_names_are_case_sensitive(venue: Venue) -> None:
    for name in ("mainportfolio", "abcde7", "a2345678901234567890"):
        assert venue.data("POST", PORTFOLIO, {"name": name})["name"] == name


def test_an_invalid_portfolio_rename_is_rejected_and_says_why(venue: Venue) -> None:
    own, other = portfolio(venue), fresh_name()
    portfolio(venue, other)
    main = str(venue.data("GET", PORTFOLIO, {"belongingTo": "0"})["list"][0]["portfolioId"])
    before = names(venue)
    for sent, refused in (
        ({"name": "Another7"}, 400009),
        ({"portfolioId": own}, 400009),
        ({"portfolioId": "2000000000000001", "name": "Another7"}, 100001),
        ({"portfolioId": "none", "name": "Another7"}, 100001),
        ({"portfolioId": main, "name": "Another7"}, 400000),
        ({"portfolioId": own, "name": "bad name"}, 400000),
        ({"portfolioId": own, "name": other}, 404911),
    ):
        assert code(venue, "PUT", PORTFOLIO, sent) == refused, sent
    assert names(venue) == before


def test_the_51st_portfolio_and_the_11th_api_key_are_rejected(start: Callable[..., Venue]) -> None:
    venue = start(*UNLIMITED)
    for number in range(49):
        portfolio(venue, f"Number{number:02}")
    assert code(venue, "POST", PORTFOLIO, {"name": "OneTooMany"}) == 404901
    assert len(names(venue)) == 51
    own = str(venue.data("GET", PORTFOLIO, {"name": "Number00"})["list"][0]["portfolioId"])
    keys = [make_key(venue, own) for _ in range(10)]
    assert len({made["accessKey"] for made in keys} | {made["secretKey"] for made in keys}) == 20
    assert code(venue, "POST", KEYS, {"portfolioId": own, "apiName": "mine"}) == 405901
    venue.data("DELETE", KEYS, {"portfolioId": own, "accessKey": keys[0]["accessKey"]})
    assert make_key(venue, own)["accessKey"] not in {made["accessKey"] for made in keys}
    other = str(venue.data("GET", PORTFOLIO, {"name": "Number01"})["list"][0]["portfolioId"])
    assert make_key(venue, other)["status"] == 1, "the limit is that of one portfolio"


# -- keys --------------------------------------------------------------------------------------------------------------


def test_a_new_api_key_shows_its_secret_once_and_works_at_once(venue: Venue, edition: str) -> None:
    own = portfolio(venue)
    sent = {"portfolioId": own, "apiName": "night desk", "ip": "127.0.0.1, ::1", "permission": "TRADE,TRANSFER"}
    answer = venue.call("POST", KEYS, sent)[1]
    made = answer["data"]
    assert (answer["code"], set(made)) == (
        success(edition)[0],
        {
            *("portfolioId", "apiName", "accessKey", "secretKey", "status", "ip", "permission", "createdAt"),
            "updatedAt",
        },
    )
    assert (made["portfolioId"], made["apiName"], made["status"]) == (int(own), "night desk", 1)
    assert (made["ip"], made["permission"]) == ("127.0.0.1,::1", "READ,TRANSFER,TRADE")
    assert type(made["createdAt"]) is int and made["createdAt"] == made["updatedAt"]
    assert venue.data("GET", "/api/v1/trading/position", key=signer(made)) == []
    rows = venue.data("GET", KEYS, {"portfolioId": own})["list"]
    assert rows == [{name: value for name, value in made.items() if name != "secretKey"}]
    assert made["secretKey"] not in json.dumps(venue.data("GET", KEYS))


def test_api_keys_are_listed_by_portfolio_and_access_key(venue: Venue) -> None:
    own, other = portfolio(venue), portfolio(venue)
    first, second, third = make_key(venue, own), make_key(venue, own), make_key(venue, other)

    def listed(**asked: str) -> list[str]:
        return [row["accessKey"] for row in venue.data("GET", KEYS, asked)["list"]]

    assert listed(portfolioId=own) == [second["accessKey"], first["accessKey"]]
    assert listed(portfolioApiKey=third["accessKey"]) == [third["accessKey"]]
    assert listed(portfolioId=own, portfolioApiKey=third["accessKey"]) == listed(portfolioId="1") == []
    assert listed()[:3] == [third["accessKey"], second["accessKey"], first["accessKey"]]
    assert set(listed()).isdisjoint(key["api_key"] for key in venue.ready["keys"])


@pytest.mark.parametrize(
    ("sent", "refused"),
    [
        ({"portfolioId": ""}, 400009),
        ({"apiName": ""}, 400009),
        ({"portfolioId": "2000000000000001"}, 100001),
        ({"apiName": "x" * 33}, 400000),
        ({"apiName": "two\nlines"}, 400000),
        ({"ip": "localhost"}, 400000),
        ({"ip": "10.0.0.1,"}, 400000),
        ({"ip": "10.0.0.0/8"}, 400000),
        ({"ip": ",".join(f"10.0.0.{number}" for number in range(21))}, 400000),
        ({"permission": "TRADE,ADMIN"}, 400000),
        ({"permission": "trade"}, 400000),
    ],
)
def test_an_api_key_with_invalid_values_is_rejected(
    venue: Venue, made: tuple[str, tuple[str, str]], sent: dict[str, str], refused: int
) -> None:
    before = venue.data("GET", KEYS)
    assert code(venue, "POST", KEYS, {"portfolioId": made[0], "apiName": "mine", **sent}) == refused
    assert venue.data("GET", KEYS) == before


def test_an_api_key_takes_twenty_ip_addresses(venue: Venue, made: tuple[str, tuple[str, str]]) -> None:
    listed = ",".join(f"10.0.0.{number}" for number in range(20))
    key = make_key(venue, made[0], ip=listed)
    assert key["ip"] == listed
    assert code(venue, "GET", ACCOUNT, {}, key=signer(key)) == 2001
    venue.data("DELETE", KEYS, {"portfolioId": made[0], "accessKey": key["accessKey"]})


def test_an_api_key_is_refused_from_an_unlisted_ip_address(venue: Venue) -> None:
    own = portfolio(venue)
    key = make_key(venue, own, ip="203.0.113.7", permission="TRADE")
    assert code(venue, "GET", ACCOUNT, {}, key=signer(key)) == 2001
    assert code(venue, "GET", ACCOUNT, {}, key=signer(key), secret="wrong", nonce=1) == 2001, (
        "before clock and signature"
    )
    venue.data("PUT", KEYS, {"portfolioId": own, "accessKey": key["accessKey"], "ip": "203.0.113.7,127.0.0.1"})
    assert code(venue, "GET", ACCOUNT, {}, key=signer(key)) == 200000


def test_api_key_permission_changes_apply_at_once(venue: Venue) -> None:
    own = portfolio(venue)
    key = make_key(venue, own)
    assert key["permission"] == "READ"
    assert code(venue, "POST", "/api/v1/trading/order", ORDER, key=signer(key)) == 2002
    changed = venue.data("PUT", KEYS, {"portfolioId": own, "accessKey": key["accessKey"], "permission": "TRADE"})
    assert (changed["permission"], "secretKey" in changed) == ("READ,TRADE", False)
    assert code(venue, "POST", "/api/v1/trading/order", ORDER, key=signer(key)) == 401902, "it has no money"
    venue.data("PUT", KEYS, {"portfolioId": own, "accessKey": key["accessKey"], "permission": "READ"})
    assert code(venue, "POST", "/api/v1/trading/order", ORDER, key=signer(key)) == 2002


def test_frozen_and_deleted_api_keys_are_refused(venue: Venue) -> None:
    own = portfolio(venue)
    key = make_key(venue, own, ip="127.0.0.1", permission="TRADE")
    named = {"portfolioId": own, "accessKey": key["accessKey"]}
    row = venue.data("PUT", KEYS, {**named, "status": "2"})
    assert (row["status"], row["ip"], row["permission"], row["apiName"]) == (2, "127.0.0.1", "READ,TRADE", "mine")
    assert row["updatedAt"] > row["createdAt"]
    assert code(venue, "GET", ACCOUNT, {}, key=signer(key)) == 100041
    assert code(venue, "GET", ACCOUNT, {}, key=signer(key), secret="wrong") == 100041, "before the signature"
    assert venue.data("PUT", KEYS, {**named, "status": "1", "apiName": "thawed"})["apiName"] == "thawed"
    assert code(venue, "GET", ACCOUNT, {}, key=signer(key)) == 200000
    assert venue.data("DELETE", KEYS, named) == {}
    assert code(venue, "GET", ACCOUNT, {}, key=signer(key)) == 405001
    assert venue.data("GET", KEYS, {"portfolioId": own})["list"] == []
    assert code(venue, "DELETE", KEYS, named) == code(venue, "PUT", KEYS, {**named, "status": "1"}) == 100018


def test_api_key_change_needs_a_key_of_that_portfolio(venue: Venue) -> None:
    own, other = portfolio(venue), portfolio(venue)
    key = make_key(venue, own)["accessKey"]
    before = venue.data("GET", KEYS)
    for method in ("PUT", "DELETE"):
        assert code(venue, method, KEYS, {"portfolioId": own}) == 400009
        assert code(venue, method, KEYS, {"accessKey": key}) == 400009
        assert code(venue, method, KEYS, {"portfolioId": "1", "accessKey": key}) == 100001
        assert code(venue, method, KEYS, {"portfolioId": own, "accessKey": "0" * 48}) == 100018
        assert code(venue, method, KEYS, {"portfolioId": other, "accessKey": key}) == 100018
        assert code(venue, method, KEYS, {"portfolioId": own, "accessKey": venue.key()[0]}) == 100018
    for wrong in ({"status": "3"}, {"status": "normal"}, {"ip": "here"}, {"permission": "ALL"}, {"apiName": "x" * 33}):
        assert code(venue, "PUT", KEYS, {"portfolioId": own, "accessKey": key, **wrong}) == 400000, wrong
    assert venue.data("GET", KEYS) == before


# -- who may, and how often ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", PORTFOLIO), ("GET", KEYS), *((method, PORTFOLIO) for method in ("POST", "PUT")),
     *((method, KEYS) for method in ("POST", "PUT", "DELETE"))],
)  # fmt: skip
def test_api_keys_are_managed_only_by_main_keys_with_trade(
    venue: Venue, edition: str, made: tuple[str, tuple[str, str]], method: str, path: str
) -> None:
    before = (venue.data("GET", PORTFOLIO), venue.data("GET", KEYS))
    sent = {"name": "Stranger7", "portfolioId": made[0], "apiName": "x", "accessKey": made[1][0]}
    for key in ("sub", "subuser", made[1]):
        assert code(venue, method, path, sent, key=key) == 100003
    assert code(venue, method, path, sent, key="readonly") in (success(edition)[:1] if method == "GET" else (2002,))
    assert json.loads(venue.raw(method, path)[2])["code"] == 2000
    assert (venue.data("GET", PORTFOLIO), venue.data("GET", KEYS)) == before


def test_api_keys_of_the_main_portfolio_can_manage_portfolios(venue: Venue) -> None:
    main = str(venue.data("GET", PORTFOLIO, {"belongingTo": "0"})["list"][0]["portfolioId"])
    key = make_key(venue, main, permission="TRADE")
    assert len(venue.data("GET", ACCOUNT, key=signer(key))) == 3
    assert venue.data("POST", PORTFOLIO, {"name": fresh_name()}, key=signer(key))["portfolioId"]
    venue.data("DELETE", KEYS, {"portfolioId": main, "accessKey": key["accessKey"]}, key=signer(key))
    assert code(venue, "GET", ACCOUNT, {}, key=signer(key)) == 405001


def test_a_fourth_portfolio_creation_in_ten_seconds_is_refused(start: Callable[..., Venue]) -> None:
    venue = start(*STILL)
    for number in range(3):
        venue.data("POST", PORTFOLIO, {"name": f"Number{number:02}"})
    status, answer = venue.call("POST", PORTFOLIO, {"name": "Number03"})
    assert (status, answer["code"]) == (429, 100429)
    assert "Number03" not in names(venue), "another endpoint has its own count, and a refused call no effect"


# -- streams and restart -------------------------------------------------------------------------------------------


async def test_a_stream_of_a_frozen_or_deleted_api_key_is_refused(venue: Venue, edition: str) -> None:
    own = portfolio(venue)
    key = make_key(venue, own, permission="TRADE")
    named = {"portfolioId": own, "accessKey": key["accessKey"]}
    url = venue.ready["private_ws_url"]
    for change in (("PUT", {**named, "status": "2"}), ("DELETE", named)):
        async with Stranger(url, *signer(key)) as client, Stranger(url, *venue.key()) as main:
            assert (await client.login())["code"] == (await main.login())["code"] == 0
            mode = "BOTH" if change[0] == "PUT" else "NET"
            venue.data("POST", ACCOUNT, {"exchangeType": "OKX", "positionMode": mode}, key=signer(key))
            pushed = await client.until(lambda c=client: c.channel("Accounts"))
            assert (pushed[0][0]["portfolioId"], pushed[0][0]["positionMode"]) == (own, mode)
            reply = await client.ask("place_order", **ORDER)
            assert reply["code"] == 401902
            venue.data(change[0], KEYS, change[1])
            assert await client.closed() == 1008
            assert (await main.ask("cancel_orders", sym=SYM))["code"] == 200000, "the other connections stay"
            assert not [push for push in main.pushes if own in json.dumps(push)]
        async with Stranger(url, *signer(key)) as again:
            login = await again.login()
            assert login["code"] == (60009 if change[0] == "PUT" else unknown_login(edition))
            assert "frozen" in login["msg"] or "Not Found" in login["msg"]
        if change[0] == "PUT":
            venue.data("PUT", KEYS, {**named, "status": "1"})


async def test_a_new_portfolio_can_be_funded_traded_and_emptied(start: Callable[..., Venue]) -> None:
    venue = start(*UNLIMITED)
    own, main = portfolio(venue), next(key["portfolioId"] for key in venue.ready["keys"] if key["name"] == "main")
    key = signer(make_key(venue, own, permission="TRADE,TRANSFER"))
    sides = {"fromAccountType": "BINANCE", "toAccountType": "BINANCE", "currency": "USDT"}
    there = {**sides, "fromTradeAccountId": main, "toTradeAccountId": own, "amount": "5000"}
    async with Stranger(venue.ready["private_ws_url"], *key) as client:
        await client.login()
        venue.data("POST", "/api/v1/transfer/apply", there)
        assets = await client.until(lambda: client.channel("Assets"))
        assert [(row["coin"], row["balance"]) for row in assets[0]] == [("USDT", "5000")]
        placed = await client.ask("place_order", sym=SYM, side="BUY", orderType="MARKET", orderQty="0.01")
        filled = await client.order(placed["data"]["orderId"], orderState="FILLED")
        assert filled["portfolioId"] == own
    [position] = venue.data("GET", "/api/v1/trading/position", key=key)
    assert (position["portfolioId"], position["positionQty"]) == (own, "0.01")
    assert venue.data("GET", "/api/v1/trading/position") == [], "the main portfolio holds nothing of it"
    venue.data("DELETE", "/api/v1/trading/position", {"sym": SYM}, key=key)
    [left] = venue.data("GET", ASSETS, key=key)["list"]
    back = {**sides, "fromTradeAccountId": own, "toTradeAccountId": main, "amount": left["maxTransferable"]}
    assert code(venue, "POST", "/api/v1/transfer/apply", back, key=key) == 404902, "its own key moves inside it alone"
    venue.data("POST", "/api/v1/transfer/apply", back)
    assert [row["balance"] for row in venue.data("GET", ASSETS, key=key)["list"]] == ["0"]


async def test_stream_login_from_an_unlisted_ip_address_is_rejected(venue: Venue) -> None:
    own = portfolio(venue)
    key = make_key(venue, own, permission="TRADE", ip="203.0.113.7")
    async with Stranger(venue.ready["private_ws_url"], *signer(key)) as client:
        login = await client.login()
        assert (login["code"], "not on the list" in login["msg"]) == (60009, True)


async def test_stream_login_without_trade_permission_cannot_place(venue: Venue) -> None:
    key = make_key(venue, portfolio(venue))
    async with Stranger(venue.ready["private_ws_url"], *signer(key)) as client:
        assert (await client.login())["code"] == 0
        assert (await client.ask("place_order", **ORDER))["code"] == 2002


def test_portfolios_and_api_keys_survive_a_restart(start: Callable[..., Venue], tmp_path: Path) -> None:
    state = ("--state", str(tmp_path / "paper.db"))
    venue = start(*UNLIMITED, *state)
    own = portfolio(venue, "Lasting7")
    key, frozen, gone = (make_key(venue, own, permission="TRADE") for _ in range(3))
    venue.data("PUT", KEYS, {"portfolioId": own, "accessKey": frozen["accessKey"], "status": "2"})
    venue.data("DELETE", KEYS, {"portfolioId": own, "accessKey": gone["accessKey"]})
    listed = (venue.data("GET", PORTFOLIO), venue.data("GET", KEYS))
    assert venue.stop() == 0
    for path in tmp_path.rglob("*"):
        kept = path.read_bytes() if path.is_file() else b""
        assert not any(one["secretKey"].encode() in kept for one in (key, frozen, gone)), path
        assert path.is_dir() or path.stat().st_mode & 0o077 == 0, path
    again = start(*UNLIMITED, *state)
    assert (again.data("GET", PORTFOLIO), again.data("GET", KEYS)) == listed
    assert len(again.data("GET", ACCOUNT, key=signer(key))) == 3
    assert code(again, "GET", ACCOUNT, {}, key=signer(frozen)) == 100041
    assert code(again, "GET", ACCOUNT, {}, key=signer(gone)) == 405001
    assert make_key(again, own)["accessKey"] not in {one["accessKey"] for one in (key, frozen, gone)}


def test_venue_option_portfolio_gives_keys_of_that_portfolio(start: Callable[..., Venue], tmp_path: Path) -> None:
    state = ("--state", str(tmp_path / "paper.db"))
    venue = start(*UNLIMITED, *state)
    own = portfolio(venue, "Chosen77")
    assert [key["name"] for key in venue.ready["keys"]] == ["main", "sub", "subuser", "readonly"]
    venue.stop()
    again = start(*UNLIMITED, *state, "--portfolio", "Chosen77")
    desk = {key["name"]: key for key in again.ready["keys"]}["desk"]
    assert (desk["portfolioId"], desk["portfolioName"], desk["level"]) == (own, "Chosen77", "sub")
    assert code(again, "POST", "/api/v1/trading/order", ORDER, key="desk") == 401902
    assert code(again, "POST", "/api/v1/trading/order", ORDER, key="desk-readonly") == 2002
    again.data("PUT", PORTFOLIO, {"portfolioId": own, "name": "Renamed77"})
    again.stop()
    by_id = start(*UNLIMITED, *state, "--portfolio", own)
    assert {key["name"]: key["portfolioName"] for key in by_id.ready["keys"]}["desk"] == "Renamed77"
    by_id.stop()
    with pytest.raises(RuntimeError, match="the paper venue has MainPortfolio, SubPortfolio, Renamed77"):
        start(*UNLIMITED, *state, "--portfolio", "Nobody77")
