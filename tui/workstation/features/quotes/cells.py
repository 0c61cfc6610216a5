"""Cells and sort keys of the quotes pane."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from tui.engine.rows import OrderRow, QuoteRow
from tui.interface.decimals import half_up
from tui.interface.symbols import try_parse
from tui.interface.times import millis
from tui.workstation.features.quotes.consolidated_bbo import net_price
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import in_contracts
from tui.workstation.table.columns import Cell, SortKey

if TYPE_CHECKING:
    from tui.interface.families.market import KlineRow, SymbolInfo
    from tui.workstation.features.quotes.minute_closes import MinuteCloses

DIM_AFTER_S = 2.0
STALE_AFTER_S = 5.0


_BID_ROLES = {"text": "buy", "strong": "buy-strong"}
_ASK_ROLES = {"text": "sell", "strong": "sell-strong"}
"""Colour roles of bid and ask by the role of the quote's age."""

LONG_SPREAD = 9
"""Most cells of ticks and basis points together; a wider spread shows only basis points."""

SPARK_CELLS = 10
"""Cells of the prices of the last hour."""

EMPTY_CELL: Cell = ("", "faint")
MISSING_CELL: Cell = (number_format.MISSING, "faint")


class QuoteLine(msgspec.Struct, frozen=True, gc=False):
    """Row of the quotes pane: the quote of one venue, or the best of several venues (`of` is their number)."""

    key: str
    label: str
    quote: QuoteRow
    sym: str = ""
    venues: int = 0
    """Venues with a live quote."""
    of: int = 0
    """Venues of the pair; 0: the quote of one venue."""
    at: str = ""
    """Venues that hold the best bid and the best ask."""
    bid_sym: str = ""
    ask_sym: str = ""
    """Symbols with the best bid and the best ask, in a consolidated row."""
    info: SymbolInfo | None = None
    """Rules of the pair, if known."""
    role: str = "faint"
    """Colour role of its figures, by age."""
    closes: MinuteCloses | None = None
    """Closes of the last hour of all pairs; None in a consolidated row."""

    @property
    def best(self) -> bool:
        """Whether the row shows the best of several venues."""
        return self.of > 0


def mark_sign(line: QuoteLine, view: DisplayContext) -> Cell:
    """Return `×` if the service sends no quotes for the pair, `›` if own orders work on it; else empty."""
    if not line.best and not line.quote.subscribed:
        return "×", "alert"
    return ("›", "accent") if not line.best and view.mirror.works_on(line.sym) else ("", "text")


def symbol_label(line: QuoteLine) -> Cell:
    if line.best:
        return line.label, "strong" if line.venues else "stale"
    return line.label, "text"


def symbol_short(line: QuoteLine) -> str:
    """Return the label with the venue cut to three letters."""
    parts = try_parse(line.sym)
    if line.best or parts is None or not line.label.endswith(parts.exchange):
        return line.label
    return line.label.removesuffix(parts.exchange) + parts.exchange[:3]


def role_at(received: float, now: float, fresh: str) -> str:
    """Return the colour role of a quote by its age; `fresh` is that of a recent quote. Times are monotonic, in s."""
    if not received:
        return "faint"
    age = now - received
    return fresh if age <= DIM_AFTER_S else "faint" if age <= STALE_AFTER_S else "stale"


def look_key(line: QuoteLine) -> object:
    """Return the values that affect all cells of a row: age colour, venues, symbol, subscription."""
    return line.role, line.venues, line.sym, line.quote.subscribed


def _side(line: QuoteLine, view: DisplayContext, *, bid: bool) -> Decimal | None:
    text = line.quote.bid if bid else line.quote.ask
    return number_format.value(text) or None if line.best else net_price(text, view.quote_fee(line.sym), bid=bid)


def _price(line: QuoteLine, view: DisplayContext, *, bid: bool) -> Cell:
    role = (_BID_ROLES if bid else _ASK_ROLES).get(line.role, line.role)
    if view.net_of_fee:
        return view.price_of(line.sym, _side(line, view, bid=bid)), role
    places = number_format.places(line.info.tick_size) if line.info else None
    text = line.quote.bid if bid else line.quote.ask
    return number_format.figure(_omit_zero(text), places, separators=view.settings.separators, exact=True), role


def _omit_zero(text: str) -> str | None:
    """Return a price or size text; None if it is 0, which stands for an empty side of the book."""
    return text if text.strip("0.") else None


