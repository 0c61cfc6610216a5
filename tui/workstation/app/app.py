"""Textual application: routes keys to handlers and rows to widgets; shows the first frame before the network starts."""

from __future__ import annotations

from tui.workstation.input.keymap import write_key

from tui.workstation.terminal import environment  # isort: skip  # before textual

import asyncio
import logging
import traceback
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from textual import constants, events
from textual.binding import BindingsMap
from textual.reactive import Reactive
from textual.screen import Screen

from tui.engine.event_line import Level
from tui.engine.rows import Table
from tui.interface.text import clean, how_many, traceback_lines
from tui.protocols import Clock
from tui.workstation.app.desk_panes import DRAWN, build_desk_panes
from tui.workstation.commands.context import Context
from tui.workstation.commands.keymap_switch import KeymapSwitch
from tui.workstation.commands.launcher_services import LauncherServices
from tui.workstation.commands.theme_switch import ThemeSwitch
from tui.workstation.input.actions import BY_ID
from tui.workstation.input.fresh_press import FreshPress
from tui.workstation.input.handlers import Handlers, merge_handlers
from tui.workstation.input.input_order import InputOrder, key_time
from tui.workstation.input.mouse import MouseTarget
from tui.workstation.input.scopes import Scope
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.event_levels import Stay
from tui.workstation.model.mirror import Mirror
from tui.workstation.model.screen_preferences import ScreenPreferences
from tui.workstation.render.direct_painter import DirectPainter
from tui.workstation.render.repaint import RepaintScheduler
from tui.workstation.settings import WorkstationSettings
from tui.workstation.terminal.direct_output import DirectOutput, textual_is_known
from tui.workstation.terminal.output import OutputBacklog, stdin_is_terminal, writer_backlog
from tui.workstation.terminal.terminal_probe import TerminalProbe
from tui.workstation.tickets.fields import Chooser
from tui.workstation.widgets.footer import Hint
from tui.workstation.widgets.main_screen import MainScreen

if TYPE_CHECKING:
    from tui.engine.port import EnginePort
    from tui.workstation.app.controller_registry import ControllerRegistry
    from tui.workstation.app.dispatch import Dispatch
    from tui.workstation.app.frames import Frames
    from tui.workstation.render.themes import ThemeFile
    from tui.workstation.widgets.watched_pairs import WatchedPairs

__all__ = ["CrossdeskApp", "environment"]

log = logging.getLogger("tui.workstation")

STALL_S = 1.5
LAST_CANCEL_S = 1.0
"""Seconds a lost terminal waits for the answer to its last cancel-all."""

NO_SERVICES = LauncherServices()


