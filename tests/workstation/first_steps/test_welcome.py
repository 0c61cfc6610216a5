"""The welcome: when it opens, what its choices do, and that none of its keys sends or arms."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.driver import desk
from tui.engine.modes import TradingState
from tui.workstation.commands.connection import ConnectionService
from tui.workstation.commands.launcher_services import LauncherServices
from tui.workstation.features.welcome.welcome_list import CHOICES
from tui.workstation.input.keymap import build_keymap
from tui.workstation.input.scopes import Scope
from tui.workstation.model.display_context import name_keys
from tui.workstation.model.screen_preferences import StoredPreferences

SIZES = ((80, 24), (160, 45))


def service(*known: str) -> ConnectionService:
    return ConnectionService(lambda: frozenset(known), lambda *_: None, lambda _: "")


def greeting(*known: str, greets: bool = True) -> LauncherServices:
    return LauncherServices(connection=lambda: service(*known), greets=greets)


def is_kept(saved: list[bytes]) -> bool:
    """Whether the next start would show the welcome."""
    return msgspec.json.decode(saved[-1], type=StoredPreferences).welcome


@pytest.mark.parametrize(("width", "height"), SIZES)
async def test_welcome_opens_at_the_first_start(width: int, height: int) -> None:
    saved: list[bytes] = []
    async with desk(width, height, services=greeting(), save_preferences=saved.append, armed=False) as at:
        assert at.scope() is Scope.WELCOME
        lines = at.text().split("\n")
        assert "▸ Practise on paper" in at.text() and "F1 tour" in at.text() and "? all keys" in at.text()
        assert "PAPER" in lines[0] and "Welcome" in lines[-1], "status and keys stay"
        await at.press("escape")
        assert at.scope() is Scope.QUOTES and is_kept(saved), "Esc closes it until the next start"


@pytest.mark.parametrize(
    ("services", "preferences"),
    [
        (greeting(greets=False), b""),
        (greeting("desk"), b""),
        (greeting(), b"{}"),
        (greeting(), msgspec.json.encode(StoredPreferences(welcome=False))),
    ],
    ids=["not asked for", "a profile", "an old home", "answered"],
)
async def test_welcome_does_not_open_for_a_profile_or_an_answered_home(
    services: LauncherServices, preferences: bytes
) -> None:
    async with desk(80, 24, services=services, preferences=preferences) as at:
        assert at.scope() is Scope.QUOTES


async def test_welcome_opens_again_after_a_start_that_only_closed_it() -> None:
    stored = msgspec.json.encode(StoredPreferences(welcome=True))
    async with desk(80, 24, services=greeting(), preferences=stored) as at:
        assert at.scope() is Scope.WELCOME


async def test_ctrl_q_asks_about_open_orders_over_the_welcome() -> None:
    async with desk(80, 24, services=greeting(), armed=False) as at:
        await at.press("ctrl+q")
        assert at.scope() is Scope.PROMPT and "Quit" in at.text()
        await at.press("ctrl+q")
        assert "Ctrl+Q is not an answer here: press" in at.text()
        await at.press("escape")
        assert at.scope() is Scope.WELCOME and at.port.intents == []


async def test_a_letter_without_function_in_the_welcome_is_explained() -> None:
    async with desk(80, 24, services=greeting(), armed=False) as at:
        await at.press("w")
        assert at.scope() is Scope.WELCOME
        assert "w has no function in this box; Esc closes it" in at.text()


@pytest.mark.parametrize("keys", [("enter",), ("n",), ("j", "j", "j", "enter")])
async def test_a_choice_in_the_welcome_keeps_it_closed_at_later_starts(keys: tuple[str, ...]) -> None:
    saved: list[bytes] = []
    async with desk(80, 24, services=greeting(), save_preferences=saved.append, armed=False) as at:
        await at.press(*keys)
        assert at.scope() is Scope.QUOTES and not is_kept(saved)
        assert at.port.intents == [] and at.port.states == []
        await at.press("ctrl+p", *"welcome", "enter")
        assert at.scope() is Scope.WELCOME, "a key opens it at any time"


async def test_the_welcome_choice_look_only_asks_for_a_look_only_desk() -> None:
    looked: list[bool] = []
    services = greeting()._replace(look_only=lambda: looked.append(True))
    async with desk(80, 24, services=services, armed=False) as at:
        await at.press("j", "j", "enter")
        assert looked == [True] and at.scope() is Scope.QUOTES and at.port.states == []


async def test_the_choice_look_only_says_when_the_desk_cannot_do_it() -> None:
    async with desk(80, 24, services=greeting()) as at:
        await at.press("j", "j", "enter")
        assert at.scope() is Scope.WELCOME
        assert at.events()[-1] == "to look only, quit and start crossdesk with --read-only"


async def test_the_welcome_choice_connect_opens_the_connection_form() -> None:
    async with desk(80, 24, services=greeting(), armed=False) as at:
        await at.press("j", "enter")
        assert at.scope() is Scope.FORM and "Connect a service" in at.text()


async def test_help_opens_over_the_welcome_and_the_tour_in_its_place() -> None:
    async with desk(80, 24, services=greeting(), armed=False) as at:
        await at.press("?")
        assert at.scope() is Scope.HELP
        await at.press("escape")
        assert at.scope() is Scope.WELCOME
        await at.press("f1")
        assert at.scope() is Scope.QUOTES and "Tour 1 of 7" in at.text()


async def test_no_key_of_the_welcome_sends_or_arms() -> None:
    """Every printable key and those with a name: the desk behind it sends nothing and stays in VIEW."""
    keys = [chr(code) for code in range(33, 127)] + [
        "space",
        "tab",
        "backspace",
        "delete",
        "up",
        "down",
        "left",
        "right",
    ]
    async with desk(120, 36, services=greeting(), armed=False) as at:
        for key in keys:
            await at.press(key)
            while at.scope() is not Scope.WELCOME:
                await at.press("escape")
                if at.scope() is Scope.QUOTES:
                    await at.press("ctrl+p", *"welcome", "enter")
        assert at.port.intents == [] and at.port.states == []
        status = at.app.mirror.engine_status
        assert status is not None and status.trading_state is TradingState.VIEW


async def test_a_held_enter_takes_one_choice_and_opens_no_ticket() -> None:
    async with desk(80, 24, services=greeting(), armed=False) as at:
        await at.hold("enter", 2.0)
        assert at.scope() is Scope.QUOTES and not at.app.main_screen.panel.open


async def test_quotes_keep_updating_under_the_welcome_box() -> None:
    async with desk(160, 45, services=greeting(), armed=False) as at:
        before = at.text()
        at.port.quote("BINANCE_PERP_BTC_USDT", "70123.4", "70123.5")
        await at.settle()
        assert "70,123.4" in at.text() and "70,123.4" not in before and at.scope() is Scope.WELCOME


def test_welcome_choices_fit_the_smallest_usual_terminal() -> None:
    abouts = [name_keys(choice.about, build_keymap({}).key_of) for choice in CHOICES]
    assert all(len(choice.title) < 24 for choice in CHOICES) and all(len(about) <= 44 for about in abouts)


async def test_a_read_only_desk_names_no_key_that_arms() -> None:
    async with desk(160, 45, services=greeting(), armed=False) as at:
        at.port.set_desk(read_only="READ-ONLY: nothing can be sent")
        await at.settle()
        await at.press("enter")
        assert at.events()[-1].startswith("paper, READ-ONLY: nothing can be sent; F1 is a tour")
        assert "a arm" not in at.text().splitlines()[-1] and "X kill" in at.text().splitlines()[-1]
