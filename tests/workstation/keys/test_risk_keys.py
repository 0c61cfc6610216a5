"""Keys that lower risk: risk modes with a typed word, parts of a position, exit at the touch, flatten with a list."""

from __future__ import annotations

import pytest

from tests.engine.conftest import DECISION
from tests.workstation.driver import Desk, desk
from tui.engine.intents import Outcome, Place, Verdict
from tui.engine.modes import RiskMode
from tui.engine.rows import Fact, Table
from tui.engine.status_rows import LinkRow, LinkState
from tui.interface.families.orders import OrderType, PositionSide, Side, TimeInForce
from tui.interface.families.positions import AccountRecord, PositionRecord
from tui.workstation.features.trading.position_keys import PART_S
from tui.workstation.features.trading.service_close import close_several
from tui.workstation.input.scopes import Scope
from tui.workstation.settings import WorkstationSettings

BTC = "BINANCE_PERP_BTC_USDT"


async def test_risk_mode_halt_is_left_only_by_the_whole_word_resume() -> None:
    async with desk(160, 45) as at:
        await at.press("ctrl+t")
        assert "Risk mode of portfolio main (PAPER): NORMAL" in at.text()
        assert (
            "a risk mode cancels no orders: 3 orders (1 UNKNOWN) can still open a position; X cancels them" in at.text()
        )
        at.clock.pass_by(0.3)
        await at.press("down", "y")
        assert at.port.modes == [RiskMode.HALT]
        await at.settle()
        await at.press("ctrl+t")
        assert at.scope() is Scope.WORD, "HALT is the strictest mode: only the way back is asked"
        at.clock.pass_by(0.3)
        await at.press(*"resum", "enter")
        assert at.port.modes == [RiskMode.HALT], "the word is not whole"
        await at.press("e", "enter")
        assert at.port.modes == [RiskMode.HALT, RiskMode.NORMAL]


@pytest.mark.parametrize("way", [(), ("down",), ("down", "y")])
async def test_risk_mode_reducing_is_left_only_by_the_word_resume(way: tuple[str, ...]) -> None:
    async with desk(160, 45) as at:
        at.port.set_desk(risk_mode=RiskMode.REDUCING)
        await at.settle()
        await at.press("ctrl+t")
        assert "y confirms the selected line   or type resume" in at.text()
        at.clock.pass_by(0.3)
        await at.press(*way, *"resum", "enter", "y")
        assert at.port.modes == [] and at.scope() is Scope.PROMPT, "the word is not whole"
        await at.press("e")
        assert "Enter confirms" in at.text()
        await at.press("enter")
        assert at.port.modes == [RiskMode.NORMAL] and at.scope() is Scope.QUOTES


@pytest.mark.parametrize("way", [("down", "enter"), ("down", "y")])
async def test_no_key_alone_ends_reducing_but_y_can_change_it_to_halt(way: tuple[str, ...]) -> None:
    async with desk(160, 45) as at:
        at.port.set_desk(risk_mode=RiskMode.REDUCING)
        await at.settle()
        await at.press("ctrl+t")
        at.clock.pass_by(0.3)
        await at.press(*way)
        assert at.port.modes == [] and "type resume to confirm this row" in at.text()
        await at.press("up", "y")
        assert at.port.modes == [RiskMode.HALT]


async def test_the_resume_question_closes_when_the_risk_mode_changes() -> None:
    """The word was read beside REDUCING; behind a kill it must not leave HALT."""
    async with desk(160, 45) as at:
        at.port.set_desk(risk_mode=RiskMode.REDUCING)
        await at.settle()
        await at.press("ctrl+t")
        at.clock.pass_by(0.3)
        await at.press(*"resume")
        at.port.set_desk(risk_mode=RiskMode.HALT)
        await at.settle()
        await at.press("enter")
        assert at.port.modes == []
        assert any("question closed: the risk mode is HALT now" in text for text in at.events())


async def test_after_a_margin_call_an_event_says_how_to_leave_reducing() -> None:
    async with desk(200, 45) as at:
        reason = "account OKX was MARGIN_CALL (12:00:00 UTC)"
        at.port.set_desk(risk_mode=RiskMode.REDUCING, risk_mode_reason=reason)
        set_account(at, "OKX", "MARGIN_CALL")
        await at.settle()
        at.port.put(Table.ACCOUNTS, "OKX", None)
        await at.settle()
        said = "the risk mode is still REDUCING; to leave it: Ctrl+T and resume"
        assert not any(said in text for text in at.events()), "an account that is not known is in no state"
        set_account(at, "OKX", "NORMAL")
        await at.settle()
        assert sum(said in text for text in at.events()) == 1
        assert reason in at.text().splitlines()[0]


