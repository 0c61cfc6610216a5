"""Cells of the ladder."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from tui.interface.decimals import plain
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.table.columns import Cell

if TYPE_CHECKING:
    from tui.workstation.features.ladder.book import LadderRow, OwnOrders

BAR = " ▏▎▍▌▋▊▉█"
BAR_CELLS = 3
NARROW = 6
"""Cells for an own size and its side in the narrowest column."""
DANGERS = frozenset(["SL", "liq"])
IMPORTANT = {
    name: rank
    for rank, name in enumerate(("liq", "SL", "TP", "entry", "b/e", "~b/e", "alert", "mark", "index", "high", "low"))
}
"""Rank of each level where not all of a row fit."""
LETTERS = {"liq": "L", "SL": "S", "TP": "T", "entry": "E", "b/e": "B", "~b/e": "B", "alert": "A"}
"""Letter of each level behind its price, where there is no room for names."""
BOTH = "bid ask"
BETWEEN_BOTH = frozenset(["mark", "index"])
OF_MARKET = frozenset(["mark", "index", "high", "low"])
"""Levels that have nothing to do with the position."""


def price(row: LadderRow, view: DisplayContext) -> Cell:
    """Show the price, or the price range of a grouped row; the best prices and the last trade stand out."""
    role = {"BUY": "buy-strong", "SELL": "sell-strong"}.get(row.last) or ("strong" if row.best else "text")
    return f"{_price_text(row, view)}{_last_sign(row)}", role


def price_and_level(row: LadderRow, view: DisplayContext) -> Cell:
    """Show the price with the letter of its most important level; without a level like `price`."""
    letter = _letter(row)
    return (f"{_price_text(row, view)}{letter}", marks(row)[1]) if letter else price(row, view)


def _price_text(row: LadderRow, view: DisplayContext) -> str:
    decimals = max(0, -int(row.low.as_tuple().exponent))
    text = view.amount(row.low, decimals)
    return price_range(row.low, row.high, decimals, view) if row.high != row.low else text


def price_range(low: Decimal, high: Decimal, decimals: int, view: DisplayContext) -> str:
    """Show the lowest price of a row and the last digits of its highest, as many as the row's width needs."""
    text = view.amount(low, decimals)
    digits = max(2, len(str(int(high - low)))) + (decimals + 1 if decimals else 0)
    return f"{text}–{format(high, 'f')[-digits:]}"


def price_short(row: LadderRow, view: DisplayContext) -> str:
    """Return the lowest price alone, with `+` for a grouped row."""
    decimals = max(0, -int(row.low.as_tuple().exponent))
    text = view.amount(row.low, decimals)
    return f"{text}{'+' if row.high != row.low else _last_sign(row)}"


def price_and_level_short(row: LadderRow, view: DisplayContext) -> str:
    """Return the row's lowest price, with the letter of its most important level in place of `+`."""
    letter = _letter(row)
    return f"{price_short(row, view)[:-1]}{letter}" if letter else price_short(row, view)


def _letter(row: LadderRow) -> str:
    return next((LETTERS[name] for name in _by_importance(row) if name in LETTERS), "")


def _last_sign(row: LadderRow) -> str:
    return {"BUY": "▴", "SELL": "▾"}.get(row.last, " ")


def bid(row: LadderRow, view: DisplayContext) -> Cell:
    return _size(row.bid, view), "buy-strong" if "bid" in row.best else "buy"


def ask(row: LadderRow, view: DisplayContext) -> Cell:
    return _size(row.ask, view), "sell-strong" if "ask" in row.best else "sell"


def _size(size: Decimal | None, view: DisplayContext) -> str:
    return "" if size is None else view.amount(size, None)


def size_short(size: Decimal | None) -> str:
    """Return a size with at most three decimals, fewer the larger it is, for a narrow column."""
    return "" if size is None else number_format.format_queue(size)


def buys(row: LadderRow, view: DisplayContext) -> Cell:
    return own(row.buys, "buy-strong", view)


def sells(row: LadderRow, view: DisplayContext) -> Cell:
    return own(row.sells, "sell-strong", view)


def own(orders: OwnOrders | None, role: str, view: DisplayContext) -> Cell:
    """Show the open quantity of own orders; after `~` the estimated quantity in front of them."""
    if orders is None:
        return "", "dim"
    size = _size(orders.qty, view)
    if orders.unknown:
        return f"UNK {size}", "unknown"
    ahead = f" ~{number_format.format_queue(orders.ahead)}" if orders.ahead is not None else ""
    return f"{'◆' if orders.picked else ''}{size}{ahead}", "accent" if orders.picked else role


def both_sides(row: LadderRow, view: DisplayContext) -> Cell:
    """Show own orders of either side in one column; the letter is the side."""
    if row.buys is not None and row.sells is not None:
        return both_short(row), "strong"
    text, role = sells(row, view) if row.buys is None else buys(row, view)
    return f"{'S' if row.buys is None else 'B'} {text}" if text else "", role


