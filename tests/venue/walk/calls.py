"""For each row a call that the venue accepts, and what shows that a command was carried out.

To add a row: its parameters in `VALID` of the file of its family, where it needs any, and, if it changes something, what
shows that in `EFFECTS` there; then `python -m tests.venue.walk`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.venue.walk import account_assets, funds, loans, portfolios, trading
from tests.venue.walk.world import Params, World

VALID: Mapping[str, Callable[[World], Params]] = {
    **trading.VALID,
    **portfolios.VALID,
    **funds.VALID,
    **account_assets.VALID,
    **loans.VALID,
}
"""Parameters of a call that is accepted, by row; others are called without any."""
EFFECTS: Mapping[str, Callable[[World, Params, Any], None]] = {
    **trading.EFFECTS,
    **portfolios.EFFECTS,
    **funds.EFFECTS,
    **loans.EFFECTS,
}
"""What shows that a command was carried out, by row."""
