"""Account commands of the catalogue: what a row may do, and how its outcome is proved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from tui.engine.rows import AccountCommandRow, CommandState

Judge = Callable[[AccountCommandRow, object], "Finding | None"]
"""What an answer of the service shows of a command; None: it does not show it."""


class Finding(NamedTuple):
    """Outcome of a command as the service shows it."""

    state: CommandState
    """RUNNING, DONE, FAILED or NOT_DONE, which counts once its call cannot arrive any more; UNKNOWN: the answer cannot
    tell."""
    text: str = ""
    """What is to be said of it: an amount received, the reason of a failure."""
    said: str = ""
    """What is said in place of the words of its state."""


class Proof(NamedTuple):
    """Proof of a command's outcome when its answer was lost or the service still works on it."""

    read: str
    """Name of the reading row; of a paged one all rows are read."""
    params: Callable[[AccountCommandRow], Mapping[str, str]]
    judge: Judge
    not_found: frozenset[int] = frozenset()
    """Codes by which the service says that it does not know it."""
    shown_from: Callable[[AccountCommandRow], int] = lambda _: 0
    """Server time from which the reading shows what became of it, ms; it is not read before."""


class TwoStepProof(NamedTuple):
    """A proof whose reading asks about what another list names."""

    listed: str
    """Name of the row that is read first, without parameters."""
    read: str
    params: Callable[[AccountCommandRow, object], Mapping[str, str]]
    """From the command and the list."""
    judge: Judge
    """Of the list and the answer, as a tuple."""
    shown_from: Callable[[AccountCommandRow], int]
    """As in `Proof`."""
    not_found: frozenset[int] = frozenset()


def always(_args: Mapping[str, str], _portfolio: str) -> bool:
    """Return True: the command can raise the portfolio's risk whatever its parameters are."""
    return True


def never(_args: Mapping[str, str], _portfolio: str) -> bool:
    """Return False: the command cannot raise the portfolio's risk."""
    return False


class AccountCommandKind(NamedTuple):
    """Properties of one account command of the catalogue."""

    moves_money: bool
    """The same command soon after is asked about; a lost one that is not found stays UNKNOWN until it is dismissed."""
    raises_risk: Callable[[Mapping[str, str], str], bool]
    """By its parameters and the portfolio that is traded: whether a stricter risk mode refuses it."""
    proof: Proof | TwoStepProof | None
    """None: no reading shows it."""
    goes_on: bool = False
    """The service only accepts it; the proof is read until it shows the end."""
    subject: Callable[[Mapping[str, str]], object] | None = None
    """What its parameters change. Two changes of the same in a row could not be told apart by the proof: the second one
    waits until the first is settled. None: they do not disturb each other."""

    judge_answer: Callable[[object], Finding | None] | None = None
    """What an answer of success says of a command that was not done whole; None: it was."""
    waits_for: tuple[str, ...] = ()
    """Rows whose commands must be settled before this one leaves, because it changes what their proof reads."""

    def subject_text(self, args: Mapping[str, str]) -> str:
        """Return the subject as the journal writes it; empty: none."""
        return "" if self.subject is None else str(self.subject(args))
