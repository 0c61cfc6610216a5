"""The duel itself: random presses send what the screen showed, and a ladder that does not is found out."""

from __future__ import annotations

import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from random import Random

import msgspec
import pytest

from tests.terminal.ladder_duel import in_process, in_terminal
from tests.terminal.ladder_duel.presses import ShownRow, draw_press, read_cursor_row
from tests.terminal.ladder_duel.tally import Tally
from tests.terminal.ladder_duel.tape import BTC, TICKS, count_index_presses, draw_depth, draw_tape
from tui.workstation.features.ladder.axis import Axis
from tui.workstation.features.ladder.book import Book
from tui.workstation.features.ladder.pane import DrawnRow, LadderPane

TOP = Path(__file__).parents[3]
SEED = 4101
ACCEPTED_SHARE = 0.95


def fight(seed: int, count: int, size: tuple[int, int], *, several: bool = False) -> Tally:
    tally, tape = Tally(), draw_tape(Random(seed))
    with in_process.virtual_time() as runner:
        runner.run(in_process.run_session(seed, range(count), tape, tally, size, several))
    return tally


@pytest.mark.parametrize(
    ("size", "count", "several"),
    [
        ((80, 24), 8, False),
        ((160, 45), 8, True),
        *(
            pytest.param(*fought, marks=pytest.mark.nightly)
            for fought in (((120, 36), 6, False), ((160, 45), 5, False), ((80, 24), 12, True))
        ),
    ],
)
def test_random_ladder_presses_send_the_price_and_venue_shown(size: tuple[int, int], count: int, several: bool) -> None:
    tally = fight(SEED, count, size, several=several)
    assert tally.several_presses == (count if several else 0) and bool(tally.other_venue_orders) is several
    assert not tally.bad, tally.wrong
    assert tally.presses == count and tally.left > count / 2 and tally.accepted_share >= ACCEPTED_SHARE


