"""Columns: they fit every width, their names stand whole, what is added follows the numbers, and figures sort as figures."""

from __future__ import annotations

from decimal import Decimal

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.scripted import ScriptedClock
from tui.engine.rows import BracketTable, Fact, FundingTerms, Table, TickerRow
from tui.interface.families.fees import FeeGroup, FeeSchedule
from tui.interface.families.market import Bracket
from tui.workstation.app.desk_panes import DRAWN as WIDGETS
from tui.workstation.app.desk_panes import build_desk_panes
from tui.workstation.app.screen_registry import FULL_SCREENS
from tui.workstation.features.history.algo_tab import ALGOS
from tui.workstation.features.history.booked_tabs import CLOSED
from tui.workstation.features.history.tab import HistoryTab
from tui.workstation.features.history.trade_tabs import FILLS, ORDERS
from tui.workstation.input.scopes import VIEWS, Scope
from tui.workstation.layouts.plan import PAIR_VIEWS, PANES
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.mirror import Mirror
from tui.workstation.model.screen_preferences import ColumnChoice
from tui.workstation.render.palette import PLAIN, Palette
from tui.workstation.render.text import width
from tui.workstation.settings import WorkstationSettings
from tui.workstation.table.columns import SPARE, Field, choose_columns
from tui.workstation.table.pane import AnyPane
from tui.workstation.widgets.main_screen import MainScreen

BTC, OKX, SPOT = "BINANCE_PERP_BTC_USDT", "OKX_PERP_BTC_USDT", "BINANCE_SPOT_BTC_USDT"
DRAWN = ((80, 24), (120, 36), (160, 45), (200, 60), (200, 37), (60, 20), (40, 10))


def panes() -> list[AnyPane]:
    clock = ScriptedClock()
    view = DisplayContext(Mirror(clock), clock, WorkstationSettings())
    screen = MainScreen(view, Palette(PLAIN), list, lambda _: None, build_desk_panes(view), WIDGETS)
    return [table.pane for table in screen.tables.values()]


def lists() -> list[AnyPane]:
    """Every list of the desk and of the screens beside it."""
    clock = ScriptedClock()
    view = DisplayContext(Mirror(clock), clock, WorkstationSettings())
    found = panes()
    for row in FULL_SCREENS.values():
        for at in range(len(row.pane.views) if row.pane.names_views else 1):
            pane = row.pane(view)
            pane.view_at = at
            found.append(pane)
    return found


ALL = pytest.mark.parametrize("pane", lists(), ids=lambda pane: pane.columns_id)


def test_every_pane_has_a_layout_place_and_a_key_scope() -> None:
    ids = [pane.id for pane in panes()]
    assert ids == [*PANES, *(view for view in PAIR_VIEWS if view in ids)]
    assert {Scope(name) for name in ids} <= VIEWS


@ALL
def test_columns_fit_every_width_and_keep_their_order(pane: AnyPane) -> None:
    order = list(pane.fields)
    for inside in range(240):
        columns = pane.columns(inside)
        assert sum(column.width for column in columns) <= inside
        assert [column.id for column in columns] == sorted((one.id for one in columns), key=order.index)
        assert inside < 20 or columns


@ALL
def test_no_column_header_is_cut(pane: AnyPane) -> None:
    for inside in range(36, 200):
        for column in pane.columns(inside):
            assert width(pane.heading(column)) < column.width, (inside, column.id)


@ALL
def test_every_numeric_column_defines_its_sort_value(pane: AnyPane) -> None:
    assert [name for name, field in pane.fields.items() if not field.left and field.sort is None] == []


A = Field[str](10, lambda row, view: (row, "text"), left=True, least=6)
SAMPLE = {
    "a": A, "b": msgspec.structs.replace(A, hide=1),
    "short": msgspec.structs.replace(A, least=4, hide=2, instead=("c", "d")),
    "c": msgspec.structs.replace(A, hide=5), "d": msgspec.structs.replace(A, hide=5),
    "e": msgspec.structs.replace(A, hide=SPARE), "f": msgspec.structs.replace(A, hide=SPARE + 1),
}  # fmt: skip


