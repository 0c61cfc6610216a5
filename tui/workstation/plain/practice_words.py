"""The word `practice`: faults of the paper venue that this program has started, to practise with."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tui.workstation.commands.launcher_services import Practice

ELSEWHERE = "practice: only on the paper venue that this program started"
END = "end"


class PracticeWords:
    """Practice faults of the paper venue, which a typed line switches on one by one and off all together."""

    def __init__(self, practices: Callable[[], Sequence[Practice]]) -> None:
        self._practices = practices
        self._states: dict[int, int] = {}
        """State by number of the fault, of those that are on."""

    def run(self, rest: str) -> list[str]:
        """Set a fault by the words after `practice`, or end all; without words, return the faults and their states."""
        faults = self._practices()
        if not faults:
            return [ELSEWHERE]
        words = rest.split()
        if not words:
            lines = [self._describe(number, fault) for number, fault in enumerate(faults, 1)]
            return [*lines, f"practice 1 2 sets fault 1 to its state 2; practice {END} ends all"]
        if words == [END]:
            for number in self._states:
                faults[number].turn(0)
            self._states.clear()
            return ["practice: no fault is on"]
        numbers = [int(word) for word in words if word.isascii() and word.isdigit() and len(word) < 4]
        if len(numbers) != 2 or len(words) != 2:
            return ["practice takes the number of a fault and that of its state, such as practice 1 2"]
        number, state = numbers[0] - 1, numbers[1] - 1
        if not (0 <= number < len(faults) and 0 <= state < len(faults[number].states)):
            return ["there is no such fault or state; practice lists them"]
        faults[number].turn(state)
        self._states.pop(number, None)
        if state:
            self._states[number] = state
        return [f"practice: {faults[number].name}: {faults[number].states[state]}"]

    def _describe(self, number: int, fault: Practice) -> str:
        now = fault.states[self._states.get(number - 1, 0)]
        states = ", ".join(f"{at} {text}" for at, text in enumerate(fault.states, 1))
        return f"fault {number} {fault.name}: {now}. States: {states}"
