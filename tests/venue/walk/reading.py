"""Every row of the catalogue that reads: a call that the venue accepts, and what the venue itself answers to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.venue.walk.calls import VALID
from tests.venue.walk.world import Params, World
from tui.client.rate_limiter import RateLimiter
from tui.interface.catalogue import ROWS
from tui.interface.endpoint import Endpoint, Shape
from tui.programs.call_params import PAGING

READ_ROWS = [row for row in ROWS if not row.is_command]
REFUSED_BY_SERVICE = {"sub_fee_rate": 100003}
"""Rows that a main key may not call, with the code of the refusal."""
ANSWERED = [row for row in READ_ROWS if not row.removed and row.name not in REFUSED_BY_SERVICE]

TIME = re.compile(r"\d{13}\Z")
"""Time in ms."""


def read_calls(world: World) -> Iterator[tuple[Endpoint, Params]]:
    """Each row that reads, with valid parameters other than pages."""
    for row in READ_ROWS:
        valid = VALID[row.name](world) if row.name in VALID else {}
        yield row, {name: text for name, text in valid.items() if name not in PAGING}


def venue_answer(world: World, row: Endpoint, params: Params) -> Any:
    """What the venue answers over REST, all pages of a list as a single list."""
    if row.shape is not Shape.PAGE:
        return _ask(world, row, params)
    rows: list[Any] = []
    page = 0
    while True:
        page += 1
        data = _ask(world, row, {**params, "page": str(page), "pageSize": "200"})
        rows += data["list"]
        if len(data["list"]) < 200:
            return rows


def _ask(world: World, row: Endpoint, params: Params) -> Any:
    return world.venue.data(row.method, row.path, params)


def call_without_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a desk wait for no rate limit: the venue of the walk has none, and one row may be read every ten seconds alone."""
    monkeypatch.setattr(RateLimiter, "delay", lambda *_, **__: 0.0)


def differences(told: Any, before: Any, after: Any, place: str = "") -> Iterator[str]:
    """Where what was told is not what the venue said before and after, value by value.

    A number is told as its text, what is absent as nothing; a time may have gone on between both.
    """
    if isinstance(told, dict) and isinstance(before, dict) and isinstance(after, dict):
        for name in sorted({*told, *before, *after}):
            if name in before or told[name] not in ("", []):
                yield from differences(told.get(name), before.get(name), after.get(name), f"{place}.{name}")
    elif isinstance(told, list) and isinstance(before, list) and len(told) == len(before) == len(after):
        for at, values in enumerate(zip(told, before, after, strict=True)):
            yield from differences(*values, f"{place}[{at}]")
    elif not _is_told(told, before, after):
        yield f"{place}: {told!r}, not {before!r}"


def _is_told(told: Any, before: Any, after: Any) -> bool:
    if not isinstance(told, str):
        return told in (before, after)
    first, last = (str(value) if isinstance(value, int | float) else value for value in (before, after))
    if told in (first, last):
        return True
    return all(isinstance(text, str) and TIME.match(text) for text in (first, told, last)) and first <= told <= last
