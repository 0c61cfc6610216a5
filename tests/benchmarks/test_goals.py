"""Goals beside results: verdicts, limits over a slow disk, and a page that says what the results say."""

from __future__ import annotations

from benchmarks.goals import GOALS, PAGE, Aim, AimOverSync, page, read_results, table


def _order(bare: float, wire: float) -> dict[str, object]:
    results = {
        "bare append with fdatasync": {"ms": {"p99": bare}},
        "0 quotes/s": {"enter_to_wire_ms": {"p99": wire}},
    }
    return {"order": {"results": results}}


def test_a_benchmark_goal_is_relaxed_on_a_slow_disk() -> None:
    aim = AimOverSync("order", ("0 quotes/s", "enter_to_wire_ms", "p99"), 2.0, "ms")
    assert aim.limit_now(_order(0.5, 1.0)) == 2.0
    assert aim.limit_now(_order(4.0, 1.0)) == 5.0
    assert aim.met(4.9, _order(4.0, 4.9))
    assert not aim.met(4.9, _order(0.5, 4.9))


def test_a_benchmark_goal_is_an_upper_or_lower_limit() -> None:
    assert not Aim("stream", ("of_bare",), 0.5, "x", at_least=True).met(0.49, {})
    assert Aim("stream", ("of_bare",), 0.5, "x").met(0.49, {})


def test_benchmark_page_says_what_was_not_measured() -> None:
    lines = list(table({}))
    assert len(lines) == 2 + len(GOALS)
    assert all("not measured" in line and line.endswith("no figure |") for line in lines[2:])


def test_benchmark_page_matches_the_results() -> None:
    """`crossdesk bench goals --write` makes it so."""
    assert PAGE.read_text() == page(read_results())
