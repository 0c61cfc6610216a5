"""The examples, vectors and switches of `docs/venue.md`, taken from a venue: `python -m tests.venue.examples --write`."""

from __future__ import annotations

import hashlib
import hmac
import itertools
import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from websockets.sync.client import ClientConnection, connect

from tests.venue.shell.conftest import STILL, TOP, Venue
from tui.cli.commands.venue import describe_switches

PAGE = TOP / "docs" / "venue.md"
MAKER = TOP / "docs" / "examples" / "maker.py"
BLOCK = re.compile(r"(<!-- made: (\w+) -->\n)(.*?)(\n<!-- end -->)", re.DOTALL)
SYM = "BINANCE_PERP_BTC_USDT"
RESTING = {
    "sym": SYM,
    "side": "BUY",
    "orderType": "LIMIT",
    "timeInForce": "GTX",
    "orderQty": "0.010",
    "limitPrice": "55000",
}
TRADING = {"sym": SYM, "side": "BUY", "orderType": "MARKET", "orderQty": "0.010"}
STOP = {
    "algoOrderType": "TPSL", "sym": SYM, "conditionType": "ENTIRE_CLOSE_POSITION", "slTriggerPrice": "59000",
    "slTriggerType": "MARK_PRICE", "slPrice": "0", "clientOrderId": "stop1",
}  # fmt: skip
SENT, CAME = "-> ", "<- "
WHOLE = ("place_order", "place_algo_order")
"""Blocks that show every field of an order."""
TOLD = (
    "orderId", "algoOrderId", "clientOrderId", "orderState", "side", "orderQty", "limitPrice", "executedQty",
    "executedAvgPrice", "fee", "feeCoin", "action", "actionMsg", "cancelType", "slTriggerPrice", "updateAt",
)  # fmt: skip
"""Fields of an order in the other blocks."""


class Vector(NamedTuple):
    """Inputs of one signature; the secret is nobody's."""

    method: str
    path: str
    params: dict[str, str]

    @property
    def message(self) -> str:
        return "&".join(f"{name}={self.params[name]}" for name in sorted(self.params)) + "&" + NONCE


SECRET, NONCE = "paper-secret", "1795532400"
VECTORS = {
    "vector_get": Vector("GET", "/api/v1/trading/orders", {"sym": SYM, "pageSize": "50", "page": "1"}),
    "vector_post": Vector("POST", "/api/v1/trading/order", {**RESTING, "clientOrderId": "maker1"}),
}


def hmac_hex(message: str, secret: str = SECRET) -> str:
    return hmac.new(secret.encode(), message.encode(), hashlib.sha256).hexdigest()


def vector_block(vector: Vector) -> str:
    params = json.dumps(vector.params)
    where = (
        "?" + "&".join(f"{k}={v}" for k, v in vector.params.items()) if vector.method == "GET" else f"  body {params}"
    )
    return (
        f"```text\nrequest    {vector.method} {vector.path}{where}\nsecret     {SECRET}\nnonce      {NONCE}\n"
        f"message    {vector.message}\nsignature  {hmac_hex(vector.message)}\n```"
    )


