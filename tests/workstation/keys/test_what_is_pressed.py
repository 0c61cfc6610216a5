"""What is pressed is meant: bursts, fields, questions with their validity, keys that mean nothing here."""

from __future__ import annotations

import pytest
from textual import events

from tests.workstation.driver import desk
from tests.workstation.ladder.ladder import open_ladder
from tui.engine.event_line import EventLine, Level
from tui.engine.intents import Outcome, Place, Verdict
from tui.interface.families.orders import TimeInForce
from tui.workstation.input.actions import format_key
from tui.workstation.input.scopes import Scope
from tui.workstation.input.where_keys_work import explain_opener
from tui.workstation.settings import WorkstationSettings

BTC = "BINANCE_PERP_BTC_USDT"


async def test_a_burst_of_digits_and_enter_fills_the_size_of_a_ticket() -> None:
    async with desk() as at:
        await at.press("b")
        await at.burst("0", ".", "0", "1", "6", "enter")
        panel = at.app.main_screen.panel
        assert at.scope() is Scope.PREVIEW
        assert panel.ticket is not None and panel.ticket.qty == "0.016"
        await at.press("2", "0")
        assert panel.size_field.value == "0.016" and "the size is still 0.016 BTC" in at.text()


@pytest.mark.parametrize(
    ("first", "came"), [("1", "in one burst with other keys"), ("enter", "many times, like a held key")]
)
async def test_a_second_enter_in_a_key_burst_does_not_send_the_order(first: str, came: str) -> None:
    async with desk() as at:
        await at.press("b")
        await at.burst(first, "enter", "enter")
        assert at.port.intents == []
        assert any(f"Enter came {came}: not sent" in text for text in at.events())


async def test_a_size_and_enter_in_one_key_burst_send_nothing() -> None:
    async with desk() as at:
        await at.press("b")
        await at.burst("1", "enter")
        assert at.port.intents == []
        assert any("not sent" in text for text in at.events())


@pytest.mark.parametrize(
    ("size", "first", "way"),
    [((80, 24), "", "Right"), ((120, 36), "", "Right"), ((120, 36), ")", ")"), ((160, 45), "", "Tab")],
)
@pytest.mark.parametrize(
    ("key", "name", "elsewhere"),
    [
        ("m", "show bars of last, mark or index prices", "m (all) in lists such as Quotes"),
        (
            "l",
            "crosshair one bar to the right",
            "l (set the leverage of the pair or the coin) in Quotes, Positions or Assets",
        ),
    ],
)
async def test_a_chart_key_pressed_in_the_ladder_names_where_it_works(
    size: tuple[int, int], first: str, way: str, key: str, name: str, elsewhere: str
) -> None:
    async with desk(*size) as at:
        await open_ladder(at)
        if first:
            await at.press(first)
        await at.press(key)
        assert at.events()[-1].startswith(f"{key} ({name}) works in Chart: press {way} first; {elsewhere}")
        await at.press(format_key(way).lower())
        assert at.scope() is Scope.CHART


@pytest.mark.parametrize(
    ("opens", "typed", "said"),
    [
        ("d", "y", "y (copy the id) works in lists such as Quotes: press 1 first"),
        ("2", "2,", "a comma right behind a digit: press it again to sort the list"),
        ("2", "p", "p (stop) works in Quotes or Positions: press 1 or 3 first"),
    ],
)
async def test_a_wrong_key_hint_fits_a_small_terminal(opens: str, typed: str, said: str) -> None:
    async with desk(80, 24) as at:
        await at.press(opens)
        await at.type(typed)
        assert said in at.text().split("\n")[-2]


@pytest.mark.parametrize(("keys", "way"), [(("d", "y"), False), (("d", "1", "'"), False), (("1", "'"), True)])
async def test_a_hint_names_key_d_only_if_the_pair_views_are_closed(keys: tuple[str, ...], way: bool) -> None:
    """`d` opens ladder, chart and trades, and closes them where they are open."""
    async with desk(120, 36) as at:
        await at.press(*keys)
        assert " works in " in at.events()[-1]
        assert ("press d first" in at.events()[-1]) is way and " or d " not in at.events()[-1]


@pytest.mark.parametrize("key", ["+", "c"])
async def test_a_key_held_on_a_moved_row_names_key_and_row_at_80x24(key: str) -> None:
    async with desk(80, 24) as at:
        await at.press("2", "g", "j", "j")
        at.app.main_screen.tables["orders"].cursor.slid = True
        start = at._now() + 1.0
        for count in range(3):
            at._send(key, start + 0.1 * count)
            await at.settle()
        assert f"! release {key}, then press {key} for BUY 0.150 BINANCE BTC perp" in at.text() and "(×2)" in at.text()


