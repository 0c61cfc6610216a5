"""Cells written past the compositor: which, when, in how many bytes, and when not."""

from __future__ import annotations

import inspect
import random
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
import pyte
import pytest
from rich.color import ColorSystem
from rich.style import Style
from textual._compositor import ChopsUpdate, Compositor
from textual.app import App
from textual.dom import DOMNode
from textual.drivers._writer_thread import WriterThread
from textual.drivers.linux_driver import LinuxDriver
from textual.widget import Widget
from textual.widgets._toast import Toast

import tui
from tests.workstation.driver import Desk, desk
from tests.workstation.emulated import EmulatedTerminal, differences, painted, shown, terminal_of
from tui.engine.rows import Table
from tui.engine.status_rows import LinkState
from tui.workstation.render.escape_writer import EscapeWriter, codes_of
from tui.workstation.render.line_cells import changes
from tui.workstation.render.line_widget import LineWidget
from tui.workstation.settings import WorkstationSettings
from tui.workstation.terminal.direct_output import KNOWN, DirectOutput, textual_is_known
from tui.workstation.terminal.terminal_writer import TerminalWriter

SPOT = "BINANCE_SPOT_BTC_USDT"
TITLES = tuple(f"{edge} {word} " for edge in "┝├" for word in ("Staged", "New order"))
DIM, BUY, BOLD = Style.parse("#888888 on #000000"), Style.parse("#00ff00 on #000000"), Style.parse("bold red on blue")


def test_the_installed_textual_has_the_private_functions_in_use() -> None:
    assert version("textual") in KNOWN and textual_is_known()
    assert list(inspect.signature(App._display).parameters) == ["self", "screen", "renderable"]
    assert list(inspect.signature(ChopsUpdate.__init__).parameters) == ["self", "chops", "spans", "chop_ends"]
    laid_out = inspect.getsource(Compositor.reflow)
    assert "old_map = self._full_map" in laid_out and "self._full_map = map" in laid_out
    written = inspect.getsource(App._display)
    assert "self._driver.write(terminal_sequence)" in written and "self._begin_update()" in written
    assert "SYNC_START" in inspect.getsource(App._begin_update)
    for name in ("_driver", "_running", "_closed", "_sync_available", "_batch_count"):
        assert hasattr(DirectOutput(), name), name


@pytest.mark.parametrize("direct", [True, False])
def test_the_setting_direct_chooses_the_writer_of_the_driver(tmp_path: Path, direct: bool) -> None:
    assert "self._writer_thread = WriterThread(self._file)" in inspect.getsource(LinuxDriver.start_application_mode)
    app = DirectOutput()
    app.writes_directly = direct
    driver: Any = app.get_driver_class().__new__(app.get_driver_class())
    with (tmp_path / "out").open("w") as file:
        driver._writer_thread = WriterThread(file)
        assert isinstance(driver._writer_thread, TerminalWriter if direct else WriterThread)
        driver._writer_thread.start()
        driver.write("seen")
        driver.close()
        driver._writer_thread = None
        assert driver._writer_thread is None
    assert (tmp_path / "out").read_text() == "seen"


def test_only_changed_cells_of_a_row_are_written() -> None:
    before = ((2, (("│ ", DIM),)), (10, (("  64,001.0", BUY),)), (4, ((" 1t ", DIM),)))
    after = ((2, (("│ ", DIM),)), (10, (("  64,001.7", BUY),)), (4, ((" 1t ", DIM),)))
    assert changes(before, after) == [(11, "7", BUY, True)]
    assert changes(before, before) == []
    assert changes(None, after) == [(0, "│ ", DIM, True), (2, "  64,001.7", BUY, True), (12, " 1t ", DIM, True)]


def test_nearby_changed_cells_are_written_as_one_piece() -> None:
    assert changes(((20, (("a" * 20, DIM),)),), ((20, (("ab" + "aaaa" + "b" + "a" * 13, DIM),)),)) == [
        (1, "baaaab", DIM, True)
    ]
    far = changes(((30, (("a" * 30, DIM),)),), ((30, (("b" + "a" * 20 + "b" + "a" * 8, DIM),)),))
    assert [one[:2] for one in far] == [(0, "b"), (21, "b")]


