"""What was sent and not meant: each accident that was seen, and what stands against it now."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.scripted import info
from tests.workstation.tickets.ticket_desk import read_panel
from tui.engine.intents import Cancel, Outcome, Place, Verdict
from tui.engine.modes import RiskMode
from tui.engine.rows import Table
from tui.workstation.commands.context import SETTLE_S
from tui.workstation.input.fresh_press import STOOD_S, Rule
from tui.workstation.input.input_order import key_time
from tui.workstation.input.scopes import Scope
from tui.workstation.settings import WorkstationSettings
from tui.workstation.tickets.fields import Mode

BTC = "BINANCE_PERP_BTC_USDT"
ASKS = Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text="over the soft limit")


def is_paused(at: Desk) -> bool:
    return at.app.main_screen.panel.paused


# A size as it is typed


async def test_typing_a_dot_and_5_on_a_ticket_is_a_size_of_one_half() -> None:
    async with desk() as at:
        await at.press("b", ".", "5")
        panel = at.app.main_screen.panel
        assert panel.size_field.value == ".5" and panel.ticket is not None and panel.ticket.qty == "0.5"
        assert "0.5 BTC" in at.text()
        await at.press("enter")
        assert at.sent_sizes() == ["0.5"]


@pytest.mark.parametrize("typed", ["05", "5.", ".05.", "1_00", "0x5"])
async def test_odd_spellings_of_a_number_are_not_sent_as_a_size(typed: str) -> None:
    async with desk() as at:
        await at.press("b", *typed, "enter", "enter", "y")
        assert at.sent_sizes() == [] and at.scope() is Scope.FIELD


@pytest.mark.parametrize(
    ("typed", "sent"), [("$16000", "0.249"), ("$16_000", "0.249"), ("$16k", "0.249"), ("16k$", "0.249"), ("2k", "2000")]
)
async def test_digit_dot_and_currency_signs_start_a_size_on_a_ticket(typed: str, sent: str) -> None:
    async with desk() as at:
        await at.press("b", *typed)
        assert "$16000" in at.text(), "the ticket says which forms it takes"
        await at.press("enter")
        assert at.sent_sizes() == [sent]


async def test_a_size_in_contracts_is_refused_for_a_coin_sized_pair() -> None:
    async with desk() as at:
        await at.press("b", *"25ct", "enter", "enter", "tab", "enter", "y")
        panel = at.app.main_screen.panel
        assert at.sent_sizes() == [] and at.scope() is Scope.FIELD
        said = "A letter was refused: the size reads 25; in BTC, USDT, $ or %, not 'c': this pair has no contracts"
        assert said in " ".join(at.text().replace("│", " ").split())
        await at.press("backspace", "backspace", "backspace", "2")
        assert panel.size_field.value == "2"
        await at.press("enter")
        assert at.sent_sizes() == ["2"]


async def test_after_a_refused_key_all_keys_but_backspace_are_refused() -> None:
    async with desk() as at:
        await at.press("b", "k", "5", "enter", "T")
        panel = at.app.main_screen.panel
        assert at.sent_sizes() == [] and at.scope() is Scope.PREVIEW
        assert panel.ticket is not None and panel.ticket.qty == "0.001"
        lines = at.text().split("\n")
        row = next(y for y, line in enumerate(lines) if " size " in line and "BTC" in line)
        assert "Backspace continues" in "".join(lines[row + 1 : row + 3]), "where the eye is"
        await at.press("backspace", "5", "enter")
        assert at.sent_sizes() == ["5"]


# A form without a side


async def test_an_order_form_has_no_side_until_buy_or_sell_is_pressed() -> None:
    async with desk(160, 45) as at:
        await at.press("enter")
        assert at.app.main_screen.panel.mode is Mode.FORM
        text = at.text()
        assert "buy/sell?" in text and "no side yet: b buys, s sells" in text and "(smallest)" in text
        await at.press(*["enter"] * 8, "y", "y")
        assert at.sent_sizes() == []
        await at.press("s", "tab", "tab", "tab", *["enter"] * 4)
        assert at.sent_sizes() == [] and "y sends" in at.text()
        await at.press("y")
        [intent] = at.port.intents
        assert isinstance(intent, Place) and intent.side.value == "SELL"


async def test_a_side_can_be_chosen_on_the_smallest_screen() -> None:
    async with desk(40, 12) as at:
        await at.press("enter")
        panel = at.app.main_screen.panel
        if panel.open:
            await at.press("b")
            assert panel.ticket is not None and panel.ticket.sided


# Panic

FIELDS = {"size": (), "price": ("e", "tab"), "tp": ("e", "tab", "tab"), "sl": ("e", "tab", "tab", "tab")}
"""The keys that go from a new ticket to a field of it."""


@pytest.mark.parametrize("field", FIELDS)
async def test_capital_x_in_a_number_field_opens_the_kill_prompt(field: str) -> None:
    async with desk() as at:
        await at.press("b", *FIELDS[field], "5", "X")
        assert at.app.main_screen.panel.fields[field].value.endswith("5")
        assert at.scope() is Scope.KILL
        await at.press("enter", "enter", "enter")
        assert at.sent_sizes() == []


async def test_capital_x_inside_the_unit_of_a_size_is_a_letter() -> None:
    async with desk() as at:
        await at.press("b", "5", "b", "X")
        assert at.scope() is Scope.FIELD
        assert any("Ctrl+G opens the kill prompt" in text for text in at.events())
        await at.press("enter", "enter")
        assert at.sent_sizes() == []


# Digits on a list


async def test_digits_typed_on_a_list_block_enter_and_b_for_a_second() -> None:
    async with desk() as at:
        await at.press("2")
        for key in (*"1000", "enter", "b", "enter", "y"):
            at.send_now(key)
            await at.settle()
            await asyncio.sleep(0.1)
        assert at.sent_sizes() == [] and not at.app.main_screen.panel.open
        assert sum("No field for these digits" in text for text in at.events()) == 1
        await asyncio.sleep(1.1)
        at.send_now("b")
        await at.settle()
        assert at.app.main_screen.panel.open


async def test_a_single_digit_jumps_to_a_pane_and_keys_work_after_it() -> None:
    async with desk() as at:
        for key in ("3", "f"):
            at.send_now(key)
            await at.settle()
            await asyncio.sleep(0.1)
        assert at.app.main_screen.panel.open


@pytest.mark.parametrize(("keys", "repeats"), [("1.", True), ("21.", False), ("7.", False)])
async def test_the_dot_repeats_after_one_pane_jump_but_not_after_two(keys: str, repeats: bool) -> None:
    """One jump is free; behind two digits or a refused one the dot belongs to a figure."""
    async with desk() as at:
        await at.press("b", "2", "enter", "escape", "2")
        assert at.sent_sizes() == ["2"]
        await asyncio.sleep(60)
        for key in keys:
            at.send_now(key)
            await at.settle()
            await asyncio.sleep(0.4)
        assert at.app.main_screen.panel.open is repeats
        at.send_now("5")
        await at.settle()
        await asyncio.sleep(0.4)
        at.send_now("enter")
        await at.settle()
        assert at.sent_sizes() == ["2"], "a figure behind it sends nothing"


async def test_dot_and_digit_typed_on_a_list_do_not_become_a_size() -> None:
    async with desk() as at:
        await at.press("b", "2", "enter")
        assert at.sent_sizes() == ["2"]
        await asyncio.sleep(60)
        for key in (".", "5", "enter"):
            at.send_now(key)
            await at.settle()
            await asyncio.sleep(0.3)
        assert at.sent_sizes() == ["2"]


# The line has stood


async def test_enter_right_after_size_digits_sends_once_they_are_drawn() -> None:
    async with desk() as at:
        await at.press("b")
        await asyncio.sleep(60)
        typed_at = key_time()
        await at.app_takes("5")
        await asyncio.sleep(0.04)
        await at.app_takes("enter")
        await at.wait(lambda: bool(at.sent_sizes()))
        assert at.sent_sizes() == ["5"] and STOOD_S <= key_time() - typed_at < 2 * STOOD_S


async def test_an_enter_waiting_for_the_redraw_is_void_after_a_digit() -> None:
    async with desk() as at:
        await at.press("b")
        await asyncio.sleep(60)
        for key in ("5", "enter", "0"):
            await at.app_takes(key)
            await asyncio.sleep(0.04)
        await asyncio.sleep(0.5)
        assert at.sent_sizes() == []


async def test_an_order_request_without_a_key_press_is_not_sent() -> None:
    async with desk() as at:
        await at.press("b", "j")
        at.app.controllers.orders.sending._send(frozenset())
        assert at.sent_sizes() == []
        at.app.guard.rules -= {Rule.PASSED}
        await at.press("backspace")
        at.app.controllers.orders.sending._send(frozenset())
        assert at.sent_sizes() == ["0.001"]


# A question about a price


async def test_a_question_sends_the_price_it_asked_and_shows_the_move() -> None:
    async with desk() as at:
        at.port.outcomes = [ASKS]
        await at.press("b", "enter")
        await at.settle()
        at.port.quote(BTC, "64011.0", "64011.2")
        await at.settle()
        assert "asked at 64,001.0, now 64,011.0 (+10" in at.text()
        await at.press("y")
        asked, sent = at.port.intents
        assert isinstance(asked, Place) and isinstance(sent, Place)
        assert asked.price == sent.price == "64001.0"


async def test_a_far_price_move_makes_y_ask_again_with_the_new_price() -> None:
    async with desk() as at:
        at.port.outcomes = [ASKS]
        await at.press("b", "enter")
        await at.settle()
        at.port.quote(BTC, "64501.0", "64501.2")
        await at.settle()
        await at.press("y")
        assert len(at.port.intents) == 1
        assert "the price moved from 64,001.0 to 64,501.0" in at.text()
        await at.press("y")
        sent = at.port.intents[-1]
        assert isinstance(sent, Place) and sent.price == "64501.0" and "SOFT_NOTIONAL" in sent.confirmed


# A frozen screen


async def test_enter_on_a_frozen_screen_unfreezes_it_and_sends_nothing() -> None:
    async with desk() as at:
        await at.press("b", "z")
        at.clock.pass_by(12)
        at.app._tick()
        await at.settle()
        at.app.main_screen.refresh()
        await at.settle()
        assert "frozen 12s" in at.text()
        await at.press("enter")
        await at.settle()
        assert at.sent_sizes() == [] and not at.app.view.frozen
        assert any("you had frozen the screen: Enter ended that and sent nothing" in text for text in at.events())
        await at.press("enter")
        assert at.sent_sizes() == ["0.001"]


async def test_cancel_and_kill_work_on_a_frozen_screen() -> None:
    async with desk() as at:
        await at.press("2", "j", "j", "z", "c")
        assert [type(intent) for intent in at.port.intents] == [Cancel] and at.app.view.frozen
        await at.press("X")
        assert at.scope() is Scope.KILL


# A ticket that is left


async def test_a_ticket_that_loses_focus_pauses_and_sends_nothing() -> None:
    async with desk(160, 45) as at:
        await at.press("b", "2", "tab")
        at.app.main_screen.set_focus(at.app.main_screen.tables["positions"])
        await at.settle()
        at.port.quote(BTC, "64401.0", "64401.2")
        await at.settle()
        assert "PAUSED" in at.text() and "Tab" in at.text()
        panel = at.app.main_screen.panel
        assert panel.ticket is not None and panel.ticket.limit_text(panel.quote) == "64001.0"
        await at.press("enter", "escape")
        assert at.sent_sizes() == []


@pytest.mark.parametrize("key", ["b", "tab"])
async def test_a_paused_ticket_resumes_by_its_own_key_or_tab(key: str) -> None:
    async with desk(160, 45) as at:
        await at.press("b", "2", "tab")
        quotes = at.app.main_screen.tables["quotes"]
        at.app.main_screen.set_focus(quotes)
        await at.settle()
        panel, token = at.app.main_screen.panel, at.app.main_screen.panel.token
        assert is_paused(at)
        for _ in range(12 if key == "tab" else 1):
            if is_paused(at):
                await at.press(key)
        assert not is_paused(at) and panel.token == token
        assert panel.ticket is not None and panel.ticket.qty == "2"
        await at.press("enter")
        assert at.sent_sizes() == ["2"]


@pytest.mark.parametrize("keys", [("s",), ("j", "b")])
async def test_opening_another_ticket_drops_a_paused_one_and_says_so(keys: tuple[str, ...]) -> None:
    async with desk(160, 45) as at:
        await at.press("b", "2", "tab")
        at.app.main_screen.set_focus(at.app.main_screen.tables["quotes"])
        await at.settle()
        await at.press(*keys)
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and ticket.qty != "2"
        assert any("BUY 2 BINANCE BTC perp dropped for another ticket" in text for text in at.events())


async def test_esc_on_a_list_drops_the_paused_ticket() -> None:
    async with desk(160, 45) as at:
        await at.press("b", "2", "tab")
        at.app.main_screen.set_focus(at.app.main_screen.tables["positions"])
        await at.settle()
        await at.press("escape")
        assert not at.app.main_screen.panel.open and at.scope() is Scope.POSITIONS


async def test_esc_in_a_typed_size_drops_the_whole_ticket() -> None:
    """Found by the accidents (seed 424242, 660 and 1211): the size of the preset was sent by the Enter behind it."""
    async with desk() as at:
        await at.press("b", *"0.02", "escape")
        assert not at.app.main_screen.panel.open
        await at.press("enter", "enter")
        assert at.sent_sizes() == []


@pytest.mark.parametrize("first", [(), ("escape",)])
async def test_digits_typed_after_a_denial_start_a_new_size(first: tuple[str, ...]) -> None:
    async with desk(160, 45) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.DENIED, guard="NOTIONAL", text="too large")]
        await at.press("b", *"50", "enter", *first, *"0.5", "enter")
        assert at.sent_sizes() == ["50", "0.5"]


async def test_holding_the_key_that_opens_a_ticket_queues_no_input() -> None:
    async with desk(160, 45) as at:
        await at.hold("B", 1.0)
        await at.press(*".02", "enter")
        assert at.sent_sizes() == ["0.02"]


async def test_confirm_prompt_warns_if_post_only_would_be_refused() -> None:
    async with desk(160, 45) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text="over the soft limit")]
        await at.press("b", *"0.2", "enter")
        at.port.quote(BTC, "63990.0", "63995.0")
        await at.settle()
        assert "· a post-only order would take: the ask is 63,995.0" in at.text()


async def test_a_market_order_question_has_no_post_only_warning() -> None:
    async with desk(160, 45) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="OWN", text="your own BUY is on the other side")]
        await at.press("3", "f", "enter")
        assert at.scope() is Scope.ASK
        at.port.quote(BTC, "64011.0", "64011.2")
        await at.settle()
        assert "would be rejected" not in at.text() and "· asked at 64," in at.text()


@pytest.mark.parametrize("enters", [1, 2])
async def test_after_esc_undid_typing_y_sends_and_enter_does_not(enters: int) -> None:
    async with desk(160, 45) as at:
        await at.press("b", "e", "backspace", "1", "escape")
        for _ in range(enters):
            await asyncio.sleep(2)
            await at.press("enter")
        assert at.sent_sizes() == [] and "Esc undid the typing: press y" in at.text()
        await at.press("y")
        assert len(at.sent_sizes()) == 1


# Orders


async def test_orders_pane_opens_with_the_cursor_on_the_newest_order() -> None:
    async with desk(160, 45) as at:
        await at.press("2", "j", "1")
        newest = at.port.order(
            "o9", BTC, "BUY", "63000.0", "0.5", create_at=at.port.order("o8", BTC, "BUY", "1", "1").create_at + 5
        )
        await at.settle()
        await at.press("2")
        assert at.app.main_screen.tables["orders"].selected == newest.key
        at.clock.pass_by(0.25)
        await at.press("c")
        assert at.port.intents == [] and any("press c again for BUY 0.5" in text for text in at.events())
        at.clock.pass_by(SETTLE_S + 0.01)
        await at.press("c")
        [cancel] = at.port.intents
        assert isinstance(cancel, Cancel) and cancel.key == newest.key


async def test_back_in_the_orders_the_mark_of_an_ended_order_is_gone() -> None:
    async with desk(160, 45) as at:
        await at.press("2", "j")
        orders = at.app.main_screen.tables["orders"]
        marked = orders.selected or ""
        await at.press("space", "1")
        ended = msgspec.structs.replace(at.app.mirror.orders[marked], state="CANCELLED", final=True)
        at.port.put(Table.ORDERS, marked, msgspec.structs.replace(ended, since=at.clock.mono()))
        await at.settle()
        await at.press("2")
        assert orders.mark_count == 0
        assert orders.selected == orders.pane.newest_working()


async def test_the_cursor_moves_off_an_order_that_has_ended() -> None:
    async with desk(160, 45) as at:
        await at.press("2", "j", "j")
        orders = at.app.main_screen.tables["orders"]
        assert orders.selected == "o3"
        row = at.app.mirror.orders["o3"]
        at.port.put(
            Table.ORDERS, "o3", msgspec.structs.replace(row, state="CANCELLED", final=True, since=at.clock.mono())
        )
        await at.settle()
        assert orders.selected not in (None, "o3") and at.app.mirror.orders[orders.selected or ""].working


async def test_an_action_key_closes_the_detail_card_and_acts() -> None:
    async with desk(160, 45) as at:
        await at.press("2", "j", "j", "enter")
        assert at.scope() is Scope.HELP
        await at.press("+")
        panel = at.app.main_screen.panel
        assert panel.mode is Mode.REPLACE and panel.ticket is not None and panel.ticket.price == "63998.1"


# What will be refused


@pytest.mark.parametrize("mode", [RiskMode.HALT, RiskMode.REDUCING])
@pytest.mark.parametrize(("width", "height"), [(80, 24), (160, 45)])
async def test_ticket_preview_says_when_the_risk_mode_will_refuse_it(mode: RiskMode, width: int, height: int) -> None:
    async with desk(width, height) as at:
        at.port.set_desk(risk_mode=mode, risk_mode_reason="kill")
        await at.settle()
        await at.press("b")
        said = f"risk mode is {mode.value} (kill); only orders that close a leg are taken; Ctrl+T resumes"
        assert said in read_panel(at) and "would be refused" in at.text()
        assert "Enter sends" not in at.text()
        await at.press("escape", "3", "j", "j", "f")
        assert "risk mode is" not in at.text() and "would be refused" not in at.text()


async def test_capital_x_in_a_sizes_coin_is_text_not_the_kill_key() -> None:
    async with desk() as at:
        at.port.put(Table.SYMBOLS, "BINANCE_PERP_XRP_USDT", info("BINANCE_PERP_XRP_USDT", "0.0001", "0.1"))
        at.port.quote("BINANCE_PERP_XRP_USDT", "2.0000", "2.0001")
        await at.settle()
        quotes = at.app.main_screen.tables["quotes"]
        quotes.select("BINANCE_PERP_XRP_USDT")
        assert quotes.selected == "BINANCE_PERP_XRP_USDT"
        await at.press("b", *"50XRP")
        assert at.scope() is Scope.FIELD
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and Decimal(ticket.qty) == 50


async def test_enter_in_a_size_field_unfreezes_the_screen_first() -> None:
    """A field's Enter sends the staged line; from a frozen screen it shows what is new instead."""
    async with desk(120, 36) as at:
        await at.press("z", "b", ".", "0", "5")
        at.clock.pass_by(1.0)
        await at.press("enter")
        assert at.port.intents == []
        assert any("you had frozen the screen: Enter ended that and sent nothing" in text for text in at.events())


