"""A disk without room."""

from __future__ import annotations

from typing import NoReturn


def raise_full_disk(*_: object) -> NoReturn:
    """What a call gives that writes to it."""
    raise OSError(28, "No space left on device")