def test_a_style_change_alone_rewrites_the_cell() -> None:
    assert changes(((4, (("1.25", DIM),)),), ((4, (("1.25", BUY),)),)) == [(0, "1.25", BUY, True)]
    parted = changes(((4, (("1.25", DIM),)),), ((4, (("1.", DIM), ("25", BUY))),))
    assert parted == [(2, "25", BUY, True)]


@pytest.mark.parametrize(("before", "after"), [("日本  ", "日x   "), ("abcdef", "日本  "), ("e\u0301bcdef", "abcdef")])
def test_a_cell_with_wide_characters_is_rewritten_whole(before: str, after: str) -> None:
    found = changes(((6, ((before, DIM),)),), ((6, ((after, DIM),)),))
    assert [(x, text) for x, text, *_ in found] == [(0, after)]


def test_escape_writer_sets_each_style_once_per_frame() -> None:
    writer = EscapeWriter(ColorSystem.TRUECOLOR)
    cells = [(4, 10, "1", BUY, True), (4, 14, "22", DIM, True), (4, 20, "3", BUY, True), (5, 10, "4", BUY, True)]
    assert writer.encode(cells, 80, (0, 0)) == (
        "\x1b[38;2;0;255;0;48;2;0;0;0m\x1b[5;11H1\x1b[9C3\x1b[6;11H4\x1b[38;2;136;136;136m\x1b[5;15H22\x1b[m\x1b[1;1H"
    )
    assert writer.encode([], 80, (0, 0)) == ""


def test_escape_writer_switches_bold_off_before_a_plain_style() -> None:
    writer = EscapeWriter(ColorSystem.TRUECOLOR)
    text = writer.encode([(0, 0, "a", BOLD, True), (0, 1, "b", BUY, True)], 80, (3, 2))
    assert text == "\x1b[1;31;44m\x1b[1;1Ha\x1b[22;38;2;0;255;0;48;2;0;0;0mb\x1b[m\x1b[3;4H"


@pytest.mark.parametrize(
    ("before", "after", "sequence"),
    [
        ("bold", "dim", "\x1b[22;2m"),
        ("bold dim", "dim", "\x1b[22;2m"),
        ("bold reverse", "bold", "\x1b[27m"),
        ("dim", "dim underline", "\x1b[4m"),
        ("italic", "strike", "\x1b[23;9m"),
        ("reverse", "reverse", ""),
    ],
)
def test_a_style_change_switches_off_only_attributes_that_end(before: str, after: str, sequence: str) -> None:
    first, second = (codes_of(Style.parse(text), ColorSystem.TRUECOLOR) for text in (before, after))
    assert second.escape_sequence_from(first) == sequence


def test_the_escape_writer_uses_the_shortest_cursor_moves() -> None:
    writer = EscapeWriter(ColorSystem.TRUECOLOR)
    cells = [(20, 50, "123", DIM, True), (21, 51, "4", DIM, True), (22, 61, "5", DIM, True), (23, 20, "6", DIM, True)]
    text = writer.encode(cells, 80, (0, 0))
    assert text.partition("m")[2] == "\x1b[21;51H123\x1b[B\x1b[2D4\x1b[B\x1b[9C5\x1b[24;21H6\x1b[m\x1b[1;1H"


def test_the_escape_writer_puts_random_cells_in_their_places() -> None:
    source = random.Random(5)
    screen = pyte.Screen(160, 45)
    stream, expected = pyte.Stream(screen), [[" "] * 160 for _ in range(45)]
    writer = EscapeWriter(ColorSystem.TRUECOLOR)
    for _ in range(200):
        cells = [
            (y, x, text, source.choice([DIM, BUY, BOLD]), True)
            for y in source.sample(range(45), 8)
            for x, text in [(source.randrange(150), "".join(source.choices("0123456789", k=source.randint(1, 9))))]
        ]
        for y, x, text, _, _ in cells:
            expected[y][x : x + len(text)] = text
        stream.feed(writer.encode(cells, 160, (source.randrange(160), source.randrange(45))))
        assert [*screen.display] == ["".join(line) for line in expected]


