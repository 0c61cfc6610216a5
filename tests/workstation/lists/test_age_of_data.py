"""Every light, row colour and alarm follows the age of the data it stands for."""

from __future__ import annotations

import msgspec

from tests.workstation.algo_rows import put_algo
from tests.workstation.driver import Desk, desk
from tui.engine.rows import LocalOrderState, PendingAction, Table
from tui.engine.status_rows import LinkRow, LinkState
from tui.workstation.features.algo_orders.cells import age
from tui.workstation.widgets.full_screen import FullScreen
from tui.workstation.widgets.status_bar import link_pieces

BTC = "BINANCE_PERP_BTC_USDT"
SOL = "BINANCE_PERP_SOL_USDT"


async def pings_only(at: Desk, seconds: float) -> None:
    """Time passes; the links answer pings, and no quote comes."""
    at.clock.pass_by(seconds)
    for name in ("public", "private", "rest"):
        row = LinkRow(name=name, state=LinkState.UP, last_frame=at.clock.at, round_trip_ms=6.0)
        at.port.put(Table.LINKS, name, row)
    await at.settle()
    at.app.main_screen.tick()
    await at.settle()


def role_of(at: Desk, key: str) -> str:
    """The role in which the bid of a row is drawn."""
    pane = at.app.panes.quotes
    row = pane.row(key)
    assert row is not None
    return pane.fields["bid"].cell(row, at.app.view)[1]


async def test_market_data_without_updates_turns_amber_red_then_stale() -> None:
    async with desk(160, 45) as at:
        assert "md● 3ms" in at.text() and role_of(at, BTC) == "buy"
        await pings_only(at, 1.5)
        assert "md● ~1.5s" in at.text() and role_of(at, BTC) == "buy"
        await pings_only(at, 2.0)
        assert role_of(at, BTC) == "faint"
        await pings_only(at, 22.0)
        assert "md● STALE 25s" in at.text()
        assert "STALE 25s" in at.lines_of("quotes")[0]
        assert role_of(at, BTC) == "stale"
        await at.press("b")
        assert "quote STALE 25s" in at.text()


async def test_header_and_pane_title_show_the_same_data_age() -> None:
    """The title said `STALE 8s` while the status line said `STALE 8.9s`."""
    async with desk(160, 45) as at:
        await pings_only(at, 8.9)
        assert "md● STALE 8s" in at.text()
        assert "STALE 8s" in at.lines_of("quotes")[0]
        at.clock.pass_by(1.0)
        at.port.set_desk(skew_ms=2.0)
        await at.settle()
        assert "md● STALE 9s" in at.text(), "the status line was drawn between two ticks"
        assert "STALE 9s" in at.lines_of("quotes")[0]


async def test_the_screen_of_algo_orders_says_that_it_is_stale() -> None:
    """A stop stood there as armed 26 s after the network was cut, while Orders and Positions said STALE."""
    async with desk(80, 24) as at:
        await at.press("A")
        await at.settle()
        assert "STALE" not in at.text()
        at.clock.pass_by(26.0)
        for name in ("public", "private", "rest"):
            down = LinkRow(name=name, state=LinkState.DOWN, last_frame=at.clock.at - 26.0, round_trip_ms=6.0)
            at.port.put(Table.LINKS, name, down)
        await at.settle()
        assert isinstance(at.app.screen, FullScreen)
        title = at.text().split("\n")[2]
        assert "Algo orders" in title and "STALE 26s" in title, title
        at.clock.pass_by(5.0)
        at.app.screen.tick()
        await at.settle()
        assert "STALE 31s" in at.text().split("\n")[2]


async def test_only_the_quote_of_the_pair_without_updates_turns_stale() -> None:
    async with desk(160, 45) as at:
        await pings_only(at, 8)
        at.port.quote(SOL, "151.24", "151.25")
        await at.settle()
        at.app.main_screen.tick()
        await at.settle()
        assert "STALE" not in at.text() and "md● 6ms" in at.text()
        assert (role_of(at, BTC), role_of(at, SOL)) == ("stale", "buy")


def test_link_indicator_shows_the_age_of_the_last_message() -> None:
    def said(name: str, silent: float) -> tuple[str, str]:
        row = LinkRow(name=name, state=LinkState.UP, last_frame=1.0, round_trip_ms=32.0)
        pieces = link_pieces(row, name, 1.0 + silent, silent, wide=False)
        return pieces[2][0].strip(), pieces[1][1]

    assert said("rest", 1.0) == ("32ms", "good")
    assert said("rest", 5.0) == ("32ms", "good"), "an age beside round trips would look like one"
    assert said("rest", 9.0) == ("~9.0s", "warn")
    assert said("rest", 40.0) == ("STALE 40s", "alert")
    assert said("public", 3.0) == ("~3.0s", "warn")


async def test_a_pending_algo_order_shows_how_long_it_waits() -> None:
    """It showed the age of the order, however long its cancel was without an answer."""
    async with desk(200, 60) as at:
        made = put_algo(at, "7001", PendingAction.CANCEL_LOST)
        waits = msgspec.structs.replace(made, since=at.app.view.now - 7)
        assert age(waits, at.app.view) == ("7s", "pending")
        unknown = msgspec.structs.replace(made.record, order_state=LocalOrderState.UNKNOWN.value, create_at="")
        new = msgspec.structs.replace(waits, record=unknown, overlay=PendingAction.NOTHING)
        assert age(new, at.app.view) == ("7s", "unknown")
        assert age(msgspec.structs.replace(made, overlay=PendingAction.NOTHING), at.app.view)[1] == "dim"
