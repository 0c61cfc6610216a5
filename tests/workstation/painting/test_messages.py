"""A message on the screen begins with its beginning, ends at a word, and no other reads on from it."""

from __future__ import annotations

import re
from itertools import product

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tui.engine.event_line import Level
from tui.engine.modes import RiskMode
from tui.engine.rows import Table
from tui.engine.status_rows import LinkState
from tui.workstation.render.text import cut_at_word, wrap_beside

WORDS = [f"word{number:02}" for number in range(60)]
"""Words of a message, each of which shows its place in it."""
HEIGHTS = (9, 12, 24, 45)
WIDTHS = (39, 40, 47, 59, 60, 61, 72, 80, 93, 100, 111, 112, 120, 139, 140, 160, 177, 200)
COUNTS = (4, 9, 60)
"""Words of a message."""
STEPS = [3, pytest.param(1, marks=pytest.mark.nightly)]
"""By default each message is tried at every third size, each at others."""


def sizes(count: int, step: int, least: int = 0) -> list[tuple[int, int]]:
    """Return widths and heights, without the smallest of both if asked."""
    return list(product(WIDTHS[least:], HEIGHTS[least:]))[COUNTS.index(count) % step :: step]


def lines_with(at: Desk, stem: str) -> list[str]:
    return [line for line in at.text().split("\n") if stem in line]


def check_run(lines: list[str], count: int) -> None:
    """The words that stand on lines are the first of a message, whole, with an ellipsis where it goes on."""
    shown = " ".join(lines)
    words = re.findall(r"word\w*", shown)
    assert words == WORDS[: len(words)], lines
    if len(words) < count:
        assert re.search(rf"{words[-1]} ?…", shown), lines


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("count", COUNTS)
async def test_an_event_is_shown_from_its_first_word_at_every_width(count: int, step: int) -> None:
    async with desk(39, 9) as at:
        message = " ".join(WORDS[:count])
        for width, height in sizes(count, step):
            await at.pilot.resize_terminal(width, height)
            at.app.context.say(message, Level.WARN)
            await at.settle()
            bars = [at.app.main_screen.event_bar, at.app.main_screen.key_bar]
            lines = [at.text().split("\n")[bar.region.y] for bar in bars if bar.display]
            told = [line for line in lines if "word" in line]
            assert len(told) == 1, (width, height, lines)
            check_run(told[0].split("   ")[:1] if told[0] is not lines[-1] else told, count)
            if len(lines) == 2:
                assert "word" not in lines[1] and "help" in lines[1] + "help", lines


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("count", COUNTS)
async def test_a_refusal_on_a_ticket_is_set_apart_from_its_keys(count: int, step: int) -> None:
    async with desk(40, 12) as at:
        await at.press("b")
        panel = at.app.main_screen.panel
        panel.refused_key = " ".join(WORDS[:count])
        for width, height in sizes(count, step, least=1):
            await at.pilot.resize_terminal(width, height)
            panel.redraw_all()
            await at.settle()
            region = panel.region
            lines = [line for line in at.text().split("\n")[region.y : region.bottom] if "word" in line]
            check_run(lines, count)
            assert not [line for line in lines if re.search(r"(word\d\d|…) {1,2}(?! *· )[A-Z]\w* ", line)], lines
    assert at.port.intents == []


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_on_a_ticket_the_halt_text_is_set_apart_from_the_refusal(size: tuple[int, int]) -> None:
    """`Ctrl+T resumes would be refused` stood there as one sentence."""
    async with desk(*size) as at:
        at.port.set_desk(risk_mode=RiskMode.HALT, risk_mode_reason="kill switch")
        await at.press("b")
        await at.settle()
        [line] = lines_with(at, "Ctrl+T resumes")
        assert re.search(r"Ctrl\+T resumes(  +· | {5,})would be refused", line), line


@pytest.mark.parametrize(
    ("cells", "rows", "is_whole"), [(60, 20, False), (80, 24, True), (112, 36, False), (160, 45, True)]
)
async def test_after_a_kill_the_header_shows_what_is_live_and_equity(cells: int, rows: int, is_whole: bool) -> None:
    """It gave way to everything else in the line; then net equity gave way to the kinds of what was left."""
    live = "12 orders, 1 position"
    async with desk(cells, rows) as at:
        at.port.set_desk(risk_mode=RiskMode.HALT, risk_mode_reason=f"kill: {live} live", unreached=live)
        await at.settle()
        shown = at.text().split("\n")
        assert (f"kill: {live} live" if is_whole else "kill left 13") in shown[0]
        assert "net eq 62,129.50" in f"{shown[0]} {shown[1]}"
        at.app.view.practice = ["network cut", "no quotes"]
        for name, link in list(at.app.mirror.links.items()):
            at.port.put(Table.LINKS, name, msgspec.structs.replace(link, state=LinkState.DOWN))
        at.port.set_desk(synced=False)
        await at.settle()
        assert cells < 80 or "left 13" in (top := at.text().split("\n")[0]) or (is_whole and live in top), top