async def test_the_key_line_of_the_ladder_names_the_venues_key() -> None:
    async with desk(120, 36) as at:
        await open_ladder(at)
        assert ") venues" in at.text().split("\n")[-1]


async def test_a_space_without_function_is_called_by_its_name() -> None:
    async with desk() as at:
        await at.press("b", " ")
        assert at.events()[-1].startswith("Space ")


async def test_settings_without_effect_are_reported_at_the_start() -> None:
    async with desk(settings=WorkstationSettings(bell=False, enter_in_field="send", key_rearm_ms=0)) as at:
        assert any("enter_in_field = 'send' has no effect any more" in text for text in at.events())
        assert any("key_rearm_ms = 0 is taken as 700 outside HOT" in text for text in at.events())


async def test_a_filter_and_its_enter_typed_in_one_burst_are_applied() -> None:
    async with desk(120, 36) as at:
        await at.burst("/", *"sol", "enter")
        assert at.scope() is Scope.QUOTES
        assert at.app.main_screen.tables["quotes"].selected == "BINANCE_PERP_SOL_USDT"
        await at.press("2")
        await at.burst("/", *"okx", "enter")
        orders = at.app.main_screen.tables["orders"]
        assert orders.pane.filter.text == "okx" and orders.row_count == 1


async def test_a_burst_of_many_digits_and_enter_stays_in_the_field() -> None:
    async with desk() as at:
        await at.press("b", "2")
        await at.burst(*"123456789012", "enter")
        panel = at.app.main_screen.panel
        assert panel.size_field.value == "2123456789012" and panel.size_field.has_focus
        await at.press("enter", "tab", "y")
        assert at.port.intents == [] and panel.size_field.has_focus and panel.blocked


async def test_forty_refusals_of_a_key_are_one_event_with_a_count() -> None:
    async with desk() as at:
        await at.press("3")
        before = at.app.mirror.event_log.count
        for _ in range(40):
            await at.press("+")
        assert at.app.mirror.event_log.count == before + 1
        assert at.events()[-1].endswith("(×40)")


ELSEWHERE = (
    ("4", "f", "f (flatten) works in Positions: press 3 first"),
    ("4", "%", "% (part) works in Positions: press 3 first"),
    ("4", "e", "e (edit) works in Orders: press 2 first"),
    ("4", "c", "c (cancel) works in Orders: press 2 first"),
    ("4", "B", "B (buy at best ask) works in Quotes or Positions: press 1 or 3 first"),
    ("2", "t", "t (transfer) works in Assets: press 4 first"),
    ("1", "]", "] (price ten ticks up) works in Orders: press 2 first"),
    ("5", "i", "i (set an alert on the pair of the row) works in Quotes, Orders or Positions: press 1 or 2 or 3 first"),
    ("1", "*", "* (double the size) works in a ticket: press b or s on a quote first"),
    ("1", "n", "n (move the stop to net break-even) works in Positions: press 3 first"),
    ("1", "-", "- (price one tick down) works in Orders: press 2 first"),
)
"""Key of a pane, a key that does nothing there, and what is said."""


async def test_a_key_used_in_the_wrong_pane_says_where_it_works() -> None:
    async with desk() as at:
        for pane, key, sentence in ELSEWHERE:
            await at.press(pane, key)
            assert at.events()[-1].split(";")[0] == sentence


async def test_a_key_of_two_panes_pressed_elsewhere_names_both() -> None:
    async with desk() as at:
        await at.press("4", "c")
        assert at.events()[-1] == "c (cancel) works in Orders: press 2 first; c (cancel row) in Ladder"


async def test_a_pane_key_inside_a_ticket_only_says_where_it_works() -> None:
    async with desk() as at:
        await at.press("b", "f")
        assert at.events()[-1] == "f (flatten) works in Positions, not in a ticket: Esc drops it"
        assert (
            "! f (flatten) works in Positions, not in a ticket: Esc drops it." in at.flat_text()
            and "Backspace continues" in at.text()
        )


