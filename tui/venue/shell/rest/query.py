"""Validated query, the argument of every query handler."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tui.interface.paging import MAX_PAGE_SIZE
from tui.venue.shell.runtime import Runtime


class Query(NamedTuple):
    """Validated query: runtime, portfolio of the API key, parameters by field name."""

    runtime: Runtime
    portfolio: str
    params: Mapping[str, str]

    def usual_size(self, short: int) -> int:
        """Return the default page size: the common one, or `short` when a switch selects the older, smaller one."""
        return short if self.runtime.switches["default_page_size"] == "short" else MAX_PAGE_SIZE

    @property
    def empty_num(self) -> int:
        return int(self.runtime.switches["empty_page_num"])


Handler = Callable[[Query], Any]
"""Handler of a query; returns `data`, or an `ErrorReply`."""
