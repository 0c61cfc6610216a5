"""What is on the screen: sizes, hostile text, frames, lines drawn."""

from __future__ import annotations

from typing import Literal, cast

import msgspec
import pytest

from tests.workstation.driver import desk
from tests.workstation.scripted import info
from tui.engine.event_line import Level
from tui.engine.intents import CancelAll, Outcome, Verdict
from tui.engine.modes import Environment, TradingState
from tui.engine.rows import Table
from tui.engine.status_rows import LinkRow, LinkState, RateUse
from tui.interface.families.system import StatusRow
from tui.workstation.input.scopes import Scope
from tui.workstation.layouts.plan import PANES
from tui.workstation.settings import WorkstationSettings

BTC = "BINANCE_PERP_BTC_USDT"
HOSTILE = (
    "[/]",
    "[@click=app.exit]x[/]",
    "a\x1b[2Jb",
    "\x1b]0;t\x07",
    "\u202eevil\u2066",
    "x" * 5000,
    "日本語" * 40,
    "[bold]",
)


async def test_control_characters_in_service_text_are_removed() -> None:
    async with desk() as at:
        for index, text in enumerate(HOSTILE):
            at.port.order(f"h{index}", text, text, text, text, state=text, reason=text, position_side=text)
            at.port.put(Table.SYMBOLS, text, info(text, "0.1", "1"))
            at.port.quote(text, text, text, text, text, text)
            at.port.event(text, Level.ALERT)
        at.port.set_desk(portfolio_name="[/]\x1b[31m", engine_error="[/a]", journal_error="\x1b]0;t\x07")
        link = LinkRow(name="private", state=LinkState.DOWN, error="[/]\x1b")
        at.port.put(Table.LINKS, "private", link)
        await at.settle()
        await at.press("2", "G", "enter", "e", "c", "C", "escape")
        await at.press("(", "(", ")", "1", "G", "b", "escape", "ctrl+q", "escape", "?", "escape")
        text = at.text()
        assert "\x1b" not in text and "\x07" not in text and "\u202e" not in text
        assert "[/]" in text


async def test_every_pane_can_be_shown_and_has_rows() -> None:
    async with desk(80, 24) as at:
        for pane in PANES:
            at.app.main_screen.show_pane(pane)
            await at.settle()
            assert at.app.scope.value == pane
            assert at.app.main_screen.tables[pane].row_count > 0, pane


async def test_the_screen_draws_at_any_size() -> None:
    async with desk(120, 36) as at:
        for width, height in (
            (0, 0), (20, 5), (39, 9), (79, 23), (30, 60), (149, 38), (150, 37), (2, 50), (120, 36),
        ):  # fmt: skip
            await at.pilot.resize_terminal(width, height)
            await at.settle()
            at.app.main_screen.tick()
            await at.press("b", "e", "escape", "escape", "X", "escape", ")", "3", "f", "escape", "1")
            lines = at.text().split("\n")
            assert all(len(line) >= 0 for line in lines)
            if width >= 20 and height >= 4:
                assert "PAPER" in lines[0]
        assert at.port.intents == []


async def test_smallest_screens_show_environment_and_link_state() -> None:
    async with desk(20, 5) as at:
        text = at.text()
        assert "PAPER" in text and "md●" in text and "Quotes" in text and "UNK 1" in text


@pytest.mark.parametrize(("width", "height"), [(20, 5), (60, 20), (80, 24), (120, 36), (160, 45)])
async def test_f16_a_flapping_link_is_shown_at_every_size(width: int, height: int) -> None:
    async with desk(width, height) as at:
        row = at.app.mirror.links["private"]
        for state in (LinkState.UP, LinkState.DOWN, LinkState.LOGIN):
            at.port.put(Table.LINKS, "private", msgspec.structs.replace(row, state=state, flapping=True))
            await at.settle()
            head = "\n".join(at.text().split("\n")[:3])
            assert "FLAPPING" in head if width > 20 else "FLA" in head
        at.port.put(Table.LINKS, "private", row)
        await at.settle()
        assert "FLAPP" not in at.text()


@pytest.mark.parametrize(("width", "height"), [(60, 20), (80, 24), (120, 36), (160, 45)])
async def test_a_lost_watchdog_is_shown_at_every_size(width: int, height: int) -> None:
    async with desk(width, height) as at:
        assert "NO WATCHDOG" not in at.text()
        at.port.set_desk(watchdog_error="the watchdog has ended")
        await at.settle()
        assert "NO WATCHDOG" in "\n".join(at.text().split("\n")[:2])


