"""Staged closes follow their position: the size is that of the whole or of its part, and a change of it is read first."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.keys.test_expired_questions import hold_net
from tests.workstation.tickets.ticket_desk import BTC
from tui.engine.intents import Outcome, Place, Verdict
from tui.engine.rows import Table

SIZES = [(80, 24), (160, 45)]
KEYS = {
    ("f",): "1",
    ("o",): "1",
    ("%", "2"): "0.5",
    ("%", "4"): "1",
    (":", *"flat here"): "1",
    (":", *"close 50% here"): "0.5",
}


async def stage(at: Desk, *keys: str) -> None:
    """Stage the close of a position of 0.5."""
    await hold_net(at, "0.5")
    at.app.main_screen.tables["positions"].select(f"{BTC}/NONE")
    await at.press("3", *keys)
    assert at.app.main_screen.panel.open, at.events()


def sizes(at: Desk) -> list[str]:
    return [intent.qty for intent in at.port.intents if isinstance(intent, Place)]


@pytest.mark.parametrize("keys", KEYS)
@pytest.mark.parametrize("size", SIZES)
async def test_a_staged_close_grows_with_its_position(size: tuple[int, int], keys: tuple[str, ...]) -> None:
    async with desk(*size) as at:
        await stage(at, *keys)
        await hold_net(at, "1")
        await at.app_takes("enter")
        assert sizes(at) == [] and "has just changed" in at.flat_text()
        at.clock.pass_by(1.0)
        await at.press("enter")
        assert sizes(at) == [KEYS[keys]]


async def test_a_staged_close_shrinks_with_its_position() -> None:
    async with desk() as at:
        await stage(at, "f")
        await hold_net(at, "0.3")
        assert "the whole position" in at.text() and at.app.main_screen.panel.size_field.value == "0.3"
        at.clock.pass_by(1.0)
        await at.press("enter")
        assert sizes(at) == ["0.3"]


async def test_a_close_with_a_typed_size_does_not_follow_its_position() -> None:
    async with desk() as at:
        await stage(at, "f", *"0.2")
        await hold_net(at, "1")
        at.clock.pass_by(1.0)
        await at.press("enter")
        assert sizes(at) == ["0.2"]


@pytest.mark.parametrize("size", SIZES)
async def test_a_typed_size_that_now_reverses_is_read_first(size: tuple[int, int]) -> None:
    """It was a reduction when it was typed, and the position has shrunk since."""
    async with desk(*size) as at:
        await hold_net(at, "0.5")
        at.app.main_screen.tables["quotes"].select(BTC)
        await at.press("1", "s", "T", *"0.2")
        at.clock.pass_by(1.0)
        await at.settle()
        assert "Enter sends" in at.panel_text(), at.text()
        await hold_net(at, "0.1")
        assert "Enter sends" not in at.panel_text() and "type the size again" in at.flat_text(), at.text()
        at.clock.pass_by(2.0)
        await at.press("enter")
        assert sizes(at) == [] and "closes LONG 0.1 and opens SHORT 0.1: type the size again" in at.flat_text(), (
            at.text()
        )
        await at.press("enter", "y")
        assert sizes(at) == []
        await at.press("backspace", "2")
        at.clock.pass_by(1.0)
        await at.press("enter")
        assert sizes(at) == ["0.2"], at.text()


@pytest.mark.parametrize("typed", ["0.2", "$13000", "100%"])
@pytest.mark.parametrize(("now", "told"), [("0", "opens SHORT {} and closes nothing"), ("-0.1", "opens SHORT {} and")])
@pytest.mark.parametrize("size", SIZES)
async def test_a_sell_is_refused_once_its_position_is_gone(
    size: tuple[int, int], now: str, told: str, typed: str
) -> None:
    """It closed the position when its size was typed; neither a step of the price nor Enter means the opening."""
    async with desk(*size) as at:
        await hold_net(at, "0.2")
        at.app.main_screen.tables["quotes"].select(BTC)
        await at.press("1", "s", "T", *typed)
        at.clock.pass_by(1.0)
        await at.settle()
        assert "Enter sends" in at.panel_text(), at.text()
        qty = at.ticket().qty
        await hold_net(at, now)
        assert f"size: this now {told.format(qty)}" in at.flat_text() and "Enter sends" not in at.panel_text(), (
            at.text()
        )
        at.clock.pass_by(2.0)
        await at.press("enter", "enter", "y")
        assert sizes(at) == []
        await at.press("ctrl+u", *"0.2")
        at.clock.pass_by(1.0)
        await at.press("enter")
        assert sizes(at) == ["0.2"], at.text()


async def test_a_price_step_does_not_accept_a_lost_position() -> None:
    async with desk() as at:
        await hold_net(at, "0.2")
        at.app.main_screen.tables["quotes"].select(BTC)
        await at.press("1", "s", *"0.2", "tab")
        await hold_net(at, "0")
        await at.press("up", "up")
        at.clock.pass_by(2.0)
        await at.press("enter", "y")
        assert sizes(at) == [] and "closes nothing: type the size again" in at.flat_text(), at.text()


@pytest.mark.parametrize("size", SIZES)
async def test_a_larger_opening_part_of_a_reversal_is_refused(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await hold_net(at, "0.1")
        at.app.main_screen.tables["quotes"].select(BTC)
        await at.press("1", "s", "T", *"0.3")
        await hold_net(at, "0.05")
        at.clock.pass_by(2.0)
        await at.press("enter", "y")
        assert sizes(at) == [] and "closes LONG 0.05 and opens SHORT 0.25: type" in at.flat_text(), at.text()


@pytest.mark.parametrize("side", ["s", "b"])
async def test_a_percentage_is_of_the_position_that_a_side_closes(side: str) -> None:
    """An order on the position's own side opens, so its percentage is of the buying power."""
    async with desk(160, 45) as at:
        await hold_net(at, "0.5")
        account = at.app.mirror.accounts["BINANCE"]
        free = msgspec.structs.replace(account.record, available_margin="20000")
        at.port.put(Table.ACCOUNTS, "BINANCE", msgspec.structs.replace(account, record=free))
        at.app.main_screen.tables["quotes"].select(BTC)
        await at.press("1", side, *"50%")
        at.clock.pass_by(1.0)
        await at.settle()
        if side == "b":
            assert "50 % of buying power" in at.flat_text(), at.text()
            return
        assert at.ticket().qty == "0.25" and "50 % of the closable position" in at.flat_text(), at.text()
        await hold_net(at, "0.4")
        assert at.ticket().qty == "0.2", at.text()
        at.clock.pass_by(2.0)
        await at.press("enter")
        assert sizes(at) == ["0.2"], at.text()


