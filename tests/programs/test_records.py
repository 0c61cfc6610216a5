"""Records that programs read: a price that a service writes as 0 is none."""

from __future__ import annotations

import pytest

from tui.engine.rows import Fact, QuoteRow, Source, Stamp
from tui.interface import decimals
from tui.interface.families.positions import PositionRecord
from tui.programs.records import read_position, read_quote

STAMP = Stamp(portfolio="p", epoch=1, update_at=1, received=1.0, source=Source.PUSH)


@pytest.fixture(autouse=True)
def _precision() -> None:
    decimals.setup()


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
