"""Build what people install, install it in each way, and play the tutorial from it: `python -m tests.packaging --publish`.

Each way starts in an empty home with an empty environment, at 80x24 in 16 colours. Needs the package registry.
`--base IMAGE` builds the container on an image with Python and pip, too, and plays in it; needs buildah.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tests.figures.artifact import git
from tests.packaging import tutorial
from tests.terminal.terminal import TOP, Terminal

DIST = TOP / "dist"
ARTIFACT = TOP / "tests" / "data" / "packages.json"
COLUMNS, LINES = 80, 24
IMAGE = "crossdesk"
"""Name of the container's image."""
BELL = b"\x07"
"""Rung at what is refused."""


class Installed(NamedTuple):
    """A way to install: its name, and the command that it made."""

    way: str
    command: tuple[str, ...]


def _run(*words: str | Path, **variables: str) -> None:
    subprocess.run(
        [str(word) for word in words], check=True, env={**os.environ, **variables}, stdout=subprocess.DEVNULL
    )


def _wheel() -> Path:
    return next(DIST.glob("*.whl"))


def install_with_pip(folder: Path) -> Installed:
    """Install the wheel with the versions of the lock, as a checkout does."""
    _run(sys.executable, "-m", "venv", folder / "venv")
    pip = folder / "venv" / "bin" / "pip"
    _run(pip, "install", "-q", "-r", TOP / "packaging" / "run.lock")
    _run(pip, "install", "-q", "--no-deps", _wheel())
    return Installed("wheel, pip", (str(folder / "venv" / "bin" / "crossdesk"),))


def install_with_uv(folder: Path) -> Installed:
    """Install the wheel as a tool, with the newest versions that it allows."""
    _run(sys.executable, "-m", "venv", folder / "uv")
    _run(folder / "uv" / "bin" / "pip", "install", "-q", "uv")
    places = {"UV_TOOL_DIR": str(folder / "tools"), "UV_TOOL_BIN_DIR": str(folder / "bin")}
    _run(folder / "uv" / "bin" / "uv", "tool", "install", "-q", "--python", sys.executable, _wheel(), **places)
    return Installed("uv tool install", (str(folder / "bin" / "crossdesk"),))


def take_the_one_file(folder: Path) -> Installed:
    """Copy the one file; it brings all but Python."""
    path = folder / "crossdesk.pyz"
    path.write_bytes((DIST / "crossdesk.pyz").read_bytes())
    return Installed("one file", (sys.executable, str(path)))


def build_container(base: str, folder: Path) -> Installed:
    """Build the container on a base image, without an engine and with the network of this machine."""
    isolation = ("--isolation", "chroot")
    arguments = ("--network", "host", "--build-arg", f"BASE={base}", "-t", IMAGE, "-f", "packaging/Containerfile")
    subprocess.run(["buildah", "bud", *isolation, *arguments, "."], check=True, cwd=TOP, stdout=subprocess.DEVNULL)
    made = subprocess.run(["buildah", "from", IMAGE], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    runs = ("buildah", "run", *isolation, "--terminal", "--env", "TERM=xterm-16color", made, "--", "crossdesk")
    script = folder / "run.sh"
    # The command starts in an empty environment; buildah finds its images by that of its user.
    kept = {name: os.environ[name] for name in ("HOME", "STORAGE_DRIVER") if name in os.environ}
    exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in kept.items())
    script.write_text(f"{exports}exec {shlex.join(runs)}\n")
    return Installed("container", ("sh", str(script)))


WAYS: tuple[Callable[[Path], Installed], ...] = (install_with_pip, install_with_uv, take_the_one_file)


def play(installed: Installed, home: Path) -> dict[str, object]:
    """Play the tutorial from an installed command; return its figures."""
    variables = {
        "HOME": str(home),
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "TERM": "xterm-16color",
        "LANG": "C.UTF-8",
    }
    began = time.monotonic()
    desk = Terminal(home=home, columns=COLUMNS, lines=LINES, environment=variables, command=installed.command)
    try:
        desk.see("VIEW")
        started = time.monotonic() - began
        steps = tutorial.play(desk)
        controls = desk.raw_control_bytes()
    finally:
        desk.close()
    true_color = desk.bytes.count(b"\x1b[38;2;") + desk.bytes.count(b";38;2;")
    return {"way": installed.way, "steps": len(steps), "first text s": round(started, 2), "true colours": true_color,
            "raw control bytes": sum(one != BELL for one in controls)}  # fmt: skip


def main() -> None:
    """Build, install and play in every way; print the figures, and publish them if wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--publish", action="store_true", help=f"write {ARTIFACT.relative_to(TOP)}")
    parser.add_argument("--base", default="", metavar="IMAGE", help="also build the container, on this image")
    parser.add_argument("--built", action="store_true", help="take what dist/ holds")
    chosen = parser.parse_args()
    if not chosen.built:
        _run("sh", TOP / "packaging" / "build.sh")
    found, ways = [], list(WAYS)
    if chosen.base:
        ways.append(partial(build_container, chosen.base))
    for install in ways:
        with tempfile.TemporaryDirectory(prefix="crossdesk-package-") as folder:
            installed = install(Path(folder))
            (Path(folder) / "home").mkdir()
            found.append(play(installed, Path(folder) / "home"))
            print(json.dumps(found[-1]))
    if chosen.publish:
        sizes = {path.suffix: path.stat().st_size for path in DIST.iterdir() if path.is_file()}
        ARTIFACT.write_text(
            json.dumps({"commit": git("rev-parse", "HEAD"), "sizes": sizes, "ways": found}, indent=1) + "\n"
        )


if __name__ == "__main__":
    main()