@pytest.mark.parametrize(
    ("now", "effect"), [("0", "position 0 → -0.1 BTC"), ("-0.1", "position -0.1 → -0.2 BTC"), ("0.001", "turns 0.001")]
)
@pytest.mark.parametrize("size", SIZES)
async def test_a_lost_position_is_nothing_to_be_a_share_of(size: tuple[int, int], now: str, effect: str) -> None:
    """The ticket went on to call its size a percentage of the closable position, and left out what becomes of it."""
    async with desk(*size) as at:
        await hold_net(at, "0.2")
        at.app.main_screen.tables["quotes"].select(BTC)
        await at.press("1", "s", "T", *"50%")
        assert "= 50 % of the closable position" in at.flat_text(), at.text()
        await hold_net(at, now)
        assert "% of the closable" not in at.flat_text() and effect in at.panel_text(), at.text()
        at.clock.pass_by(2.0)
        await at.press("enter")
        assert "% of the closable" not in at.flat_text() and effect in at.panel_text(), at.text()
        await hold_net(at, "0.4")
        assert at.ticket().qty == "0.2" and "= 50 % of the closable position" in at.flat_text(), at.text()
        assert "position 0.4 → 0.2 BTC" in at.panel_text(), at.text()


@pytest.mark.parametrize(("side", "now", "leg"), [("b", "-0.1", "SHORT"), ("s", "0.1", "LONG")])
@pytest.mark.parametrize("size", SIZES)
async def test_a_share_of_power_is_refused_once_it_closes(size: tuple[int, int], side: str, now: str, leg: str) -> None:
    """Typed now, the percentage would be of the position that another sender has opened; a step of the price is no size."""
    async with desk(*size) as at:
        await hold_net(at, "0")
        account = at.app.mirror.accounts["BINANCE"]
        free = msgspec.structs.replace(account.record, available_margin="20000")
        at.port.put(Table.ACCOUNTS, "BINANCE", msgspec.structs.replace(account, record=free))
        at.app.main_screen.tables["quotes"].select(BTC)
        await at.press("1", side, *"1%")
        at.clock.pass_by(1.0)
        await at.settle()
        assert "Enter sends" in at.panel_text(), at.text()
        await hold_net(at, now)
        why = f"size: this now closes {leg} 0.1 first, and is 1 % of buying power: type the size again"
        assert why in at.flat_text() and "Enter sends" not in at.panel_text(), at.text()
        await at.press("tab", "up", "down")
        at.clock.pass_by(2.0)
        await at.press("enter", "y")
        assert sizes(at) == [] and why in at.flat_text(), at.text()
        await at.press("ctrl+u", *"50%")
        assert "50 % of the closable position" in at.flat_text(), at.text()
        at.clock.pass_by(2.0)
        await at.press("enter")
        assert sizes(at) == ["0.05"], at.text()


