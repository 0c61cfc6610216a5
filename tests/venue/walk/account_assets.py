"""Account Assets V2."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.venue.walk.world import Params, World

VALID: Mapping[str, Callable[[World], Params]] = {
    "assets_trading_account": lambda world: {"id": str(world.venue.ready["keys"][0]["portfolioId"])},
    "assets_distribution": lambda world: {"primeType": "PORTFOLIO"},
}
