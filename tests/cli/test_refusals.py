"""Starts that are refused: each reason of the operating system in a sentence of its own, none of them another's."""

from __future__ import annotations

import gzip
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.forking import run_command
from tui import paths

TOP = Path(__file__).parents[2]
USED = TOP / "tests" / "data" / "home_761425f"
"""A home in which a desk has run."""


def venue(*arguments: str, **variables: str) -> tuple[int, str]:
    """How `crossdesk venue` ends, and what it says."""
    ended = run_command("venue", *arguments, timeout=60, **variables)
    return ended.returncode, ended.stderr


def test_a_relative_home_path_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CROSSDESK_HOME", "here")
    for place in (paths.config_dir(), paths.state_dir(), paths.data_dir(), paths.runtime_dir()):
        assert place.parent == tmp_path / "here"


@pytest.mark.parametrize("home", ["~nobody-of-this-name/x", "/proc/nowhere"])
def test_an_invalid_home_path_is_reported_by_name(home: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tui.cli.main", "config", "init"], cwd=TOP, env={**os.environ, "CROSSDESK_HOME": home},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ended.returncode and home in ended.stderr and "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--state", "/proc/nowhere/x.db"), "/proc/nowhere/x.db cannot be opened"),
        (("--market", "/dev/zero"), "/dev/zero is a device or pipe"),
        (("--market", "/nowhere.csv"), "/nowhere.csv is not there"),
        (("--host", "::1", "--port", "1", "--set", "nope=1"), "nope"),
    ],
)
def test_a_file_that_cannot_be_opened_is_reported_with_the_cause(arguments: tuple[str, ...], words: str) -> None:
    code, said = venue(*arguments)
    assert code and words in said and "cannot listen" not in said and "Traceback" not in said


def test_a_recording_with_an_endless_line_is_refused(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.csv.gz"
    with gzip.open(bomb, "wb", compresslevel=1) as file:
        for _ in range(64):
            file.write(b"a" * 1_000_000)
    code, said = venue("--market", str(bomb))
    assert code and "line 1 has more than 4096 characters" in said


HUNG_UP = """
import signal, sys
from pathlib import Path
from tui.cli.desks import screen_desk
signal.signal(signal.SIGHUP, signal.SIG_IGN)
print("ready", flush=True)
try:
    sys.stdin.read()
except OSError:
    pass
for folder in (Path(sys.argv[1]), Path("/proc/nowhere")):
    screen_desk.write_crash_report(folder / "crash.log", ["a line"])
Path(sys.argv[1], "done").touch()
"""


def test_a_crash_report_is_kept_if_the_terminal_hung_up(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", HUNG_UP, str(tmp_path)], cwd=TOP, stdin=slave, stdout=slave, stderr=slave,
        start_new_session=True,
    )  # fmt: skip
    os.close(slave)
    told = b""
    while not told.endswith(b"\n"):
        told += os.read(master, 100)
    os.close(master)
    process.wait(timeout=60)
    assert process.returncode == 0 and (tmp_path / "done").exists()
    assert (tmp_path / "crash.log").read_text() == "a line\n"


AS_OWNER = """
import ctypes, os, struct, sys
if os.geteuid() == 0:  # root writes everywhere; without its capabilities the rights of the owner count
    head, none = struct.pack("Ii", 0x20080522, 0), struct.pack("6I", *[0] * 6)
    assert ctypes.CDLL(None).capset(head, none) == 0
from tui.cli.main import main
main(sys.argv[1:])
"""


@pytest.mark.parametrize(
    ("used", "words"),
    [
        (False, "Unsafe folder: {home}/data: cannot be made: Permission denied"),
        (True, "Not possible: {home}/state/paper/desk.lock: Permission denied"),
    ],
    ids=["empty", "used before"],
)
def test_a_home_that_is_read_only_is_reported_by_path(tmp_path: Path, used: bool, words: str) -> None:
    home, (screen, terminal) = tmp_path / "home", pty.openpty()
    if used:
        shutil.copytree(USED, home)
    (home / "run" if used else home).mkdir()
    for place in (*home.rglob("*"), home):
        place.chmod(0o500)
    ended = subprocess.run(
        [sys.executable, "-c", AS_OWNER], cwd=TOP, env={**os.environ, "CROSSDESK_HOME": str(home), "TERM": "xterm"},
        stdin=terminal, stdout=terminal, stderr=subprocess.PIPE, text=True, timeout=60, check=False,
    )  # fmt: skip
    os.close(terminal)
    os.close(screen)
    for place in (home, *home.rglob("*")):
        place.chmod(0o700)
    assert (ended.returncode, ended.stderr) == (2, f"crossdesk: {words.format(home=home)}\n")
