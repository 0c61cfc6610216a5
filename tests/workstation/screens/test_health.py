"""Card of the connection's health: links, delays of quotes and orders, used limits of requests."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tui.engine.rows import OrderRow, Source, Stamp, Table
from tui.engine.status_rows import LinkState, RateUse
from tui.workstation.features.health.order_delays import OrderDelays, summarize

BTC = "BINANCE_PERP_BTC_USDT"


@pytest.mark.parametrize(
    ("delays", "median", "most_of_99", "most"),
    [([7.0], 7, 7, 7), ([9.0, 1.0], 1, 9, 9), ([3.0, 1.0, 2.0], 2, 3, 3), ([*range(1, 101)], 50, 99, 100),
     ([*range(1, 1001)], 500, 990, 1000)],
)  # fmt: skip
def test_order_delays_have_median_99th_percentile_and_maximum(
    delays: list[float], median: float, most_of_99: float, most: float
) -> None:
    assert summarize(delays) == (median, most_of_99, most, len(delays))
    assert summarize([]) is None


async def orders(at: Desk) -> list[OrderRow]:
    """Let time pass, so that the desk looks at its orders again, and list them."""
    at.clock.pass_by(2.0)
    await at.settle()
    return list(at.app.mirror.orders.values())


async def open_card(at: Desk) -> str:
    await at.press("ctrl+p")
    await at.press(*"latency")
    await at.press("enter")
    await at.settle()
    return at.text()


@pytest.mark.parametrize(("width", "height"), [(80, 24), (160, 45)])
async def test_the_health_card_counts_each_order_once_in_venue_delays(width: int, height: int) -> None:
    async with desk(width, height) as at:
        assert "push after" not in await open_card(at)
        await at.press("escape")
        for number, key in enumerate(("o3", "o2")):
            row = at.app.mirror.orders[key]
            timed = msgspec.structs.replace(row, reply_ms=21.4 + number, push_ms=None if number else 34.0)
            at.port.put(Table.ORDERS, key, timed)
        for price in ("63997.0", "63996.0"):
            row = (await orders(at))[0]
            at.port.put(Table.ORDERS, row.key, msgspec.structs.replace(row, price=price))
        await orders(at)
        text = await open_card(at)
        assert "orders BINANCE  reply after 21 ms, of 99 % within 21, at most 21 (1 order)" in text
        assert "orders BINANCE  push after 34 ms, of 99 % within 34, at most 34 (1 order)" in text
        assert "orders EDX      reply after 22 ms" in text and text.count("push after") == 1


def test_an_order_delay_learned_later_is_counted_once_then() -> None:
    delays = OrderDelays()
    stamp = Stamp("7001", 1, 0, Source.LOCAL, 0.0)
    row = OrderRow(key="a", client_order_id="a", sym=BTC, side="BUY", state="NEW", stamp=stamp)
    for reply, push in ((None, None), (None, 9.0), (12.0, 9.0), (12.0, 9.0)):
        delays.collect([msgspec.structs.replace(row, reply_ms=reply, push_ms=push)])
    assert delays.replies("BINANCE") == (12.0, 12.0, 12.0, 1)
    assert delays.pushes("BINANCE") == (9.0, 9.0, 9.0, 1)


async def test_the_health_card_updates_links_quotes_and_rate_limits() -> None:
    async with desk(120, 36) as at:
        at.clock.pass_by(1.0)
        now = int(at.app.mirror.server_wall * 1000)
        quote = at.app.mirror.quotes[BTC]
        at.port.put(Table.QUOTES, BTC, msgspec.structs.replace(quote, ts=now - 31, received=at.clock.mono()))
        at.port.set_desk(rates=(RateUse("new orders", 312, 840, 60), RateUse("replaces", 0, 210, 60)))
        text = await open_card(at)
        assert "quotes BINANCE  the newest took 31 ms from the venue" in text
        assert "new orders      312 of 840 in 60 s (37 %)" in text and "0 of 210 in 60 s (0 %)" in text
        assert "round trip 3 ms" in text and "1 ms ahead of that of the service" in text
        link = at.app.mirror.links["private"]
        lost = msgspec.structs.replace(link, state=LinkState.DOWN, retries=3, bad_frames=2, error="refused", since=0.0)
        at.port.put(Table.LINKS, "private", lost)
        at.port.set_desk(skew_ms=-40.0)
        await at.settle()
        text = at.text()
        assert "3 attempts · 2 bad frames · refused" in text and "40 ms behind that of the service" in text
