"""Validation of algo orders and their replaces, in the documented order; the first failed check gives the error code."""

from __future__ import annotations

from decimal import Decimal

from tui.interface.decimals import ZERO
from tui.interface.families.algo import (
    ALGO_TYPES,
    CONDITIONAL,
    STOP_LOSS,
    TAKE_PROFIT,
    AlgoName,
    AlgoTriggers,
    AlgoType,
    CancelAllAlgos,
    Condition,
    PlaceAlgo,
    ReplaceAlgo,
    TriggerName,
)
from tui.interface.families.orders import Name, Side
from tui.venue.core.accounts import account_settings
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.market.symbols import Pair
from tui.venue.core.state.algo_orders import AlgoOrder, Trigger
from tui.venue.core.state.exchange_state import State
from tui.venue.core.trading import field_checks, order_checks, protection, trigger_checks
from tui.venue.core.trading.trigger_checks import TriggerRequest

ALGO_VENUES = ("BINANCE", "OKX")
_NEEDS = {
    Condition.CONDITIONAL: (CONDITIONAL,),
    Condition.OCO: (TAKE_PROFIT, STOP_LOSS),
    Condition.PARTIAL_CLOSE_POSITION: (TAKE_PROFIT, STOP_LOSS),
    Condition.ENTIRE_CLOSE_POSITION: (TAKE_PROFIT, STOP_LOSS),
}
_POSITION = (Condition.ENTIRE_CLOSE_POSITION, Condition.PARTIAL_CLOSE_POSITION)


def check_placement(state: State, command: PlaceAlgo) -> AlgoOrder:
    """Check an algo order placement; return the algo order, not registered and without an id.

    Raises:
        CheckFailed: The first check that fails.
    """
    pair = _check_fields(state, command)
    condition = Condition(command.condition_type)
    requested = {
        name: request
        for name, request in _read_triggers(command).items()
        if name in _NEEDS[condition] and request.is_given
    }
    _check_complete(condition, requested)
    whole = condition == Condition.ENTIRE_CLOSE_POSITION
    quantity = ZERO if whole else field_checks.decimal_of(Name.ORDER_QTY, command.order_qty, 401005)
    if command.limit_price:
        field_checks.decimal_of(Name.LIMIT_PRICE, command.limit_price, 401006)
    if command.client_order_id:
        field_checks.check_client_id(command.client_order_id, strict=state.switches["client_ids"] == "strict")
    triggers = {name: trigger_checks.make_trigger(pair, request) for name, request in requested.items()}
    lots = 0 if whole else _lots(pair, quantity)
    leg = _check_account(state, pair, command)
    algo = AlgoOrder(
        id="",
        client_id=command.client_order_id,
        portfolio=command.portfolio,
        sym=pair.sym,
        is_buy=_closes_by_buying(state, pair, command, condition, leg),
        condition=condition,
        lots=lots,
        leg=leg,
        reduce_only=pair.is_perp and (condition in _POSITION or bool(command.reduce_only)),
        conditional=triggers.get(CONDITIONAL),
        tp=triggers.get(TAKE_PROFIT),
        sl=triggers.get(STOP_LOSS),
    )
    _set_direction(state, pair, algo)
    _check_triggers(state, pair, algo)
    return algo


def _check_account(state: State, pair: Pair, command: PlaceAlgo) -> str:
    """Check that the account accepts algo orders now; return the position leg."""
    account_settings.check_has_account(state, command.portfolio, pair.exchange)
    account_settings.check_not_liquidated(state, command.portfolio, pair.exchange)
    leg = order_checks.leg_of(state, pair, command.portfolio, command.position_side)
    order_checks.check_leg_given(state, pair, command.portfolio, leg)
    return leg


def _check_fields(state: State, command: PlaceAlgo) -> Pair:
    if not command.algo_order_type:
        raise CheckFailed(400009, f"{AlgoName.ALGO_ORDER_TYPE} is required")
    field_checks.check_word(AlgoName.ALGO_ORDER_TYPE, command.algo_order_type, tuple(AlgoType), 401290)
    if not command.sym:
        raise CheckFailed(400009, "sym is required")
    field_checks.check_word(AlgoName.CONDITION_TYPE, command.condition_type, tuple(Condition), 401291)
    if not command.order_qty and command.condition_type != Condition.ENTIRE_CLOSE_POSITION:
        raise CheckFailed(400009, f"{Name.ORDER_QTY} is required for {command.condition_type}")
    pair = order_checks.find_trading_pair(state, command.sym)
    field_checks.check_word(Name.EXCHANGE_TYPE, pair.exchange, ALGO_VENUES, 401023)
    if command.side:
        field_checks.check_word("side", command.side, tuple(Side), 401002)
    if pair.is_perp:
        field_checks.check_leg_word(command.position_side)
    return pair


def _read_triggers(command: AlgoTriggers) -> dict[TriggerName, TriggerRequest]:
    return {
        TAKE_PROFIT: TriggerRequest(TAKE_PROFIT, command.tp_trigger_price, command.tp_trigger_type, command.tp_price),
        STOP_LOSS: TriggerRequest(STOP_LOSS, command.sl_trigger_price, command.sl_trigger_type, command.sl_price),
        CONDITIONAL: TriggerRequest(
            CONDITIONAL,
            command.conditional_trigger_price,
            command.conditional_trigger_type,
            command.conditional_price,
        ),
    }


