"""Order book, trades and bars of the pair that is looked at: folded without gaps, from both editions of the documents."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from tests.client.fakes import FakeService, serving, until
from tests.engine.conftest import Screen, StateRig
from tests.engine.on_sockets import Life
from tests.venue.shell.conftest import Venue
from tui.client.connection_status import Phase
from tui.client.detail_stream import DetailStream
from tui.client.settings import Timings
from tui.engine.rows import BarsRow, DepthRow, PrintsRow, Table, TickerRow
from tui.engine.state import market_detail
from tui.engine.state.market_detail import MarketDetail
from tui.host import HostClock, SeededRandomSource
from tui.interface.families.market import BarPrice, BookPush, IndexPush, Interval, KlineRow, TradePush
from tui.interface.streams import Detail

PERP = "BINANCE_PERP_BTC_USDT"
LOOKED_AT = Detail(PERP, Interval.M5)


def push(seq: int, before: int, bids: list[tuple[str, str]], asks: list[tuple[str, str]]) -> BookPush:
    return BookPush(ts=str(1000 + seq), seq=str(seq), pre_seq=str(before), num=1, bids=bids, asks=asks)


WHOLE = push(10, 0, [("100.0", "1"), ("99.9", "2")], [("100.1", "3")])


class Folded:
    """A detail and what the screen has of it."""

    def __init__(self, bare: StateRig) -> None:
        self.detail = bare.state.detail
        self.screen: Screen = bare.screen
        self.detail.begin(LOOKED_AT)

    def _row(self, table: Table) -> object:
        return self.screen.look().tables[table][PERP]

    @property
    def book(self) -> DepthRow:
        row = self._row(Table.DEPTH)
        assert isinstance(row, DepthRow)
        return row

    @property
    def prints(self) -> list[str]:
        row = self._row(Table.PRINTS)
        assert isinstance(row, PrintsRow)
        return [trade.trade_id for trade in row.trades]

    @property
    def bars(self) -> list[str]:
        row = self._row(Table.BARS)
        assert isinstance(row, BarsRow) and row.interval == "5m"
        return [bar.close for bar in row.bars]


@pytest.fixture
def folded(bare: StateRig) -> Folded:
    return Folded(bare)


def test_order_book_applies_a_snapshot_and_level_changes(folded: Folded) -> None:
    assert not folded.book.whole
    assert folded.detail.book(push(9, 8, [("98", "1")], []), whole=False) and not folded.book.whole
    assert folded.detail.book(WHOLE, whole=True)
    assert (folded.book.whole, folded.book.bids, folded.book.asks) == (
        True, (("100.0", "1"), ("99.9", "2")), (("100.1", "3"),),
    )  # fmt: skip
    assert folded.detail.book(push(11, 10, [("100.00", "0"), ("99.95", "5")], [("100.2", "x")]), whole=False)
    assert folded.book.bids == (("99.95", "5"), ("99.9", "2")) and folded.book.asks == (("100.1", "3"),)
    assert folded.book.ts == 1011


def test_an_order_book_gap_empties_it_until_the_next_snapshot(folded: Folded) -> None:
    folded.detail.book(WHOLE, whole=True)
    assert folded.detail.book(push(9, 8, [("1", "1")], []), whole=False) and folded.book.whole
    assert folded.detail.book(push(8, 0, [("1", "1")], []), whole=True)
    assert folded.book.bids[0] == ("100.0", "1")
    assert not folded.detail.book(push(13, 12, [], []), whole=False)
    assert (folded.book.whole, folded.book.bids) == (False, ())
    assert folded.detail.book(push(20, 0, [("7", "1")], []), whole=True) and folded.book.bids == (("7", "1"),)


def test_public_trades_are_kept_newest_first_without_duplicates(
    folded: Folded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(market_detail, "MOST_TRADES", 3)

    def trade(number: int) -> TradePush:
        return TradePush(price="1", qty="1", side="buy", trade_id=str(number), ts=number)

    folded.detail.trades([trade(1), trade(2), trade(1)])
    assert folded.prints == ["2", "1"]
    folded.detail.trades([trade(3), trade(4)])
    assert folded.prints == ["4", "3", "2"]
    folded.detail.begin(LOOKED_AT)
    folded.detail.trades([trade(4)])
    assert folded.prints == ["4", "3", "2"]


def test_candles_are_kept_by_time_and_the_oldest_dropped(folded: Folded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(market_detail, "MOST_BARS", 2)

    def bar(at: int | str, close: str) -> KlineRow:
        return KlineRow(open_time=at, open="1", high="1", low="1", close=close, volume="0")

    folded.detail.bars([bar("1000", "5"), bar(2000, "6")])
    folded.detail.bars([bar("2000", "7")])
    assert folded.bars == ["5", "7"]
    folded.detail.bars([bar(3000, "8")])
    assert folded.bars == ["7", "8"]


def test_closed_mark_and_index_bars_are_kept_though_not_charted(folded: Folded) -> None:
    def bar(at: int, close: str) -> KlineRow:
        return KlineRow(open_time=at, open="1", high="1", low="1", close=close, volume="0")

    kept: list[tuple[BarPrice, Interval, str]] = []
    folded.detail.on_closed = lambda detail, row: kept.append((detail.price, detail.interval, row.close))
    folded.detail.bars([bar(1000, "5")])
    for price in (BarPrice.MARK, BarPrice.INDEX):
        folded.detail.follow_bars(price, [bar(1000, "6")])
        folded.detail.follow_bars(price, [bar(1000, "7")])
        folded.detail.follow_bars(price, [bar(2000, "8")])
        folded.detail.follow_bars(price, [bar(1000, "9")])
    assert kept == [(BarPrice.MARK, Interval.M5, "7"), (BarPrice.INDEX, Interval.M5, "7")]
    assert folded.bars == ["5"], "the chart shows its own price alone"


def test_the_index_price_is_shown_while_the_pair_is_followed(folded: Folded) -> None:
    folded.detail.index(PERP, IndexPush(index="100.05", ts="1"))
    folded.detail.begin(LOOKED_AT)
    row = folded.screen.look().tables[Table.TICKERS][PERP]
    assert isinstance(row, TickerRow) and row.index == "100.05"
    folded.detail.forget()
    row = folded.screen.look().tables[Table.TICKERS][PERP]
    assert isinstance(row, TickerRow) and row.index == ""


def test_a_closed_pair_view_leaves_the_index_price_to_others(folded: Folded, bare: StateRig) -> None:
    """A program that looked at the pair, and went, took the index price off the trader's screen."""
    other = MarketDetail(bare.state.updates, bare.state.tickers)
    for detail in (LOOKED_AT, LOOKED_AT, LOOKED_AT._replace(interval=Interval.M1)):
        other.begin(detail)
    folded.detail.index(PERP, IndexPush(index="100.05", ts="1"))
    other.forget()
    other.forget()
    assert bare.state.tickers.rows[PERP].index == "100.05"
    beside = MarketDetail(bare.state.updates, bare.state.tickers)
    beside.begin(Detail(PERP, only_book=True))
    folded.detail.forget()
    assert bare.state.tickers.rows[PERP].index == "", "a book alone brings no index price"


