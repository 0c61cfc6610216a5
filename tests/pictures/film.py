"""A film of the tour: the screen after each key that its bar asks for, in one SVG that moves by itself."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tests.workstation.first_steps.tour_desk import TourDesk
from tui.workstation.features.pictures.svg import export_svg
from tui.workstation.features.tour.steps import STEPS
from tui.workstation.input.actions import format_key

FILM = "tour-film"
"""Name of its file."""
SEED = 12
SIZE = (100, 30)
KEY_SHOWN_S, STEP_SHOWN_S, END_SHOWN_S = 1.1, 2.6, 5.0
"""How long the screen is shown after a key, after the last key of a step, and at the end."""
LINE = 24.4
"""Height of a line of the screen in the units of the picture."""

_STYLE = re.compile(r"\.(terminal-\d+-r\d+) \{ (.*?) \}")
_PART = re.compile(r'<rect fill="[^"]*" x="[^"]*" y="[^"]*"[^>]*/>|<text class="[^"]*-r\d+".*?</text>')
_Y = re.compile(r' y="([\d.]+)"')


class Frame(NamedTuple):
    """One screen of the film."""

    svg: str
    key: str
    """Key that was pressed, as people read it; empty at the beginning."""
    shown_s: float


class FilmDesk(TourDesk):
    """A desk that is filmed while the tour is played on it."""

    def __init__(self) -> None:
        super().__init__(SEED, SIZE, market="slow")
        self.frames: list[Frame] = []

    async def tap(self, key: str) -> None:
        step = self.tour.at
        await super().tap(key)
        done = self.tour.at != step
        self.add_frame(format_key(key), STEP_SHOWN_S if done else KEY_SHOWN_S)

    def add_frame(self, key: str, shown_s: float) -> None:
        self.frames.append(Frame(export_svg(self.app, self.app.palette.theme.colors), key, shown_s))

    async def play_tour(self) -> None:
        """Play the seven steps with the keys that the bar asks for."""
        await self.pause(3)
        self.add_frame("", STEP_SHOWN_S)
        await self.tap("f1")
        while self.tour.at < len(STEPS):
            await self.play_step()
        self.frames[-1] = self.frames[-1]._replace(shown_s=END_SHOWN_S)


def shoot_tour() -> str:
    """Play the tour and return its film as the text of an SVG: a strip of frames that CSS moves past a window."""
    desk = FilmDesk()
    desk.play(desk.play_tour)
    return join_frames(desk.frames)


class _Lines:
    """Lines of the screen and styles, each kept once whatever frame and place it has."""

    def __init__(self) -> None:
        self.styles: dict[str, str] = {}
        """Class by its rules."""
        self.names: dict[str, str] = {}
        """Id of a line by its content."""

    def place(self, svg: str) -> str:
        """Return a frame that refers to its lines."""
        classes = {name: self.styles.setdefault(rules, f"s{len(self.styles)}") for name, rules in _STYLE.findall(svg)}
        lines: dict[int, list[str]] = {}
        for part in _PART.findall(svg):
            y = _Y.search(part)
            if y is None:
                continue
            number = int(float(y[1]) / LINE)
            moved = f' y="{float(y[1]) - number * LINE:.4g}"'
            part = part[: y.start()] + moved + part[y.end() :]
            lines.setdefault(number, []).append(
                re.sub(r'"(terminal-\d+-r\d+)"', lambda name: f'"{classes[name[1]]}"', part)
            )
        return "".join(
            f'<use href="#{self.names.setdefault("".join(parts), f"l{len(self.names)}")}" y="{number * LINE:.5g}"/>'
            for number, parts in sorted(lines.items())
        )

    def write_styles(self) -> str:
        """Return the rules of all lines."""
        return "".join(f".{name} {{ {rules} }}\n" for rules, name in self.styles.items())

    def define(self) -> str:
        """Return all lines."""
        return "\n".join(f'<g id="{name}">{line}</g>' for line, name in self.names.items())


def _time_frames(frames: Iterable[Frame], width: float) -> tuple[float, str]:
    """Return the length of the film, s, and the rules that move it on."""
    frames = list(frames)
    length, at, rules = sum(frame.shown_s for frame in frames), 0.0, []
    for number, frame in enumerate(frames):
        rules.append(f"{at / length:.3%} {{ transform: translateX({-number * width:g}px) }}")
        at += frame.shown_s
    return length, "\n".join(rules)


def join_frames(frames: Sequence[Frame]) -> str:
    """Return an SVG that shows frames one after another, and their keys in its title."""
    first = frames[0].svg
    view = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', first)
    window = re.search(r'<rect fill="[^"]*" stroke="[^"]*" stroke-width="1" .*?/>', first)
    muted = re.search(r'class="[^"]*-title" fill="([^"]*)"', first)
    assert view is not None and window is not None and muted is not None
    width, height = float(view[1]), float(view[2])
    lines, strip = _Lines(), []
    for number, frame in enumerate(frames):
        title = f"crossdesk, the tour: {frame.key}" if frame.key else "crossdesk"
        strip.append(
            f'<g transform="translate({number * width:g},0)">'
            f'<text class="title" x="{width / 2:g}" y="27">{html.escape(title)}</text>'
            f'<g transform="translate(9,41)">{lines.place(frame.svg)}</g></g>'
        )
    length, moves = _time_frames(frames, width)
    return f"""<svg viewBox="0 0 {width:g} {height:g}" xmlns="http://www.w3.org/2000/svg">
<style>
text {{ font-family: Fira Code, Menlo, Consolas, DejaVu Sans Mono, monospace; font-size: 20px; white-space: pre }}
.title {{ font-family: arial; font-size: 18px; font-weight: bold; text-anchor: middle; fill: {muted[1]} }}
{lines.write_styles()}.strip {{ animation: film {length:g}s step-end infinite }}
@keyframes film {{
{moves}
}}
@media (prefers-reduced-motion: reduce) {{ .strip {{ animation: none }} }}
</style>
<defs>
<clipPath id="window"><rect width="{width:g}" height="{height:g}"/></clipPath>
{lines.define()}
</defs>
{window[0]}
<g clip-path="url(#window)"><g class="strip">
{chr(10).join(strip)}
</g></g>
</svg>
"""
