"""Branches are counted by room, and a machine without the tool is told what to install."""

from __future__ import annotations

import importlib.util

import pytest

from tests.figures import coverage


def test_branch_coverage_is_summed_by_package() -> None:
    def one(taken: int, there: int) -> dict[str, dict[str, int]]:
        return {"summary": {"covered_branches": taken, "num_branches": there}}

    files = {
        "tui/engine/a.py": one(9, 10),
        "tui/engine/orders/b.py": one(30, 30),
        "tui/venue/core/c.py": one(1, 2),
        "tui/venue/shell/d.py": one(0, 8),
        "tui/host.py": one(0, 0),
    }
    assert coverage.shares(files) == {"engine": 97.5, "venue_core": 50, "venue_shell": 0, "whole": 80}


def test_coverage_without_the_tool_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert coverage.main(["tests/rules"]) == 2
    assert "pip install coverage" in capsys.readouterr().out
