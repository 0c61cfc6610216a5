"""Replay of earlier sessions from the journal: open orders become rows again, known fills are not reported again."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from tui.engine.journal import command_replay
from tui.engine.journal.command_replay import ReplayedCommands, apply_command_entry, begin_command, open_command
from tui.engine.journal.journal_file import CHECKPOINT
from tui.engine.journal.order_replay import (
    IntentPayload,
    ReplayedOrder,
    apply_order_entry,
    apply_replace_entry,
    begin_order,
    begin_replace,
    open_order,
)
from tui.engine.journal.sent_commands import SentCommands, apply_sent_entry, keep_newest
from tui.engine.journal.unreached_entry import UNREACHED, UnreachedEntry
from tui.engine.modes import NOT_RESTRICTED, RISK_MODE, RiskEntry, RiskMode
from tui.engine.rows import OrderRow
from tui.engine.state.algo_table import HAD_POSITION
from tui.engine.state.command_table import AnyCommand
from tui.engine.state.fill_table import OVERLAP_MS
from tui.engine.state.order_fold import GUARD_ENDED
from tui.engine.state.order_table import DISMISSED_COUNTS
from tui.interface.families.algo import OPEN_ALGO_STATES, AlgoRecord
from tui.interface.families.history import TradeRecord
from tui.interface.families.orders import OrderRecord, is_final
from tui.protocols import JournalEntry
from tui.rules.day_result import DAY_MS, DayResult, fill_content, fill_name, parse_created_ms

ENDED_KEPT = 600.0
"""Time for which checkpoint and session remember an ended order, s, because a late message may refer to it."""
FILLS_KEPT_MS = 600_000
"""Time before the last read for which a checkpoint keeps fill ids, ms, so that none is reported twice."""
ACCOUNT = "account"
"""Kind of the entry that names the account of the following entries."""


class AccountPayload(msgspec.Struct):
    """Payload of a journal entry of kind `account`: account and portfolio of the entries after it."""

    account_id: str
    portfolio: str = ""


class ReplayedSession(msgspec.Struct):
    """Replayed state that a new session starts from."""

    rows: list[OrderRow]
    dismissed: list[tuple[OrderRow, float]]
    """Orders dismissed recently, with monotonic time, s: they count in the limits, and may still arrive."""
    fills: dict[str, int]
    """createAt in ms, by name of the fill (`fill_name`)."""
    day: DayResult
    """Fills of the newest day, since `begin_ms`."""
    begin_ms: int
    """Server time since which the journal holds every fill; 0: no session read fills, so it is the first start."""
    complete_ms: int
    """Server time until which the journal holds every fill."""
    traded: dict[str, int]
    """Wall time of the last order by pair, ms."""
    unreadable: int = 0
    """Number of intents that could not be decoded."""
    commands: list[AnyCommand] = []
    """Unsettled REST commands."""
    dismissed_algos: frozenset[str] = frozenset()
    """Row keys of new algo orders dismissed recently, which may still arrive."""
    first_ms: int = 0
    """Wall time of the first entry, ms; 0: there is none."""
    ended: list[OrderRow] = []
    """Orders that ended recently; a late message or an older list may still contain them."""
    contents: dict[str, str] = {}
    """Content of fills by name, to recognise reused ids."""
    account_id: str = ""
    """Account of the newest entries; empty: none is named."""
    left: tuple[str, ...] = ()
    """Row keys of open orders whose mandate has ended, at the latest with its desk."""
    risk: RiskEntry = NOT_RESTRICTED
    """Risk mode that was in force."""
    sent: SentCommands = {}
    """Commands of other processes."""
    had_position: frozenset[str] = frozenset()
    """Row keys of algo orders that can open and had a position to reduce."""
    guard_ended: frozenset[str] = frozenset()
    """Row keys of orders whose stop or target ended before them."""
    unreached: tuple[UnreachedEntry, ...] = ()
    """What kills, cancel-alls and flattens did not reach."""


class _Holder(msgspec.Struct):
    peer: str


class _MandateEntry(msgspec.Struct):
    """Payload of a journal entry of kind `mandate`: begin or end of a mandate, or a request (`granted` is False)."""

    granted: _Holder | bool = False
    ended: _Holder | None = None
    cancels: tuple[str, ...] = ()
    """Row keys of the orders that are cancelled because it ended."""


class JournalReplay(msgspec.Struct):
    """State replayed from the journal entries in order: orders, replaces, commands and fills."""

    orders: dict[str, ReplayedOrder] = {}
    replaces: dict[str, str] = {}
    """Client order id of the order, by intent id of a replace."""
    fills: dict[str, int] = {}
    day: DayResult = msgspec.field(default_factory=DayResult)
    begin_ms: int = 0
    complete_ms: int = 0
    traded: dict[str, int] = {}
    unreadable: int = 0
    settings: ReplayedCommands = {}
    """Setting commands by setting, which is the intent id of their entries."""
    algos: ReplayedCommands = {}
    """Algo commands by row key of the algo order."""
    commands: ReplayedCommands = {}
    """Account commands by id."""
    dismissed_algos: dict[str, int] = {}
    """Wall time of dismissal by row key of a new algo order, ms."""
    first_ms: int = 0
    """Wall time of the first entry, ms."""
    contents: dict[str, str] = {}
    """Content of fills by name, to recognise reused ids."""
    account_id: str = ""
    """Account in the newest `account` entry."""
    holders: set[str] = set()
    """Programs with a mandate in force."""
    left: set[str] = set()
    """Row keys of orders that ended mandates left."""
    risk: RiskEntry = NOT_RESTRICTED
    """Risk mode that the trader set and that lasts over a restart."""
    sent: SentCommands = {}
    """Commands of other processes."""
    had_position: set[str] = set()
    """Row keys of open algo orders that can open and had a position to reduce."""
    guard_ended: set[str] = set()
    """Row keys of open orders whose stop or target ended before them."""
    unreached: dict[str, UnreachedEntry] = {}
    """What kills, cancel-alls and flattens did not reach, by kind."""

    def apply(self, entry: JournalEntry) -> None:
        """Apply one journal entry; an unreadable one is skipped, and counted if it is an intent."""
        try:
            self._apply(entry)
            self._note_had_position(entry)
            self._note_guard_ended(entry)
            self._note_unreached(entry)
            apply_sent_entry(self.sent, entry)
            self.first_ms = self.first_ms or entry.wall_ms
        except (msgspec.MsgspecError, ValueError):
            self.unreadable += entry.kind == "intent"

    def checkpoint(self, wall: float) -> str:
        """Encode the state that later sessions need as a checkpoint: open and recent orders, open commands, recent fills."""
        orders = {cid: order for cid, order in self.orders.items() if _is_needed(order, wall)}
        replaces = {name: cid for name, cid in self.replaces.items() if cid in orders}
        fresh = self.complete_ms - FILLS_KEPT_MS
        fills = {name: at for name, at in self.fills.items() if at >= fresh or name in self.day.counted}
        oldest = (wall - DISMISSED_COUNTS) * 1000
        dismissed = {key: at for key, at in self.dismissed_algos.items() if at > oldest}
        contents = {name: content for name, content in self.contents.items() if name in fills}
        kept = msgspec.structs.replace(
            self, orders=orders, replaces=replaces, fills=fills, dismissed_algos=dismissed, contents=contents,
            left=self.left & orders.keys(), sent=keep_newest(self.sent, wall),
        )  # fmt: skip
        return msgspec.json.encode(kept).decode()

    def _load(self, text: str) -> None:
        for name, value in msgspec.structs.asdict(msgspec.json.decode(text, type=JournalReplay)).items():
            setattr(self, name, value)

    def _apply(self, entry: JournalEntry) -> None:
        if entry.kind == CHECKPOINT:
            self._load(entry.payload)
        elif entry.kind == ACCOUNT:
            self._apply_account(msgspec.json.decode(entry.payload, type=AccountPayload).account_id)
        elif entry.kind == "intent":
            self._apply_intent(entry)
        elif entry.intent_id in self.replaces:
            apply_replace_entry(self.orders, self.replaces, entry)
        elif (commands := self._commands_with(entry.intent_id)) is not None:
            if entry.kind == "dismiss" and commands is self.algos:
                self.dismissed_algos[entry.intent_id] = entry.wall_ms
            apply_command_entry(commands, entry)
        elif entry.kind == "algo":
            self.dismissed_algos.pop(entry.intent_id, None)
        elif entry.kind == "fill":
            self._apply_fill(msgspec.json.decode(entry.payload, type=TradeRecord), entry.wall_ms)
        elif entry.kind == "mandate":
            self._apply_mandate(msgspec.json.decode(entry.payload, type=_MandateEntry))
        elif entry.kind == RISK_MODE:
            self._apply_risk(msgspec.json.decode(entry.payload, type=RiskEntry), entry.wall_ms)
        elif entry.kind == "fills":
            self._apply_fills_reading(msgspec.json.decode(entry.payload, type=_FillsReading))
        elif entry.kind == "gap":
            # Fill entries may be among the lost ones: fills are read again from before the gap.
            self.complete_ms = max(self.begin_ms, self.complete_ms - 2 * OVERLAP_MS)
        elif entry.client_order_id in self.orders:
            apply_order_entry(self.orders[entry.client_order_id], entry)

    def _note_had_position(self, entry: JournalEntry) -> None:
        """Remember that an algo order once had a position to reduce; forget it when the algo order has ended."""
        if entry.kind == HAD_POSITION:
            self.had_position.add(entry.intent_id)
        if entry.kind != "algo" or entry.intent_id not in self.had_position:
            return
        if msgspec.json.decode(entry.payload, type=AlgoRecord).order_state not in OPEN_ALGO_STATES:
            self.had_position.discard(entry.intent_id)

    def _note_guard_ended(self, entry: JournalEntry) -> None:
        """Remember that an order's stop or target ended, so that its further fills have none, until the order ends."""
        if entry.kind == GUARD_ENDED:
            self.guard_ended.add(entry.intent_id)
        keys = self.guard_ended & {entry.client_order_id, entry.order_id}
        if not keys or entry.kind not in ("push", "query", "snapshot"):
            return
        if is_final(msgspec.json.decode(entry.payload, type=OrderRecord).order_state):
            self.guard_ended -= keys

    def _note_unreached(self, entry: JournalEntry) -> None:
        """Store the newest entry of what a kind of kill, cancel or flatten missed; an empty entry deletes it."""
        if entry.kind != UNREACHED:
            return
        told = msgspec.json.decode(entry.payload, type=UnreachedEntry)
        self.unreached.pop(told.kind, None)
        if not told.is_empty:
            self.unreached[told.kind] = told

    def _apply_risk(self, told: RiskEntry, wall_ms: int) -> None:
        """Apply a journaled risk mode: NORMAL ends the restriction, a lasting mode sets it, HALT stays until NORMAL."""
        if told.mode is RiskMode.NORMAL:
            self.risk = NOT_RESTRICTED
        elif told.lasts and self.risk.mode is not RiskMode.HALT:
            self.risk = msgspec.structs.replace(told, at_ms=wall_ms)

    def _apply_mandate(self, told: _MandateEntry) -> None:
        if isinstance(told.granted, _Holder):
            self.holders.add(told.granted.peer)
        if told.ended is not None:
            self.holders.discard(told.ended.peer)
            self.left.update(told.cancels)

    def list_left(self) -> tuple[str, ...]:
        """List client ids of open orders whose mandate has ended or was still granted when the desk ended."""
        working = {cid: order for cid, order in self.orders.items() if not order.is_over}
        held = {cid for cid, order in working.items() if order.place.decision.peer in self.holders}
        return tuple(cid for cid in working if cid in held | self.left)

    def _apply_account(self, account_id: str) -> None:
        """Set the account of the following entries; a change of account discards the state replayed so far."""
        if self.account_id and self.account_id != account_id:
            for name, value in msgspec.structs.asdict(JournalReplay(first_ms=self.first_ms)).items():
                setattr(self, name, value)
        self.account_id = account_id

    def _apply_fill(self, fill: TradeRecord, wall_ms: int) -> None:
        """Count a fill; a new day begins only when both the fill's date and its journal entry's time have reached it."""
        name = fill_name(fill, self.fills, self.contents)
        self.day.begin(min(parse_created_ms(fill), wall_ms) // DAY_MS)
        self.fills[name], self.contents[name] = parse_created_ms(fill), fill_content(fill)
        self.day.add(fill, name)

    def _apply_intent(self, entry: JournalEntry) -> None:
        if entry.client_order_id:
            sym = begin_order(self.orders, entry)
            if sym:
                self.traded[sym] = entry.wall_ms
            return
        begin_replace(self.orders, self.replaces, entry)
        kind = msgspec.json.decode(entry.payload, type=IntentPayload).kind
        if kind in command_replay.KINDS:
            begin_command(self._commands_of(kind), entry)

    def _commands_of(self, kind: str) -> ReplayedCommands:
        """Return the replayed commands of a kind: settings, algo orders, or account commands."""
        if kind in command_replay.SETTINGS:
            return self.settings
        return self.algos if kind in command_replay.ALGOS else self.commands

    def _commands_with(self, key: str) -> ReplayedCommands | None:
        """Return the group of replayed commands that contains a key, or None."""
        return next((commands for commands in (self.settings, self.algos, self.commands) if key in commands), None)

    def _apply_fills_reading(self, read: _FillsReading) -> None:
        if not self.begin_ms:
            self.begin_ms = self.complete_ms = read.begin
        if read.since <= self.complete_ms:
            self.complete_ms = max(self.complete_ms, read.complete)


class _FillsReading(msgspec.Struct):
    """Journaled read of fills: journal begin, first time read, and time up to which all were read; server ms."""

    begin: int
    since: int
    complete: int


def replay_entries(
    entries: Iterable[JournalEntry], *, portfolio: str, now: float, wall: float, account_id: str = ""
) -> ReplayedSession:
    """Replay all journal entries to the state of a new session; another account's entries only give its begin.

    Args:
        entries: All entries, oldest first.
        portfolio: Portfolio of the orders.
        now: Monotonic time, s.
        wall: Unix time, s.
        account_id: Account that continues it; entries of another account are ignored. Empty: none is named.
    """
    replay = JournalReplay()
    for entry in entries:
        replay.apply(entry)
    named = replay.account_id
    if account_id and named and named != account_id:
        replay = JournalReplay(first_ms=replay.first_ms)
    session = build_session(replay, portfolio=portfolio, now=now, wall=wall)
    return msgspec.structs.replace(session, account_id=named)


def build_session(replay: JournalReplay, *, portfolio: str, now: float, wall: float) -> ReplayedSession:
    """Build the state that a new session starts from."""
    rows = [open_order(cid, order, portfolio, now, wall) for cid, order in replay.orders.items() if not order.is_over]
    dismissed = [
        (open_order(cid, order, portfolio, now, wall), now - (wall - order.dismissed_ms / 1000))
        for cid, order in replay.orders.items()
        if _counts_dismissed(order, wall)
    ]
    # Without a read the day is counted again: fills before and between the pushed ones may be missing.
    day = replay.day if replay.begin_ms else DayResult()
    ended = [
        open_order(cid, order, portfolio, now, wall)
        for cid, order in replay.orders.items()
        if _has_ended_lately(order, wall)
    ]
    kept = {**replay.settings, **replay.algos, **replay.commands}
    commands = [open_command(key, command, now) for key, command in kept.items()]
    return ReplayedSession(
        rows=rows, dismissed=dismissed, fills=replay.fills, day=day, begin_ms=replay.begin_ms,
        complete_ms=replay.complete_ms, traded=replay.traded, unreadable=replay.unreadable, commands=commands,
        dismissed_algos=frozenset(replay.dismissed_algos), first_ms=replay.first_ms, ended=ended,
        contents=replay.contents, account_id=replay.account_id, left=replay.list_left(), risk=replay.risk,
        sent=keep_newest(replay.sent, wall), had_position=frozenset(replay.had_position),
        guard_ended=frozenset(replay.guard_ended), unreached=tuple(replay.unreached.values()),
    )  # fmt: skip


def _is_needed(order: ReplayedOrder, wall: float) -> bool:
    return not order.is_over or _counts_dismissed(order, wall) or _is_young(order, wall)


def _has_ended_lately(order: ReplayedOrder, wall: float) -> bool:
    """Return whether an order ended only recently, by a record of the service and not by dismissal."""
    return order.is_over and bool(order.update_at) and not order.dismissed_ms and _is_young(order, wall)


def _is_young(order: ReplayedOrder, wall: float) -> bool:
    return wall - max(order.wall_ms, order.touched_ms) / 1000 <= ENDED_KEPT


def _counts_dismissed(order: ReplayedOrder, wall: float) -> bool:
    """Return whether an order was dismissed so recently that it still counts against the limits."""
    return bool(order.dismissed_ms) and wall - order.dismissed_ms / 1000 < DISMISSED_COUNTS
