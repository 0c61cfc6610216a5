"""Actions of the venue on the rungs of the risk ladder: it cancels orders that add risk, then all orders."""

from __future__ import annotations

from tui.interface.families.orders import CancelType
from tui.interface.families.positions import AccountStatus
from tui.venue.core.accounts import account_figures
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.orders import Order
from tui.venue.core.trading import protection
from tui.venue.core.trading.pending_changes import PendingChanges

REASON = "Account risk"


def enforce(state: State, pending_changes: PendingChanges) -> bool:
    """Enforce the ladder on the rows that changed since the last call; True when an order was cancelled.

    All orders end when a row reaches CANCEL_ALL or worse; reducing orders placed afterwards stay.
    """
    ended = False
    rows, state.changes.risky = state.changes.risky, {}
    for (portfolio, venue), worse in rows.items():
        status = state.published.accounts[(portfolio, venue)].account_status
        everything = worse and status != AccountStatus.CANCEL_OPEN
        if everything:
            syms = [pair.sym for pair in state.pairs.values() if pair.exchange == venue]
            protection.cancel_all(state, state.algos.of(portfolio, syms), REASON)
        for order in list(state.open_on(portfolio, venue)):
            if not order.is_final and (everything or _adds_risk(state, order)):
                pending_changes.end_now(order, CancelType.LIQUIDATING, REASON)
                ended = True
    return ended


def _adds_risk(state: State, order: Order) -> bool:
    return not state.pairs[order.sym].is_perp or bool(account_figures.increasing_lots(state, order))
