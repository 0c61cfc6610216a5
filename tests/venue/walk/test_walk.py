"""Every served row of the catalogue, asked for as a client would that has nothing but the documents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.venue.walk.calls import EFFECTS, VALID
from tests.venue.walk.shape import asked, fields, success
from tests.venue.walk.world import World, open_world
from tui.interface import catalogue
from tui.interface.endpoint import Endpoint, Permission, Scope
from tui.interface.request import Kind, Param
from tui.venue.shell.rest.handlers import SERVED

pytestmark = pytest.mark.edition("documents")

DOCUMENTS: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "documents.json").read_text("utf-8"))
ROWS = sorted((row for row in catalogue.ROWS if row.name in SERVED and not row.removed), key=lambda row: row.is_command)
"""Those that read first: what they show is then the same in every run."""
SIGNED = [row for row in ROWS if row.permission is not Permission.NONE]
KEY_OF = {Scope.MAIN: "main", Scope.SUB: "sub", Scope.USER: "subuser"}
READ_ONLY = "readonly"
WRONG = {
    Kind.WORD: "WORDLESS", Kind.DECIMAL: "1e5", Kind.WHOLE: "1.5", Kind.MILLIS: "12", Kind.FLAG: "maybe",
    Kind.VENUE: "KRAKEN", Kind.ID: "12",
}  # fmt: skip
"""A value that no parameter of a kind takes."""


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with open_world() as world:
        yield world


def _names(rows: list[Endpoint]) -> list[str]:
    return [row.name for row in rows]


def _call(world: World, row: Endpoint, params: dict[str, str], key: str = "main") -> dict[str, Any]:
    _, answer = world.venue.call(row.method, row.path, params, key=key)
    return answer


def _valid(world: World, row: Endpoint) -> dict[str, str]:
    return VALID[row.name](world) if row.name in VALID else {}


def _key(row: Endpoint) -> str:
    """A key of a level that may call a row."""
    return KEY_OF[row.scopes[0]]


@pytest.mark.parametrize("row", ROWS, ids=_names(ROWS))
def test_a_valid_rest_call_replies_and_acts_as_documented(world: World, row: Endpoint) -> None:
    params = _valid(world, row)
    answer = _call(world, row, params, _key(row))
    assert answer["code"] == success(row), answer
    assert (set(answer), answer["message"].lower()) == ({"code", "message", "data"}, "success")
    told = fields(answer["data"], row.shape)
    assert told == DOCUMENTS[row.name]["answer"]
    assert asked(row) == {"params": DOCUMENTS[row.name]["params"], "required": DOCUMENTS[row.name]["required"]}
    if row.is_command:
        EFFECTS[row.name](world, params, answer["data"])


def test_every_served_endpoint_is_documented_and_tested() -> None:
    assert sorted(DOCUMENTS) == sorted(_names(ROWS))
    assert sorted(EFFECTS) == sorted(row.name for row in ROWS if row.is_command)


def test_an_unsigned_rest_call_is_rejected(world: World) -> None:
    why = "API verification failed: the header X-MBX-APIKEY is missing"
    for row in SIGNED:
        _, _, text = world.venue.raw(row.method, row.path)
        assert json.loads(text) == {"code": 2000, "message": why, "data": {}}, row.name


def test_a_read_only_key_cannot_call_commands(world: World) -> None:
    for row in SIGNED:
        if row.permission is not Permission.READ:
            answer = _call(world, row, {}, READ_ONLY)
            assert (answer["code"], answer["data"]) == (2002, {}), row.name
            assert row.permission.value in answer["message"], row.name


def test_a_key_of_the_wrong_account_level_is_rejected(world: World) -> None:
    for row in SIGNED:
        for scope in Scope:
            if scope not in row.scopes:
                answer = _call(world, row, {}, KEY_OF[scope])
                v2_with_sub_key = row.family == "assets-v2" and scope is Scope.SUB
                code = 2003 if v2_with_sub_key else 100003
                assert (answer["code"], answer["data"]) == (code, {}), (row.name, scope)


REQUIRED = [(row, param) for row in SIGNED for param in row.params if param.required]


@pytest.mark.parametrize(("row", "param"), REQUIRED, ids=[f"{row.name}-{param.name}" for row, param in REQUIRED])
def test_a_missing_parameter_is_rejected_by_name(world: World, row: Endpoint, param: Param) -> None:
    params = _valid(world, row)
    params.pop(param.name)
    answer = _call(world, row, params, _key(row))
    assert (answer["code"], answer["data"]) == (400009, {})
    assert param.name in answer["message"]


JUDGED = [(row, param) for row in SIGNED for param in row.params if param.kind in WRONG]


@pytest.mark.parametrize(("row", "param"), JUDGED, ids=[f"{row.name}-{param.name}" for row, param in JUDGED])
def test_a_malformed_parameter_is_rejected_by_name_or_value(world: World, row: Endpoint, param: Param) -> None:
    params = {**_valid(world, row), param.name: WRONG[param.kind]}
    answer = _call(world, row, params, _key(row))
    if param.name in DOCUMENTS[row.name].get("ignored", {}):
        # It says nothing beside the others: not looked at, like a parameter that the row has not.
        assert answer["code"] == success(row)
        return
    assert (answer["code"], answer["data"]) == (param.error_code, {})
    assert param.name in answer["message"] or WRONG[param.kind] in answer["message"]
