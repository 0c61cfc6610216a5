"""Lines sent from the shell: what ends them early, what `--yes` does not answer, and what is said of what has left."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.cli.test_shell_desk import BTC, open_desk
from tests.workstation.scripted import ScriptedPort
from tui.cli.commands.do import Consent, Output, _ask_or_send, _list_outcome, find_exit_code
from tui.cli.desks.line_sender import LineSender, Sent
from tui.cli.desks.shell_desk import ShellDesk
from tui.engine.intents import Cancel, CancelAlgo, Outcome, Place, Verdict
from tui.engine.rows import AlgoRow, Table
from tui.interface.families.algo import AlgoRecord
from tui.workstation.command_line.grammar.parser import parse
from tui.workstation.command_line.grammar.scene import Scene
from tui.workstation.command_line.named_rows import Cursor
from tui.workstation.command_line.outlook import look_ahead
from tui.workstation.command_line.requests import Request
from tui.workstation.features.command_line.foreseen import Foreseen

ACCEPTED = Outcome(verdict=Verdict.ACCEPTED, key="n1")
BUY = f"buy 0.02 BTC {BTC} at 60000"


def look(desk: ShellDesk, line: str) -> LineSender:
    """Look ahead at a line; `last` is an order of which 0.1 of 0.25 has filled."""
    view = desk.view
    return LineSender(desk, look_ahead(parse(line, Scene(view.mirror.symbols)), view, Cursor(last="o3")))


def send(sender: LineSender) -> list[Sent]:
    return sender.send(yes=True, foreseen=sender.describe(()))


@pytest.mark.parametrize(("executed", "count"), [("0.100", 2), ("0.2", 1), ("0.250", 1)])
def test_do_ends_a_line_if_the_order_to_cancel_has_filled(
    monkeypatch: pytest.MonkeyPatch, executed: str, count: int
) -> None:
    """Else a cancel that lost to a fill would double the position."""
    desk, engine = open_desk(monkeypatch)
    sender = look(desk, f"c last ; {BUY}")
    state = "FILLED" if executed == "0.250" else "CANCELLED"
    engine.order("o3", BTC, "BUY", "63998.0", "0.250", executed=executed, position_side="LONG", state=state, final=True)
    sent = send(sender)
    assert len(engine.intents) == len(sent) == count
    assert sender.stopped == ("" if count == 2 else f"{executed} of it was filled before the cancel")
    assert find_exit_code(sent, 2) == (0 if count == 2 else 1)


@pytest.mark.parametrize(("executed", "count"), [("0", 1), ("0.010", 1), ("0.02", 2)])
def test_do_goes_on_after_an_ioc_order_only_if_it_filled_fully(
    monkeypatch: pytest.MonkeyPatch, executed: str, count: int
) -> None:
    """The next one was sent behind an order that had filled nothing."""
    desk, engine = open_desk(monkeypatch)
    engine.outcomes = [ACCEPTED, Outcome(verdict=Verdict.ACCEPTED, key="n2")]
    state = "FILLED" if count == 2 else "CANCELLED"
    engine.order("n1", BTC, "BUY", "60000", "0.02", executed=executed, state=state, time_in_force="IOC", final=True)
    engine.rest("n2")
    sender = look(desk, f"{BUY} ioc ; {BUY}")
    sent = send(sender)
    assert len(engine.intents) == len(sent) == count and find_exit_code(sent, 2) == (0 if count == 2 else 1)
    assert bool(sender.stopped) is (count == 1) and ("filled" in sender.stopped or count == 2)


def test_do_sends_an_order_after_a_closing_order_that_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was lost: the order before was waited for until it would have filled."""
    desk, engine = open_desk(monkeypatch)
    engine.outcomes = [ACCEPTED, Outcome(verdict=Verdict.ACCEPTED, key="n2")]
    for key in ("n1", "n2"):
        engine.rest(key)
    sender = look(desk, f"short 0.02 BTC {BTC} at 66000 ro ; {BUY}")
    sent = send(sender)
    assert (len(sent), sender.stopped, find_exit_code(sent, 2)) == (2, "", 0)


