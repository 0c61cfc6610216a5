"""Handlers of keys and lines about alerts, and the watch over them while the desk runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from typing import TYPE_CHECKING

from tui.engine.event_line import Level
from tui.interface.text import clean, how_many
from tui.workstation.commands.availability import Blocks
from tui.workstation.commands.context import Context, no_single_row
from tui.workstation.features.alerts.pane import AlertsPane
from tui.workstation.input.handlers import Handlers
from tui.workstation.model.event_levels import Stay
from tui.workstation.model.screen_preferences import ScreenPreferences
from tui.workstation.table.live_table import LiveTable

if TYPE_CHECKING:
    from tui.workstation.command_line.grammar.syntax import Alert, AlertChange
    from tui.workstation.features.alerts.book import AlertBook, Told
    from tui.workstation.model.screen_preferences import AlertState

CHECK_S = 0.1
"""Least seconds between two looks at all alerts."""
SIGNAL_S = 1.0
"""Least seconds between two bells or notices; what comes in between is told together after it."""
SNOOZE_S = 300.0
"""Seconds for which `v` silences an alert."""
KEEP_S = 1.0
"""Least seconds between two times that the states of the alerts are kept."""
OWN_EVENTS = frozenset(["fill", "reject", "unknown", "mismatch", "margin", "disconnect"])
"""Happenings that have an event of their own; an alert on them rings and counts, and adds no second line."""
OpenLine = Callable[[str], None]
"""Opens the command line with a text in it."""


class AlertKeys:
    """Key handlers of the alerts: set from a row, list, silence and delete."""

    _open_line: OpenLine

    def __init__(
        self,
        context: Context,
        pane: AlertsPane,
        preferences: ScreenPreferences,
    ) -> None:
        self._context = context
        self._pane = pane
        self._preferences = preferences
        self._book: AlertBook | None = None
        self._checked_at = self._signalled_at = float("-inf")
        self._unsignalled: list[str] = []
        """Texts of alerts that have told since the last bell."""
        self._kept: Mapping[str, AlertState] = {}
        """States of the alerts as kept."""
        self._kept_at = float("-inf")
        context.followers.append(self.follow)

    def connect(self, open_line: OpenLine) -> None:
        """Connect the command line; called once, before the first key."""
        self._open_line = open_line

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {"alert.new": self.alert_new, "alert.delete": self.alert_delete, "alert.snooze": self.alert_snooze}

    def blocks(self) -> Blocks:
        """Return functions that explain why an action cannot run, by action id."""
        return {"alert.new": self._new_block, "alert.delete": self._row_block, "alert.snooze": self._row_block}

    def _new_block(self, table: LiveTable | None) -> str:
        return no_single_row(table, "an alert") or (
            "" if table is not None and self._describe(table) else "no pair here"
        )

    def _row_block(self, table: LiveTable | None) -> str:
        return no_single_row(table, "this")

    @staticmethod
    def _describe(table: LiveTable) -> str:
        """Return the beginning of an alert line for the row under the cursor: its pair and the figure mark or last price."""
        key = table.selected
        if key is None:
            return ""
        sym = table.pane.touch_sym(key, bid=True) or table.pane.sym(key)
        if not sym:
            return ""
        return f"alert when {sym} {'mark' if table.pane.id == 'positions' else 'last'} "

    def alert_new(self) -> None:
        """Open the command line with the beginning of an alert about the pair of the row under the cursor."""
        table = self._context.table
        if table is not None and (text := self._describe(table)):
            self._open_line(text)

    def _find_number(self) -> int:
        key = self._context.target()
        return int(key) if key is not None and key.isdigit() else 0

    def alert_delete(self) -> None:
        self._delete(self._find_number())

    def alert_snooze(self) -> None:
        self._snooze(self._find_number(), SNOOZE_S)

    # Lines

    def add(self, alert: Alert) -> None:
        """Switch an alert on, and store it."""
        book = self.book
        if book is None:
            return
        before = len(book.active)
        active = book.add(alert)
        done = "set" if len(book.active) > before else "is set already"
        self._keep()
        self._context.say(f"alert {active.number} {done}: {book.describe(active)}")

    def change(self, change: AlertChange) -> None:
        """List, delete or silence alerts."""
        if change.word == "list":
            self._context.show_desk()
            self._context.main_screen.show_pane(self._pane.id)
        elif change.word == "del":
            self._delete(change.number)
        else:
            self._snooze(change.number, float(change.seconds or 0))

    def _delete(self, number: int) -> None:
        book = self.book
        active = book.active.get(str(number)) if book is not None else None
        if book is None or active is None:
            self._context.refuse(f"there is no alert {number}")
            return
        book.delete(number)
        self._end_warnings({active.text})
        self._keep()
        self._context.say(f"alert {number} deleted: {book.describe(active)}")

    def _snooze(self, number: int, seconds: float) -> None:
        book = self.book
        if book is None or not book.snooze(number, seconds):
            self._context.refuse(f"there is no alert {number}")
            return
        self._redraw()
        self._context.say(f"alert {number} is silent for {seconds:.0f} s")

    def _keep(self) -> None:
        if self._book is not None:
            self._preferences.alerts = self._book.texts()
            self._preferences.alert_states = self._book.states()
            self._preferences.alert_numbers = self._book.numbers()
            self._kept, self._kept_at = self._preferences.alert_states, self._context.clock.mono()
            self._preferences.save()
        self._redraw()

    def _end_warnings(self, deleted: Set[str]) -> None:
        """Take what deleted alerts have told off the line of the newest events."""
        if self._context.mirror.event_log.end_alerts(deleted):
            self._context.feed({}, new_events=True)

    def _redraw(self) -> None:
        table = self._context.main_screen.tables[self._pane.id]
        table.rearrange()

    # Watch

    @property
    def book(self) -> AlertBook | None:
        """All alerts, including those stored by earlier runs; None until the pairs are known."""
        if self._book is None and self._context.mirror.symbols:
            from tui.workstation.features.alerts.book import AlertBook
            from tui.workstation.features.alerts.kept import read_alerts

            self._book = self._pane.book = AlertBook(self._context.view)
            alerts, warnings = read_alerts(self._preferences.alerts, self._context.mirror.symbols)
            self._book.follow(alerts, self._preferences.alert_states, self._preferences.alert_numbers)
            self._kept = self._book.states()
            for warning in warnings:
                self._context.say(warning, Level.WARN, stay=Stay.PUSHED_OUT)
            self._redraw()
        return self._book

    def follow_preferences(self) -> None:
        """Switch on the alerts that other windows have added, and drop those that they have deleted."""
        book = self._book
        if book is None:
            return  # it is made of the preferences
        from tui.workstation.features.alerts.kept import read_alerts

        before = set(book.texts())
        alerts, _ = read_alerts(self._preferences.alerts, self._context.mirror.symbols)
        book.follow(alerts, self._preferences.alert_states, self._preferences.alert_numbers)
        self._kept = book.states()
        self._end_warnings(before.difference(book.texts()))
        if book.numbers() == self._preferences.alert_numbers:
            self._redraw()
        else:
            self._keep()

    def follow(self) -> None:
        """Check all alerts, at most ten times a second, and report those that have come true."""
        now = self._context.clock.mono()
        if now - self._checked_at < CHECK_S:
            return
        self._checked_at = now
        book = self.book
        told = book.check() if book is not None else []
        for alert in told:
            self._tell(alert)
        self._signal(told)
        if book is not None and now - self._kept_at >= KEEP_S and book.states() != self._kept:
            self._keep()

    def _tell(self, told: Told) -> None:
        tests = told.alert.alert.tests
        if any(test.sign for test in tests):
            self._context.say(
                f"ALERT {told.alert.number}: {told.text}", Level.ALERT, sticky=True, by_alert=told.alert.text
            )
        elif not all(test.field in OWN_EVENTS for test in tests):
            self._context.say(f"ALERT {told.alert.number}: {told.text}", Level.WARN, by_alert=told.alert.text)
        self._redraw()

    def _signal(self, told: list[Told]) -> None:
        """Ring the bell and show a desktop notice for alerts that have come true, at most once a second."""
        self._unsignalled += [alert.text for alert in told]
        now = self._context.clock.mono()
        if not self._unsignalled or now - self._signalled_at < SIGNAL_S:
            return
        texts, self._unsignalled, self._signalled_at = self._unsignalled, [], now
        more = f" (and {how_many(len(texts) - 1, 'alert')} more)" if len(texts) > 1 else ""
        self._context.ring()
        self._context.show_notice(clean(texts[-1]) + more)