# A paste without brackets


@pytest.mark.parametrize("pasted", [("y", "enter"), ("y", "y"), ("y", "j")])
async def test_text_pasted_on_a_confirm_prompt_answers_nothing(pasted: tuple[str, ...]) -> None:
    """The terminal hands the paste over as keys of one read; its first letter counts no more than the others."""
    async with desk(120, 36) as at:
        at.port.outcomes = [ASKS]
        await at.press("b", "enter")
        assert at.scope() is Scope.ASK and len(at.port.intents) == 1
        await at.burst(*pasted)
        assert len(at.port.intents) == 1


async def test_line_breaks_pasted_on_a_staged_order_send_nothing() -> None:
    async with desk(120, 36) as at:
        await at.press("b", ".", "0", "5")
        await at.burst("enter", "enter")
        assert at.port.intents == []


# What people did who had never seen the desk


@pytest.mark.parametrize("key", [".", "Z"])
async def test_digits_after_the_repeat_key_are_never_taken_as_a_size(key: str) -> None:
    keys = {} if key == "." else {"stage.again": key}
    async with desk(settings=WorkstationSettings(bell=False, keys=keys)) as at:
        await at.press("b", "5", "enter")
        await at.settle()
        await at.press(key)
        await asyncio.sleep(3)
        await at.press("9", "9", "enter", "y")
        assert at.sent_sizes() == ["5"] and f"{key} staged the last ticket again" in at.text()


