"""Life and death of the real program: start, signals, kill, restart, a second one."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.busy import limit
from tests.terminal.conftest import STILL, Venue, no_daily_ask
from tests.terminal.rows import find_row
from tests.terminal.terminal import TOP, Terminal, alive

Start = Callable[..., Terminal]


def dies(pid: int, within: float = 20.0) -> float:
    """Seconds until a process is gone."""
    began = time.monotonic()
    while alive(pid):
        assert time.monotonic() - began < within, f"{pid} still runs"
        time.sleep(0.01)
    return time.monotonic() - began


def test_the_first_screen_frame_comes_before_network_access(tmp_path: Path) -> None:
    script = """
import sys
import tui.cli.launcher as desk
import tui.cli.paper_venue as paper
seen = []
def spawn(self, arguments, log): self._process = None
paper.PaperVenue.__init__ = spawn
paper.PaperVenue.wait_until_ready = lambda self: (_ for _ in ()).throw(paper.VenueFailed("not in this test"))
paper.PaperVenue.exit_reason = lambda self: ""
paper.PaperVenue.stop = lambda self: None
import tui.engine.life.thread as thread
thread.EngineThread.start = lambda self: (seen.extend(sys.modules), self_app.exit())
import tui.workstation.app.app as app_module
first = app_module.CrossdeskApp.__init__
def keep(self, *args, **options):
    global self_app
    first(self, *args, **options)
    self_app = self
app_module.CrossdeskApp.__init__ = keep
code = desk.run(desk.LaunchOptions(None, False, None, None, ()))
heavy = sorted({"aiohttp", "websockets", "pydantic", "sqlite3"} & {name.split(".")[0] for name in seen})
print("SEEN", len(seen), "HEAVY", heavy, "CODE", code, flush=True)
"""
    import pty

    master, slave = pty.openpty()
    environment = {**os.environ, "CROSSDESK_HOME": str(tmp_path), "TERM": "xterm-256color"}
    process = subprocess.Popen(
        [sys.executable, "-c", script], cwd=TOP, stdin=slave, stdout=slave, stderr=slave, env=environment
    )
    os.close(slave)
    output = b""
    try:
        while data := os.read(master, 65536):
            output += data
    except OSError:
        pass
    process.wait(timeout=20)
    os.close(master)
    assert b"HEAVY [] CODE 0" in output, output[-600:]


@pytest.mark.usefixtures("as_users_start_it")
def test_five_panes_show_data_two_seconds_after_the_first_frame(start: Start) -> None:
    desk = start("--seed", "3")
    desk.see("1 Quotes")
    first_frame = time.monotonic()

    def quotes(display: list[str]) -> str | None:
        row = find_row(display, ("bid", "ask", "age"), "BINANCE")
        if row is None or not (row.text("bid")[:1].isdigit() and row.text("ask")[:1].isdigit()):
            return None
        return " ".join(row.text(name) for name in ("bid qty", "bid", "ask", "ask qty"))

    before = desk.until(quotes, "quotes with prices")
    desk.until(lambda display: (now := quotes(display)) is not None and now != before, "quotes that move")
    assert time.monotonic() - first_frame < limit(2.0)
    for title in ("1 Quotes", "2 Orders", "3 Positions", "4 Assets", "5 ADL", "PAPER", "VIEW"):
        desk.see(title)
    desk.see("USDT", "BINANCE", "100,000.00")


@pytest.mark.usefixtures("as_users_start_it")
def test_s35_the_paper_venue_ends_when_the_program_is_killed(start: Start) -> None:
    desk = start(*STILL)
    desk.see("no open orders")
    venue = Venue(desk.home)
    desk.process.kill()
    desk.process.wait()
    assert dies(venue.pid) < limit(1.0)


@pytest.mark.usefixtures("as_users_start_it")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_program_and_restores_the_terminal(start: Start, number: signal.Signals) -> None:
    desk = start(*STILL)
    desk.see("no open orders")
    venue = Venue(desk.home)
    began = time.monotonic()
    desk.process.send_signal(number)
    assert desk.wait(5) == 128 + number
    assert time.monotonic() - began < limit(4)
    dies(venue.pid)
    assert desk.is_restored()


def test_the_window_title_names_environment_portfolio_and_state(start: Start) -> None:
    desk = start(*STILL)
    desk.until(lambda _: desk.screen.title == "PAPER main VIEW crossdesk" or None, "the title")
    desk.see("no open orders")
    desk.press("a")
    desk.until(lambda _: desk.screen.title == "PAPER main ARMED crossdesk" or None, "the title of an armed desk")


def test_the_window_title_can_be_switched_off(tmp_path: Path, start: Start) -> None:
    home = tmp_path / "home"
    no_daily_ask(home)
    settings = home / "config" / "config.toml"
    settings.write_text(settings.read_text().replace("[workstation]", "[workstation]\nwindow_title = false"))
    desk = start(*STILL, home=home)
    desk.see("VIEW", "PAPER")
    assert b"\x1b]2;" not in desk.bytes


@pytest.mark.parametrize(("value", "colors"), [("1", False), ("", True)])
def test_the_variable_no_color_takes_colors_away_unless_empty(start: Start, value: str, colors: bool) -> None:
    """An empty one asks for nothing; textual would draw in greys."""
    desk = start(*STILL, environment={"NO_COLOR": value})
    desk.see("VIEW", "PAPER")
    written = [one.split(b";") for one in re.findall(rb"\x1b\[([\d;]*)m", bytes(desk.bytes))]
    values = {tuple(one[at + 2 : at + 5]) for one in written for at, code in enumerate(one) if code in (b"38", b"48")}
    assert any(len(set(value)) > 1 for value in values) if colors else not values


@pytest.mark.usefixtures("as_users_start_it")
def test_quit_ends_the_program_and_restores_the_terminal(start: Start) -> None:
    desk = start(*STILL)
    desk.see("no open orders")
    venue = Venue(desk.home)
    desk.press("ctrl+q")
    if desk.process.poll() is None:
        desk.press("y")
    assert desk.wait(5) == 0
    dies(venue.pid)
    assert desk.is_restored()
    assert bytes(desk.bytes).count(b"\x1b[?1049l") == 1, "twice, the cursor would be put to another place"
    assert not list((desk.home / "run").iterdir())


def test_s9_a_crash_restores_the_terminal_and_prints_no_values(start: Start) -> None:
    script = """
