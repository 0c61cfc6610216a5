"""Pairs whose quotes the screen asks the engine for, and those that somebody looks at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from tui.engine.port import EnginePort
from tui.workstation.model.mirror import Mirror
from tui.workstation.model.quote_attention import Attention
from tui.workstation.widgets.main_screen import MainScreen

MOST_UNSEEN = 50
"""Most held and worked pairs whose quotes are wanted at once though no row of them is in view."""


class QuotesList(Protocol):
    """Interface of the list of quotes that tells which symbols it shows."""

    def list_shown_syms(self) -> frozenset[str]: ...

    def syms_of(self, keys: Iterable[str]) -> Iterator[str]:
        """Return the symbols whose quotes the rows with these keys show."""
        ...


class WatchedPairs:
    """Sender to the engine of the symbols whose quotes the screen needs, and of those the trader looks at."""

    def __init__(self, mirror: Mirror, port: EnginePort, quotes: QuotesList, screen: MainScreen) -> None:
        self._mirror = mirror
        self._port = port
        self._quotes = quotes
        self._screen = screen
        self._attention = Attention(mirror.quotes, port.attend)
        self._first: frozenset[str] | None = None
        """Pairs whose quotes were requested first; None before the first request."""

    def follow(self, now: float) -> None:
        """Tell the engine which symbols' quotes the screen has read lately; `now` is monotonic, in s."""
        self._attention.follow(now)

    def request(self, *, anew: bool = False) -> None:
        """Request quotes of all pairs from the engine, those on the screen first, as a service may limit their number."""
        symbols = self._mirror.symbols
        looked = self._quotes.list_shown_syms() | {self._near}
        if anew or looked != self._first:
            self._first = looked
            self._port.watch((*sorted(looked & symbols.keys()), *sorted(symbols.keys() - looked)))

    def note_looked_at(self) -> None:
        """Record visible, held and worked pairs as read, because the screen reads unchanged quotes only once.

        Of many held and worked pairs only those in view.
        """
        mirror, screen = self._mirror, self._screen
        table = screen.tables["quotes"]
        shown = self._quotes.syms_of(table.visible_keys()) if table.display else ()
        own = mirror.own_syms
        if len(own) > MOST_UNSEEN:
            own = frozenset(sym for name in ("orders", "positions") for sym in self._list_visible(name))
        pair = (*filter(None, (self._near, screen.pair.sym)), *screen.pair.books)
        mirror.quotes.note((*shown, *own, *pair))

    def _list_visible(self, name: str) -> Iterator[str]:
        table = self._screen.tables[name]
        return (table.pane.sym(key) for key in table.visible_keys()) if table.display else iter(())

    @property
    def _near(self) -> str:
        """Symbol of the open ticket, else of the selected row; empty if there is neither."""
        panel = self._screen.panel
        return panel.watched if panel.ticket is None else panel.ticket.sym
