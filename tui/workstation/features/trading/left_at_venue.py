"""Text printed after the program ends: orders, stops, positions and loans that stay at the venue."""

from __future__ import annotations

from collections.abc import Sequence

from tui.engine.rows import AlgoRow, OrderRow
from tui.engine.state.algo_table import algo_text
from tui.interface.text import clean, how_many
from tui.workstation.features.trading.kill_plan import describe_protection, name_debt, read_plan
from tui.workstation.model.algo_figures import mark_size
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name


def describe_left_at_venue(view: DisplayContext) -> str:
    """Describe what is left at the venue when the desk ends: orders, positions, borrowed coins; empty if nothing."""
    plan = read_plan(view.mirror, quits=True)
    orders = [_order_line(order, view) for order in plan.orders]
    algos = [_algo_line(row, view) for row in plan.algos]
    legs = [describe_protection([leg], view.mirror, view) for leg in plan.legs]
    debts = [name_debt(record, view) for record in plan.owed]
    return "".join(
        (
            _list(how_many(len(orders), "order stays live at the venue", "orders stay live at the venue"), orders),
            _list(
                how_many(len(algos), "algo order stays live at the venue", "algo orders stay live at the venue"), algos
            ),
            _list(how_many(len(legs), "position stays open", "positions stay open"), legs),
            _list(how_many(len(debts), "coin stays borrowed", "coins stay borrowed"), debts),
        )
    )


def _list(title: str, lines: Sequence[str]) -> str:
    return "".join(f"{text}\n" for text in (f"{title}:", *(f"  {clean(line)}" for line in lines))) if lines else ""


def _order_line(order: OrderRow, view: DisplayContext) -> str:
    price = view.price(order.sym, order.price, exact=True) if order.price else "market"
    return (
        f"{order.state_word} {order.side} {mark_size(order, view)} {full_name(order.sym)} at {price}"
        f" client id {order.client_order_id or '-'} order id {order.order_id or '-'}"
    )


def _algo_line(row: AlgoRow, view: DisplayContext) -> str:
    record = row.record
    return f"{algo_text(record, view.mirror.tick_of(record.sym))} algo order id {record.algo_order_id or '-'}"
