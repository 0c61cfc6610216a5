"""Cells of the fills pane: one row per fill, or per order with the sum of its fills."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from tui.engine.rows import Fact, OrderRow
from tui.interface.decimals import ZERO, half_up
from tui.interface.times import millis
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import base_units, intent_word, short_name, side_role, venue_of
from tui.workstation.table.column_kinds import charge_in_coin
from tui.workstation.table.columns import Cell, SortKey

if TYPE_CHECKING:
    from tui.interface.families.history import TradeRecord

Trade: TypeAlias = "Fact[TradeRecord]"

ORDER = "order "
"""Key prefix of rows with all fills of an order."""

MISSING_CELL: Cell = (number_format.MISSING, "faint")


class FillLine(msgspec.Struct, frozen=True):
    """Single fill, or all fills of one order."""

    trades: tuple[Trade, ...]
    """Fills, newest first."""
    order: OrderRow | None
    whole: bool = False
    """Whether it holds all fills of the order."""
    opened: bool = False

    @property
    def first(self) -> TradeRecord:
        """Newest of the fills."""
        return self.trades[0].record


def sum_fills(line: FillLine, amount: str) -> Decimal | None:
    values = [number_format.value(getattr(trade.record, amount)) for trade in line.trades]
    known = [value for value in values if value is not None]
    return sum(known, ZERO) if known and len(known) == len(values) else None


def time(line: FillLine, view: DisplayContext) -> Cell:
    return view.moment(millis(line.first.create_at), millis=True), "dim"


def by_time(line: FillLine) -> SortKey:
    return Decimal(millis(line.first.create_at))


def sym(line: FillLine) -> Cell:
    sign = ("▾" if line.opened else "▸") if line.whole else ""
    return f"{short_name(line.first.sym)}{f' {sign}{len(line.trades)}' if sign else ''}", "text"


def sym_short(line: FillLine) -> str:
    """Return the pair with the venue's name cut to three letters."""
    venue = venue_of(line.first.sym)
    return sym(line)[0].replace(venue, venue[:3], 1) if venue else sym(line)[0]


def intent(line: FillLine) -> Cell:
    side = line.order.position_side if line.order is not None else "NONE"
    forced = line.order is not None and line.order.forced
    return intent_word(line.first.sym, line.first.side, side), "warn" if forced else side_role(line.first.side)


def by_qty(line: FillLine) -> SortKey:
    return sum_fills(line, "quantity")


def differs(line: FillLine) -> bool:
    """Return whether all fills of an order do not add up to the executed quantity in its record."""
    executed = number_format.value(line.order.executed) if line.order is not None else None
    total = sum_fills(line, "quantity")
    return line.whole and executed is not None and total is not None and executed != total


def qty(line: FillLine, view: DisplayContext) -> Cell:
    total = sum_fills(line, "quantity")
    text = number_format.MISSING if total is None else view.quantity(line.first.sym, format(total, "f"))
    return (f"≠{text}", "warn") if differs(line) else (text, "strong")


def base(line: FillLine, view: DisplayContext) -> Cell:
    return view.amount(base_of(line, view), None), "dim"


def base_of(line: FillLine, view: DisplayContext) -> Decimal | None:
    total = sum_fills(line, "quantity")
    return None if total is None else base_units(line.first.sym, total, view.info(line.first.sym))


def average(line: FillLine) -> Decimal | None:
    pairs = [
        (number_format.value(trade.record.quantity), number_format.value(trade.record.price)) for trade in line.trades
    ]
    known = [(qty, price) for qty, price in pairs if qty and price]
    if not known or len(known) != len(pairs):
        return None
    return sum((qty * price for qty, price in known), ZERO) / sum((qty for qty, _ in known), ZERO)


def price(line: FillLine, view: DisplayContext) -> Cell:
    if len(line.trades) == 1:
        return view.price(line.first.sym, line.first.price, exact=True), "text"
    return view.price_of(line.first.sym, average(line)), "text"


def execution_role(line: FillLine) -> Cell:
    roles = {trade.record.exec_type for trade in line.trades}
    role = roles.pop() if len(roles) == 1 else "MIXED"
    return " " + (role or number_format.MISSING), "dim" if role == "MAKER" else "text"


def fee_of(line: FillLine) -> Decimal | None:
    """Return the paid fee in quote units, without subtracting rebates."""
    return sum_in_quote(line, "fee", "fee_coin")


def rebate_of(line: FillLine) -> Decimal | None:
    rebate = sum_in_quote(line, "rebate", "rebate_coin")
    return None if rebate is None else abs(rebate)


def sum_in_quote(line: FillLine, amount: str, coin: str) -> Decimal | None:
    from tui.rules import pnl

    total = ZERO
    for trade in line.trades:
        record = trade.record
        value, price = number_format.value(getattr(record, amount)), number_format.value(record.price)
        in_quote = pnl.value_in_quote(value, getattr(record, coin), record.sym, price)
        if in_quote is None:
            return None
        total += in_quote
    return total


def charge(line: FillLine, view: DisplayContext) -> Cell:
    """Return fee and rebate as one signed amount: negative if paid, positive if earned."""
    value = by_charge(line)
    if not isinstance(value, Decimal):
        raw = number_format.value(line.first.fee) if len(line.trades) == 1 else None
        return charge_in_coin(None if raw is None else -raw, line.first.fee_coin)
    shown = half_up(value, 4)
    return view.format_signed(shown, 4), "gain" if shown > 0 else "dim"


def by_charge(line: FillLine) -> SortKey:
    fee, rebate = fee_of(line), rebate_of(line)
    return rebate - fee if fee is not None and rebate is not None else None


def by_rpnl(line: FillLine) -> SortKey:
    """Return the result of a single fill before fees, or of an order after fees."""
    gross = sum_fills(line, "rpnl")
    charge = by_charge(line) if line.whole else ZERO
    return gross + charge if gross is not None and isinstance(charge, Decimal) else None


def rpnl(line: FillLine, view: DisplayContext) -> Cell:
    number = by_rpnl(line)
    if not isinstance(number, Decimal):
        return MISSING_CELL
    if not number:
        return "0", "faint"
    return ("n" if line.whole else "") + view.format_signed(number), number_format.change_role(number)


def by_slip(line: FillLine) -> SortKey:
    """Return the slippage from the mid price when the order was sent, in basis points; negative is better."""
    middle = number_format.value(line.order.arrival_mid) if line.order is not None else None
    price = average(line)
    if not middle or price is None:
        return None
    return (price - middle) * 10000 / middle * (1 if line.first.side == "BUY" else -1)


def slip(line: FillLine) -> Cell:
    points = by_slip(line)
    return (f"{half_up(points, 1):+}bp", "dim") if isinstance(points, Decimal) else MISSING_CELL


def by_latency(line: FillLine) -> SortKey:
    return line.order.reply_ms if line.order is not None else None


def latency(line: FillLine) -> Cell:
    """Return the time from key press to reply and, after `/`, to the order's first push, in ms."""
    order = line.order
    if order is None or order.reply_ms is None:
        return MISSING_CELL
    return f"{order.reply_ms:.0f}" + (f"/{order.push_ms:.0f}ms" if order.push_ms is not None else "ms"), "dim"


def trade_id(line: FillLine) -> Cell:
    return " " + (line.first.order_id if line.whole else line.first.transaction_id), "faint"
