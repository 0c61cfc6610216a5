"""Watch on kills and cancel-alls that did not reach all they were for; it warns, and sends nothing."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

import msgspec

from tui.engine.intents import CancelAll, Intent, Outcome, Place, Verdict
from tui.engine.rows import Level, PendingAction
from tui.engine.state.closing_orders import reduces_any_leg, reduces_leg
from tui.engine.state.engine_state import EngineState
from tui.interface.figures import leg_of, name_side, size_of
from tui.interface.symbols import is_in_scope
from tui.interface.text import how_many

KILL, CANCEL_ALL = "kill", "cancel-all"
MOST_NAMED = 3
"""Most orders and positions that a warning names; further ones are counted."""


class _Missed(msgspec.Struct):
    """Live orders and positions that a kill or a cancel-all was for and did not reach."""

    at: str
    """Wall time, for the trader."""
    unsure: bool = False
    """Whether it may have arrived: its answer was lost."""
    orders: set[str] = msgspec.field(default_factory=set)
    algos: set[str] = msgspec.field(default_factory=set)
    legs: set[str] = msgspec.field(default_factory=set)
    is_news: bool = True
    """Whether it is to be told."""
    was_told: bool = False

    @property
    def is_empty(self) -> bool:
        return not (self.orders or self.algos or self.legs)


class UnreachedMonitor:
    """Monitor of what kills and cancel-alls did not reach: one standing warning each, until all of it has ended."""

    def __init__(self, state: EngineState) -> None:
        self._state = state
        self._missed: dict[str, _Missed] = {}
        """By the kind of what did not arrive."""
        self._was_synced = False

    def note(self, intent: Intent, outcome: Outcome, asked_ms: int) -> None:
        """Remember what an intent of a kill, or another cancel-all, did not reach.

        Args:
            intent: Intent.
            outcome: What became of it.
            asked_ms: Time at which it was submitted, ms.
        """
        at = f"{datetime.fromtimestamp(asked_ms // 1000, UTC):%H:%M:%S}"
        if isinstance(intent, CancelAll) and self._has_missed(intent, outcome):
            missed = self._renew(KILL if intent.kill else CANCEL_ALL, at, outcome)
            missed.orders |= self._list_orders(intent)
            missed.algos |= self._list_algos(intent)
        elif isinstance(intent, Place) and intent.kill and outcome.verdict in (Verdict.DENIED, Verdict.REJECTED):
            self._renew(KILL, at, outcome).legs.add(f"{intent.sym}/{name_side(intent.position_side)}")

    def _has_missed(self, intent: CancelAll, outcome: Outcome) -> bool:
        """Return whether a cancel-all may have left orders; one that the trading state refuses was never on its way."""
        if outcome.verdict not in (Verdict.DENIED, Verdict.REJECTED, Verdict.UNKNOWN):
            return False
        if intent.kill:
            return True
        is_refused = outcome.verdict is Verdict.DENIED and outcome.guard != "LINK"
        return not is_refused and not self._state.trading.of(intent.decision.peer).is_program

    def _renew(self, kind: str, at: str, outcome: Outcome) -> _Missed:
        """Return what a kind has missed, named by its latest attempt; what earlier ones missed stays in it."""
        missed = self._missed.setdefault(kind, _Missed(at))
        missed.at, missed.is_news, missed.unsure = at, True, outcome.verdict is Verdict.UNKNOWN
        return missed

    def _list_orders(self, intent: CancelAll) -> set[str]:
        """List the orders of a scope that work on and that no cancel is under way for."""
        orders, legs = self._state.orders, self._state.facts.positions.rows
        return {
            row.key
            for row in orders.working()
            if is_in_scope(row.sym, intent.exchange, intent.sym)
            and not orders.is_being_cancelled(row.key)
            and not (intent.spare_closing and reduces_leg(row, legs))
        }

    def _list_algos(self, intent: CancelAll) -> set[str]:
        legs = self._state.facts.positions.rows
        return {
            row.key
            for row in self._state.algos.rows.values()
            if is_in_scope(row.record.sym, intent.exchange, intent.sym)
            and row.overlay is not PendingAction.CANCEL
            and not (intent.spare_closing and reduces_any_leg(row, legs))
        }

    def check(self) -> None:
        """Warn of what is new, and again when the link is back; end a warning when all of it has ended."""
        state = self._state
        is_back, self._was_synced = state.synced and not self._was_synced, state.synced
        for kind, missed in list(self._missed.items()):
            self._drop_ended(missed)
            if missed.is_empty:
                del self._missed[kind]
                if missed.was_told:
                    text = f"{kind} of {missed.at}: all that it did not reach has ended"
                    state.notify(Level.INFO, text, cause=_cause(kind))
            elif (missed.is_news or is_back) and (names := self._name_left(missed)):
                missed.is_news, missed.was_told = False, True
                state.notify(Level.ALERT, _describe(kind, missed, names), sticky=True, cause=_cause(kind))
        left = self._missed.get(KILL)
        state.trading.unreached = "" if left is None else _count(left)

    def _drop_ended(self, missed: _Missed) -> None:
        """Take out what has ended; a list that is not known in full ends nothing but orders."""
        state = self._state
        rows, legs = state.orders.rows, state.facts.positions.rows
        missed.orders = {key for key in missed.orders if key in rows and not rows[key].final}
        missed.algos = {key for key in missed.algos if key in state.algos.rows}
        missed.legs = {key for key in missed.legs if key in legs and size_of(legs[key].record)}

    def _name_left(self, missed: _Missed) -> list[str]:
        """Name what works on, but for orders that a cancel is under way for by now."""
        state = self._state
        orders, algos = state.orders, state.algos.rows
        left = [orders.text_of(orders.rows[key]) for key in missed.orders if not orders.is_being_cancelled(key)]
        left += [
            state.algos.text_of(algos[key].record)
            for key in missed.algos
            if algos[key].overlay is not PendingAction.CANCEL
        ]
        records = [state.facts.positions.rows[key].record for key in missed.legs]
        left += [
            f"position {record.sym} {leg_of(record)} {record.position_qty.removeprefix('-')}" for record in records
        ]
        return sorted(left)


def _cause(kind: str) -> str:
    return f"{kind} that did not arrive"


def _count(missed: _Missed) -> str:
    """Count what is left: `1 order, 2 positions`."""
    counts = (len(missed.orders), "order"), (len(missed.algos), "algo order"), (len(missed.legs), "position")
    return ", ".join(how_many(number, noun) for number, noun in counts if number)


def _describe(kind: str, missed: _Missed, names: Iterable[str]) -> str:
    """Say what an attempt did not reach, and how it is tried again."""
    listed = list(names)
    more = f" and {len(listed) - MOST_NAMED} more" if len(listed) > MOST_NAMED else ""
    again = "X again" if kind == KILL else "cancel again"
    how = "is not confirmed for" if missed.unsure else "did not reach"
    return f"{kind} of {missed.at} {how} {_count(missed)}: {again}; live: {', '.join(listed[:MOST_NAMED])}{more}"
