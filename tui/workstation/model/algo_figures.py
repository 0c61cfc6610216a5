"""Numbers of algo orders: triggers with reference price and distance, what protects a position, child orders."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

import msgspec

from tui.engine.rows import AlgoRow, OrderRow
from tui.engine.state import closing_orders
from tui.engine.state.algo_table import algo_word, record_triggers
from tui.engine.state.closing_orders import (
    Triggers,
    compute_clipped_size,
    compute_covered_size,
    list_triggers,
    size_left,
    sort_triggers,
)
from tui.engine.status_rows import ALGOS_UNREAD, NO_ALGO_LIST
from tui.interface.decimals import plain, positive
from tui.interface.families.algo import CONDITIONAL, STOP_LOSS, TAKE_PROFIT, TriggerName, TriggerType
from tui.interface.families.positions import PositionRecord
from tui.interface.symbols import try_parse
from tui.interface.text import how_many
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.mirror import Mirror

SHORT_NAMES: dict[TriggerName, str] = {STOP_LOSS: "SL", TAKE_PROFIT: "TP", CONDITIONAL: "at"}
SOURCES = {TriggerType.MARK_PRICE.value: "mark", TriggerType.LAST_PRICE.value: "last"}
CLIPPED = "≤"
"""Mark before the size of a position that an order closes which is larger."""
MOST_NAMED = 3
"""Algo orders that a text names; further ones are counted."""
MOST_PRICES = 2
"""Stops of a position, and targets, that a text names; further ones are counted."""


class TriggerFigure(msgspec.Struct, frozen=True):
    """Trigger of an algo order (stop, target or condition) with its distance from the price it is compared with."""

    name: str
    """SL, TP, or `at` for a conditional order."""
    price: str
    source: str
    """mark or last."""
    limit: str
    """Limit price of the triggered order; empty: at market."""
    distance: Decimal | None
    """Signed distance in per cent of the reference price; None: not known."""
    ticks: int | None


def reference_price(mirror: Mirror, sym: str, source: str) -> Decimal | None:
    """Return the price a trigger is compared with: mark or last price; the mid price while no last price is known."""
    quote, ticker, parts = mirror.quotes.get(sym), mirror.tickers.get(sym), try_parse(sym)
    if source == TriggerType.MARK_PRICE and parts is not None and parts.is_perp:
        return positive(quote.mark) if quote is not None else None
    last = positive(ticker.last) if ticker is not None else None
    if last is not None or quote is None:
        return last
    bid, ask = positive(quote.bid), positive(quote.ask)
    return (bid + ask) / 2 if bid is not None and ask is not None else None


def trigger_figures(row: AlgoRow, view: DisplayContext) -> list[TriggerFigure]:
    """List the triggers of an algo order, stop-loss first."""
    sym, triggers = row.record.sym, record_triggers(row.record)
    info = view.info(sym)
    tick = number_format.value(info.tick_size) if info is not None else None
    figures = []
    for name in (STOP_LOSS, TAKE_PROFIT, CONDITIONAL):
        trigger = triggers.get(name)
        if trigger is None:
            continue
        price, now = number_format.value(trigger.trigger), reference_price(view.mirror, sym, trigger.source)
        far = (price - now) / now * 100 if price is not None and now else None
        limit = trigger.price if number_format.value(trigger.price) else ""
        figures.append(
            TriggerFigure(
                name=SHORT_NAMES[name],
                price=trigger.trigger,
                source=SOURCES.get(trigger.source, trigger.source),
                limit=limit,
                distance=far,
                ticks=number_format.ticks_between(now, price, tick),
            )
        )
    return figures


def describe_condition(source: str, price: str, *, rises: bool) -> str:
    """Say for what a conditional order waits: `when last falls to 62,072.8`."""
    return f"when {SOURCES.get(source, source)} {'rises' if rises else 'falls'} to {price}"


def nearest_trigger(row: AlgoRow, view: DisplayContext) -> TriggerFigure | None:
    """Return the trigger of an algo order that is nearest to its reference price; None if no distance is known."""
    known = [figure for figure in trigger_figures(row, view) if figure.distance is not None]
    return min(known, key=lambda figure: abs(figure.distance or Decimal(0)), default=None)


def why_unknown(mirror: Mirror) -> str:
    """Return why stops and targets are not known now, such as a list not read yet; empty if they are known."""
    status = mirror.engine_status
    why = ALGOS_UNREAD if status is None else status.algo_error
    return "" if why == NO_ALGO_LIST else why


def describe_triggers(row: AlgoRow, view: DisplayContext) -> str:
    """Format the triggers of an algo order briefly: `SL 63,000.0 TP 66,000.0`."""
    return " ".join(
        f"{figure.name} {view.price(row.record.sym, figure.price)}" for figure in trigger_figures(row, view)
    )


def _count_rest(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Join names with commas; beyond `most`, only count the rest."""
    if not most:
        return how_many(len(names), "order")
    listed = ", ".join(names[:most])
    return f"{listed} and {len(names) - most} more" if len(names) > most else listed


