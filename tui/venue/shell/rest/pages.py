"""Pages and time ranges of list endpoints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from tui.interface.paging import MAX_PAGE_SIZE, Page
from tui.venue.core.check_failed import CheckFailed

DAY_MS = 86_400_000
RECENT_MS = 7 * DAY_MS
ARCHIVE_MS = 90 * DAY_MS
LONGEST_MS = 91 * DAY_MS
FUTURE_MS = 60_000

R = TypeVar("R")


class TimeWindow:
    """Time range of a list query, both ends inclusive."""

    def __init__(self, begin: int | None, end: int | None) -> None:
        self.begin, self.end = begin, end

    def clip(self, first: int, last: int) -> tuple[int, int]:
        """Return the part of the time range that lies between two times, both inclusive."""
        begin = first if self.begin is None else max(first, self.begin)
        return begin, last if self.end is None else min(last, self.end)

    def contains(self, at_ms: int) -> bool:
        return (self.begin is None or at_ms >= self.begin) and (self.end is None or at_ms <= self.end)


def parse_window(params: Mapping[str, str], now_ms: int) -> TimeWindow:
    """Parse a time range from `begin` and `end`.

    Raises:
        CheckFailed: One of them is wrong.
    """
    begin, end = (int(params[name]) if name in params else None for name in ("begin", "end"))
    if begin is not None and begin > now_ms + FUTURE_MS:
        raise CheckFailed(400005, f"begin {begin} is in the future")
    if begin is not None and end is not None and begin >= end:
        raise CheckFailed(400004, f"begin {begin} is not before end {end}")
    if begin is not None and (end or now_ms) - begin > LONGEST_MS:
        raise CheckFailed(400001, "the range is longer than 91 days")
    return TimeWindow(begin, end)


def parse_page(params: Mapping[str, str], usual_size: int = MAX_PAGE_SIZE) -> tuple[int, int]:
    """Parse `page` and `pageSize`.

    Raises:
        CheckFailed: One of them is wrong.
    """
    page, size = int(params.get("page", "1")), int(params.get("page_size", str(usual_size)))
    if size < 1 or size > MAX_PAGE_SIZE:
        raise CheckFailed(400002, f"pageSize {size} is not accepted; it must be 1 to {MAX_PAGE_SIZE}")
    if page < 1:
        raise CheckFailed(400003, f"page {page} is not accepted; pages begin at 1")
    return page, size


def make_page(
    rows: Sequence[R],
    params: Mapping[str, str],
    show: Callable[[R], Any],
    *,
    empty_num: int,
    usual_size: int = MAX_PAGE_SIZE,
) -> Page[Any]:
    """Build the requested page of the rows; `usual_size` is the default page size."""
    page, size = parse_page(params, usual_size)
    return Page(
        page=page,
        page_size=size,
        page_num=-(-len(rows) // size) or empty_num,
        total_size=len(rows),
        rows=[show(row) for row in rows[(page - 1) * size : page * size]],
    )
