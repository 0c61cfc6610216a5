"""The watch over a workstation: what counts as dead, and whose orders end then."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.simulation.harness.day import SYM, Day
from tests.simulation.harness.network import Wire
from tests.venue.shell.conftest import Venue
from tests.venue.walk.reading import call_without_limits
from tui.cli.commands.watchdog import Watchdog, cancel_over_rest
from tui.client.settings import Service
from tui.engine.watchdog import BYE, EndReason, WatchdogSetup, WatchResult, cancel_ours, watch
from tui.host import HostClock, OrderIds, order_id_time
from tui.interface.families.orders import PlaceOrder

ORDER = "/api/v1/trading/order"
OPEN = "/api/v1/trading/orders"


def charge(service: Service | None = None, **changes: object) -> WatchdogSetup:
    nowhere = Service(rest_url="", private_ws_url="", public_ws_url="")
    first = WatchdogSetup(
        service=service or nowhere, key="k", secret="s", portfolio="p", prefix="cdours", silence=60, grace=60
    )
    return msgspec.structs.replace(first, **changes)


def now() -> str:
    return "5"


class Pipe:
    """Lines that a test feeds."""

    def __init__(self, *lines: bytes) -> None:
        self._lines: asyncio.Queue[bytes] = asyncio.Queue()
        self.feed(*lines)

    def feed(self, *lines: bytes) -> None:
        for line in lines:
            self._lines.put_nowait(line)

    async def line(self) -> bytes:
        return await self._lines.get()


async def test_watchdog_cancels_nothing_after_a_normal_program_end() -> None:
    said: list[str] = []
    assert await watch(Pipe(b"\n", b"\n", BYE + b"\n", b"").line, charge(), said.append, now) == WatchResult(
        EndReason.BYE
    )
    assert said == []


async def test_a_closed_pipe_without_goodbye_means_the_program_died() -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    assert await watch(Pipe(b"\n", b"").line, charge(grace=0.2), lambda _: None, now) == WatchResult(
        EndReason.DEAD, "5"
    )
    assert loop.time() - began >= 0.2


async def test_missing_heartbeats_mean_the_program_died() -> None:
    pipe = Pipe(b"\n")

    def say(text: str) -> None:
        said.append(text)
        if "no sign" in text:
            pipe.feed(b"\n", BYE)

    said: list[str] = []
    assert await watch(pipe.line, charge(silence=0.02), say, now) == WatchResult(EndReason.BYE)
    assert said == ["no sign of life for 0.02 s", "it lives again"]
    assert await watch(Pipe().line, charge(silence=0.02, grace=0.02), lambda _: None, now) == WatchResult(
        EndReason.DEAD, "5"
    )


async def test_a_goodbye_within_the_grace_period_is_a_normal_end() -> None:
    """A program that stood still and was then left had its orders cancelled, whatever its trader had chosen."""
    pipe = Pipe(b"\n")

    def say(text: str) -> None:
        said.append(text)
        pipe.feed(BYE + b"\n", b"")

    said: list[str] = []
    assert await watch(pipe.line, charge(silence=0.02, grace=5), say, now) == WatchResult(EndReason.BYE)
    assert said == ["no sign of life for 0.02 s"]


async def test_watchdog_takes_the_latest_time_seen_as_the_crash_time() -> None:
    """Set back by the machine, it must not spare what was placed before."""
    times = iter("3952222")
    ended = await watch(Pipe(b"\n", b"\n", b"").line, charge(grace=0.0), lambda _: None, lambda: next(times))
    assert ended == WatchResult(EndReason.DEAD, "9")


async def test_watchdog_spares_orders_placed_after_the_crash(venue: Venue) -> None:
    """Ids sort by their time: what was made after the death is another life's."""
    key = venue.ready["keys"][0]
    clock = HostClock()
    ids = OrderIds(clock, "ours00", 0, lambda bound: None)
    body = {"sym": "BINANCE_PERP_BTC_USDT", "side": "BUY", "orderType": "LIMIT", "timeInForce": "GTC"}
    before = ids.client_order_id()
    died = order_id_time(clock)
    after = ids.client_order_id()
    for mark in (before, after):
        venue.data("POST", ORDER, {**body, "orderQty": "0.01", "limitPrice": "40000", "clientOrderId": mark})
    service = Service(
        rest_url=venue.ready["rest_url"],
        private_ws_url=venue.ready["private_ws_url"],
        public_ws_url=venue.ready["public_ws_url"],
    )
    told = charge(
        service, key=key["api_key"], secret=key["api_secret"], portfolio=key["portfolioId"], prefix="cdours00"
    )
    assert await cancel_over_rest(told, lambda _: None, died) == 0
    assert _open(venue) == {after}


