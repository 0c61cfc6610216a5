"""The plain-words rules: each offender of a rule is named at once."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.lint import graph
from tests.lint.words import ROOT

LONGEST_TEST_NAME = 60


def _test_names(path: Path) -> list[str]:
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [node.name for node in ast.walk(graph.tree(path)) if isinstance(node, functions)]


def test_names_of_tests_are_short() -> None:
    names = [name for path in (ROOT / "tests").rglob("test_*.py") for name in _test_names(path)]
    assert len(names) > 1000
    assert [name for name in names if name.startswith("test_") and len(name) > LONGEST_TEST_NAME] == []
