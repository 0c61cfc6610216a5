"""Frames of the private and public streams: requests, and shapes of what comes back."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Generic, NamedTuple, TypeVar

import msgspec

from tui.interface.envelope import PublicArg
from tui.interface.families.market import Channel, Interval, KlineRow

PRIVATE_PATH = "/v1/private"
ALGO_PATH = "/v1/private-algo"
PUBLIC_PATH = "/marketdata/v2/public"
LOGIN = "login"
"""First action of a stream."""

T = TypeVar("T")


class PrivateChannel(StrEnum):
    """Channels of the private stream and of the algo stream in lower case; names are compared case-blind."""

    ORDERS = "orders"
    TRADES = "trades"
    ASSETS = "assets"
    POSITIONS = "positions"
    ACCOUNTS = "accounts"
    MARGIN_CALL = "margincall"
    LIQUIDATION_EVENT = "liquidationevent"
    LIQUIDATION_POSITION = "liquidationposition"
    LIQUIDATION_BY_USER = "liquidationpositionbyuser"
    ALGO_ORDER = "algo_order"
    """On the algo stream."""


LIQUIDATION_WORDS = ("eventType", "nodeType", "exchangeType", "sym", "positionSide", "reduceQty")
"""Fields of the liquidation channels that are shown in a line."""


SHOWN_CHANNELS = tuple(channel for channel in Channel if channel is not Channel.BBO)
"""Channels for display only: unreadable data of them must not end the connection that carries the quotes."""


class Detail(NamedTuple):
    """Pair of the detail subscription: order book, trades, and bars of this length."""

    sym: str
    interval: Interval = Interval.M1


class PushFrame(msgspec.Struct, Generic[T], frozen=True, gc=False):
    """Push of the public stream, read in one piece. On every channel a list of one is read like an object."""

    arg: PublicArg
    data: T | list[T]


class BarsFrame(msgspec.Struct, frozen=True, gc=False):
    """Push of bars, which are arrays themselves and always come in a list."""

    arg: PublicArg
    data: list[KlineRow]


class PublicEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Other message of the public stream: reply, error or pong."""

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
    """Build the arguments of a stream login; the private stream also gets whether pushes are wanted."""
    args: dict[str, object] = {"apiKey": key, "timestamp": timestamp, "sign": signature}
    if private:
        args["onlyTrade"] = only_trade
    return args


def action_frame(request_id: str, action: str, args: dict[str, str] | dict[str, object]) -> bytes:
    """Build a request of the private stream."""
    return msgspec.json.encode({"id": request_id, "action": action, "args": args})


def public_login_frame(args: dict[str, object]) -> bytes:
    return msgspec.json.encode({"action": LOGIN, "args": args})


def subscription_frame(syms: Iterable[str], channels: Iterable[Channel], *, subscribe: bool = True) -> bytes:
    """Build the request that subscribes to, or leaves, every given channel of every given pair."""
    wanted = tuple(channels)
    arg = [{"channel": channel, "sym": sym} for sym in syms for channel in wanted]
    return msgspec.json.encode({"event": "subscribe" if subscribe else "unsubscribe", "arg": arg})


def detail_frame(sym: str, level: int, interval: str, *, subscribe: bool = True) -> bytes:
    """Build the request that subscribes to, or leaves, order book, trades and bars of one pair."""
    arg: list[dict[str, object]] = [
        {"channel": Channel.ORDER_BOOK, "sym": sym, "level": level},
        {"channel": Channel.TRADE, "sym": sym},
        {"channel": Channel.KLINE, "sym": sym, "interval": interval},
    ]
    return msgspec.json.encode({"event": "subscribe" if subscribe else "unsubscribe", "arg": arg})


def ping_frame(wall_ms: int) -> bytes:
    """Build the keep-alive of the public stream; it carries our time in ms."""
    return msgspec.json.encode({"ping": wall_ms})
