"""Codes of the interface by which nothing was done."""

from __future__ import annotations

REFUSALS = frozenset(
    [2000, 2001, 2002, 2003, 4000, 7000, 60009, 100001, 100002, 100003, 100018, 100041, 100429, 400009]
)
REFUSAL_RANGES = ((400000, 400007), (401000, 401299), (401900, 401999), (405000, 406999))
DUPLICATES = frozenset([401009, 406010])


def proves_refusal(code: int | None) -> bool:
    """Whether a code says that nothing was done."""
    if code is None or code in DUPLICATES:
        return False
    return code in REFUSALS or any(low <= code <= high for low, high in REFUSAL_RANGES)
