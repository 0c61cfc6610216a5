"""What has just happened stands out for ten seconds; what is over is dim, and bad news is never green."""

from __future__ import annotations

import pytest
from rich.style import Style

from tests.workstation.driver import Desk, desk
from tui.engine.event_line import Level
from tui.engine.rows import Fact, Table
from tui.interface.families.history import TradeRecord


def word_style(at: Desk, y: int, word: str) -> Style:
    """The style of the first letter of a word in a line of the screen."""
    strip = at.app.screen._compositor.render_strips()[y]
    x = "".join(segment.text for segment in strip).index(word)
    return next(iter(strip.crop(x, x + 1))).style or Style()


def row_of(at: Desk, pane: str, word: str) -> int:
    """The line of the screen on which a word stands in a pane."""
    region = at.app.main_screen.tables[pane].region
    lines = at.text().split("\n")
    return next(y for y in range(region.y + 2, region.bottom) if word in lines[y])


async def later(at: Desk, seconds: float) -> None:
    at.clock.pass_by(seconds)
    at.app.main_screen.tick()
    await at.settle()


async def test_an_ended_order_is_bright_then_faint() -> None:
    async with desk(160, 45) as at:
        at.port.order("o4", "OKX_PERP_BTC_USDT", "BUY", "63880.0", "25", state="FILLED", final=True)
        await at.settle()
        style = at.app.palette.style
        assert word_style(at, row_of(at, "orders", "FILLED"), "FILLED") == style("strong")
        await later(at, 9)
        assert word_style(at, row_of(at, "orders", "FILLED"), "FILLED") == style("strong")
        await later(at, 2)
        for word in ("FILLED", "OKX BTC"):
            assert word_style(at, row_of(at, "orders", "FILLED"), word) == style("faint")


async def test_a_rejected_order_is_bold_red_for_ten_seconds() -> None:
    async with desk(160, 45) as at:
        at.port.order("o4", "OKX_PERP_BTC_USDT", "BUY", "63880.0", "25", state="REJECTED", final=True)
        await at.settle()
        style = at.app.palette.style
        assert word_style(at, row_of(at, "orders", "REJECTED"), "REJECTED") == style("alert")
        await later(at, 11)
        assert word_style(at, row_of(at, "orders", "REJECTED"), "REJECTED") == style("loss")


async def test_event_line_is_bright_then_dim() -> None:
    async with desk(160, 45) as at:
        await later(at, 60)
        at.port.event("FILL BUY 0.100 BINANCE BTC perp", Level.GOOD)
        await at.settle()
        style, line = at.app.palette.style, at.app.main_screen.event_bar.region.y
        assert word_style(at, line, "FILL") == style("good-strong")
        await later(at, 11)
        assert word_style(at, line, "FILL") == style("dim")
        at.port.event("SELL 0.100 BINANCE BTC perp: REJECTED", Level.WARN)
        await at.settle()
        await later(at, 11)
        assert word_style(at, line, "SELL") == style("warn"), "a warning keeps its colour"


async def test_new_rows_in_the_events_list_are_bright_then_dim() -> None:
    async with desk(160, 45) as at:
        at.app.main_screen.show_pane("events")
        at.port.event("something new", Level.INFO)
        await at.settle()
        style = at.app.palette.style
        assert word_style(at, row_of(at, "events", "something new"), "something").bold
        await later(at, 11)
        color = word_style(at, row_of(at, "events", "something new"), "something").color
        assert color == style("dim").color


async def test_a_liquidation_order_has_warning_color_and_not_green() -> None:
    async with desk(160, 45) as at:
        at.port.order("o4", "BINANCE_SPOT_BTC_USDT", "BUY", "63880.0", "25", origin="SYSTEM_LIQ")
        await at.settle()
        assert word_style(at, row_of(at, "orders", "SYSTEM_L"), "buy") == at.app.palette.style("warn")


async def test_a_liquidation_fill_has_warning_color_and_not_green() -> None:
    sym = "BINANCE_SPOT_BTC_USDT"
    async with desk(160, 45) as at:
        style = at.app.palette.style
        for name, origin in (("forced", "SYSTEM_LIQ"), ("own", "DMA")):
            at.port.order(name, sym, "BUY", "63880.0", "25", origin=origin, state="FILLED", final=True)
            record = TradeRecord(
                transaction_id=name, order_id=name, client_order_id=name, sym=sym, side="BUY",
                quantity="7.25" if name == "own" else "8.25", price="63880", create_at=str(int(at.clock.wall() * 1000)),
            )  # fmt: skip
            at.port.put(Table.FILLS, name, Fact(record, at.port.stamp()))
        at.app.main_screen.show_pane("fills")
        await later(at, 11)
        assert word_style(at, row_of(at, "fills", "8.25"), "buy").color == style("warn").color
        assert word_style(at, row_of(at, "fills", "7.25"), "buy").color == style("buy").color


def newest_line(at: Desk) -> str:
    """The line of the newest events."""
    return at.text().split("\n")[at.app.main_screen.event_bar.region.y]


