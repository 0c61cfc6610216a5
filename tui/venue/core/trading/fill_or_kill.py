"""Fill or kill: check whether an order would fill completely against the current book."""

from __future__ import annotations

from tui.venue.core.market.book import HOUSE, Book, Resting
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.orders import Order
from tui.venue.core.state.positions import reducible_lots


def can_fill_whole(state: State, book: Book, order: Order, limit: int) -> bool:
    """Report whether the whole order would fill now, taking into account how each fill changes the positions."""
    stops_at_own = state.switches["self_trade"] in ("taker", "both")
    legs, need = _LegsInTrial(state), order.left
    for maker in book.walk(is_buy=not order.is_buy):
        if maker.is_beyond(limit):
            return False
        if maker.owner == order.portfolio and state.switches["self_trade"] != "allow":
            if stops_at_own:
                return False
            continue
        need -= legs.trade(order, maker, need)
        if not need:
            return True
        if order.reduce_only and not legs.reducible(order):
            return False
    return False


class _LegsInTrial:
    """Position lots as they would be after trial fills."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._held: dict[tuple[str, str], int] = {}

    def reducible(self, order: Order) -> int:
        return reducible_lots(self._lots(order), is_buy=order.is_buy)

    def trade(self, order: Order, maker: Resting, most: int) -> int:
        """Trade up to `most` lots with one resting order in the trial; return the lots traded."""
        other = self._state.orders[maker.order_id] if maker.owner != HOUSE else None
        traded = 0
        while lots := self._next_lots(order, other, min(most, maker.lots) - traded):
            self._move(order, lots)
            if other is not None:
                self._move(other, lots)
            traded += lots
        return traded

    def _next_lots(self, order: Order, other: Order | None, most: int) -> int:
        reducing = [entry for entry in (order, other) if entry is not None and entry.reduce_only]
        return min([most, *(self.reducible(entry) for entry in reducing)])

    def _lots(self, order: Order) -> int:
        key = (order.portfolio, order.leg)
        if key not in self._held:
            self._held[key] = self._state.position_lots(order.portfolio, order.sym, order.leg)
        return self._held[key]

    def _move(self, order: Order, lots: int) -> None:
        self._held[(order.portfolio, order.leg)] = self._lots(order) + (lots if order.is_buy else -lots)