@pytest.mark.parametrize("guard", ["UNKNOWN_PENDING", "UNKNOWN_BESIDE", "BELOW_FILLED"])
def test_option_yes_confirms_nothing_that_needs_a_desk(monkeypatch: pytest.MonkeyPatch, guard: str) -> None:
    desk, engine = open_desk(monkeypatch)
    engine.outcomes = [Outcome(verdict=Verdict.ASK, guard=guard, text="it may still arrive")]
    [sent] = send(look(desk, BUY))
    assert (sent.outcome.verdict, len(engine.intents)) == (Verdict.ASK, 1)
    assert sent.outcome.text == "it may still arrive; only a desk can confirm this"
    engine.outcomes = [Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text="large"), ACCEPTED]
    [sent] = send(look(desk, BUY))
    last = engine.intents[-1]
    assert isinstance(last, Place) and last.confirmed == {"SOFT_NOTIONAL"} and sent.outcome.verdict is Verdict.ACCEPTED


def test_an_interrupted_line_reports_sent_and_unknown_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    desk, engine = open_desk(monkeypatch)
    engine.outcomes = [ACCEPTED]
    engine.rest("n1")
    sender, submit = look(desk, f"{BUY} ; {BUY} ; {BUY}"), desk.submit

    def interrupt_the_second(intent: Any) -> Outcome:
        if engine.intents:
            raise KeyboardInterrupt
        return submit(intent)

    monkeypatch.setattr(desk, "submit", interrupt_the_second)
    sent = send(sender)
    assert [one.outcome.verdict for one in sent] == [Verdict.ACCEPTED, Verdict.UNKNOWN]
    assert (sender.stopped, find_exit_code(sent, 3)) == ("interrupted", 3)


@pytest.mark.parametrize(
    ("state", "executed", "verdict", "is_void"),
    [
        ("CANCELLED", "0.000", Verdict.ACCEPTED, True),
        ("REJECTED", "0.000", Verdict.REJECTED, False),
        ("CANCELLED", "0.010", Verdict.ACCEPTED, False),
    ],
)
def test_outcome_of_an_ended_order_follows_its_filled_quantity(
    monkeypatch: pytest.MonkeyPatch, state: str, executed: str, verdict: Verdict, is_void: bool
) -> None:
    desk, engine = open_desk(monkeypatch)
    engine.outcomes = [ACCEPTED]
    engine.order("n1", BTC, "BUY", "60000", "0.02", executed=executed, state=state, time_in_force="IOC", final=True)
    [sent] = send(look(desk, f"{BUY} ioc"))
    assert (sent.outcome.verdict, sent.is_void) == (verdict, is_void)


@pytest.mark.parametrize("comes", [True, False])
def test_do_says_average_and_fee_only_if_they_cover_all_fills(monkeypatch: pytest.MonkeyPatch, comes: bool) -> None:
    """Fills were ahead of the order's record: its next one is waited for, and without it they are not said."""
    desk, engine = open_desk(monkeypatch)
    engine.outcomes = [ACCEPTED]

    def put_record(executed: str, average: str, fee: str) -> None:
        engine.order(
            "n1", BTC, "BUY", "60000", "0.02", state="CANCELLED", final=True, time_in_force="IOC", known_fills="0.010",
            executed=executed, average=average, fee=fee, fee_coin="USDT",
        )  # fmt: skip

    put_record("0.004", "60000.0", "1")
    monkeypatch.setattr(desk, "check", lambda: put_record("0.010", "59990.0", "3") if comes else None)
    row = _list_outcome(send(look(desk, f"{BUY} ioc"))[0], desk.view, yes=True)
    assert (row.filled, row.average, row.fee) == (("0.01", "59990", "3") if comes else ("0.01", "", ""))
    assert row.text.startswith("filled 0.010 BTC" + (" at 59,990.0, fee 3.0000 USDT · " if comes else " · "))


@pytest.mark.parametrize(("fee", "coin", "said"), [("0.000008", "BTC", "0.000008 BTC"), ("3", "USDT", "3.0000 USDT")])
def test_do_prints_a_fee_in_a_coin_with_all_its_digits(
    monkeypatch: pytest.MonkeyPatch, fee: str, coin: str, said: str
) -> None:
    desk, engine = open_desk(monkeypatch)
    engine.outcomes = [ACCEPTED]
    engine.order(
        "n1", BTC, "BUY", "60000", "0.02", state="FILLED", final=True, known_fills="0.02", executed="0.02",
        average="60000", fee=fee, fee_coin=coin,
    )  # fmt: skip
    assert f"fee {said}" in _list_outcome(send(look(desk, BUY))[0], desk.view, yes=True).text


