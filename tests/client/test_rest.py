"""REST: reads are repeated inside the limits, commands never; a failure is never an empty list."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import msgspec
import pytest
from aiohttp import web

from tests.client.fakes import FakeService, serving
from tests.hurried import clock_of_the_loop
from tui.client import rest as module
from tui.client.aiohttp_adapter import open_session
from tui.client.failover import FailoverSelector
from tui.client.rate_limiter import RateLimiter
from tui.client.rest import CallFailed, Rest
from tui.client.settings import Service, Timings
from tui.client.signer import Secret, Signer
from tui.host import HostConnector, SeededRandomSource
from tui.interface.errors import ErrorClass
from tui.interface.families.history import EXECUTIONS
from tui.interface.families.market import SYMBOL_INFO
from tui.interface.families.orders import CANCEL_ORDER, OPEN_ORDERS, ORDER_DETAIL, PLACE_ORDER
from tui.interface.families.positions import ADL_RANK, POSITIONS, SET_PERP_LEVERAGE
from tui.interface.families.transfers import RAPID_POOL

pytestmark = pytest.mark.hurried


@pytest.fixture
async def served(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[FakeService, Service]]:
    monkeypatch.setattr(module, "WAITS", (0.02, 0.02, 0.02))
    async with serving() as both:
        yield both


@pytest.fixture
def fake(served: tuple[FakeService, Service]) -> FakeService:
    return served[0]


def client(service: Service, session: Any, **changes: Any) -> Rest:
    clock = clock_of_the_loop()
    signer: Signer | None = changes.get("signer", Signer("key", Secret("secret"), clock))
    return Rest(
        service,
        failover=FailoverSelector(service, Timings(), clock),
        session=session,
        signer=signer,
        rate_limiter=RateLimiter(Timings(), clock),
        clock=clock,
        random_source=SeededRandomSource(1),
        timings=Timings(connect_timeout=0.5, read_timeout=0.5),
    )


@pytest.fixture
async def rest(served: tuple[FakeService, Service]) -> AsyncIterator[Rest]:
    _, service = served
    async with open_session(HostConnector((service.rest_url,), loopback_only=True)) as session:
        yield client(service, session)


async def test_rest_replies_are_decoded_into_records(fake: FakeService, rest: Rest) -> None:
    assert (await rest.call(SYMBOL_INFO)).data["BINANCE_PERP_BTC_USDT"].tick_size == "0.1"
    assert (await rest.call(ADL_RANK)).data.adl_ranks == []
    assert (await rest.call(POSITIONS)).data == []
    fake.rest({"clientOrderId": "a", "side": "BUY", "orderQty": "1"})
    rows, steady = await rest.read_all_pages(OPEN_ORDERS)
    assert [row.client_order_id for row in rows] == ["a"]
    assert steady


async def test_queries_use_url_parameters_and_commands_a_json_body(fake: FakeService, rest: Rest) -> None:
    await rest.call(OPEN_ORDERS, {"sym": "A B+/é", "page": "1", "begin": ""})
    assert fake.calls[-1] == ("GET", "/api/v1/trading/orders", {"sym": "A B+/é", "page": "1"})
    fake.rest({"clientOrderId": "a", "side": "BUY", "orderQty": "1"})
    await rest.call(CANCEL_ORDER, {"clientOrderId": "a"})
    assert fake.calls[-1] == ("DELETE", "/api/v1/trading/order", {"clientOrderId": "a"})


async def test_a_failed_query_is_never_an_empty_list(fake: FakeService, rest: Rest) -> None:
    with pytest.raises(CallFailed) as caught:
        await rest.call(ORDER_DETAIL, {"clientOrderId": "nobody"})
    assert caught.value.kind is ErrorClass.GONE


@pytest.mark.parametrize("status", [500, 503, 429])
async def test_queries_are_tried_four_times_and_commands_once(fake: FakeService, rest: Rest, status: int) -> None:
    fake.refuse_rest = lambda path: web.Response(status=status, text="<html>")
    with pytest.raises(CallFailed):
        await rest.call(POSITIONS)
    assert len(fake.calls) == 4
    with pytest.raises(CallFailed) as caught:
        await rest.call(PLACE_ORDER, {"clientOrderId": "a"})
    assert len(fake.calls) == 5
    assert caught.value.unsure


@pytest.mark.parametrize("method", [CANCEL_ORDER, PLACE_ORDER])
async def test_i1_a_broken_connection_never_resends_a_command(fake: FakeService, rest: Rest, method: Any) -> None:
    await rest.call(POSITIONS)

    def die(path: str) -> web.Response | None:
        raise ConnectionResetError

    fake.refuse_rest = die
    with pytest.raises(CallFailed) as caught:
        await rest.call(method, {"clientOrderId": "a"})
    assert caught.value.unsure
    assert len([one for one in fake.calls if one[0] == method.method]) == 1


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (302, "", ErrorClass.BUG),
        (404, "", ErrorClass.BUG),
        (407, "<html>proxy", ErrorClass.BUG),
        (200, "<html>portal", ErrorClass.UNSURE),
        (502, "bad gateway", ErrorClass.UNSURE),
        (200, '{"code":200000,"data":null}', ErrorClass.UNSURE),
        (500, '{"code":200000,"data":[]}', ErrorClass.UNSURE),
        (200, '{"code":"405001","message":"no key","data":{}}', ErrorClass.CRED),
    ],
    ids=[
        "F58 redirect",
        "404",
        "F58 proxy",
        "F58 portal",
        "F58 gateway",
        "F38 no data",
        "F39 contradiction",
        "F66 key",
    ],
)
async def test_a_failed_query_is_classified_by_status_and_body(
    fake: FakeService, rest: Rest, status: int, body: str, kind: ErrorClass
) -> None:
    headers = {"Location": "http://127.0.0.1:1/elsewhere"} if status == 302 else {}
    fake.refuse_rest = lambda path: web.Response(
        status=status, body=body.encode(), headers=headers, content_type="text/html"
    )
    with pytest.raises(CallFailed) as caught:
        await rest.call(POSITIONS, attempts=1)
    assert caught.value.kind is kind


async def test_a_refused_connection_proves_a_command_was_not_sent(rest: Rest) -> None:
    service = Service(rest_url="http://127.0.0.1:1", private_ws_url="", public_ws_url="")
    with pytest.raises(CallFailed) as caught:
        await client(service, rest._session).call(PLACE_ORDER, {"clientOrderId": "a"})
    assert not caught.value.unsure
    assert "cannot connect" in str(caught.value)


async def test_without_a_key_no_signed_call_is_sent(fake: FakeService, rest: Rest) -> None:
    unsigned = client(rest._service, rest._session, signer=None)
    with pytest.raises(CallFailed) as caught:
        await unsigned.call(POSITIONS)
    assert caught.value.kind is ErrorClass.CRED
    assert not fake.calls


async def test_a_command_over_the_rate_limit_is_denied_and_not_queued(fake: FakeService, rest: Rest) -> None:
    for _ in range(PLACE_ORDER.limit.count):
        rest._rate_limiter.count(PLACE_ORDER.key)
    with pytest.raises(CallFailed) as caught:
        await rest.call(PLACE_ORDER, {"clientOrderId": "a"})
    assert caught.value.kind is ErrorClass.RATE
    assert not caught.value.unsure
    assert not fake.calls


async def test_s23_equal_commands_are_never_signed_in_the_same_second(fake: FakeService, rest: Rest) -> None:
    """The nonce counts seconds: the same command twice in one would be the same bytes, which is a replay."""
    fake.refuse_rest = lambda path: web.json_response({"code": 200000, "message": "Success", "data": {}})
    for _ in range(2):
        await asyncio.gather(
            *(
                rest.call(SET_PERP_LEVERAGE, {"sym": sym, "leverage": "5"})
                for sym in ("BINANCE_PERP_BTC_USDT", "OKX_PERP_BTC_USDT")
            )
        )
    signatures = [headers["signature"] for headers in fake.headers]
    assert (len(signatures), len(set(signatures))) == (4, 4)


async def test_path_words_of_a_profile_replace_whole_path_segments(fake: FakeService, rest: Rest) -> None:
    service = Service(
        rest_url=rest._service.rest_url, private_ws_url="", public_ws_url="", path_words={"trading": "dealing"}
    )
    with pytest.raises(CallFailed):
        await client(service, rest._session).call(EXECUTIONS, attempts=1)
    assert fake.calls[-1][1] == "/api/v1/dealing/executions"


async def test_value_words_translate_values_in_calls_and_replies(fake: FakeService, rest: Rest) -> None:
    fake.refuse_rest = lambda path: web.Response(
        body=b'{"code":200,"message":"success","data":{"pool":"Wallet","currency":"USDT","available":"1.50"}}',
        content_type="application/json",
    )
    service = Service(
        rest_url=rest._service.rest_url, private_ws_url="", public_ws_url="", value_words={"FUNDING": "Wallet"}
    )
    reply = await client(service, rest._session).call(RAPID_POOL, {"pool": "FUNDING"}, attempts=1)
    assert fake.calls[-1][2]["pool"] == "Wallet"
    assert reply.data.pool == "FUNDING" and str(reply.data.available) == "1.50"


async def test_f51_an_endless_rest_reply_is_cut_off(fake: FakeService, rest: Rest) -> None:
    fake.refuse_rest = lambda path: web.Response(body=b" " * (9 * 1024 * 1024))
    with pytest.raises(CallFailed, match="8 MiB"):
        await rest.call(POSITIONS, attempts=1)


class Forms:
    """Reads the parameters of a DELETE at one place only."""

    def __init__(self, fake: FakeService, place: str, code: int = 2000) -> None:
        self.seen: list[str] = []
        self._place, self._code = place, code
        fake.call = self.call  # type: ignore[method-assign]

    async def call(self, request: web.Request) -> web.StreamResponse:
        place = "query" if request.query else "body" if await request.text() else "none"
        self.seen.append(place)
        if place != self._place:
            return web.json_response({"code": self._code, "message": "API verification failed", "data": {}})
        return web.json_response({"code": 200000, "message": "Success", "data": {"orderId": "2000000000000001"}})


@pytest.fixture
async def forms(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Any]:
    """Makes a client of a service that reads DELETE parameters at one place."""
    async with AsyncExitStack() as stack:

        async def make(place: str, code: int = 2000, **settings: Any) -> tuple[Forms, Rest]:
            fake = FakeService()
            reader = Forms(fake, place, code)
            service = msgspec.structs.replace(await fake.start(), **settings)
            stack.push_async_callback(fake.stop)
            session = await stack.enter_async_context(
                open_session(HostConnector((service.rest_url,), loopback_only=True))
            )
            return reader, client(service, session)

        yield make


@pytest.mark.parametrize("code", [2000, 400000, 400007, 400009])
async def test_a_refused_delete_body_becomes_a_url_query_from_then_on(forms: Any, code: int) -> None:
    reader, rest = await forms("query", code)
    for number in range(3):
        await rest.call(CANCEL_ORDER, {"clientOrderId": f"a{number}"})
    assert reader.seen == ["body", "query", "query", "query"]


async def test_a_service_that_reads_delete_bodies_gets_no_url_query(forms: Any) -> None:
    reader, rest = await forms("body")
    await rest.call(CANCEL_ORDER, {"clientOrderId": "a"})
    reader._place = "none"
    with pytest.raises(CallFailed):
        await rest.call(CANCEL_ORDER, {"clientOrderId": "b"})
    assert reader.seen == ["body", "body"]


@pytest.mark.parametrize("code", [400008, 400010, 400011, 401018, 50001, 2002, 405001, 7000, 999999])
async def test_a_delete_is_retried_as_query_only_for_a_form_error(forms: Any, code: int) -> None:
    reader, rest = await forms("none", code)
    with pytest.raises(CallFailed) as caught:
        await rest.call(CANCEL_ORDER, {"clientOrderId": "a"})
    assert (caught.value.code, reader.seen) == (code, ["body"])


async def test_every_delete_tries_body_and_query_if_both_are_refused(forms: Any) -> None:
    reader, rest = await forms("none")
    for number in range(2):
        with pytest.raises(CallFailed) as caught:
            await rest.call(CANCEL_ORDER, {"clientOrderId": f"a{number}"})
        assert (caught.value.code, caught.value.unsure) == (2000, False)
    assert reader.seen == ["body", "query"] * 2


@pytest.mark.parametrize("place", ["body", "query"])
async def test_a_profile_can_choose_body_or_query_for_delete_calls(forms: Any, place: str) -> None:
    reader, rest = await forms("none", delete_params=place)
    with pytest.raises(CallFailed):
        await rest.call(CANCEL_ORDER, {"clientOrderId": "a"})
    assert reader.seen == [place]
