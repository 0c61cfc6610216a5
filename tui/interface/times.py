"""Times as the service sends them."""

from __future__ import annotations

MOST_DIGITS = 15


def millis(text: str) -> int:
    """A server time in ms; 0 when the text is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else 0
