"""OpenAPI 3.1 document of the REST interface, built from the endpoint catalogue."""

from __future__ import annotations

from typing import Any

from tui.interface import catalogue
from tui.interface.endpoint import Endpoint, Permission, Shape
from tui.interface.errors import SUCCESS, SUCCESS_SHORT
from tui.interface.json_schema import (
    REF,
    TEXT,
    Records,
    Schema,
    object_schema,
    parameter_schema,
    parameter_text,
    record_schemas,
)
from tui.interface.signing import NONCE_WINDOW_S
from tui.venue.shell.keys import AUTH_HEADERS
from tui.venue.shell.rest.handlers import SERVED

ABOUT = f"""\
The paper venue's REST interface with the default of every switch.
A signed call carries the headers {", ".join(AUTH_HEADERS)}. `nonce` is Unix seconds, 10 digits, at most \
{NONCE_WINDOW_S} s off.
The signature is the lower-case hex HMAC-SHA256, keyed with the secret, of the parameters as `name=value` in \
ascending order of their names, joined by `&`, values raw (not percent-encoded), followed by `&` and the nonce.
Parameters are in the query of a GET and in a JSON body of every other method, DELETE included. \
Answers carry a code in the envelope, whatever the HTTP status."""

_SECURITY = {"apiKey": "X-MBX-APIKEY", "nonce": "nonce", "signature": "signature"}
_SECURITY_TEXT = {
    "apiKey": "API key, `api_key` of the ready line.",
    "nonce": f"Unix seconds, 10 digits, at most {NONCE_WINDOW_S} s off the venue's clock.",
    "signature": "64 hex characters; see the description of the interface.",
}
_REFUSALS = {
    "404": "No such endpoint, or a removed one.",
    "405": "The endpoint has another method.",
    "429": "Too many requests; Retry-After says how many seconds to wait.",
    "500": "Unexpected failure: the outcome of a command is unknown.",
}


def describe_rest(host: str = "") -> dict[str, Any]:
    """Build the OpenAPI document of the venue.

    Args:
        host: Requested host and port; empty for any port of this machine.
    """
    records = record_schemas([row.record for row in catalogue.ROWS if row.record is not None])
    paths: dict[str, Any] = {}
    for row in catalogue.ROWS:
        paths.setdefault(row.path, {})[row.method.lower()] = _operation(row, records)
    anywhere = {"url": "http://127.0.0.1:{port}", "variables": {"port": {"default": "8080"}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Paper venue, REST", "version": "1", "description": ABOUT},
        "servers": [{"url": f"http://{host}"} if host else anywhere],
        "security": [{name: [] for name in _SECURITY}],
        "tags": [{"name": family} for family in dict.fromkeys(row.family for row in catalogue.ROWS)],
        "paths": paths,
        "components": {
            "securitySchemes": {
                name: {"type": "apiKey", "in": "header", "name": header, "description": _SECURITY_TEXT[name]}
                for name, header in _SECURITY.items()
            },
            "responses": {
                f"Http{status}": {"description": text, "content": _json({"$ref": REF + "Error"})}
                for status, text in _REFUSALS.items()
            },
            "schemas": {"Error": _ERROR, **records.schemas},
        },
    }


_ERROR: Schema = {
    "type": "object",
    "description": "Error: the code gives its kind, the message contains the field and its value.",
    "properties": {
        "code": {"type": "integer", "not": {"enum": [SUCCESS, SUCCESS_SHORT]}},
        "message": dict(TEXT),
        "data": {"type": "object"},
    },
    "required": ["code", "message", "data"],
}


def _operation(row: Endpoint, records: Records) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": row.name,
        "tags": [row.family],
        "summary": row.purpose,
        "description": _text(row),
        "x-permission": row.permission.value,
        "x-key-levels": [scope.value for scope in row.scopes],
        "x-rate-limit": {"count": row.limit.count, "seconds": row.limit.seconds},
        "responses": {
            "200": {"description": "Success, or an error with its code.", "content": _json(_answer(row, records))},
            **{status: {"$ref": f"#/components/responses/Http{status}"} for status in _REFUSALS},
        },
    }
    if row.removed:
        operation["deprecated"] = True
    if row.permission is Permission.NONE:
        operation["security"] = []
    if not row.params:
        return operation
    if row.method == "GET":
        operation["parameters"] = [
            {
                "name": param.name,
                "in": "query",
                "required": param.required,
                "description": parameter_text(param),
                "schema": parameter_schema(param),
            }
            for param in row.params
        ]
    else:
        required = any(param.required for param in row.params)
        operation["requestBody"] = {"required": required, "content": _json(object_schema(row.params))}
    return operation


def _text(row: Endpoint) -> str:
    """Return the description text of an endpoint: what OpenAPI has no field for."""
    sentences = [f"At most {row.limit} for each key."]
    if row.asynchronous:
        sentences.append("Success means accepted; the outcome comes by push or query.")
    if row.removed:
        sentences.append(f"Removed {row.removed}, served with serve_removed=true; use {row.replacement}.")
    elif row.name not in SERVED:
        sentences.append("Not served yet: 404.")
    return " ".join(sentences)


def _answer(row: Endpoint, records: Records) -> Schema:
    """Return the schema of a response: success envelope or error."""
    data = _data(row, records)
    if row.success is None:
        return {"anyOf": [data, {"$ref": REF + "Error"}]}
    code = SUCCESS_SHORT if row.family == "assets-v2" else SUCCESS
    success: Schema = {
        "type": "object",
        "properties": {"code": {"type": "integer", "const": code}, "message": dict(TEXT), "data": data},
        "required": ["code", "message", "data"],
    }
    return {"oneOf": [success, {"$ref": REF + "Error"}]}


def _data(row: Endpoint, records: Records) -> Schema:
    if row.record is None:
        return {"type": "object"}
    record = records.ref(row.record)
    rows: Schema = {"type": "array", "items": record}
    match row.shape:
        case Shape.ARRAY:
            return rows
        case Shape.MAP:
            return {"type": "object", "additionalProperties": record}
        case Shape.LISTS:
            return {"type": "object", "additionalProperties": rows}
        case Shape.PAGE:
            numbers = ("page", "pageSize", "pageNum", "totalSize")
            return {
                "type": "object",
                "description": "Page of a list; pageNum is the number of pages, and some lists leave it out.",
                "properties": {**{name: {"type": "integer"} for name in numbers}, "list": rows},
                "required": ["page", "pageSize", "totalSize", "list"],
            }
        case _:
            return record


def _json(schema: Schema) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}
