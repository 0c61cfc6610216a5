"""A position so small that its margin ratio and its way to liquidation are of no size that is read."""

from __future__ import annotations

import re

import msgspec
import pytest

from tests.workstation.driver import desk
from tui.engine.rows import Table


@pytest.mark.parametrize(
    ("maintenance", "shown", "short"),
    [("0.06", "2,918,177.81", "2.91818M"), ("0", "none", "none"), ("", "none", "none")],
)
async def test_the_risk_ratio_shows_none_only_without_maintenance(maintenance: str, shown: str, short: str) -> None:
    """With 48 DOGE open the first line and Risk said `none`, the ticket 2,918,177.81."""
    async with desk(200, 60) as at:
        for name, fact in list(at.app.mirror.accounts.items()):
            record = msgspec.structs.replace(fact.record, uni_mmr="2918177.81", maintain_margin=maintenance)
            at.port.put(Table.ACCOUNTS, name, msgspec.structs.replace(fact, record=record))
        await at.settle()
        assert f"uniMMR {shown}" in at.text().split("\n")[0]
        at.app.main_screen.show_pane("risk")
        await at.settle()
        rows = [line for line in at.text().split("\n") if "NORMAL" in line and "desk" not in line]
        assert len(rows) == 3 and all(short in row.split() for row in rows), rows


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_a_far_liquidation_price_shows_over_999_percent_distance(size: tuple[int, int]) -> None:
    """A short of 96 DOGE at 0.105 showed `liq 1.87713k  dist 1.79M%`, and one of 7 digits had no separators."""
    async with desk(*size) as at:
        key, fact = next((key, fact) for key, fact in at.app.mirror.positions.items() if "ETH" in key)
        record = msgspec.structs.replace(fact.record, liq_price="1877132.54321", position_side="SHORT")
        at.port.put(Table.POSITIONS, key, msgspec.structs.replace(fact, record=record))
        await at.press("3")
        await at.settle()
        line = next(line for line in at.text().split("\n") if "SHORT" in line and "ETH" in line)
        assert ">999%" in line and re.search(r"1\.877\d*M|1,877,133", line), line
        smaller = msgspec.structs.replace(record, liq_price="598.65134")
        at.port.put(Table.POSITIONS, key, msgspec.structs.replace(fact, record=smaller))
        info = msgspec.structs.replace(at.app.mirror.symbols[record.sym], tick_size="0.00001")
        at.port.put(Table.SYMBOLS, record.sym, info)
        await at.settle()
        # With the decimals of its tick it was cut: `598.651…`.
        line = next(line for line in at.text().split("\n") if "SHORT" in line and "ETH" in line)
        assert re.search(r"[ ≠↓]598\.65(134)? ", line), line


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (160, 45)])
async def test_a_liquidation_price_above_a_long_is_explained(size: tuple[int, int]) -> None:
    """A long of 2.9 BTC beside a debt of 3.5 BTC showed `liq 469,799.8` and nothing else."""
    async with desk(*size) as at:
        key = "BINANCE_PERP_BTC_USDT/LONG"
        fact, coin = at.app.mirror.positions[key], at.app.mirror.assets["BINANCE/USDT"]
        leg = msgspec.structs.replace(fact.record, liq_price="469799.8")
        owed = msgspec.structs.replace(coin.record, coin="BTC", balance="0", debt="350", equity="-350")
        at.port.put(Table.POSITIONS, key, msgspec.structs.replace(fact, record=leg))
        at.port.put(Table.ASSETS, "BINANCE/BTC", msgspec.structs.replace(coin, record=owed))
        await at.press("3", "g")
        await at.settle()
        line = next(line for line in at.text().split("\n") if "BINANCE BTC" in line and "LONG" in line)
        assert re.search(r"↑469,?800 ", line), line
        await at.press("enter")
        text = " ".join(at.text().replace("│", " ").split())
        assert "a rise liquidates this LONG: the debt of 350 BTC weighs more" in text, text
