"""Symbols, mark prices, funding, margin tiers and the public stream: records, requests and endpoint definitions."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from tui.interface.decimals import optional, plain
from tui.interface.endpoint import EVERY_LEVEL, Family, Permission, RateLimit, Shape
from tui.interface.request import BusinessFilter, ExchangeFilter, OfferedSymbol, Request, SymbolQuery


class Channel(StrEnum):
    """Channels of the public stream."""

    BBO = "BBO"
    TICKER = "TICKER"
    TRADE = "TRADE"
    ORDER_BOOK = "ORDER_BOOK"
    KLINE = "KLINE"
    MARK_PRICE = "MARK_PRICE"
    INDEX_PRICE = "INDEX_PRICE"
    MARK_PRICE_KLINE = "MARK_PRICE_KLINE"
    INDEX_KLINE = "INDEX_KLINE"
    OPEN_INTEREST = "OPEN_INTEREST"


class BarPrice(StrEnum):
    """Kind of price that candles are made of."""

    LAST = "last"
    MARK = "mark"
    INDEX = "index"

    @property
    def channel(self) -> Channel:
        """Channel that sends candles of this price."""
        return _BAR_CHANNELS[self]


_BAR_CHANNELS = {
    BarPrice.LAST: Channel.KLINE,
    BarPrice.MARK: Channel.MARK_PRICE_KLINE,
    BarPrice.INDEX: Channel.INDEX_KLINE,
}


class Interval(StrEnum):
    """Candle intervals of a kline; `6H` is only in the shorter edition of the API documents."""

    M1 = "1m"
    M3 = "3m"
    M5 = "5m"
    M15 = "15m"
    M30 = "30m"
    H1 = "1H"
    H2 = "2H"
    H4 = "4H"
    H6 = "6H"
    H8 = "8H"
    H12 = "12H"
    D1 = "1D"
    D2 = "2D"
    D5 = "5D"
    W1 = "1W"
    MONTH = "1M"

    @classmethod
    def parse(cls, text: str) -> Interval | None:
        """Parse a candle interval; case matters only between minute and month (`1m`, `1M`). None for other texts."""
        if text in _INTERVALS:
            return _INTERVALS[text]
        return _INTERVALS.get(text[:-1] + text[-1:].upper()) if text[-1:] in ("h", "d", "w") else None


_INTERVALS = {interval.value: interval for interval in Interval}


_MINUTE = 60_000
_DAY = 1440 * _MINUTE
INTERVAL_MS: dict[str, int] = {
    Interval.M1: _MINUTE,
    Interval.M3: 3 * _MINUTE,
    Interval.M5: 5 * _MINUTE,
    Interval.M15: 15 * _MINUTE,
    Interval.M30: 30 * _MINUTE,
    Interval.H1: 60 * _MINUTE,
    Interval.H2: 120 * _MINUTE,
    Interval.H4: 240 * _MINUTE,
    Interval.H6: 360 * _MINUTE,
    Interval.H8: 480 * _MINUTE,
    Interval.H12: 720 * _MINUTE,
    Interval.D1: _DAY,
    Interval.D2: 2 * _DAY,
    Interval.D5: 5 * _DAY,
    Interval.W1: 7 * _DAY,
}
"""Length of a bar in ms; all are whole minutes. A month has none."""


class UpdateType(StrEnum):
    """Kind of an order book push: full book, or changed levels only."""

    ALL = "all"
    UPDATE = "update"


BOOK_LEVELS = (50, 200)
"""Levels per side that an order book subscription accepts; the first is the default."""


class SymbolState(StrEnum):
    LIVE = "live"
    SUSPENDED = "suspended"
    DELISTED = "delisted"


class SymbolInfo(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Trading rules of a pair, all values as texts."""

    sym: str
    """Pair."""
    original_symbol: str = ""
    """Name of the pair at its venue."""
    state: str = ""
    """`live`, or why it is not traded."""
    price_precision: str = ""
    """Decimals of a price."""
    qty_precision: str = ""
    """Decimals of a size."""
    tick_size: str = ""
    """Step of a price."""
    lot_size: str = ""
    """Step of a size."""
    min_size: str = ""
    """Least size of an order."""
    min_notional: str = "0"
    """`0` means no limit."""
    max_limit_size: str = ""
    """Most size of a limit order."""
    max_market_size: str = ""
    """Most size of a market order."""
    max_num_orders: str = ""
    """Most open orders of the pair."""
    contract_size: str = "1"
    """Base units per contract; absent on spot."""
    default_leverage: str = "1"
    """Leverage at first."""
    safe_leverage: str = "1"
    """Leverage that the service calls safe."""
    liquidation_fee: str = "0"
    """Share of the value that a liquidation costs."""


class SymbolRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Pair in the service's list of all pairs, without its trading rules."""

    sym: str
    exchange_type: str = ""
    business_type: str = ""
    base: str = ""
    quote: str = ""
    state: str = ""


class FundingRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Estimate of the next funding payment of a perpetual; times in ms."""

    sym: str
    funding_rate: str
    """A fraction with 8 decimals; above 0 longs pay."""
    funding_time: str
    """Time of this figure."""
    next_funding_time: str


class MarkPriceRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Mark price of a perpetual; `time` is an integer in ms."""

    public_channel_type_enum: str = "MARK_PRICE"
    sym: str
    mark_price: str
    time: int


