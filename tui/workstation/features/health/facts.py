"""Lines of the card of the connection's health."""

from __future__ import annotations

from collections.abc import Iterator

from tui.engine.status_rows import LinkRow, LinkState, RateUse
from tui.interface.text import how_many
from tui.workstation.features.health.order_delays import DelaySummary, OrderDelays
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import venue_of

_LINKS = (("public", "market stream"), ("private", "account stream"), ("rest", "REST"))


def list_health_facts(view: DisplayContext, delays: OrderDelays) -> list[tuple[str, str]]:
    """List links, clock, age of quotes, delays of orders and used limits, each with its name."""
    return [*_list_links(view), *_list_quotes(view), *_list_orders(delays), *_list_rates(view)]


def _list_links(view: DisplayContext) -> Iterator[tuple[str, str]]:
    for name, title in _LINKS:
        link = view.mirror.links.get(name)
        if link is not None:
            yield title, _describe_link(link, view)
    status = view.mirror.engine_status
    if status is not None and status.skew_ms is not None:
        word = "ahead of" if status.skew_ms >= 0 else "behind"
        yield "clock", f"{abs(status.skew_ms):.0f} ms {word} that of the service"


def _describe_link(link: LinkRow, view: DisplayContext) -> str:
    since = f" for {number_format.age(max(0.0, view.now - link.since))}" if link.since else ""
    parts = [f"{link.tier} {link.state.value}{since}".strip()]
    if link.round_trip_ms is not None:
        parts.append(f"round trip {link.round_trip_ms:.0f} ms")
    if link.state is LinkState.UP:
        parts.append(f"last message {number_format.age(view.mirror.silent_for(link.name))} ago")
    if link.retries:
        parts.append(how_many(link.retries, "attempt"))
    if link.bad_frames:
        parts.append(how_many(link.bad_frames, "bad frame"))
    if link.flapping:
        parts.append("FLAPPING")
    return " · ".join([*parts, *([link.error] if link.error else [])])


def _list_quotes(view: DisplayContext) -> Iterator[tuple[str, str]]:
    """Say for each venue how long its newest quote took to arrive, in ms, by the service's clock."""
    newest = {
        venue_of(quote.sym): quote
        for quote in sorted(view.mirror.quotes.values(), key=lambda quote: quote.received)
        if quote.received and quote.ts
    }
    for venue, quote in sorted(newest.items()):
        arrived_ms = (view.mirror.server_wall - (view.now - quote.received)) * 1000
        yield f"quotes {venue}", f"the newest took {arrived_ms - quote.ts:.0f} ms from the venue"


def _list_orders(delays: OrderDelays) -> Iterator[tuple[str, str]]:
    for venue in delays.venues:
        for title, summary in (("reply", delays.replies(venue)), ("push", delays.pushes(venue))):
            if summary is not None:
                yield f"orders {venue}", f"{title} after {_describe_delays(summary)}"


def _describe_delays(summary: DelaySummary) -> str:
    times = f"{summary.median:.0f} ms, of 99 % within {summary.most_of_99:.0f}, at most {summary.most:.0f}"
    return f"{times} ({how_many(summary.orders, 'order')})"


def _list_rates(view: DisplayContext) -> Iterator[tuple[str, str]]:
    status = view.mirror.engine_status
    for rate in status.rates if status is not None else ():
        yield rate.name, _describe_rate(rate)


def _describe_rate(rate: RateUse) -> str:
    return f"{rate.used} of {rate.room} in {rate.seconds} s ({100 * rate.used // rate.room} %)"
