"""Audits of an account on which nothing happens: what no push carries, such as a mark price, is no repair."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.fakes import until
from tests.engine.conftest import Screen
from tests.engine.on_sockets import Life
from tests.venue.shell.conftest import STILL, Venue
from tui.engine.journal.journal_file import read_all
from tui.engine.settings import AuditIntervals, EngineSettings

OFTEN = EngineSettings(pulse=0.05, audits=AuditIntervals(orders=1, busy=1, positions=1))
AUDITS = 3
ORDER = "/api/v1/trading/order"


@pytest.fixture
def venue() -> Iterator[Venue]:
    running = Venue(*STILL, "--set", "rate_profile=off")
    yield running
    running.stop()


async def test_audits_of_an_idle_account_repair_nothing(venue: Venue, tmp_path: Path) -> None:
    """Its position, coins and order were pushed; two rows "repaired" stood in the journal every minute."""
    life = Life(venue, tmp_path, OFTEN)
    screen = Screen(life.engine.updates)
    await life.in_step()
    state, checked = life.engine.state, set[int]()
    for more in (
        {"sym": "BINANCE_PERP_BTC_USDT", "orderType": "MARKET", "orderQty": "0.02"},
        {"sym": "BINANCE_SPOT_BTC_USDT", "orderType": "MARKET", "orderQty": "0.01"},
        {"sym": "BINANCE_PERP_ETH_USDT", "orderType": "LIMIT", "orderQty": "0.1", "limitPrice": "2000"},
    ):
        venue.data("POST", ORDER, {"side": "BUY", **more})
    await until(lambda: state.facts.positions.rows and len(list(state.orders.working())) == 1, 30)

    def read_often() -> bool:
        assert life.engine.session is not None
        checked.add(life.engine.session.synchronization.reconciler.positions_checked_ms)
        return len(checked) > AUDITS + 1

    await until(read_often, 30)
    assert not screen.said("repaired")
    await life.end()
    entries, error = read_all(tmp_path / "journal.db")
    assert error == "" and "push" in {entry.kind for entry in entries}, "it was traded, and pushed"
    assert [entry.payload for entry in entries if entry.kind == "audit"] == []
