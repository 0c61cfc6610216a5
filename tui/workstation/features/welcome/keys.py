"""Handlers of the keys of the welcome."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from tui.engine.event_line import Level
from tui.workstation.commands.availability import Blocks, no_room
from tui.workstation.commands.context import Context
from tui.workstation.features.welcome.welcome_list import CONNECT, LOOK, NEVER, PAPER, WelcomeScreen
from tui.workstation.input.handlers import Handlers
from tui.workstation.input.scopes import VIEWS
from tui.workstation.model.screen_preferences import ScreenPreferences

NO_LOOK = "to look only, quit and start crossdesk with --read-only"
LOOKS = "look only: nothing can be sent until the next start"


class WelcomePaths(NamedTuple):
    """Functions that the choices of the welcome call."""

    connect: Callable[[], None]
    has_profile: Callable[[], bool]
    """Return whether a service is configured; then the welcome does not open by itself."""
    look_only: Callable[[], None] | None


class WelcomeKeys:
    """Key handlers of the welcome, which opens at each start until the trader has made a lasting choice."""

    def __init__(
        self,
        context: Context,
        preferences: ScreenPreferences,
        paths: WelcomePaths,
    ) -> None:
        self._context = context
        self._preferences = preferences
        self._paths = paths

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {
            "welcome.open": self.welcome_open,
            "welcome.take": self.welcome_take,
            "welcome.never": self.welcome_never,
        }

    def blocks(self) -> Blocks:
        """Return the block reasons by action id."""
        return {"welcome.open": partial(no_room, self._context)}

    def greet(self) -> None:
        """Open the welcome at the start, unless a lasting choice was made, a profile exists or the trader has begun."""
        context = self._context
        if not self._preferences.welcome or context.scope not in VIEWS or no_room(context):
            return
        if self._paths.has_profile():
            return
        # The file exists from now on; that the welcome is wanted is kept in it.
        self._preferences.save()
        self.welcome_open()

    def welcome_open(self) -> None:
        self._context.open_modal(WelcomeScreen(self._context.list_screen.palette, self._context.view.name_keys))

    def welcome_take(self) -> None:
        """Carry out the choice under the cursor."""
        screen, context = self._context.modal(WelcomeScreen), self._context
        if screen is None:
            return
        choice = screen.body.chosen
        if choice is LOOK and self._paths.look_only is None:
            context.refuse(NO_LOOK)
            return
        screen.dismiss(None)
        # A held Enter repeats, and the desk behind opens a ticket by it.
        context.guard.record_done()
        if choice is PAPER:
            self._settle()
            status = context.mirror.engine_status
            looks = status.read_only if status is not None else ""
            first = f"paper, {looks}" if looks else "paper: ⟦state.arm⟧ arms the desk"
            context.say(f"{first}; ⟦tour.open⟧ is a tour, ? lists the keys", Level.GOOD)
        elif choice is CONNECT:
            self._paths.connect()
        elif choice is LOOK and self._paths.look_only is not None:
            self._paths.look_only()
            context.say(LOOKS)
        elif choice is NEVER:
            self.welcome_never()

    def welcome_never(self) -> None:
        """Close the welcome and never open it at the start again."""
        if (screen := self._context.modal(WelcomeScreen)) is not None:
            screen.dismiss(None)
        self._settle()
        self._context.say("the welcome is not shown again; the palette (⟦palette.open⟧) opens it")

    def _settle(self) -> None:
        self._preferences.welcome = False
        self._preferences.save()
