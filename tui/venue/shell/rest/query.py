"""Validated query, the argument of every query handler."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tui.interface.paging import MAX_PAGE_SIZE
from tui.venue.core.queries import Queries
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
    def queries(self) -> Queries:
        """Read access to the exchange."""
        return self.runtime.exchange.queries

    def accepts(self, name: str, value: str) -> bool:
        """Return whether a row with this value passes the filter of a parameter; one that is not sent filters nothing."""
        return self.params.get(name) in (None, value)

    @property
    def empty_num(self) -> int:
        """Number of an empty page, by the switch `empty_page_num`."""
        return int(self.runtime.switches["empty_page_num"])


Handler = Callable[[Query], Any]
"""Handler of a query; returns `data`, or raises `CheckFailed` to refuse."""
