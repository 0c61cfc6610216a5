"""What a ticket says about itself before it is sent, the figures that decide about the order first."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from tui.engine.rows import QuoteRow
from tui.interface.decimals import half_up, plain
from tui.interface.families.orders import OrderType, Side, TimeInForce
from tui.interface.symbols import try_parse
from tui.rules import units
from tui.workstation.model import number_format
from tui.workstation.model.account_snapshot import Missing
from tui.workstation.model.algo_figures import describe_triggers, protecting
from tui.workstation.model.borrow_rates import describe_rate, margin_rate
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name, venue_of
from tui.workstation.model.position_metrics import leg_of, size_of
from tui.workstation.render.palette import Piece
from tui.workstation.render.strips import pieces_width
from tui.workstation.tickets import position_mode
from tui.workstation.tickets.fields import DOT
from tui.workstation.tickets.forecast import Forecast, forecast
from tui.workstation.tickets.protection import BadProtection, ParsedTrigger
from tui.workstation.tickets.ticket import CLOSING, PriceMode, Ticket

QUOTE_OLD_S = 2.0
NO_ROOM = "spread is one tick: joins instead"
"""Said of a price meant to be better than the own touch, where the next tick is the other touch."""


def side_piece(ticket: Ticket) -> Piece:
    """Side and leg as words."""
    leg = ticket.position_side.value
    word = ticket.side.value + ("" if leg == "NONE" else f"+{leg}")
    return word, "buy-strong" if ticket.side is Side.BUY else "sell-strong"


def head(ticket: Ticket) -> list[Piece]:
    """Side, leg, intent and symbol."""
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
    """Time in force; GTX as what it means."""
    return "post-only" if ticket.tif is TimeInForce.GTX else ticket.tif.value


def price_pieces(
    ticket: Ticket,
    quote: QuoteRow | None,
    view: DisplayContext,
    words: bool = True,
    tif: bool = True,
    points_too: bool = True,
    distance: bool = True,
) -> list[Piece]:
    """Price, distance from the own touch, and whether it would take or rest; the last is never left out."""
    if ticket.order_type is OrderType.MARKET:
        reference = ticket.touch(quote, False)
        about = number_format.MISSING if reference is None else view.price(ticket.sym, format(reference, "f"))
        return [("MARKET", "warn"), (f" ~{about} would take", "text")]
    price = ticket.limit(quote)
    shown = view.price(ticket.sym, ticket.limit_text(quote) or None, True)
    pieces: list[Piece] = [(shown, "strong")]
    if words and ticket.price_mode is not PriceMode.TYPED:
        pieces.append((f" {ticket.price_mode.value}", "accent"))
    if tif:
        pieces.append((f" {describe_tif(ticket)}", "text"))
    own = ticket.touch(quote)
    ticks = number_format.ticks_between(own, price, ticket.tick)
    points = None if own is None or price is None else number_format.basis_points(own, price)
    name = "bid" if ticket.side is Side.BUY else "ask"
    if ticks is not None and distance:
        far = f" {points:+}bp" if points_too else ""
        pieces += [DOT, (f"{name} {ticks:+d}t{far}", "dim")]
    if ticket.price_mode is PriceMode.IMPROVE and not ticks and own is not None and price == own:
        pieces += [DOT, (NO_ROOM, "warn")]
    found = outcome(ticket, quote, view)
    if found is not None:
        pieces.append((" " + found[0], found[1]))
    return pieces


ENDS_AT_ONCE = frozenset([TimeInForce.IOC, TimeInForce.FOK])
"""Times in force under which nothing ever rests."""


def outcome(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> Piece | None:
    """What would happen at once under the time in force, as far as the touch tells; None when nobody can tell."""
    takes = ticket.takes(quote)
    if takes is None:
        return None
    name = "ask" if ticket.side is Side.BUY else "bid"
    if not takes:
        if ticket.tif in ENDS_AT_ONCE:
            return f"does not reach the {name}: would end unfilled", "warn"
        return "would rest", "dim"
    if ticket.tif is TimeInForce.GTX:
        return "would take: post-only would be refused", "warn"
    size, there = ticket.size(), ticket.opposite_size(quote)
    if size is None or there is None or size <= there:
        return "would take", "warn"
    through = ticket.limit(quote) != ticket.touch(quote, False)
    part = view.quantity(ticket.sym, plain(there))
    if ticket.tif is TimeInForce.FOK:
        return (f"would end unfilled unless more than the {part} of the {name} is there"), "warn"
    rest = "ends" if ticket.tif is TimeInForce.IOC else "stays on the book"
    return f"would take {part}{' or more' if through else ''}, the rest {rest}", "warn"


def price_note(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext, room: int, tif: bool) -> list[Piece]:
    """What stands beside the price field: as much as fits, and whether it would take in any case."""
    pieces: list[Piece] = []
    for words, points in ((True, True), (True, False), (False, False)):
        pieces = price_pieces(ticket, quote, view, words, tif, points)[1:]
        if pieces and pieces[0] is DOT:
            pieces = pieces[1:]
        if pieces_width(pieces) <= room:
            return pieces
    return pieces[-1:]


def short_price(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> list[Piece]:
    """Price and outcome in the fewest words, for a ticket of one line."""
    takes = ticket.takes(quote)
    rests = " ends unfilled" if ticket.tif in ENDS_AT_ONCE else " rests"
    word = "" if takes is None else " takes" if takes else rests
    if ticket.order_type is OrderType.MARKET:
        return [(" MARKET", "warn")]
    price = view.price(ticket.sym, ticket.limit_text(quote) or None, True)
    return [(f" {price}", "strong"), (word, "warn" if takes else "dim")]


def unit_pieces(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> list[Piece]:
    """The quantity in three units."""
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
    if ticket.spent():
        pieces.append((f" spends {ticket.spent()} {ticket.quote_coin}", "strong"))
    return pieces


def quote_pieces(quote: QuoteRow | None, view: DisplayContext) -> list[Piece]:
    """Age of the quote the figures stand on."""
    if quote is None or not quote.received:
        return [("no quote", "warn")]
    seconds = view.now - quote.received
    if not view.mirror.proven("public"):
        return [(f"quote STALE {number_format.age(seconds)}", "stale")]
    return [(f"quote {number_format.age(seconds)}", "warn" if seconds > QUOTE_OLD_S else "dim")]


def held(ticket: Ticket, view: DisplayContext) -> tuple[Decimal | None, str]:
    """Size of the leg the ticket is about, in its own unit, and the name of the leg; signed in one-way mode.

    Of a pair without positions it is the balance of its base coin.
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
    """What a reduce-only order of a one-way account finds to reduce in the signed position."""
    return abs(before) if before * ticket.side.sign < 0 else Decimal(0)