def test_do_sends_no_close_of_a_reverse_if_its_opening_is_denied(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The desk does not ask about a reverse whose opening would be refused; the shell sent its close."""
    desk, engine = open_desk(monkeypatch)
    outlook = look_ahead(parse(f"rev {BTC}", Scene(desk.view.mirror.symbols)), desk.view, Cursor())
    sender = LineSender(desk, outlook)
    assert len(sender.requests) == 2
    monkeypatch.setattr(sender, "foresee", lambda: (ACCEPTED, Outcome(verdict=Verdict.DENIED, text="over the limit")))
    assert _ask_or_send(sender, outlook, desk, Output(as_json=False), Consent(yes=True, naked=True)) == 2
    assert engine.intents == [] and "denied   rev " in (said := capsys.readouterr().err) and "over the limit" in said


def test_the_first_order_of_a_reverse_states_the_position_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gate refuses it at another: between the look at the line and its sending the position may have ended."""
    desk, engine = open_desk(monkeypatch)
    engine.outcomes = [ACCEPTED]
    send(look(desk, f"rev {BTC}"))
    [first, *_] = [intent for intent in engine.intents if isinstance(intent, Place)]
    assert first.held == desk.view.mirror.positions[f"{BTC}/LONG"].record.position_qty


def test_do_flat_closes_the_position_size_at_sending_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A position that grew while the shell waited was closed in part."""
    desk, engine = open_desk(monkeypatch)
    engine.outcomes = [ACCEPTED]
    sender, key = look(desk, f"flat {BTC}"), f"{BTC}/LONG"
    fact = desk.view.mirror.positions[key]
    desk.view.mirror.positions[key] = msgspec.structs.replace(
        fact, record=msgspec.structs.replace(fact.record, position_qty="7")
    )
    send(sender)
    assert [intent.qty for intent in engine.intents if isinstance(intent, Place)] == ["7"]


def test_a_cancel_line_says_if_the_number_of_stops_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    desk, engine = open_desk(monkeypatch)
    assert not any("stops" in text for text in look(desk, "c all pf").ask(Foreseen()))
    engine.set_desk(algo_error="not read yet")
    desk.view.mirror.apply(engine.updates.take())
    assert "stops and targets are not cancelled: how many is not known now" in look(desk, "c all pf").ask(Foreseen())


@pytest.mark.parametrize("orders", [True, False])
def test_do_cancel_all_ends_stops_and_asks_for_option_naked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], orders: bool
) -> None:
    """It left them, and where only stops lived it said that no order was working; --yes of an old script is no answer."""
    desk, engine = open_desk(monkeypatch)
    for key in () if orders else list(desk.view.mirror.orders):
        engine.put(Table.ORDERS, key, None)
    for key, side, condition in (("s1", "SELL", "ENTIRE_CLOSE_POSITION"), ("e1", "BUY", "CONDITIONAL")):
        record = AlgoRecord(
            algo_order_id=key, sym=BTC, side=side, position_side="LONG", order_state="NEW", condition_type=condition,
            sl_trigger_price="63000", sl_trigger_type="MARK_PRICE",
        )  # fmt: skip
        engine.put(Table.ALGOS, key, AlgoRow(key=key, record=record, stamp=engine.stamp()))
    desk.view.mirror.apply(engine.updates.take())
    sender = look(desk, "c all pf")
    asked = sender.ask(Foreseen())
    assert asked[0].startswith("Cancel 4 orders and 2 algo orders" if orders else "Cancel 2 algo orders")
    assert "without a stop then: BINANCE BTC perp LONG 2.500" in asked
    outlook = look_ahead(parse("c all pf", Scene(desk.view.mirror.symbols)), desk.view, Cursor())
    assert _ask_or_send(sender, outlook, desk, Output(as_json=False), Consent(yes=True, naked=False)) == 2
    assert engine.intents == [] and "add --naked to confirm it" in capsys.readouterr().err
    assert Consent(yes=True, naked=True).find_missing(bares=True) == ""
    send(sender)
    assert [intent.key for intent in engine.intents if isinstance(intent, CancelAlgo)] == ["s1", "e1"]
    assert sum(isinstance(intent, Cancel) for intent in engine.intents) == (4 if orders else 0)
    if orders:
        assert look(desk, "c last").list_spared() == []
        stays = ["stops and targets stay: 1", "algo orders that can open a position stay: 1"]
        assert look(desk, f"c bids {BTC}").list_spared() == stays, "a cancel of one side leaves them"


def attach(engine: ScriptedPort) -> None:
    """Put a bid without a fill, and the stop attached to it."""
    engine.order("p1", BTC, "BUY", "60000", "0.5")
    record = AlgoRecord(
        algo_order_id="e1", sym=BTC, side="SELL", position_side="LONG", order_state="NEW", order_qty="0",
        condition_type="PARTIAL_CLOSE_POSITION", attached_order_id="9p1", sl_trigger_price="59000",
        sl_trigger_type="MARK_PRICE",
    )  # fmt: skip
    engine.put(Table.ALGOS, "e1", AlgoRow(key="e1", record=record, stamp=engine.stamp()))


@pytest.mark.parametrize(("executed", "stays"), [("0", False), ("0.1", True)])
def test_a_cancel_line_says_if_attached_exits_end_or_stay(
    monkeypatch: pytest.MonkeyPatch, executed: str, stays: bool
) -> None:
    """Behind the cancel it said that they stay and may open a position, as the list still showed them."""
    desk, engine = open_desk(monkeypatch)
    attach(engine)
    desk.view.mirror.apply(engine.updates.take())
    ends = "attached stops and targets end: SL 59,000.0 of BINANCE BTC perp"
    sender = look(desk, f"c bids {BTC}")
    assert sender.list_spared() == [ends]
    for request in sender.requests:
        at = executed if request.cancels == "p1" else "0"
        engine.order(request.cancels, BTC, "BUY", "60000", "0.5", state="CANCELLED", final=True, executed=at)
    send(sender)
    assert sender.list_spared() == (["algo orders that can open a position stay: 1"] if stays else [ends])


def test_a_stop_that_ended_with_its_order_is_not_cancelled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cancel of all ended it with its order, and then cancelled it: the desk warned of an algo order not known."""
    desk, engine = open_desk(monkeypatch)
    for key in list(desk.view.mirror.orders):
        engine.put(Table.ORDERS, key, None)
    attach(engine)
    desk.view.mirror.apply(engine.updates.take())
    sender = look(desk, "c all pf")
    engine.order("p1", BTC, "BUY", "60000", "0.5", state="CANCELLED", final=True)
    engine.outcomes = [ACCEPTED]
    sent = send(sender)
    assert not any(isinstance(intent, CancelAlgo) for intent in engine.intents), "it is not cancelled once more"
    assert [row.outcome.text for row in sent] == ["", "it ended with its order"] and find_exit_code(sent, 2) == 0


def test_do_says_unknown_if_a_cancelled_order_has_not_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    desk, _ = open_desk(monkeypatch)
    [sent] = send(look(desk, "c last"))
    assert sent.outcome.verdict is Verdict.UNKNOWN and "has not ended yet" in sent.outcome.text


@pytest.mark.parametrize(
    ("verdicts", "count", "code"),
    [
        ("A", 1, 0), ("AA", 2, 0), ("A", 2, 1), ("AD", 2, 1), ("DA", 2, 1), ("R", 1, 1), ("D", 1, 2), ("D", 2, 2),
        ("?", 1, 2), ("AU", 2, 3), ("RU", 2, 3),
    ],
)  # fmt: skip
def test_the_exit_code_of_do_covers_all_orders_of_the_line(verdicts: str, count: int, code: int) -> None:
    kinds = {
        "A": Verdict.ACCEPTED, "D": Verdict.DENIED, "R": Verdict.REJECTED, "U": Verdict.UNKNOWN, "?": Verdict.ASK,
    }  # fmt: skip
    sent = [Sent(Request(text="a"), Outcome(verdict=kinds[letter])) for letter in verdicts]
    assert find_exit_code(sent, count) == code


def test_do_sends_stop_and_target_as_its_question_named_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """They were measured anew from the price at which the entry left."""
    desk, engine = open_desk(monkeypatch)
    engine.outcomes = [ACCEPTED, Outcome(verdict=Verdict.ACCEPTED, key="n2")]
    sender = look(desk, f"long 0.02 BTC {BTC} join sl 1% & {BUY}")
    asked = " ".join(sender.ask(sender.describe(())))
    assert "sl 63,361.0" in asked, asked
    engine.quote(BTC, "64021.0", "64021.2")
    desk.poll(lambda: True, 0.0)
    send(sender)
    first = engine.intents[0]
    assert isinstance(first, Place) and first.stop_loss is not None
    assert (first.price, first.stop_loss.trigger) == ("64021.0", "63361")
