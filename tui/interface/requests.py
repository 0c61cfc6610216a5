"""How requests are spelled: the headers of a signed call and the arguments of order actions and queries.

Every value is a text, also booleans; what is not wanted is left out.
"""

from __future__ import annotations

from collections.abc import Mapping

from tui.interface.families.algo import AlgoType, TriggerName

ACTION_PLACE = "place_order"
ACTION_REPLACE = "replace_order"
ACTION_CANCEL = "cancel_order"
ACTION_CANCEL_ALL = "cancel_orders"
ACTION_LOGIN = "login"


def auth_headers(key: str, nonce: str, signature: str) -> dict[str, str]:
    """Headers of a signed REST call."""
    return {
        "X-MBX-APIKEY": key,
        "nonce": nonce,
        "signature": signature,
        **plain_headers(),
    }


def plain_headers() -> dict[str, str]:
    """Headers of every call."""
    return {"Content-Type": "application/json", "Accept-Encoding": "identity"}


def place_args(
    *,
    client_order_id: str,
    sym: str,
    side: str,
    order_type: str,
    qty: str,
    quote_qty: str = "",
    price: str = "",
    time_in_force: str = "",
    position_side: str = "NONE",
    reduce_only: bool = False,
    take_profit: tuple[str, str, str] | None = None,
    stop_loss: tuple[str, str, str] | None = None,
) -> dict[str, str]:
    """Arguments of a placement. A market order carries neither price nor time in force; a leg implies reduce-only.

    A spot or margin market buy may name what it spends, `quote_qty`, in place of a quantity.

    `take_profit` and `stop_loss` are trigger, what it is compared with, and limit price.
    """
    args = {
        "clientOrderId": client_order_id,
        "sym": sym,
        "side": side,
        "orderType": order_type,
        **({"quoteOrderQty": quote_qty} if quote_qty else {"orderQty": qty}),
    }
    if price and order_type != "MARKET":
        args["limitPrice"] = price
    if time_in_force and order_type != "MARKET":
        args["timeInForce"] = time_in_force
    if position_side in ("", "NONE"):
        args["reduceOnly"] = "true" if reduce_only else "false"
    else:
        args["positionSide"] = position_side
    for name, protection in (("tp", take_profit), ("sl", stop_loss)):
        if protection is not None:
            args[f"{name}TriggerPrice"], args[f"{name}TriggerType"], args[f"{name}Price"] = protection
    return args


def order_ref(order_id: str, client_order_id: str) -> dict[str, str]:
    """Names one order; the service's id wins when both are known."""
    if order_id:
        return {"orderId": order_id}
    return {"clientOrderId": client_order_id}


def replace_args(order_id: str, client_order_id: str, price: str, qty: str) -> dict[str, str]:
    """Arguments of a replace; `qty` is the new total."""
    return {**order_ref(order_id, client_order_id), "replacePrice": price, "replaceQty": qty}


def cancel_all_args(exchange: str, sym: str) -> dict[str, str]:
    """Arguments of a cancel-all; an empty filter widens it."""
    args: dict[str, str] = {}
    if exchange:
        args["exchangeType"] = exchange
    if sym:
        args["sym"] = sym
    return args


def leverage_args(sym: str, leverage: str) -> dict[str, str]:
    """Arguments that set the leverage of a perpetual."""
    return {"sym": sym, "leverage": leverage}


def margin_leverage_args(exchange: str, coin: str, leverage: str) -> dict[str, str]:
    """Arguments that set the leverage of the debt in a coin; without one they ask for it."""
    args = {"exchangeType": exchange, "coin": coin}
    return {**args, "leverage": leverage} if leverage else args


def position_mode_args(exchange: str, mode: str) -> dict[str, str]:
    """Arguments that set the position mode of a venue."""
    return {"exchangeType": exchange, "positionMode": mode}