def other_leg(ticket: Ticket, view: DisplayContext) -> tuple[str, Decimal | None]:
    """Name and size of the leg an order does not touch; no name in one-way mode, no size where there is none."""
    other = {"LONG": "SHORT", "SHORT": "LONG"}.get(ticket.position_side.value, "")
    fact = view.mirror.positions.get(f"{ticket.sym}/{other}") if other else None
    return other, None if fact is None else size_of(fact.record)


def effect_pieces(ticket: Ticket, view: DisplayContext) -> list[Piece]:
    """Position before and after, taking the whole order as filled; in hedge mode of its leg, beside the other one."""
    before, leg = held(ticket, view)
    size = ticket.size()
    if ticket.order is not None and size is not None:
        size -= number_format.value(ticket.order.executed) or Decimal(0)
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
    was, will_be = (number_format.decimal_figure(one, None, separators) for one in (before, after))
    text = f"{was} → {will_be}"
    pieces: list[Piece] = [(f"{name} ", "dim"), (text, "text"), (f" {ticket.unit}", "dim")]
    other, beside = other_leg(ticket, view)
    if beside:
        pieces += [
            DOT,
            (f"{other.lower()} stays ", "dim"),
            (number_format.decimal_figure(beside, None, separators), "text"),
        ]
    return pieces


MOST_LEFT = 3
"""Algo orders that are named; more are counted."""


def describe_left(ticket: Ticket, view: DisplayContext) -> list[Piece]:
    """The algo orders that have no position any more once the whole order is filled."""
    leg = ticket.position_side.value
    fact = view.mirror.positions.get(f"{ticket.sym}/{leg}")
    before, size = held(ticket, view)[0], ticket.size()
    if fact is None or not before or size is None or ticket.order is not None:
        return []
    closes = ticket.effect in CLOSING if leg != "NONE" else bool(reducible(before, ticket))
    left = protecting(fact.record, view.mirror) if closes and size >= abs(before) else []
    if not left:
        return []
    names = [describe_triggers(row, view) for row in left[:MOST_LEFT]]
    more = f" and {len(left) - MOST_LEFT} more" if len(left) > MOST_LEFT else ""
    return [("closes the position; ", "dim"), (f"{', '.join(names)}{more}", "warn"), (" will expire", "dim")]


