"""Exception of a failed check."""

from __future__ import annotations

from tui.crossdesk_error import CrossdeskError


class CheckFailed(CrossdeskError):
    """Refusal with a code of the interface and a message that names field, value and what is accepted."""

    title = "Request not accepted"

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    @property
    def action_msg(self) -> str:
        """Text for the record of an order whose amend failed."""
        return f"{self.code} {self.message}"
