"""The tour, played by its own script with keys on the whole program at a paper venue; wrong keys are pressed too."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from tests.workstation.driver import Desk
from tests.workstation.driver import desk as scripted_desk
from tests.workstation.first_steps.tour_desk import KEY_S, TourDesk
from tui.engine.modes import Environment, TradingState
from tui.engine.rows import Fact, Table
from tui.workstation.features.tour.steps import STEPS
from tui.workstation.input.scopes import Scope

BTC = "BINANCE_PERP_BTC_USDT"
SIZES = ((80, 24), (160, 45))
WRONG_KEYS = ("s", "B", "b", "4", "H", "/", ":", "?", "C", "z", "d", "enter", "f4", "e", "tab", "x")
"""Keys that lead somewhere else, or do nothing here; one before each key of the tour."""

Plays = Callable[["TourDesk"], Awaitable[None]]


def on_desk(size: tuple[int, int], plays: Plays, market: str = "still") -> None:
    desk = TourDesk(11, size, market=market)

    async def begin() -> None:
        await desk.pause(3)
        await plays(desk)

    desk.play(begin)
    assert desk.world.errors == []


@pytest.mark.parametrize("size", SIZES)
def test_each_tour_step_takes_effect_at_the_venue(size: tuple[int, int]) -> None:
    async def play(desk: TourDesk) -> None:
        await desk.tap("f1")
        assert "Tour 1 of 7" in desk.bar() and "F1 leaves" in desk.bar()
        await desk.play_step()
        await desk.play_step()
        assert desk.state() is TradingState.ARMED
        await desk.play_step()
        [sent] = await desk.orders()
        await desk.play_step()
        [changed] = await desk.orders()
        assert changed.price < sent.price
        await desk.play_step()
        assert await desk.orders() == []
        await desk.play_step()
        [held] = (await desk.positions()).values()
        assert held > 0
        await desk.play_step()
        assert not any((await desk.positions()).values())
        assert desk.state() is TradingState.VIEW
        assert "Tour done" in desk.bar() and "F1 closes" in desk.bar()
        await desk.tap("f1")
        assert desk.bar() == ""

    on_desk(size, play)


@pytest.mark.parametrize(
    ("first", "size"),
    [
        # By default every other pair of keys, each at one of the sizes.
        pytest.param(first, size, marks=() if first // 2 % (2 * len(SIZES)) == 3 * number else pytest.mark.nightly)
        for first in range(0, len(WRONG_KEYS), 2)
        for number, size in enumerate(SIZES)
    ],
)
def test_wrong_keys_are_hinted_at_and_the_tour_goes_on(first: int, size: tuple[int, int]) -> None:
    async def play(desk: TourDesk) -> None:
        await desk.tap("f1")
        for _ in STEPS:
            await desk.play_step(wrong=WRONG_KEYS[first : first + 2])
        assert "Tour done" in desk.bar()
        assert await desk.orders() == [] and not any((await desk.positions()).values())

    on_desk(size, play)


@pytest.mark.parametrize("size", [SIZES[0], pytest.param(SIZES[1], marks=pytest.mark.nightly)])
def test_in_a_lively_market_the_tour_ends_flat_and_disarmed(size: tuple[int, int]) -> None:
    """An order may be filled before its price is changed: then its steps are over too."""

    async def play(desk: TourDesk) -> None:
        await desk.tap("f1")
        while desk.tour.at < len(STEPS):
            await desk.play_step()
        assert await desk.orders() == [] and not any((await desk.positions()).values())

    on_desk(size, play, "lively")


def test_held_keys_do_not_advance_the_tour_or_send_orders() -> None:
    async def play(desk: TourDesk) -> None:
        await desk.tap("f1")
        for _ in range(2):
            await desk.play_step()
        for key in ("enter", "y", "b"):
            for _ in range(30):
                await desk.press(key)
                await desk.pause(0.03)
            await desk.pause(KEY_S)
        assert desk.tour.at == 2 and await desk.orders() == []
        while desk.tour.at < len(STEPS):
            await desk.play_step()

    on_desk((80, 24), play)


def test_the_tour_bar_overlaps_no_ticket_list_or_status() -> None:
    async def play(desk: TourDesk) -> None:
        await desk.tap("f1")
        await desk.play_step()
        await desk.play_step()
        for key in ("b", "escape", "2", "1"):
            screen = desk.app.main_screen
            shown = [widget for widget in screen.children if widget.display and widget.size.height]
            regions = [widget.region for widget in shown]
            for at, region in enumerate(regions):
                assert not any(region.intersection(other) for other in regions[at + 1 :]), desk.text()
            heights = [box.size.height for box in screen.boxes.values() if box.display]
            assert min(heights) > 2, (heights, desk.text())
            await desk.tap(key)

    on_desk((80, 24), play)


def test_the_tour_names_an_open_kill_prompt_and_the_way_back() -> None:
    async def play(desk: TourDesk) -> None:
        await desk.tap("f1")
        for _ in range(3):
            await desk.play_step()
        await desk.tap("X")
        assert "kill prompt: Esc goes back" in " ".join(desk.bar().split())
        await desk.tap("escape")
        await desk.tap("X")
        await desk.pause(1)
        await desk.tap("enter")
        assert "Ctrl+T leads back to NORMAL" in " ".join(desk.bar().split())

    on_desk((160, 45), play)


def test_f1_leaves_the_tour_and_begins_it_anew_at_60_columns() -> None:
    async def play(desk: TourDesk) -> None:
        await desk.tap("f1")
        await desk.play_step()
        await desk.tap("f1")
        assert desk.bar() == ""
        await desk.tap("f1")
        assert "Tour 1 of 7" in desk.bar(), "F1 begins it anew"

    on_desk((60, 20), play)


async def test_at_a_live_service_f1_says_that_the_tour_runs_on_paper() -> None:
    async with scripted_desk(80, 24) as at:
        at.port.set_desk(environment=Environment.LIVE)
        await at.settle()
        await at.press("f1")
        assert at.events()[-1] == "the tour runs on the paper venue: start crossdesk without --profile"
        assert at.scope() is Scope.QUOTES and "Tour" not in at.text()


async def test_a_read_only_desk_refuses_the_tour() -> None:
    async with scripted_desk(80, 24) as at:
        at.port.set_desk(read_only="READ-ONLY: started with --read-only")
        await at.settle()
        await at.press("f1")
        assert at.events()[-1] == "the tour sends orders: READ-ONLY: started with --read-only"


async def test_f1_on_the_help_page_or_a_full_screen_begins_the_tour() -> None:
    async with scripted_desk(80, 24, armed=False) as at:
        for keys in (("?",), ("H",), ("f8",)):
            await at.press(*keys, "f1")
            assert at.scope() is Scope.QUOTES and "Tour 1 of 7" in at.text(), keys
            await at.press("f1")


async def at_order_step(at: Desk) -> None:
    for key in ("f1", "j", "2", "1"):
        await at.press(key)
        at.app.controllers.tour.follow()
    await at.settle()
    assert "Tour 3 of 7" in at.text()


async def put_order(at: Desk, key: str, price: str = "63990.0", **fields: object) -> None:
    at.port.order(key, BTC, "BUY", price, "0.001", **fields)
    await at.settle()


async def test_a_refused_order_keeps_the_tour_at_the_order_step() -> None:
    async with scripted_desk(80, 24) as at:
        await at_order_step(at)
        await put_order(at, "t1", state="SENT")
        assert "Tour 3 of 7" in at.text() and "! the order was" not in at.text()
        await put_order(at, "t1", state="REJECT", final=True)
        assert "Tour 3 of 7: Send a limit order  ! the order was refused" in at.text()
        await put_order(at, "t2")
        assert "Tour 4 of 7: Change its price  ✓ the order is at the venue" in at.text()


async def test_the_tour_takes_a_price_with_fewer_decimals_as_unchanged() -> None:
    async with scripted_desk(80, 24) as at:
        await at_order_step(at)
        for price in ("63990.0", "63990"):
            await put_order(at, "t1", price)
            assert "Tour 4 of 7" in at.text(), price
        await put_order(at, "t1", "63989.9")
        assert "Tour 5 of 7: Cancel it  ✓ the venue has taken the new price" in at.text()


async def test_a_tour_order_filled_too_early_leads_back_to_sending() -> None:
    done: dict[str, Any] = {"executed": "0.001", "state": "FILLED", "final": True}
    async with scripted_desk(80, 24) as at:
        await at_order_step(at)
        await put_order(at, "t1")
        await put_order(at, "t1", **done)
        assert "Tour 3 of 7: Send a limit order  ! the order was filled" in at.text()
        await put_order(at, "t2")
        await put_order(at, "t2", "63989.9")
        await put_order(at, "t2", "63989.9", **done)
        assert "Tour 3 of 7: Send a limit order  ! the order was filled" in at.text()
        await put_order(at, "t3")
        await put_order(at, "t3", "63989.9")
        await put_order(at, "t3", "63989.9", state="CANCELLED", final=True)
        assert "Tour 6 of 7: Buy at once  ✓ the order is cancelled" in at.text()


async def test_the_tour_waits_for_its_own_fill_and_a_confirmed_close() -> None:
    async with scripted_desk(80, 24) as at:
        await at_order_step(at)
        await put_order(at, "t1")
        await put_order(at, "t1", "63989.9")
        await put_order(at, "t1", "63989.9", state="CANCELLED", final=True)
        key, fact = f"{BTC}/LONG", at.app.mirror.positions[f"{BTC}/LONG"]
        held = msgspec.structs.replace(fact.record, position_qty="2.6")
        at.port.put(Table.POSITIONS, key, Fact(held, fact.stamp))
        await at.settle()
        assert "Tour 6 of 7" in at.text(), "a late fill of an order before is none"
        await put_order(at, "t2", "64001.0", executed="0.001", state="FILLED", final=True)
        assert "Tour 7 of 7" in at.text() and "✓ you hold a position" in at.text()
        at.port.set_desk(synced=False, trading_state=TradingState.VIEW)
        at.port.put(Table.POSITIONS, key, None)
        await at.settle()
        assert "Tour 7 of 7" in at.text(), "out of step, a position that is not listed is not closed"
        at.port.set_desk(synced=True)
        await at.settle()
        assert "Tour done" in at.text() and "✓ what you bought is closed, and nothing can be sent" in at.text()


def test_each_of_seven_tour_steps_has_a_result_text_and_tasks() -> None:
    assert len(STEPS) == 7
    assert all(step.seen and step.tasks for step in STEPS)
