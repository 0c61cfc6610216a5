"""Cells and sort keys of the positions pane."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

from tui.engine.rows import Fact
from tui.interface.decimals import half_up, plain
from tui.interface.figures import leg_of, size_of
from tui.interface.symbols import try_parse
from tui.interface.times import millis
from tui.workstation.model import adl_ranks, number_format, position_metrics
from tui.workstation.model.adl_ranks import is_awaited, rank_of
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import in_contracts, short_name
from tui.workstation.table.columns import Cell, SortKey

if TYPE_CHECKING:
    from tui.interface.families.positions import PositionRecord

Row: TypeAlias = "Fact[PositionRecord]"

DIFFERS = Decimal("0.01")
"""Relative difference from which the own liquidation price marks the service's."""

FAR = 100
"""Distance to liquidation above which a price is shown without decimals, per cent."""
WHOLE_FROM = 1000
"""Least price that may be shown without decimals."""
BRIEF_PLACES = 2
"""Decimals of a smaller one where those of its tick have no room."""
_LIQ_SIGNS = "~≠↑↓"
"""Signs before a liquidation price."""
FARTHEST = 999
"""Distance to liquidation above which no figure is shown, per cent."""
STOP_CELLS = 12
"""Cells of the column with the stop alone."""
BAR_CELLS = 6
BAR_FULL = Decimal(30)
"""Distance to liquidation at which the bar is full, per cent."""

_MISSING_CELL: Cell = (number_format.MISSING, "faint")


def sym(row: Row) -> Cell:
    return short_name(row.record.sym), "text"


def leg(row: Row) -> Cell:
    side = leg_of(row.record)
    return side, {"LONG": "buy", "SHORT": "sell"}.get(side, "warn")


def size(row: Row, view: DisplayContext) -> Cell:
    return view.quantity(row.record.sym, row.record.position_qty.lstrip("-")), "strong"


def by_size(row: Row) -> SortKey:
    return size_of(row.record)


def base(row: Row, view: DisplayContext) -> Cell:
    delta = position_metrics.base_delta(row.record, view)
    return view.format_signed(delta, None), "dim"


def by_base(row: Row, view: DisplayContext) -> SortKey:
    return position_metrics.base_delta(row.record, view)


def notional(row: Row, view: DisplayContext) -> Cell:
    return view.amount(position_metrics.notional_of(row.record, view)), "dim"


def by_notional(row: Row, view: DisplayContext) -> SortKey:
    return position_metrics.notional_of(row.record, view)


def closable(row: Row, view: DisplayContext) -> Cell:
    left = position_metrics.closable(row.record, view.mirror)
    full = left == size_of(row.record)
    text = number_format.MISSING if left is None else view.quantity(row.record.sym, format(left, "f"))
    return text, "dim" if full else "warn"


def by_closable(row: Row, view: DisplayContext) -> SortKey:
    return position_metrics.closable(row.record, view.mirror)


def entry(row: Row, view: DisplayContext) -> Cell:
    return view.price(row.record.sym, row.record.avg_price or None), "text"


def by_entry(row: Row) -> SortKey:
    return number_format.value(row.record.avg_price)


def mark(row: Row, view: DisplayContext) -> Cell:
    return view.price(row.record.sym, position_metrics.own_mark_of(row.record, view) or None), "dim"


def by_mark(row: Row, view: DisplayContext) -> SortKey:
    return number_format.value(position_metrics.own_mark_of(row.record, view))


def result(row: Row, view: DisplayContext) -> Cell:
    gain = position_metrics.open_result(row.record, view)
    return view.format_signed(gain), number_format.change_role(gain)


def by_result(row: Row, view: DisplayContext) -> SortKey:
    return position_metrics.open_result(row.record, view)


def rate(row: Row) -> Cell:
    share = number_format.value(row.record.unrealized_pnl_rate)
    if share is None:
        return _MISSING_CELL
    shown = half_up(share * 100, 1)
    return f"{number_format.format_signed_decimal(shown, 1)}%", number_format.change_role(shown)


def by_rate(row: Row) -> SortKey:
    return number_format.value(row.record.unrealized_pnl_rate)


