"""Every calculated case of the reference against our functions; what no function of ours computes yet is named here."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.rules import cases_book, cases_margin, cases_trade

CASES = [
    case for case in json.loads((Path(__file__).parent / "vectors.json").read_text())["cases"] if case["kind"] == "calc"
]
NOT_BUILT = {"algo.twap"}
"""Rules of parts that do not exist yet; a rule leaves this set when its part comes."""

UNUSED = {
    "TV-02", "TV-04", "TV-05", "TV-09", "TV-11", "TV-24b", "TV-24c", "TV-24d", "TV-25e", "TV-28g", "TV-28h", "TV-28i",
    "TV-30", "TV-35c", "TX-06", "TX-07",
}  # fmt: skip
"""Cases of rules that neither the service nor a screen uses: inverse contracts, isolated margin, other venues' rules."""

RULES: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    **cases_trade.RULES,
    **cases_margin.RULES,
    **cases_book.RULES,
}


def _same(ours: Any, expected: Any, tolerance: Decimal, path: str) -> None:
    if isinstance(expected, dict):
        for key, value in expected.items():
            _same(ours[key], value, tolerance, f"{path}.{key}")
    elif isinstance(expected, list):
        assert len(ours) == len(expected), path
        for place, (left, right) in enumerate(zip(ours, expected, strict=True)):
            _same(left, right, tolerance, f"{path}[{place}]")
    elif expected is None or isinstance(expected, bool):
        assert ours is expected, path
    else:
        try:
            number = Decimal(expected)
        except ArithmeticError:
            assert ours == expected, path
            return
        assert not isinstance(ours, float), f"{path}: a float on the way"
        assert abs(Decimal(ours) - number) <= tolerance, f"{path}: {ours} is not {expected}"


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case["rule"] not in NOT_BUILT and case["id"] not in UNUSED],
    ids=lambda case: case["id"],
)
def test_reference_calculation_cases_match(case: dict[str, Any]) -> None:
    ours = RULES[case["rule"]](case["inputs"])
    for key, expected in case["expected"].items():
        tolerance = Decimal(case["tolerance"].get(key, case["tolerance"]["default"]))
        _same(ours[key], expected, tolerance, key)
        assert str(ours[key]) not in case.get("wrong", [])


def test_every_reference_rule_is_tested_or_listed_as_missing() -> None:
    assert {case["id"] for case in CASES} >= UNUSED
    assert {case["rule"] for case in CASES if case["id"] not in UNUSED} - set(RULES) == NOT_BUILT
