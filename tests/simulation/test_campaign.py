"""The campaign: seeds of trade and faults that must break no promise. The large range is run by hand."""

from __future__ import annotations

import gc
import json
import weakref
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.figures import artifact
from tests.figures.test_figures import result
from tests.simulation import campaign, faults
from tests.simulation.points import CELLS, COMMANDS, CUTS, POINTS, not_applicable
from tests.simulation.rates import ACCOUNT_COMMANDS, FAMILIES, KINDS, OF_FAMILY, NoSuchFault, Rates, forced, only
from tests.simulation.seed import Result, run

MINUTES = 3.0
SEEDS, CHUNK = 6, 2
BY_DAY = 4
"""Seeds of the default run."""

pytestmark = pytest.mark.simulation


@pytest.mark.parametrize(
    "first",
    [pytest.param(at, marks=() if at <= BY_DAY else pytest.mark.nightly) for at in range(1, SEEDS + 1, CHUNK)],
)
def test_random_fault_seeds_break_no_invariant(first: int) -> None:
    thrown: Counter[str] = Counter()
    for seed in range(first, first + CHUNK):
        one, floor = run(seed, MINUTES)
        tail = "\n".join(map(str, floor.history.lines[-30:]))
        assert not one.violations, f"seed {seed}: {one.violations[0]}\n{tail}"
        assert one.commands > 0
        thrown.update(one.faults)
    assert sum(thrown.values()) > 10 * CHUNK, "the weather is too good to prove anything"


@pytest.mark.parametrize(
    ("seed", "minutes"),
    [
        pytest.param(seed, minutes, marks=() if minutes <= MINUTES else pytest.mark.nightly)
        for seed, minutes in campaign.regression_seeds()
    ],
)
def test_seeds_that_once_broke_an_invariant_pass_now(seed: int, minutes: float) -> None:
    one, _ = run(seed, minutes)
    assert not one.violations, one.violations[0]


def test_earlier_seed_ranges_include_the_failing_seeds() -> None:
    lived = campaign.lived_before()
    assert (1, 1000) in lived
    assert all(any(low <= seed <= high for low, high in lived) for seed, _ in campaign.regression_seeds())


def test_a_seed_range_that_was_run_before_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert campaign.main(["--seeds", "6", "--minutes", "0.1"]) == 0
    assert "seeds 1-1000 were lived before" in capsys.readouterr().out
    fresh = str(max(high for _, high in campaign.lived_before()) + 1)
    assert campaign.main(["--seeds", fresh, "--minutes", "0.1"]) == 0
    assert "were lived before" not in capsys.readouterr().out


def test_a_seed_gives_the_same_trace_in_two_processes() -> None:
    assert campaign.trace_equality(3, 1.0) == {"seeds": 3, "processes": 2, "equal": 3}


def _thin(job: campaign.Job, faults: dict[str, int]) -> Result:
    return result(job.seed, forced=job.forced, faults=faults)


def test_extra_seeds_are_run_until_each_fault_has_its_minimum(monkeypatch: pytest.MonkeyPatch) -> None:
    enough = artifact.gates("commit")["each_kind"]
    asked: list[str] = []

    def live(jobs: Sequence[campaign.Job], processes: int) -> Iterator[Result]:
        asked.extend(job.forced for job in jobs)
        return iter([_thin(job, {job.forced: enough}) for job in jobs])

    monkeypatch.setattr(campaign, "live", live)
    begun = artifact.figures([], 0.0, "commit")
    begun["faults"].update(dict.fromkeys(artifact.FAULTS, enough) | {"F41": 1, "F87": 0})
    begun["matrix"]["cells"] = dict.fromkeys(begun["matrix"]["cells"], 1)
    begun["sometimes"] = dict.fromkeys(begun["sometimes"], 1)
    found = campaign.directed(begun, 1.0, 1, 200)
    assert set(asked) == {"F41", "F87"}
    assert len(asked) == campaign.DIRECTED_ROUND
    assert found["seeds"]["count"] == 0
    assert artifact.short_of(found) == []


def test_a_search_for_extra_seeds_ends_and_lists_missing_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign, "live", lambda jobs, processes: iter([_thin(job, {}) for job in jobs]))
    found = campaign.directed(artifact.figures([], 0.0, "commit"), 1.0, 1, 30)
    assert sum(found["seeds"]["directed"].values()) == 30
    assert any(text.startswith("each_kind: 0 of 20 (F01, F02") for text in artifact.missed(found))


def test_traces_are_compared_only_when_no_extra_seed_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = dict.fromkeys(artifact.FAULTS, 1000)
    monkeypatch.setattr(campaign, "live", lambda jobs, processes: iter([_thin(job, {"F87": 10}) for job in jobs]))
    monkeypatch.setattr(campaign, "trace_equality", lambda count: {"seeds": count, "processes": 2, "equal": count})
    thin = artifact.figures([_thin(campaign.Job(number, 1.0), {}) for number in range(1, 201)], 1.0, "commit")
    thin |= {"faults": {**thin["faults"], **told, "F87": 0}, "sometimes": dict.fromkeys(artifact.SOMETIMES, 1)}
    thin["matrix"]["cells"] = dict.fromkeys(thin["matrix"]["cells"], 1)
    artifact.write(tmp_path / "figures.json", thin)
    words = ["--gate", "commit", "--json", str(tmp_path / "figures.json"), "--directed", "1"]
    campaign.main(words)
    first = json.loads((tmp_path / "figures.json").read_text())
    assert first["seeds"]["directed"] == {"F87": 1} and first["trace_equality"]["seeds"] == 0
    assert "directed seeds are missing still for F87" in capsys.readouterr().out
    campaign.main(words)
    second = json.loads((tmp_path / "figures.json").read_text())
    assert second["seeds"]["directed"] == {"F87": 2} and second["trace_equality"]["equal"] == 20
    assert second["seeds"]["count"] == 200 and second["passed"]["each_kind"]


