"""Unix socket of a home: in a folder and with a mode that only its owner may use, and the other side's user is checked."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from tui.desk_protocol.carrier import Accept, LinkClosed, StreamCarrier
from tui.desk_protocol.messages import MOST_CALL_BYTES, MOST_LINE_BYTES, ProtocolError
from tui.private_files import open_folder

LONGEST_PATH = 100
"""Longest path of a socket that every system takes, bytes."""
OPEN_FILES = Path("/proc/self/fd")
"""Where Linux names open folders, under which a longer path is reached."""
ANSWER_S = 1.0
"""Longest wait to find out whether somebody serves a socket, s."""
_CREDENTIALS = struct.Struct("3i")


class SocketRefused(ProtocolError):
    """Error for a Unix socket that cannot be used; the text says why."""

    title = "No socket"


def check_place(path: Path) -> None:
    """Check that a path is safe for a Unix socket: short enough, in a private folder of this user, no other file there.

    Raises:
        SocketRefused: Others could reach it, something else is there, or the path is too long.
    """
    if len(os.fsencode(path)) > LONGEST_PATH and not OPEN_FILES.exists():
        raise SocketRefused(
            f"{path}: a socket's path may have {LONGEST_PATH} bytes; set XDG_RUNTIME_DIR to a shorter one"
        )
    try:
        folder = path.parent.lstat()
    except OSError as error:
        raise SocketRefused(f"{path.parent}: {error.strerror or error}") from None
    if not stat.S_ISDIR(folder.st_mode) or folder.st_uid != os.getuid() or folder.st_mode & 0o077:
        raise SocketRefused(f"{path.parent} must be a folder of yours that others cannot enter (mode 700)")
    with suppress(FileNotFoundError):
        there = path.lstat()
        if not stat.S_ISSOCK(there.st_mode) or there.st_uid != os.getuid():
            raise SocketRefused(f"{path} is not a socket of yours; remove it if you do not know it")


def clear_place(path: Path) -> None:
    """Check a socket's path, and delete an unused socket file there; refuse if another process serves it.

    What protects the socket of another window is the lock of the home, which its process holds until it ends. Somebody who
    answers nevertheless is not pushed aside.

    Raises:
        SocketRefused: Others could reach it, somebody serves it, something else is there, or the path is too long.
    """
    check_place(path)
    if answers(path):
        raise SocketRefused(f"{path} is served by another process; end it first")
    path.unlink(missing_ok=True)


class BoundSocket(NamedTuple):
    """Unix socket bound to its path but not yet listening, so that nobody can connect."""

    path: Path
    socket: socket.socket
    made: os.stat_result
    """Its file as it was made, by which it is told from another one at its place."""


async def serve(bound: BoundSocket, accept: Accept) -> asyncio.Server:
    """Listen on a bound socket, and call `accept` for each connection of a process of this user."""
    served: set[asyncio.Task[None]] = set()

    def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        user = peer_user(writer.get_extra_info("socket"))
        if user is not None and user != os.getuid():
            writer.close()
            return
        # A task of our own: that of asyncio reports its cancellation as an error.
        task = asyncio.ensure_future(accept(StreamCarrier(reader, writer, MOST_CALL_BYTES), "this machine"))
        served.add(task)
        task.add_done_callback(served.discard)

    return await asyncio.start_unix_server(greet, sock=bound.socket, limit=MOST_CALL_BYTES)


def bind(path: Path) -> BoundSocket:
    """Bind a Unix socket to a path with mode 0600, replacing an unused socket file there.

    Call this only while holding the lock of the home.

    Raises:
        SocketRefused: The place is not safe, or the socket cannot be opened.
    """
    clear_place(path)
    listening = socket.socket(socket.AF_UNIX)
    try:
        with _short_name(path) as name:
            listening.bind(name)
        # Not by the mask of the process: another thread may be making a file or a folder.
        path.chmod(0o600)
        made = path.lstat()
    except OSError as error:
        listening.close()
        raise SocketRefused(f"{path}: {error.strerror or error}") from None
    return BoundSocket(path, listening, made)


def remove(bound: BoundSocket) -> None:
    """Delete a bound socket's file, unless another process has replaced it."""
    with suppress(OSError):
        if os.path.samestat(bound.path.lstat(), bound.made):
            bound.path.unlink()


@contextmanager
def _short_name(path: Path) -> Iterator[str]:
    """Yield a path of the socket that is short enough for the system; a long one goes through the open folder."""
    if len(os.fsencode(path)) <= LONGEST_PATH:
        yield str(path)
        return
    folder = open_folder(path.parent)
    try:
        yield str(OPEN_FILES / str(folder) / path.name)
    finally:
        os.close(folder)


async def connect(path: Path) -> StreamCarrier:
    """Connect to a desk's Unix socket.

    Raises:
        SocketRefused: The place is not safe.
        LinkClosed: Nobody serves it.
    """
    try:
        check_place(path)
        with _short_name(path) as name:
            reader, writer = await asyncio.open_unix_connection(name, limit=MOST_LINE_BYTES)
    except OSError as error:
        raise LinkClosed(f"no desk answers at {path} ({error.strerror or error})") from None
    return StreamCarrier(reader, writer, MOST_LINE_BYTES)


def answers(path: Path) -> bool:
    """Return whether a process accepts connections on a socket; this may block for a moment."""
    trial = socket.socket(socket.AF_UNIX)
    trial.settimeout(ANSWER_S)
    try:
        check_place(path)
        with _short_name(path) as name:
            trial.connect(name)
    except (OSError, SocketRefused):
        return False
    finally:
        trial.close()
    return True


def peer_user(connection: socket.socket) -> int | None:
    """Return the user id of the other side's process; None if the system does not tell: then the folder mode protects."""
    if not hasattr(socket, "SO_PEERCRED"):
        return None
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return int(_CREDENTIALS.unpack(raw)[1])