def test_escape_writer_sets_the_cursor_after_wide_characters() -> None:
    writer = EscapeWriter(ColorSystem.EIGHT_BIT)
    text = writer.encode([(0, 0, "日", DIM, False), (0, 2, "x", DIM, True)], 3, (0, 0))
    assert "日\x1b[1;3Hx" in text
    assert "a\x1b[1;2Hb" not in writer.encode([(0, 0, "a", DIM, True), (0, 1, "b", DIM, True)], 80, (0, 0))


async def _quote(at: Desk, ask: str) -> str:
    """Change one quote; what was written for it."""
    terminal = terminal_of(at)
    terminal.written.clear()
    at.port.quote(SPOT, "64010.12", f"640{ask}", "0.98213", "1.20411")
    await painted(at)
    return "".join(terminal.written)


async def test_one_changed_digit_of_a_quote_writes_few_bytes() -> None:
    async with desk(terminal=EmulatedTerminal, settings=WorkstationSettings(bell=False, flash=False)) as at:
        await _quote(at, "11.26")
        painter, rows = at.app.painter, at.app.main_screen.tables["quotes"].rows
        cells, lines, formatted = painter.cells_written, painter.lines_compared, rows.cells_formatted
        text = await _quote(at, "11.27")
        # The digit, the spread in ticks and in basis points.
        assert 1 <= painter.cells_written - cells <= 8
        assert 1 <= painter.lines_compared - lines <= 2, "its row and the best row above it"
        assert 1 <= rows.cells_formatted - formatted <= 8, "ask, spread, age of both and none of the others"
        assert len(text) <= 130
        assert differences(at) == []


async def test_an_unchanged_row_writes_nothing() -> None:
    async with desk(terminal=EmulatedTerminal) as at:
        await _quote(at, "11.26")
        writes = at.app.painter.writes
        assert await _quote(at, "11.26") == ""
        assert at.app.painter.writes == writes


async def test_a_frame_is_one_synchronized_terminal_update() -> None:
    async with desk(terminal=EmulatedTerminal) as at:
        await _quote(at, "11.26")
        at.app._sync_available = True
        text = await _quote(at, "11.27")
        assert text.startswith("\x1b[?2026h") and text.endswith("\x1b[?2026l") and text.count("\x1b[?2026h") == 1


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_nothing_of_a_closed_command_line_stays_on_the_screen(size: tuple[int, int]) -> None:
    async with desk(*size, terminal=EmulatedTerminal) as at:
        await at.press(":")
        await painted(at)
        await at.type("alert when BTC last > 99999")
        await painted(at)
        at.port.event("an event under the line")
        await painted(at)
        screen = at.app.main_screen
        await at.app_takes("escape")
        await painted(at)
        assert not screen.line_field.display and differences(at) == []


@pytest.mark.parametrize("key", ["?", "X", "ctrl+p", "H"])
async def test_direct_painter_writes_nothing_over_a_dialog_or_screen(key: str) -> None:
    async with desk(terminal=EmulatedTerminal) as at:
        await at.press(key)
        await painted(at)
        assert at.app.screen is not at.app.main_screen
        quotes = at.app.main_screen.tables["quotes"]
        assert not at.app.painter.mark(quotes, [0])
        at.port.quote(SPOT, "64009.00", "64012.00", "0.5", "0.7")
        await painted(at)
        assert differences(at) == []
        await at.press("escape")
        await painted(at)
        assert differences(at) == []
        assert at.app.painter.mark(quotes, [0]), "and after it is closed it goes on"


async def test_direct_painter_writes_nothing_over_a_notification() -> None:
    async with desk(terminal=EmulatedTerminal) as at:
        at.app.notify("over the lower right corner", timeout=60)
        await at.wait(lambda: any(one.region for one in at.app.screen.query(Toast)))
        notice = at.app.screen.query_one(Toast).region
        below = [one for one in at.app.screen.walk_children(Widget) if isinstance(one, LineWidget)]
        covered = [one for one in below if one.region.overlaps(notice)]
        assert covered and not any(at.app.painter.mark(one, [0]) for one in covered)
        at.port.event("below the notice " * 9)
        await painted(at)
        assert differences(at) == []


async def test_the_setting_direct_off_draws_through_the_compositor() -> None:
    settings = WorkstationSettings(bell=False, direct=False)
    async with desk(terminal=EmulatedTerminal, settings=settings) as at:
        assert "11.27" in await _quote(at, "11.27")
        assert at.app.painter.writes == 0
        assert differences(at) == []


