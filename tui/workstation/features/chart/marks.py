"""Marks in the chart of a pair: own orders, position, stops and targets as levels, own fills as signs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal

from tui.engine.rows import LocalOrderState
from tui.interface.times import millis
from tui.workstation.model import number_format, position_metrics
from tui.workstation.model.algo_figures import trigger_figures
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import side_role
from tui.workstation.widgets.candles.inputs import Level, Sign

TRIGGER_LOOKS = {"SL": ("warn", "┈"), "TP": ("good", "┈")}
"""Role and line of a stop-loss and a take-profit."""


def find_levels(sym: str, view: DisplayContext, alerts: Iterable[Decimal] = ()) -> list[Level]:
    """List the chart lines of a pair at prices that matter to the trader, the most important first."""
    told = (Level(float(price), f"alert {view.price_of(sym, price)}", "warn", "·") for price in alerts)
    return [*_orders(sym, view), *_position(sym, view), *_triggers(sym, view), *told]


def find_signs(sym: str, view: DisplayContext) -> list[Sign]:
    """Build the chart signs of the own fills of a pair."""
    signs: list[Sign] = []
    for fact in view.mirror.fills.values():
        record = fact.record
        price = number_format.value(record.price)
        if record.sym == sym and price:
            buys = record.side == "BUY"
            look = ("▲", "buy-strong") if buys else ("▼", "sell-strong")
            signs.append(Sign(millis(record.create_at), float(price), *look))
    return signs


def find_print_signs(prints: Iterable[tuple[int, str, str]]) -> list[Sign]:
    """Build the chart signs of large public trades from their time, price and taker's side."""
    looks = {"BUY": ("▵", "buy"), "SELL": ("▿", "sell")}
    return [
        Sign(at, float(level), *looks.get(side, ("▿", "dim")))
        for at, price, side in prints
        if (level := number_format.value(price))
    ]


def _orders(sym: str, view: DisplayContext) -> Iterator[Level]:
    for order in view.mirror.working_on(sym):
        price = number_format.value(order.price)
        if not price:
            continue
        qty, executed = number_format.value(order.qty), number_format.value(order.filled)
        rest = view.quantity(sym, str(qty - executed)) if qty is not None and executed is not None else ""
        unknown = order.state == LocalOrderState.UNKNOWN
        name = f"{'UNK ' if unknown else ''}{order.side.lower()}"
        role, line = ("unknown", "╍") if unknown else (side_role(order.side), "╌")
        far = f"{name} {view.price_of(sym, price)} {rest}"
        yield Level(float(price), f"{name} {rest}", role, line, far=far)


def _position(sym: str, view: DisplayContext) -> Iterator[Level]:
    for fact in view.mirror.positions.values():
        record = fact.record
        if record.sym != sym or not number_format.value(record.position_qty):
            continue
        if entry := number_format.value(record.avg_price):
            yield Level(float(entry), f"entry {view.price_of(sym, entry)}", "accent", "─")
        if even := position_metrics.break_even(record, view):
            sign = position_metrics.mark_break_even(record, view)
            yield Level(float(even), f"b/e {sign}{view.price_of(sym, even)}", "accent", "┄")
        if liquidation := number_format.value(record.liq_price):
            yield Level(float(liquidation), f"liq {view.price_of(sym, liquidation)}", "alert", "═")


def _triggers(sym: str, view: DisplayContext) -> Iterator[Level]:
    for row in view.mirror.algos.values():
        if row.record.sym != sym:
            continue
        for figure in trigger_figures(row, view):
            price = number_format.value(figure.price)
            if price:
                role, line = TRIGGER_LOOKS.get(figure.name, ("pending", "┈"))
                yield Level(float(price), f"{figure.name} {view.price(sym, figure.price)}", role, line)
