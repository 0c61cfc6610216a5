"""Phase and figures of a connection, as both streams report them."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from tui.crossdesk_error import CrossdeskError


class Phase(StrEnum):
    """Where a stream stands."""

    DOWN = "down"
    CONNECTING = "connecting"
    LOGIN = "login"
    READY = "ready"


class ConnectionStatus(msgspec.Struct):
    """Figures of one stream; times are monotonic seconds."""

    phase: Phase = Phase.DOWN
    epoch: int = 0
    """Number of the connection, rising by one with each attempt, never used again."""
    since: float = 0.0
    last_frame: float = 0.0
    round_trip_ms: float | None = None
    retries: int = 0
    """Attempts since the last good connection."""
    bad_frames: int = 0
    stray_replies: int = 0
    """Replies that no request of ours waits for."""
    last_error: str = ""
    """Why it is not up, in the trader's words."""
    login_refused: bool = False
    """It is not up because the service answered the login with a refusal."""


def describe_silence(error: BaseException) -> str:
    """What an error says; of one without words, what happened."""
    return str(error)[:100] or ("no answer in time" if isinstance(error, TimeoutError) else "connection lost")


class LinkLost(CrossdeskError):
    """The connection ended; the text says why."""

    title = "Connection lost"
