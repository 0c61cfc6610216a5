"""`crossdesk screenshots`: pictures of the running program on a made-up desk that holds still, the same bytes every time."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from tui import paths

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from tui.cli.posed import PosedEngine
    from tui.workstation.app import CrossdeskApp

Size = tuple[int, int]

SIZES: tuple[Size, ...] = ((80, 24), (120, 36), (200, 60))
MAIN_SIZES: tuple[Size, ...] = ((80, 24), (120, 36), (160, 45), (200, 60))
THEMES = ("dark", "light")

Steps = Callable[["Stage"], Awaitable[None]]


class Stage:
    """A running desk and the hand that poses it."""

    def __init__(self, app: CrossdeskApp, engine: PosedEngine, pilot: Pilot[None]) -> None:
        self.app = app
        self.engine = engine
        self._pilot = pilot

    async def press(self, *keys: str) -> None:
        """Press keys, one after another."""
        for key in keys:
            await self._pilot.press(key)
        await self.settle()

    async def settle(self) -> None:
        """Let everything that waits be drawn."""
        for _ in range(3):
            await self._pilot.pause()

    def text(self) -> str:
        """What the screen shows."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip) for strip in strips)

    def picture(self) -> str:
        """The screen as an SVG that needs nothing from the network."""
        svg = _FONT.sub("", self.app.export_screenshot(title="crossdesk"))
        return svg.replace("font-family: Fira Code", "font-family: Fira Code, Menlo, Consolas, DejaVu Sans Mono")


async def _ticket(stage: Stage) -> None:
    await stage.press("j", "j", "b", *"25", "enter", "e", "tab", "tab", "tab", *"1%", "shift+tab", *"2r", "tab", "tab")


async def _replace(stage: Stage) -> None:
    await stage.press("2", "j", "j", "j", "e", "up", "up", "enter")


async def _lost(stage: Stage) -> None:
    stage.engine.lose_links()
    await stage.settle()


def _keys(*keys: str) -> Steps:
    async def press(stage: Stage) -> None:
        await stage.press(*keys)

    return press


def _alone(pane: str, *keys: str) -> Steps:
    async def show(stage: Stage) -> None:
        stage.app.desk.show_pane(pane)
        await stage.press("0", *keys)

    return show


class Pose(msgspec.Struct, frozen=True):
    """A picture: what is done to the fresh desk before it is taken."""

    name: str
    steps: Steps
    about: str
    sizes: tuple[Size, ...] = SIZES


POSES = (
    Pose("main", _keys(), "the desk", MAIN_SIZES),
    Pose("ticket", _ticket, "a new order with take-profit and stop-loss", MAIN_SIZES),
    Pose("replace", _replace, "another price for a resting order"),
    Pose("unknown", _keys("2", "enter"), "an order whose answer was lost, all that is known of it"),
    Pose("stale", _lost, "the links are gone: the quotes are stale, nothing is guessed"),
    Pose("cancel", _keys("C"), "cancel in a scope"),
    Pose("kill", _keys("X"), "the kill prompt"),
    Pose("help", _keys("?"), "the keys"),
    Pose("orders", _alone("orders"), "orders alone"),
    Pose("positions", _alone("positions"), "positions, both legs of a pair"),
    Pose("assets", _alone("assets"), "assets, a debt among them"),
    Pose("adl", _alone("adl"), "rank of each leg in the deleveraging queue, and what would be left"),
    Pose("risk", _alone("risk"), "distance of each account from liquidation"),
    Pose("fills", _alone("fills", "enter"), "fills, the first order opened"),
    Pose("pnl", _alone("pnl"), "what was booked"),
    Pose("events", _alone("events"), "the life of the desk"),
)


@click.command()
@click.option("--only", metavar="WORD", default="", help="Only pictures whose name holds the word.")
@click.option(
    "--into", type=click.Path(file_okay=False, path_type=Path), help="Another folder than that of the checkout."
)
def command(only: str, into: Path | None) -> None:
    """Make the pictures of screenshots/ anew. Needs a source checkout."""
    top = paths.checkout()
    if top is None:
        raise click.ClickException("the pictures are made in a source checkout; this is an installed package")
    folder = into or top / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    made = 0
    for name, svg in pictures(only):
        (folder / f"{name}.svg").write_text(svg)
        made += 1
    click.echo(f"{made} pictures in {folder}")


def names() -> Iterator[str]:
    """Every picture's name."""
    for pose in POSES:
        for columns, lines in pose.sizes:
            for theme in THEMES:
                yield f"{pose.name}-{columns}x{lines}-{theme}"


def pictures(only: str = "") -> Iterator[tuple[str, str]]:
    """Names and SVG texts, made as they are asked for."""
    for pose in POSES:
        for columns, lines in pose.sizes:
            wanted = [theme for theme in THEMES if only in f"{pose.name}-{columns}x{lines}-{theme}"]
            if wanted:
                for theme, svg in asyncio.run(_taken(pose, (columns, lines), wanted)).items():
                    yield f"{pose.name}-{columns}x{lines}-{theme}", svg


async def _taken(pose: Pose, size: Size, themes: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}

    async def take(stage: Stage) -> None:
        for theme in themes:
            stage.app.use_theme(theme)
            await stage.settle()
            found[theme] = stage.picture()

    await posed(pose, size, take)
    return found


async def posed(pose: Pose, size: Size, then: Steps) -> None:
    """Run the program on the made-up desk at a size, pose it, and do something with it."""
    from tui.workstation.app import CrossdeskApp  # isort: skip  # sets up textual's environment
    from tui.cli.posed import HeldClock, PosedEngine
    from tui.workstation.settings import WorkstationSettings
    from tui.workstation.themes import read_folder

    engine = PosedEngine()
    themes, _ = read_folder(paths.themes())
    settings = WorkstationSettings(theme=THEMES[0], flash=False, bell=False)
    app = CrossdeskApp(engine, HeldClock(), settings, themes, engine.start)
    async with app.run_test(size=size) as pilot:
        stage = Stage(app, engine, pilot)
        await stage.settle()
        answer = 1
        while engine.show_ranks(answer):
            await stage.settle()
            answer += 1
        await stage.settle()
        await pose.steps(stage)
        await then(stage)


_FONT = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
