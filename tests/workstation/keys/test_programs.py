"""Programs at the desk: a request is seen, answered by a typed line, and one key ends what was granted."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.keys.test_command_line import answer, enter, placed, propose
from tui.engine.intents import Cancel, Outcome, Place, Replace, Verdict
from tui.engine.modes import TradingState
from tui.engine.rows import OrderRow, Table
from tui.engine.status_rows import ENGINE, MandateRow, PeerRow, ProposalRow, Proposed
from tui.workstation.input.scopes import Scope

SIZES = pytest.mark.parametrize("size", [(80, 24), (120, 36), (160, 45)])


def ask(at: Desk, *, granted: bool = False, key: str = "7", peer: str = "maker") -> None:
    row = MandateRow(
        key=key, peer=peer, reason="quotes", pairs=("BINANCE_PERP_BTC_USDT",), side="BOTH", order_value="700",
        position_value="900", traded_value="1500", loss="50", orders_per_minute=30, seconds=600,
        since=at.clock.mono() - 12, expires=at.clock.mono() + 60, granted=granted, held="300" if granted else "0",
        traded="617.9" if granted else "0", result="-1.25" if granted else "0",
    )  # fmt: skip
    at.port.put(Table.MANDATES, key, row)


def attach(at: Desk) -> None:
    peers = (
        PeerRow(name="maker", role="trade", trading_state=TradingState.ARMED, since_ms=1_700_000_000_000),
        PeerRow(name="research-bot", role="propose", since_ms=1_700_000_000_000),
        PeerRow(name="desk 2", role="desk"),
    )
    status = at.app.mirror.engine_status
    assert status is not None
    at.port.put(Table.ENGINE_STATUS, ENGINE, msgspec.structs.replace(status, peers=peers))


@SIZES
async def test_a_program_mandate_and_its_request_show_at_each_size(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        ask(at)
        await at.settle()
        assert "maker asks" in at.text() and ":grant 7 or :decline 7 (F7) a mandate: buy and sell BINANCE" in at.text()
        ask(at, granted=True)
        await at.settle()
        assert "maker 1m00s Ctrl+R ends · F7 mandate 7 · holds 300/900, uses 618/1,500" in at.text().replace(
            "0m59s", "1m00s"
        )
        at.port.put(Table.MANDATES, "7", None)
        await at.settle()
        assert "Ctrl+R" not in at.text()


async def test_a_mandate_of_a_program_is_granted_only_by_a_command() -> None:
    async with desk(160, 45) as at:
        ask(at)
        await enter(at, "grant 7")
        said = (
            "Enter lets maker send without asking: buy and sell BINANCE BTC perp, 700 an order, 900 held, 1500 traded"
        )
        assert said in at.text() and at.port.granted == []
        await at.press("escape", "Y", "y")
        assert at.port.granted == []
        await enter(at, "grant 7", "enter")
        assert at.port.granted == ["7"] and placed(at) == [], at.text()
        scope = at.scope()
        await at.press("enter")
        assert at.scope() is scope and "this Enter opens nothing" in at.events()[-1]
        await enter(at, "grant 8")
        assert "no request for a mandate 8 waits" in at.text()


async def test_commands_decline_and_revoke_refuse_or_end_a_mandate() -> None:
    async with desk(160, 45) as at:
        ask(at)
        await enter(at, "decline 7")
        assert "Enter declines the mandate that maker asks for: buy and sell" in at.text()
        await at.press("enter")
        await enter(at, "revoke")
        assert "no mandate holds" in at.text()
        await at.press("escape")
        ask(at, granted=True)
        await enter(at, "revoke 7", "enter")
        await enter(at, "revoke")
        assert "Enter ends mandate 7 of maker" in at.text()
        await at.press("enter")
        assert (at.port.declined, at.port.revoked) == (["7"], ["7", ""])


@pytest.mark.parametrize("keys", [(), ("4",), ("ctrl+p",), ("slash",), ("b",), ("colon",), ("question_mark",)])
async def test_ctrl_r_revokes_program_mandates_on_every_screen_and_box(keys: tuple[str, ...]) -> None:
    async with desk(160, 45) as at:
        await at.press("ctrl+r")
        assert at.port.revoked == []
        ask(at, granted=True)
        await at.settle()
        await at.press(*keys)
        await at.press("ctrl+r")
        assert at.port.revoked == [""]


@SIZES
async def test_the_programs_screen_lists_mandates_proposals_and_desks(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        attach(at)
        propose(at)
        ask(at, granted=True)
        await at.press("f7")
        await at.settle()
        assert at.scope() is Scope.SCREEN
        for text in ("maker", "trades", "holds: mandate 7", "asks: order 3", "desk 2", "research-bot"):
            assert text in at.text(), text
        assert "holds 300/900, uses 618/1,500" in at.text() or size[0] < 120
        assert "Enter: all terms" in at.text()
        await at.press("f7")
        assert at.scope() is not Scope.SCREEN


async def test_programs_screen_keys_open_the_grant_and_decline_lines() -> None:
    async with desk(160, 45) as at:
        attach(at)
        ask(at)
        propose(at)
        await at.press("f7", "g", "Y")
        assert "this row asks for nothing: there is nothing to grant" in at.text()
        await at.press("down", "enter")
        await at.settle()
        assert "700 an order, 900 held, 1500 traded, loss 50" in at.text() and ":grant 7, :decline 7" in at.text()
        await at.press("Y")  # on the card of the request
        assert at.app.main_screen.line_field.value == "grant 7" and at.port.granted == []
        await at.press("Y")
        assert at.app.main_screen.line_field.value == "grant 7" and "Enter lets maker send" in at.text()
        await at.settle()
        await at.press("enter")
        await at.settle()
        assert at.port.granted == ["7"], at.text()
        await at.press("f7", "g", "down", "down", "down", "N")
        await at.settle()
        await at.press("enter")
        await at.settle()
        assert at.port.declined == ["3"]


BTC, OKX, ETH = "BINANCE_PERP_BTC_USDT", "OKX_PERP_BTC_USDT", "BINANCE_SPOT_ETH_USDT"
FIRST = Outcome(verdict=Verdict.ASK, guard="FIRST_OF_DAY", text="the first order of the day?")


@pytest.mark.parametrize("moved", [False, True])
async def test_a_proposal_is_void_after_30_s_or_a_far_market_move(*, moved: bool) -> None:
    async with desk(160, 45) as at:
        propose(at)
        at.port.quote(OKX, "64000.0", "64000.1")
        await enter(at, "accept 3")
        if moved:
            at.port.quote(OKX, "60000.0", "60000.1")
        else:
            at.clock.pass_by(31.0)
        await at.settle()
        why = "price moved from 64,000.0 to 60,000.0" if moved else "was open for more than 30 s"
        assert why in at.text() and ":accept 3 shows it anew" in at.text()
        await answer(at, "enter", "enter", "y")
        assert placed(at) == [] and "nothing was sent" in at.events()[-1]
        await at.press("escape")
        await enter(at, "accept 3")
        await answer(at, "enter")
        assert [side for side, _, _ in placed(at)] == ["SELL"]


async def test_the_question_about_an_accepted_proposal_is_void_in_30_s() -> None:
    async with desk(160, 45) as at:
        propose(at)
        at.port.outcomes = [FIRST]
        await enter(at, "accept 3", "enter")
        assert len(placed(at)) == 1 and "the first order of the day?" in at.text()
        at.clock.pass_by(31.0)
        await at.press("y")
        await at.settle()
        assert len(placed(at)) == 1 and "was open for more than 30 s" in at.events()[-1]


async def test_a_proposal_edited_in_the_ticket_is_sent_as_own_order() -> None:
    async with desk(160, 45) as at:
        propose(at)
        at.port.outcomes = [FIRST]
        await enter(at, "accept 3", "enter")
        await answer(at, "escape", "right")
        assert "your own order, not proposal 3" in at.text() and "proposal 3" in at.text()
        at.clock.pass_by(31.0)
        await answer(at, "enter")
        proposed, own = at.sent_orders()
        assert (proposed.proposal, proposed.qty) == ("3", "25") and (own.proposal, own.qty) == ("", "26")
        await answer(at, ".")
        assert "proposal 3 has ended" not in at.text()


def propose_other(at: Desk, kind: Proposed, **terms: Any) -> None:
    row = ProposalRow(
        key="4", peer="research-bot", reason="the basis", kind=kind, since=at.clock.mono() - 12,
        expires=at.clock.mono() + 60, **terms,
    )  # fmt: skip
    at.port.put(Table.PROPOSALS, "4", row)


async def working_order(at: Desk) -> OrderRow:
    await at.settle()
    return next(order for order in at.app.mirror.working() if order.sym == ETH and not order.final)


async def test_a_proposed_replace_is_shown_as_a_command_and_accepted() -> None:
    async with desk(160, 45) as at:
        order = await working_order(at)
        propose_other(at, Proposed.REPLACE, order=order.key, sym=order.sym, side=order.side, qty="2", price="3400")
        await at.settle()
        assert f"re #{order.key} px 3400 tot 2 ETH · the basis · asked 12s ago" in at.text()
        await enter(at, "accept 4")
        assert "Replace ─ BUY BINANCE ETH spot · was" in at.text() and "research-bot: the basis" in at.text()
        assert at.port.intents == []
        await answer(at, "enter")
        [sent] = at.port.intents
        assert isinstance(sent, Replace)
        assert (sent.key, sent.price, sent.qty, sent.proposal) == (order.key, "3400", "2", "4")


async def test_a_proposed_cancel_is_sent_by_accept_with_its_number() -> None:
    async with desk(160, 45) as at:
        order = await working_order(at)
        propose_other(at, Proposed.CANCEL, order=order.key, sym=order.sym, side=order.side, qty=order.qty)
        await enter(at, "accept 4")
        assert "cancel BUY" in at.text() and "research-bot: the basis" in at.text() and at.port.intents == []
        await answer(at, "enter")
        [sent] = at.port.intents
        assert isinstance(sent, Cancel) and (sent.key, sent.proposal) == (order.key, "4") and at.port.revoked == []


async def test_a_proposed_close_is_shown_as_command_close_and_accepted() -> None:
    async with desk(160, 45) as at:
        fact = next(iter(at.app.mirror.positions.values()))
        record = fact.record
        propose_other(at, Proposed.CLOSE, sym=record.sym, position_side=record.position_side, qty=record.position_qty)
        await at.settle()
        assert f"close 100% {record.sym}" in at.text()
        await enter(at, "accept 4")
        assert "research-bot: the basis" in at.text() and placed(at) == []
        await answer(at, "enter")
        [sent] = at.port.intents
        assert isinstance(sent, Place) and (sent.sym, sent.position_side, sent.proposal) == (
            record.sym, record.position_side, "4",
        )  # fmt: skip
        assert sent.qty == record.position_qty.lstrip("-")


async def test_a_proposal_in_a_line_of_two_orders_is_void_after_30_s() -> None:
    async with desk(160, 45) as at:
        propose(at)
        await enter(at, f"accept 3 & long 0.01 BTC {BTC} at 63000", "enter")
        at.clock.pass_by(31.0)
        await answer(at, "y")
        assert ("SELL", "25", "64400") not in placed(at)
        assert any("not sent: proposal 3 was open for more than 30 s" in text for text in at.events())


async def test_cursor_and_command_c_last_skip_newer_orders_of_programs() -> None:
    async with desk(160, 45) as at:
        order = await working_order(at)
        theirs = msgspec.structs.replace(
            order, key="theirs", client_order_id="theirs", order_id="9", peer="maker", create_at=order.create_at + 10**9
        )
        at.port.put(Table.ORDERS, "theirs", theirs)
        newest = max(
            (row for row in at.app.mirror.working() if at.app.mirror.is_own(row)), key=lambda row: row.create_at
        )
        await at.press("3", "2")
        await at.settle()
        assert at.app.main_screen.tables["orders"].selected == newest.key != "theirs"
        await enter(at, "c last")
        assert f"cancel {newest.side}" in at.text()
        await answer(at, "enter")
        [sent] = at.port.intents
        assert isinstance(sent, Cancel) and sent.key == newest.key


@SIZES
async def test_the_kill_prompt_names_the_mandates_that_it_ends(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        ask(at, granted=True)
        ask(at, granted=True, key="8", peer="bot")
        await at.press("X")
        await at.settle()
        assert "ends the mandates of maker and bot" in at.text()


async def test_the_header_names_a_mandate_that_is_asked_for() -> None:
    async with desk(160, 45) as at:
        ask(at)
        await at.settle()
        assert "asks: mandate 7" in at.text().splitlines()[0]


async def test_quit_names_mandate_orders_it_ends_and_own_ones_left() -> None:
    async with desk(160, 45) as at:
        order = await working_order(at)
        theirs = msgspec.structs.replace(order, key="theirs", client_order_id="theirs", order_id="9", peer="maker")
        at.port.put(Table.ORDERS, "theirs", theirs)
        ask(at, granted=True)
        await at.settle()
        own = len(at.app.mirror.working()) - 1
        await at.press("ctrl+q")
        await at.settle()
        assert "ends the mandate of maker and cancels 1 order" in at.text()
        assert f"quit; {own} orders" in at.text()
        assert (
            "theirs" not in at.app.describe_left_at_venue() and order.client_order_id in at.app.describe_left_at_venue()
        )
