"""What is raised when the state file did not take rows."""

from __future__ import annotations

from tui.crossdesk_error import CrossdeskError


class CommitFailed(CrossdeskError):
    """Rows did not become durable; the text says why."""

    title = "State of the venue not saved"
