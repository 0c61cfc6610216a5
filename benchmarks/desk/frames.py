"""Frames of best bid and offer, built before they are sent: packed, and with the header of a WebSocket frame."""

from __future__ import annotations

import json
import random
import struct
import time
import zlib
from collections.abc import Iterator
from decimal import Decimal

POOL = 200
"""Frames of a pair; the load goes round in them."""
_PACKING = 31
"""zlib window that writes the header of gzip."""
_LEVELS, _BARS, _MINUTE_MS = 50, 120, 60_000
"""Levels of a side of a book, bars of the first push, and a bar."""


def pack(message: dict[str, object]) -> bytes:
    """A message of the public stream as the service packs it."""
    return pack_text(json.dumps(message, separators=(",", ":")).encode())


def pack_text(text: bytes) -> bytes:
    packer = zlib.compressobj(1, wbits=_PACKING)
    return packer.compress(text) + packer.flush()


def quote_text(sym: str, bid: Decimal, ask: Decimal, sizes: tuple[str, str], ts: int) -> bytes:
    """One push of best bid and offer, as text."""
    arg = {"channel": "BBO", "sym": sym}
    data = {"bid": str(bid), "bidqty": sizes[0], "ask": str(ask), "askqty": sizes[1], "ts": str(ts)}
    return json.dumps({"arg": arg, "data": data}, separators=(",", ":")).encode()


def socket_frame(payload: bytes) -> bytes:
    """A binary frame of a server with this payload."""
    size = len(payload)
    if size < 126:
        return b"\x82" + bytes([size]) + payload
    return b"\x82\x7e" + struct.pack(">H", size) + payload


def quote_frame(sym: str, bid: Decimal, tick: Decimal, ts: int) -> bytes:
    """A ready frame of a quote one tick wide."""
    return socket_frame(pack_text(quote_text(sym, bid, bid + tick, ("1.5", "2.5"), ts)))


def detail_pushes(
    base: Decimal, tick: Decimal, number: int, source: random.Random
) -> Iterator[tuple[str, dict[str, object] | list[object]]]:
    """Whole book, newest bars and a trade of a pair, by channel; the first time with the bars of two hours."""

    def side(first: Decimal, step: Decimal) -> list[list[str]]:
        return [[str(first + step * level), f"{source.uniform(0.1, 9):.3f}"] for level in range(_LEVELS)]

    at = int(time.time() * 1000)
    book = {"seq": str(number + 1), "pre_seq": "0", "num": 1, "ts": str(at)}
    yield "ORDER_BOOK", {**book, "Bids": side(base, -tick), "Asks": side(base + tick, tick)}
    opened = at // _MINUTE_MS * _MINUTE_MS
    price = base + tick * source.randint(-9, 9)
    bars = range(_BARS if number == 0 else 1)
    yield (
        "KLINE",
        [
            [
                str(opened - _MINUTE_MS * back),
                str(base),
                str(base + tick * 20),
                str(base - tick * 20),
                str(price),
                "3.5",
            ]
            for back in reversed(bars)
        ],
    )
    trade = {"price": str(price), "qty": f"{source.uniform(0.01, 2):.3f}", "side": source.choice(("buy", "sell"))}
    yield "TRADE", {**trade, "tradeid": str(number), "ts": str(at)}


def held_position(sym: str, number: str, portfolio: str, price: Decimal) -> dict[str, str]:
    """A row of the list of positions."""
    return {
        "positionId": number, "portfolioId": portfolio, "sym": sym, "positionSide": "NONE", "positionQty": "0.01",
        "avgPrice": str(price), "markPrice": str(price), "positionValue": str(price / 100),
        "positionMargin": str(price / 1000), "positionMM": str(price / 10_000), "unrealizedPNL": "0",
        "unrealizedPNLRate": "0", "leverage": "10", "maxLeverage": "50", "riskLevel": "1", "createAt": "1700000000000",
        "updateAt": "1700000000000",
    }  # fmt: skip


def pool_of(sym: str, base: Decimal, tick: Decimal, ts: int, count: int = POOL) -> list[bytes]:
    """Ready frames of a pair that moves around a price; the same for the same pair."""
    source = random.Random(sym)
    frames: list[bytes] = []
    bid = base
    for _ in range(count):
        bid = max(tick, min(base + 20 * tick, max(base - 20 * tick, bid + tick * source.choice((-2, -1, 0, 0, 1, 2)))))
        sizes = (f"{source.uniform(0.1, 9):.3f}", f"{source.uniform(0.1, 9):.3f}")
        frames.append(socket_frame(pack_text(quote_text(sym, bid, bid + tick, sizes, ts))))
    return frames
