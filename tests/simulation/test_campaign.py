"""The campaign: seeds of trade and faults that must break no promise. The large range is run by hand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path

import pytest

from tests.simulation import campaign
from tests.simulation.points import CELLS, COMMANDS, CUTS, POINTS, not_applicable
from tests.simulation.seed import run

TOP = Path(__file__).parent.parent.parent
MINUTES = 3.0
SEEDS, CHUNK = 20, 2
NIGHTLY = "1-200"

pytestmark = pytest.mark.simulation


@pytest.mark.parametrize("first", range(1, SEEDS + 1, CHUNK))
def test_seeds_break_no_promise(first: int) -> None:
    faults: Counter[str] = Counter()
    for seed in range(first, first + CHUNK):
        result, floor = run(seed, MINUTES)
        tail = "\n".join(map(str, floor.history.lines[-30:]))
        assert not result.violations, f"seed {seed}: {result.violations[0]}\n{tail}"
        assert result.commands > 0
        faults.update(result.faults)
    assert sum(faults.values()) > 10 * CHUNK, "the weather is too good to prove anything"


@pytest.mark.parametrize(("seed", "minutes"), campaign.regression_seeds())
def test_seeds_that_once_broke_a_promise(seed: int, minutes: float) -> None:
    result, _ = run(seed, minutes)
    assert not result.violations, result.violations[0]


def test_a_seed_is_the_same_in_two_processes() -> None:
    told = []
    for hash_seed in ("0", "4711"):
        done = subprocess.run(
            [sys.executable, "-m", "tests.simulation.seed", "1", "2", "7", "11"],
            cwd=TOP,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        told.append(done.stdout.splitlines())
    assert told[0] == told[1]
    assert len(told[0]) == 3


def test_every_cell_of_the_matrix_exists_or_has_a_reason() -> None:
    missing = not_applicable()
    assert len(CELLS) + len(missing) == len(POINTS) * len(CUTS) * len(COMMANDS)
    assert all(missing.values())


def test_two_ranges_of_one_tree_add_up_and_those_of_two_do_not() -> None:
    results = [run(seed, 0.2)[0] for seed in (6, 7)]
    one, two = (campaign.figures([result], 1.0) for result in results)
    both = campaign.merged(one, two)
    assert both["commands"] == one["commands"] + two["commands"]
    assert both["seeds"]["count"] == 2
    assert both["faults"]["total"] == one["faults"]["total"] + two["faults"]["total"]
    assert set(both["violations"]) == set(one["violations"])
    assert campaign.merged({**one, "tree": "another"}, two) == two


def test_the_published_figures_hold_no_broken_promise_and_name_what_they_are_of() -> None:
    found = json.loads(campaign.PUBLISHED.read_text())
    assert found == campaign.judged(found), "the gates changed since the figures were published"
    assert found["passed"]["violations"]
    fresh = campaign.figures([], 0.0)
    assert set(fresh) <= set(found)
    assert set(found["matrix"]["cells"]) == set(fresh["matrix"]["cells"])
    if found["tree"] != campaign.tree():
        warnings.warn(f"the published figures of {found['when']} are of other sources", stacklevel=1)


def test_figures_that_fall_short_are_named() -> None:
    thin = campaign.figures([run(6, 0.2)[0]], 1.0)
    text = campaign.missed(thin)
    assert "seeds: 1 of 200" in text
    thin["violations"]["other"] = 1
    assert "violations: 1" in campaign.missed(thin)


@pytest.mark.nightly
@pytest.mark.timeout(7200)
def test_the_large_range_breaks_no_promise_and_reaches_what_it_must() -> None:
    assert campaign.main(["--seeds", NIGHTLY, "--json", str(campaign.PUBLISHED)]) == 0
    assert not campaign.missed(json.loads(campaign.PUBLISHED.read_text()))
