"""Market of the pair that a sender looks at: its book, trades and bars, and the books of others."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping

from aiohttp import ClientSession

from tui.client.detail_stream import DetailSink, DetailStream
from tui.engine.conflating_queue import TableSink
from tui.engine.market.past_bars import PastBars
from tui.engine.state.engine_state import EngineState
from tui.engine.state.market_detail import MarketDetail, OtherBooks
from tui.interface.streams import Detail


class MarketView:
    """Market data of the pair that a sender displays: streams and old bars; without a pair nothing is connected."""

    def __init__(self, state: EngineState, session: ClientSession, detail: MarketDetail, books: OtherBooks) -> None:
        self._detail = detail
        self._books = books
        self.stream = _open_stream(state, session, lambda _: detail)
        self.book_stream = _open_stream(state, session, books.book_of)
        self.past_bars = PastBars(state, session, detail)

    def follow(self, detail: Detail | None, books: Iterable[str]) -> None:
        """Subscribe to book, trades and bars of a pair, and to the books of others; None unsubscribes from all."""
        kept = tuple(books) if detail is not None else ()
        if detail is None:
            self._detail.forget()
        self._books.keep(kept)
        self.stream.follow(*([detail] if detail is not None else ()))
        self.book_stream.follow(*(Detail(sym, only_book=True) for sym in kept))

    def jobs(self) -> Mapping[str, Callable[[], Awaitable[None]]]:
        """Return the permanent tasks of the view, by name."""
        return {"detail stream": self.stream.run, "book stream": self.book_stream.run, "past bars": self.past_bars.run}


def open_view(state: EngineState, session: ClientSession, sink: TableSink) -> MarketView:
    """Build a market data view whose rows go only to `sink`."""
    return MarketView(state, session, MarketDetail(sink, state.tickers), OtherBooks(sink, state.tickers))


def _open_stream(state: EngineState, session: ClientSession, sink_of: Callable[[str], DetailSink]) -> DetailStream:
    return DetailStream(
        state.identity.service.public_ws_url,
        session=session,
        clock=state.clock,
        random_source=state.services.random_source,
        timings=state.settings.timings,
        sink_of=sink_of,
    )
