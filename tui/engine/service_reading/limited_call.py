"""A read for the screen: tried twice, and not made at all where the limit would hold it back for long."""

from __future__ import annotations

from collections.abc import Mapping

from tui.client.rest import CallFailed, Reply, Rest
from tui.interface.endpoint import Endpoint
from tui.interface.errors import ErrorClass
from tui.interface.text import how_many

ATTEMPTS = 2
"""How often one page is tried."""
LONGEST_WAIT_S = 30.0
"""A call that the limit holds back for longer is not made; the trader is told when it is free."""


async def call_within_limit(rest: Rest, endpoint: Endpoint, params: Mapping[str, str]) -> Reply:
    """Call a reading row; it uses no share of the limits that is kept for queries about orders.

    Raises:
        CallFailed: refused, lost twice, or held back for too long.
    """
    wait = rest.wait_for_limit_s(endpoint)
    if wait > LONGEST_WAIT_S:
        text = f"the limit of {endpoint.limit} is used up; free in {how_many(int(wait / 60) + 1, 'minute')}"
        raise CallFailed(ErrorClass.RATE, text)
    return await rest.call(endpoint, params, attempts=ATTEMPTS)
