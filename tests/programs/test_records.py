"""Records that programs read: a price that a service writes as 0 is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tui.desk_protocol.messages import Role, Rows
from tui.desk_protocol.row_codec import encode_rows
from tui.engine.rows import Fact, QuoteRow, Source, Stamp, Table
from tui.host import HostClock, fresh_id
from tui.interface.families.positions import AdlRank, PositionRecord
from tui.programs.desk_reader import DeskReader
from tui.programs.records import read_position, read_quote

pytestmark = pytest.mark.usefixtures("exact")

STAMP = Stamp(portfolio="p", epoch=1, update_at=1, received=1.0, source=Source.PUSH)


def test_an_empty_side_of_the_book_has_no_price() -> None:
    """A program that takes the middle of both sides would else quote at half the price."""
    quote = read_quote(QuoteRow(sym="S", bid="0", bid_qty="0", ask="61777.2", ask_qty="1", mark="0"), stale=False)
    assert (quote.bid, quote.bid_size, quote.mark) == (None, None, None)
    assert (str(quote.ask), str(quote.ask_size)) == ("61777.2", "1")


@pytest.mark.parametrize("text", ["0", "", None])
def test_a_liquidation_price_of_zero_is_none(text: str | None) -> None:
    record = PositionRecord(sym="S", position_qty="-2", avg_price="0", mark_price="0", liq_price=text)
    position = read_position(Fact(record, STAMP))
    assert (position.side, position.liquidation, position.entry, position.mark) == ("SHORT", None, None, None)


@pytest.mark.parametrize(
    ("rank", "held", "sides"),
    [
        ({}, {"position_qty": "-2"}, ["SHORT"]),
        ({"position_side": "NET"}, {"position_side": "NET", "position_qty": "2"}, ["LONG"]),
        ({"position_side": "SHORT"}, {"position_side": "SHORT", "position_qty": "2"}, ["SHORT"]),
        ({"position_side": "SHORT"}, {"position_side": "LONG", "position_qty": "2"}, []),
        ({}, {"position_qty": "0"}, []),
        ({"position_id": "1"}, {"position_id": "2", "position_qty": "2"}, []),
    ],
)
def test_adl_ranks_are_those_of_open_positions_with_their_sides(
    rank: dict[str, Any], held: dict[str, Any], sides: list[str]
) -> None:
    """In one-way mode the service tells no side, and ranks are read only now and then."""
    desk = DeskReader(Path("nowhere"), HostClock(), fresh_id, name="reader", role=Role.WATCH)
    known_rank, position = AdlRank(sym="S", adl_rank="3", **rank), PositionRecord(sym="S", **held)
    desk.on_rows(Rows(Table.ADL, msgspec.Raw(encode_rows({"S": Fact(known_rank, STAMP)}))))
    desk.on_rows(Rows(Table.POSITIONS, msgspec.Raw(encode_rows({"S": Fact(position, STAMP)}))))
    assert [known.side for known in desk.adl_ranks] == sides
