"""A desk in step with a service that has algo orders."""

from __future__ import annotations

import pytest

from tests.engine.algo_orders.algo_service import AlgoService, serving_algos
from tests.engine.conftest import Rig


@pytest.fixture
async def service(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> AlgoService:
    return await serving_algos(rig, monkeypatch)
