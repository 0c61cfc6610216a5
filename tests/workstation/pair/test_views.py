"""Views of one pair: opened and closed by `d`, driven by the cursor of the lists, placed by the size of the screen."""

from __future__ import annotations

import pytest

from tests.workstation.driver import Desk, desk
from tui.engine.rows import PrintsRow, Table
from tui.interface.families.market import TradePush
from tui.interface.streams import Detail
from tui.workstation.input.scopes import Scope
from tui.workstation.layouts.plan import PAIR_VIEWS, PANES, Needs, Plan, plan
from tui.workstation.model.instruments import full_name
from tui.workstation.table.row_choice import FILLING_S
from tui.workstation.widgets.pair_views import pair_of

SIZES = [(80, 24), (100, 36), (120, 36), (160, 45), (200, 60), (250, 50)]


def views(at: Desk) -> tuple[str, ...]:
    return at.app.main_screen.pair.shown


def trade(name: str, price: str, qty: str, side: str, at: int) -> TradePush:
    return TradePush(price=price, qty=qty, side=side, trade_id=name, ts=at)


@pytest.mark.parametrize("size", SIZES)
async def test_key_d_opens_ladder_chart_and_trades_and_closes_them(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        before = at.app.main_screen.plan
        await at.press("j", "d")
        sym = at.app.main_screen.pair.sym
        assert sym
        assert at.port.details == [Detail(sym)]
        assert at.app.scope in {Scope(view) for view in views(at)}
        await at.press("d")
        assert (at.app.scope, views(at), at.app.main_screen.plan.areas) == (Scope.QUOTES, (), before.areas)
        assert at.port.details == [Detail(sym), None]


async def test_pair_views_follow_the_cursor_of_a_list_once_it_rests() -> None:
    async with desk(160, 45) as at:
        await at.press("j", "d", "1")
        first = at.app.main_screen.pair.sym
        await at.press("j", "j")
        table = at.app.main_screen.tables["quotes"]
        await at.wait(lambda: at.app.main_screen.pair.sym == pair_of(table))
        assert at.app.main_screen.pair.sym != first
        assert at.port.details[-1] == Detail(at.app.main_screen.pair.sym)


async def test_tab_through_the_lists_does_not_change_the_pair_shown() -> None:
    async with desk(120, 36) as at:
        await at.press("1", "g", "j", "j", "d")
        chosen = at.app.main_screen.pair.sym
        await at.press("1")
        for _ in range(12):
            await at.press("tab")
            await at.pause(1.0)
            assert at.app.main_screen.pair.sym == chosen
        assert at.port.details == [Detail(chosen)]


async def test_a_key_or_click_on_a_row_shows_its_pair_in_the_views() -> None:
    async with desk(160, 45) as at:
        await at.press("1", "g", "j", "j", "d", "2")
        table = at.app.main_screen.tables["orders"]
        other = pair_of(table)
        assert other and at.app.main_screen.pair.sym != other
        await at.press("g")
        await at.wait(lambda: at.app.main_screen.pair.sym == other)
        await at.press("3")
        region = at.app.main_screen.tables["quotes"].region
        await at.click(region.x + 3, region.y + 3)
        quotes = at.app.main_screen.tables["quotes"]
        await at.wait(lambda: at.app.main_screen.pair.sym == pair_of(quotes))


async def test_moving_quickly_over_pairs_subscribes_only_the_last() -> None:
    async with desk(160, 45) as at:
        await at.press("j", "d", "1")
        for _ in range(5):
            at.send("j")
        table = at.app.main_screen.tables["quotes"]
        await at.wait(lambda: len(at.port.details) > 1)
        assert at.app.main_screen.pair.sym == pair_of(table)
        assert len(at.port.details) == 2


async def test_left_and_right_on_a_ladder_without_tabs_are_explained() -> None:
    async with desk(200, 60) as at:
        await at.press("1", "g", "j", "d")
        for key in ("left", "right"):
            await at.press(key)
            assert at.app.main_screen.box is at.app.main_screen.boxes["ladder"], key
            assert "no other view shares this pane" in at.text()


async def test_key_d_on_a_row_without_a_pair_says_to_select_one() -> None:
    async with desk(120, 36) as at:
        await at.press("4", "d")
        assert views(at) == ()
        assert "select a row that has a pair first" in at.text()


async def test_ladder_chart_and_trades_stay_open_in_another_pane() -> None:
    async with desk(80, 24) as at:
        await at.press("j", "d", "2")
        assert at.app.scope is Scope.ORDERS
        assert views(at)
        await at.press("d")
        assert at.app.scope in {Scope(view) for view in views(at)}


async def test_the_trade_list_sums_trades_of_one_burst_side_and_price() -> None:
    async with desk(160, 45) as at:
        await at.press("j", "d")
        sym = at.app.main_screen.pair.sym
        trades = (
            trade("4", "61785.7", "0.5", "SELL", 2_000_100),
            trade("3", "61785.8", "0.2", "BUY", 2_000_030),
            trade("2", "61785.8", "0.1", "BUY", 2_000_000),
            trade("1", "61785.8", "0.1", "BUY", 1_000_000),
        )
        at.port.put(Table.PRINTS, sym, PrintsRow(sym=sym, trades=trades))
        await at.settle()
        pane = at.app.main_screen.tables["trades"].pane
        rows = [row for key in list(pane.keys()) if (row := pane.row(key)) is not None]
        assert [(row.price, str(row.qty), row.count) for row in rows] == [
            ("61785.7", "0.5", 1),
            ("61785.8", "0.3", 2),
            ("61785.8", "0.1", 1),
        ]


@pytest.mark.parametrize("size", SIZES)
async def test_a_zoomed_pair_view_names_its_pair(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press("1", "g", "j", "d")
        for view in PAIR_VIEWS:
            at.app.main_screen.show_pane(view)
            await at.press("0")
            title = at.text().split("\n")[at.app.main_screen.boxes[view].region.y]
            assert full_name(at.app.main_screen.pair.sym) in title and "[0] back" in title, view
            await at.press("0")


@pytest.mark.parametrize("moves", [(), ("j", "g"), ("j",)])
async def test_the_newest_trade_shows_unless_an_older_one_is_chosen(moves: tuple[str, ...]) -> None:
    """Only a cursor that was moved to an older trade stays with it."""
    async with desk(120, 36) as at:
        await at.press("j", "d")
        sym, pane = at.app.main_screen.pair.sym, at.app.main_screen.tables["trades"]
        at.app.main_screen.show_pane("trades")

        async def follow(count: int) -> None:
            trades = (trade(str(n), "61785.8", "0.1", "BUY", n * 1000) for n in range(count, 0, -1))
            at.port.put(Table.PRINTS, sym, PrintsRow(sym=sym, trades=tuple(trades)))
            await at.settle()

        await follow(20)
        await at.press(*moves)
        # A list takes its first row anew only while it is young.
        at.clock.pass_by(FILLING_S + 1)
        await follow(80)
        chosen = "19" if moves == ("j",) else "80"
        assert pane.selected == chosen
        assert chosen in pane.visible_keys() and ("80" in pane.visible_keys()) == (chosen == "80")


def laid_out(width: int, height: int) -> Plan:
    return plan(width, height, Needs(pair=PAIR_VIEWS))


@pytest.mark.parametrize("height", [10, 20, 24, 34, 36, 45, 60])
def test_every_pane_and_pair_view_has_a_place_at_every_size(height: int) -> None:
    for width in range(40, 260, 7):
        shown = laid_out(width, height)
        assert not shown.tiny, width
        placed = [pane for area in shown.areas for pane in area.panes]
        assert sorted(placed) == sorted((*PANES, *PAIR_VIEWS)), width
        for area in shown.areas:
            assert area.box.width >= 40
            assert area.box.height >= 4
            assert area.box.x + area.box.width <= width
            assert area.box.y + area.box.height <= height, width


@pytest.mark.parametrize(("width", "height", "boxes"), [(120, 36, 1), (160, 45, 2), (200, 60, 3)])
def test_pair_views_stand_beside_the_lists_on_wide_screens(width: int, height: int, boxes: int) -> None:
    shown = laid_out(width, height)
    beside = [area for area in shown.areas if set(area.panes) <= set(PAIR_VIEWS)]
    assert len(beside) == boxes
    assert all(area.box.x >= 76 for area in beside)
