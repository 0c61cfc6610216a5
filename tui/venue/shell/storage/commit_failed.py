"""Error for a failed write of the state file."""

from __future__ import annotations

from tui.crossdesk_error import CrossdeskError


class CommitFailed(CrossdeskError):
    """Error for a failed write of rows; its text contains the reason."""

    title = "State of the venue not saved"