@pytest.mark.parametrize(
    ("pane", "key", "said"),
    [
        ("3", "f", "the close is open here already: Enter sends it, Esc closes it"),
        ("3", "o", "the close is open here already: Enter sends it, Esc closes it"),
        ("1", "B", "the order is open here already: Enter sends it, Esc closes it"),
    ],
)
async def test_the_key_that_opened_a_ticket_says_it_is_open(pane: str, key: str, said: str) -> None:
    """The trader was sent to the pane of the key, though this ticket is what it opened there."""
    async with desk(80, 24) as at:
        await at.press(pane, key, key)
        assert said in at.text().split("\n")[-2]
        await at.press("enter")
        assert len(at.sent_orders()) == 1


async def test_the_key_that_opened_a_blocked_ticket_names_the_way_out() -> None:
    keys = {"ticket.drop": "f9"}
    async with desk(80, 24, settings=WorkstationSettings(bell=False, keys=keys)) as at:
        await at.press("3", "f", "w", "f", "enter")
        assert "the close is open here already: F9 closes it" in at.events() and at.port.intents == []


def test_the_hint_of_an_opening_key_names_send_and_close_keys() -> None:
    keys = {"ticket.send_form": ("y",), "ticket.drop": ("escape", "q")}
    said = explain_opener("close", "ticket.send_form", lambda action: keys[action])
    assert said == "the close is open here already: y sends it, Esc closes it"


async def test_hints_use_the_keys_of_the_user_keymap() -> None:
    async with desk(settings=WorkstationSettings(bell=False, keys={"pane.3": "f9"})) as at:
        await at.press("4", "f")
        assert at.events()[-1] == "f (flatten) works in Positions: press F9 first"


async def test_a_refused_letter_shows_what_the_size_field_reads() -> None:
    async with desk(80, 24) as at:
        await at.press("b", *"16", "w")
        assert "size in BTC, USDT, $ or %, not 'w'. Backspace continues" in at.text(), "the units are not cut"
        await at.press("enter")
        assert "A letter was refused: the size reads 16" in at.text() and at.port.intents == []


async def test_a_size_off_its_lot_shows_the_nearest_valid_sizes() -> None:
    async with desk(80, 24) as at:
        await at.press("b", *"0.0014", "enter")
        assert "Size 0.0014 must be a multiple of 0.001 (nearest 0.001" in at.text() and at.port.intents == []


async def test_a_wrong_key_on_a_prompt_shows_the_valid_answers() -> None:
    async with desk() as at:
        await at.press("X", "y")
        assert at.scope() is Scope.KILL and at.port.intents == []
        assert at.events()[-1] == "y is not an answer here: Backspace continues, Esc closes"
        await at.press("escape", "2", "C", "z")
        assert at.scope() is Scope.PROMPT
        assert at.events()[-1] == "z is not an answer here: press y to confirm or Enter to go back", "it only cancels"
    async with desk() as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="LIMIT_SOFT", text="over the soft limit")]
        await at.press("b", "enter", "2")
        assert at.scope() is Scope.ASK and len(at.port.intents) == 1
        assert at.events()[-1] == "2 is not an answer here: Backspace continues, Esc closes"


async def test_an_alert_shows_while_the_command_line_covers_events() -> None:
    async with desk(80, 24) as at:
        await at.press(":", *"buy 0.01 BTC")
        assert "Enter carry out" in at.text().splitlines()[-1]
        lost = "not attached: the desk that trades this account does not answer"
        at.port.updates.put_event(EventLine(wall_ms=0, level=Level.ALERT, text=lost, sticky=True))
        await at.settle()
        assert "not attached: the desk that trades" in at.text().splitlines()[-1]
        at.clock.pass_by(60)
        at.app.main_screen.tick()
        await at.settle()
        assert "Enter carry out" in at.text().splitlines()[-1]
        await at.press("escape", "escape", "1")
        at.port.updates.put_event(EventLine(wall_ms=0, level=Level.INFO, text="Armed (by you)", answers=True))
        await at.settle()
        at.clock.pass_by(0.5)
        await at.press(":", *"buy")
        assert "Enter carry out" in at.text().splitlines()[-1], "what was said before the line was opened is no answer"


@pytest.mark.parametrize("key", ["escape", "q"])
@pytest.mark.parametrize("pane", ["1", "3", "4"])
async def test_esc_with_nothing_open_moves_nothing_and_says_so(key: str, pane: str) -> None:
    async with desk() as at:
        await at.press(pane)
        scope = at.scope()
        await at.press(key)
        assert at.scope() is scope and at.events()[-1].startswith("nothing is open here: 1 shows the quotes")
        await at.press("0", "escape")
        assert not at.app.main_screen.zoomed and at.scope() is scope


