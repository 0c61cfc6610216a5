"""Transfers of a real engine at a real venue: an answer that was lost, a death in the middle, money that moves once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.client.fakes import until
from tests.engine.conftest import DECISION, Screen
from tests.engine.on_sockets import Life
from tests.venue.shell.conftest import STILL, Venue
from tui.engine.intents import AccountCommand, Outcome, Verdict
from tui.engine.modes import TradingState
from tui.engine.rows import AccountCommandRow, CommandState, Table


@pytest.fixture
def venue() -> Iterator[Venue]:
    found = Venue(*STILL, "--set", "rate_profile=off", "--set", "network_delay=1", "--control")
    yield found
    found.stop()


class Mover:
    """An engine in step that moves money."""

    def __init__(self, life: Life) -> None:
        self.life = life
        self.screen = Screen(life.engine.updates)

    async def send(self, **changes: str) -> Outcome:
        portfolio = self.life.engine.state.portfolio
        args = {
            "fromTradeAccountId": portfolio, "fromAccountType": "BINANCE", "toTradeAccountId": portfolio,
            "toAccountType": "OKX", "currency": "USDT", "network": "TRC20", "amount": "100", **changes,
        }  # fmt: skip
        decision = msgspec.structs.replace(DECISION, portfolio=portfolio)
        sent = tuple((name, value) for name, value in args.items() if value)
        intent = AccountCommand(decision=decision, endpoint="transfer", args=sent, title="transfer 100 USDT")
        return await self.life.engine.submit(intent)

    def row(self) -> AccountCommandRow:
        rows = list(self.screen.look().tables.get(Table.COMMANDS, {}).values())
        assert len(rows) == 1
        assert isinstance(rows[0], AccountCommandRow)
        return rows[0]

    async def reaches(self, state: CommandState) -> AccountCommandRow:
        await until(lambda: self.row().state is state, 30)
        return self.row()


@pytest.fixture
async def mover(venue: Venue, tmp_path: Path) -> AsyncIterator[Mover]:
    life = Life(venue, tmp_path)
    await life.in_step()
    life.engine.set_trading_state(TradingState.ARMED)
    yield Mover(life)
    await life.end()


def listed(venue: Venue) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = venue.data("GET", "/api/v1/transfer/list")["list"]
    return rows


def okx(venue: Venue) -> Decimal:
    rows = venue.data("GET", "/api/v1/trading/portfolio/assets", {"exchangeType": "OKX"})["list"]
    return next(Decimal(row["balance"]) for row in rows if row["coin"] == "USDT")


async def test_a_transfer_goes_from_accepted_over_running_to_done(mover: Mover, venue: Venue) -> None:
    outcome = await mover.send()
    assert outcome.verdict is Verdict.ACCEPTED
    assert mover.row().state is CommandState.RUNNING
    done = await mover.reaches(CommandState.DONE)
    assert done.text == "100 USDT arrived"
    assert [row["clientOrderId"] for row in listed(venue)] == [done.id]


async def test_a_rapid_transfer_is_reported_as_rapid(mover: Mover) -> None:
    await mover.send(rapidTransfer="true")
    assert (await mover.reaches(CommandState.DONE)).text == "100 USDT arrived, rapid"


async def test_a_rejected_transfer_says_why_and_moves_nothing(mover: Mover, venue: Venue) -> None:
    outcome = await mover.send(amount="99999999")
    assert (outcome.verdict, outcome.code) == (Verdict.REJECTED, 404904)
    assert mover.row().state is CommandState.REJECTED
    assert listed(venue) == []


@pytest.mark.parametrize("rapid", ["", "true"])
async def test_a_transfer_with_lost_reply_is_found_by_id_and_sent_once(mover: Mover, venue: Venue, rapid: str) -> None:
    before = okx(venue)
    venue.set("rest_fault", "502:transfer:1x:after")
    outcome = await mover.send(rapidTransfer=rapid)
    assert outcome.verdict is Verdict.UNKNOWN
    assert mover.screen.look().said("it is being asked about")
    await mover.reaches(CommandState.DONE)
    assert [row["clientOrderId"] for row in listed(venue)] == [mover.row().id]
    assert okx(venue) == before + 100


async def test_a_transfer_that_never_arrived_stays_unknown(mover: Mover, venue: Venue) -> None:
    venue.set("rest_fault", "502:transfer:1x")
    outcome = await mover.send()
    assert outcome.verdict is Verdict.UNKNOWN
    state = mover.life.engine.state
    await until(lambda: any(one.asked > float("-inf") for one in state.commands.open.values()), 30)
    assert mover.row().state is CommandState.UNKNOWN
    again = await mover.send()
    assert (again.verdict, again.guard) == (Verdict.DENIED, "IN_FLIGHT")
    assert listed(venue) == []


async def test_a_running_transfer_is_followed_after_a_crash(venue: Venue, tmp_path: Path) -> None:
    before = okx(venue)
    venue.set("network_delay", "4")
    first = Mover(life := Life(venue, tmp_path))
    await life.in_step()
    life.engine.set_trading_state(TradingState.ARMED)
    await first.send()
    key = first.row().id
    await life.end()
    second = Mover(life := Life(venue, tmp_path))
    await life.in_step()
    assert second.row().id == key
    await second.reaches(CommandState.DONE)
    assert [row["clientOrderId"] for row in listed(venue)] == [key]
    assert okx(venue) == before + 100
    await life.end()
