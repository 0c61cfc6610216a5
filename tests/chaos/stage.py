"""The two processes of a chaos run and what is between them: venue with its state file, workstation in a pty, proxy."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import struct
import time
from pathlib import Path
from typing import Any

from tests.chaos.proxy import CALM, FaultyProxy
from tests.terminal.journal import exported_journal
from tests.terminal.misbehaving import KEY_NAMES, write_profile
from tests.terminal.terminal import Terminal
from tests.venue.shell.conftest import Venue

PROGRAM = """
import mmap, os, struct, sys
import tui.workstation.terminal.environment
import tui.host
offset = mmap.mmap(os.open(os.environ["CHAOS_CLOCK"], os.O_RDONLY), 8, access=mmap.ACCESS_READ)
machine = tui.host.HostClock.wall
tui.host.HostClock.wall = lambda self: machine(self) + struct.unpack("d", offset[:8])[0]
from tui.cli.main import main
main(sys.argv[1:])
"""
"""The workstation with a wall clock that the run can move."""

PROFILE = "desk"
FPS = 4
"""Frames of market data a second: the emulated terminal costs more than the workstation."""
SPEED = "0.25"
"""Of the agents in the venue's market: the machine is for commands and faults."""
START_S = 40.0
"""How long a workstation may take to be in step, s."""


class Stage:
    """Starts, kills and restarts both sides on one state file and one home."""

    def __init__(self, folder: Path, seed: int, *, columns: int = 160, lines: int = 48, more: str = "") -> None:
        """
        Args:
            folder: Of the run; it holds the state file and the home.
            seed: Of the market and of the proxy's faults.
            columns: Width of the terminal.
            lines: Height of the terminal.
            more: Further TOML tables of the config.
        """
        self.folder = folder
        self.home = folder / "home"
        self._size = {"columns": columns, "lines": lines}
        self._seed = seed
        self.random = random.Random(f"stage {seed}")
        self.proxy = FaultyProxy(random.Random(f"proxy {seed}"))
        self.desk_kills = self.venue_kills = self.clock_jumps = 0
        self.exits: list[str] = []
        """How workstations ended that nobody killed."""
        self._clock = folder / "clock"
        self._clock.write_bytes(struct.pack("d", 0.0))
        self.venue = self._venue()
        self.first_ready = self.venue.ready
        self.desk: Terminal | None = None
        self._write_profile(more)

    # -- venue -------------------------------------------------------------------------------------------------------

    def _venue(self) -> Venue:
        state, keys = str(self.folder / "paper.db"), str(self.folder / "keys")
        seed = ("--seed", str(self._seed), "--set", "past=off")
        switches = ("--set", "latency=test", "--set", f"speed={SPEED}")
        venue = Venue("--state", state, "--keys", keys, *seed, *switches, "--control")
        self.proxy.connect_to(venue.ready)
        return venue

    def kill_venue(self) -> None:
        """Kill the venue; `start_venue` brings it back on its state."""
        self.venue_kills += 1
        os.kill(self.venue.process.pid, signal.SIGKILL)
        self.venue.process.wait()
        for pipe in (self.venue.process.stdin, self.venue.process.stdout, self.venue.process.stderr):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()

    def start_venue(self) -> None:
        """Start the venue again on its state file."""
        self.venue = self._venue()

    # -- workstation -------------------------------------------------------------------------------------------------

    def _write_profile(self, more: str) -> None:
        ready = self.venue.ready
        write_profile(
            self.home,
            rest=self.proxy.rest_url,
            private=self.proxy.stream_url(ready, "private_ws_url"),
            public=self.proxy.stream_url(ready, "public_ws_url"),
            portfolio=ready["keys"][0]["portfolioId"],
            more=more,
            fps=FPS,
        )

    def start_desk(self) -> Terminal:
        """Start the workstation, type the portfolio name, wait until it is in step, and arm it."""
        key = self.first_ready["keys"][0]
        secrets = {KEY_NAMES["key_env"]: key["api_key"], KEY_NAMES["secret_env"]: key["api_secret"]}
        self.desk = Terminal(
            "--profile",
            PROFILE,
            home=self.home,
            environment={**secrets, "CHAOS_CLOCK": str(self._clock)},
            program=("-c", PROGRAM),
            columns=self._size["columns"],
            lines=self._size["lines"],
        )
        self.desk.see("Type the portfolio name")
        self.desk.press("main", "enter")
        return self.desk

    def kill_desk(self) -> None:
        """Kill the workstation; a new one can be started at once."""
        self.desk_kills += 1
        desk = self.desk
        assert desk is not None
        if desk.process.poll() is not None:
            self.exits.append(f"exit code {desk.process.returncode}: " + desk.text()[-400:])
        desk.close()
        self.desk = None

    # -- network and clock -------------------------------------------------------------------------------------------

    def jump(self, seconds: float) -> None:
        """Move the wall clock of the workstation to this distance from the true one."""
        self.clock_jumps += 1
        self._set_clock(seconds)

    def _set_clock(self, seconds: float) -> None:
        with self._clock.open("r+b") as file:
            file.write(struct.pack("d", seconds))

    def heal(self) -> None:
        """A sound network and a true clock from now on."""
        self.proxy.weather = CALM
        self._set_clock(0.0)

    # -- what can be read afterwards ---------------------------------------------------------------------------------

    def journal(self) -> list[dict[str, Any]]:
        """Every entry of the journal, as the product exports it."""
        return exported_journal(self.home, "--profile", PROFILE)

    def close(self) -> None:
        """End everything that runs."""
        if self.desk is not None:
            self.desk.close()
        if self.venue.process.poll() is None:
            self.venue.stop()
        self.proxy.close()


def wait_until(true: Any, what: str, *, within: float = START_S) -> None:
    """Wait for a condition outside the screen.

    Raises:
        AssertionError: it did not come true.
    """
    deadline = time.monotonic() + within
    while not true():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)
