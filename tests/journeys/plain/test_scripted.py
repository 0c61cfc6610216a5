"""Lines of plain mode on a scripted engine: what is asked again, what ends by itself, and what is said once."""

from __future__ import annotations

import pytest

from tests.workstation.scripted import ScriptedClock, ScriptedPort, fill_desk
from tui.engine.event_line import Level
from tui.engine.intents import Cancel, CancelAll, Outcome, Place, Replace, Verdict
from tui.engine.journal.unreached_entry import FLATTEN, cause_of
from tui.engine.modes import RiskMode, TradingState
from tui.engine.rows import AlgoRow, Table
from tui.engine.status_rows import MandateRow, ProposalRow, Proposed
from tui.interface.families.algo import AlgoRecord
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.mirror import Mirror
from tui.workstation.model.screen_preferences import ScreenPreferences
from tui.workstation.plain.input_lines import ReadLine
from tui.workstation.plain.plain_desk import PlainDesk
from tui.workstation.settings import WorkstationSettings

BTC = "BINANCE_PERP_BTC_USDT"
LINE = f"long 0.02 BTC {BTC} at 63000"


class Scripted:
    """Plain desk on a scripted engine."""

    def __init__(self) -> None:
        self.clock = ScriptedClock()
        self.port = ScriptedPort(self.clock)
        fill_desk(self.port)
        self.port.set_desk(trading_state=TradingState.ARMED)
        self.said: list[str] = []
        self.kept = b""
        view = DisplayContext(Mirror(self.clock), self.clock, WorkstationSettings())
        self.desk = PlainDesk(self.port, view, self._write, ScreenPreferences({}, [], b"", self._keep))
        self.step()

    def _write(self, line: str) -> bool:
        self.said.append(line)
        return True

    def _keep(self, stored: bytes) -> None:
        self.kept = stored

    def step(self, seconds: float = 0.0) -> None:
        """Let time pass, and take what the engine has put."""
        self.clock.pass_by(seconds)
        self.desk.take_rows()

    def enter(self, *lines: str, after: float = 1.0) -> list[str]:
        """Type lines, each after a time; what was said to them is the answer."""
        before = len(self.said)
        for line in lines:
            self.step(after)
            self.desk.take_line(ReadLine(line, self.clock.mono()))
            self.step()
        return self.said[before:]

    def sent(self, kind: type) -> list[object]:
        """List the intents of a kind that were submitted."""
        return [intent for intent in self.port.intents if isinstance(intent, kind)]


def test_plain_mode_sends_an_order_only_by_the_word_yes() -> None:
    at = Scripted()
    at.enter(LINE)
    assert at.sent(Place) == []
    at.enter("", "y", "YES", "yes 2", "Yes")
    assert at.sent(Place) == []
    at.enter(LINE, "yes")
    assert [(order.qty, order.price) for order in at.sent(Place) if isinstance(order, Place)] == [("0.02", "63000")]


def test_a_plain_question_says_what_the_venue_would_refuse() -> None:
    """The full screen asks so about a single order; here it was sent, and rejected."""
    at = Scripted()
    said = " ".join(at.enter(f"long 0.02 BTC {BTC} at 64100 po"))
    assert "would be refused by the venue now: a post-only order would take: the ask is" in said
    at.enter("yes")
    assert len(at.sent(Place)) == 1


def test_plain_mode_says_the_answer_to_an_order_before_its_fill() -> None:
    """A fill may come while the outcome is on its way to the desk."""
    at = Scripted()
    at.port.hold = True
    at.enter(LINE, "yes")
    said = len(at.said)
    for text, key in (("connected", ""), ("BUY 0.02 BTC: accepted", "new"), ("FILL BUY 0.02 BTC", "new")):
        at.port.event(text, key=key)
    at.port.order(
        "new", BTC, "BUY", "64100", "0.02", executed="0.02", average="64000.5", state="FILLED", final=True
    )  # fmt: skip
    at.port.answer(Outcome(verdict=Verdict.ACCEPTED, key="new"))
    at.step()
    connected, accepted, done, fill = at.said[said:]
    assert connected == "connected" and "accepted" in accepted and "FILL" in fill
    assert done.startswith("done: ") and done.endswith(": filled 0.020 at 64,000.5"), (
        "on a small screen it is the newest"
    )


