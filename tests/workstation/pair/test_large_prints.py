"""Large prints of the tape: the filter of the trades says which they are, and the chart marks them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.workstation.chart.samples import END
from tests.workstation.chart.test_view import SYM, chart_desk, klines, text_of
from tui.engine.rows import PrintsRow, Table
from tui.interface.families.market import TradePush
from tui.workstation.features.trades.large_prints import MOST_PRINTS, LargePrints
from tui.workstation.features.trades.tape import Burst
from tui.workstation.table.row_filter import FilterFacts, parse


def trade(at: int, qty: str, price: str = "100", side: str = "BUY") -> TradePush:
    return TradePush(price=price, qty=qty, side=side, trade_id=f"t{at}", ts=at)


def facts(burst: Burst) -> FilterFacts:
    return FilterFacts(text="", sym=burst.sym, side=burst.side, qty=burst.qty)


def sizes(prints: LargePrints, tape: list[TradePush], words: str, sym: str = SYM) -> list[int]:
    return [int(burst.qty) for burst in prints.follow(sym, tuple(reversed(tape)), parse(words), facts)]


def test_only_a_trade_filter_with_a_size_marks_large_trades() -> None:
    tape = [trade(1000, "3"), trade(2000, "7", side="SELL")]
    assert sizes(LargePrints(), tape, "") == sizes(LargePrints(), tape, "side:buy") == []
    assert sizes(LargePrints(), tape, "qty>=3") == [3, 7]
    assert sizes(LargePrints(), tape, "qty>=3 side:sell") == [7]


def test_trades_of_one_burst_count_as_one_large_trade() -> None:
    tape = [trade(1000, "2"), trade(1020, "2"), trade(1040, "2"), trade(5000, "2")]
    prints = LargePrints()
    assert [sizes(prints, tape[:count], "qty>=4") for count in range(1, 5)] == [[], [4], [6], [6]]
    assert sizes(LargePrints(), tape, "qty>=4") == [6]


def test_large_trades_outlast_the_trade_list_up_to_a_limit() -> None:
    prints = LargePrints()
    for count in range(1, 4 * MOST_PRINTS):
        tape = [trade(1000 * at, str(at)) for at in range(max(1, count - 5), count + 1)]
        shown = sizes(prints, tape, "qty>=2")
    assert shown == list(range(3 * MOST_PRINTS, 4 * MOST_PRINTS))


def test_large_trades_are_counted_anew_for_another_size_or_pair() -> None:
    prints, tape = LargePrints(), [trade(1000 * at, str(at)) for at in range(1, 10)]
    assert sizes(prints, tape, "qty>=7") == [7, 8, 9]
    assert sizes(prints, tape, "qty>=9") == [9]
    assert sizes(prints, tape, "qty>=8") == [8, 9]
    assert sizes(prints, tape[:3], "qty>=2", sym="OKX_PERP_BTC_USDT") == [2, 3]


@pytest.mark.parametrize(("side", "sign"), [("BUY", "▵"), ("SELL", "▿")])
async def test_large_trades_are_marked_on_the_chart_at_their_price(side: str, sign: str) -> None:
    async with chart_desk() as (at, view):
        newest = klines()[-1]
        pushes = [trade(END - 30_000, "9", newest.close, side), trade(END - 29_000, "1", newest.open, side)]
        at.port.put(Table.PRINTS, SYM, PrintsRow(sym=SYM, trades=tuple(reversed(pushes))))
        await at.settle()
        assert sign not in text_of(at, view)
        at.app.panes.trades.filter = parse("qty>=5")
        view.tick()
        view.flush()
        await at.settle()
        lines = text_of(at, view).split("\n")
        (row,) = [row for row, line in enumerate(lines) if sign in line]
        chart = view._model.chart if view._model is not None else None
        assert chart is not None and row - 1 == chart.scale.row(float(Decimal(newest.close)))
