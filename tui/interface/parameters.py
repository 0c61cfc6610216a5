"""What a value of a request parameter may be. Whoever asks judges by it before sending, whoever answers before obeying."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from tui.interface.decimals import BadDecimal, parse_request
from tui.interface.endpoint import Endpoint
from tui.interface.request import Kind, Param
from tui.interface.symbols import Exchange

ID_DIGITS = 16
"""Length of the service's ids of orders and portfolios."""


def problem(param: Param, value: str) -> str:
    """Why a value is not accepted, as what is accepted; empty where it is."""
    check = _CHECKS.get(param.kind)
    return "" if check is None else check(param, value)


def accepted(param: Param) -> str:
    """What a parameter takes, in words."""
    if param.kind is Kind.WORD:
        return " ".join(param.words)
    if param.kind is Kind.VENUE:
        return " ".join(Exchange)
    return _WORDS.get(param.kind, "text")


def meaning(param: Param) -> str:
    """What a parameter is for, in a sentence; empty where its name says it. A name means the same in every row."""
    return _MEANINGS.get(param.name, "")


def spelled(param: Param, typed: str) -> str:
    """A value as it is sent: of a time also a UTC day or moment, `2026-11-22` or `2026-11-22T09:30`, is taken."""
    if param.kind not in (Kind.MILLIS, Kind.MOMENT) or typed.isdigit():
        return typed
    try:
        moment = datetime.fromisoformat(typed)
    except ValueError:
        return typed
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return str(int(aware.timestamp() * 1000))


def _whole(_param: Param, value: str) -> str:
    fits = value.isascii() and value.isdigit() and len(value) <= 18
    return "" if fits else "it is a whole number"


def _millis(_param: Param, value: str) -> str:
    fits = value.isascii() and value.isdigit() and len(value) == 13
    return "" if fits else "it is a time in ms, 13 digits"


def _moment(_param: Param, value: str) -> str:
    fits = value.isascii() and value.isdigit() and len(value) in (10, 13)
    return "" if fits else "it is a time in s, 10 digits, or in ms, 13 digits"


def _decimal(_param: Param, value: str) -> str:
    try:
        parse_request(value)
    except BadDecimal:
        return "it is a plain decimal such as 0.010"
    return ""


def _word(param: Param, value: str) -> str:
    return "" if value in param.words else f"accepted are {', '.join(param.words)}"


def _flag(_param: Param, value: str) -> str:
    return "" if value.lower() in ("true", "false") else "accepted are true and false"


def _venue(_param: Param, value: str) -> str:
    return "" if value in Exchange.__members__ else f"accepted are {', '.join(Exchange)}"


def _id(_param: Param, value: str) -> str:
    fits = value.isascii() and value.isdigit() and len(value) == ID_DIGITS
    return "" if fits else f"it has {ID_DIGITS} digits"


_CHECKS: Mapping[Kind, Callable[[Param, str], str]] = {
    Kind.WHOLE: _whole,
    Kind.MILLIS: _millis,
    Kind.MOMENT: _moment,
    Kind.DECIMAL: _decimal,
    Kind.WORD: _word,
    Kind.FLAG: _flag,
    Kind.VENUE: _venue,
    Kind.ID: _id,
}
_WORDS: Mapping[Kind, str] = {
    Kind.WHOLE: "a whole number",
    Kind.MILLIS: "a time in ms, or a UTC day such as 2026-11-22",
    Kind.DECIMAL: "a decimal",
    Kind.MOMENT: "a time in s or ms, or a UTC day such as 2026-11-22",
    Kind.FLAG: "true or false",
    Kind.SYM: "a pair, such as BINANCE_PERP_BTC_USDT",
    Kind.ID: f"an id, {ID_DIGITS} digits",
}

