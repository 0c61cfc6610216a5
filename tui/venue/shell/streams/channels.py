"""Channels of the public stream: parsing of subscriptions, and the push messages of each channel."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import msgspec

from tui.crossdesk_error import CrossdeskError
from tui.interface.decimals import plain
from tui.interface.families.market import (
    BOOK_LEVELS,
    Bbo,
    BookPush,
    Channel,
    IndexPush,
    InterestPush,
    Interval,
    KlineRow,
    MarkPush,
    TickerPush,
    TradePush,
    UpdateType,
)
from tui.interface.symbols import try_parse
from tui.interface.text import show_given
from tui.venue.core.events import IndexChanged, MarkChanged, MarketEvent, PublicTrade, QuoteChanged
from tui.venue.core.market.candles import Bar, Candles
from tui.venue.shell.faults import Fault, distort
from tui.venue.shell.runtime import Runtime

KLINES = frozenset([Channel.KLINE, Channel.MARK_PRICE_KLINE, Channel.INDEX_KLINE])
PERP_ONLY = frozenset(
    [
        Channel.MARK_PRICE,
        Channel.INDEX_PRICE,
        Channel.MARK_PRICE_KLINE,
        Channel.INDEX_KLINE,
        Channel.OPEN_INTEREST,
    ]
)
TIMED = KLINES | {Channel.ORDER_BOOK, Channel.TICKER}
"""Channels pushed by time, not by events."""

Sides = tuple[dict[str, str], dict[str, str]]
"""Quantity by price of bids and asks."""


class SubscriptionRejected(CrossdeskError):
    """Error for a rejected subscription."""

    title = "Subscription rejected"

    def __init__(self, code: str, msg: str) -> None:
        super().__init__(msg)
        self.code, self.msg = code, msg


class Target(NamedTuple):
    """Subscription target: a channel of a pair."""

    channel: str
    sym: str
    interval: str = ""
    """As requested."""

    @property
    def bar(self) -> tuple[str, str, Interval | None]:
        """Channel, pair and candle interval, the interval in one spelling."""
        return self.channel, self.sym, Interval.parse(self.interval)

    def arg(self, kind: str = "") -> dict[str, str]:
        """Build the field `arg` of a push."""
        arg = {"channel": self.channel, "sym": self.sym}
        if self.interval:
            arg["interval"] = self.interval
        if kind:
            arg["updatetype"] = kind
        return arg


class Subscription(msgspec.Struct):
    """State of one connection's subscription to one target."""

    level: int = 0
    """Levels per side of an order book."""
    count: int = 0
    """Pushes of an order book so far."""
    due: float = 0.0
    """Earliest time of the next timed push, seconds of the event loop."""
    seen: object = None
    """Last pushed value, on channels that push only changes."""


class PublicMessage:
    """Push message as text and, compressed on first use, as one gzip frame."""

    def __init__(self, message: Mapping[str, Any] | msgspec.Struct) -> None:
        self.text = msgspec.json.encode(message)
        self._packed: bytes | None = None

    @property
    def packed(self) -> bytes:
        """The message as one gzip frame."""
        if self._packed is None:
            packer = zlib.compressobj(1, zlib.DEFLATED, 31)
            self._packed = packer.compress(self.text) + packer.flush()
        return self._packed


def distort_message(frame: PublicMessage, fault: Fault | None) -> PublicMessage:
    """Corrupt a message by an injected fault; without a fault return it unchanged."""
    return frame if fault is None else PublicMessage(msgspec.json.decode(distort(fault.kind, frame.text.decode())))


def parse_target(arg: Any, syms: Collection[str], channels: Collection[str]) -> tuple[Target, int]:
    """Parse target and book depth from one element of a subscribe request.

    Args:
        arg: Element as sent.
        syms: Offered pairs.
        channels: Channels of this generation of the stream.

    Raises:
        SubscriptionRejected: Unknown channel, level or interval, or a pair that the channel does not have.
    """
    fields: dict[str, Any] = arg if isinstance(arg, dict) else {}
    channel, sym = fields.get("channel"), fields.get("sym") or fields.get("instId")
    if not isinstance(channel, str) or channel not in channels:
        raise _reject("channel", channel, f"accepted are {', '.join(channels)}")
    level, interval = 0, ""
    if channel == Channel.ORDER_BOOK:
        level = _parse_level(fields.get("level", BOOK_LEVELS[0]))
    elif channel in KLINES:
        interval = _parse_interval(fields.get("interval"))
    parsed = try_parse(sym if isinstance(sym, str) else "")
    if parsed is None:
        raise _reject("sym", sym, "a pair reads EXCHANGE_TYPE_BASE_QUOTE", "11100")
    if parsed.sym not in syms or (channel in PERP_ONLY and not parsed.is_perp):
        raise SubscriptionRejected("11100", f"invalid symbol {parsed.sym[:64]!r} for {channel}")
    return Target(channel, parsed.sym, interval), level


