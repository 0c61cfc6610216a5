"""Figures that reach another field than the one they are meant for, or none: the order keeps what was typed for it."""

from __future__ import annotations

import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.emulated import EmulatedTerminal, painted, terminal_of
from tests.workstation.tickets.ticket_desk import read_panel
from tui.engine.modes import RiskMode
from tui.workstation.input.scopes import Scope
from tui.workstation.tickets.fields import Mode
from tui.workstation.tickets.order.terms import PriceMode

SMALL = (80, 24)
BTC = "BINANCE_PERP_BTC_USDT"


def orders(at: Desk) -> list[tuple[str, str]]:
    """Size and price of what left."""
    return [(intent.qty, intent.price) for intent in at.sent_orders()]


def size_of(at: Desk) -> str:
    ticket = at.app.main_screen.panel.ticket
    return "" if ticket is None else ticket.qty


# Behind the size of a staged line


@pytest.mark.parametrize("keys", [("b", *"0.5", "L"), ("3", "%", "2")])
async def test_a_digit_behind_a_size_is_told_the_way_to_it(keys: tuple[str, ...]) -> None:
    """It was told only how the price opens, or that Esc drops the ticket; the size was meant."""
    async with desk(*SMALL) as at:
        at.app.main_screen.tables["positions"].select(f"{BTC}/LONG")
        await at.press(*keys, "3")
        assert "Backspace twice edits" in read_panel(at) and "Backspace continues" in read_panel(at), at.text()
        await at.press("backspace", "backspace", *"0.3")
        assert size_of(at) == "0.3", at.text()


async def test_digits_typed_after_tab_left_the_size_are_refused() -> None:
    async with desk(*SMALL) as at:
        await at.press("b", "1")
        assert "Tab keeps the size" in at.text().splitlines()[-1]
        await at.press("tab", *"120", "enter", "enter", "y", "tab", "enter")
        assert orders(at) == [] and size_of(at) == "1"
        assert (
            "the size is still 1 BTC: Backspace twice edits it, e opens the price" in at.flat_text()
            and "Enter sends" not in at.text()
        )


async def test_key_e_after_refused_digits_opens_the_price_field() -> None:
    async with desk(*SMALL) as at:
        await at.press("b", "1", "tab", "6", "e")
        panel = at.app.main_screen.panel
        assert panel.mode is Mode.FORM and panel.price_field.has_focus
        await at.press(*"63000", "enter", "y")
        assert orders(at) == [("1", "63000")]


@pytest.mark.parametrize("way", [("shift+tab",), ("tab", "backspace"), ("tab", "tab"), ("tab", "5", "backspace")])
async def test_digits_after_leaving_the_size_field_do_not_replace_it(way: tuple[str, ...]) -> None:
    async with desk(*SMALL) as at:
        await at.press("b", "1", *way, *"120", "enter", "y")
        assert all(size.startswith("1") and size != "120" for size, _ in orders(at))
        assert size_of(at) != "120"


async def test_a_size_reached_again_by_tab_needs_backspace_to_change() -> None:
    async with desk(*SMALL) as at:
        await at.press("b", "1", "tab", "tab", "2", "enter")
        assert orders(at) == [] and size_of(at) == "1" and "Backspace changes it" in at.text()
        await at.press("backspace", "2", "enter")
        assert [size for size, _ in orders(at)] == ["2"]


@pytest.mark.parametrize(
    ("keys", "size"), [(("5",), "5"), (("5", "tab"), "5"), (("tab",), "0.001"), (("tab", "5"), "5"), (("j", "x"), "")]
)
async def test_enter_sends_a_ticket_after_digits_or_tab_not_letters(keys: tuple[str, ...], size: str) -> None:
    async with desk(*SMALL) as at:
        await at.press("b", *keys, "enter")
        assert [sent for sent, _ in orders(at)] == ([size] if size else [])


async def test_a_digit_typed_on_a_resumed_ticket_is_refused() -> None:
    async with desk(160, 45) as at:
        await at.press("b", "2", "tab")
        at.app.main_screen.set_focus(at.app.main_screen.tables["quotes"])
        await at.settle()
        await at.press("b", "7", "enter")
        assert orders(at) == [] and size_of(at) == "2"


