"""Columns of every pane: which there are, their order and their widths follow the width and the choice, never the rows."""

from __future__ import annotations

import random

import pytest

from tests.workstation.driver import Desk, desk
from tui.engine.rows import Fact, FundingTerms, Table, TickerRow
from tui.interface.families.assets import AssetRecord
from tui.interface.families.positions import AccountRecord, AdlRank, PositionRecord
from tui.workstation.app.screen_registry import FULL_SCREENS
from tui.workstation.model.screen_preferences import ColumnChoice
from tui.workstation.table.pane import AnyPane
from tui.workstation.table.placed_columns import PlacedColumns
from tui.workstation.widgets.list_screen import ScreenParts

WIDTHS = range(30, 251, 3)
FIGURES = (
    "",
    "0",
    "-0.00000001",
    "1",
    "64001.0",
    "1580690.125",
    "-1234567.89",
    "9" * 40,
    "1e400",
    "NaN",
    "0.1234567890123",
)
Columns = tuple[tuple[str, int], ...]


def placed_at(pane: AnyPane) -> dict[tuple[int, int], Columns]:
    """The columns of each of its lists at every width, after every cell and sum was made once."""
    out: dict[tuple[int, int], Columns] = {}
    for view in range(max(1, len(pane.views))):
        keys = [row for key in pane.arrange_keys() if (row := pane.row(key)) is not None]
        for inside in WIDTHS:
            placed = PlacedColumns(pane)
            placed.place(inside)
            before = tuple((column.id, cells) for column, cells in placed)
            for column, cells in placed:
                for row in keys:
                    placed.cell(column, row, cells)
            if pane.has_totals:
                pane.total_cells()
            placed.place(inside)
            assert tuple((column.id, cells) for column, cells in placed) == before
            out[view, inside] = before
        pane.cycle_view(1)
    return out


def put_rows(at: Desk, rng: random.Random, count: int) -> None:
    """Rows with figures of every kind, some of them missing."""
    port = at.port
    for index in range(count):

        def figure() -> str:
            return rng.choice(FIGURES)

        sym = f"{rng.choice(('BINANCE', 'OKX', 'NEWVENUE'))}_PERP_C{index}_USDT"
        port.quote(sym, figure(), figure(), figure(), figure(), figure())
        port.order(f"r{index}", sym, "BUY", figure(), figure(), executed=figure(), average=figure())
        position = PositionRecord(
            position_id=str(index), sym=sym, position_side="LONG", position_qty=rng.choice(FIGURES[3:]),
            avg_price=figure(), mark_price=figure(), position_value=figure(), unrealized_pnl=figure(),
            unrealized_pnl_rate=figure(), leverage=figure(), liq_price=figure(),
        )  # fmt: skip
        asset = AssetRecord(
            coin=f"C{index}", exchange_type="OKX", balance=figure(), available=figure(), equity=figure()
        )
        rank = AdlRank(sym=sym, adl_rank=figure(), position_id=str(index), position_side="LONG")
        account = AccountRecord(exchange_type=f"V{index}", equity=figure(), available_margin=figure(), uni_mmr=figure())
        port.put(Table.POSITIONS, f"{sym}/LONG", Fact(position, port.stamp()))
        port.put(Table.ASSETS, f"OKX/C{index}", Fact(asset, port.stamp()))
        port.put(Table.ADL, f"{sym}/LONG", Fact(rank, port.stamp()))
        port.put(Table.ACCOUNTS, f"V{index}", Fact(account, port.stamp()))
        port.put(Table.FUNDING, sym, FundingTerms(sym=sym, rate=figure(), next_at=0, interval_ms=28_800_000))
        port.put(Table.TICKERS, sym, TickerRow(sym=sym, last=figure(), change=figure(), open_interest=figure()))
        port.event(figure() * 5)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in (1, 2, 3))])
async def test_the_columns_of_a_pane_do_not_change_with_its_rows(seed: int) -> None:
    rng = random.Random(seed)
    async with desk(160, 45, filled=False) as at:
        tables = at.app.main_screen.tables
        pane_columns = {name: placed_at(table.pane) for name, table in tables.items()}
        for count in (1, rng.randint(2, 6), rng.randint(10, 20)):
            put_rows(at, rng, count)
            await at.settle()
            for name, table in tables.items():
                assert placed_at(table.pane) == pane_columns[name], (name, count)
        assert all(len(tables[name].pane.keys()) > 1 for name in ("quotes", "orders", "positions", "assets", "events"))


@pytest.mark.parametrize(("width", "height"), [(40, 12), (60, 20), (80, 24), (120, 36), (160, 45), (250, 70)])
async def test_column_headers_do_not_move_when_rows_change(width: int, height: int) -> None:
    async with desk(width, height, filled=False) as at:
        visible_panes = at.app.main_screen.visible_panes()
        names = {pane: at.lines_of(pane)[1] for pane in visible_panes}
        for count in (1, 12):
            put_rows(at, random.Random(count), count)
            await at.settle()
            assert {pane: at.lines_of(pane)[1] for pane in visible_panes} == names


async def test_the_usual_columns_return_when_a_column_choice_ends() -> None:
    async with desk(120, 36) as at:
        quotes = at.app.main_screen.tables["quotes"]
        before = quotes.column_ids(), quotes.column_widths()
        quotes.pane.choose(ColumnChoice(("OI",), frozenset(["mark"])))
        assert "OI" in quotes.column_ids() and "mark" not in quotes.column_ids()
        quotes.pane.choose(ColumnChoice())
        assert (quotes.column_ids(), quotes.column_widths()) == before


async def test_full_screen_lists_have_columns_without_rows() -> None:
    async with desk(120, 36) as at:
        for name, row in FULL_SCREENS.items():
            screen = row.build(ScreenParts(at.app.view, at.app.palette, list, lambda _: None))
            assert all(columns for table in screen.tables.values() for columns in placed_at(table.pane).values()), name


async def test_no_detail_card_shows_internal_fields() -> None:
    async with desk(160, 45) as at:
        shown = 0
        for table in at.app.main_screen.tables.values():
            for key in table.pane.arrange_keys():
                for name, text in table.pane.details(key):
                    assert name not in ("received", "since", "role", "closes", "label", "not found first"), key
                    assert " object at " not in text and "frozenset" not in text, (key, name)
                    shown += 1
        assert shown > 300