def _reject(name: str, value: Any, accepted: str, code: str = "601004") -> SubscriptionRejected:
    """Build the rejection of a field of a request: its name, its value, and what is accepted."""
    wrong = f"{name} is missing" if value is None else f"{name} {show_given(value, of_json=True)} is not accepted"
    return SubscriptionRejected(code, f"{wrong}; {accepted}")


def _parse_level(value: Any) -> int:
    for level in BOOK_LEVELS:
        if value == str(level) or (type(value) is int and value == level):
            return level
    raise _reject("level", value, f"accepted are {', '.join(map(str, BOOK_LEVELS))}")


def _parse_interval(value: Any) -> str:
    if not isinstance(value, str) or Interval.parse(value) is None:
        raise _reject("interval", value, f"accepted are {', '.join(Interval)}")
    return value


class SequenceNumbers:
    """Sequence numbers of the public stream, shared by all channels; they start at the clock and so rise over restarts."""

    def __init__(self, start: int) -> None:
        self._last = start

    def next(self) -> int:
        self._last += 1
        return self._last


class SubscribeReply(NamedTuple):
    """Result of a subscribe or unsubscribe request, with accepted and rejected targets."""

    verb: str
    targets: Sequence[Target]
    accepted: Sequence[Any]
    """Elements as sent, one per target."""
    refused: Sequence[Any]


class BookUpdate(NamedTuple):
    """Content of an order book push: sides and sequence numbers."""

    num: int
    """Number of the push within the subscription."""
    seq: int
    before: int
    """Sequence number of the push before; 0 for a whole book."""
    sides: Sides
    trades: Sequence[PublicTrade]
    """Public trades since the push before."""