async def test_digits_after_the_last_form_field_do_not_change_the_size() -> None:
    async with desk(160, 45) as at:
        await at.press("b", "e", "2", "enter", *"63000", "enter")
        assert at.scope() is Scope.PREVIEW
        await at.press("1", "%", "enter", "y")
        assert orders(at) == [] and size_of(at) == "2"
        await at.press("backspace", "y")
        assert orders(at) == [("2", "63000")]


# A refused Tab


@pytest.mark.parametrize("key", ["tab", "enter"])
async def test_digits_after_a_refused_tab_are_not_added_to_the_size(key: str) -> None:
    async with desk(*SMALL) as at:
        await at.press("enter", "b", "tab", "tab", "tab", "$", "3", key, *"140", "enter", "y")
        field = at.app.main_screen.panel.size_field
        assert field.value == "$3" and orders(at) == [] and field.has_focus
        assert "Backspace" in at.text()
        await at.press("backspace", "9", "0", "0", "enter", "enter", "y")
        assert [size for size, _ in orders(at)] == ["0.014"]


async def test_arrow_up_rounds_a_refused_size_to_the_next_lot() -> None:
    async with desk() as at:
        await at.press("b", *"0.0015", "enter")
        assert at.scope() is Scope.FIELD and orders(at) == []
        await at.press("up", "enter")
        assert [size for size, _ in orders(at)] == ["0.002"]


# A refused Enter in a burst


@pytest.mark.parametrize("key", ["enter", "tab"])
async def test_a_burst_of_size_enter_and_price_keeps_size_and_blocks(key: str) -> None:
    """Price, Enter and size in one read, with the cursor in the size: neither figure may go where it is not meant."""
    async with desk(100, 30) as at:
        await at.press("enter", "b", "enter", "enter", "enter")
        await at.burst(*"0.02", key, *"60000")
        panel = at.app.main_screen.panel
        assert (panel.size_field.value, size_of(at)) == ("0.02", "0.02") and panel.size_field.has_focus
        name = "Enter" if key == "enter" else "Tab"
        assert (
            f"! {name} came in one burst with other keys: ignored." in at.text() and "Backspace continues" in at.text()
        )
        await at.press("7", key)
        assert panel.size_field.value == "0.02" and orders(at) == []
        await at.press("backspace", "enter")
        assert panel.price_field.has_focus and size_of(at) == "0.02"


@pytest.mark.parametrize("keys", [("b", "enter", "5"), ("b", "2", "enter", "+"), ("b", "enter", ".", "5")])
async def test_an_enter_with_keys_after_it_in_a_burst_blocks_a_ticket(keys: tuple[str, ...]) -> None:
    async with desk(100, 30) as at:
        await at.burst(*keys)
        panel = at.app.main_screen.panel
        assert panel.ticket is not None
        before = panel.ticket
        assert before.qty == ("2" if "2" in keys else "0.001") and before.price_mode is PriceMode.JOIN
        behind = keys[keys.index("enter") + 1]
        assert f"! Enter and {behind} came in one burst: ignored. Backspace continues" in at.text(), "both are named"
        await at.press("enter", "y", "7")
        assert orders(at) == [] and panel.ticket == before
        await at.press("backspace", "enter")
        assert [size for size, _ in orders(at)] == [before.qty]


@pytest.mark.parametrize(("keys", "then", "size"), [(["b"], ["1", "5"], "15"), (["b", "2"], ["right"] * 2, "2.002")])
@pytest.mark.parametrize("mode", [RiskMode.NORMAL, RiskMode.HALT])
async def test_a_burst_long_after_a_refused_enter_is_typed_normally(
    keys: list[str], then: list[str], size: str, mode: RiskMode
) -> None:
    """Keys rolled over long after it act as ever; in HALT the refusal stands as long as the ticket."""
    async with desk(100, 30) as at:
        at.port.set_desk(risk_mode=mode, risk_mode_reason="kill switch")
        await at.settle()
        await at.burst(*keys, "enter")
        panel = at.app.main_screen.panel
        at.clock.pass_by(5.0)
        assert panel.refusal
        await at.burst(*then)
        assert size_of(at) == size and not panel.blocked and "Backspace continues" not in at.text()


