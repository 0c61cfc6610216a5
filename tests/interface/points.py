"""Points of the interface and the tests that hold them: `python -m tests.interface.points --write` writes the page."""

from __future__ import annotations

import sys
import tomllib
from collections import Counter

import msgspec

from tests.lint.rooms import TOP

DATA = TOP / "tests" / "interface" / "points.toml"
DOCUMENT = TOP / "docs" / "interface.md"
MOST = 2
"""Tests shown for one point; more are counted."""


class Sides(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is true of a point on each side: `Y`, `-` (does not apply) or `N: why not`."""

    row: str
    venue: str
    client: str
    keyboard: str

    def items(self) -> dict[str, str]:
        """Side -> mark."""
        return {name: getattr(self, name) for name in self.__struct_fields__}


class Point(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that the interface says."""

    point: str
    sides: Sides
    tests: list[str]
    """`path::test_name`."""
    endpoint: str = ""
    """The row of the catalogue that it is, or empty."""

    @property
    def reasons(self) -> dict[str, str]:
        """Side that is missing -> why."""
        marks = self.sides.items().items()
        return {side: mark.removeprefix("N").removeprefix(":").strip() for side, mark in marks if mark.startswith("N")}


class Group(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Points of one kind."""

    title: str
    points: list[Point]


def read() -> list[Group]:
    """All points, in the order of the file."""
    return msgspec.convert(tomllib.loads(DATA.read_text("utf-8"))["group"], list[Group])


def _line(number: int, point: Point) -> str:
    marks = " | ".join(mark[:1] if mark != "-" else "–" for mark in point.sides.items().values())
    names = [f"`{test.split('::')[0].split('/')[1]}` {test.split('::')[1]}" for test in point.tests]
    shown = ", ".join(names[:MOST]) + (f" and {len(names) - MOST} more" if len(names) > MOST else "")
    why = "; ".join(f"{side}: {reason}" for side, reason in point.reasons.items())
    name = f"{point.point} (`{point.endpoint}`)" if point.endpoint else point.point
    return f"| {number} | {name} | {marks} | {shown} | {why} |"


def document() -> str:
    """The points as Markdown, their count first."""
    groups = read()
    points = [point for group in groups for point in group.points]
    partly = sum(1 for point in points if point.reasons)
    missing = Counter(side for point in points for side in point.reasons)
    sides = ", ".join(f"{side} {missing[side]}" for side in Sides.__struct_fields__ if missing[side])
    lines = [
        "# Coverage of the interface",
        "",
        f"{len(points)} points: {len(points) - partly} whole, {partly} partly{f' (missing: {sides})' if sides else ''}.",
        "",
        "The points of the interface that needed work, beside the plain ones that the other tests keep. **row**: in the",
        "catalogue, or in a record or channel that is decoded. **venue**: the paper venue does it. **client**: client or",
        "engine calls it or uses it. **keyboard**: a trader reaches it in the workstation. Y yes, N no, – does not apply.",
        "Made of `tests/interface/points.toml` by `python -m tests.interface.points --write`; a test compares, and looks",
        "for every test that is named. All endpoints with their keys: [endpoints.md](endpoints.md).",
    ]
    number = 0
    for group in groups:
        lines += ["", f"## {group.title}", "", "| # | Point | Row | Venue | Client | Keyboard | Tests | Why not |"]
        lines.append("|---|---|---|---|---|---|---|---|")
        for point in group.points:
            number += 1
            lines.append(_line(number, point))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if "--write" in sys.argv:
        DOCUMENT.write_text(document(), "utf-8")
    else:
        print(document(), end="")
