"""A NATS server of this machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.desk_protocol.bus.bus_desks import NatsServer


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    for package in ("nats", "nkeys"):
        pytest.importorskip(package, reason="pip install -r requirements-desk.lock")
    found = NatsServer(tmp_path_factory.mktemp("nats"))
    found.start()
    yield found
    found.kill()