async def test_unbound_letters_give_a_hint_unbound_f11_and_insert_none() -> None:
    async with desk() as at:
        await at.press("3", "Z")
        assert at.events()[-1] == "Z has no function; press ? for all keys"
        before = at.app.mirror.event_log.count
        await at.press("f11", "insert")
        assert at.app.mirror.event_log.count == before


async def test_the_partial_close_prompt_goes_away_when_it_expires() -> None:
    async with desk() as at:
        await at.press("3", "%")
        assert "close how much? 1: 25 %" in at.text()
        at.clock.pass_by(8.5)
        at.app.controllers.positions._expire_part()
        await at.settle()
        assert "close how much?" not in at.text()
        await at.press("%", "escape")
        assert "close how much?" not in at.text()


async def test_a_profit_target_in_r_can_be_typed_before_the_stop() -> None:
    async with desk() as at:
        await at.press("enter", "b")
        panel = at.app.main_screen.panel
        at.app.main_screen.set_focus(panel.profit_field)
        await at.press("2", "r", "tab")
        assert panel.stop_field.has_focus
        await at.press("1", "%", "enter")
        assert at.scope() is Scope.PREVIEW
        ticket = panel.ticket
        assert ticket is not None and (ticket.profit, ticket.stop) == ("2r", "1%")
        assert not ticket.problems(panel.quote)


async def test_one_y_confirms_all_reasons_of_a_gate_question() -> None:
    async with desk() as at:
        text = "30,000 over the soft limit 25,000; first BINANCE BTC perp order today"
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL+FIRST_OF_DAY", text=text)]
        await at.press("b", "enter")
        await at.settle()
        assert "first BINANCE BTC perp order today" in at.text()
        await at.press("y")
        sent = at.port.intents[-1]
        assert isinstance(sent, Place) and sent.confirmed == {"SOFT_NOTIONAL", "FIRST_OF_DAY"}


async def test_a_ticket_starts_with_the_preset_size() -> None:
    async with desk() as at:
        await at.press("b", "0", ".", "0", "2", "enter")
        assert len(at.port.intents) == 1
        await at.press("b")
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and ticket.qty == "0.001"
        assert "(smallest)" in at.text()
        await at.press("2")
        assert "(smallest)" not in at.text()


async def test_a_size_typed_as_money_is_not_called_the_smallest() -> None:
    """Rounded down it may be the smallest, but it is what was typed."""
    async with desk(160, 45) as at:
        await at.press("b", *"$100")
        await at.press("tab")
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and ticket.qty == "0.001" and "0.001 BTC" in at.text()
        assert "(smallest)" not in at.text()


async def test_a_taker_ticket_is_ioc_until_a_time_in_force_is_chosen() -> None:
    async with desk() as at:
        await at.press("B")
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and ticket.tif is TimeInForce.IOC
        assert "take IOC" in at.text()
        await at.press("J")
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and ticket.tif is TimeInForce.GTX
        await at.press("t", "T", "J")
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and ticket.tif is TimeInForce.GTC, "a chosen time in force stays"


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("", "would rest"),
        ("t", "would rest"),
        ("tt", "does not reach the ask: would end unfilled"),
        ("ttt", "does not reach the ask: would end unfilled"),
        ("T", "would take"),
        ("T9", "would take 0.870, the rest ends"),
    ],
)
async def test_ticket_preview_explains_each_time_in_force(keys: str, words: str) -> None:
    async with desk(160, 45) as at:
        await at.press("b", *keys)
        if keys.endswith("9"):
            await at.press("tab")
        assert words in at.text()
        if "unfilled" in words:
            assert "rebate ~" not in at.text() and "fee ~" not in at.text(), "what fills nothing costs nothing"


async def test_alt_plus_a_letter_does_not_act_as_the_letter() -> None:
    """Terminals tell Alt+b with the character b."""
    async with desk() as at:
        event = events.Key("alt+b", "b")
        event.set_sender(at.app)
        at._driver.send_message(event)
        await at.settle()
        assert not at.app.main_screen.panel.open


async def test_after_a_loss_of_focus_keys_go_on_in_the_same_ticket() -> None:
    async with desk() as at:
        await at.press("b", "2")
        at.app.post_message(events.AppBlur())
        await at.settle()
        assert at.app.focused is None
        await at.press("5", "tab")
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and ticket.qty == "25" and at.scope() is Scope.PREVIEW
        at.app.post_message(events.AppBlur())
        await at.settle()
        await at.press("enter")
        assert at.sent_sizes() == ["25"]


