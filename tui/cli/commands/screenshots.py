"""`crossdesk screenshots`: pictures of the running program on the demo engine, the same bytes every time."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from tui import paths

if TYPE_CHECKING:
    from tui.cli.demo.engine import DemoEngine
    from tui.workstation.app.app import CrossdeskApp

Size = tuple[int, int]

SIZES: tuple[Size, ...] = ((80, 24), (120, 36), (160, 45), (200, 60))
SHOWN: Size = (120, 36)
"""Size of every picture but those of the desk, which stands in all sizes and themes."""
DARK = "dark"
GALLERY = "README.md"
AWAY_S = 14.0
"""How long the links are gone in the picture of lost links."""

LOOK_S = 0.003
APART_S = 1.0
"""Between two keys, so that they look like those of a hand."""
CALM_LOOKS = 3
"""How often in a row nothing must wait before the screen counts as drawn."""

Steps = Callable[["Stage"], Awaitable[None]]

_FONT = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_LINE_CLIP = re.compile(r'<clipPath id="[^"]*-line-\d+">.*?</clipPath>\s*', re.DOTALL)
_CLIPPED = re.compile(r' clip-path="url\(#[^)]*-line-\d+\)"')


def _background_of(color: str) -> re.Pattern[str]:
    """Rectangles in the colour of the window they stand on."""
    return re.compile(rf'<rect fill="{color}" [^>]*shape-rendering="crispEdges"/>')


class Stage:
    """A running workstation on the demo engine, and the keys that are pressed on it."""

    def __init__(self, app: CrossdeskApp, engine: DemoEngine) -> None:
        self.app = app
        self.engine = engine
        self._at = 0.0

    async def press(self, *keys: str) -> None:
        """Press keys, one after another."""
        from textual import events
        from textual.keys import _character_to_key

        driver = self.app._driver
        for key in keys:
            event = events.Key(_character_to_key(key) if len(key) == 1 else key, key if len(key) == 1 else None)
            self._at += APART_S
            event.time += self._at
            event.set_sender(self.app)
            if driver is not None:
                driver.send_message(event)
            await self.settle()

    async def settle(self) -> None:
        """Let everything that waits be drawn."""
        calm = 0
        while calm < CALM_LOOKS:
            await asyncio.sleep(LOOK_S)
            self.app.screen._on_timer_update()
            calm = calm + 1 if self._is_drawn() else 0

    def _is_drawn(self) -> bool:
        app = self.app
        if app.repaint_scheduler is None or not app.repaint_scheduler.idle or app.mirror.engine_status is None:
            return False
        pumps = [app, *app.screen_stack, *(widget for screen in app.screen_stack for widget in screen.walk_children())]
        busy = any(pump.message_queue_size for pump in pumps)
        return not busy and not any(table.waiting for table in app.main_screen.tables.values())

    def text(self) -> str:
        """The text on the screen."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip) for strip in strips)

    def picture(self) -> str:
        """The screen as an SVG that needs nothing from the network, the window in the colours of the theme."""
        colors = self.app.palette.theme.colors
        svg = self.app.export_screenshot(title="crossdesk")
        for pattern in (_FONT, _LINE_CLIP, _CLIPPED, _background_of(colors.background)):
            svg = pattern.sub("", svg)
        for old, new in (
            ("font-family: Fira Code", "font-family: Fira Code, Menlo, Consolas, DejaVu Sans Mono"),
            ('fill="#292929" stroke="rgba(255,255,255,0.35)"', f'fill="{colors.background}" stroke="{colors.frame}"'),
            ('fill="#c5c8c6" text-anchor', f'fill="{colors.muted}" text-anchor'),
        ):
            svg = svg.replace(old, new)
        return svg


async def _ticket(stage: Stage) -> None:
    await stage.press("j", "j", "b", "e", *"25", "tab", "tab", "tab", *"1%", "shift+tab", *"2r", "tab", "tab")


async def _replace(stage: Stage) -> None:
    # Tab instead of 2: the cursor stays where it is, so that e acts at once.
    await stage.press("tab", "j", "j", "j", "e", "up", "up", "enter", "enter")


async def _lost(stage: Stage) -> None:
    stage.engine.lose_links()
    await stage.settle()


