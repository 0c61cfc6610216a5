"""Phase and statistics of a connection, reported by the private and the public stream."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from tui.crossdesk_error import CrossdeskError


class Phase(StrEnum):
    """Phase of a stream connection."""

    DOWN = "down"
    CONNECTING = "connecting"
    LOGIN = "login"
    READY = "ready"


class ConnectionStatus(msgspec.Struct):
    """Statistics of one stream connection; times are monotonic seconds."""

    phase: Phase = Phase.DOWN
    epoch: int = 0
    """Number of the connection; rises with each attempt and is never reused."""
    since: float = 0.0
    last_frame: float = 0.0
    round_trip_ms: float | None = None
    retries: int = 0
    """Attempts since the last successful connection."""
    bad_frames: int = 0
    stray_replies: int = 0
    """Replies without a waiting request."""
    last_error: str = ""
    """Why it is not up, for the trader."""
    login_refused: bool = False
    """Whether it is down because the service refused the login."""


def describe_silence(error: BaseException) -> str:
    """Return the text of a connection error, at most 100 characters; for an error without text, words for its type."""
    return str(error)[:100] or ("no answer in time" if isinstance(error, TimeoutError) else "connection lost")


class LinkLost(CrossdeskError):
    """Error for a lost connection; its text contains the reason."""

    title = "Connection lost"
