"""The break-even of a position is one price wherever it stands."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.driver import desk
from tests.workstation.ladder.ladder import BTC, open_ladder
from tui.engine.rows import Table
from tui.workstation.features.chart.marks import find_levels

LEG = f"{BTC}/LONG"


@pytest.mark.parametrize(("entry", "even"), [("63937.53", "64,001.5"), ("63937.55", "64,001.6")])
async def test_ladder_chart_and_positions_show_the_same_break_even(entry: str, even: str) -> None:
    """The ladder rounded down and the chart to the nearest tick, so a close at the row of the ladder lost."""
    async with desk(250, 60) as at:
        leg = at.app.mirror.positions[LEG]
        record = msgspec.structs.replace(leg.record, avg_price=entry, fee="100000", funding_fee="0")
        at.port.put(Table.POSITIONS, LEG, msgspec.structs.replace(leg, record=record))
        await open_ladder(at)
        named = [line for line in at.lines_of("ladder") if "b/e" in line]
        assert len(named) == 1 and even in named[0] and "~b/e" in named[0], named
        labels = [level.label for level in find_levels(BTC, at.app.context.view) if level.label.startswith("b/e")]
        assert labels == [f"b/e ~{even}"], "the same sign in the chart"
        await at.press("3", "0")
        assert f"~{even}" in at.line_of("positions", "BINANCE BTC", "LONG"), "fees of closed parts are in the sum"
        record = msgspec.structs.replace(record, fee="0")
        at.port.put(Table.POSITIONS, LEG, msgspec.structs.replace(leg, record=record))
        await at.settle()
        row = at.line_of("positions", "BINANCE BTC", "LONG")
        assert "63,969." in row and "~63,969." not in row
        assert not any("~" in level.label for level in find_levels(BTC, at.app.context.view) if "b/e" in level.label)
