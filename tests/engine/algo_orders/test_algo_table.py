"""The table of algo orders: what has ended stays ended, and an order in one phrase."""

from __future__ import annotations

from typing import cast

import msgspec
import pytest

from tests.client.fakes import PORTFOLIO
from tests.engine.commands.test_command_restart import record
from tests.engine.conftest import SYM, StateRig
from tui.client.rest import Rest
from tui.engine.event_line import Level
from tui.engine.orders.algo_news import WAIT_S
from tui.engine.orders.algo_orders import AlgoOrders
from tui.engine.rows import OrderRow, Source
from tui.engine.state import algo_table
from tui.engine.state.facts import SnapshotRequest
from tui.engine.state.order_fold import GUARD_ENDED
from tui.interface.families.history import TradeRecord
from tui.interface.families.orders import OrderRecord
from tui.interface.families.positions import PositionRecord


def unused() -> Rest:
    raise AssertionError("nothing is read")


def test_an_older_list_reopens_no_recently_ended_algo_order(bare: StateRig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(algo_table, "MOST_ENDED", 2)
    table, asked = bare.state.algos, SnapshotRequest(bare.clock.mono(), bare.state.epoch)
    bare.clock.advance(1)
    for key in ("1", "2", "3"):
        table.fold(record(key, state="CANCELLED"), bare.state.stamp(Source.PUSH, 9))
    table.fold_list([record(key) for key in ("1", "2", "3")], asked, PORTFOLIO, bare.clock.mono())
    assert list(table.rows) == ["1"], "of the third last nothing is known any more"
    assert not table.can_restore("3") and table.can_restore("4")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"condition_type": "OCO", "tp_trigger_price": "63000", "order_qty": "0.5"}, "OCO SELL 0.5"),
        ({"condition_type": "ENTIRE_CLOSE_POSITION"}, "stop SELL all BINANCE BTC perp at 59,000 mark"),
        ({"tp_trigger_price": "63000", "sl_trigger_price": ""}, "target SELL all BINANCE BTC perp at 63,000 last"),
        ({"tp_trigger_price": "63000"}, "target and stop SELL all BINANCE BTC perp at 63,000 last / 59,000 mark"),
        ({"sl_trigger_price": ""}, "stop SELL all BINANCE BTC perp at ?"),
        ({"order_qty": "0"}, "stop SELL BINANCE BTC perp at 59,000 mark"),
        ({"order_qty": "0.000"}, "stop SELL BINANCE BTC perp at 59,000 mark"),
    ],
)
def test_an_algo_order_has_a_short_description(fields: dict[str, str], words: str) -> None:
    assert algo_table.algo_text(msgspec.structs.replace(record("1"), **fields)).startswith(words)


@pytest.mark.parametrize("fill_comes", ["before", "behind", "late"])
def test_a_fired_stop_is_reported_once_with_its_result(bare: StateRig, fill_comes: str) -> None:
    """Told before its fill it had none, and what ended with its position stood before it, as a warning."""
    algos = AlgoOrders(bare.state, cast(Rest, unused))
    algos.fold(record("1"), Source.PUSH)
    algos.fold(record("2"), Source.PUSH)
    held = PositionRecord(sym=SYM, position_side="NONE", position_qty="0.5")
    bare.state.facts.positions.push(f"{SYM}/NONE", held, bare.state.stamp(Source.PUSH, 5))
    sell = TradeRecord(
        transaction_id="7", portfolio_id=PORTFOLIO, order_id="9", sym="BINANCE_PERP_BTC_USDT", side="SELL",
        quantity="0.5", price="58990.1", rpnl="-12.345", algo_order_id="1", create_at="9",
    )  # fmt: skip
    done = msgspec.structs.replace(
        record("1", state="COMPLETED"), executed_avg_price="58990.1", executed_qty="0.5", update_at="11"
    )

    def close() -> None:
        bare.state.fold_fill(sell, Source.PUSH, bare.clock.mono())
        short = msgspec.structs.replace(held, position_qty="-0.5")  # a reverse: open, and nothing for it to close
        bare.state.facts.positions.push(f"{SYM}/NONE", short, bare.state.stamp(Source.PUSH, 6))

    if fill_comes == "before":
        close()
    algos.fold(record("1", state="PROCESSING"), Source.PUSH)
    algos.fold(done, Source.PUSH)
    algos.fold(record("2", state="EXPIRED"), Source.PUSH)
    if fill_comes == "late":
        bare.clock.advance(WAIT_S)
        algos.news.tell()
    elif fill_comes == "behind":
        assert [event for event in bare.screen.look().events if "FIRED" in event.text] == []
    if fill_comes != "before":
        close()
        algos.news.tell()
    told = [event for event in bare.screen.look().events if "SELL all" in event.text]
    result = "result -12.35 USDT before fees"
    if fill_comes == "late":
        assert [event.text.partition(":")[0] for event in told] == [
            "FIRED at 58,990.1 (mark reached 59,000), its fills are not known yet", "EXPIRED", result,
        ]  # fmt: skip
        return
    fired, expired = told
    assert fired.text.startswith(f"FIRED at 58,990.1 (mark reached 59,000), {result}: stop SELL ")
    assert fired.key == "1", "an event with a key is read before older alerts"
    assert (expired.text.partition(":")[0], expired.level, expired.passes) == ("EXPIRED", Level.INFO, True)


