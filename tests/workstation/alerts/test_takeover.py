"""What an alert tells while a window takes the engine over from another one: nothing that it has told already."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec

from tests.workstation.alerts.test_book import BTC, Watch
from tui.engine.modes import Environment, TradingState
from tui.engine.rows import DayRow, Table
from tui.engine.status_rows import ENGINE, EngineStatusRow, LinkState
from tui.workstation.features.alerts.book import QUIET_S


def take_over(watch: Watch) -> dict[Table, dict[str, Any]]:
    """Take the account away, as a window does that begins to run the engine; return its rows."""
    watch.port.set_desk(orders_checked_ms=1)
    watch.take()
    mirror = watch.mirror
    before: dict[Table, dict[str, Any]] = {
        Table.POSITIONS: dict(mirror.positions), Table.FILLS: dict(mirror.fills), Table.DAYS: dict(mirror.days),
    }  # fmt: skip
    starting = EngineStatusRow(
        environment=Environment.PAPER,
        portfolio="",
        portfolio_name="main",
        trading_state=TradingState.VIEW,
        synced=False,
    )
    assert not starting.day_is_whole and not starting.bookings_read
    watch.port.put(Table.ENGINE_STATUS, ENGINE, starting)
    for table, rows in before.items():
        for key in rows:
            watch.port.put(table, key, None)
    return before


def pay_fee(day: DayRow, fee: str) -> DayRow:
    return msgspec.structs.replace(day, sums=msgspec.structs.replace(day.sums, fee=Decimal(fee)))


def test_a_fired_alert_is_quiet_when_its_window_takes_the_engine() -> None:
    watch = Watch("alert when all pnl < -5", f"alert when {BTC} upnl > -1000", "alert when fill")
    [(key, day)] = watch.mirror.days.items()
    watch.port.put(Table.DAYS, key, pay_fee(day, "18.2"))
    old = next(iter(watch.mirror.fills.values()))
    record = msgspec.structs.replace(
        old.record, transaction_id="new", create_at=str(int(watch.clock.wall() * 1000) + 1)
    )
    watch.port.put(Table.FILLS, "new", msgspec.structs.replace(old, record=record))
    assert len(watch.told()) == 3
    before = take_over(watch)
    assert watch.told() == watch.told(QUIET_S) == watch.told(1.0) == [], "what is not read yet has no figure"
    watch.port.put(Table.DAYS, key, pay_fee(day, "3"))
    for at, position in before[Table.POSITIONS].items():
        watch.port.put(Table.POSITIONS, at, position)
    watch.port.set_desk(orders_checked_ms=2, day_is_whole=False)
    assert watch.told() == []
    for at, fill in before[Table.FILLS].items():
        watch.port.put(Table.FILLS, at, fill)
    watch.port.put(Table.DAYS, key, before[Table.DAYS][key])
    watch.port.set_desk(day_is_whole=True)
    assert watch.told() == watch.told(QUIET_S) == []


def test_links_opened_as_a_window_takes_the_engine_fire_no_alert() -> None:
    """A window that began to run the engine rang for links that it was opening."""
    watch = Watch("alert when disconnect")
    take_over(watch)
    assert watch.told() == []
    for name, link in list(watch.mirror.links.items()):
        watch.port.put(Table.LINKS, name, msgspec.structs.replace(link, state=LinkState.CONNECTING))
    watch.port.set_desk(synced=True, orders_checked_ms=2)
    assert watch.told() == watch.told(1.0) == []
    for state, told in ((LinkState.UP, 0), (LinkState.DOWN, 1)):
        watch.port.put(Table.LINKS, "public", msgspec.structs.replace(watch.mirror.links["public"], state=state))
        assert len(watch.told(1.0)) == told
