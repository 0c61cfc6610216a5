"""Without colours: NO_COLOR and terminals that have none get bold, underlined and reversed text and no colour at all."""

from __future__ import annotations

import re

import pytest

from tests.workstation.driver import desk, shipped_themes
from tests.workstation.emulated import FittedTerminal, painted, terminal_of
from tui.workstation.settings import WorkstationSettings

_STYLE = re.compile(r"\x1b\[([\d;]*)m")
_COLOR = re.compile(r"[34]8|[34][0-7]|(?:9|10)[0-7]")
"""Parameters that set a colour: of 256 or more, of the first eight, of the bright eight."""


def parameters(written: str) -> set[str]:
    """Parameters of the styles that were written."""
    return {one for found in _STYLE.findall(written) for one in found.split(";")}


async def parameters_of_a_visit(theme: str) -> set[str]:
    """Draw lists, a ticket, the list of themes and the help; return the parameters of their styles."""
    async with desk(settings=WorkstationSettings(bell=False, theme=theme), terminal=FittedTerminal) as at:
        for key in ("j", "b", "escape", "2", "f8", "escape", "?", "escape"):
            await at.press(key)
            await painted(at)
        at.port.quote("BINANCE_PERP_BTC_USDT", "64001.0", "64001.5", "0.1", "0.8", "64001.0")
        await painted(at)
        assert at.app.painter.writes, "the painter wrote beside the compositor"
        return parameters("".join(terminal_of(at).written))


WISHES = (("NO_COLOR", "1"), ("TERM", "dumb"))


@pytest.mark.parametrize(
    ("theme", "name", "value"),
    [
        # By default each theme with one of the wishes.
        pytest.param(theme.name, *wish, marks=() if number % len(WISHES) == at else pytest.mark.nightly)
        for number, theme in enumerate(shipped_themes())
        for at, wish in enumerate(WISHES)
    ],
)
async def test_no_color_is_written_with_no_color_set(
    monkeypatch: pytest.MonkeyPatch, theme: str, name: str, value: str
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv(name, value)
    found = await parameters_of_a_visit(theme)
    assert not [one for one in found if _COLOR.fullmatch(one)]
    assert {"1", "7"} <= found, "bold and reversed text stay"


@pytest.mark.parametrize("theme", ["dark", "terminal"])
async def test_colors_are_written_if_no_color_is_not_set(monkeypatch: pytest.MonkeyPatch, theme: str) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert any(_COLOR.fullmatch(one) for one in await parameters_of_a_visit(theme))