async def test_a_used_up_order_rate_is_shown_before_orders_are_refused() -> None:
    async with desk(80, 24) as at:
        for used, shown in ((79, False), (80, True), (100, True), (0, False)):
            at.port.set_desk(rates=(RateUse("new orders", used, 100, 60),))
            at.clock.pass_by(1.0)
            await at.settle()
            assert (f"order rate {used}%" in at.text()) is shown


@pytest.mark.parametrize(("width", "height"), [(60, 20), (80, 24), (120, 36), (160, 45)])
async def test_f71_header_announces_maintenance_before_and_during_it(width: int, height: int) -> None:
    async with desk(width, height) as at:
        now = int(at.app.view.server_wall * 1000)
        ahead = StatusRow(status=0, start_time=now + 3_600_000, end_time=now + 7_200_000, service_type="TRADE")
        running = msgspec.structs.replace(ahead, status=1, start_time=now - 1)
        for windows, words in (
            ((ahead,), "MAINT from "),
            ((running,), "MAINT until "),
            ((), ""),
        ):
            at.port.set_desk(downtime=windows)
            await at.settle()
            head = "\n".join(at.text().split("\n")[:2])
            assert words in head
            assert ("MAINT" in head) is bool(words)


async def test_s43_header_says_live_and_arming_needs_a_prompt() -> None:
    async with desk(80, 24) as at:
        at.port.set_desk(environment=Environment.LIVE, trading_state=TradingState.VIEW)
        await at.settle()
        assert " LIVE " in at.text() and "PAPER" not in at.text()
        assert at.app.title.startswith("LIVE main VIEW")
        await at.press("a")
        assert at.port.states == []
        at.clock.pass_by(0.3)
        await at.press("y")
        assert at.port.states == [TradingState.ARMED]


async def test_empty_list_says_loading_and_then_the_time_checked() -> None:
    async with desk(80, 24, armed=False, filled=False) as at:
        assert "LOADING" in at.text() and "no open orders" not in at.text()
        at.port.set_desk(synced=True)
        await at.settle()
        assert "no open orders (checked 22:30:00)" in at.text()


async def test_one_changed_quote_redraws_only_its_rows() -> None:
    async with desk() as at:
        quotes, orders = at.app.main_screen.tables["quotes"], at.app.main_screen.tables["orders"]
        before, others = quotes.rows.lines_made, orders.rows.lines_made
        at.port.quote("BINANCE_SPOT_BTC_USDT", "64011.00", "64011.01")
        await at.settle()
        assert quotes.rows.lines_made - before == 2, "its row and the best row above it"
        assert orders.rows.lines_made == others


async def test_an_unchanged_screen_draws_nothing_and_runs_no_timer() -> None:
    async with desk() as at:
        frame = at.app.repaint_scheduler
        assert frame is not None
        await at.settle()
        paints, lines = frame.paints, sum(table.rows.lines_made for table in at.app.main_screen.tables.values())
        await at.pause(0.2)
        assert frame.idle and frame.paints == paints
        assert sum(table.rows.lines_made for table in at.app.main_screen.tables.values()) == lines


async def test_2000_quotes_in_a_burst_are_drawn_in_few_frames() -> None:
    async with desk() as at:
        frame = at.app.repaint_scheduler
        assert frame is not None
        before = frame.paints
        for count in range(2000):
            at.port.quote(BTC, f"{64000 + count % 7}.0", "64010.0")
        await at.settle()
        assert frame.paints - before <= 6
        assert f"{64000 + 1999 % 7:,}.0" in at.text()


async def test_a_quote_cell_that_changes_often_does_not_flash() -> None:
    async with desk() as at:
        table = at.app.main_screen.tables["quotes"]
        at.port.quote(BTC, "64001.0", "64001.2")
        await at.settle()
        at.port.quote(BTC, "64001.1", "64001.2")
        await at.settle()
        assert table._flashes.lit and {role for _, role in table._flashes.lit.values()} == {"flash-up"}
        for step in range(8):
            at.clock.pass_by(0.05)
            at.port.quote(BTC, f"6400{step}.0", "64001.2")
            await at.settle()
        assert not [cell for cell in table._flashes.lit if cell[0] == BTC]
        at.clock.pass_by(1.0)
        table._sweep()
        assert not table._flashes.lit


