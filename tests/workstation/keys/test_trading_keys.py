"""Keys, tickets and prompts: what a trader presses, and what leaves."""

from __future__ import annotations

import msgspec
import pytest
from textual import events

from tests.workstation.driver import desk
from tests.workstation.scripted import fill_desk
from tui.engine.intents import Cancel, CancelAll, Outcome, Place, Replace, Verdict
from tui.engine.modes import TradingState
from tui.engine.orders.dismissal import SOURCES
from tui.engine.rows import OrderRow, Table
from tui.interface.families.orders import OrderType, PositionSide, Side, TimeInForce
from tui.workstation.input.scopes import Scope
from tui.workstation.settings import WorkstationSettings
from tui.workstation.tickets.fields import Mode

BTC = "BINANCE_PERP_BTC_USDT"


async def test_a_staged_buy_is_sent_once_with_the_previewed_figures() -> None:
    async with desk() as at:
        assert at.app.main_screen.tables["quotes"].selected == BTC
        await at.press("b")
        assert at.scope() is Scope.PREVIEW
        assert at.port.intents == []
        await at.press("enter")
        [intent] = at.port.intents
        assert isinstance(intent, Place)
        assert (intent.sym, intent.side, intent.position_side) == (BTC, Side.BUY, PositionSide.LONG)
        assert (intent.qty, intent.price, intent.time_in_force) == ("0.001", "64001.0", TimeInForce.GTX)
        assert intent.decision.state is TradingState.ARMED
        assert intent.decision.portfolio == "7001"
        assert "BUY+LONG" in intent.preview
        await at.settle()
        assert not at.app.main_screen.panel.open
        assert at.scope() is Scope.QUOTES
        assert "0.001            lot" not in at.text(), "the field goes with its ticket"


async def test_a_burst_of_b_1_2_3_and_enter_stages_but_does_not_send() -> None:
    async with desk() as at:
        await at.burst("b", "1", "2", "3", "enter")
        panel = at.app.main_screen.panel
        assert panel.size_field.value == "123"
        assert panel.ticket is not None and panel.ticket.qty == "123"
        assert at.port.intents == []
        assert at.app.main_screen.tables["quotes"].display


async def test_a_burst_of_cancel_keys_cancels_nothing() -> None:
    async with desk() as at:
        await at.press("2", "j", "j")
        await at.burst(*"cccccccccccc")
        assert at.port.intents == []


async def test_key_u_cancels_the_newest_order_sent_from_this_program() -> None:
    async with desk() as at:
        placed = at.port.order("o77", BTC, "BUY", "64000.0", "0.01")
        told = at.port.order(
            "v78", BTC, "BUY", "64000.1", "0.01", client_order_id="odd", create_at=placed.create_at + 10**12
        )
        await at.settle()
        assert told.create_at > placed.create_at and not told.external
        await at.press("u")
        (intent,) = at.port.intents
        assert isinstance(intent, Cancel)
        assert intent.key == placed.key


async def test_trading_keys_in_view_mode_do_nothing_and_say_why() -> None:
    async with desk(armed=False) as at:
        await at.press("b", "s", "C")
        await at.press("2", "c", "e", "+", "u")
        await at.press("3", "f")
        assert at.port.intents == []
        assert not at.app.main_screen.panel.open
        assert any("press a to arm" in text for text in at.events())


async def test_key_a_switches_between_view_and_armed_mode() -> None:
    async with desk(armed=False) as at:
        await at.press("a")
        assert at.port.states == [TradingState.ARMED]
        await at.settle()
        assert " ARMED " in at.text()
        await at.press("a")
        assert at.port.states == [TradingState.ARMED, TradingState.VIEW]


async def test_letters_typed_in_a_size_field_trigger_no_action() -> None:
    async with desk() as at:
        await at.press("b", "5")
        assert at.scope() is Scope.FIELD
        await at.press("s", "c", "X", "C", "escape", "+", "1", "/", "-")
        assert at.app.main_screen.panel.size_field.value == "5", (
            "s is no part of a size, and what is typed behind it is not taken"
        )
        assert "%, not 's'" in at.text(), "the refusal stands under the field"
        await at.press("enter", "tab")
        assert at.port.intents == [] and at.scope() is Scope.FIELD
        await at.press("backspace", "+", "1", "/", "-")
        assert at.app.main_screen.panel.size_field.value == "5+1/-"
        assert at.port.intents == []
        assert at.scope() is Scope.FIELD


