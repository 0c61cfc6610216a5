"""Withdrawals, custody and deposit venues of a real engine at a real venue: lost answers are found in the lists."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.client.fakes import until
from tests.engine.command_rig import ask_every, command_gate
from tests.engine.conftest import DECISION, Rig, Screen
from tests.engine.on_sockets import Life
from tests.venue.shell.conftest import STILL, Venue
from tui.engine.intents import AccountCommand, Outcome, Verdict
from tui.engine.modes import Environment, TradingState
from tui.engine.rows import AccountCommandRow, CommandState, Table
from tui.engine.settings import EngineSettings


@pytest.fixture
def venue() -> Iterator[Venue]:
    found = Venue(*STILL, "--set", "rate_profile=off", "--set", "network_delay=1", "--control")
    yield found
    found.stop()


class Mover:
    """An engine in step that sends commands about money."""

    def __init__(self, life: Life, venue: Venue) -> None:
        self.life, self.venue = life, venue
        self.screen = Screen(life.engine.updates)

    async def send(self, endpoint: str, **args: str) -> Outcome:
        decision = msgspec.structs.replace(DECISION, portfolio=self.life.engine.state.portfolio)
        intent = AccountCommand(decision=decision, endpoint=endpoint, args=tuple(args.items()), title=endpoint)
        return await self.life.engine.submit(intent)

    async def withdraw(self) -> Outcome:
        [book] = self.venue.data("GET", "/api/v1/userWithdrawAddress/list", {"currency": "BTC"})["list"]
        return await self.send(
            "withdraw", accountId=self.life.engine.state.portfolio, fromAccountType="BINANCE", currency="BTC",
            network="BTC", address=book["address"], amount="0.01",
        )  # fmt: skip

    def account(self, venues: str) -> str:
        rows = self.venue.data("GET", "/api/v1/tradeAccount/list")
        return str(next(row["accountId"] for row in rows if row["venues"] == venues))

    async def reaches(self, state: CommandState) -> AccountCommandRow:
        def row() -> Any:
            return list(self.screen.look().tables.get(Table.COMMANDS, {}).values())[-1]

        await until(lambda: row().state is state, 30)
        found = row()
        assert isinstance(found, AccountCommandRow)
        return found


@pytest.fixture
async def mover(venue: Venue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Mover]:
    ask_every(monkeypatch, 0.5)
    life = Life(venue, tmp_path)
    await life.in_step()
    life.engine.set_trading_state(TradingState.ARMED)
    yield Mover(life, venue)
    await life.end()


async def test_a_withdrawal_with_lost_reply_is_found_by_id(mover: Mover) -> None:
    mover.venue.set("rest_fault", "502:withdraw:1x:after")
    assert (await mover.withdraw()).verdict is Verdict.UNKNOWN
    await mover.reaches(CommandState.RUNNING)
    assert (await mover.reaches(CommandState.DONE)).text.startswith("sent, ")
    assert mover.venue.data("GET", "/api/v1/userWithdrawRecord/list")["totalSize"] == 1


async def test_a_rejected_withdrawal_shows_its_reason(mover: Mover) -> None:
    mover.venue.set("withdrawals", "rejected")
    await mover.withdraw()
    assert (await mover.reaches(CommandState.FAILED)).text == "rejected by the account manager"


async def test_a_custody_lock_with_lost_reply_is_found_by_its_amount(mover: Mover) -> None:
    mover.venue.set("rest_fault", "502:custody_lock:1x:after")
    asked = {"accountId": mover.account("OKX"), "currency": "USDT", "amount": "12.5"}
    assert (await mover.send("custody_lock", **asked)).verdict is Verdict.UNKNOWN
    assert (await mover.reaches(CommandState.DONE)).text == "12.5 USDT moved"
    await mover.send("custody_unlock", **asked)
    assert (await mover.reaches(CommandState.DONE)).endpoint == "custody_unlock"
    assert [row["type"] for row in mover.venue.data("GET", "/api/v1/custodytradingaccount/list")["list"]] == [2, 1]


async def test_a_change_of_where_deposits_go_is_verified_if_unanswered(mover: Mover) -> None:
    mover.venue.set("rest_fault", "502:set_deposit_venue:1x:after")
    asked = {"currency": "USDT", "network": "BSC", "exchangeType": "OKX"}
    assert (await mover.send("set_deposit_venue", **asked)).verdict is Verdict.UNKNOWN
    assert (await mover.reaches(CommandState.DONE)).text == "deposits go to OKX"


def test_s8_live_withdrawals_are_off_unless_enabled(rig: Rig) -> None:
    state = rig.engine.state
    gate = command_gate(state, rig.engine._risk.gate)
    args = {"accountId": "1", "currency": "BTC", "network": "BTC", "address": "x", "amount": "1"}
    intent = AccountCommand(decision=DECISION, endpoint="withdraw", args=tuple(args.items()), title="out")

    def guard() -> str:
        refusal = gate.check(intent)
        return refusal.guard if refusal is not None else ""

    assert guard() != "WITHDRAW"
    state.identity = msgspec.structs.replace(state.identity, environment=Environment.LIVE)
    assert guard() == "WITHDRAW"
    state.settings = EngineSettings(withdrawals=True)
    assert guard() != "WITHDRAW"
