"""What the handlers of keys share: the desk, the port, the guard, and how to tell a trader something."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from tui.engine.intents import Decision, Environment, TradingState
from tui.engine.rows import EventLine, Level
from tui.interface.text import clean
from tui.workstation.tickets.prompts import PromptScreen, Question

if TYPE_CHECKING:
    from tui.engine.port import EnginePort
    from tui.seams import Clock
    from tui.workstation.desk import DeskScreen
    from tui.workstation.keyguard import KeyGuard
    from tui.workstation.mirror import Mirror
    from tui.workstation.panes.view import View
    from tui.workstation.settings import WorkstationSettings

RECENT = 5
"""Event lines in which an answer is looked for before it is said again."""


class Context:
    """One for the life of the app."""

    def __init__(
        self,
        *,
        port: EnginePort,
        clock: Clock,
        settings: WorkstationSettings,
        mirror: Mirror,
        view: View,
        desk: DeskScreen,
        guard: KeyGuard,
        open_prompt: Callable[[PromptScreen, Callable[[str | None], None]], None],
        ring: Callable[[], None],
    ) -> None:
        self.port = port
        self.clock = clock
        self.settings = settings
        self.mirror = mirror
        self.view = view
        self.desk = desk
        self.guard = guard
        self._open_prompt = open_prompt
        self._ring = ring
        self.loop: asyncio.AbstractEventLoop | None = None
        self.key = ""
        """The key that is being handled, for the journal."""

    # Facts

    @property
    def environment(self) -> Environment:
        desk = self.mirror.desk
        return desk.environment if desk is not None else Environment.PAPER

    @property
    def armed(self) -> bool:
        desk = self.mirror.desk
        return desk is not None and desk.state is TradingState.ARMED and not desk.read_only

    def not_armed_reason(self) -> str:
        """Why nothing can be sent, or an empty text."""
        desk = self.mirror.desk
        if desk is None:
            return "still starting; nothing can be sent yet"
        if desk.read_only:
            return desk.read_only
        return "" if desk.state is TradingState.ARMED else "state VIEW sends nothing; press a to arm"

    def decision(self, source: str) -> Decision:
        """The decision a request is made under, with what stands on the screen now."""
        desk = self.mirror.desk
        return Decision(
            environment=self.environment,
            portfolio=desk.portfolio if desk is not None else "",
            state=desk.state if desk is not None else TradingState.VIEW,
            source=source,
        )

    @property
    def portfolio_words(self) -> str:
        """The portfolio and the environment, as prompts name them."""
        desk = self.mirror.desk
        name = (desk.portfolio_name or desk.portfolio) if desk is not None else "?"
        return f"portfolio {name} ({self.environment.value})"

    # Telling

    def say(self, text: str, level: Level = Level.INFO, key: str = "", unless: str = "") -> None:
        """An event line of the screen's own.

        Args:
            text: One sentence.
            level: How loud.
            key: Row key of the order concerned.
            unless: Left out when one of the newest lines says this already: the engine tells of answers too.
        """
        text = clean(text)
        newest = list(self.mirror.events)[-RECENT:]
        if unless and any(unless in event.text for _, event in newest):
            return
        self.mirror.add_event(EventLine(wall_ms=int(self.clock.wall() * 1000), level=level, text=text, key=key))
        self.desk.feed({}, True)

    def refuse(self, text: str) -> None:
        """Say why a key did nothing."""
        if self.settings.bell:
            self._ring()
        self.say(text, Level.WARN)

    def prompt(self, question: Question, answer: Callable[[str | None], None]) -> None:
        """Ask; the answer is the id of the confirmed choice, or None."""
        screen = PromptScreen(
            question,
            self.desk.palette,
            self.clock,
            self.settings.confirm_arm_ms / 1000,
            self.settings.confirm_expiry_s,
            self.desk.plan.status.height,
        )
        self._open_prompt(screen, answer)
