"""Forecast of a ticket in words: fee, break-even and borrowed coins, liquidation price, uniMMR and free margin."""

from __future__ import annotations

from decimal import Decimal

from tui.interface.decimals import ZERO
from tui.workstation.model import number_format
from tui.workstation.model.borrow_rates import describe_rate, margin_rate
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import venue_of
from tui.workstation.render.pieces import DOT, Piece
from tui.workstation.tickets.order.forecast import Forecast
from tui.workstation.tickets.order.ticket import Ticket

DEPTH_UNKNOWN = "depth unknown: margin assumes the worst price"
"""Note that an order takes more than the known part of the book."""


def fee_pieces(result: Forecast, ticket: Ticket, view: DisplayContext, *, rests: bool) -> list[Piece]:
    """Build the text with fee, rebate and break-even price; `rests`: the order does not fill at once."""
    pieces: list[Piece] = []
    if result.fee or not result.rebate:
        pieces += [("fee ", "dim"), (f"~{_format_coins(result.fee, result.fee_coin, view)}", "text")]
    if result.rebate:
        pieces += [
            (" rebate " if pieces else "rebate ", "dim"),
            (f"~{_format_coins(result.rebate, result.fee_coin, view)}", "gain"),
        ]
    if not result.depth_known:
        pieces += [DOT, (DEPTH_UNKNOWN, "warn")]
    if result.break_even is not None:
        pieces += [
            DOT,
            ("break-even if filled " if rests else "break-even ", "dim"),
            (f"{'~' * result.is_break_even_assumed}{view.price_of(ticket.sym, result.break_even)}", "text"),
        ]
    return pieces


def borrow_pieces(result: Forecast, ticket: Ticket, view: DisplayContext) -> list[Piece]:
    """Build the text with the coins that the order borrows, and their interest rate."""
    if not result.borrowed:
        return []
    rate = margin_rate(view.mirror, venue_of(ticket.sym), result.borrowed_coin)
    borrowed = _format_coins(result.borrowed, result.borrowed_coin, view)
    return [(f"borrows {borrowed} at {describe_rate(rate)}", "warn")]


def _format_coins(amount: Decimal, coin: str, view: DisplayContext) -> str:
    """Format an amount: USDT with two decimals and without a name, other coins exactly with their name."""
    quote = coin in ("", "USDT")
    figure = view.amount(amount, 2 if quote else None)
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
    """Build the text with the free margin now and after the order is placed."""
    before, after = view.amount(result.before.available), view.amount(result.free)
    role = "warn" if result.free < 0 else "text"
    return [("free ", "dim"), (f"{before} → {after}", role)]


def shortfall_pieces(result: Forecast, view: DisplayContext) -> list[Piece]:
    """Build the warning that margin is missing after the order; empty if enough, or if the order improves it."""
    if result.free >= min(result.before.available, ZERO):
        return []
    return [(f"! not enough margin: {view.amount(-result.free)} missing", "warn")]
