"""Realised results by symbol and day: results, fees and rebates of fills; funding and interest of statements."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from functools import reduce
from typing import TYPE_CHECKING

import msgspec

from tui.engine.rows import DayRow, Table
from tui.interface.decimals import ZERO
from tui.interface.families.history import (
    DEDUCT_INTEREST,
    DIVIDEND,
    FUNDING_FEE,
    LIQ_COMPENSATION,
    LIQUIDATION_FEE,
    TRADE,
    StatementRecord,
)
from tui.interface.symbols import try_parse
from tui.interface.times import millis
from tui.rules import pnl
from tui.rules.bookings import compute_interest_taken
from tui.rules.day_result import DAY_MS, FillSums
from tui.workstation.model import number_format
from tui.workstation.model.instruments import MONEY

if TYPE_CHECKING:
    from tui.workstation.model.mirror import Mirror

BOOKED = frozenset([FUNDING_FEE, DEDUCT_INTEREST, LIQUIDATION_FEE, LIQ_COMPENSATION, DIVIDEND])
"""Statement types that are results; deposits, transfers and loans are not, and fills are counted as fills."""


class Booking(FillSums, frozen=True):
    """Totals of a group in quote currency: fills, funding, interest, liquidation fees; received funding is positive."""

    funding: Decimal = ZERO
    interest: Decimal = ZERO
    liq_fee: Decimal = ZERO

    @property
    def net(self) -> Decimal:
        """Net result after all costs."""
        return pnl.net_result(
            self.gross,
            fee=self.fee,
            rebate=self.rebate,
            funding=self.funding,
            interest=self.interest,
            liquidation_fee=self.liq_fee,
        )

    def join(self, other: FillSums) -> Booking:
        """Return the sum of these totals and other ones."""
        names = other.__struct_fields__
        return msgspec.structs.replace(self, **{name: getattr(self, name) + getattr(other, name) for name in names})


class Reconciled(msgspec.Struct, frozen=True):
    """Result of comparing fills with the statement rows that book them: number checked, number that differ, and sum."""

    checked: int
    """Perpetual fills with a matching statement."""
    rows: int
    """Fills whose statement differs."""
    off: Decimal


class Group(msgspec.Struct, frozen=True):
    """Grouping key of the totals: symbol or coin, venue and UTC day, as in the daily loss limit."""

    name: str
    venue: str
    day: str


class RealisedPnl:
    """Realised results by day, symbol and venue, from fills and statement rows; recomputed only after changes."""

    def __init__(self, mirror: Mirror) -> None:
        self._mirror = mirror
        self._made_for = (-1, -1)
        self._groups: dict[Group, Booking] = {}

    @property
    def is_partial(self) -> bool:
        """Whether some of today's fills or statements are not read yet."""
        status = self._mirror.engine_status
        return status is None or not (status.day_is_whole and status.bookings_read)

    @property
    def has_statements(self) -> bool:
        """Whether any statement rows were read; without them funding and interest are unknown."""
        return bool(self._mirror.statements)

    def groups(self) -> dict[Group, Booking]:
        """Return the totals of all groups."""
        mirror = self._mirror
        made_for = (mirror.version(Table.DAYS), mirror.version(Table.STATEMENTS))
        if made_for != self._made_for:
            self._made_for = made_for
            self._groups = {}
            for row in mirror.days.values():
                self._day(row)
            for statement in mirror.statements.values():
                self._statement(statement.record)
        return self._groups

    def reconcile(self) -> Reconciled:
        """Compare the results of today's perpetual fills with the statement rows that book them."""
        mirror = self._mirror
        checked = rows = 0
        off = ZERO
        midnight = int(mirror.server_wall * 1000) // DAY_MS * DAY_MS
        for fact in mirror.statements.values():
            fill = mirror.fills.get(fact.record.request_id) if fact.record.statement_type == TRADE else None
            parts = try_parse(fact.record.sym)
            if fill is None or parts is None or not parts.is_perp or millis(fill.record.create_at) < midnight:
                continue
            away = (number_format.value(fact.record.delta_amount) or ZERO) - pnl.fill_net(fill.record)
            checked += 1
            rows += away != 0
            off += away
        return Reconciled(checked, rows, off)

    @staticmethod
    def sum_bookings(bookings: Iterable[Booking]) -> Booking:
        """Add several totals up."""
        return reduce(Booking.join, bookings, Booking())

    def today(self) -> str:
        """Return the UTC date of the service's clock."""
        return number_format.day(int(self._mirror.server_wall * 1000), utc=True)

    def of_day(self, day: str) -> Booking:
        """Return the totals of a day over all symbols."""
        return self.sum_bookings(booking for group, booking in self.groups().items() if group.day == day)

    def of_symbol(self, sym: str, day: str) -> Booking | None:
        """Return the totals of a symbol on a day; None if there are none."""
        bookings = [booking for group, booking in self.groups().items() if group.name == sym and group.day == day]
        return self.sum_bookings(bookings) if bookings else None

    def _add(self, more: FillSums, sym: str, coin: str, venue: str, at_ms: int) -> None:
        parts = try_parse(sym)
        name = sym or coin or "–"
        group = Group(name, parts.exchange if parts is not None else venue, number_format.day(at_ms, utc=True))
        self._groups[group] = self._groups.get(group, Booking()).join(more)

    def _day(self, row: DayRow) -> None:
        self._add(row.sums, row.sym, "", "", row.day_ms)

    def list_results(self) -> list[tuple[int, Decimal]]:
        """List time (ms) and value of each statement row that is a realised result, if its coin has a price."""
        records = (fact.record for fact in self._mirror.statements.values())
        worths = ((millis(str(record.create_at)), self._result_of(record)) for record in records)
        return [(at, worth) for at, worth in worths if worth is not None]

    def _result_of(self, record: StatementRecord) -> Decimal | None:
        """Return a statement row's value in the risk currency; None if it is no result or its coin has no price."""
        kind = record.statement_type
        if kind not in BOOKED:
            return None
        amount = compute_interest_taken(record) if kind == DEDUCT_INTEREST else number_format.value(record.delta_amount)
        worth = self._worth(amount, record)
        return -worth if worth is not None and kind == DEDUCT_INTEREST else worth

    def _statement(self, record: StatementRecord) -> None:
        kind = record.statement_type
        if kind not in BOOKED:
            return
        result = self._result_of(record)
        if result is None:
            more = Booking(incomplete=1)
        elif kind == FUNDING_FEE:
            more = Booking(funding=result)
        elif kind == DEDUCT_INTEREST:
            more = Booking(interest=-result)
        elif kind == DIVIDEND:
            more = Booking(gross=result)
        else:
            more = Booking(liq_fee=-result)
        self._add(more, record.sym, record.coin, record.exchange_type, millis(str(record.create_at)))

    def _worth(self, amount: Decimal | None, record: StatementRecord) -> Decimal | None:
        """Convert an amount to the risk currency at the coin's index price; None if there is none."""
        if amount is None or not amount or record.coin in MONEY:
            return amount
        asset = self._mirror.assets.get(f"{record.exchange_type}/{record.coin}")
        index = number_format.value(asset.record.index_price) if asset is not None else None
        return amount * index if index else None
