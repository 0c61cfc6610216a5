"""`crossdesk watchdog`: child process that cancels orders when the heartbeats of the workstation stop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

import tui
from tui.cli.credentials import protect_memory
from tui.host import HostClock, order_id_time
from tui.interface.text import how_many
from tui.private_files import open_private

if TYPE_CHECKING:
    from collections.abc import Callable

    from tui.engine.watchdog import WatchdogSetup
    from tui.protocols import Clock

BEAT_S = 1.0
"""Least time between two heartbeats, s."""
FIRED = 3
"""Exit code after the watchdog took the workstation for dead."""
_UNWATCHED = "nothing cancels your orders if this workstation dies; restart it to be watched again"
_FIRED = f"the watchdog took this workstation for dead and cancelled its orders; now {_UNWATCHED}"


class Watchdog:
    """Workstation's end of the watchdog: the child process and the heartbeat pipe; no call here blocks."""

    def __init__(self, setup: WatchdogSetup, log: Path, clock: Clock) -> None:
        import msgspec

        errors = open_private(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tui.cli.main", "watchdog"],
                cwd=Path(tui.__file__).resolve().parent.parent,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
            )
        finally:
            os.close(errors)
        assert self._process.stdin is not None
        self._pipe = self._process.stdin.fileno()
        self._clock = clock
        self._lock = threading.Lock()
        self._last = float("-inf")
        os.write(self._pipe, msgspec.json.encode(setup) + b"\n")
        os.set_blocking(self._pipe, False)

    def send_heartbeat(self) -> str:
        """Send the watchdog a heartbeat if one is due; return why it cannot receive any, or an empty text."""
        ended = self._process.poll()
        if ended is not None:
            return _FIRED if ended == FIRED else f"the watchdog has ended (exit {ended}): {_UNWATCHED}"
        now = self._clock.mono()
        if now - self._last >= BEAT_S:
            self._last = now
            self._write(b"\n")
        return ""

    def dismiss(self) -> None:
        """Tell the watchdog that the workstation exits normally, so that it cancels nothing."""
        self._write(b"bye\n")
        with self._lock, contextlib.suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=1)

    def _write(self, line: bytes) -> None:
        with self._lock, contextlib.suppress(OSError, ValueError):
            os.write(self._pipe, line)


@click.command(hidden=True)
def command() -> None:
    """Cancel this installation's opening orders when the workstation dies. The workstation itself starts this command."""
    protect_memory()
    asyncio.run(_run_watchdog())


async def _run_watchdog() -> None:
    import msgspec

    from tui.engine.watchdog import EndReason, WatchdogSetup, watch

    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    setup = msgspec.json.decode(await reader.readline(), type=WatchdogSetup)
    clock = HostClock()
    ended = await watch(reader.readline, setup, _log_line, lambda: order_id_time(clock))
    _log_line(ended.end.value)
    if ended.end is EndReason.DEAD:
        left = await cancel_over_rest(setup, _log_line, ended.moment)
        _log_line(
            f"{how_many(left, 'order')} of ours may still be open" if left else "nothing of ours is open any more"
        )
        sys.exit(FIRED)


async def cancel_over_rest(setup: WatchdogSetup, say: Callable[[str], None], died: str) -> int:
    """Cancel this installation's orders created until `died` that can open a position; return how many may be left."""
    from tui.cli.service_target import open_rest
    from tui.engine.watchdog import cancel_our_algos, cancel_ours
    from tui.interface import decimals

    decimals.setup()
    async with open_rest(setup.service, setup.key, setup.secret, HostClock(), loopback_only=False) as rest:
        return sum(await asyncio.gather(cancel_ours(rest, setup, say, died), cancel_our_algos(rest, setup, say, died)))


def _log_line(text: str) -> None:
    now = datetime.fromtimestamp(HostClock().wall(), UTC)
    print(f"{now:%Y-%m-%dT%H:%M:%SZ} watchdog: {text}", file=sys.stderr, flush=True)