@pytest.mark.parametrize(
    ("inside", "wanted"),
    [
        (5, {"short": 5}),
        (9, {"a": 9}),
        (12, {"a": 6, "b": 6}),
        (16, {"a": 6, "b": 6, "short": 4}),
        (23, {"a": 9, "b": 8, "short": 6}),
        (24, {"a": 6, "b": 6, "c": 6, "d": 6}),
        (30, {"a": 8, "b": 8, "c": 7, "d": 7}),
        (40, {"a": 10, "b": 10, "c": 10, "d": 10}),
        (50, {"a": 10, "b": 10, "c": 10, "d": 10, "e": 10}),
        (60, {"a": 10, "b": 10, "c": 10, "d": 10, "e": 10, "f": 10}),
    ],
)
def test_wider_panes_show_more_columns_by_priority(inside: int, wanted: dict[str, int]) -> None:
    assert {one.id: one.width for one in choose_columns(SAMPLE, inside, ColumnChoice())} == wanted


def test_chosen_columns_get_room_first_and_hidden_ones_none() -> None:
    chosen = choose_columns(SAMPLE, 32, ColumnChoice(("f", "d"), frozenset(["a"])))
    assert {one.id: one.width for one in chosen} == {"f": 8, "d": 8, "b": 8, "c": 8}
    assert "short" not in {one.id for one in choose_columns(SAMPLE, 60, ColumnChoice(("c", "d")))}, (
        "all that it stands for is there"
    )


def test_a_chosen_column_replaces_a_less_important_one() -> None:
    quotes = next(pane for pane in panes() if pane.id == "quotes")
    chosen = choose_columns(quotes.fields, 78, ColumnChoice(("own",), frozenset(["sprd"])))
    ids = [column.id for column in chosen]
    assert "own" in ids and "sprd" not in ids and sum(column.width for column in chosen) <= 78
    assert {"symbol", "bid", "ask", "age"} <= set(ids)


@pytest.mark.parametrize(("columns", "lines"), DRAWN)
async def test_no_cell_is_cut_at_the_documented_screen_sizes(columns: int, lines: int) -> None:
    async with desk(columns, lines) as at:
        full_of_figures(at)
        await at.settle()
        for pane in PANES:
            at.app.main_screen.show_pane(pane)
            await at.settle()
            rows = [line.replace("amend…", "").replace("cancel…", "") for line in at.lines_of(pane)[1:]]
            assert pane == "events" or [row for row in rows if "…" in row] == []


def full_of_figures(at: Desk) -> None:
    """Everything the engine may hand over, of the sizes a real account has."""
    port = at.port
    now_ms = int(at.clock.wall() * 1000)
    for sym in (BTC, OKX, "BINANCE_PERP_ETH_USDT"):
        port.put(
            Table.FUNDING, sym, FundingTerms(sym=sym, rate="0.0001", next_at=now_ms + 7_500_000, interval_ms=28_800_000)
        )
        port.put(Table.TICKERS, sym, TickerRow(sym=sym, last="64000.5", change="-1.25", open_interest="102938.441"))
        tiers = tuple(
            Bracket(
                sym=sym,
                min_notional_value="0",
                max_notional_value="1",
                max_leverage="20",
                mm_rate="0.005",
                risk_level="1",
            )
            for _ in range(3)
        )
        port.put(Table.BRACKETS, sym, BracketTable(tiers))
    for venue in ("BINANCE", "OKX"):
        fees = FeeSchedule(exchange=venue, inst_type="PERP", maker="-0.0001", taker="0.0005")
        port.put(Table.FEES, f"{venue}/PERP", Fact(fees, port.stamp()))


