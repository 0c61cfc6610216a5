"""Which tests answer within two minutes whether a fresh clone is sound, and what each folder of tests proves."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile(
    "any_machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any_machine")
"""A property is about values: how long an example takes on a busy machine is no part of it."""

TESTS = Path(__file__).parent
SMOKE = (
    "rules",
    "interface",
    "client",
    "engine",
    "simulation/test_scenarios",
    "simulation/test_checker",
    "venue/core/test_orders",
    "venue/core/test_reduce_only",
    "terminal/test_process.py::test_five_panes",
    "terminal/test_process.py::test_quit_by_key",
)
"""Beginnings of the ids, below `tests/`."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        place = f"{item.path.relative_to(TESTS)}::{item.name}"
        large = any(item.get_closest_marker(name) for name in ("real", "nightly"))
        if place.startswith(SMOKE) and not large:
            item.add_marker(pytest.mark.smoke)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Per folder, how many tests passed and failed, and what that proves: the first line of the folder's docstring."""
    counts: dict[str, Counter[str]] = {}
    for outcome in ("passed", "failed", "error", "skipped"):
        for report in terminalreporter.stats.get(outcome, []):
            folder = report.nodeid.partition("::")[0].removeprefix("tests/").rpartition("/")[0]
            counts.setdefault(folder, Counter())[outcome] += 1
    if len(counts) < 2:
        return
    terminalreporter.section("what was proved")
    for folder in sorted(counts):
        found = counts[folder]
        bad = "".join(f", {found[word]} {word}" for word in ("failed", "error", "skipped") if found[word])
        terminalreporter.line(f"{folder:<15} {found['passed']:>5} passed{bad}  {_docstring(TESTS / folder)}")


def _docstring(folder: Path) -> str:
    """What the tests of a folder prove."""
    package = folder / "__init__.py"
    return ast.get_docstring(ast.parse(package.read_text())) or "" if package.exists() else ""
