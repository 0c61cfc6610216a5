"""Points of the interface and the tests that hold them.

`python -m tests.interface.points --write` writes the page, `--mutate [--sample N] [--seed S] [--points 3,7]` breaks the
product at points, each in a copy of the tree, and wants the test that is named first to fail, and to pass unbroken.
"""

from __future__ import annotations

import argparse
import compileall
import py_compile
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from pathlib import Path

import msgspec

from tests.lint.rooms import TOP

DATA = TOP / "tests" / "interface" / "points.toml"
DOCUMENT = TOP / "docs" / "interface.md"
MOST = 2
"""Tests shown for one point; more are counted."""
COPIED = ("tui", "tests", "themes", "keymaps", "screenshots", "docs", "README.md", "CONTRIBUTING.md", "pyproject.toml")
PATIENCE_S = 300
"""How long the named test may take on a broken product; one that hangs has noticed."""


class Sides(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is true of a point on each side: `Y`, `-` (does not apply) or `N: why not`."""

    row: str
    venue: str
    client: str
    keyboard: str

    def items(self) -> dict[str, str]:
        """Side -> mark."""
        return {name: getattr(self, name) for name in self.__struct_fields__}


class Break(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A change of the product that breaks a point."""

    file: str
    old: str
    """Stands once in the file."""
    new: str


class Point(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that the interface says."""

    number: int
    point: str
    sides: Sides
    tests: list[str]
    """`path::test_name`; the first fails when the point breaks."""
    endpoint: str = ""
    """The row of the catalogue that it is, or empty."""
    breaks: Break | None = None
    """How it is broken on trial."""

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


def _line(point: Point) -> str:
    marks = " | ".join(mark[:1] if mark != "-" else "–" for mark in point.sides.items().values())
    names = [f"`{test.split('::')[0].split('/')[1]}` {test.split('::')[1]}" for test in point.tests]
    shown = ", ".join(names[:MOST]) + (f" and {len(names) - MOST} more" if len(names) > MOST else "")
    why = "; ".join(f"{side}: {reason}" for side, reason in point.reasons.items())
    name = f"{point.point} (`{point.endpoint}`)" if point.endpoint else point.point
    broken = "Y" if point.breaks is not None else "–"
    return f"| {point.number} | {name} | {marks} | {broken} | {shown} | {why} |"


def document() -> str:
    """The points as Markdown, their count first."""
    groups = read()
    points = [point for group in groups for point in group.points]
    partly = sum(1 for point in points if point.reasons)
    missing = Counter(side for point in points for side in point.reasons)
    sides = ", ".join(f"{side} {missing[side]}" for side in Sides.__struct_fields__ if missing[side])
    broken = sum(point.breaks is not None for point in points)
    lines = [
        "# Coverage of the interface",
        "",
        f"{len(points)} points: {len(points) - partly} whole, {partly} partly{f' (missing: {sides})' if sides else ''}.",
        "",
        "**row**: in the catalogue, or in a record or channel that is decoded. **venue**: the paper venue does it.",
        "**client**: client or engine calls it or uses it. **keyboard**: a trader reaches it in the workstation. Y yes,",
        "N no, – does not apply. **trial**: `python -m tests.interface.points --mutate` breaks the product at this point",
        f"and wants the first test to fail; {broken} points have such a change. Made of `tests/interface/points.toml` by",
        "`python -m tests.interface.points --write`; a test compares, and looks for every test that is named.",
        "All endpoints with their keys: [endpoints.md](endpoints.md).",
    ]
    for group in groups:
        lines += ["", f"## {group.title}", ""]
        lines.append("| # | Point | Row | Venue | Client | Keyboard | Trial | Tests | Why not |")
        lines.append("|---|---|---|---|---|---|---|---|---|")
        lines += [_line(point) for point in group.points]
    return "\n".join(lines) + "\n"


def sampled(points: list[Point], sample: int, seed: int) -> list[Point]:
    """So many points with a change, drawn by the seed; 0: all of them."""
    broken = [point for point in points if point.breaks is not None]
    if not sample or sample >= len(broken):
        return broken
    return sorted(random.Random(seed).sample(broken, sample), key=lambda point: point.number)


def passes(test: str, top: Path) -> bool:
    """Whether a test passes on a copy of the product; one that takes too long does not."""
    # A file that is compiled now would know its source by second and size: a change of the same length is not seen.
    command = [
        sys.executable,
        "-B",
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        "--no-header",
        test,
    ]
    try:
        return not subprocess.run(command, cwd=top, capture_output=True, timeout=PATIENCE_S, check=False).returncode
    except subprocess.TimeoutExpired:
        return False


def is_noticed(point: Point, top: Path) -> bool:
    """Whether the first test of a point fails on a copy of the product that is broken there; the copy is mended."""
    change = point.breaks
    assert change is not None
    file = top / change.file
    sound = file.read_text("utf-8")
    file.write_text(sound.replace(change.old, change.new), "utf-8")
    try:
        return not passes(point.tests[0], top)
    finally:
        file.write_text(sound, "utf-8")


def mutate(chosen: list[Point]) -> list[Point]:
    """Break the product point by point, say of each whether its test failed; the points whose test did not.

    A test that fails on the sound copy proves nothing and counts like one that notices nothing.
    """
    survivors = []
    sound: dict[str, bool] = {}
    with tempfile.TemporaryDirectory(prefix="points-") as place:
        top = Path(place)
        for name in COPIED:
            source = TOP / name
            if source.is_dir():
                shutil.copytree(source, top / name, ignore=shutil.ignore_patterns("__pycache__", "figures"))
            else:
                shutil.copy(source, top / name)
        # Compiled once, and each file known by the content of its source.
        compileall.compile_dir(top, quiet=1, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)
        for point in chosen:
            test = point.tests[0]
            if test not in sound:
                sound[test] = passes(test, top)
            noticed = sound[test] and is_noticed(point, top)
            word = "failed as it must" if noticed else "SURVIVED" if sound[test] else "FAILS UNBROKEN"
            print(f"{point.number:3} {word}  {point.point}", flush=True)
            if not noticed:
                survivors.append(point)
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} changes were noticed by the test that is named")
    return survivors


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.interface.points")
    parser.add_argument("--write", action="store_true", help="write docs/interface.md")
    parser.add_argument("--mutate", action="store_true", help="break the product at points, in a copy")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="how many points; all without it")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="which ones")
    parser.add_argument("--points", default="", metavar="N,N", help="these numbers alone")
    wanted = parser.parse_args()
    if wanted.mutate:
        numbers = {int(text) for text in wanted.points.split(",") if text}
        points = [point for group in read() for point in group.points if not numbers or point.number in numbers]
        return 1 if mutate(sampled(points, wanted.sample, wanted.seed)) else 0
    if wanted.write:
        DOCUMENT.write_text(document(), "utf-8")
    else:
        print(document(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
