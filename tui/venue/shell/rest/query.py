"""A validated query, the argument of every handler."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tui.venue.shell.runtime import Runtime


class Query(NamedTuple):
    """One validated query."""

    runtime: Runtime
    portfolio: str
    params: Mapping[str, str]

    @property
    def empty_num(self) -> int:
        return int(self.runtime.switches["empty_page_num"])


Handler = Callable[[Query], Any]
"""Returns `data`, or an `ErrorReply`."""
