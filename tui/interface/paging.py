"""Paging: page parameters, the page object of a response, and detection of the last page."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

R = TypeVar("R")

MAX_PAGE_SIZE = 1000

BOTH_NAMES = {"statement": {"page": "pageNum"}, "executions": {"limit": "pageSize"}}
"""Second name of a paging parameter where services use one of two; the client sends both."""


class Page(msgspec.Struct, Generic[R], frozen=True, kw_only=True, rename="camel"):
    """Page object in `data` of a paged response; `page_num` is the number of pages, which some lists omit."""

    page: int | str = 1
    page_size: int | str = 0
    page_num: int | str | UnsetType | None = None
    total_size: int | str = 0
    rows: list[R] = msgspec.field(name="list")

    def is_last(self, asked: int) -> bool:
        """Report whether page `asked` is the last: it is not full, or the number of pages, if sent, is reached."""
        size = int(self.page_size) or MAX_PAGE_SIZE
        pages = None if self.page_num is None or self.page_num is UNSET else int(self.page_num)
        return len(self.rows) < size or (pages is not None and asked >= pages)


def page_query(page: int, size: int = MAX_PAGE_SIZE) -> dict[str, str]:
    """Return the paging parameters of one page; the first page is 1."""
    return {"page": str(page), "pageSize": str(size)}
