"""Refusals of a command line: a code, the place in the text, and what would be accepted."""

from __future__ import annotations

from enum import StrEnum

from tui.crossdesk_error import CrossdeskError


class Code(StrEnum):
    """Reason why a line is refused."""

    EMPTY = "EMPTY"
    BAD_NUMBER = "BAD_NUMBER"
    NO_PRICE = "NO_PRICE"
    NO_UNIT = "NO_UNIT"
    NO_QUANTITY = "NO_QUANTITY"
    NO_REFERENCE = "NO_REFERENCE"
    NO_SCOPE = "NO_SCOPE"
    NO_CHANGE = "NO_CHANGE"
    NO_SIGN = "NO_SIGN"
    NO_SYMBOL = "NO_SYMBOL"
    NO_DURATION_UNIT = "NO_DURATION_UNIT"
    NO_SL_FOR_R = "NO_SL_FOR_R"
    UNKNOWN_WORD = "UNKNOWN_WORD"
    UNKNOWN_SYMBOL = "UNKNOWN_SYMBOL"
    AMBIGUOUS_SYMBOL = "AMBIGUOUS_SYMBOL"
    ONE_SYMBOL = "ONE_SYMBOL"
    WRONG_UNIT = "WRONG_UNIT"
    TOTAL_OR_REST = "TOTAL_OR_REST"
    OPENING_ALL = "OPENING_ALL"
    TIF_CONFLICT = "TIF_CONFLICT"
    TWICE = "TWICE"
    TOO_MUCH = "TOO_MUCH"
    NOT_YET = "NOT_YET"
    TWO_READINGS = "TWO_READINGS"
    LEG_EMPTY = "LEG_EMPTY"
    NO_ORDER = "NO_ORDER"
    SEVERAL_ORDERS = "SEVERAL_ORDERS"
    ZERO_QTY = "ZERO_QTY"
    BELOW_MIN = "BELOW_MIN"
    OFF_TICK = "OFF_TICK"
    WRONG_SIDE_TRIGGER = "WRONG_SIDE_TRIGGER"
    OVER_MAX = "OVER_MAX"
    STATE = "STATE"
    OTHER_PORTFOLIO = "OTHER_PORTFOLIO"
    NOT_KNOWN = "NOT_KNOWN"
    """A figure that the line needs has not arrived."""
    TICKET = "TICKET"
    """A rule of the pair that has no code of its own."""


class LineRefused(CrossdeskError):
    """Refused line; the text says what is wrong and what would be accepted."""

    title = "Line refused"

    def __init__(self, code: Code, text: str, start: int = 0, end: int = 0) -> None:
        """Refuse a part of a line.

        Args:
            code: Reason.
            text: Sentence for the trader.
            start: First character that is wrong.
            end: Character behind the last one.
        """
        super().__init__(text)
        self.code = code
        self.start = start
        self.end = end

    def in_step(self, number: int, count: int) -> LineRefused:
        """Return the refusal with `command 2 of 3:` before its text; unchanged if the line has only one command."""
        if count == 1:
            return self
        return LineRefused(self.code, f"command {number} of {count}: {self}", self.start, self.end)
