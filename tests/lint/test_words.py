"""The plain-words rules: each offender of a rule is named at once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.lint.words import ROOT, list_offenders

LONGEST_TEST_NAME = 60


FUNCTION = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)", re.MULTILINE)
"""Every function of a file: `def` is a keyword, and stands first in its line. To parse the files takes four seconds."""


def test_test_names_are_short() -> None:
    names = [name for path in (ROOT / "tests").rglob("test_*.py") for name in FUNCTION.findall(path.read_text("utf-8"))]
    assert len(names) > 1000
    assert [name for name in names if name.startswith("test_") and len(name) > LONGEST_TEST_NAME] == []


def test_docstrings_and_function_names_follow_the_style_rules() -> None:
    assert list(list_offenders(ROOT / "tui")) == []


@pytest.mark.parametrize(
    ("source", "offence"),
    [
        ('def place():\n    """The order."""', "not with a verb"),
        ('class Order:\n    """What is known of an order."""', "not with a noun"),
        ("def _told(): ...", "not a verb"),
        ("def refusal_words(): ...", "not a verb"),
        ("def place(one): ...", "does not say what it is"),
        ("found = 1", "does not say what it is"),
    ],
)
def test_each_style_rule_finds_its_violation(tmp_path: Path, source: str, offence: str) -> None:
    path = tmp_path / "sample.py"
    path.write_text(source)
    [offender] = list_offenders(path)
    assert offence in offender


def test_plain_source_has_no_style_violation(tmp_path: Path) -> None:
    path = tmp_path / "sample.py"
    path.write_text('"""Orders."""\n\n\ndef place(order):\n    """Place an order."""\n\n\ndef is_filled(): ...')
    assert list(list_offenders(path)) == []
