"""What is said of an order whose outcome is not known: which one, and nothing once it has ended."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tui.engine.event_line import EventLine, Level
from tui.engine.intents import Outcome, Verdict
from tui.engine.rows import AccountCommandRow, AlgoRow, CommandState, OrderRow, PendingAction, Source, Stamp, Table
from tui.engine.status_rows import ENGINE
from tui.engine.symbol_rules import CHANGED_RULES
from tui.interface.families.algo import AlgoRecord
from tui.workstation.commands.order_outcome import report_outcome
from tui.workstation.input.scopes import Scope


@pytest.mark.parametrize(("state", "said"), [("UNKNOWN", True), ("CANCELLED", False)])
async def test_an_unknown_outcome_is_told_unless_the_order_has_ended(state: str, said: bool) -> None:
    async with desk(160, 45, filled=False) as at:
        row = OrderRow(
            key="c1", client_order_id="c1", sym="BINANCE_PERP_BTC_USDT", side="BUY", qty="0.01", price="60000",
            state=state, final=state == "CANCELLED", stamp=Stamp("7001", 1, 0, Source.PUSH, 0.0),
        )  # fmt: skip
        at.port.updates.put(Table.ORDERS, "c1", row)
        await at.settle()
        report_outcome(at.app.context, Outcome(verdict=Verdict.UNKNOWN, key="c1", text="no answer within 3 s"))
        await at.settle()
        words = "BUY 0.01 BINANCE BTC perp @ 60,000: outcome unknown: no answer within 3 s"
        assert any(words in line for line in at.events()) is said


async def test_an_unknown_outcome_names_its_command_and_is_settled() -> None:
    """Algo orders and account commands too; nothing of a command without a row could ever settle a line."""
    async with desk(160, 45, filled=False) as at:
        record = AlgoRecord(
            algo_order_id="a3", sym="BINANCE_PERP_BTC_USDT", side="SELL", order_qty="1", sl_trigger_price="58000",
            order_state="NEW",
        )  # fmt: skip
        algo = AlgoRow(key="a3", record=record, stamp=Stamp("7001", 1, 0, Source.PUSH, 0.0))
        moved = AccountCommandRow(
            id="k1", endpoint="transfer", title="transfer 500 USDT to OKX", state=CommandState.UNKNOWN, sent_ms=0,
            changed_ms=0,
        )  # fmt: skip
        at.port.updates.put(Table.ALGOS, "a3", algo)
        at.port.updates.put(Table.COMMANDS, "k1", moved)
        await at.settle()
        for key in ("a3", "k1", "leverage"):
            report_outcome(at.app.context, Outcome(verdict=Verdict.UNKNOWN, key=key, text=f"no answer of {key}"))
        await at.settle()
        stop, transfer, other = at.events()[-3:]
        assert "SELL 1 BINANCE BTC perp" in stop and stop.endswith(": outcome unknown: no answer of a3")
        assert transfer == "transfer 500 USDT to OKX: outcome unknown: no answer of k1"
        assert other == "outcome unknown: no answer of leverage"
        at.port.quote("BINANCE_PERP_BTC_USDT", "64000.0", "64000.1")
        await at.settle()
        at.port.updates.put(Table.COMMANDS, "k1", msgspec.structs.replace(moved, state=CommandState.DONE))
        await at.settle()
        assert at.events()[-2] == f"settled: {transfer}"


@pytest.mark.parametrize("keys", [("y",), ("enter",), (*"rule", "enter")])
async def test_changed_pair_rules_need_a_whole_word_to_acknowledge(keys: tuple[str, ...]) -> None:
    async with desk(120, 36) as at:
        await refuse_for_rules(at)
        await at.press(*keys)
        await at.settle()
        assert at.port.acknowledged == [] and len(at.port.intents) == 1


async def test_acknowledging_changed_symbol_rules_sends_no_order() -> None:
    async with desk(120, 36) as at:
        await refuse_for_rules(at)
        assert (
            "contract size was 1, is 100 now" in at.text() and "cancels and closes work without an answer" in at.text()
        )
        await at.press(*"rules", "enter")
        await at.settle()
        assert at.port.acknowledged == [{"BINANCE_PERP_BTC_USDT": CHANGE}] and len(at.port.intents) == 1
        assert at.app.main_screen.panel.open and "denied CHANGED_RULES" in at.app.main_screen.panel.refusal


CHANGE = "BINANCE BTC perp: contract size was 1, is 100 now"


async def refuse_for_rules(at: Desk) -> None:
    """An order is staged and sent on a pair whose contract size changed."""
    at.port.desk = msgspec.structs.replace(at.port.desk, changed_rules=(("BINANCE_PERP_BTC_USDT", CHANGE),))
    at.port.updates.put(Table.ENGINE_STATUS, ENGINE, at.port.desk)
    at.port.outcomes = [Outcome(verdict=Verdict.DENIED, guard=CHANGED_RULES, text=f"{CHANGE}; orders wait")]
    await at.settle()
    await at.press("b", "enter")
    await at.settle()
    assert at.scope() is Scope.WORD
    at.clock.pass_by(0.5)


@pytest.mark.parametrize(("width", "height"), [(80, 24), (160, 45)])
async def test_unknown_outcome_message_is_settled_when_the_order_ends(width: int, height: int) -> None:
    """Seen in red, and naming no order, seconds after the row said CANCELLED."""
    async with desk(width, height, filled=False) as at:
        row = OrderRow(
            key="c1", client_order_id="c1", sym="BINANCE_PERP_BTC_USDT", side="BUY", qty="0.01", price="60000",
            state="UNKNOWN", stamp=Stamp("7001", 1, 0, Source.PUSH, 0.0),
        )  # fmt: skip
        at.port.updates.put(Table.ORDERS, "c1", row)
        await at.settle()
        report_outcome(at.app.context, Outcome(verdict=Verdict.UNKNOWN, key="c1", text="no answer within 3 s"))
        await at.settle()
        whole, short = (
            "BUY 0.01 BINANCE BTC perp @ 60,000: outcome unknown",
            "outcome unknown: no answer within 3 s · BUY 0.01",
        )
        assert f"!! {whole if width > 80 else short}" in at.text()
        at.port.updates.put(Table.ORDERS, "c1", msgspec.structs.replace(row, state="CANCELLED", final=True))
        await at.settle()
        assert "!!" not in at.text()
        assert "· settled, CANCELLED: BUY 0.01 BINANCE BTC perp @ 60,000" in at.text()


@pytest.mark.parametrize(
    ("state", "overlay", "settled"),
    [
        ("OPEN", PendingAction.NOTHING, True),
        ("OPEN", PendingAction.CANCEL_LOST, False),
        ("UNKNOWN", PendingAction.NOTHING, False),
        ("FILLED", PendingAction.CANCEL_LOST, True),
    ],
)
async def test_a_warning_is_called_settled_once_its_order_is_known(
    state: str, overlay: PendingAction, settled: bool
) -> None:
    async with desk(160, 45, filled=False) as at:
        row = OrderRow(
            key="c1", client_order_id="c1", sym="BINANCE_PERP_BTC_USDT", side="BUY", qty="0.01", price="60000",
            state=state, overlay=overlay, final=state == "FILLED", stamp=Stamp("7001", 1, 0, Source.PUSH, 0.0),
        )  # fmt: skip
        text = "cancel? BUY 0.01 BINANCE BTC perp @ 60,000: no answer; being queried"
        at.port.updates.put_event(EventLine(wall_ms=0, level=Level.ALERT, text=text, key="c1", unsure=True))
        await at.settle()
        assert at.events()[-1] == text
        at.port.updates.put(Table.ORDERS, "c1", row)
        await at.settle()
        assert at.events()[-1] == (f"settled, {state}: {text}" if settled else text)


async def test_a_warning_about_several_orders_is_settled_with_the_last() -> None:
    """One is known, one was taken off the list by hand, and one algo order is known."""

    def order(key: str, state: str) -> OrderRow:
        return OrderRow(
            key=key, client_order_id=key, sym="BINANCE_PERP_BTC_USDT", side="BUY", qty="0.01", price="60000",
            state=state, stamp=Stamp("7001", 1, 0, Source.PUSH, 0.0),
        )  # fmt: skip

    def algo(state: str) -> AlgoRow:
        record = AlgoRecord(algo_order_id="a3", sym="BINANCE_PERP_BTC_USDT", order_state=state)
        return AlgoRow(key="a3", record=record, stamp=Stamp("7001", 1, 0, Source.PUSH, 0.0))

    async with desk(160, 45, filled=False) as at:
        updates, text = at.port.updates, "UNKNOWN: and 3 more orders with no answer in an earlier session"
        updates.put(Table.ORDERS, "c1", order("c1", "UNKNOWN"))
        updates.put(Table.ORDERS, "c2", order("c2", "UNKNOWN"))
        updates.put(Table.ALGOS, "a3", algo("UNKNOWN"))
        updates.put_event(
            EventLine(wall_ms=0, level=Level.ALERT, text=text, key="c1", unsure=True, others=("c2", "a3"))
        )
        updates.put(Table.ORDERS, "c1", order("c1", "OPEN"))
        await at.settle()
        updates.put(Table.ORDERS, "c2", None)
        await at.settle()
        assert at.events()[-1] == text, "of one nothing is known yet"
        updates.put(Table.ALGOS, "a3", algo("NEW"))
        await at.settle()
        assert at.events()[-1] == f"settled: {text}"
