"""What a trader chose on the screen and wants to find again: columns by pane, and the list of symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from tui.workstation.table.columns import ColumnChoice
from tui.workstation.table.pane import AnyPane

HIDE = "-"
"""Before the name of a column that is not wanted."""

MOST_BYTES = 200_000


class StoredPreferences(msgspec.Struct, frozen=True, kw_only=True):
    """The choices as they are kept."""

    version: int = 1
    columns: dict[str, list[str]] = {}
    quotes: list[str] = []


class ScreenPreferences:
    """Reads the kept choices over the settings, and hands every new one to whoever keeps them."""

    def __init__(self, columns: Mapping[str, Sequence[str]], quotes: Sequence[str], kept: bytes) -> None:
        """
        Args:
            columns: Of the settings, by pane.
            quotes: Symbols of the settings.
            kept: What `encoded` gave in an earlier run; empty or unreadable: only the settings count.
        """
        self.unreadable = False
        """Whether something was kept that cannot be read."""
        self.columns = {name: list(words) for name, words in columns.items()}
        self.quotes = list(quotes)
        if not kept:
            return
        try:
            found = msgspec.json.decode(kept[:MOST_BYTES], type=StoredPreferences)
        except msgspec.DecodeError:
            self.unreadable = True
            return
        self.columns |= found.columns
        self.quotes = found.quotes or self.quotes

    def encoded(self) -> bytes:
        """The choices as bytes, for `kept` of the next run."""
        return msgspec.json.encode(StoredPreferences(columns=self.columns, quotes=self.quotes))

    def problems(self, panes: Mapping[str, AnyPane]) -> list[str]:
        """Sentences about names that no pane and no column has."""
        found = []
        for name, words in self.columns.items():
            pane = panes.get(name)
            if pane is None:
                found.append(f"columns: no pane {name!r}; there are {', '.join(panes)}")
                continue
            unknown = [word for word in words if word.removeprefix(HIDE) not in pane.fields]
            found += [f"columns: {name} has no column {word!r}; it has {', '.join(pane.fields)}" for word in unknown]
        return found

    def apply(self, panes: Mapping[str, AnyPane]) -> None:
        """Give every pane its choice."""
        for name, pane in panes.items():
            pane.choose(choice_of(self.columns.get(name, ())))

    def remember(self, pane: str, choice: ColumnChoice) -> None:
        """Take over a choice of columns."""
        self.columns[pane] = [*choice.shown, *sorted(HIDE + name for name in choice.hidden)]


def choice_of(words: Sequence[str]) -> ColumnChoice:
    """Names to show and, with a minus, to hide."""
    hidden = frozenset(word.removeprefix(HIDE) for word in words if word.startswith(HIDE))
    return ColumnChoice(tuple(word for word in words if not word.startswith(HIDE)), hidden)