async def test_funding_ticker_and_fee_data_fill_their_columns() -> None:
    async with desk(200, 37) as at:
        assert "–" in at.line_of("quotes", "  BINANCE", "64,001.2")
        full_of_figures(at)
        await at.settle()
        line = at.line_of("quotes", "BINANCE ", "64,001.2")
        assert "0.010%" in line and "-1.25%" in line and "64,000.5" in line
        assert "+11.0%" in line, "three payments a day"
        at.app.main_screen.show_pane("positions")
        await at.settle()
        line = at.line_of("positions", "BINANCE BTC", "LONG")
        assert "160,002.50" in line and "+2.5" in line, "notional and base units"
        positions = at.app.main_screen.tables["positions"]
        positions.pane.choose(ColumnChoice(("funding",)))
        positions.rearrange()
        at.port.set_desk(skew_ms=3_600_000.0)
        await at.settle()
        at.app.main_screen.repaint_all()
        await at.settle()
        assert "3h05m" in at.line_of("positions", "BINANCE BTC", "LONG"), "the countdown is by the server's clock"


async def test_unrealized_pnl_is_shown_at_mark_last_or_exit_price() -> None:
    async with desk(120, 36) as at:
        await at.press("3")
        assert "uPnL mark" in at.text() and "+327.50" in at.line_of("positions", "BINANCE BTC", "LONG")
        await at.press("w")
        assert "uPnL last" in at.text() and "–" in at.line_of("positions", "BINANCE BTC", "LONG")
        full_of_figures(at)
        await at.settle()
        assert "+326.25" in at.line_of("positions", "BINANCE BTC", "LONG"), "2.5 x (64,000.5 - 63,870)"
        await at.press("w")
        expected = Decimal("2.5") * (Decimal("64001.0") - Decimal(63870)) - Decimal("2.5") * Decimal(
            "64001.0"
        ) * Decimal("0.0005")
        assert "uPnL exit" in at.text()
        assert f"{expected:+,.2f}" in at.line_of("positions", "BINANCE BTC", "LONG"), "the touch less the taker fee"
        await at.press("w")
        assert "uPnL mark" in at.text()


async def test_fee_of_a_symbol_group_overrides_the_venue_fee() -> None:
    async with desk(120, 36, filled=False) as at:
        group = FeeGroup(group_name="g", taker_fee="0.0002", maker_fee="0", sym_list=[BTC])
        fees = FeeSchedule(exchange="BINANCE", taker="0.0005", maker="0", group_list=[group])
        at.port.put(Table.FEES, "BINANCE/PERP", Fact(fees, at.port.stamp()))
        await at.settle()
        view = at.app.view
        assert view.taker(BTC) == Decimal("0.0002")
        assert view.taker("BINANCE_PERP_ETH_USDT") == Decimal("0.0005")
        assert view.taker(SPOT) is None and view.taker("odd") is None


@pytest.mark.parametrize("tab", [ORDERS, FILLS, CLOSED, ALGOS], ids=lambda tab: tab.name)
def test_history_lists_at_80_columns_have_room_for_a_pair_name(tab: HistoryTab) -> None:
    widths = {column.id: column.width for column in choose_columns(tab.fields, 78, ColumnChoice())}
    assert widths["symbol"] > len("BINANCE DOGE")


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 36), (160, 45)])
async def test_the_orders_list_shows_pair_names_uncut_at_every_size(size: tuple[int, int]) -> None:
    """At 160 columns `BINANCE DOGE` ended in `DO…`, and at 80 it did not."""
    async with desk(*size) as at:
        at.port.order("o9", "BINANCE_PERP_DOGE_USDT", "BUY", "0.10510", "500")
        await at.press("2")
        await at.settle()
        assert "BINANCE DOGE" in at.text()


async def test_an_order_row_shows_the_whole_name_of_its_sender() -> None:
    """Beside the ladder `IOC research` ended as `IOC resea…`; which program sent it is what is looked for."""
    async with desk(160, 45) as at:
        at.port.order("p1", "BINANCE_PERP_BTC_USDT", "BUY", "60000", "0.1", peer="research", time_in_force="IOC")
        for key in ((), "d"):
            await at.press(*key, "2")
            line = at.line_of("orders", "60,000.0")
            assert " research " in line and "resea…" not in line, line
