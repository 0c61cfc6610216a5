"""The command of the whole nightly gate: which parts run, beside what, and what it says of them."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from tests.conftest import REVERSED, shuffle
from tests.figures import artifact, measured, nightly, table


def test_the_nightly_part_in_real_time_runs_beside_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    real_runs, order = threading.Event(), list[str]()

    def run(part: str, words: Sequence[str] = ()) -> nightly.Done:
        if part == "real":
            real_runs.set()
        assert real_runs.wait(10)
        if part != "real":
            order.append(" ".join([part, *words]))
        return nightly.Done(part, 0, 60.0, 90.0)

    monkeypatch.setattr(nightly, "run", run)
    done = nightly.run_all(["campaign", "sizes", "real"], {"campaign": ["--seeds", "1-2"]})
    assert order == ["campaign --seeds 1-2", "sizes"]
    assert [one.part for one in done] == ["campaign", "sizes", "real"]


def test_a_nightly_part_reports_its_exit_code_and_cpu_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        nightly, "PARTS", {"real": ("-c", "import sys; sum(range(3_000_000)); sys.exit(int(sys.argv[1]))")}
    )
    done = nightly.run("real", ["3"])
    assert done.code == 3 and 0 < done.cpu_s < 60 and done.wall_s > 0
    assert "FAILED" in nightly.table([done], 10.0)


def test_a_nightly_run_beyond_its_time_limit_says_so() -> None:
    done = [nightly.Done("sizes", 0, 3_000.0, 5_000.0)]
    assert "FAILED" not in nightly.table(done, 3_000.0) and "at most" not in nightly.table(done, 3_000.0)
    assert nightly.table(done, 3_601.0).endswith("3601 s, at most 3,600 s")


def test_nightly_refuses_unknown_parts_and_missing_seeds(capsys: pytest.CaptureFixture[str]) -> None:
    for words, said in (
        (["--parts", "sizes,moon"], "'moon' is not known"),
        ([], "--seeds is needed"),
        (["--parts", "order"], "--seeds is needed"),
    ):
        with pytest.raises(SystemExit):
            nightly.main(words)
        assert said in capsys.readouterr().err


def test_a_shuffle_of_the_tests_is_complete_and_set_by_its_seed(request: pytest.FixtureRequest) -> None:
    items = request.session.items
    orders = [shuffle(items, seed) for seed in (REVERSED, "60001-62000", "62001-64000")]
    assert orders == [shuffle(items, seed) for seed in (REVERSED, "60001-62000", "62001-64000")]
    assert all(len(order) == len(items) and {*order} == {*items} for order in orders)
    assert len({tuple(order) for order in orders}) > 1 or len(items) == 1


def test_the_results_table_shows_the_minutes_of_the_nightly_gate() -> None:
    found = artifact.judged(artifact.figures([], 0.0, "nightly"))
    assert "minutes of the whole gate" not in table.rendered([found])
    found["wall_s"] = {"campaign": 1_800, "real": 1_230, "whole": 3_300}
    assert "| 55: campaign 30, real 20 |" in table.rendered([found])
    assert "wall_s" in measured.PARTS
