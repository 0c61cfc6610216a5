"""What a trader chose on the screen and finds again after a restart: columns by pane, and the list of symbols."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

HIDE = "-"
"""Before the name of a column that is not wanted."""

MOST_BYTES = 200_000

SCREEN_PANES = frozenset(
    ["algos", "explorer", "fees", "funds", "history", "liquidation", "loans", "overview", "portfolios", "session"]
)
"""Panes of the other screens. They are made when they are entered first, and their columns are judged then."""


class ColumnChoice(msgspec.Struct, frozen=True):
    """What a trader wants of the columns of a pane, against what its width gives by itself."""

    shown: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()


class StoredPreferences(msgspec.Struct, frozen=True, kw_only=True):
    """The preferences as they are stored."""

    version: int = 1
    columns: dict[str, list[str]] = {}
    quotes: list[str] = []


class ScreenPreferences:
    """The stored preferences over those of the settings."""

    def __init__(self, columns: Mapping[str, Sequence[str]], quotes: Sequence[str], stored: bytes) -> None:
        """
        Args:
            columns: Of the settings, by pane.
            quotes: Symbols of the settings.
            stored: What `encoded` gave in an earlier run; empty or unreadable: only the settings count.
        """
        self.unreadable = False
        """Whether something was stored that cannot be read."""
        self.columns = {name: list(words) for name, words in columns.items()}
        self.quotes = list(quotes)
        if not stored:
            return
        try:
            found = msgspec.json.decode(stored[:MOST_BYTES], type=StoredPreferences)
        except msgspec.DecodeError:
            self.unreadable = True
            return
        self.columns |= found.columns
        self.quotes = found.quotes or self.quotes

    def encoded(self) -> bytes:
        """The preferences as bytes, for `stored` of the next run."""
        return msgspec.json.encode(StoredPreferences(columns=self.columns, quotes=self.quotes))

    def problems(self, panes: Mapping[str, Collection[str]]) -> list[str]:
        """Sentences about names that no pane of the desk and no column has; `panes`: column names by pane."""
        return self._unknown(panes, [name for name in self.columns if _pane_of(name) not in SCREEN_PANES])

    def screen_problems(self, pane: str, lists: Mapping[str, Collection[str]]) -> list[str]:
        """The same of the lists of a pane beside the desk; `lists`: column names by list."""
        return self._unknown(lists, [name for name in self.columns if _pane_of(name) == pane])

    def _unknown(self, lists: Mapping[str, Collection[str]], names: Iterable[str]) -> list[str]:
        found = []
        for name in names:
            words, columns = self.columns[name], lists.get(name)
            if columns is None:
                found.append(f"columns: no pane {name!r}; there are {', '.join(lists)}")
                continue
            unknown = [word for word in words if word.removeprefix(HIDE) not in columns]
            found += [f"columns: {name} has no column {word!r}; it has {', '.join(columns)}" for word in unknown]
        return found

    def choice(self, pane: str) -> ColumnChoice:
        """The choice of columns of a pane."""
        return choice_of(self.columns.get(pane, ()))

    def remember(self, pane: str, choice: ColumnChoice) -> None:
        """Take over a choice of columns."""
        self.columns[pane] = [*choice.shown, *sorted(HIDE + name for name in choice.hidden)]


def _pane_of(name: str) -> str:
    """The pane of a list: `history` of `history/orders`."""
    return name.partition("/")[0]


def choice_of(words: Sequence[str]) -> ColumnChoice:
    """Names to show and, with a minus, to hide."""
    hidden = frozenset(word.removeprefix(HIDE) for word in words if word.startswith(HIDE))
    return ColumnChoice(tuple(word for word in words if not word.startswith(HIDE)), hidden)
