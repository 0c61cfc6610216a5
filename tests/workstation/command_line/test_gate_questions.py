"""Questions of the gate in lines of several requests: named before the answer, asked again when they come later."""

from __future__ import annotations

import pytest

from tests.workstation.command_line.test_asked_market import shown
from tests.workstation.driver import Desk, desk
from tests.workstation.keys.test_command_line import answer, enter, placed, said
from tests.workstation.tickets.preview.test_together import be_one_way
from tests.workstation.tickets.ticket_desk import BTC, type_in
from tui.engine.intents import Outcome, PlaceAlgo, Replace, Verdict
from tui.engine.modes import TradingState
from tui.engine.rows import Table
from tui.engine.status_rows import LinkRow, LinkState
from tui.interface.families.algo import Condition
from tui.interface.families.orders import Side
from tui.workstation.command_line.requests import Request, build_command
from tui.workstation.input.scopes import Scope
from tui.workstation.tickets.order import ticket_factory

ACCEPTED = Outcome(verdict=Verdict.ACCEPTED, key="new")
SCALE = "scale long 0.3 BTC 3 from 63000 to 62000"
FIRST = Outcome(verdict=Verdict.ASK, guard="FIRST_OF_DAY", text="first BINANCE BTC perp order today")
SOFT = Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text="37,533 over the soft limit 25,000")


def confirmed(at: Desk) -> list[frozenset[str]]:
    """What the orders that were handed over carry as confirmed."""
    return [intent.confirmed for intent in at.sent_orders()]


async def test_one_y_answers_the_gate_questions_of_all_steps_of_a_line() -> None:
    async with desk() as at:
        at.port.rest()
        at.port.foreseen, at.port.outcomes = [FIRST, FIRST, ACCEPTED], [ACCEPTED] * 3
        await enter(at, SCALE, "enter")
        assert "first BINANCE BTC perp order today (steps 1, 2)" in " ".join(at.text().split()).replace("│ │", "")
        await answer(at, "y")
        assert confirmed(at) == [frozenset(["FIRST_OF_DAY"]), frozenset(["FIRST_OF_DAY"]), frozenset()]


async def test_a_new_gate_question_midway_stops_a_line_until_y() -> None:
    async with desk() as at:
        at.port.rest()
        at.port.outcomes = [ACCEPTED, SOFT, ACCEPTED, ACCEPTED]
        await enter(at, SCALE, "enter")
        await answer(at, "y")
        assert at.scope() is Scope.PROMPT and "Step 2 of 3 asks" in at.text() and SOFT.text in at.text()
        assert [price for _, _, price in placed(at)] == ["63000.0", "62500.0"]
        await answer(at, "y")
        assert [price for _, _, price in placed(at)] == ["63000.0", "62500.0", "62500.0", "62000.0"]
        assert confirmed(at)[2:] == [frozenset(["SOFT_NOTIONAL"]), frozenset()]
        assert any("all 3 steps done" in event for event in at.events())


async def test_a_gate_question_midway_in_a_line_covers_later_steps() -> None:
    async with desk() as at:
        at.port.rest()
        at.port.outcomes = [FIRST, ACCEPTED, ACCEPTED, ACCEPTED]
        await enter(at, SCALE, "enter")
        at.port.foreseen = [SOFT, ACCEPTED]
        await answer(at, "y")
        assert "first BINANCE BTC perp order today" in at.text() and "37,533 over the soft limit" in at.text()
        await answer(at, "y")
        assert confirmed(at)[1:] == [frozenset(["FIRST_OF_DAY"]), frozenset(["SOFT_NOTIONAL"]), frozenset()]


async def test_a_declined_question_at_a_step_ends_the_line_and_says_so() -> None:
    async with desk() as at:
        at.port.outcomes = [FIRST]
        await enter(at, SCALE, "enter")
        await answer(at, "y")
        await answer(at, "escape")
        assert len(placed(at)) == 1
        assert any("2 others not sent: step 1 of 3: not confirmed: first BINANCE" in event for event in at.events())


