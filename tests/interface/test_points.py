"""Every point of the interface says what is true of it, names the tests that hold it, and how it is broken on trial."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.interface.points import DOCUMENT, Break, Point, Sides, document, is_noticed, read, sampled
from tests.lint.rooms import TOP
from tui.interface import catalogue
from tui.venue.shell.rest.handlers import SERVED
from tui.workstation.features.explorer.endpoint_use import CALLED, keys_of

HERE = "tests/interface/test_points.py"
TRIALS = 395
"""Points with a change that breaks them."""
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
    if not point.tests:
        yield "no test"
    change = point.breaks
    if change is not None and (TOP / change.file).read_text("utf-8").count(change.old) != 1:
        yield f"what is changed does not stand once in {change.file}"
    for test in point.tests:
        path, _, name = test.partition("::")
        if not ((TOP / path).is_file() and name.startswith("test_") and name in _tests_in(path)):
            yield f"there is no {test}"


def test_each_interface_point_has_a_test_or_a_reason() -> None:
    faults = {f"{point.number} {point.point}": list(_faults(point)) for point in POINTS}
    assert {point: texts for point, texts in faults.items() if texts} == {}


def test_interface_point_of_an_endpoint_matches_the_code() -> None:
    """What can be called by the explorer of endpoints alone has neither a client nor a key."""
    for point in POINTS:
        if point.endpoint:
            name = point.endpoint
            true = {
                "row": name in catalogue.BY_NAME,
                "venue": name in SERVED,
                "client": name in CALLED,
                "keyboard": bool(keys_of(name)),
            }
            said = {side: mark == "Y" for side, mark in point.sides.items().items()}
            assert said == true, name


def test_interface_points_are_numbered_without_gaps() -> None:
    assert [point.number for point in POINTS] == list(range(1, 396))
    assert f"{len(POINTS)} points: " in DOCUMENT.read_text("utf-8")


def test_number_of_trials_that_break_the_interface_may_only_rise() -> None:
    assert sum(point.breaks is not None for point in POINTS) >= TRIALS


def test_a_sample_of_interface_points_depends_on_its_seed() -> None:
    assert sampled(POINTS, 5, 1) == sampled(POINTS, 5, 1) != sampled(POINTS, 5, 2)
    assert len(sampled(POINTS, 0, 1)) >= TRIALS


def test_a_mutation_trial_detects_a_break_and_restores_the_code(tmp_path: Path) -> None:
    """A change that a test reads is noticed, one that nobody reads is not."""
    (tmp_path / "value.py").write_text("VALUE = 1\nOTHER = 1\n")
    (tmp_path / "test_value.py").write_text("import value\n\ndef test_it():\n    assert value.VALUE == 1\n")
    good = next(point for point in POINTS if point.breaks is not None)
    for old, noticed in (("VALUE = 1", True), ("OTHER = 1", False)):
        change = Break(file="value.py", old=old, new=old.replace("1", "2"))
        tried = msgspec.structs.replace(good, breaks=change, tests=["test_value.py::test_it"])
        assert is_noticed(tried, tmp_path) is noticed
        assert (tmp_path / "value.py").read_text() == "VALUE = 1\nOTHER = 1\n"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"tests": ["tests/nowhere.py::test_a"]}, "there is no tests/nowhere.py::test_a"),
        ({"tests": [f"{HERE}::test_a"]}, f"there is no {HERE}::test_a"),
        ({"tests": [f"{HERE}::_faults"]}, f"there is no {HERE}::_faults"),
        ({"tests": []}, "no test of keyboard"),
        ({"tests": []}, "no test"),
        ({"breaks": Break("tui/host.py", "no such text", "")}, "what is changed does not stand once in tui/host.py"),
        (
            {"sides": Sides(row="Y", venue="Y", client="Y", keyboard="N")},
            "keyboard is 'N', not Y, - or N: with a reason",
        ),
        ({"sides": Sides(row="Y", venue="Y", client="P", keyboard="-")}, "client is 'P', not Y, - or N: with a reason"),
    ],
)
def test_errors_in_an_interface_point_are_found(changes: dict[str, Any], said: str) -> None:
    good = next(point for point in POINTS if not point.reasons)
    assert said in list(_faults(msgspec.structs.replace(good, **changes)))
    assert list(_faults(good)) == []


def test_interface_page_matches_the_points() -> None:
    assert DOCUMENT.read_text("utf-8") == document(), "make it anew: python -m tests.interface.points --write"
