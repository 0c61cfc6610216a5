"""Prices of a line: references, offsets, constants and triggers as figures of the desk."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from tui.interface.decimals import plain, positive
from tui.interface.families.orders import Side
from tui.interface.families.positions import PositionRecord
from tui.interface.figures import leg_of, size_of
from tui.rules import rounding
from tui.workstation.command_line.grammar.refusals import Code, LineRefused
from tui.workstation.command_line.grammar.scene import Scene
from tui.workstation.command_line.grammar.syntax import Level, Offset, Trigger
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.position_metrics import own_liquidation

HUNDRED, BP = Decimal(100), Decimal(10_000)


def list_positions(sym: str, view: DisplayContext) -> list[PositionRecord]:
    """List the open legs of a symbol."""
    records = [fact.record for fact in view.mirror.positions.values() if fact.record.sym == sym]
    return [record for record in records if size_of(record)]


def list_held(view: DisplayContext) -> dict[str, str]:
    """Map each symbol with an open position to its side: LONG or SHORT, or BOTH if it has positions on both sides."""
    held: dict[str, str] = {}
    for fact in view.mirror.positions.values():
        record = fact.record
        if size_of(record):
            held[record.sym] = "BOTH" if record.sym in held else leg_of(record)
    return held


def build_scene(view: DisplayContext, in_view: str = "", *, has_cursor: bool = False) -> Scene:
    """Build the scene of a desk, by which names in its lines are resolved.

    Args:
        view: Rows.
        in_view: Symbol of the row under the cursor; empty: none.
        has_cursor: Whether there is a cursor on rows, which chooses what a line leaves out.
    """
    status = view.mirror.engine_status
    names = [name for name in (status.portfolio_name, status.portfolio) if name] if status is not None else []
    return Scene(view.mirror.symbols, in_view, names, list_held(view), has_cursor=has_cursor)


def find_reference(name: str, sym: str, view: DisplayContext) -> Decimal:
    """Return a reference price of a symbol, such as its bid or the entry of its position.

    Raises:
        LineRefused: It is not known now.
    """
    price = _reference(name.lstrip("$"), sym, view)
    if price is None:
        raise LineRefused(Code.NOT_KNOWN, f"{name} of {sym} is not known now; write a price")
    return price


def _reference(name: str, sym: str, view: DisplayContext) -> Decimal | None:
    quote, ticker = view.mirror.quotes.get(sym), view.mirror.tickers.get(sym)
    if name in ("bid", "ask", "mark") and quote is not None:
        return positive({"bid": quote.bid, "ask": quote.ask, "mark": quote.mark}[name])
    if name == "mid" and quote is not None:
        bid, ask = positive(quote.bid), positive(quote.ask)
        return (bid + ask) / 2 if bid is not None and ask is not None else None
    if name == "last" and ticker is not None:
        return positive(ticker.last)
    if name in ("entry", "liq"):
        legs = list_positions(sym, view)
        if len(legs) != 1:
            return None
        return positive(legs[0].avg_price) if name == "entry" else own_liquidation(legs[0], view)
    return None


def shift(price: Decimal, offset: Offset | None, tick: Decimal | None) -> Decimal:
    """Return a price with an offset in ticks, percent, basis points or price units.

    Raises:
        LineRefused: The tick is not known, or `r` stands where it means nothing.
    """
    if offset is None:
        return price
    if offset.unit == "%":
        return price + price * offset.number / HUNDRED
    if offset.unit == "bp":
        return price + price * offset.number / BP
    if offset.unit == "t":
        if tick is None:
            raise LineRefused(Code.NOT_KNOWN, "the tick of the pair is not known yet")
        return price + tick * offset.number
    if offset.unit == "r":
        raise LineRefused(Code.NO_SL_FOR_R, "the unit r works only in targets; write t, %, bp or a price")
    return price + offset.number


def compute_price(level: Level, sym: str, side: Side, view: DisplayContext) -> str:
    """Compute the limit price of a level; unless typed as a number, it is rounded to the tick, to the less aggressive side.

    Raises:
        LineRefused: A figure is missing, or the price is not above 0.
    """
    return _compute(level, sym, view, lambda price, tick: rounding.round_limit_price(price, tick, side))


def compute_trigger(which: str, level: Level, sym: str, closing: Side, view: DisplayContext) -> str:
    """Compute the trigger price of a level; unless typed as a number, it is rounded to the tick at which it fires earlier.

    Args:
        which: sl or tp.
        level: Parsed level.
        sym: Symbol.
        closing: Side of the order that the trigger sends.
        view: Rows.

    Raises:
        LineRefused: A figure is missing, or the price is not above 0.
    """
    return _compute(level, sym, view, lambda price, tick: round_trigger(which, price, tick, closing))


def round_trigger(which: str, price: Decimal, tick: Decimal, closing: Side) -> Decimal:
    """Round the trigger of a stop (sl) or target (tp) to the tick at which it fires earlier."""
    return rounding.round_stop_trigger(price, tick, closing if which == "sl" else closing.other)


def place_trigger(which: str, start: Decimal, offset: Offset | None, tick: Decimal, closing: Side) -> Decimal:
    """Place the trigger of a stop (sl) or target (tp) at an offset from a price.

    Raises:
        LineRefused: It would not be above 0.
    """
    price = round_trigger(which, shift(start, offset, tick), tick, closing)
    if price <= 0:
        raise LineRefused(Code.NOT_KNOWN, "the trigger would be 0 or less")
    return price


def _compute(level: Level, sym: str, view: DisplayContext, round_to: Callable[[Decimal, Decimal], Decimal]) -> str:
    """Compute the price of a level; a typed number stays unrounded, a computed price is rounded by the given function."""
    if level.number is not None:
        return plain(level.number)
    tick = view.mirror.tick_of(sym)
    price = shift(find_reference(level.reference, sym, view), level.offset, tick)
    if tick is not None:
        price = round_to(price, tick)
    if price <= 0:
        raise LineRefused(Code.NOT_KNOWN, f"{level.reference} with its offset would be 0 or less")
    return number_format.field_text(price, tick)


def _write_distance(offset: Offset, tick: Decimal | None) -> str:
    """Write the distance of a trigger from the price of its order; a difference of prices in ticks."""
    number = abs(offset.number)
    if offset.unit:
        return f"{plain(number)}{offset.unit}"
    if tick is None:
        raise LineRefused(Code.NOT_KNOWN, "the tick of the pair is not known yet; write the distance in % or bp")
    return f"{plain(number / tick)}t"


def write_trigger(name: str, trigger: Trigger, sym: str, side: Side, view: DisplayContext) -> str:
    """Write a trigger for a field of the order ticket: a price, or an offset from the order's price.

    Args:
        name: sl or tp.
        trigger: Parsed trigger.
        sym: Symbol.
        side: Side of the order that it protects.
        view: Rows.

    Raises:
        LineRefused: It lies on the wrong side, or a figure is missing.
    """
    level, offset = trigger.level, trigger.level.offset
    if level.reference == "entry" and offset is not None:
        loses = name == "sl"
        if (offset.number < 0) != ((side is Side.BUY) == loses):
            where = "below" if (side is Side.BUY) == loses else "above"
            raise LineRefused(
                Code.WRONG_SIDE_TRIGGER, f"{name} would trigger immediately: it must lie {where} the entry"
            )
        text = _write_distance(offset, view.mirror.tick_of(sym))
    else:
        text = compute_trigger(name, level, sym, side.other, view)
    source = {"last": " last", "mark": " mark"}.get(trigger.source, "")
    return text + source + (f" @{plain(trigger.limit)}" if trigger.limit is not None else "")
