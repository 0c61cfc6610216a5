"""Stops moved, set for all, and positions reversed, by line and by key: each shown before it leaves."""

from __future__ import annotations

from decimal import Decimal

import msgspec
import pytest

from tests.workstation.algo_rows import put_algo
from tests.workstation.driver import Desk, desk
from tests.workstation.keys.test_command_line import answer, enter, placed
from tui.engine.intents import Outcome, PlaceAlgo, Verdict
from tui.engine.rows import Fact, Table
from tui.workstation.input.scopes import Scope
from tui.workstation.model.position_metrics import break_even

BTC = "BINANCE_PERP_BTC_USDT"
EDX = "EDX_PERP_BTC_USDT"
LEG = f"{BTC}/LONG"
ACCEPTED = Outcome(verdict=Verdict.ACCEPTED, key="new")


def change_leg(at: Desk, **changes: object) -> None:
    fact = at.app.mirror.positions[LEG]
    record = msgspec.structs.replace(fact.record, **changes)
    at.port.put(Table.POSITIONS, LEG, msgspec.structs.replace(fact, record=record))


def stops(at: Desk) -> list[tuple[str, str, str]]:
    """Symbol, side and trigger of the stops that left."""
    return [
        (intent.sym, intent.side.value, intent.stop_loss.trigger)
        for intent in at.port.intents
        if isinstance(intent, PlaceAlgo) and intent.stop_loss is not None
    ]


async def on_leg(at: Desk) -> None:
    await at.press("3", "g")
    assert at.app.main_screen.tables["positions"].selected == LEG


async def test_break_even_prompt_shows_the_stop_and_y_places_it() -> None:
    async with desk() as at:
        change_leg(at, fee="0", funding_fee="0", avg_price="63000")
        at.port.outcomes = [ACCEPTED]
        await at.settle()
        await on_leg(at)
        await at.press(":")
        await enter(at, "be here")
        assert "new stop of BINANCE BTC perp LONG" in at.text() and stops(at) == []
        await at.press("enter")
        await answer(at, "y")
        [(sym, side, trigger)] = stops(at)
        # A taker close at the trigger pays its own fee, so the stop lies above the entry.
        assert (sym, side) == (BTC, "SELL") and Decimal("63000") < Decimal(trigger) < Decimal("63100")


async def test_fees_of_a_closed_part_do_not_move_the_break_even_price() -> None:
    """Half of 0.5 at 63,000 was closed by taker orders: the record carries the fees of 0.5 and of the close."""
    async with desk() as at:
        for fee in ("7.875", "23.63"):
            change_leg(at, fee=fee, funding_fee="0", avg_price="63000", position_qty="0.25")
            await at.settle()
            [fact] = [fact for key, fact in at.app.mirror.positions.items() if key == LEG]
            # 63,000 and its fee of 31.5, over 1 - 0.0005, up to the tick.
            assert break_even(fact.record, at.app.context.view) == Decimal("63063.1")


async def test_break_even_of_a_losing_position_is_refused() -> None:
    async with desk() as at:
        change_leg(at, fee="0", funding_fee="0", avg_price="64500")
        await at.settle()
        await on_leg(at)
        await at.press("n")
        assert at.scope() is Scope.POSITIONS and "stop of BINANCE BTC perp LONG" in at.text()
        await at.press("enter", "y")
        assert stops(at) == []


async def test_key_n_asks_about_a_break_even_stop_and_enter_declines() -> None:
    async with desk() as at:
        change_leg(at, fee="0", funding_fee="0", avg_price="63000")
        await at.settle()
        await on_leg(at)
        await at.press("n")
        assert at.scope() is Scope.PROMPT
        await answer(at, "enter")
        assert at.scope() is Scope.POSITIONS and stops(at) == []


async def test_keys_pressed_just_after_a_question_opens_do_not_answer() -> None:
    async with desk() as at:
        change_leg(at, fee="0", funding_fee="0", avg_price="63000")
        await at.settle()
        await on_leg(at)
        await at.press("n")
        for wait, key in ((0.1, "enter"), (0.1, "enter"), (0.1, "y")):
            at.clock.pass_by(wait)
            await at.press(key)
        assert at.scope() is Scope.PROMPT and stops(at) == []
        await answer(at, "y")
        assert len(stops(at)) == 1


async def test_a_held_break_even_key_or_a_burst_of_y_places_no_stop() -> None:
    async with desk() as at:
        change_leg(at, fee="0", funding_fee="0", avg_price="63000")
        await at.settle()
        await on_leg(at)
        await at.hold("n", 1.0)
        await at.burst("y", "y", "y")
        await at.settle()
        assert stops(at) == []


