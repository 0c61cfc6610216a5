"""Value of an order against its limits, as the engine counts it."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from tests.workstation.driver import desk
from tests.workstation.tickets.ticket_desk import OKX
from tui.engine.rows import QuoteRow
from tui.interface.families.orders import OrderType
from tui.workstation.tickets.order.limits import exceeds_hard_limit
from tui.workstation.tickets.order.terms import PositionEffect
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.preview.limits import limit_pieces


async def test_a_market_ticket_counts_a_worse_price_against_limits() -> None:
    """Worth 24,900 at the touch it is over the soft limit of 25,000, because 1 % is added; the ticket says so before."""
    async with desk() as at:
        view = at.app.main_screen.panel.view
        whole = Ticket(sym=OKX, info=view.info(OKX), hedge=True, effect=PositionEffect.OPEN_LONG)
        market = msgspec.structs.replace(whole, order_type=OrderType.MARKET)
        quote = QuoteRow(sym=OKX, bid="59990", ask="60000", mark="59000", ts=1, received=1.0)
        for qty, said, refused in (
            ("41", "99 % of the soft limit", False),
            ("41.5", "1.0× soft limit: will ask", False),
            ("165", "4.0× soft limit: will ask", False),
            ("166", "4.0× soft limit, 1.0× hard: will be refused", True),
        ):
            sized = msgspec.structs.replace(market, qty=qty)
            ((words, _),) = limit_pieces(sized, quote, view)
            assert (words, exceeds_hard_limit(sized, quote, view)) == (said, refused)
        for gone, value in (({"ask": ""}, "60589.9"), ({"mark": "61000"}, "61610"), ({"bid": "", "ask": ""}, "59590")):
            quoted = msgspec.structs.replace(quote, **gone)
            assert msgspec.structs.replace(market, qty="100").limit_value(quoted) == Decimal(value)
        sale = msgspec.structs.replace(market, qty="100", effect=PositionEffect.OPEN_SHORT)
        assert sale.limit_value(quote) == Decimal("59990")


async def test_a_market_close_does_not_count_against_value_limits() -> None:
    async with desk() as at:
        view = at.app.main_screen.panel.view
        close = Ticket(sym=OKX, info=view.info(OKX), hedge=True, effect=PositionEffect.CLOSE_LONG, qty="1000")
        market = msgspec.structs.replace(close, order_type=OrderType.MARKET)
        quote = QuoteRow(sym=OKX, bid="59990", ask="60000", mark="59000", ts=1, received=1.0)
        assert limit_pieces(market, quote, view) == [] and not exceeds_hard_limit(market, quote, view)
