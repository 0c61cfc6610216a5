"""Envelopes of REST responses, stream replies and pushes; size limits; spellings that differ between deployments."""

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
    """REST response envelope: the code may be a number or text, the message has one of two field names."""

    code: int | str
    message: str | None = None
    msg: str | None = None
    data: msgspec.Raw = msgspec.Raw(b"null")

    @property
    def number(self) -> int:
        """Code as an integer; -1 for a text that is no number."""
        return parse_code(self.code)

    @property
    def text(self) -> str:
        return self.message or self.msg or ""


class StreamReply(msgspec.Struct, frozen=True, kw_only=True):
    """Message of the private stream: a reply has the field `event`, a push has `channel`."""

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
    """Reply to an accepted order, with its ids."""

    order_id: str = ""
    client_order_id: str = ""


class ActionReply(PlaceReply, frozen=True, kw_only=True, rename="camel"):
    """Reply to an accepted replace or cancel, which takes effect later."""

    order_state: str = ""
    action: str = ""
    action_msg: str = ""


class PublicArg(msgspec.Struct, frozen=True, kw_only=True):
    """Channel and pair of a public subscription or push."""

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
    """Parse a code sent as number or text; -1 for a text that is no number."""
    if isinstance(code, int):
        return code
    return int(code) if code.isascii() and code.isdigit() and len(code) < 10 else -1


def drop_fields(record: msgspec.Struct, *fields: str) -> dict[str, object]:
    """Return a record as a dictionary without the given fields, for example without those that only pushes have."""
    shown: dict[str, object] = msgspec.to_builtins(record)
    for name in _wire_names(type(record), fields):
        shown.pop(name, None)
    return shown


@cache
def _wire_names(record: type[msgspec.Struct], fields: tuple[str, ...]) -> list[str]:
    pairs = zip(record.__struct_fields__, record.__struct_encode_fields__, strict=True)
    return [wire_name for name, wire_name in pairs if name in fields]


class Spellings:
    """Deployment-specific spellings of path segments and of values such as account types and pools.

    The transport maps whole segments and whole values; the rest of the program uses the neutral words.
    """

    def __init__(self, own: Mapping[str, str]) -> None:
        """Map neutral words of path segments and values to those of the deployment, and back.

        Args:
            own: Word of the deployment by neutral word; empty when they are the same.
        """
        self._own = dict(own)
        self._neutral = {word: neutral for neutral, word in self._own.items()}

    def to_deployment(self, text: str) -> str:
        """Translate a standard word to the deployment's spelling."""
        return self._own.get(text, text)

    def to_neutral(self, text: str) -> str:
        """Translate a deployment's word to the standard one; a standard word the deployment spells otherwise gets a `?`."""
        neutral = self._neutral.get(text)
        if neutral is not None:
            return neutral
        return f"{text}?" if text in self._own else text

    def translate_path(self, path: str) -> str:
        """Translate a path to the deployment's spelling."""
        return "/".join(self.to_deployment(part) for part in path.split("/")) if self._own else path

    def neutral_path(self, path: str) -> str:
        """Translate a deployment's path to standard words."""
        return "/".join(self.to_neutral(part) for part in path.split("/")) if self._own else path

    def translate_values(self, params: Mapping[str, str]) -> dict[str, str]:
        """Translate parameter values to the deployment's spelling, each item of a comma-separated list on its own."""
        return {name: ",".join(self.to_deployment(part) for part in text.split(",")) for name, text in params.items()}

    def neutral_values(self, params: Mapping[str, str]) -> dict[str, str]:
        """Translate parameter values to standard words."""
        return {name: ",".join(self.to_neutral(part) for part in text.split(",")) for name, text in params.items()}

    def translate_body(self, body: bytes) -> bytes:
        """Translate the text values of a response to the deployment's spelling; field names stay unchanged."""
        return _translate_texts(body, self._to_deployment, self._own) if self._own else body

    def neutral_body(self, body: bytes) -> bytes:
        """Translate the text values of a deployment's response to standard words."""
        return _translate_texts(body, self._from_deployment, self._neutral) if self._own else body

    @cached_property
    def _to_deployment(self) -> re.Pattern[bytes]:
        return _pattern(self._own)

    @cached_property
    def _from_deployment(self) -> re.Pattern[bytes]:
        return _pattern(self._neutral)


def _pattern(words: Mapping[str, str]) -> re.Pattern[bytes]:
    """Compile a pattern that matches JSON strings equal to one of the words, but not field names."""
    texts = b"|".join(re.escape(msgspec.json.encode(word)) for word in sorted(words))
    return re.compile(rb"(?<!\\)(" + texts + rb")(?!\s*:)")


def _translate_texts(body: bytes, pattern: re.Pattern[bytes], words: Mapping[str, str]) -> bytes:
    return pattern.sub(lambda match: msgspec.json.encode(words[msgspec.json.decode(match[0], type=str)]), body)
