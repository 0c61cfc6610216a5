"""REST read for screens within the rate limits: tried twice, and refused if it would have to wait long."""

from __future__ import annotations

from collections.abc import Mapping

from tui.client.rest import CallFailed, Reply, Rest
from tui.interface.endpoint import Endpoint
from tui.interface.errors import ErrorClass
from tui.interface.text import how_many

ATTEMPTS = 2
"""Attempts per page."""
LONGEST_WAIT_S = 30.0
"""Longest wait for the rate limit, s; a longer one fails and tells when the limit is free."""


async def call_within_limit(rest: Rest, endpoint: Endpoint, params: Mapping[str, str]) -> Reply:
    """Call a read endpoint without the reserved share of its rate limit; fail instead of waiting long.

    Raises:
        CallFailed: Refused, lost twice, or delayed too long.
    """
    wait = rest.wait_for_limit_s(endpoint)
    if wait > LONGEST_WAIT_S:
        text = f"the limit of {endpoint.limit} is used up; free in {how_many(int(wait / 60) + 1, 'minute')}"
        raise CallFailed(ErrorClass.RATE, text)
    return await rest.call(endpoint, params, attempts=ATTEMPTS)
