"""Processes of `crossdesk` forked from one that has read all modules: each costs half a second of processor time less.

Each process of the tests starts one such server with its first venue or desk: `python -m tests.forking` on a socket that
it inherits. What is forked does what `crossdesk` does with the same words; only a list of processes shows it as the
server. The paper venue of a forked desk is forked too: the desk inherits a socket to ask on.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import functools
import gc
import importlib
import json
import os
import pkgutil
import random
import select
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import threading
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, NamedTuple

from tests.lint.graph import NEEDS_EXTRA

TOP = Path(__file__).parent.parent
LENGTH_BYTES = 4
STREAMS = {"stdin": "r", "stdout": "w", "stderr": "w"}
"""Standard input, output and errors; a request brings them and a socket for the exit code."""
READ_BY_IMPORTS = ("TEXTUAL_", "NO_COLOR", "PYTHON")
"""How variables begin that count while modules are read: a process that needs its own is not forked."""


def can_fork(environment: Mapping[str, str] | None = None) -> bool:
    """Whether a process can be forked."""
    return hasattr(os, "fork") and not any(name.startswith(READ_BY_IMPORTS) for name in environment or ())


class Forked:
    """As much of `subprocess.Popen` as tests ask of a venue or a desk."""

    def __init__(
        self,
        arguments: list[str],
        streams: tuple[int, int, int],
        *,
        environment: Mapping[str, str] | None = None,
        leads: bool = False,
        is_desk: bool = False,
        server: Server | None = None,
    ) -> None:
        """Fork it.

        Args:
            arguments: Words of the command line behind `crossdesk`.
            streams: Its standard input, output and errors; they stay open here.
            environment: Its variables; those of this process without.
            leads: Whether it begins a session of its own; on a terminal that is then its own.
            is_desk: Whether it may start a paper venue, which is forked then as it was itself.
            server: What it is forked from.
        """
        self._ended, ended = socket.socketpair()
        request: dict[str, object] = {"arguments": arguments, "environment": dict(environment or os.environ)}
        request |= {"leads": leads, "is_desk": is_desk}
        with ended:
            self.pid = (server or _own_server()).fork(request, (*streams, ended.fileno()))
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The exit code, None while it runs."""
        if self.returncode is None and select.select([self._ended], [], [], 0)[0]:
            self._take_code()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, once it has ended."""
        if not select.select([self._ended], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired("crossdesk", timeout or 0)
        self._take_code()
        assert self.returncode is not None
        return self.returncode

    def _take_code(self) -> None:
        """Read the code; it stays to be read, for several threads of a desk ask for it."""
        text = self._ended.recv(16, socket.MSG_PEEK)
        if not text:
            raise ChildProcessError("the server ended before what it forked")
        self.returncode = int(text)

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


class ForkedVenue(Forked):
    """A forked venue on pipes."""

    stderr: IO[bytes] | None = None

    def __init__(self, *arguments: str, errors: int | None = None, server: Server | None = None) -> None:
        """Fork it.

        Args:
            arguments: Words of the command line behind `crossdesk`.
            errors: Where its standard error goes, in a session of its own; a pipe of this process without.
            server: What it is forked from.
        """
        (to_read, stdin), (stdout, to_write) = os.pipe(), os.pipe()
        given = [to_read, to_write]
        if errors is None:
            stderr, to_complain = os.pipe()
            given.append(to_complain)
            self.stderr = os.fdopen(stderr, "rb")
        self.stdin, self.stdout = os.fdopen(stdin, "wb"), os.fdopen(stdout, "rb")
        try:
            streams = (to_read, to_write, given[-1] if errors is None else errors)
            super().__init__(list(arguments), streams, leads=errors is not None, server=server)
        finally:
            for one in given:
                os.close(one)


class ForkedCommand(Forked):
    """A forked command without input, whose output and errors are read as one text."""

    def __init__(self, *arguments: str, environment: Mapping[str, str]) -> None:
        """Fork it.

        Args:
            arguments: Words of the command line behind `crossdesk`.
            environment: Its variables.
        """
        stdout, to_write = os.pipe()
        self.stdout: IO[str] = os.fdopen(stdout)
        try:
            with open(os.devnull, "rb") as nothing:
                streams = (nothing.fileno(), to_write, to_write)
                super().__init__(list(arguments), streams, environment=environment, is_desk=True)
        finally:
            os.close(to_write)


def run_command(*arguments: str, timeout: float = 120.0, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, without input; it is forked where that is possible.

    Args:
        arguments: Words of the command line behind `crossdesk`.
        timeout: When it is given up, s.
        variables: Of its environment, beside those of this process.
    """
    environment = {**os.environ, **variables}
    if not can_fork(variables):
        return subprocess.run(
            [sys.executable, "-m", "tui.cli.start", *arguments], env=environment, cwd=TOP,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, check=False,
        )  # fmt: skip
    with open(os.devnull, "rb") as nothing, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        streams = (nothing.fileno(), output.fileno(), errors.fileno())
        process = Forked(list(arguments), streams, environment=environment, is_desk=True)
        try:
            code = process.wait(timeout)
        finally:
            process.kill()
        texts = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read().decode())
        return subprocess.CompletedProcess(arguments, code, *texts)