def describe_opening(record: PositionRecord, left: Decimal, view: DisplayContext) -> str:
    """Describe which opposite position would open once a position is closed, and by which remaining orders; or empty.

    Args:
        record: The position.
        left: Size that is left of it.
        view: Rows.
    """
    mirror, sym = view.mirror, record.sym
    opening = closing_orders.find_reversing_orders(record, left, mirror.algos.values(), mirror.working_on(sym))
    if opening is None:
        return ""
    names = [_name_waiting(row, view) for row in opening.algos]
    names += [_name_working(order, view) for order in opening.orders]
    verb = "stays" if len(names) == 1 else "stay"
    size = view.quantity(sym, plain(opening.size))
    # The consequence first: a long list of orders is cut at its end.
    return f"would open {opening.leg} {size}: {_count_rest(names)} {verb}"


def _name_waiting(row: AlgoRow, view: DisplayContext) -> str:
    """Name an algo order by kind, side, size and trigger prices: `conditional SELL 20 at 155.66`."""
    record = row.record
    prices = " / ".join(view.price(record.sym, trigger.trigger) for trigger in record_triggers(record).values())
    return f"{algo_word(record)} {record.side} {view.quantity(record.sym, record.order_qty)} at {prices}"


def _read_size(row: AlgoRow | OrderRow) -> tuple[str, str]:
    """Return the symbol of an order or algo order, and its remaining size."""
    if isinstance(row, OrderRow):
        return row.sym, plain(size_left(row))
    return row.record.sym, row.record.order_qty


def is_clipped(row: AlgoRow | OrderRow, view: DisplayContext) -> bool:
    """Return whether an order or algo order is larger than the position that it closes."""
    return compute_clipped_size(row, view.mirror.positions) is not None


def mark_size(row: AlgoRow | OrderRow, view: DisplayContext, *, unit: bool = True) -> str:
    """Format the remaining size of an order or algo order; if it exceeds the position it closes, `≤` and that size."""
    sym, own = _read_size(row)
    clipped = compute_clipped_size(row, view.mirror.positions)
    return (
        view.quantity(sym, own, unit=unit)
        if clipped is None
        else CLIPPED + view.quantity(sym, plain(clipped), unit=unit)
    )


def describe_clipped(row: AlgoRow | OrderRow, view: DisplayContext) -> str:
    """Describe an order or algo order larger than the position it closes; empty if it is not larger."""
    sym, own = _read_size(row)
    clipped = compute_clipped_size(row, view.mirror.positions)
    if clipped is None:
        return ""
    return f"closes the whole position, {view.quantity(sym, plain(clipped))}; its own size is {view.quantity(sym, own)}"