def set_account(at: Desk, venue: str, status: str) -> None:
    record = AccountRecord(exchange_type=venue, account_status=status, uni_mmr="9", maintain_margin="1")
    at.port.put(Table.ACCOUNTS, venue, Fact(record, at.port.stamp()))


@pytest.mark.parametrize("keys", [("ctrl+t",), (":", *"resume", "enter")])
async def test_the_resume_question_says_why_the_risk_mode_was_set(keys: tuple[str, ...]) -> None:
    async with desk(160, 45) as at:
        at.port.set_desk(risk_mode=RiskMode.REDUCING, risk_mode_reason="the daily loss limit")
        await at.settle()
        await at.press(*keys[:1])
        at.clock.pass_by(0.3)
        await at.press(*keys[1:])
        assert at.scope() in (Scope.WORD, Scope.PROMPT) and "the daily loss limit" in at.text().partition("\n")[2]


async def test_esc_in_a_typed_word_prompt_sends_nothing() -> None:
    async with desk(160, 45) as at:
        await at.press("F")
        at.clock.pass_by(0.3)
        await at.press(*"flat", "escape")
        assert at.port.intents == []
        assert at.scope() is Scope.QUOTES


async def test_flatten_all_lists_all_positions_and_closes_each_once() -> None:
    async with desk(160, 45) as at:
        await at.press("F")
        text = at.text()
        assert "close 3 legs at market" in text
        assert "OKX BTC perp SHORT 200ct" in text and "SHORT -" not in text
        at.clock.pass_by(0.3)
        at.port.outcomes += [Outcome(verdict=Verdict.ACCEPTED)] * 2
        at.port.outcomes.append(Outcome(verdict=Verdict.DENIED, text="not connected; nothing is queued for later"))
        await at.press(*"flat", "enter")
        places = at.sent_orders()
        assert [(one.sym, one.side, one.position_side, one.qty, one.order_type) for one in places] == [
            (BTC, Side.SELL, PositionSide.LONG, "2.5", OrderType.MARKET),
            ("BINANCE_PERP_ETH_USDT", Side.SELL, PositionSide.LONG, "40", OrderType.MARKET),
            ("OKX_PERP_BTC_USDT", Side.BUY, PositionSide.SHORT, "200", OrderType.MARKET),
        ]
        await at.settle()
        assert any("flatten OKX BTC perp: not connected" in text for text in at.events())


@pytest.mark.parametrize("state", [LinkState.DOWN, LinkState.UP])
async def test_flatten_all_says_that_the_link_is_down(state: LinkState) -> None:
    """The prompt of a kill said it; that of `F` listed legs and asked for the word."""
    async with desk(80, 24) as at:
        at.port.put(Table.LINKS, "private", LinkRow(name="private", state=state))
        await at.press("F")
        assert ("closes are tried, but positions may" in at.text()) is (state is LinkState.DOWN)


async def test_marked_positions_are_closed_after_one_typed_word() -> None:
    async with desk(160, 45) as at:
        await at.press("3", "g", "g", "space", "space", "f")
        table = at.app.main_screen.tables["positions"]
        marked = table.targets
        assert len(marked) == 2 and at.port.intents == []
        assert "Flatten 2 marked legs" in at.text() and "close 2 legs at market" in at.text()
        at.clock.pass_by(0.3)
        await at.press(*"flat", "enter")
        places = at.sent_orders()
        assert [f"{one.sym}/{one.position_side.value}" for one in places] == marked
        assert not table.marked


SERVICE = WorkstationSettings(bell=False, close="service")


async def test_close_by_the_service_is_confirmed_before_it_is_sent() -> None:
    async with desk(160, 45, settings=SERVICE) as at:
        await at.press("3", "g", "g", "f")
        assert at.port.intents == []
        assert "close BINANCE BTC perp LONG 2.5 at market" in at.text()
        assert "first cancels the pair's reduce-only orders" in at.text()
        at.clock.pass_by(0.3)
        at.port.outcomes.append(Outcome(verdict=Verdict.REJECTED, text="401129 Too many pairs"))
        await at.press("y")
        (command,) = at.sent_commands()
        assert (command.endpoint, command.args) == ("close_position", (("sym", BTC), ("positionSide", "LONG")))
        await at.settle()
        assert any("401129 Too many pairs" in text for text in at.events())


async def test_close_all_by_the_service_sends_one_command_per_side() -> None:
    async with desk(160, 45, settings=SERVICE) as at:
        await at.press("F")
        assert "close 3 legs at market" in at.text()
        at.clock.pass_by(0.3)
        await at.press(*"flat", "enter")
        commands = at.sent_commands()
        assert [(one.endpoint, one.args) for one in commands] == [
            ("close_positions", (("symList", f"{BTC},BINANCE_PERP_ETH_USDT"), ("positionSide", "LONG"))),
            ("close_positions", (("symList", "OKX_PERP_BTC_USDT"), ("positionSide", "SHORT"))),
        ]


