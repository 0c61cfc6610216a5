"""File that stores a trader's choices, such as columns and alerts; several windows of one home may change it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from tui.host import FileLock
from tui.private_files import write_private
from tui.protocols import Clock

SETS = frozenset(["alerts", "kept"])
"""Lists whose order does not matter: windows add to them and take from them."""
END_S, RETRY_S = 1.0, 0.02
"""Seconds for which a window that ends waits for the lock, and between two looks at it."""
SHARED = ("alerts", "alert_states", "alert_numbers", "aliases", "kept")
"""Preferences that a window takes over from others while it is open; looks are its own until the next start."""


class PreferencesFile:
    """File of screen preferences such as columns, symbols and alerts, which all windows of a home share.

    It is replaced as a whole, under a lock, and never needed to trade. Nobody waits for the lock but a window that ends:
    what meets it taken is written a second later.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = FileLock(path.with_suffix(".lock"))
        self._waiting = b""
        """Preferences to store that met the lock taken; empty: none."""
        self._known = b""
        """Preferences as this window knows them."""
        self._seen = (0, 0)
        """Time (ns) and inode of the file whose preferences this window has; zeros: it has not all of them."""

    def read(self) -> bytes:
        """Return the stored bytes; empty when the file is missing or unreadable."""
        self._seen = self._stat()
        self._known = self._load()
        return self._known

    def write(self, preferences: bytes) -> None:
        """Store the preferences, merged with those that other windows stored; later if another window holds the lock.

        On a full or read-only disk the old file stays and no error is raised.
        """
        self._waiting = preferences
        self.store_waiting()

    def store_waiting(self) -> None:
        """Store the preferences not stored yet, if any; leave them waiting while another window holds the lock."""
        if not self._waiting:
            return
        try:
            if not self._lock.acquire():
                return
        except OSError:
            return
        try:
            self._store(self._waiting)
            self._waiting = b""
        finally:
            self._lock.release()

    def store_at_end(self, clock: Clock) -> None:
        """Store preferences not stored yet as the window closes; retry briefly while another window holds the lock."""
        pause = threading.Event()
        until = clock.mono() + END_S
        self.store_waiting()
        while self._waiting and clock.mono() < until:
            pause.wait(RETRY_S)
            self.store_waiting()

    def _store(self, preferences: bytes) -> None:
        merged, stored = preferences, self._load()
        if stored != self._known:
            merged = merge_preferences(self._known, preferences, stored)
        self._known = preferences
        fresh = self._path.with_suffix(".new")
        with contextlib.suppress(OSError):
            write_private(fresh, merged)
            fresh.replace(self._path)
        self._seen = self._stat() if merged == preferences else (0, 0)

    def read_changed(self) -> bytes | None:
        """Return the stored bytes if another window has changed them, else None; called once a second."""
        self.store_waiting()
        if self._waiting:
            return None  # the changes of this window are merged first
        now = self._stat()
        if now in (self._seen, (0, 0)):
            return None
        self._seen, stored = now, self._load()
        if not stored or stored == self._known:
            return None
        self._known = take_shared(self._known, stored)
        return stored

    def _load(self) -> bytes:
        try:
            return self._path.read_bytes()
        except OSError:
            return b""

    def _stat(self) -> tuple[int, int]:
        try:
            stat = self._path.stat()
        except OSError:
            return 0, 0
        return stat.st_mtime_ns, stat.st_ino


def merge_preferences(known: bytes, wanted: bytes, stored: bytes) -> bytes:
    """Merge the preferences changed by this window into those that other windows stored; return the bytes to store.

    Args:
        known: Preferences before the changes of this window; empty: there were none.
        wanted: Preferences after them.
        stored: Preferences in the file; empty or unreadable: those of this window count.
    """
    from tui.workstation.model.screen_preferences import StoredPreferences

    before = _read(known or msgspec.json.encode(StoredPreferences()))
    after, theirs = _read(wanted), _read(stored)
    if not theirs:
        return wanted
    merged = {name: _merge(name, before.get(name), value, theirs.get(name)) for name, value in after.items()}
    return msgspec.json.encode(theirs | merged)


def take_shared(known: bytes, stored: bytes) -> bytes:
    """Return the known preferences, with those that all windows share replaced by the values in the file."""
    theirs = _read(stored)
    return msgspec.json.encode(_read(known) | {name: theirs[name] for name in SHARED if name in theirs})


def _read(preferences: bytes) -> dict[str, Any]:
    try:
        fields = msgspec.json.decode(preferences)
    except msgspec.DecodeError:
        return {}
    return fields if isinstance(fields, dict) else {}


def _merge(name: str, before: Any, after: Any, theirs: Any) -> Any:
    """Merge this window's change of one preference into the stored value: by dictionary key, by element, or as a whole."""
    if before == after:
        return after if theirs is None else theirs
    if isinstance(after, dict) and isinstance(theirs, dict):
        return _merge_keys(before if isinstance(before, dict) else {}, after, theirs)
    if name in SETS and isinstance(after, list) and isinstance(theirs, list):
        gone = [element for element in before or () if element not in after]
        added = [element for element in after if element not in (before or ()) and element not in theirs]
        return [*(element for element in theirs if element not in gone), *added]
    return after


def _merge_keys(before: Mapping[str, Any], after: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    changed = {key: value for key, value in after.items() if key not in before or before[key] != value}
    gone = before.keys() - after.keys()
    return {key: value for key, value in theirs.items() if key not in gone} | changed
