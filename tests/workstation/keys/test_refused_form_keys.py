"""Keys that a form refuses: what is typed behind them goes nowhere, and the hints say what a key does now."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.algo_rows import LEG
from tests.workstation.driver import Desk, desk
from tests.workstation.tickets.test_transfer_form import at_coin, words
from tui.engine.intents import PlaceAlgo
from tui.engine.rows import Fact, Table
from tui.workstation.input.input_order import key_time
from tui.workstation.input.scopes import Scope

EDX = "EDX_PERP_BTC_USDT"
EDX_LEG = f"{EDX}/LONG"


def last_line(at: Desk) -> list[str]:
    """The keys that the lowest line offers."""
    return [f"{hint.key} {hint.title}" for hint in at.app._hints()]


async def open_transfer(at: Desk) -> None:
    await at.press("4", "t")
    assert at.scope() is Scope.FORM


async def test_digits_on_a_choice_of_a_transfer_form_are_refused() -> None:
    async with desk(160, 45) as at:
        await open_transfer(at)
        await at.press(*"100", "enter", "enter", "enter", "tab", "y")
        assert "to is a choice: Left and Right change it, Down goes on" in at.text()
        assert at.form().field is not None and at.form().values.get("amount", "") == ""
        assert at.sent_commands() == []
        await at.press("backspace", "tab", *"100")
        assert at.form().values["amount"] == "100"


@pytest.mark.parametrize("way", ["backspace", "up"])
async def test_digits_after_a_refused_enter_in_a_form_are_refused(way: str) -> None:
    async with desk(160, 45) as at:
        await at.select_leg()
        await at.press("p", *"70000", "enter", "1", "enter", "tab", "y")
        body = at.form()
        assert body.values["stop"] == "70000" and at.port.intents == []
        assert "Backspace continues" in at.text()
        await at.press(way)
        assert not body.refused_key


def below(at: Desk, line: str) -> str:
    """The text of the form under a line of it, on one line."""
    rows = [row.split("│")[-2].strip() for row in at.text().split("\n") if row.count("│") > 1]
    start = next(count for count, row in enumerate(rows) if row.startswith(line))
    return " ".join(rows[start + 1 : start + 4])


@pytest.mark.parametrize("figure", ["0.1000", "63000", "63000.0000000"])
async def test_digits_after_an_enter_in_a_burst_do_not_extend_a_value(figure: str) -> None:
    """As over a slow network, all of it in one read; a long burst is refused with other words of its own."""
    async with desk(80, 24) as at:
        await at.select_leg()
        await at.press("p")
        await at.burst(*figure, "enter", *"1000")
        assert at.form().values["stop"] == figure
        assert below(at, "▸ stop").startswith("Enter came in one burst with other keys: ignored. Backspace continues")
        await at.press("5", "y", "tab")
        assert at.form().values["stop"] == figure
        await at.press("backspace", "5")
        assert at.form().values["stop"] == f"{figure}5", "nothing that was typed is lost"


async def test_a_late_enter_in_a_form_refuses_the_digits_after_it() -> None:
    async with desk(120, 36) as at:
        await at.select_leg()
        await at.press("p", *"63000")
        at._send("enter", key_time() - 60)
        await at.settle()
        await at.press("1")
        assert at.form().values["stop"] == "63000" and "ms old: ignored. Backspace continues" in at.text()


async def test_after_a_burst_on_a_form_choice_only_backspace_goes_on() -> None:
    async with desk(100, 30) as at:
        await at.select_leg()
        await at.press("p", "up")
        await at.burst(*"12", "enter")
        assert "press it again" not in at.text()
        await at.press("enter")
        assert "▸ kind" in at.text() and "Backspace continues" in at.text()
        await at.press("backspace", "enter")
        assert "▸ stop" in at.text()


@pytest.mark.parametrize("figure", ["61,000", "65000", ".5%%"])
async def test_each_key_pressed_on_a_refused_stop_trigger_is_counted(figure: str) -> None:
    async with desk(80, 24) as at:
        await at.select_leg()
        await at.press("p", *figure, "enter")
        seen = [at.text()]
        for key in ("enter", "y", "enter"):
            await at.press(key)
            seen.append(at.text())
        assert len(set(seen)) == len(seen) and at.events()[-1] == "stop is refused (×4)"


async def test_each_enter_on_an_invalid_form_text_is_counted() -> None:
    async with desk(100, 30) as at:
        await at.select_leg()
        await at.press("p", *"abc", "enter", "enter")
        assert at.events()[-1] == "Enter refused: the form says why (×2)"


async def test_digits_on_the_send_line_of_a_form_are_refused() -> None:
    async with desk(160, 45) as at:
        await at.select_leg()
        await at.press("p", "1", "%", "enter", "enter")
        assert at.scope() is Scope.FORM_END and "y send" in last_line(at) and "Enter send" not in last_line(at)
        await at.press("5", "y")
        assert at.port.intents == [] and "No field has the cursor" in at.text()
        await at.press("backspace", "y")
        assert [type(intent) for intent in at.port.intents] == [PlaceAlgo]


async def test_pressing_enter_through_a_form_does_not_send_the_form() -> None:
    async with desk(160, 45) as at:
        await at.select_leg()
        await at.press("p", "1", "%", "enter", "enter", "enter")
        assert at.port.intents == [] and at.events()[-1].endswith("Enter sends no form: y sends it")
        await at.press("y")
        assert len(at.port.intents) == 1


async def test_a_form_that_ends_in_a_question_says_that_y_asks_first() -> None:
    async with desk(160, 45) as at:
        await at_coin(at)
        await at.press("tab", *"100")
        assert "go to this line; y asks first, then y sends it" in words(at)
        while at.scope() is Scope.FORM:
            await at.press("tab")
        assert "y ask" in last_line(at) and "y send" not in last_line(at)


async def test_footer_offers_the_right_arrow_only_on_a_choice() -> None:
    async with desk(160, 45) as at:
        await at.select_leg()
        await at.press("p")
        field = at.form().field
        assert field is not None and field.name == "stop" and "Right change" not in last_line(at)
        await at.press("up")
        assert "Right change" in last_line(at)


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_digits_typed_for_a_refused_stop_form_go_to_no_pane(size: tuple[int, int]) -> None:
    """`p` on a position at EDX and `1%`: the 1 went to the quotes."""
    async with desk(*size) as at:
        leg = at.app.mirror.positions[LEG]
        at.port.put(Table.POSITIONS, EDX_LEG, Fact(msgspec.structs.replace(leg.record, sym=EDX), leg.stamp))
        await at.settle()
        await at.select_leg()
        assert "p stop" in at.text().split("\n")[-1]
        await at.select_leg(EDX_LEG)
        assert "p stop" not in at.text().split("\n")[-1], "where none can be placed, the line of keys names none"
        await at.type("p1%", every=0.3)
        assert "EDX takes stops and targets only with an order; i alert, o exit" in at.events()[-3]
        assert at.scope() is Scope.POSITIONS and "was typed for a ticket or form that did not open" in at.events()[-1]
        await at.press("1")
        assert at.scope() is Scope.QUOTES, "after a pause it is the key of a pane"


def clip(at: Desk) -> None:
    """Let an order close more than the position."""
    at.port.order("closes", "BINANCE_PERP_BTC_USDT", "SELL", "65000", "4", time_in_force="GTC", position_side="LONG")


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_enter_after_a_refused_partial_close_keeps_the_reason(size: tuple[int, int]) -> None:
    """`%` `2` and the Enter meant for the ticket opened the card of the position, and the reason was gone."""
    async with desk(*size) as at:
        clip(at)
        await at.settle()
        await at.select_leg()
        await at.press("%", "2")
        said = "working orders close all of it: cancel them first (2, then c):"
        assert said in at.text(), at.text()
        await at.press("enter")
        assert at.scope() is Scope.POSITIONS and said in at.text(), "the reason stays"
        assert at.events()[-1].startswith(said) and at.events()[-1].endswith("(×2)")
        await at.press("j", "k", "enter")
        assert at.scope() is not Scope.POSITIONS, "behind another key Enter opens the card again"


async def test_enter_after_key_b_was_refused_in_view_opens_no_form() -> None:
    async with desk(80, 24, armed=False) as at:
        await at.press("1", "g", "j", "b")
        said = at.events()[-1]
        await at.press("enter")
        assert not at.app.main_screen.panel.open and at.events()[-1] == f"{said} (×2)"
        await at.press("2")
        assert at.scope() is Scope.ORDERS
