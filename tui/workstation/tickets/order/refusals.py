"""Refusals that are foreseen: why a ticket would not be sent, or be denied by the engine."""

from __future__ import annotations

from msgspec.structs import replace

from tui.engine.orders.exposure import expect_position_denial
from tui.engine.orders.pre_trade_checks import (
    FigureChange,
    OrderContext,
    Refusal,
    check_clock,
    check_day_result,
    check_link,
    check_risk_mode,
    check_risk_mode_of_replace,
    check_spot_balance,
    check_symbol,
    describe_closing,
)
from tui.engine.orders.price_checks import expect_denial
from tui.engine.peers.proposed_order import MOST_SHOWN_S
from tui.engine.rows import QuoteRow
from tui.engine.state.closing_orders import has_reducible
from tui.engine.status_rows import EngineStatusRow
from tui.interface.families.orders import Side
from tui.interface.symbols import BusinessType, try_parse
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import venue_of
from tui.workstation.model.mirror import Mirror
from tui.workstation.tickets.order.checks import Problem
from tui.workstation.tickets.order.limits import build_context, check_beside_unknown, find_typed_price
from tui.workstation.tickets.order.margin import find_missing_margin
from tui.workstation.tickets.order.position import explain_changed_close, explain_nothing_to_close
from tui.workstation.tickets.order.position_mode import change_reason
from tui.workstation.tickets.order.price_move import PriceMove, explain_taking, is_far_move
from tui.workstation.tickets.order.ticket import Ticket


def why_void(ticket: Ticket, view: DisplayContext) -> str:
    """Return why a ticket made from a proposal can no longer be sent: ended, too old, or market moved; else empty."""
    number, shown = ticket.proposed, ticket.proposal
    if shown is None or not number:
        return ""
    if number not in view.mirror.proposals:
        return f"proposal {number} has ended"
    anew = f":accept {number} shows it anew"
    if view.now - shown.at > MOST_SHOWN_S:
        return f"proposal {number} was open for more than {MOST_SHOWN_S:g} s; {anew}"
    now = ticket.touch(view.mirror.quotes.get(ticket.sym), own=False)
    if shown.touch and now and is_far_move(ticket, PriceMove(shown.touch, now), view.mirror.engine_status):
        before, after = (view.price_of(ticket.sym, price) for price in (shown.touch, now))
        return f"the price moved from {before} to {after} while proposal {number} was open; {anew}"
    return ""


