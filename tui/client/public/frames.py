"""Channels of the public stream: which a pair has, how their frames are decoded, who receives them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from tui.client.connection_status import ConnectionStatus, LinkLost
from tui.client.decode import BadFrame, Reader
from tui.client.flood.burst_reader import BurstSink
from tui.client.flood.newest_quotes import BBO_MARKER, quote_of
from tui.client.settings import Timings
from tui.interface import streams
from tui.interface.families.market import Bbo, Channel, InterestPush, MarkPush, TickerPush
from tui.interface.streams import PublicEvent, PushFrame
from tui.interface.symbols import try_parse

T = TypeVar("T")


def _marker(channel: Channel) -> bytes:
    return f'"{channel}"'.encode()


_EVENT: Reader[PublicEvent] = Reader(PublicEvent)
_QUOTE: Reader[Bbo] = Reader(Bbo)
_QUOTES: Reader[Any] = Reader(PushFrame[Bbo])
_MARKS: Reader[Any] = Reader(PushFrame[MarkPush])
_TICKERS: Reader[Any] = Reader(PushFrame[TickerPush])
_INTEREST: Reader[Any] = Reader(PushFrame[InterestPush])
_ALWAYS = (Channel.BBO, Channel.TICKER)
_PERPETUAL = (Channel.BBO, Channel.TICKER, Channel.MARK_PRICE, Channel.OPEN_INTEREST)
_DATA = b'"data"'
_TWO_ENDS = b"}}"
"""End of the quote and of the frame."""
_SHOWN = {channel: _marker(channel) for channel in streams.SHOWN_CHANNELS}

_Deliver: TypeAlias = Callable[[str, Sequence[Any], float], None]
"""Function of the pair, the rows of a push and their monotonic receive time, s."""


class QuoteSink(BurstSink, Protocol):
    """Receiver of best bid/ask quotes and mark prices; called for every message, so it must be quick."""

    def bbo(self, sym: str, quote: Bbo, received: float) -> None: ...

    def mark(self, sym: str, mark: MarkPush) -> None: ...


class TickerSink(Protocol):
    """Receiver of a pair's slowly changing figures: ticker and open interest."""

    def ticker(self, sym: str, push: TickerPush) -> None: ...

    def interest(self, sym: str, push: InterestPush) -> None: ...


class PublicHandler(Protocol):
    """Receiver of connection and subscription events; must not block."""

    def on_subscription(self, sym: str, reason: str, *, ok: bool) -> None:
        """Handle that the service confirmed (`ok`) or rejected the subscription of a pair."""
        ...

    def unreadable(self, channel: str, reason: str) -> None:
        """Handle an undecodable push of a channel that is only displayed; the push is skipped."""
        ...

    def public_changed(self) -> None:
        """Handle a change of a connection's phase."""
        ...


def channels_of(sym: str) -> tuple[Channel, ...]:
    """Return the channels of a pair; mark price and open interest exist for perpetuals only."""
    pair = try_parse(sym)
    return _PERPETUAL if pair is not None and pair.is_perp else _ALWAYS


class _PushRoute(NamedTuple):
    """Marker, decoder and receiver for the pushes of one channel."""

    channel: Channel
    reader: Reader[Any]
    deliver: _Deliver
    marker: bytes


class PublicFrames:
    """Decoder of public frames that delivers their content and counts undecodable ones."""

    def __init__(
        self,
        quotes: QuoteSink,
        tickers: TickerSink,
        *,
        syms: Container[str],
        before_quote: Callable[[str], None],
        take_event: Callable[[PublicEvent, float], None],
        handler: PublicHandler,
        status: ConnectionStatus,
        timings: Timings,
    ) -> None:
        """Build the marker, decoder and receiver of each channel.

        Args:
            syms: Pairs whose pushes are wanted.
            before_quote: Called with the pair of a quote before it is delivered.
            take_event: Receiver of frames that are no push.
        """
        self._quotes = quotes
        self._syms = syms
        self._before_quote = before_quote
        self._take_event = take_event
        self._handler = handler
        self._status = status
        self._timings = timings
        self._bad: deque[float] = deque(maxlen=timings.bad_frames_limit)
        """Monotonic times of the last unreadable frames, s."""
        # Most frequent first.
        self._routes = (
            _PushRoute(Channel.BBO, _QUOTES, self._deliver_quotes, BBO_MARKER),
            _route(Channel.MARK_PRICE, _MARKS, quotes.mark),
            _route(Channel.TICKER, _TICKERS, tickers.ticker),
            _route(Channel.OPEN_INTEREST, _INTEREST, tickers.interest),
        )

    def take_frame(self, data: bytes, received: float) -> str:
        """Decode and deliver a frame; return the pair if it was a best bid/ask, else an empty text."""
        if _DATA in data:
            for route in self._routes:
                if route.marker not in data:
                    continue
                # The marker only chooses the cheapest decoder; the decoded channel decides.
                push = route.reader.read(data)
                if push.arg.channel == route.channel:
                    if push.arg.symbol not in self._syms:
                        return ""
                    # Services send an object, or a list that holds it.
                    rows = push.data if isinstance(push.data, list) else (push.data,)
                    route.deliver(push.arg.symbol, rows, received)
                    return push.arg.symbol if route.channel is Channel.BBO else ""
                break
        if data not in (b"pong", b"ping"):
            self._take_event(_EVENT.read(data), received)
        return ""

    def take_quote(self, sym: str, data: bytes, received: float) -> bool:
        """Decode only the quote in a frame that starts like a quote of the pair; return whether it was one."""
        if data.endswith(_TWO_ENDS):
            try:
                quote = _QUOTE.read(quote_of(data)[:-1])
            except BadFrame:
                pass  # more than one quote follows: the whole frame is decoded
            else:
                self._deliver_quotes(sym, (quote,), received)
                return True
        return self.take_frame(data, received) == sym

    def count_unreadable(self, data: bytes, reason: str, received: float) -> None:
        """Count an undecodable frame; too many end the connection, except those of channels that are only displayed."""
        self._status.bad_frames += 1
        shown = _display_only_channel(data)
        if shown:
            self._handler.unreadable(shown, reason)
            return
        self._bad.append(received)
        if len(self._bad) == self._bad.maxlen and received - self._bad[0] < self._timings.bad_frames_window:
            self._bad.clear()
            raise LinkLost(f"too many unreadable frames, last: {reason}")

    def _deliver_quotes(self, sym: str, quotes: Sequence[Bbo], received: float) -> None:
        self._before_quote(sym)
        for quote in quotes:
            self._quotes.bbo(sym, quote, received)


def _route(channel: Channel, reader: Reader[Any], take: Callable[[str, T], None]) -> _PushRoute:
    def deliver(sym: str, rows: Sequence[T], _received: float) -> None:
        for row in rows:
            take(sym, row)

    return _PushRoute(channel, reader, deliver, _marker(channel))


def _display_only_channel(data: bytes) -> str:
    """Return the channel of a frame if it is one that is only displayed, such as tickers; else an empty text."""
    if _DATA not in data or BBO_MARKER in data:
        return ""
    return next((channel.value for channel, mark in _SHOWN.items() if mark in data), "")
