"""Envelopes of REST answers, stream requests, replies and pushes, size limits, and spellings of a deployment."""

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
    """REST answer as read: code as number or text, message under either name."""

    code: int | str
    message: str | None = None
    msg: str | None = None
    data: msgspec.Raw = msgspec.Raw(b"null")

    @property
    def number(self) -> int:
        """Code as an integer; -1 when it is a text that is no number."""
        return parse_code(self.code)

    @property
    def text(self) -> str:
        return self.message or self.msg or ""


class StreamReply(msgspec.Struct, frozen=True, kw_only=True):
    """Message of the private stream: a reply has `event`, a push has `channel`."""

    id: str | int | None = None
    event: str = ""
    code: int | str | None = None
    msg: str | None = None
    message: str | None = None
    channel: str = ""
    data: msgspec.Raw = msgspec.Raw(b"null")

    @property
    def number(self) -> int:
        return -1 if self.code is None else parse_code(self.code)

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
    """Subject of a public subscription or push."""

    channel: str = ""
    sym: str = ""
    inst_id: str = msgspec.field(default="", name="instId")
    interval: str = ""
    updatetype: str = ""
    level: int | str | None = None

    @property
    def symbol(self) -> str:
        return self.sym or self.inst_id


def parse_code(code: int | str) -> int:
    """Parse a code sent as number or as text; -1 for a text that is no number."""
    if isinstance(code, int):
        return code
    return int(code) if code.isascii() and code.isdigit() and len(code) < 10 else -1


def drop_fields(record: msgspec.Struct, *fields: str) -> dict[str, object]:
    """Return a record as printed without some of its fields, such as those that only pushes carry."""
    shown: dict[str, object] = msgspec.to_builtins(record)
    for name in _wire_names(type(record), fields):
        shown.pop(name, None)
    return shown


@cache
def _wire_names(record: type[msgspec.Struct], fields: tuple[str, ...]) -> list[str]:
    pairs = zip(record.__struct_fields__, record.__struct_encode_fields__, strict=True)
    return [wire_name for name, wire_name in pairs if name in fields]


class Spellings:
    """Spellings of a deployment for segments of paths and for values such as types of accounts and pools.

    The transport maps whole segments and whole values; the rest of the program uses the neutral words.
    """

    def __init__(self, own: Mapping[str, str]) -> None:
        """Build both directions of the mapping.

        Args:
            own: Word of the deployment by neutral word; empty when they are the same.
        """
        self._own = dict(own)
        self._neutral = {word: neutral for neutral, word in self._own.items()}

    def to_deployment(self, text: str) -> str:
        """Translate a neutral word to the spelling of the deployment."""
        return self._own.get(text, text)

    def to_neutral(self, text: str) -> str:
        """Translate a word of the deployment to the neutral one; a neutral word that it spells otherwise gets a `?`."""
        neutral = self._neutral.get(text)
        if neutral is not None:
            return neutral
        return f"{text}?" if text in self._own else text

    def translate_path(self, path: str) -> str:
        """Translate a path to the spelling of the deployment."""
        return "/".join(self.to_deployment(part) for part in path.split("/")) if self._own else path

    def neutral_path(self, path: str) -> str:
        """Translate a path of the deployment to neutral words."""
        return "/".join(self.to_neutral(part) for part in path.split("/")) if self._own else path

    def translate_values(self, params: Mapping[str, str]) -> dict[str, str]:
        """Translate the values of parameters to the spelling of the deployment; each part of a comma list on its own."""
        return {name: ",".join(self.to_deployment(part) for part in text.split(",")) for name, text in params.items()}

    def neutral_values(self, params: Mapping[str, str]) -> dict[str, str]:
        """Translate the values of parameters to neutral words."""
        return {name: ",".join(self.to_neutral(part) for part in text.split(",")) for name, text in params.items()}

    def translate_body(self, body: bytes) -> bytes:
        """Translate the texts of an answer to the spelling of the deployment; numbers and field names stay as they are."""
        return _translate_texts(body, self._to_deployment, self._own) if self._own else body

    def neutral_body(self, body: bytes) -> bytes:
        """Translate the texts of an answer of the deployment to neutral words."""
        return _translate_texts(body, self._from_deployment, self._neutral) if self._own else body

    @cached_property
    def _to_deployment(self) -> re.Pattern[bytes]:
        return _pattern(self._own)

    @cached_property
    def _from_deployment(self) -> re.Pattern[bytes]:
        return _pattern(self._neutral)


def _pattern(words: Mapping[str, str]) -> re.Pattern[bytes]:
    """Compile a pattern for whole texts of a JSON document that are one of the words and no field name."""
    texts = b"|".join(re.escape(msgspec.json.encode(word)) for word in sorted(words))
    return re.compile(rb"(?<!\\)(" + texts + rb")(?!\s*:)")


def _translate_texts(body: bytes, pattern: re.Pattern[bytes], words: Mapping[str, str]) -> bytes:
    return pattern.sub(lambda match: msgspec.json.encode(words[msgspec.json.decode(match[0], type=str)]), body)
