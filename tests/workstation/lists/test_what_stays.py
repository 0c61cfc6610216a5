"""Warnings stay until they are cleared, cards follow their row, protections stand with prices on the leg."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec
import pytest

from tests.workstation.driver import desk
from tui.engine.event_line import EventLine, Level
from tui.engine.journal.unreached_entry import FLATTEN, KILL, cause_of
from tui.engine.rows import Fact, Table
from tui.workstation.features.orders import cells

LEG = "BINANCE_PERP_BTC_USDT/LONG"
BTC = "BINANCE_PERP_BTC_USDT"
ASIDE = "set aside as journal.db.bad"


async def test_a_warning_stays_visible_until_cleared_by_key() -> None:
    async with desk(160, 45) as at:
        at.port.updates.put_event(EventLine(wall_ms=1, level=Level.ALERT, text=ASIDE, sticky=True))
        for count in range(5):
            at.port.event(f"in step {count}")
        await at.settle()
        bar = at.text().split("\n")[-2]
        assert ASIDE in bar and "[!] clear" in bar and "in step 4" in bar
        await at.press("!")
        assert "Cleared: 1 warning" in at.text()
        await at.press("escape")
        assert ASIDE not in at.text().split("\n")[-2]


async def test_key_keep_dismisses_the_warning_of_a_missed_flatten() -> None:
    """It came back with each return of the link: nothing told the engine that the position was wanted."""
    async with desk(160, 45) as at:
        cause = cause_of(FLATTEN)
        warning = EventLine(wall_ms=1, level=Level.ALERT, text=ASIDE, sticky=True, cause=cause, keepable=True)
        at.port.updates.put_event(warning)
        at.port.set_desk(synced=False)
        await at.settle()
        assert "[!] clear" in at.text().split("\n")[-2], "over a cut link nothing can be flattened again"
        at.port.set_desk(synced=True)
        at.port.event("In sync with the venue")
        await at.settle()
        assert "[!] keep" in at.text().split("\n")[-2]
        await at.press("!")
        assert at.port.dismissed == [cause] and "Kept: 1 warning" in at.text()


@pytest.mark.parametrize("columns", [80, 100])
async def test_the_keep_key_dismisses_only_the_warning_that_is_shown(columns: int) -> None:
    """One `!` kept what a kill had left, too, which the line had never named, and cleared alerts that nobody had read."""
    async with desk(columns, 24) as at:
        flatten = "flatten missed, redo it: BINANCE ETH perp LONG 0.512"
        kill = "kill missed, redo it: 1 order, 3 algos, 2 positions"
        alert = "ALERT 6: BINANCE BTC perp last >= 61,920: now 61,923.3"
        at.port.event(alert, Level.ALERT, sticky=True)
        for kind, text in ((FLATTEN, flatten), (KILL, kill)):
            said = f"{text}; tried 13:45:11"
            at.port.event(said, Level.ALERT, sticky=True, cause=cause_of(kind), keepable=True)
        at.clock.pass_by(60.0)
        at.port.event("In sync with the venue")
        await at.settle()
        assert flatten in (bar := at.text().split("\n")[-2]) and "[!] keep" in bar
        filled = "SELL 14 SOL at market: FILLED 14 at 143.20, and this has no room beside it"
        at.port.event(filled, Level.GOOD, key="o3")
        await at.settle()
        assert at.text().split("\n")[-2].startswith(" [!]3")
        foot = at.text().split("\n")[-1]
        assert "redo it: BINANCE ETH" in foot and "[!] keep" in foot, "what the key keeps is named where it has room"
        at.clock.pass_by(60.0)
        await at.press("!")
        assert at.port.dismissed == [cause_of(FLATTEN)]
        assert "Kept: 1 warning; 2 more wait" in (card := at.text()) and f"kept: {flatten}" in card
        await at.press("!")
        assert at.port.dismissed == [cause_of(FLATTEN)], "it only closes the card"
        await at.settle()
        assert kill in (bar := at.text().split("\n")[-2]) and "[!] keep" in bar
        await at.press("!", "escape")
        await at.settle()
        assert at.port.dismissed[1:] == [cause_of(KILL)]
        assert alert[:40] in (bar := at.text().split("\n")[-2]) and "[!] clear" in bar
        await at.press("!")
        assert "Cleared: 1 warning" in at.text() and at.app.mirror.event_log.sticky == []


async def test_a_cleared_warning_is_not_shown_again_on_the_event_line() -> None:
    async with desk(80, 24) as at:
        at.port.event("in step")
        at.port.updates.put_event(EventLine(wall_ms=1, level=Level.ALERT, text=ASIDE, sticky=True))
        await at.settle()
        await at.press("!", "escape")
        bar = at.text().split("\n")[-2]
        assert ASIDE not in bar and "in step" in bar


async def test_a_link_that_is_up_again_removes_its_alert_from_the_line() -> None:
    async with desk(160, 45) as at:
        for text, level in (("market link is down: silent", Level.ALERT), ("market link is up again", Level.INFO)):
            at.port.updates.put_event(EventLine(wall_ms=1, level=level, text=text, cause="market link"))
            await at.settle()
            assert text in at.text().split("\n")[-2]
        at.clock.pass_by(60.0)
        at.port.quote(BTC, "64001.0", "64001.3")
        at.app.main_screen.event_bar.redraw_all()
        await at.settle()
        assert "is down" not in at.text().split("\n")[-2]


async def test_at_80_columns_an_order_outcome_is_shown_before_an_alert() -> None:
    alert, outcome = (
        "ALERT 1: BINANCE BTC perp mark < 60,000: now 59,000.0 and falling",
        "SELL 14 SOL at market: FILLED 14",
    )
    async with desk(80, 24) as at:
        at.clock.pass_by(60.0)
        at.port.updates.put_event(EventLine(wall_ms=1, level=Level.ALERT, text=alert, sticky=True))
        await at.settle()
        assert "[!] clear" in at.text().split("\n")[-2]
        at.clock.pass_by(1.0)
        at.port.event("reading the rules again")
        await at.settle()
        assert "[!] clear" in at.text().split("\n")[-2]
        at.port.updates.put_event(EventLine(wall_ms=1, level=Level.GOOD, text=outcome, key="o3"))
        await at.settle()
        bar, keys = at.text().split("\n")[-2:]
        assert bar.startswith(" [!]1") and outcome in bar
        assert alert[:45] in keys and "[!] clear" in keys and "X kill" in keys, "the warning is readable beside it"
        at.clock.pass_by(60.0)
        at.port.quote(BTC, "64001.0", "64001.3")
        at.app.main_screen.event_bar.redraw_all()
        await at.settle()
        bar = at.text().split("\n")[-2]
        assert "ALERT 1: BIN" in bar and "[!] clear" in bar
        assert "ALERT" not in at.text().split("\n")[-1]


@pytest.mark.parametrize(
    ("text", "level", "key"),
    [
        ("ADL suspected: BINANCE BTC perp 2.5 to 1.5 without a fill; see the statement", Level.ALERT, ""),
        ("ALERT 5: ADL rank of BINANCE BTC perp LONG rose from 2 to 4", Level.WARN, ""),
        ("SELL 14 SOL at market: FILLED 14 and more words behind it", Level.GOOD, "o3"),
    ],
)
async def test_at_80_columns_a_minor_event_hides_no_important_one(text: str, level: Level, key: str) -> None:
    """`do left` stood in the line of events, and the liquidation before it did not."""
    async with desk(80, 24) as at:
        at.port.updates.put_event(EventLine(wall_ms=1, level=level, text=text, key=key))
        at.port.event("do left, and what it sent stays as it is")
        await at.settle()
        assert text[:50] in at.text().split("\n")[-2]
        at.port.event("LIQUIDATION of BINANCE begins and this is a long line", Level.ALERT)
        await at.settle()
        assert "LIQUIDATION" in at.text().split("\n")[-2], "the newest of what matters"
        at.clock.pass_by(60.0)
        at.port.event("in step")
        await at.settle()
        assert "in step" in at.text().split("\n")[-2]


async def test_at_80_columns_an_engine_answer_is_shown_with_an_alert() -> None:
    """An answer of the engine was not shown at all: only those of the screen and outcomes of orders were."""
    alert = "ALERT 1: BINANCE BTC perp mark < 60,000: now 59,000.0 and falling"
    async with desk(80, 24) as at:
        at.clock.pass_by(60.0)
        at.port.updates.put_event(EventLine(wall_ms=1, level=Level.ALERT, text=alert, sticky=True))
        at.port.updates.put_event(EventLine(wall_ms=1, level=Level.INFO, text="Armed (by you)", answers=True))
        await at.settle()
        bar, keys = at.text().split("\n")[-2:]
        assert "Armed (by you)" in bar and "ALERT 1" in keys and "X kill" in keys
        at.clock.pass_by(60.0)
        at.port.event("reading the rules again")
        await at.settle()
        bar, keys = at.text().split("\n")[-2:]
        assert "ALERT 1" in bar and "reading the rules again" not in keys, "the keys are not taken by a note"


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_an_own_fill_is_shown_before_an_alert_that_fired_later(size: tuple[int, int]) -> None:
    """`ALERT 5: ADL rank … rose` stood in its place three times."""
    async with desk(*size) as at:
        fill = "BUY 300 BINANCE DOGE perp @ 0.10500: FILLED at 0.10500, fee 0.01"
        at.port.event(fill, Level.GOOD, key="o1")
        at.clock.pass_by(0.2)
        text = "ALERT 5: ADL rank of BINANCE BTC perp LONG rose to 3 of 5"
        at.app.context.say(text, Level.ALERT, sticky=True, by_alert="alert when fill")
        await at.settle()
        line = at.text().split("\n")[-2]
        assert "BUY 300" in line and "FILLED" in line and ("[!]" in line or "ALERT 5" in line), line
        at.clock.pass_by(11.0)
        at.app._tick()
        await at.settle()
        assert "ALERT 5: ADL rank" in at.text().split("\n")[-2]


async def test_at_80_columns_an_older_answer_does_not_hide_a_warning() -> None:
    """That nothing cancels the orders any more stood as `[!]1` for 10 s behind the arming before it."""
    warning = "the watchdog has ended: nothing cancels your orders if this workstation dies"
    async with desk(80, 24) as at:
        at.port.updates.put_event(EventLine(wall_ms=1, level=Level.INFO, text="Armed (by you)", answers=True))
        at.port.updates.put_event(EventLine(wall_ms=2, level=Level.ALERT, text=warning, sticky=True))
        await at.settle()
        assert warning[:50] in at.text().split("\n")[-2] and "[!] clear" in at.text().split("\n")[-2]
        answer = EventLine(wall_ms=3, level=Level.INFO, text="Disarmed (by you)", answers=True)
        at.port.updates.put_event(answer)
        await at.settle()
        bar, keys = at.text().split("\n")[-2:]
        assert "Disarmed (by you)" in bar and warning[:40] in keys


async def test_at_80_columns_the_answer_to_a_key_goes_before_a_fill() -> None:
    """Behind an outcome of the last seconds nobody saw that the desk was disarmed."""
    async with desk(80, 24) as at:
        text = "SELL 14 SOL at market: FILLED 14 and more words that fill the line"
        at.port.updates.put_event(EventLine(wall_ms=1, level=Level.GOOD, text=text, key="o3"))
        at.port.updates.put_event(EventLine(wall_ms=1, level=Level.INFO, text="Disarmed (by you)", answers=True))
        await at.settle()
        assert "Disarmed (by you)" in at.text().split("\n")[-2]


async def test_at_80_columns_a_denial_stays_beside_the_alert() -> None:
    alert = "ALERT 1: BINANCE BTC perp mark < 60,000: now 59,000.0 and falling"
    async with desk(80, 24) as at:
        at.port.updates.put_event(EventLine(wall_ms=1, level=Level.ALERT, text=alert, sticky=True))
        why = "denied BTC: nothing is queued for later"
        at.port.updates.put_event(EventLine(wall_ms=1, level=Level.WARN, text=why, stays=True))
        await at.settle()
        at.clock.pass_by(60.0)
        at.port.quote(BTC, "64001.0", "64001.3")
        at.app.main_screen.event_bar.redraw_all()
        await at.settle()
        bar, keys = at.text().split("\n")[-2:]
        assert "ALERT 1" in bar and why in keys
        await at.press("j")
        assert why not in at.text()


@pytest.mark.parametrize("own, other", [("", "desk 2"), ("desk 2", "")])
async def test_an_order_refusal_stays_only_in_the_window_that_sent_it(own: str, other: str) -> None:
    """Minutes later the refusal of another window read like the state of this one."""
    async with desk(160, 45) as at:
        at.port.set_desk(own_name=own)
        for name in (own, other):
            at.port.event(f"DENIED (MODE): key of '{name}'", Level.WARN, stays=True, peer=name)
        await at.settle()
        assert f"key of '{other}'" in at.text()
        at.clock.pass_by(60.0)
        for count in range(4):
            at.port.event(f"later note {count} which is as long as one line of a window of this width: {'-' * 60}")
        await at.settle()
        at.app.main_screen.event_bar.redraw_all()
        await at.settle()
        lines = "\n".join(at.text().split("\n")[-2:])
        assert f"key of '{own}'" in lines and f"key of '{other}'" not in lines


async def test_a_proposal_is_shown_before_an_uncleared_alert() -> None:
    alert, asks = (
        "ALERT 6: BINANCE BTC perp mark < 60,000: now 59,000.0",
        "research-bot (:accept 312) asks to BUY 0.1 BTC",
    )
    async with desk(120, 30) as at:
        at.port.event(alert, Level.ALERT, sticky=True)
        at.port.event(asks, Level.WARN, sticky=True, asks=True)
        await at.settle()
        at.clock.pass_by(60.0)
        at.port.event("in step")
        await at.settle()
        bar = at.text().split("\n")[-2]
        assert asks in bar and "[!] clear" in bar and alert not in bar


async def test_a_fired_stop_is_shown_before_alerts_and_later_notes() -> None:
    alert, fired = "ALERT 6: BINANCE BTC perp mark < 60,000: now 59,000.0", "stop SELL all: completed at 59,000.0"
    async with desk(80, 24) as at:
        at.clock.pass_by(60.0)
        at.port.updates.put_event(EventLine(wall_ms=1, level=Level.ALERT, text=alert, sticky=True))
        at.port.updates.put_event(EventLine(wall_ms=1, level=Level.INFO, text=fired, key="stop-1"))
        at.port.event("reading the rules of all pairs again after the change at the venue")
        await at.settle()
        bar = at.text().split("\n")[-2]
        assert bar.startswith(" [!]1") and fired in bar


@pytest.mark.parametrize(
    ("size", "keys", "kept"),
    [
        ((80, 24), "b", "Enter send Esc drop X kill"), ((80, 24), "C", "y confirm Enter back X kill"),
        ((80, 24), "3p", "Enter next Esc back Ctrl+G kill"), ((60, 20), "b", "Enter send Esc drop X kill"),
        ((80, 24), "X", "Enter run the selected row Esc back"),
        ((80, 24), ":b", "Enter Esc Tab Ctrl+G kill"),
        ((60, 20), "/", "Enter go Esc back Ctrl+G kill"),
        ((80, 24), "3F", "Enter after typing flat Esc back Ctrl+G kill"),
        ((80, 24), ["ctrl+p"], "Enter do it Esc close Ctrl+G kill"),
    ],
)  # fmt: skip
async def test_an_alert_does_not_hide_the_keys_of_a_box_or_ticket(
    size: tuple[int, int], keys: Iterable[str], kept: str
) -> None:
    """It took the whole line of keys while a ticket, a form, a question, a line or a list was open."""
    alert = "ALERT 1: BINANCE BTC perp mark < 60,000: now 59,000.0 and falling"
    async with desk(*size) as at:
        await at.press(*keys)
        at.port.event(alert, Level.ALERT, sticky=True)
        at.port.event("SELL 14 SOL at market: FILLED 14 at 143.20, and more words", Level.GOOD, key="o3")
        await at.settle()
        line = at.text().split("\n")[-1]
        assert line.rstrip().endswith(kept) and ("!!" in line) is (size[0] == 80 and keys != ":b"), line


@pytest.mark.parametrize(
    ("pair", "shown"),
    [
        ("BINANCE DOGE perp", "flatten missed, redo it: BINANCE DOGE perp LONG 1,000"),
        ("BINANCE 1000PEPE/USDC perp", "flatten missed, redo it: BIN 1000PEPE/USDC LONG 1,000"),
        ("BINANCE 1000000MOGWAI/USDC perp", "flatten missed, redo it: BIN 1000…SDC LONG 1,000"),
    ],
)
async def test_a_long_pair_name_does_not_cut_the_size_in_a_warning(pair: str, shown: str) -> None:
    """At 80 columns the size behind the pair was what was cut."""
    async with desk(80, 24) as at:
        text = f"flatten missed, redo it: {pair} LONG 1,000; tried 11:22:33"
        at.port.updates.put_event(
            EventLine(wall_ms=1, level=Level.ALERT, text=text, sticky=True, cause=cause_of(FLATTEN), keepable=True)
        )
        at.clock.pass_by(60.0)
        at.app.main_screen.event_bar.redraw_all()
        await at.settle()
        bar = at.text().split("\n")[-2]
        assert f"{shown}; " in bar or f"{shown} …" in bar or f"{shown}…" in bar, bar


async def test_a_fired_stop_is_shown_before_the_target_it_ended() -> None:
    """The target that expired with the position stood where the trader looks for the result."""
    fired = "FIRED at 60,480.4 (mark reached 61,391.7), result -61.18 USDT before fees: stop SELL all"
    async with desk(80, 24) as at:
        at.port.updates.put_event(EventLine(wall_ms=1, level=Level.INFO, text=fired, key="stop-1"))
        text = "EXPIRED: target SELL all BINANCE BTC perp at 62,347.3 last: The position is closed"
        at.port.updates.put_event(EventLine(wall_ms=1, level=Level.INFO, text=text, passes=True))
        for _ in range(2):
            await at.settle()
            assert "result -61.18 USDT" in (bar := at.text().split("\n")[-2]) and "EXPIRED" not in bar
            at.clock.pass_by(60.0)
            at.app.main_screen.event_bar.redraw_all()


@pytest.mark.parametrize(
    ("columns", "shown"),
    [(80, "now 61,923.3 [!] clear 3"), (74, "now 61,923.3 [!] clear 3"), (66, "now … [!] clear 3")],
)
async def test_an_uncleared_alert_is_not_cut_within_a_number(columns: int, shown: str) -> None:
    async with desk(columns, 24) as at:
        for number in (6, 7, 8):
            text = f"ALERT {number}: BINANCE BTC perp last >= 61,920: now 61,923.3"
            at.port.updates.put_event(EventLine(wall_ms=1, level=Level.ALERT, text=text, sticky=True))
        at.clock.pass_by(60.0)
        at.app.main_screen.event_bar.redraw_all()
        await at.settle()
        assert shown in at.text().split("\n")[-2]
        await at.press("b")
        assert "[!]3" in (bar := at.text().split("\n")[-2]) and "clear" not in bar, "the key does nothing in a ticket"


async def test_a_refused_key_is_shown_before_an_alert() -> None:
    async with desk(80, 24) as at:
        text = "ALERT 1: BINANCE BTC perp mark < 60,000: now 59,000.0 (0.02 % below)"
        at.port.updates.put_event(EventLine(wall_ms=1, level=Level.ALERT, text=text, sticky=True))
        await at.press("1", "g", "j", ".")
        await at.settle()
        assert "no ticket was sent in this session yet" in at.text().split("\n")[-2]


async def test_a_warning_goes_away_when_its_cause_ends() -> None:
    async with desk(160, 45) as at:
        bad = EventLine(wall_ms=1, level=Level.ALERT, text="journal: disk full", sticky=True, cause="journal")
        at.port.updates.put_event(bad)
        at.port.updates.put_event(EventLine(wall_ms=1, level=Level.ALERT, text=ASIDE, sticky=True))
        await at.settle()
        assert "disk full" in at.text().split("\n")[-2]
        at.port.updates.put_event(EventLine(wall_ms=2, level=Level.INFO, text="can be written again", cause="journal"))
        await at.settle()
        assert [one.text for one in at.app.mirror.event_log.sticky] == [ASIDE]
        bar = at.text().split("\n")[-2]
        assert bar.index(ASIDE) < bar.index("[!] clear") and "disk full" not in bar[: bar.index("[!] clear")]


async def test_an_open_order_card_updates_with_its_order() -> None:
    async with desk(120, 36) as at:
        await at.press("2", "j", "j", "enter")
        assert "PARTIALLY_FILLED" in at.text()
        order = at.app.mirror.orders["o3"]
        at.port.put(Table.ORDERS, "o3", msgspec.structs.replace(order, state="CANCELLED", final=True))
        await at.settle()
        assert "CANCELLED" in at.text() and "PARTIALLY_FILLED" not in at.text()


@pytest.mark.parametrize("size", [(120, 36), (80, 24)])
async def test_the_replace_form_follows_fills_and_the_end_of_its_order(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press("2", "j", "j", "e")
        panel = at.app.main_screen.panel
        order = at.app.mirror.orders["o3"]
        at.port.put(Table.ORDERS, "o3", msgspec.structs.replace(order, executed="0.150"))
        await at.settle()
        assert panel.rest_field.value == "0.100" and "filled 0.150" in at.text()
        at.port.put(Table.ORDERS, "o3", msgspec.structs.replace(order, executed="0.250", state="FILLED", final=True))
        await at.settle()
        assert "this order has ended: FILLED" in at.text() and "Esc closes" in at.text()
        assert "position" not in at.text(), "nothing is foretold of an order that has ended"
        at.app.main_screen.set_focus(panel)
        await at.press("enter", "y")
        assert at.port.intents == [] and panel.open
        await at.press("escape")
        assert not panel.open


@pytest.mark.parametrize(("first", "last"), [("g", "G"), ("home", "end")])
async def test_help_page_scrolls_to_its_first_and_last_line(first: str, last: str) -> None:
    async with desk(80, 24) as at:
        await at.press("?")
        beginning = at.text()
        await at.press(last)
        found = re.search(r"Keys.* (\d+) of (\d+) ", at.text())
        assert found is not None and found[1] == found[2] and at.text() != beginning
        await at.press(first)
        assert at.text() == beginning


async def test_position_row_shows_its_stop_and_target_prices() -> None:
    async with desk(120, 36) as at:
        fact = at.app.mirror.positions[LEG]
        algo = {"portfolioId": "7001", "slTriggerPrice": "63000", "tpTriggerPrice": "66000", "sym": fact.record.sym}
        at.port.put(Table.POSITIONS, LEG, Fact(msgspec.structs.replace(fact.record, tpsl_order=[algo]), fact.stamp))
        await at.settle()
        line = at.line_of("positions", "BINANCE BTC")
        assert "SL 63,000.0 TP 66,000.0" in line, line
        await at.press("3", "g", "g", "m")
        assert "{'" not in at.text() and "slTriggerPrice 63000" in at.text()


@pytest.mark.parametrize(("stop", "profit", "mark"), [("63000", "66000", "TS"), ("63000", "", "S"), ("", "", "!")])
async def test_narrow_position_row_shows_stop_and_target_by_letters(stop: str, profit: str, mark: str) -> None:
    """Below 118 cells the triggers stood in the card only."""
    async with desk(62, 24) as at:
        fact = at.app.mirror.positions[LEG]
        algo = {"portfolioId": "7001", "slTriggerPrice": stop, "tpTriggerPrice": profit, "sym": fact.record.sym}
        at.port.put(Table.POSITIONS, LEG, Fact(msgspec.structs.replace(fact.record, tpsl_order=[algo]), fact.stamp))
        at.port.put(Table.ORDERS, "o3", None)
        await at.press("3")
        names = next(line for line in at.lines_of("positions") if "T/S" in line)
        line = at.line_of("positions", "BINANCE BTC")
        assert line[names.index("T/S") :].split()[0] == mark, line


@pytest.mark.parametrize(
    ("stop", "profit", "says"),
    [("63000", "66000", "T 63,000.0"), ("63000", "", "63,000.0"), ("", "66000", "T no SL!"), ("", "", "none!")],
)
async def test_position_row_at_80_columns_shows_entry_pnl_and_stop(stop: str, profit: str, says: str) -> None:
    async with desk(80, 24) as at:
        fact = at.app.mirror.positions[LEG]
        algo = {"portfolioId": "7001", "slTriggerPrice": stop, "tpTriggerPrice": profit, "sym": fact.record.sym}
        at.port.put(Table.POSITIONS, LEG, Fact(msgspec.structs.replace(fact.record, tpsl_order=[algo]), fact.stamp))
        at.port.put(Table.ORDERS, "o3", None)
        await at.press("3")
        line = at.line_of("positions", "BINANCE BTC").rstrip("│┃ ")
        assert line.endswith(says), line
        assert all(text in line for text in ("2.500", "63,870.0", "+327.50", "52,123.0")), line


@pytest.mark.parametrize(
    ("width", "profit", "says"),
    [
        (80, "", "63,500.0 +1"), (80, "66000", "T 63,500.0+ "), (120, "", "SL 63,500.0 +1 "),
        (120, "66000", "T SL 63,500.0 +1 "), (200, "66000", "SL 63,500.0 +1 "),
    ],
)  # fmt: skip
async def test_the_row_of_a_long_shows_its_highest_stop(width: int, profit: str, says: str) -> None:
    """The first of the list stood there, and its count was read as a part of the price."""
    async with desk(width, 24) as at:
        fact = at.app.mirror.positions[LEG]
        algos = [{"slTriggerPrice": "63000", "tpTriggerPrice": profit}, {"slTriggerPrice": "63500"}]
        at.port.put(Table.POSITIONS, LEG, Fact(msgspec.structs.replace(fact.record, tpsl_order=algos), fact.stamp))
        at.port.put(Table.ORDERS, "o3", None)
        await at.press("3")
        line = at.line_of("positions", "BINANCE BTC")
        assert says in line and " 63,000.0" not in line, line


@pytest.mark.parametrize(("width", "room"), [(80, 66), (110, 96), (120, 96), (150, 126)])
async def test_texts_in_the_events_list_use_all_remaining_width(width: int, room: int) -> None:
    async with desk(width, 24) as at:
        at.app.mirror.event_log.add(EventLine(wall_ms=0, level=Level.INFO, text="x" * (room - 1)))
        await at.press("E")
        await at.settle()
        assert "x" * (room - 1) in at.text() and "order  " not in at.text()


async def test_narrow_order_row_marks_attached_stop_and_target() -> None:
    async with desk(80, 24) as at:
        order = msgspec.structs.replace(at.app.mirror.orders["o3"], tp_trigger="66000", sl_trigger="63000")
        at.port.put(Table.ORDERS, "o3", order)
        await at.press("2")
        assert "open long TS " in at.line_of("orders", "63,998.0")


@pytest.mark.parametrize("width", [80, 200])
async def test_an_order_whose_attached_stop_has_ended_shows_none_now(width: int) -> None:
    async with desk(width, 40) as at:
        order = msgspec.structs.replace(at.app.mirror.orders["o3"], tp_trigger="66000", sl_trigger="63000")
        at.port.put(Table.ORDERS, "o3", msgspec.structs.replace(order, guard_ended=True))
        await at.press("2")
        line = at.line_of("orders", "63,998.0")
        assert "open long TS" not in line and ("none now!" in line) is (width == 200)


async def test_order_cells_write_filled_size_and_forced_origin_in_full() -> None:
    """Beside the ladder they read `0/0.016…` and `SYSTEM_LI…`."""
    async with desk(160, 45) as at:
        spot = "BINANCE_SPOT_BTC_USDT"
        forced = {"executed": "0.01615", "origin": "SYSTEM_LIQ", "reduce_only": True}
        row = at.port.order("o9", spot, "BUY", "63880.0", "0.01615", **forced)
        assert cells.rest_total(row, at.app.view)[0] == "0/0.01615" and cells.kind(row)[0] == " SYSTEM_LIQ"


async def test_order_row_shows_remaining_size_before_total_size() -> None:
    async with desk(80, 24) as at:
        order = at.app.mirror.orders["o3"]
        at.port.put(Table.ORDERS, "o3", msgspec.structs.replace(order, qty="0.250", executed="0.150"))
        await at.settle()
        assert any("0.100/0.250" in line for line in at.lines_of("orders"))


async def test_a_new_alert_is_shown_before_an_older_uncleared_warning() -> None:
    async with desk(80, 24) as at:
        at.port.updates.put_event(EventLine(wall_ms=1, level=Level.ALERT, text=ASIDE, sticky=True))
        await at.settle()
        assert "[!] clear" in at.text()
        at.port.event("the private link is FLAPPING: lost 3 times in 60 s", Level.ALERT)
        await at.settle()
        line = at.text().splitlines()[-2]
        assert "FLAPPING" in line and "[!]1" in line, line
        at.clock.pass_by(60.0)
        at.app._tick()
        await at.settle()
        assert "[!] clear" in at.text().splitlines()[-2], "the warning comes back after the news"


@pytest.mark.parametrize("keys", [("3", "enter"), ("2", "j", "j", "enter"), ("4", "enter"), ("1", "|")])
async def test_a_card_at_80_columns_leaves_event_and_key_line_visible(keys: tuple[str, ...]) -> None:
    async with desk(80, 24) as at:
        at.port.event("in step")
        await at.press(*keys)
        event, hints = at.text().split("\n")[-2:]
        assert "in step" in event and "Esc" in hints


@pytest.mark.parametrize("keys", [(), (":",), ("b", "tab"), ("enter",)])
async def test_the_kill_prompt_shows_esc_back_beside_an_event(keys: tuple[str, ...]) -> None:
    """A warning took the line of keys, and with it `Esc back`."""
    async with desk(80, 24) as at:
        at.port.event("ALERT 1: BINANCE BTC perp mark < 60,000: now 59,000.0", Level.ALERT, sticky=True)
        at.port.event("SELL 14 SOL at market: FILLED 14", Level.GOOD, key="o3")
        await at.settle()
        await at.press(*keys, "ctrl+g")
        assert "Esc back" in at.text().splitlines()[-1], at.text()
