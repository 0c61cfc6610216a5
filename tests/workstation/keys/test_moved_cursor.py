"""A cursor that came to a row by itself: a key that acts at once names the row first, held and repeated keys never act."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tui.engine.intents import Cancel, CancelAlgo, Place, Replace
from tui.engine.rows import AlgoRow, Table
from tui.interface.families.algo import AlgoRecord
from tui.workstation.input.scopes import Scope

SIZES = ("[", "]")
STEPS = ("+", "-", ">", "<")


async def heat(at: Desk) -> None:
    """Enter HOT and read the screen."""
    at.port.enter_hot(600)
    await at.settle()
    at.text()
    await at.pause(0.6)


async def end_row(at: Desk, pane: str, table: Table) -> str:
    """Take the row under the cursor out of a list; return the row to which the cursor came."""
    rows = at.app.main_screen.tables[pane]
    before = str(rows.selected)
    at.port.put(table, before, None)
    await at.settle()
    at.clock.pass_by(5.0)
    await at.settle()
    at.text()
    assert rows.selected not in (None, before)
    return str(rows.selected)


async def close_first(at: Desk) -> str:
    """Close the position under the cursor by `f` in HOT; return the row to which the cursor came."""
    await at.press("3", "g")
    await heat(at)
    await at.press("f")
    await at.settle()
    assert len(sent(at)) == 1
    return await end_row(at, "positions", Table.POSITIONS)


async def hold(at: Desk, key: str) -> None:
    """Hold a key for three seconds, and let go."""
    await at.hold(key, 3.0)
    at._later += 3.0


def sent(at: Desk) -> list[Place | Replace | Cancel]:
    return [intent for intent in at.port.intents if isinstance(intent, Place | Replace | Cancel)]


def names(at: Desk, key: str) -> bool:
    said = (text for text in at.events() if ": the cursor moved by itself" in text)
    return any(text.startswith((f"press {key} again for", f"release {key}, ")) for text in said)


@pytest.mark.parametrize("key", ["f", "o"])
async def test_a_hot_close_after_the_cursor_jumped_first_names_the_row(key: str) -> None:
    async with desk() as at:
        row = await close_first(at)
        await at.press(key)
        await at.settle()
        assert len(sent(at)) == 1 and names(at, key)
        await at.press(key)
        await at.settle()
        last = sent(at)[-1]
        assert len(sent(at)) == 2 and isinstance(last, Place) and last.sym == at.app.mirror.positions[row].record.sym


@pytest.mark.parametrize("key", ["f", "o"])
async def test_a_hot_close_key_held_as_the_cursor_jumps_closes_nothing(key: str) -> None:
    async with desk() as at:
        await close_first(at)
        await hold(at, key)
        assert len(sent(at)) == 1 and names(at, key)
        await at.press(key)
        assert len(sent(at)) == 2, "a fresh press of a named row"


async def test_a_held_hot_close_key_spares_the_next_position() -> None:
    async with desk() as at:
        await at.press("3", "g")
        await heat(at)
        start = at._now() + 1.0
        at._send("f", start)
        await at.settle()
        await end_row(at, "positions", Table.POSITIONS)
        for repeat in range(20):
            at._send("f", start + 0.5 + repeat * 0.03)
            await at.settle()
        assert len(sent(at)) == 1
        await at.press("f")
        assert len(sent(at)) == 1, "the first fresh press names the row"
        await at.press("f")
        await at.settle()
        assert len(sent(at)) == 2


async def test_a_partial_close_after_a_cursor_jump_first_names_its_row() -> None:
    async with desk() as at:
        row = await close_first(at)
        await at.press("%")
        assert names(at, "%") and at.scope() is Scope.POSITIONS
        await at.press("%", "2")
        await at.settle()
        last = sent(at)[-1]
        assert len(sent(at)) == 2 and isinstance(last, Place) and last.sym == at.app.mirror.positions[row].record.sym


async def test_a_25_typed_at_the_partial_close_prompt_sends_nothing() -> None:
    """After % people type 25 or 50, where 1 to 4 are the shares."""
    async with desk() as at:
        await at.press("3", "g", "%")
        await at.type(".")
        assert ". is no share: press 1 for 25 %" in at.text(), "where the question was"
        await at.type("5")
        assert "5 is no share: press 1 for 25 %" in at.text()
        assert any("5 is no share: press 1 for 25 %" in text for text in at.events())
        await at.type("25")
        panel = at.app.main_screen.panel
        assert panel.ticket is not None and panel.ticket.qty == "1.25"
        assert panel.refused_key == "2 chose 50 %; for 25 % press Esc then % and 1. Backspace continues"
        await at.press("enter")
        assert sent(at) == []
        await at.press("backspace")
        assert "Backspace continues" not in "\n".join(at.text().splitlines()[:-2]), "it has continued"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("10", "1 chose 25 %; for 100 % press Esc then % and 4"),
        ("33", "3 chose 75 %: Backspace twice edits the size"),
    ],
)
async def test_percents_typed_at_the_partial_close_prompt_get_a_hint(typed: str, said: str) -> None:
    async with desk(80, 24) as at:
        await at.press("3", "g", "%")
        await at.type(typed)
        assert f"! {said}. Backspace continues" in at.text() and sent(at) == []
        await at.press("escape", "%", "1", "enter")
        await at.settle()
        assert len(sent(at)) == 1


async def test_digits_after_a_refused_partial_close_go_to_no_pane() -> None:
    async with desk() as at:
        await at.press("3", "g")
        key = str(at.app.main_screen.tables["positions"].selected)
        fact = at.app.mirror.positions[key]
        one_lot = msgspec.structs.replace(fact.record, position_qty="0.001")
        at.port.put(Table.POSITIONS, key, msgspec.structs.replace(fact, record=one_lot))
        await at.settle()
        await at.press("%")
        await at.type("25")
        assert at.scope() is Scope.POSITIONS and "50 % of 0.001 is less than a lot" in " ".join(at.events()), (
            at.events()
        )


async def test_a_partial_close_digit_spares_the_next_position() -> None:
    async with desk() as at:
        await at.press("3", "g")
        await heat(at)
        await at.press("%")
        at.port.put(Table.POSITIONS, str(at.app.main_screen.tables["positions"].selected), None)
        await at.settle()
        at.clock.pass_by(1.0)
        await at.press("4")
        assert sent(at) == [] and names(at, "%")
        await at.press("%", "4")
        await at.settle()
        assert len(sent(at)) == 1


async def test_a_hot_close_of_a_position_just_listed_first_names_it() -> None:
    async with desk() as at:
        kept = dict(at.app.mirror.positions)
        await at.press("3", "g")
        for key in kept:
            at.port.put(Table.POSITIONS, key, None)
        await at.settle()
        key, fact = next(iter(kept.items()))
        at.port.put(Table.POSITIONS, key, fact)
        await heat(at)
        at.clock.pass_by(5.0)
        await at.press("f")
        assert sent(at) == [] and names(at, "f")


@pytest.mark.parametrize("key", [*STEPS, *SIZES])
async def test_a_held_hot_step_key_spares_the_next_order(key: str) -> None:
    async with desk() as at:
        await at.press("2", "g", "j", "j")
        await heat(at)
        await end_row(at, "orders", Table.ORDERS)
        await hold(at, key)
        await at.pause(0.6)
        assert sent(at) == [] and names(at, key) and not at.app.main_screen.panel.open
        await at.press(key)
        assert at.app.main_screen.panel.open


async def test_a_held_cancel_key_spares_an_order_the_cursor_moved_to() -> None:
    async with desk() as at:
        await at.press("2", "g", "j", "j")
        await heat(at)
        row = await end_row(at, "orders", Table.ORDERS)
        await hold(at, "c")
        assert sent(at) == [] and names(at, "c")
        await at.press("c")
        [cancel] = sent(at)
        assert isinstance(cancel, Cancel) and cancel.key == row


async def test_a_hot_step_after_its_order_filled_spares_other_orders() -> None:
    async with desk() as at:
        await at.press("2", "g", "j", "j")
        await heat(at)
        await at.press("+")
        await at.wait(lambda: len(sent(at)) == 1)
        await at.settle()
        rows = at.app.main_screen.tables["orders"]
        order = at.app.mirror.orders[str(rows.selected)]
        at.port.put(Table.ORDERS, order.key, msgspec.structs.replace(order, state="FILLED", final=True))
        await at.settle()
        at.clock.pass_by(5.0)
        await at.press("+")
        await at.pause(0.6)
        assert len(sent(at)) == 1


def wait_at(at: Desk, name: str, trigger: str = "63000") -> None:
    """A stop of the long leg that waits."""
    record = AlgoRecord(
        algo_order_id=name, client_order_id=name, sym="BINANCE_PERP_BTC_USDT", side="SELL", order_qty="0.5",
        position_side="LONG", order_state="NEW", condition_type="PARTIAL_CLOSE_POSITION", sl_trigger_price=trigger,
        sl_trigger_type="MARK_PRICE", create_at=str(int(at.clock.wall() * 1000) - 90_000),
    )  # fmt: skip
    at.port.put(Table.ALGOS, name, AlgoRow(key=name, record=record, stamp=at.port.stamp()))


@pytest.mark.parametrize("away", [True, False])
async def test_key_c_in_the_reopened_algo_list_cancels_the_row_shown(away: bool) -> None:
    """Whether the row ended while the list was shown, or while it was left."""
    async with desk(160, 45) as at:
        wait_at(at, "7001")
        wait_at(at, "7002", "62000")
        await at.press("A", "g", "g")
        if away:
            await at.press("A")
        at.port.put(Table.ALGOS, "7001", None)
        await at.settle()
        if not away:
            at.clock.pass_by(5.0)
            await at.press("c")
            assert at.port.intents == [] and "press c again for stop SELL" in at.text(), "it moved within sight"
            at.port.put(Table.ALGOS, "7002", None)
            wait_at(at, "7003")
            await at.settle()
            await at.press("A")
        at.clock.pass_by(10.0)
        await at.press("A")
        at.clock.pass_by(1.0)
        await at.press("c")
        [cancel] = at.port.intents
        assert isinstance(cancel, CancelAlgo) and cancel.key == ("7002" if away else "7003")


@pytest.mark.parametrize("keys", [("f",), ("%", "2"), ("o",)])
async def test_a_hot_close_acts_at_once_where_its_pane_digit_led(keys: tuple[str, ...]) -> None:
    """The position before had ended there, while the trader was in the quotes: he has moved to this one himself."""
    async with desk() as at:
        row = await close_first(at)
        await at.press("1", "3")
        at.text()
        await at.pause(0.6)
        await at.press(*keys)
        await at.settle()
        last = sent(at)[-1]
        assert len(sent(at)) == 2 and not names(at, keys[0]), at.events()
        assert isinstance(last, Place) and last.sym == at.app.mirror.positions[row].record.sym


async def test_a_row_that_ends_after_the_digit_is_still_named_first() -> None:
    async with desk() as at:
        await at.press("1", "3", "g")
        await heat(at)
        await end_row(at, "positions", Table.POSITIONS)
        await at.press("f")
        await at.settle()
        assert sent(at) == [] and names(at, "f")


async def test_a_digit_behind_a_refused_percent_key_leaves_no_pane() -> None:
    async with desk() as at:
        await close_first(at)
        await at.type("%2")
        assert names(at, "%")
        assert at.scope() is Scope.POSITIONS and len(sent(at)) == 1, at.events()
        await at.press("%", "2")
        await at.settle()
        assert len(sent(at)) == 2
