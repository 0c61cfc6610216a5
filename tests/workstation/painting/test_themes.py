"""Theme files: read as a whole or refused with sentences."""

from __future__ import annotations

from itertools import pairwise, product
from pathlib import Path

import pytest
from rich.color import Color, ColorSystem, ColorType
from rich.style import Style

from tests.workstation.driver import THEMES, shipped_themes
from tui.cli.named_files import read_folder
from tui.workstation.render.escape_writer import Codes, codes_of
from tui.workstation.render.palette import _GROUNDS, _ROLES, Palette, textual_theme
from tui.workstation.render.themes import ThemeError, ThemeFile, parse_theme
from tui.workstation.terminal.nearest_colors import match_style, rgb_of

DARK = (THEMES / "dark.toml").read_text("utf-8")


def refusal(text: str) -> str:
    with pytest.raises(ThemeError) as found:
        parse_theme(text, "mine.toml")
    return str(found.value)


def test_shipped_themes_define_a_color_for_every_style() -> None:
    assert sorted(theme.name for theme in shipped_themes()) == sorted(path.stem for path in THEMES.glob("*.toml"))
    for theme in shipped_themes():
        palette = Palette(theme)
        for role in _ROLES:
            assert palette.style(role).color is not None
        assert textual_theme(theme).variables["env-live"].removeprefix("ansi_") == theme.colors.env_live