def by_day_result(row: Row, view: DisplayContext) -> SortKey:
    """Return today's net result of the symbol; both positions of a pair show the same."""
    booking = view.realised_pnl.of_symbol(row.record.sym, view.realised_pnl.today())
    return None if booking is None else booking.net


def day_result(row: Row, view: DisplayContext) -> Cell:
    net = by_day_result(row, view)
    if not isinstance(net, Decimal):
        return _MISSING_CELL
    return ("~" if view.realised_pnl.is_partial else "") + view.format_signed(net), number_format.change_role(net)


def by_liq(row: Row, view: DisplayContext) -> SortKey:
    if row.record.liq_price is None:
        return None
    return number_format.value(row.record.liq_price) or position_metrics.own_liquidation(row.record, view)


def liq(row: Row, view: DisplayContext) -> Cell:
    """Return the reported liquidation price; `~`: estimate in place of it, `≠`: the estimate differs by more than 1 %.

    `↑` and `↓` before it: a move in favour of the leg liquidates, because a debt, coins or the other leg weigh more.
    """
    record = row.record
    if record.liq_price is None:
        return number_format.NONE, "dim"
    reported, own = number_format.value(record.liq_price), position_metrics.own_liquidation(record, view)
    if reported is None:
        return ("~" + view.price_of(record.sym, own), "dim") if own is not None else _MISSING_CELL
    far = by_distance(row, view)
    if isinstance(far, Decimal) and far > FAR and reported >= WHOLE_FROM:
        # Its decimals say nothing, and take the room of the price.
        text = view.amount(reported, 0)
    else:
        text = view.price(record.sym, record.liq_price)
    if position_metrics.explain_liquidation_side(record, view):
        text = ("↑" if position_metrics.sign_of(record) > 0 else "↓") + text
    if own is not None and reported and abs(own - reported) / reported > DIFFERS:
        return f"≠{text}", "warn"
    return text, "text"


def liq_brief(row: Row, view: DisplayContext) -> str:
    """Return the liquidation price with fewer decimals, for a column too narrow for all."""
    text, price = liq(row, view)[0], by_liq(row, view)
    if not isinstance(price, Decimal):
        return text
    places = 0 if price >= WHOLE_FROM else BRIEF_PLACES
    return text[: -len(text.lstrip(_LIQ_SIGNS))] + view.amount(price, places)


def by_distance(row: Row, view: DisplayContext) -> SortKey:
    """Return the distance of the mark price from the liquidation price, in per cent; negative once past it."""
    return (
        None if row.record.liq_price is None else next(position_metrics.liquidation_distances(row.record, view), None)
    )


def _danger(far: Decimal) -> tuple[str, str]:
    return ("!!!", "alert") if far < 3 else ("!!", "warn") if far < 6 else ("", "dim")


def distance(row: Row, view: DisplayContext) -> Cell:
    if row.record.liq_price is None:
        return "", "faint"
    far = by_distance(row, view)
    if not isinstance(far, Decimal):
        return _MISSING_CELL
    sign, role = _danger(far)
    if abs(far) > FARTHEST:
        return f">{FARTHEST}%" if far > 0 else f"<-{FARTHEST}%", role
    rounded = half_up(far, 1)
    return f"{sign}{rounded or abs(rounded)}%", role


def bar(row: Row, view: DisplayContext) -> Cell:
    """Draw the distance to liquidation as a bar; a short bar means near."""
    far = by_distance(row, view)
    if not isinstance(far, Decimal):
        return "", "faint"
    filled = max(0, min(BAR_CELLS, int(far * BAR_CELLS / BAR_FULL)))
    return " " + "■" * filled + "·" * (BAR_CELLS - filled), _danger(far)[1]


def even(row: Row, view: DisplayContext) -> Cell:
    price = position_metrics.break_even(row.record, view)
    sign = "" if price is None else position_metrics.mark_break_even(row.record, view)
    return f"{sign}{view.price_of(row.record.sym, price)}", "dim"


def by_even(row: Row, view: DisplayContext) -> SortKey:
    return position_metrics.break_even(row.record, view)


def leverage(row: Row) -> Cell:
    record = row.record
    if not record.leverage:
        return _MISSING_CELL
    return f"{record.leverage}x" + (f"/{record.max_leverage}" if record.max_leverage else ""), "dim"


