"""Lists of orders and fills."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from tui.engine.rows import FORCED
from tui.engine.service_reading import past_lists
from tui.interface.decimals import ZERO
from tui.interface.families.history import TradeRecord
from tui.interface.families.orders import OrderRecord, state_word
from tui.interface.text import how_many
from tui.rules.bookings import compute_charge
from tui.workstation.features.history.tab import HistoryTab
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import SYSTEM, base_units, intent_word, side_role
from tui.workstation.table.column_kinds import (
    charge_in_coin,
    creation_ms,
    number,
    show_money,
    show_quantity,
    show_symbol,
    show_text,
    show_time,
    sym_of,
)
from tui.workstation.table.columns import SPARE, Cell, Field, Fields, of_row
from tui.workstation.widgets.lists.tab import Rows, sum_by_coin, sums_text


def _order_intent(row: OrderRecord) -> Cell:
    reduces = str(row.reduce_only).lower() == "true"
    role = "warn" if row.origin in FORCED else side_role(row.side)
    return intent_word(row.sym, row.side, row.position_side, reduce_only=reduces), role


def _kind(row: OrderRecord) -> Cell:
    origin = "" if row.origin == "DMA" else f" {row.origin}"
    return f"{row.exchange_order_type} {row.time_in_force}{origin}".strip(), "dim"


def _qty(row: OrderRecord, view: DisplayContext) -> Cell:
    if not row.order_qty:
        return f"{view.money(row.quote_order_qty)} quote", "text"
    return view.quantity(row.sym, row.order_qty), "text"


def _limit(row: OrderRecord, view: DisplayContext) -> Cell:
    if row.origin.startswith(SYSTEM) and number(row.executed_qty):
        # The limit of an order by the venue is a technical bound; its average is the price.
        return view.price(row.sym, row.executed_avg_price), "dim"
    return (view.price(row.sym, row.limit_price, exact=True), "text") if row.limit_price else ("market", "dim")


def _average(row: OrderRecord, view: DisplayContext) -> Cell:
    traded = bool(number(row.executed_qty))
    return (view.price(row.sym, row.executed_avg_price), "text") if traded else (number_format.NONE, "faint")


_STATE_ROLES = {"FILLED": "good", "CANCELLED": "dim", "REJECTED": "warn", "FAIL": "warn", "EXPIRED": "warn"}


def _state(row: OrderRecord) -> Cell:
    why = f" {row.cancel_type}" if row.cancel_type not in ("", "USER") else ""
    word = state_word(row.order_state)
    return f"{word}{why}", _STATE_ROLES.get(word, "text")


def _fee(row: OrderRecord | TradeRecord) -> Cell:
    fee = number_format.value(row.fee)
    return charge_in_coin(None if fee is None else -fee, row.fee_coin)


def _rebate(row: OrderRecord | TradeRecord) -> Cell:
    rebate = number_format.value(row.rebate)
    return charge_in_coin(None if rebate is None else abs(rebate), row.rebate_coin)


def _sum_net_fee(row: OrderRecord | TradeRecord) -> Decimal:
    return compute_charge(row.fee, row.rebate)


def _net_fee(row: OrderRecord | TradeRecord) -> Cell:
    """Return fee and rebate as one net amount; only the fee if their coins differ."""
    mixed = number(row.fee) and row.fee_coin != row.rebate_coin
    if mixed or not number(row.rebate):
        return _fee(row)
    return charge_in_coin(_sum_net_fee(row), row.rebate_coin)


def _client(row: OrderRecord) -> Cell:
    return f" {row.client_order_id or number_format.MISSING}", "dim"


_ORDER_FIELDS: Fields[OrderRecord] = {
    "time": show_time(creation_ms),
    "symbol": show_symbol(sym_of, 14, least=13, hide=1),
    "intent": Field(13, of_row(_order_intent), left=True, prose=True, least=11),
    "kind": Field(12, of_row(_kind), left=True, prose=True, hide=3),
    "qty": Field(10, _qty, of_row(lambda row: number_format.value(row.order_qty)), least=8, hide=2),
    "limit": Field(11, _limit, of_row(lambda row: number_format.value(row.limit_price)), hide=3),
    "done": show_quantity(sym_of, lambda row: row.executed_qty, 10, "strong", least=8, hide=1),
    "avg": Field(11, _average, of_row(lambda row: number_format.value(row.executed_avg_price)), hide=2, least=10),
    "amount": show_money(lambda row: row.executed_amount, 12, "dim", hide=11),
    "fee": Field(13, of_row(_fee), of_row(lambda row: -number(row.fee)), hide=13),
    "rebate": Field(13, of_row(_rebate), of_row(lambda row: abs(number(row.rebate))), hide=13),
    "net fee": Field(13, of_row(_net_fee), of_row(_sum_net_fee), hide=SPARE, instead=("fee", "rebate")),
    "state": Field(17, of_row(_state), left=True, prose=True, title=" state", least=11),
    "client": Field(20, of_row(_client), left=True, prose=True, hide=12, title=" client id"),
}


def _sum_forms(rows: Rows, count: str, value: str, result: Sequence[str] = ()) -> Sequence[Sequence[str]]:
    """Return the line of sums in four forms: complete, without the count, with net fees, and also without the value."""
    fees = [(row.fee_coin, -number(row.fee)) for row in rows]
    rebates = [(row.rebate_coin, abs(number(row.rebate))) for row in rows]
    each, net = _charges(("fees", fees), ("rebates", rebates)), _charges(("net fees", [*fees, *rebates]))
    return [count, value, *result, *each], [value, *result, *each], [value, *result, *net], [*result, *net] or [value]


def _charges(*charges: tuple[str, Sequence[tuple[str, Decimal]]]) -> list[str]:
    """Sum charges by coin, each sum with the charge's name; charges that sum to nothing are left out."""
    return [f"{name} {sums_text(sums, signed=True)}" for name, amounts in charges if (sums := sum_by_coin(amounts))]


