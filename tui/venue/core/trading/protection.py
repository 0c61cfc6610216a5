"""Reactions of algo orders to prices, fills and ended orders; module `algos` sends their child orders."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from tui.interface.families.algo import AlgoState, Condition, TriggerType
from tui.interface.families.orders import OrderState
from tui.venue.core.market.symbols import Pair
from tui.venue.core.state.algo_orders import AlgoOrder
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.orders import Order

GONE = "The position is closed"
PARENT_ENDED = "Order ended without a fill"


def reference_price(state: State, pair: Pair, kind: str) -> Decimal:
    """Return the current price that a trigger is compared with, in quote units."""
    if kind == TriggerType.MARK_PRICE and pair.is_perp:
        return state.marks.mark[pair.sym]
    last = state.marks.last.get(pair.sym)
    return state.valuation(pair) if last is None else pair.price(last)


def on_last_price(state: State, pair: Pair, ticks: int) -> None:
    """Collect the triggers fired by a public trade."""
    for algo in state.algos.open_on.get(pair.sym, {}).values():
        if algo.is_armed:
            _record_hits(state, pair, algo, pair.price(ticks), last=True)


def on_marks(state: State) -> None:
    """Collect the triggers fired by new mark prices."""
    for sym, algos in state.algos.open_on.items():
        pair = state.pairs[sym]
        if pair.is_perp:
            for algo in algos.values():
                if algo.is_armed:
                    _record_hits(state, pair, algo, state.marks.mark[sym], last=False)


def _record_hits(state: State, pair: Pair, algo: AlgoOrder, price: Decimal, *, last: bool) -> None:
    for name, trigger, rises in algo.triggers():
        if last is (trigger.kind == TriggerType.LAST_PRICE or not pair.is_perp):
            level = pair.price(trigger.ticks)
            if price >= level if rises else price <= level:
                state.algos.hit.setdefault(algo.id, {})[name] = None


def attach(state: State, order: Order) -> None:
    """Create one algo order for the take-profit and stop of a placed order; it is inactive until the first fill."""
    sender = state.algos.by_id.get(order.algo_id)
    if sender is not None:
        sender.child = order.id
        state.changes.dirty("algo", sender.id)
    guard = state.algos.by_id.get(order.guard)
    if guard is not None:
        guard.attached = order.id
        state.publish_algo(guard)
        return
    if order.tp is None and order.sl is None:
        return
    pair = state.pairs[order.sym]
    algo = AlgoOrder(
        id=state.next_id("order"),
        client_id="",
        portfolio=order.portfolio,
        sym=order.sym,
        is_buy=not order.is_buy,
        condition=Condition.PARTIAL_CLOSE_POSITION,
        leg=order.leg,
        reduce_only=pair.is_perp,
        tp=order.tp,
        sl=order.sl,
        attached=order.id,
        created=state.now,
    )
    algo.client_id = algo.id
    order.guard = algo.id
    state.algos.add(algo)
    state.publish_algo(algo)


def on_fill(state: State, order: Order, lots: int, cost: Decimal) -> None:
    """Update the algo order that protects an order with a new fill, and the algo order that sent the order."""
    guard = state.algos.by_id.get(order.guard)
    if guard is not None and guard.is_open and guard.state != AlgoState.PROCESSING:
        guard.lots += lots
        if guard.state == AlgoState.PENDING_NEW:
            guard.state = AlgoState.NEW
        state.publish_algo(guard)
        arm(state, guard)
    sender = state.algos.by_id.get(order.algo_id)
    if sender is not None:
        sender.executed += lots
        sender.amount += cost
        if order.state == OrderState.FILLED:
            end_algo(state, sender, AlgoState.COMPLETED, "")
        else:
            state.publish_algo(sender)


def arm(state: State, algo: AlgoOrder) -> None:
    """Record which triggers of an algo order fire at the current prices; later ones come by `on_last_price`, `on_marks`."""
    pair = state.pairs[algo.sym]
    _record_hits(state, pair, algo, reference_price(state, pair, TriggerType.LAST_PRICE), last=True)
    if pair.is_perp:
        _record_hits(state, pair, algo, state.marks.mark[pair.sym], last=False)


def on_order_end(state: State, order: Order) -> None:
    """End, after an order ended other than by a fill, protection that protects nothing, and the algo order that sent it."""
    if order.successor:
        return
    guard = state.algos.by_id.get(order.guard)
    if guard is not None and guard.is_open and guard.is_dormant:
        end_algo(state, guard, AlgoState.CANCELLED, PARENT_ENDED)
    elif guard is not None and protects_nothing(state, guard):
        end_algo(state, guard, AlgoState.EXPIRED, GONE)
    sender = state.algos.by_id.get(order.algo_id)
    if sender is not None and sender.is_open:
        if order.executed:
            end_algo(state, sender, AlgoState.COMPLETED, "")
        else:
            end_algo(state, sender, AlgoState.FAILED, order.reason or f"Child order {order.id} ended {order.state}")


def closable_lots(state: State, algo: AlgoOrder) -> int:
    """Return the lots of the position that the child order would close."""
    held = state.position_lots(algo.portfolio, algo.sym, algo.leg)
    return abs(held) if held and (held > 0) != algo.is_buy else 0


def protects_nothing(state: State, algo: AlgoOrder) -> bool:
    """Report whether an active protection has no position left, and its parent order can open none any more."""
    if not (algo.is_armed and algo.is_protection and algo.reduce_only) or closable_lots(state, algo):
        return False
    parent = state.orders.get(algo.attached)
    return parent is None or parent.is_final


def expire_without_position(state: State, portfolio: str, sym: str) -> None:
    """Expire algo orders that protect a position which is now closed."""
    for algo in state.algos.on(portfolio, sym):
        if protects_nothing(state, algo):
            end_algo(state, algo, AlgoState.EXPIRED, GONE)


def end_algo(state: State, algo: AlgoOrder, final: AlgoState, reason: str) -> None:
    """End an algo order and push its final record."""
    algo.state, algo.reason, algo.due = final, reason, 0
    del state.algos.open_on[algo.sym][algo.id]
    state.algos.hit.pop(algo.id, None)
    state.publish_algo(algo)


def cancel_all(state: State, algos: Iterable[AlgoOrder], reason: str) -> None:
    """Cancel active algo orders at once because of account risk, except those whose child order is working."""
    for algo in list(algos):
        if algo.is_open and algo.state != AlgoState.PROCESSING:
            end_algo(state, algo, AlgoState.CANCELLED, reason)
