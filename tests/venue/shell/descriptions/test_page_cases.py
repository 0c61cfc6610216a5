"""What `docs/venue.md` says in its tables of cases, asked of a venue."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from websockets.sync.client import connect

from tests.venue import examples
from tests.venue.examples import RESTING, STOP, SYM, TRADING, Stream, log_in, open_stream
from tests.venue.shell.conftest import STILL, Venue

ETHER = "BINANCE_PERP_ETH_USDT"
"""A pair that nothing else here holds."""

NEAR = {"sym": SYM, "side": "BUY", "orderType": "LIMIT", "orderQty": "0.01", "limitPrice": "55000"}


@pytest.fixture(scope="module")
def quiet() -> Iterator[Venue]:
    venue = Venue(*STILL, "--set", "rate_profile=off", "--control")
    yield venue
    venue.stop()


@pytest.fixture
def stream(quiet: Venue) -> Iterator[Stream]:
    with open_stream(quiet.ready["private_ws_url"]) as stream:
        log_in(quiet, stream)
        yield stream
        stream.act("cancel_orders")


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
def test_an_accepted_order_is_pushed_new_and_then_as_it_ends(
    stream: Stream, name: str, args: dict[str, str], ends: tuple[str, str]
) -> None:
    assert stream.act("place_order", **args, clientOrderId=name)[1]["code"] == 200000
    assert states(stream, name, ends[0]) == [("NEW", ""), ends]


def test_a_close_names_a_size_and_is_cut_at_the_position(stream: Stream) -> None:
    sell = {"sym": ETHER, "side": "SELL", "orderType": "MARKET", "reduceOnly": "true"}
    assert stream.act("place_order", **sell)[1]["code"] == 400009
    assert stream.act("place_order", **sell, orderQty="0")[1]["code"] == 401005
    assert stream.act("place_order", **sell, orderQty="0.01")[1]["code"] == 401903
    stream.act("place_order", **{**TRADING, "sym": ETHER}, clientOrderId="opens")
    stream.order("opens", orderState="FILLED")
    assert stream.act("place_order", **sell, orderQty="1", clientOrderId="closes")[1]["code"] == 200000
    assert states(stream, "closes", "CANCELLED")[-1] == ("CANCELLED", "REDUCE_ONLY")


def test_a_refused_replace_leaves_the_order_as_it_was(stream: Stream) -> None:
    stream.act("place_order", **RESTING, clientOrderId="stays")
    assert stream.act("replace_order", clientOrderId="stays", replacePrice="55000.05")[1]["code"] == 401015
    row = stream.order("stays", action="AMEND_FAILED")["data"]
    assert (row["orderState"], row["limitPrice"], row["actionMsg"][:6]) == ("OPEN", "55000", "401015")
    stream.act("replace_order", clientOrderId="stays", replacePrice="70000")
    assert stream.order("stays", action="AMEND_FAILED")["data"]["orderState"] == "CANCELLED"


def test_a_total_that_is_filled_already_ends_the_order(stream: Stream) -> None:
    stream.act("place_order", **{**NEAR, "limitPrice": "61777.2", "orderQty": "9"}, clientOrderId="part")
    part = stream.order("part", orderState="PARTIALLY_FILLED")["data"]["executedQty"]
    stream.act("replace_order", clientOrderId="part", replaceQty=part)
    row = stream.order("part", orderState="CANCELLED")["data"]
    assert (row["action"], row["executedQty"]) == ("AMEND_COMPLETED", part)


def test_own_orders_do_not_trade_with_each_other(stream: Stream) -> None:
    stream.act("place_order", **{**NEAR, "limitPrice": "61777.1"}, clientOrderId="older")
    stream.act("place_order", **{**NEAR, "side": "SELL", "limitPrice": "61777", "orderQty": "9"}, clientOrderId="newer")
    assert stream.order("newer", orderState="CANCELLED")["data"]["reason"] == "self trade"


def test_cancel_orders_takes_lists_and_leaves_algo_orders(quiet: Venue, stream: Stream) -> None:
    for name in ("first", "second", "third"):
        stream.act("place_order", **RESTING, clientOrderId=name)
    assert stream.act("cancel_orders", clientOrderIds="first,second")[1]["code"] == 200000
    stream.order("second", orderState="CANCELLED")
    stream.act("place_order", **{**TRADING, "sym": ETHER}, clientOrderId="held")
    stream.order("held", orderState="FILLED")
    stop = {**STOP, "sym": ETHER, "slTriggerPrice": "2400", "clientOrderId": "guard"}
    quiet.data("POST", "/api/v1/algo/order", stop)
    rows = quiet.data("GET", "/api/v1/trading/orders")["list"]
    assert [row["clientOrderId"] for row in rows] == ["third"]
    stream.act("cancel_orders")
    stream.order("third", orderState="CANCELLED")
    rows = quiet.data("GET", "/api/v1/algo/openOrders")["list"]
    assert [row["clientOrderId"] for row in rows] == ["guard"]


def test_fills_come_newest_first_between_inclusive_bounds(quiet: Venue, stream: Stream) -> None:
    for number in range(3):
        stream.act("place_order", **TRADING, clientOrderId=f"fill{number}")
        stream.order(f"fill{number}", orderState="FILLED")
    path = "/api/v1/trading/executions"
    rows = quiet.data("GET", path)
    times = [int(row["createAt"]) for row in rows]
    assert times == sorted(times, reverse=True)
    bounded = quiet.data("GET", path, {"begin": str(times[1]), "end": str(times[0])})
    assert bounded == [row for row in rows if int(row["createAt"]) >= times[1]]
    assert quiet.data("GET", path, {"begin": str(times[-1]), "limit": "2"}) == rows[:2]
    assert quiet.call("GET", path, {"limit": "1001"})[1]["code"] == 400007


def test_a_new_account_is_one_way(quiet: Venue) -> None:
    rows = quiet.data("GET", "/api/v1/trading/account")
    assert {row["positionMode"] for row in rows} == {"NET"}


def test_an_empty_side_of_the_best_quotes_is_zero(start: Callable[..., Venue]) -> None:
    venue = start("--set", "agents=off", "--set", "past=off")
    with connect(venue.ready["public_ws_url"] + "?binary=false") as socket:
        socket.send(json.dumps({"event": "subscribe", "arg": [{"channel": "BBO", "sym": SYM}]}))
        quote = Stream(socket).market("BBO")["data"]
    assert [quote[name] for name in ("bid", "bidqty", "ask", "askqty")] == ["0"] * 4


def test_a_stream_over_its_limit_is_told_the_window(start: Callable[..., Venue]) -> None:
    venue = start(*STILL, "--set", "rate_profile=short")
    with open_stream(venue.ready["private_ws_url"]) as stream:
        log_in(venue, stream)
        replies = [stream.act("cancel_orders", sym=examples.SYM)[1] for _ in range(11)]
    assert [reply["code"] for reply in replies] == [200000] * 10 + [100429]
    assert "10/10 s" in replies[-1]["msg"]


@contextmanager
def guarded_position(quiet: Venue, stream: Stream, name: str) -> Iterator[Stream]:
    """The algo stream, with a stop for a new position in ether."""
    with open_stream(quiet.ready["algo_ws_url"]) as algos:
        log_in(quiet, algos)
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


def test_a_stop_ends_with_its_position(quiet: Venue, stream: Stream) -> None:
    with guarded_position(quiet, stream, "gone") as algos:
        pair = {"sym": ETHER, "side": "SELL", "orderQty": "0.01", "slTriggerPrice": "2400", "tpTriggerPrice": "2900"}
        free = {"algoOrderType": "TPSL", "conditionType": "OCO", "clientOrderId": "stays"}
        quiet.data("POST", "/api/v1/algo/order", {**pair, **free})
        order = quiet.data("DELETE", "/api/v1/trading/position", {"sym": ETHER})["orderId"]
        assert stream.order(order, orderState="FILLED")["data"]["orderId"] == order
        assert algo_states(algos, "gone", "EXPIRED") == ["PENDING_NEW", "NEW", "EXPIRED"]
        left = quiet.data("GET", "/api/v1/algo/openOrders", {"sym": ETHER})["list"]
        assert "stays" in [row["clientOrderId"] for row in left]
        quiet.data("DELETE", "/api/v1/algo/order", {"clientOrderId": "stays"})
        assert quiet.call("DELETE", "/api/v1/trading/position", {"sym": ETHER})[1]["code"] == 401097
        refused = algos.act("place_algo_order", **{**STOP, "sym": ETHER, "slTriggerPrice": "2400"})[1]
        assert refused["code"] == 401293


def test_a_stop_that_fires_is_told_on_both_streams(quiet: Venue, stream: Stream) -> None:
    with guarded_position(quiet, stream, "fires") as algos:
        quiet.move("ETH", "2390")
        assert algo_states(algos, "fires", "COMPLETED") == ["PENDING_NEW", "NEW", "PROCESSING", "COMPLETED"]
        fill = algos.push("SUB_TRADE")["data"]
        child = stream.order(fill["clientOrderId"], orderState="FILLED")["data"]
        assert child["clientOrderId"] == child["orderId"] == fill["orderId"]
        assert child["algoOrderId"] == fill["algoOrderId"]
        told = stream.take(
            lambda frame: frame.get("channel") == "Trades" and frame["data"]["orderId"] == child["orderId"]
        )
        assert told["data"]["transactionId"] == fill["transactionId"]


def test_logins_of_a_key_are_counted_over_both_streams(start: Callable[..., Venue]) -> None:
    venue = start(*STILL)
    urls = (venue.ready["private_ws_url"], venue.ready["algo_ws_url"])
    with open_stream(urls[0]) as private, open_stream(urls[1]) as algos:
        replies = [log_in(venue, stream)[-1][1] for stream in (private, algos)]
    assert (replies[0]["code"], replies[1]["code"]) == (0, 60009)
    assert "too many logins" in replies[1]["msg"]


def test_unknown_parameters_are_refused_only_where_less_of_them_reaches_further(quiet: Venue, stream: Stream) -> None:
    assert stream.act("place_order", **RESTING, colour="red", clientOrderId="unknown")[1]["code"] == 200000
    assert stream.act("cancel_orders", colour="red")[1]["code"] == 601004
    close = {"sym": ETHER, "colour": "red"}
    assert quiet.call("DELETE", "/api/v1/trading/position", close)[1]["code"] == 400000


def test_pages_are_newest_first_and_end(quiet: Venue, stream: Stream) -> None:
    for name in ("pagea", "pageb", "pagec"):
        stream.act("place_order", **RESTING, clientOrderId=name)
    path = "/api/v1/trading/history/orders"
    first = quiet.data("GET", path, {"page": "1", "pageSize": "2"})
    assert [row["clientOrderId"] for row in first["list"]] == ["pagec", "pageb"]
    beyond = quiet.data("GET", path, {"page": str(first["pageNum"] + 1), "pageSize": "2"})
    assert (beyond["list"], beyond["pageNum"]) == ([], first["pageNum"])
    for wrong, code in (({"page": "0"}, 400003), ({"pageSize": "1001"}, 400002), ({"begin": "1"}, 400000)):
        assert quiet.call("GET", path, wrong)[1]["code"] == code
