"""Words for orders in event lines and questions: size, price, origin, state, fills and fees."""

from __future__ import annotations

from decimal import Decimal

from tui.engine.event_line import Level
from tui.engine.rows import OrderRow
from tui.interface import decimals
from tui.interface.families.orders import Origin
from tui.interface.symbols import amount_text

BY_TRADERS = ("", Origin.DMA.value, Origin.REPLACE.value)
"""Origins of orders sent by traders; all others are created by the venue."""
_STATE_WORDS = {"NEW": "accepted"}
"""Words for states in event lines."""


def origin_text(row: OrderRow) -> tuple[Level, str]:
    """Return the severity and a description of who sent an order that neither this program nor an algo order sent."""
    if row.origin not in BY_TRADERS:
        return Level.ALERT, f"made by the venue ({row.origin}), not by you:"
    return Level.WARN, "EXTERNAL order"


def order_text(row: OrderRow, tick: Decimal | None = None) -> str:
    """Describe an order briefly; `tick` is that of its pair, if known."""
    return f"{row.side} {size_text(row.sym, row.qty, row.price, tick)}" + (f" by {row.peer}" if row.peer else "")


def size_text(sym: str, qty: str, price: str, tick: Decimal | None = None) -> str:
    """Describe size, pair and price, rounded to the tick: `5ct OKX BTC perp @ 61,662.90`."""
    number = decimals.optional(price)
    shown = price if number is None else decimals.format_grouped(number, tick)
    return f"{amount_text(sym, qty)} " + (f"@ {shown}" if price else "market")


def state_text(row: OrderRow, tick: Decimal | None) -> str:
    """Describe the state of an order, and what its executions brought: `FILLED avg 61,662.95 fee 0.12 USDT`."""
    word = _STATE_WORDS.get(row.state, row.state_word)
    executed = decimals.optional(row.executed)
    if not executed:
        return word
    fee = "" if row.external else _fee_text(row)
    return f"{word}{_share_text(row, executed)}{_average_text(row, tick)}{fee}"


def _average_text(row: OrderRow, tick: Decimal | None) -> str:
    """Return the average price of an ended order, to a tenth of the tick; empty if it equals the limit price."""
    average = decimals.optional(row.average)
    if average and tick:
        average = decimals.round_to_tenth(average, tick)
    if not row.final or not average or average == decimals.optional(row.price):
        return ""
    return f" avg {decimals.format_grouped(average.normalize(), tick)}"


def _share_text(row: OrderRow, executed: Decimal) -> str:
    """Return how much of an order is executed; empty for a filled one, whose size stands before its state."""
    filled = row.state == "FILLED" and executed == decimals.optional(row.qty)
    return "" if filled else f" {row.executed}/{row.qty}"


def _fee_text(row: OrderRow) -> str:
    """Return what a filled order has cost or earned, in the coins of its fee and rebate; empty while unknown."""
    if row.state != "FILLED":
        return ""
    charges = (("fee", row.fee, row.fee_coin), ("rebate", row.rebate, row.rebate_coin))
    amounts = ((name, decimals.optional(text), coin) for name, text, coin in charges)
    return "".join(f" {name} {_round_fee(abs(amount))} {coin}".rstrip() for name, amount, coin in amounts if amount)


def _round_fee(amount: Decimal) -> str:
    return decimals.plain(round_amount(amount))


def round_amount(amount: Decimal) -> Decimal:
    """Round an amount to two decimals, a smaller one to two figures."""
    return decimals.half_up(amount, max(2, 1 - amount.adjusted()) if amount else 2)
