"""Account status by margin ratio (uniMMR): thresholds, comparison, and the way back to a better status."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache
from itertools import pairwise

from tui.interface.families.positions import AccountStatus

RUNGS = (
    AccountStatus.NORMAL,
    AccountStatus.MARGIN_CALL,
    AccountStatus.CANCEL_OPEN,
    AccountStatus.CANCEL_ALL,
    AccountStatus.LIQUIDATING,
    AccountStatus.TAKEOVER,
)
CANCELLING = RUNGS[2:]
"""Rungs on which the venue cancels orders and accepts none that adds risk."""
LIQUIDATED = RUNGS[4:]
"""Rungs on which the venue closes positions and accepts no order."""

Thresholds = tuple[Decimal, Decimal, Decimal, Decimal]
"""uniMMR below which MARGIN_CALL, CANCEL_OPEN and CANCEL_ALL begin, and at which LIQUIDATING begins."""

HYSTERESIS = Decimal("0.05")
"""Distance above a threshold that a row needs to reach the better rung."""

_LIQUIDATING = 4
_FORM = re.compile(r"[0-9]{1,6}(\.[0-9]{1,4})?( [0-9]{1,6}(\.[0-9]{1,4})?){3}")


def is_worse(now: str, before: str) -> bool:
    """Report whether the first account status is more risky than the second."""
    return RUNGS.index(AccountStatus(now)) > RUNGS.index(AccountStatus(before))


def is_ladder(text: str) -> bool:
    """Report whether a text consists of four decreasing thresholds, such as `2.0 1.5 1.2 1.0`."""
    if not _FORM.fullmatch(text):
        return False
    values = [Decimal(part) for part in text.split(" ")]
    return all(left > right for left, right in pairwise(values)) and values[-1] > 0


@cache
def parse_thresholds(text: str) -> Thresholds:
    """Parse the four thresholds of a text that `is_ladder` accepts."""
    first, second, third, last = (Decimal(part) for part in text.split(" "))
    return first, second, third, last


def determine_status(
    uni: Decimal | None, equity: Decimal, before: str, rungs: Thresholds, *, has_legs: bool
) -> AccountStatus:
    """Return the account status for a margin ratio; it improves only at some distance above the threshold.

    Args:
        uni: uniMMR, None when nothing is at risk.
        equity: Equity of the row, quote units.
        before: Status before, empty at first.
        rungs: Thresholds of the ladder.
        has_legs: Whether a position is open that can be taken over.
    """
    if uni is None:
        return AccountStatus.NORMAL
    if has_legs and equity <= 0:
        return AccountStatus.TAKEOVER
    now = sum(1 for n, limit in enumerate(rungs) if (uni <= limit if n == 3 else uni < limit))
    was = min(RUNGS.index(AccountStatus(before)), _LIQUIDATING) if before else 0
    while was > now:
        if was == _LIQUIDATING and uni <= rungs[2]:
            break
        if was < _LIQUIDATING and uni < rungs[was - 1] + HYSTERESIS:
            break
        was -= 1
    return RUNGS[max(was, now)]
