"""Fill or kill: whether an order would trade whole against the book as it stands."""

from __future__ import annotations

from tui.venue.core.market.book import HOUSE, Book, Resting
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.orders import Order
from tui.venue.core.state.positions import reducible_lots


def can_fill_whole(state: State, book: Book, order: Order, limit: int) -> bool:
    """Whether all of the order would trade now, with what each fill does to the legs it touches."""
    own_stops = state.switches["self_trade"] in ("taker", "both")
    legs, need = _LegsInTrial(state), order.left
    for maker in book.walk(not order.is_buy):
        if (maker.ticks > limit) if order.is_buy else (maker.ticks < limit):
            return False
        if maker.owner == order.portfolio and state.switches["self_trade"] != "allow":
            if own_stops:
                return False
            continue
        need -= legs.trade(order, maker, need)
        if not need:
            return True
        if order.reduce_only and not legs.reducible(order):
            return False
    return False


class _LegsInTrial:
    """Lots that legs would hold after fills that are only tried."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._held: dict[tuple[str, str], int] = {}

    def reducible(self, order: Order) -> int:
        return reducible_lots(self._lots(order), order.is_buy)

    def trade(self, order: Order, maker: Resting, most: int) -> int:
        """Trade up to `most` lots with one resting order, as often as both still may; returns the lots."""
        other = self._state.orders[maker.order_id] if maker.owner != HOUSE else None
        traded = 0
        while lots := self._next_lots(order, other, min(most, maker.lots) - traded):
            self._move(order, lots)
            if other is not None:
                self._move(other, lots)
            traded += lots
        return traded

    def _next_lots(self, order: Order, other: Order | None, most: int) -> int:
        reducing = [one for one in (order, other) if one is not None and one.reduce_only]
        return min([most, *(self.reducible(one) for one in reducing)])

    def _lots(self, order: Order) -> int:
        key = (order.portfolio, order.leg)
        if key not in self._held:
            self._held[key] = self._state.held_lots(order.portfolio, order.sym, order.leg)
        return self._held[key]

    def _move(self, order: Order, lots: int) -> None:
        self._held[(order.portfolio, order.leg)] = self._lots(order) + (lots if order.is_buy else -lots)
