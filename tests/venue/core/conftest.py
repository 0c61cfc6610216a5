from __future__ import annotations

import pytest

from tui.interface import decimals


@pytest.fixture(autouse=True)
def _exact() -> None:
    decimals.setup()