async def test_a_held_or_early_y_does_not_answer_the_second_question() -> None:
    async with desk() as at:
        at.port.outcomes = [FIRST]
        await enter(at, SCALE, "enter")
        at.clock.pass_by(1.0)
        await at.burst("y", "y", "y")
        await at.settle()
        assert len(placed(at)) <= 1


async def test_reverse_asks_again_if_its_order_exceeds_the_soft_limit() -> None:
    async with desk() as at:
        at.port.outcomes = [SOFT, ACCEPTED]
        await at.press("3", "g", "r")
        await answer(at, "y")
        assert at.scope() is Scope.PROMPT and SOFT.text in at.text()
        await answer(at, "y")
        assert confirmed(at)[:2] == [frozenset(), frozenset(["SOFT_NOTIONAL"])]


async def test_a_line_question_says_which_step_the_gate_would_refuse() -> None:
    async with desk() as at:
        refused = Outcome(verdict=Verdict.DENIED, guard="NOTIONAL", text="190,000 over the 100,000 limit")
        at.port.foreseen = [ACCEPTED, refused, ACCEPTED]
        await enter(at, SCALE, "enter")
        assert "step 2 would be refused now: 190,000 over the 100,000 limit" in at.text()


@pytest.mark.parametrize("size", [(160, 45), (80, 24)])
async def test_a_line_question_says_which_steps_the_venue_would_refuse(size: tuple[int, int]) -> None:
    """An order alone was asked about with it; several were sent, and the second was rejected."""
    async with desk(*size) as at:
        at.port.rest()
        at.port.outcomes = [ACCEPTED] * 3
        await enter(at, "buy 0.01 BTC at 63000 po ; buy 0.01 BTC at 64002 po ; buy 0.01 BTC at 64003 po", "enter")
        text = " ".join(at.text().replace("│", " ").split())
        assert "steps 2, 3 would be refused by the venue now: a post-only order would take: the ask is" in text
        await answer(at, "y")
        assert len(placed(at)) == 3, "the venue has the last word"


async def test_a_line_question_asked_again_names_new_venue_refusals() -> None:
    async with desk(160, 45) as at:
        await enter(at, "scale long 0.3 BTC 3 from 63000 to 62000 po", "enter")
        assert "by the venue" not in at.text()
        at.port.quote(BTC, "61000.0", "61000.2")
        await answer(at, "y")
        assert at.scope() is Scope.PROMPT and placed(at) == []
        assert "steps 1, 2, 3 would be refused by the venue now: " in at.text()


@pytest.mark.parametrize(("verdict", "word"), [(Verdict.DENIED, "not sent"), (Verdict.REJECTED, "rejected")])
async def test_the_event_of_a_refused_stop_begins_with_the_reason(verdict: Verdict, word: str) -> None:
    async with desk(80, 24) as at:
        at.port.outcomes = [Outcome(verdict=verdict, text="stop 63,900.0 would trigger immediately")]
        await at.press("3", "g")
        await enter(at, "be here", "enter")
        await answer(at, "y")
        assert f"!! {word}: stop 63,900.0 would trigger immediately" in at.text()
        assert any("immediately; new stop of" in event or "immediately; move" in event for event in at.events())


async def test_a_key_pressed_while_a_scale_is_sent_does_not_stop_it() -> None:
    async with desk() as at:
        at.port.rest()
        at.port.hold = True
        await enter(at, SCALE, "enter")
        await answer(at, "y")
        await at.press("j")
        at.port.answer(ACCEPTED)
        await at.settle()
        assert len(placed(at)) == 2


async def test_a_long_scale_reports_progress_and_what_was_not_sent() -> None:
    """Nothing was said while it was sent, and of a refusal in the middle only what was not sent."""
    async with desk(160, 45) as at:
        at.port.rest()
        at.port.hold = True
        await enter(at, "scale long 1.2 BTC 12 from 63000 to 62000", "enter")
        await answer(at, "y")
        for _ in range(7):
            at.clock.pass_by(0.4)
            at.port.answer(ACCEPTED)
            await at.settle()
        line = "scale long 1.2 BTC BINANCE_PERP_BTC_USDT 12 from 63000 to 62000"
        progress = [event for event in at.events() if " of 12 sent" in event]
        assert progress == [f"3 of 12 sent: {line}", f"6 of 12 sent: {line}"]
        at.port.answer(Outcome(verdict=Verdict.REJECTED, text="not enough margin"))
        await at.settle()
        said = "4 others not sent, 7 working: step 8 of 12: rejected: not enough margin; "
        assert at.events()[-1].startswith(said), at.events()[-1]
        assert len(placed(at)) == 8


