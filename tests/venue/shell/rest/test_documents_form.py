"""Where the documents and the settled form differ, a switch of the venue takes the documents' form, and our client copes."""

from __future__ import annotations

import asyncio

import pytest

from tests.venue.shell.inside import inside
from tui.client.aiohttp_adapter import open_session
from tui.client.failover import FailoverSelector
from tui.client.rate_limiter import RateLimiter
from tui.client.rest import Rest
from tui.client.settings import Service, Timings
from tui.client.signer import Secret, Signer
from tui.host import HostClock, HostConnector, SeededRandomSource
from tui.interface.families.history import EXECUTIONS, STATEMENT
from tui.interface.families.system import SYSTEM_STATUS

PERP = "BINANCE_PERP_BTC_USDT"
ORDER = {"sym": PERP, "side": "BUY", "orderType": "MARKET", "orderQty": "0.01"}


@pytest.mark.parametrize("name", ["documents", "Orders", "orders"])
async def test_push_channel_names_follow_the_venue_switch(name: str) -> None:
    async with inside(("agents", "still"), ("push_names", name)) as venue, venue.stranger() as client:
        await client.login()
        await client.ask("place_order", **ORDER)
        names = ["orders" if name == "documents" else "Orders", "Trades", "Positions", "Assets", "Accounts"]
        wanted = {one.lower() for one in names} if name == "orders" else set(names)
        await client.until(lambda: wanted <= {push["channel"] for push in client.pushes})
        assert wanted == {push["channel"] for push in client.pushes if push["channel"] != "pong"}


@pytest.mark.parametrize("code", ["60009", "405001"])
async def test_login_error_code_of_an_unknown_key_follows_the_switch(code: str) -> None:
    async with inside(("login_unknown_key", code)) as venue:
        stranger = venue.stranger()
        stranger._key = "nobody"
        async with stranger as client:
            assert (await client.login())["code"] == int(code)


@pytest.mark.parametrize(("form", "code"), [("family", 200), ("documents", 200000)])
async def test_success_code_of_replies_follows_the_venue_switch(form: str, code: int) -> None:
    async with inside(("success_code", form)) as venue:
        assert (await venue.raw("GET", SYSTEM_STATUS.path))[1]["code"] == code


async def test_loan_pool_parameters_can_be_required_by_config() -> None:
    path = "/api/v1/trading/loan/pool"
    async with inside(("pool_params", "required")) as venue:
        for params in ({}, {"exchange": "BINANCE"}, {"asset": "BTC"}):
            assert (await venue.raw("GET", path, params))[1]["code"] == 400009
        assert (await venue.raw("GET", path, {"exchange": "BINANCE", "asset": "BTC"}))[1]["code"] == 200000


@pytest.mark.parametrize("form", ["both", "documents"])
async def test_client_reads_pages_by_documented_parameter_names(form: str) -> None:
    async with inside(("agents", "still"), ("page_names", form)) as venue, venue.stranger() as stranger:
        await stranger.login()
        for _ in range(4):
            await stranger.ask("place_order", **ORDER)
        await stranger.until(lambda: sum(push["channel"] == "Trades" for push in stranger.pushes) >= 4)
        base = f"http://127.0.0.1:{venue.port}"
        service, clock, timings = (
            Service(rest_url=base, private_ws_url=base, public_ws_url=base),
            HostClock(),
            Timings(),
        )
        key = venue.keys["main"]
        async with open_session(HostConnector((base,), loopback_only=True)) as session:
            rest = Rest(
                service,
                failover=FailoverSelector(service, timings, clock),
                session=session,
                signer=Signer(key.api_key, Secret(key.api_secret), clock),
                rate_limiter=RateLimiter(timings, clock),
                clock=clock,
                random_source=SeededRandomSource(1),
                timings=timings,
            )
            pages = [(await rest.call(STATEMENT, {"page": page, "pageSize": "2"})).data for page in ("1", "2")]
            ids = [[row.statement_id for row in page.rows] for page in pages]
            assert len(ids[0]) == len(ids[1]) == 2
            assert not set(ids[0]) & set(ids[1])
            assert len((await rest.call(EXECUTIONS, {"limit": "3"})).data) == 3
    await asyncio.sleep(0)


async def test_removed_endpoints_can_be_served_in_their_old_shape() -> None:
    paths = ("/api/v1/trading/loan/info", "/api/v1/trading/coin/discount", "/api/v1/interest/user")
    async with inside(("serve_removed", "false")) as venue:
        assert [(await venue.raw("GET", path))[0] for path in paths] == [404] * 3
    async with inside(("serve_removed", "true")) as venue:
        tiers, discounts, rates = [(await venue.raw("GET", path))[1] for path in paths]
    assert set(tiers["data"][0]) == {"exchangeType", "coin", "tier", "minSize", "maxSize", "mmRate", "maxLeverage"}
    assert set(discounts["data"][0]) == {"coin", "discount"}
    assert "code" not in rates
    row = rates["BINANCE"][0]
    assert set(row) == {"level", "exchangeType", "coin", "hourInterestRate", "loanLimit", "updateTime"}
    assert 1_000_000_000 < row["updateTime"] < 10_000_000_000