class CrossdeskApp(DirectOutput):
    """Workstation application, connected to one engine.

    Args:
        port: Engine, not started yet.
        clock: Time for ages and guards.
        settings: Validated settings.
        read_themes: Reads the theme of a name, and maybe others; the first one is used when none has the name.
        start_engine: Starts the engine; called once, after the first frame was painted.
        preferences: Bytes given to `save_preferences` in an earlier run.
        save_preferences: Stores the trader's choices of columns and symbols; called at every change.
        services: Services of the launcher.
        watch_terminal: Whether to check once a second that standard input is still a terminal, and exit when it is not.

    Raises:
        KeymapError: Keymap or keys of the settings are not usable.
    """

    TITLE = "crossdesk"
    title: Reactive[str] = Reactive("", compute=False, repaint=False)
    """Shown only in the title of the terminal window, so a change needs no repaint."""
    ENABLE_COMMAND_PALETTE = False
    ESCAPE_TO_MINIMIZE = False
    BINDINGS = []

    repaint_scheduler: RepaintScheduler | None = None
    """None before the first frame."""
    lost_terminal = False
    died = ""
    """Place of a crash, without values of variables; empty otherwise."""
    _second: Any = None
    _ticked = 0.0
    _has_keys = False
    """Whether the key controllers are built; the first frame is painted before."""

    def __init__(
        self,
        port: EnginePort,
        clock: Clock,
        settings: WorkstationSettings,
        read_themes: Callable[[str], Sequence[ThemeFile]],
        start_engine: Callable[[], None],
        *,
        watch_terminal: bool = False,
        preferences: bytes = b"",
        save_preferences: Callable[[bytes], None] = lambda _: None,
        services: LauncherServices = NO_SERVICES,
    ) -> None:
        self.writes_directly = settings.direct and textual_is_known()
        super().__init__()
        self.port, self.clock, self.settings = port, clock, settings
        self.mirror = Mirror(clock)
        self.view = DisplayContext(self.mirror, clock, settings)
        self._start_engine, self._watch_terminal = start_engine, watch_terminal
        stored = self.preferences = ScreenPreferences(settings.columns, settings.quotes, preferences, save_preferences)
        self.keymaps = KeymapSwitch(settings.keymap, settings.keys, services.read_keymaps, stored=stored.keymap)
        self.view.key_of, self.view.keys_of = self.keymaps.keymap.key_of, self.keymaps.keymap.of
        self.themes = ThemeSwitch(self, read_themes, stored.theme or settings.theme, red_up=settings.red_up)
        self.palette = self.themes.palette
        self.guard = FreshPress(settings.key_rearm_ms / 1000)
        self.backlog = OutputBacklog(lambda: writer_backlog(self), clock.mono)
        self.probe = TerminalProbe(self.write_query, clock.mono, settings.key_max_age_ms / 1000, self.count_written)
        self.painter = DirectPainter(self, self.awaits_output, enabled=self.writes_directly)
        self.panes = build_desk_panes(self.view)
        self.main_screen = MainScreen(self.view, self.palette, self._hints, self._press_key, self.panes, DRAWN)
        self.context = Context(self, port, self.view, self.main_screen, self.guard)
        self._services = services
        self._preference_warnings = self._apply_preferences()
        self.input_order = InputOrder(self, self._handle_input, self._is_urgent, self._input_dropped, self._burst_cut)
        self._connect_screen()
        # Textual's lookup is not used: it copies the bindings of all widgets around the focus for each key.
        self._bindings = BindingsMap()
        self._after_start: list[tuple[float, Callable[[], None]]] = []
        self._crash: list[str] = []

    # Start

    def _connect_screen(self) -> None:
        self.main_screen.panel.guard = self.guard
        self.main_screen.part_waits = lambda: self.controllers.positions.part_open

    @cached_property
    def controllers(self) -> ControllerRegistry:
        """Key controllers, built on first use after the first frame, because they import half of the program."""
        from tui.workstation.app.controller_registry import ControllerRegistry

        looks = self.themes, self.keymaps
        return ControllerRegistry(self.context, self.panes, self.preferences, self._services, looks)

    @cached_property
    def _handlers(self) -> dict[str, Callable[[], None]]:
        return merge_handlers(BY_ID, [*self.controllers.handlers(), self.handlers()])

    @cached_property
    def dispatch(self) -> Dispatch:
        """Key dispatch, built at the first key press."""
        from tui.workstation.app.dispatch import Dispatch
        from tui.workstation.commands.availability import Availability

        availability = Availability(self.context, self.controllers.blocks())
        dispatch = Dispatch(self.context, self.keymaps.keymap, self.backlog, self.probe, self._handlers, availability)
        self.controllers.palette.connect(self.keymaps.keymap, availability, dispatch.act)
        self.controllers.line.connect(dispatch.act)
        return dispatch

    def _apply_preferences(self) -> list[str]:
        """Restore stored columns, quotes and layout; return warnings about stored values that cannot be used."""
        panes = {name: table.pane for name, table in self.main_screen.tables.items()}
        for pane in panes.values():
            pane.restore_columns(self.preferences.choice)
        self.panes.quotes.list_only(self.preferences.quotes_in_use, self.preferences.watchlist)
        warnings = self.preferences.check_columns({name: list(pane.fields) for name, pane in panes.items()})
        layout, faults = self.main_screen.layouts.restore(self.preferences.layouts, self.preferences.layout)
        if layout != self.main_screen.layout_in_use:
            self.main_screen.use_layout(layout)
        warnings += faults
        if self.preferences.unreadable:
            warnings.append("the stored choices of the screen cannot be read; the settings are used")
        return warnings

    def get_css_variables(self) -> dict[str, str]:
        """Return the CSS variables of the theme in use; none while Textual's own theme is set, which is never drawn."""
        return {} if self.theme == constants.DEFAULT_THEME else super().get_css_variables()

    def get_default_screen(self) -> Screen[Any]:
        return self.main_screen

    def on_mount(self) -> None:
        loop = asyncio.get_running_loop()
        self.context.loop = loop
        self.draw_listener = self.painter.note_drawing
        self.repaint_scheduler = RepaintScheduler(
            loop,
            lambda: self.frames.paint(),
            self.settings.fps,
            self.awaits_output,
            lambda: self.frames.paint_own(),
            self.output_pause_s,
        )
        self.call_after_refresh(self._first_frame)

    def _first_frame(self) -> None:
        if self.repaint_scheduler is not None:
            self.port.updates.attach(self.repaint_scheduler.wake_from_thread)
        self._ticked = self.clock.mono()
        self._second = self.set_interval(1.0, self._tick)
        self._ask_terminal()
        for warning in (*self.keymaps.warnings, *self.settings.warnings(), *self._preference_warnings):
            self.context.say(warning, Level.WARN, stay=Stay.PUSHED_OUT)
        for seconds, work in self._after_start:
            self.set_timer(seconds, work)
        self._start_engine()
        if self.main_screen.is_attached:  # the app may end with its first frame
            self.main_screen.mount_inputs()
        self._has_keys = self.dispatch is not None
        self.controllers.begin()
        self.context.refresh_keys()

    def run_after_start(self, seconds: float, work: Callable[[], None]) -> None:
        """Schedule work to run a number of seconds after the first frame."""
        self._after_start.append((seconds, work))

    def on_unmount(self) -> None:
        self._stop_painting()

    def _stop_painting(self) -> None:
        """Stop painting at exit, before screens are removed one by one."""
        self.painter.close()
        if self.repaint_scheduler is not None:
            self.repaint_scheduler.close()

    # Rows

    @cached_property
    def _pairs(self) -> WatchedPairs:
        from tui.workstation.widgets.watched_pairs import WatchedPairs

        return WatchedPairs(self.mirror, self.port, self.panes.quotes, self.main_screen)

    @cached_property
    def frames(self) -> Frames:
        """Object that passes engine changes to the screens and paints frames; built on first use, after the first frame."""
        from tui.workstation.app.frames import Frames

        assert self.repaint_scheduler is not None
        return Frames(
            self,
            self.context,
            self.painter,
            self.repaint_scheduler,
            self._pairs,
            self._follow_status,
            self._follow_changes,
        )

    def _follow_changes(self, changed: dict[Table, list[str]]) -> None:
        """React to changes of liquidations, margin calls and refused logins, whichever screen is shown."""
        if Table.LIQUIDATIONS in changed:
            self.controllers.screens.follow_liquidations(changed[Table.LIQUIDATIONS])
        if Table.ACCOUNTS in changed:
            self.context.follow_calls()
        if Table.LINKS in changed or Table.ANSWERS in changed:
            self.controllers.refused_login.follow(changed)

    def _follow_status(self) -> None:
        self._update_title()
        self.context.follow_kills()

    def _update_title(self) -> None:
        engine_status = self.mirror.engine_status
        if engine_status is not None:
            portfolio = engine_status.account_name
            environment, state = engine_status.environment.value, engine_status.trading_state.value
            title = clean(f"{environment} {portfolio} {state} crossdesk")
            if title != self.title and self.settings.window_title:
                self.name_window(title)
            self.title = title

    def _tick(self) -> None:
        if self._watch_terminal and not stdin_is_terminal():
            self.lost_terminal = True
            self._leave_on_signal()
            return
        if self.backlog.unseen and not self.backlog.stuck:
            self.context.ignore(
                f"{how_many(self.backlog.unseen, 'key')} pressed while the screen was not updating: ignored"
            )
            self.backlog.unseen = 0
        now = self.clock.mono()
        late, self._ticked = now - self._ticked - 1.0, now
        self.view.stalled_ms = int(late * 1000) if late > STALL_S - 1.0 else 0
        self.view.line_speed = self.probe.line_speed
        self._pairs.request()
        self._pairs.note_looked_at()
        # Conditions about silence or ages come true without a row, and those of a frozen screen unseen.
        self.controllers.alerts.follow()
        self.controllers.hot.note_time()
        self.controllers.themes.follow_files()
        self.controllers.keymaps.follow_files()
        self.controllers.follow_preferences()
        if not self.backlog.is_behind():
            self.frames.pass_on()
            self._ask_terminal()
        if self.view.frozen:
            self.frames.follow_frozen()
        else:
            self.frames.follow_time()

    def _ask_terminal(self) -> None:
        if self.takes_cells:
            self.probe.ask()

    def on_app_blur(self) -> None:
        self._set_pace(self.settings.fps_unfocused)

    def on_app_focus(self) -> None:
        self._set_pace(self.settings.fps)

    def _set_pace(self, fps: int) -> None:
        if self.repaint_scheduler is not None:
            self.frames.set_pace(fps)

    # Keys

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {"paint.freeze": lambda: self.frames.toggle_freeze(), "help.open": self._open_help}

    def _open_help(self) -> None:
        from tui.workstation.widgets.help import help_lines

        here, place = self.scope, self.context.list_screen.focus_name
        actions = self.dispatch.hints.list_actions(here)
        build = partial(help_lines, self.keymaps.keymap, here.value, place=place, actions=actions)
        self.context.open_page("Keys · / finds one", build, "Keys")

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, (events.InputEvent, events.Paste)) and not event.is_forwarded:
            await self.input_order.handle(event)
        else:
            await super().on_event(event)

    async def _handle_input(self, event: events.Event) -> None:
        """Handle one input event, after all earlier ones have taken effect."""
        if isinstance(event, events.Key):
            waiting = self.input_order.waiting + self.message_queue_size
            newest = self.newest_key
            next_at = None if newest is None or newest is event else newest.time
            self.guard.record_key(write_key(event), event.time, waiting, next_at, printable=event.is_printable)
            if self._has_keys:
                self.controllers.hot.note_input(event)
            # Both times come from the same clock: keys late because of a burst are not old, keys after a stall are.
            self.dispatch.key_waited = key_time() - event.time
            # The focus lost with the window decides what the key means.
            if not self.app_focus:
                self.app_focus = True
            if self.dispatch.handle_key(event, self.scope):
                return
        elif isinstance(event, events.Paste):
            self.guard.record_key("paste", event.time, printable=True)
            if self._has_keys:
                self.controllers.hot.note_input(event)
                if self.controllers.fields.take_paste(event.text):
                    return
        await super().on_event(event)
        if self._has_keys and isinstance(event, events.MouseEvent):
            self.controllers.pane_places.follow_mouse(event)
        if isinstance(event, events.MouseDown):
            widget, region = self.get_widget_at(event.x, event.y)
            if isinstance(widget, MouseTarget):
                widget.press_mouse(event.x - region.x, event.y - region.y)

    def _is_urgent(self, event: events.Event) -> bool:
        return isinstance(event, events.Key) and self.dispatch.kills(event, self.scope)

    def _input_dropped(self, keys: int) -> None:
        self.context.refuse(f"{how_many(keys, 'key')} pressed too soon after the key before: ignored")

    def _burst_cut(self, keys: int) -> None:
        self.context.refuse(f"too many keys at once: the last {how_many(keys, 'key')} ignored")

    @property
    def scope(self) -> Scope:
        """Scope that receives the next key: a pane, a field or a dialog."""
        return self.context.scope

    def on_key(self, event: events.Key) -> None:
        self.dispatch.unbound.explain(event, self.scope)

    def _press_key(self, action_id: str) -> None:
        self.dispatch.run_clicked_hint(action_id, self.scope)

    def _hints(self) -> list[Hint]:
        return self.dispatch.hints.compose(self.scope) if self._has_keys else []

    def on_descendant_focus(self) -> None:
        self.context.refresh_keys()
        if self.context.hot:
            self.context.list_screen.status.redraw_all()
        panel, table = self.main_screen.panel, self.main_screen.table
        panel.refresh()
        if table is not None:
            self.main_screen.watch_selection(table)
            self.main_screen.home = table.pane.id
        if panel.open:
            self.controllers.orders.ticket.follow_focus()

    def on_chooser_changed(self, event: Chooser.Changed) -> None:
        self.controllers.fields.apply_choice(event.chooser)

    # End

    def exit(self, result: None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        self._stop_painting()
        super().exit(result, return_code, message)

    def _leave_on_signal(self) -> None:
        """Exit without asking; if `cancel_all_on_quit` is `always`, first cancel all orders that could open a position."""
        if self.settings.cancel_all_on_quit != "always":
            self.exit()
            return
        from tui.engine.intents import CancelAll

        asyncio.get_running_loop().call_later(LAST_CANCEL_S, self.exit)
        lost = "terminal lost"
        decision = self.context.build_decision(lost)
        cancel = CancelAll(decision=decision, kill=True, spare_closing=True, reason=lost)
        self.context.submit(cancel, lambda _: self.exit())

    def exit_from_signal(self) -> None:
        """Request the app to exit; safe to call in a signal handler."""
        self.was_told_to_end = True
        loop = self.context.loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._leave_on_signal)

    def describe_left_at_venue(self) -> str:
        """Describe the orders and positions that stay at the venue after exit; printed on the shell."""
        from tui.workstation.features.trading.left_at_venue import describe_left_at_venue

        return describe_left_at_venue(self.view)

    def _fatal_error(self) -> None:
        """Log a crash, stop painting and close the app; values of variables, which can contain secrets, are left out."""
        log.error("the screen stopped", exc_info=True)
        self._stop_painting()
        self._crash = traceback_lines(traceback.format_exc(chain=True), 300)
        self.died = "".join(self._crash[-1:])
        self._close_messages_no_wait()

    @property
    def crash_lines(self) -> list[str]:
        """Lines of the crash traceback, without local variables, for the crash report."""
        return self._crash
