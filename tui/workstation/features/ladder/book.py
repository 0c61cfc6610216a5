"""Contents of each price of the ladder: sizes of the book, own orders, trades, and levels of the position."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, TypeVar

import msgspec

from tui.engine.state.closing_orders import list_protecting
from tui.interface.decimals import ZERO, positive
from tui.interface.figures import size_of
from tui.rules import units
from tui.workstation.features.ladder.axis import Axis, VenueAxis
from tui.workstation.features.ladder.traded import Traded
from tui.workstation.model import number_format
from tui.workstation.model.algo_figures import trigger_figures
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.position_metrics import base_delta, break_even, mark_break_even, own_liquidation

if TYPE_CHECKING:
    from tui.engine.rows import OrderRow
    from tui.interface.families.positions import PositionRecord

T = TypeVar("T")


class OwnOrders(msgspec.Struct, frozen=True):
    """Own working orders of one side in one row."""

    qty: Decimal
    """Open quantity, in the venue's units; in base units where several venues are shown."""
    ahead: Decimal | None = None
    """Estimated quantity in front of the first of them."""
    unknown: bool = False
    """Whether the outcome of one of them is unknown."""
    picked: bool = False
    """Whether the trader has picked one of them up."""
    keys: tuple[str, ...] = ()
    """Row keys of the orders."""


class LadderRow(msgspec.Struct, frozen=True, kw_only=True):
    """Row of the ladder."""

    ticks: int
    """Its lowest price, in ticks."""
    low: Decimal
    high: Decimal
    """Highest price of a grouped row; equal to `low` without grouping."""
    bid: Decimal | None = None
    ask: Decimal | None = None
    """Size of the book on each side, in the venue's units."""
    best: str = ""
    """bid, ask or both, where the best prices stand in this row."""
    buys: OwnOrders | None = None
    sells: OwnOrders | None = None
    traded: Decimal = ZERO
    """Quantity traded there since the pair was opened."""
    share: Decimal = ZERO
    """The same as a share of the row with the most, 0 to 1."""
    last: str = ""
    """Side of the taker of the last trade, where it happened in this row."""
    marks: tuple[str, ...] = ()
    """Levels of the position, alerts, and the extremes of the day that lie in this row."""
    result: Decimal | None = None
    """Result of the position if it were closed at this price, before fees."""
    venues: tuple[LadderRow, ...] = ()
    """The same row at each venue, where several are shown; sizes and own orders are then in base units."""
    at: int = 0
    """Number of the venue in whose columns the cursor stands."""


