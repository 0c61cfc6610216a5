"""Properties of account commands, and the queries that show their outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from tui.engine.rows import AccountCommandRow, CommandState

Judge = Callable[[AccountCommandRow, object], "Finding | None"]
"""Function that derives the outcome of a command from an answer; None: the answer does not show it."""


class Finding(NamedTuple):
    """Outcome of a command as a reply or query of the service shows it."""

    state: CommandState
    """RUNNING, DONE, FAILED, or NOT_DONE, which counts once the call has expired; UNKNOWN: the answer is
    inconclusive."""
    text: str = ""
    """Details: an amount received, the reason of a failure."""
    message: str = ""
    """Message that replaces the text of the state."""


class Proof(NamedTuple):
    """Query that shows the outcome of a command whose reply was lost or that the service is still working on."""

    read: str
    """Name of the queried endpoint; of a paged one all pages are read."""
    params: Callable[[AccountCommandRow], Mapping[str, str]]
    judge: Judge
    not_found: frozenset[int] = frozenset()
    """Error codes for an unknown command."""
    shown_from: Callable[[AccountCommandRow], int] = lambda _: 0
    """Server time from which on the query shows the outcome, ms; not queried before."""


class TwoStepProof(NamedTuple):
    """Outcome query whose parameters need ids from another list, which is read first."""

    listed: str
    """Name of the endpoint that is read first, without parameters."""
    read: str
    params: Callable[[AccountCommandRow, object], Mapping[str, str]]
    """Parameters by command and list."""
    judge: Judge
    """Judge of list and answer, as a tuple."""
    shown_from: Callable[[AccountCommandRow], int]
    """As in `Proof`."""
    not_found: frozenset[int] = frozenset()


def always(_args: Mapping[str, str], _portfolio: str) -> bool:
    """Return True: the command can raise the portfolio's risk with any parameters."""
    return True


def never(_args: Mapping[str, str], _portfolio: str) -> bool:
    """Return False: the command can never raise the portfolio's risk."""
    return False


class AccountCommandKind(NamedTuple):
    """Properties of an account command's endpoint."""

    moves_money: bool
    """Whether a repeat needs a confirmation, and a lost command that is not found stays UNKNOWN until dismissed."""
    raises_risk: Callable[[Mapping[str, str], str], bool]
    """Whether a stricter risk mode refuses it, by its parameters and the traded portfolio."""
    proof: Proof | TwoStepProof | None
    """None: no query shows its outcome."""
    goes_on: bool = False
    """Whether the service only accepts it, and the proof is read until its completion."""
    subject: Callable[[Mapping[str, str]], object] | None = None
    """Object that its parameters change. A second change of the same object waits until the first is settled, because
    the
    proof could not tell them apart. None: no conflict."""

    judge_answer: Callable[[object], Finding | None] | None = None
    """Judge of a success answer for a command that was carried out only partly; None for a complete one."""
    waits_for: tuple[str, ...] = ()
    """Endpoints whose commands must be settled first, because this one changes what their proof reads."""

    def subject_text(self, args: Mapping[str, str]) -> str:
        """Return the subject of a command for the journal; empty for commands without one."""
        return "" if self.subject is None else str(self.subject(args))