def luminance(color: str) -> float:
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (one / 12.92 if one <= 0.03928 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def shown(style: Style, colors: ColorSystem) -> tuple[str, str]:
    """Text and background of a style as a terminal of so many colours shows them."""
    matched = match_style(style) if colors is ColorSystem.EIGHT_BIT else style
    return hex_of(matched.color), hex_of(matched.bgcolor)


def hex_of(color: Color | None) -> str:
    assert color is not None
    if color.type is ColorType.TRUECOLOR:
        assert color.triplet is not None
        return color.triplet.hex
    assert color.downgrade(ColorSystem.EIGHT_BIT) == color and color.number is not None
    return "#{:02x}{:02x}{:02x}".format(*rgb_of(color.number))


IN_256_AND_ALL = pytest.mark.parametrize("colors", [ColorSystem.EIGHT_BIT, ColorSystem.TRUECOLOR])
OF_OWN_COLORS = pytest.mark.parametrize(
    "theme", [one for one in shipped_themes() if not one.of_terminal], ids=lambda theme: theme.name
)
LINES = "frame"
"""Role of what is no text; nothing is drawn in it on another ground than the plain one."""


@IN_256_AND_ALL
@OF_OWN_COLORS
def test_theme_text_has_contrast_on_every_background(theme: ThemeFile, colors: ColorSystem) -> None:
    palette = Palette(theme)
    assert contrast(*shown(palette.style(LINES), colors)) >= 3.0
    for ground in _GROUNDS:
        for role in _ROLES.keys() - {LINES}:
            assert contrast(*shown(palette.style(role, ground), colors)) >= 4.5, (role, ground)


@IN_256_AND_ALL
@OF_OWN_COLORS
def test_less_important_text_is_less_bright_in_every_theme(theme: ThemeFile, colors: ColorSystem) -> None:
    palette = Palette(theme)
    steps = [contrast(*shown(palette.style(role), colors)) for role in ("text", "dim", "faint", LINES)]
    assert all(more >= 1.1 * less for more, less in pairwise(steps)), steps


@IN_256_AND_ALL
@OF_OWN_COLORS
def test_backgrounds_of_cursor_selection_and_flash_differ(theme: ThemeFile, colors: ColorSystem) -> None:
    palette = Palette(theme)
    seen = {ground: shown(palette.style("text", ground), colors)[1] for ground in _GROUNDS}
    assert [ground for ground in _GROUNDS if ground and seen[ground] == seen[""]] == []
    for one, other in (("cursor", "idle"), ("cursor", "selected"), ("flash-up", "flash-down")):
        assert seen[one] != seen[other], (one, other)


def test_faint_text_is_bright_while_its_cell_flashes() -> None:
    palette = Palette(parse_theme(DARK, "dark.toml"))
    for ground in ("flash-up", "flash-down"):
        assert {palette.style(role, ground).color for role in ("dim", "faint")} == {palette.style("text").color}
        assert palette.style("gain", ground).color == palette.style("gain").color


XTERM = (
    "#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5",
    "#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff",
)  # fmt: skip
EXPLAINING = ("dim", "faint", "ended", "header", "frame")


def number_in_16(color: Color | None, default: int) -> int:
    assert color is not None
    number = color.downgrade(ColorSystem.STANDARD).number
    return default if number is None else number


def shown_in_16(style: Style) -> tuple[str, str]:
    """Text and background as an xterm of 16 colours shows them, in which bold is also bright."""
    text, ground = number_in_16(style.color, 7), number_in_16(style.bgcolor, 0)
    shown = XTERM[text + 8 if style.bold and text < 8 else text], XTERM[ground]
    return (shown[1], shown[0]) if style.reverse else shown


def few_colors(theme: ThemeFile) -> Palette:
    palette = Palette(theme)
    palette.use_16_colors()
    return palette


@pytest.mark.parametrize("theme", shipped_themes(), ids=lambda theme: theme.name)
def test_every_style_of_a_theme_is_readable_in_16_colors(theme: ThemeFile) -> None:
    palette = few_colors(theme)
    for role, ground in product(_ROLES, _GROUNDS):
        least = 3.0 if role in EXPLAINING else 4.5
        assert contrast(*shown_in_16(palette.style(role, ground))) >= least, (role, ground)


@pytest.mark.parametrize("theme", shipped_themes(), ids=lambda theme: theme.name)
def test_opposite_color_roles_differ_in_16_colors(theme: ThemeFile) -> None:
    palette = few_colors(theme)
    for one, other in (("buy", "sell"), ("up", "down"), ("gain", "loss"), ("good", "alert"), ("good", "warn"),
                       ("paper", "live"), ("text", "dim"), ("text", "accent"), ("warn", "text")):  # fmt: skip
        if theme.name == "monochrome" and (one, other) == ("warn", "text"):
            continue  # three greys are not enough: its words and signs say it
        assert shown_in_16(palette.style(one)) != shown_in_16(palette.style(other)), (one, other)
    for role in ("buy", "sell", "good", "warn"):
        assert codes_in_16(palette.style(role)) != codes_in_16(palette.style(f"{role}-strong")), role


def codes_in_16(style: Style) -> Codes:
    return codes_of(style, ColorSystem.STANDARD)


@pytest.mark.parametrize("theme", shipped_themes(), ids=lambda theme: theme.name)
def test_in_16_colors_the_cursor_row_is_a_bar_of_one_color(theme: ThemeFile) -> None:
    palette = few_colors(theme)
    grounds = ("cursor", "selected", "flash-up", "flash-down")
    for role, ground in product(("text", "dim", "buy", "sell", "gain", "loss"), grounds):
        assert shown_in_16(palette.style(role, ground))[1] != shown_in_16(palette.style(role))[1], (role, ground)
    looks = {shown_in_16(palette.style(role, "cursor")) for role in _ROLES if not palette.style(role).reverse}
    (only,) = looks
    assert only[1] != shown_in_16(palette.style("text"))[1]


def test_a_misspelled_theme_color_gets_a_suggestion() -> None:
    text = refusal(DARK.replace("flash_up =", "flash_upp ="))
    assert "mine.toml, line 18: unknown key 'flash_upp' in colors; did you mean flash_up?" in text
    assert "colors: flash_up is missing" in text


def test_invalid_theme_values_are_reported() -> None:
    text = refusal(DARK.replace('"#0c1116"', '"pink"'))
    assert 'mine.toml, line 7: colors.background = "pink": accepted is #rrggbb' in text and "bright_black" in text
    assert 'line 4: dark = "yes": accepted is true or false' in refusal(DARK.replace("dark = true", 'dark = "yes"'))
    assert "unknown key 'nam'" in refusal(DARK.replace("name =", "nam ="))
    assert "mine.toml" in refusal("name = ")
    assert "mine.toml" in refusal("[colors]")


def test_one_bad_theme_file_does_not_hide_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(DARK)
    (tmp_path / "b.toml").write_text("name = 3")
    themes, problems = read_folder(tmp_path, parse_theme)
    assert [theme.name for theme in themes] == ["dark"]
    assert len(problems) == 1 and "b.toml" in problems[0]
