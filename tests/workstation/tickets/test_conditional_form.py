"""Conditional orders: what was typed to wait for a fall never becomes an order that waits for a rise."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.workstation.driver import Desk, desk
from tui.engine.intents import Outcome, PlaceAlgo, ReplaceAlgo, Verdict
from tui.engine.rows import AlgoRow, Table, TickerRow
from tui.interface.families.algo import AlgoRecord
from tui.workstation.input.scopes import Scope

BTC = "BINANCE_PERP_BTC_USDT"
ASKS = Outcome(verdict=Verdict.ASK, guard="NOTIONAL", text="more than the soft limit")


async def trade(at: Desk, last: str) -> None:
    """Let the last price move, and time pass so that questions follow it."""
    at.port.put(Table.TICKERS, BTC, TickerRow(sym=BTC, last=last))
    await at.settle()
    at.clock.pass_by(1.0)
    at.app._tick()
    await at.pause(0.6)
    await at.settle()


@asynccontextmanager
async def flat_pair(width: int = 160) -> AsyncIterator[Desk]:
    """The cursor on a pair without a position, whose last price is 64,000."""
    async with desk(width, 45) as at:
        at.port.put(Table.POSITIONS, f"{BTC}/LONG", None)
        await at.press("1", "g", "g")
        while at.app.main_screen.tables["quotes"].selected != BTC:
            await at.press("j")
        await trade(at, "64000")
        yield at


def text_of(at: Desk) -> str:
    """Words of the form, or of the screen if none is on top."""
    lines = at.text().split("\n")
    left = next((line.index("┌ ") for line in lines if "┌ new " in line or "┌ change " in line), 0)
    return " ".join(" ".join(line[left : left + 66] if left else line for line in lines).replace("│", " ").split())


def placed(at: Desk) -> list[PlaceAlgo]:
    return [intent for intent in at.port.intents if isinstance(intent, PlaceAlgo)]


@pytest.mark.parametrize(
    ("typed", "crossed", "way", "other"), [("63992", "63980", "falls", "rises"), ("64010", "64030", "rises", "falls")]
)
async def test_a_typed_trigger_is_refused_once_the_market_crossed_it(
    typed: str, crossed: str, way: str, other: str
) -> None:
    price, now = f"{typed[:2]},{typed[2:]}", f"{crossed[:2]},{crossed[2:]}"
    async with flat_pair() as at:
        await at.press("p", "down", *typed, "down", *".5", "enter")
        assert f"when last {way} to {price}.0, " in text_of(at)
        await trade(at, crossed)
        said = f"last {now} has crossed the trigger {price}, typed for a {way[:-1]}: type it again"
        assert said in text_of(at) and "trigger is refused" in text_of(at)
        await at.press("y")
        assert placed(at) == []
        await trade(at, "64000")
        assert f"when last {way} to {price}.0, " in text_of(at), "it is on its side again"
        await trade(at, crossed)
        await at.press("ctrl+u", *typed)
        assert f"when last {other} to {price}.0, " in text_of(at), "typed again it means the other side"
        await at.press("down", "down", "y")
        [order] = placed(at)
        assert order.rises is (other == "rises")


async def test_a_limit_typed_after_a_trigger_keeps_the_direction() -> None:
    async with flat_pair() as at:
        await at.press("p", "down", *"63992")
        assert "when last falls to 63,992.0" in text_of(at)
        await trade(at, "63980")
        await at.press(*" last @63999")
        assert "typed for a fall: type it again" in text_of(at) and "rises to" not in text_of(at)
        await at.press("ctrl+u", *"63992 mark")
        assert "when mark falls to 63,992.0" in text_of(at), "the mark price has not crossed it"


async def test_a_conditional_question_closes_if_the_trigger_is_crossed() -> None:
    async with flat_pair() as at:
        at.port.outcomes.append(ASKS)
        await at.press("p", "down", *"63992", "down", *".5", "enter", "y")
        assert at.scope() is Scope.PROMPT
        assert "BUY 0.5 BINANCE BTC perp, when last falls to 63,992: more than the soft limit" in text_of(at)
        await trade(at, "63995")
        assert at.scope() is Scope.PROMPT
        await trade(at, "63980")
        assert at.scope() is Scope.FORM_END, "the question closed by itself"
        said = "question closed: last 63,980 has crossed the trigger 63,992, typed for a fall: type it again"
        assert any(said in event for event in at.events()), at.events()
        await at.press("y")
        assert len(placed(at)) == 1, "only the one that was asked about"


async def test_y_sends_no_conditional_whose_trigger_was_just_crossed() -> None:
    """The answer comes before the question was updated."""
    async with flat_pair() as at:
        at.port.outcomes.append(ASKS)
        await at.press("p", "down", *"63992", "down", *".5", "enter", "y")
        at.clock.pass_by(1.0)
        at.port.put(Table.TICKERS, BTC, TickerRow(sym=BTC, last="63980"))
        await at.settle()
        await at.press("y")
        assert len(placed(at)) == 1 and not placed(at)[0].confirmed


async def test_a_trigger_offset_follows_the_market_until_its_question() -> None:
    async with flat_pair() as at:
        at.port.outcomes.append(ASKS)
        await at.press("p", "down", *"-30t", "down", *".5", "enter")
        await trade(at, "63980")
        assert "when last falls to 63,977.0, " in text_of(at) and "(t from last)" in text_of(at)
        await at.press("y")
        assert at.scope() is Scope.PROMPT and "when last falls to 63,977:" in text_of(at)
        await trade(at, "63970")
        assert at.scope() is Scope.FORM_END
        await trade(at, "63970.5")
        assert "when last falls to 63,967.5, " in text_of(at), "the form goes on with the market"


def wait_at(at: Desk, trigger: str, state: str = "NEW") -> None:
    """A conditional order that waits."""
    record = AlgoRecord(
        algo_order_id="7001", client_order_id="7001", sym=BTC, side="BUY", order_qty="0.5", position_side="LONG",
        order_state=state, condition_type="CONDITIONAL", conditional_trigger_price=trigger,
        conditional_trigger_type="LAST_PRICE", create_at=str(int(at.clock.wall() * 1000) - 90_000),
    )  # fmt: skip
    at.port.put(Table.ALGOS, "7001", AlgoRow(key="7001", record=record, stamp=at.port.stamp()))


@pytest.mark.parametrize(("trigger", "way"), [("63992", "falls"), ("64010", "rises")])
async def test_the_algo_list_says_if_the_price_must_rise_or_fall(trigger: str, way: str) -> None:
    async with flat_pair() as at:
        wait_at(at, trigger)
        await at.press("A")
        assert f"when last {way} to {trigger[:2]},{trigger[2:]}.0 " in text_of(at)
        wait_at(at, trigger, "PROCESSING")
        await at.settle()
        assert f" at {trigger[:2]},{trigger[2:]}.0 last " in text_of(at), "a triggered one waits no more"


@pytest.mark.parametrize(("trigger", "way"), [("63992", "falls"), ("64010", "rises")])
async def test_a_narrow_algo_list_keeps_trigger_side_and_price(trigger: str, way: str) -> None:
    async with flat_pair(80) as at:
        wait_at(at, trigger)
        await at.press("A")
        assert f" {way} to {trigger[:2]},{trigger[2:]}.0 " in text_of(at)


async def test_an_edited_trigger_is_refused_once_the_market_crossed_it() -> None:
    async with flat_pair() as at:
        wait_at(at, "63900")
        await at.press("A", "e", "ctrl+u", *"63992", "down")
        assert "when last falls to 63,992.0" in text_of(at)
        await trade(at, "63980")
        await at.press("down", "y")
        assert at.port.intents == [] and "typed for a fall: type it again" in text_of(at)
        await trade(at, "64000")
        await at.press("ctrl+u", *"63992", "down", "down", "y")
        [change] = at.port.intents
        assert isinstance(change, ReplaceAlgo) and change.rises is False
