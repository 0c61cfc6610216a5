"""The state HOT on the screen: what one key sends, what it never sends, and each way HOT ends."""

from __future__ import annotations

import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.emulated import EmulatedTerminal
from tests.workstation.ladder.ladder import cursor_price, open_ladder, stand
from tui.engine.intents import GUARD_JOINT, Outcome, Replace, Verdict
from tui.engine.modes import Environment, TradingState
from tui.interface.families.orders import OrderType, Side, TimeInForce
from tui.workstation.input.scopes import Scope
from tui.workstation.settings import WorkstationSettings

BTC = "BINANCE_PERP_BTC_USDT"
ACCEPTED = Outcome(verdict=Verdict.ACCEPTED)


async def heat(at: Desk, seconds: float = 60.0) -> None:
    """Go to the quote of BINANCE BTC, enter HOT and read the row."""
    await at.press("1", "g", "j")
    at.port.enter_hot(seconds)
    await read(at)


async def read(at: Desk) -> None:
    """Draw the screen and look at it."""
    await at.settle()
    at.text()
    await at.pause(0.6)


def is_hot(at: Desk) -> bool:
    return shows(at, TradingState.HOT)


def shows(at: Desk, state: TradingState) -> bool:
    return at.port.desk.trading_state is state


@pytest.mark.parametrize(("key", "side", "price"), [("B", Side.BUY, "64001.0"), ("S", Side.SELL, "64001.2")])
async def test_in_hot_mode_shift_b_or_s_posts_the_smallest_size(key: str, side: Side, price: str) -> None:
    async with desk() as at:
        await heat(at)
        at.port.quote(BTC, "64001.0", "64001.2")
        await at.settle()
        await at.press(key)
        [order] = at.sent_orders()
        assert (order.sym, order.side, order.price, order.hot) == (BTC, side, price, True)
        assert (order.time_in_force, order.qty) == (TimeInForce.GTX, "0.001")
        assert order.decision.state is TradingState.HOT


async def test_setting_hot_send_makes_shift_b_take_the_best_ask() -> None:
    async with desk(settings=WorkstationSettings(bell=False, hot_send="take")) as at:
        await heat(at)
        at.port.quote(BTC, "64001.0", "64001.2")
        await at.settle()
        assert "B/S take" in at.text()
        await at.press("B")
        [order] = at.sent_orders()
        assert (order.price, order.time_in_force) == ("64001.2", TimeInForce.IOC)


async def test_header_counts_hot_mode_down_and_says_what_b_and_s_do() -> None:
    async with desk() as at:
        await heat(at)
        assert "HOT 60s B/S join" in at.text()
        at.clock.pass_by(17.0)
        at.app.context.list_screen.tick()
        await at.settle()
        assert "HOT 43s" in at.text()
        await at.press("3")
        await at.settle()
        assert "f % o send" in at.text()
        await at.press("2")
        await at.settle()
        assert "+-][>< send" in at.text()


async def test_a_key_held_in_hot_mode_sends_one_order() -> None:
    async with desk() as at:
        await heat(at)
        await at.hold("B", 3.0)
        assert len(at.sent_orders()) == 1


async def test_in_hot_mode_a_key_sends_again_only_after_a_pause() -> None:
    async with desk() as at:
        await heat(at)
        await at.press("B", "B")
        assert len(at.sent_orders()) == 2
        start = at._now() + 1.0
        for key, after in (("B", 0.0), ("S", 0.3), ("B", 0.6)):
            at._send(key, start + after)
            await at.settle()
        assert [order.side for order in at.sent_orders()[2:]] == [Side.BUY, Side.SELL]


async def test_outside_hot_mode_shift_b_only_stages_or_gives_a_hint() -> None:
    async with desk() as at:
        await at.press("1", "g", "j", "B")
        assert at.scope() is Scope.PREVIEW
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and ticket.price_mode.value == "take"
        await at.press("escape", "d")
        await stand(at)
        await at.press("B", "S")
        assert at.sent_orders() == [] and any("sends in HOT only: b stages" in text for text in at.events())
    async with desk(armed=False) as at:
        await at.press("1", "g", "j", "B", "S")
        assert at.sent_orders() == [] and at.scope() is Scope.QUOTES


async def test_in_hot_mode_shift_b_on_a_position_only_opens_a_ticket() -> None:
    async with desk() as at:
        await heat(at)
        await at.press("3", "g", "B")
        assert at.sent_orders() == [] and at.scope() is Scope.PREVIEW