def algo_place_args(
    *,
    client_order_id: str,
    sym: str,
    side: str,
    condition: str,
    qty: str,
    position_side: str,
    reduce_only: bool,
    triggers: Mapping[TriggerName, tuple[str, str, str]],
    limit_price: str = "",
    provider: str = "",
) -> dict[str, str]:
    """Arguments of a new TPSL order; empty ones are left out.

    Args:
        triggers: Trigger, what it is compared with, and limit price (0: at market).
        limit_price: Limit of the algo order itself; TPSL has none.
        provider: Name of the algo engine; TPSL needs none.
    """
    args = {
        "algoOrderType": AlgoType.TPSL.value,
        "clientOrderId": client_order_id,
        "sym": sym,
        "side": side,
        "conditionType": condition,
    }
    if qty:
        args["orderQty"] = qty
    if position_side in ("", "NONE"):
        args["reduceOnly"] = "true" if reduce_only else "false"
    else:
        args["positionSide"] = position_side
    args |= {name: text for name, text in (("limitPrice", limit_price), ("algoProvider", provider)) if text}
    return args | _trigger_args(triggers)


def algo_ref(algo_order_id: str, client_order_id: str) -> dict[str, str]:
    """Names one algo order; the service's id wins when both are known."""
    return {"algoOrderId": algo_order_id} if algo_order_id else {"clientOrderId": client_order_id}


def cancel_all_algos_args(
    exchange: str, sym: str, *, business: str = "", algo_type: str = "", condition: str = ""
) -> dict[str, str]:
    """Arguments of a cancel-all of algo orders: all filters must match, an empty one widens it.

    Args:
        business: SPOT, MARGIN or PERP.
        algo_type: Type of the algo order; a condition names TPSL by itself.
        condition: What the order waits for and closes.
    """
    values = {
        "businessType": business, "algoOrderType": algo_type or (AlgoType.TPSL.value if condition else ""),
        "conditionType": condition,
    }  # fmt: skip
    return cancel_all_args(exchange, sym) | {name: value for name, value in values.items() if value}


def algo_replace_args(
    algo_order_id: str, qty: str, triggers: Mapping[TriggerName, tuple[str, str, str]]
) -> dict[str, str]:
    """Arguments of a change of an algo order: what is left out stays."""
    args = {"algoOrderId": algo_order_id} | _trigger_args(triggers)
    return args | {"orderQty": qty} if qty else args


def _trigger_args(triggers: Mapping[TriggerName, tuple[str, str, str]]) -> dict[str, str]:
    return {name: text for names, texts in triggers.items() for name, text in zip(names, texts, strict=True)}


def executions_query(begin_ms: int | None, limit: int) -> dict[str, str]:
    """Recent executions since a server time (ms), at most `limit` (1 to 1000)."""
    query = {"limit": str(limit)}
    if begin_ms is not None:
        query["begin"] = str(begin_ms)
    return query


ORDER_ID_DIGITS = 16
"""Length of the service's order ids."""


def history_query(sym: str, begin_ms: int) -> dict[str, str]:
    """Order history of one pair since a server time (ms)."""
    return {"sym": sym, "begin": str(begin_ms)}


def loan_args(exchange: str, coin: str, amount: str) -> dict[str, str]:
    """Arguments of borrow and repay; the amount has two decimals at most."""
    return {"exchange": exchange, "coin": coin, "amount": amount}


def loan_order_args(client_order_id: str, since_ms: int) -> dict[str, str]:
    """Arguments that ask for one loan order by the id of its sender."""
    return {"clientOrderId": client_order_id, "startTime": str(since_ms)}


def interest_args(exchange: str) -> dict[str, str]:
    """Arguments that ask for the interest rates of a venue."""
    return {"exchangeType": exchange}


def fee_args(*, single: str = "", several: str = "") -> dict[str, str]:
    """Arguments that ask for fee schedules: of one portfolio and main, or exactly of a comma list."""
    args = {"portfolio": single, "portfolios": several}
    return {name: value for name, value in args.items() if value}


def settlement_args(begin_ms: int, end_ms: int) -> dict[str, str]:
    """Arguments that ask for settlements of markups."""
    return {"begin": str(begin_ms), "end": str(end_ms)}


def sub_fee_args(
    *, portfolio: str, exchange: str, kind: str, way: str, taker: str, maker: str, day: str, rebate_ratio: str
) -> dict[str, str]:
    """Arguments that set fees of sub portfolios; without a portfolio of all of them."""
    args = {
        "portfolioId": portfolio, "exchange": exchange, "instType": kind, "chgType": way, "chgTaker": taker,
        "chgMaker": maker, "effDate": day, "markupRebateRatio": rebate_ratio,
    }  # fmt: skip
    return {name: value for name, value in args.items() if value}
