"""Exports: what a spreadsheet reads is text or a number, never a formula; a file replaces nothing unasked."""

from __future__ import annotations

import csv
import errno
import io
import os
import stat
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.cli.exporting import (
    ExportFailed,
    create_file,
    csv_record,
    guard_formula,
    write_parts,
    write_picture,
    write_table,
)

WALL_S = 1_760_000_000.25
FORMULAS = [
    '=HYPERLINK("http://evil.test","click")',
    "=1+1",
    "+1+1",
    "-1+cmd|' /C calc'!A0",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "\0=1",
    " =1",
    "\ufeff=1",
    "＝1",
    "＋1",
    "－1",
    "＠x",
    "-",
    "+1",
    "-1e9999",
    '=cmd|"/c calc"!A1',
    "=1\r\n=2",
]


@pytest.mark.parametrize("text", FORMULAS)
def test_s36_exported_text_that_looks_like_a_formula_is_quoted(text: str) -> None:
    [row] = csv.reader(io.StringIO(csv_record([text, "next"]), newline=""))
    assert row == ["'" + text, "next"]


@pytest.mark.parametrize("number", ["-1.5", "-0.00000001", "1e-8", "-250", "0", "64000.1"])
def test_s36_exported_numbers_stay_numbers(number: str) -> None:
    assert guard_formula(number) == number
    assert Decimal(guard_formula(number)) == Decimal(number)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=2, max_size=5))
def test_s36_exported_text_is_read_back_unchanged(texts: list[str]) -> None:
    [row] = csv.reader(io.StringIO(csv_record(texts), newline=""))
    assert [one.removeprefix("'") for one in row] == [text.removeprefix("'") for text in texts]
    for one in row:
        assert not one.startswith(("=", "+", "-", "@", "\t", "\r", "\0")) or one.replace("-", "", 1)[:1].isdigit()


def test_s37_export_does_not_overwrite_a_file_by_default(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_text("mine")
    for asked, words in ((False, "another file, or add --overwrite"), (None, "another file$")):
        with pytest.raises(ExportFailed, match=words), create_file(path, overwrite=asked):
            raise AssertionError("it was opened")
    assert path.read_text() == "mine"
    path.chmod(0o666)
    with create_file(path, overwrite=True) as file:
        file.write(b"new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("overwrite", [True, False])
def test_s37_export_does_not_follow_a_symbolic_link(tmp_path: Path, overwrite: bool) -> None:
    target, link = tmp_path / "target", tmp_path / "out.csv"
    target.write_text("theirs")
    link.symlink_to(target)
    with pytest.raises(ExportFailed), create_file(link, overwrite=overwrite):
        raise AssertionError("it was opened")
    assert target.read_text() == "theirs"


def test_s37_export_to_a_pipe_or_folder_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", ".", "missing/out.csv"):
        with pytest.raises(ExportFailed), create_file(tmp_path / name, overwrite=True):
            raise AssertionError("it was opened")


def test_s37_an_exported_file_is_private_with_any_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with create_file(tmp_path / "out.csv", overwrite=False):
            pass
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.csv").stat().st_mode) == 0o600


def test_an_exported_table_is_a_private_csv_file_named_by_time(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "exports"
    told = write_table(folder, "history-fills", ["id", "price"], [["1", "-2.5"], ["2", "=1+1"]], wall_s=WALL_S)
    path = Path(told)
    assert path.name == "history-fills-20251009T085320.250000Z.csv"
    assert (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(folder.stat().st_mode)) == (0o600, 0o700)
    with path.open(newline="") as file:
        assert list(csv.reader(file)) == [["id", "price"], ["1", "-2.5"], ["2", "'=1+1"]]


def test_a_screen_picture_is_a_private_file_named_by_time(tmp_path: Path) -> None:
    path = Path(write_picture(tmp_path / "exports", "<svg>–</svg>", wall_s=WALL_S))
    assert path.name == "screen-20251009T085320.250000Z.svg"
    assert (stat.S_IMODE(path.stat().st_mode), path.read_text("utf-8")) == (0o600, "<svg>–</svg>")


def test_table_export_overwrites_nothing_and_reports_bad_folders(tmp_path: Path) -> None:
    write_table(tmp_path, "x", ["a"], [], wall_s=WALL_S)
    with pytest.raises(ExportFailed, match="exists"):
        write_table(tmp_path, "x", ["a"], [], wall_s=WALL_S)
    (tmp_path / "file").write_text("")
    with pytest.raises(ExportFailed, match="cannot be written"):
        write_table(tmp_path / "file" / "exports", "x", ["a"], [], wall_s=WALL_S)


def test_an_export_file_that_cannot_be_completed_is_removed(tmp_path: Path) -> None:
    def parts() -> Iterator[bytes]:
        yield b"first"
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "out.csv"
    with pytest.raises(ExportFailed, match=r"out.csv cannot be written: No space left"), create_file(path) as file:
        write_parts(file, path, parts())
    assert not path.exists()
