"""A workstation in a terminal on a venue that holds still."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.terminal.terminal import Terminal
from tests.terminal.trader import Trader, at_the_desk


@pytest.fixture
def trader(start: Callable[..., Terminal], tmp_path: Path) -> Iterator[Trader]:
    with at_the_desk(start, tmp_path) as trader:
        yield trader