def both_short(row: LadderRow) -> str:
    """Return the open quantities of own buys and sells, or `UNK` if an outcome is unknown, for a narrow column."""
    sides = ("B", row.buys), ("S", row.sells)
    return " ".join(_own_letter(side, orders) for side, orders in sides if orders is not None)


def _own_letter(side: str, orders: OwnOrders) -> str:
    if orders.unknown:
        return f"{side} UNK"
    size = plain(orders.qty)
    # Without the space, then without the zero, a small size stays whole: it never becomes a power of ten.
    return next(
        (form for form in (f"{side} {size}", f"{side}{size}") if len(form) <= NARROW), f"{side}{size.removeprefix('0')}"
    )


def own_short(orders: OwnOrders | None) -> str:
    """Return only the open quantity of own orders, for a narrow column."""
    return "" if orders is None else f"{'UNK ' if orders.unknown else ''}{plain(orders.qty)}"


def venue_sign(n: int, row: LadderRow) -> Cell:
    """Draw the line beside a venue's columns; a thick bar marks the venue that the order keys act on."""
    return ("▌", "accent") if n == row.at else ("│", "faint")


def venue_bid(n: int, row: LadderRow, view: DisplayContext) -> Cell:
    """Show own buys and the size of the bids at one of several venues, in base units."""
    if n >= len(row.venues):
        return "", "dim"
    at = row.venues[n]
    return _venue_size("B", at.buys, at.bid, "buy", view, strong="bid" in at.best, chosen=n == row.at)


def venue_ask(n: int, row: LadderRow, view: DisplayContext) -> Cell:
    """Show own sells and the size of the asks at one of several venues, in base units."""
    if n >= len(row.venues):
        return "", "dim"
    at = row.venues[n]
    return _venue_size("S", at.sells, at.ask, "sell", view, strong="ask" in at.best, chosen=n == row.at)


def _venue_size(
    letter: str,
    orders: OwnOrders | None,
    size: Decimal | None,
    role: str,
    view: DisplayContext,
    *,
    strong: bool,
    chosen: bool,
) -> Cell:
    text = _size(size, view)
    if orders is not None:
        own_text, own_role = own(orders, f"{role}-strong", view)
        return f"{letter} {own_text}{' · ' if text else ''}{text}", own_role
    if not chosen:
        return text, "strong" if strong else "dim"
    return text, f"{role}-strong" if strong else role


def short_venue_bid(n: int, row: LadderRow) -> str:
    """Return the open quantity of own buys at a venue, or without any the size of its bids, for a narrow column."""
    at = row.venues[n]
    return _own_letter("B", at.buys) if at.buys is not None else size_short(at.bid)


def short_venue_ask(n: int, row: LadderRow) -> str:
    """Return the open quantity of own sells alone, or the size where there are none, for a narrow column."""
    at = row.venues[n]
    return _own_letter("S", at.sells) if at.sells is not None else size_short(at.ask)


def marks(row: LadderRow) -> Cell:
    """Name the levels in the row, such as entry, stop or mark price; if there are none, the best bid or ask."""
    names = _by_importance(row)
    if _says_best(row, names):
        return row.best, "dim"
    return " ".join(names), "warn" if DANGERS & set(names) else "accent" if set(names) - OF_MARKET else "dim"


def marks_short(row: LadderRow) -> str:
    """Name the most important level of the row, and how many others there are, for a narrow column."""
    names = _by_importance(row)
    if _says_best(row, names):
        return row.best
    return names[0] if len(names) == 1 else f"{names[0]} +{len(names) - 1}"


def _says_best(row: LadderRow, names: list[str]) -> bool:
    """Return whether the row is labelled by its best prices: no level lies there, or only mark or index between them."""
    return not names or (row.best == BOTH and BETWEEN_BOTH.issuperset(names))


def _by_importance(row: LadderRow) -> list[str]:
    """Return each level once, the most important first."""
    return sorted(dict.fromkeys(row.marks), key=lambda name: IMPORTANT.get(name, IMPORTANT["TP"]))


def volume(row: LadderRow, view: DisplayContext) -> Cell:
    """Show the quantity traded at the price since the pair was opened, with a bar."""
    if not row.traded:
        return "", "faint"
    eighths = max(1, int(row.share * 8 * BAR_CELLS))
    bar = (BAR[8] * (eighths // 8) + BAR[eighths % 8]).rstrip()[:BAR_CELLS]
    return f"{bar:<{BAR_CELLS}} {_size(row.traded, view)}", "dim"


def result(row: LadderRow, view: DisplayContext) -> Cell:
    """Show the result of the position if it were closed at the price, before fees."""
    if row.result is None:
        return "", "faint"
    return view.format_signed(row.result), number_format.change_role(row.result)
