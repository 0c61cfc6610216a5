"""The form that connects a service: what it tests, what a wrong step says, and that nothing typed is lost or shown."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from tests.workstation.driver import Desk, desk
from tui.crossdesk_error import CrossdeskError
from tui.workstation.commands.connection import CheckLine, ConnectionDraft, ConnectionService, KeyPlace, Report
from tui.workstation.commands.launcher_services import LauncherServices
from tui.workstation.features.connection.form import LABELS
from tui.workstation.input.scopes import Scope
from tui.workstation.widgets.forms.body import FormScreen

SIZES = ((80, 24), (160, 45))
TYPED = {
    "rest_url": "https://rest.example",
    "private_ws_url": "wss://stream.example/v1/private",
    "public_ws_url": "wss://market.example/public",
}


class ScriptedService:
    """A service of the launcher whose answers are those of a test."""

    def __init__(self, *lines: CheckLine, refuses: str = "") -> None:
        self.lines = lines
        self.refuses = refuses
        self.tested: list[ConnectionDraft] = []
        self.saved: list[ConnectionDraft] = []
        self.go_on = threading.Event()
        self.go_on.set()

    def services(self) -> LauncherServices:
        return LauncherServices(
            connection=lambda: ConnectionService(lambda: frozenset(["old"]), self._test, self._save)
        )

    def _test(self, draft: ConnectionDraft, report: Report, end: Callable[[ConnectionDraft | None], None]) -> None:
        self.tested.append(draft)

        def run() -> None:
            for line in self.lines:
                report(line)
            self.go_on.wait(20)
            end(draft if all(line.ok for line in self.lines) else None)

        threading.Thread(target=run, daemon=True).start()

    def _save(self, draft: ConnectionDraft) -> str:
        if self.refuses:
            raise CrossdeskError(self.refuses)
        self.saved.append(draft)
        return "/home/me/config.toml"


def values(at: Desk) -> dict[str, str]:
    screen = at.app.context.modal(FormScreen)
    assert screen is not None
    return screen.body.values


async def fill(at: Desk) -> None:
    """Type what the form needs, and go to its last line."""
    await at.press("ctrl+p", *"addresses and key", "enter")
    for text in TYPED.values():
        await at.type(text)
        await at.press("tab")
    await at.press("tab", "tab", "tab", "tab")
    await at.type("AKEY")
    await at.press("tab")
    await at.type("VERYSECRET")
    await at.press("tab")


RIGHT = (CheckLine("connection", True, "answers in 3 ms"), CheckLine("key", True, "accepted"))


@pytest.mark.parametrize(("width", "height"), SIZES)
async def test_the_connection_form_shows_results_and_writes_a_profile(width: int, height: int) -> None:
    service = ScriptedService(*RIGHT)
    service.go_on.clear()
    async with desk(width, height, services=service.services(), armed=False) as at:
        await fill(at)
        assert "▸ test" in at.text() and "Enter tests each step, then writes the profile" in at.text()
        await at.press("enter")
        await at.wait(lambda: "✓ key: accepted" in at.text())
        assert "testing…" in at.text() and service.saved == [], "each result is shown as it comes"
        service.go_on.set()
        await at.wait(lambda: "crossdesk --profile live1" in at.text())
        [draft] = service.saved
        assert (draft.name, draft.key, draft.secret, draft.place) == ("live1", "AKEY", "VERYSECRET", KeyPlace.FILE)
        assert {name: getattr(draft, name) for name in TYPED} == TYPED
        await at.press("enter")
        assert at.scope() is Scope.QUOTES and at.port.intents == []


@pytest.mark.parametrize("field", ["rest_url", "private_ws_url", "public_ws_url", "key", "secret", "portfolio"])
async def test_a_failed_connection_test_goes_to_the_field_to_correct(field: str) -> None:
    service = ScriptedService(RIGHT[0], CheckLine("key", False, "it is refused", field))
    async with desk(80, 24, services=service.services()) as at:
        await fill(at)
        before = values(at)
        await at.press("enter")
        await at.wait(lambda: "it is refused; correct it" in at.text())
        assert f"▸ {LABELS[field]}" in at.text() and values(at) == before and service.saved == []
        assert at.scope() is Scope.FORM
        await at.type("1" * 16)
        assert "it is refused; correct it" not in at.text(), "the field has changed"
        screen = at.app.context.modal(FormScreen)
        assert screen is not None
        while screen.body.field is not None:
            await at.press("tab")
        await at.press("enter")
        await at.wait(lambda: len(service.tested) == 2)


async def test_a_connection_test_with_a_wrong_clock_blames_no_field() -> None:
    service = ScriptedService(RIGHT[0], CheckLine("clock", False, "80 s off"))
    async with desk(80, 24, services=service.services()) as at:
        await fill(at)
        await at.press("enter")
        await at.wait(lambda: "set the clock of this machine" in at.text())
        assert "▸ test" in at.text() and service.saved == []


async def test_the_secret_is_never_on_the_screen_or_among_the_events() -> None:
    service = ScriptedService(RIGHT[0], CheckLine("key", False, "refused", "secret"))
    async with desk(120, 36, services=service.services()) as at:
        await fill(at)
        assert "VERYSECRET" not in at.text() and "••••••••••" in at.text()
        await at.press("enter")
        await at.wait(lambda: "refused; correct it" in at.text())
        assert "VERYSECRET" not in at.text() and "••••••••••_" in at.text()
        assert not any("VERYSECRET" in text for text in at.events())
        assert "VERYSECRET" not in repr(service.tested)
        await at.press("escape", "ctrl+p", *"addresses and key", "enter")
        assert values(at)["rest_url"] == TYPED["rest_url"], "what was typed is there again"
        assert values(at).get("secret", "") == "" and values(at).get("key", "") == ""


async def test_a_connection_form_closed_during_its_test_saves_nothing() -> None:
    service = ScriptedService(*RIGHT)
    service.go_on.clear()
    async with desk(120, 36, services=service.services()) as at:
        await fill(at)
        await at.press("enter")
        await at.wait(lambda: "✓ key: accepted" in at.text())
        await at.press("escape")
        service.go_on.set()
        await at.settle()
        assert service.saved == [] and at.scope() is Scope.QUOTES


async def test_a_profile_that_cannot_be_written_says_why() -> None:
    service = ScriptedService(*RIGHT, refuses="the disk is full")
    async with desk(120, 36, services=service.services()) as at:
        await fill(at)
        await at.press("enter")
        await at.wait(lambda: "✗ profile: the disk is full" in at.text())
        assert values(at)["secret"] == "VERYSECRET"


WRONG = (
    ("name", "old", "has a profile of this name"),
    ("name", "a b", "letters, digits"),
    ("rest_url", "http://rest.example", "only https://"),
    ("rest_url", "rest.example", "begins with https://"),
    ("private_ws_url", "https://rest.example", "begins with wss://"),
    ("public_ws_url", "ws://rest.example", "only wss://"),
    ("portfolio", "12", "16 digits"),
)


@pytest.mark.parametrize(("field", "text", "why"), WRONG)
async def test_the_connection_form_refuses_wrong_values_before_testing(field: str, text: str, why: str) -> None:
    service = ScriptedService(*RIGHT)
    async with desk(120, 36, services=service.services()) as at:
        await fill(at)
        screen = at.app.context.modal(FormScreen)
        assert screen is not None
        screen.body.go_to(field)
        await at.press("ctrl+u")
        await at.type(text)
        assert why in at.text()
        while screen.body.field is not None:
            await at.press("tab")
        await at.press("enter")
        assert service.tested == []


@pytest.mark.parametrize(("turns", "fields"), [(1, ("secret_cmd",)), (2, ("key_env", "secret_env"))])
async def test_the_connection_form_asks_for_the_fields_of_a_key_place(turns: int, fields: tuple[str, ...]) -> None:
    service = ScriptedService(*RIGHT)
    async with desk(120, 36, services=service.services()) as at:
        await fill(at)
        screen = at.app.context.modal(FormScreen)
        assert screen is not None
        screen.body.go_to("place")
        await at.press(*["right"] * turns)
        names = [spec.name for spec in screen.body.current_view.fields]
        assert tuple(names[-len(fields) :]) == fields and "secret" not in names
        await at.press("tab")
        for _ in fields:
            await at.type("SOME")
            await at.press("tab")
        await at.press("enter")
        await at.wait(lambda: bool(service.saved))
        assert [getattr(service.saved[0], name) for name in fields] == ["SOME"] * len(fields)


async def test_without_a_config_file_the_connection_form_is_refused() -> None:
    async with desk() as at:
        await at.press("ctrl+p", *"addresses and key", "enter")
        assert at.scope() is Scope.PALETTE and "no config file" in at.events()[-1]
