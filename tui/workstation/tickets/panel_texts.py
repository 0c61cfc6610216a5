"""Texts of the ticket panel: pair rules, sizes, the order being replaced, and expected refusals."""

from __future__ import annotations

from decimal import Decimal

from tui.engine.intents import Decision
from tui.engine.modes import RiskMode, TradingState
from tui.engine.orders.pre_trade_checks import Refusal, check_symbol, expect_denial, order_context
from tui.engine.rows import LocalOrderState, QuoteRow
from tui.engine.status_rows import EngineStatusRow
from tui.interface.decimals import plain
from tui.interface.families.orders import Side
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name
from tui.workstation.render.pieces import DOT, Piece, pieces_width
from tui.workstation.tickets import preview
from tui.workstation.tickets.order.ticket import Ticket

BP = Decimal(10_000)
MOST_SHOWN_S = 30.0
"""Longest time for which a proposal may stand in a ticket before it is sent, s."""


def preset_note(ticket: Ticket) -> str:
    """Return the note ` (preset)` for a size that is the pair's preset, else an empty text."""
    return " (preset)" if ticket.is_preset else ""


def title_staged(ticket: Ticket, view: DisplayContext) -> list[Piece]:
    """Build the title of a staged ticket: with the order as it is now for a replace, with who asks for a proposal."""
    pieces = preview.title_pieces(ticket)
    if (order := ticket.order) is not None:
        size = view.quantity(order.sym, order.qty)
        pieces += [DOT, (f"was {size} @ {view.price(order.sym, order.price, True)}", "dim")]
    shown = ticket.proposal
    if shown is not None and shown.left:
        pieces += [DOT, (f"your own order, not proposal {shown.number}", "warn")]
    elif shown is not None and (row := view.mirror.proposals.get(shown.number)) is not None:
        pieces += [DOT, (f"{row.peer}: {row.reason}", "warn")]
    return pieces


def describe_sending(ticket: Ticket | None, view: DisplayContext, since: float) -> str:
    """Describe a ticket that is on its way; an order of it that is seen at the venue before its answer is named.

    Args:
        ticket: The ticket.
        view: Rows.
        since: Monotonic time since which it is on its way, s.
    """
    if ticket is None or ticket.order is not None:
        return "sending…"
    sent = (ticket.sym, ticket.side.value, ticket.qty)
    for order in view.mirror.working_on(ticket.sym):
        seen = order.order_id and order.since >= since and order.state not in tuple(LocalOrderState)
        if seen and (order.sym, order.side, order.qty) == sent and view.mirror.is_own(order):
            return f"{order.state_word} at the venue; its answer has not come yet, Esc closes the ticket"
    return "sending…"


def rule_pieces(ticket: Ticket) -> list[Piece]:
    """Build the text with the pair, its contract size, tick and lot size."""
    pieces: list[Piece] = [(full_name(ticket.sym), "text")]
    if ticket.unit == "ct":
        pieces += [DOT, (f"1 ct = {plain(ticket.contract)} {ticket.base}", "dim")]
    if ticket.tick is not None and ticket.lot is not None:
        pieces += [DOT, (f"tick {plain(ticket.tick)} lot {plain(ticket.lot)}", "dim")]
    return pieces


def order_to_replace(ticket: Ticket, view: DisplayContext, room: int) -> list[Piece]:
    """Build the description of the order being replaced, as much as fits."""
    order = ticket.order
    if order is None:
        return []
    done = number_format.value(order.filled)
    total = number_format.value(order.qty)
    left = None if total is None or done is None else plain(total - done)
    rest = view.quantity(ticket.sym, left, False) if left is not None else number_format.MISSING
    ident = order.client_order_id or order.order_id
    id_pieces: list[Piece] = [(f"  …{ident[-6:]}", "dim")]
    amounts: list[Piece] = [(f"  total {order.qty}  filled {order.filled}  rest {rest}", "text")]
    at: list[Piece] = [(f"  at {view.price(ticket.sym, order.price, True)}", "dim")]
    side = preview.title_pieces(ticket)
    for pieces in ([*side, *id_pieces, *amounts, *at], [*side, *amounts, *at], [*side, *amounts], amounts):
        if pieces_width(pieces) <= room:
            break
    return [(" ", "text"), *pieces]


def price_drift(
    ticket: Ticket | None, moved: tuple[Decimal, Decimal] | None, view: DisplayContext, live: QuoteRow | None
) -> str:
    """Describe how far the market moved since the question was asked; empty if it did not.

    Args:
        ticket: Ticket of the question.
        moved: Price in the question, and present price.
        view: Settings.
        live: Present quote.
    """
    if moved is None or ticket is None:
        return ""
    across = number_format.value(live.ask if ticket.side is Side.BUY else live.bid) if live is not None else None
    if ticket.post_only and across is not None and (moved[0] - across) * ticket.side.sign >= 0:
        name = "ask" if ticket.side is Side.BUY else "bid"
        return f" · would be rejected: post-only, and the {name} is {view.price_of(ticket.sym, across)} now"
    return describe_move(ticket, moved, view)


