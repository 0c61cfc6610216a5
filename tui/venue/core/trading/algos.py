"""Algo orders: their commands, and the child orders that fired triggers send."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

from tui.interface.decimals import ZERO
from tui.interface.families.algo import (
    AlgoReply,
    AlgoState,
    AlgoType,
    CancelAlgo,
    CancelAllAlgos,
    PlaceAlgo,
    ReplaceAlgo,
)
from tui.interface.families.orders import Name, TimeInForce
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.commands import Command, Reply
from tui.venue.core.market.symbols import VENUES, Pair
from tui.venue.core.state import lookup
from tui.venue.core.state.algo_orders import AlgoOrder, Trigger
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.orders import Order
from tui.venue.core.trading import algo_checks, field_checks, matching, order_checks, protection
from tui.venue.core.trading.named_order import ALGO, find_named
from tui.venue.core.trading.pending_changes import DELAY_MS, FINISHED, PENDING, PendingChanges


class Algos:
    """Active algo orders; runs the algo commands and sends the child orders of fired triggers."""

    def __init__(self, state: State, pending_changes: PendingChanges) -> None:
        self._state = state
        self._pending_changes = pending_changes
        self._queue: list[tuple[int, int, str]] = []
        self._count = 0

    # -- time ------------------------------------------------------------------------------------------------------

    def next_due(self) -> int | None:
        """Return when the next algo order becomes active or its cancel takes effect, ms."""
        while self._queue and self._state.algos.by_id[self._queue[0][2]].due != self._queue[0][0]:
            heapq.heappop(self._queue)
        return self._queue[0][0] if self._queue else None

    def run_due(self) -> None:
        """Activate or cancel the algo order that is due now."""
        due, _, algo_id = heapq.heappop(self._queue)
        algo = self._state.algos.by_id[algo_id]
        if algo.due != due:
            return
        algo.due = 0
        if algo.state == AlgoState.PENDING_CANCEL:
            protection.end_algo(self._state, algo, AlgoState.CANCELLED, "")
        else:
            algo.state = AlgoState.NEW
            self._state.publish_algo(algo)
            if protection.protects_nothing(self._state, algo):
                protection.end_algo(self._state, algo, AlgoState.EXPIRED, protection.GONE)
            else:
                protection.arm(self._state, algo)

    def schedule(self, algo: AlgoOrder) -> None:
        """Schedule the pending change of an algo order."""
        self._count += 1
        heapq.heappush(self._queue, (algo.due, self._count, algo.id))

    def _set_pending(self, algo: AlgoOrder, state: AlgoState) -> None:
        algo.state, algo.due = state, self._state.now + DELAY_MS
        self.schedule(algo)
        self._state.publish_algo(algo)

    def handlers(self) -> dict[type[Command], Callable[[Any], Reply]]:
        """Map each command class to its handler."""
        return {
            PlaceAlgo: self.place,
            ReplaceAlgo: self.replace,
            CancelAlgo: self.cancel,
            CancelAllAlgos: self.cancel_all,
        }

    # -- commands --------------------------------------------------------------------------------------------------

    def place(self, command: PlaceAlgo) -> AlgoReply:
        """Check an algo order and reply; its triggers become active a little later.

        Raises:
            CheckFailed: Not accepted; nothing changed.
        """
        state = self._state
        algo = algo_checks.check_placement(state, command)
        algo.id = state.next_id("order")
        algo.client_id = algo.client_id or algo.id
        algo.created = state.now
        state.algos.add(algo)
        self._set_pending(algo, AlgoState.PENDING_NEW)
        return _make_reply(algo)

    def replace(self, command: ReplaceAlgo) -> AlgoReply:
        """Replace quantity and triggers of an algo order that has not fired.

        Raises:
            CheckFailed: Not accepted; nothing changed.
        """
        state = self._state
        algo = find_named(ALGO, state, command.portfolio, command.algo_order_id, command.client_order_id)
        if algo.state == AlgoState.PROCESSING or not algo.is_open:
            raise CheckFailed(FINISHED, f"algo order {algo.id} is already {algo.state}")
        if algo.state == AlgoState.PENDING_CANCEL:
            raise CheckFailed(PENDING, f"algo order {algo.id} is in {algo.state}; wait for its end")
        algo_checks.apply_change(state, algo, command)
        parent = state.orders.get(algo.attached)
        if parent is not None:
            parent.tp, parent.sl = algo.tp, algo.sl
            state.publish_order(parent)
        state.algos.hit.pop(algo.id, None)
        state.publish_algo(algo)
        if algo.is_armed:
            protection.arm(state, algo)
        return _make_reply(algo)

    def cancel(self, command: CancelAlgo) -> AlgoReply:
        """Check a cancel and reply; for a fired algo order, its child order is cancelled.

        Raises:
            CheckFailed: Not accepted.
        """
        if command.order_id and not command.algo_order_id and not command.client_order_id:
            algo = _find_attached(self._state, command.portfolio, command.order_id)
        else:
            algo = find_named(ALGO, self._state, command.portfolio, command.algo_order_id, command.client_order_id)
        if not algo.is_open:
            raise CheckFailed(FINISHED, f"algo order {algo.id} is already {algo.state}")
        if not self._begin_cancel(algo):
            raise CheckFailed(PENDING, f"algo order {algo.id} is being cancelled already; wait for its end")
        return _make_reply(algo)

    def _begin_cancel(self, algo: AlgoOrder) -> bool:
        """Start the cancel of an algo order; return False when one is already pending."""
        if algo.state == AlgoState.PENDING_CANCEL:
            return False
        if algo.state == AlgoState.PROCESSING:
            return self._pending_changes.begin_cancel(self._state.orders[algo.child])
        self._set_pending(algo, AlgoState.PENDING_CANCEL)
        return True

    def cancel_all(self, command: CancelAllAlgos) -> tuple[AlgoReply, ...]:
        """Cancel every open algo order that matches the filters, except those with a pending cancel.

        Raises:
            CheckFailed: A filter is not accepted.
        """
        state = self._state
        if command.exchange_type and command.exchange_type not in VENUES:
            raise CheckFailed(
                401023,
                f"{Name.EXCHANGE_TYPE} {command.exchange_type[:40]!r} is not accepted; it takes {', '.join(VENUES)}",
            )
        if command.sym and command.sym not in state.offered:
            raise CheckFailed(401011, f"sym {command.sym[:64]!r} is not offered; see the symbol info")
        algo_checks.check_filters(command)
        cancelled = []
        for sym in sorted(state.algos.open_on):
            pair = state.pairs[sym]
            for algo in state.algos.on(command.portfolio, sym):
                wanted = (
                    command.sym in ("", sym)
                    and command.exchange_type in ("", pair.exchange)
                    and command.business_type in ("", pair.business_type)
                    and command.condition_type in ("", algo.condition)
                    and command.algo_order_type in ("", *AlgoType)
                )
                if wanted and self._begin_cancel(algo):
                    cancelled.append(AlgoReply(algo_order_id=algo.id, client_order_id=algo.client_id))
        return tuple(cancelled)

    # -- triggers --------------------------------------------------------------------------------------------------

    def fire(self) -> None:
        """Send the child orders of fired triggers; their trades can fire more triggers."""
        hit = self._state.algos.hit
        while hit:
            algo_id = next(iter(hit))
            names = hit.pop(algo_id)
            algo = self._state.algos.by_id[algo_id]
            if algo.is_armed and algo.sym not in self._state.halted:
                self._send_child(algo, next(trigger for name, trigger, _ in algo.triggers() if name in names))

    def _send_child(self, algo: AlgoOrder, trigger: Trigger) -> None:
        state, pair = self._state, self._state.pairs[algo.sym]
        if algo.is_protection and algo.reduce_only and not protection.closable_lots(state, algo):
            if protection.protects_nothing(state, algo):
                protection.end_algo(state, algo, AlgoState.EXPIRED, protection.GONE)
            return
        algo.state, algo.due = AlgoState.PROCESSING, 0
        state.publish_algo(algo)
        child = self._child_order(pair, algo, trigger)
        try:
            order_checks.check_child(state, pair, child)
        except CheckFailed as failure:
            protection.end_algo(state, algo, AlgoState.FAILED, failure.action_msg)
            return
        matching.start_order(state, child)

    def _child_order(self, pair: Pair, algo: AlgoOrder, trigger: Trigger) -> Order:
        state = self._state
        return Order(
            id="",
            client_id="",
            portfolio=algo.portfolio,
            sym=algo.sym,
            is_buy=algo.is_buy,
            is_market=not trigger.limit,
            tif=TimeInForce.GTC if trigger.limit else TimeInForce.IOC,
            lots=self._child_lots(pair, algo),
            ticks=trigger.limit,
            reduce_only=algo.reduce_only,
            leg=algo.leg,
            leverage=order_checks.leverage_of(state, pair, algo.portfolio),
            hold_coin="" if pair.is_perp else (pair.quote if algo.is_buy else pair.base),
            algo_id=algo.id,
        )

    def _child_lots(self, pair: Pair, algo: AlgoOrder) -> int:
        """Compute the lots of the child order, at most the position or the available coins."""
        state = self._state
        if pair.is_perp and algo.reduce_only:
            held = protection.closable_lots(state, algo)
            return min(algo.lots or held, held)
        if algo.attached and not algo.is_buy and not pair.borrows:
            free = max(state.available(algo.portfolio, pair.exchange, pair.base), ZERO)
            return min(algo.lots, int(free // pair.lot_base))
        return algo.lots


def _find_attached(state: State, portfolio: str, order_id: str) -> AlgoOrder:
    field_checks.check_id(Name.ORDER_ID, order_id)
    order = lookup.order_by_id(state, order_id)
    algo = lookup.algo_by_id(state, order.guard) if order is not None and order.portfolio == portfolio else None
    if algo is None:
        raise CheckFailed(401018, f"algo order not found: {Name.ORDER_ID} {order_id[:64]!r}")
    return algo


def _make_reply(algo: AlgoOrder) -> AlgoReply:
    return AlgoReply(algo_order_id=algo.id, client_order_id=algo.client_id)
