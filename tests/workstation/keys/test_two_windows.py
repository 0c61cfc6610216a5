"""Two windows of one home: kept pairs, aliases and alerts are those of both."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.workstation.alerts.test_keys import type_line
from tests.workstation.driver import Desk, desk
from tui.cli.preferences_file import PreferencesFile
from tui.host import FileLock
from tui.workstation.commands.launcher_services import LauncherServices
from tui.workstation.model.screen_preferences import ScreenPreferences

BTC = "BINANCE_PERP_BTC_USDT"


async def open_window(stack: AsyncExitStack, path: Path) -> Desk:
    file = PreferencesFile(path)
    services = LauncherServices(read_changed_preferences=file.read_changed)
    window = desk(120, 36, preferences=file.read(), save_preferences=file.write, services=services)
    return await stack.enter_async_context(window)


async def send_line(at: Desk, text: str) -> None:
    await at.press("1", "g", "j", ":")
    await type_line(at, text)
    await at.press("enter")
    await at.settle()


def alerts(at: Desk) -> set[str]:
    book = at.app.controllers.alerts.book
    assert book is not None
    return {active.text for active in book.active.values()}


def numbers(at: Desk) -> dict[str, int]:
    book = at.app.controllers.alerts.book
    assert book is not None
    return book.numbers()


async def test_keep_marks_and_aliases_of_a_window_reach_the_other(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        first, second = [await open_window(stack, tmp_path / "screen.json") for _ in range(2)]
        await send_line(first, f"keep {BTC}")
        second.app.controllers.follow_preferences()
        await second.settle()
        assert any("flat all and F leave out BINANCE BTC perp" in text for text in second.events())
        await second.press("F")
        assert (
            "kept open: BINANCE BTC perp" in second.text() or "BINANCE BTC perp" not in second.text().split("close")[-1]
        )
        await second.press("escape")
        await send_line(second, 'alias yy "close 50% here"')
        first.app.controllers.follow_preferences()
        assert first.app.preferences.aliases == {"yy": "close 50% here"}
        assert first.app.view.kept == second.app.view.kept == {BTC}
        await send_line(second, f"unkeep {BTC}")
        first.app.controllers.follow_preferences()
        assert first.app.view.kept == set()
    read = await _read(tmp_path)
    assert read.app.preferences.aliases == {"yy": "close 50% here"} and read.app.view.kept == set()


async def _read(home: Path) -> Desk:
    async with AsyncExitStack() as stack:
        return await open_window(stack, home / "screen.json")


async def test_alerts_of_both_windows_are_kept_and_deleted(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        first, second = [await open_window(stack, tmp_path / "screen.json") for _ in range(2)]
        standing = alerts(first)
        await send_line(first, f"alert when {BTC} mark < 21000")
        await send_line(second, f"alert when {BTC} mark < 22000")
        both = standing | {f"alert when {BTC} mark < 21000", f"alert when {BTC} mark < 22000"}
        for window in (first, second):
            window.app.controllers.follow_preferences()
            assert alerts(window) == both
        book = second.app.controllers.alerts.book
        assert book is not None
        number = next(active.number for active in book.active.values() if "21000" in active.text)
        await send_line(second, f"alert del {number}")
        first.app.controllers.follow_preferences()
        assert alerts(first) == alerts(second) == both - {f"alert when {BTC} mark < 21000"}
    assert alerts(await _read(tmp_path)) == both - {f"alert when {BTC} mark < 21000"}


async def test_both_windows_give_an_alert_the_same_number(tmp_path: Path) -> None:
    """Each window numbered its own alerts: `alert del 6` deleted another one than the line beside it said."""
    low, high = (f"alert when {BTC} mark < {price}" for price in (21000, 22000))
    async with AsyncExitStack() as stack:
        first, second = [await open_window(stack, tmp_path / "screen.json") for _ in range(2)]
        await send_line(first, high)
        await send_line(second, low)
        for window in (first, second, first):
            window.app.controllers.follow_preferences()
        assert numbers(first) == numbers(second)
        assert sorted(numbers(first)[text] for text in (low, high)) == [6, 7]
        before = numbers(first)
        await send_line(first, "alert del 1")
        second.app.controllers.follow_preferences()
        kept = numbers(first)
        assert kept == numbers(second) and kept.items() < before.items(), "the others keep theirs"
    assert numbers(await _read(tmp_path)) == kept


def test_preferences_of_two_windows_survive_a_locked_file(tmp_path: Path) -> None:
    """Between reading the file and replacing it another window could store what was lost then."""
    path, other = tmp_path / "screen.json", FileLock(tmp_path / "screen.lock")
    first, second = PreferencesFile(path), PreferencesFile(path)
    ours, theirs = (ScreenPreferences({}, [], file.read()) for file in (first, second))
    ours.aliases["aa"], theirs.aliases["bb"] = "close 50% here", "c last"
    assert other.acquire()
    first.write(ours.encode())
    assert not path.exists(), "nobody waits for the lock"
    other.release()
    second.write(theirs.encode())
    assert first.read_changed() is None or path.exists()
    stored = ScreenPreferences({}, [], PreferencesFile(path).read())
    assert stored.aliases == {"aa": "close 50% here", "bb": "c last"}


@pytest.mark.parametrize("here", [True, False])
async def test_a_deleted_alert_takes_its_warning_off_every_window(tmp_path: Path, here: bool) -> None:
    """It stood on, counted, in the line of the other window until `!`."""
    async with AsyncExitStack() as stack:
        first, second = [await open_window(stack, tmp_path / "screen.json") for _ in range(2)]
        for price in (21000, 21500):
            await send_line(first, f"alert when {BTC} mark > {price}")
        second.app.controllers.follow_preferences()
        for window in (first, second):
            window.clock.pass_by(2.0)
            window.app.controllers.alerts.follow()
            await window.settle()
            assert told_by(window) == [f"ALERT {number}: " for number in (6, 7)], "each window tells by itself"
        deleting, other = (first, second) if here else (second, first)
        await send_line(deleting, "alert del 6")
        assert told_by(deleting) == ["ALERT 7: "]
        other.app.controllers.follow_preferences()
        await other.settle()
        assert told_by(other) == ["ALERT 7: "] and "ALERT 6" not in other.text(), other.text()
        await send_line(deleting, "alert del 7")
        other.app.controllers.follow_preferences()
        await other.settle()
        assert told_by(other) == [] and "ALERT 7" not in other.text() and "[!]" not in other.text(), other.text()


def told_by(window: Desk) -> list[str]:
    """The beginnings of the warnings of alerts that wait in a window."""
    return [line.text[: len("ALERT 6: ")] for line in window.app.mirror.event_log.sticky if line.by_alert]


async def test_an_alert_that_fired_in_one_window_is_quiet_in_another(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        first = await open_window(stack, tmp_path / "screen.json")
        second = await open_window(stack, tmp_path / "screen.json")
        await send_line(first, f"alert when {BTC} mark > 21000")
        for _ in range(2):  # it tells, then its state is stored
            first.clock.pass_by(2.0)
            first.app.controllers.alerts.follow()
        assert any(text.startswith("ALERT 6") for text in first.events())
        second.app.controllers.follow_preferences()
        second.clock.pass_by(2.0)
        second.app.controllers.alerts.follow()
        assert f"alert when {BTC} mark > 21000" in alerts(second)
        assert not any(text.startswith("ALERT") for text in second.events())