def test_order_book_of_an_unselected_pair_is_removed(folded: Folded) -> None:
    folded.detail.book(WHOLE, whole=True)
    assert folded.book.whole
    folded.detail.forget()
    assert folded.screen.look().tables[Table.DEPTH] == {}


@asynccontextmanager
async def followed(bare: StateRig) -> AsyncIterator[tuple[FakeService, DetailStream, MarketDetail]]:
    """A stream on a scripted service that looks at one pair."""
    timings = Timings(reconnect_first=0.01, reconnect_cap=0.05)
    async with serving() as (fake, service), aiohttp.ClientSession() as session:
        stream = DetailStream(
            service.public_ws_url, session=session, clock=HostClock(), random_source=SeededRandomSource(1),
            timings=timings, sink_of=lambda _: bare.state.detail,
        )  # fmt: skip
        running = asyncio.create_task(stream.run())
        try:
            yield fake, stream, bare.state.detail
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running


async def tell(fake: FakeService, channel: str, data: object, **arg: str) -> None:
    for socket in fake.publics:
        await socket.send_str(json.dumps({"arg": {"channel": channel, "sym": PERP, **arg}, "data": data}))


def levels(seq: int, before: int, bid: str) -> dict[str, object]:
    return {"ts": "1", "seq": str(seq), "pre_seq": str(before), "num": 1, "Bids": [[bid, "1"]], "Asks": []}


async def test_detail_stream_connects_only_while_a_pair_is_selected(bare: StateRig) -> None:
    async with followed(bare) as (fake, stream, _):
        assert fake.publics == []
        stream.follow(LOOKED_AT)
        await until(lambda: stream.status.phase is Phase.READY)
        stream.follow()
        await until(lambda: stream.status.phase is Phase.DOWN)
        assert len(fake.publics) == 1


