"""Stops and targets of an entry without a fill: kill, quit and cancels say that they end with it, and keep no word of it."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.algo_rows import put_algo
from tests.workstation.driver import Desk, desk
from tests.workstation.keys.test_command_line import enter
from tests.workstation.tickets.ticket_desk import BTC
from tui.cli.desks.line_sender import LineSender
from tui.cli.desks.shell_desk import ShellDesk
from tui.engine.intents import CancelAll, Outcome, Verdict
from tui.engine.rows import Table
from tui.engine.status_rows import LinkState
from tui.workstation.command_line.grammar.parser import parse
from tui.workstation.command_line.grammar.scene import Scene
from tui.workstation.command_line.named_rows import Cursor
from tui.workstation.command_line.outlook import look_ahead
from tui.workstation.input.scopes import Scope

KEPT = "keep closing orders: SL 63,000.0 for 0.500 of BINANCE BTC perp"
ENDS = "attached stops and targets end: SL 61,000.0 TP 66,000.0 of BINANCE BTC perp"


async def put_exits(at: Desk, parent: str = "9o3") -> None:
    """A stop of the long leg, and target and stop of an order to buy."""
    put_algo(at, "7001")
    put_algo(
        at, "7002", order_qty="0", attached_order_id=parent, sl_trigger_price="61000", tp_trigger_price="66000",
        tp_trigger_type="LAST_PRICE",
    )  # fmt: skip
    await at.settle()


@pytest.mark.parametrize("key", ["X", "ctrl+q"])
async def test_kill_and_quit_say_which_stops_and_targets_end_or_stay(key: str) -> None:
    """Both said that the exits of the entry are kept; the quit said below that the position has no stop."""
    async with desk(160, 45) as at:
        await put_exits(at)
        await at.press(key)
        text = at.flat_text()
        assert f"; {ENDS}; {KEPT}" in text and text.count("61,000.0") == 1, text


async def test_with_the_stream_down_quit_says_cancels_are_only_tried() -> None:
    async with desk(160, 45) as at:
        await at.press("ctrl+q")
        assert "cancels are tried" not in at.flat_text()
        await at.press("escape")
        link = msgspec.structs.replace(at.app.mirror.links["private"], state=LinkState.DOWN)
        at.port.put(Table.LINKS, "private", link)
        await at.settle()
        await at.press("ctrl+q")
        assert "the private stream is down: cancels are tried" in at.flat_text()


async def test_quit_again_in_a_small_window_names_what_is_open() -> None:
    """At 60x20 it said `2 lines do not fit`, and the open position was one of them."""
    async with desk(60, 20) as at:
        link = msgspec.structs.replace(at.app.mirror.links["private"], state=LinkState.DOWN)
        at.port.put(Table.LINKS, "private", link)
        await put_exits(at)
        why = (
            "kill did not arrive: not connected; what works there stays live; a kill is tried again once the link is up"
        )
        at.port.outcomes = [Outcome(verdict=Verdict.DENIED, guard="LINK", text=why)]
        await at.press("ctrl+q", "right")
        await at.confirm()
        at.port.set_desk(kills=1)
        await at.settle()
        said, foot = at.flat_text(), at.text().split("\n")[-1]
        assert "quit all the same; " in said and "stays open: BINANCE BTC perp LONG 2.500" in said, at.text()
        assert "kill did not arrive" in said and "not fit" not in said and "y confirm" in foot, at.text()


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_quit_asks_again_if_its_cancel_of_orders_failed(size: tuple[int, int]) -> None:
    """That it did not quit, and which key quits all the same, stood in the list of events alone."""
    async with desk(*size) as at:
        why = "kill did not arrive: not connected; what works there stays live"
        at.port.outcomes = [Outcome(verdict=Verdict.DENIED, guard="LINK", text=why)]
        await at.press("ctrl+q", "right")
        await at.confirm()
        assert [type(intent) for intent in at.port.intents] == [CancelAll]
        at.port.set_desk(kills=1)
        await at.settle()
        text = at.flat_text()
        assert at.scope() is Scope.PROMPT and "not quit: the cancel was not confirmed" in text
        assert "quit all the same; " in text and why in text and at.app.is_running
        at.clock.pass_by(1.0)
        await at.press("y")
        assert not at.app.is_running or at.app._exit


async def test_quit_asks_again_if_its_cancel_of_orders_is_unknown() -> None:
    async with desk(80, 24) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.UNKNOWN, text="no answer")]
        await at.press("ctrl+q", "right")
        await at.confirm()
        at.clock.pass_by(1.0)
        at.port.event("still here")
        await at.settle()
        assert at.scope() is Scope.PROMPT and "quit all the same; " in at.flat_text()
        await at.press("escape")
        assert at.scope() is not Scope.PROMPT and at.app.is_running


@pytest.mark.parametrize(("side", "ends"), [("bids", True), ("asks", False)])
async def test_cancelling_bids_names_the_stops_that_end_with_them(side: str, ends: bool) -> None:
    """Of target and stop of an order that it cancelled, `do` said that they stay and may open a position."""
    async with desk(160, 45) as at:
        at.port.order("o8", BTC, "SELL", "66000", "0.1", position_side="SHORT")
        await put_exits(at)
        view = at.app.context.view
        outlook = look_ahead(parse(f"c {side} {BTC}", Scene(view.mirror.symbols)), view, Cursor())
        told = LineSender(ShellDesk(at.port, view), outlook).list_spared()  # type: ignore[arg-type]
        assert told == ([ENDS, "stops and targets stay: 1"] if ends else ["stops and targets stay: 2"])
        await enter(at, f"c {side} {BTC}", "enter")
        assert (ENDS in at.flat_text()) is ends
