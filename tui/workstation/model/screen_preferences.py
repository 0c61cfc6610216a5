"""What a trader chose on the screen and finds again after a restart: columns by pane, and the list of symbols."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import msgspec

HIDE = "-"
"""Before the name of a column that is not wanted."""

MOST_BYTES = 200_000


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

    def problems(self, lists: Mapping[str, Collection[str]]) -> list[str]:
        """Sentences about columns and lists that some panes do not have; `lists`: column names by list of these panes."""
        panes = {_pane_of(name) for name in lists}
        found = []
        for name, words in self.columns.items():
            if _pane_of(name) not in panes:
                continue
            if name not in lists:
                found.append(f"columns: {name!r} is not a pane; panes are {', '.join(lists)}")
                continue
            unknown = [word for word in words if word.removeprefix(HIDE) not in lists[name]]
            found += [f"columns: {name} has no column {word!r}; it has {', '.join(lists[name])}" for word in unknown]
        return found

    def unknown_panes(self, panes: Collection[str]) -> list[str]:
        """Sentences about panes that there are not; `panes`: ids of all of them."""
        names = [name for name in self.columns if _pane_of(name) not in panes]
        return [f"columns: {name!r} is not a pane; panes are {', '.join(panes)}" for name in names]

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
