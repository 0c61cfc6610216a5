"""Goals beside results: verdicts, figures above what the machine takes, and a page that says what the results say."""

from __future__ import annotations

from benchmarks.goals import GOALS, PAGE, Aim, page, read_results, table


def test_a_benchmark_goal_can_be_the_excess_over_another_figure() -> None:
    aim = Aim("order", ("quiet", "p99"), 2.5, "ms", above=("bare", "p99"))
    results = {"order": {"results": {"quiet": {"p99": 4.0}, "bare": {"p99": 1.75}}}}
    assert aim.value(results) == 2.25
    assert aim.value({"order": {"results": {"quiet": {"p99": 4.0}}}}) is None


def test_a_benchmark_goal_is_an_upper_or_lower_limit() -> None:
    assert not Aim("stream", ("of_bare",), 0.5, "x", at_least=True).met(0.49)
    assert Aim("stream", ("of_bare",), 0.5, "x").met(0.49)


def test_benchmark_page_says_what_was_not_measured() -> None:
    lines = list(table({}))
    assert len(lines) == 2 + len(GOALS)
    assert all("not measured" in line and line.endswith("no figure |") for line in lines[2:])


def test_benchmark_page_matches_the_results() -> None:
    """`crossdesk bench goals --write` makes it so."""
    assert PAGE.read_text() == page(read_results())
