"""Parts of the desk that the ladder and the chart use."""

from __future__ import annotations

from typing import Protocol

from tui.workstation.input.fresh_press import WrittenLine
from tui.workstation.tickets.fields import Mode
from tui.workstation.tickets.ticket import Ticket


class OrderDesk(Protocol):
    """Ticket of the desk."""

    def open(self, ticket: Ticket, mode: Mode) -> None:
        """Show a ticket and focus it."""
        ...


class HotDesk(Protocol):
    """Orders that one key sends in HOT."""

    def fire(self, ticket: Ticket, line: WrittenLine) -> None:
        """Send an order by the present key alone, if the line it is about has stood on the screen."""
        ...


class CancelDesk(Protocol):
    """Cancels of the desk."""

    def cancel_keys(self, keys: list[str]) -> None:
        """Cancel orders one by one."""
        ...

    def ask_scope(self, kind: str, name: str) -> None:
        """Ask about the orders of a symbol, a venue or the portfolio."""
        ...


class LineDesk(Protocol):
    """Command line of the desk."""

    def line_open(self, text: str = "") -> None:
        """Open the line with a text in it."""
        ...

    def run(self, line: str) -> None:
        """Carry out a line under a key of its own: a question names everything it would send."""
        ...
