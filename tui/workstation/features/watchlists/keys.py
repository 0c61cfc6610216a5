"""Handlers of the keys that choose, make and delete watchlists."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Protocol

from tui.interface.text import how_many
from tui.workstation.commands.availability import Blocks, no_room
from tui.workstation.commands.context import Context
from tui.workstation.input.handlers import Handlers
from tui.workstation.input.scopes import Scope
from tui.workstation.model.screen_preferences import ScreenPreferences
from tui.workstation.table.live_table import LiveTable
from tui.workstation.widgets.name_list import NamedEntry, NameList, NameScreen, find_name_fault

MOST_NAME = 20
MOST_LISTS = 30
USUAL = "usual list"
"""Name shown for the list of the settings."""


class Quotes(Protocol):
    """Interface to the pane of quoted pairs."""

    def list_only(self, syms: Iterable[str], name: str | None = None) -> None:
        """Quote only these symbols, under the name of their watchlist."""
        ...

    def syms_of(self, keys: Iterable[str]) -> Iterable[str]:
        """Return the symbols whose quotes these rows show."""
        ...


class WatchlistKeys:
    """Key handlers of the watchlists (lists of quoted pairs), which are stored for the next start."""

    def __init__(
        self,
        context: Context,
        quotes: Quotes,
        preferences: ScreenPreferences,
    ) -> None:
        self._context = context
        self._quotes = quotes
        self._preferences = preferences
        self._before = ""
        """Name of the list in use when the dialog was opened."""

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {
            "watchlists.open": self.watchlists_open,
            "watchlists.next": self.watchlists_next,
            "watchlists.take": self.watchlists_take,
            "watchlists.close": self.watchlists_close,
            "watchlists.new": self.watchlists_new,
            "watchlists.rename": self.watchlists_rename,
            "watchlists.delete": self.watchlists_delete,
        }

    def blocks(self) -> Blocks:
        """Return the block reasons by action id."""
        return {"watchlists.open": partial(no_room, self._context), "watchlists.next": self._next_block}

    def _next_block(self, table: LiveTable | None) -> str:
        del table
        return "" if self._preferences.watchlists else "there is one list of quotes; ⟦watchlists.open⟧ makes another"

    @property
    def _screen(self) -> NameScreen | None:
        return self._context.modal(NameScreen)

    @property
    def names(self) -> list[str]:
        """Names of all watchlists; the first is empty and means the list in the settings."""
        return ["", *sorted(self._preferences.watchlists)]

    # Choice

    def watchlists_open(self) -> None:
        """Open the dialog of watchlists with the cursor on the list in use."""
        self._before = self._preferences.watchlist
        body = NameList("Watchlists", self._context.main_screen.palette, MOST_NAME, self._show_line)
        body.show(self._lines(), self._before or USUAL)
        self._context.open_modal(NameScreen(Scope.WATCHLISTS, body))

    def _lines(self) -> list[NamedEntry]:
        lists = self._preferences.watchlists
        own = [NamedEntry(name, how_many(len(lists[name]), "pair"), own=True) for name in sorted(lists)]
        return [
            NamedEntry(
                USUAL, self._context.view.name_keys("pairs of the settings, and those you added (⟦filter.open⟧)")
            ),
            *own,
        ]

    def _show_line(self, line: str) -> None:
        self._show("" if line == USUAL and line not in self._preferences.watchlists else line)

    def _show(self, name: str) -> None:
        """Show the quotes of a watchlist's pairs."""
        self._preferences.watchlist = name
        self._quotes.list_only(self._preferences.quotes_in_use, name)
        self._context.main_screen.tables["quotes"].rearrange()

    def use(self, name: str) -> None:
        """Show a watchlist from now on, also at the next start; an empty name means the list in the settings."""
        self._show(name)
        self._preferences.save()
        self._context.say(f"quotes of the list {name}" if name else "quotes of the usual list")

    def watchlists_next(self) -> None:
        """Show the next watchlist."""
        names = self.names
        self.use(names[(names.index(self._preferences.watchlist) + 1) % len(names)])

    def watchlists_take(self) -> None:
        """Use the watchlist under the cursor and close the dialog."""
        if (screen := self._screen) is not None:
            screen.dismiss(None)
            self.use(self._preferences.watchlist)

    def watchlists_close(self) -> None:
        """Close the dialog and show the watchlist used before."""
        if (screen := self._screen) is not None:
            screen.dismiss(None)
            self._show(self._before if self._before in self.names else "")

    # Own lists

    def watchlists_new(self) -> None:
        """Ask for the name of a new list of the marked pairs, or of the pair under the cursor."""
        if (screen := self._screen) is not None:
            screen.body.ask_name("new list", "", self._make)

    def _make(self, name: str) -> str:
        table = self._context.main_screen.tables["quotes"]
        syms = list(dict.fromkeys(self._quotes.syms_of(table.targets)))
        if fault := self._name_fault(name):
            return fault
        if not syms:
            return "mark pairs in the quotes first"
        self._preferences.watchlists[name] = syms
        self._finish(name)
        self._context.say(
            f"list {name} with {how_many(len(syms), 'pair')}: ⟦filter.open⟧ adds pairs; ⟦quote.drop⟧ removes them"
        )
        return ""

    def watchlists_rename(self) -> None:
        """Ask for a new name for the watchlist under the cursor."""
        if (screen := self._screen) is None or (name := self._own_name(screen)) is None:
            return
        screen.body.ask_name("new name", name, partial(self._rename, name))

    def _rename(self, before: str, name: str) -> str:
        if fault := self._name_fault(name):
            return fault
        self._preferences.watchlists[name] = self._preferences.watchlists.pop(before)
        self._before = name if self._before == before else self._before
        self._finish(name)
        return ""

    def watchlists_delete(self) -> None:
        """Delete the watchlist under the cursor."""
        if (screen := self._screen) is None or (name := self._own_name(screen)) is None:
            return
        del self._preferences.watchlists[name]
        self._finish("")
        self._context.say(f"list {name} deleted; its pairs are still found with /")

    def _own_name(self, screen: NameScreen) -> str | None:
        """Return the name of the trader's own watchlist under the cursor; None, with a message, if there is none."""
        line = screen.body.chosen
        if line is None or not line.own:
            screen.body.say("the usual list cannot be renamed or deleted")
            return None
        return line.name

    def _name_fault(self, name: str) -> str:
        return find_name_fault(name, [USUAL, *self._preferences.watchlists], MOST_LISTS)

    def _finish(self, name: str) -> None:
        """Show a watchlist after a change, in the dialog and in the quotes, and store it."""
        self._show(name)
        self._preferences.save()
        if (screen := self._screen) is not None:
            screen.body.show(self._lines(), name or USUAL)
            screen.refresh(layout=True)
