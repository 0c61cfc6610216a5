"""Fills: the newest first, those of one order under one row that can be opened."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import ClassVar

import msgspec

from tui.engine.rows import Fact, OrderRow, Table
from tui.interface.decimals import ZERO, half_up
from tui.interface.families.history import TradeRecord
from tui.interface.symbols import try_parse
from tui.interface.times import millis
from tui.interface.wording import how_many
from tui.rules import pnl
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import base_units, in_contracts, intent_word, short_name, side_role, venue_of
from tui.workstation.render.palette import Piece
from tui.workstation.table.columns import Cell, Field, Fields, Layout, SortKey, layout, of_row
from tui.workstation.table.pane import Pane, raw_facts
from tui.workstation.table.row_filter import Facts

Trade = Fact[TradeRecord]

ORDER = "order "
"""Begins the keys of the rows that stand for several fills."""

_UNTOLD: Cell = (number_format.MISSING, "faint")


class FillLine(msgspec.Struct, frozen=True):
    """One fill, or all fills of one order."""

    trades: tuple[Trade, ...]
    """Newest first."""
    order: OrderRow | None
    whole: bool = False
    """Whether it stands for the order."""
    opened: bool = False

    @property
    def first(self) -> TradeRecord:
        """The newest one."""
        return self.trades[0].record


def _sum(line: FillLine, amount: str) -> Decimal | None:
    values = [number_format.value(getattr(trade.record, amount)) for trade in line.trades]
    known = [value for value in values if value is not None]
    return sum(known, ZERO) if known and len(known) == len(values) else None


def _time(line: FillLine, view: DisplayContext) -> Cell:
    return view.moment(millis(line.first.create_at), True), "dim"


def _by_time(line: FillLine) -> SortKey:
    return Decimal(millis(line.first.create_at))


def _sym(line: FillLine) -> Cell:
    sign = ("▾" if line.opened else "▸") if line.whole else ""
    return f"{short_name(line.first.sym)}{f' {sign}{len(line.trades)}' if sign else ''}", "text"


def _sym_short(line: FillLine) -> str:
    """With the first letters of the venue."""
    venue = venue_of(line.first.sym)
    return _sym(line)[0].replace(venue, venue[:3], 1) if venue else _sym(line)[0]


def _intent(line: FillLine) -> Cell:
    side = line.order.position_side if line.order is not None else "NONE"
    return intent_word(line.first.sym, line.first.side, side), side_role(line.first.side)


def _by_qty(line: FillLine) -> SortKey:
    return _sum(line, "quantity")


def differs(line: FillLine) -> bool:
    """Whether the fills of an order do not add up to what it says was executed."""
    executed = number_format.value(line.order.executed) if line.order is not None else None
    total = _sum(line, "quantity")
    return line.whole and executed is not None and total is not None and executed != total


def _qty(line: FillLine, view: DisplayContext) -> Cell:
    total = _sum(line, "quantity")
    text = number_format.MISSING if total is None else view.quantity(line.first.sym, format(total, "f"))
    return (f"≠{text}", "warn") if differs(line) else (text, "strong")


def _base(line: FillLine, view: DisplayContext) -> Cell:
    return number_format.decimal_figure(_base_of(line, view), None, view.settings.separators), "dim"


def _base_of(line: FillLine, view: DisplayContext) -> Decimal | None:
    total = _sum(line, "quantity")
    return None if total is None else base_units(line.first.sym, total, view.info(line.first.sym))


def _average(line: FillLine) -> Decimal | None:
    pairs = [(number_format.value(one.record.quantity), number_format.value(one.record.price)) for one in line.trades]
    known = [(qty, price) for qty, price in pairs if qty and price]
    if not known or len(known) != len(pairs):
        return None
    return sum((qty * price for qty, price in known), ZERO) / sum((qty for qty, _ in known), ZERO)


def _price(line: FillLine, view: DisplayContext) -> Cell:
    if len(line.trades) == 1:
        return view.price(line.first.sym, line.first.price, True), "text"
    return view.price_of(line.first.sym, _average(line)), "text"


def _by_price(line: FillLine) -> SortKey:
    return _average(line)


def _exec(line: FillLine) -> Cell:
    words = {trade.record.exec_type for trade in line.trades}
    word = words.pop() if len(words) == 1 else "MIXED"
    return " " + (word or number_format.MISSING), "dim" if word == "MAKER" else "text"


def _fee_of(line: FillLine) -> Decimal | None:
    """What was paid, in quote; rebates not taken off."""
    return _valued(line, "fee", "fee_coin")


def _rebate_of(line: FillLine) -> Decimal | None:
    worth = _valued(line, "rebate", "rebate_coin")
    return None if worth is None else abs(worth)


def _valued(line: FillLine, amount: str, coin: str) -> Decimal | None:
    total = ZERO
    for trade in line.trades:
        record = trade.record
        value, price = number_format.value(getattr(record, amount)), number_format.value(record.price)
        worth = pnl.in_quote(value, getattr(record, coin), record.sym, price)
        if worth is None:
            return None
        total += worth
    return total


def _charge(line: FillLine, view: DisplayContext) -> Cell:
    """What was paid; a rebate is a negative fee and says so by its sign."""
    fee, rebate = _fee_of(line), _rebate_of(line)
    if fee is None or rebate is None:
        raw = number_format.value(line.first.fee)
        text = number_format.decimal_figure(raw, 4, view.settings.separators)
        return (f"{text} {line.first.fee_coin}".strip() if len(line.trades) == 1 else number_format.MISSING), "dim"
    charge = fee - rebate
    return number_format.decimal_figure(
        half_up(charge, 4) + 0, 4, view.settings.separators
    ), "gain" if charge < 0 else "dim"


def _by_charge(line: FillLine) -> SortKey:
    fee, rebate = _fee_of(line), _rebate_of(line)
    return fee - rebate if fee is not None and rebate is not None else None


def _rebate(line: FillLine, view: DisplayContext) -> Cell:
    rebate = _rebate_of(line)
    if rebate is not None and not rebate:
        return "0", "faint"
    return number_format.decimal_figure(rebate, 4, view.settings.separators), "gain" if rebate else "faint"


def _by_rebate(line: FillLine) -> SortKey:
    return _rebate_of(line)


def _by_rpnl(line: FillLine) -> SortKey:
    """Gross of a fill, net of its costs in the row of an order."""
    gross = _sum(line, "rpnl")
    charge = _by_charge(line) if line.whole else ZERO
    return gross - charge if gross is not None and isinstance(charge, Decimal) else None


def _rpnl(line: FillLine, view: DisplayContext) -> Cell:
    number = _by_rpnl(line)
    if not isinstance(number, Decimal):
        return _UNTOLD
    if not number:
        return "0", "faint"
    return ("n" if line.whole else "") + view.signed(number), number_format.change_role(number)


def _by_slip(line: FillLine) -> SortKey:
    """Basis points worse than the middle at the arrival; below zero is better."""
    middle = number_format.value(line.order.arrival_mid) if line.order is not None else None
    price = _average(line)
    if not middle or price is None:
        return None
    return (price - middle) * 10000 / middle * (1 if line.first.side == "BUY" else -1)


def _slip(line: FillLine) -> Cell:
    points = _by_slip(line)
    return (f"{half_up(points, 1):+}bp", "dim") if isinstance(points, Decimal) else _UNTOLD


def _by_latency(line: FillLine) -> SortKey:
    return line.order.reply_ms if line.order is not None else None


def _latency(line: FillLine) -> Cell:
    """From the key to the reply, and to the first push."""
    order = line.order
    if order is None or order.reply_ms is None:
        return _UNTOLD
    return f"{order.reply_ms:.0f}" + (f"/{order.push_ms:.0f}ms" if order.push_ms is not None else "ms"), "dim"


def _id(line: FillLine) -> Cell:
    return " " + (line.first.order_id if line.whole else line.first.transaction_id), "faint"


_FIELDS: Fields[FillLine] = {
    "time": Field(13, _time, of_row(_by_time), left=True),
    "symbol": Field(16, of_row(_sym), left=True, short=of_row(_sym_short), prose=True),
    "intent": Field(12, of_row(_intent), left=True, prose=True),
    "qty": Field(9, _qty, of_row(_by_qty)),
    "base": Field(11, _base, _base_of, hide=4),
    "price": Field(11, _price, of_row(_by_price)),
    "exec": Field(7, of_row(_exec), left=True, title=" exec", hide=1, prose=True),
    "fee": Field(10, _charge, of_row(_by_charge), hide=1),
    "rpnl": Field(11, _rpnl, of_row(_by_rpnl), hide=2),
    "rebate": Field(10, _rebate, of_row(_by_rebate), hide=3),
    "slip": Field(8, of_row(_slip), of_row(_by_slip), hide=4),
    "lat": Field(11, of_row(_latency), of_row(_by_latency), hide=5),
    "id": Field(22, of_row(_id), left=True, hide=6, title=" id", prose=True),
}

_LAYOUTS = (
    layout(
        _FIELDS, 118,
        ("time", 13), ("symbol", 16), ("intent", 12), ("qty", 9), ("price", 11), ("exec", 7), ("fee", 10), ("rpnl", 11),
        ("rebate", 10), ("slip", 8), ("lat", 11),
    ),
    layout(
        _FIELDS, 78,
        ("time", 13), ("symbol", 16), ("intent", 12), ("qty", 9), ("price", 11), ("exec", 7), ("fee", 10),
    ),
    layout(
        _FIELDS, 76,
        ("time", 13), ("symbol", 14), ("intent", 12), ("qty", 9), ("price", 11), ("exec", 7), ("fee", 10),
    ),
    layout(_FIELDS, 57, ("time", 13), ("symbol", 12), ("intent", 12), ("qty", 9), ("price", 11)),
    layout(_FIELDS, 37, ("symbol", 14), ("qty", 10), ("price", 11)),
)  # fmt: skip


class FillsPane(Pane[FillLine]):
    """What was executed."""

    id: ClassVar[str] = "fills"
    title: ClassVar[str] = "Fills"
    feeds: ClassVar[frozenset[Table]] = frozenset([Table.FILLS])
    ages: ClassVar[bool] = False

    def __init__(self, view: DisplayContext) -> None:
        super().__init__(view)
        self._groups: dict[str, tuple[Trade, ...]] = {}
        self._made_for = -1
        self._opened: set[str] = set()

    @property
    def layouts(self) -> tuple[Layout[FillLine], ...]:
        return _LAYOUTS

    @property
    def fields(self) -> Fields[FillLine]:
        return _FIELDS

    @property
    def grouped(self) -> bool:
        """Whether fills of one order stand under one row; an order by a column would tear them apart."""
        return self.sorting is None

    def _grouped(self) -> dict[str, tuple[Trade, ...]]:
        """Fills by order, the newest first, made anew only after one came."""
        version = self.view.mirror.version(Table.FILLS)
        if version != self._made_for:
            self._made_for = version
            groups: dict[str, list[Trade]] = {}
            for fact in self.view.mirror.fills.values():
                groups.setdefault(fact.record.order_id or fact.record.transaction_id, []).append(fact)
            for trades in groups.values():
                trades.sort(key=lambda one: (-millis(one.record.create_at), one.record.transaction_id))
            self._groups = {key: tuple(trades) for key, trades in groups.items()}
            self._opened &= self._groups.keys()
        return self._groups

    def keys(self) -> list[str]:
        groups = self._grouped()
        newest = sorted(groups, key=lambda key: (-millis(groups[key][0].record.create_at), key))
        keys: list[str] = []
        for order_id in newest:
            trades = groups[order_id]
            if len(trades) > 1 and self.grouped:
                keys.append(ORDER + order_id)
            if len(trades) == 1 or order_id in self._opened or not self.grouped:
                keys += [trade.record.transaction_id for trade in trades]
        return keys

    def row(self, key: str) -> FillLine | None:
        if key.startswith(ORDER):
            order_id = key.removeprefix(ORDER)
            trades = self._grouped().get(order_id)
            if trades is None:
                return None
            return FillLine(trades, self._order(trades[0].record), True, order_id in self._opened)
        fact = self.view.mirror.fills.get(key)
        return None if fact is None else FillLine((fact,), self._order(fact.record))

    def _order(self, record: TradeRecord) -> OrderRow | None:
        orders = self.view.mirror.orders
        return orders.get(record.client_order_id) or orders.get(record.order_id)

    def open_or_close(self, key: str) -> bool:
        """Show or hide the single fills of an order; False when the row is a single one."""
        order_id = key.removeprefix(ORDER)
        if not key.startswith(ORDER) or order_id not in self._grouped():
            return False
        self._opened ^= {order_id}
        return True

    def changed(self, table: Table, keys: Iterable[str]) -> tuple[Iterable[str], bool]:
        del table
        fills = self.view.mirror.fills
        found = list(keys)
        orders = [ORDER + fills[key].record.order_id for key in found if key in fills]
        return [*found, *orders], True

    def counts(self) -> list[Piece]:
        return [(f"{len(self.view.mirror.fills)} in {how_many(len(self._grouped()), 'order')}", "dim")]

    def short(self) -> str:
        return str(len(self.view.mirror.fills))

    def empty(self) -> str:
        return "no fills in this window"

    def sym(self, key: str) -> str:
        line = self.row(key)
        return line.first.sym if line is not None else ""

    def facts(self, key: str) -> Facts | None:
        line = self.row(key)
        if line is None:
            return None
        at = millis(line.first.create_at)
        return Facts(
            text=" ".join([*self.texts(line), line.first.order_id, line.first.client_order_id]),
            sym=line.first.sym,
            side=line.first.side,
            state=line.first.exec_type,
            venue=venue_of(line.first.sym),
            age=Decimal(str(self.view.clock.wall() - at / 1000)) if at else None,
            qty=_sum(line, "quantity"),
        )

    def copied(self, key: str) -> str:
        return key.removeprefix(ORDER)

    def details(self, key: str) -> list[tuple[str, str]]:
        line = self.row(key)
        if line is None:
            return []
        if not line.whole:
            return raw_facts(line.trades[0])
        unit = " contracts" if in_contracts(line.first.sym) else ""
        facts = [
            ("order", line.first.order_id),
            ("client id", line.first.client_order_id),
            ("symbol", line.first.sym),
            ("quantity", f"{_sum(line, 'quantity')}{unit}"),
            ("executed", line.order.executed if line.order is not None else number_format.MISSING),
            ("average", format(_average(line) or ZERO, "f")),
        ]
        parts = try_parse(line.first.sym)
        quote = parts.quote if parts is not None else ""
        for name, value in (("fee", _fee_of(line)), ("rebate", _rebate_of(line))):
            facts.append((name, number_format.MISSING if value is None else f"{value} {quote}"))
        for trade in line.trades:
            record = trade.record
            facts.append(
                (record.transaction_id, f"{record.quantity} @ {record.price} {record.exec_type} fee {record.fee}")
            )
        return facts
