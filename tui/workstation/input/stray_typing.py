"""Typing that no field takes: figures on a list, and texts behind a line or form that did not open.

Pure: each key carries its time. A trader who types so believes that a field has the focus, and the keys that follow
(Enter, a staging key) were meant for it.
"""

from __future__ import annotations

from typing import NamedTuple

STRAY_S = 1.0
"""Seconds behind the last digit on a list in which it counts as typing; keys that were refused add nothing to it."""
BEHIND_OPENER_S = 2.0
"""Seconds behind a refused key of a ticket or form in which Enter was meant for that."""
WALKED_S = 0.4
"""Seconds between pane keys from which on they are no typed figure: typing is faster."""


class Press(NamedTuple):
    """Key press with what came before it."""

    key: str
    before: str
    """Previous key."""
    at: float
    """Time at which it was read from the terminal, s."""
    number: int
    """Number of the press since the start."""
    joined: bool
    """Whether another key arrived in the same read, as in a paste."""

    def follows(self, other: Press, within: float) -> bool:
        """Return whether this press came directly after another one, less than so many seconds later."""
        return self.number - other.number == 1 and self.at - other.at < within


NO_PRESS = Press("", "", float("-inf"), -1, joined=False)


class _Digit(NamedTuple):
    """Digit, dot or `$` that was pressed on a list."""

    at: float
    jumped: bool
    """Whether it was refused or jumped to a pane."""
    refused: bool
    walks: bool
    """Whether it was a pane key: it did something, long enough after the previous one, which was another digit."""


class StrayTyping:
    """Detector of digits and letters typed where no field takes them, such as on a list."""

    def __init__(self, *, enabled: bool = True) -> None:
        self.enabled = enabled
        """Whether it is looked for; tests switch it off to show which accidents it prevents."""
        self.is_figure = False
        """Whether the latest keys on a list were a figure meant for a field."""
        self._is_told = False
        self._press = NO_PRESS
        self._digits: list[_Digit] = []
        self._digit = NO_PRESS
        """Newest digit on a list."""
        self._text = NO_PRESS
        """Latest key of a text that is typed where none is taken."""
        self._text_gap = 0.0
        """Pause that ends such a text, s; 0: none is being typed."""
        self._takes_figure = False
        """Whether a figure behind that key was meant for a field; a digit behind another one is the key of a pane."""
        self._form = NO_PRESS
        """Latest refused key that would have opened a ticket or form, or the last key that was typed for that behind it."""

    def follow(self, press: Press, *, held: bool) -> None:
        """Record the current key press; after a pause without a held key, forget the digits typed before."""
        if press.at - self._digit.at >= STRAY_S and press.at - self._press.at >= WALKED_S and not held:
            self._digits, self.is_figure, self._is_told = [], False, False
        self._press = press

    def note_digit(self, *, jumped: bool, refused: bool = False, repeats: bool = False) -> bool:
        """Note a digit, dot or `$` pressed on a list; return True when this reveals typing without a focused field.

        Args:
            jumped: Whether it was refused or jumped to a pane.
            refused: Whether it was refused.
            repeats: Whether it is an action of its own after a jump, as the dot is.
        """
        press = self._press
        if press.number - self._digit.number > 1:
            self._digits = []  # another key came between
        self._digit = press
        before = self._digits = [digit for digit in self._digits if press.at - digit.at < STRAY_S]
        is_own = repeats and len(before) == 1 and not before[0].refused and not press.joined
        slow = not before or press.at - before[-1].at >= WALKED_S
        same = bool(before) and press.key == press.before
        walks = slow and not (same or refused or repeats)
        digits = self._digits = [*before, _Digit(press.at, jumped, refused, walks)]
        # Three digits within a second are a figure, even if none of them leads to another pane.
        several = len(digits) > 2 or (len(digits) > 1 and any(digit.jumped for digit in digits))
        if self.enabled and several:
            self.is_figure = self.is_figure or not (is_own or all(digit.walks for digit in digits))
        told, self._is_told = self._is_told, self.is_figure
        return self.is_figure and not told

    def continues_digits(self) -> bool:
        """Return whether the present comma came right behind a digit on a list, as in 1,000; note that it did.

        Behind a single pane key it may be meant: then it is refused alone, and keys that stage are not.
        """
        if not self.enabled or not self._press.follows(self._digit, WALKED_S):
            return False
        self._digit = self._press
        if len(self._digits) > 1 or any(digit.refused for digit in self._digits):
            self.is_figure = self._is_told = True
        return True

    def refuse_letter(self, *, opens_line: bool = False) -> None:
        """Note a letter without effect; two different ones in a row, or anything after a refused `:`, count as a text.

        Args:
            opens_line: Whether it would have opened the command line.
        """
        is_text = self._press.follows(self._text, WALKED_S) and self._press.key != self._text.key
        self._text_gap = STRAY_S if opens_line else WALKED_S if is_text else 0.0
        self._text = self._press

    def continues_text(self) -> bool:
        """Return whether the present letter or Enter belongs to a text of refused letters, and note that it does."""
        if not self._press.follows(self._text, self._text_gap):
            return False
        self._text = self._press
        return self.enabled

    def refuse_form(self, *, takes_figure: bool = True) -> None:
        """Note that a key opened no ticket or form: Enter or, if `takes_figure`, digits right after were meant for it."""
        self._form, self._takes_figure = self._press, takes_figure

    def continues_form(self) -> bool:
        """Return whether the current Enter comes right after a key that opened no ticket or form; note that it does."""
        if not self._press.follows(self._form, BEHIND_OPENER_S):
            return False
        self._form = self._press
        return self.enabled

    def continues_figure(self) -> bool:
        """Return whether the current digit belongs to a figure typed after a key that opened no ticket or form."""
        if not self._takes_figure or not self._press.follows(self._form, STRAY_S):
            return False
        self._form = self._press
        return self.enabled
