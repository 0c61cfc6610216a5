"""Replace, cancel and cancel-all: replied to at once, effective after a delay, so that a fill can come in between."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

import msgspec

from tui.interface.envelope import ActionReply
from tui.interface.families.orders import (
    Action,
    AmendType,
    CancelAllOrders,
    CancelOrder,
    CancelType,
    Name,
    OrderState,
    Origin,
    ReplaceOrder,
    TimeInForce,
)
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.commands import Command, Done, Reply
from tui.venue.core.market.symbols import VENUES
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.orders import Amend, Order
from tui.venue.core.trading import field_checks, matching, order_checks
from tui.venue.core.trading.named_order import ORDER, find_named

DELAY_MS = 2
"""Time between the reply to a replace or cancel and its effect, ms."""

FINISHED = 401117
UNCHANGED = 401914
PENDING = 401915


class PendingChanges:
    """Pending replaces and cancels of orders, sorted by the time they take effect."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._queue: list[tuple[int, int, str]] = []
        self._count = 0

    def next_due(self) -> int | None:
        """Return when the next pending change takes effect, ms."""
        while self._queue and not self._is_live(self._queue[0]):
            heapq.heappop(self._queue)
        return self._queue[0][0] if self._queue else None

    def run_due(self) -> None:
        """Apply the pending change that is due now."""
        entry = heapq.heappop(self._queue)
        if not self._is_live(entry):
            return
        order = self._state.orders[entry[2]]
        if order.cancelling:
            self._apply_cancel(order)
        else:
            self._apply_amend(order)

    def schedule(self, order: Order) -> None:
        """Schedule the pending change of an order."""
        self._count += 1
        heapq.heappush(self._queue, (order.due, self._count, order.id))

    def _is_live(self, entry: tuple[int, int, str]) -> bool:
        order = self._state.orders[entry[2]]
        return (order.cancelling or order.amend is not None) and order.due == entry[0]

    def handlers(self) -> dict[type[Command], Callable[[Any], Reply]]:
        """Map each command class to its handler."""
        return {ReplaceOrder: self.replace, CancelOrder: self.cancel, CancelAllOrders: self.cancel_all}

    # -- replace ---------------------------------------------------------------------------------------------------

    def replace(self, command: ReplaceOrder) -> ActionReply:
        """Check a replace request and reply.

        Raises:
            CheckFailed: Not accepted; for refused values the order was pushed with AMEND_FAILED.
        """
        state = self._state
        if not command.replace_qty and not command.replace_price:
            raise CheckFailed(400009, f"{Name.REPLACE_QTY} or {Name.REPLACE_PRICE} is required")
        order = find_named(ORDER, state, command.portfolio, command.order_id, command.client_order_id)
        if order.is_final:
            raise CheckFailed(FINISHED, f"order {order.id} is already {order.state}")
        if order.amend is not None or order.cancelling:
            raise CheckFailed(PENDING, f"order {order.id} is in {order.action}; wait for its end")
        order_checks.check_trades(state, order.sym)
        try:
            amend = self._read_amend(order, command)
            self._check(order, amend)
        except CheckFailed as failure:
            order.action, order.action_msg = Action.AMEND_FAILED, failure.action_msg
            state.publish_order(order)
            raise
        order.amend = amend
        if self._is_cancel_and_new(order, amend):
            return self._replace_at_once(order)
        self._set_pending(order, Action.AMEND_PENDING)
        return _make_reply(order)

    def _is_cancel_and_new(self, order: Order, amend: Amend) -> bool:
        """Report whether a replace becomes cancel plus new order; not when the new total is already filled."""
        scope = self._state.switches["replace_as_new"]
        spot = not self._state.pairs[order.sym].is_perp
        return (scope == "all" or (scope == "spot" and spot)) and self._total_lots(order, amend) > order.executed

    def _replace_at_once(self, order: Order) -> ActionReply:
        """Apply the replace within the call, because the reply contains the new order."""
        order.action, order.action_msg = Action.AMEND_PENDING, ""
        self._state.publish_order(order)
        self._apply_amend(order)
        if not order.successor:
            return _make_reply(order)
        new = self._state.orders[order.successor]
        return ActionReply(
            order_id=new.id,
            client_order_id=new.client_id,
            order_state=new.state,
            action=Action.AMEND_PENDING,
        )

    def _read_amend(self, order: Order, command: ReplaceOrder) -> Amend:
        pair = self._state.pairs[order.sym]
        lots = ticks = None
        qty = field_checks.decimal_of(Name.REPLACE_QTY, command.replace_qty, 401005) if command.replace_qty else None
        price = (
            field_checks.decimal_of(Name.REPLACE_PRICE, command.replace_price, 401006)
            if command.replace_price
            else None
        )
        if price is not None:
            ticks = field_checks.ticks_of(pair, price)
        if qty is not None:
            lots = field_checks.lots_of(pair, qty)
            field_checks.check_size(pair, lots, market=False)
        return Amend(lots, ticks)

    def _total_lots(self, order: Order, amend: Amend) -> int:
        """Compute the order's total lots after the replace, as of now."""
        if amend.lots is None:
            return order.lots
        remaining = self._state.switches["replace_qty"] == "remaining"
        return amend.lots + order.executed if remaining else amend.lots

    def _check(self, order: Order, amend: Amend) -> None:
        """Run the placement checks 10, 11, 13 and 18 on the new values, and check that something changes."""
        state, pair = self._state, self._state.pairs[order.sym]
        total, ticks = self._total_lots(order, amend), order.ticks if amend.ticks is None else amend.ticks
        if total == order.lots and ticks == order.ticks:
            raise CheckFailed(
                UNCHANGED, f"{Name.REPLACE_QTY} and {Name.REPLACE_PRICE} are those of the order; nothing to change"
            )
        after = msgspec.structs.replace(order, lots=total, ticks=ticks)
        if total <= order.executed:
            if state.switches["amend_below_filled"] == "refuse":
                raise CheckFailed(UNCHANGED, _below_filled_text(state, order, total))
            return
        order_checks.check_notional(state, pair, after)
        order_checks.check_band(state, pair, after)
        order_checks.check_risk(state, pair, after)
        self._check_money(order, after)

    def _check_money(self, order: Order, after: Order) -> None:
        """Run check 18 (funds) on the changed order, without counting what the order holds and needs until now."""
        state = self._state
        hold, lots = order.hold, order.lots
        state.set_hold(order, hold - hold)
        order.lots = order.executed
        try:
            order_checks.check_money(state, after)
        finally:
            order.lots = lots
            state.set_hold(order, hold)

    def _set_pending(self, order: Order, action: Action) -> None:
        order.action, order.action_msg = action, ""
        order.due = self._state.now + DELAY_MS
        self.schedule(order)
        self._state.publish_order(order)

    def _apply_amend(self, order: Order) -> None:
        amend, order.amend = order.amend, None
        assert amend is not None
        state = self._state
        if order.is_final:
            self._fail_amend(order, f"{FINISHED} order {order.id} is already {order.state}")
            return
        total, ticks = self._total_lots(order, amend), order.ticks if amend.ticks is None else amend.ticks
        if total <= order.executed:
            self._amend_below_filled(order, total)
            return
        try:
            self._check_money(order, msgspec.structs.replace(order, lots=total, ticks=ticks))
        except CheckFailed as failure:
            self._fail_amend(order, failure.action_msg)
            return
        if order.tif == TimeInForce.GTX and state.books[order.sym].crosses(ticks, is_buy=order.is_buy):
            self._fail_amend(order, "post-only amend would cross", ends=state.switches["gtx_amend_cross"] == "cancel")
            return
        if self._is_cancel_and_new(order, amend):
            self._replace_order(order, total, ticks)
        else:
            self._amend_in_place(order, total, ticks)

    def _replace_order(self, order: Order, total: int, ticks: int) -> None:
        """End the order and start a new one with the same client order id and the rest of the new quantity."""
        state = self._state
        new = Order(
            id=state.next_id("order"),
            client_id=order.client_id,
            portfolio=order.portfolio,
            sym=order.sym,
            is_buy=order.is_buy,
            is_market=False,
            tif=order.tif,
            lots=total - order.executed,
            ticks=ticks,
            reduce_only=order.reduce_only,
            leg=order.leg,
            leverage=order.leverage,
            hold_coin=order.hold_coin,
            origin=Origin.REPLACE,
            algo_id=order.algo_id,
            tp=order.tp,
            sl=order.sl,
            guard=order.guard,
        )
        order.successor = new.id
        order.action, order.action_msg, order.amend_type = Action.AMEND_COMPLETED, "", AmendType.USER
        matching.end_order(state, order, OrderState.CANCELLED, CancelType.USER, "")
        matching.start_order(state, new)

    def _amend_in_place(self, order: Order, total: int, ticks: int) -> None:
        """Amend the order in place; if it loses its queue position, match it like a new order."""
        state = self._state
        resting = state.resting[order.id]
        cut_keeps = state.switches["amend_priority"] == "cut_keeps"
        keeps_position = cut_keeps and ticks == order.ticks and total < order.lots
        if keeps_position:
            state.books[order.sym].reduce(resting, order.lots - total)
        else:
            state.books[order.sym].remove(resting)
            del state.resting[order.id]
        state.changes.moved[order.sym] = None
        state.changes.stale[(order.portfolio, state.pairs[order.sym].exchange)] = None
        order.lots, order.ticks = total, ticks
        state.set_hold(order, matching.hold_of(state, order))
        order.action, order.action_msg, order.amend_type = Action.AMEND_COMPLETED, "", AmendType.USER
        state.publish_order(order)
        if not keeps_position:
            matching.match_order(state, order)

    def _amend_below_filled(self, order: Order, total: int) -> None:
        if self._state.switches["amend_below_filled"] == "refuse":
            self._fail_amend(order, f"{UNCHANGED} {_below_filled_text(self._state, order, total)}")
            return
        order.action, order.action_msg, order.amend_type = Action.AMEND_COMPLETED, "", AmendType.USER
        matching.end_order(self._state, order, OrderState.CANCELLED, CancelType.USER, "")

    def _fail_amend(self, order: Order, text: str, *, ends: bool = False) -> None:
        order.amend = None
        order.action, order.action_msg = Action.AMEND_FAILED, text
        if ends:
            matching.end_order(self._state, order, OrderState.CANCELLED, CancelType.SYSTEM, text)
        else:
            self._state.publish_order(order)

    # -- cancel ----------------------------------------------------------------------------------------------------

    def cancel(self, command: CancelOrder) -> ActionReply:
        """Check a cancel request and reply at once; the cancel itself takes effect a little later.

        Raises:
            CheckFailed: Not accepted.
        """
        order = find_named(ORDER, self._state, command.portfolio, command.order_id, command.client_order_id)
        if order.is_final:
            if self._state.switches["cancel_finished"] == "silent":
                return ActionReply(order_id=order.id, client_order_id=order.client_id, order_state=order.state)
            raise CheckFailed(FINISHED, f"order {order.id} is already {order.state}")
        if order.cancelling:
            raise CheckFailed(PENDING, f"order {order.id} is in {order.action}; wait for its end")
        self._start_cancel(order)
        return _make_reply(order)

    def begin_cancel(self, order: Order) -> bool:
        """Cancel a child order for its algo order; return False when a cancel is already pending."""
        if order.is_final or order.cancelling:
            return False
        self._start_cancel(order)
        return True

    def cancel_all(self, command: CancelAllOrders) -> Done:
        """Cancel every open order that matches the filters, except those with a pending cancel.

        Raises:
            CheckFailed: A filter names no venue, pair or order; nothing is cancelled.
        """
        state = self._state
        if command.exchange_type and command.exchange_type not in VENUES:
            raise CheckFailed(
                401023,
                f"{Name.EXCHANGE_TYPE} {command.exchange_type[:40]!r} is not accepted; it takes {', '.join(VENUES)}",
            )
        if command.sym and command.sym not in state.offered:
            raise CheckFailed(401011, f"sym {command.sym[:64]!r} is not offered; see the symbol info")
        named = self._find_listed(command)
        whole_user = (
            not command.alone
            and named is None
            and state.switches["cancel_all_scope"] == "user"
            and state.portfolios[command.portfolio].is_main
        )
        for portfolio in list(state.portfolios) if whole_user else [command.portfolio]:
            for order in list(state.open.get(portfolio, {}).values()):
                venue = state.pairs[order.sym].exchange
                wanted = command.exchange_type in ("", venue) and command.sym in ("", order.sym)
                if wanted and not order.cancelling and (named is None or order.id in named):
                    self._start_cancel(order)
        return Done()

    def _find_listed(self, command: CancelAllOrders) -> frozenset[str] | None:
        """Find the ids of the orders listed in a cancel-all request; None when it lists none.

        Raises:
            CheckFailed: A listed order does not exist in this portfolio.
        """
        ids, client_ids = _split(command.order_ids), _split(command.client_order_ids)
        if not ids and not client_ids:
            return None
        pairs = [(order_id, "") for order_id in ids] + [("", client_id) for client_id in client_ids]
        return frozenset(find_named(ORDER, self._state, command.portfolio, *pair).id for pair in pairs)

    def _start_cancel(self, order: Order) -> None:
        if order.amend is not None:
            self._fail_amend(order, f"{PENDING} a cancel came before the amend took effect")
        order.cancelling = True
        self._set_pending(order, Action.CANCEL_PENDING)

    def end_now(self, order: Order, cancel_type: CancelType, reason: str) -> None:
        """End an order at once on behalf of the venue; a pending replace or cancel fails first."""
        if order.amend is not None:
            self._fail_amend(order, f"{FINISHED} {reason}")
        if order.cancelling:
            order.cancelling = False
            order.action, order.action_msg = Action.CANCEL_FAILED, f"{FINISHED} {reason}"
        matching.end_order(self._state, order, OrderState.CANCELLED, cancel_type, reason)

    def _apply_cancel(self, order: Order) -> None:
        if self._fill_comes_first(order):
            matching.fill_by_house(self._state, self._state.pairs[order.sym], self._state.resting[order.id], order.left)
        order.cancelling = False
        if order.is_final:
            order.action, order.action_msg = (
                Action.CANCEL_FAILED,
                f"{FINISHED} order {order.id} is already {order.state}",
            )
            self._state.publish_order(order)
            return
        order.action, order.action_msg = Action.CANCEL_COMPLETED, ""
        matching.end_order(self._state, order, OrderState.CANCELLED, CancelType.USER, "")

    def _fill_comes_first(self, order: Order) -> bool:
        """Report whether the switch `cancel_race` fills the order before its cancel; `mixed` fills every other order."""
        race = self._state.switches["cancel_race"]
        wanted = race == "fill_first" or (race == "mixed" and int(order.id) % 2 == 0)
        return wanted and not order.is_final and order.sym not in self._state.halted


def _split(listed: str) -> list[str]:
    return [part.strip() for part in listed.split(",") if part.strip()]


def _below_filled_text(state: State, order: Order, total: int) -> str:
    pair = state.pairs[order.sym]
    return f"{Name.REPLACE_QTY} {pair.qty_text(total)} is not above the executed {pair.qty_text(order.executed)}"


def _make_reply(order: Order) -> ActionReply:
    return ActionReply(
        order_id=order.id,
        client_order_id=order.client_id,
        order_state=order.state,
        action=order.action,
        action_msg=order.action_msg,
    )
