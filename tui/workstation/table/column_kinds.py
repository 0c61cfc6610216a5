"""Builders of common columns: times, texts, symbols, amounts, money, gains; a list adds the width and the row's value."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any, TypedDict, TypeVar, Unpack

from tui.engine.rows import Fact, PendingAction
from tui.interface.decimals import ZERO, half_up, plain
from tui.interface.times import millis
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import MONEY, short_name
from tui.workstation.table.columns import Cell, Field, of_row

R = TypeVar("R")
Figure = str | Decimal | None
PLACES = 8
"""Decimals of a coin amount in a list; the row's card shows all of them."""
ROUND_FROM = 10
"""Charge from which on two decimals are shown."""
MONEY_PLACES = 4
"""Decimals of an amount of money in a list, the same in each row of a column that may hold several coins."""


class FieldOptions(TypedDict, total=False):
    """Optional settings of a column, as in `Field`."""

    least: int
    hide: int
    title: str
    instead: tuple[str, ...]
    fills: bool
    of: Callable[[Any], object]


def show_time(at: Callable[[R], int], **options: Unpack[FieldOptions]) -> Field[R]:
    """Build a column of day and time; `at` returns ms, 0 for none."""
    return Field(
        15, lambda row, view: time_cell(at(row), view), of_row(lambda row: Decimal(at(row))), left=True, **options
    )


def age_cell(row: Fact[Any], view: DisplayContext) -> Cell:
    """Format the time since the service's row was received."""
    return number_format.whole_age(by_age(row, view)), "dim"


def by_age(row: Fact[Any], view: DisplayContext) -> float:
    """Return the seconds since the service's row was received."""
    return view.now - row.stamp.received


def show_text(
    text: Callable[[R], str], width: int, role: str = "text", *, prose: bool = True, **options: Unpack[FieldOptions]
) -> Field[R]:
    """Build a column of text; `prose` allows it to be cut with `…`."""
    return Field(width, of_row(lambda row: (text(row), role)), left=True, prose=prose, **options)


def show_name(
    name: Callable[[R, DisplayContext], str], width: int, role: str = "text", **options: Unpack[FieldOptions]
) -> Field[R]:
    """Build a column of texts that also depend on other tables, such as account names."""
    return Field(width, lambda row, view: (name(row, view), role), left=True, prose=True, **options)


def show_symbol(sym: Callable[[R], str], width: int, **options: Unpack[FieldOptions]) -> Field[R]:
    """Build a column of short pair names."""
    return show_text(lambda row: short_name(sym(row)) if sym(row) else number_format.MISSING, width, **options)


def show_amount(
    amount: Callable[[R], Figure],
    width: int,
    coin: Callable[[R], str] | None = None,
    role: str = "text",
    **options: Unpack[FieldOptions],
) -> Field[R]:
    """Build a column of coin amounts, with the coin's name if `coin` is given; zeros are dimmed."""

    def cell(row: R, view: DisplayContext) -> Cell:
        text, amount_role = in_coin(
            _text(amount(row)), coin(row) if coin is not None else "", separators=view.settings.separators
        )
        return text, role if amount_role == "text" else amount_role

    return Field(width, cell, of_row(lambda row: _number(amount(row))), **options)


def show_money(
    money: Callable[[R], Figure], width: int, role: str = "text", **options: Unpack[FieldOptions]
) -> Field[R]:
    """Build a column of amounts in the risk currency."""
    return Field(
        width,
        lambda row, view: (view.money(_text(money(row)) or None), role),
        of_row(lambda row: _number(money(row))),
        **options,
    )


def show_gain(gain: Callable[[R], Decimal | None], width: int, **options: Unpack[FieldOptions]) -> Field[R]:
    """Build a column of gains and losses in the risk currency, with a sign."""

    def cell(row: R, view: DisplayContext) -> Cell:
        return view.format_signed(gain(row)), number_format.change_role(gain(row))

    return Field(width, cell, of_row(gain), **options)