def by_leverage(row: Row) -> SortKey:
    return number_format.value(row.record.leverage)


def margin(row: Row, view: DisplayContext) -> Cell:
    return view.money(row.record.position_margin or None), "dim"


def by_margin(row: Row) -> SortKey:
    return number_format.value(row.record.position_margin)


def maintenance(row: Row, view: DisplayContext) -> Cell:
    return view.money(row.record.position_mm or None), "dim"


def by_maintenance(row: Row) -> SortKey:
    return number_format.value(row.record.position_mm)


def tier(row: Row, view: DisplayContext) -> Cell:
    """Return the number of the margin tier and, if known, how many tiers there are."""
    level, table = row.record.risk_level, view.mirror.brackets.get(row.record.sym)
    if not level:
        return _MISSING_CELL
    return f"{level}/{len(table.tiers)}" if table is not None else level, "dim"


def by_tier(row: Row) -> SortKey:
    return number_format.value(row.record.risk_level)


def by_funding(row: Row, view: DisplayContext) -> SortKey:
    """Return the next funding payment at the mark price shown, in quote units; positive if received."""
    terms, delta = view.mirror.funding.get(row.record.sym), position_metrics.base_delta(row.record, view)
    share = number_format.value(terms.rate) if terms is not None else None
    at = number_format.value(position_metrics.own_mark_of(row.record, view))
    if share is None or not delta or not at:
        return None
    # Imported late: no row exists before the first frame.
    from tui.rules.funding import linear

    return linear(1 if delta > 0 else -1, abs(delta), at, share)


def funding(row: Row, view: DisplayContext) -> Cell:
    pays = by_funding(row, view)
    if not isinstance(pays, Decimal):
        return _MISSING_CELL
    terms = view.mirror.funding[row.record.sym]
    left = f" {number_format.countdown(terms.next_at / 1000 - view.server_wall)}" if terms.next_at else ""
    return view.format_signed(pays) + left, number_format.change_role(pays)


def by_yearly(row: Row, view: DisplayContext) -> SortKey:
    """Return the yearly funding relative to the notional, in per cent; positive if received."""
    pays, worth = by_funding(row, view), position_metrics.notional_of(row.record, view)
    terms = view.mirror.funding.get(row.record.sym)
    if not isinstance(pays, Decimal) or not worth or terms is None or terms.interval_ms <= 0:
        return None
    from tui.rules.funding import annualise

    return annualise(pays / worth, terms.interval_ms) * 100


def yearly(row: Row, view: DisplayContext) -> Cell:
    share = by_yearly(row, view)
    return (
        (f"{half_up(share, 1):+}%", number_format.change_role(share)) if isinstance(share, Decimal) else _MISSING_CELL
    )


def funding_total(row: Row, view: DisplayContext) -> Cell:
    """Return the funding since the position was opened; positive if received."""
    paid = number_format.value(row.record.funding_fee)
    return view.format_signed(paid), number_format.change_role(paid)


def by_funding_total(row: Row) -> SortKey:
    return number_format.value(row.record.funding_fee)


def _rank(row: Row, view: DisplayContext) -> tuple[str, adl_ranks.Lights | None]:
    fact = rank_of(row.record, view.mirror)
    if fact is None:
        return "…" if is_awaited(row.record, view) else number_format.MISSING, None
    raw = fact.record.adl_rank
    return raw, adl_ranks.lights_of(raw, row.record.sym, view.mirror)


def adl(row: Row, view: DisplayContext) -> Cell:
    raw, lights = _rank(row, view)
    if lights is None:
        return " " + raw, "faint"
    return f" {adl_ranks.format_lights(lights.lit)}", adl_ranks.role(lights.lit)


def adl_short(row: Row, view: DisplayContext) -> str:
    raw, lights = _rank(row, view)
    return raw if lights is None else adl_ranks.format_lights(lights.lit)


def adl_digit(row: Row, view: DisplayContext) -> Cell:
    raw, lights = _rank(row, view)
    return (raw, "faint") if lights is None else (str(lights.lit), adl_ranks.role(lights.lit))


def by_adl(row: Row, view: DisplayContext) -> SortKey:
    lights = _rank(row, view)[1]
    return None if lights is None else Decimal(lights.lit)


