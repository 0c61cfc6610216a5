"""The command line at the desk: what its echo says is what leaves, and only by a fresh Enter."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.scripted import SYMBOLS
from tui.engine.intents import Cancel, Outcome, Place, Replace, Verdict
from tui.engine.modes import RiskMode, TradingState
from tui.engine.rows import Table
from tui.engine.status_rows import ProposalRow
from tui.interface.families.orders import OrderType
from tui.workstation.input.input_order import key_time
from tui.workstation.input.scopes import Scope
from tui.workstation.model.screen_preferences import ScreenPreferences

BTC = "BINANCE_PERP_BTC_USDT"
ACCEPTED = Outcome(verdict=Verdict.ACCEPTED, key="new")


async def enter(at: Desk, line: str, *keys: str) -> None:
    """Type a line on the row of BINANCE BTC, and further keys."""
    if at.scope() is not Scope.LINE:
        await at.press("1", "g", "j", ":")
    for char in line:
        await at.press(char)
    await at.settle()
    await at.press(*keys)
    await at.settle()


async def answer(at: Desk, *keys: str) -> None:
    """Answer a question that has been read."""
    at.clock.pass_by(1.0)
    await at.press(*keys)
    await at.settle()


def placed(at: Desk) -> list[tuple[str, str, str]]:
    """Side, quantity and price of the orders that left."""
    return [(intent.side.value, intent.qty, intent.price) for intent in at.sent_orders()]


async def test_a_command_line_shows_its_ticket_and_enter_sends_it() -> None:
    async with desk() as at:
        await enter(at, "long 0.02 btc join")
        text = at.text()
        assert "BUY+LONG open long BINANCE BTC perp" in text and "64,001.0" in text and placed(at) == []
        await at.press("enter")
        await at.settle()
        assert placed(at) == [("BUY", "0.02", "64001.0")] and at.scope() is Scope.QUOTES
        [sent] = at.port.intents
        assert isinstance(sent, Place) and sent.instruction == "long 0.02 BTC BINANCE_PERP_BTC_USDT join"
        assert not at.app.main_screen.panel.open


async def test_a_line_without_a_price_says_which_prices_it_takes() -> None:
    async with desk() as at:
        await enter(at, "long 0.02 btc")
        assert "the price is missing: write at, join, improve, mid, take or mkt" in at.text()
        await at.press("enter", "enter", "y")
        assert placed(at) == [] and at.scope() is Scope.LINE, "the line stays, to be corrected"
        for char in "backspace", " ", "j", "o", "i", "n":
            await at.press(char)


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (160, 45)])
async def test_a_long_refusal_of_a_command_line_is_shown_in_full(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press("3", "g")
        await at.settle()
        before = at.app.main_screen.plan.ticket
        await at.press(":")
        await enter(at, "sl move here 65000", "enter")
        assert at.scope() is Scope.LINE and at.port.intents == []
        reason = at.events()[-1].removesuffix("; the line is not carried out")
        assert "would trigger immediately; it must" in reason and reason in said(at)
        await at.press("escape")
        await at.settle()
        assert at.app.main_screen.plan.ticket == before, "the lists have their lines again"


@pytest.mark.parametrize("line", ["rev here", "scale long 1 BTC 3 from bid to bid-1%", "protect all 1%"])
async def test_in_state_view_a_line_that_would_ask_is_refused_at_once(line: str) -> None:
    async with desk(80, 24) as at:
        at.port.set_desk(trading_state=TradingState.VIEW)
        await at.settle()
        await enter(at, line, "enter")
        assert at.scope() is Scope.LINE and "! nothing is sent in state VIEW" in at.text().split("\n")[-1]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("flat OKX_PERP_ETH", "there is no position in OKX ETH perp"),
        ("long 5 OKX_PERP_BTC join", "5 what? write 5ct, 5 BTC, or $5"),
        ("limit far 5bp", "limits change only in the state VIEW"),
        ("chase long 1 BTC", "chase is not carried out here"),
    ],
)
async def test_the_refusal_of_a_line_is_readable_at_80_columns(line: str, reason: str) -> None:
    """At 80 columns the bar beside the line has room for about fifty characters."""
    async with desk(80, 24) as at:
        await enter(at, line, "enter")
        assert f"! {reason}" in at.text().split("\n")[-1]


async def test_an_unfinished_command_word_does_not_shrink_the_lists() -> None:
    async with desk(120, 36) as at:
        await at.press("1", "g", "j", ":")
        await at.settle()
        before = at.app.main_screen.plan.ticket
        await enter(at, "xyz")
        assert at.app.main_screen.plan.ticket == before and "…" in said(at)
        await at.press("enter")
        await at.settle()
        assert "accepted: buy, b, sell" in said(at) and "export, use, q" in said(at)


def said(at: Desk) -> str:
    """The words of the place of the ticket, without its edges."""
    box = at.app.main_screen.plan.ticket
    assert box is not None
    lines = at.text().split("\n")[box.y + 1 : box.y + box.height]
    return " ".join(" ".join(line[box.x + 1 : box.x + box.width - 1] for line in lines).split())


async def test_sl_move_is_refused_once_the_mark_has_passed_the_stop() -> None:
    async with desk(80, 24) as at:
        await at.press("3", "g", ":")
        await enter(at, "sl move here 63000")
        assert "63000" in said(at) or "63,000" in said(at)
        at.port.quote(BTC, "62000.0", "62000.2", mark="62000.0")
        await at.settle()
        await at.press("enter")
        await at.settle()
        assert at.scope() is Scope.LINE and "trigger" in said(at)
        assert at.events()[-1].removesuffix("; the line is not carried out") in said(at)


async def test_escape_drops_a_typed_command_line_and_its_ticket() -> None:
    async with desk() as at:
        await enter(at, "long 0.02 btc join", "escape")
        assert at.scope() is Scope.QUOTES and not at.app.main_screen.panel.open and at.port.intents == []
        await at.press("enter", "enter", "y")
        assert placed(at) == []


async def test_a_held_enter_sends_a_command_line_once() -> None:
    async with desk() as at:
        await enter(at, "long 0.02 btc join")
        await at.hold("enter", 2.0)
        await at.settle()
        assert placed(at) == [("BUY", "0.02", "64001.0")]


async def test_a_command_line_and_its_enter_in_one_burst_send_nothing() -> None:
    async with desk() as at:
        await at.press("1", "g", "j", ":")
        await at.burst(*"long 5 btc mkt", "enter", "enter", "y")
        await at.settle()
        assert placed(at) == []


@pytest.mark.parametrize("text", ["", "long 0.02 btc join at", "buy 0.1 btc bid -"])
async def test_a_command_line_takes_no_character_after_a_refused_enter(text: str) -> None:
    """The burst may bring the whole line, or its end alone."""
    line = text or "long 0.02 btc mkt"
    async with desk(160, 45) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ACCEPTED, key="new")]
        await at.press("1", "g", "j", ":")
        await at.type(text)
        await at.burst(*("" if text else line), "enter", *"5")
        field = at.app.main_screen.line_field
        assert field.value == line
        lost = "Enter came in one burst with other keys: ignored. Backspace continues"
        assert lost in at.text()
        await at.press("6", "enter")
        assert field.value == line and placed(at) == [] and field.display, "Enter would carry out less than was typed"
        await at.press("backspace")
        assert field.value == line
        await at.press("backspace")
        assert field.value == line[:-1]


@pytest.mark.parametrize("pasted", ["00", "0" * 1000])
async def test_a_command_line_takes_no_paste_after_a_refused_enter(pasted: str) -> None:
    async with desk(160, 45) as at:
        await at.press("1", "g", "j", ":")
        await at.burst(*"long 0.02 btc join", "enter")
        at.paste(pasted)
        await at.settle()
        field = at.app.main_screen.line_field
        assert field.value == "long 0.02 btc join"
        assert "Enter came in one burst with other keys: ignored. Backspace continues" in at.text()
        await at.press("enter")
        assert placed(at) == [] and field.display
        await at.press("backspace")
        at.paste(" post")
        await at.settle()
        assert field.value == "long 0.02 btc join post"


async def test_after_a_late_enter_a_command_line_takes_no_characters() -> None:
    async with desk(160, 45) as at:
        await enter(at, "long 0.02 btc join")
        at._send("enter", key_time() - 60)
        await at.settle()
        await at.press("5")
        assert at.app.main_screen.line_field.value == "long 0.02 btc join" and placed(at) == []
        assert "ms old: ignored. Backspace continues" in at.text()


async def test_after_a_refused_enter_the_next_enter_sends_the_line() -> None:
    async with desk(160, 45) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ACCEPTED, key="new")]
        await at.press("1", "g", "j", ":")
        await at.burst(*"long 0.02 btc join", "enter")
        assert placed(at) == []
        await at.press("enter")
        assert placed(at) == [("BUY", "0.02", "64001.0")]


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_an_enter_refused_as_a_burst_is_reported_below_its_line(size: tuple[int, int]) -> None:
    """The line lies over that of the events."""
    async with desk(*size) as at:
        await at.press("1", "g", "j", ":")
        await at.burst(*"long 5 btc mkt", "enter")
        await at.settle()
        line, below = at.text().split("\n")[-2:]
        assert "long 5 btc mkt" in line and "! too many keys at once: ignored" in below


async def test_a_command_pasted_with_a_line_break_is_not_sent() -> None:
    async with desk() as at:
        await at.press("1", "g", "j", ":")
        at.paste("long 0.02 btc join\n")
        await at.settle()
        assert placed(at) == [] and at.app.main_screen.line_field.value.startswith("long 0.02 btc join")


async def test_a_command_line_sends_nothing_in_the_state_view() -> None:
    async with desk(armed=False) as at:
        await enter(at, "long 0.02 btc join", "enter")
        assert placed(at) == [] and "nothing is sent in state VIEW" in at.text()


async def test_the_gate_question_on_a_line_is_answered_in_its_ticket() -> None:
    async with desk() as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text="over the soft limit")]
        await enter(at, "long 0.02 btc join", "enter")
        assert at.scope() is Scope.ASK and "over the soft limit" in at.text()
        await at.press("enter", "y")
        await at.settle()
        assert len(placed(at)) == 2 and at.port.intents[-1].confirmed == frozenset(["SOFT_NOTIONAL"])  # type: ignore[union-attr]


async def test_here_in_a_line_means_the_row_where_it_was_opened() -> None:
    async with desk() as at:
        await at.press("2", "g", ":")
        row = at.app.main_screen.tables["orders"].selected
        await enter(at, "c here", "enter")
        assert [intent.key for intent in at.port.intents if isinstance(intent, Cancel)] == [row]


async def test_command_nudge_shows_the_new_price_and_sends_the_replace() -> None:
    async with desk() as at:
        at.port.outcomes = [ACCEPTED]
        await at.press("2", "g", "j", "j", ":")
        await enter(at, "nudge here -3t")
        assert "63,997.7" in at.text()
        await at.press("enter")
        await at.settle()
        [intent] = at.port.intents
        assert isinstance(intent, Replace) and (intent.price, intent.qty) == ("63997.7", "0.250")


async def test_command_close_50_percent_sells_half_of_the_position() -> None:
    async with desk() as at:
        await enter(at, "close 50%")
        assert "the whole position" not in at.text()
        await at.press("enter")
        await at.settle()
        [intent] = at.port.intents
        assert isinstance(intent, Place) and (intent.side.value, intent.qty) == ("SELL", "1.25")
        assert intent.order_type is OrderType.MARKET


async def test_command_cost_previews_an_order_and_sends_nothing() -> None:
    async with desk() as at:
        await enter(at, "cost long 0.02 btc join")
        assert "64,001.0" in at.text()
        await at.press("enter", "y", "enter")
        assert placed(at) == []


@pytest.mark.parametrize("line", ["dry long 0.02 btc take", "cost long 0.02 btc take"])
@pytest.mark.parametrize("size", [(80, 24), (120, 36), (160, 45)])
async def test_commands_dry_and_cost_say_the_fee_and_send_nothing(size: tuple[int, int], line: str) -> None:
    async with desk(*size) as at:
        await enter(at, line)
        assert "DRY, sends nothing" in at.text() and "dry: not sent" in at.text() and "Enter sends" not in at.text()
        await at.press("enter")
        await at.settle()
        text = " ".join(at.text().split())
        assert placed(at) == [] and at.scope() is not Scope.LINE and not at.app.main_screen.panel.open
        assert "dry, nothing is sent: fee ~0.64 · break-even" in text and "· BUY 0.02" in text


def propose(at: Desk) -> None:
    row = ProposalRow(
        key="3", peer="research-bot", reason="the basis is wide", sym="OKX_PERP_BTC_USDT", side="SELL", qty="25",
        price="64400", time_in_force="GTX", position_side="SHORT", expires=at.clock.mono() + 60,
    )  # fmt: skip
    at.port.put(Table.PROPOSALS, "3", row)


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (160, 45)])
async def test_command_accept_shows_the_proposal_and_enter_sends_it(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        propose(at)
        await at.settle()
        assert "proposal 3" in at.text()
        await enter(at, "accept 3")
        assert "SELL" in at.text() and "OKX BTC" in at.text() and placed(at) == []
        assert "research-bot: the basis" in at.text() or size[0] < 120
        await at.press("enter")
        await at.settle()
        [order] = at.sent_orders()
        assert (order.sym, order.qty, order.price, order.time_in_force) == ("OKX_PERP_BTC_USDT", "25", "64400", "GTX")
        assert (order.position_side, order.side, order.proposal) == ("SHORT", "SELL", "3")


async def test_command_decline_declines_the_proposal_of_that_number() -> None:
    async with desk(160, 45) as at:
        propose(at)
        await at.settle()
        await enter(at, "decline 3")
        assert "declines what research-bot proposes: short 25ct OKX_PERP_BTC_USDT at 64400 po" in at.text()
        await at.press("enter")
        await at.settle()
        assert at.port.declined == ["3"] and placed(at) == []
        await enter(at, "accept 4")
        assert "no proposal 4 waits" in at.text()


async def test_the_preview_of_a_replace_line_shows_the_order_as_it_is() -> None:
    async with desk(160, 45) as at:
        await enter(at, "re last px 3400")
        assert "Replace ─ BUY BINANCE ETH spot · was 1.0000 @ 3,412.10" in at.text() and "Staged" not in at.text()


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (160, 45)])
async def test_the_preview_of_a_size_by_risk_names_equity_and_loss(size: tuple[int, int]) -> None:
    """0.1 % is 31.71; 0.029 BTC lose 29 by price and 1.84 by the taker fees of both sides."""
    async with desk(*size) as at:
        await enter(at, "long risk 0.1% btc at 64000 sl 63000")
        text = at.text()
        assert "risk 0.1 % of BINANCE equity 31,711.50" in text, text
        assert "sl 63,000.0 loses at most ~30.84 with fees" in text, text


async def test_the_most_a_gtc_order_loses_is_counted_from_its_limit() -> None:
    """It takes at 64,001.2 and may fill up to 64,100: the most it loses at 63,000 is 1,100 a coin and the fees."""
    async with desk(160, 45) as at:
        await enter(at, "long 1 btc at 64100 sl 63000 gtc")
        assert "loses at most ~1,163.55 with fees" in at.text(), at.text()
        await at.press("escape")
        await enter(at, "long 1 btc at 64100 sl 63000 ioc")
        assert "loses ~1,064.70 with fees" in at.text(), at.text()


async def test_tab_completes_a_command_word_or_lists_candidates() -> None:
    async with desk() as at:
        await enter(at, "nud", "tab")
        assert at.app.main_screen.line_field.value == "nudge "
        await at.press("ctrl+u")
        await enter(at, "buy 1 BINANCE_PERP_", "tab")
        assert "BINANCE_PERP_BTC_USDT" in at.text() and "BINANCE_PERP_SOL_USDT" in at.text()


@pytest.mark.parametrize(
    ("typed", "completed"), [("chas", "chas"), ("twa", "twa"), ("ic", "ic"), ("trai", "trai"), ("se", "sell ")]
)
async def test_tab_completes_no_command_word_that_would_be_refused(typed: str, completed: str) -> None:
    async with desk() as at:
        await enter(at, typed, "tab")
        assert at.app.main_screen.line_field.value == completed


async def test_up_key_recalls_earlier_lines_without_sending_them() -> None:
    async with desk() as at:
        at.port.outcomes = [ACCEPTED]
        await enter(at, "long 0.02 btc join", "enter")
        await enter(at, "show ri")
        await at.press("up")
        assert at.app.main_screen.line_field.value == "long 0.02 btc join"
        await at.press("down")
        assert at.app.main_screen.line_field.value == "show ri" and len(placed(at)) == 1


async def test_commands_reduce_show_and_view_set_mode_pane_and_state() -> None:
    async with desk() as at:
        await enter(at, "reduce", "enter")
        status = at.app.mirror.engine_status
        assert status is not None and status.risk_mode is RiskMode.REDUCING
        await enter(at, "show risk", "enter")
        assert at.scope() is Scope.RISK
        await enter(at, "view", "enter")
        await enter(at, "long 0.02 btc join", "enter")
        assert placed(at) == []


async def test_command_flat_all_sends_closes_only_after_a_typed_word() -> None:
    async with desk() as at:
        await enter(at, "flat all")
        assert "close 3 positions at market" in at.text()
        await at.press("enter")
        await at.settle()
        assert at.scope() is Scope.WORD and placed(at) == []
        await answer(at, *"flat", "enter")
        assert len(placed(at)) == 3
        assert {intent.decision.source.split(",")[0] for intent in at.port.intents} == {"command flat all"}


async def test_command_c_all_venue_asks_before_it_cancels() -> None:
    async with desk() as at:
        await enter(at, "c all venue binance", "enter")
        assert at.scope() is Scope.PROMPT and "venue BINANCE" in at.text() and at.port.intents == []
        await answer(at, "y")
        [intent] = at.port.intents
        assert getattr(intent, "exchange", "") == "BINANCE"


# Several orders


async def answers(at: Desk, *outcomes: Outcome) -> None:
    at.port.outcomes = list(outcomes)
    at.port.rest()


async def test_a_scale_lists_its_orders_and_y_sends_them_in_turn() -> None:
    async with desk() as at:
        await answers(at, ACCEPTED, ACCEPTED, ACCEPTED)
        await enter(at, "scale long 0.3 BTC 3 from 63000 to 62000", "enter")
        text = at.text()
        assert "Send 3 orders" in text and "@ 62,500.0" in text and placed(at) == []
        await answer(at, "y")
        assert placed(at) == [("BUY", "0.1", "63000.0"), ("BUY", "0.1", "62500.0"), ("BUY", "0.1", "62000.0")]


async def test_a_scale_ends_at_the_first_order_that_is_not_accepted() -> None:
    async with desk() as at:
        await answers(at, ACCEPTED, Outcome(verdict=Verdict.REJECTED, text="not enough margin"), ACCEPTED)
        await enter(at, "scale long 0.3 BTC 3 from 63000 to 62000", "enter")
        await answer(at, "y")
        assert len(placed(at)) == 2
        assert "1 other not sent, 1 working: step 2 of 3: rejected: not enough margin; " in at.events()[-1]


async def test_the_preview_of_a_line_keeps_the_ampersand_of_its_orders() -> None:
    async with desk(160, 45) as at:
        await enter(at, f"long 0.01 BTC {BTC} at 63000 & short 0.01 BTC {BTC} at 65000")
        [note] = [line for line in at.text().split("\n") if "BUY 0.01" in line]
        assert " & SELL 0.01" in note and " ; " not in note


async def test_an_order_typed_after_a_cancel_waits_until_that_is_done() -> None:
    async with desk() as at:
        await answers(at, ACCEPTED, ACCEPTED)
        await at.press("2", "g", "j", "j", ":")
        await enter(at, f"c here ; long 0.02 BTC {BTC} at 63000", "enter")
        await answer(at, "y")
        assert [type(intent) for intent in at.port.intents] == [Cancel]
        key = at.port.intents[0].key  # type: ignore[union-attr]
        end_order(at, key)
        await at.settle()
        assert placed(at) == [("BUY", "0.02", "63000")]


def end_order(at: Desk, key: str) -> None:
    """The venue says that an order was cancelled."""
    order = at.app.mirror.orders[key]
    at.port.put(Table.ORDERS, key, msgspec.structs.replace(order, state="CANCELLED", final=True))


async def test_an_order_typed_after_an_unconfirmed_cancel_is_not_sent() -> None:
    async with desk() as at:
        await answers(at, ACCEPTED, ACCEPTED)
        await at.press("2", "g", "j", "j", ":")
        await enter(at, f"c here ; long 0.02 BTC {BTC} at 63000", "enter")
        await answer(at, "y")
        at.clock.pass_by(11)
        at.port.quote(BTC, "64001.0", "64001.3")
        await at.settle()
        assert placed(at) == [] and any("no evidence within 10 s" in event for event in at.events())


async def test_an_order_joined_to_a_cancel_by_ampersand_does_not_wait() -> None:
    async with desk() as at:
        await answers(at, ACCEPTED, ACCEPTED)
        await at.press("2", "g", "j", "j", ":")
        await enter(at, f"c here & long 0.02 BTC {BTC} at 63000", "enter")
        await answer(at, "y")
        assert [type(intent) for intent in at.port.intents] == [Cancel, Place]


async def test_an_order_after_a_close_waits_until_the_close_fills() -> None:
    async with desk() as at:
        await answers(at, Outcome(verdict=Verdict.ACCEPTED, key="o9"), ACCEPTED)
        await enter(at, "rev", "enter")
        await answer(at, "y")
        assert len(placed(at)) == 1 and placed(at)[0][0] == "SELL"
        at.port.order("o9", BTC, "SELL", "", "2.5", executed="2.5", position_side="LONG", state="FILLED", final=True)
        await at.settle()
        assert [side for side, _, _ in placed(at)] == ["SELL", "SELL"]


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (200, 60)])
async def test_command_line_is_at_the_bottom_at_every_screen_size(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await enter(at, "long 0.02 btc join")
        lines = at.text().split("\n")
        assert any(line.startswith("long 0.02 btc join") for line in lines[-2:])
        assert "64,001.0" in at.text() and len(lines) == size[1]
        await at.press("escape")
        await at.settle()
        assert at.scope() is Scope.QUOTES


async def test_a_command_alias_is_typed_as_a_command_and_saved() -> None:
    async with desk() as at:
        await enter(at, 'alias tiny "long v1 join"', "enter")
        assert at.app.preferences.aliases == {"tiny": "long v1 join"}
        await enter(at, "tiny")
        assert "BUY+LONG open long BINANCE BTC perp" in at.text()
        await at.press("enter")
        await at.settle()
        assert [qty for _, qty, _ in placed(at)] == ["0.001"]
        assert ScreenPreferences({}, [], at.app.preferences.encode()).aliases == {"tiny": "long v1 join"}


async def test_command_why_last_opens_the_card_of_a_cancelled_order() -> None:
    async with desk() as at:
        for key, row in list(at.app.mirror.orders.items()):
            at.port.put(Table.ORDERS, key, msgspec.structs.replace(row, state="CANCELLED", final=True))
        await at.settle()
        await enter(at, "why last", "enter")
        assert at.scope() is Scope.HELP and "CANCELLED" in at.text() and at.port.intents == []


async def test_command_why_last_finds_an_order_that_has_left_the_list() -> None:
    async with desk() as at:
        now = int(at.clock.wall() * 1000) + 1
        at.port.order("fast", "BINANCE_PERP_BTC_USDT", "BUY", "64001.0", "0.777", state="FILLED", create_at=now)
        await at.settle()
        at.port.put(Table.ORDERS, "fast", None)
        await at.settle()
        await enter(at, "why last", "enter")
        assert at.scope() is Scope.HELP and "0.777" in at.text() and "FILLED" in at.text()


async def test_command_why_last_without_any_order_names_the_history() -> None:
    async with desk(filled=False) as at:
        at.port.put(Table.SYMBOLS, SYMBOLS[0].sym, SYMBOLS[0])
        at.port.set_desk()
        await at.settle()
        await enter(at, "why last", "enter")
        assert "there is no last order: none of yours is listed, working or ended; the history has older" in at.text()


async def test_command_why_with_an_id_opens_the_card_of_that_order() -> None:
    async with desk() as at:
        at.port.order("o9", BTC, "BUY", "63000.0", "0.1", client_order_id="9c41aa7f3a")
        await at.settle()
        await enter(at, "why #7f3a", "enter")
        assert at.scope() is Scope.HELP and "BINANCE_PERP_BTC_USDT" in at.text() and at.port.intents == []


async def test_command_orphans_opens_the_algo_orders_screen() -> None:
    async with desk() as at:
        await enter(at, "orphans", "enter")
        assert at.scope() is Scope.SCREEN and "Algo orders" in at.text() and at.port.intents == []
