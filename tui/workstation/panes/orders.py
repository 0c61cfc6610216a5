"""Orders: UNKNOWN and conflicts first, then what is pending, then the newest; ended ones stay a while, dimmed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import ClassVar

from tui.engine.rows import OrderRow, Overlay, Shown, Table
from tui.workstation import numbers
from tui.workstation.palette import Piece
from tui.workstation.panes.pane import (
    Cell,
    Column,
    Layout,
    Pane,
    View,
    columns_of,
    in_contracts,
    intent_word,
    short_name,
    side_role,
)

_WORDS = {"PARTIALLY_FILLED": "PARTIAL", "CANCELED": "CANCELLED", "REJECT": "REJECTED"}
_BAD = frozenset(["REJECT", "REJECTED", "FAIL", Shown.NOT_SENT])


def _faded(order: OrderRow, role: str) -> str:
    return "faint" if order.final else role


def state_cell(order: OrderRow, view: View) -> Cell:
    """The state word; an action under way stands in its place, a conflict and UNKNOWN before everything."""
    if order.conflict:
        return "CONFLICT", "alert"
    if order.state == Shown.UNKNOWN:
        return "UNKNOWN", "unknown"
    if order.overlay is not Overlay.NOTHING:
        lost = order.overlay in (Overlay.AMEND_LOST, Overlay.CANCEL_LOST)
        slow = view.now - order.since > 30
        return order.overlay.value, "unknown" if lost else ("warn" if slow else "pending")
    word = _WORDS.get(order.state, order.state)
    if order.state in _BAD:
        return word, "loss"
    if order.state in (Shown.SENDING, Shown.SENT):
        return word, "pending"
    return word, _faded(order, "good" if order.state in ("OPEN", "PARTIALLY_FILLED") else "text")


def _sym(order: OrderRow, view: View) -> Cell:
    del view
    return short_name(order.sym), _faded(order, "text")


def _intent(order: OrderRow, view: View) -> Cell:
    del view
    word = intent_word(order.sym, order.side, order.position_side, order.reduce_only)
    return word, _faded(order, side_role(order.side))


def _price(order: OrderRow, view: View) -> Cell:
    if order.order_type == "MARKET":
        return "mkt", _faded(order, "warn")
    price = view.price(order.sym, order.price or None, True)
    typed = view.ghosts.get(order.key)
    ghost = typed[0] if typed else order.ghost_price
    if ghost and numbers.value(ghost) != numbers.value(order.price):
        return f"{price}→{view.price(order.sym, ghost, True)}", "pending"
    return price, _faded(order, "text")


def _price_only(order: OrderRow, view: View) -> Cell:
    if order.order_type == "MARKET":
        return "mkt", _faded(order, "warn")
    return view.price(order.sym, order.price or None, True), _faded(order, "text")


def _rest_text(order: OrderRow, view: View, unit: bool) -> str:
    total, done = numbers.value(order.qty), numbers.value(order.executed)
    if total is None or done is None:
        return numbers.MISSING
    return view.quantity(order.sym, format(total - done, "f"), unit)


def _rest(order: OrderRow, view: View) -> Cell:
    return _rest_text(order, view, True), _faded(order, "text")


def _rest_total(order: OrderRow, view: View) -> Cell:
    unit = "ct" if in_contracts(order.sym) else ""
    text = f"{_rest_text(order, view, False)}/{view.quantity(order.sym, order.qty, False)}{unit}"
    return text, _faded(order, "text")


def _total(order: OrderRow, view: View) -> Cell:
    return view.quantity(order.sym, order.qty), _faded(order, "text")


def _filled(order: OrderRow, view: View) -> Cell:
    done = numbers.value(order.executed)
    return view.quantity(order.sym, order.executed), _faded(order, "text" if done else "faint")


def _dist(order: OrderRow, view: View) -> Cell:
    quote, info = view.mirror.quotes.get(order.sym), view.info(order.sym)
    price = numbers.value(order.price)
    if order.final or quote is None or info is None or price is None or order.order_type == "MARKET":
        return "", "faint"
    touch = numbers.value(quote.bid if order.side == "BUY" else quote.ask)
    ticks = numbers.ticks_between(touch, price, numbers.value(info.tick_size))
    if ticks is None:
        return numbers.MISSING, "faint"
    return f"{ticks:+d}t" if ticks else "0t", "dim"


def _average(order: OrderRow, view: View) -> Cell:
    return ("", "faint") if not numbers.value(order.average) else (view.price(order.sym, order.average), "dim")


def _age(order: OrderRow, view: View) -> Cell:
    waiting = order.overlay is not Overlay.NOTHING or order.state in (Shown.UNKNOWN, Shown.SENDING, Shown.SENT)
    if waiting and order.since:
        return numbers.whole_age(view.now - order.since), "unknown" if order.state == Shown.UNKNOWN else "pending"
    if not order.create_at:
        return numbers.MISSING, "faint"
    return numbers.whole_age(view.clock.wall() - order.create_at / 1000), "faint" if order.final else "dim"


def _tif(order: OrderRow, view: View) -> Cell:
    del view
    marks = (" ro" if order.reduce_only else "") + (" EXT" if order.external else "")
    return (order.time_in_force or order.order_type) + marks, "faint" if order.final else "dim"


def note_text(order: OrderRow, view: View) -> str:
    """Why an order is in the state it is in."""
    if order.conflict:
        return order.conflict
    if order.state == Shown.UNKNOWN:
        text = f"asked {order.asked}x"
        if order.not_found:
            text += f", not found {order.not_found}x, last {view.moment(order.not_found_at)}"
        return text
    if order.origin not in ("DMA", ""):
        return " ".join(part for part in (order.origin, order.reason) if part)
    return order.reason


def _note(order: OrderRow, view: View) -> Cell:
    return "  " + note_text(order, view), "dim" if not order.final else "faint"


_CELLS = {
    "state": (state_cell, True),
    "symbol": (_sym, True),
    "intent": (_intent, True),
    "price": (_price, False),
    "rest": (_rest, False),
    "rest/total": (_rest_total, False),
    "total": (_total, False),
    "filled": (_filled, False),
    "dist": (_dist, False),
    "avg": (_average, False),
    "age": (_age, False),
    " TIF": (lambda order, view: (" " + _tif(order, view)[0], _tif(order, view)[1]), True),
    "  note": (_note, True),
}


_columns = partial(columns_of, _CELLS)


_NARROW_PRICE: Column[OrderRow] = Column(title="price", width=11, cell=_price_only)

_LAYOUTS = (
    Layout(
        118,
        _columns(
            ("state", 10), ("symbol", 15), ("intent", 12), ("price", 18), ("total", 9), ("filled", 8), ("rest", 9),
            ("dist", 8), ("age", 6), (" TIF", 8), ("  note", 15),
        ),
    ),
    Layout(
        94,
        _columns(
            ("state", 10), ("symbol", 14), ("intent", 12), ("price", 18), ("rest/total", 14), ("dist", 8), ("age", 6),
            (" TIF", 8),
        ),
    ),
    Layout(
        80,
        _columns(
            ("state", 10), ("symbol", 13), ("intent", 12), ("price", 18), ("rest/total", 14), ("dist", 7), ("age", 6)
        ),
    ),
    Layout(
        76,
        _columns(("state", 10), ("symbol", 14), ("intent", 12), ("price", 18), ("rest/total", 14), ("age", 6)),
    ),
    Layout(
        58,
        (
            *_columns(("state", 10), ("symbol", 12), ("intent", 12)),
            _NARROW_PRICE,
            *_columns(("rest", 8), ("age", 5)),
        ),
    ),
    Layout(37, (*_columns(("state", 10), ("symbol", 12)), _NARROW_PRICE, *_columns(("age", 4)))),
)  # fmt: skip


def _rank(order: OrderRow) -> tuple[int, int, str]:
    if order.final:
        rank = 4
    elif order.state == Shown.UNKNOWN:
        rank = 0
    elif order.conflict:
        rank = 1
    elif order.overlay is not Overlay.NOTHING:
        rank = 2
    else:
        rank = 3
    return rank, -order.create_at, order.key


class OrdersPane(Pane[OrderRow]):
    """Working orders, and those that ended a moment ago."""

    id: ClassVar[str] = "orders"
    title: ClassVar[str] = "Orders"
    number: ClassVar[int] = 2
    feeds: ClassVar[frozenset[Table]] = frozenset([Table.ORDERS, Table.SYMBOLS])

    @property
    def layouts(self) -> tuple[Layout[OrderRow], ...]:
        return _LAYOUTS

    def keys(self) -> list[str]:
        now, keep = self.view.now, self.view.settings.keep_final_s
        shown = [
            order
            for order in self.view.mirror.orders.values()
            if not order.final or order.conflict or now - order.since <= keep
        ]
        return [order.key for order in sorted(shown, key=_rank)]

    def row(self, key: str) -> OrderRow | None:
        return self.view.mirror.orders.get(key)

    def changed(self, table: Table, keys: Iterable[str]) -> tuple[Iterable[str], bool]:
        return (self.keys(), True) if table is Table.SYMBOLS else (keys, True)

    def _numbers(self) -> tuple[int, int]:
        working = self.view.mirror.working()
        unknown = sum(1 for order in working if order.state == Shown.UNKNOWN)
        return len(working) - unknown, unknown

    def counts(self) -> list[Piece]:
        working, unknown = self._numbers()
        pieces: list[Piece] = [(f"{working} working", "dim")]
        if unknown:
            pieces += [(" · ", "frame"), (f"{unknown} unknown", "unknown")]
        return pieces

    def short(self) -> str:
        working, unknown = self._numbers()
        return f"{working}+{unknown}" if unknown else str(working)

    def empty(self) -> str:
        return f"no open orders (checked {self.view.moment(self.view.mirror.orders_checked_ms)})"

    def sym(self, key: str) -> str:
        order = self.row(key)
        return order.sym if order else ""
