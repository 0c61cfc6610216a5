"""Themes on the desk: shown while they are chosen, kept when they are taken, read again when a file changes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.workstation.driver import THEMES, Desk, desk, shipped_themes
from tests.workstation.emulated import EmulatedTerminal, painted, shown
from tui.cli.named_files import NamedFiles
from tui.workstation.commands.launcher_services import LauncherServices
from tui.workstation.input.scopes import Scope
from tui.workstation.model.screen_preferences import ScreenPreferences, StoredPreferences
from tui.workstation.render.themes import ThemeError, ThemeFile, parse_theme
from tui.workstation.settings import WorkstationSettings

NAMES = [theme.name for theme in shipped_themes()]


def theme_of(name: str) -> ThemeFile:
    return next(theme for theme in shipped_themes() if theme.name == name)


def grounds(at: Desk) -> set[str]:
    """Grounds of the terminal's cells."""
    return {look[2] for line in shown(at) for look in line}


def ground_of(theme: ThemeFile) -> str:
    return theme.colors.background.removeprefix("#")


def test_ten_themes_or_more_are_shipped() -> None:
    wanted = {
        "dark",
        "light",
        "high-contrast",
        "deuteranopia",
        "tritanopia",
        "terminal",
        "monochrome",
        "gruvbox",
        "nord",
    }
    assert wanted < set(NAMES) and len(NAMES) >= 10
    assert all(theme.about for theme in shipped_themes())


async def test_the_theme_under_the_cursor_is_shown_at_once() -> None:
    async with desk(80, 24, terminal=EmulatedTerminal) as at:
        await at.press("f8")
        await painted(at)
        assert at.scope() is Scope.THEMES and "Themes" in at.text()
        for name in NAMES:
            away = NAMES.index(name) - NAMES.index(at.app.themes.name)
            await at.press(*["down" if away > 0 else "up"] * abs(away))
            await painted(at)
            assert at.app.themes.name == name and ground_of(theme_of(name)) in grounds(at)
            others = {ground_of(other) for other in shipped_themes()} - {ground_of(theme_of(name)), "000000"}
            assert not grounds(at) & others, name


async def test_escape_restores_the_former_theme_and_enter_saves_a_new() -> None:
    kept: list[bytes] = []
    async with desk(terminal=EmulatedTerminal, save_preferences=kept.append) as at:
        await at.press("f8", "down", "down", "escape")
        await painted(at)
        assert at.app.themes.name == "dark" and ground_of(theme_of("dark")) in grounds(at) and kept == []
        await at.press("f8", "down", "enter")
        await painted(at)
        name = at.app.themes.name
        assert name != "dark" and f"theme {name}, also at the next start" in at.events()[-1]
        assert msgspec.json.decode(kept[0], type=StoredPreferences).theme == name
        assert ScreenPreferences({}, [], kept[0]).theme == name


async def test_a_new_theme_also_colors_screens_opened_before_it() -> None:
    async with desk(terminal=EmulatedTerminal) as at:
        await at.press("E", "escape", "f8", *["down"] * NAMES.index("light"), "up")
        await at.press("enter", "E")
        await painted(at)
        own = theme_of(at.app.themes.name)
        assert ground_of(own) in grounds(at) and not grounds(at) & {ground_of(theme_of("dark"))}, own.name


async def test_the_palette_opens_the_list_of_themes() -> None:
    async with desk() as at:
        await at.press("ctrl+p", *"colors", "enter")
        await at.settle()
        assert at.scope() is Scope.THEMES


async def test_the_theme_called_terminal_sends_no_exact_colors() -> None:
    async with desk(settings=WorkstationSettings(bell=False, theme="terminal"), terminal=EmulatedTerminal) as at:
        await painted(at)
        colors = {look[1] for line in shown(at) for look in line}
        assert not [color for color in colors if len(color) == 6 and set(color) <= set("0123456789abcdef")], colors
        assert grounds(at) <= {"default"}


async def test_the_setting_red_up_swaps_the_colors_of_rise_and_fall() -> None:
    async with desk(settings=WorkstationSettings(bell=False, red_up=True)) as at:
        colors, usual = at.app.palette.theme.colors, theme_of("dark").colors
        assert (colors.up, colors.gain, colors.side_buy) == (usual.down, usual.loss, usual.side_sell)
        assert (colors.down, colors.good, colors.alert) == (usual.up, usual.good, usual.alert)


# Files


def test_a_start_reads_one_theme_file_unless_own_themes_exist(tmp_path: Path) -> None:
    files = NamedFiles(THEMES, tmp_path, parse_theme)
    assert [theme.name for theme in files.read_at_start("nord")] == ["nord"]
    assert files.read_changed() is None
    assert {theme.name for theme in files.read_at_start("nort")} == set(NAMES)
    (tmp_path / "mine.toml").write_text('name = "nord"\nbase = "dark"\n[colors]\nup = "#ffffff"\n')
    mine, *others = files.read_at_start("nord")
    assert mine.colors.up == "#ffffff" and {theme.name for theme in others} == set(NAMES)


async def test_the_theme_list_also_shows_themes_not_read_at_the_start(tmp_path: Path) -> None:
    files = NamedFiles(THEMES, tmp_path, parse_theme)
    async with desk(services=LauncherServices(read_themes=files.read)) as at:
        at.app.themes.themes = (theme_of("dark"),)
        at.app.controllers.themes.themes_open()
        await at.settle()
        assert all(name in at.text() for name in NAMES)


def test_an_own_theme_names_a_shipped_base_and_some_colors() -> None:
    mine = parse_theme('name = "mine"\nbase = "nord"\n[colors]\nup = "#ffffff"', "mine.toml", shipped_themes())
    assert mine.colors == msgspec.structs.replace(theme_of("nord").colors, up="#ffffff") and mine.dark
    with pytest.raises(ThemeError, match="base 'nort' is no shipped theme; did you mean nord"):
        parse_theme('name = "mine"\nbase = "nort"\n[colors]', "mine.toml", shipped_themes())


async def test_a_changed_theme_file_changes_the_colors_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = NamedFiles(THEMES, tmp_path, parse_theme)
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\nbase = "dark"\n[colors]\nbackground = "#102030"\n')
    themes, errors = files.read()
    assert not errors and files.read_changed() is None
    async with desk(terminal=EmulatedTerminal) as at:
        keys = at.app.controllers.themes
        monkeypatch.setattr(keys, "_services", LauncherServices(read_changed_themes=files.read_changed))
        at.app.themes.follow(themes)
        at.app.themes.use(themes[0])
        await painted(at)
        assert "102030" in grounds(at)
        path.write_text('name = "mine"\nbase = "dark"\n[colors]\nbackground = "#203040" \n')
        keys.follow_files()
        await painted(at)
        assert "203040" in grounds(at) and "102030" not in grounds(at)
        path.write_text("name = ")
        keys.follow_files()
        await painted(at)
        assert "203040" in grounds(at) and any("theme not usable: mine.toml" in text for text in at.events())
        path.unlink()
        keys.follow_files()
        assert at.app.themes.name == "mine" and "mine" not in [theme.name for theme in at.app.themes.themes]