def show_price(
    sym: Callable[[R], str],
    price: Callable[[R], str | None],
    width: int,
    **options: Unpack[FieldOptions],
) -> Field[R]:
    """Build a column of prices, with the decimals of the tick."""
    return Field(
        width,
        lambda row, view: (view.price(sym(row), price(row)), "text"),
        of_row(lambda row: number_format.value(price(row))),
        **options,
    )


def show_quantity(
    sym: Callable[[R], str],
    qty: Callable[[R], str | None],
    width: int,
    role: str = "text",
    **options: Unpack[FieldOptions],
) -> Field[R]:
    """Build a column of quantities, with the decimals of the lot size; zeros are dimmed."""

    def cell(row: R, view: DisplayContext) -> Cell:
        return view.quantity(sym(row), qty(row)), role if number(qty(row)) else "faint"

    return Field(width, cell, of_row(lambda row: number_format.value(qty(row))), **options)


def _text(figure: Figure) -> str:
    return plain(figure) if isinstance(figure, Decimal) else figure or ""


def _number(figure: Figure) -> Decimal | None:
    return figure if isinstance(figure, Decimal) else number_format.value(figure)


# Cells and their parts


def time_cell(at: int, view: DisplayContext) -> Cell:
    """Format day and time; `at` is in ms."""
    return (f"{view.day_of(at)[5:]} {view.moment(at)}" if at else number_format.MISSING), "dim"


def sym_of(row: Any) -> str:
    """Return the pair of a record."""
    return str(row.sym)


def creation_ms(row: Any) -> int:
    """Return the creation time of a record, in ms."""
    return millis(str(row.create_at))


def number(text: str | None) -> Decimal:
    """Parse a number; 0 if it is missing."""
    return number_format.value(text) or ZERO


def in_coin(amount: str, coin: str, *, separators: bool = True) -> Cell:
    """Format an amount with its coin; `–` if it is missing."""
    value = number_format.value(amount)
    if value is None:
        return number_format.MISSING, "faint"
    places = MONEY_PLACES if coin in MONEY else PLACES
    text = number_format.decimal_figure(half_up(value, places), 2, separators=separators, exact=True)
    return (f"{text} {coin}".rstrip(), "text") if value else ("0", "faint")


def align_amount(amount: Decimal | None, coin: str, *, separators: bool = True) -> str:
    """Format an amount without its coin: money always has four decimals, so that columns align; other coins as needed."""
    if amount is None:
        return number_format.MISSING
    if coin in MONEY:
        return number_format.decimal_figure(half_up(amount, MONEY_PLACES), MONEY_PLACES, separators=separators)
    return number_format.decimal_figure(half_up(amount, PLACES), 2, separators=separators, exact=True)


def amount_in_coin(text: str, coin: str) -> str:
    """Format a fee or rebate without sign: money with four decimals, other coins exactly."""
    places = MONEY_PLACES if coin in MONEY else None
    return f"{number_format.figure(text, places)} {coin}".rstrip()


def charge_in_coin(amount: Decimal | None, coin: str) -> Cell:
    """Format a charge with its coin and sign, + for a rebate; money with four decimals, large amounts of it with two.

    From `ROUND_FROM` on it has two: four would be cut in a narrow list.
    """
    if amount is None:
        return number_format.MISSING, "faint"
    if not amount:
        return "0", "faint"
    places = None if coin not in MONEY else MONEY_PLACES if abs(amount) < ROUND_FROM else 2
    text = number_format.format_signed_decimal(half_up(amount, places or PLACES), places)
    return f"{text} {coin}".rstrip(), "gain" if amount > 0 else "text"


def unsure_state(word: str, overlay: PendingAction, role: str) -> Cell:
    """Return a state cell; with a cancel or replace pending, the state's first three letters and that action."""
    return f"{word[:3]} {overlay.value}" if overlay else word, role
