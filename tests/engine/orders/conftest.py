"""A state behind a gate, and an order table alone."""

from __future__ import annotations

import pytest

from tests.engine.order_rig import Told
from tests.engine.orders.gated import Gated


@pytest.fixture
def gated() -> Gated:
    return Gated()


@pytest.fixture
def told() -> Told:
    return Told()
