"""Parts of the documents that are made from the program are what it says now, and the doors are short."""

from __future__ import annotations

import pytest

from tests.figures import accidents, desks, packages
from tests.lint import commands, keys, python_names, settings
from tests.lint.block import Block
from tests.lint.rooms import TOP
from tui.workstation.input.actions import ACTIONS, GROUPS


def test_keys_page_lists_every_action() -> None:
    assert keys.ALL.text() == keys.all_keys(), "python -m tests.lint.keys --write"
    assert {action.group for action in ACTIONS} == set(GROUPS)


def test_readme_lists_the_twenty_main_keys() -> None:
    assert keys.MOST_USED.text() == keys.most_used(), "python -m tests.lint.keys --write"
    assert len(set(keys.MOST_USED_ACTIONS)) == 20


def test_keymaps_page_tells_what_each_file_changes() -> None:
    assert keys.KEYMAPS.text() == keys.all_keymaps(), "python -m tests.lint.keys --write"
    assert len(list((TOP / "keymaps").glob("*.toml"))) == keys.KEYMAPS.text().count("### ") >= 3


def test_settings_page_describes_every_setting() -> None:
    assert settings.PAGE.text() == settings.page().strip(), "python -m tests.lint.settings --write"
    assert "|  |" not in settings.page()


def test_python_page_describes_every_name_and_field() -> None:
    assert python_names.PAGE.text() == python_names.page().strip(), "python -m tests.lint.python_names --write"
    assert "|  |" not in python_names.page()


def test_verification_page_matches_the_kill_test_results() -> None:
    assert desks.BLOCK.text() == desks.make_table(), "python -m tests.figures --write"
    assert desks.make_table().count("| 0 (") == len(list(desks.FILES.glob("*-*.json"))) >= 4


def test_verification_page_tells_what_accidental_keys_did() -> None:
    assert accidents.BLOCK.text() == accidents.make_tables(), "python -m tests.figures --write"


def test_verification_page_matches_the_installation_results() -> None:
    told = packages.read()
    assert packages.BLOCK.text() == packages.make_table(told), "python -m tests.figures --write"
    assert f"`{told['commit'][:7]}`" in packages.BLOCK.text()


def test_commands_page_matches_the_program_help() -> None:
    assert commands.PAGE.text() == commands.page().strip(), "python -m tests.lint.commands --write"


@pytest.mark.parametrize(("page", "most"), [("README.md", 120), ("CHANGELOG.md", 40)])
def test_readme_and_changelog_pages_are_short(page: str, most: int) -> None:
    assert len((TOP / page).read_text().splitlines()) <= most


def test_a_document_without_its_marker_lines_is_not_written() -> None:
    page = TOP / "LICENSE"
    with pytest.raises(ValueError, match="must each stand there once"):
        Block(page, "<!-- a -->", "<!-- b -->").write("text")