OVER = Outcome(verdict=Verdict.DENIED, guard="NOTIONAL", text="190,000 over the 100,000 limit")


@pytest.mark.parametrize("foreseen", [[OVER], [ACCEPTED, OVER]])
async def test_a_reverse_that_the_gate_would_refuse_opens_no_question(foreseen: list[Outcome]) -> None:
    async with desk() as at:
        at.port.foreseen = foreseen
        await at.press("3", "g", "r")
        assert at.scope() is Scope.POSITIONS
        assert at.events()[-1] == "not sent: 190,000 over the 100,000 limit; rev here"
        await at.press("y")
        assert placed(at) == []


@pytest.mark.parametrize("joint", [";", "&"])
async def test_a_line_refused_at_its_first_order_stays_typed_unasked(joint: str) -> None:
    """Behind `&` the others were sent, and filled."""
    async with desk() as at:
        at.port.foreseen = [OVER, ACCEPTED]
        line = f"buy 1 BTC at 63000 {joint} buy 1 BTC at 63001"
        await enter(at, line, "enter")
        for _ in range(2):
            assert at.events()[-1].startswith("not sent: 190,000 over the 100,000 limit; ")
            assert at.scope() is Scope.LINE and line in at.text()
            await at.press("enter")
        at.port.foreseen = [ACCEPTED, ACCEPTED]
        await at.press("enter")
        assert at.scope() is Scope.PROMPT, at.text()


@pytest.mark.parametrize("outcome", [OVER, SOFT])
async def test_a_refusal_or_question_stops_orders_joined_by_ampersand(outcome: Outcome) -> None:
    """Steps behind `&` were sent before the answer of the gate to the one before was handled."""
    async with desk(160, 45) as at:
        at.port.rest()
        at.port.outcomes = [ACCEPTED, outcome, ACCEPTED, ACCEPTED]
        await enter(at, "buy 1 BTC at 63000 & buy 1 BTC at 63001 & buy 1 BTC at 63002", "enter")
        await answer(at, "y")
        assert len(placed(at)) == 2
        if outcome is OVER:
            assert at.events()[-1].startswith("1 other not sent, 1 working: step 2 of 3: not sent: 190,000 over")
            return
        assert "Step 2 of 3 asks" in at.text()
        await answer(at, "y")
        assert [price for _, _, price in placed(at)] == ["63000", "63001", "63001", "63002"]


async def test_orders_after_one_foreseen_to_be_refused_are_not_sent() -> None:
    async with desk(160, 45) as at:
        at.port.rest()
        at.port.foreseen = [ACCEPTED, OVER, ACCEPTED]
        await enter(at, "buy 1 BTC at 63000 & buy 3 BTC at 63001 & buy 1 BTC at 63002", "enter")
        text = shown(at)
        assert "would be refused, and what follows is not sent" in text and "63,002.0 · would not be sent" in text, text
        assert "together 1.000 of 5.000 BTC = 63,000.00 USDT" in text, text
        at.port.hold = True
        await answer(at, "y")
        assert len(placed(at)) == 2, "it waits for the answer to what was foreseen to be refused"
        at.port.answer(ACCEPTED)
        at.port.answer(OVER)
        await at.settle()
        assert len(placed(at)) == 2 and "1 other not sent" in at.events()[-1]


async def test_a_market_order_before_a_refusal_is_not_called_working() -> None:
    async with desk(160, 45) as at:
        at.port.outcomes = [ACCEPTED, OVER]
        await enter(at, "buy 0.01 BTC mkt & buy 1 BTC at 63001", "enter")
        await answer(at, "y")
        assert at.events()[-1].startswith("1 other sent: step 2 of 2: not sent: 190,000 over"), at.events()[-1]


