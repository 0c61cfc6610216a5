"""Heights follow what there is to show: who gets which lines, and when anything may move."""

from __future__ import annotations

import random
from collections.abc import Container

import pytest
from textual.geometry import Size

from tests.workstation.driver import Desk, desk
from tests.workstation.scripted import ScriptedPort
from tui.engine.rows import Table
from tui.workstation.layouts.pane_heights import HARD_LEAST, LEAST, Demand, lend_lines, share_lines
from tui.workstation.table.row_choice import FILLING_S

SIZES = ((40, 12), (60, 20), (80, 24), (120, 36), (160, 45), (200, 60), (250, 70))
BTC = "BINANCE_PERP_BTC_USDT"


def demands(*wanted: int) -> list[Demand]:
    return [Demand(lines, share) for lines, share in zip(wanted, (11, 6, 6, 6), strict=False)]


@pytest.mark.parametrize(
    ("room", "wanted", "lines"),
    [
        (31, (28, 1, 1, 6), (19, 3, 3, 6)),  # 160x45, nothing traded yet
        (31, (28, 8, 5, 6), (13, 7, 5, 6)),  # several orders: those that want more share by weight
        (31, (28, 90, 90, 90), (12, 7, 6, 6)),  # everybody wants all
        (31, (2, 1, 1, 1), (12, 7, 6, 6)),  # nobody does: what is blank is shared
        (31, (4, 1, 1, 20), (5, 3, 3, 20)),  # the one that needs them has the lines of all others
        (9, (28, 9), (6, 3)),
        (5, (28, 9), (3, 2)),
        (4, (28, 9), (2, 2)),
        (12, (1,), (12,)),
    ],
)
def test_pane_heights_follow_the_rows_that_panes_have(
    room: int, wanted: tuple[int, ...], lines: tuple[int, ...]
) -> None:
    assert share_lines(room, demands(*wanted)) == lines


@pytest.mark.parametrize(
    ("kept", "wanted", "grows", "lines"),
    [
        ((13, 6, 6, 6), (28, 1, 1, 6), 0, (19, 3, 3, 6)),  # blank lines of two others
        ((19, 3, 3, 6), (28, 5, 1, 6), 1, (19, 3, 3, 6)),  # no blank line: nobody moves
        ((14, 8, 3, 6), (28, 3, 1, 6), 2, (14, 8, 3, 6)),  # rows left the second: the first does not take their lines
        ((14, 8, 3, 6), (28, 3, 5, 6), 2, (14, 6, 5, 6)),  # but the third, which got rows, may
        ((19, 3, 3, 6), (17, 4, 1, 6), 1, (18, 4, 3, 6)),
        ((10, 7, 7, 6), (28, 1, 1, 6), 0, (19, 3, 3, 6)),  # lines of another room: counted anew
    ],
)
def test_a_pane_grows_only_into_blank_lines_of_other_panes(
    kept: tuple[int, ...], wanted: tuple[int, ...], grows: int, lines: tuple[int, ...]
) -> None:
    asked = [Demand(one.wanted, one.share, at == grows) for at, one in enumerate(demands(*wanted))]
    assert share_lines(31, asked, kept) == lines


@pytest.mark.parametrize(
    ("lines", "wanted", "above", "left", "taken"),
    [
        ((19, 3, 3, 6), 2, 1, (17, 3, 3, 6), 2),
        ((19, 3, 3, 6), 7, 1, (12, 3, 3, 6), 7),
        ((10, 4), 2, 2, (9, 3), 2),
        ((10, 3), 7, 2, (3, 3), 7),
        ((4, 3), 7, 2, (2, 2), 3),
        ((3, 3, 9), 4, 1, (3, 3, 5), 4),
    ],
)
def test_an_opening_ticket_takes_lines_from_panes_above_first(
    lines: tuple[int, ...], wanted: int, above: int, left: tuple[int, ...], taken: int
) -> None:
    assert lend_lines(lines, wanted, above) == (left, taken)


