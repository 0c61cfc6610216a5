"""Take-profit and stop-loss of a ticket in words: their triggers, and the gain or loss there."""

from __future__ import annotations

from tui.engine.rows import QuoteRow
from tui.interface.decimals import ZERO, half_up, plain
from tui.interface.families.orders import TimeInForce
from tui.workstation.model import account_snapshot
from tui.workstation.model.account_snapshot import Missing
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.render.pieces import DOT, Piece, pieces_width
from tui.workstation.tickets.order.protection import BadProtection, ParsedTrigger
from tui.workstation.tickets.order.ticket import Ticket


def _shorten(parts: list[list[Piece]], triggers: list[ParsedTrigger]) -> list[list[Piece]]:
    """Shorten the text of each protection to its name and price if typed as an offset, else its gain or loss."""
    return [
        [name, (price[0].rstrip(), price[1]) if trigger.unit else booked]
        for (name, price, booked), trigger in zip(parts, triggers, strict=False)
    ]


def _describe_source(trigger: ParsedTrigger, ticket: Ticket, view: DisplayContext) -> str:
    price = f"@{view.price_of(ticket.sym, trigger.limit)}" if trigger.limit else "market"
    return f"{trigger.source[:4].lower()} {price}"


_STOP_HINTS = ("price, or 0.5% 20t 30bp from the entry", "price, or 0.5% 20t 30bp from entry", "0.5% 20t 30bp")
_HINTS = ("price, or 0.5% 20t 30bp 2r from the entry", "price, 0.5% 20t 30bp 2r from entry", "0.5% 20t 2r")
"""What a stop-loss takes, and what a take-profit takes, the longest text first."""


def protection_pieces(
    ticket: Ticket, quote: QuoteRow | None, view: DisplayContext, room: int, *, at_stop: bool
) -> list[Piece]:
    """Build the text with loss and gain at stop and target, and the price sources of their triggers, as much as fits.

    Args:
        ticket: The ticket.
        quote: Quote of its pair.
        view: How figures are shown.
        room: Cells.
        at_stop: Whether the stop-loss has the cursor; while nothing is typed, the text says what can be typed.
    """
    result = ticket.protection_result(quote)
    if result is None:
        hint = next((hint for hint in (_STOP_HINTS if at_stop else _HINTS) if len(hint) <= room), "")
        return [(hint, "faint")] if hint else []
    try:
        stop, profit = ticket.protections(quote)
    except BadProtection:
        return []
    rows = [("sl", stop, result.loss, "loss"), ("tp", profit, result.gain, "gain")]
    parts: list[list[Piece]] = []
    for name, trigger, amount, role in rows:
        if trigger is not None and amount is not None:
            figure = view.format_signed(amount)
            at = f"{view.price_of(ticket.sym, trigger.trigger)} "
            parts.append([(f"{name} ", "dim"), (at, "text"), (figure, role)])
    if sum(pieces_width(part) + 3 for part in parts) - 3 > room:
        parts = _shorten(parts, [trigger for trigger in (stop, profit) if trigger is not None])
    if result.ratio is not None:
        parts.append([(f"{plain(half_up(result.ratio, 1))} : 1", "text")])
    triggers = [(name, trigger) for name, trigger in (("sl", stop), ("tp", profit)) if trigger is not None]
    sources = [f"{name} {_describe_source(trigger, ticket, view)}" for name, trigger in triggers]
    parts.append([(", ".join(sources), "faint")])
    if len(triggers) > 1:
        parts.append([("either ends the other", "faint")])
    return _fit(parts, room)


def results_pieces(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext, room: int) -> list[Piece]:
    """Build the loss and the gain at stop and target that did not fit beside the fields."""
    beside = {role for _, role in protection_pieces(ticket, quote, view, room, at_stop=False)}
    result = ticket.protection_result(quote)
    if result is None:
        return []
    pieces: list[Piece] = []
    for name, amount, role in (("at sl ", result.loss, "loss"), ("at tp ", result.gain, "gain")):
        if amount is not None and role not in beside:
            figure = view.format_signed(amount)
            pieces += [*([DOT] if pieces else []), (name, "dim"), (figure, role)]
    return pieces


def _fit(parts: list[list[Piece]], room: int) -> list[Piece]:
    """Join as many of the first parts as fit into the room."""
    pieces: list[Piece] = []
    for part in parts:
        longer = [*pieces, DOT, *part] if pieces else part
        if pieces_width(longer) > room:
            break
        pieces = longer
    return pieces


def target_pieces(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> list[Piece]:
    """Build the text with the take-profit trigger price."""
    try:
        _, target = ticket.protections(quote)
    except BadProtection:
        return []
    return [] if target is None else [("tp ", "dim"), (view.price_of(ticket.sym, target.trigger), "text")]


def describe_exits(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> list[str]:
    """Describe stop and target of an order in a question, with and without the loss; empty texts without any."""
    stop, target = stop_pieces(ticket, quote, view), target_pieces(ticket, quote, view)
    forms = ([stop, target], [stop[:2], target])
    return ["".join(f" · {''.join(text for text, _ in part)}" for part in parts if part) for parts in forms]


def stop_pieces(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> list[Piece]:
    """Build the text with the stop-loss and the largest loss there, with the fees of entry and stop if known.

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
        lost += base * (entry * rates.entry_rate(post_only=ticket.post_only) + stop.trigger * max(rates.taker, ZERO))
        fees, loses = "with fees", " loses at most " if may_rest else loses
    at = view.price_of(ticket.sym, stop.trigger)
    figure = view.amount(lost)
    return [("sl ", "dim"), (at, "text"), (loses, "dim"), (f"~{figure}", "loss"), (f" {fees}", "dim")]
