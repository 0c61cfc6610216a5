"""What the engine of the pictures answers to a reading of the service.

To add one: a line in `ANSWERS`, which gives the rows of a list, or the one record of any other answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tui.engine.history import ReadState
from tui.engine.service_query import ServiceAnswer, ServiceQuery

Give = Callable[[Mapping[str, str], int], object]
"""Rows (a tuple) or one record, by the parameters and the time, ms."""

ANSWERS: Mapping[str, Give] = {}
"""By the name of the row of the catalogue."""


def demo_answer(query: ServiceQuery, now_ms: int) -> ServiceAnswer:
    """The answer to a query, read whole."""
    give = ANSWERS.get(query.endpoint)
    if give is None:
        return ServiceAnswer(query=query, state=ReadState.FAILED, text="not in the pictures", read_ms=now_ms)
    found = give(dict(query.params), now_ms)
    if isinstance(found, tuple):
        return ServiceAnswer(query=query, state=ReadState.WHOLE, rows=found, total=len(found), read_ms=now_ms)
    return ServiceAnswer(query=query, state=ReadState.WHOLE, data=found, total=1, read_ms=now_ms)
