"""Plain desks of journeys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.journeys.plain.session import Plain, write_config

Start = Callable[..., Plain]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts plain desks; each is ended."""
    started: list[Plain] = []

    def begin(via: str, *arguments: str, arm: int = 0, leaves: str = "ask", forks: bool = True) -> Plain:
        home = tmp_path / "home"
        write_config(home, arm=arm, leaves=leaves)
        started.append(Plain(home, via, *arguments, forks=forks))
        return started[-1]

    yield begin
    for plain in started:
        plain.close()
