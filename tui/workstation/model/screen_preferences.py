"""Screen preferences that survive a restart: columns by pane, quoted symbols, alerts, layouts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import msgspec

HIDE = "-"
"""Prefix of a column name to hide."""
PLACE = "="
"""Prefix of a column name that stands for its place: such names are the order from left to right."""

MOST_BYTES = 200_000
MOST_LADDERS = 200
"""Most pairs whose ticks per row are kept, the latest chosen ones."""

ALERTS_AT_FIRST = ("fill", "reject", "unknown", "margin", "adlrise")
"""Happenings that a new desk tells about, until the trader deletes their alerts."""


class ColumnChoice(msgspec.Struct, frozen=True):
    """Columns that the trader shows, hides or reorders, deviating from the automatic choice by pane width."""

    shown: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()
    order: tuple[str, ...] = ()
    """Columns from left to right, shown or not; those that are not named follow; empty: the usual order."""


class AlertState(msgspec.Struct, frozen=True):
    """State of an alert that is kept over a restart."""

    fired_ms: int
    """Wall clock time at which it last told, ms."""
    count: int
    true: bool
    """Whether its condition has not been left since it told: then it does not tell again."""


class StoredPreferences(msgspec.Struct, frozen=True, kw_only=True):
    """File format of the stored preferences."""

    version: int = 1
    columns: dict[str, list[str]] = {}
    quotes: list[str] = []
    alerts: list[str] = msgspec.field(default_factory=lambda: [f"alert when {word}" for word in ALERTS_AT_FIRST])
    """Lines that make the alerts."""
    alert_states: dict[str, AlertState] = {}
    """States of alerts that have told, by line."""
    alert_numbers: dict[str, int] = {}
    """Numbers of the alerts, by line."""
    aliases: dict[str, str] = {}
    """Lines by the name that stands for them."""
    theme: str = ""
    """Theme chosen from the list; empty: that of the settings."""
    keymap: str = ""
    """Keymap chosen from the list; empty: that of the settings."""
    kept: list[str] = []
    """Pairs that are left out when everything is flattened."""
    welcome: bool = False
    """Whether the welcome is shown at the start."""
    watchlists: dict[str, list[str]] = {}
    """Symbols of own lists of quotes, by name."""
    watchlist: str = ""
    """Name of the list of quotes in use; empty: that of `quotes`."""
    layout: str = ""
    """Name of the layout in use; empty: the first preset."""
    layouts: dict[str, msgspec.Raw] = {}
    """Own layouts and changed presets, by name."""
    ladder_ticks: dict[str, int] = {}
    """Ticks per row of the ladder, by pair or by the pairs on one price axis."""


class ScreenPreferences:
    """Preferences of the screen: values stored by an earlier run override those of the settings."""

    unreadable = False
    """Whether the stored preferences could not be read."""
    theme = ""
    """Theme chosen from the list; empty: that of the settings."""
    keymap = ""
    """Keymap chosen from the list; empty: that of the settings."""
    layout = ""
    """Name of the layout in use; empty: the first preset."""
    watchlist = ""
    """Name of the list of quotes in use; empty: the one of the settings, or what the trader made of it."""

    def __init__(
        self,
        columns: Mapping[str, Sequence[str]],
        quotes: Sequence[str],
        stored: bytes,
        store: Callable[[bytes], None] = lambda _: None,
    ) -> None:
        """Read the preferences of the settings, then override them by the stored ones.

        Args:
            columns: Columns of the settings, by pane.
            quotes: Symbols of the settings.
            stored: Result of `encode` in an earlier run; empty or unreadable: only the settings count.
            store: Stores the result of `encode` for the next run.
        """
        self._store = store
        self.columns = {name: list(words) for name, words in columns.items()}
        self.quotes = list(quotes)
        self.watchlists: dict[str, list[str]] = {}
        """Symbols of own lists of quotes, by name."""
        self.alerts = StoredPreferences().alerts
        """Lines that make the alerts of the trader."""
        self.alert_states: dict[str, AlertState] = {}
        """States of the alerts that have told, by line."""
        self.alert_numbers: dict[str, int] = {}
        """Numbers of the alerts, by line; the same in all windows of a home."""
        self.aliases: dict[str, str] = {}
        """Lines by the name that stands for them on the command line."""
        self.kept: set[str] = set()
        """Pairs that are left out when everything is flattened."""
        self.layouts: dict[str, bytes] = {}
        """Own layouts and changed presets as they are stored, by name; also those that this version cannot read."""
        self.ladder_ticks: dict[str, int] = {}
        """Ticks per row of the ladder, by pair or by the pairs on one price axis."""
        self.welcome = not stored
        """Whether the welcome is shown at the start: from the first one until the trader has made a lasting choice."""
        if stored:
            self._take(stored)

    def _take(self, stored: bytes) -> None:
        """Override the preferences by stored ones; if these cannot be decoded, set `unreadable` instead."""
        try:
            preferences = msgspec.json.decode(stored[:MOST_BYTES], type=StoredPreferences)
        except msgspec.DecodeError:
            self.unreadable = True
            return
        self.columns |= preferences.columns
        self.quotes = preferences.quotes or self.quotes
        self.alerts = preferences.alerts
        self.alert_states, self.alert_numbers = preferences.alert_states, preferences.alert_numbers
        self.aliases = preferences.aliases
        self.kept = set(preferences.kept)
        self.theme, self.keymap = preferences.theme, preferences.keymap
        self.welcome = preferences.welcome
        self.watchlists = {name: syms for name, syms in preferences.watchlists.items() if syms}
        self.watchlist = preferences.watchlist if preferences.watchlist in self.watchlists else ""
        self.layout = preferences.layout
        self.ladder_ticks = preferences.ladder_ticks
        self.layouts = {name: bytes(raw) for name, raw in preferences.layouts.items()}

    def take_shared(self, stored: bytes) -> bool:
        """Load alerts, aliases and kept pairs that another window stored; return whether they can be decoded."""
        try:
            preferences = msgspec.json.decode(stored[:MOST_BYTES], type=StoredPreferences)
        except msgspec.DecodeError:
            return False
        self.alerts, self.alert_states = preferences.alerts, preferences.alert_states
        self.alert_numbers = preferences.alert_numbers
        # Other parts of the desk hold these two.
        self.aliases.clear()
        self.aliases.update(preferences.aliases)
        self.kept.clear()
        self.kept.update(preferences.kept)
        return True

    def save(self) -> None:
        """Store the preferences as they are now."""
        self._store(self.encode())

    def encode(self) -> bytes:
        """Serialize the preferences to JSON, which the next run reads as `stored`."""
        stored = StoredPreferences(
            columns=self.columns,
            quotes=self.quotes,
            alerts=self.alerts,
            alert_states=self.alert_states,
            alert_numbers=self.alert_numbers,
            aliases=self.aliases,
            kept=sorted(self.kept),
            theme=self.theme,
            keymap=self.keymap,
            welcome=self.welcome,
            watchlists=self.watchlists,
            watchlist=self.watchlist,
            layout=self.layout,
            ladder_ticks=self.ladder_ticks,
            layouts={name: msgspec.Raw(raw) for name, raw in self.layouts.items()},
        )
        return msgspec.json.encode(stored)

    def remember_ladder(self, name: str, ticks: int) -> None:
        """Store the ticks per row of a pair's ladder; beyond `MOST_LADDERS` the oldest entry is deleted."""
        self.ladder_ticks.pop(name, None)
        self.ladder_ticks[name] = ticks
        if len(self.ladder_ticks) > MOST_LADDERS:
            del self.ladder_ticks[next(iter(self.ladder_ticks))]

    @property
    def quotes_in_use(self) -> list[str]:
        """Symbols of the list of quotes that is shown, the default one or a named watchlist."""
        return self.watchlists.get(self.watchlist, self.quotes)

    def keep_quotes(self, syms: Sequence[str]) -> None:
        """Store the symbols of the list of quotes that is shown."""
        if self.watchlist in self.watchlists:
            self.watchlists[self.watchlist] = list(syms)
        else:
            self.quotes = list(syms)

    def check_columns(self, lists: Mapping[str, Collection[str]]) -> list[str]:
        """Return an error for each column name of the preferences that its list, by `lists`, does not have."""
        panes = {_pane_of(name) for name in lists}
        errors = []
        for name, words in self.columns.items():
            if _pane_of(name) not in panes:
                continue
            if name not in lists:
                errors.append(f"columns: {name!r} is not a pane; panes are {', '.join(lists)}")
                continue
            unknown = [word for word in words if word.removeprefix(HIDE).removeprefix(PLACE) not in lists[name]]
            errors += [f"columns: {name} has no column {word!r}; it has {', '.join(lists[name])}" for word in unknown]
        return errors

    def check_panes(self, panes: Collection[str]) -> list[str]:
        """Return an error for each pane name of the preferences that is not among `panes`, the ids of all panes."""
        names = [name for name in self.columns if _pane_of(name) not in panes]
        return [f"columns: {name!r} is not a pane; panes are {', '.join(panes)}" for name in names]

    def choice(self, pane: str) -> ColumnChoice:
        """Return the column choice of a pane."""
        return choice_of(self.columns.get(pane, ()))

    def remember(self, pane: str, choice: ColumnChoice) -> None:
        """Store a column choice of a pane."""
        order = [PLACE + name for name in choice.order]
        self.columns[pane] = [*choice.shown, *sorted(HIDE + name for name in choice.hidden), *order]


def _pane_of(name: str) -> str:
    """Return the pane of a list name: `history` for `history/orders`."""
    return name.partition("/")[0]


def choice_of(words: Sequence[str]) -> ColumnChoice:
    """Parse column names; a leading minus hides a column, and names after `=` are the order from left to right."""
    hidden = frozenset(word.removeprefix(HIDE) for word in words if word.startswith(HIDE))
    order = tuple(word.removeprefix(PLACE) for word in words if word.startswith(PLACE))
    return ColumnChoice(tuple(word for word in words if not word.startswith((HIDE, PLACE))), hidden, order)