async def test_a_size_with_a_comma_is_refused_but_kept_in_the_field() -> None:
    async with desk() as at:
        await at.press("b", "3", ",", "5", "enter")
        panel = at.app.main_screen.panel
        assert panel.size_field.value == "3,5"
        assert at.scope() is Scope.FIELD
        assert "3.5" in at.text()
        assert any("'3,5' is not accepted" in text for text in at.events())
        await at.press("escape")
        assert not panel.open, "the line goes with the size that was typed on it"
        assert at.port.intents == []


@pytest.mark.parametrize(("typed", "left"), [("1e5", "1"), ("nan", "")])
async def test_digits_after_a_refused_letter_do_not_extend_the_size(typed: str, left: str) -> None:
    async with desk() as at:
        await at.press("b", "1", "backspace", *typed, "enter", "enter", "tab", "enter")
        assert at.app.main_screen.panel.size_field.value == left
        assert at.port.intents == []
        assert at.scope() is Scope.FIELD
        assert any("%, not '" in text for text in at.events())


@pytest.mark.parametrize("typed", ["1_00", "-5", "05", "5."])
async def test_odd_number_spellings_are_refused_as_a_size(typed: str) -> None:
    async with desk() as at:
        await at.press("b", "1", "backspace", *typed, "enter", "tab")
        assert at.app.main_screen.panel.size_field.value == typed
        assert at.port.intents == []
        assert at.scope() is Scope.FIELD


@pytest.mark.parametrize("keys", ["2", "2\t"])
async def test_a_staged_order_is_sent_by_one_enter(keys: str) -> None:
    async with desk() as at:
        await at.press("b", *("tab" if key == "\t" else key for key in keys))
        assert at.port.intents == []
        await at.press("enter")
        [intent] = at.port.intents
        assert isinstance(intent, Place) and intent.qty == "2"


async def test_a_held_enter_sends_once_and_answers_no_prompt() -> None:
    async with desk() as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="LIMIT_SOFT", text="over the soft limit")]
        await at.press("b")
        await at.hold("enter", 3.0)
        assert len(at.port.intents) == 1
        assert at.scope() is Scope.ASK and not any("not an answer" in text for text in at.events())
        await at.press("escape", "escape")
        assert not at.app.main_screen.panel.open


async def test_enter_on_a_ticket_prompt_shows_the_valid_answer_keys() -> None:
    async with desk() as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="LIMIT_SOFT", text="over the soft limit")]
        await at.press("b", "enter")
        assert at.scope() is Scope.ASK
        await at.press("enter")
        assert len(at.port.intents) == 1 and at.scope() is Scope.ASK
        assert any("Enter is not an answer here: press y to send or Esc" in text for text in at.events())


async def test_a_held_enter_sends_an_order_once_and_opens_no_form() -> None:
    async with desk() as at:
        await at.press("b")
        await at.hold("enter", 3.0)
        assert len(at.port.intents) == 1
        assert not at.app.main_screen.panel.open


async def test_key_y_on_a_gate_question_sends_the_order_as_confirmed() -> None:
    async with desk() as at:
        at.port.outcomes = [
            Outcome(verdict=Verdict.ASK, guard="LIMIT_SOFT", text="over the soft limit"),
            Outcome(verdict=Verdict.ASK, guard="DUPLICATE", text="same order 1 s ago"),
        ]
        await at.press("b", "enter")
        await at.settle()
        assert "over the soft limit" in at.text()
        await at.press("enter")
        assert len(at.port.intents) == 1
        await at.press("y")
        await at.settle()
        assert "same order 1 s ago" in at.text()
        await at.press("y")
        await at.settle()
        last = at.port.intents[-1]
        assert isinstance(last, Place)
        assert last.confirmed == frozenset(["LIMIT_SOFT", "DUPLICATE"])
        assert not at.app.main_screen.panel.open


async def test_a_denied_order_shows_its_reason_on_the_ticket() -> None:
    async with desk() as at:
        at.port.outcomes = [Outcome(verdict=Verdict.DENIED, guard="BAND", text="price 1.0 is 64,000 below the bid")]
        await at.press("b", "enter")
        await at.settle()
        assert at.app.main_screen.panel.open
        assert "denied BAND" in at.app.main_screen.panel.refusal
        assert any("denied BAND" in text for text in at.events())


async def test_a_late_reply_does_not_change_a_newer_ticket() -> None:
    async with desk() as at:
        at.port.hold = True
        await at.press("b", "enter")
        assert at.app.main_screen.panel.sending
        await at.press("escape")
        await at.press("s")
        token = at.app.main_screen.panel.token
        at.port.answer(Outcome(verdict=Verdict.DENIED, guard="BAND", text="late"))
        await at.settle()
        panel = at.app.main_screen.panel
        assert panel.open and panel.token == token and not panel.refusal
        assert any("late" in text for text in at.events())


