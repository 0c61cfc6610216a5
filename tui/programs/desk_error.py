"""Refusal that programs get."""

from __future__ import annotations

from tui.desk_protocol.messages import ProtocolError


class DeskError(ProtocolError):
    """Refusal of the desk or of the service; nothing was changed. With `LinkClosed` it has the base `crossdesk.Error`."""

    title = "Refused"

    def __init__(self, text: str, *, code: int = 0, said: str = "") -> None:
        """Initialize the error.

        Args:
            text: Whole text.
            code: Error code of the service, if it refused.
            said: Part of the text that came from the service.
        """
        super().__init__(text)
        self.code = code
        self.said = said
