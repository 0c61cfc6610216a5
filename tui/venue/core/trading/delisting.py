"""Suspension and delisting of pairs: orders stay on a suspended pair; on a delisted one, orders and positions are closed."""

from __future__ import annotations

from tui.interface.families.algo import AlgoState
from tui.interface.families.market import SymbolState
from tui.interface.families.orders import CancelType, Origin
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.positions import Position
from tui.venue.core.switches import parse_pairs
from tui.venue.core.trading import matching, protection
from tui.venue.core.trading.closing import order_to_zero
from tui.venue.core.trading.pending_changes import PendingChanges

REASON = "Symbol delisted"


def apply_switches(state: State, pending_changes: PendingChanges) -> list[str]:
    """Apply the switches `suspended` and `delisted`; return the pairs that trade again."""
    before = state.halted
    state.halted = dict.fromkeys(parse_pairs(state.switches["suspended"]), str(SymbolState.SUSPENDED))
    state.halted.update(dict.fromkeys(parse_pairs(state.switches["delisted"]), str(SymbolState.DELISTED)))
    for sym, pair_state in state.halted.items():
        if sym not in before:
            state.books[sym].clear_house()
            state.changes.moved[sym] = None
        if pair_state == SymbolState.DELISTED and before.get(sym) != pair_state:
            _delist(state, pending_changes, sym)
    return [sym for sym in before if sym not in state.halted]


def _delist(state: State, pending_changes: PendingChanges, sym: str) -> None:
    for algo in list(state.algos.open_on.get(sym, {}).values()):
        if algo.state != AlgoState.PROCESSING:
            protection.end_algo(state, algo, AlgoState.EXPIRED, REASON)
    for orders in list(state.open.values()):
        for order in [order for order in orders.values() if order.sym == sym]:
            pending_changes.end_now(order, CancelType.SYM_DELIST, REASON)
    for key in sorted(key for key in state.positions if key[1] == sym):
        _close(state, state.positions[key])


def _close(state: State, position: Position) -> None:
    """Close a whole position at the mark price against the house account."""
    pair = state.pairs[position.sym]
    ticks = int((state.marks.mark[pair.sym] / pair.tick).to_integral_value())
    order = order_to_zero(state, position, Origin.DELIST)
    matching.start_outside(state, order)
    matching.fill_with_house(state, order, order.lots, max(ticks, 1))