async def test_a_book_gap_makes_the_detail_stream_subscribe_again(bare: StateRig) -> None:
    async with followed(bare) as (fake, stream, _):
        stream.follow(LOOKED_AT)
        await until(lambda: stream.status.phase is Phase.READY and fake.subscriptions)
        assert [one["channel"] for one in fake.subscriptions[0]] == [
            "ORDER_BOOK", "TRADE", "INDEX_PRICE", *(price.channel for price in BarPrice),
        ]  # fmt: skip
        await tell(fake, "ORDER_BOOK", levels(5, 0, "100"), updatetype="all")
        await tell(fake, "TRADE", [{"price": "1", "qty": "2", "side": "Buy", "tradeid": "t1", "ts": 1}])
        await tell(fake, "KLINE", [["60000", "1", "2", "0.5", "1.5", "9"]], interval="5m")
        await tell(fake, "TRADE", "nonsense")
        tables = bare.screen.tables
        await until(lambda: bare.screen.look().tables.get(Table.BARS) and stream.status.bad_frames == 1)
        depth = tables[Table.DEPTH][PERP]
        assert isinstance(depth, DepthRow) and depth.bids == (("100", "1"),)
        await tell(fake, "ORDER_BOOK", levels(9, 8, "101"), updatetype="update")
        await until(lambda: len(fake.subscriptions) == 2)
        assert not bare.state.detail._seq
        await tell(fake, "ORDER_BOOK", levels(9, 0, "101"), updatetype="all")
        await until(lambda: bare.state.detail._seq == 9)


async def test_a_closed_detail_stream_reconnects(bare: StateRig) -> None:
    async with followed(bare) as (fake, stream, _):
        stream.follow(LOOKED_AT)
        await until(lambda: fake.subscriptions)
        await fake.publics[0].close()
        await until(lambda: len(fake.subscriptions) == 2)
        assert stream.status.epoch == 2


async def test_order_books_of_further_pairs_come_with_the_watched_pair(tmp_path: Path) -> None:
    venue = Venue("--seed", "7", "--set", "latency=test", "--set", "past=off")
    life = Life(venue, tmp_path)
    others = ("OKX_PERP_BTC_USDT", "EDX_PERP_BTC_USDT")
    try:
        await life.in_step()
        life.engine.watch((PERP, *others))
        life.engine.look_at(Detail(PERP), others)
        screen = Screen(life.engine.updates)

        def whole() -> set[str]:
            rows = screen.look().tables.get(Table.DEPTH, {})
            return {sym for sym, row in rows.items() if isinstance(row, DepthRow) and row.whole and row.bids}

        await until(lambda: whole() == {PERP, *others}, 60)
        assert set(screen.look().tables.get(Table.PRINTS, {})) <= {PERP}
        life.engine.look_at(Detail(PERP), others[1:])
        await until(lambda: whole() == {PERP, others[1]}, 60)
        life.engine.look_at(None, others)
        await until(lambda: not whole(), 60)
    finally:
        await life.end()
        venue.stop()


async def test_order_book_of_an_active_market_matches_its_best_prices(tmp_path: Path) -> None:
    venue = Venue("--seed", "7", "--set", "latency=test", "--set", "past=off")
    life = Life(venue, tmp_path)
    try:
        await life.in_step()
        life.engine.watch((PERP,))
        life.engine.look_at(Detail(PERP))
        screen = Screen(life.engine.updates)
        seen: set[int] = set()

        def agrees() -> bool:
            tables = screen.look().tables
            if not (tables.get(Table.PRINTS) and tables.get(Table.BARS)):
                return False
            depth, quote = tables[Table.DEPTH][PERP], life.engine.state.quotes.rows[PERP]
            assert isinstance(depth, DepthRow) and depth.whole
            seen.add(depth.ts)
            return len(seen) > 5 and (depth.bids[0][0], depth.asks[0][0]) == (quote.bid, quote.ask)

        await until(agrees, 60)
        assert life.engine.session is not None
        assert life.engine.session.connections.view.stream.status.bad_frames == 0
    finally:
        await life.end()
        venue.stop()


async def test_mark_and_index_bars_of_a_market_end_at_its_prices(tmp_path: Path) -> None:
    venue = Venue("--seed", "7", "--set", "latency=test", "--set", "past=off")
    life = Life(venue, tmp_path)
    try:
        await life.in_step()
        life.engine.watch((PERP,))
        screen, state = Screen(life.engine.updates), life.engine.state
        for price in (BarPrice.MARK, BarPrice.INDEX):
            life.engine.look_at(Detail(PERP, price=price))

            def agrees(price: BarPrice = price) -> bool:
                row, ticker = screen.look().tables.get(Table.BARS, {}).get(PERP), state.tickers.rows.get(PERP)
                if not isinstance(row, BarsRow) or row.price != price or not row.bars or ticker is None:
                    return False
                newest = state.quotes.rows[PERP].mark if price is BarPrice.MARK else ticker.index
                return bool(newest) and row.bars[-1].close == newest

            await until(agrees, 60)
    finally:
        await life.end()
        venue.stop()