async def test_key_error_leaves_the_event_line_at_the_next_valid_key() -> None:
    async with desk(160, 45) as at:
        await at.press("b", "tab", "y")
        assert "size in BTC" in newest_line(at)
        await at.press("h")
        assert "size in BTC" in newest_line(at), "another refused key settles nothing"
        await at.press("escape", "escape")
        assert "size in BTC" not in newest_line(at)
        await at.press("b")
        assert at.app.main_screen.panel.open and "size in BTC" not in newest_line(at)
        assert any("size in BTC" in text for text in at.events()), "the list of events keeps it"


@pytest.mark.parametrize("times", [1, 2])
async def test_order_denial_stays_on_the_event_line_until_the_next_key(times: int) -> None:
    async with desk(160, 45) as at:
        await at.press("b", "tab")
        for _ in range(times):
            at.port.event("DENIED (NOTIONAL): over the limit", Level.WARN, stays=True)
        await at.settle()
        await later(at, 60)
        assert "DENIED" in newest_line(at), "it may not have been read yet"
        await at.press("escape")
        await at.settle()
        assert "DENIED" not in newest_line(at)
        assert any("DENIED" in text for text in at.events()), "the list of events keeps it"


async def test_key_error_leaves_the_event_line_after_some_seconds() -> None:
    async with desk(160, 45, filled=False) as at:
        await at.press("2", "c")
        assert "no row selected" in newest_line(at)
        at.clock.pass_by(5.0)
        at.app._tick()
        assert "no row selected" in newest_line(at)
        at.clock.pass_by(6.0)
        at.app._tick()
        await at.settle()
        assert "no row selected" not in newest_line(at)


@pytest.mark.parametrize(
    ("text", "level", "goes"),
    [
        ("h was 900 ms old: ignored", Level.WARN, True),
        ("copied", Level.INFO, True),
        ("cancel-all: no answer", Level.ALERT, False),
    ],
)
async def test_program_messages_leave_the_event_line_after_ten_seconds(text: str, level: Level, goes: bool) -> None:
    """Warnings of the screen stood there for good, in their colour."""
    async with desk(160, 45) as at:
        at.port.event("FILL BUY 0.100 BINANCE BTC perp", Level.GOOD)
        at.app.context.say(text, level)
        await later(at, 9)
        assert text in newest_line(at)
        await later(at, 2)
        assert (text in newest_line(at)) is not goes
        assert "FILL BUY" in newest_line(at), "what happened stays until it is pushed out"
        assert text in at.events()


async def test_ignored_key_message_goes_away_at_the_next_valid_key() -> None:
    async with desk(160, 45) as at:
        await at.press("X")
        at.clock.pass_by(1.0)
        await at.press("down", "enter")
        assert "to confirm this row" in newest_line(at)
        await at.press("escape", "1")
        assert "to confirm this row" not in newest_line(at)


async def test_key_error_leaves_the_event_line_of_a_frozen_screen_too() -> None:
    async with desk(160, 45, filled=False) as at:
        await at.press("2", "z", "c")
        assert "no row selected" in newest_line(at)
        at.clock.pass_by(11.0)
        at.app._tick()
        await at.settle()
        assert "FROZEN" in at.text() and "no row selected" not in newest_line(at)


async def test_digits_typed_into_no_field_are_said_on_the_event_line() -> None:
    """A digit that jumps, and says that digits are typed into nothing."""
    async with desk(160, 45) as at:
        for key in "2000":
            at.send_now(key)
            await at.settle()
        assert "No field for these digits" in newest_line(at)


async def test_a_long_event_is_cut_at_a_word_and_spares_the_keys() -> None:
    told = (
        "Cancel of BUY 0.250 BINANCE BTC perp at 61,700.0 was refused: the order was filled before the cancel arrived"
    )
    async with desk(80, 24) as at:
        keys = at.text().split("\n")[at.app.main_screen.key_bar.region.y]
        assert "buy" in keys
        at.port.event(told, Level.WARN)
        await at.settle()
        first, second = at.text().split("\n")[at.app.main_screen.event_bar.region.y :][:2]
        assert first.rstrip().endswith("61,700.0 was refused: the …") and second == keys


async def test_at_40x12_a_fill_stands_in_the_line_of_keys_for_a_while() -> None:
    """After a fill the end of a wrapped message was all that stood there."""
    async with desk(40, 12) as at:
        keys = at.text().split("\n")[-1]
        at.port.event("filled 3 EDX DOGE perp BUY @ 0.10574 taker, fee 0.055 USDT", Level.GOOD, key="o4")
        await at.settle()
        assert at.text().split("\n")[-1] == " + filled 3 EDX DOGE perp BUY …  X kill "
        await later(at, 11)
        assert at.text().split("\n")[-1] == keys


async def test_an_open_command_line_hides_every_line_of_a_long_event() -> None:
    async with desk(80, 24) as at:
        at.port.event(
            "a text that is much longer than the line of eighty columns, of which the end stands below", Level.WARN
        )
        await at.settle()
        assert "a text that is much longer" in at.text()
        await at.press(":")
        assert "a text that" not in at.text()