@pytest.fixture
def venue() -> Iterator[Venue]:
    found = Venue(
        "--seed", "7", "--set", "latency=test", "--set", "agents=still", "--set", "rate_profile=off", "--control"
    )
    yield found
    found.stop()


@pytest.mark.parametrize("form", ["body_only", "query_only"])
async def test_watchdog_cancels_whether_delete_reads_body_or_query(venue: Venue, form: str) -> None:
    """A venue that reads queries alone refused every cancel of the watchdog."""
    key = venue.ready["keys"][0]
    for mark in ("cdours0000000001", "cdours0000000002"):
        body = {"sym": "BINANCE_PERP_BTC_USDT", "side": "BUY", "orderType": "LIMIT", "timeInForce": "GTC"}
        venue.data("POST", ORDER, {**body, "orderQty": "0.01", "limitPrice": "40000", "clientOrderId": mark})
    service = Service(
        rest_url=venue.ready["rest_url"],
        private_ws_url=venue.ready["private_ws_url"],
        public_ws_url=venue.ready["public_ws_url"],
    )
    venue.set("delete_params", form)
    told = charge(service, key=key["api_key"], secret=key["api_secret"], portfolio=key["portfolioId"])
    assert await cancel_over_rest(told, lambda _: None, "zzzzzzzzzz") == 0
    assert _open(venue) == set()


async def test_watchdog_cancels_only_orders_of_this_installation(venue: Venue) -> None:
    key = venue.ready["keys"][0]
    for mark in ("cdours0000000001", "cdours0000000002", "cdelse0000000003"):
        body = {"sym": "BINANCE_PERP_BTC_USDT", "side": "BUY", "orderType": "LIMIT", "timeInForce": "GTC"}
        venue.data("POST", ORDER, {**body, "orderQty": "0.01", "limitPrice": "40000", "clientOrderId": mark})
    service = Service(
        rest_url=venue.ready["rest_url"],
        private_ws_url=venue.ready["private_ws_url"],
        public_ws_url=venue.ready["public_ws_url"],
    )
    said: list[str] = []
    told = charge(service, key=key["api_key"], secret=key["api_secret"], portfolio=key["portfolioId"])
    assert await cancel_over_rest(told, said.append, "zzzzzzzzzz") == 0
    assert _open(venue) == {"cdelse0000000003"}
    assert sorted(said) == [f"cancel of cdours000000000{n}: accepted" for n in (1, 2)]


async def test_watchdog_reports_a_service_that_does_not_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.engine.watchdog.ROUNDS", 1)
    monkeypatch.setattr("tui.engine.watchdog.PAUSE_S", 0.0)
    monkeypatch.setattr("tui.client.rest.Rest._retry_in", lambda *_: 0.0)
    call_without_limits(monkeypatch)
    gone = Service(rest_url="http://127.0.0.1:9", private_ws_url="", public_ws_url="")
    said: list[str] = []
    assert await cancel_over_rest(charge(gone), said.append, "zzzzzzzzzz") > 0
    assert [line.split(" cannot be read")[0] for line in said] == [
        "open orders",
        "stops, targets and conditional orders",
    ]


async def test_the_program_notices_a_watchdog_that_fired_or_died(venue: Venue, tmp_path: Path) -> None:
    key = venue.ready["keys"][0]
    service = Service(rest_url=venue.ready["rest_url"], private_ws_url="", public_ws_url="")
    nervous = charge(
        service, key=key["api_key"], secret=key["api_secret"], portfolio=key["portfolioId"], silence=0.2, grace=0.1
    )
    fired = Watchdog(nervous, tmp_path / "fired.log", HostClock())
    assert fired.send_heartbeat() == ""
    fired._process.wait(timeout=20)
    assert "took this workstation for dead and cancelled its orders; now nothing cancels" in fired.send_heartbeat()
    died = Watchdog(charge(service), tmp_path / "died.log", HostClock())
    assert died.send_heartbeat() == ""
    died._process.kill()
    died._process.wait(timeout=20)
    assert "has ended (exit -9): nothing cancels your orders if this workstation dies" in died.send_heartbeat()
    died.dismiss()


