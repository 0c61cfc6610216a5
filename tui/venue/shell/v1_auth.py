"""V1 authentication, when the switch `v1` allows it: only for V1 keys and the account endpoints."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum

from tui.interface import signing
from tui.interface.endpoint import Endpoint
from tui.venue.shell.keys import ErrorReply, Key, Keyring

_TIMESTAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}")


class V1Credentials(StrEnum):
    """Query parameters of V1 authentication that contain key and signature."""

    KEY = "apiKey"
    TIMESTAMP = "timestamp"
    SIGN = "sign"


def is_signed(query: Mapping[str, str]) -> bool:
    """Report whether a request is signed with V1."""
    return all(name in query for name in V1Credentials)


def call_parameters(query: Mapping[str, str], body: Mapping[str, str]) -> dict[str, str]:
    """Return the call's own parameters from query and body, without those of the signature."""
    return {name: text for name, text in {**query, **body}.items() if name not in tuple(V1Credentials)}


def check(
    keyring: Keyring,
    endpoint: Endpoint,
    query: Mapping[str, str],
    body: Mapping[str, str],
    *,
    address: str,
    wall_s: float,
) -> Key | ErrorReply:
    """Check the V1 signature of a request; return its API key or the first error."""
    key = keyring.find_older(query[V1Credentials.KEY])
    if key is None:
        return ErrorReply(1003, "API key not found")
    if key.frozen:
        return ErrorReply(100041, "the apiKey is frozen")
    if not key.accepts(address):
        return ErrorReply(1007, f"address {address} is not on the list of the apiKey")
    refusal = _refuse_time(query[V1Credentials.TIMESTAMP], wall_s)
    if refusal is not None:
        return refusal
    signed = signing.sign_v1(key.api_secret, {**query, **body})
    if not signing.signatures_match(signed, query[V1Credentials.SIGN].lower()):
        return ErrorReply(1004, "the signature is wrong")
    if (
        endpoint.family not in signing.V1_FAMILIES
        or key.scope not in endpoint.scopes
        or not key.may(endpoint.permission)
    ):
        return ErrorReply(2003, "no access permission")
    return key


def _refuse_time(text: str, wall_s: float) -> ErrorReply | None:
    """Reject a timestamp that is malformed or too far from the server time; it is part of the signed message."""
    try:
        at = datetime.fromisoformat(text).replace(tzinfo=UTC) if _TIMESTAMP.fullmatch(text) else None
    except ValueError:
        at = None
    if at is None:
        return ErrorReply(
            1004, f"timestamp {text[:40]!r} is not accepted; it must be UTC, for example 2026-07-02T03:30:00"
        )
    off = at.timestamp() - wall_s
    if abs(off) > signing.V1_WINDOW_S:
        accepted = f"accepted is within {signing.V1_WINDOW_S} s"
        return ErrorReply(1004, f"timestamp is {off:+.0f} s off the server clock; {accepted}")
    return None
