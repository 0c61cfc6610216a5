"""Closing by the service's own call: a real engine at a real venue, both calls, what is left open, a lost answer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from tests.client.fakes import until
from tests.engine.conftest import DECISION, Screen
from tests.engine.on_sockets import Life
from tests.venue.shell.conftest import STILL, Venue
from tui.engine.commands.all_kinds import KINDS
from tui.engine.intents import AccountCommand, Outcome, Verdict
from tui.engine.modes import RiskMode, TradingState
from tui.engine.rows import AccountCommandRow, CommandState, Table
from tui.interface.families.positions import PositionRecord

BTC, ETH = "BINANCE_PERP_BTC_USDT", "BINANCE_PERP_ETH_USDT"
Starter = Callable[..., Venue]


@pytest.fixture
def start() -> Iterator[Starter]:
    running: list[Venue] = []

    def one(*more: str) -> Venue:
        running.append(Venue(*STILL, "--set", "rate_profile=off", "--set", "network_delay=1", "--control", *more))
        return running[-1]

    yield one
    for venue in running:
        venue.stop()


class Closer:
    """An engine in step that has the service close positions."""

    def __init__(self, life: Life, venue: Venue) -> None:
        self.life = life
        self.venue = venue
        self.screen = Screen(life.engine.updates)

    async def send(self, endpoint: str, **args: str) -> Outcome:
        decision = msgspec.structs.replace(DECISION, portfolio=self.life.engine.state.portfolio)
        sent = tuple(args.items())
        return await self.life.engine.submit(
            AccountCommand(decision=decision, endpoint=endpoint, args=sent, title="close")
        )

    def row(self) -> AccountCommandRow:
        rows = list(self.screen.look().tables.get(Table.COMMANDS, {}).values())
        assert isinstance(rows[-1], AccountCommandRow)
        return rows[-1]

    def held(self) -> set[str]:
        return {row["sym"] for row in self.venue.data("GET", "/api/v1/trading/position") if row["positionQty"] != "0"}

    def buy(self, sym: str, qty: str) -> None:
        order = {"sym": sym, "side": "BUY", "orderType": "MARKET", "orderQty": qty}
        self.venue.data("POST", "/api/v1/trading/order", order)


@pytest.fixture
async def lives() -> AsyncIterator[list[Life]]:
    begun: list[Life] = []
    yield begun
    for life in begun:
        await life.end()


async def closer_at(venue: Venue, home: Path, lives: list[Life]) -> Closer:
    """Hold two positions and arm."""
    life = Life(venue, home)
    lives.append(life)
    await life.in_step()
    life.engine.set_trading_state(TradingState.ARMED)
    made = Closer(life, venue)
    made.buy(BTC, "0.01")
    made.buy(ETH, "0.1")
    await until(lambda: made.held() == {BTC, ETH}, 30)
    return made


@pytest.mark.parametrize("answer", ["object", "array"])
async def test_close_position_closes_one_position_even_in_halt(
    start: Starter, tmp_path: Path, lives: list[Life], answer: str
) -> None:
    """Also in REDUCING and HALT: a close makes nothing larger."""
    closer = await closer_at(start("--set", f"close_answer={answer}"), tmp_path, lives)
    closer.life.engine.set_risk_mode(RiskMode.HALT)
    outcome = await closer.send("close_position", sym=BTC)
    assert outcome.verdict is Verdict.ACCEPTED, outcome.text
    await until(lambda: closer.held() == {ETH}, 30)
    again = await closer.send("close_position", sym=BTC)
    assert (again.verdict, again.code) == (Verdict.REJECTED, 401097)


async def test_close_positions_reports_which_pairs_were_not_closed(
    start: Starter, tmp_path: Path, lives: list[Life]
) -> None:
    closer = await closer_at(start(), tmp_path, lives)
    outcome = await closer.send("close_positions", symList=f"{BTC},{ETH},OKX_PERP_BTC_USDT")
    assert outcome.verdict is Verdict.ACCEPTED, outcome.text
    await until(lambda: not closer.held(), 30)
    row = closer.row()
    assert row.state is CommandState.FAILED
    assert row.text.startswith("1 of 3 not closed: OKX_PERP_BTC_USDT NONE: 401097")


async def test_closing_over_20_pairs_at_once_is_rejected_by_the_venue(
    start: Starter, tmp_path: Path, lives: list[Life]
) -> None:
    closer = await closer_at(start(), tmp_path, lives)
    outcome = await closer.send("close_positions", symList=",".join([BTC] * 21))
    assert (outcome.verdict, outcome.code) == (Verdict.REJECTED, 401129)
    assert "cancel reduce-only orders of the pair first" in outcome.text
    assert closer.held() == {BTC, ETH}


@pytest.mark.parametrize("when", [":after", ""])
async def test_a_lost_close_is_done_once_flat_and_else_unknown(
    start: Starter, tmp_path: Path, lives: list[Life], when: str
) -> None:
    """Flat: it was carried out. Still open while the call may be on its way: UNKNOWN."""
    venue = start()
    closer = await closer_at(venue, tmp_path, lives)
    venue.set("rest_fault", f"502:close_positions:1x{when}")
    outcome = await closer.send("close_positions", symList=f"{BTC},{ETH}")
    assert outcome.verdict is Verdict.UNKNOWN
    if when:
        await until(lambda: closer.row().state is CommandState.DONE, 30)
        assert closer.held() == set()
    else:
        life = closer.life.engine.state
        asked = life.clock.mono()
        await until(lambda: any(one.asked > asked for one in life.commands.open.values()), 30)
        assert (closer.row().state, closer.held()) == (CommandState.UNKNOWN, {BTC, ETH})


def _record(sym: str, qty: str, side: str = "NONE") -> PositionRecord:
    return PositionRecord(sym=sym, position_qty=qty, position_side=side)


@pytest.mark.parametrize(
    ("args", "records", "flat"),
    [
        ({"sym": BTC}, [_record(ETH, "1"), _record(BTC, "0")], True),
        ({"sym": BTC}, [_record(BTC, "-1")], False),
        ({"sym": BTC, "positionSide": "LONG"}, [_record(BTC, "1", "SHORT")], True),
        ({"sym": BTC, "positionSide": "LONG"}, [_record(BTC, "1", "LONG")], False),
        ({"sym": BTC, "positionSide": "LONG"}, [_record(BTC, "-1")], False),
        ({"symList": f"{ETH},{BTC}"}, [_record(BTC, "1")], False),
        ({"closeAllPos": "true", "exchangeType": "OKX"}, [_record(BTC, "1")], True),
        ({"closeAllPos": "true"}, [_record(BTC, "1")], False),
    ],
)
def test_positions_decide_if_a_lost_close_was_carried_out(
    args: dict[str, str], records: list[PositionRecord], flat: bool
) -> None:
    row = AccountCommandRow(
        id="a1", endpoint="close_positions", title="close", args=tuple(args.items()), state=CommandState.UNKNOWN,
        sent_ms=1, changed_ms=1,
    )  # fmt: skip
    proof = KINDS["close_positions"].proof
    assert proof is not None
    finding = proof.judge(row, records)
    assert (finding is not None and finding.state is CommandState.DONE) is flat
