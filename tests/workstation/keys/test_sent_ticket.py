"""Keys in a ticket that is on its way: each says that it does nothing, and why."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.tickets.ticket_desk import BTC, read_panel
from tui.engine.intents import Outcome, Verdict
from tui.engine.rows import Table
from tui.workstation.input.scopes import Scope

SAID = "does nothing: the order was sent and its answer has not come yet; Esc closes the ticket"


async def send_unanswered(at: Desk, *keys: str) -> None:
    at.port.hold = True
    await at.press(*keys, "enter")
    assert at.app.main_screen.panel.sending and len(at.port.intents) == 1


async def test_a_key_in_a_sent_ticket_says_that_it_does_nothing() -> None:
    async with desk() as at:
        await send_unanswered(at, "b")
        before = at.ticket()
        for key in ("2", ".", "right", "up", "*", "J", "p", "r", "t", "=", "e", "y", "enter", "s", "backspace", "+"):
            await at.press(key)
            assert at.events()[-1].lower().startswith(f"{key} {SAID}".lower())
            assert at.app.main_screen.panel.sending and at.ticket() == before and len(at.port.intents) == 1, key


async def test_keys_and_pastes_in_a_sent_ticket_do_not_change_its_size() -> None:
    async with desk() as at:
        await send_unanswered(at, "b", *"0.002")
        field = at.app.main_screen.panel.size_field
        assert field.has_focus
        for key in ("7", "backspace", "ctrl+u", "up"):
            await at.press(key)
            assert at.events()[-1].lower().startswith(key) and SAID in at.events()[-1], key
            assert field.value == "0.002" == at.ticket().qty, key
        at.paste("7")
        await at.settle()
        assert at.events()[-1].startswith(f"The pasted text {SAID}") and field.value == "0.002"


async def test_escape_in_a_field_of_a_sent_ticket_closes_it() -> None:
    async with desk() as at:
        await send_unanswered(at, "b", *"0.002")
        await at.press("escape")
        assert not at.app.main_screen.panel.open
        assert "its order was sent, the reply will be shown here" in at.events()[-1]


async def test_a_key_on_a_sent_replace_says_that_it_was_sent() -> None:
    async with desk() as at:
        await at.press("2")
        at.app.main_screen.tables["orders"].select("o3")
        await at.press("+")
        await send_unanswered(at)
        await at.press("up")
        assert "does nothing: the replace was sent" in at.events()[-1]


async def test_after_a_denial_of_the_gate_a_ticket_takes_keys_again() -> None:
    async with desk() as at:
        await send_unanswered(at, "b")
        await at.press("2")
        at.port.answer(Outcome(verdict=Verdict.DENIED, guard="BAND", text="too far"))
        await at.settle()
        await at.press(*"0.003")
        assert at.ticket().qty == "0.003" and at.ticket().sym == BTC


@pytest.mark.parametrize(("size", "before"), [((80, 24), ""), ((120, 36), "63,998.0")])
async def test_the_orders_list_marks_a_staged_and_a_sent_replace_apart(size: tuple[int, int], before: str) -> None:
    async with desk(*size) as at:
        at.port.hold = True
        await at.press("2", "j", "j", "+")
        assert f"{before}?63,998.1" in at.text()
        await at.press("enter")
        assert f"{before}→63,998.1" in at.text() and "?63,998.1" not in at.text()
        at.port.answer(Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text="over the soft limit"))
        await at.settle()
        assert f"{before}?63,998.1" in at.text(), "what is asked about was not sent"
        await at.press("escape", "escape")
        assert "63,998.1" not in at.text()


CLOSED = "the ticket is closed; its order was sent, the reply will be shown here"


async def send_line(at: Desk) -> None:
    await at.press(":")
    await at.type("buy 0.011 BTC take")
    await send_unanswered(at)


async def test_escape_after_a_sent_command_says_that_it_was_sent() -> None:
    async with desk() as at:
        await send_line(at)
        await at.press("escape")
        assert "sending…" in at.text() and "PAUSED" not in at.text() and "drops" not in at.text()
        await at.press("escape")
        assert at.events()[-1] == CLOSED and not at.app.main_screen.panel.open
        assert not any("nothing was sent" in text for text in at.events())


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_after_a_sent_command_the_key_x_opens_the_kill_prompt(size: tuple[int, int]) -> None:
    """`X` was text of the line, and the line of keys named no kill at 80 columns."""
    async with desk(*size) as at:
        await send_line(at)
        assert "X kill" in at.text().splitlines()[-1] and "carry out" not in at.text().splitlines()[-1]
        await at.press("X")
        assert at.scope() is Scope.KILL
        await at.press("escape")
        await at.press("ctrl+u", *"buy 1 X")
        assert at.scope() is Scope.LINE and at.app.main_screen.line_field.value == "buy 1 X"
        assert "Ctrl+G kill" in at.text().splitlines()[-1]


@pytest.mark.parametrize(("keys", "kill"), [(("b",), "X kill"), (("b", *"0.002"), "Ctrl+G kill")])
async def test_the_line_of_keys_of_a_sent_ticket_names_the_kill_key(keys: tuple[str, ...], kill: str) -> None:
    async with desk(80, 24) as at:
        await send_unanswered(at, *keys)
        bar = at.text().splitlines()[-1]
        assert kill in bar and "Esc " in bar and "send" not in bar


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (("1", "s"), CLOSED),
        ((":",), CLOSED),
        (("f6", "escape", "escape"), CLOSED),
        (("1", "b"), "was sent; its answer has not come yet"),
    ],
)
async def test_keys_pressed_on_a_sent_ticket_never_call_it_unsent(keys: tuple[str, ...], said: str) -> None:
    async with desk() as at:
        await send_line(at)
        await at.press("escape", *keys)
        assert any(said in text for text in at.events()), at.events()
        assert not any("nothing was sent" in text or "resumed" in text for text in at.events())
        assert len(at.port.intents) == 1


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_a_line_typed_after_a_sent_order_says_it_was_sent(size: tuple[int, int]) -> None:
    """Its ticket made room for the next one without a word."""
    async with desk(*size) as at:
        await send_line(at)
        await at.press("ctrl+u", *"buy 0.02 BTC join")
        assert "its order was sent" in at.text() and at.events()[-1] == CLOSED
        assert at.scope() is Scope.LINE and at.ticket().qty == "0.02"
        at.port.answer(Outcome(verdict=Verdict.REJECTED, code=401917, text="401917 too far"))
        await at.settle()
        assert "rejected: 401917 too far" in at.events()[-1] and at.ticket().qty == "0.02"
        assert len(at.port.intents) == 1


async def test_enter_on_a_sent_line_says_that_it_was_sent() -> None:
    async with desk() as at:
        await send_line(at)
        at.clock.pass_by(1.0)
        await at.press("enter")
        assert at.events()[-1].lower() == f"enter {SAID}".lower() and len(at.port.intents) == 1


@pytest.mark.parametrize("keys", [("b",), (*":buy 0.011 BTC take",)])
async def test_a_kill_closes_a_sent_ticket_and_says_that_it_was_sent(keys: tuple[str, ...]) -> None:
    async with desk() as at:
        await send_unanswered(at, *keys)
        await at.press("ctrl+g")
        at.clock.pass_by(0.3)
        await at.press("enter")
        assert CLOSED in at.text() and not any("nothing was sent" in text for text in at.events())


async def test_escape_in_a_list_closes_a_sent_replace_as_sent() -> None:
    async with desk() as at:
        await at.press("2")
        at.app.main_screen.tables["orders"].select("o3")
        await at.press("+")
        await send_unanswered(at)
        at.app.main_screen.focus_list()
        await at.press("escape")
        assert at.events()[-1] == CLOSED.replace("order", "replace")


async def test_a_dropped_rejected_ticket_says_that_it_was_sent() -> None:
    async with desk() as at:
        await send_line(at)
        await at.press("escape")
        at.port.answer(Outcome(verdict=Verdict.REJECTED, text="no margin"))
        await at.settle()
        assert "PAUSED" in at.text()
        await at.press("escape")
        dropped = "paused ticket BUY 0.011 BINANCE BTC perp dropped; the ticket's order was sent and rejected"
        assert at.events()[-1] == dropped


async def test_a_dropped_denied_ticket_says_that_it_was_not_sent() -> None:
    async with desk() as at:
        await send_line(at)
        await at.press("escape")
        at.port.answer(Outcome(verdict=Verdict.DENIED, guard="BAND", text="too far"))
        await at.settle()
        await at.press("escape")
        assert at.events()[-1] == "paused ticket BUY 0.011 BINANCE BTC perp dropped; nothing was sent"


@pytest.mark.parametrize(
    ("size", "key"), [((40, 12), "b"), ((60, 20), "s"), ((80, 24), "b"), ((120, 36), "s"), ((160, 45), "b")]
)
@pytest.mark.parametrize("form", [False, True])
async def test_the_preview_of_a_sent_ticket_does_not_follow_the_market(
    size: tuple[int, int], key: str, form: bool
) -> None:
    async with desk(*size) as at:
        at.port.hold = True
        await at.press(key, *(("e", "escape", "t", "t") if form else ("t",)))
        await at.press("enter" if at.app.main_screen.panel.send_key == "enter" else "y")
        assert at.app.main_screen.panel.sending and len(at.port.intents) == 1
        before = read_panel(at)
        at.port.order("sent", BTC, "BUY", "64001.2", "0.001", state="UNKNOWN")
        for bid, ask in (("64101.0", "64101.2"), ("63901.0", "63901.2")):
            at.port.quote(BTC, bid, ask, "2.1", "0.9", bid)
            await at.settle()
            assert read_panel(at) == before


@pytest.mark.parametrize("size", [(60, 20), (120, 36)])
async def test_a_sent_replace_keeps_the_preview_it_was_sent_with(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press("2")
        at.app.main_screen.tables["orders"].select("o3")
        await at.press("+")
        await send_unanswered(at)
        before = read_panel(at)
        at.port.quote(BTC, "63901.0", "63901.2", "2.1", "0.9", "63901.0")
        await at.settle()
        assert read_panel(at) == before


async def test_a_sent_close_ticket_does_not_change_with_its_own_fill() -> None:
    async with desk() as at:
        await at.press("3")
        at.app.main_screen.tables["positions"].select(f"{BTC}/LONG")
        at.clock.pass_by(1.0)
        await send_unanswered(at, "f")
        before, leg = read_panel(at), at.app.mirror.positions[f"{BTC}/LONG"]
        left = msgspec.structs.replace(leg.record, position_qty="0.5")
        at.port.put(Table.POSITIONS, f"{BTC}/LONG", msgspec.structs.replace(leg, record=left))
        await at.settle()
        assert at.app.mirror.positions[f"{BTC}/LONG"].record.position_qty == "0.5" and read_panel(at) == before


async def send_line_unanswered(at: Desk) -> None:
    at.port.hold = True
    await at.press(":", *"buy 0.001 BTC join")
    at.clock.pass_by(1.0)
    await at.press("enter")
    assert at.app.main_screen.panel.sending and at.scope() is Scope.LINE


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_a_bad_command_typed_after_a_sent_one_shows_its_refusal(size: tuple[int, int]) -> None:
    """The sentence about what is typed stood behind the ticket that waits for its answer."""
    async with desk(*size) as at:
        await send_line_unanswered(at)
        await at.press("ctrl+u", *"scale buy 0.002 BTC 5 from 63000 to 62000")
        assert "gives one of them less than a lot" in read_panel(at)
        assert any("its order was sent, the reply will be shown here" in text for text in at.events())


async def test_a_sent_command_without_answer_takes_only_the_kill_key() -> None:
    """`y`, Backspace and Enter behind a lost answer sent the same order again, at the price of then."""
    async with desk(80, 24) as at:
        await send_line_unanswered(at)
        for key in ("y", "backspace", "enter", "2", "backspace", "backspace", "enter"):
            at.clock.pass_by(1.0)
            await at.press(key)
            assert "was sent and its answer has not come yet" in at.events()[-1], key
        at.paste("0.002")
        await at.settle()
        assert at.app.main_screen.line_field.value == "buy 0.001 BTC join" and len(at.port.intents) == 1
        await at.press("X")
        assert at.scope() is Scope.KILL


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Outcome(verdict=Verdict.ACCEPTED), ""),
        (Outcome(verdict=Verdict.DENIED, guard="BAND", text="too far"), "too far"),
        (
            Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text="over the soft limit"),
            "not sent, confirmation needed",
        ),
    ],
)
async def test_an_answer_to_a_sent_command_leaves_the_next_one_open(answer: Outcome, told: str) -> None:
    """It closed the line: `uy` of `buy` went to the lists, where `u` cancels, or into the question, where `y` sends."""
    async with desk() as at:
        await send_line_unanswered(at)
        await at.press("ctrl+u", "b")
        at.port.answer(answer)
        await at.settle()
        at.clock.pass_by(1.0)
        await at.press(*"uy 1")
        assert at.scope() is Scope.LINE and at.app.main_screen.line_field.value == "buy 1"
        assert len(at.port.intents) == 1 and any(told in text for text in at.events())


async def test_escape_leaves_the_ticket_of_a_sent_command_open() -> None:
    async with desk() as at:
        await send_line_unanswered(at)
        await at.press("escape")
        assert at.app.main_screen.panel.sending and "sending" in read_panel(at)


@pytest.mark.parametrize(
    ("state", "average", "said"),
    [("OPEN", "0", "OPEN at the venue"), ("FILLED", "64001.2", "FILLED at 64,001.2 at the")],
)
async def test_a_sent_ticket_says_what_became_of_its_order(state: str, average: str, said: str) -> None:
    """It went on saying `sending…` beside its filled order, until the late answer came."""
    async with desk() as at:
        at.port.order("before", BTC, "BUY", "64001.2", "0.002", state="OPEN")
        await at.settle()
        await send_unanswered(at, "b", *"0.002")
        at.port.order("before", BTC, "BUY", "64001.2", "0.002", state="FILLED", final=True)
        await at.settle()
        assert "sending…" in at.panel_text(), "an equal order from before is another one"
        at.port.order("sent", BTC, "BUY", "64001.2", "0.002", state=state, final=state == "FILLED", average=average)
        await at.settle()
        assert said in at.flat_text() and "sending…" not in at.panel_text(), at.panel_text()


@pytest.mark.parametrize("others", [{"peer": "desk 2"}, {"external": True}])
async def test_a_sent_ticket_does_not_take_another_order_for_its_own(others: dict[str, object]) -> None:
    async with desk() as at:
        await send_unanswered(at, "b", *"0.002")
        at.port.order("other", BTC, "BUY", "64001.2", "0.002", state="FILLED", final=True, **others)
        await at.settle()
        assert "sending…" in at.panel_text()


async def test_of_two_equal_new_orders_a_ticket_calls_none_its_own() -> None:
    async with desk() as at:
        await send_unanswered(at, "b", *"0.002")
        for name in ("new1", "new2"):
            at.port.order(name, BTC, "BUY", "64001.2", "0.002", state="FILLED", final=True)
        await at.settle()
        assert "sending…" in at.panel_text()
