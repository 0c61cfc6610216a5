"""Refusals that are foreseen: why a ticket would not be sent, or be denied by the engine."""

from __future__ import annotations

from tui.engine.intents import Decision
from tui.engine.modes import RiskMode, TradingState
from tui.engine.orders.pre_trade_checks import Refusal, check_symbol, expect_denial, order_context
from tui.engine.rows import QuoteRow
from tui.engine.status_rows import EngineStatusRow
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.tickets.order.price_move import is_far_move
from tui.workstation.tickets.order.ticket import Ticket

MOST_SHOWN_S = 30.0
"""Longest time for which a proposal may stand in a ticket before it is sent, s."""


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
