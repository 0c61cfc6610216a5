"""Venue processes forked from one that has read all modules: each costs half a second of processor time less.

Each process of the tests starts one such server with its first venue: `python -m tests.venue.forking` on a socket that
it inherits. A forked venue does what `crossdesk venue` does with the same words; only a list of processes shows those of
the server.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import json
import os
import random
import select
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import NamedTuple

TOP = Path(__file__).parent.parent.parent
LENGTH_BYTES = 4
STREAMS = (0, 1, 2)
"""Standard input, output and errors; a request brings them and a socket for the exit code."""


def can_fork() -> bool:
    """Whether venues can be forked: not where a process has to be measured from its first line."""
    return hasattr(os, "fork") and not any(name.startswith("COVERAGE_") for name in os.environ)


class ForkedVenue:
    """As much of `subprocess.Popen` as tests ask of a venue."""

    def __init__(self, *arguments: str) -> None:
        (to_read, stdin), (stdout, to_write), (stderr, to_complain) = (os.pipe() for _ in STREAMS)
        self.stdin, self.stdout, self.stderr = os.fdopen(stdin, "wb"), os.fdopen(stdout, "rb"), os.fdopen(stderr, "rb")
        self._ended, ended = socket.socketpair()
        given = (to_read, to_write, to_complain, ended.detach())
        try:
            self.pid = _server().fork(arguments, given)
        finally:
            for one in given:
                os.close(one)
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The exit code, None while it runs."""
        if self.returncode is None and select.select([self._ended], [], [], 0)[0]:
            self._take_code()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, once it has ended."""
        if self.returncode is None:
            if not select.select([self._ended], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("crossdesk venue", timeout or 0)
            self._take_code()
        assert self.returncode is not None
        return self.returncode

    def _take_code(self) -> None:
        text = self._ended.recv(16)
        if not text:
            raise ChildProcessError("the server of the venues ended before its venue")
        self.returncode = int(text)
        self._ended.close()

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            # It may have ended just now, and its code be under way.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)


class _Server:
    """The process that venues are forked from, as its one client sees it."""

    def __init__(self) -> None:
        self._asking, theirs = socket.socketpair()
        self._one_at_a_time = threading.Lock()
        words = [sys.executable, "-m", "tests.venue.forking", str(theirs.fileno())]
        with theirs:
            self.process = subprocess.Popen(
                words, cwd=TOP, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
            )

    def fork(self, arguments: tuple[str, ...], descriptors: tuple[int, ...]) -> int:
        """The process id of a new venue."""
        request = json.dumps({"arguments": arguments, "environment": dict(os.environ)}).encode()
        with self._one_at_a_time:
            socket.send_fds(self._asking, [len(request).to_bytes(LENGTH_BYTES)], descriptors)
            self._asking.sendall(request)
            answer = self._asking.recv(16)
        if not answer:
            raise ChildProcessError("the server of the venues has ended")
        return int(answer)


@functools.cache
def _server() -> _Server:
    return _Server()


class _Request(NamedTuple):
    arguments: list[str]
    environment: dict[str, str]
    descriptors: list[int]


def _receive(asking: socket.socket) -> _Request | None:
    """The next request; None when nobody asks any more."""
    head, descriptors, _, _ = socket.recv_fds(asking, LENGTH_BYTES, len(STREAMS) + 1)
    if not head:
        return None
    text = b""
    while len(text) < int.from_bytes(head):
        text += asking.recv(int.from_bytes(head) - len(text))
    return _Request(**json.loads(text), descriptors=list(descriptors))


def _reap(living: dict[int, socket.socket]) -> None:
    """Tell the codes of the venues that have ended."""
    while living:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        # Of a venue that refused its words nobody may want the code.
        with living.pop(pid) as ended, contextlib.suppress(ConnectionError):
            ended.sendall(str(os.waitstatus_to_exitcode(status)).encode())


def serve(asking: socket.socket) -> list[str]:
    """Fork venues until nobody asks any more.

    Returns:
        In a venue the words of its command line, in the server itself nothing.
    """
    living: dict[int, socket.socket] = {}
    woken, wake = socket.socketpair()
    wake.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(wake.fileno())
    while True:
        ready, _, _ = select.select([asking, woken], [], [])
        if woken in ready:
            woken.recv(4096)
            _reap(living)
        if asking not in ready:
            continue
        request = _receive(asking)
        if request is None:
            return []
        pid = os.fork()
        if not pid:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for own in (asking, woken, wake, *living.values()):
                own.close()
            return _become(request)
        living[pid] = socket.socket(fileno=request.descriptors[-1])
        for one in request.descriptors[:-1]:
            os.close(one)
        asking.sendall(str(pid).encode())


def _become(request: _Request) -> list[str]:
    """Take over streams and environment of a venue that was asked for."""
    for stream, given in zip(STREAMS, request.descriptors, strict=False):
        os.dup2(given, stream)
    for given in request.descriptors:
        os.close(given)
    os.environ.clear()
    os.environ.update(request.environment)
    random.seed()
    return request.arguments


def main() -> None:
    """Read what a venue needs, then fork; a venue goes on as the command does."""
    from tui.cli import main as command
    from tui.cli.commands import venue
    from tui.venue.shell import control, factory, key_secrets, runtime, server

    del venue, control, factory, key_secrets, runtime, server
    gc.collect()
    gc.freeze()
    arguments = serve(socket.socket(fileno=int(sys.argv[1])))
    if arguments:
        command.main(arguments, prog_name="crossdesk")


if __name__ == "__main__":
    main()
