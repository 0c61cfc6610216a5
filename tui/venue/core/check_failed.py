"""How a check says no."""

from __future__ import annotations


class CheckFailed(Exception):
    """One code of the interface and a sentence that names field, value and what is accepted."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    @property
    def action_msg(self) -> str:
        """As it is printed on an order whose amend failed."""
        return f"{self.code} {self.message}"
