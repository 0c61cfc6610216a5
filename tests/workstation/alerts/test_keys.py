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


async def test_i_on_a_row_opens_the_line_and_enter_switches_it_on() -> None:
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


async def test_an_alert_that_comes_true_is_told_until_it_is_read() -> None:
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


async def test_that_an_alert_told_is_kept_for_the_next_start() -> None:
    async with desk(120, 36) as at:
        await at.press("1", "g", "j", ":")
        await type_line(at, f"alert when {BTC} mark < 60000")
        await at.press("enter")
        at.port.quote(BTC, "59000.0", "59000.2", mark="59000.0")
        at.clock.pass_by(2.0)
        await at.settle()
        kept = ScreenPreferences({}, [], at.app.preferences.encode()).alert_states
        assert kept[f"alert when {BTC} mark < 60000"].true


async def test_delete_and_v_end_and_silence_an_alert() -> None:
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
        assert at.scope() is Scope.LINE and "pnl is not watched by this desk" in at.text()


def test_a_new_desk_and_old_files_have_the_first_alerts() -> None:
    assert ScreenPreferences({}, [], b"").alerts[0] == "alert when fill"
    old = b'{"version":1,"columns":{},"quotes":["BINANCE_PERP_BTC_USDT"]}'
    assert "alert when margin" in ScreenPreferences({}, [], old).alerts
    none = ScreenPreferences({}, [], b'{"version":1,"alerts":[]}')
    assert none.alerts == [] and ScreenPreferences({}, [], none.encode()).alerts == []
