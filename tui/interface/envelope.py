"""Envelopes of REST answers, stream requests, replies and pushes, bounds of what is read, and words of a deployment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, cached_property

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


class PlaceReply(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Reply to an accepted order: its ids."""

    order_id: str = ""
    client_order_id: str = ""


class ActionReply(PlaceReply, frozen=True, kw_only=True, rename="camel"):
    """Reply to a replace or cancel that is under way."""

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


class Words:
    """Words that a deployment spells in its own way: segments of paths, and values such as types of accounts and pools.

    Both are mapped at the edge of the transport, per whole segment and per whole value; the program knows neutral words.
    """

    def __init__(self, own: Mapping[str, str]) -> None:
        """
        Args:
            own: Word of the deployment by neutral word; empty: they are the same.
        """
        self._own = dict(own)
        self._neutral = {word: neutral for neutral, word in self._own.items()}

    def spelled(self, text: str) -> str:
        """A neutral word as the deployment spells it."""
        return self._own.get(text, text)

    def neutral(self, text: str) -> str:
        """A word of the deployment as a neutral one; a neutral word that it spells otherwise is no word of it."""
        found = self._neutral.get(text)
        if found is not None:
            return found
        return f"{text}?" if text in self._own else text

    def path(self, path: str) -> str:
        """A path as the deployment spells it."""
        return "/".join(self.spelled(part) for part in path.split("/")) if self._own else path

    def neutral_path(self, path: str) -> str:
        """The neutral form of a path of the deployment."""
        return "/".join(self.neutral(part) for part in path.split("/")) if self._own else path

    def values(self, params: Mapping[str, str]) -> dict[str, str]:
        """Parameters as the deployment spells their values; of a comma list each one."""
        return {name: ",".join(self.spelled(part) for part in text.split(",")) for name, text in params.items()}

    def neutral_values(self, params: Mapping[str, str]) -> dict[str, str]:
        """Parameters with neutral values."""
        return {name: ",".join(self.neutral(part) for part in text.split(",")) for name, text in params.items()}

    def body(self, body: bytes) -> bytes:
        """An answer as the deployment spells the texts in it; numbers keep every digit, names of fields stay."""
        return _replace_words(body, self._to_deployment, self._own) if self._own else body

    def neutral_body(self, body: bytes) -> bytes:
        """An answer of the deployment with neutral texts."""
        return _replace_words(body, self._from_deployment, self._neutral) if self._own else body

    @cached_property
    def _to_deployment(self) -> re.Pattern[bytes]:
        return _pattern(self._own)

    @cached_property
    def _from_deployment(self) -> re.Pattern[bytes]:
        return _pattern(self._neutral)


def _pattern(words: Mapping[str, str]) -> re.Pattern[bytes]:
    """Finds a whole text of a JSON document that is one of the words, and is not the name of a field."""
    texts = b"|".join(re.escape(msgspec.json.encode(word)) for word in sorted(words))
    return re.compile(rb"(?<!\\)(" + texts + rb")(?!\s*:)")


def _replace_words(body: bytes, pattern: re.Pattern[bytes], words: Mapping[str, str]) -> bytes:
    return pattern.sub(lambda found: msgspec.json.encode(words[msgspec.json.decode(found[0], type=str)]), body)
