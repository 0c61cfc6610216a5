"""The judge of a campaign of kills finds what it is there for."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from tests.desk_protocol import kill_report
from tests.desk_protocol.kill_report import LATE_SLACK_MS, Report, judge_limit, judge_times, publish
from tests.desk_protocol.steady_trader import MOST_OPEN, Mark


def order(number: int, made: int, ended: int = 0) -> dict[str, str]:
    """An order of the venue's record."""
    state = "CANCELLED" if ended else "OPEN"
    return {
        "limitPrice": f"{60_000 + number}.0", "orderQty": "0.010", "orderState": state, "createAt": str(made),
        "updateAt": str(ended or made),
    }  # fmt: skip


def test_kill_test_report_counts_orders_beyond_the_limit() -> None:
    full = [order(number, made=number) for number in range(MOST_OPEN)]
    for more, beyond in (([], 0), ([order(99, 50)], 1), ([order(98, 40, 60), order(99, 60)], 2)):
        report = Report()
        judge_limit(report, [*full, *more])
        assert report.wrong["over_limit"] == beyond and report.most_open == MOST_OPEN + bool(beyond), more
    report = Report()
    judge_limit(report, [*full[:-1], order(97, made=5, ended=45), order(99, made=45)])
    assert report.wrong["over_limit"] == 0, "one ended in the moment in which the other was made"


def test_kill_test_report_counts_orders_made_too_late() -> None:
    marks = {Mark(Decimal(60_001), Decimal("0.01")): 10_000, Mark(Decimal(60_002), Decimal("0.01")): 10_000}
    report = Report()
    judge_times(report, marks, [order(1, 10_000 + LATE_SLACK_MS), order(2, 10_001 + LATE_SLACK_MS), order(3, 99_999)])
    assert report.wrong["late"] == 1


@pytest.mark.parametrize(
    ("accepted", "by_desk", "wrong", "code"),
    [([3, 1], [9, 9], 0, 0), ([3, 0], [9, 9], 0, 1), ([3, 1], [9, 0], 0, 1), ([3, 1], [9, 9], 1, 1), ([], [9], 0, 1)],
)
def test_a_kill_test_fails_with_errors_or_without_sent_orders(
    accepted: list[int], by_desk: list[int], wrong: int, code: int, tmp_path: Path
) -> None:
    report = Report(accepted=accepted, accepted_by_desk=by_desk, in_step_s=[0.1])
    report.wrong["lost_fill"] = wrong
    assert publish(report, tmp_path / "told.json") == code
    assert tuple(report.wrong) == kill_report.WRONG
