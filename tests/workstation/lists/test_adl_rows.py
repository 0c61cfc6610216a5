"""Rows of the ADL pane: a rank is shown as long as its position is open."""

from __future__ import annotations

import msgspec

from tests.workstation.driver import desk
from tui.engine.rows import Table

ETH = "BINANCE_PERP_ETH_USDT/LONG"


async def test_a_closed_position_leaves_the_adl_list_at_once() -> None:
    """It stayed until the next read of the ranks, up to 20 s."""
    async with desk(120, 36) as at:
        await at.press("5")
        assert any("ETH" in line for line in at.lines_of("adl")) and "5 ADL 3" in at.text()
        at.port.put(Table.POSITIONS, ETH, None)
        await at.settle()
        assert ETH in at.app.mirror.adl, "the ranks were not read again"
        assert not any("ETH" in line for line in at.lines_of("adl"))
        assert len(at.lines_of("adl")) >= 2 and "5 ADL 2" in at.text()


async def test_a_position_of_size_zero_is_not_listed_in_the_adl_pane() -> None:
    async with desk(120, 36) as at:
        await at.press("5")
        fact = at.app.mirror.positions[ETH]
        at.port.put(
            Table.POSITIONS,
            ETH,
            msgspec.structs.replace(fact, record=msgspec.structs.replace(fact.record, position_qty="0")),
        )
        await at.settle()
        assert not any("ETH" in line for line in at.lines_of("adl"))
