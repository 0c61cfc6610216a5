"""A terminal that answers, answers late, answers no more, and one that never answered."""

from __future__ import annotations

import threading

import pytest

from tests.workstation.driver import desk
from tui.engine.intents import CancelAll
from tui.workstation.input.scopes import Scope
from tui.workstation.terminal.terminal_probe import ANSWER_S, QUERY, TerminalProbe


class Asked:
    """A probe on a clock that stands."""

    def __init__(self) -> None:
        self.now = 0.0
        self.written: list[str] = []
        self.probe = TerminalProbe(self.written.append, lambda: self.now)

    def answer(self, after: float) -> None:
        """Ask, and answer so many seconds later."""
        self.probe.ask()
        self.now += after
        self.probe.note_answer()


def test_a_terminal_that_never_replied_is_not_called_silent() -> None:
    at = Asked()
    for _ in range(100):
        at.probe.ask()
        at.now += 1.0
        assert not at.probe.silent_s
    assert at.written == [QUERY] * 100, "the first answer may be lost"


def test_a_terminal_that_stops_replying_is_called_silent() -> None:
    at = Asked()
    at.answer(0.01)
    at.probe.ask()
    at.now += ANSWER_S
    assert not at.probe.silent_s
    at.now += 0.1
    assert at.probe.silent_s == pytest.approx(ANSWER_S + 0.1)
    at.probe.ask()
    assert at.written == [QUERY] * 3, "an answer may be lost: it is asked for again"
    at.probe.note_answer()
    assert not at.probe.silent_s


def test_no_second_terminal_query_while_one_is_pending() -> None:
    at = Asked()
    at.answer(0.01)
    at.probe.ask()
    at.now += ANSWER_S
    at.probe.ask()
    assert at.written == [QUERY] * 2


def test_a_slow_terminal_reply_is_not_called_silent() -> None:
    at = Asked()
    at.answer(0.8)
    at.probe.ask()
    at.now += ANSWER_S + 0.7
    assert not at.probe.silent_s, "a second more than the answer before took"
    at.now += 0.2
    assert at.probe.silent_s


def test_a_second_silence_of_the_terminal_is_noticed_as_fast() -> None:
    at = Asked()
    at.answer(0.01)
    at.answer(60.0)
    at.probe.ask()
    at.now += 2 * ANSWER_S + 0.1
    assert at.probe.silent_s


def test_a_terminal_reply_without_a_query_is_ignored() -> None:
    at = Asked()
    at.probe.note_answer()
    at.probe.ask()
    at.now += 60.0
    assert not at.probe.silent_s


def test_exit_waits_for_the_last_terminal_reply() -> None:
    at = Asked()
    at.answer(ANSWER_S)
    at.probe.ask()
    reading = threading.Timer(0.01, at.probe.note_answer)
    reading.start()
    at.probe.await_last_answer()
    assert at.probe._asked is None
    at.probe._answer.clear()
    at.probe.await_last_answer()  # nothing is on its way: returns at once


async def test_trading_keys_on_a_silent_terminal_do_nothing() -> None:
    async with desk() as at:
        probe = at.app.probe
        probe._asked, probe._answers = at.clock.mono() - 12.3, True
        await at.press("b")
        assert at.scope() is not Scope.PREVIEW and at.port.intents == []
        assert "b ignored: the terminal has not responded for 12 s" in at.events()[-1]
        await at.press("?")
        assert "Keys" in at.text(), "what only looks does it"
        await at.press("escape")
        probe.note_answer()
        await at.press("b")
        assert at.scope() is Scope.PREVIEW


async def test_the_kill_key_works_when_the_terminal_stops_answering() -> None:
    async with desk() as at:
        probe = at.app.probe
        probe._asked, probe._answers = at.clock.mono() - 12.3, True
        await at.press("X")
        at.clock.pass_by(0.3)
        await at.press("enter")
        [intent] = at.port.intents
        assert isinstance(intent, CancelAll) and intent.kill, "a slow link keeps nobody from it"