@pytest.mark.parametrize(("line", "trigger"), [("sl move here 62000", "62000"), ("sl move here to 62000.5", "62000.5")])
async def test_sl_move_to_a_price_places_a_stop_if_there_is_none(line: str, trigger: str) -> None:
    async with desk() as at:
        at.port.outcomes = [ACCEPTED]
        await on_leg(at)
        await at.press(":")
        await enter(at, line, "enter")
        await answer(at, "y")
        assert stops(at) == [(BTC, "SELL", trigger)]


async def test_command_sl_move_by_a_distance_needs_an_existing_stop() -> None:
    async with desk() as at:
        await on_leg(at)
        await at.press(":")
        await enter(at, "sl move here +5t")
        assert "has no stop to move by a distance; write its price" in at.text()
        await at.press("enter")
        assert at.scope() is Scope.LINE and at.port.intents == []


async def test_sl_move_to_a_price_on_the_wrong_side_is_refused() -> None:
    async with desk() as at:
        await on_leg(at)
        await at.press(":")
        await enter(at, "sl move here 65000", "enter")
        assert at.scope() is Scope.LINE and at.port.intents == []


async def test_protect_all_places_a_stop_on_every_position_without_one() -> None:
    async with desk() as at:
        at.port.outcomes = [ACCEPTED] * 3
        await on_leg(at)
        await at.press("N")
        text = at.text()
        assert "Set 3 stops or targets" in text and text.count("new stop of") == 3
        await answer(at, "y")
        assert sorted((sym, side) for sym, side, _ in stops(at)) == [
            ("BINANCE_PERP_BTC_USDT", "SELL"),
            ("BINANCE_PERP_ETH_USDT", "SELL"),
            ("OKX_PERP_BTC_USDT", "BUY"),
        ]


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (160, 45)])
@pytest.mark.parametrize("keys", [("r",), (":", "r", "e", "v", "enter")], ids=["key", "line"])
async def test_the_reverse_question_says_what_is_closed_and_opened(
    size: tuple[int, int], keys: tuple[str, ...]
) -> None:
    """The box said only the size of the order, twice that of the position; the line showed a ticket and asked nothing."""
    async with desk(*size) as at:
        record = at.app.mirror.positions["OKX_PERP_BTC_USDT/SHORT"].record
        one_way = msgspec.structs.replace(record, position_side="NONE", position_qty="-20")
        stamp = at.port.stamp()
        at.port.put(Table.POSITIONS, "OKX_PERP_BTC_USDT/SHORT", None)
        at.port.put(Table.POSITIONS, "OKX_PERP_BTC_USDT/NONE", Fact(one_way, stamp))
        await at.settle()
        await at.press("3")
        while "OKX" not in (at.app.main_screen.tables["positions"].selected or ""):
            await at.press("j")
        await at.press(*keys)
        assert at.scope() is Scope.PROMPT and placed(at) == []
        assert "1. closes SHORT 20, opens LONG 20: BUY 40 ct OKX BTC perp" in at.text(), at.text()


async def test_a_reverse_in_hedge_mode_shows_close_and_opening_first() -> None:
    async with desk() as at:
        at.port.outcomes = [ACCEPTED, ACCEPTED]
        await on_leg(at)
        await at.press("r")
        assert at.scope() is Scope.PROMPT and placed(at) == []
        assert "1. closes LONG 2.5: SELL 2.5 BTC" in at.text() and "2. opens SHORT 2.5: SELL 2.5 BTC" in at.text()
        await answer(at, "y")
        assert placed(at)[0][:2] == ("SELL", "2.5")


async def test_command_trail_says_the_service_has_no_trailing_stops() -> None:
    async with desk() as at:
        await on_leg(at)
        await at.press(":")
        await enter(at, "trail here 1%")
        assert "the service has no trailing stop" in at.text()


async def test_in_state_view_break_even_protect_and_reverse_do_nothing() -> None:
    async with desk(armed=False) as at:
        await on_leg(at)
        await at.press("n", "N", "r")
        assert at.port.intents == [] and at.scope() is Scope.POSITIONS


def hold_at_edx(at: Desk) -> None:
    record = msgspec.structs.replace(
        at.app.mirror.positions[LEG].record, sym=EDX, position_side="NONE", position_qty="0.02"
    )
    at.port.put(Table.POSITIONS, f"{EDX}/NONE", Fact(record, at.port.stamp()))