async def test_a_refusal_foreseen_after_the_question_opened_asks_again() -> None:
    async with desk(160, 45) as at:
        await enter(at, "buy 1 BTC at 63000 & buy 1 BTC at 63001", "enter")
        at.port.foreseen = [ACCEPTED, OVER]
        await answer(at, "y")
        assert at.scope() is Scope.PROMPT and placed(at) == [] and "would be refused, " not in shown(at)
        assert "step 2 would be refused now" in shown(at) and "63,001.0 · would be refused" in shown(at)


async def test_a_line_that_opens_and_then_closes_is_not_refused() -> None:
    """The gate finds nothing to close before the line is sent."""
    async with desk(160, 45) as at:
        empty = Outcome(verdict=Verdict.DENIED, guard="LEG_EMPTY", text="nothing to reduce")
        at.port.foreseen = [ACCEPTED, empty]
        await be_one_way(at)
        await enter(at, "buy 0.05 BTC mkt ; sell 0.05 BTC at 66000 ro", "enter")
        assert at.scope() is Scope.PROMPT and "refused" not in shown(at), shown(at)


async def test_an_exit_sent_with_its_entry_by_ampersand_is_refused() -> None:
    """`&` sends it before the fill of the opening is known, and the gate finds nothing to close."""
    async with desk(160, 45) as at:
        empty = Outcome(verdict=Verdict.DENIED, guard="LEG_EMPTY", text="nothing to reduce")
        at.port.foreseen = [ACCEPTED, empty, empty]
        await be_one_way(at)
        line = "buy 0.05 BTC mkt & sell 0.02 BTC at 66000 ro & sell 0.03 BTC at 67000 ro"
        await enter(at, line, "enter")
        assert "step 2 would be refused now: nothing to reduce when & sends it; behind ; it waits" in shown(at), shown(
            at
        )
        assert "2. SELL 0.02 BTC" in shown(at) and "would be refused, and what follows is not sent" in shown(at)
        assert "together 0.050 of 0.100 BTC" in shown(at) and "perp 2.5 → 2.55 ·" in shown(at), shown(at)
        at.port.foreseen = [ACCEPTED, empty, empty]
        await answer(at, "n")
        await enter(at, line.replace("&", ";", 1), "enter")
        assert at.scope() is Scope.PROMPT and "refused" not in shown(at), shown(at)


@pytest.mark.parametrize(("joint", "refused"), [(";", False), ("&", True)])
async def test_the_preview_of_a_line_agrees_with_its_question(joint: str, *, refused: bool) -> None:
    """While it was typed an exit behind `;` was called refused, and the question of the same line sent it."""
    async with desk(160, 45) as at:
        await be_one_way(at)
        at.port.put(Table.POSITIONS, f"{BTC}/NONE", None)
        await at.settle()
        await at.press(":", *f"sell 0.05 BTC mkt {joint} buy 0.05 BTC at 60000 ro")
        note = "".join(text for text, _ in at.app.main_screen.panel.note)
        assert ("no short position to reduce" in note) is refused, note
        assert ("behind ; it waits for that position" in note) is refused, note


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_a_question_says_that_the_link_was_lost_meanwhile(size: tuple[int, int]) -> None:
    """It was told only as the answer to `y`."""
    async with desk(*size) as at:
        await enter(at, "buy 0.05 BTC at 63000 ; buy 0.05 BTC at 62000", "enter")
        assert at.scope() is Scope.PROMPT and "nothing would be sent now" not in shown(at), shown(at)
        at.port.put(Table.LINKS, "private", LinkRow(name="private", state=LinkState.DOWN))
        await at.wait(lambda: "nothing would be sent now: not connected" in shown(at))
        at.port.put(Table.LINKS, "private", LinkRow(name="private", state=LinkState.UP))
        await at.wait(lambda: "nothing would be sent now" not in shown(at))


