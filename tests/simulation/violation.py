"""A promise that was broken."""

from __future__ import annotations

import msgspec


class Violation(msgspec.Struct, frozen=True):
    """A broken promise."""

    rule: str
    n: int
    """Line at which it broke."""
    text: str

    def __str__(self) -> str:
        return f"{self.rule} at line {self.n}: {self.text}"
