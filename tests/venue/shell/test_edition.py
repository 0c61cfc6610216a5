"""The composite switch `edition`: the letter of the interface, and what programs of strangers expect, switch by switch."""

from __future__ import annotations

import json

import pytest

from tests.venue.shell.inside import Inside, inside
from tui.interface.envelope import PlaceReply
from tui.interface.families.orders import PlaceOrder
from tui.interface.families.positions import SetPositionMode
from tui.venue.shell.control import execute_line
from tui.venue.shell.switches import ALL_SPECS, split_settings

PERP, SPOT = "BINANCE_PERP_BTC_USDT", "BINANCE_SPOT_BTC_USDT"
BY_EDITION = {
    "success_code": ("documents", "family"),
    "action_in_open_orders": ("false", "true"),
    "pool_params": ("required", "optional"),
    "client_ids": ("strict", "lenient"),
    "login_unknown_key": ("405001", "60009"),
    "push_names": ("documents", "Orders"),
    "unnamed_portfolio": ("main", "own_and_main"),
    "reduce_only_scope": ("symbol", "leg"),
    "adl_delisted": ("401011", "empty"),
    "default_page_size": ("1000", "short"),
    "serve_removed": ("false", "true"),
}
"""Switch -> its value in the edition of the documents, and in the lenient one."""
RESTING = {"sym": PERP, "side": "BUY", "orderType": "LIMIT", "orderQty": "0.01", "limitPrice": "50000"}


def values(*settings: tuple[str, str]) -> dict[str, str]:
    shell, core = split_settings(list(settings))
    return {**core.all(), **shell.all()}


def test_each_api_edition_sets_its_venue_switches() -> None:
    documents, lenient = values(), values(("edition", "lenient"))
    assert {name: (documents[name], lenient[name]) for name in BY_EDITION} == BY_EDITION
    changed = {name for name, value in lenient.items() if value != documents[name]}
    assert changed == {*BY_EDITION, "edition"}
    assert values(("edition", "documents")) == documents


@pytest.mark.parametrize("first", [True, False])
def test_a_venue_switch_set_by_name_overrides_the_api_edition(first: bool) -> None:
    named = [("client_ids", "strict"), ("push_names", "orders")]
    found = values(*([("edition", "lenient"), *named] if first else [*named, ("edition", "lenient")]))
    assert (found["client_ids"], found["push_names"], found["success_code"]) == ("strict", "orders", "family")


def test_help_lists_the_values_of_each_api_edition_switch() -> None:
    lines = {spec.name: spec.line for spec in ALL_SPECS}
    for name, (letter, lenient) in BY_EDITION.items():
        assert f"edition documents: {letter}, lenient: {lenient}" in lines[name]
    assert "edition" not in lines["latency"]


async def test_changing_the_api_edition_keeps_switches_set_by_name() -> None:
    async with inside(("client_ids", "strict"), ("pool_params", "required")) as venue:
        assert execute_line(venue.server, json.dumps({"set": {"edition": "lenient"}}).encode()) == ""
        core, shell = venue.exchange.queries.switches, venue.runtime.switches
        assert (core["client_ids"], core["reduce_only_scope"]) == ("strict", "leg")
        assert (shell["pool_params"], shell["success_code"]) == ("required", "family")
        assert execute_line(venue.server, json.dumps({"set": {"edition": "documents"}}).encode()) == ""
        assert (core["reduce_only_scope"], shell["success_code"]) == ("symbol", "documents")
        assert "it takes documents, lenient" in execute_line(venue.server, b'{"set": {"edition": "strict"}}')


@pytest.mark.parametrize("edition", ["documents", "lenient"])
async def test_rest_replies_differ_in_documented_and_lenient_edition(edition: str) -> None:
    lenient = edition == "lenient"
    async with inside(("agents", "still"), ("edition", edition)) as venue:
        code = (await venue.raw("GET", "/api/v1/tradeAccount/list"))[1]["code"]
        assert code == (200 if lenient else 200000)
        assert (await venue.raw("GET", "/api/v2/account/assets/overview"))[1]["code"] == 200
        [placed, named] = [
            (await venue.raw("POST", "/api/v1/trading/order", {**RESTING, **more}))[1]
            for more in ({}, {"clientOrderId": "Maker-7_a"})
        ]
        assert (placed["code"], named["code"]) == (200000, 200000 if lenient else 400000)
        [row] = [
            row
            for row in (await venue.data("GET", "/api/v1/trading/orders"))["list"]
            if row["orderId"] == placed["data"]["orderId"]
        ]
        assert ("action" in row, "actionMsg" in row) == (lenient, lenient)
        assert "action" in await venue.data("GET", "/api/v1/trading/order", {"orderId": row["orderId"]})
        assert (await venue.raw("GET", "/api/v1/trading/loan/pool"))[1]["code"] == (200000 if lenient else 400009)
        assert (await venue.raw("GET", "/api/v1/trading/loan/info"))[0] == (200 if lenient else 404)


