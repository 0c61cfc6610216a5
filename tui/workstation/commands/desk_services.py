"""Parts of the desk that the ladder and the chart use."""

from __future__ import annotations

from typing import Protocol

from tui.workstation.input.fresh_press import WrittenLine
from tui.workstation.tickets.fields import Mode
from tui.workstation.tickets.order.ticket import Ticket


class OrderDesk(Protocol):
    """Interface that opens the order ticket, for features that may not import it."""

    def open(self, ticket: Ticket, mode: Mode, *, at_row: bool = False) -> None:
        """Show a ticket and focus it."""
        ...


class HotDesk(Protocol):
    """Interface that sends an order by one key in HOT."""

    def fire(self, ticket: Ticket, line: WrittenLine) -> None:
        """Send an order at once by the current key press, if its line has been shown long enough."""
        ...


class CancelDesk(Protocol):
    """Interface that cancels orders, for features that may not import it."""

    def cancel_keys(self, keys: list[str]) -> None:
        """Cancel the orders with these row keys, each by a request of its own."""
        ...

    def ask_scope(self, kind: str, name: str) -> None:
        """Ask for confirmation, then cancel the orders of a pair (`sym`), a `coin`, a `venue` or the `portfolio`."""
        ...


class LineDesk(Protocol):
    """Interface that opens the command line, or carries out a given line."""

    def line_open(self, text: str = "") -> None:
        """Open the command line with a text in it."""
        ...

    def run(self, line: str) -> None:
        """Carry out a command line; first a question names everything it would send."""
        ...