async def test_in_hot_mode_an_order_the_gate_asks_about_gets_a_ticket() -> None:
    async with desk() as at:
        await heat(at)
        guard = GUARD_JOINT.join(["SOFT_NOTIONAL", "FIRST_OF_DAY"])
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard=guard, text="over the soft limit")]
        await at.press("B")
        await at.settle()
        assert at.scope() is Scope.ASK and "over the soft limit" in at.text()
        await at.hold("B", 2.0)
        assert len(at.sent_orders()) == 1
        await read(at)
        await at.press("y")
        await at.settle()
        asked, sent = at.sent_orders()
        assert asked.hot and not sent.hot and sent.confirmed == {"SOFT_NOTIONAL", "FIRST_OF_DAY"}


async def test_in_hot_mode_a_refused_order_opens_no_ticket() -> None:
    async with desk() as at:
        await heat(at)
        at.port.outcomes = [Outcome(verdict=Verdict.DENIED, guard="STALE", text="the quote is 2.5 s old")]
        await at.press("B")
        await at.settle()
        assert at.scope() is Scope.QUOTES and any("2.5 s old" in text for text in at.events())


async def test_hot_shift_b_right_after_a_cursor_move_sends_nothing() -> None:
    async with desk() as at:
        await heat(at)
        await at.app_takes("j")
        at.text()
        await at.pause(0.08)
        await at.app_takes("B")
        assert at.sent_orders() == [] and any("before the line could be read" in text for text in at.events())
        await at.pause(1.0)
        await at.app_takes("B")
        assert [order.sym for order in at.sent_orders()] == ["EDX_PERP_BTC_USDT"]


async def test_hot_shift_b_right_after_a_pane_jump_sends_nothing() -> None:
    async with desk() as at:
        await heat(at)
        await at.press("3")
        start = at._now() + 1.0
        at._send("1", start)
        at._send("B", start + 0.2)
        await at.settle()
        assert at.sent_orders() == []


async def test_in_hot_mode_shift_b_right_after_digits_sends_nothing() -> None:
    async with desk() as at:
        await heat(at)
        start = at._now() + 1.0
        for number, key in enumerate("25B"):
            at._send(key, start + number * 0.15)
            await at.settle()
        assert at.sent_orders() == []


async def test_a_paste_sends_nothing_and_ends_hot_mode() -> None:
    async with desk() as at:
        await heat(at)
        at.paste("b25B")
        await at.settle()
        await at.press("B")
        assert at.sent_orders() == [] and not is_hot(at)
        assert at.port.hot_ends == ["text was pasted"]


@pytest.mark.parametrize("text", ["b25B", "B", "BBBBBBBBBBBB", "SB"])
async def test_in_hot_mode_keys_in_one_burst_send_nothing(text: str) -> None:
    async with desk() as at:
        await heat(at)
        await at.read(list("x" + text), together=True)
        assert at.sent_orders() == []


async def test_a_burst_with_a_key_that_sends_ends_hot_mode() -> None:
    async with desk() as at:
        await heat(at)
        await at.read(list("jB"), together=True)
        assert at.sent_orders() == [] and not is_hot(at)


async def test_esc_twice_ends_hot_mode_and_esc_once_does_not() -> None:
    async with desk() as at:
        await heat(at)
        await at.press("b", "escape", "j", "escape")
        assert is_hot(at)
        await at.press("escape")
        assert not is_hot(at) and at.port.hot_ends == ["Esc twice"]


async def test_key_a_and_commands_arm_and_view_end_hot_mode() -> None:
    async with desk() as at:
        await heat(at)
        await at.press("a")
        assert shows(at, TradingState.ARMED)
        at.clock.pass_by(1.0)
        await heat(at)
        await at.press(":", *"arm", "enter")
        assert shows(at, TradingState.ARMED)
        at.clock.pass_by(1.0)
        await heat(at)
        await at.press(":", *"view", "enter")
        assert shows(at, TradingState.VIEW)


async def test_opening_the_kill_prompt_ends_hot_mode() -> None:
    async with desk() as at:
        await heat(at)
        await at.press("X", "escape", "B")
        assert at.sent_orders() == [] and at.port.hot_ends == ["kill prompt"]


async def test_hot_mode_ends_after_30_s_without_a_key() -> None:
    async with desk() as at:
        await heat(at, 600)
        hot = at.app.controllers.hot
        at.app.guard.acted_at -= 29.0 + at._later
        hot.note_time()
        assert is_hot(at)
        at.app.guard.acted_at -= 2.0
        hot.note_time()
        assert not is_hot(at) and at.port.hot_ends == ["30 s without a key"]