def fee_pieces(found: Forecast, ticket: Ticket, view: DisplayContext) -> list[Piece]:
    """Fee or rebate, and where the leg after it breaks even."""
    pieces: list[Piece] = []
    if found.fee or not found.rebate:
        pieces += [("fee ", "dim"), (f"~{_coins(found.fee, found.fee_coin, view)}", "text")]
    if found.rebate:
        pieces += [
            (" rebate " if pieces else "rebate ", "dim"),
            (f"~{_coins(found.rebate, found.fee_coin, view)}", "gain"),
        ]
    if not found.depth_known:
        pieces += [DOT, ("beyond the touch: depth unknown", "warn")]
    if found.break_even is not None:
        pieces += [DOT, ("break-even ", "dim"), (view.price_of(ticket.sym, found.break_even), "text")]
    if found.borrowed:
        rate = margin_rate(view.mirror, venue_of(ticket.sym), found.borrowed_coin)
        pieces += [
            DOT,
            (f"borrows {_coins(found.borrowed, found.borrowed_coin, view)} at {describe_rate(rate)}", "warn"),
        ]
    return pieces


def _coins(amount: Decimal, coin: str, view: DisplayContext) -> str:
    """An amount; quote units with two decimals, coins as exact as they are."""
    quote = coin in ("", "USDT")
    figure = number_format.decimal_figure(amount, 2 if quote else None, view.settings.separators)
    return f"{figure}{'' if quote else ' ' + coin}"


def risk_pieces(found: Forecast, ticket: Ticket, view: DisplayContext) -> list[Piece]:
    """Liquidation price, uniMMR and free margin, before and after."""
    pieces: list[Piece] = []
    if found.liq_after is not None or found.liq_before is not None:
        before, after = (
            number_format.NONE if price is None else view.price_of(ticket.sym, price)
            for price in (found.liq_before, found.liq_after)
        )
        pieces += [("liq ", "dim"), (f"{before} → {after}", "text")]
    uni = found.after.uni_mmr
    if uni is not None or found.before.uni_mmr is not None:
        before, after = (
            number_format.NONE if one is None else number_format.decimal_figure(one, 2)
            for one in (found.before.uni_mmr, uni)
        )
        pieces += [DOT] if pieces else []
        pieces += [("uniMMR ", "dim"), (f"{before} → {after}", "warn" if uni is not None and uni < 3 else "text")]
    return pieces


def margin_pieces(found: Forecast, view: DisplayContext) -> list[Piece]:
    """Free margin now and when the order stands."""
    before, after = view.amount(found.before.available), view.amount(found.free)
    role = "warn" if found.free < 0 else "text"
    return [("free ", "dim"), (f"{before} → {after}", role)]


def _shorter(parts: list[list[Piece]], triggers: list[ParsedTrigger]) -> list[list[Piece]]:
    """What was not typed of each protection: of an offset its price, of a price what it would book."""
    return [
        [name, (price[0].rstrip(), price[1]) if one.unit else booked]
        for (name, price, booked), one in zip(parts, triggers, strict=False)
    ]


def protection_pieces(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext, room: int) -> list[Piece]:
    """What the protections would book, and of which price their triggers are; as much as fits."""
    found = ticket.protection_result(quote)
    if found is None:
        hint = "price, or 0.5% 20t 30bp 2r from the entry"
        return [(hint, "faint")] if len(hint) <= room else []
    try:
        stop, profit = ticket.protections(quote)
    except BadProtection:
        return []
    separators = view.settings.separators
    booked = [("sl", stop, found.loss, "loss"), ("tp", profit, found.gain, "gain")]
    parts: list[list[Piece]] = []
    for name, one, amount, role in booked:
        if one is not None and amount is not None:
            at = f"{view.price_of(ticket.sym, one.trigger)} "
            parts.append(
                [(f"{name} ", "dim"), (at, "text"), (number_format.format_signed_decimal(amount, 2, separators), role)]
            )
    if sum(pieces_width(part) + 3 for part in parts) - 3 > room:
        parts = _shorter(parts, [one for one in (stop, profit) if one is not None])
    if found.ratio is not None:
        parts.append([(f"{plain(half_up(found.ratio, 1))} : 1", "text")])
    sources = [
        f"{name} {one.source[:4].lower()} {f'@{view.price_of(ticket.sym, one.limit)}' if one.limit else 'market'}"
        for name, one in (("sl", stop), ("tp", profit))
        if one is not None
    ]
    parts.append([(", ".join(sources), "faint")])
    pieces: list[Piece] = []
    for part in parts:
        longer = [*pieces, DOT, *part] if pieces else part
        if pieces_width(longer) > room:
            break
        pieces = longer
    return pieces


