"""The page of commands, made from the command line itself: `python -m tests.lint.commands --write`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from tests.lint.block import Block
from tests.lint.rooms import TOP
from tui.cli.main import COMMANDS, main

PAGE = Block(
    TOP / "docs" / "reference" / "commands.md",
    "<!-- commands: made from the command line -->",
    "<!-- end of commands -->",
)


def page() -> str:
    """Return usage, help and options of every command."""
    return "\n\n".join(_section(path, command) for path, command in every_command())


def every_command() -> Iterator[tuple[str, click.Command]]:
    """Yield each command that is for people, with its words; benchmarks are listed with theirs alone."""
    yield "crossdesk", main
    root = click.Context(main, info_name="crossdesk")
    for name in sorted(name for name, (_, line) in COMMANDS.items() if line):
        command = main.get_command(root, name)
        assert command is not None
        yield f"crossdesk {name}", command
        if isinstance(command, click.Group) and name != "bench":
            below = click.Context(command, info_name=name, parent=root)
            for word in command.list_commands(below):
                found = command.get_command(below, word)
                assert found is not None
                yield f"crossdesk {name} {word}", found


def _section(path: str, command: click.Command) -> str:
    context = click.Context(command, info_name=path)
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f"## `{path}`", "", f"    {path} {usage}", "", " ".join((command.help or "").split())]
    options = [option for option in command.params if isinstance(option, click.Option) and not option.hidden]
    if options:
        lines += ["", "| Option | For |", "|---|---|"]
        lines += [f"| `{_spelling(option, context)}` | {_help(option, context)} |" for option in options]
    if path == "crossdesk bench":
        lines += ["", "| Benchmark | Measures |", "|---|---|"]
        lines += [f"| `{name}` | {text} |" for name, text in _benchmarks()]
    return "\n".join(lines)


def _spelling(option: click.Option, context: click.Context) -> str:
    record = option.get_help_record(context)
    return (record[0] if record else option.opts[0]).replace("|", "\\|")


def _help(option: click.Option, context: click.Context) -> str:
    record = option.get_help_record(context)
    return (record[1] if record else "").replace("|", "\\|").replace("  ", " ")


def _benchmarks() -> list[tuple[str, str]]:
    from benchmarks import BENCHMARKS

    return sorted(BENCHMARKS.items())


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.write(page())
    else:
        print(page())
