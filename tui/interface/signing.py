"""Request signatures of both API versions: canonical message, HMAC, and the text form of values."""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from tui.crossdesk_error import CrossdeskError
from tui.interface.text import MAX_NESTING, is_plain

NONCE_WINDOW_S = 60
"""Largest distance of a request's nonce from the clock of the service, s."""
V1_WINDOW_S = 300
"""Largest distance of a V1 request's timestamp from the clock of the service, s."""
V1_FAMILIES = frozenset(["assets", "custody", "transfers", "deposits", "withdrawals"])
"""Families that V1 keys reach: DMA sub-accounts, the Funding Account, deposits and withdrawals."""
LOGIN_TAIL = "GET/users/self/verify"
"""Text after the timestamp in the message of a stream login."""


class BadBody(CrossdeskError, ValueError):
    """Error for a request body that cannot be signed: no JSON, no object, or a repeated key."""

    title = "Request body not readable"


def canonical(params: Mapping[str, str], nonce: str) -> str:
    """Build the message to sign: raw values, keys sorted by code point, then `&` and the nonce (whole seconds)."""
    return "&".join(f"{key}={params[key]}" for key in sorted(params)) + "&" + nonce


def sign(secret: str, message: str) -> str:
    """Return the HMAC-SHA256 of a message, 64 lower-case hex characters."""
    return hmac.digest(secret.encode(), message.encode(), "sha256").hex()


def sign_request(secret: str, params: Mapping[str, str], nonce: str) -> str:
    """Sign the parameters of a call and its nonce (whole seconds); 64 lower-case hex characters."""
    return sign(secret, canonical(params, nonce))


def sign_v1(secret: str, params: Mapping[str, str]) -> str:
    """Sign a V1 request: all non-empty parameters including key and timestamp, no nonce."""
    return sign(secret, "&".join(f"{key}={params[key]}" for key in sorted(params) if key != "sign" and params[key]))


def v1_timestamp(second: int) -> str:
    """Format a Unix time (seconds) for V1 signing: UTC without a time zone."""
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def sign_login(secret: str, timestamp: str) -> str:
    """Sign a stream login; `timestamp` is Unix seconds as text."""
    return sign(secret, timestamp + LOGIN_TAIL)


def signatures_match(left: str, right: str) -> bool:
    """Compare two signatures in constant time."""
    return hmac.compare_digest(left.encode(errors="replace"), right.encode(errors="replace"))


class Token(str):
    """JSON number in its literal text, so that `1.0` is signed exactly as it was sent."""


def _unique_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique: dict[str, Any] = {}
    for key, value in pairs:
        if key in unique:
            raise BadBody(f"key {key[:40]!r} occurs twice")
        unique[key] = value
    return unique


def _reject_constant(text: str) -> Any:
    raise BadBody(f"{text} is not a JSON number")


def to_signed_text(body: bytes) -> dict[str, str]:
    """Convert a JSON body to its parameters in the text form that is signed.

    Numbers keep their literal token, booleans become `true` and `false`, null leaves the key out, arrays join by comma.

    Raises:
        BadBody: The body is not a JSON object, is nested too deep, or repeats a key.
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


def list_null_names(body: bytes) -> list[str]:
    """List the keys in a JSON body whose value is null, which `to_signed_text` leaves out."""
    return [name for name, value in json.loads(body).items() if value is None] if body.strip() else []


def text_of(value: Any) -> str:
    """Return the text form of a value for signing.

    Raises:
        BadBody: The value is an object, which no parameter is.
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
    """Return the headers of a signed REST call."""
    return {
        "X-MBX-APIKEY": key,
        "nonce": nonce,
        "signature": signature,
        **plain_headers(),
    }


def plain_headers() -> dict[str, str]:
    """Return the headers that every call has, signed or not."""
    return {"Content-Type": "application/json", "Accept-Encoding": "identity"}