def describe_move(ticket: Ticket, moved: tuple[Decimal, Decimal], view: DisplayContext, name: str = "") -> str:
    """Describe the price at a question, under a name, and that of now."""
    asked, now = (view.price_of(ticket.sym, price) for price in moved)
    change = number_format.format_signed_decimal(moved[1] - moved[0], None, view.settings.separators)
    return f" · asked at {name}{asked}, now {now} ({change})"


def is_far_move(ticket: Ticket, moved: tuple[Decimal, Decimal], status: EngineStatusRow | None) -> bool:
    """Return whether a price moved so far from the one in a question that it must be asked again."""
    if ticket.tick is None or status is None:
        return False
    limits = status.limits.of(ticket.sym)
    return abs(moved[1] - moved[0]) > max(limits.far_ticks * ticket.tick, moved[0] * limits.far_bp / BP)


def why_void(ticket: Ticket, view: DisplayContext) -> str:
    """Return why a ticket made from a proposal may not be sent any more, or an empty text."""
    number, shown = ticket.proposed, ticket.proposal
    if shown is None or not number:
        return ""
    if number not in view.mirror.proposals:
        return f"proposal {number} has ended"
    anew = f":accept {number} shows it anew"
    if view.now - shown.at > MOST_SHOWN_S:
        return f"proposal {number} stood here for more than {MOST_SHOWN_S:g} s; {anew}"
    now = ticket.touch(view.mirror.quotes.get(ticket.sym), False)
    if shown.touch and now and is_far_move(ticket, (shown.touch, now), view.mirror.engine_status):
        before, after = (view.price_of(ticket.sym, price) for price in (shown.touch, now))
        return f"the price moved from {before} to {after} while proposal {number} stood here; {anew}"
    return ""


def expect_refusal(ticket: Ticket | None, view: DisplayContext, quote: QuoteRow | None) -> str:
    """Return why a ticket would be refused: its proposal, pair, numbers, or the risk mode; empty if it would not be."""
    status = view.mirror.engine_status
    if ticket is None or not ticket.sided:
        return ""
    if void := why_void(ticket, view):
        return void
    if status is not None and (looks := status.read_only or view.mirror.unreadable):
        return looks
    if status is not None and status.trading_state is TradingState.VIEW:
        return "nothing is sent in state VIEW; press a to arm"
    if problems := ticket.rule_problems(quote):
        return problems[0].text
    refusal = check_symbol(ticket.sym, ticket.info) if ticket.info is not None else None
    if refusal is not None or status is None:
        return refusal.text if refusal is not None else ""
    return _expect_mode_refusal(ticket, status, quote) or _expect_denial(ticket, status, quote)


def _expect_denial(ticket: Ticket, status: EngineStatusRow, quote: QuoteRow | None) -> str:
    """Return why the engine would deny a valid ticket for its numbers: price band, limits, spread; else empty."""
    if ticket.info is None or ticket.problems(quote):
        return ""
    decision = Decision(
        environment=status.environment, portfolio=status.portfolio, state=status.trading_state, source="preview"
    )
    intent = ticket.place(decision, quote, frozenset(), "")
    order = order_context(intent, ticket.info, quote, status.limits.of(ticket.sym))
    refusal = order if isinstance(order, Refusal) else expect_denial(order)
    return refusal.text if refusal is not None else ""


def _expect_mode_refusal(ticket: Ticket, status: EngineStatusRow, quote: QuoteRow | None) -> str:
    if status.risk_mode is RiskMode.NORMAL:
        return ""
    why = f" ({status.risk_mode_reason})" if status.risk_mode_reason else ""
    mode = f"{status.risk_mode.value}{why}"
    if ticket.order is None:
        return "" if ticket.closes else f"{mode}: sends only closes; Ctrl+T resumes"
    before, size = number_format.value(ticket.order.qty), ticket.size()
    smaller = before is not None and size is not None and size < before
    same_price = ticket.limit(quote) == number_format.value(ticket.order.price)
    if (smaller and same_price) or (status.risk_mode is RiskMode.REDUCING and (smaller or ticket.closes)):
        return ""
    accepted = "size cuts" if status.risk_mode is RiskMode.HALT else "replaces that lower exposure"
    return f"{mode}: sends only {accepted}; Ctrl+T resumes"