@pytest.mark.parametrize("joint", [";", "&"])
async def test_a_market_sell_after_a_resting_buy_reverses_the_position(joint: str) -> None:
    """The buy rests: what it adds is not there yet when the sell takes."""
    async with desk(160, 45) as at:
        await be_one_way(at)
        await enter(at, f"buy 0.5 BTC at 63000 {joint} sell 2.8 BTC mkt", "enter")
        assert "2. closes LONG 2.5, opens SHORT 0.3: SELL 2.8 BTC" in shown(at), shown(at)
        assert "2.5 → -0.3 → 0.2" in shown(at), shown(at)


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_typing_a_line_shows_which_step_would_be_refused(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press(":", *"buy 0.01 BTC at 63000 ; buy 40 BTC at 63001")
        note = "".join(text for text, _ in at.app.main_screen.panel.note)
        assert "step 2 would be refused now: 2,520,040 over the 100,000 limit" in note and "step 1 would" not in note
        assert "over the 100,000 limit" in at.text()


async def test_a_scale_typed_in_view_mode_says_once_that_it_is_refused() -> None:
    async with desk() as at:
        at.port.set_desk(trading_state=TradingState.VIEW)
        await at.settle()
        await at.press(":", *SCALE)
        assert at.text().count("would be refused now: nothing is sent in state VIEW") == 1


async def test_a_line_question_says_that_the_lot_rounded_a_size() -> None:
    async with desk(160, 45) as at:
        await enter(at, "buy 100q BTC at 63000 ; buy 0.01 BTC at 63001", "enter")
        assert at.scope() is Scope.PROMPT
        first = next(line for line in at.text().split("\n") if "1. BUY 0.001 BTC" in line)
        assert "size rounded down to 0.001 BTC" in first


async def test_orders_of_a_line_share_an_id_new_for_each_sending() -> None:
    def marks(at: Desk) -> list[str]:
        return [intent.line for intent in at.sent_orders()]

    async with desk() as at:
        for _ in range(2):
            at.port.outcomes = [ACCEPTED] * 2
            await enter(at, "long 0.02 btc at 60000 & long 0.02 btc at 60000", "enter")
            await answer(at, "y")
        first, second, again, last = marks(at)
        assert first == second != again == last and first and again
        at.port.outcomes = [ACCEPTED]
        await enter(at, "long 0.02 btc join", "enter")
        assert marks(at)[4:] == [""]


async def test_replaces_and_stops_of_a_line_carry_the_id_of_a_sending() -> None:
    """With one mark they are one send for the runaway check, however many the trader confirmed at once."""
    async with desk() as at:
        view, decision = at.app.context.view, at.app.context.build_decision("test")
        stop = PlaceAlgo(decision=decision, sym=BTC, side=Side.SELL, condition=Condition.ENTIRE_CLOSE_POSITION)
        changed = ticket_factory.replacement(at.app.mirror.orders["o3"], view)
        for request in (Request(text="", algo=stop), Request(text="", ticket=changed)):
            sent = build_command(request, decision, view, "", line="1.5")
            assert isinstance(sent, PlaceAlgo | Replace) and sent.line == "1.5"


@pytest.mark.parametrize("changes", ["[", "T", ">", "e"])
async def test_a_ticket_sized_by_risk_drops_its_risk_text_once_changed(changes: str) -> None:
    async with desk(160, 45) as at:
        at.port.outcomes = [FIRST]
        await enter(at, "long risk $600 BTC at 63000 sl 62000", "enter")
        await answer(at, "escape")
        assert "= risk 600.00" in said(at)
        await at.press(changes)
        if changes == "e":
            assert "= risk 600.00" in said(at), "the form changes nothing by itself"
            await type_in(at, "sl", "61500")
        await at.settle()
        assert at.app.main_screen.panel.open and "= risk" not in said(at)


async def test_a_long_line_preview_begins_with_its_refused_steps() -> None:
    async with desk(80, 24) as at:
        await enter(at, "scale buy 9 BTC 5 BINANCE BTC perp from 63000 to 2000 lin")
        note = said(at)
        assert note.startswith("step 2 would be refused now: price 47,750 is too far behind the touch"), note
        assert "…" in note and "step 5 would be refused now" in note, note
        assert at.app.main_screen.panel.note[-1][1] != "warn", "what would be sent stands behind them"
