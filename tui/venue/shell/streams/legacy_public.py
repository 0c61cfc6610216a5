"""Legacy format of the public stream: three channels, flat records, field `instId`, always compressed."""

from __future__ import annotations

from typing import Any

from tui.interface.decimals import plain
from tui.interface.families.market import (
    OLDER_CHANNELS,
    Channel,
    LegacyBbo,
    LegacyBook,
    LegacyMark,
    LegacySide,
    LegacyTrade,
    UpdateType,
)
from tui.interface.symbols import parse_symbol
from tui.venue.core.events import MarkChanged, MarketEvent, QuoteChanged
from tui.venue.shell.streams.channels import BookUpdate, PublicMessage, PushBuilder, SubscribeReply, Target

_NORMAL, _CLOSED = "0", "1"


class LegacyPushBuilder(PushBuilder):
    """Builder of push messages in the legacy format."""

    channels = OLDER_CHANNELS

    def reply(self, to: SubscribeReply) -> PublicMessage:
        """Build a subscribe reply that lists the accepted targets by channel and pair only."""
        arg = [{"channel": target.channel, "instId": target.sym} for target in to.targets]
        return PublicMessage({"event": to.verb.upper(), "code": 0, "message": "success", "arg": arg})

    def error(self, code: str, msg: str, arg: Any = None) -> PublicMessage:
        frame: dict[str, Any] = {"event": "error", "code": code, "message": msg[:200]}
        if isinstance(arg, list):
            frame["arg"] = arg
        return PublicMessage(frame)

    def push_of(self, event: MarketEvent) -> PublicMessage:
        """Build the push of a best bid/ask or a mark price; other events have no legacy format."""
        if isinstance(event, QuoteChanged):
            return PublicMessage(self._bbo(event))
        if isinstance(event, MarkChanged):
            return PublicMessage(LegacyMark(inst_id=event.sym, local_ts=self._runtime.now_ms(), mark_price=event.mark))
        return super().push_of(event)

    def _bbo(self, event: QuoteChanged) -> LegacyBbo:
        return LegacyBbo(
            inst_id=event.sym,
            exchange=parse_symbol(event.sym).exchange,
            local_ts=self._runtime.now_ms(),
            exchange_ts=event.ts,
            seq_num=self._numbers.next(),
            bid=LegacySide(price=event.bid, qty=self.qty(event.sym, event.bid_qty)),
            ask=LegacySide(price=event.ask, qty=self.qty(event.sym, event.ask_qty)),
        )

    def book(self, target: Target, book: BookUpdate) -> PublicMessage:
        """Build the push of an order book, full or changes only, with the trades since the last push."""
        now, sym = self._runtime.now_ms(), target.sym
        last = self._exchange.queries.last_price(sym)
        day = self._candles.series(Channel.KLINE, sym).day(last, now)
        bids, asks = (self.side(sym, side) for side in book.sides)
        data = LegacyBook(
            local_ts=now,
            exchange_ts=now,
            seq_num=book.seq,
            preseq_num=book.before,
            type=UpdateType.UPDATE if book.before else UpdateType.ALL,
            ltp=plain(last),
            ttv=plain(day.turnover),
            ttq=plain(day.volume),
            state=_CLOSED if self._exchange.queries.is_delisted(sym) else _NORMAL,
            bids=bids,
            asks=asks,
            trades=[
                LegacyTrade(price=trade.price, qty=trade.qty, side="0" if trade.side == "buy" else "1", ts=trade.ts)
                for trade in book.trades
            ],
        )
        return PublicMessage({"arg": {"channel": target.channel, "instId": sym}, "data": data})
