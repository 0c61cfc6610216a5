"""Mandates in words, for event lines, the screen of programs and the command line."""

from __future__ import annotations

from tui.engine.status_rows import MandateRow
from tui.interface.symbols import pair_name

_SIDES = {"BUY": "buy", "SELL": "sell", "BOTH": "buy and sell"}


def describe(row: MandateRow) -> str:
    """Describe the terms of a mandate: `buy and sell BINANCE BTC perp, 500 an order, 1000 held, 9000 traded, …`."""
    pairs = ", ".join(map(pair_name, row.pairs))
    return (
        f"{_SIDES[row.side]} {pairs}, {row.order_value} an order, {row.position_value} held, {row.traded_value} traded,"
        f" loss {row.loss}, {row.orders_per_minute} a minute, for {describe_time(row.seconds)}"
    )


def describe_time(seconds: float) -> str:
    """Describe a duration: `45 s`, `10 min`, `2 h`, `1 h 30 min`."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    hours, minutes = divmod(whole // 60, 60)
    parts = [f"{hours} h"] * bool(hours) + [f"{minutes} min"] * bool(minutes)
    return " ".join(parts)
