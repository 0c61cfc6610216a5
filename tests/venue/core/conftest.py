"""A venue without a shell, and a desk on it."""

from __future__ import annotations

import pytest

from tests.venue.core.drive import Desk


@pytest.fixture(autouse=True)
def _exact(exact: None) -> None:
    """Every test here computes as the program does."""


@pytest.fixture
def desk() -> Desk:
    return Desk()