BARE = "1 position stays without a stop: EDX BTC perp LONG 0.020 (EDX takes stops and targets only with an order)"


async def test_a_stop_attached_to_an_edx_order_can_be_moved() -> None:
    """EDX takes no stop for a position; the one that went with the opening order is changed like any other."""
    async with desk(160, 45) as at:
        hold_at_edx(at)
        await at.settle()
        await at.select_leg(f"{EDX}/NONE")
        await at.press("e")
        assert "has no stop or target: 2 shows the orders" in at.text(), "none is offered at EDX"
        await at.press("p")
        assert "takes stops and targets only with an order" in at.events()[-1]
        put_algo(at, "7001", sym=EDX, position_side="NONE", order_qty="0.02", attached_order_id="5")
        await at.settle()
        await at.press("p")
        assert "move SL 63,000.0" in at.text() and "add another" not in at.text(), at.text()
        await at.press("escape", "e")
        assert at.scope() is Scope.FORM and "63000" in at.text()
        await at.press("escape", ":")
        await enter(at, "sl move here 62900")
        assert "move the stop of EDX BTC perp" in at.flat_text(), at.text()


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_protect_all_names_positions_that_cannot_have_a_stop(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        hold_at_edx(at)
        at.port.outcomes = [ACCEPTED] * 3
        await at.settle()
        await on_leg(at)
        await at.press("N")
        assert BARE in at.flat_text(), at.text()
        await answer(at, "y")
        assert len(stops(at)) == 3
        assert any(event.endswith(f"all 3 steps done: protect all; {BARE}") for event in at.events()), at.events()


@pytest.mark.parametrize("line", ["", "protect all 1%"])
async def test_protect_all_names_the_position_that_can_have_no_stop(line: str) -> None:
    async with desk(160, 45) as at:
        hold_at_edx(at)
        for key in list(at.app.mirror.positions):
            at.port.put(Table.POSITIONS, key, None)
        await at.settle()
        await at.press("3", "g")
        if line:
            await at.press(":")
            await enter(at, line, "enter")
        else:
            await at.press("N")
        assert BARE in at.flat_text() and "no position without" not in at.text() and stops(at) == [], at.text()


PARTLY = "1 position stays partly protected: BINANCE BTC perp LONG 2.500 (a stop closes 0.500 of it)"


async def test_protect_all_warns_of_a_stop_that_covers_only_a_part() -> None:
    async with desk(120, 36) as at:
        put_algo(at, "7001")
        at.port.outcomes = [ACCEPTED] * 2
        await at.settle()
        await on_leg(at)
        await at.press("N")
        assert PARTLY in at.flat_text() and "Set 2 stops or targets" in at.text(), at.text()
        await answer(at, "y")
        assert [sym for sym, _, _ in stops(at)] == ["BINANCE_PERP_ETH_USDT", "OKX_PERP_BTC_USDT"]
        assert any(event.endswith(f"all 2 steps done: protect all; {PARTLY}") for event in at.events()), at.events()


async def test_command_sl_move_says_how_much_a_partial_stop_closes() -> None:
    async with desk(160, 45) as at:
        put_algo(at, "7001")
        await at.settle()
        await on_leg(at)
        await at.press(":")
        await enter(at, "sl move here 63100")
        named = "move the stop of BINANCE BTC perp LONG, which closes 0.500 of 2.500, from 63,000.0: 63,100.0"
        assert named in at.flat_text(), at.text()
        await at.press("escape")
        put_algo(at, "7001", condition_type="ENTIRE_CLOSE_POSITION", order_qty="")
        await at.settle()
        await on_leg(at)
        await at.press(":")
        await enter(at, "sl move here 63100")
        assert "move the stop of BINANCE BTC perp LONG from 63,000.0: 63,100.0" in at.flat_text(), at.text()


async def test_the_answer_to_a_stop_command_describes_the_stop() -> None:
    """The answer was the line itself, `sl move here to 63000`."""
    async with desk(160, 45) as at:
        await at.press("3", "g")
        at.port.outcomes = [Outcome(verdict=Verdict.ACCEPTED, key="7001")] * 2
        await enter(at, "sl 63000", "enter")
        await answer(at, "y")
        assert at.events()[-1] == "done: stop SELL all BINANCE BTC perp at 63,000.0 mark"
        put_algo(at, "7001")
        await at.settle()
        await enter(at, "sl +100t", "enter")
        await answer(at, "y")
        assert at.events()[-1] == "done: stop SELL 0.5 BINANCE BTC perp at 63,010.0 mark"
