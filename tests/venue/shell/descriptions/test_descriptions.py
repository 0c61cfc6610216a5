"""OpenAPI and AsyncAPI: judged by validators, equal to the files in `docs/`, served without a key, and whole."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from openapi_spec_validator import OpenAPIV31SpecValidator

from tests.venue.shell.conftest import TOP, Venue
from tui.cli.commands.venue import command
from tui.interface import catalogue
from tui.interface.families.market import Channel
from tui.venue.shell.descriptions.documents import DESCRIPTIONS, write_description
from tui.venue.shell.rest.handlers import SERVED
from tui.venue.shell.streams.private import ALGO, CHANNELS, PRIVATE

NEEDED = ("orders", "positions", "account", "executions", "market", "assets")
"""Families that a bot needs which trades."""
SCHEMA = Path(TOP, "tests", "data", "asyncapi", "3.0.0.json")


@cache
def document(name: str) -> Any:
    return json.loads(write_description(name))


def rest_problems(described: Any) -> list[str]:
    return [error.message for error in OpenAPIV31SpecValidator(described).iter_errors()]


def stream_problems(described: Any) -> list[str]:
    schema = json.loads(SCHEMA.read_text())
    return [error.message for error in jsonschema.Draft7Validator(schema).iter_errors(described)]


def test_the_openapi_document_is_valid() -> None:
    assert rest_problems(document("openapi")) == []


def test_the_asyncapi_document_is_valid() -> None:
    assert stream_problems(document("asyncapi")) == []


def test_the_api_document_validators_find_errors() -> None:
    rest, streams = copy.deepcopy(document("openapi")), copy.deepcopy(document("asyncapi"))
    rest["paths"] = {path: rest["paths"][path] for path in ["/api/v1/trading/order"]}
    assert not rest_problems(rest)
    rest["paths"]["/api/v1/trading/order"]["get"]["operationId"] = 7
    streams["operations"]["private.place_order"]["action"] = "answer"
    assert rest_problems(rest)
    assert stream_problems(streams)


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_the_api_files_in_docs_match_the_describe_command(name: str) -> None:
    printed = CliRunner().invoke(command, ["--describe", name])
    assert printed.exit_code == 0
    assert printed.output == Path(TOP, "docs", f"{name}.json").read_text(), f"crossdesk venue --describe {name}"


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_api_documents_are_served_without_an_api_key(venue: Venue, name: str) -> None:
    status, headers, body = venue.raw("GET", f"/{name}.json")
    served, kept = json.loads(body), copy.deepcopy(document(name))
    assert (status, headers["Content-Type"].split(";")[0]) == (200, "application/json")
    assert venue.ready["rest_url"].removeprefix("http://") in json.dumps(served.pop("servers"))
    kept.pop("servers")
    assert served == kept


def test_api_documents_are_refused_to_other_origins(venue: Venue) -> None:
    assert venue.raw("GET", "/openapi.json", headers={"Origin": "https://elsewhere.example"})[0] == 403


def test_openapi_lists_every_endpoint_with_its_parameters() -> None:
    paths = document("openapi")["paths"]
    assert sum(len(methods) for methods in paths.values()) == len(catalogue.ROWS)
    for row in catalogue.ROWS:
        operation = paths[row.path][row.method.lower()]
        if row.method == "GET":
            given = {param["name"]: param["required"] for param in operation.get("parameters", [])}
        else:
            body = operation.get("requestBody", {"content": {"application/json": {"schema": {"properties": {}}}}})
            schema = body["content"]["application/json"]["schema"]
            given = {name: name in schema.get("required", []) for name in schema["properties"]}
        assert given == {param.name: param.required for param in row.params}, row.name
        assert bool(operation.get("deprecated")) == bool(row.removed), row.name


def test_openapi_says_which_endpoints_are_not_served() -> None:
    for row in catalogue.ROWS:
        text = document("openapi")["paths"][row.path][row.method.lower()]["description"]
        assert ("Not served yet" in text) == (row.name not in SERVED and not row.removed), row.name


def test_openapi_has_a_schema_for_every_record() -> None:
    schemas = document("openapi")["components"]["schemas"]
    for row in catalogue.ROWS:
        if row.record is not None:
            family = row.record.__module__.rpartition(".")[2].capitalize()
            assert {row.record.__name__, family + row.record.__name__} & schemas.keys(), row.name


def test_openapi_describes_the_trading_parameters() -> None:
    for row in catalogue.ROWS:
        if row.family not in NEEDED or not row.path.startswith(("/api/v1/trading/", "/api/v1/market/")):
            continue
        for param in row.params:
            assert description_of(row.name, param.name).rpartition("Refused with")[0].strip(), (row.name, param.name)


def description_of(endpoint: str, parameter: str) -> str:
    row = catalogue.BY_NAME[endpoint]
    operation = document("openapi")["paths"][row.path][row.method.lower()]
    if row.method == "GET":
        return next(str(param["description"]) for param in operation["parameters"] if param["name"] == parameter)
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    return str(schema["properties"][parameter]["description"])


def test_asyncapi_lists_every_channel_and_action() -> None:
    messages = {name: described["messages"].keys() for name, described in document("asyncapi")["channels"].items()}
    assert {name.lower() for name in messages["private"]} >= {
        channel.lower() for channel in CHANNELS.values() if channel != "ALGO_ORDER"
    }
    assert messages["private"] >= PRIVATE.limits.keys() | {"login", "login_reply"}
    assert messages["algo"] >= ALGO.limits.keys() | {"ALGO_ORDER", "SUB_ORDER", "SUB_TRADE"}
    assert messages["public"] >= {str(channel) for channel in Channel} | {"subscribe", "unsubscribe", "ping"}


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for item in value.values():
            yield from references(item)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_every_reference_in_the_api_documents_resolves(name: str) -> None:
    for reference in set(references(document(name))):
        target = document(name)
        for part in reference.removeprefix("#/").split("/"):
            target = target[part]
