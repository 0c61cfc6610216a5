"""Alerts at the desk: set from a row or a line, listed, silenced, deleted, kept."""

from __future__ import annotations

from tests.workstation.driver import Desk, desk
from tui.workstation.input.scopes import Scope
from tui.workstation.model.screen_preferences import ScreenPreferences

BTC = "BINANCE_PERP_BTC_USDT"


async def type_line(at: Desk, text: str) -> None:
    for char in text:
        await at.press(char)
    await at.settle()


async def test_key_i_on_a_row_types_an_alert_line_that_enter_starts() -> None:
    async with desk(120, 36) as at:
        await at.press("1", "g", "j", "i")
        assert at.scope() is Scope.LINE and at.app.main_screen.line_field.value == f"alert when {BTC} last "
        await type_line(at, "< 1000")
        await at.press("enter")
        await at.settle()
        assert at.app.preferences.alerts[-1] == f"alert when {BTC} last < 1000"
        await at.press(":")
        await type_line(at, "alert list")
        await at.press("enter")
        assert at.scope() is Scope.ALERTS and "last < 1000" in at.text()


async def test_an_alert_that_fires_is_shown_until_it_is_read() -> None:
    async with desk(120, 36) as at:
        await at.press("1", "g", "j", ":")
        await type_line(at, f"alert when {BTC} mark < 60000")
        await at.press("enter")
        at.port.quote(BTC, "59000.0", "59000.2", mark="59000.0")
        at.clock.pass_by(1.0)
        await at.settle()
        assert any("mark < 60000: now 59000" in text for text in at.events())
        assert at.app.mirror.sticky
        await at.press("!")
        assert not at.app.mirror.sticky and at.port.intents == []


async def test_it_is_saved_that_an_alert_has_fired() -> None:
    async with desk(120, 36) as at:
        await at.press("1", "g", "j", ":")
        await type_line(at, f"alert when {BTC} mark < 60000")
        await at.press("enter")
        at.port.quote(BTC, "59000.0", "59000.2", mark="59000.0")
        at.clock.pass_by(2.0)
        await at.settle()
        kept = ScreenPreferences({}, [], at.app.preferences.encode()).alert_states
        assert kept[f"alert when {BTC} mark < 60000"].true


async def test_key_delete_removes_an_alert_and_key_v_silences_it() -> None:
    async with desk(120, 36) as at:
        await at.press(":")
        await type_line(at, "alert list")
        await at.press("enter", "g", "v")
        assert "is silent for 300 s" in at.events()[-1] and "snoozed" in at.text()
        before = len(at.app.preferences.alerts)
        await at.press("delete")
        assert len(at.app.preferences.alerts) == before - 1


async def test_a_figure_that_is_not_watched_is_refused_in_the_line() -> None:
    async with desk(120, 36) as at:
        await at.press("1", "g", "j", ":")
        await type_line(at, "alert when pnl < 0")
        await at.press("enter")
        assert at.scope() is Scope.LINE and "pnl is nothing an alert can watch" in at.text()


def test_new_and_old_preferences_have_the_built_in_alerts() -> None:
    assert ScreenPreferences({}, [], b"").alerts[0] == "alert when fill"
    old = b'{"version":1,"columns":{},"quotes":["BINANCE_PERP_BTC_USDT"]}'
    assert "alert when margin" in ScreenPreferences({}, [], old).alerts
    none = ScreenPreferences({}, [], b'{"version":1,"alerts":[]}')
    assert none.alerts == [] and ScreenPreferences({}, [], none.encode()).alerts == []
