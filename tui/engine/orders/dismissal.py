"""How long an UNKNOWN order must have been looked for before the trader may treat it as gone."""

from __future__ import annotations

from tui.engine.limits import Limits
from tui.engine.rows import OrderRow

OPEN_LIST, HISTORY, EXECUTIONS = "open orders", "order history", "executions"
SOURCES = (OPEN_LIST, HISTORY, EXECUTIONS)
"""Where an order is looked for beside the query by its id."""


def dismissal_block_reason(row: OrderRow, limits: Limits, now: float) -> str:
    """What is still missing and when it can be there at the earliest, or an empty text: the trader may decide.

    Args:
        row: The UNKNOWN order.
        limits: How many rounds over which time must have found nothing.
        now: Monotonic time, s.
    """
    rounds, over = row.not_found, row.not_found_last - row.not_found_first
    silent = [source for source in SOURCES if source not in row.answered]
    if rounds >= limits.new_attempt_rounds and over >= limits.new_attempt_age and not silent:
        return ""
    text = (
        f"possible once {limits.new_attempt_rounds} rounds over {limits.new_attempt_age:g} s found nothing"
        f" (so far {rounds} over {over:.0f} s)"
    )
    if silent:
        text += f" and {', '.join(silent)} answered"
    since = now - row.not_found_first if rounds else 0.0
    wait = limits.new_attempt_age - since
    return f"{text}; in {wait:.0f} s at the earliest" if wait >= 0.5 else f"{text}; with the next answers"
