"""Handlers of keys that enter, use and leave the screens beside the desk."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from tui.engine.rows import Level
from tui.workstation.app.navigation_keys import NavigationKeys
from tui.workstation.app.screen_registry import FULL_SCREENS
from tui.workstation.app.table_keys import TableKeys
from tui.workstation.commands.availability import TOO_SMALL, Blocks
from tui.workstation.commands.context import Context, no_row
from tui.workstation.input.handlers import Handlers
from tui.workstation.input.scopes import LISTS
from tui.workstation.table.live_table import LiveTable
from tui.workstation.table.row_filter import NO_FILTER
from tui.workstation.widgets.full_screen import FullScreen

FRESH_MS = 60_000
"""How old the first node of a liquidation may be for its screen to open by itself."""
OPENED_S = 1.0
"""For so long after the screen opened by itself its key leaves it open: who presses it then wants to see it."""
LIQUIDATION = "screen.liquidation"


class ScreenKeys:
    """A screen is made when it is entered first, and kept; entering it again finds it as it was left."""

    def __init__(self, context: Context, navigation: NavigationKeys, tables: TableKeys) -> None:
        self.openers: dict[str, Callable[[str], None]] = {}
        """What Enter on a row does where it is not the row's card, by the id of the pane; it takes the key of the row."""
        self._context = context
        self._navigation = navigation
        self._tables = tables
        self._made: dict[str, FullScreen] = {}
        self._events: set[str] = set()
        """Liquidation events that were seen."""
        self._opened_at = float("-inf")
        """When the screen of liquidations opened by itself, monotonic s."""

    def handlers(self) -> Handlers:
        """Handlers by action id."""
        return {
            **{action_id: partial(self.enter_or_leave, action_id) for action_id in FULL_SCREENS},
            "screen.open": self.screen_open,
            "screen.close": self.screen_close,
        }

    def blocks(self) -> Blocks:
        """Why an action cannot be done, by action id."""
        return {**dict.fromkeys(FULL_SCREENS, self._room_block), "screen.open": no_row}

    def _room_block(self, table: LiveTable | None) -> str:
        del table
        return TOO_SMALL if self._context.list_screen.plan.tiny else ""

    def enter_or_leave(self, action_id: str) -> None:
        """Enter a screen; on it: back to the desk."""
        if action_id == LIQUIDATION and self._context.clock.mono() - self._opened_at < OPENED_S:
            self._opened_at = float("-inf")
            if self._made.get(action_id) is self._context.list_screen:
                return
        before = self._context.list_screen
        self._context.show_desk()
        if self._made.get(action_id) is not before:
            self._enter(action_id)

    def report_unknown_panes(self) -> None:
        """Report columns that were chosen for panes that there are not."""
        desk = self._context.main_screen.tables
        self._tables.report_unknown_panes([*desk, *(row.pane.id for row in FULL_SCREENS.values())])

    def shown(self, action_id: str) -> FullScreen | None:
        """A screen that was made, by the action that enters it."""
        return self._made.get(action_id)

    def follow_liquidations(self, keys: Iterable[str]) -> None:
        """Enter the screen of liquidations at the first node of an event; a ticket or a question is not disturbed."""
        steps = self._context.mirror.liquidations
        new = [step for key in keys if (step := steps.get(key)) is not None and step.event_id not in self._events]
        self._events |= {step.event_id for step in new}
        now_ms = self._context.mirror.server_wall * 1000
        fresh = any(not step.of_sub and now_ms - step.at_ms < FRESH_MS for step in new)
        if fresh and self._context.scope in LISTS and not self._context.list_screen.plan.tiny:
            self._context.say("a liquidation has begun: R goes back to the desk", Level.ALERT)
            self.enter_or_leave(LIQUIDATION)
            self._opened_at = self._context.clock.mono()

    def show_row(self, action_id: str, key: str) -> None:
        """Enter a screen with the cursor on a row, whatever its filter hid."""
        self._context.show_desk()
        table = self._enter(action_id).live_table
        if not table.holds(key):
            table.pane.filter = NO_FILTER
            table.rearrange()
        table.select(key)

    def _enter(self, action_id: str) -> FullScreen:
        screen = self._made.get(action_id)
        if screen is None:
            screen = self._make(action_id)
        else:
            screen.catch_up()
        self._context.app.push_screen(screen)
        return screen

    def _make(self, action_id: str) -> FullScreen:
        context = self._context
        screen = FULL_SCREENS[action_id].build(context.main_screen.parts._replace(request_read=context.port.read))
        self._tables.restore_columns(screen.pane)
        screen.follow_state()
        self._made[action_id] = screen
        # What is installed is not taken apart when it is left.
        self._context.app.install_screen(screen, action_id)
        return screen

    def screen_open(self) -> None:
        """What the screen does with a row, else the card of the order it is about, else all of the row."""
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
        """One step back: marks, filter, the desk."""
        if not self._tables.step_back():
            self._context.show_desk()
