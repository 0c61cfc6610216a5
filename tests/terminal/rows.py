"""Rows of a pane as a reader takes them in: each figure under the name of its column, whatever else the width shows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation


class Row:
    """One line of a pane beside the line of its column names."""

    def __init__(self, names: str, line: str) -> None:
        self.names, self.line = names, line

    def __contains__(self, column: str) -> bool:
        return _place(self.names, column) is not None

    def text(self, column: str) -> str:
        """What stands under the name of a column whose texts end where its name ends."""
        place = _place(self.names, column)
        assert place is not None, f"no column {column!r} in {self.names!r}"
        assert not self.line[place[1] : place[1] + 1].strip(" │"), f"{column!r} runs on in {self.line!r}"
        words = self.line[: place[1]].split(" ")
        return words[-1]

    def figure(self, column: str) -> Decimal:
        """The figure of a column; NaN, which equals nothing, while its line is half drawn."""
        try:
            return Decimal(self.text(column).replace(",", ""))
        except InvalidOperation:
            return Decimal("NaN")


def find_row(display: Sequence[str], columns: Sequence[str], *words: str) -> Row | None:
    """The first line with all of the words in the pane whose column names are all there; None while it is not shown.

    Args:
        display: Lines of the screen.
        columns: Names that tell the pane.
        words: What the line holds; none: the line under the names.
    """
    names = ""
    for line in display:
        if all(_place(line, column) is not None for column in columns):
            names = line
        elif line[:1] in "┌├┍┝└┕":
            names = ""
        elif names and all(word in line for word in words):
            return Row(names, line)
    return None


def _place(names: str, column: str) -> tuple[int, int] | None:
    """Where a name stands; `bid` is not the beginning of `bid qty`."""
    found = re.search(rf"(?<![^ │]){re.escape(column)}(?= (?!qty)|│|$)", names)
    return found.span() if found is not None else None
