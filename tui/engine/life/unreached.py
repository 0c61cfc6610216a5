"""Watch on kills, cancels and flattens that did not reach all they were for; it warns, and sends nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from decimal import Decimal

import msgspec

from tui.engine.doer_names import BY, FIRST_DESK, by_whom, name_doer, name_former
from tui.engine.event_line import Level
from tui.engine.intents import (
    AccountCommand,
    Cancel,
    CancelAlgo,
    CancelAll,
    CancelAllAlgos,
    Intent,
    Outcome,
    Place,
    Verdict,
)
from tui.engine.journal.unreached_entry import CANCEL, CANCEL_ALL, FLATTEN, KILL, UNREACHED, UnreachedEntry, cause_of
from tui.engine.modes import OWN_SCREEN
from tui.engine.rows import PendingAction
from tui.engine.state import order_requests
from tui.engine.state.closing_orders import Owner, find_owner, order_only_closes, reduces_leg
from tui.engine.state.engine_state import EngineState
from tui.interface.decimals import ZERO, optional, plain
from tui.interface.families.orders import OrderType
from tui.interface.families.positions import CLOSE_POSITION, CLOSE_POSITIONS, ClosedPositions
from tui.interface.figures import leg_of, name_side, net_size_of, size_of
from tui.interface.symbols import is_in_scope, pair_name
from tui.interface.text import how_many
from tui.interface.times import name_time

MOST_NAMED = 3
"""Most orders and positions that a warning names; further ones are counted."""
_CLOSES = frozenset([CLOSE_POSITION.name, CLOSE_POSITIONS.name])
_OF_VIEW = frozenset(["STATE", "READ_ONLY"])
"""Guards that say that this desk sends nothing now: what they refuse was never on its way."""


class _Missed(msgspec.Struct):
    """Live orders and positions that attempts of one kind (kill, cancel, flatten) were to end and did not reach."""

    at_ms: int
    """Service time of the newest attempt, ms."""
    unsure: bool = False
    """Whether it may have arrived: its answer was lost."""
    by: str | None = None
    """Sender of the newest attempt; None: not known."""
    orders: set[str] = msgspec.field(default_factory=set)
    algos: set[str] = msgspec.field(default_factory=set)
    legs: set[str] = msgspec.field(default_factory=set)
    kept: dict[str, str] = msgspec.field(default_factory=dict)
    """Those of them that the trader keeps on purpose; with the size of a position, negative when short."""
    is_news: bool = True
    """Whether it is to be told."""
    was_told: bool = False

    @property
    def is_empty(self) -> bool:
        return not (self.orders or self.algos or self.legs)

    @property
    def without_kept(self) -> _Missed:
        """Copy without the orders and positions that the trader keeps on purpose."""
        orders, algos, legs = (keys - self.kept.keys() for keys in (self.orders, self.algos, self.legs))
        return msgspec.structs.replace(self, orders=orders, algos=algos, legs=legs)

    def add(self, orders: Collection[str] = (), algos: Collection[str] = (), legs: Collection[str] = ()) -> None:
        """Add orders and positions that an attempt missed; the trader's earlier decision to keep them no longer holds."""
        for mine, more in ((self.orders, orders), (self.algos, algos), (self.legs, legs)):
            mine.update(more)
            for key in more:
                self.kept.pop(key, None)

    def to_entry(self, kind: str) -> UnreachedEntry:
        """Build the journal payload of this kind's missed orders and positions."""
        orders, algos, legs = (tuple(sorted(keys)) for keys in (self.orders, self.algos, self.legs))
        return UnreachedEntry(
            kind=kind, at_ms=self.at_ms, unsure=self.unsure, by=FIRST_DESK if self.by == OWN_SCREEN else self.by or "",
            orders=orders, algos=algos, legs=legs, kept=dict(self.kept),
        )  # fmt: skip


