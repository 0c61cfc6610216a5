"""The synthetic market looks like the measured one, and the figures of a tape are those that were published."""

from __future__ import annotations

import os
import sys
from bisect import bisect_left
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.figures import BANDS, SECOND, Band, Print, Quote, Tape, figures, misses
from benchmarks.tape import from_agents, from_recording
from tui.cli.main import main

TOP = Path(__file__).resolve().parents[2]
RECORDING = Path(
    os.environ.get("CROSSDESK_RECORDING")
    or Path(__file__).resolve().parents[3] / "shared" / "data" / "btc_20240808.csv.gz"
)
"""Lies beside a checkout of the repository where it is available; it is not part of it."""


@pytest.mark.parametrize(("seed", "seconds"), [(1, 200), pytest.param(7, 400, marks=pytest.mark.nightly)])
def test_simulated_market_statistics_match_a_real_market(seed: int, seconds: int) -> None:
    """One test, because the tape takes as long to make as everything else together."""
    agents = from_agents(seed, seconds)
    shape = figures(agents)
    assert shape["seconds"] >= 0.86 * seconds
    assert misses(shape) == []
    _check_order(agents)
    _check_momentum_burst(agents)


def _check_order(agents: Tape) -> None:
    """Check that quotes are never crossed and times never go back."""
    assert all(quote.bid < quote.ask and quote.bid_size > 0 and quote.ask_size > 0 for quote in agents.quotes)
    for times in ([quote.at_us for quote in agents.quotes], [trade.at_us for trade in agents.prints]):
        assert times == sorted(times)


def _check_momentum_burst(agents: Tape) -> None:
    """Check that the largest burst trades one way, opens the spread and is soon over."""
    times = [trade.at_us for trade in agents.prints]
    counts = [bisect_left(times, at + SECOND // 10) - number for number, at in enumerate(times)]
    first = counts.index(max(counts))
    burst = agents.prints[first : first + counts[first]]
    assert 200 <= len(burst) <= 1100
    buys = sum(trade.is_buy for trade in burst)
    assert max(buys, len(burst) - buys) / len(burst) > 0.9
    after = [quote for quote in agents.quotes if times[first] <= quote.at_us < times[first] + SECOND // 5]
    assert 20 <= max(quote.ask - quote.bid for quote in after) < 200
    assert after[-1].ask - after[-1].bid == 1


def test_recorded_market_statistics_are_within_the_same_ranges() -> None:
    if not RECORDING.exists():
        pytest.skip(f"no recording at {RECORDING}; CROSSDESK_RECORDING names one")
    recorded = figures(from_recording(RECORDING))
    assert misses(recorded) == []
    published = {
        "bbo gap, ms p90": 14,
        "burst length p99": 21,
        "touch price changes per s": 5.9,
        "mid move, ticks p99": 99,
        "bid size p95": 11.3,
        "trade size p99": 1.15,
        "relative size change, % p90": 28,
        "one-tick spread, % of time": 99.1,
        "trades per cluster, largest": 348,
    }
    assert {name: recorded[name] for name in published} == pytest.approx(published, rel=0.02)


def test_market_statistics_of_a_small_sample_are_right() -> None:
    quotes = [
        Quote(number * SECOND // 4, 100 + (number == 6), 2.0 + number % 2, 101 + (number >= 6), 1.0)
        for number in range(12)
    ]
    prints = [Print(0, 0.5, True, 1), Print(0, 1.5, False, 1), Print(2_500_000, 1.0, True, 2)]
    found = figures(Tape(quotes, prints))
    assert found["bbo per s, median"] == 4
    assert found["size-only changes, %"] == pytest.approx(100 * 9 / 11)
    assert found["one-tick spread, % of updates"] == pytest.approx(100 * 7 / 12)
    assert found["mid move, ticks p99"] == 1
    assert found["trades per cluster, mean"] == 1.5
    assert found["taker buys, %"] == pytest.approx(200 / 3)
    assert {name for name in BANDS if name not in found} == set()
    assert misses(dict.fromkeys(BANDS, -1.0))[0].startswith("messages per s, median: -1, not 140.8 to 211.2")
    assert Band(1, 2).holds(2)


def test_market_benchmark_writes_its_results(tmp_path: Path) -> None:
    target = tmp_path / "results" / "tape.json"
    result = CliRunner().invoke(main, ["bench", "tape", "--minutes", "1", "--json", str(target)])
    assert "bbo per s, median" in result.output
    assert '"seed": 1' in target.read_text()


def test_an_unknown_benchmark_name_is_rejected() -> None:
    result = CliRunner().invoke(main, ["bench", "weather"])
    assert result.exit_code == 2
    assert "weather" in result.output
    assert "tape" in CliRunner().invoke(main, ["bench", "--help"]).output


@pytest.mark.parametrize("words", [("bench", "tape", "--help"), ("bench", "--help"), ("screenshots",)])
def test_installed_bench_and_screenshots_run_the_checkout_source(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Started(Exception): ...

    def start(program: str, command: list[str], environment: dict[str, str]) -> None:
        started.append([program, *command, environment["PYTHONPATH"].split(os.pathsep)[0]])
        raise Started

    started: list[list[str]] = []
    monkeypatch.setattr("tui.paths.checkout_dir", lambda: None)
    monkeypatch.setattr(os, "execve", start)
    monkeypatch.setattr(sys, "argv", ["crossdesk", *words])
    monkeypatch.chdir(TOP)
    assert isinstance(CliRunner().invoke(main, words).exception, Started)
    assert started == [[sys.executable, sys.executable, "-m", "tui.cli.main", *words, str(TOP)]]


def test_command_bench_needs_a_source_checkout_and_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tui.paths.checkout_dir", lambda: None)
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(main, ["bench", "--help"]).exit_code == 0
    result = CliRunner().invoke(main, ["bench", "tape"])
    assert result.exit_code == 1
    assert "source checkout" in result.output
