"""Cells of the page: every size has its unit."""

from __future__ import annotations

from decimal import Decimal
from types import SimpleNamespace
from typing import cast

import pytest

from tests.desk_protocol.desks import STARTING
from tui.page.snapshot import take_snapshot
from tui.programs.desk_reader import DeskReader
from tui.programs.records import Order, Position, Quote, read_status


def read_cells(sym: str) -> dict[str, tuple[str, ...]]:
    """Take a snapshot of a desk with one quote, order and position of a pair; the row of each table."""
    size = Decimal(300)
    quote = Quote(sym=sym, bid=size, bid_size=size, ask=size, ask_size=size, mark=size, at=None)
    order = Order(
        key="1", order_id="1", sym=sym, side="BUY", position_side="", type="LIMIT", time_in_force="", price=size,
        size=size, filled=Decimal(20), average=None, state="OPEN", working=True, unsure=False, changing=False, sender="",
        reason="", created=None,
    )  # fmt: skip
    position = Position(sym=sym, side="SHORT", size=-size, entry=size, mark=size, unrealised=None, liquidation=None)
    desk = SimpleNamespace(
        status=read_status(STARTING), orders=[order], positions=[position], adl_ranks=[], assets=[], links=[],
        quote=lambda sym: quote, quote_age=lambda sym: 0.1,
    )  # fmt: skip
    tables = take_snapshot(cast("DeskReader", desk), [sym], 0.0).tables
    return {table.name: table.rows[0] for table in tables if table.rows}


@pytest.mark.parametrize(("sym", "unit"), [("OKX_PERP_BTC_USDT", "ct"), ("BINANCE_PERP_BTC_USDT", "BTC")])
def test_every_size_has_its_unit(sym: str, unit: str) -> None:
    cells = read_cells(sym)
    assert cells["Positions"][2] == f"300 {unit}"
    assert (cells["Orders"][2], cells["Orders"][5]) == (f"300 {unit}", f"20 {unit}")
    assert cells["Quotes"][4:6] == (f"300 {unit}", f"300 {unit}")
