"""The place of the socket: its owner alone can reach it, and what is in its place is never pushed aside or trusted."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from tests.client.fakes import until
from tests.desk_protocol.desks import idle_host
from tui.desk_protocol import unix_socket
from tui.desk_protocol.carrier import Carrier, LinkClosed
from tui.desk_protocol.desk_socket import serve_socket
from tui.desk_protocol.unix_socket import SocketRefused
from tui.host import HostClock


async def open_at(place: Path) -> None:
    """Open a socket that nobody ever serves."""
    unix_socket.bind(place)
    pytest.fail("opened")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    tmp_path.chmod(0o700)
    return tmp_path / "desk.sock"


@asynccontextmanager
async def echo(path: Path) -> AsyncIterator[list[str]]:
    """A server that sends back one line of each connection; yields where its connections came from."""
    origins: list[str] = []

    async def accept(carrier: Carrier, origin: str) -> None:
        origins.append(origin)
        await carrier.send(await carrier.receive() + b"\n")
        carrier.close()

    listening = await unix_socket.serve(unix_socket.bind(path), accept)
    try:
        yield origins
    finally:
        listening.close()
        path.unlink(missing_ok=True)


async def say(path: Path, word: bytes) -> bytes:
    carrier = await unix_socket.connect(path)
    try:
        await carrier.send(word + b"\n")
        return await carrier.receive()
    finally:
        carrier.close()


def leave_behind(path: Path) -> None:
    """A socket whose process was killed."""
    with closing(socket.socket(socket.AF_UNIX)) as dead:
        dead.bind(str(path))


async def test_s62_the_desk_socket_is_private_to_its_user(place: Path) -> None:
    async with echo(place):
        assert stat.S_IMODE(place.lstat().st_mode) == 0o600
        assert await say(place, b"hi") == b"hi"


OTHER_USER = 65_534
"""User who owns nothing, on every Linux."""
HEARD, ENDED, NOT_REACHED = 10, 11, 12


def say_as(user: int, path: Path) -> int:
    """Say a word to a socket as a user, in a process of its own; return its process id.

    It exits with `HEARD` if the word came back, `ENDED` if the connection was ended, `NOT_REACHED` if there was none.
    """
    child = os.fork()
    if child:
        return child
    code = NOT_REACHED
    try:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(20)
            connection.connect(str(path))
            code = ENDED
            connection.sendall(b"hi\n")
            code = HEARD if connection.recv(10) == b"hi\n" else ENDED
    finally:
        os._exit(code)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
@pytest.mark.skipif(not hasattr(socket, "SO_PEERCRED"), reason="this system does not tell the user of the other side")
async def test_s62_another_user_is_refused_even_at_an_open_socket() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as parent:
        path = Path(parent) / "desk.sock"
        async with echo(path) as origins:
            # Folder and socket are opened to everybody: what is left is the check of the user alone.
            Path(parent).chmod(0o711)
            path.chmod(0o666)
            heard = [await asyncio.to_thread(os.waitpid, say_as(user, path), 0) for user in (OTHER_USER, os.getuid())]
            assert [os.waitstatus_to_exitcode(status) for _, status in heard] == [ENDED, HEARD]
            assert origins == ["this machine"]
            Path(parent).chmod(0o700)
            _, status = await asyncio.to_thread(os.waitpid, say_as(OTHER_USER, path), 0)
            assert os.waitstatus_to_exitcode(status) == NOT_REACHED


async def test_making_the_socket_does_not_change_the_umask(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread that makes a folder at the same moment could not enter it."""
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail(f"mask {mask:o}"))
    async with echo(place):
        assert unix_socket.answers(place)


@pytest.mark.parametrize("user", [os.getuid() + 1, os.getuid() + 1000])
async def test_s62_a_connection_of_another_user_is_closed(
    place: Path, monkeypatch: pytest.MonkeyPatch, user: int
) -> None:
    async with echo(place) as origins:
        monkeypatch.setattr(unix_socket, "peer_user", lambda connection: user)
        with pytest.raises(LinkClosed):
            await say(place, b"hi")
        assert origins == []


async def test_s62_the_user_at_the_other_end_of_a_socket_is_known(place: Path) -> None:
    ours, theirs = socket.socketpair()
    with closing(ours), closing(theirs):
        assert unix_socket.peer_user(ours) == os.getuid()


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o707, 0o701])
async def test_s62_a_socket_folder_open_to_others_is_refused(place: Path, mode: int) -> None:
    place.parent.chmod(mode)
    with pytest.raises(SocketRefused, match="mode 700"):
        await open_at(place)
    with pytest.raises(SocketRefused, match="mode 700"):
        await unix_socket.connect(place)
    assert not place.exists()


async def test_a_socket_in_a_missing_folder_is_refused_in_words(place: Path) -> None:
    for use in (open_at(place / "x"), unix_socket.connect(place / "x")):
        with pytest.raises(SocketRefused, match="No such file"):
            await use


async def test_s62_a_symbolic_link_to_a_folder_is_refused(place: Path) -> None:
    (place.parent / "true").mkdir(mode=0o700)
    (place.parent / "link").symlink_to(place.parent / "true")
    with pytest.raises(SocketRefused, match="must be a folder of yours"):
        await open_at(place.parent / "link" / "desk.sock")


