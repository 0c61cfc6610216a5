"""Interface of a kind of command; gate and sender do what is common to all of them."""

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
    # The names of the kinds are read by the screen, before the network is imported.
    from tui.client.rest import Rest

ASKED_ABOUT, READ_BACK = "asked about", "read back"
"""How the end of a command is found out, in words."""


class Pace(msgspec.Struct):
    """Pace at which the service is asked about commands of some kinds."""

    name: str
    every_s: float
    """Least time between two queries, s."""
    most: int
    """How many are asked about each time, those that waited longest first."""
    is_ready: Callable[[EngineState], bool]


class CommandKind(ABC, Generic[I]):
    """Kind of command. The defaults suit most kinds."""

    pace: Pace
    noun = "command"
    asking = ASKED_ABOUT
    taken = "only closing orders are taken"
    """What a stricter risk mode still takes."""
    judges_day = False
    """Whether it is measured against the daily loss limit."""
    counts = True
    """Whether it counts as a send for the runaway check."""
    journal_s = 5.0
    """How long it waits for its journal entry, s."""
    leaves_unrecorded = False
    """Whether it is sent also where it cannot be recorded."""
    has_row = False
    """Whether it is drawn on a row that the screen marks while the outcome is not known."""
    can_be_dismissed = False
    tells_done = False
    """Whether its end is told also where its answer was not lost."""

    def __init__(self, state: EngineState, rest: Rest) -> None:
        """Prepare.

        Args:
            state: State of the engine.
            rest: Where the service is asked.
        """
        self._state = state
        self._rest = rest
        self._recent: deque[tuple[float, object]] = deque(maxlen=64)

    # -- before it leaves ---------------------------------------------------------------------------------------

    @abstractmethod
    def key(self, intent: I) -> str:
        """Key under which it is journaled; empty: an id of its own."""

    @abstractmethod
    def name(self, command: OpenCommand[I]) -> str:
        """Describe a command."""

    @abstractmethod
    def call(self, command: OpenCommand[I]) -> tuple[Endpoint, dict[str, str]]:
        """Return the row of the catalogue that carries it out, and its parameters."""

    def check_request(self, _intent: I) -> Refusal | None:
        """Check what it asks for by itself."""
        return None

    @abstractmethod
    def raises_risk(self, intent: I) -> bool:
        """Return whether a stricter risk mode refuses it."""

    @abstractmethod
    def checks(self, intent: I) -> Iterator[Refusal | None]:
        """Check it against what is open and known now."""

    def recheck(self, _intent: I) -> Refusal | None:
        """Check again after the journal write."""
        return None

    def identity(self, _intent: I) -> object:
        """Return the key by which a repeat is recognised and asked about; None: repeats are not asked about."""
        return None

    def check_repeated(self, intent: I) -> Refusal | None:
        """Ask whether the same one is meant twice."""
        same, least = self.identity(intent), self._state.settings.limits.duplicate
        now = self._state.clock.mono()
        if same is None or not any(at > now - least and other == same for at, other in self._recent):
            return None
        return Refusal("DUPLICATE", f"the same {self.noun} left less than {least:g} s ago", ask=True)

    def remember(self, intent: I) -> None:
        """Keep for `check_repeated` that one was sent."""
        self._recent.append((self._state.clock.mono(), self.identity(intent)))

    def journal_fields(self, _command: OpenCommand[I]) -> dict[str, object]:
        """Return what its journal entry has beside intent and parameters."""
        return {}

    # -- its answer ---------------------------------------------------------------------------------------------

    def goes_on(self, _command: OpenCommand[I]) -> bool:
        """Return whether the service only accepts it at first, so that its end is read later."""
        return True

    def take_answer(self, _command: OpenCommand[I], _data: object) -> Finding | None:
        """Judge an answer of success; None: it says nothing more."""
        return None

    def describe_acceptance(self, _command: OpenCommand[I]) -> str:
        """Return the text behind its name when it was accepted."""
        return " accepted"

    def describe_asking(self, _command: OpenCommand[I]) -> str:
        """Say how it is found out what became of it."""
        return f"being {self.asking}"

    # -- asking the service -------------------------------------------------------------------------------------

    def is_shown(self, _command: OpenCommand[I]) -> bool:
        """Return whether a reading can already show its outcome."""
        return True

    async def read(
        self, command: OpenCommand[I], waiting: Sequence[AnyCommand]
    ) -> Iterable[tuple[OpenCommand[I], Finding]]:
        """Ask the service about a command; returns what it shows of this one and of others that wait.

        Raises:
            CallFailed: The service could not be asked.
        """
        raise NotImplementedError

    @abstractmethod
    def journal_entry(self, finding: Finding) -> tuple[str, dict[str, object]]:
        """Kind and payload of the journal entry that ends it."""

    def dismissal_block(self, _command: OpenCommand[I]) -> str:
        """Return why the search for it cannot be ended yet; empty: it can."""
        return ""
