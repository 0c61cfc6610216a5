"""Builders of order and algo order requests; unset fields are omitted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tui.engine.intents import CancelAllAlgos, Place, PlaceAlgo, Protection, ReplaceAlgo
from tui.engine.state.algo_table import triggers_of
from tui.interface.families import algo, orders
from tui.interface.families.algo import STOP_LOSS, TAKE_PROFIT, AlgoType, TriggerName
from tui.interface.families.orders import OrderType, PositionSide
from tui.interface.request import arguments_of


def place_order(intent: Place, client_order_id: str) -> dict[str, str]:
    """Build the arguments of a new order; a market order has neither price nor time in force.

    A spot or margin market buy may name the amount to spend instead of a quantity.
    """
    limited = intent.order_type is not OrderType.MARKET
    request = orders.PlaceOrder(
        client_order_id=client_order_id,
        sym=intent.sym,
        side=intent.side.value,
        order_type=intent.order_type.value,
        order_qty="" if intent.quote_qty else intent.qty,
        quote_order_qty=intent.quote_qty,
        limit_price=intent.price if limited else "",
        time_in_force=intent.time_in_force.value if limited else "",
        **_leg_fields(intent.position_side, reduce_only=intent.reduce_only),
    )
    named = ((TAKE_PROFIT, intent.take_profit), (STOP_LOSS, intent.stop_loss))
    return arguments_of(request) | _trigger_arguments({name: trigger for name, trigger in named if trigger is not None})


def refer_to(order_id: str, client_order_id: str) -> dict[str, str]:
    """Build the id field of an order; the service's id is preferred over the client order id."""
    return {"order_id": order_id} if order_id else {"client_order_id": client_order_id}


def find_order(order_id: str, client_order_id: str = "") -> dict[str, str]:
    """Build the arguments of an order query."""
    return arguments_of(orders.OrderQuery(**refer_to(order_id, client_order_id)))


def cancel_order(order_id: str, client_order_id: str) -> dict[str, str]:
    """Build the arguments of a cancel."""
    return arguments_of(orders.CancelOrder(**refer_to(order_id, client_order_id)))


def name_algo(algo_order_id: str, client_order_id: str = "") -> dict[str, str]:
    """Build the id field of an algo order; the service's id is preferred over the client order id."""
    known = {"algo_order_id": algo_order_id} if algo_order_id else {"client_order_id": client_order_id}
    return arguments_of(algo.AlgoQuery(**known))


def place_algo(intent: PlaceAlgo, client_order_id: str) -> dict[str, str]:
    """Build the arguments of a new TPSL algo order."""
    request = algo.PlaceAlgo(
        algo_order_type=AlgoType.TPSL.value,
        client_order_id=client_order_id,
        sym=intent.sym,
        side=intent.side.value,
        condition_type=intent.condition.value,
        order_qty=intent.qty,
        **_leg_fields(intent.position_side, reduce_only=intent.reduce_only),
    )
    return arguments_of(request) | _trigger_arguments(triggers_of(intent))


def replace_algo(intent: ReplaceAlgo, algo_order_id: str) -> dict[str, str]:
    """Build the arguments of an algo order change; omitted fields keep their values."""
    request = algo.ReplaceAlgo(algo_order_id=algo_order_id, order_qty=intent.qty)
    return arguments_of(request) | _trigger_arguments(triggers_of(intent))


def cancel_all_algos(intent: CancelAllAlgos) -> algo.CancelAllAlgos:
    """Build the request of a cancel-all of algo orders; a filter by condition implies the type TPSL."""
    return algo.CancelAllAlgos(
        exchange_type=intent.exchange,
        sym=intent.sym,
        business_type=intent.business,
        algo_order_type=intent.algo_type or (AlgoType.TPSL.value if intent.condition else ""),
        condition_type=intent.condition,
    )


def _leg_fields(side: PositionSide, *, reduce_only: bool) -> dict[str, Any]:
    """Return the leg field in hedge mode, or the reduce-only field in one-way mode."""
    return {"reduce_only": reduce_only} if side is PositionSide.NONE else {"position_side": side.value}


def _trigger_arguments(triggers: Mapping[TriggerName, Protection]) -> dict[str, str]:
    return {
        name: text
        for names, trigger in triggers.items()
        for name, text in zip(names, (trigger.trigger, trigger.source, trigger.price or "0"), strict=True)
    }
