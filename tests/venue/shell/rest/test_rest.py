"""REST over a real socket: the order of checks, envelopes, lists, and what a web page in a browser may not do."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.lint.rooms import TOP
from tests.venue.shell.conftest import Venue
from tests.venue.shell.inside import Inside
from tui.interface import catalogue
from tui.interface.endpoint import Endpoint, Permission, Scope
from tui.interface.ready import BARS_PATH
from tui.interface.streams import ALGO_PATH, PRIVATE_PATH, PUBLIC_PATH
from tui.venue.shell.descriptions.documents import DESCRIPTIONS
from tui.venue.shell.rest.handlers import QUERIES, SERVED
from tui.venue.shell.server import LEGACY_PUBLIC_PATHS

SYM = "BINANCE_PERP_BTC_USDT"

NOT_SERVED_YET = 0
"""Rows without a server. This number may only fall."""


def test_number_of_unserved_endpoints_may_only_fall() -> None:
    waiting = [row.name for row in catalogue.ROWS if not row.removed and row.name not in SERVED]
    assert len(waiting) == NOT_SERVED_YET


@pytest.mark.parametrize(
    "row", [row for row in catalogue.ROWS if row.name not in SERVED or row.removed], ids=lambda row: row.name
)
@pytest.mark.edition("documents")
def test_an_unserved_endpoint_says_not_yet_or_its_replacement(venue: Venue, row: Endpoint) -> None:
    status, answer = venue.call(row.method, row.path)
    assert (status, answer["code"]) == (404, 404)
    assert answer["message"] == (f"Removed, use {row.replacement}" if row.removed else "Not served yet")


def test_unknown_path_is_404_and_wrong_method_is_405(venue: Venue) -> None:
    assert venue.call("GET", "/api/v1/nothing")[0] == 404
    status, answer = venue.call("PUT", "/api/v1/trading/orders")
    assert (status, answer["code"]) == (405, 405)


@pytest.mark.edition("documents")
def test_rest_queries_need_a_signature(venue: Venue) -> None:
    why = "API verification failed: the header X-MBX-APIKEY is missing"
    for row in catalogue.ROWS:
        if row.name not in QUERIES or row.removed or row.permission is Permission.NONE:
            continue
        _, _, text = venue.raw(row.method, row.path)
        assert json.loads(text) == {"code": 2000, "message": why, "data": {}}, row.name
        _, answer = venue.call(row.method, row.path, key="main" if Scope.MAIN in row.scopes else "sub")
        assert answer["code"] in (200 if row.family == "assets-v2" else 200000, 401008, 400009, 404004), (
            row.name,
            answer,
        )
        assert set(answer) == {"code", "message", "data"}, row.name


@pytest.mark.edition("documents")
def test_the_security_policy_names_every_call_without_a_key(venue: Venue) -> None:
    refused = {"code": 2000, "message": "API verification failed: the header X-MBX-APIKEY is missing", "data": {}}
    rows = [row for row in catalogue.ROWS if not row.removed]
    unsigned = [row.name for row in rows if json.loads(venue.raw(row.method, row.path)[2]) != refused]
    assert unsigned == [row.name for row in rows if row.permission is Permission.NONE] == ["system_status"]
    assert venue.raw("GET", f"{BARS_PATH}?sym={SYM}&interval=1m")[0] == 200
    words = ", ".join(
        ["the system status", "old price bars", "the public streams and the description of the interface"]
    )
    assert f"every call needs a key that is made at its start, but for {words}" in (TOP / "SECURITY.md").read_text(
        "utf-8"
    )


async def test_paths_beside_endpoints_are_streams_bars_and_documents() -> None:
    """A path beside the endpoints is looked at for what it tells without a key."""
    inside = Inside()
    await inside.open()
    try:
        app = inside.server.runner.app
        assert app is not None
        paths = {resource.canonical for resource in app.router.resources()}
    finally:
        await inside.close()
    streams = {PRIVATE_PATH, ALGO_PATH, PUBLIC_PATH, *LEGACY_PUBLIC_PATHS}
    assert paths == {*streams, *(f"/{name}.json" for name in DESCRIPTIONS), BARS_PATH, "/{path}"}


def test_s28_wrong_nonce_signature_or_key_has_its_error_code(venue: Venue) -> None:
    path = "/api/v1/trading/orders"
    now = int(time.time())
    assert venue.call("GET", path, nonce=now - 61)[1]["code"] == 7000
    assert venue.call("GET", path, nonce=now + 75)[1]["code"] == 7000
    assert venue.call("GET", path, nonce=now - 50)[1]["code"] == 200000
    assert venue.call("GET", path, nonce=12345)[1]["code"] == 7000
    assert venue.call("GET", path, secret="wrong")[1]["code"] == 2000
    assert venue.call("GET", path, key="subuser")[1]["code"] == 100003
    headers = {"X-MBX-APIKEY": "nobody", "nonce": str(now), "signature": "0" * 64}
    assert json.loads(venue.raw("GET", path, headers=headers)[2])["code"] == 405001


def test_a_read_only_key_can_query_and_not_place_orders(venue: Venue) -> None:
    assert venue.call("GET", "/api/v1/trading/position", key="readonly")[1]["code"] == 200000
    order = {"sym": SYM, "side": "BUY", "orderType": "LIMIT", "orderQty": "0.01", "limitPrice": "1"}
    assert venue.call("POST", "/api/v1/trading/order", order, key="readonly")[1]["code"] == 2002


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"{", "application/json"),
        (b"[]", "application/json"),
        (b'{"a":1,"a":2}', "application/json"),
        (b"{}x", "text/plain"),
    ],
)
def test_s29_a_body_that_is_no_json_object_is_http_400(venue: Venue, body: bytes, kind: str) -> None:
    status, _, text = venue.raw("POST", "/api/v1/trading/order", body=body, headers={"Content-Type": kind})
    assert (status, json.loads(text)["code"]) == (400, 400000)


def test_s30_a_body_over_the_size_limit_is_rejected(venue: Venue) -> None:
    body = json.dumps({"sym": "x" * 70_000}).encode()
    status, _, _ = venue.raw("POST", "/api/v1/trading/order", body=body, headers={"Content-Type": "application/json"})
    assert status in (400, 413)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.test"}, 403),
        ({"Host": "127.0.0.1"}, 403),
        ({"Origin": "https://evil.test"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:1"}, 403),
        ({}, 200),
    ],
)
def test_s26_s27_web_pages_of_other_origins_are_refused(venue: Venue, headers: dict[str, str], status: int) -> None:
    assert venue.raw("GET", "/api/v1/system/status", headers=headers)[0] == status


@pytest.mark.parametrize(
    ("params", "code", "words"),
    [
        ({"pageSize": "0"}, 400002, "pageSize"),
        ({"pageSize": "1001"}, 400002, "pageSize"),
        ({"page": "0"}, 400003, "page"),
        ({"page": "x"}, 400000, "page"),
        ({"begin": "12"}, 400000, "begin"),
        ({"begin": "1999999999999", "end": "1999999999998"}, 400005, "future"),
        ({"begin": "1700000000001", "end": "1700000000000"}, 400004, "begin"),
        ({"begin": "1600000000000"}, 400001, "91 days"),
        ({"exchange": "KRAKEN"}, 401023, "BINANCE"),
        ({"businessType": "FUTURE"}, 400000, "PERP"),
    ],
)
def test_invalid_list_parameters_are_rejected_by_name_and_value(
    venue: Venue, params: dict[str, str], code: int, words: str
) -> None:
    _, answer = venue.call("GET", "/api/v1/trading/orders", params)
    assert answer["code"] == code
    assert words in answer["message"]


@pytest.mark.parametrize(("limit", "code"), [("0", 400007), ("1001", 400007), ("1.5", 400000)])
def test_invalid_executions_limit_has_its_own_error_codes(venue: Venue, limit: str, code: int) -> None:
    _, answer = venue.call("GET", "/api/v1/trading/executions", {"limit": limit})
    assert answer["code"] == code
    assert "limit" in answer["message"]


def _place(venue: Venue, **changes: str) -> dict[str, Any]:
    order = {"sym": SYM, "side": "BUY", "orderType": "LIMIT", "orderQty": "0.01", "limitPrice": "50000"} | changes
    return venue.call("POST", "/api/v1/trading/order", {name: value for name, value in order.items() if value})[1]


@pytest.mark.parametrize(
    ("changes", "code", "words"),
    [
        ({"side": ""}, 400009, "side"),
        ({"sym": "BINANCE_PERP_NOPE_USDT"}, 401011, "NOPE"),
        ({"side": "HOLD"}, 401002, "HOLD"),
        ({"orderType": "STOP"}, 401003, "STOP"),
        ({"timeInForce": "GTD"}, 401004, "GTD"),
        ({"orderQty": "3,5"}, 401005, "3,5"),
        ({"orderQty": "1e5"}, 401005, "1e5"),
        ({"orderQty": "-1"}, 401005, "-1"),
        ({"orderQty": "0"}, 401005, "0"),
        ({"limitPrice": "nan"}, 401006, "nan"),
        ({"limitPrice": "50000.05"}, 401015, "50000.05"),
        ({"orderQty": "0.0105"}, 401013, "0.0105"),
        ({"orderQty": "100000"}, 401025, "100000"),
        ({"clientOrderId": "x" * 64}, 401001, "clientOrderId"),
        ({"clientOrderId": "a b"}, 400000, "clientOrderId"),
        ({"limitPrice": "1"}, 401017, ""),
        ({"limitPrice": "1000", "orderQty": "1"}, 401906, "1000"),
    ],
)
def test_an_invalid_rest_order_is_rejected_by_field_and_value(
    venue: Venue, changes: dict[str, str], code: int, words: str
) -> None:
    answer = _place(venue, **changes)
    assert answer["code"] == code, answer
    assert words in answer["message"]


def test_orders_can_be_placed_listed_and_cancelled_over_rest(venue: Venue) -> None:
    infos = venue.data("GET", "/api/v1/trading/sym/info")
    assert infos[SYM]["tickSize"] == "0.1"
    placed = [_place(venue, clientOrderId=f"rest{number}")["data"] for number in range(5)]
    listed = venue.data("GET", "/api/v1/trading/orders", {"sym": SYM, "pageSize": "2", "page": "2"})
    assert (listed["page"], listed["pageSize"], listed["totalSize"], listed["pageNum"]) == (2, 2, 5, 3)
    assert len(listed["list"]) == 2
    detail = venue.data("GET", "/api/v1/trading/order", {"clientOrderId": "rest3"})
    assert (detail["orderId"], detail["orderState"]) == (placed[3]["orderId"], "OPEN")
    assert _place(venue, clientOrderId="rest3")["code"] == 401009
    assert venue.call("GET", "/api/v1/trading/order", {})[1]["code"] == 401008
    unknown = venue.call("GET", "/api/v1/trading/order", {"orderId": "1234567890123456"})[1]
    assert (unknown["code"], "not found" in unknown["message"]) == (401018, True)
    assert venue.call("GET", "/api/v1/trading/order", {"orderId": "12"})[1]["code"] == 401007
    gone = venue.data("DELETE", "/api/v1/trading/order", {"orderId": placed[0]["orderId"]})
    assert gone["action"] == "CANCEL_PENDING"
    assert venue.data("DELETE", "/api/v1/trading/cancelAll", {"sym": SYM}) == {}
    deadline = time.monotonic() + 5
    while venue.data("GET", "/api/v1/trading/orders")["totalSize"]:
        assert time.monotonic() < deadline
    assert venue.call("DELETE", "/api/v1/trading/order", {"orderId": placed[0]["orderId"]})[1]["code"] == 401117


def test_position_mode_is_set_per_venue_by_rest(venue: Venue) -> None:
    path = "/api/v1/trading/account"
    assert venue.call("POST", path, {"exchangeType": "EDX"})[1]["code"] == 400009
    assert venue.call("POST", path, {"positionMode": "BOTH"})[1]["code"] == 400009
    wrong = venue.call("POST", path, {"exchangeType": "EDX", "positionMode": "HEDGE"})[1]
    assert (wrong["code"], "NET, BOTH" in wrong["message"]) == (400000, True)
    assert venue.data("POST", path, {"exchangeType": "EDX", "positionMode": "BOTH"}) == {}
    modes = {row["exchangeType"]: row["positionMode"] for row in venue.data("GET", path)}
    assert modes == {"BINANCE": "NET", "OKX": "NET", "EDX": "BOTH"}
    assert venue.call("POST", path, {"exchangeType": "EDX", "positionMode": "NET"}, key="readonly")[1]["code"] == 2002
    assert venue.data("POST", path, {"exchangeType": "EDX", "positionMode": "NET"}) == {}


def test_leverage_is_set_by_rest(venue: Venue) -> None:
    path = "/api/v1/trading/position/leverage"
    sym = "OKX_PERP_ETH_USDT"
    assert venue.call("POST", path, {"sym": sym})[1]["code"] == 400009
    wrong = venue.call("POST", path, {"sym": sym, "leverage": "2.5"})[1]
    assert (wrong["code"], "2.5" in wrong["message"]) == (400000, True)
    assert venue.data("POST", path, {"sym": sym, "leverage": "5"}) == {}
    listed = venue.data("GET", "/api/v1/trading/perp/leverage", {"exchange": "OKX"})
    assert {row["sym"]: row["leverage"] for row in listed} == {
        "OKX_PERP_BTC_USDT": "20", "OKX_PERP_DOGE_USDT": "20", sym: "5", "OKX_PERP_SOL_USDT": "20",
    }  # fmt: skip
    assert venue.data("GET", "/api/v1/trading/perp/leverage", {"sym": sym}) == [{"sym": sym, "leverage": "5"}]
    assert venue.call("GET", "/api/v1/trading/perp/leverage", {"sym": "OKX_SPOT_ETH_USDT"})[1]["code"] == 401011


def test_funding_rate_and_funding_statements_are_served(venue: Venue) -> None:
    path = "/api/v1/market/fundingRate"
    assert venue.call("GET", path)[1]["code"] == 400009
    assert venue.call("GET", path, {"sym": "BINANCE_SPOT_BTC_USDT"})[1]["code"] == 401011
    (row,) = venue.data("GET", path, {"sym": SYM})
    assert set(row) == {"sym", "fundingRate", "fundingTime", "nextFundingTime"}
    assert int(row["nextFundingTime"]) % (8 * 3_600_000) == 0
    assert 0 < int(row["nextFundingTime"]) - int(time.time() * 1000) <= 8 * 3_600_000
    listed = venue.data("GET", "/api/v1/trading/statement", {"statementType": "FUNDING_FEE"})
    assert set(listed) == {"list", "page", "pageSize", "pageNum", "totalSize"}


def test_fee_rates_are_served_for_the_requested_portfolios(venue: Venue) -> None:
    path = "/api/v1/trading/userFeeRate"
    ids = {key["name"]: key["portfolioId"] for key in venue.ready["keys"] if key["name"] in ("main", "sub")}
    rows = venue.data("GET", path)
    assert {row["portfolioId"] for row in rows} == {ids["main"]}
    kinds = [("BINANCE", "SPOT"), ("BINANCE", "PERP"), ("OKX", "SPOT"), ("OKX", "PERP"), ("EDX", "PERP")]
    assert [(row["exchange"], row["instType"]) for row in rows] == kinds
    perp = next(row for row in rows if row["instType"] == "PERP")
    assert (perp["takerFeeRate"], perp["makerFeeRate"]) == ("0.0005", "-0.00005")
    assert [group["groupName"] for group in rows[0]["groupList"]] == ["standard"]
    for short, long in (("taker", "takerFeeRate"), ("maker", "makerFeeRate"), ("exchange", "exchangeType")):
        assert perp[short] == perp[long]
    filters = {"portfolio": ids["sub"], "exchange": "OKX", "instType": "PERP"}
    assert [row["portfolioId"] for row in venue.data("GET", path, filters)] == [ids["sub"], ids["main"]]
    only = venue.data("GET", path, {"portfolios": ids["sub"], "instType": "SPOT"}, key="sub")
    assert {row["portfolioId"] for row in only} == {ids["sub"]}
    assert venue.call("GET", path, {"portfolio": "1"})[1]["code"] == 100001
    assert venue.call("GET", path, {"portfolios": ",".join(["1"] * 21)})[1]["code"] == 400000
    assert venue.call("GET", path, {"instType": "MARGIN"})[1]["code"] == 400000


def test_positions_are_closed_by_rest(venue: Venue) -> None:
    one, several, sym = "/api/v1/trading/position", "/api/v1/trading/positions", "OKX_PERP_BTC_USDT"
    assert venue.call("DELETE", one, {})[1]["code"] == 400009
    assert venue.call("DELETE", one, {"sym": sym})[1]["code"] == 401097
    _place(venue, sym=sym, orderType="MARKET", orderQty="3", limitPrice="")
    answer = venue.data("DELETE", one, {"sym": sym})
    assert venue.data("GET", "/api/v1/trading/order", answer)["orderState"] == "FILLED"
    venue.set("close_answer", "array")
    _place(venue, sym=sym, orderType="MARKET", orderQty="3", limitPrice="")
    assert [set(row) for row in venue.data("DELETE", one, {"sym": sym})] == [{"orderId"}]
    venue.set("close_answer", "object")
    assert venue.call("DELETE", several, {})[1]["code"] == 400009
    rows = venue.data("DELETE", several, {"symList": sym})
    message = f"401097 the position on {sym} is 0; there is nothing to close"
    assert rows == [{"sym": sym, "positionSide": "NONE", "success": "false", "errorMsg": message}]
    _place(venue, sym=sym, orderType="MARKET", orderQty="3", limitPrice="")
    rows = venue.data("DELETE", several, {"closeAllPos": "true", "exchangeType": "OKX"})
    assert [(row["sym"], row["success"], row["errorMsg"]) for row in rows] == [(sym, "true", "")]
    assert len(rows[0]["orderId"]) == 16
    listed = venue.data("GET", "/api/v1/trading/history/position", {"exchange": "OKX", "pageSize": "2"})
    assert (listed["totalSize"], listed["pageNum"], len(listed["list"])) == (3, 2, 2)
    assert [(row["sym"], row["closedQty"], row["leverage"]) for row in listed["list"]] == [(sym, "3", 20)] * 2
    assert listed["list"][0]["positionHistorySide"] == "LONG"


def test_symbols_and_risk_tiers_are_served(venue: Venue) -> None:
    listed = venue.data("GET", "/api/v1/market/symbols", {"exchange": "OKX", "businessType": "PERP"})
    assert [row["sym"] for row in listed] == [f"OKX_PERP_{coin}_USDT" for coin in ("BTC", "DOGE", "ETH", "SOL")]
    marks = venue.data("GET", "/api/v1/market/markPrice", {"sym": SYM})
    assert [(row["sym"], row["publicChannelTypeEnum"]) for row in marks] == [(SYM, "MARK_PRICE")]
    assert isinstance(marks[0]["time"], int)
    assert venue.call("GET", "/api/v1/market/markPrice", {"sym": "BINANCE_SPOT_BTC_USDT"})[1]["code"] == 401011
    tiers = venue.data("GET", "/api/v1/trading/positionBracket", {"sym": SYM})[SYM]
    assert [tier["riskLevel"] for tier in tiers] == [str(level) for level in range(1, len(tiers) + 1)]
    assert venue.data("GET", "/api/v1/trading/broker/positionBracket", {"sym": SYM})[SYM] == tiers
    assert [tier["minNotionalValue"] for tier in tiers[1:]] == [tier["maxNotionalValue"] for tier in tiers[:-1]]


def test_order_history_rows_have_no_action_fields(venue: Venue) -> None:
    placed = _place(venue, clientOrderId="history1")["data"]["orderId"]
    venue.data("DELETE", "/api/v1/trading/cancelAll", {"sym": SYM})
    listed = venue.data("GET", "/api/v1/trading/history/orders", {"sym": SYM})["list"]
    mine = next(row for row in listed if row["orderId"] == placed)
    assert not {"action", "actionMsg"} & set(mine)
    executed = venue.data("GET", "/api/v1/trading/history/orders", {"filterExecuted": "true"})["list"]
    assert placed not in [row["orderId"] for row in executed]
    assert venue.data("GET", "/api/v1/trading/archive/history/orders")["totalSize"] == 0
    assert venue.data("GET", "/api/v1/trading/archive/executions/pageable")["list"] == []


def test_assets_of_all_portfolios_need_the_main_key(venue: Venue) -> None:
    assets = venue.data("GET", "/api/v1/user/asset")
    assert set(assets) == {key["portfolioId"] for key in venue.ready["keys"]}
    assert venue.call("GET", "/api/v1/user/asset", key="sub")[1]["code"] == 100003


def test_a_rate_limited_call_is_http_429_and_names_the_profile(start: Callable[..., Venue]) -> None:
    venue = start("--seed", "1", "--set", "latency=test", "--set", "agents=still")
    answers = [venue.call("GET", "/api/v1/trading/account") for _ in range(4)]
    limited = [answer for status, answer in answers if status == 429]
    assert limited
    assert (limited[0]["code"], limited[0]["data"]) == (100429, {})
    assert limited[0]["message"].startswith("Too many requests: ")
    assert "rate_profile=official" in limited[0]["message"]


def test_documented_http_statuses_can_be_chosen_by_config(start: Callable[..., Venue]) -> None:
    venue = start("--seed", "1", "--set", "latency=test", "--set", "http_status=documented")
    assert venue.call("GET", "/api/v1/trading/orders", {"page": "0"})[0] == 400
    taken = [
        venue.call("DELETE", "/api/v1/trading/cancelAll"),
        venue.call("DELETE", "/api/v1/trading/positions", {"closeAllPos": "true"}),
        venue.call("POST", "/api/v1/trading/position/leverage", {"sym": SYM, "leverage": "7"}),
    ]
    assert [(status, answer["code"]) for status, answer in taken] == [(202, 200000)] * 3
    order = {"sym": SYM, "side": "BUY", "orderType": "LIMIT", "orderQty": "0.01", "limitPrice": "50000"}
    assert venue.call("POST", "/api/v1/trading/order", order)[0] == 200
    assert venue.call("DELETE", "/api/v1/trading/position", {"sym": SYM})[0] == 400


@pytest.mark.parametrize(
    "arguments", [("--set", "nope=1"), ("--set", "latency=slow"), ("--set", "x"), ("--host", "0.0.0.0")]
)
def test_invalid_venue_options_say_what_is_accepted(start: Callable[..., Venue], arguments: tuple[str, ...]) -> None:
    with pytest.raises(RuntimeError, match=r"accept|known|NAME=VALUE|this machine"):
        start(*arguments)
