"""The past of a venue, made once for a module."""

from __future__ import annotations

import pytest

from tests.workstation.screens.history_desk import Past


@pytest.fixture(scope="module")
def past() -> Past:
    return Past()