def test_a_watchdog_message_is_shown_once_and_stays() -> None:
    told = ""
    desk = Day()
    desk.engine.monitors.watchdog.heartbeat = lambda: told

    async def day() -> None:
        nonlocal told
        await desk.in_step()
        assert desk.desk_row.watchdog_error == ""
        told = "the watchdog has ended"
        await desk.until(lambda: desk.desk_row.watchdog_error == told)
        await asyncio.sleep(10)
        assert desk.said("the watchdog has ended") == 1
        told = ""
        await desk.until(lambda: desk.desk_row.watchdog_error == "")
        assert desk.said("the watchdog listens again") == 1

    desk.run(day)


@pytest.mark.parametrize("count", [2, 10, 50])
def test_all_cancels_of_the_watchdog_leave_at_once(count: int) -> None:
    day = Day()
    sent: list[float] = []
    answers_s = 0.5

    def note(_wire: Wire, way: str, data: bytes) -> None:
        if way == "out" and data.startswith(f"DELETE {ORDER}".encode()):
            sent.append(day.clock.mono())

    def slow(wire: Wire, way: str, data: bytes) -> bool:
        if way == "in" and b"/api/" in wire.target:
            wire.client._loop.call_later(answers_s, wire.client.receive, data)
        return way == "in" and b"/api/" in wire.target

    async def dies(_: Day) -> None:
        for number in range(count):
            day.elsewhere(
                PlaceOrder(
                    portfolio=day.portfolio, sym=SYM, side="BUY", order_type="LIMIT", time_in_force="GTC",
                    order_qty="0.01", limit_price="40000", client_order_id=f"cdours{number:010}",
                )
            )  # fmt: skip
        day.network.writes.append(note)
        day.network.filters.append(slow)
        assert day.engine.session is not None
        said: list[str] = []
        rest = day.engine.session.connections.rest
        assert await cancel_ours(rest, charge(portfolio=day.portfolio), said.append, "zzzzzzzzzz") == 0
        print(f"watchdog, {count} orders: the last cancel {(sent[-1] - sent[0]) * 1000:.1f} ms after the first")
        assert len(sent) == count and sent[-1] - sent[0] < answers_s / 10, said

    day.play(dies)


def _open(venue: Venue) -> set[str]:
    return {row["clientOrderId"] for row in venue.data("GET", OPEN)["list"]}


async def test_watchdog_cancels_entries_and_keeps_protective_orders(venue: Venue) -> None:
    """With nobody at the desk a position needs its stop and its reduce-only orders most."""
    key = venue.ready["keys"][0]
    body = {"sym": "BINANCE_PERP_BTC_USDT", "side": "BUY", "orderType": "MARKET", "orderQty": "0.01"}
    triggers = {
        "tpTriggerPrice": "70000",
        "tpTriggerType": "LAST_PRICE",
        "slTriggerPrice": "55000",
        "slTriggerType": "LAST_PRICE",
    }
    for mark in ("cdours0000000001", "cdelse0000000002"):
        venue.data("POST", ORDER, {**body, **triggers, "clientOrderId": mark})
    own = {
        "algoOrderType": "TPSL",
        "conditionType": "CONDITIONAL",
        "sym": body["sym"],
        "side": "BUY",
        "orderQty": "0.01",
    }
    own |= {"conditionalTriggerPrice": "70000", "clientOrderId": "cdours0000000003"}
    venue.data("POST", "/api/v1/algo/order", own)
    reducing = {"sym": body["sym"], "side": "SELL", "orderType": "LIMIT", "timeInForce": "GTC", "orderQty": "0.01"}
    reducing |= {"limitPrice": "69000", "reduceOnly": "true", "clientOrderId": "cdours0000000004"}
    venue.data("POST", ORDER, reducing)
    while len(_open_algos(venue)) < 3:
        await asyncio.sleep(0.05)
    service = Service(
        rest_url=venue.ready["rest_url"],
        private_ws_url=venue.ready["private_ws_url"],
        public_ws_url=venue.ready["public_ws_url"],
    )
    said: list[str] = []
    told = charge(service, key=key["api_key"], secret=key["api_secret"], portfolio=key["portfolioId"])
    assert await cancel_over_rest(told, said.append, "zzzzzzzzzz") == 0
    assert len(_open_algos(venue)) == 2, "the stops of both orders"
    assert said[0] == "1 algo orders are open"
    assert _open(venue) == {"cdours0000000004"}


def _open_algos(venue: Venue) -> list[str]:
    return [one["algoOrderId"] for one in venue.data("GET", "/api/v1/algo/openOrders")["list"]]