@pytest.mark.parametrize("edition", ["documents", "lenient"])
async def test_stream_replies_differ_in_documented_and_lenient_edition(edition: str) -> None:
    lenient = edition == "lenient"
    async with inside(("agents", "still"), ("edition", edition)) as venue:
        nobody = venue.stranger()
        nobody._key = "nobody"
        async with nobody as client:
            assert (await client.login())["code"] == (60009 if lenient else 405001)
        async with venue.stranger() as client:
            assert (await client.login())["code"] == 0
            await client.ask("place_order", sym=PERP, side="BUY", orderType="MARKET", orderQty="0.01")
            orders = "Orders" if lenient else "orders"
            wanted = {orders, "Trades", "Assets", "Positions", "Accounts"}
            await client.until(lambda: wanted <= {push["channel"] for push in client.pushes})
            assert wanted == {push["channel"] for push in client.pushes}


@pytest.mark.parametrize("edition", ["documents", "lenient"])
async def test_editions_differ_in_fee_rows_a_sub_key_gets_by_default(edition: str) -> None:
    async with inside(("edition", edition)) as venue:
        main, sub = venue.keys["main"].portfolio, venue.keys["sub"].portfolio
        for path in ("/api/v1/broker/feeRate", "/api/v1/broker/sub/feeRate"):
            rows = await venue.data("GET", path, key="sub")
            assert {row["portfolioId"] for row in rows} == ({main, sub} if edition == "lenient" else {main})
            rows = await venue.data("GET", path, {"portfolio": sub}, key="sub")
            assert {row["portfolioId"] for row in rows} == {main, sub}


@pytest.mark.parametrize("edition", ["documents", "lenient"])
async def test_editions_differ_in_page_size_and_adl_of_a_delisted_pair(edition: str) -> None:
    lenient = edition == "lenient"
    async with inside(("edition", edition), ("delisted", PERP)) as venue:
        for path, short in (("/api/v1/custodytradingaccount/list", 20), ("/api/v1/trading/portfolio", 100)):
            assert (await venue.data("GET", path))["pageSize"] == (short if lenient else 1000)
        answer = (await venue.raw("GET", "/api/v1/adl/rank", {"sym": PERP}))[1]
        assert (answer["code"], answer["data"]) == ((200000, {"adlRanks": []}) if lenient else (401011, {}))
        assert (await venue.data("GET", "/api/v1/adl/rank"))["adlRanks"] == []


async def _hedged(venue: Inside, reduce_only: int) -> None:
    """Both legs of a pair, and reduce-only orders of the short one."""
    main = venue.keys["main"].portfolio

    def do(side: str, order_type: str, leg: str, price: str = "") -> None:
        command = PlaceOrder(
            portfolio=main, sym=PERP, side=side, order_type=order_type, order_qty="0.01", limit_price=price,
            position_side=leg,
        )  # fmt: skip
        replies: list[object] = []
        venue.runtime.execute(command, replies.append)
        assert isinstance(replies[0], PlaceReply), replies

    venue.runtime.execute(
        SetPositionMode(portfolio=main, exchange_type="BINANCE", position_mode="BOTH"), lambda _: None
    )
    do("BUY", "MARKET", "LONG")
    do("SELL", "MARKET", "SHORT")
    for number in range(reduce_only):
        price = f"{50000 + number}"
        do("BUY", "LIMIT", "SHORT", price)


@pytest.mark.parametrize("edition", ["documents", "lenient"])
async def test_editions_differ_in_ending_other_leg_orders_on_a_close(edition: str) -> None:
    """Of the pair they are all counted for 401129 and cancelled first; of the leg alone they stay."""
    async with inside(("agents", "still"), ("edition", edition)) as venue:
        await _hedged(venue, 3)
        before = (await venue.data("GET", "/api/v1/trading/orders"))["list"]
        assert {row["reduceOnly"] for row in before} == {True}
        await venue.data("DELETE", "/api/v1/trading/position", {"sym": PERP, "positionSide": "LONG"})
        left = (await venue.data("GET", "/api/v1/trading/orders"))["list"]
        assert len(left) == (3 if edition == "lenient" else 0)


@pytest.mark.parametrize("switch", ["listed", "absent"])
async def test_an_empty_portfolio_can_be_left_out_of_assets_by_config(switch: str) -> None:
    async with inside(("empty_portfolios", switch)) as venue:
        made = await venue.data("POST", "/api/v1/trading/portfolio", {"name": "Nothing7"})
        assets = await venue.data("GET", "/api/v1/user/asset")
        assert venue.keys["main"].portfolio in assets
        assert assets.get(str(made["portfolioId"])) == ([] if switch == "listed" else None)
