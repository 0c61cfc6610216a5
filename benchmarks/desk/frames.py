"""Frames of best bid and offer, built before they are sent: packed, and with the header of a WebSocket frame."""

from __future__ import annotations

import json
import random
import struct
import zlib
from decimal import Decimal

POOL = 200
"""Frames of a pair; the load goes round in them."""
_PACKING = 31
"""zlib window that writes the header of gzip."""


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