class UnreachedMonitor:
    """Monitor of orders and positions that a kill, cancel or flatten missed: one warning per kind until they have ended."""

    def __init__(self, state: EngineState, knows_algos: Callable[[], bool]) -> None:
        """Initialize the monitor; `knows_algos` says whether the list of open algo orders is known."""
        self._state = state
        self._knows_algos = knows_algos
        self._missed: dict[str, _Missed] = {}
        """By the kind of what did not arrive."""
        self._journaled: dict[str, UnreachedEntry] = {}
        """Newest journal entry of each kind."""
        self._was_synced = False

    def restore(self, entries: Iterable[UnreachedEntry]) -> None:
        """Continue the warnings of earlier sessions."""
        for entry in entries:
            missed = self._missed.setdefault(entry.kind, _Missed(entry.at_ms, entry.unsure))
            missed.by = name_former(entry.by) or None
            missed.is_news = True
            missed.add(entry.orders, entry.algos, entry.legs)
            missed.kept.update(entry.kept)

    def note(self, intent: Intent, outcome: Outcome, asked_ms: int) -> None:
        """Record which orders and positions a kill, cancel or flatten that was not accepted did not reach.

        Args:
            intent: Intent.
            outcome: What became of it.
            asked_ms: Time at which it was submitted, ms.
        """
        if outcome.verdict is Verdict.ACCEPTED:
            return
        if isinstance(intent, CancelAll):
            if self._has_missed(intent, outcome):
                orders, algos = self._list_orders(intent), self._list_algos(intent)
                # One that was to keep all that works is no newer attempt at what an earlier one has missed.
                if orders or algos or not intent.spare_closing:
                    self._renew(KILL if intent.kill else CANCEL_ALL, asked_ms, outcome, intent).add(orders, algos)
        elif isinstance(intent, CancelAllAlgos):
            if self._has_missed(intent, outcome):
                self._renew(CANCEL_ALL, asked_ms, outcome, intent).add(algos=self._list_matching(intent))
        elif isinstance(intent, Cancel):
            if self._is_cut_off(intent, outcome):
                self._renew(CANCEL, asked_ms, outcome, intent).add(orders={intent.key})
        elif isinstance(intent, CancelAlgo):
            if self._is_cut_off(intent, outcome):
                self._renew(CANCEL, asked_ms, outcome, intent).add(algos={intent.key})
        elif isinstance(intent, Place) and intent.kill:
            self._renew(KILL, asked_ms, outcome, intent).add(legs=self._list_legs(intent))
        elif (legs := self._list_legs(intent)) and outcome.guard not in _OF_VIEW:
            self._renew(FLATTEN, asked_ms, outcome, intent).add(legs=legs)
        elif isinstance(intent, Place) and self._is_cut_off(intent, outcome) and (leg := self._find_closed_leg(intent)):
            self._renew(FLATTEN, asked_ms, outcome, intent).add(legs={leg})
        self._journal_changes()

    def _is_cut_off(self, intent: Cancel | CancelAlgo | Place, outcome: Outcome) -> bool:
        """Return whether an intent of a trader, not of a program, was refused because the link is down."""
        return outcome.guard == "LINK" and not self._state.trading.of(intent.decision.peer).is_program

    def _find_closed_leg(self, intent: Place) -> str:
        """Return the key of the position that a market order was to close whole, or an empty text."""
        key = _leg_key(intent.sym, intent.position_side)
        fact = self._state.facts.positions.rows.get(key)
        is_whole = fact is not None and size_of(fact.record) == optional(intent.qty)
        if not is_whole or intent.order_type is not OrderType.MARKET:
            return ""
        return (
            key
            if order_only_closes(intent.sym, intent.side, intent.position_side, reduce_only=intent.reduce_only)
            else ""
        )

    def _has_missed(self, intent: CancelAll | CancelAllAlgos, outcome: Outcome) -> bool:
        """Return whether an unaccepted cancel-all may have missed orders: not if a program's, or denied with the link up."""
        if isinstance(intent, CancelAll) and intent.kill:
            return True
        is_refused = outcome.verdict is Verdict.DENIED and outcome.guard != "LINK"
        return not is_refused and not self._state.trading.of(intent.decision.peer).is_program

    def _renew(self, kind: str, at_ms: int, outcome: Outcome, intent: Intent) -> _Missed:
        """Return the record of what a kind has missed, updated with the latest attempt; earlier misses stay in it."""
        missed = self._missed.setdefault(kind, _Missed(at_ms))
        missed.at_ms, missed.is_news, missed.unsure = at_ms, True, outcome.verdict is Verdict.UNKNOWN
        missed.by = intent.decision.peer
        return missed

    def _list_orders(self, intent: CancelAll) -> set[str]:
        """List the keys of working orders that a cancel-all was for and that are not being cancelled."""
        orders, legs = self._state.orders, self._state.facts.positions.rows
        return {
            row.key
            for row in orders.working()
            if is_in_scope(row.sym, intent.exchange, intent.sym)
            and not orders.is_being_cancelled(row.key)
            and not (intent.spare_closing and reduces_leg(row, legs))
        }

    def _list_algos(self, intent: CancelAll) -> set[str]:
        legs, working = self._state.facts.positions.rows, self._state.orders.working()
        return {
            row.key
            for row in self._state.algos.rows.values()
            if is_in_scope(row.record.sym, intent.exchange, intent.sym)
            and row.overlay is not PendingAction.CANCEL
            and not (intent.spare_closing and find_owner(row, legs, working) is not Owner.NOBODY)
        }

    def _list_matching(self, intent: CancelAllAlgos) -> set[str]:
        """List the keys of algo orders that match the filters of a cancel and are not being cancelled."""
        filters, rows = order_requests.cancel_all_algos(intent), self._state.algos.rows.values()
        return {row.key for row in rows if filters.matches(row.record) and row.overlay is not PendingAction.CANCEL}

    def _list_legs(self, intent: Intent) -> set[str]:
        """List the keys of positions that a kill, flatten or close command was to close; empty for other intents."""
        known = self._state.facts.positions.rows
        if isinstance(intent, Place):
            return {_leg_key(intent.sym, intent.position_side)} if intent.kill or intent.flattens else set()
        if not isinstance(intent, AccountCommand) or intent.endpoint not in _CLOSES:
            return set()
        asked = msgspec.convert(dict(intent.args), ClosedPositions)
        if asked.syms:
            return {_leg_key(sym, asked.position_side) for sym in asked.syms}
        return {key for key, fact in known.items() if is_in_scope(fact.record.sym, asked.exchange_type, "")}

    def check(self) -> None:
        """Warn of new misses, and again when the link is back; end a warning when all that it names has ended."""
        state = self._state
        is_back, self._was_synced = state.synced and not self._was_synced, state.synced
        for kind, missed in list(self._missed.items()):
            self._drop_ended(missed)
            self._follow_kept(missed)
            left = missed.without_kept
            if left.is_empty and missed.was_told:
                missed.was_told = False
                but = " but what you keep" if missed.kept else ""
                text = f"{kind} of {self._name_time(missed)}: all that it missed has ended{but}"
                state.notify(Level.INFO, text, cause=cause_of(kind))
            elif (missed.is_news or is_back) and self._is_left(left):
                missed.is_news, missed.was_told = False, True
                text, named = name_doer(self._describe(kind, left), missed.by)
                state.notify(Level.ALERT, text, sticky=True, cause=cause_of(kind), keepable=True, elsewhere=named)
            if missed.is_empty:
                del self._missed[kind]
        self._journal_changes()
        self._count_kill()

    def _count_kill(self) -> None:
        """Set the text of how much a kill missed and the trader does not keep, for the status and the `resume` question."""
        missed = self._missed.get(KILL)
        trading = self._state.trading
        trading.unreached = "" if missed is None else _count(missed.without_kept)
        trading.unreached_by = "" if missed is None or missed.by is None else f" {by_whom(missed.by)}"

    def keep(self, cause: str) -> None:
        """End a warning and mark what it names as kept on purpose; refuse while the link is down.

        Over a cut link he had no choice: there it only says that it will be told again.
        """
        kind = next((kind for kind in self._missed if cause_of(kind) == cause), "")
        if not kind:
            return
        missed, state = self._missed[kind], self._state
        left, whose = missed.without_kept, f"{kind} of {self._name_time(missed)}"
        if not state.synced:
            text = f"told again when the link is back; clearing then keeps {_count(left)}"
            state.notify(Level.INFO, f"{text}: {whose}", away=False, answers=True, cause=cause)
            return
        if left.is_empty:
            return
        names = _join(self._name_left(left))
        missed.kept.update(dict.fromkeys(left.orders | left.algos, ""))
        missed.kept.update({key: plain(self._size_now(key) or ZERO) for key in left.legs})
        missed.was_told = False
        self._count_kill()
        # Every window ends its warning by this line, so it is said also where nothing can be named.
        text = f"kept: {names or f'what the {whose} missed'}; not told again before a new {kind}"
        text += ", or until it grows" if left.legs else ""
        state.notify(Level.INFO, text, away=False, answers=True, cause=cause)
        self._journal_changes()

    def _size_now(self, leg: str) -> Decimal | None:
        """Return the current size of a position, negative when short; None if the position is not known."""
        fact = self._state.facts.positions.rows.get(leg)
        return None if fact is None else net_size_of(fact.record)

    def _follow_kept(self, missed: _Missed) -> None:
        """Warn again of a kept position that has grown; one that changed sides no longer counts as missed."""
        for key in missed.kept.keys() & missed.legs:
            now, kept = self._size_now(key), Decimal(missed.kept[key])
            if now is None:
                continue
            if now * kept < 0:
                missed.legs.discard(key)
            elif abs(now) > abs(kept):
                del missed.kept[key]
                missed.is_news = True
        missed.kept = {
            key: size for key, size in missed.kept.items() if key in missed.orders | missed.algos | missed.legs
        }

    def _journal_changes(self) -> None:
        """Journal what is missed of each kind that changed, so that the next session warns of it too."""
        for kind in self._journaled.keys() | self._missed.keys():
            missed = self._missed.get(kind)
            entry = UnreachedEntry(kind=kind) if missed is None else missed.to_entry(kind)
            if entry == self._journaled.get(kind, UnreachedEntry(kind=kind)):
                continue
            self._journaled[kind] = entry
            self._state.write_journal(UNREACHED, entry)

    def _drop_ended(self, missed: _Missed) -> None:
        """Remove ended orders and positions; absence from a list counts as ended only when that list is known in full."""
        state = self._state
        rows, legs = state.orders.rows, state.facts.positions.rows
        missed.orders = {key for key in missed.orders if not (rows[key].final if key in rows else state.was_synced)}
        if self._knows_algos():
            missed.algos &= state.algos.rows.keys()
        if state.was_synced:
            missed.legs = {key for key in missed.legs if key in legs and size_of(legs[key].record)}

    def _is_left(self, missed: _Missed) -> bool:
        """Return whether a missed position is left, or a missed order that is not being cancelled."""
        state = self._state
        algos = state.algos.rows
        cancelled = [
            *(state.orders.is_being_cancelled(key) for key in missed.orders),
            *(key in algos and algos[key].overlay is PendingAction.CANCEL for key in missed.algos),
        ]
        return bool(missed.legs) or not all(cancelled)

    def _name_left(self, missed: _Missed) -> list[str]:
        """List the names of missed positions and of the known missed orders that are not being cancelled."""
        state = self._state
        orders, algos = state.orders, state.algos.rows
        left = [
            orders.text_of(orders.rows[key])
            for key in missed.orders & orders.rows.keys()
            if not orders.is_being_cancelled(key)
        ]
        left += [
            state.algos.text_of(algos[key].record)
            for key in missed.algos & algos.keys()
            if algos[key].overlay is not PendingAction.CANCEL
        ]
        return sorted([*left, *(f"position {self._name_leg(key)}" for key in missed.legs)])

    def _name_leg(self, key: str) -> str:
        fact = self._state.facts.positions.rows.get(key)
        if fact is None:
            return pair_name(key.partition("/")[0])
        return f"{pair_name(fact.record.sym)} {leg_of(fact.record)} {fact.record.position_qty.removeprefix('-')}"

    def _describe(self, kind: str, missed: _Missed) -> str:
        """Describe what to repeat, what it did not reach, when it was tried, and what is still live."""
        how = f"{kind}{BY} {'is not confirmed' if missed.unsure else 'missed'}, redo it"
        tried = f"tried {self._name_time(missed)}"
        if len(missed.legs) == 1 and not (missed.orders or missed.algos):
            return f"{how}: {self._name_leg(next(iter(missed.legs)))}; {tried}"
        names = _join(self._name_left(missed))
        return f"{how}: {_count(missed, 'algo')}; {tried}{f'; live: {names}' if names else ''}"

    def _name_time(self, missed: _Missed) -> str:
        """Format the time of the newest attempt, UTC, with the date if that is not today."""
        return name_time(missed.at_ms, self._state.server_ms())


def _leg_key(sym: str, side: str) -> str:
    return f"{sym}/{name_side(side)}"


def _join(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(names[:MOST_NAMED])}{more}" if names else ""


def _count(missed: _Missed, algo: str = "algo order") -> str:
    """Format how many orders and positions are missed: `1 order, 2 positions`; empty for none."""
    counts = (len(missed.orders), "order"), (len(missed.algos), algo), (len(missed.legs), "position")
    return ", ".join(how_many(number, noun) for number, noun in counts if number)
