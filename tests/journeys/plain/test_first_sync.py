"""Plain mode before the account is known, questions that stay open, and orders that have ended."""

from __future__ import annotations

import pytest

from tests.journeys.plain.test_scripted import BTC, LINE, Scripted
from tests.workstation.scripted import fill_desk
from tui.engine.intents import Place
from tui.engine.modes import TradingState
from tui.engine.rows import Table
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.mirror import Mirror
from tui.workstation.model.screen_preferences import ScreenPreferences
from tui.workstation.plain import first_sync
from tui.workstation.plain.input_lines import ReadLine
from tui.workstation.plain.line_runner import LONGEST_CHANGE_S
from tui.workstation.plain.plain_desk import PlainDesk
from tui.workstation.settings import WorkstationSettings


def start_early(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    """Start a desk that has not read the account yet."""

    def fill(port: object) -> None:
        at_port.append(port)
        port.set_desk(synced=False)  # type: ignore[attr-defined]

    at_port: list[object] = []
    monkeypatch.setattr("tests.journeys.plain.test_scripted.fill_desk", fill)
    return Scripted()


@pytest.mark.parametrize("word", ["positions", "orders", "assets", "adl", "fills", "quotes", "pairs", "order last"])
def test_plain_lists_are_not_known_before_the_first_sync(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    at = start_early(monkeypatch)
    assert at.enter(word) == [f"{word.split()[0]}: {first_sync.NOT_KNOWN}"]
    assert at.enter("status")[-1] == f"orders and positions are {first_sync.NOT_KNOWN}"


def test_plain_commands_but_halt_are_refused_before_the_sync(monkeypatch: pytest.MonkeyPatch) -> None:
    at = start_early(monkeypatch)
    for line in ("flat all", f"buy 0.01 BTC {BTC} take", "arm", "c all pf"):
        (said,) = at.enter(line)
        assert said.startswith(f"not done: pairs, positions and orders are {first_sync.NOT_KNOWN}")
    at.enter("halt")
    assert [mode.value for mode in at.port.modes] == ["HALT"]


def test_a_piped_plain_line_waits_for_the_first_sync(monkeypatch: pytest.MonkeyPatch) -> None:
    at = start_early(monkeypatch)
    line = ReadLine("positions", at.clock.mono())
    assert not at.desk.hold(line), "a line of a terminal waits for nothing"
    at.desk.wait_until = at.clock.mono() + first_sync.LONGEST_WAIT_S
    assert at.desk.hold(line) and not at.desk.hold(ReadLine("quit", at.clock.mono()))
    fill_desk(at.port)
    at.port.set_desk(synced=True)
    at.step()
    assert not at.desk.hold(line)


def test_a_piped_plain_line_waits_for_the_first_sync_up_to_20_s(monkeypatch: pytest.MonkeyPatch) -> None:
    at = start_early(monkeypatch)
    at.desk.wait_until = at.clock.mono() + first_sync.LONGEST_WAIT_S
    at.step(first_sync.LONGEST_WAIT_S)
    assert not at.desk.hold(ReadLine("positions", at.clock.mono()))
    assert at.said[-1].startswith("not in sync with the venue after 20 s")


@pytest.mark.parametrize("typed", ["y", "Y", "yes 1", "n", "okay"])
def test_a_plain_line_that_is_no_answer_leaves_the_question_open(typed: str) -> None:
    at = Scripted()
    at.enter(LINE)
    said = at.enter(typed)
    assert "the question stays open" in said[0] and said[1] == "type yes, or no"
    at.enter("yes")
    assert len(at.sent(Place)) == 1


def test_plain_order_last_finds_an_order_that_has_ended() -> None:
    at = Scripted()
    for key, row in list(at.desk.context.mirror.orders.items()):
        if row.working:
            at.port.put(Table.ORDERS, key, None)
    at.clock.pass_by(1.0)
    at.port.order("abcdef01", BTC, "BUY", "63000.0", "0.1", state="FILLED", executed="0.1")
    at.step()
    assert "abcdef01"[-6:] in at.enter("order last")[0]


def test_a_read_only_plain_desk_does_not_arm() -> None:
    at = Scripted()
    at.port.set_desk(read_only="READ-ONLY: asked for", trading_state=TradingState.VIEW)
    at.step()
    assert at.enter("arm") == ["not done: READ-ONLY: asked for"] and at.port.states == []


@pytest.mark.parametrize(("word", "before"), [("arm", TradingState.VIEW), ("view", TradingState.ARMED)])
def test_a_piped_plain_line_waits_until_the_new_state_is_reached(
    word: str, before: TradingState, monkeypatch: pytest.MonkeyPatch
) -> None:
    at, asked = Scripted(), list[TradingState]()
    at.port.set_desk(trading_state=before)
    at.step()
    monkeypatch.setattr(at.port, "set_trading_state", asked.append)
    at.enter(word)
    line = ReadLine(LINE, at.clock.mono())
    assert not at.desk.hold(line), "a line of a terminal waits for nothing"
    at.desk.is_piped = True
    assert len(asked) == 1 and at.desk.hold(line)
    at.port.set_desk(trading_state=asked[0])
    at.step()
    assert not at.desk.hold(line)


def test_a_piped_plain_line_waits_a_bounded_time_for_a_state(monkeypatch: pytest.MonkeyPatch) -> None:
    at = Scripted()
    at.desk.is_piped = True
    monkeypatch.setattr(at.port, "set_risk_mode", lambda mode: None)
    at.enter("halt")
    assert at.desk.hold(ReadLine("orders", at.clock.mono()))
    at.step(LONGEST_CHANGE_S + 0.1)
    assert not at.desk.hold(ReadLine("orders", at.clock.mono()))


def test_a_window_about_to_attach_is_not_called_read_only() -> None:
    at = start_unattached()
    assert at.said == []
    at.port.set_desk(read_only="", portfolio="7001")
    at.step()
    assert at.said == ["nothing is sent until you type arm"]
    only = start_unattached()
    only.port.set_desk(portfolio="7001")
    only.step()
    assert only.said == ["READ-ONLY: another crossdesk trades this portfolio"]


def start_unattached() -> Scripted:
    """Start a desk beside another one that holds the account."""
    at = Scripted()
    at.said = []
    at.port.set_desk(read_only="READ-ONLY: another crossdesk trades this portfolio", portfolio="")
    view = DisplayContext(Mirror(at.clock), at.clock, WorkstationSettings())
    at.desk = PlainDesk(at.port, view, at._write, ScreenPreferences({}, [], b"", at._keep))
    at.step()
    return at
