"""High-water mark: number and hash of the newest durable journal entry, in a small file beside the journal.

Two slots are written alternately, each with a checksum in its own sector: a torn write damages only one of them.
A mark reaches the disk after its entry, never before it: after a power loss it may lag, which is no damage.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import msgspec

from tui.private_files import open_private

SLOT = 512
SIZE = 2 * SLOT
_FIELDS = struct.Struct(">Q32s")
_CHECK = 16
_DATA = _FIELDS.size + _CHECK


class Mark(msgspec.Struct, frozen=True, order=True):
    """Number and hash of a journal entry, up to which the journal is known; 0 and an empty hash for no entry."""

    seq: int
    hash: str


def read(path: Path) -> Mark | None:
    """Read the newest valid mark; None when there is none.

    Raises:
        OSError: The file cannot be read.
    """
    try:
        descriptor = open_private(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        return _newest(descriptor)
    finally:
        os.close(descriptor)


class HighWater:
    """Open file with the number and hash of the newest journal entry; used by one thread only."""

    def __init__(self, path: Path) -> None:
        """Open the mark file.

        Raises:
            OSError: It cannot be opened, or does not exist.
        """
        self._descriptor = open_private(path, os.O_RDWR)
        newest = _newest(self._descriptor)
        first = _mark_in(os.pread(self._descriptor, _DATA, 0))
        self._next = SLOT if newest is not None and first == newest else 0
        self._is_synced = True

    def write(self, mark: Mark) -> None:
        """Overwrite the older of two slots. The mark survives a process crash, and a power loss after `sync`.

        Raises:
            OSError: It was not written.
        """
        if os.pwrite(self._descriptor, _slot(mark), self._next) != _DATA:
            raise OSError("the high-water mark was not written whole")
        self._is_synced = False
        self._next = SLOT - self._next

    def sync(self) -> None:
        """Flush the written mark to the disk.

        Raises:
            OSError: It could not be flushed.
        """
        if not self._is_synced:
            _to_disk(self._descriptor)
            self._is_synced = True

    def close(self) -> None:
        os.close(self._descriptor)


def create(path: Path, mark: Mark) -> None:
    """Create or replace the file atomically, with this mark in both slots.

    Raises:
        OSError: It cannot be written.
    """
    fresh = path.with_name(f"{path.name}.new")
    with suppress(FileNotFoundError):
        fresh.unlink()
    descriptor = open_private(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        os.write(descriptor, _slot(mark).ljust(SLOT, b"\0") * 2)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    fresh.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Flush a folder to disk, so that created and renamed files survive a power loss.

    Raises:
        OSError: They could not be flushed.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _slot(mark: Mark) -> bytes:
    fields = _FIELDS.pack(mark.seq, bytes.fromhex(mark.hash))
    return fields + blake2b(fields, digest_size=_CHECK).digest()


def _newest(descriptor: int) -> Mark | None:
    """Return the newer of the two stored marks; a file of the wrong size has none."""
    raw = os.pread(descriptor, SIZE + 1, 0)
    marks = (_mark_in(raw[:_DATA]), _mark_in(raw[SLOT : SLOT + _DATA])) if len(raw) == SIZE else ()
    return max((mark for mark in marks if mark is not None), default=None)


def _mark_in(raw: bytes) -> Mark | None:
    fields = raw[: _FIELDS.size]
    if len(raw) != _DATA or blake2b(fields, digest_size=_CHECK).digest() != raw[_FIELDS.size :]:
        return None
    seq, digest = _FIELDS.unpack(fields)
    return Mark(seq, digest.hex() if seq else "")


def _full_sync() -> Callable[[int], object]:
    """Return the system call that flushes to the physical disk: F_FULLFSYNC on macOS, fdatasync elsewhere."""
    if sys.platform == "darwin":
        import fcntl

        return lambda descriptor: fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    return os.fdatasync


_to_disk = _full_sync()
