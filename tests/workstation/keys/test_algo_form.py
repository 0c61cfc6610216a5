"""Form of an algo order by key: what it takes, refusals beside the fields, questions, and what it changes."""

from __future__ import annotations

from decimal import Decimal

import msgspec
import pytest

from tests.engine.conftest import DECISION
from tests.workstation.algo_rows import BTC, LEG, put_algo, put_target
from tests.workstation.driver import Desk, desk
from tests.workstation.tickets.test_conditional_form import ASKS
from tui.engine.intents import Outcome, PlaceAlgo, Protection, ReplaceAlgo, Verdict
from tui.engine.rows import Fact, Table
from tui.interface.families.algo import Condition
from tui.interface.families.orders import PositionSide, Side
from tui.workstation.input.scopes import Scope
from tui.workstation.model.number_format import figure
from tui.workstation.tickets.order.algo_draft import AlgoDraft, AlgoKind, AlgoSubject, Part, check_draft


async def test_the_stop_form_sends_the_stop_with_closing_side_and_leg() -> None:
    async with desk(160, 45) as at:
        await at.select_leg()
        await at.press("p")
        assert at.scope() is Scope.FORM
        assert "new algo order · BINANCE BTC perp" in at.text() and "‹ stop ›" in at.text()
        await at.press(*"63000", "enter")
        assert "63,000.0 mark -1.56 %, market, would realise" in at.text()
        assert "the whole position, at its size when triggered" in at.text()
        await at.press("enter")
        assert at.port.intents == [] and "y sends it" in at.text()
        await at.press("y")
        [intent] = at.port.intents
        assert intent == PlaceAlgo(
            decision=intent.decision, sym=BTC, side=Side.SELL, condition=Condition.ENTIRE_CLOSE_POSITION,
            position_side=PositionSide.LONG, stop_loss=Protection(trigger="63000", source="MARK_PRICE"),
        )  # fmt: skip
        assert intent.decision.source == "key y"
        await at.settle()
        assert at.scope() is Scope.POSITIONS


async def test_an_oco_form_takes_a_limit_price_and_a_percent_size() -> None:
    async with desk(160, 45) as at:
        await at.select_leg()
        await at.press("p", "up", "right", "right", "down", *"1%", "down", *"2r @65000", "down", *"50%", "down", "y")
        [intent] = at.port.intents
        assert isinstance(intent, PlaceAlgo) and intent.stop_loss is not None and intent.take_profit is not None
        assert intent.condition is Condition.PARTIAL_CLOSE_POSITION
        assert intent.stop_loss == Protection(trigger="63361", source="MARK_PRICE")
        assert (intent.take_profit.source, intent.take_profit.price) == ("LAST_PRICE", "65000")
        held = at.app.mirror.positions[LEG].record.position_qty
        assert float(intent.qty) == pytest.approx(float(held) / 2)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("65000", "65,000 would trigger immediately; it must be below mark"),
        ("63000.05", "63000.05 must be a multiple of 0.1 (nearest"),
        ("12x", "'12x' is no trigger; type a price"),
        ("63000 @62999.95", "62999.95 must be a multiple of 0.1"),
        ("", "a price (58000) or an offset from mark (1%"),
    ],
)
async def test_an_invalid_stop_trigger_is_rejected_beside_its_field(typed: str, words: str) -> None:
    async with desk(160, 45) as at:
        await at.select_leg()
        await at.press("p", *typed, "enter")
        assert words in " ".join(at.text().split()) or words in at.text()
        assert at.scope() is Scope.FORM and at.port.intents == []
        await at.press("down", "down", "down", "enter")
        assert at.port.intents == [], "the last line does not send it either"


