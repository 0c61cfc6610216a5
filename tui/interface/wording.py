"""How counts are written in a sentence."""

from __future__ import annotations


def how_many(number: int, noun: str, plural: str = "") -> str:
    """A number and what is counted: `1 order`, `2 orders`; `plural` where it is more than an s."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