import tui.workstation.terminal.environment
from tui.workstation.app.app import CrossdeskApp
def tick(self):
    secret = "canary-" + "value"
    raise RuntimeError("a defect in the screen")
CrossdeskApp._tick = tick
from tui.cli.main import main
main(["--seed", "7", "--set", "agents=still"])
"""
    desk = start(program=("-c", script))
    venue = Venue(desk.home)
    assert desk.wait(10) == 1
    desk.see("crossdesk crashed; the report is")
    dies(venue.pid)
    assert desk.is_restored()
    report = (desk.home / "state" / "paper" / "crash.log").read_text()
    assert "a defect in the screen" in report
    log = (desk.home / "state" / "paper" / "crossdesk.log").read_text()
    assert "the screen stopped" in log and "RuntimeError: a defect in the screen" in log
    assert "canary-value" not in report + log + bytes(desk.bytes).decode(errors="replace")


def test_s4_an_engine_error_is_logged_and_not_shown(start: Start) -> None:
    script = """
import tui.workstation.terminal.environment
from tui.client.signer import Signer
first = Signer.__init__
def keep(self, key, secret, clock):
    global told
    told = key + " " + secret.reveal()
    first(self, key, secret, clock)
Signer.__init__ = keep
from tui.client.rest import Rest
async def read_all_pages(*_, **__):
    canary = "canary-" + "value"
    raise RuntimeError("a defect in the engine " + told)
Rest.read_all_pages = read_all_pages
from tui.cli.main import main
main(["--seed", "7", "--set", "agents=still"])
"""
    desk = start(program=("-c", script))
    desk.see("internal error in")
    path = desk.home / "state" / "paper" / "crossdesk.log"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    log = path.read_text()
    assert "Traceback" in log and "RuntimeError: a defect in the engine [hidden] [hidden]" in log
    assert "canary-value" not in log
    assert b"Traceback" not in bytes(desk.bytes)
    assert desk.process.poll() is None


def test_a_signal_ends_the_program_even_if_the_terminal_is_stuck(start: Start) -> None:
    desk = start("--seed", "3")
    desk.see("no open orders")
    venue = Venue(desk.home)
    desk.stop_reading()
    time.sleep(2)
    desk.process.send_signal(signal.SIGTERM)
    assert desk.wait(6) == 128 + signal.SIGTERM
    dies(venue.pid)


def test_a_second_window_has_a_trading_state_of_its_own(start: Start) -> None:
    desk = start(*STILL)
    desk.see("no open orders")
    second = start(home=desk.home)
    desk.see("desk 2 attached")
    second.see("USDT", "BINANCE", "100,000.00")
    second.gone("READ-ONLY")
    second.press("a")
    second.see("ARMED")
    desk.see("desk 2: Armed")
    assert "VIEW" in desk.display[0]
    looks = start("--read-only", home=desk.home)
    looks.see("USDT", "BINANCE", "100,000.00")
    looks.press("a")
    looks.see("started with --read-only")
    looks.press("ctrl+q", "y")
    looks.wait(5)
    second.press("ctrl+q", "y")
    second.wait(5)
    assert desk.process.poll() is None
    Venue(desk.home).open_orders()


@pytest.mark.usefixtures("as_users_start_it")
def test_s2_s33_s41_files_are_private_and_no_argument_has_a_key(start: Start) -> None:
    desk = start(*STILL)
    desk.see("no open orders")
    Venue(desk.home)
    for path in desk.home.rglob("*"):
        mode = stat.S_IMODE(path.lstat().st_mode)
        assert mode & 0o077 == 0, (path, oct(mode))
    command = Path(f"/proc/{desk.process.pid}/cmdline").read_bytes()
    assert b"api" not in command


def test_a_start_without_a_terminal_is_refused_with_the_reason() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "tui.cli.main"],
        cwd=TOP,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 2
    assert "needs a terminal" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--market", "/nowhere.csv"), "no such file"),
        (("--profile", "desk"), "known are"),
        (("--set", "nope=1"), "known are"),
    ],
)
def test_invalid_start_options_say_what_is_accepted(start: Start, arguments: tuple[str, ...], words: str) -> None:
    desk = start(*arguments)
    desk.see(words)
