"""Authentication of the first generation: for older keys and the account families alone, by the switch `v1`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum

from tui.interface import signing
from tui.interface.endpoint import Endpoint
from tui.venue.shell.keys import ErrorReply, Key, Keyring

_TIMESTAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}")


class Carried(StrEnum):
    """Parameters of the query that carry key and signature."""

    KEY = "apiKey"
    TIMESTAMP = "timestamp"
    SIGN = "sign"


def is_signed(query: Mapping[str, str]) -> bool:
    """Whether a request is signed by the first generation."""
    return all(name in query for name in Carried)


def parameters(query: Mapping[str, str], body: Mapping[str, str]) -> dict[str, str]:
    """The parameters of the call itself: query and body together, without those that carry the signature."""
    return {name: text for name, text in {**query, **body}.items() if name not in tuple(Carried)}


def check(
    keyring: Keyring,
    endpoint: Endpoint,
    query: Mapping[str, str],
    body: Mapping[str, str],
    *,
    address: str,
    wall_s: float,
) -> Key | ErrorReply:
    """The key of a request, or why it is refused: key, address, timestamp, signature, family and level, permission."""
    key = keyring.find_older(query[Carried.KEY])
    if key is None:
        return ErrorReply(1003, "API key not found")
    if key.frozen:
        return ErrorReply(100041, "the apiKey is frozen")
    if not key.accepts(address):
        return ErrorReply(1007, f"address {address} is not on the list of the apiKey")
    late = _refuse_time(query[Carried.TIMESTAMP], wall_s)
    if late is not None:
        return late
    signed = signing.sign_v1(key.api_secret, {**query, **body})
    if not signing.signatures_match(signed, query[Carried.SIGN].lower()):
        return ErrorReply(1004, "the signature is wrong")
    if (
        endpoint.family not in signing.V1_FAMILIES
        or key.scope not in endpoint.scopes
        or not key.may(endpoint.permission)
    ):
        return ErrorReply(2003, "no access permission")
    return key


def _refuse_time(text: str, wall_s: float) -> ErrorReply | None:
    """Why a timestamp is not accepted; it is part of what is signed."""
    try:
        at = datetime.fromisoformat(text).replace(tzinfo=UTC) if _TIMESTAMP.fullmatch(text) else None
    except ValueError:
        at = None
    if at is None:
        return ErrorReply(1004, f"timestamp {text[:40]!r} is not accepted; it is UTC, for example 2026-07-02T03:30:00")
    off = at.timestamp() - wall_s
    if abs(off) > signing.V1_WINDOW_S:
        accepted = f"accepted is within {signing.V1_WINDOW_S} s"
        return ErrorReply(1004, f"timestamp is {off:+.0f} s off the server clock; {accepted}")
    return None
