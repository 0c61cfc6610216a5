"""The workstation inside `tmux` and `screen`: it trades, follows the size, and goes on while no terminal shows it."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.terminal.conftest import STILL, Venue
from tests.terminal.multiplexer import GnuScreen, Multiplexer, Tmux, find_program
from tests.terminal.terminal import LIMIT, Terminal, alive

KINDS = [
    pytest.param(
        kind, id=kind.name, marks=pytest.mark.skipif(find_program(kind) is None, reason=f"{kind.name} is not installed")
    )
    for kind in (Tmux, GnuScreen)
]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture(params=KINDS)
def around(request: pytest.FixtureRequest, home: Path) -> Iterator[Multiplexer]:
    """A multiplexer with the workstation in it; both are ended."""
    with tempfile.TemporaryDirectory(prefix="desk-") as folder:  # the path of a socket is at most a hundred bytes long
        multiplexer: Multiplexer = request.param(Path(folder), home)
        try:
            multiplexer.begin(100, 30)
            multiplexer.see("In sync with the venue")
            yield multiplexer
        finally:
            multiplexer.end()


@pytest.fixture
def attach(around: Multiplexer, home: Path, start: Callable[..., Terminal]) -> Callable[[int, int], Terminal]:
    """Shows the session in a terminal of so many columns and lines."""

    def show(columns: int, lines: int) -> Terminal:
        return start(command=around.attach, environment=around.variables, home=home, columns=columns, lines=lines)

    return show


def clock(lines: list[str]) -> str:
    """The time of day in the header."""
    return next((found[0] for line in lines if (found := re.search(r"\d\d:\d\d:\d\dZ", line))), "")


def test_a_desk_in_a_multiplexer_stages_and_drops_a_ticket(around: Multiplexer) -> None:
    around.type("a")
    around.see("ARMED")
    around.type("b")
    around.see("Enter sends")
    around.type("escape")
    around.gone("Enter sends")


def test_in_a_multiplexer_escape_and_a_key_after_it_both_act(
    around: Multiplexer, attach: Callable[[int, int], Terminal]
) -> None:
    """With the standard settings, an Escape is kept back for a while: it may begin the sequence of a key."""
    desk = attach(100, 30)
    desk.see("In sync with the venue")
    for behind, pane in (("", "Quotes"), ("2", "Orders")):
        desk.press("a" if not behind else "1")
        desk.see("ARMED")
        desk.press("b")
        desk.see("Enter sends")
        desk.burst(f"\x1b{behind}")
        desk.gone("Enter sends")
        desk.see(f" {pane}  ", "X kill")


def test_an_order_is_placed_and_cancelled_in_a_multiplexer(
    around: Multiplexer, attach: Callable[[int, int], Terminal], home: Path
) -> None:
    desk = attach(100, 30)
    desk.see("In sync with the venue")
    desk.press("a")
    desk.see("ARMED")
    desk.press("b")
    desk.see("Enter sends")
    desk.press("enter")
    desk.see("OPEN ", "BTC")
    around.see("OPEN ", "BTC")
    [order] = Venue(home).open_orders()
    assert (order["orderQty"], order["side"]) == ("0.001", "BUY"), order
    desk.press("2", "c")
    desk.gone("OPEN ", "BTC")
    around.gone("OPEN ", "BTC")
    assert Venue(home).open_orders() == []


def test_a_desk_runs_on_in_a_detached_multiplexer_and_quits(
    around: Multiplexer, attach: Callable[[int, int], Terminal], home: Path
) -> None:
    desk = attach(100, 30)
    desk.see("In sync with the venue")
    desk.resize(140, 40)
    around.until(lambda lines: max(map(len, lines)) == 140 and len(lines) > 35, "140 columns")
    desk.see("PAPER", clock(around.look()))
    around.detach()
    assert desk.wait() == 0
    before = clock(around.look())
    around.until(lambda lines: clock(lines) > before, "a later time")
    around.type("a")
    around.see("ARMED")
    desk = attach(120, 36)
    desk.see("PAPER", "ARMED")
    around.until(lambda lines: max(map(len, lines)) == 120, "120 columns")
    venue = Venue(home).pid
    desk.burst(around.quits)
    assert desk.wait() == 0
    deadline = time.monotonic() + LIMIT
    while alive(venue):
        assert time.monotonic() < deadline, "the paper venue still runs"
        time.sleep(0.05)


@pytest.mark.parametrize("around", KINDS[:1], indirect=True)
def test_a_copied_text_reaches_the_buffer_of_tmux(around: Tmux) -> None:
    around.keep_what_is_copied()
    around.type("y")
    around.until(lambda _: around.copied() == "BINANCE_PERP_BTC_USDT", "the copied pair in the buffer")


@pytest.mark.parametrize(("window", "has_mouse"), [("", True), ("4711.desk", False)])
def test_the_mouse_is_off_in_a_window_of_gnu_screen(
    start: Callable[..., Terminal], window: str, has_mouse: bool
) -> None:
    """With the mouse, `screen` keeps an Escape back until another key is pressed."""
    desk = start(*STILL, environment={"STY": window})
    desk.see("In sync with the venue")
    assert (b"\x1b[?1003h" in desk.bytes, b"\x1b[?1000h" in desk.bytes) == (has_mouse, has_mouse)
