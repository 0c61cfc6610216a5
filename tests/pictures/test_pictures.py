"""The pictures of screenshots/: what the command makes now, all of them and no other, and nothing on them is cut."""

from __future__ import annotations

import html
import re
from collections.abc import Awaitable, Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from tests.figures import measured
from tests.pictures.desk import PictureDesk, Size
from tests.pictures.film import FILM, SIZE, shoot_tour
from tests.pictures.gallery import PAGE, describe_pictures
from tests.pictures.scenes import DARK, LIGHT, SCENES, Scene, look_at, pictures, pictures_of, play, take_pictures
from tui.workstation.features.tour.steps import STEPS
from tui.workstation.layouts.plan import PANES
from tui.workstation.render.text import ELLIPSIS, fit, width
from tui.workstation.table.live_table import LiveTable

FOLDER = Path(__file__).parents[2] / "screenshots"
DRAWN_S = 0.1
"""Time in which a key that shows a pane is drawn; the market goes on meanwhile, and costs as much as the drawing."""
LOOKED_AT: tuple[Size, ...] = ((60, 20), (80, 24), (120, 36), (160, 45), (200, 60))

FREE_TEXT = frozenset(["reason", "event", "id"])
"""Columns whose texts have no longest length; `Enter` shows them whole."""
_ID = re.compile("terminal-[0-9]+")
"""A sum over how runs of the same style were cut, which nobody sees."""

NAMES = [picture.name for picture in pictures()]


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


def test_screenshots_folder_has_exactly_the_listed_pictures() -> None:
    there = sorted(path.stem for path in FOLDER.glob("*.svg"))
    measured.keep("ui", *measured.EVERY_SIZE, snapshots=len(there))
    assert there == sorted([*NAMES, FILM])


def test_screenshots_page_is_generated_and_its_files_exist() -> None:
    assert (FOLDER / PAGE).read_text("utf-8") == describe_pictures(), "make it anew"
    shown = re.findall(r"\(screenshots/([^)]*)\.svg\)", (FOLDER.parent / "README.md").read_text("utf-8"))
    assert shown and set(shown) <= {*NAMES, FILM}


@pytest.mark.timeout(1200)
def test_light_screenshots_are_up_to_date() -> None:
    compare(take_pictures([picture for picture in pictures() if picture.theme == LIGHT]))


def compare(taken: dict[str, str]) -> None:
    there = {name: (FOLDER / f"{name}.svg").read_text("utf-8") for name in taken}
    other = [name for name, svg in taken.items() if _ID.sub("", svg) != _ID.sub("", there[name])]
    assert other == [], "make them anew: crossdesk screenshots"


@pytest.mark.parametrize("name", NAMES)
def test_no_key_press_of_a_screenshot_scene_is_refused(name: str) -> None:
    """A scene whose keys mean something else by now shows another thing than its title says."""
    lines = said(name)
    assert len(lines) >= 20, "nothing was drawn"
    text = "".join(line for _, line in lines).replace(" ", "")
    assert not [words for words in ("isnotananswerhere", ")worksin", "hasnofunction") if words in text]


@pytest.mark.parametrize("name", NAMES)
def test_screenshots_show_no_mismatch_with_the_venue(name: str) -> None:
    """`≠` stands before a figure of the venue that differs from what the desk computes."""
    marked = [line for _, line in said(name) if "≠" in line]
    assert marked == [] or name.startswith("help")


def test_screenshots_of_every_theme_show_the_same_text() -> None:
    dark, light = (picture.name for picture in (pictures_of(SCENES[0])[0], pictures_of(SCENES[0])[-1]))
    assert said(dark) == said(light)


