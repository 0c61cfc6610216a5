"""Times that are counted rather than kept, so that those of two ranges of seeds add up."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any


def step(ms: float) -> int:
    """The time in ms, rounded up to two digits: 3012 is counted as 3100."""
    whole = max(0, math.ceil(ms - 1e-6))
    unit: int = 10 ** max(0, len(str(whole)) - 2)
    return -(-whole // unit) * unit


def summary(times: Mapping[int, int]) -> dict[str, Any]:
    """Count, p50, p99 and maximum of counted times, ms; with the counts themselves, by their time."""
    ordered = sorted(times.items())
    return {
        "count": sum(times.values()),
        "p50": _quantile(ordered, 0.5),
        "p99": _quantile(ordered, 0.99),
        "max": ordered[-1][0] if ordered else 0,
        "times": {str(ms): count for ms, count in ordered},
    }


def merged(left: Mapping[str, Any], right: Mapping[str, Any]) -> dict[str, Any]:
    """The summary of both."""
    both: Counter[int] = Counter()
    for one in (left, right):
        both.update({int(ms): count for ms, count in one.get("times", {}).items()})
    return summary(both)


def _quantile(ordered: list[tuple[int, int]], share: float) -> int:
    """The least time within which so large a share ended, 0 without any."""
    wanted, seen = share * sum(count for _, count in ordered), 0
    for ms, count in ordered:
        seen += count
        if seen >= wanted:
            return ms
    return 0
