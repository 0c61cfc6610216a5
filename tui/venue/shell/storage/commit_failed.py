"""What is raised when the state file did not take rows."""

from __future__ import annotations


class CommitFailed(Exception):
    """Rows did not become durable; the text says why."""
