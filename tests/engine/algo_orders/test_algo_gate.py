"""Every guard of algo orders: what it denies, what it asks, and the sentence it says."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.engine.command_rig import command_gate, open_command
from tests.engine.conftest import DECISION, SYM
from tests.engine.orders.gated import SPOT, Gated, asks, denied
from tui.engine.intents import AlgoIntent, CancelAlgo, PlaceAlgo, Protection, ReplaceAlgo
from tui.engine.modes import RiskMode
from tui.engine.orders.dismissal import ALGO_SOURCES
from tui.engine.rows import AlgoRow, CommandState, Fact, PendingAction, QuoteRow, Source, TickerRow
from tui.engine.state.command_table import AnyCommand
from tui.interface.families.algo import AlgoRecord, Condition
from tui.interface.families.assets import AssetRecord
from tui.interface.families.orders import PositionSide, Side
from tui.interface.families.positions import AccountRecord, PositionRecord

MARK, LAST = "MARK_PRICE", "LAST_PRICE"
ID = "7001"
EDX = "EDX_SPOT_BTC_USDT"


class AlgoGated(Gated):
    """The same, long 0.5 and with a last price."""

    def __init__(self) -> None:
        super().__init__()
        self.algos = command_gate(self.state, self.gate)
        self.hold("0.5")
        self.state.symbols[EDX] = msgspec.structs.replace(self.state.symbols[SYM], sym=EDX)
        for sym in (SYM, SPOT):
            self.state.tickers.rows[sym] = TickerRow(sym=sym, last="60000")

    def hold(self, qty: str, leg: str = "NONE") -> None:
        record = PositionRecord(sym=SYM, position_qty=qty, position_side=leg, leverage="5")
        self.state.facts.positions.rows[f"{SYM}/{leg}"] = Fact(record, self.state.stamp(Source.PUSH))

    def waiting(self, **changes: Any) -> AlgoRow:
        """An algo order that the service has shown: a stop for a part of the position."""
        values: dict[str, Any] = {
            "algo_order_id": ID,
            "sym": SYM,
            "side": "SELL",
            "order_qty": "0.5",
            "condition_type": "PARTIAL_CLOSE_POSITION",
            "order_state": "NEW",
            "sl_trigger_price": "59000",
            "sl_trigger_type": MARK,
            "sl_price": "0",
            "update_at": "5",
            **changes,
        }
        self.state.algos.fold(AlgoRecord(**values), self.state.stamp(Source.PUSH, 5))
        return self.state.algos.rows[values["algo_order_id"]]

    def under_way(self, intent: AlgoIntent, state: CommandState, key: str = ID) -> AnyCommand:
        """A command that left and is not settled."""
        command = open_command(intent, key, state, since=self.clock.mono())
        self.state.commands.add(command)
        return command


@pytest.fixture
def gated() -> AlgoGated:
    return AlgoGated()


def at(trigger: str, source: str = MARK, price: str = "0") -> Protection:
    return Protection(trigger=trigger, source=source, price=price)


def stop(**changes: object) -> PlaceAlgo:
    values: dict[str, object] = {
        "decision": DECISION,
        "sym": SYM,
        "side": Side.SELL,
        "condition": Condition.PARTIAL_CLOSE_POSITION,
        "qty": "0.5",
        "reduce_only": True,
        "stop_loss": at("59000"),
        **changes,
    }
    return PlaceAlgo(**values)  # type: ignore[arg-type]


def opening(trigger: str = "61000", **changes: object) -> PlaceAlgo:
    """An order that can open."""
    values = {"condition": Condition.CONDITIONAL, "side": Side.BUY, "qty": "0.01", "reduce_only": False}
    return stop(**{**values, "stop_loss": None, "conditional": at(trigger), **changes})


def change(**changes: Any) -> ReplaceAlgo:
    return ReplaceAlgo(decision=DECISION, key=ID, **changes)


CANCEL = CancelAlgo(decision=DECISION, key=ID)


@pytest.mark.parametrize(
    ("intent", "guard", "words"),
    [
        (stop(conditional=at("61000")), "TRIGGER", "PARTIAL_CLOSE_POSITION takes no trigger"),
        (opening(stop_loss=at("59000")), "TRIGGER", "CONDITIONAL takes no stop"),
        (
            stop(sym=EDX),
            "SYMBOL",
            "EDX takes stops and targets only with an order; BINANCE and OKX also for a position",
        ),
        (stop(sym="somewhere"), "SYMBOL", "somewhere takes stops and targets only with an order"),
        (stop(qty="a half"), "NUMBER", "size 'a half' is not a number"),
        (stop(qty="0"), "NUMBER", "size is 0"),
        (stop(stop_loss=at("")), "NUMBER", "stop '' is not a number"),
        (stop(stop_loss=at("59000", price="cheap")), "NUMBER", "limit price 'cheap' of the stop"),
        (
            stop(stop_loss=at("59000", price="58990.05")),
            "NUMBER",
            "Limit price of the stop 58990.05 must be a multiple of 0.1 (nearest 58990 or 58990.1)",
        ),
        (stop(stop_loss=None, take_profit=at("59000")), "TRIGGER", "target 59,000 would trigger immediately"),
        (stop(stop_loss=at("60000")), "TRIGGER", "stop 60,000 would trigger immediately; it must be below mark 60,000"),
        (stop(stop_loss=at("60001", LAST)), "TRIGGER", "it must be below last 60,000"),
        (opening("60000"), "TRIGGER", "trigger 60000 is the mark price of now; give one above or below it"),
        (
            opening("61000", rises=False),
            "TRIGGER",
            "mark 60,000 has crossed the trigger 61,000, typed for a fall: type it again",
        ),
        (opening("59000", rises=True), "TRIGGER", "typed for a rise: type it again"),
        (opening("60000", rises=True), "TRIGGER", "typed for a rise: type it again"),
        (stop(position_side=PositionSide.LONG), "NO_POSITION", "no position of BINANCE BTC perp to close"),
        (opening(qty="50"), "NOTIONAL", "over the 100,000 limit"),
    ],
)
def test_an_invalid_algo_order_is_denied_with_its_reason(
    gated: AlgoGated, intent: PlaceAlgo, guard: str, words: str
) -> None:
    denied(gated.algos.check(intent), guard, words)


@pytest.mark.parametrize(
    "intent",
    [
        stop(),
        stop(stop_loss=at("59000", LAST)),
        stop(stop_loss=at("59000", price="58990")),
        stop(condition=Condition.OCO, take_profit=at("61000", price="61000")),
        stop(condition=Condition.ENTIRE_CLOSE_POSITION, qty=""),
        opening(),
        opening("59000"),
    ],
)
def test_the_order_gate_passes_a_valid_algo_order(gated: AlgoGated, intent: PlaceAlgo) -> None:
    assert gated.algos.check(intent) is None


@pytest.mark.parametrize("held", ["0.5", "-0.5"], ids=["size alone", "signed by the service"])
def test_a_stop_must_have_the_side_that_reduces_its_position(gated: AlgoGated, held: str) -> None:
    gated.hold(held, "SHORT")
    short = stop(position_side=PositionSide.SHORT, reduce_only=False)
    denied(gated.algos.check(short), "NO_POSITION", "SELL would not reduce")
    assert gated.algos.check(msgspec.structs.replace(short, side=Side.BUY, stop_loss=at("61000"))) is None


def test_largest_market_size_limits_algo_market_orders(gated: AlgoGated) -> None:
    """50 at market and 100 with a limit, by the symbol."""
    gated.hold("200")
    for price, most in (("0", "50"), ("58990", "100")):
        large = stop(qty="101", stop_loss=at("59000", price=price))
        denied(gated.algos.check(large), "NUMBER", f"above the maximum; it must be at most {most}")
    assert gated.algos.check(stop(qty="51", stop_loss=at("59000", price="58990"))) is None


@pytest.mark.parametrize("last", [None, "0", ""])
def test_a_stop_without_a_price_to_judge_it_asks_or_is_denied(gated: AlgoGated, last: str | None) -> None:
    gated.state.tickers.rows.clear()
    if last is not None:
        gated.state.tickers.rows[SYM] = TickerRow(sym=SYM, last=last)
    assert gated.algos.check(stop(stop_loss=at("59000", LAST))) is None, "the middle of the touch stands for it"
    gated.quote(bid="0", ask="")
    words = "the last price is not known, so the stop cannot be judged"
    asks(gated.algos.check(stop(stop_loss=at("59000", LAST))), "TRIGGER_PRICE", words)
    answered = stop(stop_loss=at("59000", LAST), confirmed=frozenset(["TRIGGER_PRICE"]))
    assert gated.algos.check(answered) is None
    gated.state.quotes.rows[SYM] = QuoteRow(sym=SYM)
    denied(gated.algos.check(stop()), "TRIGGER", "the mark price is not known")


def test_spot_triggers_are_checked_against_last_price(gated: AlgoGated) -> None:
    gated.quote(mark="70000", sym=SPOT)
    assert gated.algos.check(opening("61000", sym=SPOT)) is None
    denied(gated.algos.check(opening("60000", sym=SPOT)), "TRIGGER", "is the mark price of now")


def test_opening_algo_order_of_unknown_contract_size_is_denied(gated: AlgoGated) -> None:
    gated.state.symbols[SYM] = msgspec.structs.replace(gated.state.symbols[SYM], contract_size="")
    denied(gated.algos.check(opening()), "UNIT", "contract size", "BINANCE BTC perp")
    assert gated.algos.check(stop()) is None, "what closes is not held up by it"


def test_an_algo_order_repeated_within_2_s_needs_confirmation(gated: AlgoGated) -> None:
    gated.algos.record(opening())
    asks(gated.algos.check(opening(qty="0.010")), "DUPLICATE", "the same algo order left 0.0 s before this one")
    assert gated.algos.check(opening("61000.1")) is None
    gated.clock.advance(2.1)
    gated.quote()
    assert gated.algos.check(opening()) is None


def test_an_unknown_algo_order_blocks_its_copy_until_queried(
    gated: AlgoGated,
) -> None:
    gated.under_way(stop(), CommandState.RUNNING, "k")
    asks(gated.algos.check(stop()), "DUPLICATE", "is on its way; the service has not shown it yet")
    assert gated.algos.check(stop(stop_loss=at("59000.1"))) is None
    lost = gated.state.commands.open["k"]
    gated.state.commands.enter(lost, CommandState.UNKNOWN)
    gated.clock.advance(15)
    gated.quote()
    denied(gated.algos.check(stop()), "UNKNOWN_PENDING", "UNKNOWN for 15 s; a new attempt is possible once 3 rounds")
    row = gated.state.algos.rows["k"]
    gated.state.algos.rows["k"] = msgspec.structs.replace(
        row, not_found=3, not_found_first=1.0, not_found_last=12.0, answered=frozenset(ALGO_SOURCES)
    )
    asks(gated.algos.check(stop()), "UNKNOWN_PENDING", "may still arrive: both would trigger")


@pytest.mark.parametrize(
    ("row", "intent", "guard", "words"),
    [
        ({"order_state": "PROCESSING"}, change(qty="0.4"), "ORDER", "is PROCESSING; only a waiting one"),
        ({}, change(), "NUMBER", "nothing is changed; give another size or trigger"),
        ({}, change(conditional=at("61000")), "TRIGGER", "PARTIAL_CLOSE_POSITION takes no trigger"),
        ({"condition_type": "TRAILING"}, change(stop_loss=at("58000")), "TRIGGER", "TRAILING takes no stop"),
        ({"attached_order_id": "9"}, change(qty="0.4"), "NUMBER", "the size of this order follows what is held"),
        ({"condition_type": "ENTIRE_CLOSE_POSITION"}, change(qty="0.4"), "NUMBER", "follows what is held"),
        ({}, change(qty="0.50", stop_loss=at("59000")), "NUMBER", "size and triggers are as they were"),
        ({}, change(qty="0.0005"), "NUMBER", "Size 0.0005 must be a multiple of 0.001 (nearest 0.001)"),
        ({}, change(stop_loss=at("61000")), "TRIGGER", "would trigger immediately"),
        ({"sym": "BINANCE_PERP_NO_USDT"}, change(qty="0.4"), "SYMBOL", "not known here"),
        ({"side": "BOTH"}, change(qty="0.4"), "ORDER", "side 'BOTH' of the algo order is unknown to this program"),
        ({"position_side": "TOP"}, change(qty="0.4"), "ORDER", "it can only be cancelled"),
    ],
)
def test_an_invalid_algo_change_is_denied(
    gated: AlgoGated, row: dict[str, Any], intent: ReplaceAlgo, guard: str, words: str
) -> None:
    gated.waiting(**row)
    denied(gated.algos.check(intent), guard, words)
    assert gated.algos.check(CANCEL) is None, "it can be cancelled all the same"


def test_a_changed_trigger_the_market_crossed_is_denied(gated: AlgoGated) -> None:
    opens = {"condition_type": "CONDITIONAL", "side": "BUY", "order_qty": "0.05", "sl_trigger_price": ""}
    gated.waiting(**opens, conditional_trigger_price="61000")
    assert gated.algos.check(change(conditional=at("62000"), rises=True)) is None
    denied(gated.algos.check(change(conditional=at("62000"), rises=False)), "TRIGGER", "typed for a fall")


@pytest.mark.parametrize(
    ("intent", "passes"),
    [(change(qty="0.04"), True), (change(qty="0.06"), False), (change(qty="0.04", conditional=at("62000")), False)],
)
def test_halt_mode_allows_only_size_reducing_algo_changes(gated: AlgoGated, intent: ReplaceAlgo, passes: bool) -> None:
    opens = {"condition_type": "CONDITIONAL", "side": "BUY", "order_qty": "0.05", "sl_trigger_price": ""}
    gated.waiting(**opens, conditional_trigger_price="61000")
    assert gated.algos.check(intent) is None
    gated.state.trading.risk_mode = RiskMode.HALT
    refusal = gated.algos.check(intent)
    if passes:
        assert refusal is None
    else:
        denied(refusal, "MODE", "risk mode is HALT")


def test_a_command_on_an_ended_algo_order_is_denied(gated: AlgoGated) -> None:
    for intent in (change(qty="0.4"), CANCEL):
        denied(gated.algos.check(intent), "ORDER", "the algo order has ended or is not known")
        gated.waiting()
        assert gated.algos.recheck(intent, gated.state.epoch) is None
        gated.state.algos.drop(gated.state.algos.rows[ID])
        denied(gated.algos.recheck(intent, gated.state.epoch), "ORDER", "ended meanwhile")


def test_an_algo_order_is_rechecked_after_journaling(gated: AlgoGated) -> None:
    epoch = gated.state.epoch
    assert gated.algos.recheck(stop(), epoch) is None
    denied(gated.algos.recheck(stop(), epoch - 1), "LINK", "the connection was lost meanwhile")
    assert gated.algos.recheck(opening(rises=True), epoch) is None
    denied(gated.algos.recheck(opening(rises=False), epoch), "TRIGGER", "typed for a fall")
    gated.state.trading.risk_mode = RiskMode.REDUCING
    denied(gated.algos.recheck(opening(), epoch), "MODE")
    gated.hold("0")
    denied(gated.algos.recheck(stop(), epoch), "NO_POSITION")


@pytest.mark.parametrize(
    ("state", "first", "second", "passes"),
    [
        (CommandState.SENDING, change(qty="0.4"), CANCEL, False),
        (CommandState.RUNNING, change(qty="0.4"), CANCEL, True),
        (CommandState.UNKNOWN, change(qty="0.4"), CANCEL, True),
        (CommandState.UNKNOWN, change(qty="0.4"), change(qty="0.3"), False),
        (CommandState.RUNNING, CANCEL, change(qty="0.3"), False),
        (CommandState.UNKNOWN, CANCEL, CANCEL, False),
    ],
)
def test_a_cancel_is_allowed_while_an_algo_change_is_pending(
    gated: AlgoGated, state: CommandState, first: AlgoIntent, second: AlgoIntent, passes: bool
) -> None:
    gated.waiting()
    gated.under_way(first, state)
    refusal = gated.algos.check(second)
    if passes:
        assert refusal is None
    else:
        word = "cancel" if isinstance(first, CancelAlgo) else "change"
        denied(refusal, "IN_FLIGHT", f"a {word} of this algo order is not settled")


def test_an_unknown_algo_order_takes_one_cancel_and_no_change(gated: AlgoGated) -> None:
    placing = gated.under_way(stop(), CommandState.SENDING)
    denied(gated.algos.check(CANCEL), "IN_FLIGHT", "no answer yet and is UNKNOWN after 3 s: cancel it then")
    gated.state.commands.enter(placing, CommandState.UNKNOWN)
    denied(gated.algos.check(change(qty="0.4")), "ORDER", "stop SELL 0.5", "is UNKNOWN; it is being asked about")
    assert gated.algos.check(CANCEL) is None
    gated.state.algos.set_cancelling(ID, pending=True)
    assert gated.state.algos.rows[ID].overlay is PendingAction.CANCEL
    denied(gated.algos.check(CANCEL), "IN_FLIGHT", "a cancel of this algo order is already on its way")
    gated.state.algos.set_cancelling(ID, pending=False)
    assert gated.algos.check(CANCEL) is None


WHOLE = {"condition": Condition.ENTIRE_CLOSE_POSITION, "qty": ""}


@pytest.mark.parametrize(
    ("beside", "intent"),
    [
        ({"attached_order_id": "41"}, stop(**WHOLE, stop_loss=at("58000"))),
        ({"condition_type": "ENTIRE_CLOSE_POSITION", "order_qty": ""}, stop(**WHOLE, stop_loss=at("58000"))),
        ({}, stop(stop_loss=at("58000"))),
        ({"condition_type": "ENTIRE_CLOSE_POSITION", "order_qty": ""}, stop(qty="0.1", stop_loss=at("58000"))),
    ],
)
def test_a_second_stop_of_a_position_asks_for_confirmation(
    gated: AlgoGated, beside: dict[str, str], intent: PlaceAlgo
) -> None:
    gated.waiting(**beside)
    asks(gated.algos.check(intent), "SECOND_STOP", "has a stop at 59000 already")
    assert gated.algos.check(msgspec.structs.replace(intent, confirmed=frozenset(["SECOND_STOP"]))) is None


def test_a_prompt_about_another_stop_names_the_first_to_fire(gated: AlgoGated) -> None:
    for number, trigger in (("7001", "57500"), ("7002", "59000"), ("7003", "58500")):
        gated.waiting(algo_order_id=number, sl_trigger_price=trigger)
    asks(gated.algos.check(stop(stop_loss=at("58000"))), "SECOND_STOP", "has 3 stops already, the first at 59000;")


def test_a_second_target_of_a_position_asks_for_confirmation(gated: AlgoGated) -> None:
    gated.waiting(tp_trigger_price="61000", tp_trigger_type=LAST, attached_order_id="41")
    target = stop(**WHOLE, stop_loss=None, take_profit=at("62000", LAST))
    asks(gated.algos.check(target), "SECOND_TARGET", "has a target at 61000 already")
    both = msgspec.structs.replace(target, stop_loss=at("58000"))
    asks(gated.algos.check(both), "SECOND_STOP+SECOND_TARGET", "stop at 59000 already")


def test_a_second_target_added_by_a_change_asks_for_confirmation(gated: AlgoGated) -> None:
    """As by a new order; a trigger that is moved is no second one, and the order itself stands not beside itself."""
    gated.waiting()
    adds = change(take_profit=at("62000", LAST))
    assert gated.algos.check(adds) is None
    gated.waiting(
        algo_order_id="8002",
        sl_trigger_price="",
        tp_trigger_price="61000",
        tp_trigger_type=LAST,
        condition_type="ENTIRE_CLOSE_POSITION",
        order_qty="",
    )
    asks(gated.algos.check(adds), "SECOND_TARGET", "has a target at 61000 already")
    assert gated.algos.check(msgspec.structs.replace(adds, confirmed=frozenset(["SECOND_TARGET"]))) is None
    assert gated.algos.check(change(stop_loss=at("58000"))) is None


def test_a_second_stop_asks_nothing_if_the_first_covers_not_all(gated: AlgoGated) -> None:
    gated.waiting(order_qty="0.2")
    assert gated.algos.check(stop(qty="0.3", stop_loss=at("58000"))) is None
    gated.waiting(order_qty="0", attached_order_id="41", update_at="6")
    assert gated.algos.check(stop(**WHOLE, stop_loss=at("58000"))) is None


def test_an_opening_algo_order_beyond_margin_needs_confirmation(gated: AlgoGated) -> None:
    account = AccountRecord(exchange_type="BINANCE", available_margin="10")
    gated.state.facts.accounts.rows["BINANCE"] = Fact(account, gated.state.stamp(Source.PUSH))
    asks(gated.algos.check(opening()), "MARGIN", "at its trigger it needs about", "10 available now")
    assert gated.algos.check(stop()) is None


def test_a_spot_algo_order_beyond_the_balance_needs_confirmation(gated: AlgoGated) -> None:
    """The coin may be there when the trigger sends the order."""
    record = AssetRecord(coin="USDT", exchange_type="BINANCE", balance="1", available="1")
    gated.state.facts.assets.rows["BINANCE/USDT"] = Fact(record, gated.state.stamp(Source.PUSH))
    asks(gated.algos.check(opening(sym=SPOT)), "BALANCE", "USDT; 1 available on BINANCE now")
