"""`python -m benchmarks.desk.datatable ADDRESS SYMS`: the same quotes in Textual's DataTable, painted 20 times a second."""

from __future__ import annotations

import asyncio
import json
import sys
import zlib
from typing import ClassVar

import aiohttp
import msgspec
from textual.app import App, ComposeResult
from textual.widgets import DataTable

from tui.interface.families.market import Bbo
from tui.interface.streams import PushFrame

PAINT_S = 0.05
_COLUMNS = ("symbol", "bid qty", "bid", "ask", "ask qty", "spread", "mid", "ts")


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
        for name in _COLUMNS:
            table.add_column(name, key=name, width=14 if name != "symbol" else 24)
        for sym in self._syms:
            table.add_row(sym, *["–"] * (len(_COLUMNS) - 1), key=sym)
        self.run_worker(self._read())
        self.set_interval(PAINT_S, self._paint)

    async def _read(self) -> None:
        decoder = msgspec.json.Decoder(PushFrame[Bbo])
        async with aiohttp.ClientSession() as session, session.ws_connect(self._address, compress=0) as socket:
            arg = [{"channel": "BBO", "sym": sym} for sym in self._syms]
            await socket.send_str(json.dumps({"event": "subscribe", "arg": arg}))
            async for message in socket:
                text = zlib.decompress(message.data, wbits=31)
                if b'"data"' in text:
                    push = decoder.decode(text)
                    if isinstance(push.data, Bbo):
                        self._dirty[push.arg.symbol] = push.data

    def _paint(self) -> None:
        table = self.query_one(DataTable)
        dirty, self._dirty = self._dirty, {}
        for sym, quote in dirty.items():
            bid, ask = float(quote.bid), float(quote.ask)
            texts = (
                quote.bid_qty,
                f"{bid:,.2f}",
                f"{ask:,.2f}",
                quote.ask_qty,
                f"{ask - bid:.2f}",
                f"{bid + ask:,.2f}",
            )
            for name, text in zip(_COLUMNS[1:], (*texts, str(quote.ts)), strict=True):
                table.update_cell(sym, name, text)


if __name__ == "__main__":
    asyncio.run(Quotes(sys.argv[1], sys.argv[2].split(",")).run_async())