class Bracket(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Margin tier of a perpetual; the lower bound is exclusive, the upper inclusive."""

    sym: str
    min_notional_value: str
    max_notional_value: str
    max_leverage: str
    mm_rate: str
    risk_level: str


class Bbo(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Best bid and ask; an empty side has price 0 and quantity 0. `ts` is the venue's time in ms, as number or text."""

    bid: str
    bid_qty: str = msgspec.field(name="bidqty")
    ask: str
    ask_qty: str = msgspec.field(name="askqty")
    ts: str | int


class MarkPush(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    mark: str = msgspec.field(name="markpx")
    ts: str | int


class TradePush(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    price: str
    qty: str
    side: str
    trade_id: str = msgspec.field(default="", name="tradeid")
    ts: str | int


class IndexPush(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    index: str = msgspec.field(name="indexpx")
    ts: str | int


class InterestPush(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    open_interest: str
    ts: str | int


class TickerPush(msgspec.Struct, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """24-hour statistics of a pair, in one of two API editions; only the longer one has `open` and `vol24v`."""

    last: str
    open: str = msgspec.field(default="", name="open24h")
    high: str = msgspec.field(name="high24h")
    low: str = msgspec.field(name="low24h")
    vol24h: str
    """Quote units; base units in the short edition."""
    vol24v: str = ""
    """Base units; empty in the short edition."""
    chg: str
    """Fraction of the price 24 hours ago; per cent in the short edition."""
    ts: str | int

    @property
    def percent(self) -> str:
        """24-hour change in per cent, whichever edition sent it; unchanged text when it is no number."""
        share = optional(self.chg)
        return plain(share * 100) if self.vol24v and share is not None else self.chg


class KlineRow(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """Candle in the list of a kline push; the shorter API edition has a numeric time and a seventh element."""

    open_time: int | str
    """ms."""
    open: str
    high: str
    low: str
    close: str
    volume: str
    """Base units; 0 where prices are not trades."""
    closed: bool | None = None


class BookPush(msgspec.Struct, frozen=True, kw_only=True):
    """Order book push: full book, best first, or new quantities of changed levels; quantity 0 removes a level."""

    ts: str | int
    seq: str | int
    pre_seq: str | int
    """`seq` of the push before; 0 on a whole book."""
    num: int
    """Number of the push within its subscription, from 1."""
    bids: list[tuple[str, str]] = msgspec.field(name="Bids")
    asks: list[tuple[str, str]] = msgspec.field(name="Asks")


class LegacySide(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Best bid or ask in the legacy public stream."""

    price: str
    qty: str


class LegacyBbo(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Best bid and ask in the legacy public stream; times in ms, all numbers are integers."""

    channel: str = Channel.BBO
    inst_id: str
    exchange: str
    local_ts: int
    exchange_ts: int
    seq_num: int
    bid: LegacySide
    ask: LegacySide


class LegacyMark(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Mark price in the legacy public stream."""

    channel: str = Channel.MARK_PRICE
    inst_id: str
    local_ts: int
    mark_price: str


class LegacyTrade(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """Trade within an order book push of the legacy public stream; `side` 0: the taker buys, 1: it sells."""

    price: str
    qty: str
    side: str
    ts: int


class LegacyBook(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Order book push of the legacy public stream, with the trades since the previous push."""

    local_ts: int
    exchange_ts: int
    seq_num: int
    preseq_num: int
    type: str
    ltp: str
    """Price of the last trade."""
    ttv: str
    """Quote units traded in 24 hours."""
    ttq: str
    """Base units traded in 24 hours."""
    state: str
    """`0` normal, `1` closed."""
    bids: list[tuple[str, str]]
    asks: list[tuple[str, str]]
    trades: list[LegacyTrade]


OLDER_CHANNELS = (Channel.ORDER_BOOK, Channel.BBO, Channel.MARK_PRICE)
"""All channels of the older public generation."""


class SymbolsQuery(Request, frozen=True, kw_only=True, rename="camel"):
    """Query for pairs and their trading rules."""

    exchange: ExchangeFilter = ""
    business_type: BusinessFilter = ""


class FundingRateQuery(Request, frozen=True, kw_only=True, rename="camel"):
    """Query for the next funding rate of a perpetual."""

    sym: OfferedSymbol


_MARKET = Family("market", permission=Permission.READ, scopes=EVERY_LEVEL, success=200000, limit=RateLimit(3, 10))

# fmt: off
SYMBOL_INFO = _MARKET.row("symbol_info", "GET /api/v1/trading/sym/info", "symbol rules, object keyed by sym",
    request=SymbolQuery, record=SymbolInfo, shape=Shape.MAP)
SYMBOLS = _MARKET.row("symbols", "GET /api/v1/market/symbols", "symbols", request=SymbolsQuery, record=SymbolRow,
    shape=Shape.ARRAY)
MARK_PRICE = _MARKET.row("mark_price", "GET /api/v1/market/markPrice", "mark price", request=SymbolQuery,
    record=MarkPriceRow, shape=Shape.ARRAY)
FUNDING_RATE = _MARKET.row("funding_rate", "GET /api/v1/market/fundingRate", "funding rate and next funding time",
    request=FundingRateQuery, record=FundingRow, shape=Shape.ARRAY)
POSITION_BRACKETS = _MARKET.row("position_brackets", "GET /api/v1/trading/positionBracket", "position tiers per symbol",
    request=SymbolQuery, record=Bracket, shape=Shape.LISTS)
# fmt: on

ROWS = (
    SYMBOL_INFO,
    SYMBOLS,
    MARK_PRICE,
    FUNDING_RATE,
    POSITION_BRACKETS,
)
