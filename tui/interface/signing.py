"""Signatures of both generations: canonical message, its HMAC, and the text form of values."""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from tui.crossdesk_error import CrossdeskError
from tui.interface.text import MAX_NESTING, is_plain

NONCE_WINDOW_S = 60
"""How far the nonce of a signed request may be off the clock of the service, s."""
V1_WINDOW_S = 300
"""The same of the timestamp of a request signed by the first generation, s."""
V1_FAMILIES = frozenset(["assets", "custody", "transfers", "deposits", "withdrawals"])
"""What the first generation reaches: DMA sub-accounts, the Funding Account, and money that goes in and out."""
LOGIN_TAIL = "GET/users/self/verify"
"""What follows the timestamp in the message of a stream login."""


class BadBody(CrossdeskError, ValueError):
    """A request body that cannot be signed: not JSON, not an object, or a key twice."""

    title = "Request body not readable"


def canonical(params: Mapping[str, str], nonce: str) -> str:
    """The message of a request: raw values, keys ascending by code point, then `&` and the nonce (whole seconds)."""
    return "&".join(f"{key}={params[key]}" for key in sorted(params)) + "&" + nonce


def sign(secret: str, message: str) -> str:
    """Lower-case hex HMAC-SHA256, 64 characters."""
    return hmac.digest(secret.encode(), message.encode(), "sha256").hex()


def sign_request(secret: str, params: Mapping[str, str], nonce: str) -> str:
    return sign(secret, canonical(params, nonce))


def sign_v1(secret: str, params: Mapping[str, str]) -> str:
    """Signature of the first generation: every parameter with a value, key and timestamp among them, no nonce behind."""
    return sign(secret, "&".join(f"{key}={params[key]}" for key in sorted(params) if key != "sign" and params[key]))


def v1_timestamp(second: int) -> str:
    """A Unix second as the first generation writes it: UTC without a zone."""
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def sign_login(secret: str, timestamp: str) -> str:
    """Signature of a login frame; `timestamp` is Unix seconds as text."""
    return sign(secret, timestamp + LOGIN_TAIL)


def signatures_match(left: str, right: str) -> bool:
    """Compare two signatures in constant time."""
    return hmac.compare_digest(left.encode(errors="replace"), right.encode(errors="replace"))


class Token(str):
    """The literal text of a JSON number, so that `1.0` is signed as it was sent."""


def _unique_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise BadBody(f"key {key[:40]!r} occurs twice")
        found[key] = value
    return found


def _reject_constant(text: str) -> Any:
    raise BadBody(f"{text} is not a JSON number")


def to_signed_text(body: bytes) -> dict[str, str]:
    """The parameters of a JSON body in the text form that is signed and read.

    Numbers keep their literal token, booleans become `true` and `false`, null leaves the key out, arrays join by comma.

    Raises:
        BadBody: the body is not a JSON object, is nested too deep, or repeats a key.
    """
    if not body.strip():
        return {}
    try:
        value = json.loads(
            body, parse_float=Token, parse_int=Token, parse_constant=_reject_constant, object_pairs_hook=_unique_pairs
        )
    except BadBody:
        raise
    except (ValueError, RecursionError) as error:
        raise BadBody("the body is not JSON") from error
    if not isinstance(value, dict):
        raise BadBody("the body is not a JSON object")
    if not is_plain(value):
        raise BadBody(f"the body is nested deeper than {MAX_NESTING}, or a text in it is not Unicode")
    return {key: text_of(item) for key, item in value.items() if item is not None}


def null_names(body: bytes) -> list[str]:
    """Names in a JSON body that `signed_values` accepted, which it leaves out because their value is null."""
    return [name for name, value in json.loads(body).items() if value is None] if body.strip() else []


def text_of(value: Any) -> str:
    """The text form of one value as it is signed.

    Raises:
        BadBody: an object, which no parameter is.
    """
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        return ",".join(text_of(item) for item in value)
    raise BadBody("a parameter is a text, a number, a boolean or a list")


def auth_headers(key: str, nonce: str, signature: str) -> dict[str, str]:
    """Headers of a signed REST call."""
    return {
        "X-MBX-APIKEY": key,
        "nonce": nonce,
        "signature": signature,
        **plain_headers(),
    }


def plain_headers() -> dict[str, str]:
    """Headers of every call."""
    return {"Content-Type": "application/json", "Accept-Encoding": "identity"}