class Server:
    """The process that others are forked from, as a client sees it."""

    def __init__(self, asking: socket.socket, process: subprocess.Popen[bytes] | None = None) -> None:
        self._asking = asking
        self._process = process
        self._one_at_a_time = threading.Lock()

    def fork(self, request: Mapping[str, Any], descriptors: tuple[int, ...]) -> int:
        """The process id of what was forked."""
        text = json.dumps(request).encode()
        with self._one_at_a_time:
            socket.send_fds(self._asking, [len(text).to_bytes(LENGTH_BYTES)], descriptors)
            self._asking.sendall(text)
            answer = self._asking.recv(16)
        if not answer:
            raise ChildProcessError("the server of the forked processes has ended")
        return int(answer)


@functools.cache
def _own_server() -> Server:
    """The server of this process, started with the first call."""
    asking, theirs = socket.socketpair()
    words = [sys.executable, "-m", "tests.forking", str(theirs.fileno())]
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("TEXTUAL_", "NO_COLOR"))}
    variables["TEXTUAL_ANIMATIONS"] = "none"
    with theirs:
        process = subprocess.Popen(
            words,
            cwd=TOP,
            env=variables,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
    return Server(asking, process)


# -- in the server -------------------------------------------------------------------------------------------------


class _Request(NamedTuple):
    arguments: list[str]
    environment: dict[str, str]
    leads: bool
    is_desk: bool
    descriptors: list[int]


def _receive(asking: socket.socket) -> _Request | None:
    """The next request; None when this client asks no more."""
    head, descriptors, _, _ = socket.recv_fds(asking, LENGTH_BYTES, len(STREAMS) + 1)
    if not head:
        return None
    text = b""
    while len(text) < int.from_bytes(head):
        text += asking.recv(int.from_bytes(head) - len(text))
    return _Request(**json.loads(text), descriptors=list(descriptors))


def _reap(living: dict[int, socket.socket]) -> None:
    """Tell the codes of those that have ended."""
    while living:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        # Of a venue that refused its words nobody may want the code.
        with living.pop(pid) as ended, contextlib.suppress(ConnectionError):
            ended.sendall(str(os.waitstatus_to_exitcode(status)).encode())


def serve(owner: socket.socket) -> list[str] | None:
    """Fork until the process of the tests asks no more.

    Returns:
        In a forked process the words of its command line, in the server itself None.
    """
    living: dict[int, socket.socket] = {}
    clients = [owner]
    woken, wake = socket.socketpair()
    wake.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(wake.fileno())
    while True:
        ready, _, _ = select.select([*clients, woken], [], [])
        if woken in ready:
            woken.recv(4096)
            _reap(living)
        for client in [one for one in clients if one in ready]:
            request = _receive(client)
            if request is None and client is owner:
                return None
            if request is None:
                clients.remove(client)
                client.close()
                continue
            ours, theirs = socket.socketpair()
            pid = os.fork()
            if not pid:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for own in (*clients, ours, woken, wake, *living.values()):
                    own.close()
                return _become(request, theirs)
            theirs.close()
            clients.append(ours)
            living[pid] = socket.socket(fileno=request.descriptors[-1])
            for one in request.descriptors[:-1]:
                os.close(one)
            client.sendall(str(pid).encode())


def _become(request: _Request, asking: socket.socket) -> list[str]:
    """Take over streams and environment of a process that was asked for."""
    for number, given in enumerate(request.descriptors[: len(STREAMS)]):
        os.dup2(given, number)
    for given in request.descriptors:
        os.close(given)
    if request.leads:
        os.setsid()
    if request.leads and os.isatty(0):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    if request.is_desk:
        _fork_paper_venues(Server(asking))
    else:
        asking.close()
    for number, (name, mode) in enumerate(STREAMS.items()):
        before = getattr(sys, name)
        lines = 1 if os.isatty(number) else -1
        stream = open(number, mode, lines, before.encoding, before.errors, closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    os.environ.clear()
    os.environ.update(request.environment)
    random.seed()
    return request.arguments


def _fork_paper_venues(server: Server) -> None:
    """Let a desk fork its paper venue as it was forked itself."""
    from tui.cli import paper_venue

    def start(words: list[str], *, stderr: IO[bytes], **_: object) -> ForkedVenue:
        return ForkedVenue(*words[words.index("venue") :], errors=stderr.fileno(), server=server)

    given = {name: getattr(subprocess, name) for name in ("PIPE", "TimeoutExpired")}
    vars(paper_venue)["subprocess"] = SimpleNamespace(Popen=start, **given)


def _read_modules() -> None:
    """Import every module of the product, and of others those that a desk or a venue imports late."""
    from tui.workstation.app import app  # isort: skip  # sets up textual's environment
    import ctypes
    import resource

    import pydantic.types
    import textual.drivers.linux_driver
    import textual.layouts.factory
    import textual.pilot
    import textual.scrollbar

    import tui

    del app, ctypes, resource, pydantic, textual
    for module in pkgutil.walk_packages(tui.__path__, "tui."):
        if module.name not in NEEDS_EXTRA:
            importlib.import_module(module.name)


def _end(end: SystemExit) -> None:
    """End as the interpreter does, but leave the modules as they are: to take them apart, every page would be copied."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    gc.collect()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        raise end from None  # the interpreter says what it could not write
    if not isinstance(end.code, int | None):
        raise end
    os._exit(end.code or 0)


def main() -> None:
    """Read what a venue and a desk need, then fork; what was forked goes on as the command does."""
    _read_modules()
    from tui.cli import start

    gc.collect()
    gc.freeze()
    arguments = serve(socket.socket(fileno=int(sys.argv[1])))
    if arguments is not None:
        sys.argv = ["crossdesk", *arguments]
        try:
            start.main()
        except SystemExit as end:
            _end(end)


if __name__ == "__main__":
    main()
