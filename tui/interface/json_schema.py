"""JSON schemas of parameters and records: of the OpenAPI and AsyncAPI documents, and of the tools of agents."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

import msgspec

from tui.interface import parameters
from tui.interface.request import Kind, Param
from tui.interface.symbols import Exchange

Schema = dict[str, Any]

REF = "#/components/schemas/"
TEXT: Schema = {"type": "string"}

_PATTERNS: Mapping[Kind, tuple[str, str]] = {
    Kind.DECIMAL: (r"^[0-9]{1,30}(\.[0-9]{1,30})?$", "0.010"),
    Kind.WHOLE: ("^[0-9]{1,18}$", "1"),
    Kind.MILLIS: ("^[0-9]{13}$", "1795532400000"),
    Kind.MOMENT: ("^([0-9]{10}|[0-9]{13})$", "1795532400"),
    Kind.SYM: ("^[A-Z0-9]+_(SPOT|MARGIN|PERP)_[A-Z0-9]+_[A-Z0-9]+$", "BINANCE_PERP_BTC_USDT"),
    Kind.ID: (f"^[0-9]{{{parameters.ID_DIGITS}}}$", "2106591138643265"),
}


class Records(NamedTuple):
    """Schemas of records by name, and the schema name of each record type."""

    schemas: dict[str, Schema]
    names: dict[type, str]

    def ref(self, record: type) -> Schema:
        """Return a reference to the schema of a record, which must be among them."""
        return {"$ref": REF + self.names[record]}


def parameter_schema(param: Param) -> Schema:
    """Build the schema of a parameter's value; all values are strings, also numbers and booleans."""
    if param.kind is Kind.WORD:
        return {**TEXT, "enum": list(param.words)}
    if param.kind is Kind.VENUE:
        return {**TEXT, "enum": [str(exchange) for exchange in Exchange]}
    if param.kind is Kind.FLAG:
        return {**TEXT, "enum": ["true", "false"]}
    pattern = _PATTERNS.get(param.kind)
    return dict(TEXT) if pattern is None else {**TEXT, "pattern": pattern[0], "examples": [pattern[1]]}


def parameter_text(param: Param) -> str:
    """Describe a parameter: meaning, older names, and the error code for a wrong value."""
    older = f"Other accepted names: {', '.join(param.aliases)}." if param.aliases else ""
    refusal = f"Refused with {param.error_code} if not accepted."
    return " ".join(text for text in (parameters.describe_meaning(param), older, refusal) if text)


def object_schema(params: Iterable[Param]) -> Schema:
    """Build the schema of all parameters of a call as one object."""
    params = tuple(params)
    schema: Schema = {
        "type": "object",
        "properties": {
            param.name: {**parameter_schema(param), "description": parameter_text(param)} for param in params
        },
    }
    required = [param.name for param in params if param.required]
    return {**schema, "required": required} if required else schema


def struct_schema(kind: type[msgspec.Struct]) -> Schema:
    """Build the schema of one class as an object; none of its fields may hold another class."""
    records = record_schemas([kind])
    return records.schemas[records.names[kind]]


def record_schemas(records: Collection[type], *, older_tuples: bool = False) -> Records:
    """Build the schemas of the given record types and of the records nested in them.

    Args:
        records: Classes of the interface.
        older_tuples: Whether arrays of a fixed length are written as in JSON schema draft 7.
    """
    ordered = sorted(set(records), key=lambda record: (record.__name__, record.__module__))
    refs, schemas = msgspec.json.schema_components(ordered, ref_template=REF + "{name}")
    for record in ordered:
        _describe_fields(record, schemas)
    names = {record: _short(ref["$ref"].removeprefix(REF)) for record, ref in zip(ordered, refs, strict=True)}
    schemas = {_short(name): _tidy(schema, older_tuples=older_tuples) for name, schema in sorted(schemas.items())}
    return Records(schemas, names)


def _short(name: str) -> str:
    """Shorten a schema name: `AccountRecord`, or `PositionsAccountRecord` when two families use the same record name."""
    if "." not in name:
        return name
    module, _, last = name.rpartition(".")
    return module.rpartition(".")[2].capitalize() + last


def _describe_fields(record: type, schemas: Mapping[str, Schema]) -> None:
    """Add the docstring below each record field in the source as its schema description."""
    schema = schemas.get(record.__name__) or schemas.get(f"{record.__module__}.{record.__name__}")
    if schema is None or not issubclass(record, msgspec.Struct) or "properties" not in schema:
        return
    notes: dict[str, str] = {}
    for base in reversed(record.__mro__):
        notes |= _field_notes(base.__module__).get(base.__name__, {}) if issubclass(base, msgspec.Struct) else {}
    for name, wire_name in zip(record.__struct_fields__, record.__struct_encode_fields__, strict=True):
        if name in notes:
            schema["properties"][wire_name]["description"] = notes[name]


@cache
def _field_notes(module: str) -> dict[str, dict[str, str]]:
    """Return the docstrings below the fields of a module, by class and field; empty when its source is not available."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, TypeError):
        return {}
    notes: dict[str, dict[str, str]] = {}
    for node in tree.body:
        if not isinstance(node, ast.ClassDef):
            continue
        for field, after in zip(node.body, node.body[1:], strict=False):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(after, ast.Expr)
                and isinstance(after.value, ast.Constant)
            ):
                notes.setdefault(node.name, {})[field.target.id] = str(after.value.value)
    return notes


def _tidy(value: Any, *, older_tuples: bool) -> Any:
    """Return a schema with short names, one-line descriptions, and decimals as numbers, as they are sent."""
    if isinstance(value, list):
        return [_tidy(item, older_tuples=older_tuples) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("format") == "decimal":
        return {"type": "number"}
    tidy = {name: _tidy(item, older_tuples=older_tuples) for name, item in value.items()}
    if isinstance(tidy.get("$ref"), str):
        tidy["$ref"] = REF + _short(tidy["$ref"].removeprefix(REF))
    if isinstance(tidy.get("description"), str):
        tidy["description"] = " ".join(tidy["description"].split())
    if older_tuples and "prefixItems" in tidy:
        tidy["items"] = tidy.pop("prefixItems")
    return tidy