def _keys(*keys: str) -> Steps:
    async def press(stage: Stage) -> None:
        await stage.press(*keys)

    return press


def _alone(pane: str, *keys: str) -> Steps:
    async def show(stage: Stage) -> None:
        stage.app.main_screen.show_pane(pane)
        await stage.press("0", *keys)

    return show


async def _explorer_form(stage: Stage) -> None:
    await stage.press("f4")
    stage.app.context.list_screen.tables["explorer"].select("interest_rates")
    await stage.press("enter", "right")


async def _explorer_answer(stage: Stage) -> None:
    await _explorer_form(stage)
    await stage.press("down", "enter")


class Scene(msgspec.Struct, frozen=True):
    """A picture: what is done after the start before it is taken."""

    name: str
    steps: Steps
    about: str
    late_s: float = 0.0
    """Seconds since the last thing happened."""


SCENES = (
    Scene("main", _keys(), "the desk"),
    Scene("ticket", _ticket, "a new order with take-profit and stop-loss"),
    Scene("replace", _replace, "another price for a resting order"),
    Scene("unknown", _keys("2", "enter"), "an order whose answer was lost, all that is known of it"),
    Scene("stale", _lost, "the links are gone: the quotes are stale, nothing is guessed", late_s=AWAY_S),
    Scene("cancel", _keys("C"), "cancel in a scope"),
    Scene("kill", _keys("X"), "the kill prompt"),
    Scene("leverage", _keys("3", "l", *"10"), "another leverage of a pair, figures before and after"),
    Scene("modes", _keys("3", "L"), "the position mode of a venue, and what stands against another one"),
    Scene("liquidation", _keys("R"), "what the service did to an account at risk, step by step"),
    Scene(
        "algos",
        _keys("A"),
        "stops, targets and conditional orders with their triggers; one has no position",
    ),
    Scene(
        "protect",
        _keys("3", "j", "j", "j", "j", "p", *"1%", "down", *"50%"),
        "a new stop of a leg, and what it would book",
    ),
    Scene(
        "transfer",
        _keys("4", "t", "down", *"5000", "down", "down"),
        "money to another venue, and who pays it",
    ),
    Scene("withdraw", _keys("4", "O", "down", "down", *"1200", "enter"), "a withdrawal to the address book"),
    Scene("deposit", _keys("4", "I"), "where a coin is deposited"),
    Scene("borrow", _keys("4", "b", *"10000", "enter"), "a portfolio loan, figures before and after"),
    Scene("funds", _keys("W"), "transfers, deposits, withdrawals, bills and custody"),
    Scene("funds-withdrawals", _keys("W", ")", ")", ")"), "withdrawals and how far they are"),
    Scene("overview", _keys("V"), "what all accounts are worth"),
    Scene("overview-coins", _keys("V", ")", ")", ")"), "coins of all portfolios by venue"),
    Scene("portfolios", _keys("P"), "portfolios, and which of them this desk trades"),
    Scene("api-keys", _keys("P", ")"), "keys with what they may and from where"),
    Scene("loans", _keys("D"), "rates, loans and what can be borrowed"),
    Scene("fees", _keys("$"), "fees by venue, kind and group"),
    Scene("fees-subs", _keys("$", "(", "("), "what left sub portfolios"),
    Scene("fees-set", _keys("$", "%"), "what sub portfolios pay"),
    Scene("help", _keys("?"), "the keys"),
    Scene("orders", _alone("orders"), "orders alone"),
    Scene("positions", _alone("positions"), "positions, both legs of a pair"),
    Scene("assets", _alone("assets"), "assets, a debt among them"),
    Scene("adl", _alone("adl"), "rank of each leg in the deleveraging queue, and what would be left"),
    Scene("risk", _alone("risk"), "distance of each account from liquidation"),
    Scene("fills", _alone("fills", "enter"), "fills, the first order opened"),
    Scene("pnl", _alone("pnl"), "what was booked"),
    Scene("history", _keys("H"), "orders of the last 7 days, a page of them"),
    Scene("history-closed", _keys("H", ")", ")"), "closed positions with what they came to"),
    Scene("history-statement", _keys("H", ")", ")", ")"), "what was booked, coin by coin"),
    Scene("history-ask", _keys("H", "o", *"90d sym:okx_perp_b only"), "the line in which the history is asked"),
    Scene("explorer", _keys("f4", "/", *"position"), "every endpoint of the interface, found by a few letters"),
    Scene("explorer-form", _explorer_form, "the form of an endpoint, made of its parameters"),
    Scene("explorer-answer", _explorer_answer, "an answer as a table"),
    Scene("events", _alone("events"), "the life of the desk"),
)


