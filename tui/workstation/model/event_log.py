"""Log of the newest events: how long each stays on the newest-events line, and which warnings wait for a key."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Sequence, Set
from typing import NamedTuple

import msgspec

from tui.engine.conflating_queue import Batch
from tui.engine.event_line import EventLine, Level
from tui.engine.rows import AccountCommandRow, AlgoRow, CommandState, OrderRow, Table
from tui.protocols import Clock
from tui.workstation.model.event_levels import BY_KEY, Stay, sort_warnings

KEPT_EVENTS = 2000
KEPT_AWAY = 200
SETTLING = frozenset([Table.ORDERS, Table.ALGOS, Table.COMMANDS])
"""Tables whose rows settle events about unknown outcomes."""
ALERT_CAUSE = "alert: "
"""Beginning of the `cause` of an alert's warnings; behind it stands its line."""
FindRow = Callable[[str], AccountCommandRow | OrderRow | AlgoRow | None]


class _Repeated(NamedTuple):
    """Text or kind of the newest event, and how often it has come in a row."""

    kind: str
    times: int


class EventLog:
    """Newest events in order of arrival."""

    def __init__(self, clock: Clock, find_row: FindRow, own_name: Callable[[], str]) -> None:
        """Initialize the log.

        Args:
            clock: Clock of the screen.
            find_row: Finds what an event is about by its key.
            own_name: Returns the name under which this desk is attached to the engine.
        """
        self._clock = clock
        self._find_row = find_row
        self._own_name = own_name
        self.events: deque[tuple[int, EventLine]] = deque(maxlen=KEPT_EVENTS)
        self.heard: deque[float] = deque(maxlen=KEPT_EVENTS)
        """Monotonic arrival time of each event, s."""
        self.count = 0
        self.version = 0
        """Counter of added and changed events."""
        self.dropped = 0
        self._passing: dict[int, tuple[Stay, int]] = {}
        """By event number: how long the event stays, and the number of the key that caused it."""
        self._key_accepted = 0
        """Number of the newest accepted key."""
        self._unsure: dict[int, set[str]] = {}
        """By event number: row keys of orders whose outcome that event calls unknown."""
        self._is_unsure_new = False
        """Whether an event came since the unsure ones were compared with the orders."""
        self._repeated = _Repeated("", 0)
        self.away: list[EventLine] = []
        """Changes found after a reconnect, until the trader clears them."""
        self.sticky: list[EventLine] = []
        """Warnings shown until a key clears them, in the order of `sort_warnings`."""
        self.cleared: list[EventLine] = []
        """Those that a key has cleared."""

    def take(self, batch: Batch, changed: Set[Table], gone: Set[str]) -> None:
        """Append the events of an engine batch whose rows are stored already; update warnings and unsettled events.

        Args:
            batch: Changes of the engine.
            changed: Tables that it changed.
            gone: Keys of rows that it removed.
        """
        for event in batch.events:
            self.add(event)
            if event.cause:
                self.sticky = [line for line in self.sticky if line.cause != event.cause]
            if event.sticky and event.text not in [line.text for line in self.sticky]:
                self.sticky = sort_warnings([*self.sticky, event], KEPT_AWAY)
            if event.away:
                self.away.append(event)
        del self.away[:-KEPT_AWAY]
        if self._unsure and (gone or self._is_unsure_new or not SETTLING.isdisjoint(changed)):
            self._settle_events(gone)
        self.dropped += batch.dropped_events

    def add(self, event: EventLine, kind: str = "") -> None:
        """Append an event of the engine or the screen; a warning repeated in a row only increases the count of its line.

        Args:
            event: Event.
            kind: What repetitions have in common, where their texts name different keys; empty: the whole text.
        """
        self.version += 1
        kind = kind or event.text
        if event.level is Level.WARN and self.events and self.events[-1][0] == self.count:
            newest = self.events[-1][1]
            if (kind, event.key, event.level) == (self._repeated.kind, newest.key, newest.level):
                self._repeated = _Repeated(kind, self._repeated.times + 1)
                counted = msgspec.structs.replace(event, text=f"{event.text} (×{self._repeated.times})")
                self.events[-1] = (self.count, counted)
                self.heard[-1] = self._clock.mono()
                self._note_stay_of(event)
                return
        self._repeated = _Repeated(kind, 1)
        self.count += 1
        self.events.append((self.count, event))
        self.heard.append(self._clock.mono())
        self._note_stay_of(event)
        if event.unsure and event.key:
            self._unsure[self.count] = {event.key, *event.others}
            self._is_unsure_new = True

    def clear_warnings(self, seen: Sequence[EventLine]) -> None:
        """Remove the given warnings from those that wait on the newest-events line, and keep them as cleared."""
        self.sticky = [line for line in self.sticky if line not in seen]
        self.cleared = [*self.cleared, *seen][-KEPT_AWAY:]

    def end_alerts(self, lines: Container[str]) -> bool:
        """Clear the warnings of alerts that are set no more, by their lines; return whether there was one."""
        ended = [event for event in self.sticky if event.by_alert and event.cause.removeprefix(ALERT_CAUSE) in lines]
        self.clear_warnings(ended)
        return bool(ended)

    def _note_stay_of(self, event: EventLine) -> None:
        """Limit the time of an engine event on the newest-events line, if it answers this desk or soon loses its meaning."""
        if self._answers_here(event):
            self.note_stay(Stay.ANSWERED, self._key_accepted)
        elif event.passes:
            self.note_stay(Stay.NEWS, self._key_accepted)

    def _answers_here(self, event: EventLine) -> bool:
        """Return whether an event answers a key of this desk rather than of another desk or program."""
        return event.stays and event.peer == self._own_name()

    def note_stay(self, stay: Stay, key_number: int) -> None:
        """Set how long the newest event stays on the newest-events line, and the number of the key press it answers."""
        self._passing[self.count] = stay, key_number
        oldest = self.count - KEPT_EVENTS
        while (first := next(iter(self._passing))) <= oldest:
            del self._passing[first]

    @property
    def newest_unknown(self) -> EventLine | None:
        """Newest event about an outcome that is not known yet; None if all are known, or it is no longer kept."""
        at = max(self._unsure, default=-1) - (self.events[0][0] if self.events else 0)
        return self.events[at][1] if at >= 0 else None

    def is_answer(self, number: int, event: EventLine) -> bool:
        """Return whether an event comes from the screen or tells the outcome of an order or command."""
        is_notice = number in self._passing and not event.passes
        return is_notice or bool(event.key) or self._answers_here(event) or event.answers

    def accept_key(self, key_number: int) -> bool:
        """Note an accepted key press; return whether it removes notices about earlier keys from the newest-events line."""
        before = self._key_accepted
        if (Stay.NEXT_KEY, key_number) in self._passing.values():
            return False
        self._key_accepted = key_number
        return any(stay in BY_KEY and before <= key < key_number for stay, key in self._passing.values())

    def stay_of(self, number: int) -> Stay:
        """Return the rule for how long an event stays on the newest-events line."""
        return self._passing.get(number, (Stay.PUSHED_OUT, 0))[0]

    def is_unread(self, number: int) -> bool:
        """Return whether an event of the screen came after the last accepted key."""
        return number in self._passing and self._passing[number][1] >= self._key_accepted

    def list_staying(self) -> list[tuple[tuple[int, EventLine], float]]:
        """List the events that stay on the newest-events line until a later key, the newest first, with their times."""
        first = self.events[0][0] if self.events else 0
        kept = [
            number
            for number, (stay, key_number) in reversed(self._passing.items())
            if stay is Stay.ANSWERED and key_number >= self._key_accepted and number >= first
        ]
        return [(self.events[number - first], self.heard[number - first]) for number in kept]

    def is_shown(self, number: int, *, is_news: bool) -> bool:
        """Return whether an event still belongs on the newest-events line."""
        stay, key_number = self._passing.get(number, (Stay.PUSHED_OUT, 0))
        if stay is Stay.PUSHED_OUT:
            return True
        if stay in BY_KEY and key_number < self._key_accepted:
            return False
        return is_news or stay is Stay.ANSWERED

    def _settle_events(self, gone: Container[str]) -> None:
        """Mark events about unknown outcomes as settled, once the state of all their orders is known."""
        self._is_unsure_new = False
        for count, keys in list(self._unsure.items()):
            known = {key for key in keys if key in gone or self._is_known(key)}
            keys -= known
            if keys:
                continue
            del self._unsure[count]
            index = count - self.events[0][0]
            if index < 0:
                continue  # dropped from the kept events
            event = self.events[index][1]
            row = self._find_row(event.key) if not event.others else None
            text = f"settled{f', {row.state_word}' if isinstance(row, OrderRow) else ''}: {event.text}"
            settled = msgspec.structs.replace(event, text=text, level=Level.INFO, unsure=False)
            self.events[index] = (count, settled)
            self.away = [settled if line is event else line for line in self.away]
            self.version += 1

    def _is_known(self, key: str) -> bool:
        row = self._find_row(key)
        if isinstance(row, AccountCommandRow):
            return row.state is not CommandState.UNKNOWN
        return row is not None and not row.unsure
