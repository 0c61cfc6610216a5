"""Request models, one per endpoint; they define how a request is sent, validated, described and executed."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Annotated, ClassVar, TypeVar, get_args, get_type_hints

import msgspec

R = TypeVar("R", bound="Request")

CLIENT_ORDER_ID = "clientOrderId"
"""Parameter by which the service recognises a command."""
ORDER_ID = "orderId"
"""Parameter by which the service names an order."""


class Kind(StrEnum):
    """Kind of value that a parameter accepts."""

    TEXT = "text"
    WORD = "word"
    DECIMAL = "decimal"
    WHOLE = "whole number"
    MILLIS = "time in ms"
    MOMENT = "time in s or ms"
    FLAG = "true or false"
    SYM = "symbol"
    VENUE = "venue"
    ID = "id"


class Rule(msgspec.Struct, frozen=True):
    """Validation rule of a request field, written in its type annotation."""

    kind: Kind = Kind.TEXT
    words: tuple[str, ...] = ()
    """Accepted words, when the set is closed."""
    error_code: int = 400000
    """Code of the refusal when the value is not of this kind."""
    aliases: tuple[str, ...] = ()
    """Older names that are read as well."""


class Unsent(msgspec.Struct, frozen=True):
    """Annotation of a field that is not sent as a parameter."""


class Param(Rule, frozen=True, kw_only=True):
    """Parameter of a request: validation rule, name and field."""

    name: str
    field: str
    """Name of the field in the model, for example `client_order_id` for `clientOrderId`."""
    required: bool = False


class Request(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Parameters of a request, in the order of their checks; values are texts as received, empty when omitted."""

    own_last: ClassVar[bool] = False
    """Whether the parameters of a model come after those that it inherits."""


class CommandRequest(Request, frozen=True, kw_only=True, rename="camel"):
    """Request that changes something; its tag is the action name on REST and on the private stream."""

    checks_kinds: ClassVar[bool] = False
    """Whether the kinds of the values are checked before the exchange sees them, as in the money families."""
    wide_when_empty: ClassVar[bool] = False
    """Whether an empty request acts on everything; such a request is refused when it is only partly readable."""

    portfolio: Annotated[str, Unsent()] = ""
    """Portfolio of the key that sends the request."""


Symbol = Annotated[str, Rule(Kind.SYM)]
OfferedSymbol = Annotated[str, Rule(Kind.SYM, error_code=401011)]
ExchangeFilter = Annotated[str, Rule(Kind.VENUE, error_code=401023, aliases=("exchangeType",))]
"""Filter of a field `exchange`."""
ExchangeTypeFilter = Annotated[str, Rule(Kind.VENUE, error_code=401023, aliases=("exchange",))]
"""Filter of a field `exchange_type`."""
BusinessFilter = Annotated[str, Rule(Kind.WORD, ("SPOT", "MARGIN", "PERP"))]
Coin = Annotated[str, Rule(aliases=("asset",))]
Whole = Annotated[str, Rule(Kind.WHOLE)]
Flag = Annotated[str, Rule(Kind.FLAG)]
Amount = Annotated[str, Rule(Kind.DECIMAL)]
Quantity = Annotated[str, Rule(Kind.DECIMAL, error_code=401005)]
Price = Annotated[str, Rule(Kind.DECIMAL, error_code=401006)]
Id = Annotated[str, Rule(Kind.ID, error_code=401007)]
Leg = Annotated[str, Rule(Kind.WORD, ("NONE", "LONG", "SHORT"), 401905)]


class SymbolQuery(Request, frozen=True, kw_only=True, rename="camel"):
    """Query for one pair, or for all pairs."""

    sym: OfferedSymbol = ""


class PageRequest(Request, frozen=True, kw_only=True, rename="camel"):
    """Request for one page of a list."""

    page: Annotated[str, Rule(Kind.WHOLE, aliases=("pageNum",))] = ""
    page_size: Annotated[str, Rule(Kind.WHOLE, aliases=("limit",))] = ""


class WindowRequest(PageRequest, frozen=True, kw_only=True, rename="camel"):
    """Request for one page in a time range, with the parameter names of the trading endpoints."""

    begin: Annotated[str, Rule(Kind.MILLIS, aliases=("startTime",))] = ""
    end: Annotated[str, Rule(Kind.MILLIS, aliases=("endTime",))] = ""


class PeriodRequest(PageRequest, frozen=True, kw_only=True, rename="camel"):
    """Request for one page in a time range, with the parameter names of the money endpoints."""

    start_time: Annotated[str, Rule(Kind.MILLIS, aliases=("begin",))] = ""
    end_time: Annotated[str, Rule(Kind.MILLIS, aliases=("end",))] = ""


_ANY_TEXT = Rule()


@cache
def params_of(request: type[Request]) -> tuple[Param, ...]:
    """List the parameters of a request model."""
    hints = get_type_hints(request, include_extras=True)
    fields = {field.name: field for field in msgspec.structs.fields(request)}
    params = (_param(fields[name], get_args(hints[name])[1:]) for name in _order(request))
    return tuple(param for param in params if param is not None)


def _order(request: type[msgspec.Struct]) -> list[str]:
    """List a model's own fields before inherited ones, or after them when `own_last` is set."""
    base = request.__base__
    if base is None or not issubclass(base, Request):
        return []
    own = [name for name in request.__struct_fields__ if name not in base.__struct_fields__]
    return [*_order(base), *own] if vars(request).get("own_last") else [*own, *_order(base)]


def _param(field: msgspec.structs.FieldInfo, notes: tuple[object, ...]) -> Param | None:
    if any(isinstance(note, Unsent) for note in notes):
        return None
    rule = next((note for note in notes if isinstance(note, Rule)), _ANY_TEXT)
    return Param(
        name=field.encode_name, field=field.name, required=field.required,
        kind=rule.kind, words=rule.words, error_code=rule.error_code, aliases=rule.aliases,
    )  # fmt: skip


def action_of(request: type[Request]) -> str:
    """Return the action name of a command on the private stream; empty for a query."""
    return str(request.__struct_config__.tag or "")


def arguments_of(request: Request) -> dict[str, str]:
    """Return the arguments of a request by parameter name; values are texts, empty ones are left out."""
    values = ((param.name, getattr(request, param.field)) for param in params_of(type(request)))
    return {
        name: value if isinstance(value, str) else "true" if value else "false"
        for name, value in values
        if value not in ("", None)
    }


def read_arguments(request: type[R], arguments: Mapping[str, str]) -> R:
    """Build a request from received arguments."""
    return request(**{param.field: arguments.get(param.name, "") for param in params_of(request)})