@pytest.mark.parametrize("seed", range(20))
def test_pane_heights_always_add_up_and_push_out_no_row(seed: int) -> None:
    rng = random.Random(seed)
    lines: tuple[int, ...] = ()
    room = rng.randint(4 * HARD_LEAST, 60)
    for _ in range(200):
        asked = demands(*(rng.randint(1, 30) for _ in range(4)))
        before, lines = lines, share_lines(room, asked, lines if rng.random() < 0.9 else ())
        assert sum(lines) == room and min(lines) >= min(LEAST, room // 4)
        if before and before != lines and lines != share_lines(room, asked):
            shrunk = [at for at in range(4) if lines[at] < before[at]]
            assert all(lines[at] >= asked[at].least_lines for at in shrunk), (before, lines, asked)


def heights(at: Desk) -> dict[str, int]:
    main_screen = at.app.main_screen
    return {pane: main_screen.tables[pane].outer_size.height for pane in sorted(main_screen.visible_panes())}


def blank_lines(at: Desk) -> int:
    return sum(not line.strip(" │┃") for line in at.text().split("\n")[1:-2])


def many_pairs(port: ScriptedPort, count: int) -> None:
    for index in range(count):
        port.quote(f"BINANCE_PERP_C{index:02}_USDT", "1.0", "1.1")


async def test_quotes_fill_the_lines_other_panes_do_not_need() -> None:
    """17 of 45 lines were blank while quotes showed 11 of 28 rows."""
    async with desk(160, 45, filled=False) as at:
        many_pairs(at.port, 28)
        await at.settle()
        assert at.app.main_screen.tables["quotes"].body_height >= 18
        assert blank_lines(at) <= 7
        assert at.app.main_screen.panel.outer_size.height == 2, "a title and one line"


async def test_new_or_removed_rows_do_not_move_other_panes() -> None:
    async with desk(160, 45, filled=False) as at:
        many_pairs(at.port, 28)
        await at.settle()
        at.clock.pass_by(FILLING_S + 1)
        before = heights(at)
        for count in range(8):
            at.port.order(f"w{count}", BTC, "BUY", "1.0", "1")
        await at.settle()
        assert heights(at) == before, "no blank line is left: the list scrolls"
        await at.press("2")
        await at.settle()
        grown = heights(at)
        assert grown["orders"] > before["orders"] and grown["quotes"] < before["quotes"]
        for count in range(8):
            at.port.put(Table.ORDERS, f"w{count}", None)
        await at.settle()
        assert heights(at) == grown, "nothing shrinks because rows left"
        await at.press("1")
        await at.settle()
        assert heights(at) == before


async def test_a_clock_tick_or_quote_does_no_pane_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk(160, 45) as at:
        at.clock.pass_by(FILLING_S + 1)
        await at.settle()
        main_screen = at.app.main_screen
        calls = 0
        arrange = main_screen.arrange_panes

        def counted(size: Size | None = None, *, grown: Container[str] = ()) -> None:
            nonlocal calls
            calls += 1
            arrange(size, grown=grown)

        monkeypatch.setattr(main_screen, "arrange_panes", counted)
        for count in range(50):
            at.port.quote(BTC, f"{64000 + count}.0", "64101.5")
            at.port.event(f"event {count}") if count % 10 == 0 else None
            await at.pause()
        main_screen.tick()
        await at.settle()
        assert calls == 0, "lists that are not on the screen want nothing, and a quote adds no row"


@pytest.mark.parametrize(("width", "height"), SIZES)
async def test_opening_a_ticket_keeps_the_cursor_row_visible(width: int, height: int) -> None:
    async with desk(width, height) as at:
        many_pairs(at.port, 28)
        await at.settle()
        main_screen = at.app.main_screen
        quotes = main_screen.tables["quotes"]
        await at.press(*["down"] * (quotes.body_height - 2))
        key = quotes.selected
        for pressed in ("b", "escape", "enter", "escape", "b", "enter", "escape"):
            await at.press(pressed)
            await at.settle()
            assert quotes.selected == key
            rows = at.lines_of("quotes")[2:]
            assert any(row.startswith(("▸", "▹")) for row in rows), rows
            assert min(table.body_height for table in main_screen.tables.values() if table.display) >= HARD_LEAST
            assert all(box.y + box.height <= height for area in main_screen.plan.areas for box in [area.box])


@pytest.mark.parametrize(("width", "height"), SIZES)
async def test_closing_a_ticket_restores_the_pane_heights(width: int, height: int) -> None:
    async with desk(width, height) as at:
        await at.settle()
        before = heights(at)
        await at.press("b")
        await at.settle()
        assert heights(at) != before
        await at.press("escape", "escape")
        await at.settle()
        assert heights(at) == before


async def test_positions_total_row_comes_and_goes_with_the_positions() -> None:
    async with desk(120, 36) as at:
        await at.press("3")
        at.clock.pass_by(FILLING_S + 1)
        positions = at.app.main_screen.tables["positions"]
        keys = positions.pane.arrange_keys()
        assert len(keys) == 3 and at.lines_of("positions")[-1].startswith("│total")
        for key in keys[1:]:
            at.port.put(Table.POSITIONS, key, None)
        await at.settle()
        at.app.main_screen.show_pane("positions")
        await at.settle()
        assert "total" not in "".join(at.lines_of("positions")) or positions.body_height >= 4
