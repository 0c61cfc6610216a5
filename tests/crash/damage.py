"""What can happen to the bytes of a file."""

from __future__ import annotations

from collections.abc import Iterator


def damages(whole: bytes, step: int) -> Iterator[tuple[str, bytes]]:
    """Every `step`-th byte flipped, and the file cut there."""
    for position in range(0, len(whole), step):
        yield f"flip {position}", whole[:position] + bytes([whole[position] ^ 0x5A]) + whole[position + 1 :]
        yield f"cut {position}", whole[:position]
