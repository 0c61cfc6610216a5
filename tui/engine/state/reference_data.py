"""Reference data: fees, margin tiers, leverage, discounts, loan terms and interest, funding, statements.

Read over REST at long intervals, because no stream carries it. Previews and panes compute with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from tui.client.call_expiry import LATE_S
from tui.client.rest import CallFailed, Rest
from tui.engine.event_line import Level
from tui.engine.intents import SetLeverage
from tui.engine.loan_fields import loan_costs
from tui.engine.rows import BracketTable, FundingTerms, LoanTerms, ReadFailure, Row, Table
from tui.engine.state.engine_state import EngineState
from tui.engine.state.facts import SnapshotRequest
from tui.interface.endpoint import Endpoint
from tui.interface.errors import TRANSIENT
from tui.interface.families.fees import BROKER_POSITION_BRACKETS, USER_FEE_RATE
from tui.interface.families.history import STATEMENT, StatementRecord
from tui.interface.families.loans import (
    COIN_DISCOUNTS,
    INTEREST_RATES,
    LENDING_VENUES,
    LOAN_INFO,
    InterestRatesQuery,
    LoanTiers,
)
from tui.interface.families.market import FUNDING_RATE, POSITION_BRACKETS
from tui.interface.families.portfolio_loans import PORTFOLIO_LOAN_CONFIG, PORTFOLIO_LOAN_STATEMENT
from tui.interface.families.positions import MARGIN_LEVERAGE, PERP_LEVERAGE, LeverageRow, MarginLeverageQuery
from tui.interface.request import arguments_of
from tui.interface.symbols import pair_name, try_parse
from tui.interface.times import millis

DAY_MS = 86_400_000
_OF_SOME_SERVICES = frozenset([Table.INTEREST, Table.LOAN_CONFIG])
"""Tables that not every service has, and without which everything else works."""


class ReferenceDataPoller:
    """Poller of reference data; a read method that fails raises CallFailed and leaves its table unchanged."""

    def __init__(self, state: EngineState, rest: Rest) -> None:
        self._state = state
        self._rest = rest
        self._shown: dict[Table, dict[str, Row]] = {}
        self._funding_turn = 0
        self._read_alone: dict[str, float] = {}
        """Time of single leverage reads, by pair or `exchange/coin`, so that an older list does not overwrite them."""
        self._has_loans = True
        """Whether the service answers queries about portfolio loans."""
        self._bracket_rows = [POSITION_BRACKETS, BROKER_POSITION_BRACKETS]
        """Endpoints, the one that answered last first."""

    async def read_schedules(self) -> None:
        """Read fees, margin tiers, discounts, loan tiers, interest rates and portfolio loan terms.

        A failed table does not affect the others. The first failure is raised after all were read, except for tables
        that not
        every service has.
        """
        readers = {
            Table.FEES: self._read_fees,
            Table.BRACKETS: self._read_brackets,
            Table.DISCOUNTS: self._read_discounts,
            Table.LOANS: self._read_loans,
            Table.INTEREST: self._read_interest,
            Table.LOAN_CONFIG: self._read_loan_config,
        }
        failures = await asyncio.gather(*(self._read_table(table, reader) for table, reader in readers.items()))
        for table, failure in zip(readers, failures, strict=True):
            if failure is not None and (table not in _OF_SOME_SERVICES or failure.kind in TRANSIENT):
                raise failure

    async def _read_table(self, table: Table, reader: Callable[[], Awaitable[None]]) -> CallFailed | None:
        """Read one table; a failure is published in the table UNREAD."""
        try:
            await reader()
        except CallFailed as failure:
            self._publish(Table.UNREAD, {table.value: ReadFailure(str(failure))}, whole=False)
            return failure
        if self._shown.get(Table.UNREAD, {}).pop(table.value, None) is not None:
            self._state.updates.put(Table.UNREAD, table.value, None)
        return None

    async def _read_brackets(self) -> None:
        """Read margin tiers from one of two endpoints, because a service or API key may allow only one of them."""
        try:
            brackets: dict[str, list[Any]] = await self._call(self._bracket_rows[0])
        except CallFailed as refused:
            if refused.kind in TRANSIENT:
                raise
            try:
                brackets = await self._call(self._bracket_rows[1])
            except CallFailed:
                raise refused from None
            self._bracket_rows.reverse()
        self._publish(Table.BRACKETS, {sym: BracketTable(tuple(tiers)) for sym, tiers in brackets.items()})

    async def _read_discounts(self) -> None:
        self._publish(Table.DISCOUNTS, dict(await self._call(COIN_DISCOUNTS)))

    async def _read_loans(self) -> None:
        loans: dict[str, LoanTiers] = await self._call(LOAN_INFO)
        asked = self._state.clock.mono()
        leverages, _ = await self._rest.read_all_pages(MARGIN_LEVERAGE)
        listed = {f"{row.exchange_type}/{row.coin}": row.leverage for row in leverages}
        self._state.margin_leverages = by_coin = self._newest(listed, self._state.margin_leverages, asked)
        rows: dict[str, Row] = {}
        for row in loans.values():
            key = f"{row.exchange_type}/{row.coin}"
            rows[key] = LoanTerms(by_coin.get(key, ""), tuple(row.tiers))
        self._publish(Table.LOANS, rows)

    async def _read_interest(self) -> None:
        """Read the interest rates of margin debts, per venue as the endpoint requires."""
        rates_by_coin: dict[str, Row] = {}
        for venue in LENDING_VENUES:
            rates = await self._call(INTEREST_RATES, arguments_of(InterestRatesQuery(exchange_type=venue)))
            rates_by_coin |= {f"{row.exchange_type}/{row.coin}": row for row in rates.values()}
        self._publish(Table.INTEREST, rates_by_coin)

    async def _read_loan_config(self) -> None:
        self._publish(Table.LOAN_CONFIG, {config.coin: config for config in await self._call(PORTFOLIO_LOAN_CONFIG)})

    async def read_leverages(self) -> None:
        """Read the leverage of every perpetual, for pairs without a position."""
        asked = self._state.clock.mono()
        listed = {row.sym: row.leverage for row in await self._call(PERP_LEVERAGE)}
        before = self._state.leverages
        self._state.leverages = self._newest(listed, before, asked)
        self._report_changes(before)
        rows = {sym: LeverageRow(sym=sym, leverage=leverage) for sym, leverage in self._state.leverages.items()}
        self._publish(Table.LEVERAGES, rows)

    def _report_changes(self, before: dict[str, str]) -> None:
        """Notify leverages that were changed elsewhere, because margin and liquidation price depend on them."""
        state = self._state
        own = {
            command.intent.sym for command in state.commands.open.values() if isinstance(command.intent, SetLeverage)
        }
        for sym, leverage in state.leverages.items():
            known = before.get(sym, leverage)
            if known != leverage and sym not in own:
                text = f"leverage of {pair_name(sym)} was changed elsewhere: it was {known}x, it is {leverage}x now"
                state.notify(Level.WARN, text)

    async def read_leverage(self, sym: str) -> str:
        """Read and publish the leverage of one perpetual; empty if the service returns none."""
        asked = self._state.clock.mono()
        row = next((row for row in await self._call(PERP_LEVERAGE, {"sym": sym}) if row.sym == sym), None)
        if row is None:
            return ""
        self._read_alone[sym] = asked
        self._state.leverages[sym] = row.leverage
        self._publish(Table.LEVERAGES, {sym: row}, whole=False)
        return str(row.leverage)

    async def read_margin_leverage(self, exchange: str, coin: str) -> str:
        """Read and publish the leverage of the debt in one coin; empty if the service returns none."""
        asked, key = self._state.clock.mono(), f"{exchange}/{coin}"
        query = arguments_of(MarginLeverageQuery(exchange_type=exchange, coin=coin))
        rows, _ = await self._rest.read_all_pages(MARGIN_LEVERAGE, query)
        row = next((row for row in rows if (row.exchange_type, row.coin) == (exchange, coin)), None)
        if row is None:
            return ""
        self._read_alone[key] = asked
        self._state.margin_leverages[key] = row.leverage
        known = self._shown.get(Table.LOANS, {}).get(key)
        if isinstance(known, LoanTerms):
            self._publish(Table.LOANS, {key: LoanTerms(row.leverage, known.tiers)}, whole=False)
        return str(row.leverage)

    def _newest(self, listed: dict[str, str], known: dict[str, str], asked: float) -> dict[str, str]:
        """Merge listed values with values read one by one lately, which win, because lists may be outdated."""
        later = {name: known[name] for name, at in self._read_alone.items() if at + LATE_S >= asked and name in known}
        return {**listed, **later}

    async def read_funding(self) -> None:
        """Read the funding rate of the next watched perpetual, one at a time, because the endpoint takes one symbol."""
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
        """Read the UTC day's account statement: funding, interest, liquidation fees."""
        state = self._state
        now = int(state.clock.wall() * 1000 - (state.links.skew_ms() or 0.0))
        asked = SnapshotRequest(state.clock.mono(), state.epoch)
        day = {"startTime": str(now // DAY_MS * DAY_MS)}
        records, _ = await self._rest.read_all_pages(STATEMENT, day)
        own = [record for record in records if state.accepts(str(record.portfolio_id), "a statement")]
        booked = [*own, *await self._loan_costs(day)]
        rows = [(record.statement_id, record, millis(str(record.create_at))) for record in booked]
        state.facts.statements.snapshot(rows, asked, state.portfolio, state.clock.mono())
        state.facts.bookings.note_read(asked.at)

    async def _loan_costs(self, day: dict[str, str]) -> list[StatementRecord]:
        """Read today's costs of portfolio loans from the loan statement; empty if the service has none."""
        if not self._has_loans:
            return []
        try:
            records, _ = await self._rest.read_all_pages(PORTFOLIO_LOAN_STATEMENT, day)
        except CallFailed as failure:
            if failure.kind in TRANSIENT:
                raise
            self._has_loans = False
            return []
        return loan_costs(records, self._state.portfolio)

    async def _read_fees(self) -> None:
        state = self._state
        asked = SnapshotRequest(state.clock.mono(), state.epoch)
        fees = await self._call(USER_FEE_RATE, {"portfolio": state.portfolio})
        rows = [
            (f"{fee.exchange_type or fee.exchange}/{fee.business_type or fee.inst_type}", fee, 0)
            for fee in fees
            if fee.portfolio_id in ("", state.portfolio)
        ]
        state.facts.fees.snapshot(rows, asked, state.portfolio, state.clock.mono())

    async def _call(self, endpoint: Endpoint, params: dict[str, str] | None = None) -> Any:
        return (await self._rest.call(endpoint, params)).data

    def _publish(self, table: Table, rows: dict[str, Any], *, whole: bool = True) -> None:
        """Publish changed rows; for a whole table also the deletions."""
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