def test_close_all_by_the_service_takes_20_pairs_a_call_at_most() -> None:
    legs = [PositionRecord(sym=f"BINANCE_PERP_C{at}_USDT", position_qty="1") for at in range(41)]
    sizes = [len(dict(one.args)["symList"].split(",")) for one in close_several(legs, DECISION)]
    assert sizes == [20, 20, 1]


@pytest.mark.parametrize("key", ["%", "o"])
async def test_a_partial_close_of_several_marked_positions_is_refused(key: str) -> None:
    async with desk(160, 45) as at:
        await at.press("3", "g", "g", "space", "space", key)
        assert any("2 rows are marked, and closing a leg needs one" in text for text in at.events())
        assert at.scope() is Scope.POSITIONS


@pytest.mark.parametrize(("digit", "size"), [("1", "0.625"), ("2", "1.25"), ("3", "1.875"), ("4", "2.5")])
async def test_percent_and_a_digit_stage_a_partial_close(digit: str, size: str) -> None:
    async with desk(160, 45) as at:
        await at.press("3")
        while at.app.main_screen.tables["positions"].selected != f"{BTC}/LONG":
            await at.press("j")
        await at.press("%")
        assert at.scope() is Scope.PART
        await at.press(digit)
        assert "MARKET" in at.text() and "follows the market" not in at.text(), "a market order has no price to follow"
        await at.press("enter")
        [intent] = at.port.intents
        assert isinstance(intent, Place)
        assert (intent.side, intent.position_side, intent.qty) == (Side.SELL, PositionSide.LONG, size)
        assert intent.order_type is OrderType.MARKET


@pytest.mark.parametrize(("seconds", "meant"), [(PART_S - 0.1, "50 %"), (PART_S + 0.1, "orders")])
async def test_the_percent_key_waits_a_few_seconds_for_its_digit(seconds: float, meant: str) -> None:
    """After the wait a digit jumps to a pane again."""
    async with desk(160, 45) as at:
        await at.press("3", "g", "%")
        at.clock.pass_by(seconds)
        await at.press("2")
        share = at.app.main_screen.panel.open
        assert share == (meant == "50 %") and (at.scope() is Scope.ORDERS) == (meant == "orders")


async def test_key_o_closes_the_whole_position_post_only_at_the_touch() -> None:
    async with desk(160, 45) as at:
        await at.press("3")
        while at.app.main_screen.tables["positions"].selected != f"{BTC}/LONG":
            await at.press("j")
        await at.press("o", "enter")
        [intent] = at.port.intents
        assert isinstance(intent, Place)
        assert (intent.order_type, intent.time_in_force, intent.price, intent.qty) == (
            OrderType.LIMIT,
            TimeInForce.GTX,
            "64001.2",
            "2.5",
        )


async def test_repeating_the_last_ticket_uses_the_current_best_price() -> None:
    async with desk(160, 45) as at:
        await at.press(".")
        assert any("no ticket was sent" in text for text in at.events())
        await at.press("j", "b", "enter")
        first = at.port.intents[0]
        assert isinstance(first, Place)
        at.port.quote(first.sym, "64100.0", "64100.2", mark="64100.0")
        await at.settle()
        await at.press(".")
        assert at.scope() is Scope.PREVIEW
        assert len(at.port.intents) == 1
        at.clock.pass_by(1)
        await at.press("enter")
        second = at.port.intents[1]
        assert isinstance(second, Place)
        assert (second.sym, second.side, second.qty, second.price) == (first.sym, first.side, first.qty, "64100.0")


async def test_shift_b_stages_a_taker_order_and_sends_nothing() -> None:
    async with desk(160, 45) as at:
        await at.press("j", "B")
        assert at.scope() is Scope.PREVIEW
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and (ticket.side, ticket.price_mode.value, ticket.tif.value) == (
            Side.BUY,
            "take",
            "IOC",
        )
        assert at.port.intents == []


@pytest.mark.parametrize(("keys", "source"), [(("F",), "key F"), (("space", "j", "space", "f"), "key f")])
async def test_closes_of_several_positions_record_the_key_pressed(keys: tuple[str, ...], source: str) -> None:
    async with desk(160, 45) as at:
        await at.press("3", "g", "g", *keys)
        assert at.scope() is Scope.WORD
        at.clock.pass_by(0.3)
        await at.press(*"flat", "enter")
        assert {intent.decision.source.split(",")[0] for intent in at.port.intents} == {source}
        assert all(isinstance(intent, Place) and intent.flattens for intent in at.port.intents), "warned of until flat"
