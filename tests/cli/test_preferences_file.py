"""The file of the trader's choices: whole or not there."""

from __future__ import annotations

import json
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from tui.cli.preferences_file import PreferencesFile
from tui.host import FileLock, HostClock
from tui.private_files import write_private
from tui.workstation.model.screen_preferences import ScreenPreferences


def test_saved_preferences_are_read_back(tmp_path: Path) -> None:
    kept = PreferencesFile(tmp_path / "screen.json")
    assert kept.read() == b""
    kept.write(b"one")
    kept.write(b"two")
    assert PreferencesFile(tmp_path / "screen.json").read() == b"two"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["screen.json", "screen.lock"]


def test_an_unwritable_preferences_file_is_ignored(tmp_path: Path) -> None:
    kept = PreferencesFile(tmp_path / "missing" / "screen.json")
    kept.write(b"one")
    assert kept.read() == b""


def test_s41_writing_a_private_file_follows_no_symbolic_link(tmp_path: Path) -> None:
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


def stored(**fields: object) -> bytes:
    return json.dumps(fields).encode()


def test_changed_preferences_of_two_windows_are_merged(tmp_path: Path) -> None:
    path = tmp_path / "screen.json"
    start: dict[str, Any] = {
        "alerts": ["a", "b"], "kept": [], "aliases": {"x": "1"}, "theme": "", "quotes": ["q"], "layouts": {"mine": {"n": 1}},
    }  # fmt: skip
    PreferencesFile(path).write(stored(**start))
    first, second = PreferencesFile(path), PreferencesFile(path)
    assert first.read() == second.read() == stored(**start)
    assert first.read_changed() is None
    mine = start | {"kept": ["BTC"], "alerts": ["a", "b", "c"], "aliases": {"x": "1", "y": "2"}, "theme": "light"}
    first.write(stored(**mine))
    assert first.read_changed() is None, "it knows its own changes"
    theirs = start | {"alerts": ["b", "d"], "aliases": {"z": "3"}, "quotes": ["r"], "layouts": {"mine": {"n": 2}}}
    second.write(stored(**theirs))
    whole = json.loads(path.read_bytes())
    assert whole == {
        "alerts": ["b", "c", "d"], "kept": ["BTC"], "aliases": {"y": "2", "z": "3"}, "theme": "light", "quotes": ["r"],
        "layouts": {"mine": {"n": 2}},
    }  # fmt: skip
    for window in (first, second):
        assert json.loads(window.read_changed() or b"{}") == whole
        assert window.read_changed() is None
    second.write(stored(**theirs | {"alerts": whole["alerts"], "kept": [], "aliases": whole["aliases"]}))
    assert json.loads(path.read_bytes())["kept"] == [], "taken over, then given up on purpose"
    assert json.loads(path.read_bytes())["theme"] == "light"


def test_a_closing_window_waits_for_the_preferences_lock(tmp_path: Path) -> None:
    """What was changed while another window had the lock was lost when the window ended right behind it."""
    path, lock = tmp_path / "screen.json", FileLock(tmp_path / "screen.lock")
    window = PreferencesFile(path)
    window.read()
    assert lock.acquire()
    window.write(stored(theme="light"))
    assert not path.exists()
    release = threading.Timer(0.1, lock.release)
    release.start()
    window.store_at_end(HostClock())
    release.join()
    assert json.loads(path.read_bytes())["theme"] == "light"


def test_two_windows_of_a_new_home_store_merged_preferences(tmp_path: Path) -> None:
    first, second = PreferencesFile(tmp_path / "screen.json"), PreferencesFile(tmp_path / "screen.json")
    assert first.read() == second.read() == b""
    one, other = ScreenPreferences({}, [], b""), ScreenPreferences({}, [], b"")
    one.kept.add("BTC")
    one.theme, one.welcome = "light", False
    first.write(one.encode())
    other.aliases["yy"] = "close 50% here"
    second.write(other.encode())
    read = ScreenPreferences({}, [], (tmp_path / "screen.json").read_bytes())
    assert (read.kept, read.aliases, read.theme) == ({"BTC"}, {"yy": "close 50% here"}, "light")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff"])
def test_an_unreadable_preferences_file_is_replaced_on_saving(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "screen.json"
    PreferencesFile(path).write(stored(kept=["BTC"]))
    window = PreferencesFile(path)
    window.read()
    path.write_bytes(content)
    window.read_changed()
    window.write(stored(kept=["ETH"]))
    assert path.read_bytes() == stored(kept=["ETH"])