def list_problems_now(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> list[Problem]:
    """List why a ticket cannot be sent now: its fields, and what current data refuses, of which one reason is told."""
    return [*ticket.problems(quote), *list_account_problems(ticket, quote, view)]


def list_account_problems(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> list[Problem]:
    """List why current data refuses a ticket: old proposal, changed position mode, size like a price, empty leg."""
    if void := why_void(ticket, view):
        return [Problem("", f"{void}; nothing was sent")]
    changed = change_reason(ticket, view.mirror) or find_typed_price(ticket, quote, view)
    if changed is not None:
        return [changed]
    if changed_close := explain_changed_close(ticket, view):
        return [Problem("size", changed_close)]
    why = explain_nothing_to_close(ticket, view)
    return [Problem("", why)] if why else []


def expect_refusal(ticket: Ticket | None, view: DisplayContext, quote: QuoteRow | None) -> str:
    """Return why the desk or the venue would refuse a ticket, judged by the present rows; empty if neither would.

    The engine's own answer to a line is `DeskContext.foresee`; both are made by the same checks.
    """
    here = expect_refusal_here(ticket, view, quote)
    return here.text if here is not None else expect_venue_refusal(ticket, view, quote)


def expect_refusal_here(ticket: Ticket | None, view: DisplayContext, quote: QuoteRow | None) -> Refusal | None:
    """Return why the desk itself would refuse a ticket, so that nothing is sent; None if it would not.

    Its guard is that of the gate, which may deny with other figures.
    """
    if ticket is None or not ticket.sided:
        return None
    if refusal := check_desk(ticket, view):
        return refusal
    if problems := ticket.rule_problems(quote):
        return Refusal("TICKET", problems[0].text)
    if problems := list_account_problems(ticket, quote, view):
        return Refusal("LEG_EMPTY" if explain_nothing_to_close(ticket, view) else "TICKET", problems[0].text)
    status = view.mirror.engine_status
    if status is None or ticket.info is None:
        return None
    if refusal := check_symbol(ticket.sym, ticket.info):
        return refusal
    if refusal := _check_risk_mode(ticket, status, quote):
        way = _name_way_to_close(ticket, view.mirror)
        text = view.name_keys(f"{refusal.text}{way}; {f'⟦mode.choose⟧ resumes {status.breach_end}'.rstrip()}")
        return replace(refusal, text=text)
    if _raises_risk(ticket, quote) and (refusal := _check_session(status)):
        return refusal
    return None if ticket.problems(quote) else _expect_denial(ticket, quote, view)


def expect_venue_refusal(ticket: Ticket | None, view: DisplayContext, quote: QuoteRow | None) -> str:
    """Return why the venue would refuse an order: too little margin, or post-only that would take; else empty."""
    if ticket is None or not ticket.sided or ticket.problems(quote):
        return ""
    newest = view.mirror.quotes.get(ticket.sym)
    if (missing := find_missing_margin(ticket, quote, view.mirror)) is not None:
        return f"needs {view.amount(missing.needed)} margin; {view.amount(missing.free)} free on {venue_of(ticket.sym)}"
    if ticket.order is not None or not ticket.post_only or not view.mirror.proven("public"):
        return ""
    if not ticket.takes(newest, priced=quote):
        return ""
    return explain_taking(ticket, newest, view)


def check_desk(ticket: Ticket, view: DisplayContext) -> Refusal | None:
    """Return the refusal if a ticket's proposal is void, trading is not armed, or the link is down; else None.

    A link that is up but silent is not judged: the engine alone knows for how long it trusts it.
    """
    status, link = view.mirror.engine_status, view.mirror.links.get("private")
    if why := why_void(ticket, view):
        return Refusal("PROPOSAL", why)
    if why := view.why_not_armed():
        return Refusal("READ_ONLY" if status is not None and status.read_only else "STATE", why)
    if status is None:
        return None
    return check_link(connected=status.synced if link is None else link.is_logged_in, synced=status.synced)


def _expect_denial(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> Refusal | None:
    """Return the gate's expected denial of a valid ticket: limits, price band, spread, balance, UNKNOWN order; else None."""
    order = build_context(ticket, quote, view)
    if not isinstance(order, OrderContext):
        return order
    pair = try_parse(ticket.sym)
    is_new_spot = ticket.order is None and pair is not None and pair.business_type == BusinessType.SPOT
    short = check_spot_balance(order, pair, view.mirror.assets) if pair is not None and is_new_spot else None
    mirror = view.mirror
    beyond = (
        expect_position_denial(order, mirror.working(), mirror.assets, mirror.positions)
        if ticket.order is None
        else None
    )
    beside = check_beside_unknown(ticket, order, view)
    return expect_denial(order) or short or beyond or (beside if beside is not None and not beside.ask else None)


def _name_way_to_close(ticket: Ticket, mirror: Mirror) -> str:
    """Name the key that makes a new order close-only, which a risk mode accepts; empty without a position to close."""
    if ticket.order is not None or not has_reducible(ticket.sym, ticket.side, mirror.positions):
        return ""
    if not ticket.hedge:
        return "; ⟦flag.reduce⟧ makes it reduce-only"
    return f"; ⟦flag.leg⟧ changes it to close {'long' if ticket.side is Side.SELL else 'short'}"


def _compare_figures(ticket: Ticket, quote: QuoteRow | None) -> FigureChange:
    """Compare a replace with its order: whether the size is smaller and whether the price is the same."""
    before, size = number_format.value(ticket.order.qty) if ticket.order is not None else None, ticket.size()
    same_price = ticket.order is not None and ticket.limit(quote) == number_format.value(ticket.order.price)
    return FigureChange(before is not None and size is not None and size < before, same_price)


def _raises_risk(ticket: Ticket, quote: QuoteRow | None) -> bool:
    """Return whether a ticket raises risk, unlike a close or a replace that only makes the order smaller."""
    return not ticket.closes if ticket.order is None else not all(_compare_figures(ticket, quote))


def _check_session(status: EngineStatusRow) -> Refusal | None:
    return check_clock(status.skew_ms) or check_day_result(status.limits, is_whole=status.day_is_whole)


def _check_risk_mode(ticket: Ticket, status: EngineStatusRow, quote: QuoteRow | None) -> Refusal | None:
    """Return the refusal if the present risk mode does not allow the ticket, as the gate would; else None."""
    mode, reason = status.risk_mode, status.risk_mode_reason
    if ticket.order is None:
        taken = describe_closing(ticket.sym, ticket.position_side)
        return None if ticket.closes else check_risk_mode(mode, reason, taken)
    smaller, same_price = _compare_figures(ticket, quote)
    if smaller and same_price:
        return None
    return check_risk_mode_of_replace(mode, reason, closes=ticket.closes, smaller=smaller)
