"""Rules about UNKNOWN orders: how long one is searched for before it is dismissed, and what a new order beside it meets."""

from __future__ import annotations

from collections.abc import Iterable

from tui.engine.limits import Limits
from tui.engine.orders.pre_trade_checks import OrderContext, Refusal, intent_closes
from tui.engine.orders.recent_sends import identify_order, identify_row
from tui.engine.rows import AlgoRow, OrderRow
from tui.engine.state.order_texts import order_text
from tui.interface import decimals

OPEN_LIST, HISTORY, EXECUTIONS = "open orders", "order history", "executions"
SOURCES = (OPEN_LIST, HISTORY, EXECUTIONS)
"""Lists searched for an order besides the query by id."""
ALGO_SOURCES = (OPEN_LIST, HISTORY)
"""Lists searched for an algo order, which has no executions of its own."""


def check_unknown_orders(
    order: OrderContext, unknown: Iterable[OrderRow], now: float, limits: Limits
) -> Refusal | None:
    """Refuse or question a new order while another on its pair, side and leg is UNKNOWN: both may arrive.

    Args:
        order: New order.
        unknown: UNKNOWN orders.
        now: Monotonic time, s.
        limits: Limits of the desk.
    """
    same, intent = identify_order(order), order.intent
    rows = [
        row
        for row in unknown
        if (row.sym, row.side, row.position_side) == (intent.sym, intent.side, intent.position_side)
    ]
    for row in rows:
        before = identify_row(row)
        if not same.is_same(before):
            continue
        price = before.price
        at = "" if price in (None, same.price) else f" at {decimals.format_grouped(price, order.terms.tick)}"
        text = f"the same order{at} is UNKNOWN for {now - row.since:.0f} s"
        if early := dismissal_block_reason(row, limits, now):
            return Refusal("UNKNOWN_PENDING", f"{text}; a new attempt is {early}; or write another price or size")
        both = f"2 x {row.qty}" if before.qty == same.qty else f"{row.qty} + {decimals.plain(order.figures.qty)}"
        return Refusal("UNKNOWN_PENDING", f"{text} and may still arrive: exposure up to {both}", ask=True)
    rows = [left for row in rows if (left := row.without_filled()) is not None]
    if not rows or intent_closes(intent):
        return None
    listed = " and ".join(order_text(row, order.terms.tick) for row in rows[:2])
    more = f" and {len(rows) - 2} more" if len(rows) > 2 else ""
    return Refusal("UNKNOWN_BESIDE", f"UNKNOWN, and may arrive as well: {listed}{more}", ask=True)


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
