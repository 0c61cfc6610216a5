"""Error for a request that failed a check."""

from __future__ import annotations

from tui.crossdesk_error import CrossdeskError


class CheckFailed(CrossdeskError):
    """Failed check of a request: the error code, and a message with the field, its value and what is accepted."""

    title = "Request not accepted"

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    @property
    def action_msg(self) -> str:
        """Text for the field `actionMsg` of an order whose amend failed."""
        return f"{self.code} {self.message}"
