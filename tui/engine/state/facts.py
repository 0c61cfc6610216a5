"""Tables of positions, assets, accounts and ADL ranks; the newer record wins, whatever its source."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

import msgspec

from tui.engine.conflating_queue import TableSink
from tui.engine.rows import Fact, Source, Stamp, Table
from tui.engine.state.liquidation_log import LiquidationLog
from tui.interface import decimals
from tui.interface.families.assets import AssetRecord
from tui.interface.families.fees import FeeSchedule
from tui.interface.families.history import StatementRecord
from tui.interface.families.positions import AccountRecord, AdlRank, PositionRecord
from tui.interface.figures import name_side
from tui.interface.times import millis

HOUR_MS = 3_600_000
BOOKED_WITHIN = 2.0
"""Longest delay of a booking in the statement, s."""

R = TypeVar("R", PositionRecord, AssetRecord, AccountRecord, AdlRank, FeeSchedule, StatementRecord)


def position_key(record: PositionRecord | AdlRank) -> str:
    """Return the key `sym/positionSide`; the legacy side NET counts as NONE."""
    return f"{record.sym}/{name_side(record.position_side)}"


def asset_key(record: AssetRecord) -> str:
    """Return the key `exchange/coin`."""
    return f"{record.exchange_type}/{record.coin}"


class SnapshotRequest(msgspec.Struct, frozen=True):
    """Time and connection of a snapshot request."""

    at: float
    """Monotonic time at which the request was sent, s."""
    epoch: int


class FactTable(Generic[R]):
    """Table of service records by key; newer records replace older ones."""

    def __init__(self, table: Table, updates: TableSink) -> None:
        self.rows: dict[str, Fact[R]] = {}
        self._table = table
        self._updates = updates
        self._gone: dict[str, Fact[R]] = {}
        """Last records of deleted keys, so that an older list does not restore them."""

    def push(self, key: str, record: R, stamp: Stamp, *, gone: bool = False) -> bool:
        """Apply one pushed record; return whether the table changed. `gone`: the record deletes the key."""
        if not self._accepts(key, record, stamp, asked_at=None):
            return False
        self._gone.pop(key, None)
        if gone:
            self._gone[key] = Fact(record, stamp)
        return self._set(key, None if gone else Fact(record, stamp))

    def newest(self, key: str) -> Fact[R] | None:
        """Return the newest record of a key, even one that deleted the key; None if there was none."""
        return self.rows.get(key) or self._gone.get(key)

    def snapshot(
        self, records: Iterable[tuple[str, R, int]], asked: SnapshotRequest, portfolio: str, now: float
    ) -> list[str]:
        """Apply a complete list; return a description of each row that had been wrong or missing.

        Rows missing from the list are deleted unless they are newer than the request.
        """
        repaired: list[str] = []
        seen: dict[str, None] = {}
        for key, record, update_at in records:
            seen[key] = None
            stamp = Stamp(portfolio, asked.epoch, update_at, Source.SNAPSHOT, now)
            if not self._accepts(key, record, stamp, asked_at=asked.at):
                continue
            self._gone.pop(key, None)
            current = self.rows.get(key)
            if current is None or current.record != record:
                repaired += _repairs(key, None if current is None else current.record, record)
                self._set(key, Fact(record, stamp))
        for key in [key for key, fact in self.rows.items() if key not in seen and fact.stamp.received < asked.at]:
            if self._set(key, None):
                repaired.append(f"{key}: gone")
        return repaired

    def _accepts(self, key: str, record: R, stamp: Stamp, *, asked_at: float | None) -> bool:
        """Return whether a record replaces the newest one of the key, a deletion included."""
        current = self.rows.get(key)
        known = self._gone.get(key) if current is None else current
        if known is None or is_newer(stamp, known.stamp, asked_at=asked_at):
            return True
        # Times of two positions of a pair need not be in order; else a list could never restore the second.
        return current is None and is_opened_later(record, known.record)

    def _set(self, key: str, fact: Fact[R] | None) -> bool:
        if fact is None:
            if self.rows.pop(key, None) is None:
                return False
        else:
            self.rows[key] = fact
        self._updates.put(self._table, key, fact)
        return True


class AccountFacts:
    """Tables of account data."""

    def __init__(self, updates: TableSink) -> None:
        self.positions: FactTable[PositionRecord] = FactTable(Table.POSITIONS, updates)
        self.assets: FactTable[AssetRecord] = FactTable(Table.ASSETS, updates)
        self.accounts: FactTable[AccountRecord] = FactTable(Table.ACCOUNTS, updates)
        self.adl: FactTable[AdlRank] = FactTable(Table.ADL, updates)
        self.fees: FactTable[FeeSchedule] = FactTable(Table.FEES, updates)
        self.statements: FactTable[StatementRecord] = FactTable(Table.STATEMENTS, updates)
        self.liquidations = LiquidationLog(updates)
        self.bookings = BookingReadings(self)

    @property
    def has_hourly_bookings(self) -> bool:
        """Whether a position is held, or a coin owed by margin or portfolio loan: funding and interest are booked hourly."""
        assets = (fact.record for fact in self.assets.rows.values())
        owed = (decimals.positive(record.debt) or decimals.positive(record.loan or None) for record in assets)
        return bool(self.positions.rows) or any(owed)


class BookingReadings:
    """Times of the last booking beside fills and the last statement read: whether the day's result is complete."""

    def __init__(self, facts: AccountFacts) -> None:
        self._facts = facts
        self._booked_at = self._asked_at = float("-inf")
        """Monotonic times of the last booking beside fills, and of the last request of the statement, s."""
        self._hour = 0

    @property
    def are_read(self) -> bool:
        """Whether the account statement was read and includes the latest booking."""
        return self._asked_at > float("-inf") and not self.is_awaited

    @property
    def is_awaited(self) -> bool:
        """Whether a booking is so recent that the last read of the statement may not include it."""
        return self._asked_at < self._booked_at + BOOKED_WITHIN

    def expect(self, now: float) -> None:
        """Record that a booking other than a fill took place, so the statement must be read; `now` is monotonic, in s."""
        self._booked_at = now

    def note_read(self, asked_at: float) -> None:
        """Record that the statement was read, by a request sent at this monotonic time, in s."""
        self._asked_at = asked_at

    def turn_hour(self, server_ms: int, now: float) -> None:
        """Expect funding and interest when a full hour of the service has begun; `now` is monotonic, in s."""
        hour = server_ms // HOUR_MS
        if self._hour and hour > self._hour and self._facts.has_hourly_bookings:
            self.expect(now)
        self._hour = hour