async def test_a_second_c_after_its_order_ended_first_names_the_next() -> None:
    async with desk() as at:
        await at.press("2", "g", "j", "j")
        at.clock.pass_by(1.0)
        row = at.app.main_screen.tables["orders"].selected
        await at.press("c")
        order = at.app.mirror.orders[str(row)]
        at.port.put(Table.ORDERS, str(row), msgspec.structs.replace(order, state="CANCELLED", final=True))
        await at.settle()
        at.clock.pass_by(5.0)
        await at.press("c")
        assert [intent.key for intent in at.port.intents if isinstance(intent, Cancel)] == [row]
        assert "press c again for" in at.text() and "the cursor moved by itself" in at.text()
        await at.press("c")
        assert len(at.port.intents) == 2, "named before, and pressed again"


async def test_key_c_after_returning_to_the_orders_cancels_at_once() -> None:
    """The list was hidden while the order under its cursor ended: coming to it by key chooses another in sight."""
    async with desk(80, 24) as at:
        await at.press("2", "g", "3")
        row = str(at.app.main_screen.tables["orders"].selected)
        assert not at.app.main_screen.tables["orders"].display
        order = at.app.mirror.orders[row]
        at.port.put(Table.ORDERS, row, None)
        newer = msgspec.structs.replace(order, key="newer", order_id="newer", create_at=order.create_at + 60_000)
        at.port.put(Table.ORDERS, "newer", newer)
        await at.settle()
        await at.press("2")
        at.clock.pass_by(1.0)
        await at.press("c")
        assert [intent.key for intent in at.port.intents if isinstance(intent, Cancel)] == ["newer"]


async def test_esc_closes_an_unchanged_replace_ticket() -> None:
    async with desk() as at:
        await at.press("2", "g", "j", "j", "e", "escape", "1", "y")
        assert at.scope() is Scope.QUOTES and at.port.intents == []
