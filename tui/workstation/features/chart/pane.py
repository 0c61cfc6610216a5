"""Chart pane: which pair, interval and price the chart shows, and its title."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import ClassVar

from tui.engine.rows import BarsRow, Table
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name
from tui.workstation.render.pieces import Piece
from tui.workstation.table.columns import Fields
from tui.workstation.table.pair_pane import PairPane
from tui.workstation.table.pane import NO_ROWS, ChangedRows

INTERVALS = ("1m", "3m", "5m", "15m", "30m", "1H", "4H", "1D")
"""Intervals that the chart offers, as the service writes them."""
PRICES = ("last", "mark", "index")
"""Prices whose bars the chart offers."""
ROOMY, ROOMY_ALONE = 96, 132
"""Width of the title from which on it lists every interval, also where it names the pair."""


class ChartPane(PairPane[None]):
    """Pane with the price bars of the open pair; it has no rows."""

    id: ClassVar[str] = "chart"
    title: ClassVar[str] = "Chart"
    feeds: ClassVar[frozenset[Table]] = frozenset(
        [
            Table.BARS, Table.ORDERS, Table.ALGOS, Table.POSITIONS, Table.FILLS, Table.SYMBOLS, Table.QUOTES, Table.PRINTS,
        ]
    )  # fmt: skip
    needs_snapshot: ClassVar[bool] = False
    ages: ClassVar[bool] = False

    fields: Fields[None] = {}

    def __init__(self, view: DisplayContext) -> None:
        super().__init__(view)
        self.interval = INTERVALS[0]
        self.price = PRICES[0]
        """Price whose bars are shown."""
        self.alerts: Callable[[str], Iterable[Decimal]] = lambda _: ()
        """Prices of a pair at which an alert tells."""
        self.prints: Callable[[str], Iterable[tuple[int, str, str]]] = lambda _: ()
        """Time (ms), price and taker's side of the large prints of a pair."""
        self.figures: list[Piece] = []
        """Figures of the bar under the crosshair, else of the newest."""
        self.room = 0
        """Width of the chart, cells."""

    @property
    def bars(self) -> BarsRow | None:
        """Bars of the pair in the chosen interval and kind of price; None if they have not arrived."""
        row = self.view.mirror.bars.get(self.shown_sym)
        return row if row is not None and (row.interval, row.price) == (self.interval, self.price) else None

    @property
    def last(self) -> Decimal | None:
        """Price newer than the bars: last price, or mark price for mark bars; None for index bars or if unknown."""
        row, mirror = self.bars, self.view.mirror
        newest = row.bars[-1] if row is not None and row.bars else None
        if newest is None or self.price == "index":
            return None
        from tui.interface.decimals import positive
        from tui.interface.times import millis
        from tui.workstation.features.chart.last_price import find_last

        quote = mirror.quotes.get(self.shown_sym)
        start, close = millis(str(newest.open_time)), positive(newest.close)
        if self.price == "mark":
            return positive(quote.mark) if quote is not None and quote.ts >= start else None
        prints = mirror.prints.get(self.shown_sym)
        trade = prints.trades[0] if prints is not None and prints.trades else None
        return find_last(close, start, trade, quote) if close is not None else None

    @property
    def tick(self) -> Decimal | None:
        """Tick of the pair; None before the service has sent its rules."""
        from tui.interface.decimals import positive

        info = self.view.info(self.shown_sym)
        return positive(info.tick_size) if info is not None else None

    def choose_interval(self, steps: int) -> None:
        """Choose the interval `steps` further in the list of intervals, at most to its ends."""
        index = max(0, min(len(INTERVALS) - 1, INTERVALS.index(self.interval) + steps))
        if INTERVALS[index] != self.interval:
            self.interval = INTERVALS[index]
            self.on_bars(self.interval, self.price)

    def choose_price(self) -> None:
        """Choose bars of the next kind of price: last, mark, index."""
        self.price = PRICES[(PRICES.index(self.price) + 1) % len(PRICES)]
        self.on_bars(self.interval, self.price)

    def keys(self) -> list[str]:
        return []

    def row(self, key: str) -> None:
        del key

    def find_changed_rows(self, table: Table, keys: Iterable[str]) -> ChangedRows:
        del table, keys
        return NO_ROWS

    def counts(self) -> list[Piece]:
        offered = INTERVALS if self.room >= (ROOMY_ALONE if self.alone else ROOMY) else (self.interval,)
        choice: list[Piece] = [*self.title_pair, *([(" ", "faint")] if self.title_pair else [])]
        for interval in offered:
            choice.append((f"‹{interval}›", "accent") if interval == self.interval else (interval, "faint"))
            choice.append((" ", "faint"))
        price: list[Piece] = [(f" {self.price}", "warn")] if self.price != PRICES[0] else []
        return [*choice[:-1], *price, *self.figures]

    def short(self) -> str:
        # In a tab, where the title has no room for more, close and change, or high and low at the crosshair.
        pair = [text for text, _ in self.title_pair]
        names = [*pair, self.interval, *([self.price] if self.price != PRICES[0] else [])]
        figures = "".join(text for text, _ in self.figures).split(" · ")[1:]
        most = 2 if figures and figures[0].startswith("H") else 1
        return " ".join([*names, *figures[:most]]) if self.shown_sym else ""

    def empty(self) -> str:
        if not self.shown_sym:
            return self.describe_no_pair()
        of = f"the {self.price} price of " if self.price != PRICES[0] else ""
        return f"no bars of {of}{full_name(self.shown_sym)} yet: they appear as the service sends them"