def is_newer(new: Stamp, old: Stamp, *, asked_at: float | None) -> bool:
    """Return whether a record replaces the known one; `asked_at` is the time its list was requested, None for a push."""
    if new.epoch < old.epoch and new.update_at <= old.update_at:
        return False
    if new.update_at and old.update_at and new.update_at != old.update_at:
        return new.update_at > old.update_at
    return asked_at is None or old.received < asked_at


def is_opened_later(record: msgspec.Struct, closed: msgspec.Struct) -> bool:
    """Return whether a record belongs to another position, opened after the closed one was."""
    if not (isinstance(record, PositionRecord) and isinstance(closed, PositionRecord)):
        return False
    is_other = record.position_id != closed.position_id and "" not in (record.position_id, closed.position_id)
    return is_other and millis(record.create_at) > millis(closed.create_at) > 0


def _repairs(key: str, before: msgspec.Struct | None, after: msgspec.Struct) -> list[str]:
    """Describe how a list entry corrected a row: the fields that differ.

    Fields missing in pushes, and times of records, do not count.
    """
    if before is None:
        return [f"{key}: new"]
    changed = []
    for name in after.__struct_fields__:
        old, new = getattr(before, name), getattr(after, name)
        if name in _TIMES or old == new or old in _UNTOLD or new in _UNTOLD or _is_one_figure(old, new):
            continue
        changed.append(f"{name} {str(old)[:40]} → {str(new)[:40]}")
    return [f"{key}: {', '.join(changed)}"] if changed else []


_TIMES = frozenset(["create_at", "update_at"])
_UNTOLD = ("", None, msgspec.UNSET)


def _is_one_figure(old: object, new: object) -> bool:
    first, second = decimals.optional(str(old)), decimals.optional(str(new))
    return first is not None and first == second
