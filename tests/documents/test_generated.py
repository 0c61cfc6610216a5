"""Parts of the documents that are made from the program are what it says now, and the doors are short."""

from __future__ import annotations

import pytest

from tests.lint import commands, keys, settings
from tests.lint.block import Block
from tests.lint.rooms import TOP
from tui.workstation.input.actions import ACTIONS, GROUPS


def test_the_page_of_keys_lists_every_action() -> None:
    assert keys.ALL.text() == keys.all_keys(), "python -m tests.lint.keys --write"
    assert {action.group for action in ACTIONS} == set(GROUPS)


def test_the_readme_lists_the_twenty_keys_used_most() -> None:
    assert keys.MOST_USED.text() == keys.most_used(), "python -m tests.lint.keys --write"
    assert len(set(keys.MOST_USED_ACTIONS)) == 20


def test_the_settings_page_lists_every_setting_with_a_sentence() -> None:
    assert settings.PAGE.text() == settings.page().strip(), "python -m tests.lint.settings --write"
    assert "|  |" not in settings.page()


def test_the_page_of_commands_is_the_help_of_the_program() -> None:
    assert commands.PAGE.text() == commands.page().strip(), "python -m tests.lint.commands --write"


@pytest.mark.parametrize(("page", "most"), [("README.md", 120), ("CHANGELOG.md", 45)])
def test_the_doors_are_short(page: str, most: int) -> None:
    assert len((TOP / page).read_text().splitlines()) <= most


def test_a_page_without_its_marks_is_not_written() -> None:
    page = TOP / "LICENSE"
    with pytest.raises(ValueError, match="must each stand there once"):
        Block(page, "<!-- a -->", "<!-- b -->").write("text")
