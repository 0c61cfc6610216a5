"""Accepted values of request parameters, checked by the client before sending and by the venue before executing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from tui.interface.decimals import BadDecimal, parse_request
from tui.interface.endpoint import Endpoint
from tui.interface.request import Kind, Param
from tui.interface.symbols import Exchange

ID_DIGITS = 16
"""Length of the service's ids of orders and portfolios."""


def check_value(param: Param, value: str) -> str:
    """Return what is accepted when a parameter's value is invalid; empty text when it is valid."""
    check = _CHECKS.get(param.kind)
    return "" if check is None else check(param, value)


def describe_accepted(param: Param) -> str:
    """Describe the values that a parameter accepts."""
    if param.kind is Kind.WORD:
        return " ".join(param.words)
    if param.kind is Kind.VENUE:
        return " ".join(Exchange)
    return _ACCEPTED.get(param.kind, "text")


def describe_meaning(param: Param) -> str:
    """Return a sentence on the meaning of a parameter; empty when its name is clear enough."""
    return _MEANINGS.get(param.name, "")


def convert_typed(param: Param, typed: str) -> str:
    """Convert a typed value to the value sent: a UTC day or time such as `2026-11-22T09:30` becomes ms, others stay."""
    if param.kind not in (Kind.MILLIS, Kind.MOMENT) or typed.isdigit():
        return typed
    try:
        moment = datetime.fromisoformat(typed)
    except ValueError:
        return typed
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return str(int(aware.timestamp() * 1000))


def _check_whole(_param: Param, value: str) -> str:
    is_valid = value.isascii() and value.isdigit() and len(value) <= 18
    return "" if is_valid else "it must be a whole number"


def _check_millis(_param: Param, value: str) -> str:
    is_valid = value.isascii() and value.isdigit() and len(value) == 13
    return "" if is_valid else "it must be a time in ms, 13 digits"


def _check_moment(_param: Param, value: str) -> str:
    is_valid = value.isascii() and value.isdigit() and len(value) in (10, 13)
    return "" if is_valid else "it must be a time in s, 10 digits, or in ms, 13 digits"


def _check_decimal(_param: Param, value: str) -> str:
    try:
        parse_request(value)
    except BadDecimal:
        return "it must be a plain decimal such as 0.010"
    return ""


def _check_word(param: Param, value: str) -> str:
    return "" if value in param.words else f"accepted are {', '.join(param.words)}"


def _check_flag(_param: Param, value: str) -> str:
    return "" if value.lower() in ("true", "false") else "accepted are true and false"


def _check_venue(_param: Param, value: str) -> str:
    return "" if value in Exchange.__members__ else f"accepted are {', '.join(Exchange)}"


def _check_id(_param: Param, value: str) -> str:
    is_valid = value.isascii() and value.isdigit() and len(value) == ID_DIGITS
    return "" if is_valid else f"it must have {ID_DIGITS} digits"


_CHECKS: Mapping[Kind, Callable[[Param, str], str]] = {
    Kind.WHOLE: _check_whole,
    Kind.MILLIS: _check_millis,
    Kind.MOMENT: _check_moment,
    Kind.DECIMAL: _check_decimal,
    Kind.WORD: _check_word,
    Kind.FLAG: _check_flag,
    Kind.VENUE: _check_venue,
    Kind.ID: _check_id,
}
_ACCEPTED: Mapping[Kind, str] = {
    Kind.WHOLE: "a whole number",
    Kind.MILLIS: "a time in ms, or a UTC day such as 2026-11-22",
    Kind.DECIMAL: "a decimal",
    Kind.MOMENT: "a time in s or ms, or a UTC day such as 2026-11-22",
    Kind.FLAG: "true or false",
    Kind.SYM: "a pair, such as BINANCE_PERP_BTC_USDT",
    Kind.ID: f"an id, {ID_DIGITS} digits",
}

