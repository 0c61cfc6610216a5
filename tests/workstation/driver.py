"""Drives the app as a terminal would: single keys, and bursts that arrive in one read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

from textual import events
from textual.driver import Driver
from textual.keys import _character_to_key
from textual.pilot import Pilot

from tests.leaping import LeapingLoop
from tests.made_once import make_once
from tests.workstation.scripted import ScriptedClock, ScriptedPort, fill_desk
from tui.cli.named_files import NamedFiles, read_folder
from tui.engine.intents import AccountCommand, Place
from tui.engine.modes import TradingState
from tui.engine.service_query import ServiceQuery
from tui.rules.day_result import DayResult
from tui.workstation.app.app import CrossdeskApp
from tui.workstation.commands.launcher_services import FIXED_PORTFOLIO, LauncherServices, PortfolioChoice, Practice
from tui.workstation.input.input_order import key_time
from tui.workstation.input.keymap import KeymapFile
from tui.workstation.input.keymap_files import parse_keymap
from tui.workstation.input.scopes import Scope
from tui.workstation.model.screen_preferences import ScreenPreferences
from tui.workstation.render.themes import ThemeFile, parse_theme
from tui.workstation.settings import WorkstationSettings
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.widgets.forms.body import FormBody, FormScreen

MouseKind = type[events.MouseEvent]

THEMES = Path(__file__).parents[2] / "themes"
KEYMAPS = THEMES.parent / "keymaps"

make_once()


@cache
def shipped_themes(_name: str = "") -> list[ThemeFile]:
    themes, problems = read_folder(THEMES, parse_theme)
    assert not problems
    return themes


class Desk:
    """An app on a scripted engine, and the hand of a trader."""

    def __init__(self, app: CrossdeskApp, port: ScriptedPort, clock: ScriptedClock, pilot: Pilot[None]) -> None:
        self.app = app
        self.port = port
        self.clock = clock
        self.pilot = pilot
        self.day = DayResult()
        """The fills that were put on this desk."""
        self.failures = 0
        """Internal errors that the test expects."""

    async def press(self, *keys: str) -> None:
        """Keys far enough apart for a hand."""
        for key in keys:
            self._send(key, self._now() + 1.0)
            await self._taken()

    async def confirm(self) -> None:
        """Answer a question with yes, once it may be answered."""
        self.clock.pass_by(0.5)
        await self.press("y")

    async def select_leg(self, key: str = "BINANCE_PERP_BTC_USDT/LONG") -> None:
        """Put the cursor on a leg in the positions."""
        await self.press("3", "g", "g")
        while self.app.main_screen.tables["positions"].selected != key:
            await self.press("j")

    async def type(self, text: str, every: float = 0.2) -> None:
        """Characters at the pace of a hand that types."""
        start = self._now() + 1.0
        for count, key in enumerate(text):
            self._send(key, start + count * every)
            await self._taken()
        self._later += len(text) * every

    async def burst(self, *keys: str) -> None:
        """Keys that arrive in one read."""
        now = self._now() + 1.0
        for key in keys:
            self._send(key, now)
        await self.settle()

    async def read(self, keys: Sequence[str], *, together: bool) -> None:
        """Keys with the time of one read; handed over at once, or each when the one before has had its effect."""
        now = self._now() + 1.0
        for key in keys:
            self._send(key, now)
            if not together:
                await self.settle()
        await self.settle()

    def send(self, key: str, after: float = 0.0) -> None:
        """Hand a key over and do not wait.

        Args:
            key: Its name.
            after: How much later than others it was read, s.
        """
        self._send(key, self._now() + 1.0 + after)

    def send_now(self, key: str) -> None:
        """Hand a key over with the time of now on the clock of the keys."""
        self._send(key, key_time())

    async def app_takes(self, key: str) -> None:
        """Hand a key over as `send_now`, and wait until it was looked at, and no longer: nothing waits for a timer."""
        number = self.app.guard.number
        self.send_now(key)
        while self.app.guard.number == number or not self.app.input_order.idle:
            await asyncio.sleep(0.001)

    def paste(self, text: str) -> None:
        """Hand a bracketed paste over and do not wait."""
        event = events.Paste(text)
        event.set_sender(self.app)
        self._driver.send_message(event)

    async def wait(self, reached: Callable[[], bool]) -> None:
        """Until something holds; the limit of the test ends a wait in vain."""
        while not reached():
            await asyncio.sleep(0.002)
        await self.pause()

    async def hold(self, key: str, seconds: float, first: float = 0.5, every: float = 0.03) -> None:
        """A held key: one press, a pause, then repeats."""
        start = self._now() + 1.0
        at = 0.0
        while at <= seconds:
            self._send(key, start + at)
            await asyncio.sleep(0)
            await self.pause()
            at = first if not at else at + every

    def _now(self) -> float:
        self._later = getattr(self, "_later", 0.0) + 1.0
        return events.Event().time + self._later

    def _send(self, key: str, at: float) -> None:
        name = _character_to_key(key) if len(key) == 1 else key
        event = events.Key(name, key if len(key) == 1 else None)
        event.time = at
        event.set_sender(self.app)
        self._driver.send_message(event)

    @property
    def _driver(self) -> Driver:
        driver = self.app._driver
        assert driver is not None
        return driver

    def _press_mouse(self, x: int, y: int) -> None:
        for kind in (events.MouseDown, events.MouseUp):
            self._send_mouse(kind, x, y)

    def _send_mouse(self, kind: MouseKind, x: int, y: int) -> None:
        event = kind(None, x, y, 0, 0, 1, False, False, False, x, y)
        event.set_sender(self.app)
        self._driver.send_message(event)

    async def drag(self, *way: tuple[int, int]) -> None:
        """Press the button at the first cell, move over the others with the button held, and let go at the last."""
        self._send_mouse(events.MouseDown, *way[0])
        for cell in way[1:]:
            self._send_mouse(events.MouseMove, *cell)
            await self.settle()
        self._send_mouse(events.MouseUp, *way[-1])
        await self.settle()

    async def click(self, x: int, y: int, *keys: str) -> None:
        """Press the mouse on a cell, and keys that arrive in the same read as the click."""
        self._press_mouse(x, y)
        for at, key in enumerate(keys):
            self._send(key, self._now() + 1.0 + at)
        await self.settle()

    async def pause(self, seconds: float = 0.02) -> None:
        """Until nothing can run but timers, and those of a while: on a loop that leaps its clock stands until then."""
        if not isinstance(asyncio.get_running_loop(), LeapingLoop):
            await self.pilot.pause()
            return
        await asyncio.sleep(seconds)
        self.app.screen._on_timer_update()

    async def settle(self) -> None:
        """Until what was handed over is painted: nothing waits, neither for a frame nor for a slice."""
        await self._taken()
        while not self._painted:
            await asyncio.sleep(0.002)
            await self.pause()
        await self.pause()

    async def _taken(self) -> None:
        """Until every key has had its effect."""
        await self.pause()
        if not self.app.input_order.idle:
            while not (self.app.input_order.idle or self.app._exit):
                await asyncio.sleep(0.002)
            await self.pause()

    @property
    def _painted(self) -> bool:
        scheduler, main_screen = self.app.repaint_scheduler, self.app.main_screen
        return scheduler is None or scheduler.frozen or (scheduler.idle and not main_screen.slices.waits)

    def text(self) -> str:
        """What the screen shows."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip) for strip in strips)

    def flat_text(self) -> str:
        """What the screen shows as one line, without the frames of boxes."""
        return " ".join(self.text().replace("│", " ").split())

    def panel_text(self) -> str:
        """The lines of the ticket panel, as wide as the screen."""
        region = self.app.main_screen.panel.region
        return "\n".join(self.text().split("\n")[region.y : region.bottom])

    def line_with(self, *words: str) -> str:
        """The first line of the screen that holds all the words."""
        return next(line for line in self.text().split("\n") if all(word in line for word in words))

    def lines_of(self, pane: str) -> list[str]:
        """The lines of one pane, its title and column names first."""
        region = self.app.main_screen.tables[pane].region
        lines = self.text().split("\n")[region.y : region.bottom]
        return [line[region.x : region.right] for line in lines]

    def line_of(self, pane: str, *words: str) -> str:
        """The first line of a pane that holds all the words."""
        return next(line for line in self.lines_of(pane) if all(word in line for word in words))

    def scope(self) -> Scope:
        """Where the keyboard is."""
        return self.app.scope

    def ticket(self) -> Ticket:
        """The ticket that is open."""
        ticket = self.app.main_screen.panel.ticket
        assert ticket is not None
        return ticket

    def form(self) -> FormBody:
        """The form that is open."""
        screen = self.app.screen
        assert isinstance(screen, FormScreen)
        return screen.body

    def sent_orders(self) -> list[Place]:
        """The orders that were submitted, the newest last."""
        return [intent for intent in self.port.intents if isinstance(intent, Place)]

    def sent_sizes(self) -> list[str]:
        """Their quantities."""
        return [order.qty for order in self.sent_orders()]

    def sent_commands(self) -> list[AccountCommand]:
        """The account commands that were submitted, the newest last."""
        return [intent for intent in self.port.intents if isinstance(intent, AccountCommand)]

    def sent_arguments(self) -> list[dict[str, str]]:
        """Their arguments."""
        return [dict(command.args) for command in self.sent_commands()]

    def queries(self) -> list[ServiceQuery]:
        """The lists that were asked for, the newest last."""
        return [query for query in self.port.read_requests if isinstance(query, ServiceQuery)]

    def kept_preferences(self) -> ScreenPreferences:
        """What the next start would read."""
        return ScreenPreferences({}, (), self.app.preferences.encode())

    def events(self) -> list[str]:
        return [event.text for _, event in self.app.mirror.event_log.events]