def mean_another_price(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every key of the ladder mean the price one tick above."""
    edge = Axis.edge
    monkeypatch.setattr(Axis, "edge", lambda axis, row, *, buys: edge(axis, row, buys=buys) + 1)


def test_a_ladder_key_for_a_price_not_drawn_stages_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    mean_another_price(monkeypatch)
    tally = fight(SEED, 6, (80, 24))
    assert (tally.presses, tally.staged, tally.left) == (6, 0, 0)


def test_the_random_ladder_test_notices_orders_at_another_price(monkeypatch: pytest.MonkeyPatch) -> None:
    mean_another_price(monkeypatch)
    note = LadderPane.note_cursor_drawn

    def note_another(pane: LadderPane, key: str, line: int, at: float) -> None:
        note(pane, key, line, at)
        if pane.drawn is not None:
            number, sym, low, high = pane.drawn
            pane.drawn = DrawnRow(number, sym, low + TICKS[BTC], high + TICKS[BTC])

    monkeypatch.setattr(LadderPane, "note_cursor_drawn", note_another)
    tally = fight(SEED, 6, (80, 24))
    assert tally.bad and tally.wrong_prices == tally.left > 0 and tally.wrong_journal == tally.left


def test_the_random_ladder_test_notices_orders_at_another_venue(monkeypatch: pytest.MonkeyPatch) -> None:
    note = LadderPane.note_cursor_drawn

    def mean_another(pane: LadderPane) -> str:
        return pane.venues[(pane.at + 1) % len(pane.venues)] if pane.venues else pane.shown_sym

    def note_another(pane: LadderPane, key: str, line: int, at: float) -> None:
        pane._built[key] = pane.cursor_sym
        note(pane, key, line, at)

    monkeypatch.setattr(LadderPane, "cursor_sym", property(mean_another))
    monkeypatch.setattr(LadderPane, "note_cursor_drawn", note_another)
    tally = fight(SEED, 6, (80, 24), several=True)
    assert tally.bad and tally.wrong_venues == tally.left > 0 and tally.wrong_journal == tally.left


def test_a_ladder_cursor_moved_by_the_market_stages_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    follow = Book.follow_quote

    def drag(book: Book) -> set[int]:
        changed = follow(book)
        axis = book.axis
        if isinstance(axis, Axis) and axis.cursor is not None and book.best_bid is not None:
            axis.cursor = book.best_bid
        return changed

    monkeypatch.setattr(Book, "follow_quote", drag)
    assert fight(SEED, 6, (80, 24)).staged == 0, "a price that has just come under the cursor was staged"


@pytest.mark.nightly
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("first", range(0, 10_000, 500))
def test_ten_thousand_random_ladder_presses_send_the_price_shown(first: int) -> None:
    tally = in_process.run(SEED + 1, first, 500)
    assert not tally.bad and tally.accepted_share >= ACCEPTED_SHARE, tally.wrong


@pytest.mark.nightly
@pytest.mark.timeout(600)
@pytest.mark.parametrize("first", range(0, 200, 50))
def test_200_ladder_presses_in_a_terminal_send_the_price_shown(first: int) -> None:
    tally = in_terminal.run(SEED + 2, first, 50)
    assert tally.presses == 50 and not tally.bad, tally.wrong


def test_the_random_ladder_test_reads_the_row_off_the_screen() -> None:
    text = "┍ Ladder ─ BINANCE BTC perp ×5 best 10t ↑ ━┑\n▸ 1.5  61,681.5+  │\n│      61,681.0+  │"
    row = read_cursor_row(text)
    assert row == ShownRow(Decimal("61681.5"), Decimal("0.5"))
    assert (row.price("BUY"), row.price("SELL")) == (Decimal("61681.5"), Decimal("61681.9"))
    assert read_cursor_row("▹      61,681.0+  │") is None


@pytest.mark.parametrize("title", ["Ladder → EDX BTC perp ×5", "Ladder ─ → EDX BTC perp ×5 2/3 ↓60t"])
def test_the_random_ladder_test_reads_the_venue_off_the_screen(title: str) -> None:
    text = f"┍ {title} ━┑\n│   price    BIN asks   EDX asks │\n▸61,680.0+ │ 1.2  1.0 ▌ 3.0 4.0 │"
    row = read_cursor_row(text)
    assert row == ShownRow(Decimal("61680.0"), Decimal("2.5"), "EDX_PERP_BTC_USDT")
    assert (row.price("BUY"), row.price("SELL")) == (Decimal("61680.0"), Decimal("61682.0"))


def test_in_fast_markets_a_cursor_tied_to_rows_hits_wrong_prices() -> None:
    tape = draw_tape(Random(1))
    slow, fast = (count_index_presses(tape, rate, 500, Random(2)) for rate in (10, 1_000))
    assert slow < 0.2 * 500 < 0.6 * 500 < fast
    book = draw_depth(tape.at(0), Random(3))
    assert book.sym == BTC and float(book.bids[0][0]) < float(book.asks[0][0])


def test_results_of_parallel_random_ladder_runs_are_summed(tmp_path: Path) -> None:
    for at in range(2):
        tally = msgspec.to_builtins(Tally(presses=3, staged=2, other={"x": 1}))
        shard = {"in_process": tally, "pty": tally, "seeds": [5], "seconds": 2}
        (tmp_path / f"{at}.json").write_text(json.dumps(shard))
    words = [sys.executable, "-m", "tests.terminal.ladder_duel", "--json", str(tmp_path / "sum.json"), "--sum"]
    subprocess.run([*words, *map(str, sorted(tmp_path.glob("?.json")))], check=True, cwd=TOP)
    whole = json.loads((tmp_path / "sum.json").read_text())
    assert (whole["in_process"]["presses"], whole["pty"]["other"], whole["seeds"]) == (6, {"x": 2}, [5])
    assert draw_press(5, 17) == draw_press(5, 17)