class PushBuilder:
    """Builder of push messages from current values of the exchange and from its candles."""

    channels: tuple[str, ...] = tuple(Channel)

    def __init__(self, runtime: Runtime, candles: Candles, numbers: SequenceNumbers) -> None:
        self._runtime = runtime
        self._exchange = runtime.exchange
        self._candles = candles
        self._numbers = numbers
        infos = runtime.exchange.queries.symbol_infos()
        sizes = {sym: Decimal(info.contract_size) for sym, info in infos.items()}
        self._contracts = {sym: size for sym, size in sizes.items() if size != 1}

    def qty(self, sym: str, qty: str) -> str:
        """Convert a book quantity to the unit set by the switch `bbo_unit`."""
        size = self._contracts.get(sym)
        return qty if size is None or self._runtime.switches["bbo_unit"] == "contracts" else plain(Decimal(qty) * size)

    def reply(self, to: SubscribeReply) -> PublicMessage:
        """Build the reply to a subscribe request of which at least one element was accepted."""
        if self._runtime.switches["subscribe_reply"] == "short":
            return PublicMessage({"event": to.verb, "arg": to.accepted, "code": 0})
        return PublicMessage(
            {"event": to.verb, "code": 0, "msg": "success", "arg": to.accepted, "invalidArg": to.refused}
        )

    def error(self, code: str, msg: str, arg: Any = None) -> PublicMessage:
        """Build the reply to a rejected request; it contains `arg` only when the request could be parsed."""
        frame: dict[str, Any] = {"event": "error", "code": code, "msg": msg[:200]}
        if isinstance(arg, list):
            frame["arg"] = arg
        return PublicMessage(frame)

    def ts(self, ms: int) -> str | int:
        """Format a time as number or text, by the switch `public_ts`."""
        return ms if self._runtime.switches["public_ts"] == "int" else str(ms)

    def push_of(self, event: MarketEvent) -> PublicMessage:
        """Build the push message of a market event."""
        ts = self.ts(event.ts)
        data: Bbo | TradePush | MarkPush | IndexPush
        match event:
            case QuoteChanged():
                bid_qty, ask_qty = self.qty(event.sym, event.bid_qty), self.qty(event.sym, event.ask_qty)
                data = Bbo(bid=event.bid, bid_qty=bid_qty, ask=event.ask, ask_qty=ask_qty, ts=ts)
            case PublicTrade():
                data = TradePush(price=event.price, qty=event.qty, side=event.side, trade_id=event.trade_id, ts=ts)
            case MarkChanged():
                data = MarkPush(mark=event.mark, ts=ts)
            case IndexChanged():
                data = IndexPush(index=event.index, ts=ts)
        return PublicMessage({"arg": target_of(event).arg(), "data": data})

    def current(self, target: Target) -> PublicMessage | None:
        """Build the push of a channel's current value for a new subscriber; None for channels that push only events."""
        event: MarketEvent | None = None
        if target.channel == Channel.BBO:
            event = self._exchange.queries.quote(target.sym)
        elif target.channel == Channel.MARK_PRICE:
            event = self._exchange.queries.mark(target.sym)
        elif target.channel == Channel.INDEX_PRICE:
            event = self._exchange.queries.index(target.sym)
        return None if event is None else self.push_of(event)

    def interest(self, target: Target, lots: str) -> PublicMessage:
        data = InterestPush(open_interest=self.qty(target.sym, lots), ts=self.ts(self._runtime.now_ms()))
        return PublicMessage({"arg": target.arg(), "data": data})

    def ticker(self, target: Target) -> PublicMessage:
        now, last = self._runtime.now_ms(), self._exchange.queries.last_price(target.sym)
        day = self._candles.series(Channel.KLINE, target.sym).day(last, now)
        fuller = self._runtime.switches["ticker_shape"] == "array"
        data = TickerPush(
            last=plain(last),
            open=plain(day.open) if fuller else "",
            high=plain(day.high),
            low=plain(day.low),
            vol24h=plain(day.turnover if fuller else day.volume),
            vol24v=plain(day.volume) if fuller else "",
            chg=plain(day.change if fuller else day.change * 100),
            ts=self.ts(now),
        )
        return PublicMessage({"arg": target.arg(), "data": [data] if fuller else data})

    def bars(self, target: Target) -> tuple[Bar, Bar | None]:
        """Return the current candle and the last closed one."""
        series = self._candles.series(target.channel, target.sym)
        if target.channel == Channel.KLINE:
            series.set_first_price(self._exchange.queries.last_price(target.sym))
        elif target.channel == Channel.MARK_PRICE_KLINE and (mark := self._exchange.queries.mark(target.sym)):
            series.set_first_price(Decimal(mark.mark))
        elif target.channel == Channel.INDEX_KLINE and (index := self._exchange.queries.index(target.sym)):
            series.set_first_price(Decimal(index.index))
        _, _, interval = target.bar
        assert interval is not None
        return series.bar(interval, self._runtime.now_ms()), series.last_closed(interval)

    def kline(self, target: Target, bar: Bar, *, closed: bool) -> PublicMessage:
        """Build the push of a candle: a record, or a row of texts by the switch `kline_rows`."""
        texts = self._runtime.switches["kline_rows"] == "strings"
        row = KlineRow(
            open_time=str(bar.start) if texts else bar.start,
            open=plain(bar.open),
            high=plain(bar.high),
            low=plain(bar.low),
            close=plain(bar.close),
            volume=plain(bar.volume),
            closed=closed,
        )
        return PublicMessage({"arg": target.arg(), "data": [msgspec.structs.astuple(row)[:6] if texts else row]})

    def book(self, target: Target, book: BookUpdate) -> PublicMessage:
        """Build the push of an order book, full or changes only."""
        bids, asks = (self.side(target.sym, side) for side in book.sides)
        data = BookPush(
            ts=self.ts(self._runtime.now_ms()),
            seq=str(book.seq),
            pre_seq=str(book.before),
            num=book.num,
            bids=bids,
            asks=asks,
        )
        return PublicMessage({"arg": target.arg(UpdateType.UPDATE if book.before else UpdateType.ALL), "data": data})

    def side(self, sym: str, side: Mapping[str, str]) -> list[tuple[str, str]]:
        """Return one side of an order book in the push format."""
        return [(price, self.qty(sym, qty)) for price, qty in side.items()]


def target_of(event: MarketEvent) -> Target:
    """Return the channel and pair to which a market event is pushed."""
    match event:
        case QuoteChanged():
            return Target(Channel.BBO, event.sym)
        case PublicTrade():
            return Target(Channel.TRADE, event.sym)
        case MarkChanged():
            return Target(Channel.MARK_PRICE, event.sym)
        case IndexChanged():
            return Target(Channel.INDEX_PRICE, event.sym)
