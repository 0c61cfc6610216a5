"""The pictures of screenshots/: what the command makes now, all of them and no other, and nothing on them is cut."""

from __future__ import annotations

import asyncio
import html
import re
from functools import cache
from pathlib import Path

import pytest

from tests.figures import measured
from tests.leaping import every_run_leaps, textual_takes_the_time_of_the_loop
from tests.styles_read_once import read_styles_once
from tui.cli.commands import screenshots
from tui.cli.commands.screenshots import SCENES, Picture, Size, Stage
from tui.workstation.render.text import ELLIPSIS, fitted, width
from tui.workstation.table.live_table import LiveTable
from tui.workstation.widgets.screen_layout import PANES

__all__ = ["every_run_leaps", "textual_takes_the_time_of_the_loop"]

pytestmark = pytest.mark.usefixtures("every_run_leaps")

FOLDER = Path(__file__).parents[2] / "screenshots"
read_styles_once()
LOOKED_AT: tuple[Size, ...] = ((60, 20), (80, 24), (120, 36), (160, 45), (200, 60))

FREE_TEXT = frozenset(["reason", "event", "id"])
"""Columns whose texts have no longest length; `Enter` shows them whole."""

PICTURES = [pytest.param(picture, id=picture.name) for picture in screenshots.pictures()]


@cache
def said(name: str) -> list[tuple[str, str]]:
    """Place and text of everything written on a committed picture."""
    svg = (FOLDER / f"{name}.svg").read_text("utf-8")
    found = re.findall(r'<text class="[^"]*-r\d+" x="([\d.]+)" y="([\d.]+)"[^>]*>(.*?)</text>', svg)
    glyphs: dict[float, dict[int, str]] = {}
    for x, y, text in found:
        start = round(float(x) / 12.2)
        glyphs.setdefault(float(y), {}).update(enumerate(html.unescape(text), start))
    return [(str(y), "".join(row[at] for at in sorted(row)).replace("\xa0", "")) for y, row in sorted(glyphs.items())]


def test_every_picture_is_there_and_no_other() -> None:
    there = sorted(path.stem for path in FOLDER.glob("*.svg"))
    measured.keep("ui", *measured.EVERY_SIZE, snapshots=len(there))
    assert there == sorted(picture.name for picture in screenshots.pictures())


def test_the_gallery_is_what_the_command_writes_and_the_readme_shows_pictures_that_are_there() -> None:
    assert (FOLDER / screenshots.GALLERY).read_text("utf-8") == screenshots.gallery(), "make it anew"
    shown = re.findall(r"\(screenshots/([^)]*)\.svg\)", (FOLDER.parent / "README.md").read_text("utf-8"))
    assert shown and set(shown) <= {picture.name for picture in screenshots.pictures()}


_ID = re.compile("terminal-[0-9]+")


@pytest.mark.parametrize("picture", PICTURES)
def test_the_picture_is_what_the_command_makes_now(picture: Picture) -> None:
    there = (FOLDER / f"{picture.name}.svg").read_text("utf-8")
    # The id is a sum over how runs of the same style were cut, which nobody sees.
    assert _ID.sub("", screenshots.take_picture(picture)) == _ID.sub("", there), "make it anew: crossdesk screenshots"


@pytest.mark.parametrize("picture", PICTURES)
def test_no_key_of_a_scene_was_refused(picture: Picture) -> None:
    """A scene whose keys mean something else by now shows another thing than its title says."""
    text = "".join(line for _, line in said(picture.name)).replace(" ", "")
    assert not [words for words in ("isnotananswerhere", ")worksin", "hasnofunction") if words in text]


def test_every_theme_of_the_desk_says_the_same() -> None:
    names = [picture.name for picture in screenshots.scene_pictures(SCENES[0]) if picture.size == screenshots.SHOWN]
    assert len({tuple(said(name)) for name in names}) == 1


@pytest.mark.parametrize("size", LOOKED_AT, ids=lambda size: f"{size[0]}x{size[1]}")
def test_no_heading_is_cut_and_no_figure_overruns_its_column(size: Size) -> None:
    found: list[str] = []

    async def look(stage: Stage) -> None:
        for key in ("", "0"):
            for pane in PANES:
                stage.app.main_screen.show_pane(pane)
                await stage.press(*key)
                found.extend(overruns(stage.app.main_screen.tables[pane]))
                await stage.press(*key)

    asyncio.run(screenshots.run_demo(SCENES[0], size, look))
    assert found == []


def overruns(table: LiveTable) -> list[str]:
    """What of a pane on the screen does not fit its column, by pane and column."""
    pane, found = table.pane, []
    table.column_ids()
    for column, cells in table._placed:
        if width(pane.heading(column)) >= cells:
            found.append(f"{pane.id}: heading {column.id}")
        if column.id in FREE_TEXT:
            continue
        for key in table._visible_keys():
            text = table._placed.cell(column, pane.row(key), cells)[0]
            if fitted(text, cells, not column.field.left).endswith(f"{ELLIPSIS} ") and not text.endswith(ELLIPSIS):
                found.append(f"{pane.id}: {column.id} {text!r} in {cells} cells")
    return found


@pytest.mark.parametrize("size", LOOKED_AT, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", ["ticket", "replace", "cancel", "kill"])
def test_no_line_of_a_form_or_a_question_is_cut(name: str, size: Size) -> None:
    lines: list[str] = []

    async def look(stage: Stage) -> None:
        widget = stage.app.main_screen.panel if name in ("ticket", "replace") else stage.app.screen.query_one("#prompt")
        region = widget.region
        inside = stage.text().split("\n")[region.y + 1 : region.bottom - 1]
        lines.extend(line[region.x : region.right] for line in inside)

    scene = next(scene for scene in SCENES if scene.name == name)
    asyncio.run(screenshots.run_demo(scene, size, look))
    assert len(lines) >= 3
    assert [line for line in lines if ELLIPSIS in re.sub(r"…cd\d+", "", line)] == []
