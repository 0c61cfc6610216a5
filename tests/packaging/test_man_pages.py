"""Man pages: every command for people has a whole line, and the page of the program names its files."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import click
import pytest

from tui.cli import main as command_line

PLACE = Path(__file__).parents[2] / "packaging" / "man_pages.py"


@pytest.fixture(scope="module")
def man_pages() -> ModuleType:
    spec = importlib.util.spec_from_file_location("man_pages", PLACE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lines_of(command: click.Command) -> list[str]:
    return [
        command.short_help or "",
        *(line for below in getattr(command, "commands", {}).values() for line in lines_of(below)),
    ]


def test_each_man_page_has_a_whole_help_line_and_none_is_hidden(man_pages: ModuleType) -> None:
    group = command_line.LazyGroup(help=command_line.main.help)
    prepared = man_pages.prepare(group)
    assert isinstance(prepared, click.Group) and set(prepared.commands) == {
        name for name, (_, line) in command_line.COMMANDS.items() if line
    }
    lines = lines_of(prepared)
    assert len(lines) > len(prepared.commands) + 1
    assert [line for line in lines if not line or "..." in line or len(line) > 110] == []


def test_man_pages_name_the_files_and_each_other(man_pages: ModuleType) -> None:
    assert "CROSSDESK_HOME" in man_pages.finish("", "crossdesk") and "config.toml" in man_pages.finish("", "crossdesk")
    page = man_pages.finish(r"See \fBcrossdesk config-check(1)\fP", "crossdesk-config")
    assert man_pages.finish(".TH X\n.SH NAME\nx\n", "crossdesk").startswith(".TH X\n.nh\n.ad l\n.SH NAME\nx\n")
    assert page.startswith(r"See \fBcrossdesk-config-check(1)\fP") and "SEE ALSO" in page