_MEANINGS: Mapping[str, str] = {
    "algoOrderId": "Algo order id given by the service.",
    "begin": "Start of the time range; by default as far back as the list goes.",
    "businessType": "Only pairs of this type.",
    "clientOrderId": "Id that the sender chose: a-z and 0-9, 1 to 32 characters, used once.",
    "clientOrderIds": "Ids chosen by the sender, separated by commas; without both id lists, all orders.",
    "closeAllPos": "true: close every position that the other parameters select.",
    "coin": "Coin, in capitals.",
    "end": "End of the time range; by default now.",
    "endTime": "End of the time range; by default now.",
    "exchange": "Only this venue.",
    "exchangeType": "Venue; in a list, only this venue.",
    "filterExecuted": "true: only orders with a fill; false, the default: all final orders.",
    "leverage": "Whole number, at most the largest leverage of the tier.",
    "limit": "Rows, 1 to 1000; 1000 by default.",
    "limitPrice": "Price of a LIMIT order, a multiple of tickSize; a MARKET order has none.",
    "liquidationEventId": "Event id from the pushes of a liquidation.",
    "orderId": "Order id given by the service; wins over clientOrderId. One of the two is needed to name an order.",
    "orderIds": "Order ids given by the service, separated by commas; without both id lists, all orders.",
    "orderQty": "Size, a multiple of lotSize: base units, contracts on OKX perpetuals.",
    "orderType": "LIMIT needs limitPrice; MARKET trades at the prices of the book.",
    "page": "Number of the page, from 1.",
    "pageSize": "Rows of a page, 1 to 1000.",
    "positionMode": "NET: one position per pair; BOTH: a long and a short leg.",
    "positionSide": "Leg: LONG or SHORT in hedge mode; NONE, the default, in one-way mode.",
    "quoteOrderQty": "Amount that a SPOT or MARGIN market buy spends, in quote units, instead of orderQty.",
    "reduceOnly": "true: the order can only reduce a position; perpetuals in one-way mode.",
    "replacePrice": "New price; without it the price stays.",
    "replaceQty": "New total size, filled quantity included; without it the size stays.",
    "side": "BUY or SELL, also for an order that closes a position.",
    "slPrice": "Limit price of the stop-loss order; 0 or empty: market order.",
    "slTriggerPrice": "Price that triggers the stop-loss.",
    "slTriggerType": "Price source of slTriggerPrice.",
    "startTime": "Start of the time range; by default as far back as the list goes.",
    "statementType": "TRADE, FUNDING_FEE, DEDUCT_INTEREST, LIQUIDATION_FEE, LIQ_COMPENSATION or DIVIDEND.",
    "sym": "Pair, for example BINANCE_PERP_BTC_USDT.",
    "symList": "Pairs, separated by commas.",
    "timeInForce": "Time in force of a LIMIT order: GTC, IOC, FOK or GTX (post-only).",
    "tpPrice": "Limit price of the take-profit order; 0 or empty: market order.",
    "tpTriggerPrice": "Price that triggers the take-profit.",
    "tpTriggerType": "Price source of tpTriggerPrice.",
}
"""Meanings of the parameters of orders, positions, balances, market and history."""


def find_refusal(endpoint: Endpoint, values: Mapping[str, str]) -> tuple[str, str] | None:
    """Find the first unknown, missing or invalid parameter; return its name and the reason, or None when all are valid."""
    known = {name: param for param in endpoint.params for name in (param.name, *param.aliases)}
    for name in values:
        if name not in known:
            takes = ", ".join(param.name for param in endpoint.params) or "none"
            return name, f"is no parameter of {endpoint.name}; it has {takes}"
    for param in endpoint.params:
        given = next((values[name] for name in (param.name, *param.aliases) if values.get(name)), "")
        if not given and param.required:
            return param.name, f"is missing; it takes {describe_accepted(param)}"
        reason = check_value(param, given) if given else ""
        if reason:
            return param.name, f"{given[:40]!r} is not accepted; {reason}"
    return None
