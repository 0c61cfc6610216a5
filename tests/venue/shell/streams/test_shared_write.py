"""Commands of a stream that arrive together share one write of the state file; none is answered before it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from tests.venue.shell.inside import Inside
from tui.interface.envelope import PlaceReply
from tui.interface.families.orders import CancelOrder, PlaceOrder
from tui.venue.core.commands import Rejected, Reply
from tui.venue.core.events import Durable, OrderChanged
from tui.venue.shell.storage.commit_failed import CommitFailed
from tui.venue.shell.storage.store import MemoryStore

PERP = "BINANCE_PERP_BTC_USDT"


class SlowStore(MemoryStore):
    """A store that counts its writes and can refuse them."""

    is_slow = True

    def __init__(self) -> None:
        super().__init__()
        self.writes = 0
        self.refuses = False

    def commit(self, rows: Sequence[Durable]) -> None:
        if self.refuses:
            raise CommitFailed("full")
        self.writes += 1


@pytest.fixture
def store() -> SlowStore:
    return SlowStore()


@pytest.fixture
async def venue(store: SlowStore) -> Inside:
    inside = Inside(("agents", "off"), store=store)
    inside.runtime.exchange.drain_durable()
    return inside


def _place(venue: Inside, name: str) -> PlaceOrder:
    return PlaceOrder(
        portfolio=venue.keys["main"].portfolio, sym=PERP, side="BUY", order_type="LIMIT", order_qty="0.01",
        limit_price="50000", client_order_id=name,
    )  # fmt: skip


def _pushed_orders(venue: Inside) -> list[str]:
    return [event.record.client_order_id for event in venue.told if isinstance(event, OrderChanged)]


async def test_stream_commands_of_one_moment_share_a_state_write(venue: Inside, store: SlowStore) -> None:
    replies: list[Reply] = []
    before = store.writes
    for number in range(5):
        venue.runtime.submit(_place(venue, f"n{number}"), replies.append)
    cancel = CancelOrder(portfolio=venue.keys["main"].portfolio, client_order_id="n0")
    venue.runtime.submit(cancel, replies.append)
    assert not replies, "answered before the write"
    await asyncio.sleep(0)
    assert store.writes == before + 1
    assert [getattr(reply, "client_order_id", "") for reply in replies] == ["n0", "n1", "n2", "n3", "n4", "n0"]
    assert list(dict.fromkeys(_pushed_orders(venue))) == ["n0", "n1", "n2", "n3", "n4"]


async def test_a_failed_shared_write_leaves_every_outcome_unknown(venue: Inside, store: SlowStore) -> None:
    replies: list[Reply] = []
    store.refuses = True
    for number in range(3):
        venue.runtime.submit(_place(venue, f"n{number}"), replies.append)
    await asyncio.sleep(0)
    assert [reply.code for reply in replies if isinstance(reply, Rejected)] == [500, 500, 500]
    assert not venue.told, "pushed what is not kept"
    store.refuses = False
    venue.runtime.submit(_place(venue, "later"), replies.append)
    await asyncio.sleep(0)
    assert isinstance(replies[-1], PlaceReply)
    assert set(_pushed_orders(venue)) == {"n0", "n1", "n2", "later"}
