"""Handlers of keys that open, use and close the full screens, such as history or explorer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from tui.engine.event_line import Level
from tui.workstation.app.keys.navigation_keys import NavigationKeys
from tui.workstation.app.keys.table_keys import TableKeys
from tui.workstation.app.screen_registry import FULL_SCREENS
from tui.workstation.commands.availability import Blocks, no_room
from tui.workstation.commands.context import Context, no_row
from tui.workstation.input.handlers import Handlers
from tui.workstation.input.scopes import VIEWS
from tui.workstation.model.account_risk import has_ended
from tui.workstation.table.row_filter import NO_FILTER
from tui.workstation.widgets.full_screen import FullScreen

FRESH_MS = 60_000
"""Highest age of a liquidation's first step for its screen to open by itself, ms."""
OPENED_S = 1.0
"""Seconds after the screen opened by itself during which its key keeps it open, because the trader wants to see it."""
LIQUIDATION = "screen.liquidation"


class ScreenKeys:
    """Keys of the full screens; a screen is built when first opened, and keeps its state when closed."""

    def __init__(self, context: Context, navigation: NavigationKeys, tables: TableKeys) -> None:
        self.openers: dict[str, Callable[[str], None]] = {}
        """Actions of Enter on a row other than opening its card, by pane id; called with the row key."""
        self._context = context
        self._navigation = navigation
        self._tables = tables
        self._screens: dict[str, FullScreen] = {}
        self._events: set[str] = set()
        """Liquidation events handled so far."""
        self._ended: set[str] = set()
        """Liquidation events that were over when they were first seen."""
        self._opened_at = float("-inf")
        """Monotonic time at which the liquidation screen opened by itself, s."""

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {
            **{action_id: partial(self.enter_or_leave, action_id) for action_id in FULL_SCREENS},
            "screen.open": self.screen_open,
            "screen.close": self.screen_close,
        }

    def blocks(self) -> Blocks:
        """Return functions that explain why an action cannot run, by action id."""
        return {**dict.fromkeys(FULL_SCREENS, partial(no_room, self._context)), "screen.open": no_row}

    def enter_or_leave(self, action_id: str) -> None:
        """Open a full screen, or return to the main screen if it is already shown."""
        if action_id == LIQUIDATION and self._context.clock.mono() - self._opened_at < OPENED_S:
            self._opened_at = float("-inf")
            if self._screens.get(action_id) is self._context.list_screen:
                return
        before = self._context.list_screen
        self._context.show_desk()
        if self._screens.get(action_id) is not before:
            self._enter(action_id)

    def report_unknown_panes(self) -> None:
        """Report stored columns of panes that do not exist."""
        desk = self._context.main_screen.tables
        self._tables.report_unknown_panes([*desk, *(row.pane.id for row in FULL_SCREENS.values())])

    def follow_liquidations(self, keys: Iterable[str]) -> None:
        """Open the liquidation screen for a new liquidation if a list has the keyboard; of an ended one only say so."""
        mirror = self._context.mirror
        steps, now_ms = mirror.liquidations, mirror.server_wall * 1000
        new = [step for key in keys if (step := steps.get(key)) is not None and step.event_id not in self._events]
        fresh = [step for step in new if not step.of_sub and now_ms - step.at_ms < FRESH_MS]
        running = {step.event_id for step in fresh if not has_ended(step, mirror)}
        over = {step.event_id: step.venue for step in fresh if step.event_id not in running | self._ended}
        self._ended |= over.keys()
        self._events |= {step.event_id for step in new} - over.keys()
        for venue in over.values():
            self._context.say(f"a liquidation event of {venue} has ended: ⟦screen.liquidation⟧ shows it")
        if running and self._context.scope in VIEWS and not self._context.list_screen.plan.tiny:
            self._context.say("a liquidation has begun: ⟦screen.liquidation⟧ returns to the main screen", Level.ALERT)
            self.enter_or_leave(LIQUIDATION)
            self._opened_at = self._context.clock.mono()

    def show_row(self, action_id: str, key: str) -> None:
        """Open a full screen and select a row, removing a filter that hides it."""
        self._context.show_desk()
        table = self._enter(action_id).live_table
        if not table.holds(key):
            table.pane.filter = NO_FILTER
            table.rearrange()
        table.select(key)

    def _enter(self, action_id: str) -> FullScreen:
        screen = self._screens.get(action_id)
        if screen is None:
            screen = self._build(action_id)
        else:
            screen.catch_up()
            # Who comes back reads the row under the cursor anew; only for a moment a key behind it names the row first.
            screen.live_table.cursor.slid = False
        self._context.main_screen.leave_ticket()
        self._context.app.push_screen(screen)
        return screen

    def _build(self, action_id: str) -> FullScreen:
        context = self._context
        screen = FULL_SCREENS[action_id].build(context.main_screen.parts._replace(request_read=context.port.read))
        self._tables.restore_columns(screen.pane)
        screen.follow_state()
        self._screens[action_id] = screen
        # An installed screen is kept when it is left.
        self._context.app.install_screen(screen, action_id)
        return screen

    def screen_open(self) -> None:
        """Handle Enter on a row: run the screen's own action, else open the card of the row's order, else the row's card."""
        table = self._context.table
        opener = self.openers.get(table.pane.id) if table is not None else None
        if table is not None and table.selected is not None and opener is not None:
            opener(table.selected)
            return
        order = table.pane.order_of(table.selected) if table is not None and table.selected is not None else None
        if order is not None:
            self._navigation.open_order(order)
        else:
            self._navigation.row_details()

    def screen_close(self) -> None:
        """Go back one step: clear the marks, else the filter, else return to the main screen."""
        if not self._tables.step_back():
            self._context.show_desk()
