"""A terminal that answers no question any more; one that pastes between answers; what is left behind at the end."""

from __future__ import annotations

import fcntl
import termios
import time
from collections.abc import Callable
from pathlib import Path

from tests.terminal.conftest import STILL, no_daily_ask
from tests.terminal.terminal import ASKS_CURSOR, LIMIT, Terminal
from tests.terminal.test_trading_day import Trader

Start = Callable[..., Terminal]


def _asked(desk: Terminal, more: int = 1) -> None:
    """Wait until it was asked so often again."""
    before = desk.bytes.count(ASKS_CURSOR)
    desk.until(lambda _: desk.bytes.count(ASKS_CURSOR) >= before + more or None, "a question")


def test_trading_keys_are_ignored_while_the_terminal_is_silent(start: Start, tmp_path: Path) -> None:
    home = tmp_path / "home"
    no_daily_ask(home)
    config = home / "config" / "config.toml"
    config.write_text(config.read_text().replace("key_max_age_ms = 10000", "key_max_age_ms = 500"))
    desk = start(*STILL, home=home)
    Trader(desk).arm()
    _asked(desk, 2)
    desk.answers = False
    deadline = time.monotonic() + LIMIT
    while not any("ignored: the terminal has not responded" in line for line in desk.display):
        assert time.monotonic() < deadline, desk.text()
        desk.press("b", "escape")
    desk.answers = True
    _asked(desk)
    desk.press("1", "b")
    desk.see("Staged")


def test_terminal_replies_around_a_paste_are_no_keys(start: Start) -> None:
    desk = start(*STILL)
    Trader(desk).arm()
    desk.press("1", "b")
    desk.see("Staged")
    desk.press("0")
    desk.see("size")
    desk.burst("\x1b[12;40R\x1b[200~.025\x1b[201~\x1b[7;7R")
    desk.see("size", "▸0.025 ")
    assert "ignored" not in desk.text()


def test_no_terminal_reply_is_left_for_the_shell(start: Start) -> None:
    desk = start(*STILL)
    desk.see("no open orders")
    _asked(desk, 2)
    desk.answer_after = 0.2
    _asked(desk, 2)
    desk.press("ctrl+q")
    assert desk.wait() == 0
    deadline = time.monotonic() + LIMIT
    while desk.answered < desk.bytes.count(ASKS_CURSOR) and time.monotonic() < deadline:
        time.sleep(0.01)
    unread = bytearray(4)
    fcntl.ioctl(desk._slave, termios.FIONREAD, unread)
    assert not any(unread)
