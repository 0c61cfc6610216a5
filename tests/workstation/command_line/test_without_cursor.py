"""Lines that name no row: with a cursor they mean its row, without one they are told what to write."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.command_line.test_order_plan import BTC, read_desk
from tests.workstation.driver import desk
from tests.workstation.keys.test_command_line import enter
from tui.engine.rows import Table
from tui.engine.status_rows import ProposalRow, Proposed
from tui.workstation.command_line.grammar.parser import parse
from tui.workstation.command_line.grammar.refusals import Code, LineRefused
from tui.workstation.command_line.grammar.scene import Scene
from tui.workstation.command_line.levels import list_held
from tui.workstation.command_line.named_rows import Cursor
from tui.workstation.command_line.outlook import LineOutlook, look_ahead
from tui.workstation.model.display_context import DisplayContext

NO_ORDER = (
    "here means the row under the cursor, and there is no cursor: write last, or # and the beginning or end of an id"
)
HERE = "which position? there is no cursor to choose it: write its pair, such as "
CLOSING = {
    "flat": "flat BINANCE BTC perp",
    "flat here": "flat BINANCE BTC perp",
    "close half": "close 50% BINANCE BTC perp",
    "close 50% join": "close 50% BINANCE BTC perp join",
    "rev": "rev BINANCE BTC perp",
    "be here": "be BINANCE BTC perp",
    "sl move to 61500": "sl move BINANCE BTC perp to 61500",
    "protect here 1%": "protect BINANCE BTC perp 1%",
}
"""Line that names no position, with what is offered in its place."""


def look(line: str, view: DisplayContext, *, has_rows: bool = False) -> LineOutlook:
    """What a line would do with the cursor on no row, or without a cursor."""
    scene = Scene(view.mirror.symbols, held=list_held(view), has_cursor=has_rows)
    return look_ahead(parse(line, scene), view, Cursor(has_rows=has_rows))


def refuse(line: str, view: DisplayContext, *, has_rows: bool = False) -> tuple[Code, str]:
    with pytest.raises(LineRefused) as refused:
        look(line, view, has_rows=has_rows)
    return refused.value.code, str(refused.value)


@pytest.mark.parametrize("line", CLOSING)
def test_without_a_cursor_a_close_line_suggests_held_pairs(line: str) -> None:
    view = read_desk()
    assert refuse(line, view) == (Code.LEG_EMPTY, HERE + CLOSING[line])
    assert look(CLOSING[line], view).steps, "what is offered is accepted"
    assert refuse(line, view, has_rows=True) == (Code.LEG_EMPTY, "no position is under the cursor")


def test_without_a_cursor_flat_suggests_the_leg_of_a_hedged_pair() -> None:
    view = read_desk()
    [(key, long)] = [(key, fact) for key, fact in view.mirror.positions.items() if fact.record.sym == BTC]
    short = msgspec.structs.replace(long.record, position_side="SHORT", position_qty="1")
    view.mirror.positions[key.replace("LONG", "SHORT")] = msgspec.structs.replace(long, record=short)
    assert refuse("flat", view)[1] == f"{HERE}flat BINANCE BTC perp long"
    assert look("flat BINANCE BTC perp long", view).ticket is not None


def test_a_close_line_without_a_position_says_that_none_is_open() -> None:
    view = read_desk(held=False)
    assert refuse("flat", view) == (Code.LEG_EMPTY, "no position is open")
    assert refuse("flat", view, has_rows=True) == (Code.LEG_EMPTY, "no position is under the cursor")


@pytest.mark.parametrize("line", ["c here", "re here px 63990", "nudge here +2t", "why here"])
def test_without_a_cursor_the_word_here_asks_for_an_order_id(line: str) -> None:
    view = read_desk()
    assert refuse(line, view) == (Code.NO_ORDER, NO_ORDER)
    assert refuse(line, view, has_rows=True) == (Code.NO_ORDER, "no order is under the cursor")


@pytest.mark.parametrize(
    ("line", "without", "beside"),
    [
        ("re px 64000", "which order? last or #", "which order? here, last or #"),
        ("c", "cancel what? last, #id, bids, asks, or all with", "cancel what? here, last, #id, marks, bids, asks, or"),
        ("c it", "accepted: last, #id, bids, asks, all", "accepted: here, last, #id, marks, bids, asks, all"),
        (
            "flat long",
            f"there is no cursor to choose it: write it, such as {BTC}",
            "which symbol? no symbol is in view",
        ),
    ],
)
def test_a_refusal_suggests_the_word_here_only_with_a_cursor(line: str, without: str, beside: str) -> None:
    view = read_desk()
    assert without in refuse(line, view)[1]
    assert beside in refuse(line, view, has_rows=True)[1]


def test_accepting_a_proposal_about_an_unlisted_order_is_refused() -> None:
    view = read_desk()
    gone = ProposalRow(
        key="4", peer="research-bot", reason="", kind=Proposed.CANCEL, order="gone", expires=view.now + 60
    )
    view.mirror.proposals["4"] = gone
    said = (Code.NO_ORDER, "the order that research-bot asks about is not listed any more")
    assert refuse("accept 4", view) == refuse("accept 4", view, has_rows=True) == said


async def test_a_cancel_here_line_says_that_no_order_is_at_the_cursor() -> None:
    async with desk(120, 36) as at:
        await enter(at, "c here")
        assert "no order is under the cursor" in at.text()


async def test_a_close_line_says_that_no_position_is_at_the_cursor() -> None:
    async with desk(120, 36) as at:
        for key in list(at.app.mirror.positions):
            at.port.put(Table.POSITIONS, key, None)
        await at.settle()
        await at.press("3", ":")
        for char in "flat":
            await at.press(char)
        await at.settle()
        assert "no position is under the cursor" in at.text() and "there is no cursor" not in at.text()
