"""Tables that the trader wrote from the screen: private files that replace nothing, and no cell is a formula."""

from __future__ import annotations

import csv
import stat
from pathlib import Path

import pytest

from tui.cli.exporting import ExportFailed, write_table

WALL_S = 1_760_000_000.25


def test_an_exported_table_is_a_private_csv_file_named_by_time(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "exports"
    told = write_table(folder, "history-fills", ["id", "price"], [["1", "-2.5"], ["2", "=1+1"]], wall_s=WALL_S)
    path = Path(told)
    assert path.name == "history-fills-20251009T085320.250000Z.csv"
    assert (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(folder.stat().st_mode)) == (0o600, 0o700)
    with path.open(newline="") as file:
        assert list(csv.reader(file)) == [["id", "price"], ["1", "-2.5"], ["2", "'=1+1"]]


def test_table_export_overwrites_nothing_and_reports_bad_folders(tmp_path: Path) -> None:
    write_table(tmp_path, "x", ["a"], [], wall_s=WALL_S)
    with pytest.raises(ExportFailed, match="exists"):
        write_table(tmp_path, "x", ["a"], [], wall_s=WALL_S)
    (tmp_path / "file").write_text("")
    with pytest.raises(ExportFailed, match="cannot be written"):
        write_table(tmp_path / "file" / "exports", "x", ["a"], [], wall_s=WALL_S)
