from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _exact(exact: None) -> None:
    """Every test here computes as the program does."""