async def test_a_sent_ticket_without_answer_says_the_order_is_open() -> None:
    async with desk() as at:
        at.port.order("same", BTC, "BUY", "64001", "0.001")
        at.clock.pass_by(1)
        at.port.hold = True
        await at.press("b", "enter")
        assert "sending…" in at.text(), "an equal order of before is not this one"
        at.port.order("new", BTC, "BUY", "64001", "0.001", state="SENT", order_id="")
        await at.settle()
        assert "sending…" in at.text()
        at.port.order("new", BTC, "BUY", "64001", "0.001")
        await at.settle()
        assert "OPEN at the venue; its answer has not come yet, Esc closes" in at.text() and "sending…" not in at.text()
        assert at.app.main_screen.panel.sending and len(at.port.intents) == 1, "it can still not be sent twice"


async def test_enter_while_a_reply_is_pending_does_not_send_again() -> None:
    async with desk() as at:
        at.port.hold = True
        await at.press("b", "enter")
        await at.press("y")
        await at.press("+", "enter")
        assert len(at.port.intents) == 1


async def test_price_and_flag_keys_change_the_ticket_and_send_nothing() -> None:
    async with desk() as at:
        await at.press("b", "T")
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None
        assert ticket.limit_text(at.app.main_screen.panel.quote) == "64001.2"
        assert ticket.tif is TimeInForce.IOC
        await at.press("J", "I")
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and ticket.limit_text(at.app.main_screen.panel.quote) == "64001.1"
        await at.press("-", "pagedown", "right", "*", "t", "p", "L")
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None
        assert ticket.price == "64000.0"
        assert ticket.qty == "0.004"
        assert ticket.effect.value == "close short"
        await at.press("=")
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and ticket.limit_text(at.app.main_screen.panel.quote) == "64001.0"
        assert at.port.intents == []


@pytest.mark.parametrize(
    ("keys", "tif"),
    [
        ("Tpp", TimeInForce.IOC),
        ("Tpppp", TimeInForce.IOC),
        ("pp", TimeInForce.GTX),
        ("ppp", TimeInForce.GTC),
        ("ttpp", TimeInForce.IOC),
        ("tttpp", TimeInForce.FOK),
        ("TppJ", TimeInForce.GTX),
        ("TpJp", TimeInForce.GTC),
    ],
)
async def test_post_only_off_gives_back_the_time_in_force(keys: str, tif: TimeInForce) -> None:
    """An IOC order that was made post-only by mistake came back as one that rests."""
    async with desk() as at:
        await at.press("b", *keys)
        assert at.ticket().tif is tif, at.text()


async def test_a_close_at_market_names_no_keys_for_a_price() -> None:
    """The line of keys said `T take` of a close that is at market already, and J, I, M and T did nothing."""
    async with desk(300, 45) as at:
        await at.press("b")
        assert all(words in at.text().split("\n")[-1] for words in ("T take", "J join", "t TIF"))
        await at.press("escape")
        await at.select_leg()
        await at.press("f")
        foot = at.text().split("\n")[-1]
        assert "Enter send" in foot and "L leg" not in foot, "it stays a close"
        assert not [words for words in ("take", "join", "improve", "mid", "TIF", "post", "tick") if words in foot]
        before = at.ticket()
        for key in "JIMT":
            await at.press(key)
            assert at.ticket() == before and "this close is at market and has no price" in at.events()[-1]


async def test_a_join_ticket_follows_the_best_price_until_sent() -> None:
    async with desk() as at:
        await at.press("b")
        at.port.quote(BTC, "64010.0", "64010.2")
        await at.settle()
        assert "64,010.0" in at.text()
        await at.press("enter")
        [intent] = at.port.intents
        assert isinstance(intent, Place) and intent.price == "64010.0"


async def test_key_c_cancels_the_selected_order_and_only_once() -> None:
    async with desk() as at:
        at.port.hold = True
        await at.press("2", "j", "j")
        assert at.app.main_screen.tables["orders"].selected == "o3"
        await at.press("c")
        await at.press("j", "k", "c")
        [intent] = at.port.intents
        assert isinstance(intent, Cancel) and intent.key == "o3"
        assert any("is already pending" in text for text in at.events())


