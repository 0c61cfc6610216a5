"""The log file: tracebacks without secrets, bounded size, several processes, and a disk that takes nothing."""

from __future__ import annotations

import fcntl
import logging
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tui.cli.log_file import BACKUPS, HIDDEN, MAX_LINE, NAME, LogFile

TOP = Path(__file__).parents[2]
LIMIT = 20_000
"""Bytes of a file in these tests."""

Open = Callable[..., tuple[logging.Logger, LogFile]]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Loggers on a log file in a folder of its own."""
    handlers: list[LogFile] = []

    def open_log(path: Path = tmp_path / NAME) -> tuple[logging.Logger, LogFile]:
        handler = LogFile(path, "test", max_bytes=LIMIT)
        handlers.append(handler)
        logger = logging.Logger("tui.test")
        logger.addHandler(handler)
        return logger, handler

    yield open_log
    for handler in handlers:
        handler.close()


def fail(logger: logging.Logger, text: str) -> None:
    canary = "value-of-a-variable"
    try:
        raise ValueError(text)
    except ValueError:
        logger.exception("a defect %d", len(canary))


def test_s4_s5_errors_are_logged_without_values_or_secrets(opened: Open, tmp_path: Path) -> None:
    logger, handler = opened()
    handler.hide("k3y-of-the-trader", "s3cr3t-of-the-trader", "")
    fail(logger, "k3y-of-the-trader s3cr3t-of-the-trader " + "0a" * 32)
    logger.error("signed with s3cr3t-of-the-trader")
    text = (tmp_path / NAME).read_text()
    assert "Traceback (most recent call last):" in text and "in fail" in text
    assert f"ValueError: {HIDDEN} {HIDDEN} {HIDDEN}" in text
    for secret in ("value-of-a-variable", "k3y-of-the-trader", "s3cr3t-of-the-trader", "0a" * 32):
        assert secret not in text


def test_s5_a_secret_cut_at_the_end_of_a_log_line_is_hidden(opened: Open, tmp_path: Path) -> None:
    logger, handler = opened()
    handler.hide("s3cr3t-of-the-trader")
    logger.error("x" * (MAX_LINE - 8) + "s3cr3t-of-the-trader")
    assert "s3cr3t" not in (tmp_path / NAME).read_text()


def test_s16_log_lines_have_no_control_characters(opened: Open, tmp_path: Path) -> None:
    logger, _ = opened()
    fail(logger, "\x1b[31m\u202e" + "x" * 5000 + "\nforged line\x07" * 200)
    text = (tmp_path / NAME).read_text()
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202e]", text)
    lines = text.splitlines()
    assert len(lines) < 100 and max(map(len, lines)) < MAX_LINE + 100
    # What an exception says can look like no record of its own.
    assert [line for line in lines if not line.startswith("    ")] == lines[:1]


def test_s39_log_files_are_private_and_bounded(opened: Open, tmp_path: Path) -> None:
    logger, _ = opened()
    before = os.umask(0)
    try:
        for number in range(1000):
            logger.error("number %d %s", number, "x" * 200)
    finally:
        os.umask(before)
    names = {NAME, *(f"{NAME}.{number}" for number in range(1, BACKUPS + 1))}
    assert {path.name for path in tmp_path.iterdir()} == names
    for path in tmp_path.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert 0 < path.stat().st_size <= LIMIT
    assert "number 999" in (tmp_path / NAME).read_text().splitlines()[-1]


WRITER = """
import logging, sys
from pathlib import Path
from tui.cli.log_file import LogFile
logger = logging.Logger("tui.test")
logger.addHandler(LogFile(Path(sys.argv[1]), sys.argv[2], max_bytes=80_000))
for number in range(400):
    logger.error("number %d %s", number, "x" * 200)
