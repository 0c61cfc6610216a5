"""Parts of documents that are generated: everything between two comment marks."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Block(NamedTuple):
    """The lines between two marks of a page."""

    page: Path
    begin: str
    end: str

    def text(self) -> str:
        """Return what stands between the marks now.

        Raises:
            ValueError: a mark is missing or stands twice.
        """
        return self._parts()[1].strip()

    def write(self, text: str) -> None:
        """Replace what stands between the marks."""
        head, _, tail = self._parts()
        self.page.write_text(f"{head}{self.begin}\n{text.strip()}\n{self.end}{tail}")

    def _parts(self) -> tuple[str, str, str]:
        text = self.page.read_text()
        if (text.count(self.begin), text.count(self.end)) != (1, 1):
            raise ValueError(f"{self.page}: {self.begin} and {self.end} must each stand there once")
        head, rest = text.split(self.begin)
        middle, tail = rest.split(self.end)
        return head, middle, tail