async def test_no_quote_flashes_while_a_ticket_question_is_open() -> None:
    async with desk() as at:
        table = at.app.main_screen.tables["quotes"]
        at.port.outcomes.append(Outcome(verdict=Verdict.ASK, guard="FIRST_OF_DAY", text="first order today"))
        await at.press("b", "enter")
        assert at.scope() is Scope.ASK
        at.port.quote(BTC, "64001.1", "64001.2")
        await at.settle()
        assert not table._flashes.lit
        await at.press("escape")
        at.port.quote(BTC, "64001.0", "64001.2")
        await at.settle()
        assert table._flashes.lit


async def test_ended_orders_leave_the_list_after_a_minute() -> None:
    async with desk() as at:
        at.port.order("o4", "OKX_PERP_BTC_USDT", "BUY", "63880.0", "25", state="FILLED", final=True)
        await at.settle()
        assert "o4" in at.app.main_screen.tables["orders"]._keys
        at.clock.pass_by(61)
        at.app.main_screen.tick()
        assert "o4" not in at.app.main_screen.tables["orders"]._keys


async def test_a_click_on_an_order_row_selects_it_and_sends_nothing() -> None:
    async with desk() as at:
        region = at.app.main_screen.tables["orders"].region
        await at.click(region.x + 5, region.y + 4)
        assert at.app.main_screen.tables["orders"].selected == "o3"
        assert at.app.scope.value == "orders"
        assert at.port.intents == []


async def test_unknown_orders_come_first_and_are_counted_in_the_header() -> None:
    async with desk(80, 24) as at:
        assert at.app.main_screen.tables["orders"]._keys[0] == "o1"
        assert "UNK 1" in at.text().split("\n")[0]


async def test_crash_output_contains_no_variable_values(capsys: pytest.CaptureFixture[str]) -> None:
    secret = "s3cr3t-value"

    def broken() -> None:
        hidden = secret
        raise RuntimeError(f"no {len(hidden)}")

    with pytest.raises(RuntimeError):
        async with desk(80, 24) as at:
            at.app.call_later(broken)
            await at.settle()
    printed = capsys.readouterr()
    assert secret not in printed.out + printed.err
    assert at.app.crash_lines and not any(secret in line for line in at.app.crash_lines)


async def test_a_lost_terminal_cancels_orders_only_if_set_to_always() -> None:
    quiet = WorkstationSettings(bell=False)
    for policy, intents in (("ask", 0), ("never", 0), ("always", 1)):
        settings = msgspec.structs.replace(quiet, cancel_all_on_quit=policy)
        async with desk(80, 24, settings=settings) as at:
            at.app.exit_from_signal()
            await at.settle()
            assert [cast(CancelAll, cancel).reason for cancel in at.port.intents] == ["terminal lost"] * intents
            assert at.app.describe_left_at_venue().startswith("4 orders stay live at the venue:\n")


@pytest.mark.parametrize(("policy", "ends"), [("ask", "ends"), ("never", "ends"), ("always", "crashes")])
async def test_the_key_line_says_when_orders_stay_live(policy: Literal["ask", "never", "always"], ends: str) -> None:
    async with desk(160, 45, settings=WorkstationSettings(bell=False, cancel_all_on_quit=policy)) as at:
        assert at.text().split("\n")[44].rstrip().endswith(f"orders stay live if this program {ends}")


async def test_every_listed_pair_is_subscribed() -> None:
    async with desk(80, 24) as at:
        assert len(at.port.watched) == 10


async def test_at_the_start_the_cursor_stays_on_the_first_quote_row() -> None:
    async with desk(120, 36, filled=False) as at:
        for sym in ("BINANCE_SPOT_SOL_USDT", "BINANCE_MARGIN_BTC_USDT", BTC):
            at.port.quote(sym, "1.0", "1.1")
            await at.settle()
            assert at.app.main_screen.tables["quotes"].selected == sym
        assert at.app.main_screen.panel.watched == BTC
        await at.press("j")
        chosen = at.app.main_screen.tables["quotes"].selected
        at.port.quote("AAA_PERP_BTC_USDT", "1.0", "1.1")
        await at.settle()
        assert at.app.main_screen.tables["quotes"].selected == chosen != BTC, "what was chosen by hand stays"


async def test_selection_stays_when_a_new_row_is_inserted_above() -> None:
    async with desk(120, 36, filled=False) as at:
        at.port.set_desk(synced=True)
        at.port.quote(BTC, "1.0", "1.1")
        await at.settle()
        at.clock.pass_by(3)
        at.port.quote("AAA_PERP_BTC_USDT", "1.0", "1.1")
        await at.settle()
        assert at.app.main_screen.tables["quotes"].selected == BTC