async def test_a_stop_form_keeps_its_trigger_during_its_question() -> None:
    async with desk(160, 45) as at:
        at.port.outcomes.append(Outcome(verdict=Verdict.ASK, guard="DUPLICATE", text="adds a second one beside it"))
        await at.select_leg()
        await at.press("p", *"1%", "enter", "enter", "enter", "y")
        assert at.scope() is Scope.PROMPT and "adds a second one beside it" in at.text()
        [asked] = [intent for intent in at.port.intents if isinstance(intent, PlaceAlgo)]
        assert asked.stop_loss is not None
        trigger = figure(asked.stop_loss.trigger)
        assert f"stop {trigger}:" in at.text()
        at.port.quote(BTC, "66000.0", "66000.2", mark="66000.1")
        at.clock.pass_by(1.0)
        at.app._tick()
        await at.settle()
        assert f"stop {trigger}:" in at.text()
        await at.press("escape")
        assert trigger in at.text(), "what was asked about is what the form shows"
        at.port.quote(BTC, "66000.0", "66000.2", mark="66000.2")
        await at.settle()
        assert trigger not in at.text(), "without a question the form follows the market again"


async def test_a_refused_stop_trigger_names_the_side_of_the_mark() -> None:
    async with desk(160, 45) as at:
        await at.select_leg()
        await at.press("p", *"65000", "enter")
        assert at.text().count("it must be below") == 1 and "stop is refused" in at.text()
        await at.press("ctrl+u", *"1%")
        assert "(% from mark)" in " ".join(at.text().split())


async def test_the_algo_form_of_a_flat_pair_sends_a_conditional_order() -> None:
    async with desk(160, 45) as at:
        at.port.put(Table.POSITIONS, LEG, None)
        await at.settle()
        await at.press("1", "g", "g")
        while at.app.main_screen.tables["quotes"].selected != BTC:
            await at.press("j")
        await at.press("p")
        assert "‹ conditional ›" in at.text() and "‹ BUY ›" in at.text() and "LONG leg" in at.text()
        await at.press("right")
        assert "‹ SELL ›" in at.text() and "SHORT leg" in at.text()
        await at.press("left", *"+2%")
        assert "‹ BUY ›" in at.text() and "LONG leg" in at.text(), "what is no value of a choice changes nothing"
        await at.press("backspace", "down", *"-1%", "down", *"0.1", "down", "y")
        [intent] = at.port.intents
        assert isinstance(intent, PlaceAlgo) and intent.conditional is not None
        assert (intent.condition, intent.side, intent.qty) == (Condition.CONDITIONAL, Side.BUY, "0.1")
        assert intent.conditional.source == "LAST_PRICE" and not intent.reduce_only


@pytest.mark.parametrize(
    ("kind", "side", "size", "reduce_only", "then"),
    [
        (AlgoKind.CONDITIONAL, Side.SELL, "3", False, "closes LONG 2.500, opens SHORT 0.500"),
        (AlgoKind.CONDITIONAL, Side.SELL, "3", True, "closes LONG 2.500"),
        (AlgoKind.CONDITIONAL, Side.SELL, "2", False, "closes LONG 2.000"),
        (AlgoKind.CONDITIONAL, Side.BUY, "1", True, "opens LONG 1.000"),
        (AlgoKind.OCO, Side.SELL, "3", False, "closes LONG 2.500"),
    ],
)
async def test_the_algo_form_says_what_the_order_would_close_and_open(
    kind: AlgoKind, side: Side, size: str, reduce_only: bool, then: str
) -> None:
    subject = AlgoSubject(sym=BTC, held=Decimal("2.5"), entry=Decimal(60_000))
    texts = {Part.TRIGGER: "60000", Part.STOP: "60000", Part.TARGET: "70000", Part.SIZE: size}
    draft = AlgoDraft(kind, side, texts, reduce_only)
    async with desk(160, 45) as at:
        note = check_draft(subject, draft, at.app.main_screen.view, DECISION).notes[Part.SIZE]
    assert note == f"{size}.000; about {int(size) * 60},000.00 USDT; {then}"


