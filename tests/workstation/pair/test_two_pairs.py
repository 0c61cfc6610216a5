"""Two pairs side by side: the ladder pinned to one of them, chart and trades of another."""

from __future__ import annotations

import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.ladder.ladder import BTC, open_ladder, stand
from tui.engine.rows import DepthRow, Table
from tui.interface.streams import Detail
from tui.workstation.input.scopes import Scope
from tui.workstation.model.instruments import full_name
from tui.workstation.table.pair_pane import PairPane


def pairs_of(at: Desk) -> dict[str, str]:
    panes = (box.pane for box in at.app.main_screen.boxes.values())
    return {pane.id: pane.shown_sym for pane in panes if isinstance(pane, PairPane)}


async def pin_and_move(at: Desk) -> tuple[str, str]:
    """Pin the ladder to the second pair, go to another; return both."""
    await at.press("1", "g", "j", "d", "@", "1", "G")
    pinned = pairs_of(at)["ladder"]
    await at.wait(lambda: at.app.main_screen.pair.sym != pinned)
    return pinned, at.app.main_screen.pair.sym


async def test_a_pinned_ladder_keeps_its_pair_until_it_is_unpinned() -> None:
    async with desk(200, 60) as at:
        pinned, other = await pin_and_move(at)
        assert pairs_of(at) == {"ladder": pinned, "chart": other, "trades": other}
        assert at.port.details[-1] == Detail(other) and list(at.app.main_screen.pair.books) == [pinned]
        text = at.text()
        assert f"@ {full_name(pinned)}" in text and full_name(other) in at.lines_of("trades")[0]
        at.app.main_screen.show_pane("ladder")
        await at.press("@")
        assert pairs_of(at) == dict.fromkeys(("ladder", "chart", "trades"), other)
        assert not list(at.app.main_screen.pair.books) and "@ " not in at.lines_of("ladder")[0]


async def test_an_order_from_a_pinned_ladder_is_for_its_own_pair() -> None:
    async with desk(200, 60) as at:
        await open_ladder(at)
        await at.press("@", "1", "G")
        await at.wait(lambda: at.app.main_screen.pair.sym != BTC)
        at.port.put(Table.DEPTH, BTC, DepthRow(sym=BTC, whole=True, ts=2, bids=(("64000.9", "7.7"),), asks=()))
        at.app.main_screen.show_pane("ladder")
        await at.press("g")
        await stand(at)
        assert "7.7" in "\n".join(at.lines_of("ladder")), "its book goes on"
        await at.press("b")
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and ticket.sym == BTC != at.app.main_screen.pair.sym


async def test_a_chart_in_a_tab_names_its_own_pair_and_the_pinned_one() -> None:
    async with desk(120, 36) as at:
        await at.press("f3", "j", "j", "j", "enter", "g", "@", "1", "G")
        await at.wait(lambda: at.app.main_screen.pair.sym != at.app.main_screen.pair.pinned)
        title = at.text().split("\n")[at.app.main_screen.boxes["chart"].region.y]
        assert f"Chart {full_name(at.app.main_screen.pair.sym)} 1m" in title
        assert f"@ {full_name(at.app.main_screen.pair.pinned)}" in title


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_closing_the_pair_views_also_unpins_the_pair(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await pin_and_move(at)
        at.app.main_screen.show_pane("ladder")
        await at.press("d")
        assert at.app.main_screen.pair.pinned == "" and set(pairs_of(at).values()) == {""}
        await at.press("@")
        assert "no pair is open" in at.text() and at.scope() is not Scope.LADDER