async def test_price_steps_add_up_to_one_replace_with_the_price_shown() -> None:
    async with desk() as at:
        await at.press("2", "j", "j", "+", "+", "]", "<")
        assert "63,998.0?63,999.2" in at.text() and "→63,999.2" not in at.text(), "staged is not sent"
        assert at.port.intents == []
        await at.press("enter")
        [intent] = at.port.intents
        assert isinstance(intent, Replace)
        assert (intent.key, intent.price, intent.qty) == ("o3", "63999.2", "0.249")


async def test_off_tick_price_is_refused_with_the_two_nearest_prices() -> None:
    async with desk() as at:
        await at.press("2", "j", "j", "e", "ctrl+u", *"63990.05", "enter")
        assert at.scope() is Scope.FIELD
        assert any("63990 or 63990.1" in text for text in at.events())
        await at.press("up")
        assert at.app.main_screen.panel.price_field.value == "63990.1"


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 36), (160, 45), (200, 60)])
async def test_key_f_stages_a_market_close_of_the_exact_position(width: int, height: int) -> None:
    async with desk(width, height) as at:
        await at.press("3", "j", "j", "f")
        assert at.port.intents == []
        assert "the whole position, at market" in at.text()
        assert "SELL+LONG" in at.text() or "BUY+SHORT" in at.text()
        await at.press("enter")
        [intent] = at.port.intents
        assert isinstance(intent, Place)
        assert intent.order_type is OrderType.MARKET
        assert (intent.side, intent.position_side, intent.qty, intent.price) == (
            Side.SELL if intent.position_side is PositionSide.LONG else Side.BUY,
            intent.position_side,
            "200" if intent.position_side is PositionSide.SHORT else intent.qty,
            "",
        )


async def test_cancel_all_prompt_counts_orders_and_needs_y() -> None:
    async with desk() as at:
        await at.press("2", "j", "C")
        assert at.scope() is Scope.PROMPT
        assert "4 orders (1 UNKNOWN)" in at.text()
        await at.press("y")
        assert at.port.intents == [], "the prompt ignores keys for its first 250 ms"
        at.clock.pass_by(0.3)
        await at.press("down", "y")
        [intent] = at.port.intents
        assert isinstance(intent, CancelAll)
        assert (intent.exchange, intent.sym, intent.kill) == ("EDX", "", False)
        assert at.scope() is Scope.ORDERS


async def test_enter_on_the_cancel_all_question_closes_it_unanswered() -> None:
    async with desk() as at:
        await at.press("2", "C")
        at.clock.pass_by(0.3)
        await at.press("enter")
        assert at.port.intents == []
        assert at.scope() is Scope.ORDERS


async def test_trading_keys_do_nothing_while_a_prompt_is_open() -> None:
    async with desk() as at:
        await at.press("2", "j", "j", "C")
        at.clock.pass_by(0.3)
        await at.press("b", "s", "c", "u", "f", "a", "1", "e")
        assert at.port.intents == [] and at.port.states == []
        assert at.scope() is Scope.PROMPT


@pytest.mark.parametrize("armed", [True, False])
async def test_ctrl_g_opens_the_kill_prompt_from_a_field_or_dialog(armed: bool) -> None:
    async with desk(armed=armed) as at:
        if armed:
            await at.press("b", "5", "ctrl+g")
        else:
            await at.press("?", "X")
        assert at.scope() is Scope.KILL
        assert "portfolio main (PAPER)" in at.text()
        at.clock.pass_by(0.3)
        await at.press("enter")
        [intent] = at.port.intents
        assert isinstance(intent, CancelAll) and intent.kill
        assert (intent.exchange, intent.sym) == ("", "")


async def test_kill_opens_over_another_prompt_and_esc_returns_to_it() -> None:
    async with desk() as at:
        await at.press("2", "C")
        await at.press("ctrl+g")
        assert at.scope() is Scope.KILL
        await at.press("escape")
        assert at.scope() is Scope.PROMPT
        await at.press("escape")
        assert at.scope() is Scope.ORDERS
        assert at.port.intents == []


async def test_a_key_delivered_two_seconds_late_sends_nothing() -> None:
    async with desk() as at:
        await at.press("b")
        event = events.Key("enter", None)
        event.time -= 2.0
        event.set_sender(at.app)
        driver = at.app._driver
        assert driver is not None
        driver.send_message(event)
        await at.settle()
        assert at.port.intents == []
        assert any("ms old: ignored" in text for text in at.events())