async def test_no_key_sends_after_hot_mode_has_timed_out() -> None:
    async with desk() as at:
        await heat(at, 60)
        at.clock.pass_by(60.1)
        await at.press("B")
        assert at.sent_orders() == []


async def test_three_capital_letters_in_a_row_end_hot_mode() -> None:
    async with desk() as at:
        await heat(at)
        await at.press("K", "U", "W")
        await at.settle()
        assert not is_hot(at) and " CAPS LOCK " in at.text()
        await at.press("j")
        await at.settle()
        assert "CAPS" not in at.text()


async def test_hot_mode_begins_only_from_armed_and_by_a_command_line() -> None:
    async with desk() as at:
        await at.press(":", *"hot", " ", *"90s")
        assert "HOT for 90 s" in at.text()
        await at.press("enter")
        assert is_hot(at) and at.port.desk.hot_until == pytest.approx(at.clock.mono() + 90, abs=5)
        await at.press(":", *"hot", "enter")
        assert any("carried out" in text for text in at.events())
    async with desk() as at:
        await at.press(":", *"hot", " ", *"16m", "enter")
        assert not is_hot(at)
    async with desk(armed=False) as at:
        await at.press(":", *"hot", "enter")
        assert not is_hot(at)


async def test_palette_and_mouse_send_nothing_in_hot_mode() -> None:
    async with desk() as at:
        await heat(at)
        at.app.dispatch.run_clicked_hint("stage.take_buy", Scope.QUOTES)
        assert at.sent_orders() == [] and any("the mouse sends nothing" in text for text in at.events())
        await at.press("ctrl+p", *"best ask (takes)".replace(" ", ""), "enter")
        await at.settle()
        assert at.sent_orders() == []


async def test_in_hot_mode_the_ladder_posts_at_the_price_of_the_cursor() -> None:
    async with desk(120, 36) as at:
        await open_ladder(at)
        await at.press("j", "j")
        at.port.enter_hot(60)
        await read(at)
        assert "B/S post here" in at.text()
        shown = cursor_price(at)
        await at.press("B")
        [order] = at.sent_orders()
        assert (order.price, order.time_in_force, order.hot) == (shown, TimeInForce.GTX, True)
        assert order.painted is not None and order.painted.price == shown and order.painted.stood_ms >= 100


async def test_in_hot_mode_the_ladder_sends_no_order_that_would_take() -> None:
    async with desk(120, 36) as at:
        await open_ladder(at)
        at.port.enter_hot(60)
        await at.press("j", "j")
        await read(at)
        await at.press("S")
        assert at.sent_orders() == [] and any("the ladder sends only post-only orders" in text for text in at.events())


async def test_hot_shift_b_right_after_a_ladder_move_sends_nothing() -> None:
    async with desk(120, 36) as at:
        await open_ladder(at)
        at.port.enter_hot(60)
        await read(at)
        start = at._now() + 1.0
        at._send("j", start)
        at._send("B", start + 0.08)
        await at.settle()
        assert at.sent_orders() == []


@pytest.mark.parametrize(
    ("keys", "order_type", "part"),
    [(("f",), OrderType.MARKET, 1.0), (("%", "2"), OrderType.MARKET, 0.5), (("o",), OrderType.LIMIT, 1.0)],
    ids=["flatten", "half", "exit"],
)
async def test_in_hot_mode_positions_close_without_a_preview(
    keys: tuple[str, ...], order_type: OrderType, part: float
) -> None:
    async with desk() as at:
        await at.press("3", "g")
        key = at.app.main_screen.tables["positions"].selected
        assert key is not None
        record = at.app.mirror.positions[key].record
        at.port.enter_hot(60)
        await read(at)
        await at.press(*keys)
        await at.settle()
        [order] = at.sent_orders()
        assert (order.sym, order.order_type, order.hot) == (record.sym, order_type, True)
        assert float(order.qty) == pytest.approx(abs(float(record.position_qty)) * part, rel=0.05)


