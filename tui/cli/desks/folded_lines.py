"""Lines of standard output and standard error, broken at words where a terminal is narrower."""

from __future__ import annotations

import os
import textwrap


def read_columns(descriptor: int) -> int:
    """Return the width of the terminal behind a file descriptor, in columns; 0 for a pipe, a file or an unknown width."""
    return os.get_terminal_size(descriptor).columns if os.isatty(descriptor) else 0


def fold(line: str, columns: int) -> str:
    """Wrap a line that is wider than `columns` between words, with the following lines indented; 0 means no wrapping."""
    if not columns or len(line) <= columns:
        return line
    indent = line[: len(line) - len(line.lstrip())] + "  "
    return textwrap.fill(
        line,
        columns,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
    )


def fold_lines(text: str, columns: int) -> str:
    """Wrap each line of a text that is wider than `columns`."""
    return "\n".join(fold(line, columns) for line in text.split("\n"))


def echo_folded(text: str, *, err: bool = False) -> None:
    """Print a text on standard output or standard error, wrapped at the terminal's width."""
    import click

    click.echo(fold_lines(text, read_columns(2 if err else 1)), err=err)