def test_a_plain_line_without_a_target_says_what_to_write() -> None:
    at = Scripted()
    [flat], [cancel] = at.enter("flat"), at.enter("c here")
    assert "which position? there is no cursor to choose it: write its pair, such as flat BINANCE BTC perp" in flat
    assert "there is no cursor: write last, or # and the beginning or end of an id" in cancel


def test_plain_mode_takes_pair_names_as_the_desk_writes_them() -> None:
    at = Scripted()
    at.enter("long 0.02 BTC binance btc PERP at 63000", "yes")
    at.enter("close half ETH", "yes")
    first, second = (order.sym for order in at.sent(Place) if isinstance(order, Place))
    assert (first, second) == (BTC, "BINANCE_PERP_ETH_USDT")
    assert any(line.startswith("binance btc perp") for line in map(str.lower, at.enter("quotes BINANCE BTC perp")))


def test_a_plain_order_in_view_and_halt_says_arm_then_resume() -> None:
    at = Scripted()
    at.port.set_desk(trading_state=TradingState.VIEW, risk_mode=RiskMode.HALT)
    assert at.enter(LINE)[-1].endswith("type arm; the risk mode is HALT: to open, then resume")


def test_plain_mode_refuses_a_yes_typed_before_its_question() -> None:
    at = Scripted()
    at.enter(LINE)
    assert "came before the question" in at.enter("yes", after=0.1)[0] and at.sent(Place) == []
    assert "came before the question" in at.enter("yes", after=0.1)[0] and at.sent(Place) == []
    at.enter("yes")
    assert len(at.sent(Place)) == 1


def test_an_unanswered_plain_question_expires() -> None:
    at = Scripted()
    at.enter(LINE)
    at.step(31)
    assert at.said[-1].endswith("no answer came, nothing is done")
    assert at.enter("yes") == ["no question is open: nothing is done"] and at.sent(Place) == []


def test_a_plain_question_names_what_the_order_gate_asks() -> None:
    at = Scripted()
    at.port.foreseen = [Outcome(verdict=Verdict.ASK, guard="SOFT", text="over the soft limit")]
    assert any("over the soft limit" in line for line in at.enter(LINE))
    at.enter("yes")
    assert [order.confirmed for order in at.sent(Place) if isinstance(order, Place)] == [frozenset(["SOFT"])]


def test_a_replace_of_an_order_that_filled_meanwhile_asks_again() -> None:
    at = Scripted()
    at.port.order("abcdef01", BTC, "BUY", "63000.0", "0.1", position_side="LONG", executed="0")
    at.step()
    at.enter("re #abcdef01 rest 0.05 BTC")
    at.port.order("abcdef01", BTC, "BUY", "63000.0", "0.1", position_side="LONG", executed="0.02")
    said = at.enter("yes")
    assert at.sent(Replace) == [] and any("filled 0.02 now, 0 when it was asked" in line for line in said)
    at.enter("yes")
    assert [replace.qty for replace in at.sent(Replace) if isinstance(replace, Replace)] == ["0.07"]


def test_plain_mode_says_a_repeated_warning_once() -> None:
    at = Scripted()
    before = len(at.said)
    for _ in range(5):
        at.port.event("the clock is off", Level.WARN)
        at.step(1)
    assert at.said[before:] == ["the clock is off"]


def test_plain_mode_carries_out_alias_keep_halt_and_view() -> None:
    at = Scripted()
    assert "trim stands for" in at.enter('alias trim "close 50% here"')[0] and b"trim" in at.kept
    assert "leave out: BINANCE BTC perpetual" in at.enter(f"keep {BTC}")[0]
    at.enter("halt")
    assert [mode.value for mode in at.port.modes] == ["HALT"]
    at.enter("view")
    assert at.port.states[-1] is TradingState.VIEW


