"""Fired alert of the trader at the foot of a small screen: its price is whole, keys stay, and urgent states go first."""

from __future__ import annotations

from tests.workstation.alerts.test_keys import BTC, type_line
from tests.workstation.driver import Desk, desk
from tui.engine.event_line import EventLine, Level
from tui.engine.modes import RiskMode

PRICE = "mark > 64,050.5: now 64,055.1"


def foot(at: Desk) -> tuple[str, str]:
    """Lines of the events and of the keys."""
    events, keys = at.text().split("\n")[-2:]
    return events, keys


async def fire(at: Desk, *, read: bool = True) -> None:
    """Set an alert, and let its price be reached; `read`: what was said about setting it is no news any more."""
    await at.press("1", "g", "j", ":")
    await type_line(at, f"alert when {BTC} mark > 64050.5")
    await at.press("enter")
    at.port.quote(BTC, "64055.0", "64055.2", mark="64055.1")
    at.clock.pass_by(1.0)
    await at.settle()
    if read:
        at.clock.pass_by(60.0)
        at.app._tick()
        at.app.main_screen.event_bar.redraw_all()
        await at.settle()


async def test_a_fired_alert_leaves_the_keys_of_the_desk_at_80_columns() -> None:
    async with desk(80, 24) as at:
        keys = foot(at)[1]
        await fire(at, read=False)
        assert "[!]1" in foot(at)[0] and "b buy  s sell" in keys
        assert foot(at)[1] == keys, "the alert took their place, without its own price"


async def test_a_fired_alert_shows_its_price_whole_at_80_columns() -> None:
    async with desk(80, 24) as at:
        await fire(at)
        assert PRICE in foot(at)[0] and "…" not in foot(at)[0] and "[!] clear" in foot(at)[0], foot(at)[0]


async def test_an_unknown_order_is_shown_in_place_of_a_fired_alert() -> None:
    async with desk(80, 24) as at:
        await fire(at)
        at.port.order("u1", BTC, "BUY", "64000", "0.1", state="UNKNOWN", position_side="LONG")
        text = "UNKNOWN: BUY 0.1 BINANCE BTC: no answer; being queried"
        at.port.updates.put_event(EventLine(wall_ms=1, level=Level.ALERT, text=text, key="u1", unsure=True))
        await at.settle()
        at.clock.pass_by(60.0)
        at.app._tick()
        await at.settle()
        assert "UNKNOWN: " in foot(at)[0] and "being queried" in foot(at)[0] and "[!]1" in foot(at)[0], foot(at)[0]
        at.port.order("u1", BTC, "BUY", "64000", "0.1", state="OPEN", position_side="LONG")
        await at.settle()
        assert PRICE in foot(at)[0], "it comes back once the outcome is known"


async def test_a_halt_is_shown_with_its_way_out_instead_of_an_alert() -> None:
    async with desk(80, 24) as at:
        await fire(at)
        at.clock.pass_by(60.0)
        at.port.event("HALT: kill switch by desk 3", Level.WARN)
        at.port.set_risk_mode(RiskMode.HALT)
        at.clock.pass_by(60.0)
        await at.settle()
        assert (
            "22:32:01 !! HALT: Ctrl" in foot(at)[0] and "Ctrl+T and resume" in foot(at)[0] and "[!]1" in foot(at)[0]
        ), foot(at)[0]
        at.port.set_risk_mode(RiskMode.NORMAL)
        await at.settle()
        assert PRICE in foot(at)[0]


async def test_a_warning_of_the_desk_stands_before_an_older_alert() -> None:
    async with desk(80, 24) as at:
        await fire(at)
        at.port.event("kill: 1 order is not known to be cancelled", Level.ALERT, sticky=True)
        at.clock.pass_by(60.0)
        at.app._tick()
        await at.settle()
        assert "kill: 1 order is not known" in foot(at)[0], foot(at)[0]
