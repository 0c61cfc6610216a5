"""Artifacts add up, are judged by their gates, and are what the README says."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import msgspec
import pytest

from tests.figures import __main__ as command
from tests.figures import artifact, table
from tests.simulation.checker import Violation
from tests.simulation.seed import Result


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
    }


def test_two_ranges_of_one_tree_add_up_and_those_of_two_do_not() -> None:
    one, two = (artifact.figures([result(seed)], 1.0) for seed in (6, 7))
    both = artifact.merged(one, two)
    assert (both["commands"], both["seeds"]["count"], both["faults"]["F01"]) == (1000, 2, 4)
    assert both["seeds"]["ranges"] == [[6, 6], [7, 7]]
    assert artifact.merged({**one, "tree": "another"}, two) == two
    with pytest.raises(artifact.OtherRange, match="seeds 6-6 are not accepted: 6-6 are counted already"):
        artifact.merged(both, one)


def test_directed_seeds_are_counted_apart() -> None:
    found = artifact.figures([result(1), result(1_000_001, forced="F87"), result(1_000_002, forced="F87")], 1.0)
    assert (found["seeds"]["count"], found["seeds"]["directed"]) == (1, {"F87": 2})
    assert found["commands"] == 1500


@pytest.mark.parametrize("gate", artifact.GATES)
def test_each_threshold_is_judged(gate: str) -> None:
    good = full(gate)
    assert artifact.missed(good) == []
    assert artifact.short_of(good) == []
    assert set(artifact.judged(good)["passed"]) == set(artifact.gates(gate)) == set(artifact.reached(good))


def test_what_falls_short_is_named() -> None:
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


def test_broken_promises_are_sorted_by_their_rule() -> None:
    broken = [Violation("I1", 1, "twice"), Violation("I4", 2, "silent"), Violation("unresolved", 3, "still")]
    found = artifact.figures([result(9, violations=broken)], 1.0)
    assert {name: count for name, count in found["violations"].items() if count} == {
        "sent_twice": 1,
        "unresolved_after_heal": 1,
        "other": 1,
    }
    assert found["seeds"]["failed"] == ["9"]


def test_the_figures_of_the_journal_are_picked_up_by_size(tmp_path: Path) -> None:
    last = tmp_path / "journal.json"
    found = artifact.figures([], 0.0, "commit")
    assert artifact.measured(found, last)["journal"] == {}
    last.write_text(json.dumps({"commit": {"cycles": 100}, "nightly": {"cycles": 500}}))
    assert artifact.measured(found, last)["journal"] == {"cycles": 100}


def test_the_table_names_what_was_missed() -> None:
    bad = full()
    bad["commands"] = 5
    text = table.rendered([artifact.judged(bad)])
    assert "| order commands | 5 | commit 100,000, **missed** |" in text
    assert "| virtual hours of trading | 30 | commit 30 |" in text
    assert text.count("**missed**") == 1


def test_what_is_published_is_judged_by_the_gates_of_now_and_breaks_no_promise() -> None:
    for found in table.artifacts():
        assert found == artifact.judged(found), "the gates changed since the figures were published"
        assert not any(found["violations"].values())
        if found["tree"] != artifact.tree():
            warnings.warn(f"the published figures of {found['when']} are of other sources", stacklevel=1)


def test_figures_of_other_sources_are_named_with_their_command(tmp_path: Path) -> None:
    for name, tree in (("old", "another"), ("new", artifact.tree())):
        (tmp_path / f"{name}.json").write_text(json.dumps({"tree": tree, "command": f"make {name}"}))
    (tmp_path / "timeless.json").write_text("{}")
    assert artifact.outdated(tmp_path) == ["old.json: of other sources than these; made by: make old"]


def test_the_readme_says_what_the_artifacts_say() -> None:
    assert table.shown() == table.rendered(table.artifacts()), "python -m tests.figures --readme"


def test_the_check_finds_a_readme_that_says_something_else(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(f"# x\n{table.BEGIN}\nold\n{table.END}\nmore\n")
    monkeypatch.setattr(table, "README", readme)
    monkeypatch.setattr(command, "outdated", list)
    monkeypatch.setattr(table, "artifacts", lambda: [artifact.judged(full())])
    assert command.main(["--check"]) == 1
    assert "the README's table is not the artifacts'" in capsys.readouterr().out
    assert command.main(["--readme"]) == 0
    assert readme.read_text().startswith("# x\n") and readme.read_text().endswith("\nmore\n")
    assert command.main(["--check"]) == 0
