"""One judged query, as the functions that answer endpoints take it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tui.venue.shell.runtime import Runtime


class Query(NamedTuple):
    """One judged query."""

    runtime: Runtime
    portfolio: str
    params: Mapping[str, str]

    @property
    def empty_num(self) -> int:
        return int(self.runtime.switches["empty_page_num"])


Handler = Callable[[Query], Any]
"""Gives `data`, or an `ErrorReply`."""
