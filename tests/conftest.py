"""Which tests answer within two minutes whether a fresh clone is sound: `pytest -m smoke`."""

from __future__ import annotations

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