_MEANINGS: Mapping[str, str] = {
    "algoOrderId": "Id of the service for an algo order.",
    "begin": "First moment of what is listed; without one, as far back as the list reaches.",
    "businessType": "Only this kind of pair.",
    "clientOrderId": "Id that the sender chose: a-z and 0-9, 1 to 32 characters, used once.",
    "clientOrderIds": "Ids of the sender, separated by commas; with none of both lists every order is meant.",
    "closeAllPos": "true closes every position that the other parameters leave.",
    "coin": "Coin, in capitals.",
    "end": "Last moment of what is listed; without one, now.",
    "endTime": "Last moment of what is listed; without one, now.",
    "exchange": "Only this venue.",
    "exchangeType": "The venue, or only this one where it filters.",
    "filterExecuted": "true lists only orders that traded; false, the default, all that have ended.",
    "leverage": "Whole number, up to that of the tier.",
    "limit": "Rows, 1 to 1000; 1000 without.",
    "limitPrice": "Price of a LIMIT order, a multiple of tickSize; a MARKET order has none.",
    "liquidationEventId": "Id that the pushes of a liquidation carry.",
    "orderId": "Id of the service, wins over clientOrderId; one of the two is needed where an order is named.",
    "orderIds": "Ids of the service, separated by commas; with none of both lists every order is meant.",
    "orderQty": "Size, a multiple of lotSize: base units, contracts on OKX perpetuals.",
    "orderType": "LIMIT needs limitPrice; MARKET takes what the book has.",
    "page": "Page, from 1.",
    "pageSize": "Rows of a page, 1 to 1000.",
    "positionMode": "NET, one position a pair, or BOTH, a long and a short leg.",
    "positionSide": "The leg in hedge mode, LONG or SHORT; NONE, the default, in one-way mode.",
    "quoteOrderQty": "What a SPOT or MARGIN market buy spends, in quote units, in place of orderQty.",
    "reduceOnly": "true: only makes a position smaller; one-way mode of perpetuals.",
    "replacePrice": "New price; without one the price stays.",
    "replaceQty": "New total, what has filled included; without one the size stays.",
    "side": "BUY or SELL; also what closes a position is one of the two.",
    "slPrice": "Limit price of the stop-loss; 0 or none: at market.",
    "slTriggerPrice": "Price at which the stop-loss is sent.",
    "slTriggerType": "Which price the stop-loss watches; with slTriggerPrice.",
    "startTime": "First moment of what is listed; without one, as far back as the list reaches.",
    "statementType": "TRADE, FUNDING_FEE, DEDUCT_INTEREST, LIQUIDATION_FEE, LIQ_COMPENSATION or DIVIDEND.",
    "sym": "The pair, for example BINANCE_PERP_BTC_USDT.",
    "symList": "Pairs, separated by commas.",
    "timeInForce": "Of a LIMIT order: GTC, IOC, FOK, or GTX, which is post-only.",
    "tpPrice": "Limit price of the take-profit; 0 or none: at market.",
    "tpTriggerPrice": "Price at which the take-profit is sent.",
    "tpTriggerType": "Which price the take-profit watches; with tpTriggerPrice.",
}
"""Of the parameters that orders, positions, balances, market and history take."""


def first_problem(endpoint: Endpoint, values: Mapping[str, str]) -> tuple[str, str] | None:
    """The first parameter that is missing or not accepted, with the reason; a name that the row has not, too."""
    known = {name: param for param in endpoint.params for name in (param.name, *param.aliases)}
    for name in values:
        if name not in known:
            takes = ", ".join(param.name for param in endpoint.params) or "none"
            return name, f"{endpoint.name} has no parameter of that name; it has {takes}"
    for param in endpoint.params:
        given = next((values[name] for name in (param.name, *param.aliases) if values.get(name)), "")
        if not given and param.required:
            return param.name, f"is missing; it takes {accepted(param)}"
        reason = problem(param, given) if given else ""
        if reason:
            return param.name, f"{given[:40]!r} is not accepted; {reason}"
    return None
