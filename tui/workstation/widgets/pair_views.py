"""Views of one pair on the main screen: which of them exist, which pair they show, and how they follow the cursor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from tui.workstation.layouts.plan import PAIR_VIEWS
from tui.workstation.table.live_table import LiveTable
from tui.workstation.table.pair_pane import AnyPairPane, PairPane
from tui.workstation.table.pane import AnyPane
from tui.workstation.table.pane_box import PaneBox

PAIR_PAUSE_S = 0.15
"""Seconds that the cursor rests on a pair before its views follow."""


def pair_of(box: PaneBox) -> str:
    """Return the symbol of the row under the cursor, in a row of several venues the one with the best bid; empty if none."""
    key = box.selected
    return "" if key is None else box.pane.touch_sym(key, bid=True) or box.pane.sym(key)


def pair_to_buy(box: PaneBox) -> str | None:
    """Return the symbol that a buy key would stage; empty if none is selected, None if the row has no symbol."""
    marked = box.targets if isinstance(box, LiveTable) and box.mark_count else []
    key = marked[0] if len(marked) == 1 else box.selected
    if key is None:
        return ""
    best = box.pane.touch_sym(key, bid=True)
    return best if best is not None else box.pane.sym(key) or None


def first_pair(pane: AnyPane) -> str:
    """Return the symbol of a pane's first row that has one; empty if no row has."""
    return next((sym for key in list(pane.keys()) if (sym := pane.touch_sym(key, bid=True) or pane.sym(key))), "")


class PairViewsHost(Protocol):
    """Interface that the pair views need of the main screen: widgets of all panes, layout and timer."""

    zoomed: bool

    @property
    def boxes(self) -> Mapping[str, PaneBox]:
        """Widgets of all panes of the main screen, by pane id."""
        ...

    def arrange_panes(self) -> None:
        """Lay out the panes of the main screen again."""
        ...

    def flush_lists(self) -> None:
        """Draw changed lines of all panes."""
        ...

    def set_timer(self, delay: float, callback: Callable[[], None]) -> object:
        """Call a function once after a number of seconds."""
        ...