def bid(line: QuoteLine, view: DisplayContext) -> Cell:
    return _price(line, view, bid=True)


def by_bid(line: QuoteLine, view: DisplayContext) -> SortKey:
    return _side(line, view, bid=True)


def ask(line: QuoteLine, view: DisplayContext) -> Cell:
    return _price(line, view, bid=False)


def by_ask(line: QuoteLine, view: DisplayContext) -> SortKey:
    return _side(line, view, bid=False)


def _size(line: QuoteLine, text: str, view: DisplayContext) -> Cell:
    places = number_format.places(line.info.lot_size) if line.info else None
    if line.best:
        whole = 3 if places is None or in_contracts(line.sym) else min(places, 3)
        return number_format.figure(_omit_zero(text), whole, separators=view.settings.separators), "dim"
    figure = number_format.figure(_omit_zero(text), places, separators=view.settings.separators)
    if figure != number_format.MISSING and in_contracts(line.sym):
        figure += "ct"
    return figure, "dim"


def bid_qty(line: QuoteLine, view: DisplayContext) -> Cell:
    return _size(line, line.quote.bid_qty, view)


def by_bid_qty(line: QuoteLine) -> SortKey:
    return number_format.value(line.quote.bid_qty)


def ask_qty(line: QuoteLine, view: DisplayContext) -> Cell:
    return _size(line, line.quote.ask_qty, view)


def by_ask_qty(line: QuoteLine) -> SortKey:
    return number_format.value(line.quote.ask_qty)


def smaller_size(line: QuoteLine) -> Decimal | None:
    """Return the smaller of the sizes at best bid and best ask."""
    sizes = [number_format.value(line.quote.bid_qty), number_format.value(line.quote.ask_qty)]
    known = [size for size in sizes if size is not None]
    return min(known) if known else None


def _spread_of(low: Decimal | None, high: Decimal | None, tick: Decimal | None) -> tuple[str, str, str] | None:
    """Return the spread: a sign if crossed or locked, ticks, basis points; None if a price is missing."""
    if not low or not high:
        return None
    points, ticks = number_format.basis_points(low, high), number_format.ticks_between(low, high, tick)
    bp = f"{abs(points)}bp" if points is not None else ""
    return "-" if low > high else "=" if low == high else "", bp if ticks is None else f"{abs(ticks)}t", bp


@lru_cache(maxsize=8192)
def _compute_spread(bid: str, ask: str, tick: str) -> tuple[str, str, str] | None:
    """Compute the spread of two price texts; cached, because markets return to the same few prices."""
    return _spread_of(number_format.value(bid), number_format.value(ask), number_format.value(tick))


def _spread_parts(line: QuoteLine, view: DisplayContext) -> tuple[str, str, str]:
    tick = line.info.tick_size if line.info else ""
    if view.net_of_fee and not line.best:
        parts = _spread_of(_side(line, view, bid=True), _side(line, view, bid=False), number_format.value(tick))
    else:
        parts = _compute_spread(line.quote.bid, line.quote.ask, tick)
    if parts is None:
        return number_format.MISSING, "", "faint"
    sign, ticks, bp = parts
    role = "warn" if sign else "dim"
    if sign and line.best and view.now - line.quote.received > STALE_AFTER_S:
        role = "stale"
    return sign + (bp if line.best else ticks), bp, role


def spread(line: QuoteLine, view: DisplayContext) -> Cell:
    short, _, role = _spread_parts(line, view)
    return short, role


def spread_long(line: QuoteLine, view: DisplayContext) -> Cell:
    short, bp, role = _spread_parts(line, view)
    both = f"{short} {bp}"
    if line.best or not bp:
        return short, role
    return both if len(both) <= LONG_SPREAD else short.rstrip("t0123456789") + bp, role


def by_spread(line: QuoteLine, view: DisplayContext) -> SortKey:
    low, high = _side(line, view, bid=True), _side(line, view, bid=False)
    return number_format.basis_points(low, high)


def compute_middle(line: QuoteLine) -> Decimal | None:
    """Compute the price halfway between bid and ask; None where one of them is missing."""
    low, high = number_format.value(line.quote.bid), number_format.value(line.quote.ask)
    return (low + high) / 2 if low and high else None


def middle(line: QuoteLine, view: DisplayContext) -> Cell:
    half, info = compute_middle(line), line.info
    places = number_format.places(info.tick_size) if info is not None else None
    return view.amount(half, None if places is None else places + 1), "dim"


