"""At every width: each number on the screen is whole, and has the same text wherever its column is shown."""

from __future__ import annotations

import re

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tui.engine.rows import Fact, PendingAction, Table
from tui.workstation.render.text import fitted
from tui.workstation.table.columns import Column
from tui.workstation.table.placed_columns import PlacedColumns

BTC = "BINANCE_PERP_BTC_USDT"
SPOT = "BINANCE_SPOT_BTC_USDT"
LINES = 48
CUT_NUMBER = re.compile(r"\d[.,]?…|…[.,]?\d")


async def awkward(at: Desk) -> None:
    """Figures of every length: dust, millions, a price being changed, a liquidation price far away."""
    at.port.order("long", BTC, "BUY", "103450.0", "12345.678", requested_price="103460.0", overlay=PendingAction.AMEND)
    at.port.order("dust", SPOT, "BUY", "61780.33", "0.00009", executed="0.00001")
    at.port.order("many", "OKX_PERP_BTC_USDT", "SELL", "103450.0", "1580690")
    fact = at.app.mirror.positions[f"{BTC}/LONG"]
    record = msgspec.structs.replace(
        fact.record, position_qty="1234.567", liq_price="160162.68", unrealized_pnl="-1234567.89"
    )
    at.port.put(Table.POSITIONS, f"{BTC}/LONG", Fact(record, at.port.stamp()))
    at.port.quote(BTC, "103450.0", "103450.1", bid_qty="1580690.125", ask_qty="0.001")
    await at.settle()


def shortened(column: Column[object]) -> bool:
    """Lights and a changing price have a form of their own for the narrowest screens."""
    return column.field.short is not None


async def test_numbers_are_whole_and_the_same_at_every_width() -> None:
    """Every width of a pane from 38 to 250 cells, with the columns that it shows there."""
    async with desk(120, LINES) as at:
        await awkward(at)
        seen: dict[tuple[str, str, str], str] = {}
        for pane_id, table in at.app.main_screen.tables.items():
            rows = [(key, table.pane.row(key)) for key in table.pane.arranged()]
            held = [row for _, row in rows if row is not None]
            for inside in range(38, 251):
                placed = PlacedColumns(table.pane)
                placed.place(inside, lambda held=held: held)  # type: ignore[misc]
                assert sum(placed.widths) <= inside, (pane_id, inside)
                for column, cells in placed:
                    if column.field.prose:
                        continue
                    for key, row in rows:
                        text = placed.cell(column, row, cells)[0]
                        assert fitted(text, cells, not column.field.left).strip() == text.strip(), (inside, column.id)
                        if not shortened(column):
                            assert seen.setdefault((pane_id, key, column.id), text) == text, (inside, column.id)
        assert len(seen) > 150


@pytest.mark.parametrize("width", [60, 79, 80, 120, 150, 160, 200, 250])
async def test_no_line_of_a_pane_cuts_a_number(width: int) -> None:
    async with desk(width, LINES) as at:
        await awkward(at)
        for pane in at.app.main_screen.shown():
            for line in at.lines_of(pane):
                assert not CUT_NUMBER.search(line), (pane, line)


async def test_words_give_up_their_blanks_before_a_column_leaves() -> None:
    """At 120 columns a figure one cell longer than drawn costs no column."""
    async with desk(120, 36) as at:
        before = at.app.main_screen.tables["quotes"].column_ids()
        at.port.quote(BTC, "64001.0", "64101.5", bid_qty="12345.678")
        await at.settle()
        assert at.app.main_screen.tables["quotes"].column_ids() == before
        assert "12,345.678" in at.text() and "BTC margin BINANCE" in at.text()
