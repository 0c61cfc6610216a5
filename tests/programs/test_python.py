"""`from crossdesk import connect`: snapshots, changes and lists of a real desk."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from decimal import Decimal
from pathlib import Path

import pytest
import pytest_asyncio

from crossdesk import AsyncDesk, Desk, DeskError, LinkClosed
from tests.client.fakes import until
from tests.desk_protocol.desks import BTC, DeskOf, start_owner
from tests.venue.shell.conftest import STILL, Venue
from tui.desk_protocol.messages import Role
from tui.engine.intents import Verdict
from tui.engine.rows import Table
from tui.host import HostClock


@pytest.fixture(scope="module")
def venue() -> Iterator[Venue]:
    found = Venue(*STILL, "--set", "rate_profile=off")
    yield found
    found.stop()


@pytest_asyncio.fixture
async def owner(venue: Venue, tmp_path: Path) -> AsyncIterator[DeskOf]:
    desk = start_owner(venue, tmp_path)
    await desk.in_step()
    yield desk
    await desk.end()


def program(home: Path, name: str = "monitor") -> AsyncDesk:
    return AsyncDesk(home / "desk.sock", HostClock(), name=name, role=Role.WATCH)


async def test_a_program_reads_what_the_desk_holds(owner: DeskOf, tmp_path: Path) -> None:
    async with program(tmp_path) as desk:
        assert desk.name == "monitor" and BTC in desk.symbols
        quote = await anext(desk.quotes(BTC))
        held = owner.screen.look().tables
        assert (str(quote.bid), str(quote.ask)) == ("61777.1", "61777.2")
        usdt = next(coin for coin in desk.assets if (coin.venue, coin.coin) == ("BINANCE", "USDT"))
        assert usdt.balance == Decimal("100000")
        assert desk.positions == [] and len(desk.assets) == len(held[Table.ASSETS])


async def test_a_program_sees_an_order_change_and_who_sent_it(owner: DeskOf, tmp_path: Path) -> None:
    async with program(tmp_path) as desk:
        changes = desk.changes_of_orders()
        first = asyncio.ensure_future(anext(changes))
        await owner.arm()
        placed = await owner.submit(owner.buy("60000"))
        assert placed.verdict is Verdict.ACCEPTED
        order = await first
        while order.state != "OPEN":
            order = await anext(changes)
        assert (order.key, order.price, order.size, order.working) == (
            placed.key,
            Decimal(60000),
            Decimal("0.01"),
            True,
        )
        assert order.sender == "" and order.created is not None


async def test_lists_of_the_service_are_read_by_their_names(owner: DeskOf, tmp_path: Path) -> None:
    async with program(tmp_path) as desk:
        [mark] = await desk.call("mark_price", sym=BTC)
        assert (mark.sym, mark.mark_price) == (BTC, "61777.2")
        with pytest.raises(DeskError, match="did you mean mark_price"):
            await desk.call("mark_prise")
        with pytest.raises(DeskError, match="changes something"):
            await desk.call("place_order", sym=BTC)
        with pytest.raises(DeskError, match="accepted are BINANCE, OKX, EDX"):
            await desk.call("symbols", exchangeType="NOWHERE")
        with pytest.raises(DeskError, match="BINANCE_PERP_BTC_USDT"):
            desk.watch("BINANCE_PERP_BTC_USD")


async def test_a_plain_program_reads_and_ends_with_the_desk(owner: DeskOf, tmp_path: Path) -> None:
    def run() -> str:
        with Desk(program(tmp_path, "plain")) as desk:
            quotes = desk.quotes(BTC)
            assert next(quotes).sym == BTC and desk.quote(BTC) is not None
            assert desk.status.environment == "PAPER"
            [mark] = desk.call("mark_price", sym=BTC)
            events = desk.events()
            owner.thread.set_risk_mode(owner.status().risk_mode.__class__.REDUCING)
            assert "REDUCING" in next(events).text
            return str(mark.mark_price)

    assert await asyncio.to_thread(run) == "61777.2"
    await until(lambda: owner.status().peers == (), 5)


async def test_a_program_is_told_when_no_desk_runs_or_it_ends(venue: Venue, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    with pytest.raises(LinkClosed, match="no desk answers"):
        async with program(tmp_path):
            pass
    owner = start_owner(venue, tmp_path)
    await owner.in_step()
    async with program(tmp_path) as desk:
        events = desk.events()
        await owner.end()
        with pytest.raises(LinkClosed):
            async for _ in events:
                pass
