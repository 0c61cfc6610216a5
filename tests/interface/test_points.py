"""Every point of the interface that once was not whole says what is true of it now, and names the tests that hold it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
import pytest

from tests.interface.points import DOCUMENT, Point, Sides, document, read
from tests.lint.rooms import TOP
from tui.interface import catalogue
from tui.venue.shell.rest.handlers import SERVED
from tui.workstation.explorer.endpoint_use import BY_EXPLORER, CALLED, keys_of

HERE = "tests/interface/test_points.py"
POINTS = [point for group in read() for point in group.points]
PROOF = {
    "row": ("tests/",),
    "venue": ("tests/venue/", "tests/terminal/"),
    "client": ("tests/client/", "tests/engine/", "tests/simulation/", "tests/interface/", "tests/terminal/"),
    "keyboard": ("tests/workstation/", "tests/terminal/"),
}
"""Side -> where a test of it lies. In `tests/terminal` the real program runs on the real paper venue."""


@cache
def _tests_in(path: str) -> frozenset[str]:
    tree = ast.parse((TOP / path).read_text("utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def _faults(point: Point) -> Iterator[str]:
    """What is wrong with what a point says of itself."""
    for side, mark in point.sides.items().items():
        if mark not in ("Y", "-") and not (mark.startswith("N: ") and point.reasons[side]):
            yield f"{side} is {mark!r}, not Y, - or N: with a reason"
        if mark == "Y" and not any(test.startswith(PROOF[side]) for test in point.tests):
            yield f"no test of {side}"
    for test in point.tests:
        path, _, name = test.partition("::")
        if not ((TOP / path).is_file() and name.startswith("test_") and name in _tests_in(path)):
            yield f"there is no {test}"


@pytest.mark.parametrize("point", POINTS, ids=lambda point: point.point)
def test_a_point_has_a_proof_or_a_reason_on_each_side(point: Point) -> None:
    assert list(_faults(point)) == []


def test_an_endpoint_is_what_the_code_says_of_it() -> None:
    """A row that only the explorer of endpoints calls is called by the engine when a trader asks for it there."""
    for point in POINTS:
        if point.endpoint:
            name = point.endpoint
            offered = {*CALLED, *BY_EXPLORER}
            true = {
                "row": name in catalogue.BY_NAME,
                "venue": name in SERVED,
                "client": name in offered,
                "keyboard": bool(keys_of(name)) or name in BY_EXPLORER,
            }
            said = {side: mark == "Y" for side, mark in point.sides.items().items()}
            assert said == true, name


def test_no_point_is_lost() -> None:
    assert len({point.point for point in POINTS}) == len(POINTS) == 204


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"tests": ["tests/nowhere.py::test_a"]}, "there is no tests/nowhere.py::test_a"),
        ({"tests": [f"{HERE}::test_a"]}, f"there is no {HERE}::test_a"),
        ({"tests": [f"{HERE}::_faults"]}, f"there is no {HERE}::_faults"),
        ({"tests": []}, "no test of keyboard"),
        (
            {"sides": Sides(row="Y", venue="Y", client="Y", keyboard="N")},
            "keyboard is 'N', not Y, - or N: with a reason",
        ),
        ({"sides": Sides(row="Y", venue="Y", client="P", keyboard="-")}, "client is 'P', not Y, - or N: with a reason"),
    ],
)
def test_faults_of_a_point_are_found(changes: dict[str, Any], said: str) -> None:
    good = next(point for point in POINTS if not point.reasons)
    assert said in list(_faults(msgspec.structs.replace(good, **changes)))
    assert list(_faults(good)) == []


def test_the_page_is_made_of_the_points() -> None:
    assert DOCUMENT.read_text("utf-8") == document(), "make it anew: python -m tests.interface.points --write"
