"""Alerts at the desk: set from a row or a line, listed, silenced, deleted, kept."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tui.engine.rows import Table
from tui.workstation.features.alerts.pane import AlertsPane
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
        assert at.scope() is Scope.ALERTS and "last < 1,000" in at.text()


async def test_the_alert_list_shows_none_as_uni_mmr_without_any_risk() -> None:
    async with desk(120, 36) as at:
        await at.press("1", "g", "j", ":")
        await type_line(at, "alert when EDX_PERP_BTC_USDT unimmr < 2")
        await at.press("enter", ":")
        await type_line(at, "alert list")
        await at.press("enter")
        [line] = [line for line in at.lines_of("alerts") if "unimmr < 2" in line]
        assert line.split("unimmr < 2")[1].split()[0] == "none"


async def test_an_alert_that_fires_is_shown_until_it_is_read() -> None:
    async with desk(120, 36) as at:
        await at.press("1", "g", "j", ":")
        await type_line(at, f"alert when {BTC} mark < 60000")
        await at.press("enter")
        at.port.quote(BTC, "59000.0", "59000.2", mark="59000.0")
        at.clock.pass_by(1.0)
        await at.settle()
        [made, fired] = [text for text in at.events() if text.lower().startswith("alert ")]
        number = made.split()[1]
        assert made.startswith(f"alert {number} set: ") and made.endswith("mark < 60,000")
        assert fired.startswith(f"ALERT {number}: ") and "mark < 60,000: now 59,000" in fired
        assert at.app.mirror.event_log.sticky
        await at.press("!")
        assert not at.app.mirror.event_log.sticky and at.port.intents == []


async def test_an_alert_fired_soon_after_another_is_signalled_later(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk(120, 36) as at:
        for line in ("mark < 60000", "mark < 59000"):
            await at.press(":")
            await type_line(at, f"alert when {BTC} {line}")
            await at.press("enter")
        notices: list[str] = []
        monkeypatch.setattr(at.app.context, "show_notice", notices.append)
        for mark in ("59500.0", "58500.0"):
            at.port.quote(BTC, mark, mark, mark=mark)
            at.clock.pass_by(0.5)
            await at.settle()
        assert [notice.partition(":")[0].endswith("mark < 60,000") for notice in notices] == [True]
        at.clock.pass_by(1.0)
        at.app._tick()
        assert len(notices) == 2 and "mark < 59,000" in notices[1]


async def test_an_alert_true_when_set_is_reported_as_set_and_fired() -> None:
    async with desk(120, 36) as at:
        for _ in range(2):
            await at.press("1", ":")
            await type_line(at, f"alert when {BTC} mark > 1")
            await at.press("enter")
            at.clock.pass_by(1.0)
            at.port.quote(BTC, "64001.0", "64001.2", mark="64000.0")
            await at.settle()
        told = [text.partition(" BINANCE")[0] for text in at.events() if text.lower().startswith("alert ")]
        assert told == ["alert 6 set:", "ALERT 6:", "alert 6 is set already:"]
        assert "[!]1 " in at.text() and " set already: BINANCE" in at.text(), (
            "the answer to the line, with a mark of the alert"
        )


async def test_a_refused_order_counts_in_the_alert_list() -> None:
    async with desk(140, 40) as at:
        at.port.order("r1", BTC, "BUY", "64000.0", "0.1", state="REJECT", final=True)
        at.clock.pass_by(1.0)
        await at.settle()
        await at.press(":")
        await type_line(at, "alert list")
        await at.press("enter")
        [row] = [line for line in at.lines_of("alerts") if " reject " in line]
        assert " 1 " in row.partition(" reject ")[2], row


async def test_a_risen_adl_rank_is_an_alert_event_but_no_warning() -> None:
    async with desk(120, 36) as at:
        key = "BINANCE_PERP_ETH_USDT/LONG"
        fact = at.app.mirror.adl[key]
        for rank in ("1", "4"):
            record = msgspec.structs.replace(fact.record, adl_rank=rank)
            at.port.put(Table.ADL, key, msgspec.structs.replace(fact, record=record))
            at.clock.pass_by(1.0)
            await at.settle()
        [row] = [text for text in at.events() if "ADL rank" in text]
        assert row.startswith("ALERT 5: ADL rank of") and row.endswith("rose from 1 to 4")
        assert not at.app.mirror.event_log.sticky, "an own order that grows a position raises its rank too"


async def test_a_fill_alert_is_counted_without_an_event_of_its_own() -> None:
    async with desk(120, 36) as at:
        fill = next(iter(at.app.mirror.fills.values()))
        later = str(int((at.clock.wall() + 1) * 1000))
        record = msgspec.structs.replace(fill.record, transaction_id="new", create_at=later)
        before, book = at.events(), at.app.main_screen.tables["alerts"].pane
        at.port.put(Table.FILLS, "new", msgspec.structs.replace(fill, record=record))
        at.clock.pass_by(1.0)
        await at.settle()
        assert isinstance(book, AlertsPane) and book.book is not None
        counts = {active.alert.tests[0].field: active.count for active in book.book.active.values()}
        assert counts["fill"] == 1 and at.events() == before, "the engine's own line is the event"


async def test_preferences_save_how_often_an_alert_has_fired() -> None:
    async with desk(120, 36) as at:
        fill = next(iter(at.app.mirror.fills.values()))
        for number in (1, 2):
            later = str(int((at.clock.wall() + 1) * 1000))
            record = msgspec.structs.replace(fill.record, transaction_id=f"new{number}", create_at=later)
            at.port.put(Table.FILLS, f"new{number}", msgspec.structs.replace(fill, record=record))
            at.clock.pass_by(2.0)
            await at.settle()
        kept = ScreenPreferences({}, [], at.app.preferences.encode()).alert_states
        assert kept["alert when fill"].count == 2


async def test_preferences_save_that_an_alert_has_fired() -> None:
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


async def test_an_alert_on_the_price_of_all_pairs_is_refused() -> None:
    async with desk(120, 36) as at:
        await at.press("1", "g", "j", ":")
        await type_line(at, "alert when all mark < 0")
        await at.press("enter")
        assert at.scope() is Scope.LINE and "adl, liqdist, orderage, pnl, unimmr, upnl" in at.text()


def test_preferences_without_alerts_get_the_built_in_ones() -> None:
    assert ScreenPreferences({}, [], b"").alerts[0] == "alert when fill"
    old = b'{"version":1,"columns":{},"quotes":["BINANCE_PERP_BTC_USDT"]}'
    assert "alert when margin" in ScreenPreferences({}, [], old).alerts
    none = ScreenPreferences({}, [], b'{"version":1,"alerts":[]}')
    assert none.alerts == [] and ScreenPreferences({}, [], none.encode()).alerts == []


async def test_the_alert_list_cuts_no_figure_at_80_columns() -> None:
    async with desk(80, 24) as at:
        for line in (f"alert when {BTC} mark < 63950.5", f"alert when {BTC} spread > 3bp", "alert list"):
            await at.press(":")
            await type_line(at, line)
            await at.press("enter")
        at.clock.pass_by(1.0)
        await at.settle()
        rows = at.lines_of("alerts")
        [mark] = [row for row in rows if "mark <" in row]
        [spread] = [row for row in rows if "spread" in row]
        assert "mark < 63,950.5 " in mark and "64,001.0 (0.08 % above)" in mark
        assert "spread > 3bp " in spread and " % below)" in spread and "…" not in mark + spread