async def test_f81_keys_during_a_terminal_stall_do_nothing() -> None:
    async with desk() as at:
        waiting, left = 1, 100  # more never wait: no frame is made before
        at.app.backlog._backlog = lambda: (waiting, left)
        assert not at.app.backlog.stuck
        await at.press("b")
        assert at.scope() is Scope.PREVIEW, "a moment's wait is no stall"
        at.clock.at += 0.8
        left += 1
        assert not at.app.backlog.stuck, "a slow terminal is not one that stands still"
        at.clock.at += 0.8
        await at.press("enter", "T")
        assert at.port.intents == []
        assert at.scope() is Scope.PREVIEW
        await at.press("X")
        assert at.scope() is Scope.KILL, "the kill switch opens in any case"
        await at.press("enter")
        assert at.port.intents == [], "and sends nothing that was not seen"
        await at.press("escape")
        waiting = 0
        at.app._tick()
        assert any("keys pressed while the screen was not updating: ignored" in text for text in at.events())
        await at.press("enter")
        assert len(at.port.intents) == 1


async def test_order_form_is_filled_field_by_field_and_sent() -> None:
    async with desk() as at:
        await at.press("enter")
        panel = at.app.main_screen.panel
        assert panel.mode is Mode.FORM
        assert at.scope() is Scope.CHOOSER and "buy/sell?" in at.text()
        await at.press("enter")
        assert at.scope() is Scope.CHOOSER and "no side yet" in at.text()
        await at.press("b", "tab", "right")
        assert panel.ticket is not None and panel.ticket.order_type is OrderType.MARKET
        await at.press("enter", "enter")
        assert at.scope() is Scope.PREVIEW
        await at.press("enter")
        assert at.port.intents == [] and "y sends" in at.text()
        await at.press("y")
        [intent] = at.port.intents
        assert isinstance(intent, Place) and intent.order_type is OrderType.MARKET and intent.price == ""


async def test_quit_prompt_counts_live_orders_and_y_quits() -> None:
    async with desk() as at:
        await at.press("ctrl+q")
        assert "4 orders (1 UNKNOWN) stay live" in at.text()
        at.clock.pass_by(0.3)
        await at.press("y")
        await at.settle()
        assert not at.app.is_running or at.app._exit
        assert at.app.describe_left_at_venue().startswith("4 orders stay live at the venue:\n")
        assert at.port.intents == []


async def test_dismissing_an_unknown_order_needs_a_typed_word() -> None:
    async with desk() as at:
        await at.press("2", "delete")
        assert at.scope() is Scope.ORDERS
        assert "dismissing it is possible once 3 rounds over 10 s found nothing" in at.text()
        row = at.app.mirror.orders["o1"]
        at.port.put(
            Table.ORDERS,
            "o1",
            msgspec.structs.replace(
                row, not_found=3, not_found_first=1.0, not_found_last=11.0, answered=frozenset(SOURCES)
            ),
        )
        await at.settle()
        await at.press("delete")
        assert at.scope() is Scope.WORD
        at.clock.pass_by(0.3)
        await at.press("y", "enter")
        assert at.port.dismissed == [], "y is a letter here"
        await at.press("backspace", *"dismiss", "enter")
        assert at.port.dismissed == ["o1"]


async def test_keys_set_for_an_action_replace_its_default_key() -> None:
    settings = WorkstationSettings(keys={"stage.buy": "n, f7"}, bell=False)
    async with desk(settings=settings) as at:
        await at.press("b")
        assert at.scope() is Scope.QUOTES
        await at.press("n")
        assert at.scope() is Scope.PREVIEW
        await at.press("5", "n")
        assert at.scope() is Scope.FIELD and at.app.main_screen.panel.size_field.value == "5"
        assert any("%, not 'n'" in text for text in at.events())


@pytest.mark.drawn
async def test_freezing_the_screen_stops_drawing_but_not_data() -> None:
    async with desk() as at:
        await at.press("z")
        at.port.quote(BTC, "65000.0", "65000.1")
        at.port.order("o8", BTC, "BUY", "1.0", "1")
        await at.settle()
        assert "65,000.0" not in at.text() and "FROZEN" in at.text()
        assert isinstance(at.app.mirror.orders["o8"], OrderRow)
        await at.press("z")
        await at.settle()
        assert "65,000.0" in at.text()
        fill_desk(at.port)


async def test_retyping_a_deleted_digit_restores_the_ticket_size() -> None:
    async with desk(160, 45) as at:
        await at.press("b", "tab")
        panel = at.app.main_screen.panel
        before = panel.size_field.value
        await at.press("end", "backspace", before[-1])
        assert panel.ticket is not None and panel.ticket.qty == panel.size_field.value == before