def _name_working(order: OrderRow, view: DisplayContext) -> str:
    """Name a working order by side, size that is open, and price: `limit SELL 20 at 160.00`."""
    size = mark_size(order, view)
    at = f" at {view.price(order.sym, order.price)}" if order.price else ""
    return f"{order.order_type.lower() or 'order'} {order.side} {size}{at}"


class OrphanedOrders(NamedTuple):
    """Orders that can only close positions, grouped by what happens to them once the positions are closed."""

    expire: list[AlgoRow]
    """Stops and targets that the service ends with their position."""
    cancelled: list[OrderRow]
    stay: list[AlgoRow]


def find_orphaned_orders(records: Sequence[PositionRecord], mirror: Mirror) -> OrphanedOrders:
    """Find the orders that can only close these positions, grouped by what happens after the close."""
    rows = [row for record in records for row in closing_orders.list_protecting(record, mirror.algos.values())]
    orders = [row for record in records for row in closing_orders.list_closing(record, mirror.working_on(record.sym))]
    expire = [row for row in rows if closing_orders.ends_with_position(row.record)]
    return OrphanedOrders(expire, orders, [row for row in rows if row not in expire])


def describe_orphaned_orders(
    record: PositionRecord, view: DisplayContext, most: int = MOST_NAMED
) -> list[tuple[str, str]]:
    """Describe what happens to a position's closing orders once it is closed; name `most`, count the rest."""
    left = find_orphaned_orders([record], view.mirror)
    ends = [_name_working(order, view) for order in left.cancelled]
    ends += [describe_triggers(row, view) for row in left.expire]
    said = (
        ("will end: ", ends),
        ("stays, but can only close: ", [describe_triggers(row, view) for row in left.stay]),
    )
    return [(then, _count_rest(names, most)) for then, names in said if names]


def read_triggers(record: PositionRecord, view: DisplayContext) -> Triggers:
    """Return the stops and targets of a position, including those attached to partly filled working orders."""
    mirror = view.mirror
    return sort_triggers(record, list_triggers(record, mirror.algos.values(), mirror.working_on(record.sym)))


def name_protection(record: PositionRecord, triggers: Triggers, view: DisplayContext) -> str:
    """Format the stops and targets of a position: `SL 58,000.0 TP 63,000.0`; with the size if stops cover only a part."""
    targets = _enumerate("TP", "target", triggers.targets, record.sym, view)
    if not triggers.stops:
        return f"no stop, {targets}" if targets else "no stop"
    stops = _enumerate("SL", "stop", triggers.stops, record.sym, view)
    part = compute_covered_size(record, view.mirror.algos.values())
    size = "" if part is None else f" for {view.quantity(record.sym, plain(part))}"
    return f"{stops}{size} {targets}".rstrip()


def _enumerate(word: str, name: str, prices: Sequence[Decimal], sym: str, view: DisplayContext) -> str:
    """Format prices, each after a word such as `SL`; beyond `MOST_PRICES`, only count the rest."""
    names = " ".join(f"{word} {view.price(sym, plain(price))}" for price in prices[:MOST_PRICES])
    more = len(prices) - MOST_PRICES
    return f"{names} and {how_many(more, f'more {name}')}" if more > 0 else names


def children(row: AlgoRow, mirror: Mirror) -> list[OrderRow]:
    """List the orders that an algo order has placed."""
    algo_id = row.record.algo_order_id
    return [order for order in mirror.orders.values() if algo_id and order.algo_id == algo_id]


def is_orphaned(row: AlgoRow, mirror: Mirror) -> bool:
    """Return whether an algo order is still open although the position it can only close is gone."""
    return closing_orders.is_orphan(row, mirror.positions, mirror.working_on(row.record.sym))


def orphans(mirror: Mirror) -> list[AlgoRow]:
    """List all open algo orders that can only close a position which is gone."""
    return [row for row in mirror.algos.values() if is_orphaned(row, mirror)]