def _order_sums(rows: Rows, view: DisplayContext) -> Sequence[Sequence[str]]:
    """Count the orders with fills, and sum their values and charges."""
    traded = [row for row in rows if number(row.executed_qty)]
    amount = sum((number(row.executed_amount) for row in traded), ZERO)
    return _sum_forms(rows, f"{how_many(len(rows), 'order')}, {len(traded)} traded", f"value {view.amount(amount)}")


ORDERS = HistoryTab(
    name="orders", empty="no orders", fields=_ORDER_FIELDS, at=creation_ms,
    id=lambda row: row.order_id, sym=lambda row: row.sym, sums=_order_sums,
    order=lambda row: row.order_id, lists_orders=True,
    endpoint=past_lists.ORDERS.endpoint.name, past=past_lists.ORDERS, filters=("exchange", "business", "executed"),
)  # fmt: skip


def compute_value(row: TradeRecord, view: DisplayContext) -> Decimal | None:
    """Return the value of a fill in quote units; None while the contract size is unknown."""
    base = base_units(row.sym, number(row.quantity), view.info(row.sym))
    price = number_format.value(row.price)
    return None if base is None or price is None else base * price


def _value_cell(row: TradeRecord, view: DisplayContext) -> Cell:
    return view.amount(compute_value(row, view)), "dim"


def _fill_intent(row: TradeRecord, view: DisplayContext) -> Cell:
    """Return the side, in the warning colour if the venue forced the order, which is known only of this session's orders."""
    orders = view.mirror.orders
    order = orders.get(row.client_order_id) or orders.get(row.order_id)
    forced = order is not None and order.forced
    return intent_word(row.sym, row.side, "NONE"), "warn" if forced else side_role(row.side)


def _rpnl(row: TradeRecord, view: DisplayContext) -> Cell:
    value = number_format.value(row.rpnl)
    return (view.format_signed(value), number_format.change_role(value)) if value else ("0", "faint")


_FILL_FIELDS: Fields[TradeRecord] = {
    "time": show_time(creation_ms),
    "symbol": show_symbol(sym_of, 14, least=13, hide=1),
    "intent": Field(10, _fill_intent, left=True, prose=True, hide=2),
    "qty": show_quantity(sym_of, lambda row: row.quantity, 10, "strong", least=8),
    "price": Field(
        11, lambda row, view: (view.price(row.sym, row.price, exact=True), "text"),
        of_row(lambda row: number_format.value(row.price)), least=10,
    ),
    "amount": Field(12, _value_cell, compute_value, hide=3),
    "exec": show_text(lambda row: f" {row.exec_type}", 8, "dim", hide=3, title=" exec"),
    "fee": Field(13, of_row(_fee), of_row(lambda row: -number(row.fee)), hide=SPARE),
    "rebate": Field(13, of_row(_rebate), of_row(lambda row: abs(number(row.rebate))), hide=SPARE),
    "net fee": Field(13, of_row(_net_fee), of_row(_sum_net_fee), hide=2, instead=("fee", "rebate")),
    "rpnl": Field(11, _rpnl, of_row(lambda row: number(row.rpnl)), least=9, hide=1),
    "order": show_text(lambda row: f" {row.order_id}", 18, "dim", hide=15, title=" order"),
}  # fmt: skip


def _fill_sums(rows: Rows, view: DisplayContext) -> Sequence[Sequence[str]]:
    """Sum values, results, fees and rebates of the fills."""
    values = [compute_value(row, view) for row in rows]
    known = [value for value in values if value is not None]
    value = view.amount(sum(known, ZERO) if len(known) == len(values) else None)
    result = sum((number(row.rpnl) for row in rows), ZERO)
    orders = how_many(len({row.order_id for row in rows}), "order")
    count = f"{how_many(len(rows), 'fill')} of {orders}"
    return _sum_forms(rows, count, f"value {value}", [f"result {view.format_signed(result)}"])


FILLS = HistoryTab(
    name="fills", empty="no fills", fields=_FILL_FIELDS, at=creation_ms,
    id=lambda row: " ".join(getattr(row, name) for name in past_lists.FILLS.row_id), sym=lambda row: row.sym,
    endpoint=past_lists.FILLS.endpoint.name, past=past_lists.FILLS, filters=("exchange", "business"), of_orders=True,
    order=lambda row: row.order_id, shown=past_lists.FILLS.computed, sums=_fill_sums,
)  # fmt: skip
