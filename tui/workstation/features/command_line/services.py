"""Parts of the desk that a command line uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from tui.engine.rows import OrderRow
from tui.workstation.command_line.grammar.syntax import Alert, AlertChange

if TYPE_CHECKING:
    from textual.widget import Widget


class TicketDesk(Protocol):
    """Interface to the order ticket that is open."""

    def drop_paused(self) -> str:
        """Drop a ticket that has lost the focus, and return what was said of it; empty if there is none."""
        ...

    def tell_replaced(self) -> None:
        """Say that a paused ticket, or one being sent, is dropped because another takes its place."""
        ...


class OrderDesk(Protocol):
    """Interface to the order ticket and its sending, for the command line."""

    @property
    def ticket(self) -> TicketDesk:
        """Open ticket, if there is one."""
        ...

    def field_send(self, field: Widget | None = None) -> None:
        """Send the shown ticket after Enter in a field, if the text in the field could be parsed."""
        ...


class CancelSender(Protocol):
    """Interface that cancels the orders that a command line names."""

    def cancel_keys(self, keys: list[str], proposal: str = "") -> None:
        """Cancel orders by row key without a question; `proposal` is the number of a program's proposal that is accepted."""
        ...

    def ask_orders(self, keys: list[str], title: str, which: str = "", sym: str = "") -> None:
        """Ask once for confirmation, then cancel several orders, such as those of one side of a pair."""
        ...

    def ask_scope(self, kind: str, name: str) -> None:
        """Ask for confirmation, then cancel all orders of a symbol, a coin, a venue or the portfolio."""
        ...


class CancelDesk(CancelSender, Protocol):
    """Interface to the order cancels of the full screen, for the command line."""

    def list_marked_orders(self) -> list[OrderRow]:
        """List the marked orders that have not ended."""
        ...

    def newest_own(self, *, ended: bool = False) -> OrderRow | None:
        """Return the newest working order that was placed at this desk; with `ended`, also one that has ended."""
        ...


class RiskDesk(Protocol):
    """Interface to the risk modes and to closing several positions, for the command line."""

    def flatten_marked(self, keys: list[str], source: str) -> None:
        """Ask for a typed word, then close the given positions at market."""
        ...

    def flatten_all(self, keys: list[str], source: str) -> None:
        """Ask for a typed word, then close the given positions at market, except those of pairs marked `keep`."""
        ...

    def ask_resume(self) -> None:
        """Ask for a typed word, then set the risk mode to NORMAL."""
        ...


class PortfolioDesk(Protocol):
    """Interface to the choice of the traded portfolio, for the command line."""

    def why_not_traded(self, name: str) -> str:
        """Return why a portfolio cannot be traded from now on, or an empty text."""
        ...

    def ask_trade(self, name: str) -> None:
        """Ask for confirmation, then trade another portfolio."""
        ...


class RowFiles(Protocol):
    """Interface that writes the rows of a list to a file."""

    def write(self, name: str, header: Sequence[str], records: Sequence[Sequence[str]], told: str) -> None:
        """Write rows to a file and say where; `told` is the text that names them in the message."""
        ...


class AlertDesk(Protocol):
    """Interface to the alerts of this program, for the command line."""

    def add(self, alert: Alert) -> None:
        """Switch an alert on, and store it."""
        ...

    def change(self, change: AlertChange) -> None:
        """List, delete or silence alerts."""
        ...


Act = Callable[[str, str], None]
"""Runs an action by id, under a key, through the guards of its risk."""
OpenOrder = Callable[[OrderRow], None]
"""Opens the card of an order."""