def mark_price(line: QuoteLine, view: DisplayContext) -> Cell:
    if line.best or not _is_perp(line):
        return EMPTY_CELL
    return view.price(line.sym, line.quote.mark or None), "dim"


def by_mark(line: QuoteLine) -> SortKey:
    return None if line.best else number_format.value(line.quote.mark)


def compute_basis(line: QuoteLine) -> Decimal | None:
    """Compute how far the mark is from the middle, in basis points."""
    mark, half = number_format.value(line.quote.mark), compute_middle(line)
    return number_format.points_from(half, mark) if not line.best and mark and half else None


def basis(line: QuoteLine) -> Cell:
    if line.best or not _is_perp(line):
        return EMPTY_CELL
    points = compute_basis(line)
    return (number_format.MISSING if points is None else f"{points:+}bp"), "dim"


def _is_perp(line: QuoteLine) -> bool:
    parts = try_parse(line.sym)
    return parts is not None and parts.is_perp


def _last(line: QuoteLine, view: DisplayContext) -> str:
    ticker = view.mirror.tickers.get(line.sym)
    return ticker.last if ticker is not None else ""


def last(line: QuoteLine, view: DisplayContext) -> Cell:
    return EMPTY_CELL if line.best else (view.price(line.sym, _last(line, view) or None), "dim")


def by_last(line: QuoteLine, view: DisplayContext) -> SortKey:
    return None if line.best else number_format.value(_last(line, view))


def funding(line: QuoteLine, view: DisplayContext) -> Cell:
    """Return the present funding rate, which the next payment would use."""
    if line.best or not _is_perp(line):
        return EMPTY_CELL
    rate = by_funding(line, view)
    if not isinstance(rate, Decimal):
        return MISSING_CELL
    return f"{number_format.decimal_figure(rate * 100, 3)}%", "warn" if abs(rate) >= Decimal("0.001") else "dim"


def by_funding(line: QuoteLine, view: DisplayContext) -> SortKey:
    terms = None if line.best else view.mirror.funding.get(line.sym)
    return number_format.value(terms.rate) if terms is not None else None


def funding_yearly(line: QuoteLine, view: DisplayContext) -> Cell:
    if line.best or not _is_perp(line):
        return EMPTY_CELL
    yearly = by_funding_yearly(line, view)
    return (f"{half_up(yearly * 100, 1):+}%", "dim") if isinstance(yearly, Decimal) else MISSING_CELL


def by_funding_yearly(line: QuoteLine, view: DisplayContext) -> SortKey:
    terms, rate = view.mirror.funding.get(line.sym), by_funding(line, view)
    if terms is None or terms.interval_ms <= 0 or not isinstance(rate, Decimal):
        return None
    # Imported late: no row exists before the first frame.
    from tui.rules.funding import annualise

    return annualise(rate, terms.interval_ms)


def funding_countdown(line: QuoteLine, view: DisplayContext) -> Cell:
    """Return the time to the next funding payment, by the server's clock."""
    if line.best or not _is_perp(line):
        return EMPTY_CELL
    seconds = by_countdown(line, view)
    return (number_format.countdown(seconds), "dim") if isinstance(seconds, float) else MISSING_CELL


def by_countdown(line: QuoteLine, view: DisplayContext) -> SortKey:
    terms = None if line.best else view.mirror.funding.get(line.sym)
    return max(0.0, terms.next_at / 1000 - view.server_wall) if terms is not None and terms.next_at else None


def day_change(line: QuoteLine, view: DisplayContext) -> Cell:
    if line.best:
        return EMPTY_CELL
    change = by_day_change(line, view)
    if not isinstance(change, Decimal):
        return MISSING_CELL
    shown = half_up(change, 2)
    return number_format.format_signed_decimal(shown, 2) + "%", number_format.change_role(shown)


def sparkline(line: QuoteLine, view: DisplayContext) -> Cell:
    """Draw the prices of the last hour, as far as this program has received them."""
    if line.closes is None:
        return EMPTY_CELL
    change = line.closes.change(line.sym, view.minute)
    role = "dim" if not change else "up" if change > 0 else "down"
    return line.closes.draw(line.sym, view.minute, SPARK_CELLS), role


def by_hour_change(line: QuoteLine, view: DisplayContext) -> SortKey:
    return None if line.closes is None else line.closes.change(line.sym, view.minute)


