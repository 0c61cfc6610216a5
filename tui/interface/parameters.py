"""What a value of a request parameter may be. Whoever asks judges by it before sending, whoever answers before obeying."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from tui.interface.decimals import BadDecimal, parse_request
from tui.interface.endpoint import Endpoint, Kind, Param
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
