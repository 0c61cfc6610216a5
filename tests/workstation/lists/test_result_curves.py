"""Curves in the P&L pane: in its empty lines only, gaps as gaps, and the realised one ends at the total."""

from __future__ import annotations

from decimal import Decimal

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.lists.test_money_panes import fill, statement
from tui.engine.rows import EQUITY, BarsRow, Table
from tui.interface.families.market import KlineRow
from tui.workstation.features.pnl.curves import build_realised, read_equity

MINUTE = 60_000


def put_equity(at: Desk, minutes: int = 300, missing: range = range(0)) -> None:
    now = int(at.clock.wall() * 1000)
    first = now - now % MINUTE - (minutes - 1) * MINUTE
    bars = []
    for minute in range(minutes):
        close = f"{289_000 + (minute * 37) % 400}.25"
        if minute not in missing:
            bars.append(
                KlineRow(open_time=first + minute * MINUTE, open=close, high=close, low=close, close=close, volume="0")
            )
    at.port.put(Table.BARS, EQUITY, BarsRow(sym=EQUITY, interval="1m", bars=tuple(bars)))


async def show(at: Desk) -> list[str]:
    at.app.main_screen.show_pane("pnl")
    at.app.main_screen.zoom()
    await at.settle()
    return at.lines_of("pnl")


def dotted(lines: list[str]) -> list[str]:
    return [line for line in lines if any("\u2800" < character <= "\u28ff" for character in line)]


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (160, 45)])
async def test_the_pnl_pane_draws_the_equity_and_the_realised_result(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        put_equity(at)
        for name in ("a", "b", "c"):
            fill(at, name, rpnl="25")
        lines = await show(at)
        rows = [line for line in lines if "BTC" in line]
        assert rows and any("account equity" in line for line in lines) and len(dotted(lines)) >= 4
        assert any("◂289," in line for line in lines)
        await at.press("e")
        lines = at.lines_of("pnl")
        assert any("realised today" in line for line in lines) and dotted(lines)
        assert [line for line in lines if "BTC" in line] == rows
        await at.press("e")
        assert any("account equity" in line for line in at.lines_of("pnl"))


async def test_at_80x24_the_pnl_pane_has_no_curve_and_key_e_says_why() -> None:
    async with desk(80, 24) as at:
        put_equity(at)
        at.app.main_screen.show_pane("pnl")
        await at.settle()
        assert not dotted(at.lines_of("pnl"))
        await at.press("e")
        assert "this pane is too small for the curve of realised" in at.text()


async def test_the_equity_curve_begins_at_the_open_of_its_first_minute() -> None:
    """What the first minute won or lost was no part of it: it began with the end of that minute."""
    async with desk(160, 45) as at:
        put_equity(at)
        await at.settle()
        row = at.app.mirror.bars[EQUITY]
        bars = (msgspec.structs.replace(row.bars[0], open="288000"), *row.bars[1:])
        at.port.put(Table.BARS, EQUITY, msgspec.structs.replace(row, bars=bars))
        await at.settle()
        first, second, *_ = read_equity(at.app.context.view)
        assert (first.at, first.value, second.value) == (second.at, 288_000.0, 289_000.25)


async def test_a_time_without_samples_is_a_gap_in_the_equity_curve() -> None:
    async with desk(160, 45) as at:
        put_equity(at, missing=range(100, 200))
        lines = dotted(await show(at))
        width = max(len(line) for line in lines)
        drawn = {x for line in lines for x, character in enumerate(line) if "\u2800" < character <= "\u28ff"}
        holes = [x for x in range(min(drawn), max(drawn)) if x not in drawn]
        assert len(holes) > width // 5 and holes == list(range(holes[0], holes[-1] + 1))


async def test_one_missing_minute_is_a_gap_in_the_equity_curve() -> None:
    async with desk(160, 45) as at:
        put_equity(at, 40, missing=range(20, 21))
        lines = dotted(await show(at))
        drawn = {x for line in lines for x, character in enumerate(line) if "\u2800" < character <= "\u28ff"}
        assert set(range(min(drawn), max(drawn))) - drawn


async def test_the_equity_curve_uses_the_room_below_the_pnl_rows() -> None:
    async with desk(80, 24, filled=False) as at:
        at.port.set_desk(synced=True)
        put_equity(at)
        for count in range(12):
            fill(at, f"f{count}", sym=f"OKX_PERP_C{count}_USDT")
        assert not dotted(await show(at))
        day = next(iter(at.app.mirror.days)).partition("/")[0]
        for count in range(11):
            at.port.put(Table.DAYS, f"{day}/OKX_PERP_C{count}_USDT", None)
        await at.settle()
        lines = at.lines_of("pnl")
        assert len(dotted(lines)) >= 2 and any("account equity" in line for line in lines)
        at.app.main_screen.boxes["pnl"].repaint()
        await at.settle()
        assert at.lines_of("pnl") == lines


async def test_new_equity_samples_are_drawn_at_once() -> None:
    async with desk(160, 45) as at:
        put_equity(at, 200)
        before = await show(at)
        put_equity(at, 260)
        await at.settle()
        assert dotted(at.lines_of("pnl")) != dotted(before)


async def test_the_realised_curve_steps_to_the_day_total_and_keeps_it() -> None:
    async with desk(160, 45, filled=False) as at:
        at.port.set_desk(synced=True)
        now = int(at.clock.wall() * 1000)
        fill(at, "a", rpnl="25", create_at=str(now - 5_000))
        fill(at, "b", rpnl="-40", create_at=str(now - 3_000))
        statement(at, "f", "FUNDING_FEE", "-2.5", create_at=now - 2_000)
        await at.settle()
        view = at.app.panes.pnl.view
        points = build_realised(view, now)
        total = view.realised_pnl.sum_bookings(view.realised_pnl.groups().values()).net
        assert Decimal(str(points[-1].value)) == total == Decimal("-20.5")
        assert [point.value for point in points[1::2]][1:] == [23.5, -18.0, -20.5]
        at.port.put(Table.FILLS, "a", None)
        await at.settle()
        assert Decimal(str(build_realised(view, now)[-1].value)) == total
