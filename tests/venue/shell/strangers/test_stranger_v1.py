"""The first generation of authentication, by somebody who read its page: parameters in the query, no headers."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.venue.shell.conftest import STILL, Venue
from tui.interface import signing

ACCOUNTS, BALANCES, MOVE = "/api/v1/tradeAccount/list", "/api/v1/asset/getAccountCurrencyInfo", "/api/v1/transfer/apply"


@pytest.fixture
def old(start: Callable[..., Venue]) -> Venue:
    return start(*STILL, "--set", "rate_profile=off", "--set", "v1=on", "--control")


def stamp(off_s: float = 0) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() + off_s))


def call(
    venue: Venue, path: str, params: dict[str, str] | None = None, *, method: str = "GET",
    body: dict[str, str] | None = None,
    key: str | tuple[str, str] = "main", at: str = "", secret: str = "", sign: str = "",
) -> dict[str, Any]:  # fmt: skip
    """A call signed by the first generation."""
    access, own = venue.key(key) if isinstance(key, str) else key
    query = {**(params or {}), "apiKey": access, "timestamp": at or stamp()}
    signed = {name: text for name, text in {**query, **(body or {})}.items() if text}
    message = "&".join(f"{name}={signed[name]}" for name in sorted(signed))
    query["sign"] = sign or hmac.new((secret or own).encode(), message.encode(), hashlib.sha256).hexdigest()
    content = None if body is None else json.dumps(body).encode()
    headers = {} if body is None else {"Content-Type": "application/json"}
    answer: dict[str, Any] = json.loads(
        venue.raw(method, f"{path}?{urlencode(query)}", body=content, headers=headers)[2]
    )
    return answer


def test_auth_v1_signature_matches_the_published_example() -> None:
    params = {
        "page": "1", "pageSize": "10", "apiKey": "paper-key-0001", "timestamp": "2026-07-02T03:30:00", "sign": "old",
        "empty": "",
    }  # fmt: skip
    signed = signing.sign_v1("paper-secret-0001", params)
    assert signed == "addb0e9282371ba8d16b5f96d16be21670a638753074b87f2504ebb6c8526da5"


def test_auth_v1_transfer_signs_query_and_body_together(old: Venue) -> None:
    answer = call(old, ACCOUNTS)
    assert (answer["code"], answer["message"], len(answer["data"])) == (200, "success", 4)
    assert call(old, BALANCES, {"currency": "USDT", "accountId": ""})["code"] == 200, "empty values are not signed"
    assert len(call(old, ACCOUNTS, key="subuser")["data"]) == 2
    [dma, other] = [row for row in answer["data"] if row["label"] == "DMA"]
    body = {"toTradeAccountId": str(other["accountId"]), "currency": "USDT", "amount": "100", "network": "TRC20"}
    moved = call(old, MOVE, {"fromTradeAccountId": str(dma["accountId"])}, method="POST", body=body)
    assert moved["code"] == 200, moved
    assert call(old, "/api/v1/transfer/get", {"transferId": str(moved["data"]["transferId"])})["data"]["amount"] == 100


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"key": ("nobody", "x")}, 1003),
        ({"secret": "wrong"}, 1004),
        ({"sign": "0" * 64}, 1004),
        ({"at": "2026-07-02 03:30:00"}, 1004),
        ({"at": "2026-13-40T03:30:00"}, 1004),
    ],
)
def test_auth_v1_errors_have_their_own_codes(old: Venue, changes: dict[str, Any], code: int) -> None:
    answer = call(old, ACCOUNTS, **changes)
    assert (answer["code"], answer["data"], bool(answer["message"])) == (code, {}, True)


def test_auth_v1_timestamp_may_be_five_minutes_off(old: Venue) -> None:
    assert call(old, ACCOUNTS, at=stamp(-280))["code"] == call(old, ACCOUNTS, at=stamp(280))["code"] == 200
    for off in (-330, 330):
        answer = call(old, ACCOUNTS, at=stamp(off))
        assert (answer["code"], "off the server clock" in answer["message"]) == (1004, True)


def test_auth_v1_works_only_for_account_endpoints(old: Venue) -> None:
    assert call(old, "/api/v1/trading/orders")["code"] == 2003
    assert call(old, "/api/v1/trading/portfolio")["code"] == 2003
    assert call(old, ACCOUNTS, key="sub")["code"] == 2003
    assert call(old, MOVE, method="POST", body={"amount": "1"}, key="readonly")["code"] == 2003


def test_auth_v1_rejects_portfolio_keys(old: Venue) -> None:
    main = old.data("GET", "/api/v1/trading/portfolio", {"belongingTo": "0"})["list"][0]["portfolioId"]
    made = old.data("POST", "/api/v1/apiKey/portfolio", {"portfolioId": str(main), "apiName": "young"})
    key = (made["accessKey"], made["secretKey"])
    assert old.call("GET", ACCOUNTS, key=key)[1]["code"] in (200, 200000)
    assert call(old, ACCOUNTS, key=key)["code"] == 1003


def test_auth_v1_needs_its_switch_and_leaves_auth_v2_working(old: Venue, start: Callable[..., Venue]) -> None:
    assert old.data("GET", ACCOUNTS)
    assert call(start(*STILL), ACCOUNTS)["code"] == 2000
