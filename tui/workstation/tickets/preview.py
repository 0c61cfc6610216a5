"""Texts of a ticket's preview before it is sent, the most important first."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

import msgspec

from tui.engine.orders.algo_checks import check_distance
from tui.engine.rows import LocalOrderState, QuoteRow
from tui.engine.state.closing_orders import list_protecting
from tui.interface.decimals import ZERO, half_up, plain, positive
from tui.interface.families.algo import STOP_LOSS, TAKE_PROFIT
from tui.interface.families.orders import OrderType, Side, TimeInForce
from tui.interface.symbols import try_parse
from tui.rules import units
from tui.workstation.model import account_snapshot, number_format
from tui.workstation.model.account_snapshot import Missing
from tui.workstation.model.algo_figures import name_triggers, why_unknown
from tui.workstation.model.borrow_rates import describe_rate, margin_rate
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name, venue_of
from tui.workstation.model.position_metrics import leg_of, size_of
from tui.workstation.render.pieces import DOT, Piece, pieces_width
from tui.workstation.tickets.order import position_mode
from tui.workstation.tickets.order.checks import Problem, guess_typed_price
from tui.workstation.tickets.order.forecast import Forecast, forecast
from tui.workstation.tickets.order.protection import BadProtection, ParsedTrigger
from tui.workstation.tickets.order.terms import CLOSING, PriceMode
from tui.workstation.tickets.order.ticket import Ticket

QUOTE_OLD_S = 2.0
MOST_LEFT_OUT = Decimal("0.02")
"""Share of a typed amount of money that the lot may leave out without a remark."""
NO_ROOM = "spread is one tick: joins the best price instead"
"""Note at price mode IMPROVE when the next tick is the opposite touch."""


def side_piece(ticket: Ticket) -> Piece:
    """Build the text with side and position side."""
    leg = ticket.position_side.value
    word = ticket.side.value + ("" if leg == "NONE" else f"+{leg}")
    return word, "buy-strong" if ticket.side is Side.BUY else "sell-strong"


def title_pieces(ticket: Ticket) -> list[Piece]:
    """Build the title text with side, position side, purpose and symbol."""
    if not ticket.sided:
        return [("no side yet ", "warn"), (full_name(ticket.sym), "strong")]
    pieces: list[Piece] = [side_piece(ticket), (" ", "text")]
    if ticket.position_side.value != "NONE":
        pieces.append((f"{ticket.effect.value} ", "text"))
    pieces.append((full_name(ticket.sym), "strong"))
    if ticket.reduce_only:
        pieces.append((" reduce-only", "accent"))
    return pieces


def describe_tif(ticket: Ticket) -> str:
    """Describe the time in force; GTX is shown as post-only."""
    return "post-only" if ticket.tif is TimeInForce.GTX else ticket.tif.value


def price_pieces(
    ticket: Ticket,
    quote: QuoteRow | None,
    view: DisplayContext,
    helper: bool = True,
    tif: bool = True,
    with_points: bool = True,
    with_distance: bool = True,
) -> list[Piece]:
    """Build the text with price, distance from the best price of the own side, and whether the order would take or rest."""
    if ticket.order_type is OrderType.MARKET:
        reference = ticket.touch(quote, False)
        about = number_format.MISSING if reference is None else view.price(ticket.sym, format(reference, "f"))
        return [("MARKET", "warn"), (f" ~{about} would take", "text")]
    price = ticket.limit(quote)
    shown = view.price(ticket.sym, ticket.limit_text(quote) or None, True)
    pieces: list[Piece] = [(shown, "strong")]
    if helper and ticket.price_mode is not PriceMode.TYPED:
        pieces.append((f" {ticket.price_mode.value}", "accent"))
    if tif:
        pieces.append((f" {describe_tif(ticket)}", "text"))
    improves = ticket.price_mode is PriceMode.IMPROVE
    ticket, quote = judge_now(ticket, quote, view)
    own = ticket.touch(quote)
    ticks = number_format.ticks_between(own, price, ticket.tick)
    points = None if own is None or price is None else number_format.basis_points(own, price)
    name = "bid" if ticket.side is Side.BUY else "ask"
    if ticks is not None and with_distance:
        far = f" {points:+}bp" if with_points else ""
        pieces += [DOT, (f"{name} {ticks:+d}t{far}", "dim")]
    if improves and not ticks and own is not None and price == own:
        pieces += [DOT, (NO_ROOM, "warn")]
    result = immediate_outcome(ticket, quote, view)
    if result is not None:
        pieces.append((" " + result[0], result[1]))
    return pieces


def judge_now(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> tuple[Ticket, QuoteRow | None]:
    """Return the ticket with its price fixed, and the newest quote, by which the preview says if it would take."""
    price, now = ticket.limit(quote), view.mirror.quotes.get(ticket.sym)
    if now is quote or now is None or price is None:
        return ticket, quote
    return msgspec.structs.replace(ticket, price_mode=PriceMode.TYPED, price=plain(price)), now


ENDS_AT_ONCE = frozenset([TimeInForce.IOC, TimeInForce.FOK])
"""Times in force under which an order never rests."""


def immediate_outcome(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> Piece | None:
    """Build the text on what the order would do at once, by time in force and best price; None if unknown."""
    takes = ticket.takes(quote)
    if takes is None:
        return None
    name = "ask" if ticket.side is Side.BUY else "bid"
    if not takes:
        if ticket.tif in ENDS_AT_ONCE:
            return f"does not reach the {name}: would end unfilled", "warn"
        return "would rest", "dim"
    if ticket.post_only:
        return f"would take: {describe_taking_post_only(ticket)}", "warn"
    size, there = ticket.size(), ticket.opposite_size(quote)
    if size is None or there is None or size <= there:
        return "would take", "warn"
    through = ticket.limit(quote) != ticket.touch(quote, False)
    part = view.quantity(ticket.sym, plain(there))
    if ticket.tif is TimeInForce.FOK:
        return (f"would end unfilled unless there is more than the {part} at the {name}"), "warn"
    rest = "ends" if ticket.tif is TimeInForce.IOC else "stays on the book"
    return f"would take {part}{' or more' if through else ''}, the rest {rest}", "warn"


def describe_taking_post_only(ticket: Ticket) -> str:
    """Say what becomes of a post-only order that would take: a new one is refused, a changed one may be lost."""
    return "post-only would be refused" if ticket.order is None else "may be cancelled (post-only)"


def price_note(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext, room: int, tif: bool) -> list[Piece]:
    """Build the note beside the price field: as much as fits, but always whether the order would take."""
    pieces: list[Piece] = []
    for helper, points in ((True, True), (True, False), (False, False)):
        pieces = price_pieces(ticket, quote, view, helper, tif, points)[1:]
        if pieces and pieces[0] is DOT:
            pieces = pieces[1:]
        if pieces_width(pieces) <= room:
            return pieces
    return pieces[-1:]


def short_price(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> list[Piece]:
    """Build price and immediate outcome in the shortest form, for a ticket of one line."""
    now_ticket, now = judge_now(ticket, quote, view)
    takes = now_ticket.takes(now)
    rests = " ends unfilled" if ticket.tif in ENDS_AT_ONCE else " rests"
    word = "" if takes is None else " takes" if takes else rests
    if ticket.order_type is OrderType.MARKET:
        return [(" MARKET", "warn")]
    price = view.price(ticket.sym, ticket.limit_text(quote) or None, True)
    return [(f" {price}", "strong"), (word, "warn" if takes else "dim")]


def unit_pieces(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> list[Piece]:
    """Build the text with the quantity in contracts, base units and quote units."""
    size = ticket.size()
    if size is None:
        return [("size –", "warn")]
    base, notional = units.base(size, ticket.contract), ticket.notional(quote)
    pieces: list[Piece] = [
        (f"{number_format.decimal_figure(size, None, view.settings.separators)} {ticket.unit}", "strong")
    ]
    if ticket.unit == "ct":
        pieces.append((f" = {plain(base)} {ticket.base}", "text"))
    worth = number_format.decimal_figure(notional, 2, view.settings.separators)
    pieces.append((f" = {worth} {ticket.quote_coin}", "text"))
    share, quantity = ticket.share
    if share and quantity == ticket.qty:
        pieces.append((f" = {share}", "text"))
    if ticket.quote_amount():
        pieces.append((f" spends {ticket.quote_amount()} {ticket.quote_coin}", "strong"))
    return pieces


def quote_pieces(quote: QuoteRow | None, view: DisplayContext) -> list[Piece]:
    """Build the text with the age of the quote that the preview is based on."""
    if quote is None or not quote.received:
        return [("no quote", "warn")]
    seconds = view.now - quote.received
    if not view.mirror.proven("public"):
        return [(f"quote STALE {number_format.age(seconds)}", "stale")]
    return [(f"quote {number_format.age(seconds)}", "warn" if seconds > QUOTE_OLD_S else "dim")]


def find_position_size(ticket: Ticket, view: DisplayContext) -> tuple[Decimal | None, str]:
    """Return size and name of the position that the ticket is about, in quantity units; signed in one-way mode.

    Of a spot or margin pair it is the balance of the base coin.
    """
    leg = ticket.position_side.value
    parts = try_parse(ticket.sym)
    if parts is not None and not parts.is_perp:
        asset = view.mirror.assets.get(f"{parts.exchange}/{parts.base}")
        if asset is not None:
            return number_format.value(asset.record.balance), leg
        return (Decimal(0) if view.mirror.synced_once else None), leg
    fact = view.mirror.positions.get(f"{ticket.sym}/{leg}")
    if fact is None:
        return (Decimal(0) if view.mirror.synced_once else None), leg
    size = size_of(fact.record)
    if leg == "NONE" and size is not None and leg_of(fact.record) == "SHORT":
        size = -size
    return size, leg


def reducible(before: Decimal, ticket: Ticket) -> Decimal:
    """Return how much of a signed one-way position a reduce-only order can close."""
    return abs(before) if before * ticket.side.sign < 0 else Decimal(0)


def other_leg(ticket: Ticket, view: DisplayContext) -> tuple[str, Decimal | None]:
    """Return name and size of the opposite leg in hedge mode; no name in one-way mode, no size if it is empty."""
    other = {"LONG": "SHORT", "SHORT": "LONG"}.get(ticket.position_side.value, "")
    fact = view.mirror.positions.get(f"{ticket.sym}/{other}") if other else None
    return other, None if fact is None else size_of(fact.record)


def effect_pieces(ticket: Ticket, view: DisplayContext) -> list[Piece]:
    """Build the text with the position before and after a complete fill, and in hedge mode the other leg."""
    before, leg = find_position_size(ticket, view)
    size = ticket.size()
    if ticket.order is not None and size is not None:
        size -= number_format.value(ticket.order.filled) or Decimal(0)
    if before is None or size is None:
        return []
    if leg == "NONE":
        parts = try_parse(ticket.sym)
        size = min(size, reducible(before, ticket)) if ticket.reduce_only else size
        after = before + size * ticket.side.sign
        name = "position" if parts is None or parts.is_perp else "balance"
    else:
        opens = (ticket.side is Side.BUY) == (leg == "LONG")
        after, name = (before + size if opens else max(Decimal(0), before - size)), leg.lower()
    separators = view.settings.separators
    before_text, after_text = (number_format.decimal_figure(size, None, separators) for size in (before, after))
    text = f"{before_text} → {after_text}"
    pieces: list[Piece] = [(f"{name} ", "dim"), (text, "text"), (f" {ticket.unit}", "dim")]
    other, beside = other_leg(ticket, view)
    if beside:
        pieces += [
            DOT,
            (f"{other.lower()} stays ", "dim"),
            (number_format.decimal_figure(beside, None, separators), "text"),
        ]
    return pieces


def describe_left(ticket: Ticket, view: DisplayContext) -> list[Piece]:
    """Build the text that lists algo orders which expire when the order closes their position."""
    leg = ticket.position_side.value
    fact = view.mirror.positions.get(f"{ticket.sym}/{leg}")
    before, size = find_position_size(ticket, view)[0], ticket.size()
    if fact is None or not before or size is None or ticket.order is not None:
        return []
    closes = ticket.effect in CLOSING if leg != "NONE" else bool(reducible(before, ticket))
    whole = closes and size >= abs(before)
    if whole and (why := why_unknown(view.mirror)):
        return [
            ("closes the position; ", "dim"),
            ("its stops and targets are not known now", "warn"),
            (f": {why}", "dim"),
        ]
    left = list_protecting(fact.record, view.mirror.algos.values()) if whole else []
    if not left:
        return []
    return [("closes the position; ", "dim"), (name_triggers(left, view), "warn"), (" will expire", "dim")]


def fee_pieces(result: Forecast, ticket: Ticket, view: DisplayContext, rests: bool) -> list[Piece]:
    """Build the text with fee or rebate, break-even price and borrowed coins; `rests`: the order waits for its fill."""
    pieces: list[Piece] = []
    if result.fee or not result.rebate:
        pieces += [("fee ", "dim"), (f"~{_format_coins(result.fee, result.fee_coin, view)}", "text")]
    if result.rebate:
        pieces += [
            (" rebate " if pieces else "rebate ", "dim"),
            (f"~{_format_coins(result.rebate, result.fee_coin, view)}", "gain"),
        ]
    if not result.depth_known:
        pieces += [DOT, ("depth unknown: margin assumes the worst price", "warn")]
    if result.break_even is not None:
        pieces += [
            DOT,
            ("break-even if filled " if rests else "break-even ", "dim"),
            (view.price_of(ticket.sym, result.break_even), "text"),
        ]
    if result.borrowed:
        rate = margin_rate(view.mirror, venue_of(ticket.sym), result.borrowed_coin)
        pieces += [
            DOT,
            (f"borrows {_format_coins(result.borrowed, result.borrowed_coin, view)} at {describe_rate(rate)}", "warn"),
        ]
    return pieces


def _format_coins(amount: Decimal, coin: str, view: DisplayContext) -> str:
    """Format an amount; quote units with two decimals, other coins exactly."""
    quote = coin in ("", "USDT")
    figure = number_format.decimal_figure(amount, 2 if quote else None, view.settings.separators)
    return f"{figure}{'' if quote else ' ' + coin}"


def risk_pieces(result: Forecast, ticket: Ticket, view: DisplayContext) -> list[Piece]:
    """Build the text with liquidation price and uniMMR, before and after the fill."""
    pieces: list[Piece] = []
    if result.liq_after is not None or result.liq_before is not None:
        before, after = (
            number_format.NONE if price is None else view.price_of(ticket.sym, price)
            for price in (result.liq_before, result.liq_after)
        )
        pieces += [("liq ", "dim"), (f"{before} → {after}", "text")]
    uni = result.after.uni_mmr
    if uni is not None or result.before.uni_mmr is not None:
        before, after = (
            number_format.NONE if ratio is None else number_format.decimal_figure(ratio, 2)
            for ratio in (result.before.uni_mmr, uni)
        )
        pieces += [DOT] if pieces else []
        pieces += [("uniMMR ", "dim"), (f"{before} → {after}", "warn" if uni is not None and uni < 3 else "text")]
    return pieces


def margin_pieces(result: Forecast, view: DisplayContext) -> list[Piece]:
    """Build the text with the free margin now and after the order is in the book."""
    before, after = view.amount(result.before.available), view.amount(result.free)
    role = "warn" if result.free < 0 else "text"
    return [("free ", "dim"), (f"{before} → {after}", role)]


def _shorten(parts: list[list[Piece]], triggers: list[ParsedTrigger]) -> list[list[Piece]]:
    """Shorten each protection to what was not typed: the price of an offset, or the gain or loss at a price."""
    return [
        [name, (price[0].rstrip(), price[1]) if trigger.unit else booked]
        for (name, price, booked), trigger in zip(parts, triggers, strict=False)
    ]


def _describe_source(trigger: ParsedTrigger, ticket: Ticket, view: DisplayContext) -> str:
    price = f"@{view.price_of(ticket.sym, trigger.limit)}" if trigger.limit else "market"
    return f"{trigger.source[:4].lower()} {price}"


def protection_pieces(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext, room: int) -> list[Piece]:
    """Build the text with loss and gain at the protections, and the price source of their triggers, as much as fits."""
    result = ticket.protection_result(quote)
    if result is None:
        hint = "price, or 0.5% 20t 30bp 2r from the entry"
        return [(hint, "faint")] if len(hint) <= room else []
    try:
        stop, profit = ticket.protections(quote)
    except BadProtection:
        return []
    separators = view.settings.separators
    rows = [("sl", stop, result.loss, "loss"), ("tp", profit, result.gain, "gain")]
    parts: list[list[Piece]] = []
    for name, trigger, amount, role in rows:
        if trigger is not None and amount is not None:
            at = f"{view.price_of(ticket.sym, trigger.trigger)} "
            parts.append(
                [(f"{name} ", "dim"), (at, "text"), (number_format.format_signed_decimal(amount, 2, separators), role)]
            )
    if sum(pieces_width(part) + 3 for part in parts) - 3 > room:
        parts = _shorten(parts, [trigger for trigger in (stop, profit) if trigger is not None])
    if result.ratio is not None:
        parts.append([(f"{plain(half_up(result.ratio, 1))} : 1", "text")])
    triggers = [(name, trigger) for name, trigger in (("sl", stop), ("tp", profit)) if trigger is not None]
    sources = [f"{name} {_describe_source(trigger, ticket, view)}" for name, trigger in triggers]
    parts.append([(", ".join(sources), "faint")])
    if len(triggers) > 1:
        parts.append([("either ends the other", "faint")])
    pieces: list[Piece] = []
    for part in parts:
        longer = [*pieces, DOT, *part] if pieces else part
        if pieces_width(longer) > room:
            break
        pieces = longer
    return pieces


def stop_pieces(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> list[Piece]:
    """Build the text with the stop-loss and what the order loses at it, with the fees of entry and stop if known.

    What rests may fill up to its limit, whatever the price that the first part gets: its loss is the most there can be.
    """
    may_rest = ticket.tif is TimeInForce.GTC and not ticket.at_market
    entry, base = ticket.reference(quote) if may_rest else ticket.entry(quote), ticket.base_size()
    try:
        stop, _ = ticket.protections(quote)
    except BadProtection:
        return []
    if stop is None or entry is None or base is None:
        return []
    rates, lost = account_snapshot.rates_of(view.mirror, ticket.sym), abs(entry - stop.trigger) * base
    fees, loses = "before fees", " loses "
    if not isinstance(rates, Missing):
        lost += base * (entry * rates.entry_rate(ticket.tif) + stop.trigger * max(rates.taker, ZERO))
        fees, loses = "with fees", " loses at most " if may_rest else loses
    at = view.price_of(ticket.sym, stop.trigger)
    figure = number_format.decimal_figure(lost, 2, view.settings.separators)
    return [("sl ", "dim"), (at, "text"), (loses, "dim"), (f"~{figure}", "loss"), (f" {fees}", "dim")]


def limit_pieces(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> list[Piece]:
    """Build the text with the share of the order value limits that the order uses."""
    value, engine_status = ticket.limit_value(quote), view.mirror.engine_status
    if value is None or engine_status is None:
        return []
    rules = engine_status.limits.of(ticket.sym)
    soft, hard = (value / Decimal(limit) for limit in (rules.soft_notional, rules.hard_notional))
    if hard > 1:
        return [(f"{_times(soft)} soft limit, {_times(hard)} hard: will be refused", "alert")]
    if soft > 1:
        return [(f"{_times(soft)} soft limit: will ask", "warn")]
    return [(f"{plain(half_up(soft * 100, 0))} % of the soft limit", "dim")]


def list_questions(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> list[str]:
    """Return what the gate would ask before the ticket is sent, as far as the rows tell it."""
    value, status = ticket.limit_value(quote), view.mirror.engine_status
    if status is None or not ticket.sided:
        return []
    rules = status.limits.of(ticket.sym)
    asks = ["soft limit"] if value is not None and value > Decimal(rules.soft_notional) else []
    if ticket.order is None and rules.first_of_day and ticket.sym not in status.ordered_today:
        asks.append("first order of the day")
    return asks


def _times(share: Decimal) -> str:
    return f"{half_up(share, 1)}×"


def exceeds_hard_limit(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> bool:
    """Return whether the order value is above the hard limit, so that the engine would deny it."""
    value, engine_status = ticket.limit_value(quote), view.mirror.engine_status
    return (
        value is not None
        and engine_status is not None
        and value > Decimal(engine_status.limits.of(ticket.sym).hard_notional)
    )


def find_typed_price(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> Problem | None:
    """Return the problem that a size above the hard limit is probably a price."""
    meant = guess_typed_price(ticket, quote)
    return Problem("size", meant) if meant and exceeds_hard_limit(ticket, quote, view) else None


def list_far_triggers(ticket: Ticket, quote: QuoteRow | None) -> list[str]:
    """Return the questions that the engine asks about protections far from the mark price."""
    try:
        stop, profit = ticket.protections(quote)
    except BadProtection:
        return []
    mark = positive(quote.mark) if quote is not None else None
    asked = [
        check_distance(name, trigger.trigger, mark)
        for name, trigger in ((STOP_LOSS, stop), (TAKE_PROFIT, profit))
        if trigger is not None
    ]
    return [refusal.text for refusal in asked if refusal is not None]


def _doubt_size(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> list[str]:
    """Return the remark that the size is probably a price, for orders above the soft limit."""
    value, status, meant = ticket.limit_value(quote), view.mirror.engine_status, guess_typed_price(ticket, quote)
    if not meant or value is None or status is None:
        return []
    return [meant] if value > Decimal(status.limits.of(ticket.sym).soft_notional) else []


def _describe_rounding(ticket: Ticket, quote: QuoteRow | None) -> list[str]:
    """Return the remark that the lot left out a part of a size typed as money, if it is worth a remark."""
    typed, worth, size = ticket.find_rounded_amount(), ticket.notional(quote), ticket.size()
    if typed is None or worth is None or size is None or ticket.lot is None or typed - worth <= typed * MOST_LEFT_OUT:
        return []
    return [f"size rounded down to {plain(size)} {ticket.unit} (lot {plain(ticket.lot)})"]


def _list_unknown(ticket: Ticket, view: DisplayContext) -> list[str]:
    """Name the orders of the pair whose outcome is not known: they may fill beside this one."""
    own = ticket.order.key if ticket.order is not None else ""
    unknown = [order for order in view.mirror.working_on(ticket.sym) if order.state == LocalOrderState.UNKNOWN]
    open_sizes = [
        (order.side, (number_format.value(order.qty) or ZERO) - view.mirror.sum_fills(order))
        for order in unknown
        if order.key != own
    ]
    return [
        f"{side} {plain(size)} {ticket.unit} is UNKNOWN and may fill as well" for side, size in open_sizes if size > 0
    ]


def warnings(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> list[Piece]:
    """Build the warnings to read before sending."""
    texts = [*_list_unknown(ticket, view), *list_far_triggers(ticket, quote), *_doubt_size(ticket, quote, view)]
    texts += _describe_rounding(ticket, quote)
    before, _ = find_position_size(ticket, view)
    changed = position_mode.change_reason(ticket, view.mirror)
    if changed is not None:
        texts.append(changed.text)
    done = number_format.value(ticket.order.filled) if ticket.order is not None else None
    left = None if (size := ticket.size()) is None else size - (done or ZERO)
    if ticket.effect.value.startswith("close") and before is not None:
        if not before:
            texts.append("position is already flat")
        elif left is not None and left > before:
            texts.append(f"more than the position holds ({plain(before)} {ticket.unit}); the venue reduces the order")
    elif ticket.reduce_only and before is not None and left is not None:
        closes = reducible(before, ticket)
        if not closes:
            texts.append("reduce-only, and there is nothing to reduce")
        elif left > closes:
            texts.append(f"more than the position holds ({plain(closes)} {ticket.unit}); the venue reduces the order")
    limit = ticket.limit(None)
    for order in view.mirror.working():
        if (
            order.sym == ticket.sym
            and order.side != ticket.side.value
            and (ticket.order is None or order.key != ticket.order.key)
            and limit is not None
        ):
            other_price = number_format.value(order.price)
            if other_price is not None and (limit - other_price) * ticket.side.sign >= 0:
                texts.append("would match your own opposite order")
                break
    row = view.mirror.orders.get(ticket.order.key) if ticket.order is not None else None
    if row is not None and not row.final and left is not None and left <= 0:
        texts.append("total ≤ filled: this cancels the order")
    return [("! " + "; ".join(texts), "warn")] if texts else []


class Figures(NamedTuple):
    """Preview texts of a ticket by subject, computed once for all lines and for the journal."""

    ticket: Ticket
    quote: QuoteRow | None
    live: QuoteRow | None
    """Quote of now; that of an open question is older."""
    size: list[Piece]
    price: list[Piece]
    effect: list[Piece]
    left: list[Piece]
    risk: list[Piece]
    cost: list[Piece]
    limits: list[Piece]
    free: list[Piece]
    needs: str
    """Name of a missing input; empty if none is missing."""
    stop: list[Piece]


def figures_of(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> Figures:
    """Compute the preview texts of a ticket from the current rows."""
    judged, now = judge_now(ticket, quote, view)
    result = forecast(judged, now, view.mirror)
    return Figures(
        ticket,
        quote,
        view.mirror.quotes.get(ticket.sym),
        size=unit_pieces(ticket, quote, view),
        price=price_pieces(ticket, quote, view),
        effect=effect_pieces(ticket, view),
        left=describe_left(ticket, view),
        risk=[] if isinstance(result, Missing) else risk_pieces(result, ticket, view),
        cost=[] if isinstance(result, Missing) else fee_pieces(result, ticket, view, judged.takes(now) is False),
        limits=limit_pieces(ticket, quote, view),
        free=[] if isinstance(result, Missing) else margin_pieces(result, view),
        needs=result.text if isinstance(result, Missing) else "",
        stop=stop_pieces(ticket, quote, view),
    )


def journal_text(figures: Figures) -> str:
    """Format the preview as one line for the journal."""
    groups = [
        title_pieces(figures.ticket),
        figures.size,
        figures.price,
        figures.stop,
        figures.effect,
        figures.left,
        figures.risk,
        figures.cost,
        figures.free,
    ]
    return " · ".join("".join(text for text, _ in group) for group in groups if group)
