"""Equity of the account as bars of one minute, kept in the file of bars, so that the screen can draw its course."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from decimal import Decimal

import msgspec

from tui.engine.market.kept_bars import KeptBars
from tui.engine.rows import EQUITY, BarsRow, Table
from tui.engine.state.engine_state import EngineState
from tui.interface.decimals import ZERO, plain
from tui.interface.families.market import KlineRow
from tui.interface.streams import Detail
from tui.interface.times import millis
from tui.rules.bookings import net_equity

STEP_S = 5.0
"""Time between two samples, s."""
MINUTE_MS = 60_000
MOST_MINUTES = 1440
"""Most bars shown; the file keeps more."""


class EquityBars:
    """Sampler of the account's equity over all venues, less borrowed coins; pauses while the state is not synchronized."""

    def __init__(self, state: EngineState, keep: Callable[[Detail, KlineRow], None]) -> None:
        """Store the parts.

        Args:
            state: Accounts and assets, clock, queue to the screen.
            keep: Takes each bar that closed.
        """
        self._state = state
        self._keep = keep
        self._file: KeptBars | None = state.services.bars
        self._portfolio = ""
        self._bars: dict[int, KlineRow] = {}
        """Bars by open time, oldest first."""

    async def run(self) -> None:
        """Sample the equity at intervals until cancelled."""
        while True:
            state = self._state
            if state.synced and state.portfolio:
                if state.portfolio != self._portfolio:
                    await self._begin(state.portfolio)
                self.sample(int(state.clock.wall() * 1000))
            await asyncio.sleep(STEP_S)

    async def _begin(self, portfolio: str) -> None:
        """Start with the stored equity bars of a portfolio."""
        self._portfolio, self._bars = portfolio, {}
        if self._file is not None:
            kept = await asyncio.to_thread(self._file.read, self._detail, MOST_MINUTES)
            self._bars = {millis(str(row.open_time)): row for row in kept}

    @property
    def _detail(self) -> Detail:
        return Detail(f"{EQUITY} {self._portfolio}")

    def sample(self, now_ms: int) -> None:
        """Add the current equity to the bar of the current minute."""
        equity = self._equity()
        if equity is None:
            return
        start, text = now_ms - now_ms % MINUTE_MS, plain(equity)
        newest = next(reversed(self._bars), 0)
        if start < newest:
            return  # the clock was set back
        bar = self._bars.get(start)
        if bar is None:
            if newest:
                self._keep(self._detail, self._bars[newest])
            self._bars[start] = KlineRow(open_time=start, open=text, high=text, low=text, close=text, volume="0")
        elif text != bar.close:
            high, low = max(Decimal(bar.high), equity), min(Decimal(bar.low), equity)
            self._bars[start] = msgspec.structs.replace(bar, high=plain(high), low=plain(low), close=text)
        else:
            return
        for oldest in list(self._bars)[:-MOST_MINUTES]:
            del self._bars[oldest]
        row = BarsRow(sym=EQUITY, interval="1m", bars=tuple(self._bars.values()))
        self._state.updates.put(Table.BARS, EQUITY, row)

    def _equity(self) -> Decimal | None:
        """Sum the equity of all venues; None while a figure is missing."""
        facts = self._state.facts
        assets = [fact.record for fact in facts.assets.rows.values()]
        parts = [net_equity(fact.record, assets) for fact in facts.accounts.rows.values()]
        known = [part for part in parts if part is not None]
        return sum(known, ZERO) if known and len(known) == len(parts) else None
