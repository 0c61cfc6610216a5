"""AsyncAPI 3.0 document of the three WebSocket streams, built from actions, channels and their records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tui.interface.endpoint import RateLimit
from tui.interface.envelope import PING, PONG, ActionReply
from tui.interface.families.algo import AlgoRecord, AlgoReply
from tui.interface.families.assets import AssetRecord
from tui.interface.families.history import TradeRecord
from tui.interface.families.liquidation import LiquidationEventPush, LiquidationPositionRecord
from tui.interface.families.market import (
    BOOK_LEVELS,
    Bbo,
    BookPush,
    Channel,
    IndexPush,
    InterestPush,
    Interval,
    MarkPush,
    TickerPush,
    TradePush,
    UpdateType,
)
from tui.interface.families.orders import OrderRecord
from tui.interface.families.positions import AccountRecord, PositionRecord
from tui.interface.json_schema import TEXT, Records, Schema, object_schema, record_schemas
from tui.interface.request import params_of
from tui.interface.signing import LOGIN_TAIL
from tui.interface.streams import ALGO_PATH, PRIVATE_PATH, PUBLIC_PATH, PrivateChannel
from tui.venue.shell.actions import BY_ACTION
from tui.venue.shell.streams.private import ALGO, IDLE_S, PRIVATE
from tui.venue.shell.streams.public import IDLE_S as PUBLIC_IDLE_S

ABOUT = f"""\
The paper venue's streams with the default of every switch; operations are named from the side of the venue.
Private and algo stream: JSON texts, one login first, then pushes of the key's portfolio without a subscription; \
the bare text {PING} is answered {PONG}; the venue closes a connection after {IDLE_S} s without a frame of the client. \
A login signs timestamp + "{LOGIN_TAIL}" with the secret: lower-case hex HMAC-SHA256.
Public stream: no login needed; gzip frames, or texts with ?binary=false; the venue closes a connection after \
{PUBLIC_IDLE_S} s without a frame of the client."""

_ID: Schema = {"type": ["string", "integer", "null"], "description": "The id of the request, or null."}
_PRIVATE_PUSHES: Mapping[str, tuple[type, bool]] = {
    PrivateChannel.ORDERS.lower(): (OrderRecord, False),
    PrivateChannel.TRADES.value: (TradeRecord, False),
    PrivateChannel.ASSETS.value: (AssetRecord, True),
    PrivateChannel.POSITIONS.value: (PositionRecord, True),
    PrivateChannel.ACCOUNTS.value: (AccountRecord, True),
    PrivateChannel.MARGIN_CALL.value: (AccountRecord, True),
    PrivateChannel.LIQUIDATION_EVENT.value: (LiquidationEventPush, False),
    PrivateChannel.LIQUIDATION_POSITION.value: (LiquidationPositionRecord, False),
    PrivateChannel.LIQUIDATION_BY_USER.value: (LiquidationPositionRecord, False),
}
"""Record of each channel, and whether it comes in an array."""
_ALGO_PUSHES: Mapping[str, tuple[type, bool]] = {
    PrivateChannel.ALGO_ORDER.value: (AlgoRecord, False),
    "SUB_ORDER": (OrderRecord, False),
    "SUB_TRADE": (TradeRecord, False),
}
_PUBLIC_PUSHES: Mapping[Channel, tuple[type | None, bool]] = {
    Channel.BBO: (Bbo, False),
    Channel.TICKER: (TickerPush, True),
    Channel.TRADE: (TradePush, False),
    Channel.ORDER_BOOK: (BookPush, False),
    Channel.KLINE: (None, True),
    Channel.MARK_PRICE: (MarkPush, False),
    Channel.INDEX_PRICE: (IndexPush, False),
    Channel.MARK_PRICE_KLINE: (None, True),
    Channel.INDEX_KLINE: (None, True),
    Channel.OPEN_INTEREST: (InterestPush, False),
}
_BAR: Schema = {
    "type": "array",
    "description": "Opening time in ms, open, high, low, close, volume in base units.",
    "items": dict(TEXT),
    "minItems": 6,
    "maxItems": 6,
}


class _Stream(NamedTuple):
    """WebSocket stream in the document: messages from clients with their replies, and pushes."""

    address: str
    about: str
    requests: Mapping[str, tuple[Schema, Schema]]
    """Payload and reply by name."""
    pushes: Mapping[str, Schema]


def describe_streams(host: str = "") -> dict[str, Any]:
    """Build the AsyncAPI document of the venue.

    Args:
        host: Requested host and port; empty for any port of this machine.
    """
    streams, records = _streams()
    anywhere = {"host": "127.0.0.1:{port}", "protocol": "ws", "variables": {"port": {"default": "8080"}}}
    login = {
        "type": "apiKey",
        "in": "user",
        "description": "The login frame, which contains an API key and is signed with its secret.",
    }
    document: dict[str, Any] = {
        "asyncapi": "3.0.0",
        "info": {"title": "Paper venue, streams", "version": "1", "description": ABOUT},
        "defaultContentType": "application/json",
        "servers": {"venue": {"host": host, "protocol": "ws"} if host else anywhere},
        "channels": {},
        "operations": {},
        "components": {"securitySchemes": {"login": login}, "messages": {}, "schemas": records.schemas},
    }
    for name, stream in streams.items():
        _add_stream(document, name, stream)
    return document


def _streams() -> tuple[dict[str, _Stream], Records]:
    """Return the three streams, and the record types they send."""
    pushed = (*_PRIVATE_PUSHES.values(), *_ALGO_PUSHES.values(), *_PUBLIC_PUSHES.values())
    records = record_schemas(
        [ActionReply, AlgoReply, *(record for record, _ in pushed if record is not None)], older_tuples=True
    )
    streams = {
        "private": _Stream(
            PRIVATE_PATH,
            "Order actions of a portfolio, and pushes of its changes.",
            _actions(PRIVATE.limits, ActionReply, records),
            {name: _push(name, of, records) for name, of in _PRIVATE_PUSHES.items()},
        ),
        "algo": _Stream(
            ALGO_PATH,
            "Actions and pushes of algo orders; the same login and heartbeat as the private stream.",
            _actions(ALGO.limits, AlgoReply, records),
            {name: _push(name, of, records) for name, of in _ALGO_PUSHES.items()},
        ),
        "public": _Stream(
            PUBLIC_PATH,
            "Market data. Subscriptions end with the connection.",
            _public_requests(),
            {str(name): _public_push(name, of, records) for name, of in _PUBLIC_PUSHES.items()},
        ),
    }
    return streams, records


def _add_stream(document: dict[str, Any], name: str, stream: _Stream) -> None:
    """Add a stream to the document, with its messages and operations."""
    messages: dict[str, Schema] = {}
    for request, (payload, reply) in stream.requests.items():
        messages[request] = payload
        messages[f"{request}_reply"] = reply
    messages |= stream.pushes
    document["channels"][name] = {
        "address": stream.address,
        "description": stream.about,
        "messages": {message: {"$ref": f"#/components/messages/{name}.{message}"} for message in messages},
    }
    for message, payload in messages.items():
        correlation = {"correlationId": {"location": "$message.payload#/id"}} if "id" in payload["properties"] else {}
        document["components"]["messages"][f"{name}.{message}"] = {"name": message, "payload": payload, **correlation}
    channel = {"$ref": f"#/channels/{name}"}
    secured = {} if name == "public" else {"security": [{"$ref": "#/components/securitySchemes/login"}]}
    for request in stream.requests:
        document["operations"][f"{name}.{request}"] = {
            "action": "receive",
            "channel": channel,
            "messages": [{"$ref": f"#/channels/{name}/messages/{request}"}],
            "reply": {"channel": channel, "messages": [{"$ref": f"#/channels/{name}/messages/{request}_reply"}]},
            **secured,
        }
    document["operations"][f"{name}.push"] = {
        "action": "send",
        "channel": channel,
        "messages": [{"$ref": f"#/channels/{name}/messages/{push}"} for push in stream.pushes],
        **secured,
    }


def _actions(limits: Mapping[str, RateLimit], reply: type, records: Records) -> dict[str, tuple[Schema, Schema]]:
    """Return the login message and the order actions of a private stream."""
    actions = {"login": (_request("login", _LOGIN), _reply("login", {"type": "null"}))}
    for action, limit in limits.items():
        data: Schema = {"type": "object"} if action == "cancel_orders" else records.ref(reply)
        payload = _request(action, object_schema(params_of(BY_ACTION[action])))
        payload["description"] = f"At most {limit} for each key."
        actions[action] = payload, _reply(action, {"anyOf": [data, {"type": "null"}]})
    return actions


_LOGIN: Schema = {
    "type": "object",
    "properties": {
        "apiKey": dict(TEXT),
        "timestamp": {**TEXT, "pattern": "^[0-9]{10}$", "description": "Unix seconds."},
        "sign": {**TEXT, "pattern": "^[0-9a-f]{64}$"},
        "onlyTrade": {"type": "boolean", "description": "true: no pushes on this connection."},
    },
    "required": ["apiKey", "timestamp", "sign"],
}


def _request(action: str, args: Schema) -> Schema:
    return {
        "type": "object",
        "properties": {
            "id": {"type": ["string", "integer"], "description": "Echoed by the reply."},
            "action": {**TEXT, "const": action},
            "args": args,
        },
        "required": ["action", "args"],
    }


def _reply(event: str, data: Schema) -> Schema:
    success = "0" if event == "login" else "200000"
    return {
        "type": "object",
        "properties": {
            "id": _ID,
            "event": {**TEXT, "description": f"{event}, or error for a frame that cannot be read."},
            "code": {"type": ["integer", "string"], "description": f"{success} is success; compare as an integer."},
            "msg": dict(TEXT),
            "data": data,
        },
        "required": ["id", "event", "code", "msg", "data"],
    }


def _push(channel: str, of: tuple[type, bool], records: Records) -> Schema:
    record, in_array = of
    data: Schema = records.ref(record)
    return {
        "type": "object",
        "properties": {
            "channel": {**TEXT, "const": channel},
            "instId": {**TEXT, "description": "Pair, on channels of orders and fills."},
            "data": {"type": "array", "items": data} if in_array else data,
        },
        "required": ["channel", "data"],
    }


def _public_requests() -> dict[str, tuple[Schema, Schema]]:
    arg: Schema = {
        "type": "object",
        "properties": {
            "channel": {**TEXT, "enum": [str(channel) for channel in Channel]},
            "sym": {**TEXT, "examples": ["BINANCE_PERP_BTC_USDT"]},
            "level": {"type": "integer", "enum": list(BOOK_LEVELS), "description": "Levels per side of ORDER_BOOK."},
            "interval": {**TEXT, "enum": [str(length) for length in Interval], "description": "Length of a bar."},
        },
        "required": ["channel", "sym"],
    }
    args: Schema = {"type": "array", "items": arg}
    reply: Schema = {
        "type": "object",
        "properties": {
            "event": dict(TEXT),
            "code": {"type": ["integer", "string"], "description": "0 is success."},
            "msg": dict(TEXT),
            "arg": {**args, "description": "Accepted elements."},
            "invalidArg": {**args, "description": "Refused elements."},
        },
        "required": ["event", "code", "msg"],
    }
    verbs = {
        verb: (
            {
                "type": "object",
                "properties": {"event": {**TEXT, "const": verb}, "arg": {**args, "minItems": 1}},
                "required": ["event", "arg"],
            },
            reply,
        )
        for verb in ("subscribe", "unsubscribe")
    }
    time = {"type": "integer", "description": "Time in ms."}
    ping: Schema = {"type": "object", "properties": {"ping": time}, "required": ["ping"]}
    pong: Schema = {"type": "object", "properties": {"pong": time}, "required": ["pong"]}
    return {**verbs, "ping": (ping, pong)}


def _public_push(channel: Channel, of: tuple[type | None, bool], records: Records) -> Schema:
    record, in_array = of
    data: Schema = _BAR if record is None else records.ref(record)
    arg: Schema = {
        "type": "object",
        "properties": {"channel": {**TEXT, "const": str(channel)}, "sym": dict(TEXT)},
        "required": ["channel", "sym"],
    }
    if record is None:
        arg["properties"]["interval"] = dict(TEXT)
    if record is BookPush:
        arg["properties"]["updatetype"] = {**TEXT, "enum": [str(kind) for kind in UpdateType]}
    return {
        "type": "object",
        "properties": {"arg": arg, "data": {"type": "array", "items": data} if in_array else data},
        "required": ["arg", "data"],
    }
