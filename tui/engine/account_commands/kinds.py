"""What a row of the catalogue that is an account command may do, and how it is found out what became of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from tui.engine.rows import AccountCommandRow, CommandState

Judge = Callable[[AccountCommandRow, object], "Finding | None"]
"""What an answer of the service shows of a command; None: it does not show it."""


class Finding(NamedTuple):
    """What became of a command, as the service shows it."""

    state: CommandState
    """RUNNING, DONE or FAILED."""
    text: str = ""
    """What is to be said of it: an amount received, the reason of a failure."""


class Proof(NamedTuple):
    """How it is found out what became of a command whose answer was lost, or that the service still works on."""

    read: str
    """Name of the reading row; of a paged one all rows are read."""
    params: Callable[[AccountCommandRow], Mapping[str, str]]
    judge: Judge
    not_found: frozenset[int] = frozenset()
    """Codes by which the service says that it does not know it."""


def always(_args: Mapping[str, str], _portfolio: str) -> bool:
    """For a command that can raise the risk of the portfolio whatever its parameters are."""
    return True


def never(_args: Mapping[str, str], _portfolio: str) -> bool:
    """For a command that cannot raise the risk of the portfolio."""
    return False


class AccountCommandKind(NamedTuple):
    """What one row may do."""

    moves_money: bool
    """The same command soon after is asked about; a lost one that is not found stays UNKNOWN until it is dismissed."""
    raises_risk: Callable[[Mapping[str, str], str], bool]
    """By its parameters and the portfolio that is traded: whether a stricter risk mode refuses it."""
    proof: Proof | None
    """None: no reading shows it."""
    goes_on: bool = False
    """The service only accepts it; the proof is read until it shows the end."""