@asynccontextmanager
async def desk(
    width: int = 120,
    height: int = 36,
    *,
    armed: bool = True,
    filled: bool = True,
    settings: WorkstationSettings | None = None,
    practices: Sequence[Practice] = (),
    choice: PortfolioChoice = FIXED_PORTFOLIO,
    keymaps: NamedFiles[KeymapFile] | None = None,
    terminal: type[Driver] | None = None,
    services: LauncherServices | None = None,
    preferences: bytes = b"",
    save_preferences: Callable[[bytes], None] = lambda _: None,
) -> AsyncIterator[Desk]:
    """An app that has painted its first rows; `terminal`: on a driver that takes its bytes."""
    clock = ScriptedClock()
    port = ScriptedPort(clock)
    start = (lambda: fill_desk(port)) if filled else (lambda: None)
    chosen = settings or WorkstationSettings(bell=False)
    files = keymaps or NamedFiles(KEYMAPS, KEYMAPS / "nowhere", parse_keymap)
    app = CrossdeskApp(
        port,
        clock,
        chosen,
        shipped_themes,
        start,
        preferences=preferences,
        save_preferences=save_preferences,
        services=services
        or LauncherServices(
            lambda: practices, portfolio_choice=choice, read_keymaps=files.read, read_changed_keymaps=files.read_changed
        ),
    )
    if terminal is not None:
        app.driver_class = terminal
    real = terminal is not None
    async with app.run_test(size=(width, height), headless=not real, notifications=real) as pilot:
        found = Desk(app, port, clock, pilot)
        await found.settle()
        if armed:
            port.set_trading_state(TradingState.ARMED)
            port.states.clear()
            await found.settle()
        yield found
        assert app.context.failures == found.failures, found.events()[-5:]


async def open_kill(at: Desk) -> None:
    """Press X and let the time pass in which the prompt takes no keys."""
    await at.press("X")
    at.clock.pass_by(0.3)