async def test_no_frame_is_drawn_while_the_terminal_is_busy() -> None:
    async with desk(terminal=EmulatedTerminal) as at:
        await _quote(at, "11.26")
        behind = True
        at.app.painter._busy = lambda: behind
        at.app.main_screen.tables["quotes"].move(1)
        for _ in range(5):
            await at.pause(0.01)
        assert differences(at) != [], "the cursor has moved, and nothing was written"
        behind = False
        await painted(at)
        assert differences(at) == []


async def _pictures(at: Desk, *keys: str) -> list[list[str]]:
    """Press keys; what the terminal shows after each write."""
    terminal = terminal_of(at)
    pictures: list[list[str]] = []
    write = terminal.write

    def noted(data: str) -> None:
        write(data)
        pictures.append(list(terminal.screen.display))

    terminal.write = noted  # type: ignore[method-assign]
    await at.press(*keys)
    await painted(at)
    terminal.write = write  # type: ignore[method-assign]
    return pictures


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (160, 45)])
@pytest.mark.parametrize("keys", ["b", "be", "s", "bo"])
async def test_an_opening_ticket_is_drawn_only_where_it_opens(size: tuple[int, int], keys: str) -> None:
    """For one frame the open ticket stood on the lines of the idle one, cut off at the right."""
    async with desk(*size, terminal=EmulatedTerminal) as at:
        await painted(at)
        if keys[:-1]:
            await at.press(*keys[:-1])
            await painted(at)
        pictures = await _pictures(at, keys[-1])
        panel = at.app.main_screen.panel
        opened = [picture for picture in pictures if any(" BUY" in line or " SELL" in line for line in picture)]
        titles = {y for picture in opened for y, line in enumerate(picture) if line.startswith(TITLES)}
        assert opened and titles == {panel.region.y}
        assert differences(at) == []


async def test_a_quote_during_a_layout_change_is_drawn_with_it() -> None:
    async with desk(80, 24, terminal=EmulatedTerminal, settings=WorkstationSettings(bell=False, flash=False)) as at:
        await _quote(at, "11.26")
        at.app.main_screen.refresh(layout=True)
        waits = at.app.awaits_layout
        await _quote(at, "11.29")
        assert waits and at.app.painter.idle
        assert "64,011.29" in _text(at) and differences(at) == []


def _text(at: Desk) -> str:
    return "\n".join("".join(cell[0] for cell in line) for line in shown(at))


@pytest.mark.parametrize("state", ["OPEN", "FILLED", "REJECTED", "UNKNOWN"])
async def test_order_changes_are_drawn_before_the_next_quote_frame(state: str) -> None:
    async with desk(terminal=EmulatedTerminal) as at:
        await _quote(at, "11.26")
        frame = at.app.repaint_scheduler
        assert frame is not None
        frame._interval = 3600.0
        own = frame.own_paints
        at.port.quote(SPOT, "64010.12", "64011.27", "0.98213", "1.20411")
        at.port.order(
            "o7", "OKX_PERP_BTC_USDT", "BUY", "61234.5", "25", state=state, final=state in ("FILLED", "REJECTED")
        )
        await at.wait(lambda: "61,234.5" in _text(at))
        assert "64,011.26" in _text(at) and "64,011.27" not in _text(at)
        assert frame.own_paints > own and not frame.idle, "the quote waits for its frame"
        frame._now()
        await painted(at)
        assert "64,011.27" in _text(at)
        assert differences(at) == []


async def test_no_quote_is_drawn_while_the_terminal_has_output_waiting() -> None:
    waiting = 1
    async with desk() as at:
        at.app.backlog._backlog = lambda: (waiting, 0)
        assert at.app.backlog.is_behind()
        frame = at.app.repaint_scheduler
        assert frame is not None
        paints = frame.paints
        for count in range(50):
            at.port.quote(SPOT, "64010.12", f"640{11 + count}.00")
            await at.pause()
        assert frame.paints == paints, "no frame for a terminal that has not taken the one before"
        waiting = 0
        await at.settle()
        assert frame.paints == paints + 1 and "64,060.00" in at.text()


