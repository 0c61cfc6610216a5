"""What peers look at: going back costs nothing, and however often one turns round, few connections are opened."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from typing import Any, cast

import pytest

from tests.client.fakes import until
from tui.engine.conflating_queue import ConflatingQueue, TableSink
from tui.engine.life.task_supervisor import TaskSupervisor
from tui.engine.market import peer_views
from tui.engine.market.market_view import MarketView
from tui.engine.market.peer_views import PeerViews
from tui.engine.rows import DepthRow, Row, Table
from tui.host import HostClock
from tui.interface.streams import Detail

BTC, ETH, SOL, XRP = (f"BINANCE_PERP_{coin}_USDT" for coin in ("BTC", "ETH", "SOL", "XRP"))


class FakeView:
    """A view that publishes the book of each pair that it follows."""

    def __init__(self, venue: FakeVenue, sink: TableSink) -> None:
        self._venue, self._sink = venue, sink
        self.detail: Detail | None = None

    def follow(self, detail: Detail | None, books: tuple[str, ...]) -> None:
        self.detail = detail
        if detail is not None:
            self._venue.connected.append((detail.sym, books))
            self.publish()

    def publish(self) -> None:
        if self.detail is not None:
            self._sink.put(
                Table.DEPTH, self.detail.sym, DepthRow(sym=self.detail.sym, whole=True, ts=1, bids=(), asks=())
            )

    def jobs(self) -> Mapping[str, Callable[[], Awaitable[None]]]:
        return {"detail stream": asyncio.Event().wait}  # type: ignore[dict-item]


class FakeVenue:
    """What was connected so far, and the views that are open."""

    def __init__(self) -> None:
        self.connected: list[tuple[str, tuple[str, ...]]] = []
        self.views: list[FakeView] = []

    def open_view(self, sink: TableSink) -> MarketView:
        self.views.append(FakeView(self, sink))
        return cast(MarketView, self.views[-1])

    @property
    def followed(self) -> list[str]:
        return [view.detail.sym for view in self.views if view.detail is not None]


class Tasks:
    """Tasks by name."""

    def __init__(self) -> None:
        self.running: dict[str, asyncio.Task[Any]] = {}

    def spawn(self, name: str, work: Coroutine[Any, Any, None]) -> bool:
        if name in self.running and not self.running[name].done():
            work.close()
            return False
        self.running[name] = asyncio.ensure_future(work)
        return True

    def keep_running(self, name: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        assert self.spawn(name, work())

    def cancel(self, *names: str) -> None:
        for name in names:
            self.running.pop(name).cancel()


class Peer:
    """A peer that looks at pairs, and the books that it is shown."""

    def __init__(self, views: PeerViews, name: str = "watcher") -> None:
        self._views, self._name = views, name
        self.queue = ConflatingQueue()
        self._books: dict[str, Row | None] = {}

    def look(self, sym: str, *books: str) -> None:
        self._views.look(self._name, self.queue, Detail(sym) if sym else None, books)

    def shown(self) -> list[str]:
        self._books |= self.queue.take().changed.get(Table.DEPTH, {})
        return [sym for sym, row in self._books.items() if row is not None]


@pytest.fixture(autouse=True)
def _short_times(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(peer_views, "LEFT_KEPT_S", 0.3)
    monkeypatch.setattr(peer_views, "MOST_OPENED", 3)
    monkeypatch.setattr(peer_views, "OPENED_WITHIN_S", 0.5)
    yield


def views_of(venue: FakeVenue, tasks: Tasks) -> PeerViews:
    views = PeerViews(cast(TaskSupervisor, tasks), HostClock())
    views.begin(venue.open_view)
    return views


async def test_a_peer_that_returns_to_a_pair_opens_no_new_connection() -> None:
    venue = FakeVenue()
    peer = Peer(views_of(venue, Tasks()))
    peer.look(BTC)
    assert peer.shown() == [BTC]
    for sym in (ETH, BTC, ETH, BTC, "", BTC):
        peer.look(sym)
        assert peer.shown() == ([sym] if sym else []), sym
    assert venue.connected == [(BTC, ()), (ETH, ())]
    venue.views[1].publish()
    assert peer.shown() == [BTC], "nothing comes of the pair that was left"


async def test_a_pair_view_that_a_peer_left_ends_after_a_while() -> None:
    venue, tasks = FakeVenue(), Tasks()
    peer = Peer(views_of(venue, tasks))
    peer.look(BTC)
    peer.look(ETH)
    assert venue.followed == [BTC, ETH]
    await until(lambda: venue.followed == [ETH], 5)
    peer.look("")
    await until(lambda: not venue.followed, 5)
    await until(lambda: not [name for name in tasks.running if name.startswith("detail")], 5)


async def test_of_many_quick_pair_changes_of_a_peer_the_last_is_shown() -> None:
    venue = FakeVenue()
    peer, other = (Peer(views, name) for views in [views_of(venue, Tasks())] for name in ("watcher", "other"))
    for turn in range(100):
        peer.look((BTC, ETH, SOL)[turn % 3])
        await asyncio.sleep(0)
    assert len(venue.connected) == 3, "within half a second"
    other.look(ETH)
    assert other.shown() == [ETH], "nobody else waits for it"
    await until(lambda: peer.shown() == [BTC], 5)
    assert len(venue.connected) <= 5


async def test_a_peer_opens_few_pair_connections_in_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer_views, "MOST_LATELY", 4)
    monkeypatch.setattr(peer_views, "LATELY_S", 2.0)
    monkeypatch.setattr(peer_views, "OPENED_WITHIN_S", 0.01)
    venue = FakeVenue()
    peer, began = Peer(views_of(venue, Tasks())), HostClock().mono()
    for sym in (BTC, ETH, SOL, BTC, ETH, XRP):
        peer.look(sym)
        await asyncio.sleep(0.02)
    assert len(venue.connected) == 4
    await until(lambda: peer.shown() == [XRP], 10)
    assert len(venue.connected) == 5 and HostClock().mono() - began >= 2.0


async def test_pair_connections_of_all_peers_together_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer_views, "MOST_LATELY_IN_ALL", 10)
    venue = FakeVenue()
    views = views_of(venue, Tasks())
    for number in range(50):
        peer = Peer(views, f"bot {number}")
        peer.look(BTC)
        peer.look("")
    assert len(venue.connected) == 10


async def test_a_peer_can_follow_order_books_of_further_pairs() -> None:
    venue = FakeVenue()
    peer = Peer(views_of(venue, Tasks()))
    peer.look(BTC)
    peer.look(BTC, ETH)
    assert venue.connected == [(BTC, ()), (BTC, (ETH,))] and len(venue.views) == 1


async def test_a_peer_that_asks_again_for_a_pair_gets_all_rows_again() -> None:
    venue = FakeVenue()
    peer = Peer(views_of(venue, Tasks()))
    peer.look(BTC)
    assert peer.shown() == [BTC] and not peer.queue.take().changed
    peer.look(BTC)
    assert peer.queue.take().changed[Table.DEPTH].keys() == {BTC} and len(venue.connected) == 1


async def test_a_new_peer_does_not_get_the_pair_view_of_a_former_one() -> None:
    venue = FakeVenue()
    views = views_of(venue, Tasks())
    before = Peer(views)
    before.look(BTC)
    before.look("")
    after = Peer(views)
    after.look(BTC)
    assert after.shown() == [BTC] and len(venue.views) == 2


async def test_a_pair_chosen_before_connecting_is_followed_afterwards() -> None:
    venue = FakeVenue()
    views = PeerViews(cast(TaskSupervisor, Tasks()), HostClock())
    peer = Peer(views)
    peer.look(BTC)
    peer.look(ETH)
    assert not venue.connected
    views.begin(venue.open_view)
    assert venue.connected == [(ETH, ())]
