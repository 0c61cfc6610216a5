"""Waits of a shell command: they end, and say what was not heard and whether something may have been sent."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.workstation.scripted import ScriptedClock, ScriptedPort, fill_desk
from tui.cli.commands.do import TERMS_S, LineNotSent, _await_quotes, _look_ahead
from tui.cli.desks import shell_desk
from tui.cli.desks.line_sender import LineSender
from tui.cli.desks.shell_desk import SILENT_S, NotDone, ShellDesk
from tui.desk_protocol.remote_engine import RemoteEngine
from tui.engine.intents import Outcome, Verdict
from tui.engine.modes import TradingState
from tui.engine.rows import ReadFailure, Table
from tui.workstation.command_line.grammar.parser import parse
from tui.workstation.command_line.grammar.refusals import LineRefused
from tui.workstation.command_line.grammar.scene import Scene
from tui.workstation.command_line.named_rows import Cursor
from tui.workstation.command_line.outlook import expand_closes, look_ahead
from tui.workstation.command_line.requests import asks_once, list_requests
from tui.workstation.model.algo_figures import why_unknown
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.mirror import Mirror
from tui.workstation.settings import WorkstationSettings

BTC = "BINANCE_PERP_BTC_USDT"


class Engine(ScriptedPort):
    """Scripted engine behind the link to a desk; time passes with each look at its rows."""

    failure = ""

    def __init__(self, clock: ScriptedClock, *, attached: bool) -> None:
        super().__init__(clock)
        self.core = RemoteEngine.__new__(RemoteEngine)
        self.core._client = cast(Any, object()) if attached else None

    @property
    def updates(self) -> Any:
        self.clock.pass_by(0.5)
        return super().updates


def open_desk(monkeypatch: pytest.MonkeyPatch, *, attached: bool = True) -> tuple[ShellDesk, Engine]:
    monkeypatch.setattr(shell_desk, "threading", SimpleNamespace(Event=lambda: SimpleNamespace(wait=lambda _: None)))
    clock = ScriptedClock()
    engine = Engine(clock, attached=attached)
    fill_desk(engine)
    engine.set_desk(trading_state=TradingState.ARMED)
    view = DisplayContext(Mirror(clock), clock, WorkstationSettings())
    desk = ShellDesk(cast(Any, engine), view)
    view.mirror.apply(engine.updates.take())
    return desk, engine


def test_command_do_says_in_time_that_the_desk_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    desk, _ = open_desk(monkeypatch, attached=False)
    began = desk.view.clock.mono()
    with pytest.raises(NotDone, match="the desk that holds this account does not answer") as silent:
        desk.wait(lambda: False, "the account", 30.0)
    assert silent.value.exit_code == 2 and desk.view.clock.mono() - began <= SILENT_S + 1


def test_an_order_of_do_whose_answer_is_lost_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    desk, engine = open_desk(monkeypatch)
    engine.hold = True
    monkeypatch.setattr(engine, "foresee", lambda intents: Future())
    sender = LineSender(desk, look(desk, f"buy 0.02 BTC {BTC} at 60000"))
    engine.core._client = None
    with pytest.raises(NotDone):
        sender.foresee()
    [sent] = sender.send(yes=True, foreseen=sender.describe(()))
    assert (sent.outcome.verdict, len(engine.intents)) == (Verdict.UNKNOWN, 1)
    assert "it may have been sent" in sent.outcome.text


def test_do_stops_waiting_when_the_engine_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    desk, engine = open_desk(monkeypatch)
    engine.failure = "ENGINE STOPPED: no disk"
    with pytest.raises(NotDone, match="no disk"):
        desk.wait(lambda: False, "the account", 30.0)


def look(desk: ShellDesk, line: str) -> Any:
    view = desk.view
    newest = next(iter(view.mirror.working())).key
    return expand_closes(look_ahead(parse(line, Scene(view.mirror.symbols)), view, Cursor("", newest=newest)), view)


def test_a_why_line_of_the_shell_sends_no_request(monkeypatch: pytest.MonkeyPatch) -> None:
    desk, _ = open_desk(monkeypatch)
    assert look(desk, "why last").steps[0].keys and list_requests(look(desk, "why last")) == []


@pytest.mark.parametrize(
    ("line", "words"),
    [("flat", "write its pair, such as flat BINANCE BTC perp"), ("c here", "there is no cursor: write last, or #")],
)
def test_a_shell_line_without_a_target_says_what_to_write(
    monkeypatch: pytest.MonkeyPatch, line: str, words: str
) -> None:
    """The shell spoke of a cursor that it has not."""
    desk, _ = open_desk(monkeypatch)
    with pytest.raises(LineNotSent) as refused:
        _look_ahead(line, None, desk)
    assert words in str(refused.value)


@pytest.mark.parametrize(("line", "waits"), [(f"flat {BTC}", True), ("protect all 1%", True), ("c all pf", False)])
def test_do_reads_stops_and_targets_first_if_its_line_needs_them(
    monkeypatch: pytest.MonkeyPatch, line: str, waits: bool
) -> None:
    """A close was sent without a question, because the stop that ended with it was not read yet."""
    desk, engine = open_desk(monkeypatch)
    engine.set_desk(algo_error="not read yet")
    desk.view.mirror.apply(engine.updates.take())
    updates = Engine.updates.__get__

    def read_after_a_while(self: Engine) -> Any:
        if self.clock.at - began > 3:
            self.set_desk(algo_error="")
        return updates(self)

    monkeypatch.setattr(Engine, "updates", property(read_after_a_while))
    began = engine.clock.at
    _await_quotes([step.command for step in parse(line, Scene(desk.view.mirror.symbols)).steps], desk)
    assert (why_unknown(desk.view.mirror) == "") == waits


def test_flat_all_closes_all_positions_but_those_of_kept_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    desk, _ = open_desk(monkeypatch)
    every = list_requests(look(desk, "flat all"))
    assert len(every) > 1 and all(request.ticket is not None and request.ticket.closes for request in every)
    assert [request.beside for request in every] == [False] + [True] * (len(every) - 1)
    first = every[0].ticket
    assert first is not None
    desk.view.kept = {first.sym}
    kept = look(desk, "flat all")
    assert first.sym not in {request.ticket.sym for request in list_requests(kept) if request.ticket}
    assert asks_once(kept) and kept.steps[0].left.startswith("kept open: ")
    desk.view.kept = set(desk.view.mirror.symbols)
    with pytest.raises(LineRefused, match="every position is kept"):
        look(desk, "flat all")


def test_do_sends_nothing_after_a_denied_order_of_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind `&` the next one was sent."""
    desk, engine = open_desk(monkeypatch)
    first, second = f"buy 0.02 BTC {BTC} at 60000", f"buy 0.02 BTC {BTC} at 60100"
    for joint, count in (("; ", 1), ("& ", 1)):
        engine.outcomes = [Outcome(verdict=Verdict.DENIED, text="no")]
        sender = LineSender(desk, look(desk, first + joint + second))
        assert len(sender.send(yes=True, foreseen=sender.describe(()))) == count