def _triggers(row: Row, view: DisplayContext) -> tuple[list[str], list[str]]:
    """Return the trigger prices of stops and of targets, nearest first, including those of partly filled orders."""
    from tui.workstation.model.algo_figures import read_triggers

    triggers = read_triggers(row.record, view)
    stops, targets = (
        list(dict.fromkeys(view.price(row.record.sym, plain(price)) for price in prices)) for prices in triggers
    )
    return stops, targets


def _compute_covered_size(row: Row, view: DisplayContext) -> Decimal | None:
    """Return how much of a position its stops close if less than the whole; else None."""
    from tui.engine.state.closing_orders import compute_covered_size

    return compute_covered_size(row.record, view.mirror.algos.values())


def protection(row: Row, view: DisplayContext) -> Cell:
    """Return the nearest stop and target, each with the number of further ones, or that there is no stop."""
    stops, targets = _triggers(row, view)
    target = f" TP {_count_behind(targets)}" if targets else ""
    if not stops:
        return f" no SL{target}" if targets else " none!", "warn"
    part = _compute_covered_size(row, view)
    if part is not None:
        return f" SL {_count_behind(stops)} for {view.quantity(row.record.sym, plain(part))}", "warn"
    return f" SL {_count_behind(stops)}{target}", "text"


def protection_brief(row: Row, view: DisplayContext) -> str:
    """Return the stops with `T` for a target, where several stops leave no room for the target's price."""
    stops, targets = _triggers(row, view)
    if len(stops) > 1 and targets and _compute_covered_size(row, view) is None:
        return f" T SL {_count_behind(stops)}"
    return protection(row, view)[0]


def _count_behind(prices: list[str], part: str = "") -> str:
    """Format the first price, and how many others follow it."""
    return prices[0] + part + (f" +{len(prices) - 1}" if len(prices) > 1 else "")


def stop(row: Row, view: DisplayContext) -> Cell:
    """Return the nearest stop; `T` before it: there is a target, `½` after it: it closes only a part."""
    stops, targets = _triggers(row, view)
    is_whole = stops and _compute_covered_size(row, view) is None
    return ("T " if targets else "") + stop_alone(row, view), "text" if is_whole else "warn"


def stop_brief(row: Row, view: DisplayContext) -> str:
    """Return the stop like `stop`, but with a bare `+` for further stops, short enough for the column."""
    price, more, _ = stop(row, view)[0].partition(" +")
    forms = price + more, price + more.strip(), price.replace("T ", "T") + more.strip()
    return next((form for form in forms if len(form) < STOP_CELLS), stop_alone(row, view))


def stop_alone(row: Row, view: DisplayContext) -> str:
    """Return the stop that fires first and the number of further ones, without the letter for the target."""
    stops, targets = _triggers(row, view)
    if not stops:
        return "no SL!" if targets else "none!"
    return _count_behind(stops, "" if _compute_covered_size(row, view) is None else "½")


def by_stop(row: Row, view: DisplayContext) -> SortKey:
    return next((number_format.value(price) for price in _triggers(row, view)[0]), None)


def protection_short(row: Row, view: DisplayContext) -> Cell:
    """Return letters for the triggers: `T` target, `S` stop, `!` no stop."""
    stops, targets = _triggers(row, view)
    letters = ("T" if targets else "") + ("S" if stops else "")
    if not stops:
        return f" {letters}!", "warn"
    return (f" {letters}", "text") if _compute_covered_size(row, view) is None else (f" {letters}½", "warn")


def by_age(row: Row, view: DisplayContext) -> SortKey:
    at = millis(row.record.create_at)
    return view.server_wall - at / 1000 if at else None


def age(row: Row, view: DisplayContext) -> Cell:
    seconds = by_age(row, view)
    return (number_format.whole_age(seconds), "dim") if isinstance(seconds, float) else _MISSING_CELL


def unit(row: Row, view: DisplayContext) -> Cell:
    """Return the unit of the position's size, such as a coin or contracts."""
    parts, info = try_parse(row.record.sym), view.info(row.record.sym)
    if parts is None:
        return " " + number_format.MISSING, "faint"
    if in_contracts(row.record.sym):
        return f" {info.contract_size if info else number_format.MISSING} {parts.base}", "dim"
    return " " + parts.base, "dim"