@pytest.mark.parametrize(
    ("price", "said"),
    [
        ("58990", " stop at 58,990 (mark reached 59,000)"),
        ("59020", " stop at 59,020 (mark reached 59,000)"),
        ("63010", " target at 63,010 (last reached 63,000)"),
        ("0", ""),
    ],
)
def test_event_of_a_fired_stop_and_target_tells_which_fired(bare: StateRig, price: str, said: str) -> None:
    """The event named both triggers and a price, and left the rest to the reader."""

    both = msgspec.structs.replace(record("1"), tp_trigger_price="63000")
    algos = AlgoOrders(bare.state, cast(Rest, unused))
    algos.fold(both, Source.PUSH)
    done = msgspec.structs.replace(both, order_state="COMPLETED", executed_avg_price=price, update_at="10")
    algos.fold(done, Source.PUSH)
    [event] = [event for event in bare.screen.look().events if "FIRED" in event.text]
    assert event.text.startswith(f"FIRED{said}: target and stop SELL "), event.text
    assert algo_table.tell_fired(msgspec.structs.replace(done, tp_trigger_price=""))[0] == ""


@pytest.mark.parametrize(("held", "level", "key"), [("0.5", Level.WARN, "1"), ("", Level.INFO, "")])
def test_an_expired_stop_warns_only_while_its_position_is_open(
    bare: StateRig, held: str, level: Level, key: str
) -> None:
    """Beside a target that had fired it stood where the trader looks for the profit."""

    def unused() -> Rest:
        raise AssertionError("nothing is read")

    if held:
        position = PositionRecord(sym=SYM, position_side="NONE", position_qty=held)
        bare.state.facts.positions.push(f"{SYM}/NONE", position, bare.state.stamp(Source.PUSH, 5))
    algos = AlgoOrders(bare.state, cast(Rest, unused))
    algos.fold(record("1"), Source.PUSH)
    algos.fold(record("1", state="EXPIRED"), Source.PUSH)
    bare.clock.advance(WAIT_S)
    algos.news.tell()
    [event] = [event for event in bare.screen.look().events if event.text.startswith("EXPIRED: stop SELL")]
    assert (event.level, event.key, event.passes) == (level, key, not held)


@pytest.mark.parametrize(
    ("state", "said"),
    [("PROCESSING", "fired"), ("COMPLETED", "fired"), ("FAILED", "failed"), ("CANCELLED", ""), ("NEW", None)],
)
def test_an_open_order_alerts_once_its_attached_stop_has_ended(bare: StateRig, state: str, said: str | None) -> None:
    """Its stop fired for what had filled: the service arms none for what it fills later."""

    row = OrderRow(
        key="k", client_order_id="k", order_id="77", sym=SYM, side="BUY", price="60000", qty="1", executed="0.5",
        state="PARTIALLY_FILLED", sl_trigger="59000", stamp=bare.state.stamp(Source.PUSH, 5),
    )  # fmt: skip
    bare.state.orders.add(row)
    guard = msgspec.structs.replace(record("1"), attached_order_id="77")
    algos = AlgoOrders(bare.state, cast(Rest, unused))
    algos.fold(guard, Source.PUSH)
    algos.fold(msgspec.structs.replace(guard, order_state=state, update_at="10"), Source.PUSH)
    algos.fold(msgspec.structs.replace(guard, order_state="COMPLETED", update_at="11"), Source.PUSH)
    events = [(event.text, event.level) for event in bare.screen.look().events if event.key == "k"]
    word = "fired" if said is None else said
    text = f"its stop or target has {word}, and what it fills from now on has none"
    text = f"BUY 1 BINANCE BTC perp @ 60,000 still works: {text}"
    assert events == ([(text, Level.ALERT)] if word else [])
    filled = OrderRecord(
        order_id="77", client_order_id="k", sym=SYM, side="BUY", limit_price="60000", order_qty="1",
        executed_qty="0.7", order_state="PARTIALLY_FILLED", sl_trigger_price="59000", update_at="12",
        portfolio_id=PORTFOLIO,
    )  # fmt: skip
    bare.state.orders.fold(filled, bare.state.stamp(Source.PUSH, 12))
    assert bare.state.orders.rows["k"].guard_ended and bare.state.orders.rows["k"].executed == "0.7"
    assert [line.intent_id for line in bare.journal.lines if line.kind == GUARD_ENDED] == ["k"], "over a restart, too"


def test_a_fired_stop_of_full_order_size_raises_no_alert(bare: StateRig) -> None:
    """It came before the push that the order has filled: its own size says so."""

    row = OrderRow(
        key="k", client_order_id="k", order_id="77", sym=SYM, side="BUY", price="60000", qty="1.0", executed="0.5",
        state="PARTIALLY_FILLED", sl_trigger="59000", stamp=bare.state.stamp(Source.PUSH, 5),
    )  # fmt: skip
    bare.state.orders.add(row)
    algos = AlgoOrders(bare.state, cast(Rest, unused))
    fired = msgspec.structs.replace(record("1", state="PROCESSING"), attached_order_id="77", order_qty="1")
    algos.fold(fired, Source.PUSH)
    assert not bare.state.orders.rows["k"].guard_ended
    assert not any(event.key == "k" for event in bare.screen.look().events)
