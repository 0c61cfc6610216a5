"""A position that became smaller without a fill is told as suspected auto-deleveraging, once; what fills explain is not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.client.fakes import PORTFOLIO, until
from tests.engine.conftest import SYM, Screen, StateRig
from tests.engine.on_sockets import Life
from tests.venue.shell.conftest import Venue
from tui.engine.rows import Source, Stamp
from tui.engine.settings import AuditIntervals, EngineSettings
from tui.engine.sync.deleveraging_check import DeleveragingCheck
from tui.interface.families.history import TradeRecord
from tui.interface.families.positions import PositionRecord

SPOT = "BINANCE_SPOT_BTC_USDT"


class Account:
    """Positions and fills of one account, compared as an audit does."""

    def __init__(self, bare: StateRig) -> None:
        self.bare = bare
        self.check = DeleveragingCheck(bare.state)
        self._count = 0

    def hold(self, quantity: str, side: str = "NONE") -> None:
        self._count += 1
        record = PositionRecord(sym=SYM, position_side=side, position_qty=quantity, portfolio_id=PORTFOLIO)
        stamp = Stamp(PORTFOLIO, 0, self._count, Source.PUSH, float(self._count))
        self.bare.state.facts.positions.push(f"{SYM}/{side}", record, stamp, gone=quantity == "0")

    def fill(self, side: str, quantity: str, sym: str = SYM) -> None:
        self._count += 1
        record = TradeRecord(
            transaction_id=str(self._count), portfolio_id=PORTFOLIO, order_id="1", sym=sym, side=side,
            quantity=quantity, price="60000", create_at=str(self._count),
        )  # fmt: skip
        self.bare.state.fold_fill(record, Source.PUSH, 1.0)

    def told(self) -> list[str]:
        """What two audits in a row tell."""
        before = len(self.bare.screen.look().events)
        self.check.compare()
        self.check.compare()
        return [line.text for line in self.bare.screen.look().events[before:] if line.sticky]


@pytest.fixture
def account(bare: StateRig) -> Account:
    made = Account(bare)
    made.hold("-2")
    made.check.compare()
    return made


def test_a_position_reduced_without_a_fill_is_reported_as_adl(account: Account) -> None:
    account.hold("-0.5")
    assert account.told() == [
        "ADL suspected: BINANCE BTC perp -2 → -0.5 without a fill; see the statement for the price"
    ]
    assert account.told() == []
    (entry,) = [one for one in asyncio.run(account.bare.journal.entries()) if one.kind == "deleveraged"]
    assert entry.payload == f'{{"sym":"{SYM}","before":"-2","after":"-0.5"}}'


def test_a_position_closed_without_a_fill_is_reported_as_adl(account: Account) -> None:
    account.fill("BUY", "0.5")
    account.hold("0")
    assert account.told() == [
        "ADL suspected: BINANCE BTC perp -1.5 → 0 without a fill; see the statement for the price"
    ]


def test_a_position_change_explained_by_fills_is_no_adl(account: Account) -> None:
    account.fill("BUY", "1.5")
    account.check.compare()
    assert account.check.waits()
    account.hold("-0.5")
    assert account.told() == [] and not account.check.waits()
    account.hold("-0.2")
    account.check.compare()
    account.fill("BUY", "0.3")
    assert account.told() == []


def test_netted_hedge_legs_and_spot_coins_are_no_adl(account: Account) -> None:
    account.hold("0")
    account.hold("1", "LONG")
    account.hold("3", "SHORT")
    assert account.told() == []
    account.hold("0", "LONG")
    account.hold("2", "SHORT")
    account.fill("SELL", "1", SPOT)
    assert account.told() == []


@pytest.mark.parametrize(("leg", "left", "change"), [("LONG", "0", "3 → 0"), ("SHORT", "1", "3 → 1")])
def test_a_hedge_leg_reduced_without_a_fill_is_reported_as_adl(
    account: Account, leg: str, left: str, change: str
) -> None:
    """Two equal legs were 0 together: that one of them was gone, and the other bare, was told by nothing."""
    account.hold("0")
    account.hold("3", "LONG")
    account.hold("3", "SHORT")
    account.fill("BUY", "2")
    assert account.told() == []
    account.hold(left, leg)
    assert account.told() == [
        f"ADL suspected: BINANCE BTC perp {leg} {change} without a fill; see the statement for the price"
    ]


@pytest.mark.parametrize(("leg", "size", "side", "quantity"), [("LONG", "1", "SELL", "2"), ("SHORT", "5", "SELL", "2")])
def test_a_leg_changed_by_a_fill_is_no_adl(account: Account, leg: str, size: str, side: str, quantity: str) -> None:
    account.hold("0")
    account.hold("3", "LONG")
    account.hold("3", "SHORT")
    account.fill("BUY", "2")
    assert account.told() == []
    account.hold(size, leg)
    account.check.compare()
    account.fill(side, quantity)
    assert account.told() == []


def test_position_growth_and_reconnects_are_no_adl(account: Account) -> None:
    account.hold("-3")
    assert account.told() == []
    account.bare.state.epoch += 1
    account.hold("-1")
    assert account.told() == []


async def test_adl_of_a_short_position_is_reported_by_a_real_engine(
    start: Callable[..., Venue], tmp_path: Path
) -> None:
    venue = start("--set", "insurance_fund=empty")
    for key in ("main", "sub"):
        leverage = {"sym": SYM, "leverage": "50"}
        await asyncio.to_thread(venue.data, "POST", "/api/v1/trading/position/leverage", leverage, key=key)
    for key, side, size in (("sub", "SELL", "12"), ("main", "BUY", "55")):
        order = {"sym": SYM, "side": side, "orderType": "MARKET", "orderQty": size}
        await asyncio.to_thread(venue.data, "POST", "/api/v1/trading/order", order, key=key)
    audits = AuditIntervals(positions=0.5, busy=0.2)
    life = Life(venue, tmp_path, EngineSettings(pulse=0.05, audits=audits), key="sub")
    try:
        await life.in_step()
        assert life.engine.session is not None
        reader = life.engine.session.synchronization.login_sync.fills
        await until(lambda: life.engine.state.fills.caught_up, 30)
        first = reader.read_at
        await until(lambda: reader.read_at > first, 30)
        screen = Screen(life.engine.state.updates)
        venue.move("BTC", "57000")
        told = "ADL suspected: BINANCE BTC perp -12 → "
        await until(lambda: any(line.text.startswith(told) for line in screen.look().events), 30)
    finally:
        await life.end()
