"""What `docs/venue.md` says in its tables of cases, asked of a venue."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from websockets.sync.client import connect

from tests.venue import examples
from tests.venue.core.drive import Desk
from tests.venue.examples import RESTING, STOP, SYM, TRADING, Stream, log_in, open_stream
from tests.venue.shell.conftest import STILL, Venue
from tui.interface.decimals import half_up, plain
from tui.venue.core.events import QuoteChanged

ETHER = "BINANCE_PERP_ETH_USDT"
NEAR = {"sym": SYM, "side": "BUY", "orderType": "LIMIT", "orderQty": "0.01", "limitPrice": "55000"}


@pytest.fixture
def stream(venue: Venue) -> Iterator[Stream]:
    with open_stream(venue.ready["private_ws_url"]) as stream:
        log_in(venue, stream)
        yield stream


def states(stream: Stream, client_order_id: str, last: str) -> list[tuple[str, str]]:
    """States and reasons that are pushed of an order until the last one; every push is newer than the one before."""
    rows: list[dict[str, Any]] = []
    while not rows or rows[-1]["orderState"] != last:
        rows.append(stream.order(client_order_id)["data"])
    times = [int(row["updateAt"]) for row in rows]
    assert times == sorted(set(times))
    return [(row["orderState"], row["cancelType"]) for row in rows]


@pytest.mark.parametrize(
    ("name", "args", "ends"),
    [
        ("rests", RESTING, ("OPEN", "")),
        ("crosses", {**RESTING, "limitPrice": "70000"}, ("REJECT", "SYSTEM")),
        ("ioc", {**NEAR, "timeInForce": "IOC"}, ("CANCELLED", "EXPIRE")),
        ("fok", {**NEAR, "timeInForce": "FOK"}, ("CANCELLED", "EXPIRE")),
    ],
)
def test_an_accepted_order_is_pushed_as_new_then_its_end_state(
    stream: Stream, name: str, args: dict[str, str], ends: tuple[str, str]
) -> None:
    assert stream.act("place_order", **args, clientOrderId=name)[1]["code"] == 200000
    assert states(stream, name, ends[0]) == [("NEW", ""), ends]


def test_a_reduce_only_order_is_cut_at_the_position_size(stream: Stream) -> None:
    sell = {"sym": ETHER, "side": "SELL", "orderType": "MARKET", "reduceOnly": "true"}
    assert stream.act("place_order", **sell)[1]["code"] == 400009
    assert stream.act("place_order", **sell, orderQty="0")[1]["code"] == 401005
    assert stream.act("place_order", **sell, orderQty="0.01")[1]["code"] == 401903
    stream.act("place_order", **{**TRADING, "sym": ETHER}, clientOrderId="opens")
    stream.order("opens", orderState="FILLED")
    assert stream.act("place_order", **sell, orderQty="1", clientOrderId="closes")[1]["code"] == 200000
    assert states(stream, "closes", "CANCELLED")[-1] == ("CANCELLED", "REDUCE_ONLY")


def test_a_failed_replace_keeps_the_order_unless_it_would_cross(stream: Stream) -> None:
    stream.act("place_order", **RESTING, clientOrderId="stays")
    assert stream.act("replace_order", clientOrderId="stays", replacePrice="55000.05")[1]["code"] == 401015
    row = stream.order("stays", action="AMEND_FAILED")["data"]
    assert (row["orderState"], row["limitPrice"], row["actionMsg"][:6]) == ("OPEN", "55000", "401015")
    stream.act("replace_order", clientOrderId="stays", replacePrice="70000")
    assert stream.order("stays", action="AMEND_FAILED")["data"]["orderState"] == "CANCELLED"


def test_a_fill_push_keeps_the_amend_completed_action(stream: Stream) -> None:
    stream.act("place_order", **NEAR, clientOrderId="word")
    stream.act("replace_order", clientOrderId="word", replacePrice="61777.2")
    assert stream.order("word", orderState="FILLED")["data"]["action"] == "AMEND_COMPLETED"


def test_replace_to_an_already_filled_quantity_ends_the_order(stream: Stream) -> None:
    stream.act("place_order", **{**NEAR, "limitPrice": "61777.2", "orderQty": "9"}, clientOrderId="part")
    part = stream.order("part", orderState="PARTIALLY_FILLED")["data"]["executedQty"]
    stream.act("replace_order", clientOrderId="part", replaceQty=part)
    row = stream.order("part", orderState="CANCELLED")["data"]
    assert (row["action"], row["executedQty"]) == ("AMEND_COMPLETED", part)


def test_an_order_that_would_meet_an_own_order_is_cancelled(stream: Stream) -> None:
    stream.act("place_order", **{**NEAR, "limitPrice": "61777.1"}, clientOrderId="older")
    stream.act("place_order", **{**NEAR, "side": "SELL", "limitPrice": "61777", "orderQty": "9"}, clientOrderId="newer")
    assert stream.order("newer", orderState="CANCELLED")["data"]["reason"] == "self trade"


def test_cancel_orders_takes_id_lists_and_leaves_algo_orders(venue: Venue, stream: Stream) -> None:
    for name in ("first", "second", "third"):
        stream.act("place_order", **RESTING, clientOrderId=name)
    assert stream.act("cancel_orders", clientOrderIds="first,second")[1]["code"] == 200000
    stream.order("second", orderState="CANCELLED")
    stream.act("place_order", **{**TRADING, "sym": ETHER}, clientOrderId="held")
    stream.order("held", orderState="FILLED")
    stop = {**STOP, "sym": ETHER, "slTriggerPrice": "2400", "clientOrderId": "guard"}
    venue.data("POST", "/api/v1/algo/order", stop)
    rows = venue.data("GET", "/api/v1/trading/orders")["list"]
    assert [row["clientOrderId"] for row in rows] == ["third"]
    stream.act("cancel_orders")
    stream.order("third", orderState="CANCELLED")
    rows = venue.data("GET", "/api/v1/algo/openOrders")["list"]
    assert [row["clientOrderId"] for row in rows] == ["guard"]


def test_executions_are_newest_first_with_inclusive_time_bounds(venue: Venue, stream: Stream) -> None:
    for number in range(3):
        stream.act("place_order", **TRADING, clientOrderId=f"fill{number}")
        stream.order(f"fill{number}", orderState="FILLED")
        filled_ms = time.time_ns() // 1_000_000
        while time.time_ns() // 1_000_000 <= filled_ms:
            pass  # the next fill has a time of its own
    path = "/api/v1/trading/executions"
    rows = venue.data("GET", path)
    times = [int(row["createAt"]) for row in rows]
    places = [(int(row["createAt"]), int(row["transactionId"])) for row in rows]
    assert places == sorted(places, key=lambda place: place[1], reverse=True) == sorted(places, reverse=True)
    bounded = venue.data("GET", path, {"begin": str(times[1]), "end": str(times[0])})
    assert bounded == [row for row in rows if int(row["createAt"]) >= times[1]]
    assert venue.data("GET", path, {"begin": str(times[-1]), "limit": "2"}) == rows[:2]
    assert venue.call("GET", path, {"limit": "1001"})[1]["code"] == 400007


def test_a_new_account_is_in_one_way_mode(venue: Venue) -> None:
    rows = venue.data("GET", "/api/v1/trading/account")
    assert {row["positionMode"] for row in rows} == {"NET"}


def test_best_quote_of_an_empty_side_is_zero(start: Callable[..., Venue]) -> None:
    venue = start("--set", "agents=off", "--set", "past=off")
    with connect(venue.ready["public_ws_url"] + "?binary=false") as socket:
        socket.send(json.dumps({"event": "subscribe", "arg": [{"channel": "BBO", "sym": SYM}]}))
        quote = Stream(socket).market("BBO")["data"]
    assert [quote[name] for name in ("bid", "bidqty", "ask", "askqty")] == ["0"] * 4


def test_a_subscription_sends_the_current_quote_at_once(start: Callable[..., Venue]) -> None:
    venue = start(*STILL, "--set", f"market_fault=silence:{SYM}")
    with open_stream(venue.ready["public_ws_url"] + "?binary=false") as public:
        quotes = []
        for name in ("before", "behind"):
            public.send({"event": "subscribe", "arg": [{"channel": "BBO", "sym": SYM}]})
            quotes.append(public.market("BBO")["data"])
            venue.data("POST", "/api/v1/trading/order", {**TRADING, "clientOrderId": name})
    sizes = [Decimal(quote["askqty"]) for quote in quotes]
    assert sizes[0] - sizes[1] == Decimal(TRADING["orderQty"])


def test_quotes_of_an_active_market_update_within_a_second() -> None:
    desk, times = Desk(agents="on"), dict[str, list[int]]()
    for _ in range(40):
        desk.wait(1000)
        for event in desk.events:
            if isinstance(event, QuoteChanged):
                times.setdefault(event.sym, []).append(event.ts)
    gaps = {sym: [later - one for one, later in pairwise(found)] for sym, found in times.items()}
    assert min(min(found) for found in gaps.values()) >= 0
    assert max(max(found) for found in gaps.values()) < 10_000
    assert all(max(gaps[sym]) < 1000 for sym in (SYM, ETHER))


def test_actions_of_a_stream_run_in_order_even_after_it_closes(start: Callable[..., Venue]) -> None:
    venue = start("--seed", "7", "--set", "past=off", "--set", "agents=still", "--set", "latency=bad")
    path = "/api/v1/trading/order"
    with open_stream(venue.ready["private_ws_url"]) as private:
        log_in(venue, private)
        private.send({"id": "lost", "action": "place_order", "args": {**RESTING, "clientOrderId": "lost"}})
        assert private.act("cancel_order", clientOrderId="never")[1]["code"] == 401018
        assert venue.data("GET", path, {"clientOrderId": "lost"})["orderState"] == "OPEN"
        private.send({"id": "last", "action": "place_order", "args": {**RESTING, "clientOrderId": "last"}})
    latest = time.monotonic() + 5
    while venue.call("GET", path, {"clientOrderId": "last"})[1]["code"] != 200000:
        assert time.monotonic() < latest


def test_each_stream_action_and_rest_call_has_its_own_rate_limit(start: Callable[..., Venue]) -> None:
    venue = start(*STILL)
    none = {"clientOrderId": "never"}
    with open_stream(venue.ready["algo_ws_url"]) as algos:
        log_in(venue, algos)
        cancels = [algos.act("cancel_algo_order", **none)[1]["code"] for _ in range(4)]
        assert algos.act("replace_algo_order", **none, slTriggerPrice="59000")[1]["code"] == 401018
    assert cancels == [401018] * 3 + [100429]
    path = "/api/v1/algo/order"
    assert [venue.call("DELETE", path, none)[1]["code"] for _ in range(4)] == cancels
    assert venue.call("GET", path, none)[1]["code"] == 401018


def test_rate_limit_error_on_a_stream_names_the_time_window(start: Callable[..., Venue]) -> None:
    venue = start(*STILL, "--set", "rate_profile=short")
    with open_stream(venue.ready["private_ws_url"]) as stream:
        log_in(venue, stream)
        replies = [stream.act("cancel_orders", sym=examples.SYM)[1] for _ in range(11)]
    assert [reply["code"] for reply in replies] == [200000] * 10 + [100429]
    assert "10/10 s" in replies[-1]["msg"]


@contextmanager
def guarded_position(venue: Venue, stream: Stream, name: str) -> Iterator[Stream]:
    """The algo stream, with a stop for a new position in ether."""
    with open_stream(venue.ready["algo_ws_url"]) as algos:
        log_in(venue, algos)
        stream.act("place_order", **{**TRADING, "sym": ETHER}, clientOrderId=f"{name}opens")
        stream.order(f"{name}opens", orderState="FILLED")
        algos.act("place_algo_order", **{**STOP, "sym": ETHER, "slTriggerPrice": "2400", "clientOrderId": name})
        yield algos


def algo_states(algos: Stream, client_order_id: str, last: str) -> list[str]:
    """States that are pushed of an algo order until the last one."""
    states: list[str] = []
    while last not in states:
        row = algos.push("ALGO_ORDER")["data"]
        states += [row["orderState"]] if row["clientOrderId"] == client_order_id else []
    return states


def test_a_stop_order_ends_with_its_position(venue: Venue, stream: Stream) -> None:
    with guarded_position(venue, stream, "gone") as algos:
        pair = {"sym": ETHER, "side": "SELL", "orderQty": "0.01", "slTriggerPrice": "2400", "tpTriggerPrice": "2900"}
        free = {"algoOrderType": "TPSL", "conditionType": "OCO", "clientOrderId": "stays"}
        venue.data("POST", "/api/v1/algo/order", {**pair, **free})
        order = venue.data("DELETE", "/api/v1/trading/position", {"sym": ETHER})["orderId"]
        assert stream.order(order, orderState="FILLED")["data"]["orderId"] == order
        assert algo_states(algos, "gone", "EXPIRED") == ["PENDING_NEW", "NEW", "EXPIRED"]
        left = venue.data("GET", "/api/v1/algo/openOrders", {"sym": ETHER})["list"]
        assert "stays" in [row["clientOrderId"] for row in left]
        venue.data("DELETE", "/api/v1/algo/order", {"clientOrderId": "stays"})
        assert venue.call("DELETE", "/api/v1/trading/position", {"sym": ETHER})[1]["code"] == 401097
        refused = algos.act("place_algo_order", **{**STOP, "sym": ETHER, "slTriggerPrice": "2400"})[1]
        assert refused["code"] == 401293


def test_a_position_reversal_ends_its_stop(venue: Venue, stream: Stream) -> None:
    before = usdt(venue)
    with guarded_position(venue, stream, "turned") as algos:
        (old,) = venue.data("GET", "/api/v1/trading/position", {"sym": ETHER})
        stream.act(
            "place_order", **{**TRADING, "sym": ETHER, "side": "SELL", "orderQty": "0.03"}, clientOrderId="turns"
        )
        fee = Decimal(stream.order("turns", orderState="FILLED")["data"]["fee"])
        assert algo_states(algos, "turned", "EXPIRED")[-1] == "EXPIRED"
        assert [algos.act("cancel_algo_order", clientOrderId=name)[1]["code"] for name in ("turned", "never")] == [
            401117,
            401018,
        ]
    (row,) = venue.data("GET", "/api/v1/trading/history/position", {"sym": ETHER, "pageSize": "1"})["list"]
    (new,) = venue.data("GET", "/api/v1/trading/position", {"sym": ETHER})
    fills = venue.data("GET", "/api/v1/trading/executions", {"sym": ETHER, "begin": row["createAt"]})
    assert row["updateAt"] == fills[0]["createAt"]
    assert (row["positionId"], row["closedPnl"]) == (old["positionId"], fills[0]["rpnl"])
    part = half_up(fee * 2 / 3, 8)
    assert Decimal(row["fee"]) == Decimal(old["fee"]) + fee - part
    assert (new["positionQty"], new["fee"], new["positionId"] != old["positionId"]) == ("-0.02", plain(part), True)
    at = {"startTime": row["createAt"], "endTime": row["updateAt"], "sym": ETHER}
    booked = venue.data("GET", "/api/v1/trading/statement", {**at, "statementType": "TRADE"})["list"]
    earned = [Decimal(fill["rpnl"]) - Decimal(fill["fee"]) + Decimal(fill["rebate"]) for fill in fills]
    assert [Decimal(one["deltaAmount"]) for one in booked] == earned
    assert [one["requestId"] for one in booked] == [fill["transactionId"] for fill in fills]
    assert usdt(venue) - before == sum(earned)
    assert venue.data("GET", "/api/v1/trading/statement", {**at, "statementType": "NONE"})["list"] == []


def test_a_stop_is_queried_by_order_id_or_client_id(venue: Venue, stream: Stream) -> None:
    with guarded_position(venue, stream, "asked") as algos:
        assert algo_states(algos, "asked", "NEW")
        path = "/api/v1/algo/order"
        row = venue.data("GET", path, {"clientOrderId": "asked"})
        assert venue.data("GET", path, {"clientOrderId": "never", "algoOrderId": row["algoOrderId"]}) == row
        assert row in venue.data("GET", "/api/v1/algo/openOrders")["list"]
        assert [venue.call("GET", path, ask)[1]["code"] for ask in ({}, {"clientOrderId": "never"})] == [401008, 401018]
        venue.data("DELETE", "/api/v1/trading/position", {"sym": ETHER})
        assert algo_states(algos, "asked", "EXPIRED") == ["EXPIRED"]
        assert venue.data("GET", path, {"clientOrderId": "asked"})["orderState"] == "EXPIRED"
        (ended,) = venue.data("GET", "/api/v1/algo/history/orders", {"sym": ETHER, "pageSize": "1"})["list"]
        assert ended["clientOrderId"] == "asked"


def usdt(venue: Venue) -> Decimal:
    """The balance of the main portfolio on BINANCE."""
    rows = venue.data("GET", "/api/v1/trading/portfolio/assets")["list"]
    return next(Decimal(row["balance"]) for row in rows if (row["coin"], row["exchangeType"]) == ("USDT", "BINANCE"))


def test_a_triggered_stop_is_pushed_on_both_streams(venue: Venue, stream: Stream) -> None:
    with guarded_position(venue, stream, "fires") as algos:
        venue.move("ETH", "2390")
        assert algo_states(algos, "fires", "COMPLETED") == ["PENDING_NEW", "NEW", "PROCESSING", "COMPLETED"]
        fill = algos.push("SUB_TRADE")["data"]
        child = stream.order(fill["clientOrderId"], orderState="FILLED")["data"]
        assert child["clientOrderId"] == child["orderId"] == fill["orderId"]
        assert child["algoOrderId"] == fill["algoOrderId"]
        told = stream.take(
            lambda frame: frame.get("channel") == "Trades" and frame["data"]["orderId"] == child["orderId"]
        )
        assert told["data"]["transactionId"] == fill["transactionId"]


def test_login_limit_of_a_key_counts_both_streams(start: Callable[..., Venue]) -> None:
    venue = start(*STILL)
    urls = (venue.ready["private_ws_url"], venue.ready["algo_ws_url"])
    with open_stream(urls[0]) as private, open_stream(urls[1]) as algos:
        replies = [log_in(venue, stream)[-1][1] for stream in (private, algos)]
    assert (replies[0]["code"], replies[1]["code"]) == (0, 60009)
    assert "too many logins" in replies[1]["msg"]


def test_unknown_parameters_are_rejected_only_in_some_calls(venue: Venue, stream: Stream) -> None:
    assert stream.act("place_order", **RESTING, colour="red", clientOrderId="unknown")[1]["code"] == 200000
    assert stream.act("cancel_orders", colour="red")[1]["code"] == 601004
    close = {"sym": ETHER, "colour": "red"}
    assert venue.call("DELETE", "/api/v1/trading/position", close)[1]["code"] == 400000


def test_history_pages_are_newest_first_with_valid_bounds(venue: Venue, stream: Stream) -> None:
    for name in ("pagea", "pageb", "pagec"):
        stream.act("place_order", **RESTING, clientOrderId=name)
    path = "/api/v1/trading/history/orders"
    first = venue.data("GET", path, {"page": "1", "pageSize": "2"})
    assert [row["clientOrderId"] for row in first["list"]] == ["pagec", "pageb"]
    beyond = venue.data("GET", path, {"page": str(first["pageNum"] + 1), "pageSize": "2"})
    assert (beyond["list"], beyond["pageNum"]) == ([], first["pageNum"])
    for wrong, code in (({"page": "0"}, 400003), ({"pageSize": "1001"}, 400002), ({"begin": "1"}, 400000)):
        assert venue.call("GET", path, wrong)[1]["code"] == code