async def test_a_link_heartbeat_reformats_no_row_but_a_lost_link_does() -> None:
    async with desk(terminal=EmulatedTerminal) as at:
        await painted(at)
        rows, link = at.app.main_screen.tables["quotes"].rows, at.app.mirror.links["public"]
        formatted = rows.cells_formatted
        for count in range(5):
            at.port.put(Table.LINKS, "public", msgspec.structs.replace(link, last_frame=at.clock.at, epoch=count))
            await painted(at)
        assert rows.cells_formatted == formatted
        at.port.put(Table.LINKS, "public", msgspec.structs.replace(link, state=LinkState.DOWN))
        await painted(at)
        assert rows.cells_formatted > formatted and differences(at) == []


async def test_an_idle_second_redraws_only_ages_and_the_clock() -> None:
    async with desk(120, 36, terminal=EmulatedTerminal) as at:
        at.clock.pass_by(30)
        at.app._tick()
        await painted(at)
        terminal, painter = terminal_of(at), at.app.painter
        cells, lines = painter.cells_written, painter.lines_compared
        terminal.written.clear()
        at.clock.pass_by(1)
        at.app._tick()
        await painted(at)
        assert differences(at) == []
        assert 1 <= painter.cells_written - cells <= 100, "ages of rows and links, and the clock"
        assert painter.lines_compared - lines <= 36, "no line twice"
        assert len("".join(terminal.written)) <= 700


async def test_a_new_check_time_of_an_empty_list_redraws_only_the_time() -> None:
    async with desk(120, 36, filled=False, terminal=EmulatedTerminal) as at:
        at.port.set_desk(synced=True, orders_checked_ms=1_700_000_000_000, positions_checked_ms=1_700_000_000_000)
        await painted(at)
        terminal_of(at).written.clear()
        at.port.set_desk(orders_checked_ms=1_700_000_005_000, positions_checked_ms=1_700_000_005_000)
        await painted(at)
        text = "".join(terminal_of(at).written)
        assert 1 <= len(text) <= 120 and differences(at) == []


async def test_moving_the_focus_between_panes_does_no_style_lookup(monkeypatch: pytest.MonkeyPatch) -> None:
    restyled: list[Widget] = []
    update_styles = App.update_styles

    def noted(app: App[None], node: DOMNode, animate: bool = True) -> None:
        restyled.extend(one for one in node.walk_children(with_self=True) if isinstance(one, Widget))
        update_styles(app, node, animate)

    async with desk() as at:
        monkeypatch.setattr(App, "update_styles", noted)
        await at.press("b", "escape", "2", "1")
    assert [one for one in restyled if isinstance(one, LineWidget)] == []


def test_no_widget_has_a_css_focus_rule() -> None:
    rules = re.findall(r"(\S+):focus", "\n".join(path.read_text() for path in Path(tui.__file__).parent.rglob("*.py")))
    assert rules == []


async def test_a_link_heartbeat_is_drawn_only_with_the_next_second() -> None:
    async with desk(160, 45, terminal=EmulatedTerminal) as at:
        await painted(at)
        scheduler, link = at.app.repaint_scheduler, at.app.mirror.links["private"]
        assert scheduler is not None
        wakes, heard = scheduler.wakes, at.clock.at + 9.0
        at.port.updates.put(Table.LINKS, "private", msgspec.structs.replace(link, last_frame=heard), quiet=True)
        await painted(at)
        assert scheduler.wakes == wakes and at.app.mirror.links["private"] is link
        at.clock.pass_by(10)
        at.app._tick()
        await painted(at)
        assert scheduler.wakes == wakes and at.app.mirror.links["private"].last_frame == heard
        assert differences(at) == []


async def test_an_idle_second_reformats_only_ages_and_rates_of_assets() -> None:
    async with desk(160, 45) as at:
        table = at.app.main_screen.tables["assets"]
        at.clock.pass_by(1.0)
        at.app._tick()
        before = table.rows.cells_formatted
        at.clock.pass_by(1.0)
        at.app._tick()
        shown = {column.id for column, _ in table._placed} & {"age", "interest"}
        assert shown and table.rows.cells_formatted - before == len(shown) * len(table.visible_keys()) > 0
