"""Exports: what a spreadsheet reads is text or a number, never a formula; a file replaces nothing unasked."""

from __future__ import annotations

import csv
import io
import os
import stat
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.cli.exporting import ExportFailed, create_file, csv_record, guard_formula

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
    with pytest.raises(ExportFailed, match="--overwrite"):
        create_file(path, overwrite=False)
    assert path.read_text() == "mine"
    path.chmod(0o666)
    with create_file(path, overwrite=True) as file:
        file.write("new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("overwrite", [True, False])
def test_s37_export_does_not_follow_a_symbolic_link(tmp_path: Path, overwrite: bool) -> None:
    target, link = tmp_path / "target", tmp_path / "out.csv"
    target.write_text("theirs")
    link.symlink_to(target)
    with pytest.raises(ExportFailed):
        create_file(link, overwrite=overwrite)
    assert target.read_text() == "theirs"


def test_s37_export_to_a_pipe_or_folder_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", ".", "missing/out.csv"):
        with pytest.raises(ExportFailed):
            create_file(tmp_path / name, overwrite=True)


def test_s37_an_exported_file_is_private_with_any_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        create_file(tmp_path / "out.csv", overwrite=False).close()
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.csv").stat().st_mode) == 0o600
