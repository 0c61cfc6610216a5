"""Times in the service's messages: which fields hold them, and their parsing."""

from __future__ import annotations

from datetime import UTC, datetime

MOST_DIGITS = 15
TIME_ENDS = ("_at", "_time", "timestamp")
"""Suffixes of field names that hold times in ms."""


def millis(text: str) -> int:
    """Parse a server time in ms; 0 when the text is no time."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else 0


def is_readable(text: str) -> bool:
    """Report whether a server time is missing, or valid for `millis`."""
    return not text or (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS)


def name_time(at_ms: int, now_ms: int) -> str:
    """Format a time in UTC, with its date unless that is the date of now."""
    at, now = (datetime.fromtimestamp(moment // 1000, UTC) for moment in (at_ms, now_ms))
    return f"{at:%H:%M:%S}" if at.date() == now.date() else f"{at:%Y-%m-%d %H:%M:%S}"
