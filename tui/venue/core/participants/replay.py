"""Recorded market: recorded quotes and trades drive best bid and ask; portfolios' orders trade against them.

There is no market impact. Size that a trader takes from a displayed level stays taken until that level changes, and a
resting order trades when the queue displayed before it is used up, or when its price is passed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from tui.crossdesk_error import CrossdeskError
from tui.venue.core.market.book import BookTouch
from tui.venue.core.market.queue_positions import QueuePositions, RecordedTouch
from tui.venue.core.market.symbols import SHIPPED, Pair
from tui.venue.core.state.exchange_state import State
from tui.venue.core.trading import matching


class BadRecording(CrossdeskError, ValueError):
    """Recorded row that cannot be replayed; the message contains the row."""

    title = "Recording not readable"


class _Row(NamedTuple):
    at_us: int
    """Time since the first row, µs."""
    sym: str
    is_trade: bool
    first: int
    """Bid, or trade price, in ticks."""
    first_lots: int
    second: int
    """Ask in ticks, or 1 when the taker of a trade buys."""
    second_lots: int


class RecordedMarket:
    """Parsed recording: rows of (received_ns, sym, kind, bid or price, quantity, ask or taker side, ask quantity, …)."""

    def __init__(self, rows: Iterable[Sequence[str]]) -> None:
        self.rows: list[_Row] = []
        start = -1
        self.recorded_ms = 0
        """When the first row was recorded."""
        for number, fields in enumerate(rows, start=1):
            if number == 1 and fields and fields[0] == "received_ns":
                continue
            try:
                received = int(fields[0])
                start = received if start < 0 else start
                self.rows.append(_parse((received - start) // 1000, fields))
            except (ValueError, IndexError, InvalidOperation, KeyError) as error:
                raise BadRecording(f"row {number} of the recording cannot be replayed: {error}") from error
        if not self.rows:
            raise BadRecording("the recording has no rows")
        self.recorded_ms = start // 1_000_000
        self.rows.sort(key=lambda row: row.at_us)
        self.symbols: tuple[str, ...] = tuple(dict.fromkeys(row.sym for row in self.rows))
        self.length_us = self.rows[-1].at_us + 1000


def _parse(at_us: int, fields: Sequence[str]) -> _Row:
    sym, kind = fields[1], fields[2]
    pair = SHIPPED.get(sym)
    if pair is None:
        raise BadRecording(f"{sym} is not a pair of this venue")
    first, first_lots = _parse_level(pair, fields[3], fields[4])
    if kind == "BBO":
        second, second_lots = _parse_level(pair, fields[5], fields[6])
        return _Row(
            at_us=at_us,
            sym=sym,
            is_trade=False,
            first=first,
            first_lots=first_lots,
            second=second,
            second_lots=second_lots,
        )
    if kind != "TRADE" or fields[5] not in ("buy", "sell"):
        raise BadRecording(f"kind {kind!r} with {fields[5]!r}")
    return _Row(
        at_us=at_us,
        sym=sym,
        is_trade=True,
        first=first,
        first_lots=first_lots,
        second=int(fields[5] == "buy"),
        second_lots=0,
    )


def _parse_level(pair: Pair, price: str, qty: str) -> tuple[int, int]:
    ticks, lots = pair.ticks(Decimal(price)), pair.lots(Decimal(qty))
    if ticks is None or lots is None:
        raise BadRecording(f"{price} x {qty} does not fit the tick and lot size of {pair.sym}")
    return ticks, lots


class Replay:
    """Replay of a recording into the order books; at its end it stops or restarts, by the switch `replay_end`."""

    def __init__(self, state: State, market: RecordedMarket) -> None:
        self._state = state
        self._rows = market.rows
        self._length = market.length_us
        self._start = state.now * 1000
        self._next = 0
        self._ended = False
        self._renewed: dict[tuple[str, bool], bool] = {}
        self.queue_positions = {
            (sym, is_buy): QueuePositions(state.books[sym], is_buy=is_buy)
            for sym in market.symbols
            for is_buy in (True, False)
        }
        """By pair and side (True for bids)."""
        state.quotes_from_book = False
        self._open(market)

    def next_due(self) -> int | None:
        """Return the time of the next recorded row, µs; None when the recording has ended."""
        if self._ended and self._state.switches["replay_end"] == "loop":
            self._ended = False
            self._start = self._state.now * 1000
        return None if self._ended else self._start + self._rows[self._next].at_us

    def run_next(self) -> None:
        """Carry out the next recorded row at its own time; behind the last one the recording ends or begins again."""
        row = self._rows[self._next]
        self._state.at_us = self._start + row.at_us
        self._next += 1
        if self._next == len(self._rows):
            self._next = 0
            self._ended = self._state.switches["replay_end"] != "loop"
            self._start += self._length
        if row.is_trade:
            self._trade(row)
        else:
            self._quote(row)

    def skip_to(self, now_us: int) -> None:
        """Shift the recording in time so that its next row is due now."""
        due = self.next_due()
        if due is not None:
            self._start += now_us - due

    def refill_later(self, sym: str) -> None:
        """Do nothing: a recording does not react to trades."""

    def jump(self, coin: str, price: Decimal) -> None:
        """Do nothing: a recording cannot be moved."""

    def _open(self, market: RecordedMarket) -> None:
        """Show the first recorded quote of every pair at the start, so that no book is empty."""
        for sym in sorted(market.symbols, key=lambda sym: not self._state.pairs[sym].is_perp):
            first = next((row for row in self._rows if row.sym == sym and not row.is_trade), None)
            if first is not None:
                pair = self._state.pairs[sym]
                self._state.marks.jump(pair.base, (first.first + first.second) * pair.tick / 2)
                self._quote(first, opens=True)

    def _quote(self, row: _Row, *, opens: bool = False) -> None:
        """Show a recorded best bid and ask; with `opens`, at the start, no order from before a restart is filled."""
        state, pair = self._state, self._state.pairs[row.sym]
        book, before = state.books[row.sym], state.touches.get(row.sym)
        now = BookTouch(row.first, row.first_lots, row.second, row.second_lots)
        if before is None or (before.bid, before.bid_lots) != (now.bid, now.bid_lots):
            self._replace(row.sym, now.bid, now.bid_lots, is_buy=True)
        if before is None or (before.ask, before.ask_lots) != (now.ask, now.ask_lots):
            self._replace(row.sym, now.ask, now.ask_lots, is_buy=False)
        self.queue_positions[(row.sym, True)].on_quote(RecordedTouch(now.bid, now.bid_lots))
        self.queue_positions[(row.sym, False)].on_quote(RecordedTouch(now.ask, now.ask_lots))
        if not opens:
            matching.sweep(state, pair, now.bid, now.ask)
        for is_buy, ticks, lots in ((True, now.bid, now.bid_lots), (False, now.ask, now.ask_lots)):
            if lots and not book.crosses(ticks, is_buy=is_buy) and self._renewed.pop((row.sym, is_buy), False):
                book.set_house(ticks, lots, is_buy=is_buy)
        state.publish_touch(row.sym, now)

    def _replace(self, sym: str, ticks: int, lots: int, *, is_buy: bool) -> None:
        """Remove old levels of one side whose recorded price or size changed, and mark the side for showing its new size."""
        book = self._state.books[sym]
        for old in book.house_prices(is_buy=is_buy):
            if old != ticks or not lots:
                book.set_house(old, 0, is_buy=is_buy)
        self._renewed[(sym, is_buy)] = True

    def _trade(self, row: _Row) -> None:
        """Fill the portfolios' resting orders that a recorded trade reaches: at better prices or first in the queue."""
        state, pair = self._state, self._state.pairs[row.sym]
        taker_buys = bool(row.second)
        matching.print_trade(state, pair, row.first, row.first_lots, taker_buys=taker_buys)
        for maker, lots in self.queue_positions[(row.sym, not taker_buys)].on_trade(row.first, row.first_lots):
            if maker.lots:
                matching.fill_by_house(state, pair, maker, min(lots, maker.lots), prints=False)
