"""Proposal as it stands in the command line: what the trader read, and when that is too old to be meant."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from tui.interface.families.orders import Side
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext

if TYPE_CHECKING:
    from tui.workstation.tickets.ticket import Ticket

MOST_SHOWN_S = 30.0
"""Longest time for which a proposal may stand before Enter sends it, s."""


class ShownProposal:
    """Time and price at which the proposal in the line was shown."""

    def __init__(self, view: DisplayContext) -> None:
        self._view = view
        self._text = ""
        self._at = 0.0
        self._price: Decimal | None = None

    def note(self, text: str, ticket: Ticket | None, now: float) -> None:
        """Note what the line shows; the same text is not shown anew."""
        if text != self._text:
            self._text, self._at, self._price = text, now, self._price_now(ticket)

    def why_void(self, ticket: Ticket, now: float) -> str:
        """Return why the ticket must be read again before it is sent, or an empty text; it then counts as shown now."""
        from tui.workstation.tickets.panel_texts import is_far_move

        before, price = self._price, self._price_now(ticket)
        why = ""
        if now - self._at > MOST_SHOWN_S:
            why = f"proposal {ticket.proposal} stood here for more than {MOST_SHOWN_S:g} s"
        elif before and price and is_far_move(ticket, (before, price), self._view.mirror.engine_status):
            why = f"the price moved from {before} to {price} while proposal {ticket.proposal} stood here"
        if why:
            self._at, self._price = now, price
        return why

    def _price_now(self, ticket: Ticket | None) -> Decimal | None:
        """Return the best price on the other side of the order."""
        quote = self._view.mirror.quotes.get(ticket.sym) if ticket is not None else None
        if quote is None or ticket is None:
            return None
        return number_format.value(quote.ask if ticket.side is Side.BUY else quote.bid)
