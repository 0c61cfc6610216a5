"""Base class of REST command kinds; gate and sender do what all kinds have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Generic

import msgspec

from tui.engine.commands.proofs import Finding
from tui.engine.orders.intent_record import RECORDED_WITHIN_S
from tui.engine.orders.pre_trade_checks import Refusal
from tui.engine.state.command_table import AnyCommand, I, OpenCommand
from tui.engine.state.engine_state import EngineState
from tui.interface.endpoint import Endpoint

if TYPE_CHECKING:
    # The screen reads the names of the kinds before the network is imported.
    from tui.client.rest import Rest

ASKED_ABOUT, READ_BACK = "asked about", "read back"
"""Ways to find out the outcome of a command, as words in messages."""


class QueryPace(msgspec.Struct):
    """Limits on the queries for the outcome of some kinds of commands: how often, how many at once, and when."""

    name: str
    every_s: float
    """Least time between two queries, s."""
    most: int
    """Most commands queried each time, those that waited longest first."""
    is_ready: Callable[[EngineState], bool]


class CommandKind(ABC, Generic[I]):
    """Kind of REST command; the defaults suit most kinds."""

    pace: QueryPace
    noun = "command"
    asking = ASKED_ABOUT
    taken = "only closing orders are taken"
    """Text on what a stricter risk mode still accepts."""
    judges_day = False
    """Whether the daily loss limit applies."""
    counts = True
    """Whether it counts for the runaway check."""
    journal_s = RECORDED_WITHIN_S
    """Longest wait for the journal entry, s."""
    sends_unrecorded = False
    """Whether it is sent even when it cannot be recorded."""
    has_row = False
    """Whether it belongs to a row that the screen marks while the outcome is unknown."""
    can_be_dismissed = False
    tells_result_first = False
    """Whether an event line begins with the result, because the command's name may be wider than a small screen."""
    reports_done = False
    """Whether its completion is reported even if its answer was not lost."""

    def __init__(self, state: EngineState, rest: Rest) -> None:
        """Initialize the kind.

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
        """Return the key of the command's journal entries; an empty text stands for a new unique id."""

    @abstractmethod
    def name(self, command: OpenCommand[I]) -> str:
        """Describe a command for messages."""

    @abstractmethod
    def call(self, command: OpenCommand[I]) -> tuple[Endpoint, dict[str, str]]:
        """Return the endpoint and the parameters of a command."""

    def check_request(self, _intent: I) -> Refusal | None:
        """Validate the parameters of a request, without looking at the state."""
        return None

    @abstractmethod
    def raises_risk(self, intent: I) -> bool:
        """Return whether the risk modes REDUCING and HALT refuse this intent."""

    @abstractmethod
    def checks(self, intent: I) -> Iterator[Refusal | None]:
        """Yield the checks of an intent against the current state."""

    def recheck(self, _intent: I) -> Refusal | None:
        """Check an intent again after the journal write."""
        return None

    def identity(self, _intent: I) -> object:
        """Return what duplicate detection compares; None disables it."""
        return None

    def check_repeated(self, intent: I) -> Refusal | None:
        """Ask for confirmation when the same command was sent recently."""
        same, least = self.identity(intent), self._state.settings.limits.duplicate
        now = self._state.clock.mono()
        sent = [at for at, other in self._recent if at > now - least and other == same]
        if same is None or not sent:
            return None
        # Counted from this command: the question may stand for long.
        return Refusal("DUPLICATE", f"the same {self.noun} left {now - sent[-1]:.1f} s before this one", ask=True)

    def remember(self, intent: I) -> None:
        """Remember a sent command for `check_repeated`."""
        self._recent.append((self._state.clock.mono(), self.identity(intent)))

    def journal_fields(self, _command: OpenCommand[I]) -> dict[str, object]:
        """Return additional fields of the journal entry, besides intent and parameters."""
        return {}

    # Answer

    def goes_on(self, _command: OpenCommand[I]) -> bool:
        """Return whether a success reply only means acceptance, so that the completion must be queried."""
        return True

    def take_answer(self, _command: OpenCommand[I], _data: object) -> Finding | None:
        """Judge a success reply; None when it does not contain the result."""
        return None

    def describe_result(self, name: str, result: str) -> str:
        """Return the event line about a result: the command's name and `result`, which begins with a separator."""
        return f"{result.lstrip(': ')}: {name}" if self.tells_result_first else f"{name}{result}"

    def describe_acceptance(self, _command: OpenCommand[I]) -> str:
        """Return the text that follows the command's name in the message that it was accepted."""
        return " accepted"

    def describe_asking(self, _command: OpenCommand[I]) -> str:
        """Describe for the trader how the outcome is being found out."""
        return f"being {self.asking}"

    # Queries

    def is_shown(self, _command: OpenCommand[I]) -> bool:
        """Return whether the command was sent long enough ago for a query to show its outcome."""
        return True

    @abstractmethod
    async def read(
        self, command: OpenCommand[I], waiting: Sequence[AnyCommand]
    ) -> Iterable[tuple[OpenCommand[I], Finding]]:
        """Query the outcome of a command; return it, together with the outcomes of other waiting commands it shows.

        Raises:
            CallFailed: The query failed.
        """

    @abstractmethod
    def settlement_entry(self, finding: Finding) -> tuple[str, dict[str, object]]:
        """Return kind and payload of the journal entry that settles the command."""

    def dismissal_block(self, _command: OpenCommand[I]) -> str:
        """Explain why the trader cannot dismiss the command yet; an empty text allows it."""
        return ""
