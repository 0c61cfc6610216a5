"""Quotes of the public stream for a bare program that is compared with the workstation: every frame is decoded."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable

import aiohttp
import msgspec

from tui.interface.families.market import Bbo
from tui.interface.streams import PushFrame

COLUMNS = ("symbol", "bid qty", "bid", "ask", "ask qty", "spread", "mid", "ts")


async def read_quotes(address: str, syms: list[str], take: Callable[[str, Bbo], None]) -> None:
    """Subscribe to pairs, and pass on each of their quotes."""
    decoder = msgspec.json.Decoder(PushFrame[Bbo])
    async with aiohttp.ClientSession() as session, session.ws_connect(address, compress=0) as socket:
        arg = [{"channel": "BBO", "sym": sym} for sym in syms]
        await socket.send_str(json.dumps({"event": "subscribe", "arg": arg}))
        async for message in socket:
            text = zlib.decompress(message.data, wbits=31)
            if b'"data"' in text:
                push = decoder.decode(text)
                if isinstance(push.data, Bbo):
                    take(push.arg.symbol, push.data)


def texts_of(quote: Bbo) -> tuple[str, ...]:
    """Texts of a quote, by column after the symbol."""
    bid, ask = float(quote.bid), float(quote.ask)
    return (
        quote.bid_qty,
        f"{bid:,.2f}",
        f"{ask:,.2f}",
        quote.ask_qty,
        f"{ask - bid:.2f}",
        f"{bid + ask:,.2f}",
        str(quote.ts),
    )
