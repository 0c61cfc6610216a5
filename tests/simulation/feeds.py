"""What happens to market data: quotes that are not what they should be, and frames that cannot be read."""

from __future__ import annotations

import asyncio
import functools
import gzip
import random
import zlib
from collections.abc import Callable

from tests.simulation.floor import OTHER, SYM, Floor
from tests.simulation.harness.frames import text_frame

QUOTES: tuple[tuple[str, str, str], ...] = (
    ("F41", f"silence:{SYM}", "silence"),
    ("F42", "crossed:*:0.5", "crossed"),
    ("F43", "old:*:0.5:5000", "old"),
    ("F43", "future:*:0.5:30000", "future"),
    ("F44", "burst:*:1:20", "burst"),
    ("F45", f"refuse:{SYM}", "refuse"),
)
"""Fault, the switch that makes it, and under which name the venue counts it."""
BOMB_BYTES = 9 * 1024 * 1024
"""A little more than a frame may be once unpacked."""
PIECE = 1024 * 1024
VOLLEY = 12
"""Unreadable frames in a row, more than a connection is forgiven."""


class Feeds:
    """Disturbs the market data of one floor."""

    def __init__(self, floor: Floor, source: random.Random) -> None:
        self.floor = floor
        self.source = source

    async def quotes(self) -> None:
        """Quotes are wrong for a few seconds, while the market moves."""
        floor, source = self.floor, self.source
        if source.random() < 0.15:
            await self._delisted()
            return
        fault, switch, kind = source.choice(QUOTES)
        counted = f"market_fault {kind}"
        before = floor.runtime.faults.counts[counted]
        floor.set_switch("market_fault", switch)
        if kind == "refuse" and (wire := floor.public_wire()) is not None:
            wire.reset()
        for _ in range(source.randrange(4, 12)):
            await asyncio.sleep(0.5)
            floor.move_market()
            floor.move_market(coin="ETH")
        floor.set_switch("market_fault", "off")
        if floor.runtime.faults.counts[counted] > before:
            floor.proxy.fault(fault)

    async def _delisted(self) -> None:
        """A pair is gone for a while; its subscription is refused after a new connection."""
        floor = self.floor
        floor.proxy.fault("F46")
        floor.set_switch("delisted", OTHER)
        if (wire := floor.public_wire()) is not None:
            wire.reset()
        await asyncio.sleep(self.source.uniform(2, 10))
        floor.set_switch("delisted", "none")

    async def frames(self) -> None:
        """Frames that no decoder can take: one, or so many that the connection is given up."""
        fault, make, private = self.source.choice(FRAMES)
        wire = self.floor.private_wire() if private else self.floor.public_wire()
        if wire is None:
            return
        self.floor.proxy.fault(fault)
        times = VOLLEY if self.source.random() < 0.2 and fault == "F50" else 1
        for _ in range(times):
            wire.client.receive(make())


def binary_frame(payload: bytes) -> bytes:
    """A binary frame as a server sends it."""
    frame = bytearray(text_frame(payload))
    frame[0] = 0x82
    return bytes(frame)


@functools.cache
def bomb() -> bytes:
    """A frame that is small, and too large once unpacked."""
    return binary_frame(gzip.compress(b" " * BOMB_BYTES, mtime=0))


def endless_announced() -> bytes:
    """The head of a frame of a terabyte."""
    return bytes([0x81, 127]) + (1 << 40).to_bytes(8, "big")


def endless_pieces() -> bytes:
    """A message in pieces of which none is the last."""
    piece = bytes(PIECE)
    head = 127, PIECE.to_bytes(8, "big")
    first = bytes([0x01, head[0]]) + head[1] + piece
    return first + (bytes([0x00, head[0]]) + head[1] + piece) * (BOMB_BYTES // PIECE)


QUOTE = b'{"event":"push","data":{}}'
FRAMES: tuple[tuple[str, Callable[[], bytes], bool], ...] = (
    ("F50", lambda: binary_frame(b"\x1f\x8b\x08\x00garbage"), False),
    ("F50", lambda: binary_frame(gzip.compress(QUOTE, mtime=0)[:-9]), False),
    ("F50", lambda: binary_frame(zlib.compress(QUOTE)), False),
    ("F50", lambda: binary_frame(QUOTE), False),
    ("F51", bomb, False),
    ("F56", endless_announced, False),
    ("F56", endless_announced, True),
    ("F56", endless_pieces, True),
)
"""Fault, its frame, and whether it comes on the private stream."""