async def test_s62_a_symbolic_link_to_a_socket_is_refused(place: Path) -> None:
    elsewhere = place.parent / "elsewhere.sock"
    async with echo(elsewhere):
        place.symlink_to(elsewhere)
        with pytest.raises(SocketRefused, match="not a socket of yours"):
            await unix_socket.connect(place)
        with pytest.raises(SocketRefused, match="not a socket of yours"):
            await open_at(place)
        assert place.is_symlink() and not unix_socket.answers(place)


async def test_a_plain_file_in_the_place_of_the_socket_is_kept(place: Path) -> None:
    place.write_text("mine")
    with pytest.raises(SocketRefused, match="not a socket of yours"):
        await open_at(place)
    assert place.read_text() == "mine"


async def test_s62_a_socket_that_was_left_behind_is_replaced(place: Path) -> None:
    leave_behind(place)
    with pytest.raises(LinkClosed):
        await unix_socket.connect(place)
    async with echo(place):
        assert await say(place, b"hi") == b"hi"


@pytest.mark.skipif(not unix_socket.OPEN_FILES.exists(), reason="a longer path needs /proc")
async def test_a_socket_path_over_the_limit_of_the_system_works(place: Path) -> None:
    folder = place.parent / ("d" * 90) / ("e" * 90)
    folder.mkdir(parents=True, mode=0o700)
    folder.chmod(0o700)
    long = folder / "desk.sock"
    leftover = set(os.listdir("/proc/self/fd"))
    async with echo(long):
        assert await say(long, b"hi") == b"hi" and stat.S_IMODE(long.lstat().st_mode) == 0o600
    await until(lambda: set(os.listdir("/proc/self/fd")) <= leftover)


async def test_an_overlong_socket_path_is_refused_on_other_systems(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unix_socket, "OPEN_FILES", place.parent / "none")
    with pytest.raises(SocketRefused, match="XDG_RUNTIME_DIR"):
        await unix_socket.connect(place.parent / ("d" * 120) / "desk.sock")


async def test_s62_a_socket_served_by_another_process_is_not_taken(place: Path) -> None:
    """The lock of the home keeps a second owner away; who starts one nevertheless finds the socket served."""
    async with echo(place):
        before = place.lstat().st_ino
        with pytest.raises(SocketRefused, match="served by another process"):
            await open_at(place)
        assert place.lstat().st_ino == before and await say(place, b"still") == b"still"


async def end(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])


async def test_an_ending_desk_removes_only_a_socket_of_its_own(place: Path) -> None:
    first = asyncio.create_task(serve_socket(place, idle_host(), HostClock(), "one"))
    await until(lambda: unix_socket.answers(place))
    place.unlink()
    leave_behind(place)
    await end(first)
    assert place.is_socket(), "the socket of another"
    place.unlink()
    second = asyncio.create_task(serve_socket(place, idle_host(), HostClock(), "two"))
    await until(lambda: unix_socket.answers(place))
    await end(second)
    assert not place.exists()


async def test_a_desk_says_why_nobody_can_attach_and_tries_again(place: Path) -> None:
    host = idle_host()
    said: list[str] = []

    def texts() -> list[str]:
        said.extend(line.text for line in host.updates.take().events)
        return said

    place.write_text("mine")
    serving = asyncio.create_task(serve_socket(place, host, HostClock(), "one"))
    await until(lambda: len(texts()) == 1)
    place.parent.chmod(0o755)
    await until(lambda: len(texts()) == 2, 5)
    assert all(text.startswith("other windows and programs cannot attach: ") for text in said)
    assert "not a socket of yours" in said[0] and "mode 700" in said[1]
    place.parent.chmod(0o700)
    place.unlink()
    await until(lambda: unix_socket.answers(place), 5)
    assert texts()[-1] == "other windows and programs can attach"
    await end(serving)
    assert not place.exists()


async def test_a_desk_waits_for_a_socket_that_another_process_serves(place: Path) -> None:
    """The owner before may stand still when its lock is taken away; both at once would take orders."""
    host = idle_host()
    async with echo(place):
        serving = asyncio.create_task(serve_socket(place, host, HostClock(), "one"))
        await asyncio.sleep(0)
        assert await say(place, b"still") == b"still"
        await until(lambda: any("served by another" in line.text for line in host.updates.take().events), 5)
    await until(lambda: unix_socket.answers(place), 5)
    await end(serving)


async def test_a_desk_ends_although_a_peer_never_reads(place: Path) -> None:
    host = idle_host()
    serving = asyncio.create_task(serve_socket(place, host, HostClock(), "one"))
    await until(lambda: unix_socket.answers(place))
    with closing(socket.socket(socket.AF_UNIX)) as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect(str(place))
        deaf.sendall(b'{"id": 1, "method": "hello", "params": {"versions": [1], "name": "deaf"}}\n')
        deaf.setblocking(False)
        nothing = b'{"id": 2, "method": "%s"}\n' % (b"x" * 200)
        sent = 0
        async with asyncio.timeout(10):
            while sent < 8 * 1024 * 1024:
                try:
                    sent += deaf.send(nothing * 100)
                except BlockingIOError:
                    if sent > 1024 * 1024:
                        break
                    await asyncio.sleep(0.005)
        async with asyncio.timeout(5):
            await end(serving)
        await until(lambda: asyncio.all_tasks() == {asyncio.current_task()})
