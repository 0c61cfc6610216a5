"""The benchmarks of the real terminal measure what they say, at the smallest size."""

from __future__ import annotations

import pytest

from benchmarks.desk.cells import Cells
from benchmarks.desk.stamped import KEY_STAGES
from benchmarks.order import measure as measure_order
from benchmarks.order import measure_stages
from benchmarks.real import measure as measure_real
from benchmarks.result import median_quantile, quantile
from benchmarks.screen import measure as measure_screen
from benchmarks.start import measure as measure_start

pytestmark = pytest.mark.xdist_group("tty")


def test_benchmark_terminal_draws_text_at_the_cells_written() -> None:
    cells = Cells(10, 3)
    cells.feed(b"\x1b[?2026h\x1b[2;3Hab\x1b[1;31mc\x1b[0m\x1b[1Gx\x1b[2;8H\xe5\x80")
    cells.feed(b"\xa4\x1b[3;1H12345\x1b[2D\x1b[K\x1b")
    cells.feed(b"[1;1Htop")
    assert cells.text() == ["top       ", "x abc  値 ", "123       "]


def test_benchmark_quantiles_are_measured_values() -> None:
    assert quantile([4.0, 1.0, 3.0, 2.0], 0.5) == 2.0
    assert quantile(range(1, 101), 0.99) == 99
    assert median_quantile([[1.0, 9.0], [2.0, 7.0], [3.0, 8.0]], 0.99) == 8.0


@pytest.mark.nightly
def test_screen_benchmark_measures_updates_under_load() -> None:
    figures = measure_screen([1_000], rounds=1, seconds=0.5, samples=2, symbols=21)[1_000].figures()
    assert figures["updates_taken_per_s"] > 500  # type: ignore[operator]
    assert figures["kB_per_s"] > 0  # type: ignore[operator]
    for name in ("tick_to_screen_ms", "key_to_screen_ms", "own_push_to_screen_ms"):
        times = figures[name]
        assert isinstance(times, dict)
        assert times["samples"] == 2
        assert times["p50"] > 0


@pytest.mark.nightly
def test_order_benchmark_measures_key_press_to_network_write() -> None:
    found = measure_order([100], rounds=1, samples=2)
    for figures in found.values():
        for times in figures.values():
            assert isinstance(times, dict)
            assert times["p50"] > 0
    assert "bare append with fdatasync" in found


@pytest.mark.nightly
def test_order_benchmark_stages_add_up_to_the_total() -> None:
    figures = measure_stages([100], rounds=1, samples=1)["stages, 100 quotes/s"]
    times = {name: one["p50"] for name, one in figures.items() if isinstance(one, dict)}
    assert list(times) == [name for name, _, _ in KEY_STAGES]
    whole = times.pop("key to wire")
    assert sum(times.values()) == pytest.approx(whole, rel=0.02)


@pytest.mark.nightly
def test_startup_benchmark_measures_crossdesk_and_a_bare_app() -> None:
    found = measure_start(rounds=1, idle_s=0.1)
    bare, own = found["bare Textual app"], found["crossdesk, its paper venue"]
    assert bare["of_bare"] == 1.0
    assert own["first_quote_ms"] > own["first_text_ms"] > 0


@pytest.mark.nightly
def test_after_a_quote_flood_journal_screen_and_venue_agree() -> None:
    figures, found = measure_real(rate=5_000, seconds=3)
    assert found == []
    assert figures["orders_by_key"] > 0
