"""Rule for dismissing an UNKNOWN order or algo order: it must have been searched for long enough."""

from __future__ import annotations

from tui.engine.limits import Limits
from tui.engine.rows import AlgoRow, OrderRow

OPEN_LIST, HISTORY, EXECUTIONS = "open orders", "order history", "executions"
SOURCES = (OPEN_LIST, HISTORY, EXECUTIONS)
"""Lists searched for an order besides the query by id."""
ALGO_SOURCES = (OPEN_LIST, HISTORY)
"""Lists searched for an algo order, which has no executions of its own."""


def dismissal_block_reason(row: OrderRow | AlgoRow, limits: Limits, now: float) -> str:
    """Explain why an order cannot be dismissed yet, and when it can; an empty text allows it.

    Args:
        row: The UNKNOWN order.
        limits: Required not-found rounds, and the time they must cover.
        now: Monotonic time, s.
    """
    rounds, over = row.not_found, row.not_found_last - row.not_found_first
    silent = [source for source in _sources(row) if source not in row.answered]
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


def _sources(row: OrderRow | AlgoRow) -> tuple[str, ...]:
    return ALGO_SOURCES if isinstance(row, AlgoRow) else SOURCES
