"""`python -m benchmarks.desk.bare`: the least a Textual program can be."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Static


class Bare(App[None]):
    """One line of text."""

    def compose(self) -> ComposeResult:
        yield Static("bare")


if __name__ == "__main__":
    Bare().run()
