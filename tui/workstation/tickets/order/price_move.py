"""Move of the market since a question was asked or a proposal shown."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from tui.engine.rows import QuoteRow
from tui.engine.status_rows import EngineStatusRow
from tui.interface.families.orders import Side
from tui.rules import bands
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.tickets.order.ticket import Ticket


class PriceMove(NamedTuple):
    """Price when a question was asked, and price now."""

    asked: Decimal
    now: Decimal

    @classmethod
    def between(cls, asked: Decimal | None, now: Decimal | None) -> PriceMove | None:
        """Build the move between two prices; None if one is not known, or they are equal."""
        return None if asked is None or now is None or asked == now else cls(asked, now)


def describe_drift(ticket: Ticket | None, moved: PriceMove | None, view: DisplayContext, live: QuoteRow | None) -> str:
    """Describe how far the market moved since the question was asked; empty if it did not.

    Args:
        ticket: Ticket of the question.
        moved: Price in the question, and present price; None: they are the same.
        view: Settings.
        live: Present quote.
    """
    if moved is None or ticket is None:
        return ""
    across = ticket.touch(live, own=False)
    if ticket.post_only and across is not None and (moved.asked - across) * ticket.side.sign >= 0:
        return f" · {explain_taking(ticket, live, view)}"
    return f"{describe_move(ticket, moved, view)}{describe_kept_exits(ticket) if ticket.at_market else ''}"


def describe_kept_exits(ticket: Ticket) -> str:
    """Say that stop and target typed as distances keep their prices from the question; empty if there is none."""
    texts = {"tp": ticket.profit.strip(), "sl": ticket.stop.strip()}
    names = [name for name, text in texts.items() if text and not text.replace(".", "").isdecimal()]
    return f"; {' and '.join(names)} stay{'s' if len(names) == 1 else ''}" if names else ""


def explain_taking(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> str:
    """Say that an order would take at a quote, with the price that it would take."""
    takes = describe_taking_post_only(ticket) if ticket.post_only else "would take now"
    return f"{takes}: {name_other_touch(ticket, quote, view)}"


def name_other_touch(ticket: Ticket, quote: QuoteRow | None, view: DisplayContext) -> str:
    """Name the best price that an order would take: `the ask is 64,001.2`."""
    name, across = "ask" if ticket.side is Side.BUY else "bid", ticket.touch(quote, own=False)
    return f"the {name} is {view.price_of(ticket.sym, across)}"


def describe_taking_post_only(ticket: Ticket) -> str:
    """Say that a post-only order would take, which the venue refuses; a changed one it may cancel."""
    return f"a post-only order would take{'' if ticket.order is None else ' and may be cancelled'}"


def describe_move(ticket: Ticket, moved: PriceMove, view: DisplayContext, name: str = "") -> str:
    """Describe a move: the price when the question was asked, under a name, and the price now."""
    asked, now = (view.price_of(ticket.sym, price) for price in moved)
    change = view.format_signed(moved.now - moved.asked, None)
    return f" · asked at {name}{asked}, now {now} ({change})"


def is_far_move(ticket: Ticket, moved: PriceMove, status: EngineStatusRow | None) -> bool:
    """Return whether the price has moved so far since the question that it must be asked again."""
    if ticket.tick is None or status is None:
        return False
    limits = status.limits_of(ticket.sym)
    return bands.is_far_move(*moved, tick=ticket.tick, far_ticks=limits.far_ticks, far_bp=limits.far_bp)