async def test_editing_an_algo_order_sends_only_the_changed_fields() -> None:
    async with desk(160, 45) as at:
        put_algo(at, "7001")
        await at.press("A", "g", "g", "e")
        assert at.scope() is Scope.FORM and "63000 mark" in at.text()
        await at.press(*"6", "backspace", *"62000 mark @61990", "down", "down", "down", "y")
        [intent] = at.port.intents
        assert intent == ReplaceAlgo(
            decision=intent.decision, key="7001",
            stop_loss=Protection(trigger="62000", source="MARK_PRICE", price="61990"),
        )  # fmt: skip


@pytest.mark.parametrize(("typed", "price"), [("62000", "0"), ("62000 @61990", "61990")])
async def test_a_retyped_trigger_keeps_its_mark_or_last_price_type(typed: str, price: str) -> None:
    async with desk(160, 45) as at:
        put_algo(at, "7001", sl_trigger_type="LAST_PRICE")
        await at.press("A", "g", "g", "e")
        assert "63000 last" in at.text()
        await at.press(*"6", "backspace", *typed, "down", "down", "down", "y")
        [intent] = at.port.intents
        assert isinstance(intent, ReplaceAlgo)
        assert intent.stop_loss == Protection(trigger="62000", source="LAST_PRICE", price=price)


async def test_an_algo_edit_without_changes_is_not_sent() -> None:
    async with desk(160, 45) as at:
        put_algo(at, "7001")
        await at.press("A", "g", "g", "e", "down", "down", "down", "y")
        assert "nothing is changed" in at.text() and at.port.intents == []