class Book:
    """Contents of the ladder for one venue: sizes, own orders and marked levels by price in ticks."""

    def __init__(self, sym: str, view: DisplayContext, axis: Axis | VenueAxis, contract: Decimal | None = None) -> None:
        """Initialize without contents.

        Args:
            sym: Symbol of the pair.
            view: Rows.
            axis: Rows of prices.
            contract: Base units in the venue's unit, in which sizes are shown then; None: sizes as the venue counts them.
        """
        self.sym = sym
        self.axis = axis
        self._view = view
        self._contract = contract
        self._bids: dict[int, Decimal] = {}
        self._asks: dict[int, Decimal] = {}
        self.best_bid: int | None = None
        self.best_ask: int | None = None
        self._bid_qty = self._ask_qty = ZERO
        self._orders: dict[int, list[OrderRow]] = {}
        """Own working orders by price in ticks."""
        self._traded = Traded(axis)
        self._levels: list[tuple[int, str]] = []
        """Levels of the position, by price in ticks."""
        self._ticker: list[tuple[int, str]] = []
        """Index price, and the extremes of the day."""
        self._mark: list[tuple[int, str]] = []
        self._alerts: list[tuple[int, str]] = []
        self._record: PositionRecord | None = None
        self.picked = ""
        """Row key of the order that was picked up."""
        self._picked_at = ""
        """Price of that order when it was picked up."""
        self.depth_at: float | None = None
        """Monotonic time of the newest push of the depth, s."""

    def pick(self, order: OrderRow) -> None:
        """Pick an order up in order to move it, or let it go if it is already picked up."""
        self.picked = "" if self.picked == order.key else order.key
        self._picked_at = _price_of(order)

    def best(self, *, bid: bool) -> Decimal | None:
        """Return the best bid or ask."""
        ticks = self.best_bid if bid else self.best_ask
        return None if ticks is None else self.axis.price_of(ticks)

    def _convert(self, qty: Decimal) -> Decimal:
        """Convert a size to base units if several venues are shown; else leave it in the venue's unit."""
        return qty if self._contract is None else units.base(qty, self._contract)

    # Updates: each returns the rows whose cells may have changed

    def follow_quote(self) -> set[int]:
        """Read the best prices and sizes from the quote; return the rows that changed."""
        quote = self._view.mirror.quotes.get(self.sym)
        before = (self.best_bid, self.best_ask)
        bid = positive(quote.bid) if quote is not None else None
        ask = positive(quote.ask) if quote is not None else None
        self.best_bid = self.axis.ticks_of(bid) if bid is not None else None
        self.best_ask = self.axis.ticks_of(ask) if ask is not None else None
        self._bid_qty = (positive(quote.bid_qty) if quote is not None else None) or ZERO
        self._ask_qty = (positive(quote.ask_qty) if quote is not None else None) or ZERO
        changed: set[int] = set()
        for old, new in zip(before, (self.best_bid, self.best_ask), strict=True):
            known = [self.axis.row_of(ticks) for ticks in (old, new) if ticks is not None]
            if known:
                low, high = min(known), max(known)
                changed.update(range(low, high + 1) if high - low <= self.axis.lines else known)
        mark = positive(quote.mark) if quote is not None else None
        return changed | self._change(self._mark, [(mark, "mark")] if mark is not None else [])

    def follow_depth(self) -> set[int]:
        """Read the order book if it is complete; return the rows whose sizes changed."""
        depth = self._view.mirror.depth.get(self.sym)
        before = (self._bids, self._asks)
        self._bids = self._levels_of(depth.bids) if depth is not None and depth.whole else {}
        self._asks = self._levels_of(depth.asks) if depth is not None and depth.whole else {}
        self.depth_at = self._view.now if depth is not None and depth.whole else None
        changed: set[int] = set()
        for old, new in zip(before, (self._bids, self._asks), strict=True):
            changed |= {ticks for ticks in old.keys() | new.keys() if old.get(ticks) != new.get(ticks)}
        return {self.axis.row_of(ticks) for ticks in changed}

    def _levels_of(self, levels: Iterable[tuple[str, str]]) -> dict[int, Decimal]:
        parsed = ((positive(price), positive(qty)) for price, qty in levels)
        return {self.axis.ticks_of(price): qty for price, qty in parsed if price is not None and qty is not None}

    def follow_trades(self) -> set[int]:
        """Add new public trades to the traded quantities."""
        return self._traded.follow(self._view.mirror.prints.get(self.sym))

    def follow_ticker(self) -> set[int]:
        """Read the index price, and the highest and lowest price of the last 24 hours, as marked levels."""
        ticker = self._view.mirror.tickers.get(self.sym)
        texts = [(ticker.index, "index"), (ticker.high, "high"), (ticker.low, "low")] if ticker is not None else []
        return self._change(
            self._ticker, [(price, name) for text, name in texts if (price := positive(text)) is not None]
        )

    def follow_alerts(self, prices: Iterable[Decimal]) -> set[int]:
        """Read the price levels of alerts on the pair."""
        return self._change(self._alerts, [(price, "alert") for price in prices])

    def _change(self, levels: list[tuple[int, str]], prices: Iterable[tuple[Decimal, str]]) -> set[int]:
        """Replace the marked levels of one kind; return the rows of those that appeared or disappeared."""
        now = [self._level(price, name) for price, name in prices]
        changed = set(levels) ^ set(now)
        levels[:] = now
        return {self.axis.row_of(ticks) for ticks, _ in changed}

    def follow_account(self) -> None:
        """Read own orders, the position and its price levels; afterwards every row may have changed."""
        mirror = self._view.mirror
        self._orders = {}
        working = mirror.working_on(self.sym)
        for order in working:
            price = number_format.value(_price_of(order))
            if price:
                self._orders.setdefault(self.axis.ticks_of(price), []).append(order)
        if all((order.key, _price_of(order)) != (self.picked, self._picked_at) for order in working):
            self.picked = ""
        records = [fact.record for fact in mirror.positions.values() if fact.record.sym == self.sym]
        held = [record for record in records if size_of(record)]
        self._record = held[0] if len(held) == 1 else None
        self._levels = [level for record in held for level in self._levels_of_position(record)]

    def _levels_of_position(self, record: PositionRecord) -> list[tuple[int, str]]:
        prices = [
            (number_format.value(record.avg_price), "entry"),
            (break_even(record, self._view), f"{mark_break_even(record, self._view)}b/e"),
            (own_liquidation(record, self._view), "liq"),
        ]
        for row in list_protecting(record, self._view.mirror.algos.values()):
            prices += [(number_format.value(figure.price), figure.name) for figure in trigger_figures(row, self._view)]
        return [self._level(price, name) for price, name in prices if price is not None and price > 0]

    def _level(self, price: Decimal, name: str) -> tuple[int, str]:
        """Return a level's price rounded to the nearest tick, in ticks, and its name."""
        # Imported late: no ladder is open before the first frame.
        from tui.rules.rounding import nearest_tick

        return self.axis.ticks_of(nearest_tick(price, self.axis.tick)), name

    # Rows

    def row(self, row: int) -> LadderRow:
        """Build one row."""
        axis = self.axis
        low, high = axis.range_of(row)
        bid, ask = self._size_between(low, high, bids=True), self._size_between(low, high, bids=False)
        own = self.own_in(row)
        levels = (*self._levels, *self._alerts, *self._mark, *self._ticker)
        touch = ("bid", self.best_bid), ("ask", self.best_ask)
        best = " ".join(name for name, ticks in touch if self._is_in(ticks, low, high))
        return LadderRow(
            ticks=low,
            low=axis.price_of(low),
            high=axis.price_of(high),
            bid=self._convert(bid) if bid else None,
            ask=self._convert(ask) if ask else None,
            best=best,
            buys=self._sum_up([order for order in own if order.side == "BUY"]),
            sells=self._sum_up([order for order in own if order.side == "SELL"]),
            traded=self._traded.quantity(row),
            share=self._traded.share(row),
            last=self._traded.last_side(row),
            marks=tuple(name for ticks, name in levels if low <= ticks <= high),
            result=self._result_at(axis.price_of(low)),
        )

    @staticmethod
    def _is_in(ticks: int | None, low: int, high: int) -> bool:
        return ticks is not None and low <= ticks <= high

    def _size_between(self, low: int, high: int, *, bids: bool) -> Decimal:
        """Return the size of one side from price `low` to `high`; the size at the best price is the quote's, being newer."""
        best, qty = (self.best_bid, self._bid_qty) if bids else (self.best_ask, self._ask_qty)
        levels = self._bids if bids else self._asks
        if best is None:
            return ZERO
        total = qty if low <= best <= high else ZERO
        sizes = (
            size for ticks, size in levels.items() if low <= ticks <= high and (ticks < best) is bids and ticks != best
        )
        if low == high:
            return total or (levels.get(low, ZERO) if low != best and (low < best) is bids else ZERO)
        return total + sum(sizes, ZERO)

    def own_in(self, row: int) -> list[OrderRow]:
        """List the own working orders in a row."""
        return [order for orders in _between(self._orders, *self.axis.range_of(row)) for order in orders]

    def _sum_up(self, orders: list[OrderRow]) -> OwnOrders | None:
        """Add up own orders of one side in one row; None if there are none."""
        if not orders:
            return None
        rests = [
            (number_format.value(order.qty) or ZERO) - (number_format.value(order.filled) or ZERO) for order in orders
        ]
        ahead = self._view.queues.ahead(orders[0]) if len(orders) == 1 else None
        return OwnOrders(
            qty=self._convert(sum(rests, ZERO)),
            ahead=self._convert(ahead) if ahead is not None else None,
            unknown=any(order.unsure for order in orders),
            picked=any(order.key == self.picked for order in orders),
            keys=tuple(order.key for order in orders),
        )

    def _result_at(self, price: Decimal) -> Decimal | None:
        record = self._record
        if record is None:
            return None
        from tui.rules import pnl

        delta, entry = base_delta(record, self._view), number_format.value(record.avg_price)
        if not delta or not entry:
            return None
        return pnl.linear_result(1 if delta > 0 else -1, abs(delta), entry, price)


def _price_of(order: OrderRow) -> str:
    return order.requested_price or order.price


def _between(values: dict[int, T], low: int, high: int) -> list[T]:
    """Return the values whose key lies between two prices in ticks."""
    if low == high:
        return [values[low]] if low in values else []
    return [value for ticks, value in values.items() if low <= ticks <= high]