def test_every_cell_of_the_fault_matrix_exists_or_has_a_reason() -> None:
    missing = not_applicable()
    assert len(CELLS) + len(missing) == len(POINTS) * len(CUTS) * len(COMMANDS)
    assert all(missing.values())


def test_fault_rates_can_be_limited_to_some_kinds_of_faults() -> None:
    everything = Rates(cut_gap=5, drop_push=0.1, quote_gap=7, switches=(("code_type", "text"),))
    assert only(everything, ["drop"]) == Rates(drop_push=0.1, switches=everything.switches)
    with pytest.raises(NoSuchFault, match="'moon' is not known; accepted are cut, flap"):
        only(everything, ["moon"])


def test_every_rate_that_throws_faults_belongs_to_one_family() -> None:
    general = {
        "control", "market_gap", "abroad", "kill", "vary", "settings", "algos", *ACCOUNT_COMMANDS, "cells", "links",
        "switches",
    }  # fmt: skip
    owned = [field for fields in FAMILIES.values() for field in fields]
    assert sorted([*owned, *general]) == sorted(Rates.__struct_fields__)
    assert set(OF_FAMILY) <= set(FAMILIES)


def test_every_fault_and_matrix_cell_can_be_forced() -> None:
    assert set(KINDS) - {"N9"} == faults.in_campaign()
    for name in (*KINDS, *map("/".join, CELLS)):
        assert forced(name) != Rates()
    with pytest.raises(NoSuchFault, match="'F999' is not known"):
        forced("F999")


@pytest.mark.parametrize("what", ["F32", "F41", "F50", "F56", "F60", "F62", "F68", "F75", "F78", "F87", "F104"])
def test_a_forced_fault_occurs_and_breaks_no_invariant(what: str) -> None:
    one, _ = run(3, 1.5, forced(what), what)
    assert not one.violations, one.violations[0]
    assert one.forced == what
    assert sum(one.faults.get(name, 0) for names in OF_FAMILY.values() if what in names for name in names)


def test_seeds_give_the_same_result_in_several_processes() -> None:
    jobs = [campaign.Job(seed, 0.3) for seed in (3, 4)]
    assert list(campaign.live(jobs, 2)) == list(campaign.live(jobs, 1))


def test_a_finished_seed_frees_its_memory() -> None:
    gone = weakref.ref(run(6, 0.05)[1])
    gc.collect()
    assert gone() is None


def test_seed_ranges_add_up_in_a_file_and_a_seed_counts_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--minutes", "0.2", "--json", str(tmp_path / "figures.json")]
    assert campaign.main(["--seeds", "6-7", *words]) == 0
    assert campaign.main(["--seeds", "8", *words]) == 0
    found = json.loads((tmp_path / "figures.json").read_text())
    assert (found["seeds"]["ranges"], found["seeds"]["count"], found["passed"]["seeds"]) == ([[6, 7], [8, 8]], 3, False)
    with pytest.raises(SystemExit):
        campaign.main(["--seeds", "7", *words])
    assert "seeds 7-7 are not accepted: 6-7 are counted already" in capsys.readouterr().err
    assert campaign.main(["--seeds", "9", "--gate", "commit", *words]) == 1, "a gate that is missed is no success"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--seeds", "x"], "it takes a number or a range like 1-200"),
        ([], "--seeds or --directed is needed"),
        (["--directed", "3"], "--publish and --directed need --gate commit or --gate nightly"),
        (["--seeds", "1", "--publish"], "--publish and --directed need --gate commit or --gate nightly"),
        (["--seeds", "1", "--only", "moon"], "family 'moon' is not known; accepted are cut, flap"),
        (["--seeds", "1", "--force", "F999"], "'F999' is not known; accepted are F01"),
    ],
)
def test_invalid_campaign_options_are_rejected_by_name(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        campaign.main(words)
    assert said in capsys.readouterr().err


NIGHT_FIRST = 70_001
"""Seeds of the night, a quarter of them with attached windows, are numbered from here, or go on where its slices ended."""
OF_CAMPAIGN = (
    "seeds", "virtual_hours", "commands", "faults", "kinds", "each_kind", "cell", "sometimes", "same_trace_seeds",
    *artifact.VIOLATIONS,
)  # fmt: skip


@pytest.mark.nightly
@pytest.mark.timeout(14_400)
def test_the_large_seed_range_breaks_no_invariant(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """What slices of these sources lived before is not lived again."""
    publish = request.config.getoption("--publish") and not artifact.changed()
    target = artifact.published("nightly") if publish else tmp_path / "nightly.json"
    found = artifact.kept("nightly")
    artifact.write(target, found)
    missing = artifact.gates("nightly")["seeds"] - found["seeds"]["count"]
    first = max([NIGHT_FIRST, *(last + 1 for _, last in found["seeds"]["ranges"])])
    words = ["--seeds", f"{first}-{first + missing - 1}"] if missing > 0 else ["--directed", "1000"]
    campaign.main(["--gate", "nightly", "--jobs", "2", "--json", str(target), *words])
    found = json.loads(target.read_text())
    assert [name for name in OF_CAMPAIGN if not found["passed"][name]] == []
