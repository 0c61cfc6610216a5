"""At every width: each number on the screen is whole, or in a shorter form that says so."""

from __future__ import annotations

import re
from decimal import Decimal

import msgspec
import pytest

from tests.workstation.driver import Desk, desk, shipped_themes
from tui.engine.rows import Fact, PendingAction, Table
from tui.workstation.render.box_border import BoxBorder
from tui.workstation.render.palette import Palette
from tui.workstation.render.text import fit
from tui.workstation.table.placed_columns import PlacedColumns
from tui.workstation.table.short_figures import shorten_figures

BTC = "BINANCE_PERP_BTC_USDT"
SPOT = "BINANCE_SPOT_BTC_USDT"
LINES = 48
CUT_NUMBER = re.compile(r"\d,?…|…[.,]?\d")
SHORT = re.compile(r"\d[kMBT…]|\de-?\d|#")
"""What a figure with fewer digits shows."""


def same(text: str, full: str) -> bool:
    """Whether two texts say the same figures, with or without separators and zeros behind the point."""
    one, other = (re.findall(r"[\d.]*\d", each.replace(",", "")) for each in (text, full))
    return [Decimal(figure) for figure in one] == [Decimal(figure) for figure in other]


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


async def test_every_number_in_a_list_is_whole_or_marked_as_shortened() -> None:
    """Every width of a pane from 38 to 250 cells, with the columns that it shows there."""
    async with desk(120, LINES) as at:
        await awkward(at)
        short = whole = 0
        for pane_id, table in at.app.main_screen.tables.items():
            rows = [row for key in table.pane.arrange_keys() if (row := table.pane.row(key)) is not None]
            placed = PlacedColumns(table.pane)
            for inside in range(38, 251):
                placed.place(inside)
                assert sum(placed.widths) <= inside, (pane_id, inside)
                for column, cells in placed:
                    for row in rows if not column.field.prose else ():
                        full = column.field.cell(row, table.pane.view)[0]
                        text = placed.cell(column, row, cells)[0]
                        assert fit(text, cells, right=not column.field.left).strip() == text.strip(), (
                            inside,
                            column.id,
                        )
                        whole += text == full
                        short += text != full
                        assert same(text, full) or SHORT.search(text) or column.field.short, (inside, text, full)
        assert whole > 15 * short > 0, "the exception, not the rule"


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("1,234,567.89", ["1,234,567.89", "1.234568M", "1.23457M", "1.2M", "1M", "#"]),
        ("4,027,026.0", ["4,027,026.0", "4.027026M", "4.02703M"]),
        ("-61,778.8", ["-61,778.8", "-61778.8", "-61.8k", "-62k", "##"]),
        ("0.00000012345", ["0.00000012345", "1.2345e-7", "1.2e-7", "1e-7", "###"]),
        ("0.0000099996", ["0.0000099996", "9.9996e-6", "1.00e-5", "1.0e-5", "1e-5", "###"]),
        ("0.000099996", ["0.000099996", "9.9996e-5", "1.00e-4", "1e-4"]),
        ("9" * 16 + "000", ["9" * 16 + "000", "1.0e19", "1e19"]),
        ("0.12345678", ["0.12345678", "0.123456…", "0.1…", "#"]),
        ("0.00800/0.00800", ["0.008/0.008"]),
        ("0.5000", ["0.5000", "0.5"]),
        ("12,345.0/61,000.00", ["12345.0/61000", "12345/61000", "12k/61k", "####"]),
        ("9" * 60, ["9" * 60, "1.000000e60", "###"]),
        ("-4711.2bp", ["-4711.2bp", "-4.7kbp", "-5kbp"]),
        ("~-61,778.8", ["~-61,778.8", "~-61778.8", "~-62k"]),
        ("2026-11-24", ["2026-11-24"]),
        ("20:38:27.123", ["20:38:27.123"]),
        ("no SL", ["no SL"]),
    ],
)
def test_a_number_is_shortened_in_steps_to_the_cells_it_has(text: str, forms: list[str]) -> None:
    got = [shorten_figures(text, cells) for cells in range(len(text), 0, -1)]
    assert [form for form in forms if form not in got] == [], got
    figures = len(forms) > 1
    assert all(len(form) <= cells or not figures for form, cells in zip(got, range(len(text), 0, -1), strict=True))


@pytest.mark.parametrize("width", [60, 79, 80, 120, 150, 160, 200, 250])
async def test_no_line_of_a_pane_cuts_a_number_at_any_width(width: int) -> None:
    async with desk(width, LINES) as at:
        await awkward(at)
        for pane in at.app.main_screen.visible_panes():
            for line in at.lines_of(pane):
                assert not CUT_NUMBER.search(line), (pane, line)


async def test_a_longer_number_in_the_quotes_drops_no_column() -> None:
    async with desk(120, 36) as at:
        quotes = at.app.main_screen.tables["quotes"]
        before = quotes.column_ids(), quotes.column_widths()
        at.port.quote(BTC, "64001.0", "64101.5", bid_qty="12345.678")
        await at.settle()
        assert (quotes.column_ids(), quotes.column_widths()) == before
        assert "12,345.678" in at.text() and "BTC margin BINANCE" in at.text()


def test_a_title_is_never_cut_within_a_figure() -> None:
    [theme, *_] = shipped_themes()
    title, palette = [("Ladder EDX BTC perp 61,755.0–57.4", "text")], Palette(theme)
    for cells in range(4, 44):
        shown = BoxBorder().title(title, cells, palette, top=True, focused=True).text
        assert not CUT_NUMBER.search(shown), shown
