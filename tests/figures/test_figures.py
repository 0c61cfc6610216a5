"""Artifacts add up, are judged by their gates, and are what the documents say."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import msgspec
import pytest

from tests.figures import __main__ as command
from tests.figures import artifact, measured, percentiles, table
from tests.figures.sources import tree
from tests.simulation.seed import Result
from tests.simulation.violation import Violation


def result(seed: int = 1, **changes: object) -> Result:
    plain = Result(
        seed=seed,
        control=False,
        virtual_s=600.0,
        commands=500,
        frames=1000,
        reconnects=3,
        crashes=0,
        faults={"F01": 2},
        matrix={"F01/fin/place": 1},
        sometimes={"paging_race": 1},
        verdicts={},
        unknown={"entered": 1},
        violations=[],
        digest="",
    )
    return msgspec.structs.replace(plain, **changes)


def full(gate: str = "commit") -> artifact.Artifact:
    """Figures that reach every threshold."""
    thin = artifact.figures([result()], 1.0, gate)
    least = artifact.gates(gate)
    return {
        **thin,
        "seeds": {**thin["seeds"], "count": least["seeds"]},
        "virtual_hours": least["virtual_hours"],
        "commands": least["commands"],
        "faults": {"total": least["faults"], **dict.fromkeys(artifact.FAULTS, least["each_kind"])},
        "matrix": {**thin["matrix"], "cells": dict.fromkeys(thin["matrix"]["cells"], least["cell"])},
        "sometimes": dict.fromkeys(artifact.SOMETIMES, 1),
        "trace_equality": {"seeds": least["same_trace_seeds"], "processes": 2, "equal": least["same_trace_seeds"]},
        "journal": {"cycles": least["kill_cycles"], "lost": 0, "killed_flip_positions": least["flip_positions"]},
        "fuzz": {"gzip": least["fuzz_inputs"]},
        "venue": {"steps": least["venue_steps"]},
        "ui": {
            "sizes": least.get("ui_sizes", 0), "walks": least.get("ui_walks", 0), "leaked_bytes": 0,
            "hostile_strings": least.get("hostile_strings", 0), "stall_s": least.get("stall_s", 0), "stall_lag_ms": 12,
        },
        "soak": {"1 seconds": 400, "1 quotes_per_s": 5_000, "2 seconds": 400, "2 quotes_per_s": 5_100, "2 rss_growth_mb": 4},
        "latency_real_ms": {
            "1 enter_to_wire p50": 3.5, "1 enter_to_wire p99": 9, "1 enter_to_wire max": 12, "1 cut_to_links max": 700,
            "2 enter_to_wire p50": 4, "2 enter_to_wire p99": 8, "2 enter_to_wire max": 30, "2 cut_to_links max": 600,
        },
        "coverage": {"engine": 96.5, "venue_core": 97, "whole": 90},
    }  # fmt: skip


def test_campaign_results_add_up_only_for_the_same_sources() -> None:
    one, two = (artifact.figures([result(seed)], 1.0) for seed in (6, 7))
    both = artifact.merged(one, two)
    assert (both["commands"], both["seeds"]["count"], both["faults"]["F01"]) == (1000, 2, 4)
    assert both["seeds"]["ranges"] == [[6, 6], [7, 7]]
    assert artifact.merged({**one, "tree": "another"}, two) == two
    with pytest.raises(artifact.OtherRange, match="seeds 6-6 are not accepted: 6-6 are counted already"):
        artifact.merged(both, one)


def test_seeds_with_a_forced_fault_are_counted_separately() -> None:
    found = artifact.figures([result(1), result(1_000_001, forced="F87"), result(1_000_002, forced="F87")], 1.0)
    assert (found["seeds"]["count"], found["seeds"]["directed"]) == (1, {"F87": 2})
    assert found["commands"] == 1500


@pytest.mark.parametrize("gate", artifact.GATES)
def test_each_result_threshold_is_checked(gate: str) -> None:
    good = full(gate)
    assert artifact.missed(good) == []
    assert artifact.short_of(good) == []
    assert set(artifact.judged(good)["passed"]) == set(artifact.gates(gate)) <= set(artifact.reached(good))


def test_nightly_gate_checks_every_result() -> None:
    assert set(artifact.gates("commit")) < set(artifact.gates("nightly")) == set(artifact.reached(full("nightly")))


ROWS = {
    "ui": ["ui_sizes", "ui_walks", "hostile_strings", "stall_s"],
    "soak": ["soak_s", "soak_quotes_per_s"],
    "latency_real_ms": [],
    "wall_s": [],
    "coverage": ["branch_engine", "branch_venue_core", "branch_whole"],
    "fuzz": ["fuzz_inputs"],
    "venue": ["venue_steps"],
    "journal": ["kill_cycles", "flip_positions"],
}


@pytest.mark.parametrize("part", measured.PARTS)
def test_a_result_that_was_not_measured_fails_its_gate(part: str) -> None:
    found = artifact.judged({**full("nightly"), part: {}})
    assert sorted(name for name, passed in found["passed"].items() if not passed) == sorted(ROWS[part])


@pytest.mark.parametrize(
    ("part", "name", "value", "said"),
    [
        ("ui", "leaked_bytes", 1, "leaked_bytes: 1, at most 0"),
        ("ui", "stall_lag_ms", 251, "stall_lag_ms: 251, at most 250"),
        ("ui", "sizes", 11, "ui_sizes: 11 of 12"),
        ("soak", "1 differences", 1, "soak_differences: 1, at most 0"),
        ("soak", "1 rss_growth_mb", 21, "soak_rss_mb: 21, at most 20"),
        ("soak", "2 quotes_per_s", 4_000, "soak_quotes_per_s: 4000 of 5000"),
        ("soak", "2 seconds", 100, "soak_s: 500 of 600"),
        ("coverage", "engine", 94.9, "branch_engine: 94.9 of 95"),
    ],
)
def test_a_result_below_its_threshold_fails_its_gate(part: str, name: str, value: float, said: str) -> None:
    good = full("nightly")
    assert artifact.missed({**good, part: {**good[part], name: value}}) == [said]


def test_results_below_their_threshold_are_listed() -> None:
    bad = full()
    bad["faults"]["F87"] = 19
    bad["matrix"]["cells"]["F13/reset/place"] = 0
    bad["sometimes"]["watchdog_fired"] = 0
    bad["trace_equality"]["equal"] = 19
    bad["violations"]["sent_twice"] = 1
    bad["journal"]["lost"] = 2
    assert artifact.missed(bad) == [
        "each_kind: 19 of 20 (F87)",
        "cell: 0 of 1 (F13/reset/place)",
        "sometimes: 0 of 1 (watchdog_fired)",
        "same_trace_seeds: 0 of 20",
        "sent_twice: 1, at most 0",
        "records_lost: 2, at most 0",
    ]
    assert artifact.short_of(bad) == ["F87", "F13/reset/place", "F85"]


def test_invariant_violations_are_counted_by_rule() -> None:
    broken = [Violation("I1", 1, "twice"), Violation("I4", 2, "silent"), Violation("unresolved", 3, "still")]
    found = artifact.figures([result(9, violations=broken)], 1.0)
    assert {name: count for name, count in found["violations"].items() if count} == {
        "sent_twice": 1,
        "unresolved_after_heal": 1,
        "other": 1,
    }
    assert found["seeds"]["failed"] == ["9"]


def test_measurements_of_commit_and_nightly_runs_are_kept_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measured, "LAST", tmp_path)
    found = artifact.figures([], 0.0, "commit")
    assert artifact.measured(found, tmp_path)["journal"] == {}
    measured.keep("journal", "commit", cycles=100)
    measured.keep("journal", "nightly", cycles=500)
    measured.keep("fuzz", "commit", gzip=150_000)
    measured.keep("fuzz", "commit", bbo=150_000)
    with_parts = artifact.measured(found, tmp_path)
    assert with_parts["journal"] == {"cycles": 100}
    assert artifact.reached(with_parts)["fuzz_inputs"] == 300_000


def test_results_of_other_sources_are_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured, "LAST", tmp_path)
    measured.keep("fuzz", "nightly", bbo=3, gzip=4)
    monkeypatch.setattr(measured, "tree", lambda: "changed")
    assert measured.measured_last("nightly", tmp_path)["fuzz"] == {}
    measured.keep("fuzz", *measured.EVERY_SIZE, gzip=5)
    assert [measured.measured_last(size, tmp_path)["fuzz"] for size in ("commit", "nightly")] == [{"gzip": 5}] * 2


def test_test_results_are_collected_with_campaign_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(artifact, "git", lambda *words: "")
    monkeypatch.setattr(measured, "LAST", tmp_path / "last")
    slices = artifact.merged(artifact.figures([result(6)], 1.0), artifact.figures([result(7)], 1.0))
    artifact.write(tmp_path / "nightly.json", slices)
    measured.keep("fuzz", "nightly", gzip=7)
    found = artifact.collect("nightly", tmp_path, tmp_path / "last")
    assert (found["seeds"]["count"], found["fuzz"]) == (2, {"gzip": 7})
    assert json.loads((tmp_path / "nightly.json").read_text()) == found
    assert not found["passed"]["seeds"] and not found["passed"]["soak_s"]
    monkeypatch.setattr(artifact, "tree", lambda: "changed")
    assert artifact.collect("nightly", tmp_path, tmp_path / "last")["seeds"]["count"] == 0, "other sources begin anew"


def test_publishing_results_does_not_block_the_next_run(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []

    def git(*words: str) -> str:
        asked.append(words)
        return ""

    monkeypatch.setattr(artifact, "git", git)
    assert artifact.changed() == ""
    assert asked == [("status", "--porcelain", "tui", "tests", ":!tests/figures/*.json")]


def test_results_are_not_collected_from_changed_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(artifact, "git", lambda *words: " M tui/x.py")
    monkeypatch.setattr(artifact, "HERE", tmp_path)
    assert command.main(["--collect", "nightly"]) == 2
    assert "working tree with changes" in capsys.readouterr().out and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("ms", "counted"), [(0, 0), (7, 7), (99.2, 100), (3000, 3000), (3012, 3100), (61_001, 62_000)])
def test_latencies_are_rounded_to_two_digits_when_counted(ms: float, counted: int) -> None:
    assert percentiles.step(ms) == counted


def test_latencies_of_two_seed_ranges_add_up() -> None:
    one = artifact.figures([result(1, spent={"cancel_to_wire": {1: 98, 50: 1}})], 1.0)
    two = artifact.figures([result(2, spent={"cancel_to_wire": {1: 1}})], 1.0)
    both = artifact.merged(one, two)["latency_virtual_ms"]["cancel_to_wire"]
    assert {name: both[name] for name in ("count", "p50", "p99", "max")} == {
        "count": 100,
        "p50": 1,
        "p99": 1,
        "max": 50,
    }
    assert artifact.merged({**one, "latency_virtual_ms": {}}, two)["latency_virtual_ms"]["cancel_to_wire"]["count"] == 1


def test_results_table_marks_missed_thresholds() -> None:
    bad = full()
    bad["commands"] = 5
    text = table.rendered([artifact.judged(bad)])
    assert "| order commands | 5 | commit 100,000, **missed** |" in text
    assert "| virtual hours of trading | 30 | commit 30 |" in text
    assert text.count("**missed**") == 1


def test_results_table_has_a_row_for_every_nightly_gate() -> None:
    text = table.rendered([artifact.judged(full("nightly"))])
    assert "**missed**" not in text and "| soak with flapping links" in text
    assert (
        "nightly 600 / 5,000 / 20 / 0" in text
        and "| branches that tests take, %: engine / venue core / whole | 96.5 / 97 / 90 |" in text
    )
    assert "| on the wire 4 / 9 / 30, both links 0 / 0 / 700 |" in text, "the worst of two soaks"
    missing = table.rendered([artifact.judged({**full("nightly"), "soak": {}, "ui": {}, "coverage": {}})])
    assert missing.count("**missed**") == 5


def test_published_results_pass_the_current_gates() -> None:
    for found in table.artifacts():
        assert found == artifact.judged(found), "the gates changed since the figures were published"
        assert not any(found["violations"].values())
        if found["tree"] != tree():
            warnings.warn(f"the published figures of {found['when']} are of other sources", stacklevel=1)


def test_outdated_results_are_listed_with_their_command(tmp_path: Path) -> None:
    for name, of in (("old", "another"), ("new", tree())):
        (tmp_path / f"{name}.json").write_text(json.dumps({"tree": of, "command": f"make {name}"}))
    (tmp_path / "timeless.json").write_text("{}")
    assert artifact.outdated(tmp_path) == ["old.json: of other sources than these; made by: make old"]


def test_documents_match_the_published_results() -> None:
    assert table.outdated_blocks() == [], "python -m tests.figures --write"


def test_results_check_finds_an_outdated_page(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("FIGURES", "PROMISES"):
        block = getattr(table, name)._replace(page=tmp_path / f"{name}.md")
        block.page.write_text(f"# x\n{block.begin}\nold\n{block.end}\nmore\n")
        monkeypatch.setattr(table, name, block)
    monkeypatch.setattr(command, "outdated", list)
    monkeypatch.setattr(table, "artifacts", lambda: [artifact.judged(full())])
    assert command.main(["--check"]) == 1
    printed = capsys.readouterr().out
    assert "the figures of FIGURES.md are not" in printed and "the figures of PROMISES.md are not" in printed
    assert command.main(["--write"]) == 0
    for name in ("FIGURES", "PROMISES"):
        text = (tmp_path / f"{name}.md").read_text()
        assert text.startswith("# x\n") and text.endswith("\nmore\n")
    assert command.main(["--check"]) == 0
