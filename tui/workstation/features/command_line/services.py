"""Parts of the desk that a command line uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from tui.engine.rows import OrderRow
from tui.workstation.command_line.grammar.syntax import Alert, AlertChange

if TYPE_CHECKING:
    from textual.widget import Widget


class TicketDesk(Protocol):
    """Interface to the open ticket."""

    def drop(self) -> None:
        """Drop the ticket without sending anything."""
        ...

    def tell_replaced(self) -> None:
        """Say what becomes of a ticket that is paused or on its way when another one takes its place."""
        ...


class OrderDesk(Protocol):
    """Interface that sends the order ticket, for the command line; a key press that sends is checked as usual."""

    @property
    def ticket(self) -> TicketDesk:
        """Open ticket, if there is one."""
        ...

    def field_send(self, field: Widget | None = None) -> None:
        """Send the shown ticket by Enter in a field, once what was typed there was readable."""
        ...


class CancelSender(Protocol):
    """Interface that cancels the orders that a line names."""

    def cancel_keys(self, keys: list[str], proposal: str = "") -> None:
        """Cancel single orders, also one that a program proposes to cancel."""
        ...

    def ask_orders(self, keys: list[str], title: str, which: str = "", sym: str = "") -> None:
        """Ask once for confirmation, then cancel several orders, such as those of one side of a pair."""
        ...

    def ask_scope(self, kind: str, name: str) -> None:
        """Ask for confirmation, then cancel the orders of a symbol, a venue or the portfolio."""
        ...


class CancelDesk(CancelSender, Protocol):
    """Interface to the cancels of orders of the full screen, for its command line."""

    def list_marked_orders(self) -> list[OrderRow]:
        """List the marked orders that have not ended."""
        ...

    def newest_own(self, *, ended: bool = False) -> OrderRow | None:
        """Return the newest working order that was placed here; `ended`: an order that has ended counts too."""
        ...


class RiskDesk(Protocol):
    """Interface to the risk modes and to closing several positions, for the command line."""

    def flatten_marked(self, keys: list[str], source: str) -> None:
        """Ask for the word that closes positions at market."""
        ...

    def flatten_all(self, keys: list[str], source: str) -> None:
        """Ask for the word that closes positions at market; those of kept pairs stay open."""
        ...

    def ask_resume(self) -> None:
        """Ask for the word that returns to NORMAL."""
        ...


class PortfolioDesk(Protocol):
    """Interface to the choice of the traded portfolio, for the command line."""

    def why_not_traded(self, name: str) -> str:
        """Return why a portfolio cannot be traded from now on, or an empty text."""
        ...

    def ask_trade(self, name: str) -> None:
        """Ask, then trade a portfolio."""
        ...


class RowFiles(Protocol):
    """Writer of a list's rows to a file."""

    def write(self, name: str, header: Sequence[str], records: Sequence[Sequence[str]], told: str) -> None:
        """Write rows to a file and say where; `told` names them."""
        ...


class AlertDesk(Protocol):
    """Interface to the alerts of this program, for the command line."""

    def add(self, alert: Alert) -> None:
        """Switch an alert on, and keep it."""
        ...

    def change(self, change: AlertChange) -> None:
        """List, delete or silence alerts."""
        ...


Act = Callable[[str, str], None]
"""Runs an action by id, under a key, through the guards of its risk."""
OpenOrder = Callable[[OrderRow], None]
"""Opens the card of an order."""
