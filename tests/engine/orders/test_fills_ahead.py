"""Fills ahead of the record of an order: where they count."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import pytest

from tests.engine.conftest import SYM
from tests.simulation.harness.day import Day
from tui.engine.rows import Fact, LocalOrderState, OrderRow, Source, Stamp
from tui.engine.state.closing_orders import list_triggers, reduces_leg
from tui.interface.families.positions import PositionRecord
from tui.programs.records import read_order

STAMP = Stamp("7001", 1, 0, Source.PUSH, 0.0)


def an_order(**more: object) -> OrderRow:
    """An order of 1, of which 0.4 has filled; its record does not say so yet."""
    fields: dict[str, object] = {"side": "SELL", "state": "OPEN", "qty": "1", "known_fills": "0.4", **more}
    return OrderRow(key="o", client_order_id="o", sym=SYM, position_side="NONE", stamp=STAMP, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(("held", "reduces"), [("0.6", True), ("0.5", False)])
def test_the_rest_of_a_closing_order_is_what_is_not_filled(held: str, reduces: bool) -> None:
    """Else a scope that spares closing orders cancels it: the position is that after the fill."""
    position = Fact(PositionRecord(sym=SYM, position_side="NONE", position_qty=held), STAMP)
    assert reduces_leg(an_order(reduce_only=True), {f"{SYM}/NONE": position}) is reduces


@pytest.mark.parametrize("leg", ["NONE", "NET", ""])
def test_the_stop_of_an_order_counts_from_its_first_fill(leg: str) -> None:
    """NET and an empty side are one-way mode too."""
    position = PositionRecord(sym=SYM, position_side=leg, position_qty="0.4")
    assert list(list_triggers(position, [], [an_order(side="BUY", sl_trigger="59000")])) == [("59000", "")]
    unfilled = an_order(side="BUY", sl_trigger="59000", known_fills="0")
    assert list(list_triggers(position, [], [unfilled])) == []


def test_programs_get_no_average_of_fewer_fills() -> None:
    ahead = read_order(an_order(executed="0.1", average="60000"))
    assert (ahead.filled, ahead.average) == (Decimal("0.4"), None)
    reached = read_order(an_order(executed="0.40", average="60000"))
    assert (reached.filled, reached.average) == (Decimal("0.4"), Decimal(60000))
    assert not an_order(qty="0.4", executed="0.40", known_fills="7").is_behind_fills


def test_an_order_that_its_fills_complete_is_asked_for_soon() -> None:
    """Behind a failed query the next came up to a minute later, and it stayed UNKNOWN although all its fills had come."""
    day = Day()

    async def plays(_: Day) -> None:
        heals = [day.swallow("in", words) for words in (b'"channel":"orders"', b'"event":"place_order"')]
        heals.append(day.swallow("out", b"GET /api/v1/trading/"))
        key = (await day.take_and_rest()).key
        await day.shows(key, LocalOrderState.UNKNOWN)
        await asyncio.sleep(330)
        day.somebody_sells("0.005", day.at_venue(key).limit_price)
        await day.until(lambda: day.row(key).is_filled)
        await asyncio.sleep(35)
        assert day.row(key).state == LocalOrderState.UNKNOWN, (
            "fills alone end nothing: its fees and average are not known"
        )
        for heal in heals:
            heal()
        healed_at = day.world.now
        await day.shows(key, "FILLED")
        assert day.world.now - healed_at < 10, "a query that waits for its answer, and the next one"

    day.play(plays)