@pytest.mark.parametrize("before", [(), ("b",), ("b", "e"), ("X",), ("?",), (":",)])
async def test_ctrl_z_says_that_it_suspends_nothing(before: tuple[str, ...]) -> None:
    async with desk() as at:
        await at.press(*before)
        scope = at.scope()
        await at.press("ctrl+z")
        assert at.events()[-1] == "Ctrl+Z does not suspend: orders would be unwatched; Ctrl+Q quits"
        assert at.scope() is scope and at.port.intents == []


async def test_a_burst_with_enter_on_an_order_form_says_that_y_sends() -> None:
    async with desk() as at:
        await at.press("1", "g", "j", "enter", "b", "enter", "enter", "enter", *"0.5", "enter", "enter")
        assert at.scope() is Scope.PREVIEW
        await at.burst("home", "enter")
        panel = at.app.main_screen.panel
        assert panel.refusal == "Enter came in one burst with other keys: not sent; press y to send"
        assert at.events()[-1] == panel.refusal and panel.refusal in at.text()
        await at.press("y")
        assert at.sent_sizes() == ["0.5"]


async def test_an_unreadable_size_clears_the_former_denial() -> None:
    async with desk() as at:
        at.port.outcomes = [Outcome(verdict=Verdict.DENIED, guard="SIZE", text="the size is too large")]
        await at.press("b", "5", "enter")
        panel = at.app.main_screen.panel
        assert "too large" in panel.refusal
        await at.press(".")
        assert panel.size_field.value == "." and panel.refusal == ""
        [said] = [problem.text for problem in panel.problems]
        assert said.startswith("size: ") and said in at.text()


async def test_typing_an_unreadable_size_hides_the_hint_on_key_y() -> None:
    async with desk() as at:
        await at.press("1", "g", "j", "enter", "b", "enter", "enter", "enter", *"1", "enter", "enter", "enter")
        panel = at.app.main_screen.panel
        assert panel.refusal.endswith("press y to send")
        at.app.main_screen.set_focus(panel.size_field)
        await at.press("backspace", ".")
        assert panel.size_field.value == "." and "press y to send" not in at.text()


@pytest.mark.parametrize("key", ["enter", "y"])
@pytest.mark.parametrize("keys", [("b",), ("3", "f")], ids=["quotes", "positions"])
async def test_an_enter_repeated_after_an_order_was_sent_opens_nothing(keys: tuple[str, ...], key: str) -> None:
    """A second Enter behind a sent ticket opened the form of another order, in which `3` did not go to the positions."""
    async with desk() as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="FIRST_OF_DAY", text="first order")] * (key == "y")
        await at.press(*keys, "enter")
        if key == "y":
            await at.settle()
            await at.pause(0.5)
            await at.press("y")
        assert len(at.port.intents) == 1 + (key == "y")
        await at.settle()
        scope = at.scope()
        at.send(key, -0.6)  # 0.4 s behind the one that sent: taken for the same press
        await at.settle()
        for _ in range(4):  # a second apart: the 2 s count from the last of them
            await at.press("enter")
            assert at.scope() is scope and "has just been carried out: this Enter opens nothing" in at.events()[-1]
        await at.press("3")
        assert at.scope() is Scope.POSITIONS
        await at.press("enter")
        assert at.scope() is not Scope.POSITIONS, "behind another key it opens what it names"


async def test_an_enter_repeated_before_the_answer_opens_nothing() -> None:
    """It did nothing while the answer was not there, and the next one opened a form within 2 s."""
    async with desk() as at:
        at.port.hold = True
        await at.press("b", "enter", "enter")
        at.port.answer(Outcome(verdict=Verdict.ACCEPTED, key="n1"))
        await at.settle()
        scope = at.scope()
        await at.press("enter")
        assert at.scope() is scope and "this Enter opens nothing" in at.events()[-1]


async def test_enter_after_a_palette_choice_acts_on_the_list_at_once() -> None:
    """It was refused as the second press of a key that had sent something, and nothing had been sent."""
    async with desk() as at:
        await at.press("ctrl+p", *"own ev", "enter")
        await at.settle()
        scope = at.scope()
        await at.press("enter")
        assert "has just been carried out" not in at.text() and at.scope() is not scope