def test_after_a_denied_cancel_cancel_all_sends_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    desk, engine = open_desk(monkeypatch)
    engine.outcomes = [Outcome(verdict=Verdict.DENIED, text="no")]
    sender = LineSender(desk, look(desk, "c all pf"))
    sender.send(yes=True, foreseen=sender.describe(()))
    assert len(engine.intents) == len(sender.requests) > 1


@pytest.mark.parametrize("unreadable", [False, True])
def test_do_says_that_it_waits_for_fees_unless_unreadable(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], unreadable: bool
) -> None:
    """The command stood still for 5 s and said nothing; where the service refuses the fees, it does not wait at all."""
    desk, engine = open_desk(monkeypatch)
    for venue in ("BINANCE", "OKX", "EDX"):
        engine.put(Table.FEES, f"{venue}/PERP", None)
    if unreadable:
        engine.put(Table.UNREAD, Table.FEES.value, ReadFailure("no permission"))
    began = engine.clock.at
    line = "buy 0.001 BTC BINANCE_PERP_BTC join"
    _await_quotes([step.command for step in parse(line, Scene(desk.view.mirror.symbols)).steps], desk)
    waited, told = engine.clock.at - began, capsys.readouterr()
    assert (waited > TERMS_S) is not unreadable and told.out == ""
    says = "crossdesk: waiting for fees, margin tiers and the account, without which no cost is told, for 5 s at most\n"
    assert told.err == ("" if unreadable else says)