def test_the_film_is_up_to_date_and_shows_every_step_done() -> None:
    svg = shoot_tour()
    assert svg == (FOLDER / f"{FILM}.svg").read_text("utf-8"), "make it anew: crossdesk screenshots --only film"
    frames = re.findall(r'<g transform="translate\(([\d.]+),0\)">', svg)
    moves = re.findall(r"translateX\(-?([\d.]+)px\)", svg)
    assert frames == moves and len(frames) > len(STEPS), "each frame has its moment"
    text = html.unescape(svg).replace("\xa0", " ")
    assert all(f"Tour {number} of 7: {step.title}" in text for number, step in enumerate(STEPS, 1))
    assert "Tour done" in text and "REJECTED" not in text
    assert svg.count("<use ") > SIZE[1] * len(frames) / 2, "frames are whole screens"
    assert "http" not in svg.replace("http://www.w3.org/2000/svg", ""), "nothing is read from a network"


async def look_for_overruns(desk: PictureDesk, size: Size) -> list[str]:
    """What does not fit on the main screen at a size, with each pane beside the others and alone."""
    await desk.resize(size)
    problems: list[str] = []
    for keys in ((), ("0",)):
        for pane in PANES:
            desk.app.main_screen.show_pane(pane)
            await desk.press_keys(*keys, apart=DRAWN_S)
            problems += overruns(desk.app.main_screen.tables[pane])
            await desk.press_keys(*keys, apart=DRAWN_S)
    return problems


def overruns(table: LiveTable) -> list[str]:
    """What of a pane on the screen does not fit its column, by pane and column."""
    pane, found = table.pane, []
    table.column_ids()
    for column, cells in table._placed:
        if width(pane.heading(column)) >= cells:
            found.append(f"{pane.id}: heading {column.id}")
        if column.id in FREE_TEXT:
            continue
        for key in table.visible_keys():
            text = table._placed.cell(column, pane.row(key), cells)[0]
            if fit(text, cells, right=not column.field.left).endswith(f"{ELLIPSIS} ") and not text.endswith(ELLIPSIS):
                found.append(f"{pane.id}: {column.id} {text!r} in {cells} cells")
    return found


@pytest.mark.timeout(1200)
def test_dark_screenshots_are_up_to_date_and_cut_nothing() -> None:
    """One desk for headers, numbers, forms, prompts and pictures: it trades for longer than it is looked at."""
    scenes = [scene for scene in SCENES if scene.name in ("ticket", "replace", "cancel", "kill")]
    looks: list[Callable[[PictureDesk], Awaitable[Any]]] = [
        *(partial(look_for_overruns, size=size) for size in LOOKED_AT),
        *(partial(look_at_form, scene=scene) for scene in scenes),
    ]
    dark = [picture for picture in pictures() if picture.theme == DARK]
    results: list[Any] = PictureDesk().take_looks([*looks, *map(look_at, dark)])
    found, svgs = results[: len(looks)], results[len(looks) :]
    compare(dict(zip((picture.name for picture in dark), svgs, strict=True)))
    assert dict(zip(LOOKED_AT, found, strict=False)) == {size: [] for size in LOOKED_AT}
    for scene, forms in zip(scenes, found[len(LOOKED_AT) :], strict=True):
        for size, lines in forms.items():
            assert len(lines) >= 3, (scene.name, size)
            cut = [line for line in lines if ELLIPSIS in re.sub(r"…[0-9a-z]{4,}", "", line)]
            assert cut == [], (scene.name, size)


async def look_at_form(desk: PictureDesk, scene: Scene) -> dict[Size, list[str]]:
    """The lines inside the form or question of a scene, which is opened once and brought to each size."""
    await play(desk, scene, LOOKED_AT[0])
    forms = {}
    for size in LOOKED_AT:
        await desk.resize(size)
        forms[size] = lines_of_form(desk, scene)
    return forms


def lines_of_form(desk: PictureDesk, scene: Scene) -> list[str]:
    in_panel = scene.name in ("ticket", "replace")
    widget = desk.app.main_screen.panel if in_panel else desk.app.screen.query_one("#prompt")
    region = widget.region
    return [line[region.x : region.right] for line in desk.text().split("\n")[region.y + 1 : region.bottom - 1]]