async def nudge(at: Desk, *keys: str) -> None:
    """Nudge the order OKX BTC in the list of orders."""
    await at.press("2", "G")
    await at.press(*keys)
    await at.settle()
    at.text()


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 36)])
async def test_the_header_in_hot_mode_says_that_price_steps_send(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await heat(at)
        await at.press("2")
        await at.settle()
        first = at.text().split("\n")[0]
        assert "HOT 60s +-][>< send" in first and "UNK 1" in first, first
        await nudge(at, "+")
        assert "HOT 60s sends by itself" in at.text().split("\n")[0]
        await at.press("escape", "b")
        assert "sends by itself" not in at.text(), "Enter sends a ticket that no step opened"


def replaces(at: Desk) -> list[Replace]:
    return [intent for intent in at.port.intents if isinstance(intent, Replace)]


async def test_in_hot_mode_price_steps_are_sent_as_one_replace() -> None:
    async with desk() as at:
        await heat(at)
        await nudge(at, "+", "+", "+")
        assert replaces(at) == []
        await at.wait(lambda: bool(replaces(at)))
        await at.pause(0.6)
        [sent] = replaces(at)
        assert sent.hot and sent.price == "63880.3"


async def test_hot_price_steps_during_a_replace_join_the_next_replace() -> None:
    async with desk() as at:
        await heat(at)
        at.port.hold = True
        await nudge(at, "+")
        await at.wait(lambda: len(replaces(at)) == 1)
        await at.press("+", "+")
        at.port.answer(ACCEPTED)
        await at.settle()
        at.text()
        await at.wait(lambda: len(replaces(at)) == 2)
        await at.pause(0.6)
        assert [sent.price for sent in replaces(at)] == ["63880.1", "63880.3"]
        assert all(sent.hot for sent in replaces(at))


async def test_hot_steps_pressed_before_a_reject_are_reported_as_lost() -> None:
    async with desk() as at:
        await heat(at)
        at.port.hold = True
        await nudge(at, "+")
        await at.wait(lambda: len(replaces(at)) == 1)
        await at.press("+")
        at.port.answer(Outcome(verdict=Verdict.REJECTED, text="too many changes"))
        await at.pause(0.6)
        assert len(replaces(at)) == 1
        assert any("1 step pressed before the replace was answered: ignored" in event for event in at.events())


async def test_outside_hot_mode_a_step_on_a_sent_replace_does_nothing() -> None:
    async with desk() as at:
        at.port.hold = True
        await nudge(at, "+")
        at.text()
        await at.pause(0.6)
        await at.press("enter", "+")
        assert len(replaces(at)) == 1 and any("+ does nothing: the replace was sent" in event for event in at.events())


@pytest.mark.parametrize("key", ["escape", "z"])
async def test_price_steps_followed_by_another_key_are_not_sent(key: str) -> None:
    async with desk() as at:
        await heat(at)
        await nudge(at, "+", key)
        await at.pause(0.6)
        assert replaces(at) == []


async def test_outside_hot_mode_price_steps_wait_for_enter() -> None:
    async with desk() as at:
        await nudge(at, "+", "+")
        await at.pause(0.6)
        assert replaces(at) == []
        at.text()
        await at.press("enter")
        assert [(sent.price, sent.hot) for sent in replaces(at)] == [("63880.2", False)]


async def test_hot_price_steps_in_the_replace_form_are_not_sent() -> None:
    async with desk() as at:
        await heat(at)
        await nudge(at, "e", "tab", "tab", "tab", "+")
        await at.pause(0.6)
        assert replaces(at) == []


async def test_price_steps_that_arrive_in_one_burst_are_not_sent() -> None:
    async with desk() as at:
        await heat(at)
        await at.press("2", "G")
        await at.read(["+", "+", "+"], together=True)
        at.text()
        await at.pause(0.6)
        assert replaces(at) == []


async def test_in_hot_mode_a_single_key_also_sends_at_a_live_service() -> None:
    async with desk(terminal=EmulatedTerminal) as at:
        at.port.set_desk(environment=Environment.LIVE)
        await at.press("1", "g", "j")
        await at.pause(0.6)
        at.port.enter_hot(60)
        await at.settle()
        await at.pause(0.6)
        await at.press("B")
        assert len(at.sent_orders()) == 1


async def test_a_hot_price_step_too_soon_after_a_replace_is_ignored() -> None:
    """It may be the key held down, and is not carried out; without a word a trader counts on it."""
    async with desk() as at:
        await heat(at)
        at.port.outcomes = [ACCEPTED] * 2
        await at.press("2", "G")
        start = at._now() + 1.0
        at._send("+", start)
        await at.settle()
        at.text()
        await at.pause(0.6)
        assert [sent.price for sent in replaces(at)] == ["63880.1"]
        at._send("+", start + 0.4)
        await at.settle()
        await at.pause(0.9)
        assert len(replaces(at)) == 1
        assert "s after the replace that this key sent: ignored; press it again" in at.events()[-1]
