"""A terminal of 256 colours shows the nearest of them, whoever draws."""

from __future__ import annotations

import re

import pytest
from rich.style import Style

from tests.workstation.driver import desk, shipped_themes
from tests.workstation.emulated import Terminal256, differences, painted, terminal_of
from tui.workstation.settings import WorkstationSettings
from tui.workstation.terminal.nearest_colors import find_nearest, match_style, rgb_of

_GROUND = re.compile(r"48;(?:5;(\d+)|2;)")


def test_each_of_240_palette_colors_is_the_nearest_to_itself() -> None:
    assert [number for number in range(16, 256) if find_nearest(*rgb_of(number)) != number] == []
    assert len({rgb_of(number) for number in range(16, 256)}) == 240


@pytest.mark.parametrize(
    ("color", "near"), [("#2e3440", "#303030"), ("#1e1e2e", "#1c1c1c"), ("#262637", "#262626"), ("#ff7b72", "#ff8787")]
)
def test_in_256_colors_a_dark_bluish_grey_becomes_grey(color: str, near: str) -> None:
    """Rich made the first teal, the second black and the third navy."""
    matched = match_style(Style.parse(f"bold {color} on {color}"))
    assert matched.bold and matched.color == matched.bgcolor and matched.color is not None
    assert "#{:02x}{:02x}{:02x}".format(*rgb_of(matched.color.number or 0)) == near


def test_in_256_colors_named_terminal_colors_are_kept() -> None:
    style = Style.parse("bright_red on default")
    assert match_style(style) == style


@pytest.mark.parametrize("theme", ["nord", "light", "terminal"])
async def test_on_a_256_color_terminal_the_nearest_colors_are_written(
    monkeypatch: pytest.MonkeyPatch, theme: str
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    async with desk(settings=WorkstationSettings(bell=False, theme=theme), terminal=Terminal256) as at:
        for key in ("j", "2", "b", "escape", "1", "j"):
            await at.press(key)
            await painted(at)
            at.port.quote("BINANCE_PERP_BTC_USDT", "64001.0", "64001.5", "0.1", "0.8", "64001.0")
            await painted(at)
            assert differences(at) == []
        assert at.app.painter.writes, "the painter wrote beside the compositor"
        written = set(_GROUND.findall("".join(terminal_of(at).written)))
        ground = next(one for one in shipped_themes() if one.name == theme).colors.background
        if theme == "terminal":
            assert written == set()
        else:
            number = find_nearest(*(int(ground[at : at + 2], 16) for at in (1, 3, 5)))
            assert str(number) in written and "" not in written
