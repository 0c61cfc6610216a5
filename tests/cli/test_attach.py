"""`crossdesk --attach NAME`: a window on the desk or gateway that holds the account of a profile on this machine."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tests.busy import limit
from tests.cli.test_gateway import Command, crossdesk, open_gateway, read_until
from tests.terminal.conftest import no_daily_ask, start
from tests.terminal.terminal import Terminal
from tui import paths
from tui.cli.attached_window import NoDesk, open_window
from tui.desk_protocol import unix_socket
from tui.desk_protocol.bus.address import BusRefused
from tui.engine.modes import Environment

__all__ = ["start"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CROSSDESK_HOME", str(tmp_path))
    no_daily_ask(tmp_path)
    return tmp_path


@pytest.fixture
def gateway(home: Path) -> Iterator[Command]:
    with open_gateway(home) as process:
        yield process


def test_an_attached_window_is_read_only_without_its_gateway(
    gateway: Command, home: Path, start: Callable[..., Terminal]
) -> None:
    read_until(gateway, "In sync")
    window = open_window("paper", None, looks_only=False)
    assert (window.environment, window.portfolio_name, window.folder) == ("PAPER", "main", "paper")
    attach = window.next_assignment().attach
    assert attach is not None and attach.expects is not None and attach.expects[0] is Environment.PAPER
    desk = start("--attach", home=home)
    desk.see("this window is attached as desk 2")
    desk.press("a")
    desk.see("ARMED")
    gateway.send_signal(signal.SIGSTOP)
    desk.see("PAPER", "READ-ONLY")
    desk.see("nothing was heard for 1.5 s")
    gateway.send_signal(signal.SIGCONT)
    desk.gone("READ-ONLY")
    gateway.kill()
    gateway.wait()
    desk.see("PAPER", "READ-ONLY")
    desk.see("not attached: the desk that trades this account does not answer")
    again = crossdesk(home, "gateway")
    try:
        read_until(again, "In sync")
        desk.gone("READ-ONLY")
        desk.press("E")  # the list: a newer event may stand in its line
        desk.see("this window is attached again as desk 2")
    finally:
        again.kill()
        again.wait()


@pytest.mark.parametrize("name", ["paper", "desk", "../desk", "*"])
def test_attaching_to_a_profile_that_no_desk_runs_is_refused(home: Path, name: str) -> None:
    with pytest.raises(NoDesk) as refused:
        open_window(name, None, looks_only=False)
    assert f"--attach {name}: no desk and no gateway of this name runs on this machine; those that run: none" in str(
        refused.value
    )
    assert ("gateway --profile" in str(refused.value)) == (name != "paper")
    with pytest.raises(NoDesk, match="--bus-seed belongs to --attach URL"):
        open_window(name, home / "anna.seed", looks_only=False)


@pytest.mark.parametrize("place", ["127.0.0.1:4222", "anna@127.0.0.1:4222"])
def test_an_attach_address_without_nats_scheme_is_refused(home: Path, place: str) -> None:
    """The way on was to start a gateway for a profile of that name."""
    with pytest.raises(BusRefused, match=f"--attach {place}: accepted is a profile, or nats://TRADER@HOST:PORT/DESK"):
        open_window(place, None, looks_only=False)


def test_attach_to_an_unknown_name_lists_the_desks_that_run(
    gateway: Command, start: Callable[..., Terminal], home: Path
) -> None:
    read_until(gateway, "In sync")
    desk = start("--attach", "desk", home=home)
    desk.see("those that run: paper")
    assert desk.process.wait(limit(20)) == 2


def test_a_profile_finds_its_newest_desk_socket_and_no_other(home: Path) -> None:
    """A profile whose name begins alike; and a socket that was left behind under another portfolio."""
    folder = paths.make_private(paths.runtime_dir())
    with ExitStack() as stack:
        for stem, age in (
            ("paper", 0),
            ("desk-x-2000000000000000", 5),
            ("desk-9000000000000000", 9),
            ("desk-1000000000000000", 1),
        ):
            bound = unix_socket.bind(folder / f"{stem}.sock")
            stack.enter_context(closing(bound.socket))
            os.utime(bound.path, (1_000_000_000 - age, 1_000_000_000 - age))
    found = {name: paths.find_desk_socket(name).stem for name in ("paper", "desk", "desk-x", "other")}
    assert found == {
        "paper": "paper", "desk": "desk-1000000000000000", "desk-x": "desk-x-2000000000000000", "other": "other"
    }  # fmt: skip
