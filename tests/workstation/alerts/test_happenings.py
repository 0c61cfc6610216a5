"""Alerts on fills, rejects and the like: each is told once, and those of one moment in their order."""

from __future__ import annotations

import msgspec

from tests.workstation.alerts.test_book import BTC, Watch
from tui.engine.rows import Table


def test_a_fill_alert_ignores_older_fills_read_after_the_start() -> None:
    watch = Watch("alert when fill")
    old = next(iter(watch.mirror.fills.values()))
    now = int(watch.clock.wall() * 1000)

    def fill(name: str, at: int) -> None:
        record = msgspec.structs.replace(old.record, transaction_id=name, create_at=str(at))
        watch.port.put(Table.FILLS, name, msgspec.structs.replace(old, record=record))

    fill("read later", now - 60_000)
    assert watch.told(1.0) == []
    fill("new", now + 2000)
    assert len(watch.told(1.0)) == 1


def test_simultaneous_fill_and_reject_alerts_fire_in_time_order() -> None:
    """Of two fills read together one was told, and a reject before them came behind."""
    watch = Watch("alert when fill", "alert when reject")
    watch.told()
    old = next(iter(watch.mirror.fills.values()))
    watch.clock.pass_by(5.0)
    now = int(watch.view.server_wall * 1000)
    for name, at_ms, qty in (("second", now - 100, "2"), ("first", now - 900, "1")):
        record = msgspec.structs.replace(old.record, transaction_id=name, quantity=qty, create_at=str(at_ms))
        watch.port.put(Table.FILLS, name, msgspec.structs.replace(old, record=record))
    watch.port.order("r1", BTC, "BUY", "64000.0", "0.1", state="REJECTED", since=watch.clock.mono() - 0.5)
    assert [text.split()[0:3:2] for text in watch.told()] == [["fill:", "1"], ["rejected:", "0.1"], ["fill:", "2"]]
    assert [active.count for active in watch.book.active.values()] == [2, 1]
