"""Frames of the desk: changes of the engine on their way to the screens, and the pace at which they are painted."""

from __future__ import annotations

from collections.abc import Callable

from tui.engine.rows import Table
from tui.workstation.commands.context import Context
from tui.workstation.render.direct_painter import DirectPainter
from tui.workstation.render.repaint import RepaintScheduler
from tui.workstation.terminal.direct_output import DirectOutput, LiveModal
from tui.workstation.widgets.list_modal import BoxModal
from tui.workstation.widgets.list_screen import MARKET_TABLES, STATUS_TABLES, ListScreen
from tui.workstation.widgets.watched_pairs import WatchedPairs

FPS_UNDER_BOX = 5
"""Most frames of market data per second while a box lies over the desk."""

Changed = dict[Table, list[str]]
"""Keys of changed rows by table."""


def _merge_changes(first: Changed, then: Changed) -> Changed:
    """Merge two sets of changed row keys; the earlier ones come first."""
    merged = dict(first)
    for table, keys in then.items():
        before = merged.get(table)
        merged[table] = keys if before is None else list(dict.fromkeys([*before, *keys]))
    return merged


def _split_changes(changed: Changed) -> tuple[Changed, Changed]:
    """Split changed rows into account data and market data."""
    own = {table: keys for table, keys in changed.items() if table not in MARKET_TABLES}
    return own, {table: keys for table, keys in changed.items() if table in MARKET_TABLES}


class Frames:
    """Feeder of the screens: it passes engine changes on frame by frame, and holds them back while the view is frozen."""

    def __init__(
        self,
        app: DirectOutput,
        context: Context,
        painter: DirectPainter,
        scheduler: RepaintScheduler,
        pairs: WatchedPairs,
        note_status: Callable[[], None],
        follow: Callable[[Changed], None],
    ) -> None:
        """Initialize without pending changes.

        Args:
            app: App with the screens.
            context: Screens, mirror and port.
            painter: Painter of the changed lines.
            scheduler: Scheduler of the frames.
            pairs: Pairs whose quotes the screen asks for.
            note_status: Called when the status of the engine has changed, also while the screen is frozen.
            follow: Called with changes that the screens have followed.
        """
        self._app = app
        self._context = context
        self._main_screen = context.main_screen
        self._painter = painter
        self._scheduler = scheduler
        self._pairs = pairs
        self._note_status = note_status
        self._follow = follow
        self._held_back: Changed = {}
        """Changes since the screen was frozen."""
        self._market_waits: Changed = {}
        """Changes of the market that wait for the next frame."""
        context.thaw = self.toggle_freeze

    # Frames

    def paint(self) -> None:
        """Paint a frame with all pending changes; account lists come before the quotes."""
        self.pass_on()
        self._painter.paint()
        settings = self._context.settings
        self.set_pace(settings.fps if self._app.app_focus else settings.fps_unfocused)

    def pass_on(self) -> None:
        """Take all pending changes of the engine and pass them to the widgets, unpainted, unless the view is frozen."""
        changed, events = self._take()
        if self._is_frozen(changed, events=events):
            return
        changed = _merge_changes(self._market_waits, changed)
        self._market_waits = {}
        if changed or events:
            self._feed(changed, events=events)

    def paint_own(self) -> bool:
        """Paint account changes at once; return whether market data changes wait for the next frame."""
        changed, events = self._take()
        if self._is_frozen(changed, events=events):
            return False
        own, market = _split_changes(changed)
        self._market_waits = _merge_changes(self._market_waits, market)
        if own or events:
            self._feed(own, events=events)
        if market and self._main_screen.panel.open:
            # A ticket sends at the quote in the mirror, so it must not show an older one.
            self._main_screen.panel.follow()
        self._painter.paint()
        return bool(self._market_waits)

    def set_pace(self, fps: int) -> None:
        """Set the highest frame rate; with a dialog open at most `FPS_UNDER_BOX`, as frames then draw the whole screen."""
        is_covered = any(isinstance(screen, LiveModal) for screen in self._app.screen_stack)
        self._scheduler.set_fps(min(fps, FPS_UNDER_BOX) if is_covered else fps)

    def _take(self) -> tuple[Changed, bool]:
        """Move new changes of the engine into the mirror; return the changed keys and whether there are new events."""
        context, mirror = self._context, self._context.mirror
        version = mirror.event_log.version
        self._pairs.follow(context.clock.mono())
        changed = mirror.apply(context.port.updates.take())
        if Table.ENGINE_STATUS in changed:
            self._note_status()
            context.guard.hot = context.hot
        if Table.SYMBOLS in changed:
            self._pairs.request(anew=True)
        return changed, mirror.event_log.version != version

    def _feed(self, changed: Changed, *, events: bool) -> None:
        self._context.feed(changed, new_events=events)
        if changed:
            self._follow(changed)
            self._follow_boxes()

    def follow_time(self) -> None:
        """Redraw displayed ages, and numbers in open dialogs that depend on the time or on other tables."""
        screen = self._context.list_screen
        self._main_screen.tick()
        if screen is not self._main_screen:
            screen.tick()
        self._follow_boxes()

    def _follow_boxes(self) -> None:
        """Refresh the numbers in open dialogs, including dialogs below a question."""
        if not self._app.screen_stack or isinstance(self._app.screen, ListScreen):
            return
        for screen in self._app.screen_stack:
            if isinstance(screen, BoxModal):
                screen.follow()

    # Frozen screen

    def toggle_freeze(self) -> None:
        """Freeze the screen, or show what has changed since."""
        context, scheduler = self._context, self._scheduler
        scheduler.frozen = not scheduler.frozen
        context.view.frozen, context.view.frozen_at = scheduler.frozen, context.clock.mono()
        for table in (*self._main_screen.tables.values(), *context.list_screen.tables.values()):
            table.pane.hold_title(held=scheduler.frozen)
        self.follow_frozen()
        if not scheduler.frozen:
            held, self._held_back = self._held_back, {}
            self._feed(held, events=True)
            self.follow_time()
            self._painter.paint()

    def follow_frozen(self) -> None:
        """Show in every pane for how long the view has been frozen."""
        screen = self._context.list_screen
        screen.status.redraw_all()
        screen.follow_news()
        for table in screen.tables.values():
            table.refresh_title()

    def _is_frozen(self, changed: Changed, *, events: bool) -> bool:
        """Return whether the view is frozen; if so hold back the changes and redraw only status, events and open ticket."""
        if not self._scheduler.frozen:
            return False
        context = self._context
        self._held_back = _merge_changes(_merge_changes(self._held_back, self._market_waits), changed)
        self._market_waits = {}
        if changed.keys() & STATUS_TABLES:
            context.list_screen.status.redraw_all()
        if events:
            context.list_screen.event_bar.redraw_all()
        context.view.queues.follow(changed.get(Table.QUOTES, ()), changed.get(Table.ORDERS, ()))
        if self._main_screen.panel.open:
            # A ticket sends at the quote in the mirror, so it must not show an older one.
            self._main_screen.panel.follow()
        return True
