"""Market of a question about several requests: what changed since it was asked is said, and asked about again."""

from __future__ import annotations

import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.keys.test_command_line import BTC, answer, enter, placed
from tests.workstation.keys.test_expired_questions import hold_net
from tui.engine.intents import Outcome, Verdict
from tui.workstation.input.scopes import Scope
from tui.workstation.widgets.prompts import PromptBody

ACCEPTED = Outcome(verdict=Verdict.ACCEPTED, key="new")
FIRST = Outcome(verdict=Verdict.ASK, guard="FIRST_OF_DAY", text="first BINANCE BTC perp order today")
LINE = "long 0.01 BTC at bid-20t & long 0.02 BTC at 63000"
SIZES = [(80, 24), (160, 45)]


async def renew(at: Desk, bid: str, ask: str) -> None:
    """Move the market, and wait until an open question shows it."""
    at.port.quote(BTC, bid, ask)
    await at.pause(0.5)
    await at.settle()


def shown(at: Desk) -> str:
    """The question on the screen, without line ends and frame."""
    region = at.app.screen.query_one(PromptBody).region
    lines = at.text().split("\n")[region.y : region.bottom]
    return " ".join(" ".join(line[region.x : region.right].strip("│ ") for line in lines).split())


@pytest.mark.parametrize("size", SIZES)
async def test_a_command_line_question_says_which_order_would_now_take(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        at.port.outcomes = [ACCEPTED] * 2
        await enter(at, LINE, "enter")
        assert "@ 63,999.0 · would rest" in shown(at) and "would take" not in shown(at)
        await renew(at, "63990.0", "63990.2")
        assert "step 1 would take now: the ask is 63,990.2" in shown(at)
        assert "BINANCE BTC perp: asked at bid 64,001.0, now 63,990.0 (-11)" in shown(at)
        await answer(at, "y")
        assert at.scope() is Scope.PROMPT and placed(at) == []
        assert "asked again because step 1 would take now: the ask is 63,990.2" in shown(at)
        assert "@ 63,999.0 · would take" in shown(at)
        await answer(at, "y")
        assert [price for _, _, price in placed(at)] == ["63999.0", "63000"]


async def test_a_command_question_says_which_order_no_longer_takes() -> None:
    async with desk(160, 45) as at:
        at.port.outcomes = [ACCEPTED] * 2
        await enter(at, "long 0.01 BTC take & long 0.02 BTC at 64001.2 ioc", "enter")
        await renew(at, "64005.0", "64005.2")
        assert "BINANCE BTC perp: asked at ask 64,001.2, now 64,005.2 (+4)" in shown(at), shown(at)
        assert "step 2 would no longer take: the ask is 64,005.2" in shown(at), shown(at)
        await answer(at, "y")
        assert at.scope() is Scope.PROMPT and placed(at) == []
        assert "2. " in shown(at) and "does not reach the ask: would end unfilled" in shown(at)


async def test_after_a_move_that_makes_no_order_take_one_y_sends_all() -> None:
    async with desk(160, 45) as at:
        at.port.outcomes = [ACCEPTED] * 2
        await enter(at, LINE, "enter")
        await renew(at, "64002.0", "64002.2")
        assert "asked at bid 64,001.0, now 64,002.0 (+1)" in shown(at)
        await answer(at, "y")
        assert len(placed(at)) == 2


async def test_market_orders_of_a_line_ask_again_after_a_large_move() -> None:
    async with desk(160, 45) as at:
        await enter(at, "xlong 0.01 BTC mkt ; xlong 0.01 BTC mkt", "enter")
        await renew(at, "61000.0", "61000.2")
        await answer(at, "y")
        assert at.scope() is Scope.PROMPT and placed(at) == []
        assert "steps 1, 2: the price moved from 64,001.0 to 61,000.0" in shown(at)


async def test_a_question_midway_in_a_line_repeats_if_an_order_takes() -> None:
    async with desk(160, 45) as at:
        at.port.rest()
        at.port.outcomes = [FIRST, ACCEPTED, ACCEPTED]
        await enter(at, "long 0.01 BTC at bid-20t ; long 0.02 BTC at 63000", "enter")
        await answer(at, "y")
        assert "Step 1 of 2 asks" in at.text() and len(placed(at)) == 1
        await renew(at, "63990.0", "63990.2")
        assert "step 1 would take now: the ask is 63,990.2" in shown(at)
        await answer(at, "y")
        assert at.scope() is Scope.PROMPT and len(placed(at)) == 1
        await answer(at, "y")
        assert len(placed(at)) == 3


@pytest.mark.parametrize("size", SIZES)
async def test_a_sell_of_a_line_asks_again_when_its_position_is_gone(size: tuple[int, int]) -> None:
    """It was asked as the close of a position that now does not exist any more."""
    async with desk(*size) as at:
        at.port.outcomes = [ACCEPTED] * 2
        await hold_net(at, "0.2")
        await enter(at, "sell 0.1 BTC at 64100 & sell 0.1 BTC at 64200", "enter")
        await hold_net(at, "0")
        await answer(at, "y")
        assert at.scope() is Scope.PROMPT and placed(at) == []
        assert "the position is 0 BTC, it was 0.2 BTC when it was asked" in shown(at), shown(at)
        await answer(at, "y")
        assert [price for _, _, price in placed(at)] == ["64100", "64200"]


async def test_a_line_that_still_closes_as_much_does_not_ask_again() -> None:
    async with desk(160, 45) as at:
        at.port.outcomes = [ACCEPTED] * 2
        await hold_net(at, "0.3")
        await enter(at, "sell 0.1 BTC at 64100 & sell 0.1 BTC at 64200", "enter")
        await hold_net(at, "0.2")
        await answer(at, "y")
        assert [price for _, _, price in placed(at)] == ["64100", "64200"]


def exits(at: Desk) -> list[tuple[str, str]]:
    """Stop and target of the sent orders, empty where there is none."""
    both = ((order.stop_loss, order.take_profit) for order in at.sent_orders())
    return [(stop.trigger if stop else "", profit.trigger if profit else "") for stop, profit in both]


MOVING = "long 0.01 BTC join sl 1% tp 2r & long 0.02 BTC mkt sl 63000 & long 0.01 BTC mkt sl 100t"


async def test_stop_and_target_of_a_line_leave_as_its_question_showed() -> None:
    """They were measured anew from the price at which the entry left."""
    async with desk(160, 45) as at:
        at.port.outcomes = [ACCEPTED] * 3
        await enter(at, MOVING, "enter")
        assert "sl 63,361.0" in shown(at) and "tp 65,281.0" in shown(at) and "sl 63,991.2" in shown(at)
        await renew(at, "64021.0", "64021.2")
        assert "asked at bid 64,001.0, now 64,021.0 (+20); tp and sl stay" in shown(at), shown(at)
        await answer(at, "y")
        assert exits(at) == [("63361", "65281"), ("63000", ""), ("63991.2", "")]
        assert placed(at)[0][2] == "64021.0"


async def test_exits_asked_midway_leave_as_that_question_showed() -> None:
    async with desk(160, 45) as at:
        at.port.rest()
        at.port.outcomes = [FIRST, ACCEPTED, ACCEPTED]
        await enter(at, "long 0.01 BTC at 63000 ; long 0.02 BTC join sl 1%", "enter")
        await answer(at, "y")
        await renew(at, "64021.0", "64021.2")
        await answer(at, "y")
        assert exits(at)[1:] == [("", ""), ("63361", "")]


async def test_a_line_whose_shown_stop_would_fire_at_once_asks_again() -> None:
    async with desk(160, 45) as at:
        at.port.outcomes = [ACCEPTED] * 2
        await enter(at, "long 0.01 BTC mkt sl 100t & long 0.02 BTC at 63000", "enter")
        await renew(at, "63985.0", "63985.2")
        await answer(at, "y")
        assert at.scope() is Scope.PROMPT and placed(at) == []
        assert "step 1: sl: 63,991.2 would trigger immediately" in shown(at), shown(at)
        assert "sl 63,975.2" in shown(at)
        await answer(at, "y")
        assert exits(at) == [("63975.2", ""), ("", "")]


async def test_a_line_refuses_a_typed_stop_that_would_fire_at_once() -> None:
    """The market passed it while the question was open: the answer ended the program."""
    async with desk(160, 45) as at:
        at.port.outcomes = [ACCEPTED] * 2
        await enter(at, "long 0.02 BTC at 63000 & long 0.01 BTC mkt sl 63990", "enter")
        await renew(at, "63985.0", "63985.2")
        await answer(at, "y")
        assert at.scope() is Scope.PROMPT and placed(at) == []
        assert "step 2 would be refused now: sl: 63,990 would trigger immediately" in shown(at), shown(at)
        await answer(at, "y")
        assert [price for _, _, price in placed(at)] == ["63000"]
        assert any("step 2 of 2: not sent: sl: 63,990 would trigger" in text for text in at.events()), at.events()
