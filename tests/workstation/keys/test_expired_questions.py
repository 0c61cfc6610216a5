"""Questions that close unanswered: they say so, and what was typed for them does not reach the desk."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.tickets.ticket_desk import BTC
from tui.engine.intents import Cancel
from tui.engine.modes import RiskMode, TradingState
from tui.engine.rows import Table
from tui.workstation.input.scopes import Scope
from tui.workstation.settings import WorkstationSettings

LEG = f"{BTC}/LONG"


async def expire(at: Desk) -> None:
    """Let the time of the open question run out."""
    at.app.screen._expire()  # type: ignore[attr-defined]
    await at.settle()


async def test_a_word_typed_after_its_question_expired_does_nothing() -> None:
    async with desk(80, 24) as at:
        at.port.set_risk_mode(RiskMode.HALT)
        await at.settle()
        await at.press("1", "g", "j", "ctrl+t")
        assert at.scope() is Scope.WORD
        await expire(at)
        assert "question expired: nothing was done ('type resume')" in at.text()
        await at.press(*"resume", "enter")
        assert at.scope() is Scope.QUOTES and not at.app.main_screen.panel.open and at.port.intents == []
        assert "question expired: nothing was done" in at.events()[-1]


async def test_typing_flat_after_its_question_expired_does_nothing() -> None:
    async with desk() as at:
        await at.press("3", "g", "F")
        await expire(at)
        await at.press("f", "l", "a", "t")
        assert at.port.states == [] and not at.app.main_screen.panel.open
        status = at.app.mirror.engine_status
        assert status is not None and status.trading_state is TradingState.ARMED


async def test_letters_typed_slowly_after_a_prompt_expired_are_ignored() -> None:
    async with desk() as at:
        await at.press("3", "g", "F")
        await expire(at)
        for char in "flat":
            at.clock.pass_by(1.5)
            await at.press(char)
        assert at.port.states == []


async def test_keys_act_again_two_seconds_after_a_prompt_expired() -> None:
    async with desk() as at:
        await at.press("3", "g", "F")
        await expire(at)
        at.clock.pass_by(2.1)
        await at.press("a")
        assert at.port.states == [TradingState.VIEW]


@pytest.mark.parametrize("key", ["X", "ctrl+g"])
async def test_kill_key_works_at_once_after_a_prompt_expired(key: str) -> None:
    async with desk() as at:
        await at.press("3", "g", "F")
        await expire(at)
        await at.press(key)
        assert at.scope() is Scope.KILL


async def test_the_quit_question_says_that_it_expired() -> None:
    async with desk() as at:
        await at.press("ctrl+q")
        await expire(at)
        assert "question expired: nothing was done ('Quit')" in at.text()
        await at.press("y")
        assert (
            at.events()[-1].endswith("expired: nothing was done ('Quit'). Esc continues (×2)")
            and at.scope() is not Scope.LINE
        )


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("ctrl+q", "nothing was done: y quits, Enter goes back"),
        ("C", "nothing was cancelled: y cancels, Enter goes back"),
    ],
)
async def test_a_wrong_key_hint_is_not_shown_under_the_next_question(key: str, said: str) -> None:
    async with desk(80, 24) as at:
        await at.press("2", key)
        at.clock.pass_by(1)
        await at.press("enter")
        assert said in at.text() and at.events()[-1] == said
        await at.press("ctrl+q")
        assert at.scope() is Scope.PROMPT and "nothing was" not in at.text()


async def test_the_expiry_message_is_not_shown_under_the_next_question() -> None:
    async with desk(80, 24) as at:
        await at.press("ctrl+q")
        await expire(at)
        at.clock.pass_by(60)
        assert "expired: nothing was done" in at.text()
        await at.press("C")
        assert at.scope() is Scope.PROMPT and "expired" not in at.text()


async def end_question(at: Desk) -> None:
    """Let the position end that the question about its stop is about, while it is open."""
    await at.press("2", "g", ":", *"sl move BTC BINANCE_PERP to 63000", "enter")
    assert at.scope() is Scope.PROMPT
    at.port.put(Table.POSITIONS, LEG, None)
    await at.settle()
    await at.pause(0.3)
    assert at.scope() is Scope.ORDERS and "the position BINANCE BTC perp LONG has ended" in at.events()[-1]


async def test_keys_act_again_0_6_s_after_a_question_closed_by_itself() -> None:
    """Cancels and steps were lost for as long as one was pressed each second."""
    async with desk(80, 24) as at:
        await end_question(at)
        at.clock.pass_by(0.3)
        await at.press("j", "c")
        assert at.port.intents == [] and "Esc continues (×3)" in at.text()
        row = at.app.main_screen.tables["orders"].selected
        at.clock.pass_by(0.3)
        await at.press("j")
        assert at.app.main_screen.tables["orders"].selected != row
        await at.press("c")
        assert [type(intent) for intent in at.port.intents] == [Cancel]


async def test_a_command_typed_after_a_question_closed_is_complete() -> None:
    async with desk() as at:
        await end_question(at)
        at.clock.pass_by(0.6)
        await at.press(":", *"sell")
        assert at.scope() is Scope.LINE and at.app.main_screen.line_field.value == "sell"


async def test_keys_refused_after_a_question_closed_delay_no_later_key() -> None:
    async with desk() as at:
        await end_question(at)
        for _ in range(2):
            at.clock.pass_by(0.9)
            await at.press("y", "a")
        assert at.port.states == []
        at.clock.pass_by(0.3)
        await at.press("a")
        assert at.port.states == [TradingState.VIEW]


async def test_esc_after_an_ended_question_lets_keys_act_at_once() -> None:
    async with desk() as at:
        await end_question(at)
        await at.press("escape", "a")
        assert at.port.states == [TradingState.VIEW]


async def hold_net(at: Desk, size: str) -> None:
    """Hold a position of BTC in one-way mode."""
    account, held = at.app.mirror.accounts["BINANCE"], at.app.mirror.positions.get(LEG)
    in_one_way = msgspec.structs.replace(account.record, position_mode="NET")
    at.port.put(Table.ACCOUNTS, "BINANCE", msgspec.structs.replace(account, record=in_one_way))
    held = held or at.app.mirror.positions[f"{BTC}/NONE"]
    at.port.put(Table.POSITIONS, LEG, None)
    net = msgspec.structs.replace(held.record, position_side="NONE", position_qty=size)
    at.port.put(Table.POSITIONS, f"{BTC}/NONE", msgspec.structs.replace(held, record=net))
    await at.settle()


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
@pytest.mark.parametrize("line", ["sl move BTC to 63000", "tp move BTC to 66000", "be BTC"])
async def test_a_question_about_a_stop_closes_if_the_position_turns(size: tuple[int, int], line: str) -> None:
    async with desk(*size) as at:
        await hold_net(at, "0.5")
        await at.press(":", *line, "enter")
        assert at.scope() is Scope.PROMPT
        await hold_net(at, "-0.5")
        await at.pause(0.3)
        assert at.scope() is not Scope.PROMPT and at.port.intents == []
        why = "the position BINANCE BTC perp is SHORT now, it was LONG"
        assert any(text.startswith(f"question closed: {why}; nothing was done") for text in at.events()), at.events()[
            -1
        ]
        await at.press("y")
        assert why in at.events()[-1] and at.port.intents == []


async def test_y_to_a_stop_question_after_the_position_ended_is_void() -> None:
    async with desk() as at:
        await at.press("3", ":", *"sl move BTC BINANCE_PERP to 63000", "enter")
        assert at.scope() is Scope.PROMPT
        at.clock.pass_by(1.0)
        at.app.mirror.positions.pop(LEG)
        await at.press("y")
        assert at.port.intents == [] and at.scope() is not Scope.PROMPT
        assert "the position BINANCE BTC perp LONG has ended" in at.events()[-1]


async def test_a_stop_question_stays_open_while_its_position_shrinks() -> None:
    async with desk() as at:
        await hold_net(at, "0.5")
        await at.press(":", *"sl move BTC to 63000", "enter")
        await hold_net(at, "0.2")
        await at.pause(0.3)
        at.clock.pass_by(1.0)
        await at.press("y")
        assert len(at.port.intents) == 1


async def test_a_replace_question_closes_when_its_order_has_ended() -> None:
    async with desk() as at:
        order = at.app.mirror.orders["o3"]
        await at.press("2", "j", "j", ":", *"re here px 63990; buy 0.001 BTC BINANCE_PERP at 63900", "enter")
        assert at.scope() is Scope.PROMPT, at.events()[-1]
        at.port.put(Table.ORDERS, "o3", msgspec.structs.replace(order, state="FILLED", final=True))
        await at.settle()
        await at.pause(0.3)
        assert at.scope() is not Scope.PROMPT and "the order has ended: FILLED" in at.events()[-1]


async def test_a_stop_form_is_blocked_once_its_position_has_turned() -> None:
    async with desk() as at:
        await hold_net(at, "0.5")
        at.app.main_screen.tables["positions"].select(f"{BTC}/NONE")
        await at.press("3", "p", *"63000", "enter")
        await hold_net(at, "-0.5")
        assert "the position BINANCE BTC perp is SHORT now, it was LONG" in at.text()
        await at.press("enter", "y")
        assert at.port.intents == []


async def test_the_question_of_a_service_close_ends_with_its_position() -> None:
    async with desk(settings=WorkstationSettings(bell=False, close="service")) as at:
        at.app.main_screen.tables["positions"].select(LEG)
        await at.press("3", "f")
        assert at.scope() is Scope.PROMPT
        at.port.put(Table.POSITIONS, LEG, None)
        await at.settle()
        await at.pause(0.3)
        assert at.scope() is not Scope.PROMPT and "the position BINANCE BTC perp LONG has ended" in at.events()[-1]


REVERSED = (
    ("-0.5", "the position BINANCE BTC perp is SHORT now, it was LONG"),
    ("0.2", "the position BINANCE BTC perp LONG is 0.2 now, it was 0.5"),
    ("1", "the position BINANCE BTC perp LONG is 1 now, it was 0.5"),
    ("0", "the position BINANCE BTC perp LONG has ended"),
)


@pytest.mark.parametrize(("size", "why"), REVERSED)
@pytest.mark.parametrize("keys", [("r",), (":", *"rev here", "enter"), (":", *"rev BTC", "enter")])
async def test_a_reverse_question_closes_when_its_position_changes(keys: tuple[str, ...], size: str, why: str) -> None:
    async with desk() as at:
        await hold_net(at, "0.5")
        at.app.main_screen.tables["positions"].select(f"{BTC}/NONE")
        await at.press("3", *keys)
        assert at.scope() is Scope.PROMPT and "closes LONG 0.5, opens SHORT 0.5" in at.text()
        at.clock.pass_by(1.0)
        await hold_net(at, size)
        await at.press("y")
        assert at.port.intents == [] and at.scope() is not Scope.PROMPT
        assert any(text.startswith(f"question closed: {why}; nothing was done") for text in at.events()), at.events()


ENDS = {
    ((80, 24), "-0.5"): "question closed: BINANCE BTC is SHORT, was LONG",
    ((80, 24), "0.2"): "question closed: BIN BTC LONG is 0.2, was 0.5",
    ((80, 24), "0"): "question closed: BINANCE BTC LONG has ended",
    ((60, 20), "-0.5"): "BIN BTC is SHORT, was LONG",
    ((60, 20), "0.2"): "BIN BTC LONG is 0.2, was 0.5",
    ((60, 20), "0"): "BIN BTC LONG has ended",
}


@pytest.mark.parametrize("keys", [("r",), (":", *"rev BTC", "enter")])
@pytest.mark.parametrize(("size", "position"), ENDS)
async def test_the_reason_a_question_closed_is_shown_in_full(
    size: tuple[int, int], position: str, keys: tuple[str, ...]
) -> None:
    """The line began with the name of the question: `the question 'Send 1 order of portfolio main …. Esc continues`."""
    async with desk(*size) as at:
        await hold_net(at, "0.5")
        at.app.main_screen.tables["positions"].select(f"{BTC}/NONE")
        await at.press("3", *keys)
        assert at.scope() is Scope.PROMPT
        at.clock.pass_by(1.0)
        await hold_net(at, position)
        await at.pause(0.3)
        assert at.scope() is not Scope.PROMPT
        await at.press("y", "y")
        assert f"! {ENDS[size, position]}. Esc continues (×3)" in at.text(), at.text()
        assert at.port.intents == []


@pytest.mark.parametrize("size", [(60, 20), (80, 24)])
async def test_in_a_small_window_an_expired_question_says_so_first(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await hold_net(at, "0.5")
        at.app.main_screen.tables["positions"].select(f"{BTC}/NONE")
        await at.press("3", "r")
        await expire(at)
        await at.press("y")
        assert "! question expired" in at.text() and "Esc continues" in at.text(), at.text()


async def test_a_reversing_line_asks_again_if_the_position_has_changed() -> None:
    async with desk() as at:
        await hold_net(at, "0.5")
        await at.press(":", *"sell 0.6 BTC BINANCE_PERP mkt; sell 0.1 BTC BINANCE_PERP mkt", "enter")
        assert "closes LONG 0.5, opens SHORT 0.1" in at.text()
        at.clock.pass_by(1.0)
        await hold_net(at, "0.3")
        await at.press("y")
        assert at.port.intents == [] and "the position is 0.3 BTC, it was 0.5 BTC when it was asked" in at.flat_text()
        assert "closes LONG 0.3, opens SHORT 0.3" in at.text()
        at.clock.pass_by(1.0)
        await at.press("y")
        assert len(at.port.intents) == 1


async def test_a_half_close_line_asks_again_if_the_position_has_grown() -> None:
    async with desk() as at:
        await hold_net(at, "0.5")
        await at.press(":", *"close 50% BTC; buy 0.01 BTC BINANCE_PERP at 63900", "enter")
        assert "SELL 0.25 BTC" in at.text()
        at.clock.pass_by(1.0)
        await hold_net(at, "1")
        await at.press("y")
        assert at.port.intents == [] and "SELL 0.5 BTC" in at.text()
