"""Frames of the private and public streams: requests to send, and the formats of received messages."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Generic, NamedTuple, TypeVar

import msgspec

from tui.interface.envelope import PublicArg
from tui.interface.families.market import BarPrice, Channel, Interval, KlineRow

PRIVATE_PATH = "/v1/private"
ALGO_PATH = "/v1/private-algo"
PUBLIC_PATH = "/marketdata/v2/public"
LOGIN = "login"
"""First action of a stream."""

T = TypeVar("T")


class PrivateChannel(StrEnum):
    """Channels of the private and algo streams, as on the wire; names are compared without regard to case."""

    ORDERS = "Orders"
    TRADES = "Trades"
    ASSETS = "Assets"
    POSITIONS = "Positions"
    ACCOUNTS = "Accounts"
    MARGIN_CALL = "MarginCall"
    LIQUIDATION_EVENT = "LiquidationEvent"
    LIQUIDATION_POSITION = "LiquidationPosition"
    LIQUIDATION_BY_USER = "LiquidationPositionByUser"
    ALGO_ORDER = "ALGO_ORDER"
    """On the algo stream."""


LIQUIDATION_WORDS = ("eventType", "nodeType", "exchangeType", "sym", "positionSide", "reduceQty")
"""Fields of the liquidation channels that are shown in a line."""


SHOWN_CHANNELS = tuple(channel for channel in Channel if channel is not Channel.BBO)
"""Channels for display only: unreadable data of them must not end the connection that carries the quotes."""


class Detail(NamedTuple):
    """Subscription of a detail stream: order book, trades, index price and candles of one pair, or its book alone."""

    sym: str
    interval: Interval = Interval.M1
    price: BarPrice = BarPrice.LAST
    """Price of the candles."""
    only_book: bool = False
    """Whether the order book alone is wanted."""


class PushFrame(msgspec.Struct, Generic[T], frozen=True, gc=False):
    """Push of the public stream; `data` is an object or a list of them on every channel."""

    arg: PublicArg
    data: T | list[T]


class BarsFrame(msgspec.Struct, frozen=True, gc=False):
    """Push of candles; each candle is an array, and `data` is always a list of them."""

    arg: PublicArg
    data: list[KlineRow]


class PublicEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Message of the public stream that is no push: reply, error or pong."""

    event: str = ""
    code: int | str | None = None
    msg: str | None = None
    arg: msgspec.Raw = msgspec.Raw(b"null")
    invalid: list[PublicArg] = msgspec.field(default_factory=list, name="invalidArg")
    pong: int | str | None = None
    ping: int | str | None = None


def login_args(
    key: str, timestamp: str, signature: str, *, private: bool, only_trade: bool = False
) -> dict[str, object]:
    """Build the arguments of a stream login; the private stream also gets `onlyTrade`, which turns pushes off."""
    args: dict[str, object] = {"apiKey": key, "timestamp": timestamp, "sign": signature}
    if private:
        args["onlyTrade"] = only_trade
    return args


def action_frame(request_id: str, action: str, args: dict[str, str] | dict[str, object]) -> bytes:
    """Build an action request of the private stream."""
    return msgspec.json.encode({"id": request_id, "action": action, "args": args})


def public_login_frame(args: dict[str, object]) -> bytes:
    return msgspec.json.encode({"action": LOGIN, "args": args})


def subscription_frame(syms: Iterable[str], channels: Iterable[Channel], *, subscribe: bool = True) -> bytes:
    """Build the subscribe or unsubscribe request for all given channels of all given pairs."""
    wanted = tuple(channels)
    arg = [{"channel": channel, "sym": sym} for sym in syms for channel in wanted]
    return msgspec.json.encode({"event": "subscribe" if subscribe else "unsubscribe", "arg": arg})


def detail_frame(detail: Detail, level: int, *, subscribe: bool = True) -> bytes:
    """Build the request that subscribes or unsubscribes a pair's order book, and its trades, index price and candles."""
    sym = detail.sym
    arg: list[dict[str, object]] = [{"channel": Channel.ORDER_BOOK, "sym": sym, "level": level}]
    if not detail.only_book:
        arg += [
            {"channel": Channel.TRADE, "sym": sym},
            {"channel": Channel.INDEX_PRICE, "sym": sym},
        ]
        # Bars of all prices: there is no past of mark and index price, so they are kept from the start.
        arg += [{"channel": price.channel, "sym": sym, "interval": detail.interval} for price in BarPrice]
    return msgspec.json.encode({"event": "subscribe" if subscribe else "unsubscribe", "arg": arg})


def ping_frame(wall_ms: int) -> bytes:
    """Build the ping of the public stream; it contains our time in ms."""
    return msgspec.json.encode({"ping": wall_ms})
