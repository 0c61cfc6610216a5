"""Rules of pairs that change under an open desk: read with each login, said, and no order leaves by the old ones unasked."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.client.fakes import SYMBOL, serving, until
from tests.engine.conftest import DECISION, SYM, Rig, buy
from tests.engine.orders.gated import Gated
from tui.engine.intents import Replace, Verdict
from tui.engine.rows import Table
from tui.engine.status_rows import ENGINE, EngineStatusRow
from tui.engine.symbol_rules import CHANGED_RULES, acknowledge_rules, take_rules
from tui.interface.families.market import SymbolInfo
from tui.interface.families.orders import OrderType


def rules(**changes: Any) -> dict[str, SymbolInfo]:
    info = msgspec.convert({**SYMBOL, "contractSize": "1", **changes}, SymbolInfo)
    return {SYM: info}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"contractSize": "100"}, "BINANCE BTC perp: contract size was 1, is 100 now"),
        ({"tickSize": "0.5"}, "BINANCE BTC perp: tick was 0.1, is 0.5 now"),
        ({"tickSize": "0.10", "contractSize": "1.0", "minNotional": "7"}, ""),
    ],
)
def test_changed_symbol_rules_block_orders_until_acknowledged(changes: dict[str, str], words: str) -> None:
    desk = Gated()
    take_rules(desk.state, rules())
    desk.screen.look().events.clear()
    take_rules(desk.state, rules(**changes))
    sticky = [line.text for line in desk.screen.look().events if line.sticky]
    refusal = desk.gate.check_place(buy(qty="0.001"))
    if not words:
        assert sticky == [] and refusal is None
        return
    assert len(sticky) == 1 and sticky[0].startswith(words)
    assert refusal is not None and not refusal.ask and words in refusal.text and refusal.guard == CHANGED_RULES
    pressed_on = buy(qty="0.001", confirmed=frozenset([CHANGED_RULES, "RULES"]))
    assert desk.gate.check_place(pressed_on) == refusal, "y is no answer to it"
    close = buy(qty="0.001", reduce_only=True, order_type=OrderType.MARKET, price="")
    desk.hold("-1")
    held = desk.gate.check_place(close)
    assert held is None or "RULES" not in held.guard
    asked = dict(desk.state.trading.changed_rules)
    acknowledge_rules(desk.state, {SYM: "what an older question said"})
    assert desk.gate.check_place(buy(qty="0.001")) == refusal, "another change is another question"
    acknowledge_rules(desk.state, asked)
    assert desk.gate.check_place(buy(qty="0.001")) is None
    assert desk.screen.said("you accept the new rules and trade by them: BINANCE BTC perp")


def test_a_delisted_pair_is_reported_and_removed() -> None:
    desk = Gated()
    take_rules(desk.state, rules())
    take_rules(desk.state, {})
    assert desk.screen.look().tables[Table.SYMBOLS] == {}
    assert desk.screen.said("BINANCE BTC perp: the service no longer lists it")


async def test_symbol_rules_are_read_at_each_login(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving() as (fake, service):
        rig = Rig(fake, service)
        await rig.ready()
        rig.engine.state.rules_read_at -= 60
        monkeypatch.setitem(SYMBOL, "contractSize", "100")
        fake.cut()
        await until(lambda: rig.engine.state.epoch > 1 and rig.engine.state.synced)
        await until(lambda: rig.engine.state.trading.changed_rules)
        assert rig.screen.said("contract size was 1, is 100 now")
        assert not [frame for frame in fake.actions if "cancel" in frame["action"]], "nothing is cancelled by itself"
        await rig.stop()


async def test_the_first_order_after_login_waits_for_symbol_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving() as (fake, service):
        rig = Rig(fake, service)
        await rig.ready()
        rig.engine.state.rules_read_at = rig.engine.state.logged_in_at - 60
        monkeypatch.setitem(SYMBOL, "contractSize", "100")
        outcome = await rig.engine.submit(buy(qty="0.001"))
        assert outcome.verdict is Verdict.DENIED and "contract size was 1, is 100 now" in outcome.text
        assert fake.placed == []
        shown = changed_rules(rig)
        rig.engine.acknowledge_rules(dict(shown))
        assert (await rig.engine.submit(buy(qty="0.001"))).verdict is Verdict.ACCEPTED
        assert changed_rules(rig) == ()
        await rig.stop()


async def test_the_desk_status_lists_pairs_that_had_an_order_today() -> None:
    async with serving() as (fake, service):
        rig = Rig(fake, service)
        await rig.ready()
        assert told(rig).ordered_today == ()
        assert (await rig.engine.submit(buy(qty="0.001"))).verdict is Verdict.ACCEPTED
        assert told(rig).ordered_today == (buy().sym,)
        await rig.stop()


def told(rig: Rig) -> EngineStatusRow:
    """What the screen is told of the engine."""
    row = rig.screen.look().tables[Table.ENGINE_STATUS][ENGINE]
    assert isinstance(row, EngineStatusRow)
    return row


def changed_rules(rig: Rig) -> tuple[tuple[str, str], ...]:
    """What the screen is told of changed rules."""
    return told(rig).changed_rules


@pytest.mark.parametrize(("price", "qty", "guard"), [("60000", "0.005", ""), ("59999", "0.01", CHANGED_RULES)])
def test_changed_symbol_rules_allow_only_reducing_replaces(price: str, qty: str, guard: str) -> None:
    desk = Gated()
    desk.row()
    take_rules(desk.state, rules())
    take_rules(desk.state, rules(tickSize="0.5"))
    refusal = desk.gate.check_replace(Replace(decision=DECISION, key="k", price=price, qty=qty))
    assert ("" if refusal is None else refusal.guard) == guard
