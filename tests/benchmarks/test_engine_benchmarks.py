"""The benchmarks of chart, decoder, stream, journal, venue and memory measure what they say, at the smallest size."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import chart, decode, journal, memory, stream, venue
from benchmarks.desk.frames import pack_text
from benchmarks.rig.journal_forms import FORMS
from benchmarks.rig.order_stages import STAGES
from benchmarks.rig.quote_feed import messages
from tui.cli.main import main


def test_decoder_benchmark_compares_text_and_gzip(tmp_path: Path) -> None:
    target = tmp_path / "results" / "decode.json"
    done = CliRunner().invoke(main, ["bench", "decode", "--pairs", "1", "--rounds", "1", "--json", str(target)])
    assert done.exit_code == 0, done.output
    written = json.loads(target.read_text())
    assert set(written["results"]["gzip"]) == set(decode.decoders()) == set(decode.from_gzip())
    assert written["results"]["text"][decode.BARE]["of_bare"] == 1
    assert written["results"]["of_bare"] > 0
    assert written["machine"]["cores"]


def test_chart_benchmark_measures_whole_charts_and_ticks() -> None:
    done = CliRunner().invoke(main, ["bench", "chart", "--rounds", "1"])
    assert done.exit_code == 0, done.output
    assert all(name in done.output for name in (chart.WHOLE, chart.TICK, chart.PLOTEXT))


def test_every_decoder_of_the_benchmark_reads_the_same_frame() -> None:
    (text,) = messages(1)[:1]
    said = json.loads(text)
    for name, read in decode.decoders().items():
        assert said["data"]["bid"] in str(read(text)), name
    for name, read in decode.from_gzip().items():
        assert said["data"]["bid"] in str(read(pack_text(text))), name


async def test_stream_benchmark_measures_every_variant() -> None:
    results = await stream.measure(pairs=2, count=500, rounds=1)
    assert results["of_bare"] > 0
    for form in stream.FORMS:
        assert set(results[form]) == set(stream.variants())
        assert all(figures["messages per s"] > 0 for figures in results[form].values())


def test_journal_benchmark_measures_every_stage() -> None:
    results = journal.measure([100], rounds=1, samples=2)
    assert set(results) == {"100 quotes/s", journal.BARE, journal.FORMS_SIDE_BY_SIDE}
    assert set(FORMS) < set(results[journal.FORMS_SIDE_BY_SIDE])
    stages = results["100 quotes/s"]
    assert list(stages) == [name for name, _, _ in STAGES]
    assert all(figures["p50"] > 0 for figures in stages.values())


async def test_venue_benchmark_measures_replies_and_pushes() -> None:
    results = await venue.measure((1, 3), orders=8, rounds=1)
    for found in results.values():
        assert found["round trip of one command"]["p50 ms"] > 0
        assert found["3 clients"]["commands per s"] > 0 and found["3 clients"]["pushes per s, all clients"] > 0


def test_memory_benchmark_measures_journal_and_venue() -> None:
    found = memory.journal_mb(600)
    assert (found["entries read"], found["files mb"] > 0.1) == (600, True)
    assert memory.venue_mb(1)["orders"] == 100


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("stream", ["--pairs", "1", "--count", "200", "--rounds", "1"]),
        ("journal", ["--rates", "50", "--rounds", "1", "--samples", "1"]),
        ("venue", ["--orders", "8", "--rounds", "1"]),
        ("memory", ["--bursts", "1", "--records", "10"]),
    ],
)
def test_each_benchmark_command_writes_its_results(
    name: str, arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "workstation_mb", lambda symbols, orders: {"with orders": 1.0})
    target = tmp_path / f"{name}.json"
    done = CliRunner().invoke(main, ["bench", name, *arguments, "--json", str(target)])
    assert done.exit_code == 0, done.output
    assert json.loads(target.read_text())["results"]


@pytest.mark.nightly
@pytest.mark.xdist_group("tty")
def test_memory_benchmark_measures_the_workstation() -> None:
    assert memory.workstation_mb(21, 3)["with orders"] > 20