def test_plain_help_names_commands_and_explains_one() -> None:
    at = Scripted()
    text = " ".join(at.enter("help"))
    assert all(word in text for word in ("quotes", "orders", "positions", "kill", "quit", "say"))
    assert at.enter("help quotes")[0].startswith("quotes")
    assert at.enter("help nothing")[0].startswith("no word nothing")
    assert at.enter("help accept")[0].startswith("every line of the command line works here")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("positons", "not done: positons is no word here; did you mean positions? help lists the words"),
        ("nonsense 7", "not done: nonsense is no word here; help lists the words"),
        ("dry nonsense", "not done: nonsense is not known here"),
    ],
)
def test_plain_mode_names_a_near_word_or_help_for_an_unknown_one(line: str, said: str) -> None:
    """It was answered by the 44 words of the command line, without those that read."""
    assert Scripted().enter(line)[0].startswith(said)


ASKS = Outcome(verdict=Verdict.ASK, guard="SOFT", text="over the soft limit")


def sent_and_unanswered() -> Scripted:
    """A desk that sent an order, about which the engine is still to answer."""
    at = Scripted()
    at.port.hold = True
    at.enter(LINE, "yes")
    return at


def test_yes_to_a_kill_never_answers_what_the_gate_asks() -> None:
    at = sent_and_unanswered()
    at.enter("kill")
    at.port.answer(ASKS)
    at.step()
    assert not any("over the soft limit" in line for line in at.said), "asked over the kill prompt"
    said = at.enter("yes", "yes")
    assert len(at.sent(CancelAll)) == len(at.sent(Place)) == 1
    assert any(line.startswith("closed unsent, HALT by you: Step 1 of 1 asks") for line in said), said
    assert said[-1] == "no question is open: nothing is done"


def test_a_gate_question_in_plain_mode_waits_for_the_open_one() -> None:
    at = sent_and_unanswered()
    at.enter("kill")
    at.port.answer(ASKS)
    said = at.enter("no")
    assert said[0] == "Kill: no, nothing is done" and said[1].startswith("question: Step 1 of 1 asks")
    assert "came before the question" in at.enter("yes", after=0.1)[0], "typed for the question before"
    at.enter("yes")
    assert len(at.sent(Place)) == 2 and at.sent(CancelAll) == []


def test_a_yes_to_an_expired_plain_question_answers_no_other() -> None:
    at = sent_and_unanswered()
    at.enter("kill")
    at.port.answer(ASKS)
    at.step()
    at.step(31)
    assert any(line.startswith("question: Step 1 of 1 asks") for line in at.said)
    assert "came before the question" in at.enter("yes", after=1.0)[0]
    assert len(at.sent(Place)) == 1 and at.sent(CancelAll) == []
    at.enter("yes", after=2.1)
    assert len(at.sent(Place)) == 2


def test_a_kill_at_another_desk_closes_a_plain_question() -> None:
    at = Scripted()
    at.enter(LINE)
    at.port.set_desk(kills=1, killed_by="by desk 2", trading_state=TradingState.VIEW, risk_mode=RiskMode.HALT)
    at.step()
    assert any(line.startswith("closed unsent, HALT by desk 2: Send 1 order") for line in at.said)
    assert at.enter("yes") == ["no question is open: nothing is done"] and at.sent(Place) == []


def test_a_gate_question_after_a_plain_kill_is_not_asked() -> None:
    at = sent_and_unanswered()
    at.enter("kill", "yes")
    at.port.answer(ASKS)
    at.step()
    assert any("nothing was sent: the question came after the kill: over the soft limit" in line for line in at.said)
    assert at.enter("yes")[-1] == "no question is open: nothing is done" and len(at.sent(Place)) == 1


