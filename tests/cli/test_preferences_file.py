"""The file of the trader's choices: whole or not there."""

from __future__ import annotations

import stat
from pathlib import Path

from tui.cli.preferences_file import PreferencesFile
from tui.private_files import write_private


def test_saved_preferences_are_read_back(tmp_path: Path) -> None:
    kept = PreferencesFile(tmp_path / "screen.json")
    assert kept.read() == b""
    kept.write(b"one")
    kept.write(b"two")
    assert PreferencesFile(tmp_path / "screen.json").read() == b"two"
    assert [path.name for path in tmp_path.iterdir()] == ["screen.json"]


def test_an_unwritable_preferences_file_is_ignored(tmp_path: Path) -> None:
    kept = PreferencesFile(tmp_path / "missing" / "screen.json")
    kept.write(b"one")
    assert kept.read() == b""


def test_s41_a_symbolic_link_as_preferences_file_is_replaced(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    for name in ("screen.new", "report.log"):
        (tmp_path / name).symlink_to(victim)
    PreferencesFile(tmp_path / "screen.json").write(b"one")
    write_private(tmp_path / "report.log", b"two")
    assert victim.read_text() == "precious"
    for name, content in (("screen.json", b"one"), ("report.log", b"two")):
        path = tmp_path / name
        assert (path.is_symlink(), path.read_bytes(), stat.S_IMODE(path.lstat().st_mode)) == (False, content, 0o600)