async def test_a_ticket_in_halt_mode_says_why_it_is_refused() -> None:
    said = "risk mode is HALT (kill switch); only orders that close a leg are taken; Ctrl+T resumes"
    async with desk(*SMALL) as at:
        at.port.set_desk(risk_mode=RiskMode.HALT, risk_mode_reason="kill switch")
        await at.settle()
        await at.burst("b", "enter")
        assert f"! {said}" in read_panel(at) and at.events()[-1] == said
        await at.press("y")
        assert at.events()[-1] == f"{said} (×2)" and "Enter sends this" not in at.text()
        await at.press("ctrl+t")
        assert at.scope() is Scope.WORD


@pytest.mark.parametrize("size", [SMALL, (120, 36)])
async def test_keys_refused_after_a_refused_letter_are_counted(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press("b", *"1,000")
        seen = [at.text()]
        for key in "yyy5":
            await at.press(key)
            seen.append(at.text())
        assert len(set(seen)) == len(seen) and "(×4)" in at.text()


# Keys of the price in the size


@pytest.mark.parametrize("size", ["5", "$500", ""])
async def test_price_step_keys_after_a_typed_size_change_the_price(size: str) -> None:
    async with desk(*SMALL) as at:
        await at.press("b", *size, "pagedown", "pagedown", "pagedown", "enter")
        [(_, price)] = orders(at)
        assert price == "63998.0"


@pytest.mark.parametrize("again", [(), ("tab", "tab")])
async def test_arrow_keys_after_a_typed_size_step_the_price(again: tuple[str, ...]) -> None:
    """`300 Down Down Down Enter` for a price three ticks lower sent 297."""
    async with desk(*SMALL) as at:
        await at.press("b", *"0.3", *again)
        assert "Up price" in at.text()
        await at.press("down", "down", "down")
        assert "Up price" in at.text()
        await at.press("enter")
        assert orders(at) == [("0.3", "64000.7")]


@pytest.mark.parametrize(
    ("typed", "key", "size"),
    [
        ("0,5", "up", "0.001"), ("0.0016", "up", "0.002"), ("0.0026", "down", "0.002"), ("0.0001", "up", "0.001"),
        ("999999", "down", "100000"), ("999999", "up", "100000"),
    ],
)  # fmt: skip
async def test_an_arrow_key_steps_a_refused_size_to_an_accepted_one(typed: str, key: str, size: str) -> None:
    """The foot promised a step of the price, which the key refuses; the step led to a size that was refused, too."""
    async with desk(*SMALL) as at:
        await at.press("b", *typed)
        assert "  Up " not in at.text(), "the size must be corrected before it steps the price"
        await at.press("enter")
        assert "Up/Down size" in at.text() and orders(at) == []
        await at.press(key)
        assert size_of(at) == size and not at.app.main_screen.panel.problems


@pytest.mark.parametrize("first", ["up", "down", "pageup", "tab"])
@pytest.mark.parametrize(
    ("typed", "key", "size"),
    [
        ("0.0001", "up", "0.001"), ("0.0001", "down", "0.001"), ("0.0016", "up", "0.002"), ("0.0016", "down", "0.001"),
        ("999999", "up", "100000"), ("999999", "down", "100000"),
    ],
)  # fmt: skip
async def test_an_arrow_key_after_a_refusal_corrects_the_size(typed: str, key: str, size: str, first: str) -> None:
    """The key that showed the refusal did nothing from then on; now it steps once it is pressed anew."""
    async with desk(*SMALL) as at:
        await at.press("b", *typed, first)
        price = at.app.main_screen.panel.ticket
        assert "Up/Down size" in at.text() and "Backspace continue" in at.text()
        await at.press(key)
        after = at.app.main_screen.panel.ticket
        assert size_of(at) == size and price is not None and after is not None and after.price == price.price
        assert not at.app.main_screen.panel.problems and not at.app.main_screen.panel.blocked


async def test_a_held_arrow_key_does_not_correct_a_refused_size() -> None:
    async with desk(*SMALL) as at:
        await at.press("b", *"0.0016")
        await at.hold("up", 1.0)
        assert at.app.main_screen.panel.size_field.value == "0.0016" and at.app.main_screen.panel.blocked


async def test_a_held_arrow_that_corrects_a_size_leaves_the_price() -> None:
    async with desk(*SMALL) as at:
        await at.press("b", *"0.0016", "enter")
        await at.hold("up", 1.0)
        ticket = at.app.main_screen.panel.ticket
        assert size_of(at) == "0.002" and ticket is not None and ticket.price_mode is PriceMode.JOIN


async def test_a_refused_replace_total_steps_to_above_the_filled_size() -> None:
    async with desk(*SMALL) as at:
        await at.press("2", "g", "j", "j", "e", "tab", *"2++", "up")
        assert size_of(at) == "0.101" and not at.app.main_screen.panel.problems


async def test_the_key_line_says_if_arrows_step_size_or_price() -> None:
    async with desk(*SMALL) as at:
        await at.press("b", "e", "2")
        assert "Up size" in at.text()
        await at.press("tab")
        assert "Up price" in at.text()
        await at.press("tab", "tab")
        assert "  Up " not in at.text()
        await at.press("escape", "escape", "3", "j", "j", "f")
        assert at.scope() is Scope.PREVIEW and "  Up " not in at.text()


async def test_price_step_keys_in_the_size_field_go_to_the_price_field() -> None:
    async with desk(160, 45) as at:
        await at.press("b", "e", "2", "pagedown")
        panel = at.app.main_screen.panel
        assert panel.price_field.has_focus and panel.price_field.value == "64000.0" and size_of(at) == "2"


async def test_page_down_without_a_price_to_step_blocks_enter() -> None:
    async with desk(160, 45) as at:
        await at.press("3", "j", "j", "f", "pagedown", "enter")
        assert orders(at) == [] and "a market order has no price" in at.text()
    async with desk(*SMALL) as at:
        await at.press("b", *"0.0005", "pagedown", "enter")
        assert orders(at) == [] and at.app.main_screen.panel.size_field.value == "0.0005"


async def test_arrow_keys_in_a_stop_field_do_not_change_the_size() -> None:
    async with desk(160, 45) as at:
        await at.press("b", "e", "2", "enter", "tab", "tab", "1", "%", "up")
        assert size_of(at) == "2" and "type the sl" in at.text()


async def test_a_digit_after_the_last_form_field_names_the_way_back() -> None:
    """`2r` for a target, typed where Enter had left target and stop out, was told to go to `the fields`."""
    async with desk(160, 45) as at:
        await at.press("b", "e", "2", "enter", "enter", "2", "r")
        assert "no field has the cursor (the size is still 2 BTC): Shift+Tab goes back to sl" in at.text()


# Digits on a choice


async def test_digits_after_choosing_a_side_are_the_size() -> None:
    async with desk(*SMALL) as at:
        await at.press("enter", "b", *".02")
        panel = at.app.main_screen.panel
        assert panel.size_field.has_focus and panel.size_field.value == ".02" and size_of(at) == "0.02"
        await at.press("enter", "enter", "y")
        assert [size for size, _ in orders(at)] == ["0.02"]


async def test_digits_on_a_choice_field_of_an_order_form_are_refused() -> None:
    async with desk(160, 45) as at:
        await at.press("enter", *"5")
        # The keys that it names are the only ones that are not refused until Backspace.
        assert "choose the side before the size: b or s. Backspace continues" in at.text()
        assert at.scope() is Scope.CHOOSER
        await at.press("backspace", "b", "tab", *"63000", "enter", "enter", "enter", "y")
        assert "type is a choice" in at.text() and orders(at) == [] and size_of(at) == "0.001"


# What the hints say


async def test_no_hint_says_that_enter_sends_while_the_size_is_refused() -> None:
    async with desk(*SMALL) as at:
        await at.press("b", *"16k")
        text = at.text()
        assert "Enter sends" not in text and "Enter send" not in text, text


async def test_clicking_the_enter_hint_in_a_size_field_sends_nothing() -> None:
    async with desk() as at:
        await at.press("b", "5")
        lines = at.text().split("\n")
        row = lines[-1]
        await at.click(row.index("Enter"), len(lines) - 1)
        assert orders(at) == []
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and ticket.price_mode is PriceMode.JOIN


# Esc in a field of the form


@pytest.mark.parametrize("keys", [("6",), (*"61234.05", "enter")])
async def test_esc_in_a_typed_price_makes_it_follow_the_market_again(keys: tuple[str, ...]) -> None:
    async with desk(*SMALL) as at:
        await at.press("b", "e")
        panel = at.app.main_screen.panel
        assert panel.ticket is not None
        at.app.main_screen.set_focus(panel.price_field)
        await at.press("backspace", *keys)
        await at.settle()
        sym = panel.ticket.sym
        at.port.quote(sym, "58000", "58000.1")
        await at.settle()
        assert panel.price_field.value == "".join(key for key in keys if key != "enter"), "what is typed stays"
        await at.press("escape")
        assert panel.price_field.value == "58000.0"
        assert panel.ticket.price_mode is PriceMode.JOIN and "would take" not in at.text()


async def test_esc_in_the_size_of_a_close_restores_the_whole_position() -> None:
    async with desk(160, 45) as at:
        await at.press("3", "f", "e")
        panel = at.app.main_screen.panel
        assert panel.ticket is not None
        before = panel.ticket
        at.app.main_screen.set_focus(panel.size_field)
        await at.press("backspace", "5", "escape")
        ticket = at.ticket()
        assert (ticket.chosen, ticket.qty, ticket.part, ticket.share) == (
            before.chosen,
            before.qty,
            before.part,
            before.share,
        )


@pytest.mark.parametrize("edit", ["backspace", "ctrl+u"])
async def test_a_quote_does_not_clear_a_letter_refused_in_a_price(edit: str) -> None:
    """The next quote took the refusal for settled: digits went into the price, and the edit that continues emptied it."""
    async with desk() as at:
        await at.press("1", "g", "j", "enter", "b", "enter", "enter", "enter", "5", "enter")
        panel = at.app.main_screen.panel
        price = panel.price_field
        assert price.has_focus
        await at.press("y")
        assert panel.refused_key.startswith("'y' isn't valid here")
        at.port.quote(BTC, "64021.0", "64021.2")
        at.clock.pass_by(1.0)
        await at.settle()
        followed = price.value
        assert followed.startswith("64021")
        await at.press("7")
        assert price.value == followed
        await at.press(edit)
        assert panel.refused_key == "" and price.value == (followed if edit == "backspace" else "")


async def test_a_ticket_with_an_unreadable_price_shows_no_value() -> None:
    """`0,5` in the price: beside `needs a price` the ticket valued the order at the best price."""
    async with desk(80, 24) as at:
        await at.press("1", "g", "j", "enter", "b", "enter", "enter", "enter", "enter")
        assert "= 64.00 USDT" in at.text()
        await at.press("ctrl+u", *"0,5")
        assert "needs a price" in at.text() and "64.00" not in at.text() and "0.001 BTC = – USDT" in at.text()


@pytest.mark.parametrize(("figure", "refused", "stops"), [("1", "e3", "Enter send"), ("91", "k3", "Enter check")])
@pytest.mark.drawn
async def test_the_key_line_names_backspace_while_a_size_is_refused(figure: str, refused: str, stops: str) -> None:
    """The box said `Backspace continues`, and the last line `Enter check` until a price moved."""
    async with desk(*SMALL, terminal=EmulatedTerminal) as at:

        async def type_in(*keys: str) -> str:
            for key in keys:
                await at.press(key)
            await painted(at)
            return str(list(terminal_of(at).screen.display)[-1])

        assert stops in await type_in("b", *figure)
        line = await type_in(*refused.replace("k", "x"))
        assert "Backspace continue" in line and stops not in line
        line = await type_in("backspace")
        assert "Backspace continue" not in line and stops in line


async def test_a_size_typed_before_the_side_asks_for_the_side_first() -> None:
    """`b or s` was named, and `b` was refused like every other key."""
    async with desk(*SMALL) as at:
        await at.press("1", "enter", "1", "enter")
        assert "choose the side before the size: b or s" in at.text()
        await at.press("b")
        panel = at.app.main_screen.panel
        assert panel.ticket is not None and panel.ticket.sided and not panel.blocked and orders(at) == []
        await at.press("escape", "enter", "p")
        assert at.events()[-1] == "p (stop) works in Quotes or Positions, not in a ticket: Esc drops it"


async def test_ctrl_t_opens_the_risk_modes_from_the_size_field() -> None:
    """The ticket named it as the way out of HALT, and it did nothing; the typed word went into the size."""
    async with desk() as at:
        await at.press("b", *".01")
        at.port.set_risk_mode(RiskMode.HALT)
        await at.settle()
        assert at.scope() is Scope.FIELD and "Ctrl+T resumes" in at.flat_text(), at.text()
        await at.press("ctrl+t")
        assert at.scope() is Scope.WORD, at.text()
        await at.press("escape")
        assert at.ticket().qty == "0.01" and at.port.intents == []