def _check_complete(condition: Condition, given: dict[TriggerName, TriggerRequest]) -> None:
    """Reject with 401292 when a required trigger is missing."""
    needed = _NEEDS[condition]
    names = [name.price for name in needed]
    if condition in _POSITION:
        if not given:
            raise CheckFailed(401292, f"{' or '.join(names)} is required for {condition}")
        return
    for name in needed:
        if name not in given:
            raise CheckFailed(401292, f"{name.price} is required for {condition}")


def _lots(pair: Pair, quantity: Decimal) -> int:
    lots = field_checks.lots_of(pair, quantity)
    field_checks.check_size(pair, lots, market=False)
    return lots


def _closes_by_buying(state: State, pair: Pair, command: PlaceAlgo, condition: Condition, leg: str) -> bool:
    """Report whether the child order buys: by the given side, or by the side that closes the position."""
    held = state.position_lots(command.portfolio, pair.sym, leg)
    if condition in _POSITION and not held:
        raise CheckFailed(401293, f"there is no position on {pair.sym} to protect")
    if not command.side:
        if not held:
            raise CheckFailed(400009, f"side is required for {condition} without a position on {pair.sym}")
        return held < 0
    buys = command.side == Side.BUY
    if condition in _POSITION and buys != (held < 0):
        raise CheckFailed(
            401903, f"side {command.side} would not reduce the position of {pair.qty_text(held)} on {pair.sym}"
        )
    return buys


def _set_direction(state: State, pair: Pair, algo: AlgoOrder) -> None:
    """Set whether a conditional trigger fires on a rise or a fall, by the current price."""
    trigger = algo.conditional
    if trigger is not None:
        algo.rises = pair.price(trigger.ticks) > protection.reference_price(state, pair, trigger.kind)


def _check_triggers(state: State, pair: Pair, algo: AlgoOrder) -> None:
    """Check that no trigger has been passed already by the current or expected entry price, or is too far from the mark."""
    parent = state.orders.get(algo.attached) if algo.is_dormant else None
    for name, trigger, rises in algo.triggers():
        now = protection.reference_price(state, pair, trigger.kind)
        if parent is not None:
            limit = pair.price(parent.ticks)
            now = trigger_checks.expect_entry_price(state, pair, trigger.kind, is_buy=parent.is_buy, limit=limit)
        trigger_checks.check_side(name, pair.price(trigger.ticks), now, rises=rises)
        trigger_checks.check_distance(state, pair, name, pair.price(trigger.ticks))


def apply_change(state: State, algo: AlgoOrder, command: ReplaceAlgo) -> None:
    """Change quantity and triggers of an algo order.

    Raises:
        CheckFailed: The first check that fails; nothing changed.
    """
    pair = state.pairs[algo.sym]
    requested = {
        name: request for name, request in _read_triggers(command).items() if name in _NEEDS[Condition(algo.condition)]
    }
    if not command.order_qty and not any(
        request.price or request.kind or request.limit for request in requested.values()
    ):
        raise CheckFailed(400009, f"{Name.ORDER_QTY} or a trigger of {algo.condition} is required")
    before = (algo.lots, algo.conditional, algo.tp, algo.sl, algo.rises)
    if command.order_qty:
        if algo.attached or algo.condition == Condition.ENTIRE_CLOSE_POSITION:
            raise CheckFailed(400000, f"{Name.ORDER_QTY} of this algo order follows the position; leave it empty")
        lots = _lots(pair, field_checks.decimal_of(Name.ORDER_QTY, command.order_qty, 401005))
    else:
        lots = algo.lots
    now = {TAKE_PROFIT: algo.tp, STOP_LOSS: algo.sl, CONDITIONAL: algo.conditional}
    changed = {name: _merge_trigger(pair, now[name], request) for name, request in requested.items()}
    algo.lots = lots
    algo.tp, algo.sl = changed.get(TAKE_PROFIT, algo.tp), changed.get(STOP_LOSS, algo.sl)
    algo.conditional = changed.get(CONDITIONAL, algo.conditional)
    try:
        _set_direction(state, pair, algo)
        _check_triggers(state, pair, algo)
    except CheckFailed:
        algo.lots, algo.conditional, algo.tp, algo.sl, algo.rises = before
        raise


def _merge_trigger(pair: Pair, before: Trigger | None, request: TriggerRequest) -> Trigger | None:
    """Merge the given fields of a trigger into the current trigger."""
    if not (request.price or request.kind or request.limit):
        return before
    if before is None:
        if not request.is_given:
            raise CheckFailed(401292, f"{request.name.price} is required: the order has no such trigger")
        return trigger_checks.make_trigger(pair, request)
    price, kind, limit = before.texts(pair)
    return trigger_checks.make_trigger(
        pair, TriggerRequest(request.name, request.price or price, request.kind or kind, request.limit or limit)
    )


def check_filters(command: CancelAllAlgos) -> None:
    """Check the filters of a cancel-all request.

    Raises:
        CheckFailed: 400000.
    """
    if command.algo_order_type:
        field_checks.check_word(AlgoName.ALGO_ORDER_TYPE, command.algo_order_type, ALGO_TYPES, 400000)
    if command.condition_type:
        field_checks.check_word(AlgoName.CONDITION_TYPE, command.condition_type, tuple(Condition), 400000)
        if not command.algo_order_type:
            raise CheckFailed(
                400000, f"{AlgoName.CONDITION_TYPE} is accepted only together with {AlgoName.ALGO_ORDER_TYPE}"
            )
    if command.business_type:
        field_checks.check_word(AlgoName.BUSINESS_TYPE, command.business_type, ("SPOT", "MARGIN", "PERP"), 400000)