def limit_pieces(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> list[Piece]:
    """Share of the limits on the value of one order that this one uses."""
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


def _times(share: Decimal) -> str:
    return f"{half_up(share, 1)}×"


def over_hard(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> bool:
    """Whether the order is above the hard limit, so that Enter would only be refused."""
    value, engine_status = ticket.limit_value(quote), view.mirror.engine_status
    return (
        value is not None
        and engine_status is not None
        and value > Decimal(engine_status.limits.of(ticket.sym).hard_notional)
    )


def warnings(ticket: Ticket, view: DisplayContext) -> list[Piece]:
    """What a trader should know before sending."""
    found: list[str] = []
    before, _ = held(ticket, view)
    changed = position_mode.change_reason(ticket, view.mirror)
    if changed is not None:
        found.append(changed.text)
    size = ticket.size()
    if ticket.effect.value.startswith("close") and before is not None:
        if not before:
            found.append("leg is already empty")
        elif size is not None and size > before:
            found.append(f"more than the leg holds ({plain(before)} {ticket.unit}); the venue cuts it")
    elif ticket.reduce_only and before is not None and size is not None:
        closes = reducible(before, ticket)
        if not closes:
            found.append("reduce-only, and there is nothing to reduce")
        elif size > closes:
            found.append(f"more than the position holds ({plain(closes)} {ticket.unit}); the venue cuts it")
    limit = ticket.limit(None)
    for order in view.mirror.working():
        if (
            order.sym == ticket.sym
            and order.side != ticket.side.value
            and (ticket.order is None or order.key != ticket.order.key)
            and limit is not None
        ):
            theirs = number_format.value(order.price)
            if theirs is not None and (limit - theirs) * ticket.side.sign >= 0:
                found.append("own opposite order would match")
                break
    if ticket.order is not None and size is not None:
        done = number_format.value(ticket.order.executed) or Decimal(0)
        if size <= done:
            found.append("total ≤ filled: this cancels the order")
    return [("! " + "; ".join(found), "warn")] if found else []


class Figures(NamedTuple):
    """What the rows make of a ticket, by subject. Reckoned once, and read by every line and by the journal."""

    ticket: Ticket
    quote: QuoteRow | None
    size: list[Piece]
    price: list[Piece]
    effect: list[Piece]
    left: list[Piece]
    risk: list[Piece]
    cost: list[Piece]
    limits: list[Piece]
    free: list[Piece]
    needs: str
    """What is not known yet; empty where nothing is missing."""


def figures_of(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> Figures:
    """Reckon a ticket with the rows of now."""
    found = forecast(ticket, quote, view.mirror)
    return Figures(
        ticket,
        quote,
        size=unit_pieces(ticket, quote, view),
        price=price_pieces(ticket, quote, view),
        effect=effect_pieces(ticket, view),
        left=describe_left(ticket, view),
        risk=[] if isinstance(found, Missing) else risk_pieces(found, ticket, view),
        cost=[] if isinstance(found, Missing) else fee_pieces(found, ticket, view),
        limits=limit_pieces(ticket, quote, view),
        free=[] if isinstance(found, Missing) else margin_pieces(found, view),
        needs=found.text if isinstance(found, Missing) else "",
    )


def as_text(figures: Figures) -> str:
    """The preview as one line for the journal."""
    groups = [
        head(figures.ticket),
        figures.size,
        figures.price,
        figures.effect,
        figures.left,
        figures.risk,
        figures.cost,
        figures.free,
    ]
    return " · ".join("".join(text for text, _ in group) for group in groups if group)