@pytest.mark.parametrize("size", SIZES)
async def test_a_reversal_that_ends_by_itself_can_be_sent(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await hold_net(at, "0.5")
        at.app.main_screen.tables["quotes"].select(BTC)
        await at.press("1", "s", "T", *"0.2")
        await hold_net(at, "0.1")
        at.clock.pass_by(2.0)
        await at.press("enter")
        await hold_net(at, "0.4")
        assert "type the size again" not in at.panel_text(), at.text()
        at.clock.pass_by(2.0)
        await at.press("enter")
        assert sizes(at) == ["0.2"], at.text()


async def test_a_close_question_ends_when_the_position_size_changes() -> None:
    async with desk() as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="STALE", text="the quote is old")]
        await stage(at, "f")
        at.clock.pass_by(1.0)
        await at.press("enter")
        assert "the quote is old" in at.text()
        await hold_net(at, "1")
        assert "the quote is old" not in at.text()
        at.clock.pass_by(1.0)
        await at.press("y")
        assert sizes(at) == ["0.5"]
        await at.press("enter")
        assert sizes(at) == ["0.5", "1"]


@pytest.mark.parametrize("keys", [("f",), ("%", "2")])
async def test_a_close_of_a_position_that_turned_is_refused(keys: tuple[str, ...]) -> None:
    """Also while a fill that had opened the position is new: it was shown, so it is not late."""
    async with desk(80, 24) as at:
        await stage(at, *keys)
        at.port.order("opened", BTC, "BUY", "64000", "0.5", executed="0.5", state="FILLED")
        await hold_net(at, "-0.5")
        at.clock.pass_by(1.0)
        assert "Enter sends" not in at.text() and "50 % of the position" not in at.text()
        await at.press("enter")
        assert sizes(at) == [] and "no long position to reduce" in at.flat_text(), at.text()


@pytest.mark.parametrize("keys", [("3", "%", "2"), ("1", "s", "T", *"50%")])
@pytest.mark.parametrize("size", [(60, 16), *SIZES])
async def test_a_size_that_its_position_changed_is_marked(size: tuple[int, int], keys: tuple[str, ...]) -> None:
    """It was marked only if an Enter came too early."""
    async with desk(*size) as at:
        await hold_net(at, "0.02")
        at.app.main_screen.tables["positions"].select(f"{BTC}/NONE")
        at.app.main_screen.tables["quotes"].select(BTC)
        await at.press(*keys)
        await hold_net(at, "0.06")
        assert "the size was 0.010 BTC" in at.flat_text(), at.text()
        await hold_net(at, "0.1")
        assert "the size was 0.010 BTC and is 0.050 BTC" in at.flat_text(), at.text()
        await at.app_takes("enter")
        assert sizes(at) == [] and "has just changed" in at.flat_text(), at.text()
        at.clock.pass_by(11.0)
        at.app._tick()
        await at.settle()
        assert "the size was" not in at.flat_text(), at.text()


async def test_a_size_that_is_as_before_again_has_no_mark() -> None:
    async with desk() as at:
        await stage(at, "f")
        await hold_net(at, "1")
        await hold_net(at, "0.5")
        assert "the size was" not in at.flat_text() and "Enter sends" in at.panel_text()
