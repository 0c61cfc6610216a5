"""Base class of command kinds: the parts in which kinds of commands differ; gate and sender do the common work."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Generic

import msgspec

from tui.engine.commands.proofs import Finding
from tui.engine.orders.pre_trade_checks import Refusal
from tui.engine.state.command_table import AnyCommand, I, OpenCommand
from tui.engine.state.engine_state import EngineState
from tui.interface.endpoint import Endpoint

if TYPE_CHECKING:
    # The screen reads the names of the kinds before the network is imported.
    from tui.client.rest import Rest

ASKED_ABOUT, READ_BACK = "asked about", "read back"
"""Ways to find out the outcome of a command, as words in messages."""


class Pace(msgspec.Struct):
    """Frequency of queries about commands of some kinds."""

    name: str
    every_s: float
    """Least time between two queries, s."""
    most: int
    """Most commands queried each time, those that waited longest first."""
    is_ready: Callable[[EngineState], bool]


class CommandKind(ABC, Generic[I]):
    """Kind of command; the defaults are those of most kinds."""

    pace: Pace
    noun = "command"
    asking = ASKED_ABOUT
    taken = "only closing orders are taken"
    """Text on what a stricter risk mode still accepts."""
    judges_day = False
    """Whether the daily loss limit applies."""
    counts = True
    """Whether it counts for the runaway check."""
    journal_s = 5.0
    """Longest wait for the journal entry, s."""
    sends_unrecorded = False
    """Whether it is sent even when it cannot be recorded."""
    has_row = False
    """Whether it belongs to a row that the screen marks while the outcome is unknown."""
    can_be_dismissed = False
    reports_done = False
    """Whether its completion is reported even if its answer was not lost."""

    def __init__(self, state: EngineState, rest: Rest) -> None:
        """Prepare.

        Args:
            state: State of the engine.
            rest: Client for queries.
        """
        self._state = state
        self._rest = rest
        self._recent: deque[tuple[float, object]] = deque(maxlen=64)

    # Before sending

    @abstractmethod
    def key(self, intent: I) -> str:
        """Return the key of its journal entries; empty: an id of its own."""

    @abstractmethod
    def name(self, command: OpenCommand[I]) -> str:
        """Describe a command."""

    @abstractmethod
    def call(self, command: OpenCommand[I]) -> tuple[Endpoint, dict[str, str]]:
        """Return its endpoint and parameters."""

    def check_request(self, _intent: I) -> Refusal | None:
        """Check the request by itself."""
        return None

    @abstractmethod
    def raises_risk(self, intent: I) -> bool:
        """Return whether a stricter risk mode refuses it."""

    @abstractmethod
    def checks(self, intent: I) -> Iterator[Refusal | None]:
        """Check it against the present state."""

    def recheck(self, _intent: I) -> Refusal | None:
        """Check again after the journal write."""
        return None

    def identity(self, _intent: I) -> object:
        """Return the identity for duplicate detection; None: no detection."""
        return None

    def check_repeated(self, intent: I) -> Refusal | None:
        """Ask for a confirmation when the same command was sent recently."""
        same, least = self.identity(intent), self._state.settings.limits.duplicate
        now = self._state.clock.mono()
        if same is None or not any(at > now - least and other == same for at, other in self._recent):
            return None
        return Refusal("DUPLICATE", f"the same {self.noun} left less than {least:g} s ago", ask=True)

    def remember(self, intent: I) -> None:
        """Remember a sent command for `check_repeated`."""
        self._recent.append((self._state.clock.mono(), self.identity(intent)))

    def journal_fields(self, _command: OpenCommand[I]) -> dict[str, object]:
        """Return fields of its journal entry besides intent and parameters."""
        return {}

    # Answer

    def goes_on(self, _command: OpenCommand[I]) -> bool:
        """Return whether the service only accepts it, so that its completion must be read."""
        return True

    def take_answer(self, _command: OpenCommand[I], _data: object) -> Finding | None:
        """Judge an answer of success; None: it contains no result."""
        return None

    def describe_acceptance(self, _command: OpenCommand[I]) -> str:
        """Return the text after its name when it was accepted."""
        return " accepted"

    def describe_asking(self, _command: OpenCommand[I]) -> str:
        """Describe how its outcome is found out."""
        return f"being {self.asking}"

    # Queries

    def is_shown(self, _command: OpenCommand[I]) -> bool:
        """Return whether a query can show its outcome by now."""
        return True

    @abstractmethod
    async def read(
        self, command: OpenCommand[I], waiting: Sequence[AnyCommand]
    ) -> Iterable[tuple[OpenCommand[I], Finding]]:
        """Query the service about a command; returns results for it and for other waiting commands.

        Raises:
            CallFailed: The query failed.
        """

    @abstractmethod
    def settlement_entry(self, finding: Finding) -> tuple[str, dict[str, object]]:
        """Return kind and payload of its final journal entry."""

    def dismissal_block(self, _command: OpenCommand[I]) -> str:
        """Explain why it cannot be dismissed yet; empty: it can."""
        return ""
