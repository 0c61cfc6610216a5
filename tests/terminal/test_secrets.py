"""A whole session with a key that is looked for afterwards, and every address it talked to."""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.terminal.conftest import no_daily_ask
from tests.terminal.misbehaving import KEY_NAMES, write_profile
from tests.terminal.terminal import Terminal
from tests.terminal.test_bad_input import PROMPT_ARMS, enter, select
from tests.venue.shell.conftest import STILL
from tests.venue.shell.conftest import Venue as VenueProcess

PROGRAM = """
import os, sys
from pathlib import Path
home = Path(os.environ["CROSSDESK_HOME"])
def heard(event, args):
    if event == "socket.connect" and isinstance(args[1], tuple):
        with open(home / "addresses.txt", "a") as file:
            print(args[1][0], file=file)
sys.addaudithook(heard)
import tui.workstation.early
from tui.workstation.app import CrossdeskApp
whole = CrossdeskApp._tick
def tick(self):
    if (home / "crash.now").exists():
        raise RuntimeError("a defect in the screen")
    whole(self)
CrossdeskApp._tick = tick
from tui.cli.main import main
main(sys.argv[1:])
"""


def forms(secret: str) -> Iterator[bytes]:
    """Every form in which it might lie about: plain, encoded, and either half of it."""
    raw = secret.encode()
    half = len(raw) // 2
    for text in (raw, raw[:half], raw[half:]):
        yield text
        yield base64.b64encode(text).rstrip(b"=")
        yield text.hex().encode()
    yield quote(secret, safe="").encode()


@pytest.fixture
def venue() -> Iterator[VenueProcess]:
    running = VenueProcess(*STILL)
    yield running
    running.stop()


def test_s4_s5_s16_s20_nothing_a_session_leaves_behind_holds_the_key_or_names_another_host(
    venue: VenueProcess, tmp_path: Path
) -> None:
    key, home = venue.ready["keys"][0], tmp_path / "home"
    write_profile(
        home,
        rest=venue.ready["rest_url"],
        private=venue.ready["private_ws_url"],
        public=venue.ready["public_ws_url"],
        portfolio=key["portfolioId"],
        more="[engine.watchdog]\non = true\n",
    )
    desk = Terminal(
        "--profile",
        "desk",
        home=home,
        environment={KEY_NAMES["key_env"]: key["api_key"], KEY_NAMES["secret_env"]: key["api_secret"]},
        program=("-c", PROGRAM),
    )
    try:
        desk.see("Type the portfolio name 'main'")
        desk.press("main", "enter")
        desk.see("in step with the venue")
        desk.press("a")
        desk.see("Arm portfolio main")
        time.sleep(PROMPT_ARMS)
        desk.press("y")
        desk.see("ARMED")
        select(desk, "BTC perp", "BINANCE")
        desk.press("b")
        desk.see("Staged")
        enter(desk)
        desk.see("OPEN", "BINANCE BTC")
        children = Path(f"/proc/{desk.process.pid}/task/{desk.process.pid}/children").read_text().split()
        for pid in (str(desk.process.pid), *children):
            shown = Path(f"/proc/{pid}/cmdline").read_bytes()
            assert key["api_secret"].encode() not in shown and key["api_key"].encode() not in shown
        for pid in children:
            assert key["api_secret"].encode() not in Path(f"/proc/{pid}/environ").read_bytes()
        (home / "crash.now").touch()
        assert desk.wait(10) == 1
    finally:
        desk.close()

    left = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    left[Path("terminal")] = bytes(desk.bytes)
    assert any(path.name == "crash.log" for path in left), "the crash was not reached"
    assert any(b"BINANCE_PERP_BTC_USDT" in text for path, text in left.items() if "journal" in path.name), "no journal"
    for secret in (key["api_secret"], key["api_key"]):
        for form in forms(secret):
            assert [path for path, text in left.items() if form in text] == [], form
    for path, text in left.items():
        if path.suffix == ".log":
            assert not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", text), path
            assert not re.search(rb"\b[0-9a-f]{64}\b", text), path
    assert set((home / "addresses.txt").read_text().split()) == {"127.0.0.1"}


def test_s20_a_paper_session_talks_to_this_machine_only(tmp_path: Path) -> None:
    no_daily_ask(tmp_path / "home")
    desk = Terminal(*STILL, home=tmp_path / "home", program=("-c", PROGRAM))
    try:
        desk.see("no open orders")
        desk.see("BINANCE", "1t")
    finally:
        desk.close()
    assert set((tmp_path / "home" / "addresses.txt").read_text().split()) <= {"127.0.0.1", "::1"}