class Stream:
    """One stream connection, and what was sent and came on it."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._waiting: list[Any] = []

    def send(self, frame: dict[str, Any]) -> dict[str, Any]:
        self.send_text(json.dumps(frame))
        return frame

    def send_text(self, text: str) -> str:
        self._socket.send(text)
        return text

    def take(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first frame that is wanted; others stay for later."""
        for frame in self._waiting:
            if wanted(frame):
                self._waiting.remove(frame)
                return dict(frame)
        while True:
            frame = json.loads(self._socket.recv(timeout=20))
            if wanted(frame):
                return dict(frame)
            self._waiting.append(frame)

    def forget(self) -> None:
        """Drop what came before the newest frame."""
        self._waiting.clear()

    def act(self, action: str, **args: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """An action and its reply."""
        sent = self.send({"id": f"r{next(self._numbers)}", "action": action, "args": args})
        return sent, self.take(lambda frame: frame.get("id") == sent["id"])

    def order(self, client_order_id: str, **wanted: str) -> dict[str, Any]:
        """The first push of an order that carries the wanted values."""

        def fits(frame: dict[str, Any]) -> bool:
            data: Any = frame.get("data")
            return (
                str(frame.get("channel")).lower() == "orders"
                and data["clientOrderId"] == client_order_id
                and all(data[name] == value for name, value in wanted.items())
            )

        return self.take(fits)

    def push(self, channel: str) -> dict[str, Any]:
        return self.take(lambda frame: frame.get("channel") == channel)

    def market(self, channel: str, kind: str = "") -> dict[str, Any]:
        return self.take(
            lambda frame: (
                "data" in frame and frame["arg"]["channel"] == channel and frame["arg"].get("updatetype", "") == kind
            )
        )


@contextmanager
def open_stream(url: str) -> Iterator[Stream]:
    with connect(url) as socket:
        yield Stream(socket)


def log_in(venue: Venue, stream: Stream) -> list[tuple[str, Any]]:
    """The login frame and its reply."""
    key, secret = venue.key()
    stamp = str(int(time.time()))
    sign = hmac_hex(stamp + "GET/users/self/verify", secret)
    login = stream.send({"id": "r0", "action": "login", "args": {"apiKey": key, "timestamp": stamp, "sign": sign}})
    return [(SENT, login), (CAME, stream.take(lambda frame: frame.get("event") == "login"))]


def refused_examples(venue: Venue, stream: Stream) -> dict[str, list[tuple[str, Any]]]:
    """A login that is refused, and frames that are no actions."""
    login = {"apiKey": venue.key()[0], "timestamp": str(int(time.time())), "sign": "0" * 64}
    shown: dict[str, list[tuple[str, Any]]] = {"error_frames": []}
    refused, reply = stream.act("login", **login)
    shown["login_refused"] = [(SENT, refused), (CAME, reply)]
    unknown = stream.send({"id": "r8", "action": "place", "args": {}})
    shown["error_frames"] += [(SENT, unknown), (CAME, stream.take(lambda frame: frame["event"] == "error"))]
    unreadable = stream.send_text("place an order")
    shown["error_frames"] += [(SENT, unreadable), (CAME, stream.take(lambda frame: frame["event"] == "error"))]
    return shown


def funds_examples(venue: Venue) -> dict[str, list[tuple[str, Any]]]:
    """A transfer from the main to the sub portfolio, and what became of it."""
    portfolios = {key["name"]: key["portfolioId"] for key in venue.ready["keys"]}
    params = {
        "fromTradeAccountId": portfolios["main"], "fromAccountType": "BINANCE",
        "toTradeAccountId": portfolios["sub"], "toAccountType": "BINANCE",
        "currency": "USDT", "amount": "100", "clientOrderId": "move1",
    }  # fmt: skip
    return {
        "transfer": rest(venue, "POST", "/api/v1/transfer/apply", params),
        "transfer_detail": rest(venue, "GET", "/api/v1/transfer/get", {"clientOrderId": "move1"}),
    }


def algo_examples(venue: Venue, stream: Stream) -> dict[str, list[tuple[str, Any]]]:
    """A stop for the whole position."""
    log_in(venue, stream)
    shown: dict[str, list[tuple[str, Any]]] = {}
    for action, args in (
        ("place_algo_order", STOP),
        ("replace_algo_order", {"clientOrderId": "stop1", "slTriggerPrice": "58900"}),
    ):
        sent, reply = stream.act(action, **args)
        push = stream.take(lambda frame: frame.get("channel") == "ALGO_ORDER" and frame["data"]["orderState"] == "NEW")
        shown[action] = [(SENT, sent), (CAME, reply), (CAME, push)]
    return shown


def private_examples(venue: Venue, stream: Stream) -> dict[str, list[tuple[str, Any]]]:
    """One order from its placement to its end, a fill, and what is pushed on the way."""
    shown: dict[str, list[tuple[str, Any]]] = {"login": log_in(venue, stream)}

    def note(name: str, exchange: tuple[dict[str, Any], dict[str, Any]], *pushes: dict[str, Any]) -> None:
        shown[name] = [(SENT, exchange[0]), (CAME, exchange[1]), *((CAME, push) for push in pushes)]

    note(
        "place_order",
        stream.act("place_order", **RESTING, clientOrderId="maker1"),
        stream.order("maker1", orderState="OPEN"),
    )
    note(
        "replace_order",
        stream.act("replace_order", clientOrderId="maker1", replacePrice="55000.1"),
        stream.order("maker1", action="AMEND_COMPLETED"),
    )
    shown["open_orders"] = rest(venue, "GET", "/api/v1/trading/orders", {"sym": SYM, "page": "1", "pageSize": "50"})
    shown["order_detail"] = rest(venue, "GET", "/api/v1/trading/order", {"clientOrderId": "maker1"})
    note(
        "cancel_order",
        stream.act("cancel_order", clientOrderId="maker1"),
        stream.order("maker1", orderState="CANCELLED"),
    )
    note("refused", stream.act("place_order", **{**RESTING, "limitPrice": "55000.05"}, clientOrderId="maker2"))
    stream.act("place_order", **RESTING, clientOrderId="maker3")
    note("cancel_orders", stream.act("cancel_orders", sym=SYM), stream.order("maker3", orderState="CANCELLED"))
    stream.act("place_order", **TRADING, clientOrderId="taker1")
    trade = stream.push("Trades")
    stream.forget()
    for name, push in (
        ("push_trades", trade),
        ("push_orders", stream.order("taker1", orderState="FILLED")),
        ("push_positions", stream.push("Positions")),
        ("push_assets", stream.push("Assets")),
        ("push_accounts", stream.push("Accounts")),
    ):
        shown[name] = [(CAME, push)]
    return shown


def public_examples(venue: Venue, stream: Stream) -> dict[str, list[tuple[str, Any]]]:
    """Subscriptions, and the first pushes of each."""
    wanted = [{"channel": name, "sym": SYM} for name in ("BBO", "TRADE", "ORDER_BOOK", "MARK_PRICE")]
    asked = stream.send({"event": "subscribe", "arg": wanted})
    reply = stream.take(lambda frame: frame.get("event") == "subscribe")
    whole = stream.market("ORDER_BOOK", "all")
    quote, mark = stream.market("BBO"), stream.market("MARK_PRICE")
    venue.data("POST", "/api/v1/trading/order", {**TRADING, "clientOrderId": "taker2"})
    trade, update = stream.market("TRADE"), stream.market("ORDER_BOOK", "update")
    refused = stream.send({"event": "subscribe", "arg": [{"channel": "BBO", "sym": "BINANCE_PERP_XXX_USDT"}]})
    why = stream.take(lambda frame: frame.get("event") == "error")
    bars = stream.send({"event": "subscribe", "arg": [{"channel": "KLINE", "sym": SYM, "interval": "1m"}]})
    stream.take(lambda frame: frame.get("event") == "subscribe")
    ping = stream.send({"ping": 1795532400000})
    pong = stream.take(lambda frame: "pong" in frame)
    return {
        "subscribe": [(SENT, asked), (CAME, reply)],
        "push_bbo": [(CAME, quote)],
        "push_trade": [(CAME, trade)],
        "push_book": [(CAME, whole), (CAME, update)],
        "push_mark": [(CAME, mark)],
        "subscribe_refused": [(SENT, refused), (CAME, why)],
        "kline": [(SENT, bars), (CAME, stream.market("KLINE"))],
        "ping": [(SENT, ping), (CAME, pong)],
    }


def rest(venue: Venue, method: str, path: str, params: dict[str, str]) -> list[tuple[str, Any]]:
    """A signed call and its answer."""
    _, answer = venue.call(method, path, params)
    if method == "GET":
        query = "?" + "&".join(f"{name}={text}" for name, text in params.items()) if params else ""
        return [(SENT, f"{method} {path}{query}"), (CAME, answer)]
    return [(SENT, f"{method} {path}"), (SENT, params), (CAME, answer)]


def take_examples() -> dict[str, list[tuple[str, Any]]]:
    """Run a venue and ask it all that the page shows."""
    venue = Venue(*STILL, "--set", "rate_profile=off")
    try:
        with open_stream(venue.ready["private_ws_url"]) as stream:
            shown = private_examples(venue, stream)
        with open_stream(venue.ready["private_ws_url"]) as stream:
            shown |= refused_examples(venue, stream)
        with open_stream(venue.ready["algo_ws_url"]) as stream:
            shown |= algo_examples(venue, stream)
        with open_stream(venue.ready["public_ws_url"] + "?binary=false") as stream:
            shown |= public_examples(venue, stream)
        shown["rest_place"] = rest(venue, "POST", "/api/v1/trading/order", {**RESTING, "clientOrderId": "maker4"})
        shown["rest_cancel"] = rest(venue, "DELETE", "/api/v1/trading/order", {"clientOrderId": "maker4"})
        shown["positions"] = rest(venue, "GET", "/api/v1/trading/position", {"sym": SYM})
        shown["rest_refused"] = rest(
            venue, "POST", "/api/v1/trading/order", {**RESTING, "orderQty": "0.0105", "clientOrderId": "maker5"}
        )
        shown["mark_price"] = rest(venue, "GET", "/api/v1/market/markPrice", {"sym": SYM})
        shown["funding_rate"] = rest(venue, "GET", "/api/v1/market/fundingRate", {"sym": SYM})
        shown["set_leverage"] = rest(venue, "POST", "/api/v1/trading/position/leverage", {"sym": SYM, "leverage": "10"})
        shown["symbol_info"] = rest(venue, "GET", "/api/v1/trading/sym/info", {"sym": SYM})
        shown["executions"] = rest(venue, "GET", "/api/v1/trading/executions", {"sym": SYM, "limit": "1"})
        shown["algo_detail"] = rest(venue, "GET", "/api/v1/algo/order", {"clientOrderId": "stop1"})
        shown["open_algos"] = rest(venue, "GET", "/api/v1/algo/openOrders", {"sym": SYM, "page": "1", "pageSize": "50"})
        shown["close_position"] = rest(venue, "DELETE", "/api/v1/trading/position", {"sym": SYM})
        shown["closed_positions"] = rest(
            venue, "GET", "/api/v1/trading/history/position", {"sym": SYM, "page": "1", "pageSize": "1"}
        )
        shown["statement"] = rest(
            venue,
            "GET",
            "/api/v1/trading/statement",
            {"sym": SYM, "statementType": "TRADE", "page": "1", "pageSize": "1"},
        )
        shown |= funds_examples(venue)
        shown["ready"] = [("", venue.ready)]
        hidden: dict[str, list[tuple[str, Any]]] = json.loads(hide_secrets(json.dumps(shown), venue))
        return hidden
    finally:
        venue.stop()


def hide_secrets(text: str, venue: Venue) -> str:
    """The text with names for keys, and the port that the page starts the venue on."""
    for key in venue.ready["keys"]:
        for name in ("api_key", "api_secret"):
            text = text.replace(key[name], f"{key['name']}-{name.removeprefix('api_')}")
    return text.replace(venue.ready["rest_url"].removeprefix("http://"), "127.0.0.1:8080")


def shorten(name: str, value: Any) -> Any:
    """The value as its block shows it: two levels of each side of a book, and each kind of order whole only once."""
    if isinstance(value, list):
        return [shorten(name, item) for item in value]
    if not isinstance(value, dict):
        return value
    cut = {key: shorten(name, item[:2] if key in ("Bids", "Asks") else item) for key, item in value.items()}
    if "orderState" not in cut or "createAt" not in cut or name in WHOLE:
        return cut
    return {key: item for key, item in cut.items() if key in TOLD} | {"...": "..."}


def example_block(name: str, lines: list[tuple[str, Any]]) -> str:
    shown = [mark + (item if isinstance(item, str) else json.dumps(shorten(name, item))) for mark, item in lines]
    return "```text\n" + "\n".join(shown) + "\n```"


def page_blocks() -> dict[str, str]:
    """What stands between the markers of the page, by name."""
    blocks = {name: example_block(name, lines) for name, lines in take_examples().items()}
    blocks |= {name: vector_block(vector) for name, vector in VECTORS.items()}
    blocks["switches"] = describe_switches().strip()
    blocks["maker"] = f"```python\n{MAKER.read_text().strip()}\n```"
    return blocks


def main() -> None:
    blocks = page_blocks()
    if "--write" in sys.argv:
        PAGE.write_text(BLOCK.sub(lambda hit: hit[1] + blocks[hit[2]] + hit[4], PAGE.read_text()))
    else:
        print("\n".join(f"{name}\n{block}" for name, block in blocks.items()))


if __name__ == "__main__":
    main()
