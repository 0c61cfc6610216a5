"""Index and marks: medians of venues, frozen ones left out, wicks held off."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.venue.core.drive import PERP, START, Desk, code
from tui.venue.core.commands import MoveMarket
from tui.venue.core.events import IndexChanged, MarkChanged
from tui.venue.core.market.book import BookTouch
from tui.venue.core.market.marks import Marks
from tui.venue.core.market.symbols import REFERENCE_PRICES, SHIPPED

SPOTS = ("BINANCE_SPOT_BTC_USDT", "OKX_SPOT_BTC_USDT", "EDX_PERP_BTC_USDT")


def touch(sym: str, price: str) -> BookTouch:
    """A touch two ticks wide around a price."""
    ticks = int(Decimal(price) / SHIPPED[sym].tick)
    return BookTouch(ticks - 1, 10, ticks + 1, 10)


def index(prices: tuple[str, str, str], ages_ms: tuple[int, int, int] = (0, 0, 0)) -> Decimal:
    marks, now = Marks(SHIPPED), START
    touches = {sym: touch(sym, price) for sym, price in zip(SPOTS, prices, strict=True)}
    marks.tick(touches, {sym: now - age for sym, age in zip(SPOTS, ages_ms, strict=True)}, now)
    return marks.index["BTC"]


def test_index_price_is_the_median_of_the_venue_spot_prices() -> None:
    assert index(("60000", "60010", "60300")) == 60010


@pytest.mark.parametrize(
    ("ages", "expected"),
    [((0, 5000, 0), "60010"), ((0, 5001, 0), "60150"), ((9000, 9000, 0), "60300"), ((9000, 9000, 9000), "60010")],
)
def test_index_price_leaves_out_a_venue_whose_prices_froze(ages: tuple[int, int, int], expected: str) -> None:
    assert index(("60000", "60010", "60300"), ages) == Decimal(expected)


def test_index_ignores_margin_order_books() -> None:
    marks, sym = Marks(SHIPPED), "BINANCE_MARGIN_BTC_USDT"
    before = marks.index["BTC"]
    marks.tick({sym: touch(sym, "50000")}, {}, START)
    assert marks.index["BTC"] == before


def test_mark_price_follows_the_premium_within_half_a_percent() -> None:
    marks = Marks(SHIPPED)
    spot = {sym: touch(sym, "60000") for sym in SPOTS}
    marks.tick({**spot, PERP: touch(PERP, "60000")}, {}, START)
    first = marks.mark[PERP]
    for second in range(30):
        marks.tick({**spot, PERP: touch(PERP, "60100")}, {}, START + 1000 * second)
    assert first == 60000
    assert marks.mark[PERP] == pytest.approx(Decimal(60050), abs=1)
    for second in range(3000):
        marks.tick({**spot, PERP: touch(PERP, "63000")}, {}, START + 1000 * second)
    assert marks.mark[PERP] == 60300


def test_a_newly_listed_pair_gets_simulated_position_holders() -> None:
    desk, sym = Desk(), "OKX_PERP_SOL_USDT"
    desk.place("BUY", "0.01", "61000")
    for table in ("bots", "house"):
        del desk.durable[(table, sym)]
    state = desk.restarted()._state
    assert 20 <= len(state.bots[sym]) <= 60
    assert sum(bot.lots for bot in state.bots[sym]) + state.house[sym] == 0
    assert state.bots[PERP] == desk.state.bots[PERP]


def test_every_pair_has_a_quote_and_each_perpetual_a_mark_price() -> None:
    desk = Desk(agents="still")
    assert {pair.base for pair in SHIPPED.values()} == {"BTC", "ETH", "SOL", "DOGE"}
    for sym, pair in SHIPPED.items():
        quote = desk.exchange.queries.quote(sym)
        assert quote is not None
        middle = (Decimal(quote.bid) + Decimal(quote.ask)) / 2
        assert middle / desk.state.marks.index[pair.base] == pytest.approx(Decimal(1), abs=Decimal("0.001"))
        assert (desk.exchange.queries.mark(sym) is not None) == pair.is_perp


@pytest.mark.parametrize(
    ("text", "price"), [("-2%", "60564"), ("+10%", "67980"), ("-0.5%", "61491"), ("60000", "60000")]
)
def test_market_can_be_moved_to_a_price_or_by_a_percentage(text: str, price: str) -> None:
    desk = Desk()
    desk.steer("BTC", text)
    assert desk.state.marks.index["BTC"] == desk.state.marks.mark[PERP] == Decimal(price)


@pytest.mark.parametrize("text", ["-100%", "2%", "%", "-2 %", "0", "-5", ""])
def test_an_invalid_market_move_is_rejected(text: str) -> None:
    desk = Desk()
    assert code(desk.do(MoveMarket(coin="BTC", price=text))) == 400000
    assert desk.state.marks.index["BTC"] == REFERENCE_PRICES["BTC"]


def test_a_market_move_publishes_the_new_mark_prices() -> None:
    desk = Desk()
    desk.wait()
    desk.events.clear()
    desk.steer("BTC", "61000")
    marks = [one for one in desk.events if isinstance(one, MarkChanged | IndexChanged)]
    assert {one.sym for one in marks} == {sym for sym, pair in SHIPPED.items() if pair.is_perp and pair.base == "BTC"}