@click.command()
@click.option("--only", metavar="WORD", default="", help="Only pictures whose name holds the word.")
@click.option(
    "--into", type=click.Path(file_okay=False, path_type=Path), help="Another folder than that of the checkout."
)
def command(only: str, into: Path | None) -> None:
    """Make the pictures of screenshots/ anew. Needs a source checkout."""
    top = paths.checkout_dir()
    if top is None:
        raise paths.NoCheckout("the pictures are made in a source checkout; this is an installed package")
    folder = into or top / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    made = pictures(only)
    for picture in made:
        (folder / f"{picture.name}.svg").write_text(take_picture(picture))
    (folder / GALLERY).write_text(gallery())
    click.echo(f"{len(made)} pictures in {folder}")


def gallery() -> str:
    """Write the page of the folder: every scene with its picture, and links to other sizes and themes of the desk."""
    parts = [
        "# Pictures\n\nMade by `crossdesk screenshots`, this page too. The desk on them is made up and holds still; the"
        " program that draws it is the real one.\n"
    ]
    for scene in SCENES:
        shown, *others = scene_pictures(scene)
        links = [f"[{picture.size[0]}x{picture.size[1]} {picture.theme}]({picture.name}.svg)" for picture in others]
        about = scene.about[0].upper() + scene.about[1:]
        more = f"\nAlso {', '.join(links)}.\n" if links else ""
        parts.append(f"## {about}\n\n![{about}]({shown.name}.svg)\n{more}")
    return "\n".join(parts)


class Picture(msgspec.Struct, frozen=True):
    """A scene at one size in one theme."""

    scene: Scene
    size: Size
    theme: str

    @property
    def name(self) -> str:
        """Name of its file, without the ending."""
        return f"{self.scene.name}-{self.size[0]}x{self.size[1]}-{self.theme}"


def scene_pictures(scene: Scene) -> list[Picture]:
    """List the pictures of a scene, the one that the gallery shows first."""
    shown = [Picture(scene, SHOWN, DARK)]
    if scene is not SCENES[0]:
        return shown
    sizes = [Picture(scene, size, DARK) for size in SIZES if size != SHOWN]
    themes = sorted(path.stem for path in paths.themes_dir().glob("*.toml"))
    return [*shown, *sizes, *(Picture(scene, SHOWN, theme) for theme in themes if theme != DARK)]


def pictures(only: str = "") -> list[Picture]:
    """List every picture whose name holds a word."""
    return [picture for scene in SCENES for picture in scene_pictures(scene) if only in picture.name]


def take_picture(picture: Picture) -> str:
    """Draw one picture as SVG text."""
    found: list[str] = []

    async def take(stage: Stage) -> None:
        found.append(stage.picture())

    asyncio.run(run_demo(picture.scene, picture.size, take, picture.theme))
    return found[0]


async def run_demo(scene: Scene, size: Size, then: Steps, theme: str = DARK) -> None:
    """Run the program on the demo engine at a size, play the scene, and do something with it."""
    from tui.workstation.app.app import CrossdeskApp  # isort: skip  # sets up textual's environment
    from tui.cli.demo.engine import DemoEngine, HeldClock
    from tui.workstation.render.themes import read_folder
    from tui.workstation.settings import WorkstationSettings

    os.environ.pop("NO_COLOR", None)
    clock = HeldClock(scene.late_s)
    engine = DemoEngine(clock)
    themes, _ = read_folder(paths.themes_dir())
    settings = WorkstationSettings(theme=theme, flash=False, bell=False)
    app = CrossdeskApp(engine, clock, settings, themes, engine.start)
    async with app.run_test(size=size):
        stage = Stage(app, engine)
        await stage.settle()
        answer = 1
        while engine.show_ranks(answer):
            await stage.settle()
            answer += 1
        await stage.settle()
        await scene.steps(stage)
        await then(stage)