def test_a_reading_line_repeats_the_open_plain_question() -> None:
    at = Scripted()
    at.enter(LINE)
    assert at.enter("orders")[-2].startswith("orders was read; the question stays open: Send 1 order")
    at.enter("yes")
    assert len(at.sent(Place)) == 1


def test_a_mandate_is_granted_by_yes_to_its_terms() -> None:
    """The line alone granted it, perhaps long after the terms were said."""
    at = Scripted()
    row = MandateRow(
        key="7", peer="maker", reason="quotes", pairs=(BTC,), side="BOTH", order_value="700", position_value="900",
        traded_value="1500", loss="50", orders_per_minute=30, seconds=600, since=at.clock.mono(),
        expires=at.clock.mono() + 60,
    )  # fmt: skip
    at.port.put(Table.MANDATES, "7", row)
    asked = " ".join(at.enter("grant 7"))
    assert "yes: lets maker send without asking: buy and sell BINANCE BTC perp" in asked and "loss 50" in asked
    assert at.enter("no")[-1].endswith("nothing is done") and at.port.granted == []
    at.enter("grant 7", "yes")
    assert at.port.granted == ["7"]
    at.enter("grant 7")
    at.port.put(Table.MANDATES, "7", None)
    assert "nothing is done" in " ".join(at.enter("yes")) and at.port.granted == ["7"]


def test_a_proposed_cancel_is_accepted_by_its_number() -> None:
    at = Scripted()
    key, order = next(item for item in at.desk.context.mirror.orders.items() if item[1].working)
    row = ProposalRow(
        key="4", peer="research-bot", reason="the basis", kind=Proposed.CANCEL, since=at.clock.mono(),
        expires=at.clock.mono() + 60, order=key, sym=order.sym, side=order.side, qty=order.qty,
    )  # fmt: skip
    at.port.put(Table.PROPOSALS, "4", row)
    assert "no proposal 5 waits" in " ".join(at.enter("accept 5")) and at.sent(Cancel) == []
    at.enter("accept 4")
    assert [(sent.key, sent.proposal) for sent in at.sent(Cancel) if isinstance(sent, Cancel)] == [(key, "4")]


def test_plain_clear_keeps_a_missed_flatten_and_clears_the_rest() -> None:
    """It was told again at each return of the link: plain mode had no word for it."""
    at = Scripted()
    assert at.enter("clear") == ["no warning waits: there is nothing to clear"]
    cause, missed = cause_of(FLATTEN), "flatten missed, redo it: 2 positions; tried 09:10:11"
    at.port.event("journal: set aside", Level.ALERT, sticky=True)
    at.port.event(missed, Level.ALERT, sticky=True, cause=cause, keepable=True)
    at.step()
    assert any(line.startswith(f"alert: {missed}; type clear ") for line in at.said)
    assert f"warning: {missed}" in at.enter("status")
    assert at.enter("clear") == [f"kept: {missed}", "kept: 1 warning; 1 more waits"]
    assert at.enter("clear") == ["journal: set aside", "cleared: 1 warning"]
    assert at.port.dismissed == [cause] and at.port.intents == []
    assert not any("warning: " in line for line in at.enter("status"))


def test_plain_orders_says_what_an_oversized_stop_closes() -> None:
    """After half of the position was sold its row still said the whole."""
    at = Scripted()
    record = AlgoRecord(
        algo_order_id="7", sym=BTC, side="SELL", position_side="LONG", order_qty="3", order_state="NEW",
        condition_type="PARTIAL_CLOSE_POSITION", sl_trigger_price="63000", sl_trigger_type="MARK_PRICE",
    )  # fmt: skip
    at.port.put(Table.ALGOS, "7", AlgoRow(key="7", record=record, stamp=at.port.stamp()))
    at.step()
    [line] = [line for line in at.enter("orders") if "stop SELL" in line]
    assert line.endswith(", closes the whole position, 2.500; its own size is 3.000"), line
