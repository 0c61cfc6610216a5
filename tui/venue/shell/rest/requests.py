"""Validation of request parameters with pydantic models built from the endpoint catalogue; one error per wrong field."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError, create_model
from pydantic_core import PydanticCustomError

from tui.interface.parameters import check_value
from tui.interface.request import Kind, Param, Request, params_of
from tui.venue.shell.keys import ErrorReply


def _refuse_value(param: Param, value: str, accepted: str) -> PydanticCustomError:
    shown = value[:40]
    return PydanticCustomError(
        "wrong",
        "{name} {shown} is not accepted; {accepted}",
        {"name": param.name, "shown": repr(shown), "accepted": accepted},
    )


def _field(param: Param) -> tuple[Any, None]:
    def check(value: str | None) -> str | None:
        reason = check_value(param, value) if value is not None else ""
        if value is None or not reason:
            return value.lower() if value is not None and param.kind is Kind.FLAG else value
        raise _refuse_value(param, value, reason)

    return (Annotated[str | None, AfterValidator(check)], None)


@cache
def _model(request: type[Request]) -> type[BaseModel]:
    fields: dict[str, Any] = {param.field: _field(param) for param in params_of(request)}
    return create_model(request.__name__, __config__=ConfigDict(extra="ignore", frozen=True), **fields)


def select_present(params: tuple[Param, ...], sent: Mapping[str, str]) -> dict[str, str]:
    """Return the non-blank parameters by field name; with several names of one field, the newest name is used."""
    values: dict[str, str] = {}
    for param in params:
        for name in (param.name, *param.aliases):
            if sent.get(name):
                values[param.field] = sent[name]
                break
    return values


def find_missing(params: tuple[Param, ...], given: Mapping[str, str]) -> ErrorReply | None:
    """Return the error of the first required parameter that is missing."""
    for param in params:
        if param.required and param.field not in given:
            return ErrorReply(400009, f"{param.name} is missing; it is required")
    return None


def check_params(request: type[Request], sent: Mapping[str, str]) -> dict[str, str] | ErrorReply:
    """Validate the parameters of a request; return them by field name, or the first error."""
    params = params_of(request)
    given = select_present(params, sent)
    refusal = find_missing(params, given)
    if refusal is not None:
        return refusal
    if not given:
        return {}
    try:
        model = _model(request).model_validate(given)
    except ValidationError as error:
        messages = {str(item["loc"][0]): item["msg"] for item in error.errors()}
        for param in params:
            if param.field in messages:
                return ErrorReply(param.error_code, messages[param.field])
        return ErrorReply(400000, "invalid parameter")
    return {name: value for name, value in vars(model).items() if value is not None}