class PairViews:
    """Controller of the pair views (ladder, chart, trades); they show one pair, and are closed without a pair."""

    def __init__(self, host: PairViewsHost) -> None:
        self._host = host
        panes = [box.pane for box in host.boxes.values()]
        by_id = {pane.id: pane for pane in panes if isinstance(pane, PairPane)}
        self._panes: tuple[AnyPairPane, ...] = tuple(by_id[view] for view in PAIR_VIEWS if view in by_id)
        for pane in self._panes:
            pane.on_bars = self.choose_bars
            pane.on_books = self.follow_books
        self._zoomed = False
        self.sym = ""
        """Pair shown; empty: the views are closed."""
        self.by_layout = False
        """Whether they are open because the layout has places for them, and close with it."""
        self._waits_for_pair = False
        """Whether the layout waits for a row with a pair, to open its views."""
        self.wanted = ""
        """Pair under the cursor of a list, which the views show once the cursor has rested."""
        self.interval = "1m"
        """Interval of the bars, as the service writes it."""
        self.price = "last"
        """Price of the bars: `last`, `mark` or `index`."""
        self.books: tuple[str, ...] = ()
        """Other pairs whose order book a view shows."""
        self.on_change: Callable[[str], None] = lambda _: None
        """Called with the pair, or an empty text, after a change of the pair, of the bars or of the books."""

    @property
    def ids(self) -> tuple[str, ...]:
        """Pane ids of the pair views in the order of their tabs."""
        return tuple(pane.id for pane in self._panes)

    @property
    def shown(self) -> tuple[str, ...]:
        """Pane ids of the pair views if a pair is shown, else nothing."""
        return self.ids if self.sym else ()

    def choose_bars(self, interval: str, price: str) -> None:
        """Request bars of another interval or price kind for the chart."""
        if (interval, price) != (self.interval, self.price):
            self.interval, self.price = interval, price
            if self.sym:
                self.on_change(self.sym)

    def follow_books(self, syms: tuple[str, ...] = ()) -> None:
        """Request the order books that views show besides the open pair's, if they changed."""
        del syms
        books = self._list_books()
        if books != self.books:
            self.books = books
            if self.sym:
                self.on_change(self.sym)

    def _list_books(self) -> tuple[str, ...]:
        """List the symbols besides the open pair whose order book a view shows, a pinned ladder's first."""
        pinned = (pane.shown_sym for pane in self._panes if pane.pinned)
        others = (book for pane in self._panes for book in pane.books)
        return tuple(dict.fromkeys(book for book in (*pinned, *others) if book != self.sym))

    @property
    def pinned(self) -> str:
        """Pair to which the ladder is pinned; empty: it follows the cursor."""
        return next((pane.shown_sym for pane in self._panes if pane.pinned), "")

    def pin(self) -> None:
        """Pin the ladder to its pair, so that only the other views follow the cursor, or unpin it."""
        pins = not self.pinned
        for pane in self._panes:
            pane.pinned = pins and pane.can_be_pinned
            if pane.can_be_pinned and pane.shown_sym != self.sym:
                pane.show(self.sym)
        self._name_pairs()
        self.follow_books()

    def _name_pairs(self) -> None:
        """Set whether each view shows its pair in its title: if zoomed, or if the views show different pairs."""
        several = len({pane.shown_sym for pane in self._panes}) > 1
        for pane in self._panes:
            pane.alone = self._zoomed or several

    def note_zoom(self, *, alone: bool) -> None:
        """Record whether one pane is enlarged over the space of all, and update the pair names in the titles."""
        self._zoomed = alone
        self._name_pairs()

    def go_to_market(self) -> None:
        """Scroll each view to the market, as when the pair is opened."""
        for pane in self._panes:
            pane.go_to_market()

    def show(self, sym: str) -> None:
        """Show the views of a pair, or close them if `sym` is empty."""
        host, opened = self._host, bool(sym) != bool(self.sym)
        self._show_in_panes(sym)
        for view in self.ids:
            host.boxes[view].forget_selection()
        if opened:
            host.zoomed = False
            host.arrange_panes()
        host.flush_lists()

    def _show_in_panes(self, sym: str) -> None:
        self.wanted = sym
        if sym == self.sym:
            return
        self.by_layout = self.by_layout and bool(sym)
        self.sym = sym
        for pane in self._panes:
            pane.pinned = pane.pinned and bool(sym)
            if not pane.pinned:
                pane.show(sym)
        self._name_pairs()
        self.books = self._list_books()
        self.on_change(sym)

    # The cursor of the lists

    def note_pick(self, box: PaneBox) -> None:
        """Show the pair of a row that the trader selected, after the cursor has rested there for `PAIR_PAUSE_S`."""
        if self.sym and box.pane.id not in self.ids and (pair := pair_of(box)):
            self.wanted = pair
            self._host.set_timer(PAIR_PAUSE_S, self.follow)

    def follow(self) -> None:
        """Show the pair that was under the cursor last, if the views are open and show another."""
        if self.sym and self.wanted != self.sym:
            self.show(self.wanted)

    # Layouts with places for the views

    def close_with_layout(self) -> None:
        """Close the views if a layout opened them, because the next layout has no places for them."""
        if self.by_layout:
            self.show("")

    def wait_for_pair(self, sym: str, *, opens: bool) -> None:
        """Note the pair to open for a layout (empty: that under the cursor); `opens`: the layout has places for views."""
        self._waits_for_pair, self.wanted = opens and not self.sym, sym or self.sym

    def open_for_layout(self) -> None:
        """Open the views if a layout waits for a pair, as soon as the quotes have a row with a pair."""
        if not self._waits_for_pair:
            return
        quotes = self._host.boxes["quotes"]
        quotes.settle()
        if sym := self.wanted or pair_of(quotes) or first_pair(quotes.pane):
            self._waits_for_pair = False
            self.show(sym)
            self.by_layout = True
