"""Reference data: fee schedules, tiers, leverage, collateral discounts, loan tiers, funding, statements.

Read over REST at long intervals, because no stream carries it. Previews and panes compute with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from tui.client.rest import CallFailed, Rest
from tui.engine.rows import BracketTable, FundingTerms, LoanTerms, Row, Table, Unread
from tui.engine.state.engine_state import EngineState
from tui.engine.state.facts import Asked
from tui.interface.endpoint import Endpoint
from tui.interface.errors import ErrorClass
from tui.interface.families.fees import BROKER_POSITION_BRACKETS, USER_FEE_RATE
from tui.interface.families.history import STATEMENT
from tui.interface.families.loans import COIN_DISCOUNTS, LOAN_INFO, LoanTiers
from tui.interface.families.market import FUNDING_RATE, POSITION_BRACKETS
from tui.interface.families.positions import MARGIN_LEVERAGE, PERP_LEVERAGE
from tui.interface.symbols import try_parse
from tui.interface.times import millis

DAY_MS = 86_400_000


class ReferenceDataPoller:
    """Reads reference data and publishes changes. Every reader raises CallFailed and then leaves the tables unchanged."""

    def __init__(self, state: EngineState, rest: Rest) -> None:
        self._state = state
        self._rest = rest
        self._shown: dict[Table, dict[str, Row]] = {}
        self._funding_turn = 0
        self._bracket_rows = [POSITION_BRACKETS, BROKER_POSITION_BRACKETS]
        """The endpoint that answered last comes first."""

    async def read_schedules(self) -> None:
        """Read fees, tiers, discounts and loan tiers.

        A failed table does not affect the others. The first failure is raised after all were read.
        """
        readers = {
            Table.FEES: self._read_fees,
            Table.BRACKETS: self._read_brackets,
            Table.DISCOUNTS: self._read_discounts,
            Table.LOANS: self._read_loans,
        }
        failures = await asyncio.gather(*(self._read_table(table, reader) for table, reader in readers.items()))
        for failure in failures:
            if failure is not None:
                raise failure

    async def _read_table(self, table: Table, reader: Callable[[], Awaitable[None]]) -> CallFailed | None:
        """Read one table; a failure is published in the table UNREAD."""
        try:
            await reader()
        except CallFailed as failure:
            self._publish(Table.UNREAD, {table.value: Unread(str(failure))}, whole=False)
            return failure
        if self._shown.get(Table.UNREAD, {}).pop(table.value, None) is not None:
            self._state.updates.put(Table.UNREAD, table.value, None)
        return None

    async def _read_brackets(self) -> None:
        """Read brackets; some services have only one of the two endpoints, and some keys may use only one."""
        try:
            found: dict[str, list[Any]] = await self._call(self._bracket_rows[0])
        except CallFailed as refused:
            if refused.kind in (ErrorClass.UNSURE, ErrorClass.WAIT, ErrorClass.RATE):
                raise
            try:
                found = await self._call(self._bracket_rows[1])
            except CallFailed:
                raise refused from None
            self._bracket_rows.reverse()
        self._publish(Table.BRACKETS, {sym: BracketTable(tuple(tiers)) for sym, tiers in found.items()})

    async def _read_discounts(self) -> None:
        self._publish(Table.DISCOUNTS, dict(await self._call(COIN_DISCOUNTS)))

    async def _read_loans(self) -> None:
        loans: dict[str, LoanTiers] = await self._call(LOAN_INFO)
        leverages, _ = await self._rest.read_all_pages(MARGIN_LEVERAGE)
        by_coin = {f"{one.exchange_type}/{one.coin}": one.leverage for one in leverages}
        rows: dict[str, Row] = {}
        for one in loans.values():
            key = f"{one.exchange_type}/{one.coin}"
            rows[key] = LoanTerms(by_coin.get(key, ""), tuple(one.tiers))
        self._publish(Table.LOANS, rows)

    async def read_leverages(self) -> None:
        """Read the leverage of every perpetual, for pairs without a position."""
        rows = await self._call(PERP_LEVERAGE)
        self._state.leverages = {one.sym: one.leverage for one in rows}
        self._publish(Table.LEVERAGES, {one.sym: one for one in rows})

    async def read_funding(self) -> None:
        """Read the funding rate of the next watched perpetual: the endpoint takes one symbol."""
        perps = [sym for sym in self._state.quotes.rows if _is_perp(sym)]
        if not perps:
            return
        self._funding_turn += 1
        sym = perps[self._funding_turn % len(perps)]
        for row in await self._call(FUNDING_RATE, {"sym": sym}):
            known = self._shown.get(Table.FUNDING, {}).get(row.sym)
            next_at, interval = millis(row.next_funding_time), 0
            if isinstance(known, FundingTerms):
                passed = next_at - known.next_at
                interval = passed if passed > 0 else known.interval_ms
            terms = FundingTerms(sym=row.sym, rate=row.funding_rate, next_at=next_at, interval_ms=interval)
            self._publish(Table.FUNDING, {row.sym: terms}, whole=False)

    async def read_statements(self) -> None:
        """Read the bookings of the UTC day: funding, interest, liquidation fees."""
        state = self._state
        now = int(state.clock.wall() * 1000 - (state.links.skew_ms() or 0.0))
        asked = Asked(state.clock.mono(), state.epoch)
        records, _ = await self._rest.read_all_pages(STATEMENT, {"startTime": str(now // DAY_MS * DAY_MS)})
        rows = [
            (one.statement_id, one, millis(str(one.create_at)))
            for one in records
            if state.accepts(str(one.portfolio_id), "a statement")
        ]
        state.facts.statements.snapshot(rows, asked, state.portfolio, state.clock.mono())

    async def _read_fees(self) -> None:
        state = self._state
        asked = Asked(state.clock.mono(), state.epoch)
        found = await self._call(USER_FEE_RATE, {"portfolio": state.portfolio})
        rows = [
            (f"{one.exchange_type or one.exchange}/{one.business_type or one.inst_type}", one, 0)
            for one in found
            if one.portfolio_id in ("", state.portfolio)
        ]
        state.facts.fees.snapshot(rows, asked, state.portfolio, state.clock.mono())

    async def _call(self, endpoint: Endpoint, params: dict[str, str] | None = None) -> Any:
        return (await self._rest.call(endpoint, params)).data

    def _publish(self, table: Table, rows: dict[str, Any], *, whole: bool = True) -> None:
        """Publish changed rows; of a whole table also the deleted ones."""
        before = self._shown.setdefault(table, {})
        for key in [key for key in before if whole and key not in rows]:
            del before[key]
            self._state.updates.put(table, key, None)
        for key, row in rows.items():
            if before.get(key) != row:
                before[key] = row
                self._state.updates.put(table, key, row)


def _is_perp(sym: str) -> bool:
    pair = try_parse(sym)
    return pair is not None and pair.is_perp