"""


def test_two_processes_share_a_log_without_losing_lines(tmp_path: Path) -> None:
    path = tmp_path / NAME
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), name], cwd=TOP, stderr=subprocess.PIPE)
        for name in ("first", "second")
    ]
    for writer in writers:
        assert writer.communicate()[1] == b""
    form = re.compile(r"\S+Z error tui\.test (first|second) \d+: number (\d+) x{200}")
    found = [form.fullmatch(line) for one in tmp_path.iterdir() for line in one.read_text().splitlines()]
    assert {(match[1], int(match[2])) for match in found if match} == {
        (name, number) for name in ("first", "second") for number in range(400)
    }
    assert len(found) == 800
    assert len(list(tmp_path.iterdir())) > 1, "no file was full"


def test_a_log_file_moved_or_removed_by_others_is_reopened(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / NAME
    logger, _ = opened()
    logger.error("before")
    path.rename(tmp_path / f"{NAME}.1")
    logger.error("after")
    assert path.read_text().endswith("after\n") and "before" not in path.read_text()
    path.unlink()
    logger.error("again")
    assert path.read_text().endswith("again\n")


def test_a_log_is_not_rotated_twice_by_two_processes(opened: Open, tmp_path: Path) -> None:
    (first, one), (second, other) = opened(), opened()
    for logger in (first, second):
        logger.error("before")
    one.doRollover()
    other.doRollover()
    second.error("after")
    assert sorted(path.name for path in tmp_path.iterdir()) == [NAME, f"{NAME}.1"]
    assert (tmp_path / NAME).read_text().endswith("after\n")


def test_log_records_are_kept_while_another_process_rotates(opened: Open, tmp_path: Path) -> None:
    logger, _ = opened()
    logger.error("first")
    with (tmp_path / NAME).open("rb") as busy:
        fcntl.flock(busy, fcntl.LOCK_EX)
        for number in range(200):
            logger.error("number %d %s", number, "x" * 200)
    assert [path.name for path in tmp_path.iterdir()] == [NAME]
    assert len((tmp_path / NAME).read_text().splitlines()) == 201
    logger.error("later")
    assert (tmp_path / f"{NAME}.1").exists()


@pytest.mark.parametrize("obstacle", ["folder", "link", "pipe", "no folder"])
def test_s41_an_unwritable_log_file_is_ignored(
    opened: Open, tmp_path: Path, capfd: pytest.CaptureFixture[str], obstacle: str
) -> None:
    path, victim = tmp_path / NAME, tmp_path / "victim"
    if obstacle == "folder":
        path.mkdir()
    elif obstacle == "link":
        victim.write_text("precious")
        path.symlink_to(victim)
    elif obstacle == "pipe":
        os.mkfifo(path)
    else:
        path = tmp_path / "missing" / NAME
    logger, _ = opened(path)
    fail(logger, "nobody hears it")
    assert capfd.readouterr() == ("", "")
    assert not victim.exists() or victim.read_text() == "precious"


def test_a_full_disk_drops_log_records_until_there_is_room(
    opened: Open, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    logger, handler = opened()
    logger.error("first")
    assert handler.stream is not None
    monkeypatch.setattr(handler.stream, "flush", lambda: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    logger.error("second")
    monkeypatch.undo()
    logger.error("third")
    assert (tmp_path / NAME).read_text().splitlines()[-1].endswith("third")
    assert capfd.readouterr() == ("", "")


FULL = """
import logging, resource, signal, sys
from pathlib import Path
from tui.cli.log_file import start_log
# No import below writes byte code: the limit would cut its file, which other processes share.
sys.dont_write_bytecode = True
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
start_log(Path(sys.argv[1]), "test")
for number in range(100):
    logging.getLogger("tui.test").error("number %d", number)
print("lives")
"""


def test_a_log_file_size_limit_does_not_end_the_program(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / NAME)], cwd=TOP, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "lives\n", "")
    assert 0 < (tmp_path / NAME).stat().st_size <= 1000


UNCAUGHT = """
import sys, threading, warnings
from pathlib import Path
from tui.cli.log_file import start_log
start_log(Path(sys.argv[1]), "test")
def work(): raise RuntimeError("in a thread")
thread = threading.Thread(target=work, name="window")
thread.start(); thread.join()
odd = type("Odd", (), {"__del__": lambda self: 1 / 0})()
del odd
warnings.warn("a warning")
print("lives", flush=True)
raise RuntimeError("at the end")
"""


def test_uncaught_errors_and_warnings_are_in_the_program_log(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", UNCAUGHT, str(tmp_path / NAME)], cwd=TOP, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "lives\n")
    assert done.stderr.splitlines()[-1] == "RuntimeError: at the end"
    assert "in a thread" not in done.stderr and "ZeroDivision" not in done.stderr and "a warning" not in done.stderr
    text = (tmp_path / NAME).read_text()
    for words in (
        "the thread window ended",
        "RuntimeError: in a thread",
        "ZeroDivisionError",
        "a warning",
        "at the end",
    ):
        assert words in text


VENUE = """
import sys
from tui.cli.commands import venue
venue.fresh_secret = lambda: "s3cr3t-of-the-venue"
async def broken(server, *_, **__): raise RuntimeError("a defect with s3cr3t-of-the-venue")
venue._bind = broken
venue.command(["--log", sys.argv[1]])
"""


def test_s4_a_paper_venue_error_is_in_the_program_log(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", VENUE, str(tmp_path / NAME)], cwd=TOP, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    text = (tmp_path / NAME).read_text()
    assert " tui.cli venue " in text and "Traceback" in text and f"RuntimeError: a defect with {HIDDEN}" in text
    assert "s3cr3t" not in text
