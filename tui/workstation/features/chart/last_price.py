"""Last price of a pair between two bars: the last trade, held inside the best bid and offer once they have moved on."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from tui.interface.decimals import positive
from tui.interface.times import millis

if TYPE_CHECKING:
    from tui.engine.rows import QuoteRow
    from tui.interface.families.market import TradePush


def find_last(close: Decimal, start_ms: int, trade: TradePush | None = None, quote: QuoteRow | None = None) -> Decimal:
    """Return the last price of a pair: the newest trade or bar close, moved to the bid or ask of a newer quote.

    Args:
        close: Close of the newest bar.
        start_ms: Open time of that bar; what is older than the bar counts less than its close.
        trade: Newest public trade, if one is known.
        quote: Best bid and offer, if known; one older than the price it is compared with changes nothing.
    """
    price, at = close, start_ms
    if trade is not None and (traded := positive(trade.price)) is not None and millis(str(trade.ts)) >= at:
        price, at = traded, millis(str(trade.ts))
    if quote is None or quote.ts < at:
        return price
    bid, ask = positive(quote.bid), positive(quote.ask)
    if bid is not None and ask is not None and bid > ask:
        return price
    if bid is not None and price < bid:
        return bid
    return ask if ask is not None and price > ask else price
