"""The ways to install: each makes a command from what dist/ or the checkout holds."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.terminal.terminal import TOP

DIST = TOP / "dist"
IMAGE = "crossdesk"
"""Name of the container's image."""


class Installed(NamedTuple):
    """A way to install: its name, the command that it made, and the variables that the command needs."""

    way: str
    command: tuple[str, ...]
    variables: Mapping[str, str] = {}


def run(*words: str | Path, **variables: str) -> None:
    """Run a command to its end, with more variables than there are.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    subprocess.run(
        [str(word) for word in words], check=True, env={**os.environ, **variables}, stdout=subprocess.DEVNULL
    )


def _wheel() -> Path:
    return next(DIST.glob("*.whl"))


def _bring(tool: str, folder: Path) -> Path:
    """Install a tool into an environment of its own; return the folder of its commands."""
    run(sys.executable, "-m", "venv", folder / tool)
    run(folder / tool / "bin" / "pip", "install", "-q", tool)
    return folder / tool / "bin"


def install_with_pip(folder: Path) -> Installed:
    """Install the wheel with the versions of the lock, as a checkout does."""
    run(sys.executable, "-m", "venv", folder / "venv")
    pip = folder / "venv" / "bin" / "pip"
    run(pip, "install", "-q", "-r", TOP / "packaging" / "run.lock")
    run(pip, "install", "-q", "--no-deps", _wheel())
    return Installed("wheel, pip", (str(folder / "venv" / "bin" / "crossdesk"),))


def install_with_uv(folder: Path) -> Installed:
    """Install the wheel as a tool, with the newest versions that it allows."""
    places = {"UV_TOOL_DIR": str(folder / "tools"), "UV_TOOL_BIN_DIR": str(folder / "bin")}
    run(_bring("uv", folder) / "uv", "tool", "install", "-q", "--python", sys.executable, _wheel(), **places)
    return Installed("uv tool install", (str(folder / "bin" / "crossdesk"),))


def install_with_pipx(folder: Path) -> Installed:
    """Install the wheel as a tool with pipx, with the newest versions that it allows."""
    places = {"PIPX_HOME": str(folder / "tools"), "PIPX_BIN_DIR": str(folder / "bin")}
    run(_bring("pipx", folder) / "pipx", "install", "-q", "--python", sys.executable, _wheel(), **places)
    return Installed("pipx install", (str(folder / "bin" / "crossdesk"),))


def run_with_uvx(folder: Path) -> Installed:
    """Install nothing: uvx builds the checkout, fetches what it needs and starts it, and finds all of it again later."""
    names = ("SSL_CERT_FILE", "HTTPS_PROXY", "UV_DEFAULT_INDEX")  # a machine may reach the registry only with these
    kept = {name: os.environ[name] for name in names if name in os.environ}
    uvx = str(_bring("uv", folder) / "uvx")
    variables = {**kept, "UV_PYTHON": str(sys.executable), "UV_CACHE_DIR": str(folder / "cache")}
    return Installed("uvx --from .", ("env", "-C", str(TOP), uvx, "--from", ".", "crossdesk"), variables)


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


WAYS: tuple[Callable[[Path], Installed], ...] = (
    install_with_pip,
    install_with_uv,
    install_with_pipx,
    run_with_uvx,
    take_the_one_file,
)
"""Those that need nothing but Python and a registry."""
