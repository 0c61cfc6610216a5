"""The file of the trader's choices: whole or not there."""

from __future__ import annotations

from pathlib import Path

from tui.cli.kept import KeptFile


def test_what_was_kept_is_found_again(tmp_path: Path) -> None:
    kept = KeptFile(tmp_path / "screen.json")
    assert kept.read() == b""
    kept.write(b"one")
    kept.write(b"two")
    assert KeptFile(tmp_path / "screen.json").read() == b"two"
    assert [path.name for path in tmp_path.iterdir()] == ["screen.json"]


def test_a_place_that_cannot_be_written_disturbs_nobody(tmp_path: Path) -> None:
    kept = KeptFile(tmp_path / "missing" / "screen.json")
    kept.write(b"one")
    assert kept.read() == b""
