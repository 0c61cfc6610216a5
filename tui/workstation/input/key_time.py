"""The clock that stamps keys, for what is compared with them."""

from __future__ import annotations

from textual.message import Message


def key_time() -> float:
    """Now, s, on the clock that every key carries."""
    return Message().time