@pytest.mark.parametrize("size", [(120, 36), (80, 24)])
async def test_the_send_line_of_the_stop_form_says_what_is_missing(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.select_leg()
        await at.press("p")
        assert "not yet: stop is missing" in at.text()
        await at.press(*"70000")
        assert "not yet: stop is refused" in at.text() and "70000_" in at.text()
        await at.press("ctrl+u", *"1%")
        assert "go to this line, then y sends it" in at.text() and "1%_" in at.text()
        assert "Enter sends it" not in at.text(), "Enter only moves from a field"
        await at.press("tab", "tab")
        assert "y sends it" in at.text()


@pytest.mark.parametrize(
    "typed",
    [(), (*"58000",), (*"58000", "enter"), (*"58000", "enter", *"0.5"), ("up",), (*"1%",)],
    ids=["empty", "stop", "size", "half", "kind", "share"],
)
async def test_capital_x_in_a_trigger_or_size_opens_the_kill_prompt(typed: tuple[str, ...]) -> None:
    async with desk(80, 24) as at:
        await at.select_leg()
        await at.press("p", *typed)
        assert at.scope() is Scope.FORM
        await at.press("X")
        assert at.scope() is Scope.KILL
        await at.press("escape")
        assert at.scope() is Scope.FORM and at.port.intents == []


async def test_capital_x_inside_a_word_in_a_trigger_field_is_a_letter() -> None:
    async with desk(160, 45) as at:
        await at.select_leg()
        await at.press("p", *"58000 ma", "X")
        assert at.scope() is Scope.FORM and "maX" in at.text()
        assert any("Ctrl+G opens the kill prompt" in text for text in at.events())
        await at.press("enter", "enter", "y")
        assert at.port.intents == []


async def open_target_form(at: Desk) -> None:
    """The form of a new target, behind the question where the leg has something already."""
    await at.settle()
    await at.select_leg()
    await at.press("p")
    if at.scope() is Scope.PROMPT:
        at.clock.pass_by(0.5)
        await at.press("y")
    if "‹ target ›" not in at.text():
        await at.press("up", "right", "down")
    assert at.scope() is Scope.FORM and "‹ target ›" in at.text()


async def test_a_target_in_r_is_a_multiple_of_the_stop_distance() -> None:
    """The price now plays no part in it: long, with a stop in an order of its own."""
    async with desk(160, 45) as at:
        entry = float(at.app.mirror.positions[LEG].record.avg_price)
        put_algo(at, "7001", sl_trigger_price="63000")
        await open_target_form(at)
        await at.press(*"2r", "down", "down", "y")
        [intent] = at.port.intents
        assert isinstance(intent, PlaceAlgo) and intent.stop_loss is None and intent.take_profit is not None
        assert float(intent.take_profit.trigger) == pytest.approx(entry + 2 * (entry - 63000))


async def test_a_target_in_r_needs_exactly_one_stop_at_a_loss() -> None:
    async with desk(160, 45) as at:
        await open_target_form(at)
        await at.press(*"2r")
        assert "r needs a stop, but the position has none; type a" in at.text()
        await at.press("escape", "escape")
        put_algo(at, "7001", sl_trigger_price="63000")
        put_algo(at, "7002", sl_trigger_price="62000")
        await open_target_form(at)
        await at.press(*"2r")
        assert "2r counts from one stop, the position has 2 (62000," in at.text()
        await at.press("escape", "escape")
        at.port.put(Table.ALGOS, "7002", None)
        fact = at.app.mirror.positions[LEG]
        won = msgspec.structs.replace(fact.record, avg_price="62000")
        at.port.put(Table.POSITIONS, LEG, Fact(won, fact.stamp))
        await at.settle()
        await open_target_form(at)
        await at.press(*"2r")
        assert "r needs a stop on the losing side: 63000 is not beyond" in at.text()
        assert at.port.intents == []


async def test_a_target_in_r_added_to_a_stop_order_uses_that_stop() -> None:
    async with desk(160, 45) as at:
        entry = float(at.app.mirror.positions[LEG].record.avg_price)
        put_algo(at, "7001", sl_trigger_price="63000")
        await at.press("A", "g", "g", "e", "down", *"1r", "down", "down", "y")
        [intent] = at.port.intents
        assert isinstance(intent, ReplaceAlgo) and intent.take_profit is not None and intent.stop_loss is None
        assert float(intent.take_profit.trigger) == pytest.approx(2 * entry - 63000)


@pytest.mark.parametrize(("part", "word", "other"), [(0, "stop", "target"), (1, "target", "stop")])
async def test_emptying_a_trigger_says_the_service_cannot_remove_it(part: int, word: str, other: str) -> None:
    async with desk(160, 45) as at:
        put_algo(at, "7001", tp_trigger_price="70000", tp_trigger_type="LAST_PRICE", tp_price="0")
        await at.press("A", "g", "g", "e", *["down"] * part, "ctrl+u")
        assert f"the service cannot remove the {word}; type a price, or" in at.text()
        assert f"cancel it (c) and place only the {other} (p)" in at.text()
        assert at.port.intents == []


async def test_key_p_on_a_position_with_a_target_offers_to_move_it() -> None:
    async with desk(160, 45) as at:
        put_target(at)
        await at.select_leg()
        await at.press("p")
        assert at.scope() is Scope.PROMPT and "BINANCE BTC perp has a target" in at.text()
        assert "▸ add a stop or another target beside it (form)" in at.text() and "move TP 70,000.0 (form)" in at.text()
        await at.press("escape")
        put_algo(at, "7001")
        await at.settle()
        await at.press("p")
        assert "BINANCE BTC perp has a stop and a target" in at.text()
        assert "add another stop or another target beside them (form)" in at.text()
        await at.press("escape")
        at.port.put(Table.ALGOS, "7001", None)
        await at.settle()
        await at.press("p")
        at.clock.pass_by(0.5)
        await at.press("right", "y", "down", "ctrl+u", *"71000", "down", "y")
        [intent] = at.port.intents
        assert isinstance(intent, ReplaceAlgo) and intent.key == "7009"
        assert intent.take_profit == Protection(trigger="71000", source="LAST_PRICE")


async def test_key_e_on_a_position_with_a_stop_edits_the_stop() -> None:
    async with desk(160, 45) as at:
        put_algo(at, "7001")
        await at.settle()
        await at.select_leg()
        await at.press("e")
        assert at.scope() is Scope.FORM and "63000" in at.text()
        await at.press("ctrl+u", *"63100", "down", "down", "down", "y")
        assert [intent.key for intent in at.port.intents if isinstance(intent, ReplaceAlgo)] == ["7001"]


async def test_key_e_on_a_position_with_stop_and_target_asks_which() -> None:
    async with desk(160, 45) as at:
        put_algo(at, "7001")
        put_algo(at, "7002", sl_trigger_price="", tp_trigger_price="66000", tp_trigger_type="LAST_PRICE")
        await at.settle()
        await at.select_leg()
        await at.press("e")
        assert at.scope() is Scope.PROMPT and "move" in at.text()


async def test_key_e_on_a_position_without_a_stop_says_to_press_p() -> None:
    async with desk(160, 45) as at:
        await at.select_leg()
        await at.press("e")
        assert at.scope() is Scope.POSITIONS
        assert any("has no stop or target: p sets one" in text for text in at.events())


async def test_a_percent_size_of_a_stop_follows_its_position() -> None:
    """It was half of the position as it was when the form opened, and by then the whole of it."""
    async with desk(120, 36) as at:
        await at.select_leg()
        await at.press("p", *"1%", "enter", *"50%", "enter")
        held = at.app.mirror.positions[LEG]
        assert "1.25" in at.text() and "size 50%" in " ".join(at.text().split()), at.text()
        record = msgspec.structs.replace(held.record, position_qty="1.25")
        at.port.put(Table.POSITIONS, LEG, msgspec.structs.replace(held, record=record))
        await at.settle()
        assert "0.625" in at.text(), at.text()
        at.clock.pass_by(1.0)
        await at.press("y")
        [intent] = at.port.intents
        assert isinstance(intent, PlaceAlgo) and intent.qty == "0.625"


@pytest.mark.parametrize(("size", "now"), [("1.25", "0.625"), ("5", "2.5")])
@pytest.mark.parametrize("late", [False, True])
async def test_a_stop_question_closes_when_its_percent_size_changes(size: str, now: str, *, late: bool) -> None:
    """`y` would have sent half of the position as it was before; `late`: `y` comes before the question is updated."""
    async with desk(120, 36) as at:
        at.port.outcomes.append(ASKS)
        await at.select_leg()
        await at.press("p", *"1%", "enter", *"50%", "enter", "y")
        assert at.scope() is Scope.PROMPT and "1.25" in at.text()
        at.clock.pass_by(1.0)
        held = at.app.mirror.positions[LEG]
        record = msgspec.structs.replace(held.record, position_qty=size)
        at.port.put(Table.POSITIONS, LEG, msgspec.structs.replace(held, record=record))
        await at.settle()
        if not late:
            await at.pause(0.3)
            assert at.scope() is not Scope.PROMPT
        await at.press("y")
        assert at.scope() is Scope.FORM_END and len(at.port.intents) == 1, "only the one that was asked about"
        assert f"the position has changed: the size is {now} now, it was 1.25" in " ".join(at.events())
        at.clock.pass_by(3.0)
        await at.press("y")
        assert len(at.port.intents) == 1 and "could be read: press it again" in at.events()[-1]
        await at.confirm()
        assert [intent.qty for intent in at.port.intents if isinstance(intent, PlaceAlgo)] == ["1.25", now]


async def test_the_question_of_a_stop_with_a_typed_size_stays_open() -> None:
    async with desk(120, 36) as at:
        at.port.outcomes.append(ASKS)
        await at.select_leg()
        await at.press("p", *"1%", "enter", *"0.5", "enter", "y")
        held = at.app.mirror.positions[LEG]
        record = msgspec.structs.replace(held.record, position_qty="5")
        at.port.put(Table.POSITIONS, LEG, msgspec.structs.replace(held, record=record))
        await at.settle()
        await at.pause(0.3)
        assert at.scope() is Scope.PROMPT
        await at.confirm()
        assert [intent.qty for intent in at.port.intents if isinstance(intent, PlaceAlgo)] == ["0.5", "0.5"]
