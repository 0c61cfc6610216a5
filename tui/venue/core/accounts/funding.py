"""Funding of perpetuals: the rate of each pair, and the payments at every funding time."""

from __future__ import annotations

from decimal import Decimal

from tui.interface.decimals import ZERO, half_up
from tui.interface.families.history import FUNDING_FEE
from tui.interface.families.market import FundingRow
from tui.rules import funding
from tui.venue.core.accounts import statements
from tui.venue.core.market.symbols import SETTLEMENT, Pair
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.ledger import HOUSE_ACCOUNT, PostingLeg
from tui.venue.core.state.positions import Position

HOUR_MS = 3_600_000
SAMPLE_MS = 60_000
"""Time between two samples of the premium, ms."""

_BASE = Decimal("0.0001")
_SLACK = Decimal("0.0005")
_MOST = Decimal("0.0075")
_HOURS = {"8h": 8, "4h": 4, "1h": 1}
_PLACES = 8


class Funding:
    """Funding on a venue: at a positive rate longs pay, shorts receive, and the house account takes the difference."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._premiums: dict[str, tuple[Decimal, int]] = {}
        """Sum and number of the samples since the last payment; not durable, as the market is not."""

    def next_due(self) -> int:
        """Return the next funding time, ms; in the past when the venue was stopped at that time."""
        interval = self._hours() * HOUR_MS
        return (self._state.funded // interval + 1) * interval

    def sample(self) -> None:
        """Record each perpetual's premium, (mark - index) / index, from which the next funding rate is computed."""
        state = self._state
        for sym, mark in state.marks.mark.items():
            index = state.marks.index[state.pairs[sym].base]
            total, count = self._premiums.get(sym, (ZERO, 0))
            self._premiums[sym] = (total + half_up((mark - index) / index, 12), count + 1)

    def rate(self, sym: str) -> Decimal:
        """Compute the rate of the next funding payment as a fraction, from the premiums recorded so far."""
        total, count = self._premiums.get(sym, (ZERO, 0))
        premium = total / count if count else ZERO
        pulled = premium + _clamp(_BASE - premium, _SLACK)
        return half_up(_clamp(pulled, _MOST) * self._hours() / 8, _PLACES)

    def row(self, sym: str, at_ms: int) -> FundingRow:
        """Build the funding record of a perpetual as of `at_ms`."""
        return FundingRow(
            sym=sym,
            funding_rate=format(self.rate(sym), "f"),
            funding_time=str(at_ms),
            next_funding_time=str(self.next_due()),
        )

    def pay(self) -> None:
        """Pay the funding that is due, on the positions held at this moment."""
        state, boundary = self._state, self.next_due()
        rates = {sym: self.rate(sym) for sym in state.marks.mark}
        for key in sorted(state.positions):
            position = state.positions[key]
            self._settle(position, state.pairs[position.sym], rates[position.sym], boundary)
        self._premiums.clear()
        state.funded = boundary
        state.changes.dirty("funded", "")

    def _settle(self, position: Position, pair: Pair, rate: Decimal, boundary: int) -> None:
        state, owner, venue = self._state, position.portfolio, pair.exchange
        sign = position.sign
        base = abs(pair.base_qty(position.lots))
        amount = half_up(funding.linear(sign, base, state.marks.mark[pair.sym], rate), _PLACES)
        before = statements.holding_of(state, owner, venue, SETTLEMENT)
        legs = [PostingLeg(owner, venue, SETTLEMENT, amount), PostingLeg(HOUSE_ACCOUNT, venue, SETTLEMENT, -amount)]
        state.post("funding", str(boundary), legs)
        position.funding += amount
        state.changes.dirty("position", f"{owner}|{pair.sym}|{position.leg}")
        statements.add_row(
            state,
            FUNDING_FEE,
            owner,
            venue,
            SETTLEMENT,
            before,
            business_type=pair.business_type,
            sym=pair.sym,
            request_id=str(boundary),
        )
        state.changes.stale[(owner, venue)] = None

    def _hours(self) -> int:
        return _HOURS[self._state.switches["funding_interval"]]


def _clamp(value: Decimal, most: Decimal) -> Decimal:
    return min(max(value, -most), most)
