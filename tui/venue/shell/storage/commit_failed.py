"""Exception of a failed write of the state file."""

from __future__ import annotations

from tui.crossdesk_error import CrossdeskError


class CommitFailed(CrossdeskError):
    """Failed write of rows; the text says why."""

    title = "State of the venue not saved"
