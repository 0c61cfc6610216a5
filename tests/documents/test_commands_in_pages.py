"""Commands that the documents name exist, with their options and parameters."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from tests.documents.pages import code, pages
from tests.lint.rooms import TOP
from tui.cli.main import main
from tui.interface.catalogue import BY_NAME

_COMMAND = re.compile(r"(?:^|[\s/])crossdesk((?: +(?!\||>|&)\S.*)?)$")
_END = re.compile(r"\s(?:\||>|&|#).*$|\s/\s.*$")
_PLACEHOLDER = re.compile(r"\[?[A-Z]+\b.*|key=value…?|…")


def problems(line: str) -> list[str]:
    """Return what is wrong with the command of a line; nothing where there is none."""
    found = _COMMAND.search(_END.sub("", line))
    return _check(shlex.split(found[1])) if found else []


def _check(words: list[str]) -> list[str]:
    command: click.Command = main
    context = click.Context(main, info_name="crossdesk")
    wrong: list[str] = []
    while words:
        word = words.pop(0)
        if word.startswith("-"):
            wrong += _check_option(context, word, words)
        elif _PLACEHOLDER.fullmatch(word):
            return wrong
        elif context.info_name == "call":
            return wrong + _check_call(word, words)
        elif isinstance(command, click.Group):
            below = command.get_command(context, word)
            if below is None:
                return [*wrong, f"no command {word}"]
            command, context = below, click.Context(below, info_name=word, parent=context)
        elif not any(isinstance(parameter, click.Argument) for parameter in command.params):
            wrong.append(f"{context.info_name} takes no {word}")
    return wrong


def _check_option(context: click.Context, word: str, words: list[str]) -> list[str]:
    name = word.partition("=")[0]
    options = [option for option in context.command.params if isinstance(option, click.Option)]
    option = next((option for option in options if name in (*option.opts, *option.secondary_opts)), None)
    if option is None:
        return [] if name == "--help" else [f"{context.info_name} has no {name}"]
    if not option.is_flag and "=" not in word and words:
        value = words.pop(0)
        if isinstance(option.type, click.Choice) and value not in option.type.choices and "|" not in value:
            return [f"{context.info_name} {name} takes no {value}"]
    return []


def _check_call(name: str, words: list[str]) -> list[str]:
    if name not in BY_NAME:
        return [f"no endpoint {name}"]
    given = {word.partition("=")[0] for word in words if not word.startswith("-")}
    known = {spelling for one in BY_NAME[name].params for spelling in (one.name, *one.aliases)}
    return [f"{name} has no {word}" for word in sorted(given - known)]


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(TOP)))
def test_commands_in_the_documents_exist_with_their_options(page: Path) -> None:
    assert [f"{line}: {text}" for line in code(page) for text in problems(line)] == []


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("crossdesk chek", "no command chek"),
        (".venv/bin/crossdesk check --profil=desk", "check has no --profil"),
        ("crossdesk journal export --format pdf", "export --format takes no pdf"),
        ("crossdesk call position", "no endpoint position"),
        ("crossdesk call positions venue=OKX", "positions has no venue"),
        ("crossdesk config path now", "path takes no now"),
    ],
)
def test_a_wrong_command_in_a_document_is_found(line: str, text: str) -> None:
    assert problems(line) == [text]