@pytest.mark.parametrize("name", ["main", "practice-main"])
@pytest.mark.parametrize("practice", [[], ["network cut"]])
async def test_a_narrow_header_keeps_the_count_of_a_kill(name: str, practice: list[str]) -> None:
    """Beside a practice fault it was `kill: …`, and what is UNKNOWN was not there."""
    async with desk(60, 20) as at:
        at.app.view.practice = practice
        for key, link in list(at.app.mirror.links.items()):
            at.port.put(Table.LINKS, key, msgspec.structs.replace(link, state=LinkState.DOWN))
        at.port.set_desk(
            risk_mode=RiskMode.HALT, risk_mode_reason="kill: 10 orders live", unreached="10 orders", synced=False,
            portfolio_name=name,
        )  # fmt: skip
        await at.settle()
        top = at.text().split("\n")[0]
        assert all(part in top for part in ("PAPER", "HALT", "kill left 10", "UNK 1", "md○", "priv○")), top


@pytest.mark.parametrize(
    ("text", "cells", "shown"),
    [
        ("would be refused", 16, "would be refused"),
        ("would be refused", 14, "would be …"),
        ("would be refused", 9, "would be…"),
        ("would be refused", 8, "would …"),
        ("would", 3, "wo…"),
        ("now 61,700.0 and more", 12, "now …"),
        ("at /home/trader/orders/of/today.csv", 30, "at /home/trader/orders/of/tod…"),
        ("", 0, ""),
    ],
)
def test_a_text_too_long_is_cut_at_the_end_of_a_word(text: str, cells: int, shown: str) -> None:
    assert cut_at_word(text, cells) == shown


def test_a_wrapped_text_leaves_room_for_keys_in_its_last_line() -> None:
    text = "first EDX DOGE perp order today · would take now: the ask is 0.10571"
    assert wrap_beside(text, 37, 25, 2) == ["first EDX DOGE perp order today ·", "would take now: the ask …"]
    assert wrap_beside("a short text", 37, 25, 2) == ["a short text"]
    assert wrap_beside(text, 20, 10, 0) == []


def test_a_text_that_fits_one_full_line_is_not_wrapped() -> None:
    """In lines as short as the last it would take four of them."""
    assert wrap_beside("aaaa bbbb cccc dddd eeee ffff gggg", 34, 9, 3) == ["aaaa bbbb cccc dddd eeee ffff gggg", ""]


@pytest.mark.parametrize(
    ("cells", "lines"),
    [
        (59, ["Enter not sent: this price takes at once: press y to send"]),
        (51, ["Enter not sent: this price takes at once:", "press y to send"]),
        (20, ["Enter not sent: this", "price takes at once:", "press y to send"]),
        (14, ["Enter not", "sent: this", "price takes at", "once: press y", "to send"]),
    ],
)
def test_the_last_clause_of_a_message_is_not_split_over_lines(cells: int, lines: list[str]) -> None:
    """Where that takes no line more: which key sends is not parted."""
    assert wrap_beside("Enter not sent: this price takes at once: press y to send", 60, cells, 9) == lines


def test_a_field_name_is_not_wrapped_into_a_line_of_its_own() -> None:
    text = "! size: $200 is below the smallest size (1 ct = 0.01 BTC = 617.49 USDT)"
    assert wrap_beside(text, 76, 66, 2) == [
        "! size: $200 is below the smallest size (1 ct = 0.01 BTC = 617.49",
        "USDT)",
    ]


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
@pytest.mark.parametrize(
    ("text", "short"),
    [
        (
            "BUY 0.02 BINANCE BTC perp @ 63,998.0: REJECTED (post-only order would take)",
            "REJECTED (post-only order would take) · BUY 0.02 BIN BTC @ 63,998.0",
        ),
        (
            "UNKNOWN: SELL 0.02 BINANCE BTC perp @ 63,998.0: no answer within 3 s; being queried",
            "UNKNOWN: no answer within 3 s · SELL 0.02 BIN BTC @ 63,998.0",
        ),
        (
            "SELL 0.02 BINANCE BTC perp market: FILLED avg 63,998.05 fee 0.64 USDT, result -12.35 USDT before fees",
            "FILLED avg 63,998.05, result -12.35 USDT gross · SELL 0.02 BIN BTC",
        ),
        (
            "FILL BUY 0.837 BINANCE ETH perp @ 2,379.15, with the fills before: result +0.34 USDT before fees",
            "result +0.34 USDT gross · FILL BUY 0.837 BIN ETH @ 2,379.15",
        ),
    ],
)
async def test_at_80_columns_a_long_event_begins_with_the_outcome(text: str, short: str, size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        at.port.event(text, Level.ALERT, key="o1")
        await at.settle()
        assert (text if size[0] > 80 else short) in at.text().split("\n")[-2]
