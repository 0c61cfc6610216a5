"""The envelopes of REST answers, stream requests, replies and pushes, and the bounds of what is read."""

from __future__ import annotations

from functools import cache

import msgspec

MAX_FRAME = 8 * 1024 * 1024
"""Largest inbound message at the client, after decompression, in bytes."""

MAX_REQUEST_FRAME = 1024 * 1024
"""Largest inbound stream frame at the venue, in bytes."""

MAX_BODY = 64 * 1024
"""Largest REST body at the venue, in bytes."""

PING = "ping"
PONG = "pong"


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A REST answer as read: code as number or text, either name of the message."""

    code: int | str
    message: str | None = None
    msg: str | None = None
    data: msgspec.Raw = msgspec.Raw(b"null")

    @property
    def number(self) -> int:
        """The code as an integer; -1 when it is a text that is no number."""
        return code_number(self.code)

    @property
    def text(self) -> str:
        return self.message or self.msg or ""


class StreamReply(msgspec.Struct, frozen=True, kw_only=True):
    """Anything the private stream sends: a reply has `event`, a push has `channel`."""

    id: str | int | None = None
    event: str = ""
    code: int | str | None = None
    msg: str | None = None
    message: str | None = None
    channel: str = ""
    data: msgspec.Raw = msgspec.Raw(b"null")

    @property
    def number(self) -> int:
        return -1 if self.code is None else code_number(self.code)

    @property
    def text(self) -> str:
        return self.msg or self.message or ""


class LoginArgs(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Arguments of a stream login; `timestamp` is Unix seconds as text."""

    api_key: str
    timestamp: str
    sign: str
    only_trade: bool | str = False


class ActionReply(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Data of a successful order action; which keys stand in it depends on the action."""

    order_id: str = ""
    client_order_id: str = ""
    order_state: str = ""
    action: str = ""
    action_msg: str = ""


class PublicArg(msgspec.Struct, frozen=True, kw_only=True):
    """What a public subscription or push is about."""

    channel: str = ""
    sym: str = ""
    inst_id: str = msgspec.field(default="", name="instId")
    interval: str = ""
    updatetype: str = ""
    level: int | str | None = None

    @property
    def symbol(self) -> str:
        return self.sym or self.inst_id


def code_number(code: int | str) -> int:
    """A code sent as number or as text; -1 for a text that is no number."""
    if isinstance(code, int):
        return code
    return int(code) if code.isascii() and code.isdigit() and len(code) < 10 else -1


def without_fields(record: msgspec.Struct, *fields: str) -> dict[str, object]:
    """A record as it is printed where some of its fields do not exist (REST rows lack what only pushes carry)."""
    shown: dict[str, object] = msgspec.to_builtins(record)
    for spelled in _wire_names(type(record), fields):
        shown.pop(spelled, None)
    return shown


@cache
def _wire_names(record: type[msgspec.Struct], fields: tuple[str, ...]) -> list[str]:
    pairs = zip(record.__struct_fields__, record.__struct_encode_fields__, strict=True)
    return [spelled for name, spelled in pairs if name in fields]