def minute_closes(bars: Sequence[KlineRow]) -> Iterator[tuple[int, float]]:
    """Yield minute and close of one-minute bars."""
    for bar in bars:
        close = number_format.value(bar.close)
        if close:
            yield millis(str(bar.open_time)) // 60_000, float(close)


def by_day_change(line: QuoteLine, view: DisplayContext) -> SortKey:
    ticker = None if line.best else view.mirror.tickers.get(line.sym)
    return number_format.value(ticker.change) if ticker is not None else None


def open_interest(line: QuoteLine, view: DisplayContext) -> Cell:
    """Return the open interest, in the venue's unit."""
    if line.best or not _is_perp(line):
        return EMPTY_CELL
    ticker = view.mirror.tickers.get(line.sym)
    return number_format.figure(
        ticker.open_interest if ticker else None, None, separators=view.settings.separators
    ), "dim"


def by_open_interest(line: QuoteLine, view: DisplayContext) -> SortKey:
    ticker = None if line.best else view.mirror.tickers.get(line.sym)
    return number_format.value(ticker.open_interest) if ticker is not None else None


def own(line: QuoteLine, view: DisplayContext) -> Cell:
    """Return the own quantity working at the best prices, and the estimated quantity in front of it."""
    if line.best:
        return EMPTY_CELL
    total, ahead = Decimal(0), Decimal(0)
    known = True
    for order in _orders_at_touch(line, view):
        whole, done = number_format.value(order.qty), number_format.value(order.filled)
        if whole is None or done is None:
            return MISSING_CELL
        total += whole - done
        before = view.queues.ahead(order)
        known = known and before is not None
        ahead = max(ahead, before or Decimal(0))
    if not total:
        return EMPTY_CELL
    text = view.quantity(line.sym, format(total, "f"))
    return (f"{text} ~{number_format.format_queue(ahead)}" if known else text), "accent"


def by_own(line: QuoteLine, view: DisplayContext) -> SortKey:
    if line.best:
        return None
    rests = [
        (number_format.value(order.qty) or Decimal(0)) - (number_format.value(order.filled) or Decimal(0))
        for order in _orders_at_touch(line, view)
    ]
    return sum(rests, Decimal(0)) if rests else None


def _orders_at_touch(line: QuoteLine, view: DisplayContext) -> Iterator[OrderRow]:
    """Yield the own working orders at the best prices of a pair."""
    for side, touch in (("BUY", line.quote.bid), ("SELL", line.quote.ask)):
        yield from view.mirror.working_at(line.sym, side, number_format.value(touch))


def at_venues(line: QuoteLine) -> Cell:
    return " " + line.at, "dim"


def at_venues_short(line: QuoteLine) -> str:
    """Return the first venue at the best bid and ask, and the number of further ones."""
    sides = [side.split("+") for side in line.at.split("/")]
    return " " + "/".join(first + (f"+{len(more)}" if more else "") for first, *more in sides)


def age(line: QuoteLine, view: DisplayContext) -> Cell:
    received = line.quote.received
    if not line.quote.watched:
        return "off", "alert"
    if not received:
        return (number_format.MISSING if line.quote.subscribed else number_format.NONE), "faint"
    seconds = view.now - received
    if seconds > STALE_AFTER_S and not view.mirror.proven("public"):
        return "~" + number_format.age(seconds), "stale"
    return number_format.age(
        seconds
    ), "dim" if seconds <= DIM_AFTER_S else "faint" if seconds <= STALE_AFTER_S else "stale"


def by_age(line: QuoteLine, view: DisplayContext) -> SortKey:
    return view.now - line.quote.received if line.quote.received else None


def link_cell(line: QuoteLine, view: DisplayContext) -> Cell:
    """Return the link state of a quote; empty for a lost connection, which the title shows for all rows."""
    state = link_state(line, view)
    return ("", "faint") if state[1] == "stale" and view.mirror.synced_once else state


def link_state(line: QuoteLine, view: DisplayContext) -> Cell:
    """Return why a quote is old or missing: quiet market, lost connection, no subscription, or no room; else empty."""
    received = line.quote.received
    if not line.quote.watched:
        return " no room", "alert"
    if not received or view.now - received <= STALE_AFTER_S:
        return ("", "faint") if line.quote.subscribed else (" none", "alert")
    return (" quiet", "dim") if view.mirror.proven("public") else (" STALE", "stale")
