"""A whole session with a key that is looked for afterwards, and every address it talked to."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

from tests.terminal.conftest import STILL
from tests.terminal.terminal import Terminal
from tests.terminal.trader import at_the_desk
from tests.venue.shell.conftest import shown_to_others

PROGRAM = """
import os, sys
from pathlib import Path
home = Path(os.environ["CROSSDESK_HOME"])
def heard(event, args):
    if event == "socket.connect" and isinstance(args[1], tuple):
        with open(home / "addresses.txt", "a") as file:
            print(args[1][0], file=file)
sys.addaudithook(heard)
import tui.workstation.terminal.environment
from tui.workstation.app.app import CrossdeskApp
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


def test_s4_s5_s16_s20_a_session_leaks_no_key(start: Callable[..., Terminal], tmp_path: Path) -> None:
    watched = "[engine.watchdog]\non = true\n"
    with at_the_desk(start, tmp_path, more=watched, program=("-c", PROGRAM)) as trader:
        desk, key = trader.desk, trader.venue.ready["keys"][0]
        home = desk.home
        trader.come_in()
        trader.rest_one()
        children = desk.children()
        assert children, "the watchdog runs"
        for pid in (desk.process.pid, *children):
            shown = Path(f"/proc/{pid}/cmdline").read_bytes()
            assert key["api_secret"].encode() not in shown and key["api_key"].encode() not in shown
        for pid in children:
            assert key["api_secret"].encode() not in shown_to_others(pid, "environ")
        (home / "crash.now").touch()
        assert desk.wait(10) == 1

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


def test_s20_a_paper_session_connects_to_localhost_only(start: Callable[..., Terminal]) -> None:
    desk = start(*STILL, program=("-c", PROGRAM))
    desk.see("no open orders")
    desk.see("BINANCE", "1t")
    assert set((desk.home / "addresses.txt").read_text().split()) <= {"127.0.0.1", "::1"}
