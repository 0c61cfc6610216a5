"""`python -m benchmarks.desk.datatable ADDRESS SYMS`: the same quotes in Textual's DataTable, painted 20 times a second."""

from __future__ import annotations

import asyncio
import sys
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.widgets import DataTable

from benchmarks.desk.feed import COLUMNS, read_quotes, texts_of
from tui.interface.families.market import Bbo

PAINT_S = 0.05


class Quotes(App[None]):
    """Quotes in a DataTable."""

    CSS: ClassVar[str] = "DataTable { height: 1fr; }"

    def __init__(self, address: str, syms: list[str]) -> None:
        super().__init__()
        self._address = address
        self._syms = syms
        self._dirty: dict[str, Bbo] = {}

    def compose(self) -> ComposeResult:
        yield DataTable()

    def on_mount(self) -> None:
        table = self.query_one(DataTable)
        for name in COLUMNS:
            table.add_column(name, key=name, width=14 if name != "symbol" else 24)
        for sym in self._syms:
            table.add_row(sym, *["–"] * (len(COLUMNS) - 1), key=sym)
        self.run_worker(read_quotes(self._address, self._syms, self._dirty.__setitem__))
        self.set_interval(PAINT_S, self._paint)

    def _paint(self) -> None:
        table = self.query_one(DataTable)
        for sym, quote in self._dirty.items():
            for name, text in zip(COLUMNS[1:], texts_of(quote), strict=True):
                table.update_cell(sym, name, text)
        self._dirty.clear()


if __name__ == "__main__":
    asyncio.run(Quotes(sys.argv[1], sys.argv[2].split(",")).run_async())
